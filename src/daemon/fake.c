/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fake ranks in a program that looks like a solver, a few of them at another place. Stacks have
 * 24 frames' nodes in all, values differ by rank, steps arrive at the next line. */
#include "daemon/fake.h"
#include "base/error.h"

#define ELSEWHERE 97 /* one in so many ranks is elsewhere */
#define DEPTH 12

struct _DaemonFake {
    DaemonFakeOptions options;
    DaemonFakeEmit emit;
    gpointer user;
    guint32 line;
    JobRankSet *elsewhere, *rest; /* slots */
};

static gboolean
is_elsewhere (const DaemonFake *fake, guint32 slot)
{
    return (fake->options.first_rank + slot + fake->options.seed) % ELSEWHERE == 0;
}

DaemonFake *
daemon_fake_new (const DaemonFakeOptions *options, DaemonFakeEmit emit, gpointer user)
{
    DaemonFake *fake = g_new0 (DaemonFake, 1);

    fake->options = *options;
    fake->emit = emit;
    fake->user = user;
    fake->line = 10;
    fake->elsewhere = job_rank_set_new ();
    fake->rest = job_rank_set_new ();
    for (guint32 slot = 0; slot < options->n_ranks; slot++) {
        job_rank_set_add (is_elsewhere (fake, slot) ? fake->elsewhere : fake->rest, slot);
    }
    return fake;
}

void
daemon_fake_free (DaemonFake *fake)
{
    if (fake != NULL) {
        job_rank_set_free (fake->elsewhere);
        job_rank_set_free (fake->rest);
        g_free (fake);
    }
}

static void
emit (DaemonFake *fake, JobEvent *event)
{
    if (!job_rank_set_is_empty (event->ranks)) {
        fake->emit (event, fake->user);
    }
    job_event_free (event);
}

/* The requested slots that are with the rest, or elsewhere. */
static JobRankSet *
select_slots (const DaemonFake *fake, const JobRankSet *asked, gboolean is_elsewhere)
{
    return job_rank_set_intersect (asked, is_elsewhere ? fake->elsewhere : fake->rest);
}

static void
emit_states (DaemonFake *fake, const JobRankSet *asked, guint64 request, guint32 flags)
{
    for (int is_elsewhere = 0; is_elsewhere < 2; is_elsewhere++) {
        g_autoptr (JobRankSet) slots = select_slots (fake, asked, is_elsewhere);
        JobEvent *event = job_event_new (JOB_EVENT_STATE, request, slots);

        event->state = JOB_STATE_STOPPED;
        event->flags = flags;
        event->final = request != 0;
        event->place = job_location_new (is_elsewhere ? "exchange" : "relax", "/src/solver.c",
                                         fake->line + (is_elsewhere ? 40 : 0));
        emit (fake, event);
    }
}

static void
emit_ranks (DaemonFake *fake)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, fake->options.n_ranks);
    JobEvent *event = job_event_new (JOB_EVENT_RANKS, 0, all);

    event->processes = job_process_list_new ();
    for (guint32 slot = 0; slot < fake->options.n_ranks; slot++) {
        const JobProcess process = { .slot = slot,
                                     .rank = fake->options.first_rank + slot,
                                     .size = fake->options.size,
                                     .pid = (gint32) (slot + 2),
                                     .host = (char *) "fake",
                                     .program = (char *) "solver" };

        job_process_list_add (event->processes, &process);
    }
    emit (fake, event);
    emit_states (fake, all, 0, 0);
}

static void
add_stacks (DaemonFake *fake, JobStackTree *tree, const JobRankSet *asked,
            gboolean is_elsewhere)
{
    g_autoptr (JobRankSet) slots = select_slots (fake, asked, is_elsewhere);
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);

    if (job_rank_set_is_empty (slots)) {
        return;
    }
    for (guint32 i = 0; i < DEPTH; i++) { /* innermost first; the outer half is common to all */
        g_autofree char *name
            = g_strdup_printf ("%s%u", is_elsewhere && i < DEPTH / 2 ? "exchange" : "relax", i);
        JobFrame *frame = job_frame_new ();

        frame->location.function = g_steal_pointer (&name);
        frame->location.file = g_strdup ("/src/solver.c");
        frame->location.line = 100 + i;
        g_ptr_array_add (frames, frame);
    }
    job_stack_tree_add (tree, frames, slots);
}

static void
emit_stacks (DaemonFake *fake, const JobRequest *request)
{
    JobEvent *event = job_event_new (JOB_EVENT_STACKS, request->id, request->ranks);

    event->final = TRUE;
    event->tree = job_stack_tree_new ();
    add_stacks (fake, event->tree, request->ranks, FALSE);
    add_stacks (fake, event->tree, request->ranks, TRUE);
    emit (fake, event);
}

static void
emit_values (DaemonFake *fake, const JobRequest *request)
{
    JobEvent *event = job_event_new (JOB_EVENT_VALUES, request->id, request->ranks);

    event->final = TRUE;
    event->table = job_value_table_new ();
    for (int is_elsewhere = 0; is_elsewhere < 2; is_elsewhere++) {
        g_autoptr (JobRankSet) slots = select_slots (fake, request->ranks, is_elsewhere);
        g_autoptr (JobValue) value
            = job_value_new_number (NULL, "int", is_elsewhere ? "1" : "0", is_elsewhere);

        if (!job_rank_set_is_empty (slots)) {
            job_value_table_add (event->table, request->text, slots, value);
        }
    }
    emit (fake, event);
}

static void
emit_motion (DaemonFake *fake, const JobRequest *request)
{
    JobEvent *begun = job_event_new (JOB_EVENT_STATE, request->id, request->ranks);

    begun->state = request->verb == JOB_VERB_CONTINUE ? JOB_STATE_RUNNING : JOB_STATE_STEPPING;
    emit (fake, begun);
    fake->line++;
    emit_states (fake, request->ranks, request->id, 0);
}

void
daemon_fake_handle (DaemonFake *fake, const JobRequest *request)
{
    JobEvent *event;

    if (request->verb == JOB_VERB_START) {
        emit_ranks (fake);
    } else if (request->verb == JOB_VERB_STATE) {
        emit_states (fake, request->ranks, request->id, JOB_EVENT_FRESH);
    } else if (request->verb == JOB_VERB_WHERE) {
        emit_stacks (fake, request);
    } else if (request->verb == JOB_VERB_PRINT) {
        emit_values (fake, request);
    } else if (job_verb_is_motion (request->verb)) {
        emit_motion (fake, request);
    } else {
        event = job_event_new (JOB_EVENT_ACCEPTED, request->id, request->ranks);
        event->final = TRUE;
        emit (fake, event);
    }
}
