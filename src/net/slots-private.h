/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conversion between a host's local slots (from 0) and the front end's global ones (from
 * base). */
#pragma once
#include "job/event.h"
#include "job/request.h"

/* Adds base to every slot in the event. */
void net_slots_globalise (JobEvent *event, guint32 base);
/* The part of a global set in [base, base + NET_BLOCK_SLOTS), in local slots. Caller owns. */
JobRankSet *net_slots_localise (const JobRankSet *set, guint32 base);
