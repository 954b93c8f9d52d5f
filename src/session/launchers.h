/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a form that makes a job's command line needs to know about launchers. */
#pragma once

/* Names to choose from, the usual one first; NULL-terminated. */
const char *const *session_launchers_list (void);
/* The option, with its dash, that the number of ranks follows. launcher: a name, with or without a
 * path; NULL or unknown: as the first of the list. */
const char *session_launchers_get_size_word (const char *launcher);
