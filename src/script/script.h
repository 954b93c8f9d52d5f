/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python inside pddt: the language's `python` and what scripts add to it. Python runs in a thread of its own, which
 * begins, and loads libpython, with the first script. */
#pragma once
#include <glib.h>

/* As launch_find_program. */
typedef char *(*ScriptFind) (const char *name, GError **error);
/* The hooks of command/script.h. find: is called with the first script. */
void script_install (ScriptFind find);
/* Closes what scripts have opened, if they let it; at the end of the program. */
void script_end (void);
