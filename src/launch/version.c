/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does not wait forever for a launcher that hangs (on its file system or in a wrapper). What has
 * answered once is not asked again, so that a restart does not wait for it. */
#include "launch/version.h"
#include "base/error.h"
#include "base/limits.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S 20
#define REAP_US 1000000
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

/* Both to their ends; FALSE when that takes too long, or was cancelled. */
static gboolean
read_all (Stream streams[2], GCancellable *cancellable)
{
    gint64 end = g_get_monotonic_time () + LIMIT_S * G_USEC_PER_SEC;
    gboolean is_open[2] = { TRUE, TRUE };
    int cancel_fd = g_cancellable_get_fd (cancellable);
    while ((is_open[0] || is_open[1]) && !g_cancellable_is_cancelled (cancellable)) {
        gint64 left_ms = (end - g_get_monotonic_time ()) / 1000;
        struct pollfd waiting[3] = { [2] = { .fd = cancel_fd, .events = POLLIN } };
        for (int i = 0; i < 2; i++) {
            waiting[i] = (struct pollfd){ .fd = is_open[i] ? streams[i].fd : -1,
                                          .events = POLLIN };
        }
        if (left_ms <= 0) {
            break;
        }
        poll (waiting, 3, (int) left_ms);
        for (int i = 0; i < 2; i++) {
            is_open[i] &= waiting[i].revents == 0 || read_some (&streams[i]);
        }
    }
    if (cancel_fd >= 0) {
        g_cancellable_release_fd (cancellable);
    }
    return !is_open[0] && !is_open[1];
}

static void
become_own_group (gpointer user)
{
    base_limits_restore (NULL);
    setpgid (0, 0);
    prctl (PR_SET_PDEATHSIG, SIGKILL); /* nobody else would end one that hangs */
}

/* A process that waits for a dead file system in the kernel does not even end by SIGKILL: it is left to
 * whoever inherits it. */
static void
end_it (GPid pid)
{
    gint64 end = g_get_monotonic_time () + REAP_US;
    gulong pause_us = 100;
    pid_t done;
    kill (-pid, SIGKILL); /* also what it left behind */
    while (((done = waitpid (pid, NULL, WNOHANG)) == 0 || (done < 0 && errno == EINTR))
           && g_get_monotonic_time () < end) {
        g_usleep (pause_us);
        pause_us = MIN (2 * pause_us, 20000);
    }
}

/* A launcher that has been asked and whose answer nobody has read yet. */
typedef struct {
    GPid pid;
    int fds[2]; /* its output and error output */
} Question;

static gboolean
begin (const char *program, Question *ret_question, GError **error)
{
    const char *argv[] = { program, "--version", NULL };
    g_autoptr (GError) reason = NULL;
    if (!g_spawn_async_with_pipes (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
                                   become_own_group, NULL, &ret_question->pid, NULL,
                                   &ret_question->fds[0], &ret_question->fds[1], &reason)) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot start %s: %s", program,
                        reason->message);
        return FALSE;
    }
    return TRUE;
}

static char *
hear (const Question *question, const char *program, GCancellable *cancellable, GError **error)
{
    Stream streams[2] = { { question->fds[0], g_string_new (NULL) },
                          { question->fds[1], g_string_new (NULL) } };
    char *text = NULL;
    if (read_all (streams, cancellable)) {
        text = g_strdup (streams[0].text->len > 0 ? streams[0].text->str
                                                  : streams[1].text->str);
    } else {
        base_error_set (error, BASE_ERROR_TIMEOUT,
                        "cannot use %s: its --version has not answered "
                        "for %d s",
                        program, LIMIT_S);
    }
    end_it (question->pid);
    for (int i = 0; i < 2; i++) {
        close (streams[i].fd);
        g_string_free (streams[i].text, TRUE);
    }
    return text;
}

G_LOCK_DEFINE_STATIC (answers);
static GHashTable *answers; /* launcher's file, by dup_key, to its text */
static Question begun;      /* of begun_key; by launch_version_begin */
static char *begun_key;     /* NULL: none */

/* Another file at the path, or another content, is another launcher. NULL: it cannot be looked at. */
static char *
dup_key (const char *program)
{
    struct stat file;
    if (stat (program, &file) < 0) {
        return NULL;
    }
    return g_strdup_printf ("%s %ju:%ju %jd %jd.%09ld", program, (uintmax_t) file.st_dev,
                            (uintmax_t) file.st_ino, (intmax_t) file.st_size,
                            (intmax_t) file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

void
launch_version_begin (const char *program)
{
    g_autofree char *key = dup_key (program);
    G_LOCK (answers);
    if (key && !begun_key && !(answers && g_hash_table_contains (answers, key))
        && begin (program, &begun, NULL)) {
        begun_key = g_steal_pointer (&key);
    }
    G_UNLOCK (answers);
}

char *
launch_version_read (const char *program, GCancellable *cancellable, GError **error)
{
    g_autofree char *key = dup_key (program);
    char *text = NULL;
    gboolean is_begun = FALSE;
    Question question;
    G_LOCK (answers);
    if (key && answers) {
        text = g_strdup (g_hash_table_lookup (answers, key));
    }
    if (!text && key && g_strcmp0 (begun_key, key) == 0) {
        question = begun;
        is_begun = TRUE;
        g_clear_pointer (&begun_key, g_free);
    }
    G_UNLOCK (answers);
    if (text) {
        return text;
    }
    if (is_begun || begin (program, &question, error)) {
        text = hear (&question, program, cancellable, error);
    }
    if (text && key) {
        G_LOCK (answers);
        if (!answers) {
            answers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
        }
        g_hash_table_replace (answers, g_steal_pointer (&key), g_strdup (text));
        G_UNLOCK (answers);
    }
    return text;
}
