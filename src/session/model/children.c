/* SPDX-License-Identifier: GPL-3.0-or-later */
/* With `follow-fork both`, forked children are ranks of their own: numbers after those of the
 * launcher's ranks, in the order of their coming, for this run of the job. */
#include "session/private.h"

guint32
session_find_parent (const Session *session, const JobProcess *process)
{
    guint32 rank = process->parent > 0 && session->slots->map != NULL
                       ? session_slot_map_find_rank (session->slots->map, process->parent - 1)
                       : G_MAXUINT32;

    return rank != G_MAXUINT32 ? rank + 1 : 0;
}

/* An entry that comes again, after an exec, keeps its number. */
static void
give_number (Session *session, JobProcess *process, guint32 *next)
{
    guint32 known = session->slots->map != NULL
                        ? session_slot_map_find_rank (session->slots->map, process->slot)
                        : G_MAXUINT32;
    guint32 parent = session_find_parent (session, process);

    if (known != G_MAXUINT32) {
        process->rank = known;
        return;
    }
    process->rank = MAX (*next, process->size);
    *next = process->rank + 1;
    if (session->ranks->first_child == 0) {
        session->ranks->first_child = process->rank;
    }
    if (parent > 0) {
        g_autoptr (JobRankSet) child = job_rank_set_new_range (process->rank,
                                                               process->rank + 1);
        const SessionChange change
            = { .kind = SESSION_CHANGE_CHILD, .ranks = child, .number = parent - 1 };

        session_apply_change (session, &change);
    }
}

void
session_children_number (Session *session, JobEvent *event)
{
    guint32 next = session->ranks->size;

    for (guint i = 0;
         job_event_get_processes (event) != NULL && i < job_event_get_processes (event)->len;
         i++) {
        JobProcess *process = JOB_PROCESS (job_event_get_processes (event), i);

        if (process->parent > 0) {
            give_number (session, process, &next);
        }
    }
}

guint32
session_children_count (const Session *session)
{
    return session->ranks->first_child > 0 ? session->ranks->size - session->ranks->first_child
                                           : 0;
}

gboolean
session_children_are_alive (const Session *session)
{
    for (guint32 rank = session->ranks->first_child; rank > 0 && rank < session->ranks->size;
         rank++) {
        if (!job_state_get_info ((JobState) session->ranks->states[rank])->is_ended) {
            return TRUE;
        }
    }
    return FALSE;
}

void
session_children_forget (Session *session)
{
    if (session->ranks->first_child == 0) {
        return;
    }
    g_autoptr (JobRankSet) children = job_rank_set_new_range (session->ranks->first_child,
                                                              G_MAXUINT32);

    session->ranks->first_child = 0;
    for (guint i = session->breakpoints->all->len; i-- > 0;) {
        const SessionBreakpoint *breakpoint = g_ptr_array_index (session->breakpoints->all, i);

        session_breakpoints_drop (session, breakpoint->number, children);
    }
}
