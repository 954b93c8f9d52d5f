/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The region of the program itself: a process's first thread is in it from its start to its end, so that what no recorded
 * call encloses is its own time, as in Score-P's archives, and so is another thread that has ended and could run
 * for at least half of its life: others are a library's that wait where nothing is recorded, as MPI's do. Where
 * Python is traced, its modules are that. */
#pragma once
#include "profile/otf2-private.h"
#include "profile/trace-files.h"

typedef struct _ProfileOtf2Programs ProfileOtf2Programs;

/* first: the id of the first of its regions. */
ProfileOtf2Programs *profile_otf2_programs_new (OTF2_RegionRef first);
void profile_otf2_programs_free (ProfileOtf2Programs *programs);
/* The thread's region; OTF2_UNDEFINED_REGION: it has none. thread: NULL: the first one, which has recorded nothing. */
OTF2_RegionRef profile_otf2_programs_find (ProfileOtf2Programs *programs,
                                           const ProfileTraceProcess *process,
                                           const ProfileTraceThread *thread);
void profile_otf2_programs_define (ProfileOtf2Programs *programs, ProfileOtf2Out *to);
/* From when to when the process's first thread was there, by its host's clock. metrics: of JobMetrics; NULL: none. */
guint64 profile_otf2_program_get_begin (const ProfileTraceProcess *process,
                                        const GArray *metrics);
guint64 profile_otf2_program_get_end (const ProfileTraceProcess *process,
                                      const GArray *metrics);
