/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A launcher under its guard, as the front end's loop sees it: three pipes, a lifeline, an end. */
#include "base/error.h"
#include "base/inherited.h"
#include "base/limits.h"
#include "base/patience.h"
#include "launch/guard.h"
#include "launch/launch.h"
#include "launch/relay-private.h"
#include "launch/tags.h"
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_SIZE 65536
#define DRAIN_MS 2000           /* somebody else may hold the launcher's output open */
#define MAX_WAITING (16u << 20) /* bytes that the launcher has not taken yet */
#define OPEN_LINE_MS 100
#define START_WAIT_MS 10000
#define GRACE_MS 10000 /* of a launcher whose guard was killed, as the guard has it */
#define QUICK_MS 3000

typedef struct {
    LaunchJob *job;
    int fd, stream;
    guint source, open_timer;
    LaunchTags *tags;
} Stream;

struct _LaunchJob {
    pid_t guard, launcher;
    int lifeline, input;
    int process; /* pidfd of the launcher; -1: the kernel has none, or it has ended */
    guint lifeline_source, input_source, drain;
    guint process_source, grace; /* the guard was killed, and the launcher has not ended yet */
    GByteArray *waiting_input;
    gboolean input_eof;
    Stream streams[2];
    LaunchOutput on_output;
    LaunchEnded on_ended;
    LaunchGuardLost on_guard_lost;
    gpointer user;
    gboolean is_abort_delayed, is_foreground, has_status, told, held;
    LaunchTagForm tags;
    int status;
};

static void
close_fd (int *fd)
{
    if (*fd >= 0) {
        close (*fd);
        *fd = -1;
    }
}

static void
on_text (guint32 rank, const char *text, gsize size, gpointer user)
{
    Stream *stream = user;
    g_autoptr (GBytes) bytes = g_bytes_new (text, size);
    if (stream->job->on_output) {
        stream->job->on_output (stream->job, rank, stream->stream, bytes, stream->job->user);
    }
}

static gboolean
on_open_line (gpointer user)
{
    Stream *stream = user;
    stream->open_timer = 0;
    launch_tags_give_open (stream->tags);
    return G_SOURCE_REMOVE;
}

static void
close_stream (Stream *stream)
{
    g_clear_handle_id (&stream->open_timer, g_source_remove);
    if (stream->fd >= 0) {
        g_clear_handle_id (&stream->source, g_source_remove);
        close_fd (&stream->fd);
        launch_tags_finish (stream->tags);
    }
}

static void
tell_ended (LaunchJob *job)
{
    g_clear_handle_id (&job->drain, g_source_remove);
    if (job->has_status && job->process_source == 0 && !job->told && job->streams[0].fd < 0
        && job->streams[1].fd < 0) {
        job->told = TRUE;
        job->launcher = 0;
        if (job->on_ended) {
            job->on_ended (job, job->status, job->user);
        }
    }
}

static gboolean
on_drained (gpointer user)
{
    LaunchJob *job = user;
    if (job->held) {
        return G_SOURCE_CONTINUE;
    }
    job->drain = 0;
    close_stream (&job->streams[0]);
    close_stream (&job->streams[1]);
    tell_ended (job);
    return G_SOURCE_REMOVE;
}

static gboolean
on_output (int fd, GIOCondition condition, gpointer user)
{
    Stream *stream = user;
    char buffer[READ_SIZE];
    gssize size = read (fd, buffer, sizeof buffer);
    if (size > 0) {
        g_clear_handle_id (&stream->open_timer, g_source_remove);
        launch_tags_feed (stream->tags, buffer, (gsize) size);
        if (launch_tags_has_open (stream->tags)) {
            stream->open_timer = g_timeout_add (OPEN_LINE_MS, on_open_line, stream);
        }
        return G_SOURCE_CONTINUE;
    }
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
        return G_SOURCE_CONTINUE;
    }
    LaunchJob *job = stream->job;
    stream->source = 0;
    close_stream (stream);
    tell_ended (job);
    return G_SOURCE_REMOVE;
}

static void
await_output (LaunchJob *job)
{
    if (job->streams[0].fd < 0 && job->streams[1].fd < 0) {
        tell_ended (job);
    } else {
        job->drain = base_patience_add (DRAIN_MS, on_drained, job, NULL);
    }
}

/* With foreground others are in its group, too. */
static void
signal_unguarded (const LaunchJob *job, int number)
{
    kill (job->is_foreground ? job->launcher : -job->launcher, number);
}

static gboolean
on_unguarded_ended (int fd, GIOCondition condition, gpointer user)
{
    LaunchJob *job = user;

    job->process_source = 0;
    g_clear_handle_id (&job->grace, g_source_remove);
    close_fd (&job->process);
    if (!job->is_foreground) {
        signal_unguarded (job, SIGKILL); /* what it left in its group */
    }
    await_output (job);
    return G_SOURCE_REMOVE;
}

static gboolean
on_grace_over (gpointer user)
{
    LaunchJob *job = user;

    job->grace = 0;
    signal_unguarded (job, SIGKILL);
    return G_SOURCE_REMOVE;
}

/* A killed guard's launcher has its parent-death signal, and may take its time to end or ignore it: this process does for
 * it what the guard would have done. */
static void
end_unguarded (LaunchJob *job)
{
    signal_unguarded (job, SIGCONT);
    job->process_source = g_unix_fd_add (job->process, G_IO_IN, on_unguarded_ended, job);
    job->grace = base_patience_add (job->is_abort_delayed ? QUICK_MS : GRACE_MS, on_grace_over,
                                    job, NULL);
}

/* The guard is gone: if it could not say how the launcher ended, it was killed itself. */
static void
finish (LaunchJob *job)
{
    gboolean is_lost = !job->has_status;
    int status = 0;
    if (job->guard > 0) {
        while (waitpid (job->guard, &status, 0) < 0 && errno == EINTR) {
        }
        job->guard = 0;
    }
    if (is_lost) {
        job->has_status = TRUE;
        job->status = status;
    }
    close_fd (&job->lifeline);
    g_clear_handle_id (&job->input_source, g_source_remove);
    close_fd (&job->input);
    if (is_lost && job->on_guard_lost != NULL) {
        job->on_guard_lost (job, job->user);
    }
    if (is_lost && job->process >= 0) {
        end_unguarded (job);
    } else {
        await_output (job);
    }
}

static gboolean
on_lifeline (int fd, GIOCondition condition, gpointer user)
{
    LaunchJob *job = user;
    LaunchGuardWord word;
    gssize size = recv (fd, &word, sizeof word, MSG_DONTWAIT);
    if (size == sizeof word && word.kind == 'W') {
        job->has_status = TRUE;
        job->status = word.value;
        return G_SOURCE_CONTINUE;
    }
    if (size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR))) {
        return G_SOURCE_CONTINUE;
    }
    job->lifeline_source = 0;
    finish (job);
    return G_SOURCE_REMOVE;
}

typedef struct {
    int input[2], output[2], error[2], lifeline[2];
} Pipes;

/* A launcher that is measured has this process's own standard descriptors. */
static gboolean
open_pipes (Pipes *pipes, gboolean is_measured)
{
    memset (pipes, -1, sizeof *pipes);
    return (is_measured
            || (pipe2 (pipes->input, O_CLOEXEC) == 0 && pipe2 (pipes->output, O_CLOEXEC) == 0
                && pipe2 (pipes->error, O_CLOEXEC) == 0))
           && socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pipes->lifeline) == 0;
}

static void
close_pipes (Pipes *pipes, int side)
{
    close_fd (&pipes->input[side == 0 ? 0 : 1]);
    close_fd (&pipes->output[side == 0 ? 1 : 0]);
    close_fd (&pipes->error[side == 0 ? 1 : 0]);
    close_fd (&pipes->lifeline[side == 0 ? 1 : 0]);
}

/* In the child: signals as the user's shell gives them to a program. */
static void
become_guard (const Pipes *pipes, const char *folder, char **argv, char **environment)
{
    int lifeline = pipes->lifeline[1];
    sigset_t none;
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    signal (SIGPIPE, SIG_DFL);
    base_limits_restore (NULL);
    if (pipes->input[0] >= 0) {
        setpgid (0, 0);
        dup2 (pipes->input[0], 0);
        dup2 (pipes->output[1], 1);
        dup2 (pipes->error[1], 2);
    }
    base_inherited_close_others (lifeline);
    fcntl (lifeline, F_SETFD, 0);
    if (folder && chdir (folder) < 0) {
        LaunchGuardWord word = { 'E', errno };
        send (lifeline, &word, sizeof word, MSG_NOSIGNAL);
        _exit (127);
    }
    execve (argv[0], argv, environment);
    LaunchGuardWord word = { 'E', errno };
    send (lifeline, &word, sizeof word, MSG_NOSIGNAL);
    _exit (127);
}

static char **
make_guard_argv (const LaunchLine *line, int lifeline, GError **error)
{
    char *guard = launch_find_program ("pddt-guard", error);
    if (!guard) {
        return NULL;
    }
    GPtrArray *argv = g_ptr_array_new ();
    g_ptr_array_add (argv, guard);
    g_ptr_array_add (argv, g_strdup ("--lifeline"));
    g_ptr_array_add (argv, g_strdup_printf ("%d", lifeline));
    if (line->session_directory) {
        g_ptr_array_add (argv, g_strdup ("--session"));
        g_ptr_array_add (argv, g_strdup (line->session_directory));
    }
    if (line->is_measured) {
        g_ptr_array_add (argv, g_strdup ("--foreground"));
    }
    g_ptr_array_add (argv, g_strdup ("--"));
    for (char **word = line->final_argv; *word; word++) {
        g_ptr_array_add (argv, g_strdup (*word));
    }
    g_ptr_array_add (argv, NULL);
    return (char **) g_ptr_array_free (argv, FALSE);
}

static char **
make_environment (const LaunchLine *line, const char *const *extra)
{
    char **environment = g_get_environ ();
    const char *const *lists[] = { (const char *const *) line->environment, extra };
    for (gsize i = 0; i < G_N_ELEMENTS (lists); i++) {
        for (const char *const *item = lists[i]; item && *item; item++) {
            const char *equal = strchr (*item, '=');
            if (equal) {
                g_autofree char *name = g_strndup (*item, (gsize) (equal - *item));
                environment = g_environ_setenv (environment, name, equal + 1, TRUE);
            }
        }
    }
    return environment;
}

/* The launcher's pid; 0 with the reason when it could not be executed. The guard answers at once. */
static pid_t
hear_start (int lifeline, const char *program, GError **error)
{
    LaunchGuardWord word;
    GPollFD waiting = { .fd = lifeline, .events = G_IO_IN };
    pid_t pid = 0;
    if (base_patience_poll (&waiting, 1, START_WAIT_MS) == 1
        && recv (lifeline, &word, sizeof word, 0) == sizeof word) {
        if (word.kind == 'P') {
            pid = word.value;
        } else if (word.kind == 'E') {
            base_error_set (error,
                            word.value == ENOENT ? BASE_ERROR_NOT_FOUND : BASE_ERROR_DENIED,
                            "cannot start %s: %s", program, g_strerror (word.value));
            return 0;
        }
    }
    if (pid == 0) {
        base_error_set (error, BASE_ERROR_LOST, "cannot start %s: pddt-guard ended", program);
    }
    return pid;
}

void
launch_job_hold_output (LaunchJob *job, gboolean held)
{
    job->held = held;
    for (int i = 0; i < 2; i++) {
        Stream *stream = &job->streams[i];
        if (held) {
            g_clear_handle_id (&stream->source, g_source_remove);
        } else if (stream->fd >= 0 && stream->source == 0) {
            stream->source = g_unix_fd_add (stream->fd, G_IO_IN | G_IO_HUP, on_output, stream);
        }
    }
    if (!held && job->drain != 0) { /* the time counts from now on */
        g_clear_handle_id (&job->drain, g_source_remove);
        job->drain = base_patience_add (DRAIN_MS, on_drained, job, NULL);
    }
}

/* While its guard lives it is no other process. */
static int
open_process (pid_t pid)
{
#ifdef SYS_pidfd_open                              /* headers of Linux 5.3 */
    return (int) syscall (SYS_pidfd_open, pid, 0); /* close-on-exec */
#else
    (void) pid;
    return -1;
#endif
}

static void
open_stream (LaunchJob *job, int index, int fd, const LaunchLine *line)
{
    Stream *stream = &job->streams[index];
    guint32 rank = line->kind == LAUNCH_NONE ? 0 : G_MAXUINT32;
    g_unix_set_fd_nonblocking (fd, TRUE, NULL);
    *stream = (Stream){ .job = job, .fd = fd, .stream = index + 1 };
    stream->tags = launch_tags_new (line->tags, rank, index + 1, on_text, stream);
    stream->source = g_unix_fd_add (fd, G_IO_IN | G_IO_HUP, on_output, stream);
}

LaunchJob *
launch_job_start (const LaunchLine *line, const char *folder, const char *const *extra,
                  LaunchOutput on_output_, LaunchEnded on_ended, gpointer user, GError **error)
{
    Pipes pipes;
    gboolean is_open = open_pipes (&pipes, line->is_measured);
    g_auto (GStrv) argv = make_guard_argv (line, pipes.lifeline[1], error);
    if (!argv) {
        close_pipes (&pipes, 0);
        close_pipes (&pipes, 1);
        return NULL;
    }
    g_auto (GStrv) environment = make_environment (line, extra);
    pid_t pid = is_open ? fork () : -1;
    if (pid == 0) {
        become_guard (&pipes, folder, argv, environment);
    }
    if (pid < 0) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot start %s: %s", line->final_argv[0],
                        g_strerror (errno));
        close_pipes (&pipes, 0);
        close_pipes (&pipes, 1);
        return NULL;
    }
    close_pipes (&pipes, 0);
    LaunchJob *job = g_new0 (LaunchJob, 1);
    job->guard = pid;
    job->lifeline = pipes.lifeline[0];
    job->input = pipes.input[1];
    job->process = -1;
    job->streams[0].fd = job->streams[1].fd = -1;
    job->waiting_input = g_byte_array_new ();
    job->user = user;
    job->tags = line->tags;
    job->is_abort_delayed = line->is_abort_delayed;
    job->is_foreground = line->is_measured;
    job->launcher = hear_start (job->lifeline, line->final_argv[0], error);
    if (job->launcher == 0) {
        close_fd (&pipes.output[0]);
        close_fd (&pipes.error[0]);
        launch_job_free (job);
        return NULL;
    }
    job->process = open_process (job->launcher);
    job->on_output = on_output_;
    job->on_ended = on_ended;
    if (!line->is_measured) {
        g_unix_set_fd_nonblocking (job->input, TRUE, NULL);
        open_stream (job, 0, pipes.output[0], line);
        open_stream (job, 1, pipes.error[0], line);
    }
    job->lifeline_source = g_unix_fd_add (job->lifeline, G_IO_IN | G_IO_HUP, on_lifeline, job);
    return job;
}

/* A launcher that has ended or closed its input is an error here, not the end of pddt by SIGPIPE,
 * which stays as it is for pddt's own output. */
static gssize
write_quietly (int fd, const guint8 *data, gsize size)
{
    const struct timespec at_once = { 0 };
    sigset_t broken, pending, before;
    gboolean was_pending;
    gssize written;
    int error;
    sigemptyset (&broken);
    sigaddset (&broken, SIGPIPE);
    sigpending (&pending);
    was_pending = sigismember (&pending, SIGPIPE);
    pthread_sigmask (SIG_BLOCK, &broken, &before);
    written = write (fd, data, size);
    error = errno;
    if (written < 0 && error == EPIPE && !was_pending) {
        sigtimedwait (&broken, NULL, &at_once);
    }
    pthread_sigmask (SIG_SETMASK, &before, NULL);
    errno = error;
    return written;
}

static gboolean
on_input (int fd, GIOCondition condition, gpointer user)
{
    LaunchJob *job = user;
    GByteArray *waiting = job->waiting_input;
    gssize size = waiting->len > 0 ? write_quietly (fd, waiting->data, waiting->len) : 0;
    if (size > 0) {
        g_byte_array_remove_range (waiting, 0, (guint) size);
    } else if (size < 0 && errno != EAGAIN && errno != EINTR) {
        g_byte_array_set_size (waiting, 0);
        job->input_eof = TRUE;
    }
    if (waiting->len > 0) {
        return G_SOURCE_CONTINUE;
    }
    job->input_source = 0;
    if (job->input_eof) {
        close_fd (&job->input);
    }
    return G_SOURCE_REMOVE;
}

gsize
launch_job_get_waiting_input (const LaunchJob *job)
{
    return job->waiting_input->len;
}

gboolean
launch_job_write_input (LaunchJob *job, const char *text, gsize size, gboolean eof,
                        GError **error)
{
    if (job->input < 0 || job->input_eof) {
        base_error_set (error, BASE_ERROR_GONE,
                        "cannot give input: the launcher's standard input is closed");
        return FALSE;
    }
    if (size > MAX_WAITING - job->waiting_input->len) {
        base_error_set (error, BASE_ERROR_BUSY,
                        "cannot give input: the launcher does not read its standard input");
        return FALSE;
    }
    g_byte_array_append (job->waiting_input, (const guint8 *) text, (guint) size);
    job->input_eof = eof;
    if (job->input_source == 0) {
        job->input_source = g_unix_fd_add (job->input, G_IO_OUT | G_IO_ERR, on_input, job);
    }
    return TRUE;
}

pid_t
launch_job_get_pid (const LaunchJob *job)
{
    return job->has_status ? 0 : job->launcher;
}

void
launch_job_watch_guard (LaunchJob *job, LaunchGuardLost on_guard_lost)
{
    job->on_guard_lost = on_guard_lost;
}

void
launch_job_end (LaunchJob *job)
{
    if (job->lifeline >= 0) {
        send (job->lifeline, job->is_abort_delayed ? "Q" : "T", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
}

/* FALSE: the launcher has ended meanwhile, and nobody but this process reads its last words. */
static gboolean
hand_output_over (LaunchJob *job, const int fds[LAUNCH_RELAY_FDS])
{
    LaunchGuardWord word;
    GPollFD waiting = { .fd = job->lifeline, .events = G_IO_IN };
    if (job->lifeline < 0 || !launch_relay_send (job->lifeline, job->tags, fds)) {
        return FALSE;
    }
    while (base_patience_poll (&waiting, 1, START_WAIT_MS) == 1
           && recv (job->lifeline, &word, sizeof word, 0) == sizeof word) {
        if (word.kind == 'K') {
            return TRUE;
        }
    }
    return FALSE;
}

static void
pass_last_words (LaunchJob *job, const int fds[LAUNCH_RELAY_FDS])
{
    int copies[LAUNCH_RELAY_FDS];
    for (guint i = 0; i < LAUNCH_RELAY_FDS; i++) {
        copies[i] = fcntl (fds[i], F_DUPFD_CLOEXEC, 3);
    }
    LaunchRelay *relay = launch_relay_new (job->tags, copies);
    gint64 end = g_get_monotonic_time () + DRAIN_MS * 1000;
    const int *from = launch_relay_get_fds (relay);
    while ((from[0] >= 0 || from[1] >= 0) && g_get_monotonic_time () < end) {
        GPollFD waiting[] = { { .fd = from[0], .events = G_IO_IN },
                              { .fd = from[1], .events = G_IO_IN } };
        g_poll (waiting, 2, 100);
        launch_relay_copy (relay);
    }
    launch_relay_free (relay);
}

void
launch_job_keep (LaunchJob *job)
{
    int fds[LAUNCH_RELAY_FDS] = { job->streams[0].fd, job->streams[1].fd, 1, 2 };
    int null = open ("/dev/null", O_RDWR | O_CLOEXEC);
    for (guint i = 0; i < G_N_ELEMENTS (fds); i++) {
        if (fcntl (fds[i], F_GETFD) < 0) {
            fds[i] = null;
        }
    }
    g_clear_handle_id (&job->lifeline_source, g_source_remove);
    fflush (stdout);
    if (!hand_output_over (job, fds)) {
        pass_last_words (job, fds);
    }
    close_fd (&job->lifeline);
    close_fd (&null);
    launch_job_free (job);
}

static void
on_guard_ended (GPid guard, int status, gpointer user)
{
    g_spawn_close_pid (guard);
}

void
launch_job_free (LaunchJob *job)
{
    if (!job) {
        return;
    }
    launch_job_end (job);
    g_clear_handle_id (&job->lifeline_source, g_source_remove);
    g_clear_handle_id (&job->input_source, g_source_remove);
    g_clear_handle_id (&job->drain, g_source_remove);
    g_clear_handle_id (&job->grace, g_source_remove);
    if (job->process_source != 0) { /* nobody else would end it */
        g_clear_handle_id (&job->process_source, g_source_remove);
        signal_unguarded (job, SIGKILL);
    }
    job->on_output = NULL;
    close_fd (&job->process);
    close_fd (&job->lifeline);
    close_fd (&job->input);
    for (guint i = 0; i < G_N_ELEMENTS (job->streams); i++) {
        close_stream (&job->streams[i]);
        launch_tags_free (job->streams[i].tags);
    }
    if (job->guard > 0 && waitpid (job->guard, NULL, WNOHANG) == 0) {
        g_child_watch_add (job->guard, on_guard_ended, NULL);
    }
    g_byte_array_unref (job->waiting_input);
    g_free (job);
}
