/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pddt --serve`, as ssh runs it: a pipe between ssh and the server, which is another process, in a session of its own:
 * it is still there when ssh is not. They meet on a UNIX socket in a folder that only this user can enter. */
#include "session/remote.h"
#include "base/channel.h"
#include "base/error.h"
#include "base/log.h"
#include "session/backend/remote-private.h"
#include "session/backend/served-private.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define ID_LENGTH 16
#define SOCKET_NAME "socket"
#define SAY_S 600
#define LOG_NAME "log"
#define HALF_MADE_S 60 /* a server of that age listens */

static char *
make_id (void)
{
    guint64 number = 0;

    return getrandom (&number, sizeof number, 0) == sizeof number
               ? g_strdup_printf ("%016" G_GINT64_MODIFIER "x", number)
               : NULL;
}

static gboolean
is_id (const char *text)
{
    return strlen (text) == ID_LENGTH && text[strspn (text, "0123456789abcdef")] == '\0';
}

static char *
find_folder (const char *id)
{
    return g_strdup_printf ("/tmp/pddt-serve-%u-%s", (guint) geteuid (), id);
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

/* What servers that were killed have left: nobody listens. */
static void
clean (void)
{
    g_autoptr (GDir) dir = g_dir_open ("/tmp", 0, NULL);
    g_autofree char *own = find_folder ("");
    const char *prefix = strrchr (own, '/') + 1, *name;

    while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
        g_autofree char *folder = g_build_filename ("/tmp", name, NULL);
        struct stat info;
        int fd;

        if (!g_str_has_prefix (name, prefix) || !is_id (name + strlen (prefix))
            || !is_own_folder (folder) || lstat (folder, &info) != 0
            || time (NULL) - info.st_mtime < HALF_MADE_S) {
            continue;
        }
        fd = open_socket (folder, FALSE);
        if (fd >= 0) {
            close (fd);
        } else if (errno == ECONNREFUSED || errno == ENOENT) {
            remove_folder (folder);
        }
    }
}

/* The descriptor of a new server's; -1 with errno. */
static int
begin_server (const char *id, const char *folder, const char *release)
{
    int listener, fd;
    pid_t child;

    clean ();
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

/* The id may be that of a job which waits on another host: becomes the way to it. Returns when there is none. */
static void
go_on_elsewhere (const char *id, const char *program)
{
    g_autoptr (GPtrArray) offers = session_offers_list (NULL);

    for (guint i = 0; offers != NULL && i < offers->len; i++) {
        const SessionOffer *offer = offers->pdata[i];
        g_auto (GStrv) way = strcmp (offer->id, id) == 0
                                 ? session_offer_dup_way (offer, program)
                                 : NULL;

        if (way != NULL) {
            execvp (way[0], way);
        }
    }
}

int
session_serve_run (const char *resume_id, const char *program, const char *release)
{
    g_autofree char *id = resume_id != NULL ? g_strdup (resume_id) : make_id ();
    g_autofree char *folder = id != NULL && is_id (id) ? find_folder (id) : NULL;
    g_autofree char *magic = g_strdup_printf (SESSION_REMOTE_MAGIC "%u %s\n",
                                              SESSION_REMOTE_PROTOCOL, release);
    int fd;

    if (isatty (STDIN_FILENO)) {
        base_log_say (
            "--serve is the far end of --remote, which starts it: run pddt --remote HOST");
        return 2;
    }
    if (resume_id != NULL && folder != NULL) {
        go_on_elsewhere (resume_id, program);
    }
    if (!write_all (STDOUT_FILENO, magic, strlen (magic))) {
        return 3;
    }
    fd = folder == NULL      ? -1
         : resume_id != NULL ? open_socket (folder, FALSE)
                             : begin_server (id, folder, release);
    if (fd < 0) {
        g_autofree char *why
            = resume_id != NULL
                  ? g_strdup_printf ("there is no session there any more (host %s)",
                                     g_get_host_name ())
                  : g_strdup_printf ("cannot serve on %s: %s", g_get_host_name (),
                                     g_strerror (errno));
        session_link_refuse (STDOUT_FILENO, why);
        return 3;
    }
    signal (SIGPIPE, SIG_IGN);
    pump (fd);
    return 0;
}

/* ---- a job that waits ---- */

typedef struct {
    const SessionOffer *offer;
    gboolean is_said;
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
    return !waiting->offer->is_taken;
}

static SessionConnectEnd
wait_for_taker (int listener, SessionOffer *offer, const SessionConnectOptions *options)
{
    const SessionServedJob job
        = { offer, g_variant_ref_sink (session_remote_encode_options (options->start)),
            options->timeout_s };
    Waiting waiting = { offer, FALSE };
    guint source;
    SessionServedEnd end;

    say_waiting (&waiting);
    source = g_timeout_add_seconds (SAY_S, say_waiting, &waiting);
    end = session_served_run (listener, offer->id, options->release, &job);
    if (!offer->is_taken) {
        g_source_remove (source);
    }
    g_variant_unref (job.job);
    return end == SESSION_SERVED_OVER       ? SESSION_CONNECT_OVER
           : end == SESSION_SERVED_DECLINED ? SESSION_CONNECT_DECLINED
           : end == SESSION_SERVED_LATE     ? SESSION_CONNECT_LATE
                                            : SESSION_CONNECT_BROKEN;
}

SessionConnectEnd
session_connect_run (const SessionConnectOptions *options, GError **error)
{
    g_autofree char *id = make_id (), *folder = id != NULL ? find_folder (id) : NULL;
    g_autoptr (SessionOffer) offer = id != NULL ? session_offer_new (id, options->start->argv)
                                                : NULL;
    SessionConnectEnd end = SESSION_CONNECT_FAILED;
    int listener;

    clean ();
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
