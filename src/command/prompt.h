/* SPDX-License-Identifier: GPL-3.0-or-later */
/* readline in the GLib main loop; nobody else in pddt calls it. One prompt a process. */
#pragma once
#include "session/session.h"

/* text NULL: end of file. */
typedef void (*CommandPromptLine) (const char *text, gpointer user);
void command_prompt_begin (Session *session, CommandPromptLine on_line, gpointer user);
void command_prompt_end (void); /* keeps the history */
/* Around every line that is printed while the user types. */
void command_prompt_hide (void);
void command_prompt_show (void);
/* The focus has changed, or the keyboard is the ranks'. */
/* What stands in the prompt while the job starts; NULL: nothing. For the next update. */
void command_prompt_set_status (const char *text);
void command_prompt_update (Session *session, gboolean is_input);
gboolean command_prompt_clear (void); /* drops what is typed; FALSE: there was nothing */
