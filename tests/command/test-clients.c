/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two clients of one session, as the prompt and a window or two windows are: what is the session's is the
 * same for both. */
#include "command/private.h"
#include "rig.h"
#include <string.h>

typedef struct {
    Rig *rig; /* with the first client */
    CommandContext *second;
    GString *text;
    guint n_done;
} Clients;

static void
on_write (CommandOutKind kind, int stream, const char *text, gpointer user)
{
    g_string_append_printf (((Clients *) user)->text, "%s\n", text);
}

static void
on_done (gboolean ok, gpointer user)
{
    ((Clients *) user)->n_done++;
}

static void
open_clients (Clients *clients)
{
    *clients = (Clients){ 0 };
    clients->rig = rig_new (4, FALSE);
    clients->text = g_string_new (NULL);
    clients->second = command_context_new (clients->rig->session, FALSE, on_write, clients);
}

static void
close_clients (Clients *clients)
{
    command_context_free (clients->second);
    g_string_free (clients->text, TRUE);
    rig_free (clients->rig);
}

/* Runs a line in the second client. */
static void
assert_second (Clients *clients, const char *line, const char *expected)
{
    guint before = clients->n_done;
    gint64 limit_us = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;

    g_string_truncate (clients->text, 0);
    command_run (clients->second, line, on_done, clients);
    while (clients->n_done == before && g_get_monotonic_time () < limit_us) {
        g_main_context_iteration (NULL, FALSE);
    }
    g_assert_cmpuint (clients->n_done, ==, before + 1);
    g_assert_cmpstr (clients->text->str, ==, expected);
}

static void
test_options (void)
{
    Clients clients;
    g_autofree char *first = NULL, *shown = NULL;

    open_clients (&clients);
    first = rig_run (clients.rig, "show options");
    g_assert_nonnull (strstr (first, "limit-bytes = 200 (4000 at a Python line)\n"
                                     "limit-depth = 3 (6 at a Python line)\n"
                                     "limit-items = 8 (200 at a Python line)\n"));
    rig_assert (clients.rig, "set option limit-items 20", "");
    assert_second (&clients, "set option just-my-code off", "");
    shown = rig_run (clients.rig, "show options");
    g_assert_nonnull (strstr (shown, "limit-items = 20\n"));
    g_assert_nonnull (strstr (shown, "just-my-code = off\n"));
    assert_second (&clients, "show options", shown);
    close_clients (&clients);
}

static void
test_skips (void)
{
    Clients clients;
    const JobRequest *last;

    open_clients (&clients);
    rig_assert (clients.rig, "skip f", "skip 1: function f\n");
    assert_second (&clients, "skip file g.c", "skip 2: file g.c\n");
    last = g_ptr_array_index (clients.rig->requests, clients.rig->requests->len - 1);
    g_assert_cmpstr (last->text2, ==, "function f\nfile g.c"); /* not the second alone */
    rig_assert (clients.rig, "show skips", "skip 1: function f\nskip 2: file g.c\n");
    assert_second (&clients, "skip delete 1", "");
    rig_assert (clients.rig, "show skips", "skip 2: file g.c\n");
    close_clients (&clients);
}

/* A window of some ranks tells only what they do. */
static void
test_only (void)
{
    Clients clients;
    g_autoptr (JobRankSet) two = job_rank_set_new_range (2, 4);
    g_autoptr (JobEvent) inside = rig_event (JOB_EVENT_NOTICE, "1-2");
    g_autoptr (JobEvent) outside = rig_event (JOB_EVENT_NOTICE, "0-1");
    g_autoptr (JobEvent) log = rig_event (JOB_EVENT_LOG, "0");

    open_clients (&clients);
    command_context_flush (clients.second);
    g_string_truncate (clients.text, 0);
    command_context_show_only (clients.second, two);
    inside->text = g_strdup ("inside");
    outside->text = g_strdup ("0-1: not for us");
    log->text = g_strdup ("2: not for us, whatever it looks like");
    session_apply (clients.rig->session, inside);
    session_apply (clients.rig->session, outside);
    session_apply (clients.rig->session, log);
    rig_state (clients.rig, "0-1", JOB_STATE_BREAKPOINT, 1, NULL, "work at /a/app.c:12");
    rig_state (clients.rig, "3", JOB_STATE_BREAKPOINT, 2, NULL, "work at /a/app.c:14");
    command_context_flush (clients.second);
    g_assert_cmpstr (clients.text->str, ==,
                     "note: inside (1-2)\n3: breakpoint 2, work at app.c:14\n");
    close_clients (&clients);
}

static const JobSelection *
get_last_selection (Clients *clients, guint32 rank)
{
    GPtrArray *requests = clients->rig->requests;

    return job_request_find_selection (g_ptr_array_index (requests, requests->len - 1), rank);
}

/* What one has selected is not what the other means. */
static void
test_frames (void)
{
    Clients clients;
    JobEvent *frame = rig_event (JOB_EVENT_FRAME, "0-3");

    open_clients (&clients);
    frame->number = 2;
    frame->place = rig_place ("main at /a/app.c:10");
    rig_answer (clients.rig, frame, NULL);
    rig_assert (clients.rig, "frame 2", "0-3: #2 main at app.c:10\n");
    g_free (rig_run (clients.rig, "print x"));
    g_assert_cmpuint (get_last_selection (&clients, 1)->frame, ==, 2);
    assert_second (&clients, "print x", "");
    g_assert_null (get_last_selection (&clients, 1));
    frame = rig_event (JOB_EVENT_FRAME, "1");
    frame->number = 0;
    frame->place = rig_place ("run at /a/app.c:30");
    rig_answer (clients.rig, frame, NULL);
    assert_second (&clients, "on 1 thread 3", "1: #0 run at app.c:30\n");
    assert_second (&clients, "info locals", "");
    g_assert_cmpuint (get_last_selection (&clients, 1)->thread, ==, 3);
    g_assert_false (get_last_selection (&clients, 1)->has_frame);
    g_free (rig_run (clients.rig, "next"));
    g_assert_cmpuint (get_last_selection (&clients, 1)->frame, ==, 2);
    rig_state (clients.rig, "0-3", JOB_STATE_STOPPED, 0, NULL, "main at /a/app.c:11");
    g_free (rig_run (clients.rig, "print x")); /* they have moved: their own place again */
    g_assert_null (get_last_selection (&clients, 1));
    close_clients (&clients);
}

int
main (int argc, char *argv[])
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/command/clients/options", test_options);
    g_test_add_func ("/command/clients/skips", test_skips);
    g_test_add_func ("/command/clients/only", test_only);
    g_test_add_func ("/command/clients/frames", test_frames);
    return g_test_run ();
}
