/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which slot is which rank. Hosts have blocks of slots, and a launcher places ranks on them in
 * blocks or in turn: the map is kept as runs of equal steps, so that a set of a million ranks costs
 * what its runs cost where ranks lie in blocks, and one pass over bits where they do not. */
#pragma once
#include "job/rank-set.h"

typedef struct _SessionSlotMap SessionSlotMap;

SessionSlotMap *session_slot_map_new (void);
void session_slot_map_free (SessionSlotMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SessionSlotMap, session_slot_map_free)

/* The slot is this rank's from now on. rank < 1 << 24; more is left out. */
void session_slot_map_add (SessionSlotMap *map, guint32 slot, guint32 rank);
/* G_MAXUINT32: nobody's. */
guint32 session_slot_map_find_rank (const SessionSlotMap *map, guint32 slot);
/* Without those that nobody has. Callers own. */
JobRankSet *session_slot_map_to_ranks (const SessionSlotMap *map, const JobRankSet *slots);
JobRankSet *session_slot_map_to_slots (const SessionSlotMap *map, const JobRankSet *ranks);
