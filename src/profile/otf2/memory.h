/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sampled allocations in an archive of events: metrics "pddt::allocated" and "pddt::freed", in bytes, whose records have
 * the block's address and, where it was allocated, the function and its line as attributes; if native code has allocated it,
 * PROFILE_OTF2_STACK has places of native code as PROFILE_OTF2_PLACE has them, from the one that has allocated it outwards
 * with PROFILE_OTF2_CALLER in between. Only pddt-archive links this. */
#pragma once
#include "profile/otf2/private.h"
#include "profile/otf2/values.h"
#include "profile/spool.h"
#include "profile/trace-files.h"

/* Attributes of an archive. */
typedef struct {
    OTF2_AttributeRef address, region, place, stack;
} ProfileOtf2MemoryAttributes;

/* Writes the event, if it is ALLOCATED or FREED. list: empty. Returns the number of records: 0 or 1. */
guint profile_otf2_memory_put (ProfileOtf2Values *values, const ProfileTrace *trace,
                               ProfileOtf2Out *to, OTF2_EvtWriter *out,
                               OTF2_AttributeList *list, guint64 time,
                               const ProfileTraceEvent *event,
                               const ProfileOtf2MemoryAttributes *attributes);
void profile_otf2_memory_define (ProfileOtf2Out *to,
                                 const ProfileOtf2MemoryAttributes *attributes);

/* Sums of what the archive says of them. */
void profile_otf2_memory_read (const char *anchor, const ProfileOtf2Definitions *definitions,
                               ProfileSpool *to);
