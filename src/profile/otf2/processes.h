/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes of an archive that is read, and those that only the samples beside it have. */
#pragma once
#include "profile/otf2/process.h"

typedef struct {
    GPtrArray *all; /* of ProfileOtf2Process */
    GHashTable
        *by_group; /* OTF2_LocationGroupRef to ProfileOtf2Process, of those of the archive */
} ProfileOtf2Processes;

/* Those of the archive, which `to` gets to know. Ranks are what our archives say, else processes are counted in the order
 * in which they are defined. fill: NULL: nobody has sampled them. */
ProfileOtf2Processes *profile_otf2_processes_put (const ProfileOtf2Definitions *definitions,
                                                  const ProfileOtf2Fill *fill,
                                                  ProfileSpool *to);
/* That of the location: an accelerator's streams are threads of the process that uses it. NULL: it has none. */
ProfileOtf2Process *profile_otf2_processes_find (const ProfileOtf2Processes *processes,
                                                 const ProfileOtf2Definitions *definitions,
                                                 const ProfileOtf2Location *location);
/* Adds those that have recorded nothing. A rank whose number another process has is left out, and that one gets to know it: it
 * was started by it, as by a shell, or is the same as another namespace sees it. What else it has started counts as that
 * one's. */
void profile_otf2_processes_put_sampled (ProfileOtf2Processes *processes,
                                         const ProfileOtf2Definitions *definitions,
                                         const ProfileOtf2Fill *fill, ProfileSpool *to);
void profile_otf2_processes_free (ProfileOtf2Processes *processes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileOtf2Processes, profile_otf2_processes_free)
