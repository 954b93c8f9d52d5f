/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules by which fake ranks move, and the lines that make things happen to them. */
#include "script-private.h"
#include "session/sources.h"
#include <stdlib.h>
#include <string.h>

/* These ranks stand in a new moment, or run, and are in none. */
static void
note_moment (Script *script, const JobRankSet *set, JobState state)
{
    JobRankIter iter = { 0 };
    guint32 rank;

    if (!script->is_marked) {
        return;
    }
    script->moment++;
    while (job_rank_set_next (set, &iter, &rank)) {
        const JobStateInfo *info = job_state_get_info (state);
        gboolean is_known = info->is_stopped || info->is_ended;

        script->moments[rank].values = info->is_stopped ? script->moment : 0;
        script->moments[rank].place = is_known ? script->moment : 0;
        if (is_known) {
            g_free (script->functions[rank]);
            script->functions[rank] = script_format_place ("work", script->moment);
        }
    }
}

/* What they say from now on is not what they have said. */
static void
note_write (Script *script, const JobRankSet *set)
{
    JobRankIter iter = { 0 };
    guint32 rank;

    script->moment++;
    while (job_rank_set_next (set, &iter, &rank)) {
        script->moments[rank].values = script->moments[rank].values != 0 ? script->moment : 0;
    }
}

void
script_edit (Script *script, const char *text)
{
    session_script_source (script->session, script->file, text);
}

ScriptMoment
script_get_moment (const Script *script, guint32 rank)
{
    return script->moments[rank];
}

static void
apply_state (Script *script, const JobRankSet *set, JobState state, guint64 request,
             gboolean final, guint32 flags, const char *text)
{
    JobRankIter iter = { 0 };
    guint32 rank;

    if (flags == 0) {
        note_moment (script, set, state);
    }
    while (job_rank_set_next (set, &iter, &rank)) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, request, one);

        if (state != script->states[rank] || flags == 0) {
            script->stops[rank] += job_state_get_info (state)->is_stopped && flags == 0;
        }
        script->states[rank] = state;
        event->state = state;
        event->final = final;
        event->flags = flags;
        event->stop = script->stops[rank];
        event->number = state == JOB_STATE_BREAKPOINT ? 1 : 0;
        event->text = g_strdup (text);
        if (!script->is_marked || !job_state_get_info (state)->is_moving) {
            event->place = job_location_new (script->functions[rank], script->file,
                                             script->lines[rank]);
            event->place->language = JOB_LANGUAGE_C;
        }
        session_apply (script->session, event);
    }
}

void
script_mark (Script *script)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, script->n_ranks);

    g_assert (script->n_ranks < SCRIPT_MARK_ANY);
    script->is_marked = TRUE;
    script->moments = g_new0 (ScriptMoment, script->n_ranks);
    apply_state (script, all, JOB_STATE_STOPPED, 0, FALSE, 0, NULL);
}

static void
accept_request (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_ACCEPTED, request->id,
                                                request->ranks);

    event->final = TRUE;
    session_apply (script->session, event);
}

static void
move (Script *script, const JobRequest *request)
{
    gboolean goes_on = request->verb == JOB_VERB_CONTINUE;
    JobRankIter iter = { 0 };
    guint32 rank;

    apply_state (script, request->ranks, goes_on ? JOB_STATE_RUNNING : JOB_STATE_STEPPING,
                 request->id, TRUE, 0, NULL);
    if (!goes_on) {
        g_autoptr (JobRankSet) arriving = script->held != NULL
                                              ? job_rank_set_subtract (request->ranks,
                                                                       script->held)
                                              : job_rank_set_dup (request->ranks);

        while (job_rank_set_next (arriving, &iter, &rank)) {
            script->lines[rank]++;
        }
        script->held_request = request->id;
        apply_state (script, arriving, JOB_STATE_STOPPED, request->id, FALSE, 0, NULL);
    }
}

static gboolean
answer (gpointer user)
{
    gpointer *pair = user;
    Script *script = pair[0];
    g_autoptr (JobRequest) request = pair[1];
    JobRankIter iter = { 0 };
    guint32 rank;

    g_free (pair);
    if (script->mute != NULL) {
        JobRankSet *rest = job_rank_set_subtract (request->ranks, script->mute);

        job_rank_set_free (request->ranks);
        request->ranks = rest;
        if (job_rank_set_is_empty (rest)) {
            return G_SOURCE_REMOVE;
        }
    }
    if (script_answer (script, request)) {
        return G_SOURCE_REMOVE;
    }
    switch (request->verb) {
    case JOB_VERB_CONTINUE:
    case JOB_VERB_STEP:
    case JOB_VERB_NEXT:
    case JOB_VERB_FINISH: move (script, request); break;
    case JOB_VERB_PAUSE:
        accept_request (script, request);
        apply_state (script, request->ranks, JOB_STATE_STOPPED, request->id, FALSE, 0, NULL);
        break;
    case JOB_VERB_STATE:
        while (job_rank_set_next (request->ranks, &iter, &rank)) {
            g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);

            apply_state (script, one, script->states[rank], request->id, TRUE, JOB_EVENT_FRESH,
                         NULL);
        }
        break;
    case JOB_VERB_SET:
        if (script->is_marked) {
            note_write (script, request->ranks);
        }
        accept_request (script, request);
        break;
    default: accept_request (script, request);
    }
    return G_SOURCE_REMOVE;
}

static gpointer *
new_pair (Script *script, const JobRequest *request)
{
    gpointer *pair = g_new (gpointer, 2);

    pair[0] = script;
    pair[1] = job_request_dup (request);
    return pair;
}

/* Each host has its share of the ranks, and gets its part of a request. */
static void
send_to_hosts (Script *script, const JobRequest *request)
{
    for (guint i = 0; i < G_N_ELEMENTS (script->hosts); i++) {
        guint32 share = script->n_ranks / G_N_ELEMENTS (script->hosts) + 1;
        g_autoptr (JobRankSet) its = job_rank_set_new_range (i * share, (i + 1) * share);
        g_autoptr (JobRequest) part = job_request_dup (request);

        job_rank_set_free (part->ranks);
        part->ranks = job_rank_set_intersect (request->ranks, its);
        if (!job_rank_set_is_empty (part->ranks)) {
            g_queue_push_tail (&script->hosts[i], new_pair (script, part));
        }
    }
}

static void
on_request (const JobRequest *request, gpointer user)
{
    Script *script = user;

    script->n_asked[request->verb]++;
    if (script->random != NULL) {
        send_to_hosts (script, request);
    } else {
        g_idle_add (answer, new_pair (script, request));
    }
}

/* A rank that runs, or has been told to, stops somewhere. */
static void
stop_one (Script *script)
{
    guint32 rank = (guint32) g_rand_int_range (script->random, 0, (gint32) script->n_ranks);
    g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);

    if (script->states[rank] == JOB_STATE_RUNNING) {
        script->lines[rank] = (guint32) g_rand_int_range (script->random, 5, 8);
        apply_state (script, one, JOB_STATE_STOPPED, 0, FALSE, 0, NULL);
    }
}

static gboolean
on_tick (gpointer user)
{
    Script *script = user;

    for (gint32 n = g_rand_int_range (script->random, 0, 8); n > 0; n--) {
        gpointer pair = g_queue_pop_head (
            &script->hosts[g_rand_int_range (script->random, 0, G_N_ELEMENTS (script->hosts))]);

        if (pair != NULL) {
            answer (pair);
        }
        stop_one (script);
    }
    return G_SOURCE_CONTINUE;
}

void
script_scatter (Script *script, guint32 seed)
{
    script->random = g_rand_new_with_seed (seed);
    g_timeout_add (1, on_tick, script);
}

void
script_play (Script *script, const char *line)
{
    g_auto (GStrv) words = g_strsplit (line, " ", 6);
    guint n = g_strv_length (words);
    g_autoptr (JobRankSet) set = n > 1 ? job_rank_set_parse (words[1], script->n_ranks, NULL)
                                       : NULL;
    JobRankIter iter = { 0 };
    JobState state;
    guint32 rank;

    if (n >= 5 && g_str_equal (words[0], "state") && set != NULL
        && job_state_find (words[2], &state)) {
        while (job_rank_set_next (set, &iter, &rank)) {
            g_free (script->functions[rank]);
            script->functions[rank] = g_strdup (words[3]);
            script->lines[rank] = (guint32) atoi (words[4]);
        }
        apply_state (script, set, state, 0, FALSE, 0, n > 5 ? words[5] : NULL);
    } else if (n >= 3 && set != NULL
               && (g_str_equal (words[0], "output") || g_str_equal (words[0], "part")
                   || g_str_equal (words[0], "nul"))) {
        g_autofree char *text = g_strjoinv (" ", words + 2);
        g_autofree char *whole = g_strconcat (text, words[0][0] == 'p' ? "" : "\n", NULL);
        gsize size = strlen (whole);
        g_autoptr (GBytes) bytes = NULL;

        for (gsize i = 0; words[0][0] == 'n' && i < size; i++) {
            whole[i] = whole[i] == '|' ? '\0' : whole[i];
        }
        bytes = g_bytes_new (whole, size);

        g_signal_emit_by_name (script->session, "output", set, 1, bytes);
    } else if (n == 3 && g_str_equal (words[0], "flood") && set != NULL) {
        g_autoptr (GString) lines = g_string_new (NULL);
        g_autoptr (GBytes) bytes = NULL;

        for (int i = 0; i < atoi (words[2]); i++) {
            g_string_append_printf (lines, "line %d\n", i);
        }
        bytes = g_bytes_new (lines->str, lines->len);
        g_signal_emit_by_name (script->session, "output", set, 1, bytes);
    } else if (n == 2 && g_str_equal (words[0], "hold") && set != NULL) {
        script->held = g_steal_pointer (&set);
    } else if (n == 2 && g_str_equal (words[0], "mute") && set != NULL) {
        job_rank_set_free (script->mute);
        script->mute = g_steal_pointer (&set);
    } else if (n == 2 && g_str_equal (words[0], "without") && set != NULL) {
        job_rank_set_free (script->without);
        script->without = g_steal_pointer (&set);
    } else if (n == 3 && g_str_equal (words[0], "silent") && set != NULL) {
        session_set_silent (script->session, set, (guint) atoi (words[2]));
    } else if (n == 1 && g_str_equal (words[0], "speak")) {
        g_clear_pointer (&script->mute, job_rank_set_free);
    } else if (n == 1 && g_str_equal (words[0], "release") && script->held != NULL) {
        g_autoptr (JobRankSet) held = g_steal_pointer (&script->held);

        while (job_rank_set_next (held, &iter, &rank)) {
            script->lines[rank]++;
        }
        apply_state (script, held, JOB_STATE_STOPPED, script->held_request, FALSE, 0, NULL);
    } else if (n >= 4 && g_str_equal (words[0], "log") && set != NULL) {
        g_autofree char *text = g_strjoinv (" ", words + 3);
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_LOG, 0, set);

        event->number = atoi (words[2]);
        event->text = g_steal_pointer (&text);
        session_apply (script->session, event);
    } else if (n == 1 && g_str_equal (words[0], "keep")) {
        script->kept = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    } else if (n == 1 && g_str_equal (words[0], "deliver") && script->kept != NULL) {
        g_autoptr (GPtrArray) kept = g_steal_pointer (&script->kept);

        for (guint i = 0; i < kept->len; i++) {
            session_apply (script->session, kept->pdata[i]);
        }
    } else if (n == 1 && g_str_equal (words[0], "restart")) {
        g_autoptr (JobRankSet) all = job_rank_set_new_range (0, script->n_ranks);

        g_clear_pointer (&script->kept, g_ptr_array_unref);
        note_moment (script, all, JOB_STATE_STOPPED);
        session_script_restart (script->session);
    } else if (n == 2 && g_str_equal (words[0], "source")) {
        g_autofree char *text = NULL;

        if (g_file_get_contents (words[1], &text, NULL, NULL)) {
            session_script_source (script->session, words[1], text);
        }
    } else if (n == 1 && g_str_equal (words[0], "asked")) {
        g_autoptr (JobRankSet) all = job_rank_set_new_range (0, script->n_ranks);
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_NOTICE, 0, all);

        event->text = g_strdup_printf ("asked for stacks %u, for locals %u",
                                       script->n_asked[JOB_VERB_WHERE],
                                       script->n_asked[JOB_VERB_LOCALS]);
        session_apply (script->session, event);
    } else if (n >= 3 && g_str_equal (words[0], "message")) {
        g_autofree char *text = g_strjoinv (" ", words + 2);

        g_signal_emit_by_name (script->session, "message", (guint) atoi (words[1]), text, text);
    } else {
        g_printerr ("cannot play: %s\n", line);
    }
}

Script *
script_new_in (Session *session, guint32 n_ranks, const char *file)
{
    Script *script = g_new0 (Script, 1);
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, n_ranks);
    g_autofree char *base = g_path_get_basename (file), *text = NULL;
    gboolean is_here = g_file_get_contents (file, &text, NULL, NULL);

    script->n_ranks = n_ranks;
    script->file = is_here ? g_build_filename ("/far/away", base, NULL) : g_strdup (file);
    script->session = g_object_ref (session);
    script->stops = g_new0 (guint64, n_ranks);
    script->lines = g_new0 (guint32, n_ranks);
    script->functions = g_new0 (char *, n_ranks);
    script->states = g_new0 (JobState, n_ranks);
    for (guint32 i = 0; i < n_ranks; i++) {
        script->functions[i] = g_strdup ("main");
        script->lines[i] = 5;
    }
    session_start_scripted (script->session, n_ranks, on_request, script);
    if (is_here) {
        session_script_source (script->session, script->file, text);
    }
    apply_state (script, all, JOB_STATE_STOPPED, 0, FALSE, 0, NULL);
    return script;
}

Script *
script_new (guint32 n_ranks, const char *file)
{
    g_autoptr (Session) session = session_new ();

    return script_new_in (session, n_ranks, file);
}

Session *
script_get_session (Script *script)
{
    return script->session;
}
