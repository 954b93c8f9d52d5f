/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scripted-window RANKS FILE: the window on a job that does not exist. Ranks are at FILE's lines;
 * requests are answered by a few rules, and lines on stdin make things happen:
 *   state SET WORD FUNCTION LINE [TEXT]     ranks are now so
 *   output SET TEXT                         ranks print TEXT
 *   message SEVERITY TEXT */
#include "gui/application.h"
#include "gui/settings.h"
#include "gui/theme.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Session *session;
    const char *file;
    guint32 n_ranks;
    guint64 *stops;
    guint32 *lines;
    char **functions;
    JobState *states;
    guint32 breakpoint_line;
    JobRankSet *held;     /* they do not arrive by a step; NULL: all do */
    guint64 held_request;
} Script;

static void
apply_state (Script *script, const JobRankSet *set, JobState state, guint64 request,
             gboolean final, guint32 flags, const char *text)
{
    JobRankIter iter = { 0 };
    guint32 rank;

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
        event->place = job_location_new (script->functions[rank], script->file, script->lines[rank]);
        event->place->language = JOB_LANGUAGE_C;
        session_apply (script->session, event);
    }
}

static void
add_frame (GPtrArray *frames, const char *function, const char *file, guint32 line,
           JobLanguage language)
{
    JobFrame *frame = job_frame_new ();

    frame->location.function = g_strdup (function);
    frame->location.file = g_strdup (file);
    frame->location.line = line;
    frame->location.language = language;
    g_ptr_array_add (frames, frame);
}

static void
answer_where (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STACKS, request->id, request->ranks);
    JobRankIter iter = { 0 };
    guint32 rank;

    event->final = TRUE;
    event->tree = job_stack_tree_new ();
    while (job_rank_set_next (request->ranks, &iter, &rank)) {
        g_autoptr (GPtrArray) frames
            = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);

        add_frame (frames, script->functions[rank], script->file, script->lines[rank],
                   JOB_LANGUAGE_C);
        add_frame (frames, "main", script->file, 5, JOB_LANGUAGE_C);
        add_frame (frames, "<module>", "/home/user/app.py", 12, JOB_LANGUAGE_PYTHON);
        job_stack_tree_add (event->tree, frames, one);
    }
    session_apply (script->session, event);
}

static void
answer_locals (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_VALUES, request->id, request->ranks);
    JobRankIter iter = { 0 };
    guint32 rank;

    event->final = TRUE;
    event->table = job_value_table_new ();
    while (job_rank_set_next (request->ranks, &iter, &rank)) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
        g_autofree char *number = g_strdup_printf ("%u", rank);
        g_autofree char *line = g_strdup_printf ("%u", script->lines[rank]);
        g_autoptr (JobValue) me = job_value_new_number ("rank", "int", number, rank);
        g_autoptr (JobValue) at = job_value_new_number ("step", "int", line, script->lines[rank]);
        g_autoptr (JobValue) box = job_value_new ("grid", "struct grid", "{n = 64, ...}");

        box->children = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
        g_ptr_array_add (box->children, job_value_new_number ("n", "int", "64", 64));
        g_ptr_array_add (box->children, job_value_new ("data", "double *", "0x5581a0"));
        box->expandable = TRUE;
        job_value_table_add (event->table, "rank", one, me);
        job_value_table_add (event->table, "step", one, at);
        job_value_table_add (event->table, "grid", one, box);
    }
    session_apply (script->session, event);
}

static void
answer_break (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_BREAKPOINT, request->id, request->ranks);

    script->breakpoint_line = request->where.line;
    event->final = TRUE;
    event->number = (gint32) request->number;
    event->places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
    g_ptr_array_add (event->places, job_location_new ("work", script->file, request->where.line));
    session_apply (script->session, event);
}

static void
accept_request (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_ACCEPTED, request->id, request->ranks);

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
            ? job_rank_set_subtract (request->ranks, script->held)
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
    switch (request->verb) {
    case JOB_VERB_WHERE: answer_where (script, request); break;
    case JOB_VERB_LOCALS: answer_locals (script, request); break;
    case JOB_VERB_BREAK: answer_break (script, request); break;
    case JOB_VERB_CONTINUE: case JOB_VERB_STEP: case JOB_VERB_NEXT: case JOB_VERB_FINISH:
        move (script, request);
        break;
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
    default: accept_request (script, request);
    }
    return G_SOURCE_REMOVE;
}

static void
on_request (const JobRequest *request, gpointer user)
{
    gpointer *pair = g_new (gpointer, 2);

    pair[0] = user;
    pair[1] = job_request_dup (request);
    g_idle_add (answer, pair);
}

static void
play (Script *script, const char *line)
{
    g_auto (GStrv) words = g_strsplit (line, " ", 6);
    guint n = g_strv_length (words);
    g_autoptr (JobRankSet) set
        = n > 1 ? job_rank_set_parse (words[1], script->n_ranks, NULL) : NULL;
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
    } else if (n >= 3 && g_str_equal (words[0], "output") && set != NULL) {
        g_autofree char *text = g_strjoinv (" ", words + 2);
        g_autofree char *whole = g_strconcat (text, "\n", NULL);
        g_autoptr (GBytes) bytes = g_bytes_new (whole, strlen (whole));

        g_signal_emit_by_name (script->session, "output", set, 1, bytes);
    } else if (n == 2 && g_str_equal (words[0], "hold") && set != NULL) {
        script->held = g_steal_pointer (&set);
    } else if (n == 1 && g_str_equal (words[0], "release") && script->held != NULL) {
        g_autoptr (JobRankSet) held = g_steal_pointer (&script->held);

        while (job_rank_set_next (held, &iter, &rank)) {
            script->lines[rank]++;
        }
        apply_state (script, held, JOB_STATE_STOPPED, script->held_request, FALSE, 0, NULL);
    } else if (n >= 3 && g_str_equal (words[0], "message")) {
        g_autofree char *text = g_strjoinv (" ", words + 2);

        g_signal_emit_by_name (script->session, "message", (guint) atoi (words[1]), text);
    } else {
        fprintf (stderr, "cannot play: %s\n", line);
    }
}

static gboolean
on_input (GIOChannel *channel, GIOCondition condition, gpointer user)
{
    g_autofree char *line = NULL;
    gsize end;

    if (g_io_channel_read_line (channel, &line, NULL, &end, NULL) != G_IO_STATUS_NORMAL) {
        return G_SOURCE_REMOVE;
    }
    line[end] = '\0';
    play (user, line);
    return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
    Script script = { 0 };
    g_autoptr (Session) session = NULL;
    g_autoptr (JobRankSet) all = NULL;
    g_autoptr (GIOChannel) input = g_io_channel_unix_new (0);
    guint64 n = 0;

    if (argc != 3 || !g_ascii_string_to_unsigned (argv[1], 10, 0, 2000000, &n, NULL)) {
        fprintf (stderr, "scripted-window RANKS FILE\n");
        return 2;
    }
    g_set_prgname ("pddt");
    setlocale (LC_ALL, "");
    setlocale (LC_NUMERIC, "C");
    gui_settings_init_words ("pddt", "/nonexistent");
    gui_settings_init ();
    if (!gui_theme_open_display ()) {
        return 77;
    }
    script.n_ranks = (guint32) n;
    script.file = argv[2];
    script.session = session = session_new ();
    script.stops = g_new0 (guint64, n);
    script.lines = g_new0 (guint32, n);
    script.functions = g_new0 (char *, n);
    script.states = g_new0 (JobState, n);
    for (guint32 i = 0; i < n; i++) {
        script.functions[i] = g_strdup ("main");
        script.lines[i] = 5;
    }
    session_start_scripted (session, script.n_ranks, on_request, &script);
    all = job_rank_set_new_range (0, script.n_ranks);
    apply_state (&script, all, JOB_STATE_STOPPED, 0, FALSE, 0, NULL);
    g_io_add_watch (input, G_IO_IN | G_IO_HUP, on_input, &script);
    return gui_application_run (session, NULL, NULL);
}
