/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The connection: one client, on standard input and output or a UNIX socket. */
#include "dap/private.h"
#include "base/log.h"
#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

void
dap_server_send (DapServer *server, const GString *json)
{
    g_autofree char *packet = g_strdup_printf ("Content-Length: %zu\r\n\r\n%s", json->len + 1,
                                               json->str);

    command_out_write (server->out, 1, packet);
}

void
dap_send_event (DapServer *server, const char *event, GString *body)
{
    g_autoptr (GString) json = g_string_new ("{");

    dap_write_number (json, "seq", ++server->seq);
    dap_write_text (json, "type", "event");
    dap_write_text (json, "event", event);
    if (body != NULL) {
        dap_write_end (body, '}');
        dap_write_raw (json, "body", body->str);
        g_string_free (body, TRUE);
    }
    dap_write_end (json, '}');
    dap_server_send (server, json);
}

void
dap_send_output (DapServer *server, const char *category, const char *text)
{
    GString *body = dap_body_new ();
    g_autofree char *line = g_strconcat (text, "\n", NULL);

    dap_write_text (body, "category", category);
    dap_write_text (body, "output", line);
    dap_send_event (server, "output", body);
}

void
dap_send_invalidated (DapServer *server, const char *area)
{
    GString *body;

    if (server->has_invalidated) {
        body = dap_body_new ();
        dap_write_begin (body, "areas", '[');
        dap_write_text (body, NULL, area);
        dap_write_end (body, ']');
        dap_send_event (server, "invalidated", body);
    }
}

void
dap_server_end (DapServer *server, int status)
{
    server->status = MAX (server->status, status);
    g_main_loop_quit (server->loop);
}

/* ---- what comes ---- */

static void
take_message (DapServer *server, json_t *message)
{
    const char *type = json_string_value (json_object_get (message, "type"));
    const json_t *seq = json_object_get (message, "seq");

    if (g_strcmp0 (type, "response") == 0) {
        dap_terminal_take_response (server, message);
        json_decref (message);
    } else if (g_strcmp0 (type, "request") != 0 || !json_is_integer (seq)
               || !json_is_string (json_object_get (message, "command"))) {
        dap_send_output (
            server, "important",
            "error: a message is no request: it needs \"type\":\"request\", a number "
            "\"seq\" and a text \"command\"; it is skipped");
        json_decref (message);
    } else {
        dap_handle (dap_request_new (server, message));
    }
}

static void
take_messages (DapServer *server)
{
    for (;;) {
        g_autoptr (GError) error = NULL;
        json_t *message = NULL;

        switch (dap_reader_take (server->reader, &message, &error)) {
        case DAP_READER_MORE: return;
        case DAP_READER_MESSAGE: take_message (server, message); break;
        case DAP_READER_BAD: {
            g_autofree char *line = g_strconcat ("error: ", error->message, NULL);

            dap_send_output (server, "important", line);
            break;
        }
        case DAP_READER_BROKEN: {
            g_autofree char *line = g_strconcat ("error: ", error->message, NULL);

            base_log_say ("%s", error->message);
            dap_send_output (server, "important", line);
            server->status = 1;
            dap_life_close (server);
            return;
        }
        }
    }
}

static gboolean
on_input (int fd, GIOCondition condition, gpointer data)
{
    DapServer *server = data;
    char buffer[65536];
    ssize_t n = read (fd, buffer, sizeof buffer);

    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return G_SOURCE_CONTINUE;
    }
    if (n <= 0) {
        server->input_source = 0;
        dap_life_close (server);
        return G_SOURCE_REMOVE;
    }
    dap_reader_add (server->reader, buffer, (gsize) n);
    take_messages (server);
    return G_SOURCE_CONTINUE;
}

static gboolean
on_terminate (gpointer data)
{
    dap_life_close (data);
    return G_SOURCE_CONTINUE;
}

/* A client that does not read holds up the program's output, as a full pipe does without pddt. */
static void
on_full (gboolean full, const char *problem, gpointer user)
{
    DapServer *server = user;

    if (server->session != NULL) {
        session_hold_output (server->session, full);
    }
}

/* ---- the socket ---- */

/* Only this user may connect: the console runs code. The socket listens before it gets its name, so that whoever sees that can
 * connect. */
static int
listen_at (const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    mode_t before;
    int fd;
    gboolean is_bound, is_named;
    g_autofree char *first = g_strdup_printf ("%s.%d", path, (int) getpid ());

    if (strlen (first) >= sizeof address.sun_path) {
        base_log_say ("cannot make the socket %s: its path is longer than %zu bytes", path,
                      sizeof address.sun_path - 1 - (strlen (first) - strlen (path)));
        return -1;
    }
    memcpy (address.sun_path, first, strlen (first) + 1);
    fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    before = umask (077);
    is_bound = fd >= 0 && bind (fd, (struct sockaddr *) &address, sizeof address) == 0;
    umask (before);
    is_named = is_bound && listen (fd, 1) == 0 && link (first, path) == 0;
    errno = is_bound && !is_named && errno == EEXIST ? EADDRINUSE : errno;
    if (is_bound) {
        int reason = errno;

        unlink (first);
        errno = reason;
    }
    if (!is_named) {
        base_log_say ("cannot make the socket %s: %s", path, g_strerror (errno));
        if (fd >= 0) {
            close (fd);
        }
        return -1;
    }
    return fd;
}

static gboolean
is_this_user (int connection)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    return getsockopt (connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
           && peer.uid == geteuid ();
}

/* The first client becomes standard input and output. */
static gboolean
await_client (const char *path)
{
    int listening = listen_at (path), connection = -1;

    while (listening >= 0 && connection < 0) {
        connection = accept4 (listening, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0 && errno != EINTR && errno != ECONNABORTED) {
            base_log_say ("cannot take a client at %s: %s", path, g_strerror (errno));
            break;
        }
        if (connection >= 0 && !is_this_user (connection)) {
            close (connection);
            connection = -1;
        }
    }
    if (listening >= 0) {
        close (listening);
        unlink (path);
    }
    if (connection < 0) {
        return FALSE;
    }
    dup2 (connection, STDIN_FILENO);
    dup2 (connection, STDOUT_FILENO);
    close (connection);
    return TRUE;
}

/* ---- from begin to end ---- */

DapServer *
dap_server_new (const DapOptions *options)
{
    DapServer *server = g_new0 (DapServer, 1);

    server->options = options;
    server->loop = g_main_loop_new (NULL, FALSE);
    server->out = command_out_new (0, on_full, server);
    server->reader = dap_reader_new ();
    server->requests = g_ptr_array_new ();
    server->groups = g_ptr_array_new_with_free_func (dap_group_free);
    server->group_numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    server->pinned = job_rank_set_new ();
    server->ranks_as_threads = 32;
    server->moves = g_strdup ("thread");
    server->last_group = DAP_FIRST_GROUP;
    server->news = job_rank_set_new ();
    server->reading = job_rank_set_new ();
    server->ended = job_rank_set_new ();
    server->pausing = job_rank_set_new ();
    server->standing = job_rank_set_new ();
    server->moving = job_rank_set_new ();
    server->parted = job_rank_set_new ();
    server->marched = job_rank_set_new ();
    server->handles = g_hash_table_new_full (NULL, NULL, NULL, dap_handle_free);
    server->points = g_ptr_array_new_with_free_func (dap_point_free);
    server->known_points = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    server->points_waiting = g_ptr_array_new ();
    server->lines = g_queue_new ();
    server->scripted = g_queue_new ();
    server->known_addresses = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    server->notes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    server->listed = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    server->targets = g_ptr_array_new_with_free_func (dap_target_free);
    server->own_threads = g_ptr_array_new_with_free_func (g_free);
    server->sources = g_ptr_array_new_with_free_func (g_free);
    server->calls = g_ptr_array_new_with_free_func (dap_call_free);
    return server;
}

void
dap_server_free (DapServer *server)
{
    g_clear_handle_id (&server->input_source, g_source_remove);
    g_clear_handle_id (&server->closing_source, g_source_remove);
    g_clear_handle_id (&server->progress_source, g_source_remove);
    g_free (server->progress_text);
    dap_stops_clear (server);
    session_query_free (server->beginning);
    g_clear_handle_id (&server->points_source, g_source_remove);
    command_context_free (server->context);
    command_context_free (server->scripts);
    if (server->session != NULL) {
        g_signal_handlers_disconnect_by_data (server->session, server);
    }
    for (guint i = server->requests->len; i > 0; i--) {
        dap_request_abandon (g_ptr_array_index (server->requests, i - 1));
    }
    command_out_flush (server->out);
    command_out_free (server->out);
    g_clear_pointer (&server->terminal, dap_terminal_free);
    g_clear_object (&server->session);
    dap_reader_free (server->reader);
    g_ptr_array_unref (server->requests);
    g_ptr_array_unref (server->groups);
    g_ptr_array_unref (server->points);
    g_ptr_array_unref (server->sources);
    g_clear_pointer (&server->source_map, g_ptr_array_unref);
    g_ptr_array_unref (server->targets);
    g_ptr_array_unref (server->calls);
    g_clear_pointer (&server->setup_lines, g_ptr_array_unref);
    g_hash_table_unref (server->notes);
    g_hash_table_unref (server->listed);
    g_ptr_array_unref (server->own_threads);
    g_hash_table_unref (server->group_numbers);
    g_hash_table_unref (server->handles);
    g_hash_table_unref (server->known_points);
    g_hash_table_unref (server->known_addresses);
    g_queue_free (server->lines);
    g_queue_free (server->scripted);
    g_ptr_array_unref (server->points_waiting);
    job_rank_set_free (server->pinned);
    job_rank_set_free (server->news);
    job_rank_set_free (server->reading);
    job_rank_set_free (server->ended);
    job_rank_set_free (server->pausing);
    job_rank_set_free (server->standing);
    job_rank_set_free (server->moving);
    job_rank_set_free (server->parted);
    job_rank_set_free (server->marched);
    g_clear_pointer (&server->argv, g_ptr_array_unref);
    g_free (server->moves);
    g_main_loop_unref (server->loop);
    g_free (server);
}

int
dap_run (const DapOptions *options)
{
    DapServer *server;
    guint terminate, interrupt;
    int status;

    signal (SIGPIPE, SIG_IGN); /* a client that is gone is not pddt's end */
    if (options->socket != NULL && !await_client (options->socket)) {
        return 3;
    }
    server = dap_server_new (options);
    server->input_source = g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP | G_IO_ERR, on_input,
                                          server);
    terminate = g_unix_signal_add (SIGTERM, on_terminate, server);
    interrupt = g_unix_signal_add (SIGINT, on_terminate, server);
    g_main_loop_run (server->loop);
    g_source_remove (terminate);
    g_source_remove (interrupt);
    status = server->status;
    dap_server_free (server);
    return status;
}
