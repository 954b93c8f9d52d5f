/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps slots to ranks. Hosts have blocks of slots, and a launcher places ranks on them in
 * blocks or round-robin. The map consists of runs with equal steps: converting a set costs as
 * much as its runs if ranks lie in blocks, and otherwise one pass over a bitmap. */
#pragma once
#include "job/rank-set.h"

typedef struct _SessionSlotMap SessionSlotMap;

SessionSlotMap *session_slot_map_new (void);
void session_slot_map_free (SessionSlotMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SessionSlotMap, session_slot_map_free)

/* Assigns the slot to the rank. Ignores ranks of 1 << 24 and above. */
void session_slot_map_add (SessionSlotMap *map, guint32 slot, guint32 rank);
/* G_MAXUINT32: unassigned. */
guint32 session_slot_map_find_rank (const SessionSlotMap *map, guint32 slot);
/* Leave out unassigned ones. Callers own. */
JobRankSet *session_slot_map_to_ranks (const SessionSlotMap *map, const JobRankSet *slots);
JobRankSet *session_slot_map_to_slots (const SessionSlotMap *map, const JobRankSet *ranks);
