/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions that no process has defined. That of the program itself: a process's first thread is in it from its start to its end, or until it executes another one, so that what no recorded
 * call encloses is its own time, as in Score-P's archives, and so is another thread that has ended and could run
 * for at least half of its life: others are a library's that wait where nothing is recorded, as MPI's do. Where
 * Python is traced, its modules are that. And one for each place of a construct of OpenMP. */
#pragma once
#include "profile/otf2/private.h"
#include "profile/trace-files.h"

typedef struct _ProfileOtf2Programs ProfileOtf2Programs;

/* first: the id of the first of its regions. */
ProfileOtf2Programs *profile_otf2_programs_new (OTF2_RegionRef first);
void profile_otf2_programs_free (ProfileOtf2Programs *programs);
/* The region of a thread in that program; OTF2_UNDEFINED_REGION: it has none. thread: NULL: the first one, which has
 * recorded nothing. */
OTF2_RegionRef profile_otf2_programs_find (ProfileOtf2Programs *programs,
                                           const ProfileTraceImage *image,
                                           const ProfileTraceThread *thread);
/* A construct of OpenMP where it stands ("/home/me/app.c:12 (main)"), so that two of the same name are told apart, as
 * Score-P does it ("omp parallel @app.c:12");
 * OTF2_UNDEFINED_REGION: the place is no line. */
OTF2_RegionRef profile_otf2_programs_find_construct (ProfileOtf2Programs *programs,
                                                     const char *name, OTF2_RegionRole role,
                                                     const char *place);
/* What the loader does before any code of the program runs. */
OTF2_RegionRef profile_otf2_programs_find_start (ProfileOtf2Programs *programs);
/* A time of the program's in which it did not run, or that nobody has seen. */
OTF2_RegionRef profile_otf2_programs_find_unrecorded (ProfileOtf2Programs *programs);
void profile_otf2_programs_define (ProfileOtf2Programs *programs, ProfileOtf2Out *to);
/* From when to when the process's first thread was there, as the first of its programs and as the last one, by its
 * host's clock. metrics: of JobMetrics; NULL: none. */
guint64 profile_otf2_program_get_begin (const ProfileTraceProcess *process,
                                        const GArray *metrics);
guint64 profile_otf2_program_get_end (const ProfileTraceProcess *process,
                                      const GArray *metrics);
