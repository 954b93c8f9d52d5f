/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where ranks wait in vain, as far as it is known without stopping them: a stack's innermost frame. */
#pragma once
#include "job/stack-tree.h"
#include "session/session.h"

/* A number that changes with who is blocked, since when and where; 0: nobody's place is known. */
guint64 gui_blocked_places_sign (Session *session, const JobRankSet *ranks);
/* One frame each, marked as incomplete. Caller owns. */
JobStackTree *gui_blocked_places_dup_tree (Session *session, const JobRankSet *ranks);
