/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command of a profile, for the user. */
#pragma once
#include <glib.h>

/* The words as a shell takes them, quoted only where they must be. NULL: there are none. Caller owns. */
char *profile_command_format (const char *const *argv);
/* The same of a line whose words may all be quoted, as archives have it; what is no such line stays as it is.
 * NULL gives NULL. */
char *profile_command_tidy (const char *line);
