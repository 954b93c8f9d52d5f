/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks that wait in vain, and where, as far as it is known without stopping them. */
#pragma once
#include "session/session.h"

/* The rank and its place, borrowed. FALSE: it is not blocked, or was seen there before it moved. */
gboolean gui_blocked_places_find (Session *session, guint32 rank, SessionRank *ret_rank);
/* A number that changes with who is blocked, since when and where; 0: nobody's place is known. */
guint64 gui_blocked_places_sign (Session *session, const JobRankSet *ranks);
