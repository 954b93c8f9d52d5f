/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of scorep-score, of the events of an archive: ours, Score-P's or TAU's. Only pddt-archive links this. */
#pragma once
#include <glib.h>

/* Caller owns. NOT_FOUND; INVALID: it has no calls, or is no archive; CORRUPT: not all of it could be
 * read, and the numbers would be others. */
char *profile_otf2_score (const char *anchor, GError **error);
