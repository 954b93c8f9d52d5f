/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls of a process, of which its locations are in one after the other, as a tree with what is known of each. */
#pragma once
#include "profile/otf2/private.h"

/* The locations of one process. */
typedef struct {
    guint32 rank;
    ProfileProcess process; /* of one that the archive has: texts are the definitions' */
    JobContextTree *tree;
    guint32 n_told;
    GHashTable *known;   /* calling context of the archive to number in the tree */
    GHashTable *entered; /* number in the tree and region, to number */
    GArray *classes;     /* of guint8, by number in the tree: of Enter and Leave */
    GArray *counts; /* of ProfileCount, by number in the tree; empty: nothing was entered */
    GArray *place_counts; /* of JobContextCounts, not told yet; NULL: the archive has none */
    guint32 counted;      /* set of JobCount that they have */
    guint32 n_threads;
    guint sampled;                       /* its index in the samples; G_MAXUINT: it has none */
    guint n_locations, n_nameless;       /* that were read; of these, without a kernel's id */
    guint64 missed, kept, n_told_missed; /* told: of its threads */
    guint64 whole;                       /* in ticks; 0: not known */
} ProfileOtf2Process;

/* A part of the time has no counts of its own. */
ProfileOtf2Process *profile_otf2_process_new (const ProfileOtf2Definitions *definitions,
                                              guint32 rank, const ProfileOtf2Group *group);
void profile_otf2_process_free (gpointer process);
/* Numbers of its tree: the region inside the call `parent` (0: in none), the same where the program has switched recording off,
 * and a calling context of the archive. */
guint32 profile_otf2_process_enter (const ProfileOtf2Definitions *definitions,
                                    ProfileOtf2Process *process, guint32 parent,
                                    OTF2_RegionRef region);
guint32 profile_otf2_process_enter_off (const ProfileOtf2Definitions *definitions,
                                        ProfileOtf2Process *process, guint32 parent);
guint32 profile_otf2_process_find (const ProfileOtf2Definitions *definitions,
                                   ProfileOtf2Process *process, OTF2_CallingContextRef id);
/* Of the time right in that number. */
void profile_otf2_process_note_class (ProfileOtf2Process *process, guint32 number,
                                      guint8 class);

static inline guint8
profile_otf2_process_get_class (const ProfileOtf2Process *process, guint32 number)
{
    return number < process->classes->len ? g_array_index (process->classes, guint8, number)
                                          : JOB_CLASS_UNKNOWN;
}

/* Borrowed until the next one is asked for. */
static inline ProfileCount *
profile_otf2_process_get_count (ProfileOtf2Process *process, guint32 number)
{
    if (process->counts->len <= number) {
        g_array_set_size (process->counts, number + 1);
    }
    return &g_array_index (process->counts, ProfileCount, number);
}
