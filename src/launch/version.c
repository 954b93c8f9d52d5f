/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does not wait forever for a launcher that hangs (on its file system or in a wrapper). */
#include "launch/version-private.h"
#include "base/error.h"
#include "base/limits.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S 20
#define MAX_TEXT 65536

typedef struct {
    int fd;
    GString *text;
} Stream;

/* FALSE at its end. */
static gboolean
read_some (Stream *stream)
{
    char buffer[4096];
    gssize size = read (stream->fd, buffer, sizeof buffer);
    if (size > 0 && stream->text->len < MAX_TEXT) {
        g_string_append_len (stream->text, buffer, size);
    }
    return size > 0 || (size < 0 && errno == EINTR);
}

/* Both to their ends; FALSE when that takes too long. */
static gboolean
read_all (Stream streams[2])
{
    gint64 end = g_get_monotonic_time () + LIMIT_S * G_USEC_PER_SEC;
    gboolean is_open[2] = { TRUE, TRUE };
    while (is_open[0] || is_open[1]) {
        gint64 left_ms = (end - g_get_monotonic_time ()) / 1000;
        struct pollfd waiting[2];
        for (int i = 0; i < 2; i++) {
            waiting[i] = (struct pollfd){ .fd = is_open[i] ? streams[i].fd : -1,
                                          .events = POLLIN };
        }
        if (left_ms <= 0) {
            return FALSE;
        }
        poll (waiting, 2, (int) left_ms);
        for (int i = 0; i < 2; i++) {
            is_open[i] &= waiting[i].revents == 0 || read_some (&streams[i]);
        }
    }
    return TRUE;
}

static void
become_own_group (gpointer user)
{
    base_limits_restore (NULL);
    setpgid (0, 0);
}

char *
launch_version_read (const char *program, GError **error)
{
    const char *argv[] = { program, "--version", NULL };
    Stream streams[2] = { { -1, g_string_new (NULL) }, { -1, g_string_new (NULL) } };
    GPid pid = 0;
    char *text = NULL;
    g_autoptr (GError) reason = NULL;
    if (!g_spawn_async_with_pipes (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
                                   become_own_group, NULL, &pid, NULL, &streams[0].fd,
                                   &streams[1].fd, &reason)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot start %s: %s", program,
                     reason->message);
    } else if (read_all (streams)) {
        text = g_strdup (streams[0].text->len > 0 ? streams[0].text->str
                                                  : streams[1].text->str);
    } else {
        g_set_error (error, BASE_ERROR, BASE_ERROR_TIMEOUT,
                     "cannot use %s: its --version has not answered "
                     "for %d s",
                     program, LIMIT_S);
    }
    if (pid > 0) {
        kill (-pid, SIGKILL); /* also what it left behind */
        while (waitpid (pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    for (int i = 0; i < 2; i++) {
        if (streams[i].fd >= 0) {
            close (streams[i].fd);
        }
        g_string_free (streams[i].text, TRUE);
    }
    return text;
}
