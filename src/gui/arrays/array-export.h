/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes an array to a file piece by piece, so that the window stays responsive. The file gets
 * its name only when it is complete. */
#pragma once
#include "gui/arrays/array-data.h"

typedef struct _GuiArrayExport GuiArrayExport;
/* slice: writes it as comma-separated values with all digits, nothing between the commas of what is hidden; NULL: the whole array in numpy's
 * format 1.0 (numpy.lib.format), Fortran order marked as such. data must outlive the export.
 * DENIED. */
GuiArrayExport *gui_array_export_new (const GuiArrayData *data, const GuiArraySlice *slice,
                                      const char *file, GError **error);
/* Works for about budget_us. FALSE with error: DENIED; *ret_is_done: the file is complete. */
gboolean gui_array_export_step (GuiArrayExport *export, gint64 budget_us, gboolean *ret_is_done,
                                GError **error);
const int *gui_array_export_get_permille (const GuiArrayExport *export); /* progress */
void gui_array_export_free (GuiArrayExport *export); /* removes an incomplete file */
