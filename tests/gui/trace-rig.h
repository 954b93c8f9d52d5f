/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Performance window with the trace of trace-sample.h, for the tests of its pages. Their arguments are FOLDER, for
 * pictures, and SOURCE, the file that the trace's functions are in. */
#pragma once
#include <gtk/gtk.h>
#include "profile/model.h"

extern const char *trace_rig_folder, *trace_rig_source;

/* As g_test_init; then the two arguments are known. */
void trace_rig_start (int *argc, char ***argv);
int trace_rig_run (void); /* the tests that were added; the program's status */
/* A window that the caller destroys, which takes model. */
GtkWidget *trace_rig_show_model (ProfileModel *model);
GtkWidget *trace_rig_show (void);
/* PAGE.png in the folder. */
void trace_rig_save_picture (GtkWidget *window, const char *page);
