/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes an array into a file piece by piece, so that a window lives on meanwhile; under its name
 * the file is there whole or not at all. */
#pragma once
#include "gui/array-data.h"

typedef struct _GuiArrayExport GuiArrayExport;
/* slice: its lines as exact comma-separated values; NULL: everything, in numpy's format 1.0
 * (numpy.lib.format), Fortran's order marked as such. data outlives it. DENIED. */
GuiArrayExport *gui_array_export_new (const GuiArrayData *data, const GuiArraySlice *slice,
                                      const char *file, GError **error);
/* For about so many microseconds. FALSE with error: DENIED; *ret_is_done: the file is there. */
gboolean gui_array_export_step (GuiArrayExport *export, gint64 budget_us, gboolean *ret_is_done,
                                GError **error);
const int *gui_array_export_get_permille (const GuiArrayExport *export); /* how far it is */
void gui_array_export_free (GuiArrayExport *export); /* what is not whole is removed */
