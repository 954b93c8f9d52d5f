/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/backend/remote-way-private.h"
#include "session/remote.h"
#include "base/error.h"
#include "base/escape.h"
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAST_WORDS = 2000 /* looks, while it ends */, MAX_COMPLAINT = 1 << 14 };

struct _SessionWay {
    GPid pid;        /* 0: none */
    gboolean is_old; /* an ssh that does not know the configuration's words of 8.7 */
    int complaint_fd;
    GString *complaint; /* what it has said */
};

SessionWay *
session_way_new (void)
{
    SessionWay *way = g_new0 (SessionWay, 1);

    way->complaint_fd = -1;
    way->complaint = g_string_new (NULL);
    return way;
}

void
session_way_free (SessionWay *way)
{
    session_way_close (way);
    g_string_free (way->complaint, TRUE);
    g_free (way);
}

/* Ctrl-C is for pddt, not for its connection. */
static void
set_up_child (gpointer unused)
{
    signal (SIGINT, SIG_IGN);
    signal (SIGQUIT, SIG_IGN);
    signal (SIGTSTP, SIG_IGN);
}

char **
session_remote_dup_ssh (GError **error)
{
    const char *own = g_getenv ("PDDT_SSH");
    GError *problem = NULL;
    char **words = NULL;

    if (!g_shell_parse_argv (own != NULL && *own != '\0' ? own : "ssh", NULL, &words,
                             &problem)) {
        base_error_set (error, BASE_ERROR_INVALID, "PDDT_SSH is no command line: %s",
                        problem->message);
        g_error_free (problem);
    }
    return words;
}

static void
add_words (GPtrArray *line, const char *const *words, guint n)
{
    for (guint i = 0; i < n; i++) {
        g_ptr_array_add (line, g_strdup (words[i]));
    }
}

static GPtrArray *
make_line (const SessionWay *way, const SessionWayWanted *wanted, GError **error)
{
    /* A connection that other ssh's share would end with this one: it is never made, only used. */
    static const char *const options[] = { "-T",
                                           "-C",
                                           "-oControlMaster=no",
                                           "-oServerAliveInterval=5",
                                           "-oServerAliveCountMax=3",
                                           "-oRemoteCommand=none",
                                           "-oClearAllForwardings=yes" };
    /* Without these, what a configuration says keeps pddt's words from the other side. From OpenSSH 8.7 on. */
    static const char *const new_options[] = { "-oSessionType=default", "-oStdinNull=no",
                                               "-oForkAfterAuthentication=no" };
    g_auto (GStrv) words = NULL;
    GPtrArray *line = g_ptr_array_new_with_free_func (g_free);

    if (wanted->words != NULL) {
        add_words (line, (const char *const *) wanted->words, g_strv_length (wanted->words));
        g_ptr_array_add (line, NULL);
        return line;
    }
    words = session_remote_dup_ssh (error);
    if (words == NULL) {
        g_ptr_array_unref (line);
        return NULL;
    }
    add_words (line, (const char *const *) words, g_strv_length (words));
    add_words (line, options, G_N_ELEMENTS (options));
    add_words (line, new_options, way->is_old ? 0 : G_N_ELEMENTS (new_options));
    if (!wanted->asks) {
        g_ptr_array_add (line, g_strdup ("-oBatchMode=yes"));
    }
    if (wanted->is_again) {
        g_ptr_array_add (line, g_strdup ("-oConnectTimeout=10"));
    }
    if (wanted->is_again && wanted->is_alone) {
        g_ptr_array_add (line, g_strdup ("-oControlPath=none"));
    }
    g_ptr_array_add (line, g_strdup ("--"));
    g_ptr_array_add (line, g_strdup (wanted->host));
    g_ptr_array_add (line, g_strdup (wanted->command));
    g_ptr_array_add (line, NULL);
    return line;
}

/* A user's own SSH_ASKPASS may know the passwords. */
static char **
make_environment (const SessionWayWanted *wanted)
{
    char **environment = g_get_environ ();
    const char *own = g_environ_getenv (environment, "SSH_ASKPASS");

    if (wanted->askpass == NULL || !wanted->asks) {
        return environment;
    }
    if (own == NULL || *own == '\0') {
        environment = g_environ_setenv (environment, "SSH_ASKPASS", wanted->askpass, TRUE);
        environment = g_environ_setenv (environment, "PDDT_ASKPASS", wanted->host, TRUE);
    }
    return g_environ_setenv (environment, "SSH_ASKPASS_REQUIRE", "force", TRUE);
}

static void
on_reaped (GPid pid, int status, gpointer ret_status)
{
    if (ret_status != NULL) {
        *(int *) ret_status = status;
    }
    g_spawn_close_pid (pid);
}

void
session_way_close (SessionWay *way)
{
    if (way->pid != 0) {
        kill (way->pid, SIGTERM);
        g_child_watch_add (way->pid, on_reaped, NULL);
    }
    way->pid = 0;
    if (way->complaint_fd >= 0) {
        close (way->complaint_fd);
    }
    way->complaint_fd = -1;
}

void
session_way_listen (SessionWay *way)
{
    char buffer[4096];
    gssize n;

    while (way->complaint_fd >= 0
           && (n = read (way->complaint_fd, buffer, sizeof buffer)) > 0) {
        g_string_append_len (way->complaint, buffer, n);
    }
    if (way->complaint->len > MAX_COMPLAINT) {
        g_string_erase (way->complaint, 0, (gssize) (way->complaint->len - MAX_COMPLAINT));
    }
}

int
session_way_open (SessionWay *way, const SessionWayWanted *wanted, GError **error)
{
    g_autoptr (GPtrArray) line = make_line (way, wanted, error);
    g_auto (GStrv) environment = make_environment (wanted);
    int ends[2], complaint[2];
    gboolean ok;

    if (line == NULL) {
        return -1;
    }
    if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0
        || !g_unix_open_pipe (complaint, FD_CLOEXEC, NULL)) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot run ssh: %s", g_strerror (errno));
        return -1;
    }
    ok = g_spawn_async_with_fds (NULL, (char **) line->pdata, environment,
                                 G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, set_up_child,
                                 NULL, &way->pid, ends[1], ends[1], complaint[1], error);
    close (ends[1]);
    close (complaint[1]);
    if (!ok) {
        way->pid = 0;
        close (ends[0]);
        close (complaint[0]);
        return -1;
    }
    g_unix_set_fd_nonblocking (ends[0], TRUE, NULL);
    g_unix_set_fd_nonblocking (complaint[0], TRUE, NULL);
    way->complaint_fd = complaint[0];
    g_string_truncate (way->complaint, 0);
    return ends[0];
}

gboolean
session_way_is_too_new (SessionWay *way)
{
    g_autofree char *complaint = NULL;

    session_way_listen (way);
    complaint = g_ascii_strdown (way->complaint->str, -1);
    if (way->is_old || strstr (complaint, "bad configuration option: sessiontype") == NULL) {
        return FALSE;
    }
    session_way_close (way);
    way->is_old = TRUE;
    return TRUE;
}

gboolean
session_way_is_denied (const SessionWay *way)
{
    return strstr (way->complaint->str, "Permission denied") != NULL;
}

/* The last line that says something; caller owns. */
static char *
find_last_line (const char *text)
{
    g_auto (GStrv) lines = g_strsplit_set (text, "\r\n", -1);

    for (guint i = g_strv_length (lines); i-- > 0;) {
        g_strstrip (lines[i]);
        if (*lines[i] != '\0') {
            return base_escape_dup (lines[i], BASE_ESCAPE_NAME);
        }
    }
    return g_strdup ("");
}

char *
session_way_explain (SessionWay *way, const char *host, const char *greeting, const char *why)
{
    g_autofree char *said = NULL, *greeted = find_last_line (greeting);
    int status = -1;
    guint source = way->pid != 0 ? g_child_watch_add (way->pid, on_reaped, &status) : 0;
    gboolean is_missing;

    for (guint i = 0; source != 0 && status < 0 && i < LAST_WORDS; i++) {
        session_way_listen (way);
        g_main_context_iteration (NULL, FALSE);
        g_usleep (5000);
    }
    is_missing = status >= 0 && WIFEXITED (status) && WEXITSTATUS (status) == 127;
    if (source != 0 && status < 0) {
        g_source_remove (source); /* session_way_close ends it */
    } else {
        way->pid = 0;
    }
    session_way_listen (way);
    said = find_last_line (way->complaint->str);
    if (is_missing) {
        return g_strdup_printf (
            "there is no pddt on %s (%s): if it has another path or needs a module there, run pddt "
            "--remote %s --remote-program 'module load pddt; pddt'",
            host, *said != '\0' ? said : "status 127", host);
    }
    if (*said == '\0' && *greeted == '\0' && status >= 0 && WIFEXITED (status)) {
        return g_strdup_printf (
            "cannot connect to %s: ssh ended with status %d before pddt there had answered",
            host, WEXITSTATUS (status));
    }
    return g_strdup_printf ("cannot connect to %s: %s", host,
                            *said != '\0'      ? said
                            : *greeted != '\0' ? greeted
                                               : why);
}
