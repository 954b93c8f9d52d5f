/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics and parameters of the program's own, from an archive. Only pddt-archive links this. */
#pragma once
#include "profile/otf2/traced.h"
#include "profile/spool.h"

typedef struct _ProfileOtf2Own ProfileOtf2Own;

/* NULL: the archive has none, or cannot be read. definitions: stay the caller's, and longer than this. */
ProfileOtf2Own *profile_otf2_own_new (const char *anchor,
                                      const ProfileOtf2Definitions *definitions);
/* For that location (an index), before its events are read; NULL of NULL. It is what ProfileOtf2Streams has. */
gpointer profile_otf2_own_begin (ProfileOtf2Own *own, guint location);
void profile_otf2_own_end (gpointer stream); /* after them; NULL is fine */
void profile_otf2_own_set_callbacks (OTF2_EvtReaderCallbacks *callbacks);
/* Puts what there is, and frees it; NULL is fine. */
void profile_otf2_own_put (ProfileOtf2Own *own, ProfileSpool *to);
