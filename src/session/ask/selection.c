/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a client has selected, by groups of ranks with the same: there are few. */
#include "session/selection.h"
#include "session/private.h"

typedef struct {
    JobRankSet *ranks;
    guint32 thread; /* 0: the one that has stopped */
    guint32 frame;
    gboolean has_frame; /* else the thread's own place */
    const JobLocation *place;
} Chosen;

struct _SessionSelection {
    GObject parent;
    Session *session;
    GArray *chosen; /* of Chosen */
};

G_DEFINE_FINAL_TYPE (SessionSelection, session_selection, G_TYPE_OBJECT)

static guint changed_signal;

static Chosen *
get (const SessionSelection *self, guint i)
{
    return &g_array_index (self->chosen, Chosen, i);
}

static void
drop (SessionSelection *self, const JobRankSet *ranks)
{
    for (guint i = self->chosen->len; i > 0; i--) {
        Chosen *chosen = get (self, i - 1);
        JobRankSet *rest;

        if (!job_rank_set_intersects (chosen->ranks, ranks)) {
            continue;
        }
        rest = job_rank_set_subtract (chosen->ranks, ranks);
        job_rank_set_free (chosen->ranks);
        chosen->ranks = rest;
        if (job_rank_set_is_empty (rest)) {
            g_array_remove_index (self->chosen, i - 1);
        }
    }
}

static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    SessionSelection *self = user;

    if (self->chosen->len > 0 && event->kind == JOB_EVENT_STATE
        && !(event->flags & JOB_EVENT_FRESH)) {
        drop (self, event->ranks);
    }
}

static void
clear_chosen (gpointer chosen)
{
    g_clear_pointer (&((Chosen *) chosen)->ranks, job_rank_set_free);
}

static void
session_selection_finalize (GObject *object)
{
    SessionSelection *self = SESSION_SELECTION (object);

    session_remove_listener (self->session, on_event, self);
    g_ptr_array_remove_fast (self->session->ask->selections, self);
    g_object_unref (self->session);
    g_array_unref (self->chosen);
    G_OBJECT_CLASS (session_selection_parent_class)->finalize (object);
}

static void
session_selection_class_init (SessionSelectionClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = session_selection_finalize;
    changed_signal = g_signal_new ("changed", SESSION_TYPE_SELECTION, G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
session_selection_init (SessionSelection *self)
{
    self->chosen = g_array_new (FALSE, FALSE, sizeof (Chosen));
    g_array_set_clear_func (self->chosen, clear_chosen);
}

SessionSelection *
session_selection_new (Session *session)
{
    SessionSelection *self = g_object_new (SESSION_TYPE_SELECTION, NULL);

    self->session = g_object_ref (session);
    session_add_listener (session, on_event, self);
    if (session->ask->selections == NULL) {
        session->ask->selections = g_ptr_array_new ();
    }
    g_ptr_array_add (session->ask->selections, self);
    return self;
}

void
session_selections_forget (Session *session)
{
    for (guint i = 0; session->ask->selections != NULL && i < session->ask->selections->len;
         i++) {
        SessionSelection *self = g_ptr_array_index (session->ask->selections, i);

        g_array_set_size (self->chosen, 0);
    }
}

void
session_selection_mark (const SessionSelection *self, JobRequest *request)
{
    for (guint i = 0; i < self->chosen->len; i++) {
        const Chosen *chosen = get (self, i);
        g_autoptr (JobRankSet) ranks = job_rank_set_intersect (chosen->ranks, request->ranks);

        if (!job_rank_set_is_empty (ranks)) {
            job_request_select (request, ranks, chosen->thread, chosen->has_frame,
                                chosen->frame);
        }
    }
}

static const Chosen *
find (const SessionSelection *self, guint32 rank)
{
    return BASE_CHOOSE (i, self->chosen->len,
                        job_rank_set_contains (get (self, i)->ranks, rank), get (self, i),
                        NULL);
}

/* The ranks of one thread get the same frame of it. */
static void
choose (SessionSelection *self, const JobRankSet *ranks, guint32 thread, gboolean has_frame,
        const JobEvent *frame)
{
    Chosen chosen = { job_rank_set_dup (ranks), thread, (guint32) MAX (frame->number, 0),
                      has_frame, session_ranks_intern_place (self->session, frame->place) };

    drop (self, ranks);
    g_array_append_val (self->chosen, chosen);
}

/* Those of the ranks that are in the same thread as the lowest. Caller owns. */
static JobRankSet *
dup_same_thread (const SessionSelection *self, const JobRankSet *ranks, guint32 *ret_thread)
{
    const Chosen *known = find (self, job_rank_set_get_lowest (ranks));
    JobRankSet *same = job_rank_set_dup (ranks);

    *ret_thread = known != NULL ? known->thread : 0;
    for (guint i = 0; i < self->chosen->len; i++) {
        if (get (self, i)->thread != *ret_thread) {
            JobRankSet *rest = job_rank_set_subtract (same, get (self, i)->ranks);

            job_rank_set_free (same);
            same = rest;
        }
    }
    if (*ret_thread != 0) { /* who has nothing selected is in no thread */
        g_autoptr (JobRankSet) there = job_rank_set_new ();
        JobRankSet *rest;

        for (guint i = 0; i < self->chosen->len; i++) {
            job_rank_set_merge (there, get (self, i)->ranks);
        }
        rest = job_rank_set_intersect (same, there);
        job_rank_set_free (same);
        same = rest;
    }
    return same;
}

void
session_selection_apply (SessionSelection *self, const JobEvent *frame, guint32 thread)
{
    g_autoptr (JobRankSet) rest = job_rank_set_dup (frame->ranks);

    if (thread != 0) {
        choose (self, rest, thread, FALSE, frame);
        job_rank_set_clear (rest);
    }
    while (!job_rank_set_is_empty (rest)) {
        guint32 own;
        g_autoptr (JobRankSet) same = dup_same_thread (self, rest, &own);
        JobRankSet *others = job_rank_set_subtract (rest, same);

        choose (self, same, own, TRUE, frame);
        job_rank_set_free (rest);
        rest = others;
    }
    g_signal_emit (self, changed_signal, 0);
}

void
session_selection_copy (SessionSelection *self, const SessionSelection *from)
{
    g_array_set_size (self->chosen, 0);
    for (guint i = 0; i < from->chosen->len; i++) {
        Chosen chosen = *get (from, i);

        chosen.ranks = job_rank_set_dup (chosen.ranks);
        g_array_append_val (self->chosen, chosen);
    }
    g_signal_emit (self, changed_signal, 0);
}

gboolean
session_selection_find_frame (const SessionSelection *self, guint32 rank, guint32 *ret_frame)
{
    const Chosen *chosen = find (self, rank);

    *ret_frame = chosen != NULL ? chosen->frame : 0;
    return chosen != NULL;
}

guint32
session_selection_get_thread (const SessionSelection *self, guint32 rank)
{
    const Chosen *chosen = find (self, rank);

    return chosen != NULL ? chosen->thread : 0;
}

const JobLocation *
session_selection_get_place (const SessionSelection *self, guint32 rank)
{
    const Session *session = self->session;
    const Chosen *chosen;

    if (rank >= session->ranks->size || session->ranks->states[rank] == JOB_STATE_EXITED
        || session->ranks->states[rank] == JOB_STATE_FAILED) {
        return NULL;
    }
    chosen = find (self, rank);
    return chosen != NULL && chosen->place != NULL
               ? chosen->place
               : session_ranks_get_fact (session, rank)->place;
}

JobRankSet *
session_selection_dup_same_function (const SessionSelection *self, const JobRankSet *ranks,
                                     guint32 rank)
{
    const JobLocation *here = session_selection_get_place (self, rank);
    JobRankSet *same = job_rank_set_new ();

    JOB_EACH_RANK (ranks, other) {
        const JobLocation *place = session_selection_get_place (self, other);

        if (other == rank || here == NULL || place == NULL
            || (g_strcmp0 (place->function, here->function) == 0
                && g_strcmp0 (place->file, here->file) == 0)) {
            job_rank_set_add (same, other);
        }
    }
    return same;
}

guint64
session_selection_sign (const SessionSelection *self, const JobRankSet *ranks)
{
    guint64 sign = 0;

    for (guint i = 0; i < self->chosen->len; i++) {
        const Chosen *chosen = get (self, i);

        JOB_EACH_RANK (chosen->ranks, rank) {
            if (job_rank_set_contains (ranks, rank)) {
                sign += ((guint64) rank + 1)
                        * (((guint64) chosen->thread << 33) + 2 * ((guint64) chosen->frame + 1)
                           + (guint64) chosen->has_frame);
            }
        }
    }
    return sign;
}
