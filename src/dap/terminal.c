/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A terminal of the editor's, in which the job's input is typed and its output appears. The editor runs
 * dap_terminal_serve there, which comes back by a socket. */
#include "dap/private.h"
#include <errno.h>
#include <glib-unix.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define COME_S 30              /* until the terminal must have come */
#define DRAIN_MS 50            /* until a launcher that reads slowly is looked at again */
#define MAX_WAITING (1u << 20) /* bytes that the terminal has not taken: ranks have to wait */

struct _DapTerminal {
    DapServer *server;
    DapRequest *request; /* waits for the terminal; NULL */
    void (*go_on) (DapRequest *request);
    char *folder, *path; /* of the socket */
    gint64 asked;        /* the number of the request to the editor */
    int listening, fd;   /* -1 */
    guint come_source, limit_source, input_source, output_source;
    GByteArray *waiting; /* output that has not been taken */
    gboolean is_held;
};

static void
remove_socket (DapTerminal *terminal)
{
    g_clear_handle_id (&terminal->come_source, g_source_remove);
    g_clear_handle_id (&terminal->limit_source, g_source_remove);
    if (terminal->listening >= 0) {
        close (terminal->listening);
        terminal->listening = -1;
        unlink (terminal->path);
        rmdir (terminal->folder);
    }
}

static void
hang_up (DapTerminal *terminal)
{
    g_clear_handle_id (&terminal->input_source, g_source_remove);
    g_clear_handle_id (&terminal->output_source, g_source_remove);
    if (terminal->fd >= 0) {
        close (terminal->fd);
        terminal->fd = -1;
    }
    g_byte_array_set_size (terminal->waiting, 0);
    if (terminal->is_held && terminal->server->session != NULL) {
        session_hold_output (terminal->server->session, FALSE);
    }
    terminal->is_held = FALSE;
}

void
dap_terminal_free (DapTerminal *terminal)
{
    if (terminal == NULL) {
        return;
    }
    remove_socket (terminal);
    for (int i = 0; i < 20 && terminal->fd >= 0 && terminal->waiting->len > 0; i++) {
        struct pollfd out = { .fd = terminal->fd, .events = POLLOUT };
        ssize_t n = poll (&out, 1, DRAIN_MS) > 0 ? send (terminal->fd, terminal->waiting->data,
                                                         terminal->waiting->len, MSG_NOSIGNAL)
                                                 : 0;

        if (n > 0) {
            g_byte_array_remove_range (terminal->waiting, 0, (guint) n);
        }
    }
    hang_up (terminal);
    g_byte_array_unref (terminal->waiting);
    g_free (terminal->folder);
    g_free (terminal->path);
    g_free (terminal);
}

gboolean
dap_terminal_is_there (const DapServer *server)
{
    return server->terminal != NULL && server->terminal->fd >= 0;
}

/* ---- output ---- */

static gboolean
on_writable (int fd, GIOCondition condition, gpointer data)
{
    DapTerminal *terminal = data;
    ssize_t n = send (fd, terminal->waiting->data, terminal->waiting->len,
                      MSG_NOSIGNAL | MSG_DONTWAIT);

    if (n < 0 && errno != EAGAIN && errno != EINTR) {
        terminal->output_source = 0;
        hang_up (terminal);
        return G_SOURCE_REMOVE;
    }
    if (n > 0) {
        g_byte_array_remove_range (terminal->waiting, 0, (guint) n);
    }
    if (terminal->is_held && terminal->waiting->len < MAX_WAITING) {
        terminal->is_held = FALSE;
        session_hold_output (terminal->server->session, FALSE);
    }
    if (terminal->waiting->len > 0) {
        return G_SOURCE_CONTINUE;
    }
    terminal->output_source = 0;
    return G_SOURCE_REMOVE;
}

/* As it came, with unfinished lines, which may ask for something. */
static void
on_output (Session *session, const JobRankSet *ranks, guint stream, GBytes *bytes,
           DapServer *server)
{
    DapTerminal *terminal = server->terminal;
    gsize size;
    const guint8 *data = g_bytes_get_data (bytes, &size);

    if (!dap_terminal_is_there (server)) {
        return;
    }
    g_byte_array_append (terminal->waiting, data, (guint) size);
    if (terminal->output_source == 0) {
        terminal->output_source = g_unix_fd_add (terminal->fd, G_IO_OUT | G_IO_HUP, on_writable,
                                                 terminal);
    }
    if (!terminal->is_held && terminal->waiting->len >= MAX_WAITING) {
        terminal->is_held = TRUE;
        session_hold_output (session, TRUE);
    }
}

/* ---- input ---- */

static gboolean on_typed (int fd, GIOCondition condition, gpointer data);

static gboolean
on_drained (gpointer data)
{
    DapTerminal *terminal = data;

    if (session_is_input_full (terminal->server->session)) {
        return G_SOURCE_CONTINUE;
    }
    terminal->input_source = g_unix_fd_add (terminal->fd, G_IO_IN | G_IO_HUP, on_typed,
                                            terminal);
    return G_SOURCE_REMOVE;
}

static gboolean
on_typed (int fd, GIOCondition condition, gpointer data)
{
    DapTerminal *terminal = data;
    Session *session = terminal->server->session;
    char buffer[4097];
    ssize_t n;

    if (session_is_input_full (session)) {
        terminal->input_source = g_timeout_add (DRAIN_MS, on_drained, terminal);
        return G_SOURCE_REMOVE;
    }
    n = read (fd, buffer, sizeof buffer - 1);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return G_SOURCE_CONTINUE;
    }
    buffer[MAX (n, 0)] = '\0';
    if (!session_is_ended (session)) {
        session_forward_input (session, buffer, (gsize) MAX (n, 0), n <= 0);
    }
    if (n > 0) {
        return G_SOURCE_CONTINUE;
    }
    terminal->input_source
        = 0; /* what is printed is still shown, until the terminal is closed */
    if (n < 0) {
        hang_up (terminal);
    }
    return G_SOURCE_REMOVE;
}

void
dap_terminal_connect (DapServer *server)
{
    DapTerminal *terminal = server->terminal;

    if (!dap_terminal_is_there (server)) {
        return;
    }
    g_signal_connect (server->session, "output", G_CALLBACK (on_output), server);
    if (terminal->input_source == 0) {
        terminal->input_source = g_unix_fd_add (terminal->fd, G_IO_IN | G_IO_HUP, on_typed,
                                                terminal);
    }
}

void
dap_terminal_disconnect (DapServer *server)
{
    if (server->terminal != NULL) {
        g_clear_handle_id (&server->terminal->input_source, g_source_remove);
    }
}

/* ---- how it comes ---- */

/* problem: it has not come; the job starts all the same. */
static void
go_on (DapTerminal *terminal, const char *problem)
{
    DapRequest *request = g_steal_pointer (&terminal->request);

    remove_socket (terminal);
    if (problem != NULL) {
        g_autofree char *line
            = g_strdup_printf ("warning: the editor has opened no terminal: %s; the output is "
                               "here, and the command `input` gives input",
                               problem);

        dap_send_output (terminal->server, "important", line);
    }
    if (request != NULL) {
        terminal->go_on (request);
    }
}

static gboolean
on_come (int fd, GIOCondition condition, gpointer data)
{
    DapTerminal *terminal = data;
    int connection = accept4 (fd, NULL, NULL, SOCK_CLOEXEC);
    struct ucred peer;
    socklen_t size = sizeof peer;

    if (connection >= 0 && getsockopt (connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
        && peer.uid == geteuid ()) {
        terminal->fd = connection;
        terminal->come_source = 0;
        go_on (terminal, NULL);
        return G_SOURCE_REMOVE;
    }
    if (connection >= 0) {
        close (connection);
    }
    return G_SOURCE_CONTINUE;
}

static gboolean
on_limit (gpointer data)
{
    DapTerminal *terminal = data;

    terminal->limit_source = 0;
    go_on (terminal, "it has not come in time");
    return G_SOURCE_REMOVE;
}

/* In a folder that is this user's alone. */
static gboolean
listen_for (DapTerminal *terminal)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    g_autofree char *folder = g_dir_make_tmp ("pddt-terminal-XXXXXX", NULL);

    if (folder == NULL) {
        return FALSE;
    }
    terminal->folder = g_steal_pointer (&folder);
    terminal->path = g_build_filename (terminal->folder, "socket", NULL);
    if (strlen (terminal->path) < sizeof address.sun_path) {
        strcpy (address.sun_path, terminal->path);
        terminal->listening = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    }
    if (terminal->listening >= 0
        && bind (terminal->listening, (struct sockaddr *) &address, sizeof address) == 0
        && listen (terminal->listening, 1) == 0) {
        return TRUE;
    }
    unlink (terminal->path);
    rmdir (terminal->folder);
    return FALSE;
}

static void
ask_editor (DapTerminal *terminal, const char *kind)
{
    DapServer *server = terminal->server;
    g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
    const char *folder = dap_request_get_text (terminal->request, terminal->request->arguments,
                                               "cwd");
    GString *json = g_string_new ("{");

    terminal->asked = ++server->seq;
    dap_write_number (json, "seq", terminal->asked);
    dap_write_text (json, "type", "request");
    dap_write_text (json, "command", "runInTerminal");
    dap_write_begin (json, "arguments", '{');
    dap_write_text (json, "kind", kind);
    dap_write_text (json, "title", "pddt");
    dap_write_text (json, "cwd", folder != NULL ? folder : "/");
    dap_write_begin (json, "args", '[');
    dap_write_text (json, NULL, program != NULL ? program : "pddt");
    dap_write_text (json, NULL, DAP_TERMINAL_OPTION);
    dap_write_text (json, NULL, terminal->path);
    dap_write_end (json, ']');
    dap_write_end (json, '}');
    dap_write_end (json, '}');
    dap_server_send (server, json);
    g_string_free (json, TRUE);
}

gboolean
dap_terminal_take (DapRequest *request, void (*go_on_with) (DapRequest *request))
{
    DapServer *server = request->server;
    static const char *const kinds[] = { "internalConsole", "integratedTerminal",
                                         "externalTerminal", NULL };
    const char *kind = dap_request_get_text (request, request->arguments, "console");
    DapTerminal *terminal;

    if (kind != NULL && !g_strv_contains (kinds, kind) && request->problem == NULL) {
        request->problem = g_strdup (
            "\"console\" must be internalConsole, integratedTerminal or externalTerminal");
    }
    if (kind == NULL || request->problem != NULL || strcmp (kind, kinds[0]) == 0
        || server->terminal != NULL) {
        return FALSE;
    }
    terminal = server->terminal = g_new0 (DapTerminal, 1);
    terminal->server = server;
    terminal->listening = terminal->fd = -1;
    terminal->waiting = g_byte_array_new ();
    terminal->request = request;
    terminal->go_on = go_on_with;
    if (!server->has_terminal) {
        go_on (terminal, "it does not offer that");
    } else if (!listen_for (terminal)) {
        go_on (terminal, g_strerror (errno));
    } else {
        terminal->come_source = g_unix_fd_add (terminal->listening, G_IO_IN, on_come, terminal);
        terminal->limit_source = g_timeout_add_seconds (COME_S, on_limit, terminal);
        ask_editor (terminal, strcmp (kind, kinds[1]) == 0 ? "integrated" : "external");
    }
    return TRUE;
}

gboolean
dap_terminal_is_awaited (const DapServer *server)
{
    return server->terminal != NULL && server->terminal->request != NULL;
}

void
dap_terminal_take_response (DapServer *server, const json_t *message)
{
    DapTerminal *terminal = server->terminal;
    const char *reason = json_string_value (json_object_get (message, "message"));

    if (dap_terminal_is_awaited (server)
        && json_integer_value (json_object_get (message, "request_seq")) == terminal->asked
        && !json_is_true (json_object_get (message, "success"))) {
        go_on (terminal, reason != NULL ? reason : "it says no reason");
    }
}

/* ---- in the terminal ---- */

/* FALSE: the other side is gone. */
static gboolean
write_all (int fd, const char *data, gsize size)
{
    while (size > 0) {
        ssize_t n = write (fd, data, size);

        if (n < 0 && errno != EINTR) {
            return FALSE;
        }
        data += MAX (n, 0);
        size -= (gsize) MAX (n, 0);
    }
    return TRUE;
}

int
dap_terminal_serve (const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct pollfd both[2] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .events = POLLIN } };
    char buffer[4096];

    both[1].fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_strlcpy (address.sun_path, path, sizeof address.sun_path);
    if (connect (both[1].fd, (struct sockaddr *) &address, sizeof address) != 0) {
        fprintf (stderr, "pddt: cannot reach the debugger: %s\n", g_strerror (errno));
        return 3;
    }
    for (;;) {
        ssize_t n;

        if (poll (both, 2, -1) < 0 && errno != EINTR) {
            return 3;
        }
        if (both[1].revents != 0) {
            n = read (both[1].fd, buffer, sizeof buffer);
            if (n <= 0 || !write_all (STDOUT_FILENO, buffer, (gsize) n)) {
                return 0;
            }
        }
        if (both[0].fd >= 0 && both[0].revents != 0) {
            n = read (STDIN_FILENO, buffer, sizeof buffer);
            if (n <= 0) {
                shutdown (both[1].fd, SHUT_WR);
                both[0].fd = -1;
            } else if (!write_all (both[1].fd, buffer, (gsize) n)) {
                return 0;
            }
        }
    }
}
