/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was counted at places (job/counts.h), as records of an archive: at the end of a rank's first location a metric record for
 * each calling context, which an attribute names. Only pddt-archive links this. */
#pragma once
#include "job/counts.h"
#include "profile/otf2/private.h"

/* Members are numbered from `first` on. A class has those of one set of JobCount. */

/* metric: the class of the set; context: OTF2_UNDEFINED_CALLING_CONTEXT: a stack that could not be read. */
void profile_otf2_counts_put (ProfileOtf2Out *to, OTF2_EvtWriter *out, guint64 time,
                              OTF2_MetricRef metric, guint32 set,
                              OTF2_CallingContextRef context, const JobCounts *counts);
/* sets: of guint32, of the classes 0 to n - 1; empty: nothing is defined. */
void profile_otf2_counts_define (ProfileOtf2Out *to, OTF2_MetricMemberRef first,
                                 const GArray *sets);
/* What the process of the group has counted at places. */
void profile_otf2_counts_put_set (ProfileOtf2Out *to, guint32 group, guint32 set);
/* text: as put_set has written it; what is not known is left out. */
guint32 profile_otf2_counts_parse_set (const char *text);
/* JOB_N_COUNTS: the metric member of that name is none. */
JobCount profile_otf2_counts_find_member (const char *name);
