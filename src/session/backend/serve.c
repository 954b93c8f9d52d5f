/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pddt --serve`, as ssh runs it: a pipe between ssh and the server, which is another process, in a session of its own:
 * it is still there when ssh is not. They meet on a UNIX socket in a folder that only this user can enter. */
#include "session/remote.h"
#include "base/channel.h"
#include "base/error.h"
#include "base/log.h"
#include "session/backend/offers-private.h"
#include "session/backend/remote-private.h"
#include "session/backend/served-private.h"
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define SOCKET_NAME "socket"
#define SAY_S 600
#define LOG_NAME "log"
#define HALF_MADE_S 60   /* a server of that age listens */
#define DESCRIBE_MS 4000 /* the ranks of a session may have all processors of its host */
#define MAX_SAID (1u << 20)

/* Of all servers of this host. */
static const char *
find_place (void)
{
    const char *given = g_getenv ("PDDT_SERVE_FOLDER");

    return given != NULL && g_path_is_absolute (given) ? given : "/tmp";
}

static char *
find_folder (const char *id)
{
    return g_strdup_printf ("%s/pddt-serve-%u-%s", find_place (), (guint) geteuid (), id);
}

/* A folder of this user's, which nobody else can enter. */
static gboolean
is_own_folder (const char *path)
{
    struct stat info;

    return lstat (path, &info) == 0 && S_ISDIR (info.st_mode) && info.st_uid == geteuid ()
           && (info.st_mode & 077) == 0;
}

static gboolean
make_address (const char *folder, struct sockaddr_un *ret_address)
{
    *ret_address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    return (gsize) g_snprintf (ret_address->sun_path, sizeof ret_address->sun_path, "%s/%s",
                               folder, SOCKET_NAME)
           < sizeof ret_address->sun_path;
}

static int
open_socket (const char *folder, gboolean listens)
{
    struct sockaddr_un address;
    int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && make_address (folder, &address) && is_own_folder (folder)
        && (listens ? bind (fd, (const struct sockaddr *) &address, sizeof address) == 0
                          && listen (fd, 4) == 0
                    : connect (fd, (const struct sockaddr *) &address, sizeof address) == 0
                          && base_channel_is_own (fd))) {
        return fd;
    }
    if (fd >= 0) {
        int reason = errno;

        close (fd);
        errno = reason;
    }
    return -1;
}

static gboolean
write_all (int fd, const void *data, gsize size)
{
    const guint8 *at = data;

    while (size > 0) {
        gssize n = write (fd, at, size);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return FALSE;
        }
        at += n;
        size -= (gsize) n;
    }
    return TRUE;
}

/* FALSE: one side has ended. */
static gboolean
pass_on (int from, int to)
{
    char buffer[1 << 16];
    gssize n = read (from, buffer, sizeof buffer);

    return (n < 0 && errno == EINTR) || (n > 0 && write_all (to, buffer, (gsize) n));
}

static void
pump (int fd)
{
    struct pollfd ends[2] = { { STDIN_FILENO, POLLIN, 0 }, { fd, POLLIN, 0 } };
    gboolean goes_on = TRUE;

    while (goes_on) {
        if (poll (ends, 2, -1) < 0) {
            goes_on = errno == EINTR;
            continue;
        }
        goes_on = (ends[0].revents == 0 || pass_on (STDIN_FILENO, fd))
                  && (ends[1].revents == 0 || pass_on (fd, STDOUT_FILENO));
    }
}

static void
remove_folder (const char *folder)
{
    g_autofree char *log = g_build_filename (folder, LOG_NAME, NULL);
    g_autofree char *path = g_build_filename (folder, SOCKET_NAME, NULL);

    unlink (path);
    unlink (log);
    rmdir (folder);
}

static void
run_server (int listener, const char *id, const char *folder, const char *release)
{
    g_autofree char *log = g_build_filename (folder, LOG_NAME, NULL);
    int nothing = open ("/dev/null", O_RDWR | O_CLOEXEC);

    setsid ();
    signal (SIGHUP, SIG_IGN);
    for (int fd = 0; fd <= 2; fd++) {
        dup2 (nothing, fd);
    }
    base_log_init ("pddt-serve", log);
    session_served_run (listener, id, release, NULL);
    remove_folder (folder);
}

/* The id of the next server in the folder, with the descriptor of a connection to it (below 0: minus errno, nobody listens).
 * NULL: there are no more. Caller owns. */
static char *
find_next_server (GDir *dir, int *ret_fd)
{
    g_autofree char *own = find_folder ("");
    const char *prefix = strrchr (own, '/') + 1, *name;

    while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
        g_autofree char *folder = g_build_filename (find_place (), name, NULL);

        if (g_str_has_prefix (name, prefix) && session_offer_is_id (name + strlen (prefix))
            && is_own_folder (folder)) {
            *ret_fd = open_socket (folder, FALSE);
            *ret_fd = *ret_fd >= 0 ? *ret_fd : -MAX (errno, 1);
            return g_strdup (name + strlen (prefix));
        }
    }
    return NULL;
}

/* What servers that were killed have left: nobody listens. */
static void
clean (const char *id, int reason)
{
    g_autofree char *folder = find_folder (id);
    struct stat info;

    if ((reason == ECONNREFUSED || reason == ENOENT) && lstat (folder, &info) == 0
        && time (NULL) - info.st_mtime >= HALF_MADE_S) {
        remove_folder (folder);
    }
}

/* ---- which servers live here ---- */

static gboolean
on_description (SessionFrameKind kind, GVariant *body, gpointer user)
{
    GVariant **ret_body = user;

    if (kind == SESSION_FRAME_DESCRIPTION && *ret_body == NULL) {
        *ret_body = g_variant_ref (body);
    }
    return FALSE; /* there is nothing more to hear */
}

static void
on_described (const char *why, gpointer user)
{
    g_debug ("%s", why);
}

/* Takes the connection. NULL: there is nothing to take over, or it does not answer. Caller owns. */
static GVariant *
describe_server (int fd)
{
    static const SessionLinkHandler handler = { .frame = on_description,
                                                .closed = on_described };
    GVariant *body = NULL;
    SessionLink *link = session_link_new (&handler, &body);
    gint64 end_us = g_get_monotonic_time () + DESCRIBE_MS * 1000, now_us;

    g_unix_set_fd_nonblocking (fd, TRUE, NULL);
    session_link_open (link, fd, FALSE);
    session_link_send (link, SESSION_FRAME_DESCRIBE, g_variant_new ("()"));
    while (session_link_is_open (link) && (now_us = g_get_monotonic_time ()) < end_us) {
        session_link_turn (link, (int) ((end_us - now_us) / 1000) + 1);
    }
    session_link_free (link);
    return body;
}

/* "(a(sbsxsu))", as LIVING has it; NULL: there are none. Caller owns. */
static GVariant *
list_servers (void)
{
    g_autoptr (GDir) dir = g_dir_open (find_place (), 0, NULL);
    g_autoptr (GVariant) servers = NULL;
    GVariantBuilder builder;
    char *id;
    int fd;

    g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sbsxsu)"));
    while ((id = find_next_server (dir, &fd)) != NULL) {
        g_autoptr (GVariant) one = NULL;

        if (fd < 0) {
            clean (id, -fd);
        } else if ((one = describe_server (fd)) != NULL) {
            g_variant_builder_add_value (&builder, one);
        }
        g_free (id);
    }
    servers = g_variant_ref_sink (g_variant_builder_end (&builder));
    return g_variant_n_children (servers) > 0
               ? g_variant_ref_sink (g_variant_new ("(@a(sbsxsu))", servers))
               : NULL;
}

/* Asks the front end which of them it wants, and what it has said is in `said`. Its id, which the caller owns: ""
 * none of them. NULL: the front end has gone. */
static char *
ask_which (GVariant *servers, GByteArray *said)
{
    session_link_write (STDOUT_FILENO, SESSION_FRAME_LIVING, servers);
    for (;;) {
        g_autoptr (GByteArray) raw = g_byte_array_new ();
        SessionFrameKind kind;
        g_autoptr (GVariant) body = session_link_read (STDIN_FILENO, &kind, raw);
        char *id;

        if (body == NULL || said->len > MAX_SAID) {
            return NULL;
        }
        if (kind != SESSION_FRAME_CHOOSE) {
            g_byte_array_append (said, raw->data, raw->len);
            continue;
        }
        g_byte_array_prepend (said, raw->data, raw->len);
        g_variant_get (body, "(sb)", &id, NULL);
        return id;
    }
}

/* The descriptor of a new server's; -1 with errno. */
static int
begin_server (const char *id, const char *folder, const char *release)
{
    int listener, fd;
    pid_t child;

    listener = mkdir (folder, 0700) == 0 ? open_socket (folder, TRUE) : -1;
    fd = listener >= 0 ? open_socket (folder, FALSE) : -1;
    child = fd >= 0 ? fork () : -1;
    if (child == 0) {
        close (fd);
        run_server (listener, id, folder, release);
        _exit (0);
    }
    if (listener >= 0) {
        close (listener);
    }
    return child > 0 ? fd : -1;
}

/* The id may be that of a job which waits on another host: becomes the way to it. Returns when there is none; *ret_why: the
 * job has ended, in a sentence, which the caller owns. */
static void
go_on_elsewhere (const char *id, const char *program, char **ret_why)
{
    g_autoptr (GPtrArray) offers = session_offers_list (NULL);

    for (guint i = 0; offers != NULL && i < offers->len; i++) {
        const SessionOffer *offer = offers->pdata[i];
        g_auto (GStrv) way = strcmp (offer->id, id) == 0
                                 ? session_offer_dup_way (offer, program)
                                 : NULL;

        if (way != NULL && session_offer_drop_dead (offer)) {
            *ret_why = g_strdup_printf ("job %s is over: its offer is removed", offer->job);
        } else if (way != NULL) {
            execvp (way[0], way);
        }
    }
}

/* A job that has been measured is served by nobody: whoever wants to show it gets a server of his own. */
static gboolean
is_measured (const char *id)
{
    g_autoptr (GPtrArray) measured = session_measured_list ();
    gboolean found = FALSE;

    for (guint i = 0; i < measured->len && !found; i++) {
        found = strcmp (((SessionOffer *) measured->pdata[i])->id, id) == 0;
    }
    return found;
}

int
session_serve_run (const char *wanted_id, const char *program, const char *release)
{
    const char *resume_id = wanted_id != NULL && !is_measured (wanted_id) ? wanted_id : NULL;
    g_autofree char *id = resume_id != NULL ? g_strdup (resume_id) : session_offer_make_id ();
    g_autofree char *folder = id != NULL && session_offer_is_id (id) ? find_folder (id) : NULL;
    g_autofree char *magic = g_strdup_printf (SESSION_REMOTE_MAGIC "%u %s\n",
                                              SESSION_REMOTE_PROTOCOL, release);
    g_autoptr (GVariant) servers = NULL;
    g_autoptr (GByteArray) said = g_byte_array_new ();
    g_autofree char *chosen = NULL, *why = NULL;
    gboolean is_there = resume_id != NULL;
    int fd;

    signal (SIGPIPE, SIG_IGN);
    if (isatty (STDIN_FILENO)) {
        base_log_say (
            "--serve is the far end of --remote, which starts it: run pddt --remote HOST");
        return 2;
    }
    if (resume_id != NULL && folder != NULL) {
        go_on_elsewhere (resume_id, program, &why);
    }
    if (!write_all (STDOUT_FILENO, magic, strlen (magic))) {
        return 3;
    }
    if (wanted_id == NULL && (servers = list_servers ()) != NULL) {
        chosen = ask_which (servers, said);
        if (chosen == NULL) {
            return 3;
        }
    }
    if (chosen != NULL && *chosen != '\0') {
        g_free (folder);
        g_free (id);
        id = g_steal_pointer (&chosen);
        folder = session_offer_is_id (id) ? find_folder (id) : NULL;
        is_there = TRUE;
    }
    fd = folder == NULL ? -1
         : is_there     ? open_socket (folder, FALSE)
                        : begin_server (id, folder, release);
    if (fd < 0) {
        int reason = errno;

        why = why != NULL ? why
              : is_there  ? g_strdup_printf (
                     "there is no session %s on %s any more: it has ended, was killed, or nobody "
                      "came back in time; pddt without a command names what waits or lives on there",
                     id, g_get_host_name ())
                         : g_strdup_printf ("cannot serve on %s: %s", g_get_host_name (),
                                            g_strerror (reason));
        session_link_refuse (STDOUT_FILENO, why);
        return 3;
    }
    if (write_all (fd, said->data, said->len)) {
        pump (fd);
    }
    return 0;
}

/* ---- a job that waits ---- */

typedef struct {
    const SessionOffer *offer;
    gboolean is_said;
    guint source;
} Waiting;

static gboolean
say_waiting (gpointer data)
{
    Waiting *waiting = data;

    base_log_say (
        waiting->is_said
            ? "still waiting for a pddt that takes this job (%s on %s)"
            : "waiting for a pddt that takes this job: run pddt, or pddt --cli --take %s (on %s)",
        waiting->offer->id, waiting->offer->host);
    waiting->is_said = TRUE;
    return G_SOURCE_CONTINUE;
}

static gboolean
say_still_waiting (gpointer data)
{
    Waiting *waiting = data;

    if (waiting->offer->is_taken || waiting->offer->is_left) {
        waiting->source = 0;
        return G_SOURCE_REMOVE;
    }
    return say_waiting (data);
}

static SessionConnectEnd
wait_for_taker (int listener, SessionOffer *offer, const SessionConnectOptions *options)
{
    const SessionServedJob job
        = { offer, g_variant_ref_sink (session_remote_encode_options (options->start)),
            options->timeout_s };
    Waiting waiting = { .offer = offer };
    SessionServedEnd end;

    say_waiting (&waiting);
    waiting.source = g_timeout_add_seconds (SAY_S, say_still_waiting, &waiting);
    end = session_served_run (listener, offer->id, options->release, &job);
    g_clear_handle_id (&waiting.source, g_source_remove);
    g_variant_unref (job.job);
    return end == SESSION_SERVED_OVER       ? SESSION_CONNECT_OVER
           : end == SESSION_SERVED_DECLINED ? SESSION_CONNECT_DECLINED
           : end == SESSION_SERVED_LATE     ? SESSION_CONNECT_LATE
                                            : SESSION_CONNECT_BROKEN;
}

SessionConnectEnd
session_connect_run (const SessionConnectOptions *options, GError **error)
{
    g_autofree char *id = session_offer_make_id (),
                    *folder = id != NULL ? find_folder (id) : NULL;
    g_autoptr (SessionOffer) offer = id != NULL ? session_offer_new (id, options->start->argv)
                                                : NULL;
    SessionConnectEnd end = SESSION_CONNECT_FAILED;
    int listener;

    listener = folder != NULL && mkdir (folder, 0700) == 0 ? open_socket (folder, TRUE) : -1;
    if (listener < 0) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot wait for a pddt on %s: %s",
                        g_get_host_name (), g_strerror (errno));
        return end;
    }
    if (session_offer_write (offer, error)) {
        end = wait_for_taker (listener, offer, options);
        session_offer_remove (offer);
    } else {
        close (listener);
    }
    remove_folder (folder);
    return end;
}
