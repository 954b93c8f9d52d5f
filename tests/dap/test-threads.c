/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thousand ranks as threads: each group of equal ones is one, and its answer is short. */
#include "dap/private.h"
#include <string.h>
#include <unistd.h>

#define N_RANKS 1000

static char *
ask_threads (DapServer *server)
{
    g_autofree char *path = NULL;
    int file = g_file_open_tmp ("pddt-threads-XXXXXX", &path, NULL), out = dup (STDOUT_FILENO);
    char *text = NULL;

    fflush (stdout);
    dup2 (file, STDOUT_FILENO);
    dap_handle (dap_request_new (server, json_pack ("{s:i, s:s, s:s}", "seq", 1, "type",
                                                    "request", "command", "threads")));
    command_out_flush (server->out);
    dup2 (out, STDOUT_FILENO);
    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    unlink (path);
    close (file);
    close (out);
    return text;
}

static json_t *
parse_threads (const char *packet)
{
    json_t *message = json_loads (strstr (packet, "\r\n\r\n") + 4, 0, NULL);
    json_t *threads = json_object_get (json_object_get (message, "body"), "threads");

    g_assert_nonnull (threads);
    json_incref (threads);
    json_decref (message);
    return threads;
}

/* Ranks first to end - 1 stop at a line. */
static void
stop_at (Session *session, guint32 first, guint32 end, guint32 line, guint64 stop)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, ranks);

    event->state = JOB_STATE_STOPPED;
    event->stop = stop;
    event->place = job_location_new ("work", "/src/app.c", line);
    session_apply (session, event);
}

static gint64
get_id (json_t *threads, size_t index)
{
    return json_integer_value (json_object_get (json_array_get (threads, index), "id"));
}

static void
test_groups (void)
{
    const DapOptions options = { 0 };
    DapServer *server = dap_server_new (&options);
    g_autofree char *packet = NULL, *parted = NULL, *met = NULL, *all = NULL;
    json_t *whole, *parts, *again, *many;
    gint64 begin_us;

    server->is_initialized = TRUE;
    server->session = session_new ();
    session_start_scripted (server->session, N_RANKS, NULL, NULL);
    stop_at (server->session, 0, N_RANKS, 10, 2);
    whole = parse_threads (packet = ask_threads (server));
    g_assert_cmpuint (json_array_size (whole), ==, 1);

    /* who parts is another thread; who meets again is the one that it was */
    stop_at (server->session, 500, N_RANKS, 11, 3);
    parts = parse_threads (parted = ask_threads (server));
    g_assert_cmpuint (json_array_size (parts), ==, 2);
    g_assert_cmpint (get_id (parts, 0), !=, get_id (whole, 0));
    stop_at (server->session, 0, 500, 11, 4);
    again = parse_threads (met = ask_threads (server));
    g_assert_cmpint (get_id (again, 0), ==, get_id (whole, 0));

    for (guint32 rank = 0; rank < N_RANKS; rank++) {
        stop_at (server->session, rank, rank + 1, 100 + rank, 5);
    }
    begin_us = g_get_monotonic_time ();
    many = parse_threads (all = ask_threads (server));
    g_test_message ("%d groups: %" G_GINT64_FORMAT " us, %zu bytes", N_RANKS,
                    g_get_monotonic_time () - begin_us, strlen (all));
    g_assert_cmpuint (json_array_size (many), ==, N_RANKS);
    g_assert_cmpuint (strlen (all), <, 100000);
    json_decref (whole);
    json_decref (parts);
    json_decref (again);
    json_decref (many);
    dap_server_free (server);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/dap/threads/groups", test_groups);
    return g_test_run ();
}
