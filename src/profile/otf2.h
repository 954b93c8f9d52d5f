/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OTF2 archives by their own library; only pddt-archive links this. Our own samples are
 * CallingContextSample records; what they were doing is a property of their calling context, which costs
 * a sample nothing: a context that was seen in two classes is there twice. A sample stands for the time
 * since the one before at its location, or since a MeasurementOnOff. */
#pragma once
#include "profile/part.h"
#include "profile/spool.h"

#define PROFILE_OTF2_NAME "traces" /* of the files and the folder of an archive */

/* FOLDER/traces.otf2 and what belongs to it, of the model. DENIED. */
gboolean profile_otf2_write (const ProfileModel *model, const char *folder, GError **error);
/* Bytes of the files in the anchor's folder and in the one that has the events, which bears the anchor's name. */
guint64 profile_otf2_get_size (const char *anchor);
/* The archive with that anchor file says that it was written with traces.sums. */
gboolean profile_otf2_is_summed (const char *anchor);
/* The archive with that anchor file (ours, or one with samples or with Enter and Leave), as records of a
 * spool: processes, samples, counts and losses. samples: the anchor of the same run's samples, which fill the time
 * between the events; NULL: there are none. part: as profile_part_read has it, samples alone; NULL: all of it.
 * NOT_FOUND, INVALID, CORRUPT. */
gboolean profile_otf2_read (const char *anchor, const char *samples, const ProfilePart *part,
                            ProfileSpool *to, GError **error);
/* What else its events say: messages and waits, files, locks, allocations. Each of these is a pass over all events, which
 * is why another process may do this meanwhile. What cannot be read has none. */
void profile_otf2_read_traced (const char *anchor, ProfileSpool *to);
