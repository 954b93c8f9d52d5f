/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who waited for whom, from the messages and collectives of an archive of events. Only pddt-archive links this. */
#pragma once
#include "profile/otf2-private.h"
#include "profile/spool.h"

/* Puts what there is; an archive without MPI's events, or that cannot be read, has none. */
void profile_otf2_waits_read (const char *anchor, const ProfileOtf2Definitions *definitions,
                              ProfileSpool *to);
