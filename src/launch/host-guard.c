/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parent of a host's helpers: starts pddtd and pddt-symbols, restarts pddt-symbols when it
 * dies, starts pddt-queues on demand, kills a hung pddtd after the front end is gone, and
 * removes planted bytes and debug registers from processes that outlive pddtd. */
#include "launch/guard.h"
#include "base/signals.h"
#include "launch/hand-over.h"
#include "launch/launch.h"
#include "launch/rescue-private.h"
#include "launch/sleepers-private.h"
#include "launch/stale-private.h"
#include "base/trap-table.h"
#include "machine/trap.h"
#include "launch/watchdog-private.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESTARTS 5 /* of a helper in a minute */
#define LOCK_US 20000
#define TRACER_END_US G_USEC_PER_SEC /* for so long it may still trace while it dies */
#define BACKLOG 128 /* more than one client asks at once, with those that it has given up */
#define MAX_ARGUMENTS 4
#define KEPT_BYTES (64u << 10) /* of a log */

/* A program that serves a socket in the host's directory. */
typedef struct {
    const char *name, *socket;
    gboolean on_demand; /* started when somebody connects; it ends with its client */
    char *program;
    int fd;    /* listening; -1: there is none, or it died too often */
    pid_t pid; /* 0: none runs */
    gint64 starts[RESTARTS];
    guint n_starts;
} Helper;

enum { SYMBOLS, QUEUES, N_HELPERS };

typedef struct {
    const char *directory;
    BaseTrapTable *traps; /* NULL when the table could not be made */
    pid_t daemon;
    LaunchWatchdog watchdog;
    Helper helpers[N_HELPERS];
    sigset_t mask;
} HostGuard;

typedef struct {
    BaseTrapTable *traps;
    LaunchDisarm disarm;
} Tracer;

static GMutex cleaning; /* what one thread traces, the other could not stop */

static BaseTracerLock *
get_lock (BaseTrapTable *traps)
{
    return (BaseTracerLock *) ((guint8 *) traps + BASE_TRAP_TABLE_SIZE + BASE_RESCUE_SIZE);
}

static void
init_lock (BaseTracerLock *lock)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init (&kind);
    pthread_mutexattr_setpshared (&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust (&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init (&lock->lock, &kind);
    pthread_mutexattr_destroy (&kind);
}

static BaseTrapTable *
make_traps (const char *directory)
{
    g_autofree char *path = g_build_filename (directory, "traps", NULL);
    gsize size = BASE_TRAP_FILE_SIZE;
    int fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    void *memory = MAP_FAILED;
    /* allocates disk space: writing to a page without any would raise SIGBUS */
    int reason = fd >= 0 ? posix_fallocate (fd, 0, (off_t) size) : errno;
    if (reason == 0) {
        memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (fd >= 0) {
        close (fd);
    }
    if (memory == MAP_FAILED) {
        g_warning ("cannot create %s: %s", path, g_strerror (reason ? reason : errno));
        unlink (path);
        return NULL;
    }
    BaseTrapTable *traps = memory;
    traps->capacity = BASE_TRAP_TABLE_CAPACITY;
    launch_rescue_get_list (traps)->capacity = BASE_RESCUE_CAPACITY;
    init_lock (get_lock (traps));
    traps->magic = BASE_TRAP_TABLE_MAGIC;
    return traps;
}

/* FALSE: it still stands there, as the kernel lets nobody write there (proc_mem.force_override). */
static gboolean
restore_trap (const BaseTrap *trap)
{
    g_autofree char *path = g_strdup_printf ("/proc/%u/mem", trap->pid);
    int fd = open (path, O_RDWR | O_CLOEXEC);
    guint8 bytes[MACHINE_MAX_TRAP];
    ssize_t size = machine_trap_size;

    if (fd < 0) {
        fd = open (path, O_RDONLY | O_CLOEXEC);
    }
    gboolean is_left = fd >= 0
                       && pread (fd, bytes, machine_trap_size, (off_t) trap->address) == size
                       && machine_trap_is (bytes)
                       && pwrite (fd, trap->original, machine_trap_size, (off_t) trap->address)
                              != size;
    if (fd >= 0) {
        close (fd);
    }
    return !is_left;
}

/* disarm NULL: the processes are still traced, by one that restores what this one may not. */
static void
restore_traps (const BaseTrapTable *traps, LaunchDisarm disarm)
{
    g_autoptr (GHashTable) tried = g_hash_table_new (NULL, NULL);
    gint64 until_us = g_get_monotonic_time () + TRACER_END_US;
    for (guint32 i = 0; traps && i < BASE_TRAP_TABLE_CAPACITY; i++) {
        const BaseTrap *trap = &traps->traps[i];
        if (trap->used != BASE_TRAP_PLANTED || restore_trap (trap) || !disarm) {
            continue;
        }
        if (g_hash_table_add (tried, GUINT_TO_POINTER (trap->pid))) {
            disarm ((pid_t) trap->pid, traps, until_us);
        }
        if (!restore_trap (trap)) {
            g_warning ("cannot restore 0x%" G_GINT64_MODIFIER "x of process %u", trap->address,
                       trap->pid);
        }
    }
}

/* A thread: the tracing thread dies earlier than its process. */
static gpointer
wait_for_tracer (gpointer data)
{
    const Tracer *tracer = data;
    BaseTracerLock *lock = get_lock (tracer->traps);
    while (!g_atomic_int_get (&lock->is_held)) {
        g_usleep (LOCK_US);
    }
    if (pthread_mutex_lock (&lock->lock) == EOWNERDEAD) {
        g_mutex_lock (&cleaning);
        restore_traps (tracer->traps, tracer->disarm);
        g_mutex_unlock (&cleaning);
    }
    return NULL;
}

static void
disarm_processes (const BaseTrapTable *traps, LaunchDisarm disarm)
{
    for (guint32 i = 0; traps && i < BASE_TRAP_TABLE_CAPACITY; i++) {
        if (traps->traps[i].used == 2) {
            disarm ((pid_t) traps->traps[i].pid, traps, 0);
        }
    }
}

static int
listen_at (const char *directory, const char *name)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    g_snprintf (address.sun_path, sizeof address.sun_path, "%s/%s", directory, name);
    int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unlink (address.sun_path);
    if (fd >= 0
        && (bind (fd, (struct sockaddr *) &address, sizeof address) < 0
            || listen (fd, BACKLOG) < 0)) {
        g_warning ("cannot listen on %s: %s", address.sun_path, g_strerror (errno));
        close (fd);
        fd = -1;
    }
    return fd;
}

/* The environment of a helper that loads a program's library: only what it needs to load pddt's
 * libraries. */
static char **
make_bare_environment (void)
{
    char **environment = NULL;
    const char *folders = g_getenv ("LD_LIBRARY_PATH");
    return folders ? g_environ_setenv (environment, "LD_LIBRARY_PATH", folders, TRUE)
                   : g_new0 (char *, 1);
}

/* Two descriptors (-1: none) stay open in the child. death_signal 0: the child outlives us. */
static pid_t
start_child (HostGuard *guard, char **argv, char **environment, const int kept_fds[2],
             int death_signal)
{
    pid_t self = getpid (), pid = fork ();
    if (pid != 0) {
        return pid;
    }
    if (death_signal) {
        prctl (PR_SET_PDEATHSIG, death_signal);
        if (getppid () != self) {
            _exit (127);
        }
    }
    for (guint i = 0; i < 2; i++) {
        if (kept_fds[i] >= 0) {
            fcntl (kept_fds[i], F_SETFD, 0);
        }
    }
    sigprocmask (SIG_SETMASK, &guard->mask, NULL);
    execve (argv[0], argv, environment);
    _exit (127);
}

/* FALSE: it died too often. */
static gboolean
may_start (HostGuard *guard, Helper *helper)
{
    gint64 now = g_get_monotonic_time ();
    guint slot = helper->n_starts % RESTARTS;
    if (helper->n_starts >= RESTARTS && now - helper->starts[slot] < 60 * G_USEC_PER_SEC) {
        g_warning ("%s died too often: pddt does not restart it any more", helper->name);
        g_autofree char *path = g_build_filename (guard->directory, helper->socket, NULL);
        unlink (path);
        close (helper->fd);
        helper->fd = -1;
        return FALSE;
    }
    helper->starts[slot] = now;
    helper->n_starts++;
    return TRUE;
}

static void
start_helper (HostGuard *guard, Helper *helper)
{
    helper->pid = 0;
    if (helper->fd < 0 || !may_start (guard, helper)) {
        return;
    }
    char number[16];
    g_snprintf (number, sizeof number, "%d", helper->fd);
    char *argv[MAX_ARGUMENTS + 2] = { helper->program, "--listen-fd", number };
    g_auto (GStrv) bare = make_bare_environment ();
    helper->pid = start_child (guard, argv, helper == &guard->helpers[QUEUES] ? bare : environ,
                               (const int[]){ helper->fd, -1 }, SIGKILL);
}

static void
on_helper_end (HostGuard *guard, Helper *helper, int status)
{
    g_message ("%s ended: status 0x%x", helper->name, status);
    helper->pid = 0;
    if (!helper->on_demand) {
        start_helper (guard, helper);
    }
}

static void
make_helper (HostGuard *guard, guint which, const char *name, const char *socket,
             gboolean on_demand)
{
    Helper *helper = &guard->helpers[which];
    helper->name = name;
    helper->socket = socket;
    helper->on_demand = on_demand;
    helper->fd = -1;
    helper->program = launch_find_program (name, NULL);
    if (helper->program) {
        helper->fd = listen_at (guard->directory, socket);
    }
}

static void
end_helpers (HostGuard *guard)
{
    for (guint i = 0; i < N_HELPERS; i++) {
        Helper *helper = &guard->helpers[i];
        if (helper->pid > 0) {
            kill (helper->pid, SIGKILL);
            waitpid (helper->pid, NULL, 0);
        }
        g_free (helper->program);
    }
}

static gboolean
start_daemon (HostGuard *guard, const char *session_directory, int ready_fd, GError **error)
{
    g_autofree char *program = launch_find_program ("pddtd", error);
    if (!program) {
        return FALSE;
    }
    int channel = launch_watchdog_open (&guard->watchdog);
    g_autofree char *ready = g_strdup_printf ("%d", ready_fd),
                    *watched = g_strdup_printf ("%d", channel);
    char *argv[] = { program,
                     (char *) session_directory,
                     (char *) guard->directory,
                     "--ready-fd",
                     ready,
                     "--guard-fd",
                     watched,
                     NULL };
    guard->daemon = start_child (guard, argv, environ, (const int[]){ ready_fd, channel }, 0);
    if (channel >= 0) {
        close (channel);
    }
    return guard->daemon > 0;
}

/* Ends a hung daemon in steps: resumes it if it was stopped, then makes it detach its ranks,
 * then kills it. */
static void
end_daemon (HostGuard *guard, guint step)
{
    g_warning ("pddtd hangs, and %s: step %u to end it",
               guard->watchdog.is_over ? "the front end has gone" : "it was asked to end",
               step);
    if (step == 1) {
        kill (guard->daemon, SIGCONT);
    } else if (step == 2) {
        restore_traps (guard->traps, NULL);
        launch_rescue_begin (guard->traps, guard->daemon);
    } else {
        kill (guard->daemon, SIGKILL);
    }
}

/* Waits for a signal, for a connection to a helper on demand, or for the front end's end. */
static void
wait_for_work (HostGuard *guard, int signals)
{
    struct pollfd waiting[N_HELPERS + 1 + LAUNCH_WATCHDOG_FDS] = { { .fd = signals,
                                                                     .events = POLLIN } };
    int limit_ms = launch_watchdog_prepare (&guard->watchdog, waiting + N_HELPERS + 1);
    for (guint i = 0; i < N_HELPERS; i++) {
        const Helper *helper = &guard->helpers[i];
        waiting[i + 1].fd = helper->on_demand && helper->pid == 0 ? helper->fd : -1;
        waiting[i + 1].events = POLLIN;
    }
    if (poll (waiting, G_N_ELEMENTS (waiting), limit_ms) < 0) {
        return;
    }
    for (guint i = 0; i < N_HELPERS; i++) {
        if (waiting[i + 1].revents & POLLIN) {
            start_helper (guard, &guard->helpers[i]);
        }
    }
    guint step = launch_watchdog_check (&guard->watchdog, waiting + N_HELPERS + 1);
    if (step > 0) {
        end_daemon (guard, step);
    }
}

/* Runs until the daemon ends and returns its wait status. Forwards requests to end to the
 * daemon. */
static int
watch (HostGuard *guard, int signals)
{
    for (;;) {
        int status;
        pid_t pid;
        while ((pid = waitpid (-1, &status, WNOHANG | __WNOTHREAD)) > 0) {
            if (pid == guard->daemon) {
                return status;
            }
            for (guint i = 0; i < N_HELPERS; i++) {
                if (pid == guard->helpers[i].pid) {
                    on_helper_end (guard, &guard->helpers[i], status);
                }
            }
        }
        wait_for_work (guard, signals);
        struct signalfd_siginfo info;
        while (read (signals, &info, sizeof info) == sizeof info) {
            if (info.ssi_signo != SIGCHLD) {
                kill (guard->daemon, SIGTERM);
                launch_watchdog_expect_end (&guard->watchdog);
            }
        }
    }
}

static char *
dup_crash_log (const char *session_directory, const char *host)
{
    g_autofree char *folder = g_path_get_dirname (session_directory);
    g_autofree char *name = g_strdup_printf ("crash-%s.log", host);

    return g_build_filename (folder, name, NULL);
}

char *
launch_host_guard_find_crash (const char *session_directory, const char *host, gint64 since_s)
{
    g_autofree char *path = dup_crash_log (session_directory, host);
    GStatBuf status;

    return g_stat (path, &status) == 0 && status.st_mtime >= since_s ? g_steal_pointer (&path)
                                                                     : NULL;
}

/* Of a daemon that has crashed: its log stays beside the sessions' folders, the last one of each host. */
static void
keep_log (const char *session_directory, const char *host_directory)
{
    g_autofree char *log = g_build_filename (host_directory, "pddtd.log", NULL);
    g_autofree char *kept = dup_crash_log (session_directory, g_get_host_name ());
    g_autofree char *text = NULL;
    g_autoptr (GError) error = NULL;
    gsize size;

    if (g_file_get_contents (log, &text, &size, &error)) {
        gsize from = size > KEPT_BYTES ? size - KEPT_BYTES : 0;

        g_file_set_contents_full (kept, text + from, (gssize) (size - from),
                                  G_FILE_SET_CONTENTS_CONSISTENT, 0600, &error);
    }
    if (error != NULL) {
        g_warning ("cannot keep the log: %s", error->message);
    }
}

/* Not if somebody has killed it, nor if it has ended by itself, as one does whose session is over before it begins. */
static gboolean
is_crash (int status)
{
    return WIFSIGNALED (status) && WTERMSIG (status) != SIGKILL && WTERMSIG (status) != SIGTERM;
}

int
launch_host_guard_run (const char *session_directory, const char *host_directory, int ready_fd,
                       LaunchDisarm disarm)
{
    HostGuard guard = { .directory = host_directory };
    g_autoptr (GError) error = NULL;
    int signals = base_signals_open (&guard.mask);
    if (ready_fd >= 0) {
        fcntl (ready_fd, F_SETFD, FD_CLOEXEC);
    }
    int hold_fd = launch_stale_hold (host_directory);
    if (hold_fd >= 0) {
        fcntl (hold_fd, F_SETFD, 0); /* the helpers hold the directory too */
    }
    guard.traps = make_traps (host_directory);
    static Tracer tracer; /* its thread may live to the end of this process */
    tracer = (Tracer){ guard.traps, disarm };
    if (guard.traps) {
        g_thread_unref (g_thread_new ("tracer's end", wait_for_tracer, &tracer));
    }
    make_helper (&guard, SYMBOLS, "pddt-symbols", "symbols", FALSE);
    make_helper (&guard, QUEUES, "pddt-queues", "queues", TRUE);
    if (!start_daemon (&guard, session_directory, ready_fd, &error)) {
        if (ready_fd >= 0 && error) {
            gssize written = write (ready_fd, error->message, strlen (error->message));
            (void) written;
        }
        if (ready_fd >= 0) {
            close (
                ready_fd); /* who waits for its end holds the lock that removing the folder needs */
        }
        end_helpers (&guard);
        launch_host_directory_remove (host_directory);
        return 1;
    }
    if (ready_fd >= 0) {
        close (ready_fd);
    }
    start_helper (&guard, &guard.helpers[SYMBOLS]);
    int status = watch (&guard, signals);
    launch_watchdog_close (&guard.watchdog);
    if (status != 0) {
        g_mutex_lock (&cleaning);
        restore_traps (guard.traps, disarm);
        disarm_processes (guard.traps, disarm);
        g_mutex_unlock (&cleaning);
        g_warning ("pddtd ended abnormally: status 0x%x", status);
        if (is_crash (status)) {
            keep_log (session_directory, host_directory);
        }
        if (guard.watchdog.is_over && !launch_stale_is_held (session_directory)) {
            launch_session_remove_directory (
                session_directory); /* the daemon could not do it */
        }
    }
    end_helpers (&guard);
    g_autofree char *sleepers = launch_sleepers_read (host_directory);
    launch_host_directory_remove (host_directory);
    if (sleepers) {
        launch_sleepers_end (sleepers, session_directory,
                             status == 0 || guard.watchdog.is_over);
    }
    return status == 0 ? 0 : 1;
}
