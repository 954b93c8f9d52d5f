/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of scripts share with the rest of the language. */
#pragma once
#include "command/private.h"
#include "command/script.h"

/* NULL: there is none. */
const CommandScripts *command_get_scripts (void);
/* Lines up to `end` belong to it, and the job ends. FALSE: no block is open, the line is a command. */
gboolean command_script_take_line (CommandJob *job);
/* The depth of blocks behind the line. */
void command_script_note_line (const char *line, guint *depth);
void command_script_block_free (CommandContext *context);
/* Runs the text for the job, which ends with it. */
void command_script_run (CommandJob *job, const char *text, const char *file, guint line);

/* Collects the lines that follow, up to `end`; then `end` is called with their job, and ends it. name: of what is defined, or NULL. */
void command_script_open (CommandJob *job, const char *name,
                          void (*end) (CommandJob *job, const char *name, const char *text));
/* Whether a script or a user may name a command so. INVALID. */
gboolean command_script_check_name (const char *name, GError **error);
gboolean command_is_defined (const CommandRow *row); /* define.c: by `define` */

/* table.c: what users define. Takes nothing; replaces one of the same name. */
void command_table_add (const char *name, const char *usage, const char *summary, guint flags,
                        void (*run) (CommandJob *job));
