/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests, motions, deadlines, breakpoints and sets of a scripted session. */
#include "session/private.h"
#include "base/error.h"
#include <string.h>

#define LIMIT_S 120
#define MODEL_RANKS 300

typedef struct {
    Session *session;
    GPtrArray *sent; /* of JobRequest */
    guint n_finished, n_ready, n_changed;
    guint64 finished;
    gboolean ok;
    char *missing;
} Rig;

static void
on_send (const JobRequest *request, gpointer user)
{
    g_ptr_array_add (((Rig *) user)->sent, job_request_dup (request));
}

static void
on_finished (Session *session, guint64 request, gboolean ok, JobRankSet *missing, Rig *rig)
{
    rig->n_finished++;
    rig->finished = request;
    rig->ok = ok;
    g_free (rig->missing);
    rig->missing = job_rank_set_format (missing);
}

static void
on_changed (Session *session, guint first, guint end, Rig *rig)
{
    g_assert_cmpuint (first, <, end);
    rig->n_changed++;
}

static Rig *
make_rig (guint32 n)
{
    Rig *rig = g_new0 (Rig, 1);

    rig->session = session_new ();
    rig->sent = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    g_signal_connect (rig->session, "finished", G_CALLBACK (on_finished), rig);
    g_signal_connect (rig->session, "states-changed", G_CALLBACK (on_changed), rig);
    session_start_scripted (rig->session, n, on_send, rig);
    return rig;
}

static void
free_rig (Rig *rig)
{
    g_object_unref (rig->session);
    g_ptr_array_unref (rig->sent);
    g_free (rig->missing);
    g_free (rig);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Rig, free_rig)

static gboolean
fail_late (gpointer data)
{
    g_error ("nothing came within %d s", LIMIT_S);
    return G_SOURCE_REMOVE;
}

static void
await (const guint *count, guint at_least)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, NULL);

    while (*count < at_least) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
}

static guint64
submit (Rig *rig, JobVerb verb, const char *ranks)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 100, NULL);

    return session_submit (rig->session, job_request_new (verb, set));
}

static JobEvent *
make (JobEventKind kind, guint64 request, const char *ranks)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 100, NULL);

    return job_event_new (kind, request, set);
}

static void
apply_state (Rig *rig, guint64 request, const char *ranks, JobState state, gboolean final)
{
    g_autoptr (JobEvent) event = make (JOB_EVENT_STATE, request, ranks);

    event->state = state;
    event->final = final;
    session_apply (rig->session, event);
}

static void
apply_accepted (Rig *rig, guint64 request, const char *ranks)
{
    g_autoptr (JobEvent) event = make (JOB_EVENT_ACCEPTED, request, ranks);

    event->final = TRUE;
    session_apply (rig->session, event);
}

static void
assert_unfinished (Rig *rig, const char *expected)
{
    g_autoptr (JobRankSet) all = session_dup_all (rig->session);
    g_autoptr (JobRankSet) unfinished = session_dup_unfinished (rig->session, all);
    g_autofree char *text = job_rank_set_format (unfinished);

    g_assert_cmpstr (text, ==, expected);
}

/* A rank that nothing stops: it has reported, but its program is not executed yet. */
static void
test_unstopped_start (void)
{
    g_autoptr (Rig) rig = make_rig (0);
    const JobProcess process = { .size = 1, .pid = 1000, .host = (char *) "localhost" };
    g_autoptr (JobEvent) there = make (JOB_EVENT_RANKS, 0, "0");

    rig->session->life->stop_at_none = TRUE;
    there->processes = job_process_list_new ();
    job_process_list_add (there->processes, &process);
    session_apply (rig->session, there);
    g_assert_false (session_is_ready (rig->session));
    apply_state (rig, 0, "0", JOB_STATE_RUNNING, FALSE);
    g_assert_true (session_is_ready (rig->session));
}

static void
test_start (void)
{
    g_autoptr (Rig) rig = make_rig (4);

    g_assert_true (session_is_started (rig->session));
    g_assert_true (session_is_ready (rig->session));
    g_assert_cmpuint (session_get_size (rig->session), ==, 4);
    g_assert_cmpuint (session_get_counts (rig->session)[JOB_STATE_STOPPED], ==, 4);
    assert_unfinished (rig, "");
    await (&rig->n_changed, 1);
}

static void
test_answers_add_up (void)
{
    g_autoptr (Rig) rig = make_rig (4);
    guint64 id = submit (rig, JOB_VERB_PRINT, "0-3");

    g_assert_cmpuint (rig->sent->len, ==, 1);
    apply_accepted (rig, id, "0-1");
    while (g_main_context_iteration (NULL, FALSE)) {
    }
    g_assert_cmpuint (rig->n_finished, ==, 0);
    apply_accepted (rig, id, "2-3");
    await (&rig->n_finished, 1);
    g_assert_cmpuint (rig->finished, ==, id);
    g_assert_true (rig->ok);
    g_assert_cmpstr (rig->missing, ==, "");
}

static void
test_deadline (void)
{
    g_autoptr (Rig) rig = make_rig (4);
    guint64 id;

    session_set_deadlines (rig->session, 10, 10);
    id = submit (rig, JOB_VERB_CONTINUE, "0-3");
    assert_unfinished (rig, "0-3");
    apply_state (rig, id, "0,2", JOB_STATE_RUNNING, TRUE);
    await (&rig->n_finished, 1);
    g_assert_false (rig->ok);
    g_assert_cmpstr (rig->missing, ==, "1,3");
    assert_unfinished (rig, "0,2");
}

static void
assert_cancel_sent (Rig *rig, guint64 request, const char *ranks)
{
    const JobRequest *sent = g_ptr_array_index (rig->sent, rig->sent->len - 1);
    g_autofree char *text = job_rank_set_format (sent->ranks);

    g_assert_cmpint (sent->verb, ==, JOB_VERB_CANCEL);
    g_assert_cmpuint (sent->every, ==, request);
    g_assert_cmpstr (text, ==, ranks);
}

/* Ranks that have not answered need not go on with what nobody waits for: the user has cancelled it, or its time
 * is over. A motion may still be done. */
static void
test_given_up (void)
{
    g_autoptr (Rig) rig = make_rig (4);
    guint64 id = submit (rig, JOB_VERB_EXEC, "0-3");
    JobEvent *event = make (JOB_EVENT_ACCEPTED, id, "0,2");
    guint n_sent;

    event->final = TRUE;
    session_apply (rig->session, event);
    job_event_free (event);
    session_cancel (rig->session, id);
    assert_cancel_sent (rig, id, "1,3");
    session_set_deadlines (rig->session, 10, 10);
    id = submit (rig, JOB_VERB_CALL, "2-3");
    await (&rig->n_finished, 2);
    assert_cancel_sent (rig, id, "2-3");
    id = submit (rig, JOB_VERB_CONTINUE, "0-3");
    n_sent = rig->sent->len;
    await (&rig->n_finished, 3);
    g_assert_cmpuint (rig->sent->len, ==, n_sent);
}

static void
test_empty_set (void)
{
    g_autoptr (Rig) rig = make_rig (2);

    submit (rig, JOB_VERB_PRINT, "");
    g_assert_cmpuint (rig->n_finished, ==, 0);
    await (&rig->n_finished, 1);
    g_assert_true (rig->ok);
    g_assert_cmpuint (rig->sent->len, ==, 0);
}

/* Those that have ended are answered for here, and never asked. */
static void
test_ended_ranks (void)
{
    g_autoptr (Rig) rig = make_rig (3);

    apply_state (rig, 0, "1", JOB_STATE_EXITED, FALSE);
    apply_state (rig, 0, "2", JOB_STATE_LOST, FALSE);
    apply_accepted (rig, submit (rig, JOB_VERB_PRINT, "0-2"), "0");
    g_assert_cmpuint (job_rank_set_get_count (((JobRequest *) rig->sent->pdata[0])->ranks), ==,
                      1);
    await (&rig->n_finished, 1);
    g_assert_false (rig->ok);
    g_assert_cmpstr (rig->missing, ==, "2");
}

/* A stop of the motion before does not finish the one that is under way. */
static void
test_motion_order (void)
{
    g_autoptr (Rig) rig = make_rig (1);
    guint64 first = submit (rig, JOB_VERB_CONTINUE, "0"), second;

    apply_state (rig, first, "0", JOB_STATE_RUNNING, TRUE);
    second = submit (rig, JOB_VERB_CONTINUE, "0");
    apply_state (rig, first, "0", JOB_STATE_STOPPED, FALSE);
    assert_unfinished (rig, "0");
    apply_state (rig, second, "0", JOB_STATE_RUNNING, TRUE);
    assert_unfinished (rig, "0");
    apply_state (rig, second, "0", JOB_STATE_STOPPED, FALSE);
    assert_unfinished (rig, "");
}

static void
test_old_stop (void)
{
    g_autoptr (Rig) rig = make_rig (1);
    g_autoptr (JobEvent) event = make (JOB_EVENT_STATE, 0, "0");

    event->state = JOB_STATE_SIGNAL;
    event->stop = 5;
    session_apply (rig->session, event);
    event->state = JOB_STATE_RUNNING;
    event->stop = 4;
    session_apply (rig->session, event);
    g_assert_cmpint (session_get_rank (rig->session, 0).state, ==, JOB_STATE_SIGNAL);
}

static guint64
submit_break (Rig *rig, const char *ranks, gboolean temporary)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 100, NULL);
    JobRequest *request = job_request_new (JOB_VERB_BREAK, set);

    request->number = session_next_breakpoint_number (rig->session);
    request->flags = temporary ? JOB_REQUEST_TEMPORARY : 0;
    job_where_parse ("app.c:12", &request->where, NULL);
    return session_submit (rig->session, request);
}

static void
test_breakpoints (void)
{
    g_autoptr (Rig) rig = make_rig (4);
    guint64 id = submit_break (rig, "0-3", TRUE);
    g_autoptr (JobEvent) set = make (JOB_EVENT_BREAKPOINT, id, "0-1");
    g_autoptr (JobEvent) hit = make (JOB_EVENT_STATE, 0, "0-1");
    g_autoptr (GError) error = g_error_new (BASE_ERROR, BASE_ERROR_INVALID, "no");
    g_autoptr (JobRankSet) others = job_rank_set_new_range (2, 4);
    g_autoptr (JobEvent) failure = job_event_new_failure (id, others, error);
    const SessionBreakpoint *breakpoint = session_find_breakpoint (rig->session, 1);

    g_assert_nonnull (breakpoint);
    g_assert_cmpuint (breakpoint->places->len, ==, 0);
    set->number = 1;
    set->final = TRUE;
    set->places = g_ptr_array_new ();
    g_ptr_array_add (set->places, job_location_new ("work", "/a/app.c", 12));
    session_apply (rig->session, set);
    session_apply (rig->session, set);
    g_assert_cmpuint (breakpoint->places->len, ==, 1);
    g_assert_cmpuint (job_rank_set_get_count (breakpoint->set_ranks), ==, 2);
    session_apply (rig->session, failure);
    g_assert_cmpuint (job_rank_set_get_count (breakpoint->ranks), ==, 2);
    hit->state = JOB_STATE_BREAKPOINT;
    hit->number = 1;
    session_apply (rig->session, hit);
    g_assert_null (session_find_breakpoint (rig->session, 1));
}

static void
hit (Rig *rig, const char *ranks)
{
    static guint64 stop = 10;
    g_autoptr (JobEvent) event = make (JOB_EVENT_STATE, 0, ranks);

    event->state = JOB_STATE_BREAKPOINT;
    event->number = 1;
    event->stop = stop++;
    session_apply (rig->session, event);
}

static void
test_hits (void)
{
    static const struct {
        const char *ranks, *text;
    } steps[] = {
        { "0-3", "0-3: 1" },
        { "1", "1: 2, 0,2-3: 1" },
        { "0-1", "1: 3, 0: 2, 2-3: 1" },
        { "0,2-3", "0-1: 3, 2-3: 2" },
        { "2-3", "0-3: 3" },
    };
    g_autoptr (Rig) rig = make_rig (5);

    submit_break (rig, "0-4", FALSE);
    for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
        g_autofree char *text = NULL;

        hit (rig, steps[i].ranks);
        text = session_breakpoint_format_hits (session_find_breakpoint (rig->session, 1));
        g_assert_cmpstr (text, ==, steps[i].text);
    }
    g_assert_cmpuint (session_find_breakpoint (rig->session, 1)->hits, ==, 12);
}

static void
test_sets (void)
{
    g_autoptr (Rig) rig = make_rig (4);
    g_autoptr (JobRankSet) two = job_rank_set_new_range (1, 3);
    const char *live = NULL;
    g_auto (GStrv) names = NULL;

    g_assert_cmpuint (job_rank_set_get_count (session_get_focus (rig->session)), ==, 4);
    session_set_focus (rig->session, two);
    g_assert_true (job_rank_set_equal (session_get_focus (rig->session), two));
    session_set_named (rig->session, "b", two, NULL);
    session_set_named (rig->session, "a", NULL, "stopped");
    g_assert_true (job_rank_set_equal (session_find_named (rig->session, "b", &live), two));
    g_assert_null (live);
    session_find_named (rig->session, "a", &live);
    g_assert_cmpstr (live, ==, "stopped");
    names = session_dup_set_names (rig->session);
    g_assert_cmpstr (names[0], ==, "a");
}

/* What each rank should be, kept the plain way. */
typedef struct {
    JobState states[MODEL_RANKS];
    gint32 numbers[MODEL_RANKS];
    guint lines[MODEL_RANKS]; /* 0 no place */
    guint64 stops[MODEL_RANKS];
} Model;

static void
happen (Rig *rig, Model *model, GRand *random)
{
    static const JobState states[] = { JOB_STATE_RUNNING, JOB_STATE_STOPPED,
                                       JOB_STATE_BREAKPOINT, JOB_STATE_STEPPING,
                                       JOB_STATE_STOPPED };
    guint32 first = (guint32) g_rand_int_range (random, 0, MODEL_RANKS);
    guint32 period = (guint32) g_rand_int_range (random, 1, 5);
    JobState state = states[g_rand_int_range (random, 0, G_N_ELEMENTS (states))];
    guint line = (guint) g_rand_int_range (random, 0, 4);
    g_autoptr (JobRankSet) set = job_rank_set_new ();
    g_autoptr (JobEvent) event = NULL;

    for (guint32 rank = first; rank < MODEL_RANKS; rank += period) {
        job_rank_set_add (set, rank);
    }
    event = job_event_new (JOB_EVENT_STATE, 0, set);
    event->state = state;
    event->number = g_rand_int_range (random, 0, 3);
    event->stop = (guint64) g_rand_int_range (random, 0, 50);
    event->flags = g_rand_boolean (random) ? JOB_EVENT_FRESH : 0;
    event->place = line != 0 ? job_location_new ("work", "/app.c", line) : NULL;
    for (guint32 rank = first; rank < MODEL_RANKS; rank += period) {
        if (event->stop != 0 && event->stop < model->stops[rank]) {
            continue;
        }
        model->stops[rank] = MAX (model->stops[rank], event->stop);
        model->states[rank] = state;
        model->numbers[rank] = event->number;
        model->lines[rank] = line != 0 || job_state_get_info (state)->is_stopped
                                 ? line
                                 : model->lines[rank];
    }
    session_apply (rig->session, event);
}

static void
assert_model (Rig *rig, const Model *model)
{
    g_autoptr (JobRankSet) moving = session_dup_ranks_in_state (rig->session,
                                                                JOB_STATE_RUNNING);
    g_autoptr (JobRankSet) all = session_dup_all (rig->session);
    g_autoptr (JobRankSet) told = job_rank_set_new ();
    g_autoptr (GPtrArray) groups = session_dup_state_groups (rig->session, all);
    guint32 counts[JOB_N_STATES] = { 0 };

    for (guint32 rank = 0; rank < MODEL_RANKS; rank++) {
        const SessionRank r = session_get_rank (rig->session, rank);

        counts[model->states[rank]]++;
        g_assert_cmpint (r.state, ==, model->states[rank]);
        g_assert_cmpint (session_get_states (rig->session)[rank], ==, model->states[rank]);
        g_assert_cmpint (r.number, ==, model->numbers[rank]);
        g_assert_cmpuint (r.place != NULL ? r.place->line : 0, ==, model->lines[rank]);
        g_assert_cmpuint (r.stop, ==, model->stops[rank]);
        g_assert_cmpint (job_rank_set_contains (moving, rank), ==,
                         job_state_get_info (model->states[rank])->is_moving);
    }
    g_assert_cmpmem (counts, sizeof counts, session_get_counts (rig->session), sizeof counts);
    for (guint i = 0; i < groups->len; i++) {
        const JobEvent *group = g_ptr_array_index (groups, i);
        JobRankIter iter = { 0 };
        guint32 rank;

        g_assert_false (job_rank_set_intersects (told, group->ranks));
        job_rank_set_merge (told, group->ranks);
        while (job_rank_set_next (group->ranks, &iter, &rank)) {
            g_assert_cmpint (group->state, ==, model->states[rank]);
            if (job_state_get_info (group->state)->is_stopped) {
                g_assert_cmpuint (group->place != NULL ? group->place->line : 0, ==,
                                  model->lines[rank]);
            }
        }
    }
    g_assert_true (job_rank_set_equal (told, all));
}

/* Events of sets that overlap at random leave each rank as if it had been alone. */
static void
test_model (void)
{
    g_autoptr (Rig) rig = make_rig (MODEL_RANKS);
    Model model = { 0 };
    g_autoptr (GRand) random = g_rand_new_with_seed (5);

    for (guint32 rank = 0; rank < MODEL_RANKS; rank++) {
        model.states[rank] = JOB_STATE_STOPPED;
    }
    assert_model (rig, &model);
    for (guint i = 0; i < 300; i++) {
        happen (rig, &model, random);
        assert_model (rig, &model);
    }
}

static void
never_answered (Session *session, const AnalysisVerdict *verdict, const JobRankSet *missing,
                const JobMessageTable *table, gpointer user)
{
    g_assert_not_reached ();
}

/* The session ends while somebody still asks why. */
static void
test_unanswered (void)
{
    g_autoptr (Rig) rig = make_rig (4);
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 4);

    session_why (rig->session, all, SESSION_LOOK_RECORDED, never_answered, NULL);
    g_assert_cmpuint (rig->sent->len, >, 0);
}

static void
count_event (Session *session, const JobEvent *event, gpointer count)
{
    (*(guint *) count)++;
}

/* Goes while it is told, and brings another one, who hears the next event. */
static void
leave (Session *session, const JobEvent *event, gpointer counts)
{
    ((guint *) counts)[0]++;
    session_remove_listener (session, leave, counts);
    session_add_listener (session, count_event, (guint *) counts + 1);
}

static void
test_listeners (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 4);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, all);
    guint counts[2] = { 0 }, n_all = 0;

    session_start_scripted (session, 4, NULL, NULL);
    event->state = JOB_STATE_STOPPED;
    session_add_listener (session, leave, counts);
    session_add_listener (session, count_event, &n_all);
    for (guint i = 0; i < 3; i++) {
        session_apply (session, event);
    }
    g_assert_cmpuint (counts[0], ==, 1);
    g_assert_cmpuint (counts[1], ==, 2);
    g_assert_cmpuint (n_all, ==, 3);
}

typedef struct {
    GString *finished; /* "ID missing RANKS" of each request */
    gboolean asks_again, has_ended;
    guint64 again;
} Restarted;

/* As a pane does that is shown anew: it asks while others are being finished. */
static void
on_given_up (Session *session, guint64 request, gboolean ok, JobRankSet *missing,
             Restarted *seen)
{
    g_autofree char *ranks = job_rank_set_format (missing);

    g_assert_false (ok);
    g_string_append_printf (seen->finished, "%" G_GUINT64_FORMAT " missing %s\n", request,
                            ranks);
    if (seen->asks_again) {
        g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 4);

        seen->asks_again = FALSE;
        seen->again = session_submit (session, job_request_new (JOB_VERB_WHERE, all));
    }
}

static void
on_restart_failed (Session *session, int status, Restarted *seen)
{
    seen->has_ended = session_get_failure (session) != NULL;
}

/* Whoever has asked the old job hears that nothing more will come; the new one need not even start. */
static void
test_restarted (void)
{
    static const char *const argv[] = { "/nonexistent/program", NULL };
    const SessionOptions options = { .argv = argv };
    g_autoptr (Rig) rig = make_rig (4);
    Restarted seen = { .finished = g_string_new (NULL), .asks_again = TRUE };
    g_autoptr (GError) error = NULL;
    g_autofree char *expected = NULL;
    guint64 query = submit (rig, JOB_VERB_PRINT, "0-3"),
            motion = submit (rig, JOB_VERB_STEP, "1-2");
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, NULL);

    apply_accepted (rig, query, "0,3");
    session_restart_note_options (rig->session, &options);
    g_signal_connect (rig->session, "finished", G_CALLBACK (on_given_up), &seen);
    g_signal_connect (rig->session, "ended", G_CALLBACK (on_restart_failed), &seen);
    g_assert_true (session_restart (rig->session, &error));
    g_assert_no_error (error);
    while (!seen.has_ended || rig->n_finished < 3) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
    expected = g_strdup_printf ("%" G_GUINT64_FORMAT " missing 0-3\n", seen.again);
    g_assert_true (g_str_has_suffix (seen.finished->str, expected));
    for (guint i = 0; i < 2; i++) {
        g_autofree char *line = g_strdup_printf ("%" G_GUINT64_FORMAT " missing 1-2\n",
                                                 i == 0 ? query : motion);

        g_assert_nonnull (strstr (seen.finished->str, line));
    }
    g_string_free (seen.finished, TRUE);
}

typedef struct {
    Rig *rig;
    Session *alive; /* weak */
    guint n_detached;
} Closing;

static void
on_send_detach (const JobRequest *request, gpointer user)
{
    Closing *closing = user;

    g_ptr_array_add (closing->rig->sent, job_request_dup (request));
    closing->n_detached += request->verb == JOB_VERB_DETACH;
}

/* The user closes the window a second time, and the window lets go of the session. */
static gboolean
close_again (gpointer user)
{
    Closing *closing = user;

    session_end (closing->rig->session);
    g_clear_object (&closing->rig->session);
    return G_SOURCE_REMOVE;
}

static gboolean
answer_detach (gpointer user)
{
    Closing *closing = user;
    const JobRequest *request = g_ptr_array_index (closing->rig->sent,
                                                   closing->rig->sent->len - 1);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_ACCEPTED, request->id,
                                                request->ranks);

    g_assert_cmpuint (closing->n_detached, ==, 1);
    g_assert_nonnull (closing->alive);
    event->final = TRUE;
    session_apply (closing->alive, event);
    return G_SOURCE_REMOVE;
}

static void
test_closed_twice (void)
{
    Rig *rig = g_new0 (Rig, 1);
    Closing closing = { .rig = rig };

    rig->session = closing.alive = session_new ();
    rig->sent = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    g_object_add_weak_pointer (G_OBJECT (rig->session), (gpointer *) &closing.alive);
    session_start_scripted (rig->session, 4, on_send_detach, &closing);
    rig->session->life->keep = TRUE;
    g_idle_add (close_again, &closing);
    g_idle_add_full (G_PRIORITY_LOW, answer_detach, &closing, NULL);
    session_end (rig->session);
    g_assert_null (closing.alive);
    g_assert_cmpuint (closing.n_detached, ==, 1);
    g_ptr_array_unref (rig->sent);
    g_free (rig);
}

/* Each exception has a message of its own: those that no rank has any more are forgotten, and the others are not. */
static void
test_texts (void)
{
    enum { N_STOPS = 30000, MAX_FACTS = 10000 };
    g_autoptr (Session) session = session_new ();

    session_start_scripted (session, 4, NULL, NULL);
    for (guint i = 0; i < N_STOPS; i++) {
        guint32 rank = i % 3;
        g_autoptr (JobRankSet) one = job_rank_set_new_range (i == 5 ? 3 : rank,
                                                             i == 5 ? 4 : rank + 1);
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, one);

        event->state = JOB_STATE_EXCEPTION;
        event->text = g_strdup ("ValueError");
        event->text2 = g_strdup_printf ("message %u", i);
        event->place = job_location_new ("work", "app.py", i % 7 + 1);
        session_apply (session, event);
        g_assert_cmpstr (session_get_rank (session, i == 5 ? 3 : rank).text2, ==, event->text2);
    }
    g_assert_cmpstr (session_get_rank (session, 0).text2, ==, "message 29997");
    g_assert_cmpstr (session_get_rank (session, 3).text2, ==, "message 5");
    g_assert_cmpuint (session_get_rank (session, 3).place->line, ==, 6);
    g_assert_cmpuint (session->ranks->facts->len, <, MAX_FACTS);
    g_assert_cmpuint (g_hash_table_size (session->ranks->fact_texts), <, MAX_FACTS);
    g_assert_cmpuint (session_get_counts (session)[JOB_STATE_EXCEPTION], ==, 4);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/session/start", test_start);
    g_test_add_func ("/session/unstopped-start", test_unstopped_start);
    g_test_add_func ("/session/answers-add-up", test_answers_add_up);
    g_test_add_func ("/session/deadline", test_deadline);
    g_test_add_func ("/session/given-up", test_given_up);
    g_test_add_func ("/session/empty-set", test_empty_set);
    g_test_add_func ("/session/ended-ranks", test_ended_ranks);
    g_test_add_func ("/session/motion-order", test_motion_order);
    g_test_add_func ("/session/old-stop", test_old_stop);
    g_test_add_func ("/session/breakpoints", test_breakpoints);
    g_test_add_func ("/session/hits", test_hits);
    g_test_add_func ("/session/sets", test_sets);
    g_test_add_func ("/session/model", test_model);
    g_test_add_func ("/session/unanswered", test_unanswered);
    g_test_add_func ("/session/listeners", test_listeners);
    g_test_add_func ("/session/restarted", test_restarted);
    g_test_add_func ("/session/texts", test_texts);
    g_test_add_func ("/session/closed-twice", test_closed_twice);
    return g_test_run ();
}
