/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Local slots of a host (0 up) and the global ones of the front end (base up). */
#pragma once
#include "job/event.h"
#include "job/request.h"

/* Adds base to every slot in the event. */
void net_slots_globalise (JobEvent *event, guint32 base);
/* The part of a global set in [base, base + NET_BLOCK_SLOTS), in local slots. Caller owns. */
JobRankSet *net_slots_localise (const JobRankSet *set, guint32 base);
