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
/* The archive with that anchor file (ours, or one with samples or with Enter and Leave), as records of a
 * spool. NOT_FOUND, INVALID, CORRUPT. */
gboolean profile_otf2_read (const char *anchor, ProfileSpool *to, GError **error);
/* That part of it alone (NULL: all), as profile_part_read has it: samples, without counts, waits and messages. */
gboolean profile_otf2_read_part (const char *anchor, const ProfilePart *part, ProfileSpool *to,
                                 GError **error);
