/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks of hosts that have not answered for a while: their data is stale until their host
 * answers again. */
#include "session/private.h"
#include "base/clock.h"

typedef struct {
    JobRankSet *ranks;
    gint64 since_us;
} Silence;

BASE_FREE (free_silence, Silence, silence, job_rank_set_free (silence->ranks))

void
session_silence_clear (Session *session)
{
    g_clear_pointer (&session->silences->list, g_ptr_array_unref);
    g_clear_pointer (&session->silences->ranks, job_rank_set_free);
    g_clear_pointer (&session->silences->cut_off, job_rank_set_free);
}

/* Takes the ranks out of all that is silent; FALSE: nobody was. */
static gboolean
take_out (Session *session, const JobRankSet *ranks)
{
    gboolean found = FALSE;

    for (guint i = session->silences->list->len; i > 0; i--) {
        Silence *silence = session->silences->list->pdata[i - 1];
        JobRankSet *rest;

        if (!job_rank_set_intersects (silence->ranks, ranks)) {
            continue;
        }
        found = TRUE;
        rest = job_rank_set_subtract (silence->ranks, ranks);
        job_rank_set_free (silence->ranks);
        silence->ranks = rest;
        if (job_rank_set_is_empty (rest)) {
            g_ptr_array_remove_index (session->silences->list, i - 1);
        }
    }
    return found;
}

void
session_set_silent (Session *session, const JobRankSet *ranks, guint silent_ms)
{
    const SessionChange change
        = { .kind = SESSION_CHANGE_SILENCE, .ranks = ranks, .number = silent_ms };

    if (session->relay != NULL) {
        session->relay->note (session->relay, SESSION_TOLD_SILENT, ranks, silent_ms, 0);
    }
    session_apply_change (session, &change);
}

void
session_silence_apply (Session *session, const JobRankSet *ranks, guint silent_ms)
{
    if (session->silences->list == NULL) {
        session->silences->list = g_ptr_array_new_with_free_func (free_silence);
        session->silences->ranks = job_rank_set_new ();
    }
    if (!take_out (session, ranks) && silent_ms == 0) {
        return;
    }
    if (silent_ms > 0 && !job_rank_set_is_empty (ranks)) {
        Silence *silence = g_new (Silence, 1);

        silence->ranks = job_rank_set_dup (ranks);
        silence->since_us = base_clock_get_us () - (gint64) silent_ms * 1000;
        g_ptr_array_add (session->silences->list, silence);
    }
    job_rank_set_clear (session->silences->ranks);
    for (guint i = 0; i < session->silences->list->len; i++) {
        job_rank_set_merge (session->silences->ranks,
                            ((Silence *) session->silences->list->pdata[i])->ranks);
    }
    session_ranks_note_set (session, ranks);
}

const JobRankSet *
session_find_silent (const Session *session)
{
    return session->silences->ranks != NULL && !job_rank_set_is_empty (session->silences->ranks)
               ? session->silences->ranks
               : NULL;
}

gint64
session_get_silent_since_us (const Session *session, const JobRankSet *ranks)
{
    gint64 since_us = 0;

    for (guint i = 0; session->silences->list != NULL && i < session->silences->list->len;
         i++) {
        const Silence *silence = session->silences->list->pdata[i];

        if ((since_us == 0 || silence->since_us < since_us)
            && job_rank_set_intersects (silence->ranks, ranks)) {
            since_us = silence->since_us;
        }
    }
    return since_us;
}
