/* SPDX-License-Identifier: GPL-3.0-or-later */
/* readline in the GLib main loop. Only this file calls readline. One prompt per process. */
#pragma once
#include "session/session.h"

/* text NULL: end of file. */
typedef void (*CommandPromptLine) (const char *text, gpointer user);
void command_prompt_begin (Session *session, CommandPromptLine on_line, gpointer user);
void command_prompt_end (void); /* saves the history */
/* Around every line that is printed while the user types. */
void command_prompt_hide (void);
void command_prompt_show (void);
/* Text for the prompt while the job starts, shown from the next update on; NULL: none. */
void command_prompt_set_status (const char *text);
void command_prompt_update (Session *session, gboolean is_input);
gboolean command_prompt_clear (void); /* discards the typed text; FALSE: there was none */
