/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "profile/trace-files.h"

/* *ret_culprit: the index of the process whose events could not be written; -1: it is no one's.
 * Writes traces.otf2 and what belongs to it into the folder. Only pddt-archive does it. */
gboolean profile_otf2_write_trace (const ProfileTrace *trace, const char *folder,
                                   gint *ret_culprit, GError **error);
