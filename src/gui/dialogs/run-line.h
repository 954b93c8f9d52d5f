/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a command line from the fields of the Run dialog, without GTK, and without a look at what it names. */
#pragma once
#include <glib.h>

typedef struct {
    const char *program, *arguments;
    gboolean use_mpi;
    guint n_ranks;
    const char *launcher, *launcher_options;
    const char *folder;      /* where relative programs are; NULL: current */
    const char *environment; /* "NAME=value NAME=value", quoted as in a shell */
} GuiRunLine;

/* "mpirun -np 8 python3 %python_debug% app.py": adds the word when the program is a .py. NULL
 * with INVALID (quotes do not match) or NOT_FOUND (no program is named). Caller owns. */
char **gui_run_line_dup_argv (const GuiRunLine *line, GError **error);
/* Whether Python reads the program. */
gboolean gui_run_line_is_script (const GuiRunLine *line);
/* NULL-terminated; INVALID when a word has no '='. Caller owns. */
char **gui_run_line_dup_environment (const GuiRunLine *line, GError **error);
