/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traces.sums, beside the files of an archive of ours: a hash of each of them. OTF2 has none, so that its library takes
 * a changed number for one that was recorded. Archives of others have no such file. */
#pragma once
#include "base/text.h"

#define PROFILE_SUMS_NAME "traces.sums"

/* Of all files of the archive in the folder that the process is in. DENIED. */
gboolean profile_sums_write (GError **error);
/* A sentence, caller owns: which file is not as it was written; NULL: none, or nobody knows. is_summed: the archive was
 * written with traces.sums: without it, it is not whole. */
BaseText *profile_sums_check (const char *anchor, gboolean is_summed);
