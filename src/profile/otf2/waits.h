/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who waited for whom, from the messages and collectives of an archive of events. Only pddt-archive links this. */
#pragma once
#include "profile/otf2/traced.h"
#include "profile/spool.h"

typedef struct _ProfileOtf2Waits ProfileOtf2Waits;

/* NULL: the archive has none of MPI's events, or cannot be read. definitions: stay the caller's, and longer than this. */
ProfileOtf2Waits *profile_otf2_waits_new (const char *anchor,
                                          const ProfileOtf2Definitions *definitions);
/* For that location (an index), before its events are read; NULL of NULL. It is what ProfileOtf2Streams has. */
gpointer profile_otf2_waits_begin (ProfileOtf2Waits *waits, guint location);
void profile_otf2_waits_end (gpointer stream); /* after them; NULL is fine */
/* All that it wants but Enter and Leave, which others want too. */
void profile_otf2_waits_set_callbacks (OTF2_EvtReaderCallbacks *callbacks);
OTF2_CallbackCode profile_otf2_waits_enter (OTF2_LocationRef location, OTF2_TimeStamp time,
                                            uint64_t position, void *streams,
                                            OTF2_AttributeList *list, OTF2_RegionRef region);
OTF2_CallbackCode profile_otf2_waits_leave (OTF2_LocationRef location, OTF2_TimeStamp time,
                                            uint64_t position, void *streams,
                                            OTF2_AttributeList *list, OTF2_RegionRef region);
/* Puts what there is, and frees it; NULL is fine. */
void profile_otf2_waits_put (ProfileOtf2Waits *waits, ProfileSpool *to);
