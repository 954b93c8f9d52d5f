/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A part of an archive's time, finer than microseconds. */
#pragma once
#include "profile/slice.h"

/* Times are ns of the front end's clock. */
typedef struct {
    gint64 begin_ns, end_ns;
} ProfilePart;

/* What a model that was read of the part has for each µs: so many ns, 1 where the part is shorter than 4 s. */
gint64 profile_part_get_unit_ns (const ProfilePart *part);
/* The part of a whole model from begin_s to end_s. */
ProfilePart profile_part_new (const ProfileModel *model, double begin_s, double end_s);
/* A time of the whole model in seconds of what was read of the part. */
double profile_part_get_seconds (const ProfilePart *part, const ProfileModel *model,
                                 const ProfileModel *read, double time_s);
/* The model of the part alone: what was entered before its begin is entered there. It has the ranks and threads
 * of the archive, but no numbers of calls, and no messages. Its times are those of profile_part_get_seconds: a
 * second of it is a million units. Blocks until pddt-archive, the program, has read all of the archive. Errors as
 * those of profile_archive_read. */
ProfileModel *profile_part_read (const char *program, const char *path, const ProfilePart *part,
                                 GError **error);
