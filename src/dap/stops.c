/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells the client who has stopped, gone on by itself or ended. Stops are collected for a moment: ranks that stop
 * together are told of together. */
#include "dap/private.h"

#define QUIET_MS 15    /* without another stop, while some still move */
#define LONGEST_MS 100 /* after the first stop */
#define MAX_TOLD 8     /* groups that get an event of their own */
#define NAMES_MS 250   /* between two changes of what threads are called */

static gboolean on_flush (gpointer data);

/* Who is not there yet, without ranks that were left alone as others of their job were attached to. */
static guint32
count_coming (const Session *session)
{
    g_autoptr (JobRankSet) all = session_dup_all (session);
    g_autoptr (JobRankSet) absent = session_dup_ranks_in_one_state (session, JOB_STATE_NONE);
    g_autoptr (JobRankSet) coming = job_rank_set_intersect (all, absent);

    return job_rank_set_get_count (coming);
}

static guint32
count_moving (const Session *session)
{
    const guint32 *counts = session_get_counts (session);

    return (counts[JOB_STATE_NONE] > 0 ? count_coming (session) : 0) + counts[JOB_STATE_RUNNING]
           + counts[JOB_STATE_STEPPING] + counts[JOB_STATE_BLOCKED];
}

void
dap_stops_schedule (DapServer *server)
{
    gint64 now_us = g_get_monotonic_time ();
    gboolean is_all = count_moving (server->session) == 0;
    guint ms = is_all ? 0 : QUIET_MS;

    if (!server->is_begun
        || (dap_threads_are_ranks (server) && job_rank_set_is_empty (server->news)
            && job_rank_set_is_empty (server->ended))) {
        return;
    }
    if (server->first_news_us == 0) {
        server->first_news_us = now_us;
    }
    if (server->flush_source != 0) {
        if (!is_all && now_us - server->first_news_us > LONGEST_MS * 1000) {
            return; /* it comes, however many more stop */
        }
        g_source_remove (server->flush_source);
    }
    server->flush_source = ms == 0
                               ? g_idle_add_full (G_PRIORITY_DEFAULT, on_flush, server, NULL)
                               : g_timeout_add (ms, on_flush, server);
}

void
dap_ranks_cut (JobRankSet **set, const JobRankSet *ranks)
{
    JobRankSet *rest = job_rank_set_subtract (*set, ranks);

    job_rank_set_free (*set);
    *set = rest;
}

/* ---- one group ---- */

static const char *
find_reason (DapServer *server, const JobEvent *event, guint32 *ret_number)
{
    const SessionBreakpoint *point;
    const DapPoint *told;

    *ret_number = 0;
    switch (event->state) {
    case JOB_STATE_BREAKPOINT:
        *ret_number = (guint32) event->number;
        told = dap_points_find (server, *ret_number);
        if (told != NULL && g_strcmp0 (told->kind, "goto") == 0) {
            *ret_number = 0; /* a client knows of no such breakpoint */
            return "goto";
        }
        point = session_find_breakpoint (server->session, *ret_number);
        if (point == NULL || g_strcmp0 (point->kind, "catch") == 0) {
            return point == NULL ? "breakpoint" : "exception";
        }
        return g_strcmp0 (point->kind, "watch") == 0     ? "data breakpoint"
               : point->where.kind == JOB_WHERE_ADDRESS  ? "instruction breakpoint"
               : point->where.kind == JOB_WHERE_FUNCTION ? "function breakpoint"
                                                         : "breakpoint";
    case JOB_STATE_EXCEPTION:
    case JOB_STATE_SIGNAL: return "exception";
    default:
        return job_rank_set_intersects (event->ranks, server->parted)    ? "exception"
               : job_rank_set_intersects (event->ranks, server->pausing) ? "pause"
               : !server->is_entry_told                                  ? "entry"
                                                                         : "step";
    }
}

/* What a client shows beside the thread, whose name says where it is: "breakpoint 2", "signal SIGSEGV". Caller owns. */
static char *
format_short (const JobEvent *event)
{
    const char *word = job_state_get_info (event->state)->word;

    return event->state == JOB_STATE_BREAKPOINT ? g_strdup_printf ("%s %d", word, event->number)
           : event->text != NULL                ? g_strdup_printf ("%s %s", word, event->text)
                                                : g_strdup (word);
}

typedef struct {
    const JobEvent *event;
    guint32 thread;
    gboolean is_main, is_all, keeps_focus;
} Told;

static void
send_stopped (DapServer *server, const Told *told)
{
    g_autofree char *state = format_short (told->event);
    g_autofree char *reason_text
        = told->event->text2 != NULL
              ? session_format_reason (BASE_TEXT_ENGLISH, server->session, told->event->text2)
              : NULL;
    guint32 number;
    const char *reason = find_reason (server, told->event, &number);
    GString *body = dap_body_new ();
    DapPoint *point = number != 0 ? dap_points_find (server, number) : NULL;

    dap_write_text (body, "reason", reason);
    dap_write_text (body, "description", state);
    dap_write_number (body, "threadId", told->thread);
    if (told->keeps_focus) {
        dap_write_flag (body, "preserveFocusHint", TRUE);
    }
    dap_write_text (body, "text",
                    reason_text != NULL && *reason_text != '\0'
                        ? reason_text
                        : dap_stops_find_note (server, told->event));
    dap_write_flag (body, "allThreadsStopped", told->is_all);
    if (point != NULL || number != 0) {
        dap_write_begin (body, "hitBreakpointIds", '[');
        dap_write_number (body, NULL, point != NULL ? point->id : -(gint64) number);
        dap_write_end (body, ']');
    }
    dap_send_event (server, "stopped", body);
}

/* ---- all of them ---- */

/* The thread that the user looks at is the one to be told last, so that it keeps the focus; where it stands already,
 * others do not take it. */
static guint
choose_main (DapServer *server, GPtrArray *events, gboolean *ret_keeps_focus)
{
    g_autoptr (JobRankSet) watched = server->stopped_thread != 0
                                         ? dap_threads_dup_ranks (server,
                                                                  server->stopped_thread)
                                         : NULL;
    guint32 rank = watched != NULL ? job_rank_set_get_lowest (watched) : G_MAXUINT32;
    const SessionRank seen = session_get_rank (server->session, rank);
    guint worst = 0;

    *ret_keeps_focus = FALSE;
    for (guint i = 0; i < events->len; i++) {
        const JobEvent *event = g_ptr_array_index (events, i);
        const JobEvent *other = g_ptr_array_index (events, worst);

        if (job_rank_set_contains (event->ranks, rank)) {
            return i;
        }
        if (job_state_get_info (event->state)->severity
            > job_state_get_info (other->state)->severity) {
            worst = i;
        }
    }
    *ret_keeps_focus = seen.is_there && job_state_get_info (seen.state)->is_stopped;
    return worst;
}

/* A client that is not told "all" believes that every other thread still runs: each rank that is a thread is told. */
static void
tell_group (DapServer *server, Told *told, gboolean is_single)
{
    JobRankIter iter = { 0 };
    guint32 rank, main = job_rank_set_get_lowest (told->event->ranks);

    if (is_single && job_rank_set_contains (told->event->ranks, server->stopped_thread - 1)) {
        main = server->stopped_thread - 1;
    }
    if (is_single && !told->is_all) {
        gboolean keeps_focus = told->keeps_focus;

        told->keeps_focus = TRUE;
        while (job_rank_set_next (told->event->ranks, &iter, &rank)) {
            told->thread = rank + 1;
            if (rank != main) {
                send_stopped (server, told);
            }
        }
        told->keeps_focus = keeps_focus;
    }
    told->thread = is_single ? main + 1 : dap_threads_find (server, told->event->ranks);
    if (told->is_main && !told->keeps_focus) {
        server->stopped_thread = told->thread;
    }
    send_stopped (server, told);
}

/* A group that has parted or met is another thread, of which the client believes that it runs. */
static void
add_untold (DapServer *server)
{
    dap_threads_refresh (server);
    BASE_EACH (server->groups, DapGroup, group) {
        if (group->is_stopped
            && (!group->is_told || job_rank_set_intersects (group->ranks, server->news))) {
            job_rank_set_merge (server->news, group->ranks);
            group->is_told = TRUE;
        }
    }
}

/* Of the ranks that are to be told of: by what they have in common, those that are threads of their own alone. */
static GPtrArray *
dup_events (DapServer *server)
{
    gboolean is_single = dap_threads_are_ranks (server);
    g_autoptr (JobRankSet) alone = job_rank_set_intersect (server->news, server->pinned);
    g_autoptr (JobRankSet) others = job_rank_set_subtract (server->news, server->pinned);
    GPtrArray *events = session_dup_state_groups (server->session,
                                                  is_single ? server->news : others);
    JobRankIter iter = { 0 };
    guint32 rank;

    while (!is_single && job_rank_set_next (alone, &iter, &rank)) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
        g_autoptr (GPtrArray) its = session_dup_state_groups (server->session, one);

        while (its->len > 0) {
            g_ptr_array_add (events, g_ptr_array_steal_index (its, 0));
        }
    }
    return events;
}

static void
send_stops (DapServer *server)
{
    g_autoptr (GPtrArray) events = dup_events (server);
    gboolean is_all = count_moving (server->session) == 0, keeps_focus;
    gboolean is_single = dap_threads_are_ranks (server);
    guint main, n_told = 0;

    if (events->len == 0) {
        return;
    }
    main = choose_main (server, events, &keeps_focus);
    for (guint i = 0; i < events->len; i++) {
        Told told = { .event = g_ptr_array_index (events, i), .keeps_focus = TRUE };

        if (i != main
            && (is_single || n_told++ < MAX_TOLD - 1)) { /* the threads' list has the others */
            tell_group (server, &told, is_single);
        }
    }
    tell_group (server,
                &(Told){ .event = g_ptr_array_index (events, main),
                         .is_main = TRUE,
                         .is_all = is_all,
                         .keeps_focus = keeps_focus },
                is_single);
    if (!is_single && events->len > MAX_TOLD) {
        g_autofree char *line
            = g_strdup_printf ("%u more groups have stopped: the list of threads has them",
                               events->len - MAX_TOLD);

        dap_send_output (server, "console", line);
    }
    server->is_entry_told = TRUE;
    dap_ranks_cut (&server->pausing, server->news);
    job_rank_set_merge (server->standing, server->news);
}

void
dap_send_continued (DapServer *server, guint32 thread, gboolean is_all)
{
    GString *body = dap_body_new ();

    dap_write_number (body, "threadId", thread);
    dap_write_flag (body, "allThreadsContinued", is_all);
    dap_send_event (server, "continued", body);
}

/* These have begun to move. Of those that the client has moved itself it hears by an answer; others went on by the
 * console's commands, or by themselves. */
static void
tell_moved (DapServer *server, const JobRankSet *ranks)
{
    g_autoptr (JobRankSet) stood = job_rank_set_intersect (server->standing, ranks);
    g_autoptr (JobRankSet) moved = job_rank_set_subtract (stood, server->moving);
    JobRankIter iter = { 0 };
    gboolean is_all;
    guint32 rank;

    if (job_rank_set_is_empty (moved)) {
        return;
    }
    dap_ranks_cut (&server->standing, moved);
    is_all = job_rank_set_is_empty (server->standing);
    if (is_all) {
        dap_send_continued (server, dap_threads_find (server, moved), TRUE);
        return;
    }
    while (dap_threads_are_ranks (server) && job_rank_set_next (moved, &iter, &rank)) {
        dap_send_continued (server, rank + 1, FALSE);
    }
    for (guint i = 0; !dap_threads_are_ranks (server) && i < server->groups->len; i++) {
        const DapGroup *group = g_ptr_array_index (server->groups, i);

        if (job_rank_set_intersects (group->ranks, moved)) {
            dap_send_continued (server, group->id, FALSE);
        }
    }
}

static gboolean
on_names (gpointer data)
{
    DapServer *server = data;

    server->names_source = 0;
    if (server->is_told_thread && server->is_begun) {
        server->is_told_thread = FALSE;
        dap_send_event (server, "pddt/changed", NULL);
        if (!server->is_over) {
            dap_threads_tell (server);
        }
    }
    return G_SOURCE_REMOVE;
}

static void
schedule_names (DapServer *server)
{
    if (server->names_source == 0) {
        server->names_source = g_timeout_add (NAMES_MS, on_names, server);
    }
}

void
dap_stops_tell_threads (DapServer *server)
{
    server->is_told_thread = TRUE;
    schedule_names (server);
}

static gboolean
on_flush (gpointer data)
{
    DapServer *server = data;

    server->flush_source = 0;
    if (server->n_motions > 0) { /* their answers come first, and call again */
        return G_SOURCE_REMOVE;
    }
    server->first_news_us = 0;
    command_context_flush (
        server->context); /* what was logged on the way comes before the stop */
    dap_handles_purge (server);
    if (!job_rank_set_is_empty (server->ended)) {
        dap_stops_tell_threads (server);
        job_rank_set_clear (server->ended);
    }
    add_untold (server);
    if (!job_rank_set_is_empty (server->news)) {
        g_autoptr (JobRankSet) told = NULL;

        /* A client that looks at a group that is gone then looks at nothing, and VS Code forgets a stop that it has not
         * shown yet when it hears of the thread: it must hear of threads before it hears of their stops. */
        if (server->is_begun) {
            dap_threads_tell (server);
        }
        send_stops (server);
        told = g_steal_pointer (&server->news);
        server->news = job_rank_set_new ();
    }
    schedule_names (server);
    return G_SOURCE_REMOVE;
}

/* What a catch has caught is said just before the stop. */
static void
keep_note (DapServer *server, const JobEvent *event)
{
    JOB_EACH_RANK (event->ranks, rank) {
        if (event->kind == JOB_EVENT_NOTICE) {
            g_hash_table_replace (server->notes, GUINT_TO_POINTER (rank),
                                  g_strdup (event->text));
        } else {
            g_hash_table_remove (server->notes, GUINT_TO_POINTER (rank));
        }
    }
    if (event->kind != JOB_EVENT_NOTICE) {
        dap_ranks_cut (&server->parted, event->ranks);
    }
}

/* Ranks that go on line by line until they diverge stop at each; they are told of when that is over. */
static gboolean
on_march (gpointer data)
{
    DapServer *server = data;
    g_autoptr (JobRankSet) stood = NULL;

    server->march_source = 0;
    if (session_is_marching (server->session, server->marched)) {
        return G_SOURCE_REMOVE;
    }
    stood = session_dup_stopped (server->session, server->marched, NULL);
    job_rank_set_clear (server->marched);
    job_rank_set_merge (server->news, stood);
    JOB_EACH_RANK (stood, rank) {
        const char *note = g_hash_table_lookup (server->notes, GUINT_TO_POINTER (rank));

        if (note != NULL && g_str_has_prefix (note, "divergence ")) {
            job_rank_set_add (server->parted, rank);
        }
    }
    dap_stops_schedule (server);
    return G_SOURCE_REMOVE;
}

const char *
dap_stops_find_note (DapServer *server, const JobEvent *event)
{
    const SessionBreakpoint *point = event->state == JOB_STATE_BREAKPOINT
                                         ? session_find_breakpoint (server->session,
                                                                    (guint32) event->number)
                                         : NULL;

    return (point != NULL && g_strcmp0 (point->kind, "catch") == 0)
                   || (event->state == JOB_STATE_STOPPED
                       && job_rank_set_intersects (server->parted, event->ranks))
               ? g_hash_table_lookup (server->notes,
                                      GUINT_TO_POINTER (job_rank_set_get_lowest (event->ranks)))
               : NULL;
}

static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    DapServer *server = user;
    const JobStateInfo *info = job_state_get_info (event->state);

    if (event->kind == JOB_EVENT_NOTICE && event->text != NULL) {
        dap_progress_note (server, event);
    }
    if (event->kind == JOB_EVENT_NOTICE
        || (event->kind == JOB_EVENT_STATE && !info->is_stopped)) {
        keep_note (server, event);
    }
    if (!job_rank_set_is_empty (server->marched) && server->march_source == 0) {
        server->march_source = g_idle_add (on_march, server);
    }
    if (event->kind != JOB_EVENT_STATE) {
        return;
    }
    dap_stops_tell_threads (server);
    if (event->flags & JOB_EVENT_FRESH) {
        return;
    }
    dap_handles_leave (server, event->ranks);
    if (!info->is_stopped) {
        if (info->is_ended) {
            dap_ranks_cut (&server->standing, event->ranks);
        } else if (!session_is_marching (session, event->ranks)) {
            tell_moved (server, event->ranks);
        }
        dap_threads_leave (server, event->ranks);
    }
    if (info->is_stopped && session_is_marching (session, event->ranks)) {
        job_rank_set_merge (server->marched, event->ranks);
    } else if (info->is_stopped) {
        job_rank_set_merge (server->news, event->ranks);
    } else {
        dap_ranks_cut (&server->news, event->ranks);
        if (info->is_ended) {
            job_rank_set_merge (server->ended, event->ranks);
        }
    }
    dap_stops_schedule (server);
}

void
dap_stops_add_all (DapServer *server)
{
    g_autoptr (JobRankSet) all = session_dup_all (server->session);
    g_autoptr (JobRankSet) stopped = session_dup_stopped (server->session, all, NULL);

    job_rank_set_merge (server->news, stopped);
    dap_stops_schedule (server);
}

void
dap_stops_init (DapServer *server)
{
    session_add_listener (server->session, on_event, server);
    /* also by what no event of a rank says: that it is blocked, that its host is silent */
    g_signal_connect_swapped (server->session, "states-changed",
                              G_CALLBACK (dap_stops_tell_threads), server);
}

void
dap_stops_clear (DapServer *server)
{
    g_clear_handle_id (&server->flush_source, g_source_remove);
    g_clear_handle_id (&server->names_source, g_source_remove);
    g_clear_handle_id (&server->march_source, g_source_remove);
    if (server->session != NULL) {
        g_signal_handlers_disconnect_by_func (server->session, dap_stops_tell_threads, server);
        session_remove_listener (server->session, on_event, server);
    }
}
