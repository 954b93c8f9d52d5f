/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/group/blocked-places.h"

gboolean
gui_blocked_places_find (Session *session, guint32 rank, SessionRank *ret_rank)
{
    *ret_rank = session_get_rank (session, rank);
    return ret_rank->is_there && ret_rank->state == JOB_STATE_BLOCKED && ret_rank->is_place_new
           && ret_rank->place != NULL;
}

guint64
gui_blocked_places_sign (Session *session, const JobRankSet *ranks)
{
    guint64 signature = 0;

    JOB_EACH_RANK (ranks, rank) {
        SessionRank info;

        if (gui_blocked_places_find (session, rank, &info)) { /* FNV-1a's beginning and prime */
            signature = signature == 0 ? 14695981039346656037u : signature;
            signature = (signature ^ rank) * 1099511628211u;
            signature = (signature ^ GPOINTER_TO_SIZE (info.place)) * 1099511628211u;
            signature = (signature ^ (guint64) info.motion_us) * 1099511628211u;
        }
    }
    return signature;
}
