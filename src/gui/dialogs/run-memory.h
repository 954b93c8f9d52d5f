/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the Run dialog remembers of the last programs: a key file, with a group for each. */
#pragma once
#include <gtk/gtk.h>
#include "session/saved.h"

GKeyFile *gui_run_memory_load (void); /* caller owns */
/* Without those that are too many: the oldest by their key "when". */
void gui_run_memory_save (GKeyFile *memory);
/* Adds them, and the sessions that were saved by themselves; insensitive where there are none. */
void gui_run_memory_fill (GKeyFile *memory, GtkComboBoxText *recent);
/* "2 breakpoints, 1 set, 0 windows". Caller owns. */
char *gui_run_memory_describe (const SessionSaved *saved);
