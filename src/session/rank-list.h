/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single ranks for views that show some of them one by one. Who shows all takes groups (group-list.h): an
 * item a rank is too much for a million. */
#pragma once
#include "session/session.h"

/* A rank, made when it is asked for. */
#define SESSION_TYPE_RANK_ITEM (session_rank_item_get_type ())
G_DECLARE_FINAL_TYPE (SessionRankItem, session_rank_item, SESSION, RANK_ITEM, GObject)
guint32 session_rank_item_get_rank (const SessionRankItem *item);
/* As session_get_rank; without is_there when the session is gone. */
SessionRank session_rank_item_get (const SessionRankItem *item);

/* Of SessionRankItem, one a rank of the set, in their order: it takes no memory for a rank that nobody asks
 * for. "items-changed" names the ranks between the first and the last that have changed since the last one,
 * at most every 16 ms. Caller owns. */
#define SESSION_TYPE_RANK_LIST (session_rank_list_get_type ())
G_DECLARE_FINAL_TYPE (SessionRankList, session_rank_list, SESSION, RANK_LIST, GObject)
SessionRankList *session_rank_list_new (Session *session, const JobRankSet *ranks);
void session_rank_list_set_ranks (SessionRankList *list, const JobRankSet *ranks);
