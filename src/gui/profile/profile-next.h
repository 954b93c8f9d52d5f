/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A breakpoint for the next time that a measured program is debugged. */
#pragma once
#include "session/saved.h"

/* Adds the breakpoint to what pddt keeps of the program's session (session/saved.h), which the program gets back
 * when it is debugged again; keeps that file's command, or begins one with this command line (as a shell takes it).
 * Returns the file; caller owns. NULL with INVALID: the command is not known; DENIED: the file cannot be
 * written. */
char *gui_profile_next_add (const char *command, const char *file, guint line, GError **error);
