/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets all threads go when the tracer's loop hangs. Only the tracer can detach a thread in the
 * middle of a trap or a step: if the tracer were killed, the kernel would deliver that trap and
 * the program would end. So the tracees are recorded in advance, and a signal handler on the
 * tracer's thread detaches them, wherever it hangs. Everything here is async-signal-safe:
 * system calls and preallocated memory. */
#include "machine/trap.h"
#include "target/private.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 8         /* at most so many signals are taken from one thread */
#define PATIENCE_MS 1000 /* how long to wait until a running thread stops */
#define EXIT_RESCUED 3
#define MAX_DEADLY 4096u

static BaseRescueList *rescue_list;
static const BaseTrapTable *rescue_traps;
/* PTRACE_O_EXITKILL: these processes, and all that they fork, are meant to end with this one. */
static pid_t deadly[MAX_DEADLY];
static guint n_deadly; /* more than MAX_DEADLY: nobody is let go */

void
target_rescue_note_deadly (pid_t pid)
{
    guint at = 0;

    while (at < MIN (n_deadly, MAX_DEADLY) && deadly[at] != 0) {
        at++;
    }
    if (at < MAX_DEADLY) {
        deadly[at] = pid;
    }
    n_deadly = MAX (n_deadly, at + 1);
}

/* The handler may come in between: an entry taken out is one of no process. */
void
target_rescue_forget_deadly (pid_t pid)
{
    for (guint i = 0; n_deadly <= MAX_DEADLY && i < n_deadly; i++) {
        if (deadly[i] == pid) {
            deadly[i] = 0;
        }
    }
}

/* The process of a thread, by the line "Tgid:" in its status; 0: not known. */
static pid_t
find_process (pid_t tid)
{
    char path[32] = "/proc/", digits[16], text[512];
    gsize length = strlen (path), n = 0;
    const char *at;
    ssize_t size;
    pid_t pid = 0;
    int fd;

    for (pid_t rest = tid; rest > 0 && n < sizeof digits; rest /= 10) {
        digits[n++] = (char) ('0' + rest % 10);
    }
    while (n > 0) {
        path[length++] = digits[--n];
    }
    memcpy (path + length, "/status", sizeof "/status");
    fd = open (path, O_RDONLY | O_CLOEXEC);
    size = fd >= 0 ? read (fd, text, sizeof text - 1) : -1;
    if (fd >= 0) {
        close (fd);
    }
    text[MAX (size, 0)] = '\0';
    at = strstr (text, "\nTgid:\t");
    for (at = at != NULL ? at + 7 : ""; *at >= '0' && *at <= '9'; at++) {
        pid = pid * 10 + (*at - '0');
    }
    return pid;
}

static gboolean
is_deadly (pid_t tid)
{
    pid_t pid = n_deadly > 0 ? find_process (tid) : 0;
    gboolean found = n_deadly > MAX_DEADLY || (n_deadly > 0 && pid == 0);

    for (guint i = 0; i < MIN (n_deadly, MAX_DEADLY) && !found; i++) {
        found = deadly[i] == pid;
    }
    return found;
}

static gboolean
stop_thread (pid_t tid)
{
    static const struct timespec moment = { 0, 1000000 };
    int status;

    for (guint i = 0; i < PATIENCE_MS; i++) {
        pid_t found = waitpid (tid, &status, __WALL | WNOHANG);

        if (found == tid) {
            return WIFSTOPPED (status);
        }
        if (found < 0 && errno != EINTR) {
            return FALSE;
        }
        nanosleep (&moment, NULL);
    }
    return FALSE;
}

/* Whether there is a trap. FALSE: that cannot be read. */
static gboolean
look_for_trap (pid_t tid, guint64 address, gboolean *ret_is_there)
{
    guint64 start = address & ~(guint64) (sizeof (long) - 1); /* what follows may be unmapped */
    long word;

    errno = 0;
    word = ptrace (PTRACE_PEEKTEXT, tid, (void *) (gsize) start, NULL);
    *ret_is_there = machine_trap_is ((const guint8 *) &word + (address - start));
    return errno == 0;
}

gboolean
target_thread_undo_trap (pid_t tid)
{
    guint64 pc, address;
    gboolean is_there;

    if (!target_thread_get_pc (tid, &pc)) {
        return FALSE;
    }
    address = machine_trap_get_address (pc);
    return look_for_trap (tid, address, &is_there) && !is_there
           && target_thread_set_pc (tid, address);
}

void
target_thread_restore_traps (pid_t tid, pid_t pid, const BaseTrapTable *traps)
{
    for (guint32 i = 0; i < traps->capacity; i++) {
        const BaseTrap *trap = &traps->traps[i];
        gboolean is_there;

        if (trap->used == BASE_TRAP_PLANTED && trap->pid == (guint32) pid
            && look_for_trap (tid, trap->address, &is_there) && is_there) {
            target_thread_poke (tid, trap->address, trap->original, machine_trap_size);
        }
    }
}

/* The signal with which to let the thread go. */
static int
judge_stop (pid_t tid)
{
    siginfo_t info;

    if (ptrace (PTRACE_GETSIGINFO, tid, NULL, &info) != 0 || info.si_code > 0xff) {
        return 0; /* a ptrace event */
    }
    if (info.si_signo != SIGTRAP || info.si_code <= 0) {
        return info.si_signo;
    }
    return info.si_code == SI_KERNEL && !target_thread_undo_trap (tid) ? SIGTRAP : 0;
}

static void
let_go (pid_t tid)
{
    static pid_t restored;
    pid_t pid = find_process (tid);
    siginfo_t info;
    int signal = 0;

    if (ptrace (PTRACE_GETSIGINFO, tid, NULL, &info) != 0
        && (!target_thread_interrupt (tid) || !stop_thread (tid))) {
        return;
    }
    if (pid != restored) {
        target_thread_restore_traps (tid, pid, rescue_traps);
        restored = pid;
    }
    for (guint round = 0; round < ROUNDS; round++) {
        target_thread_clear_watches (tid);
        signal = judge_stop (tid);
        if (signal != 0 || !target_thread_has_pending_trap (tid)) {
            break;
        }
        /* The thread runs no further than to that signal. */
        if (!target_thread_continue (tid, 0) || !stop_thread (tid)) {
            return;
        }
    }
    target_thread_detach (tid, signal);
}

static void
on_rescue (int number)
{
    guint32 n = rescue_list->n_threads;

    for (guint32 i = 0; i < MIN (n, rescue_list->capacity); i++) {
        if (!is_deadly ((pid_t) rescue_list->threads[i])) {
            let_go ((pid_t) rescue_list->threads[i]);
        }
    }
    _exit (EXIT_RESCUED);
}

void
target_rescue_install (const BaseTrapTable *traps, BaseRescueList *list)
{
    struct sigaction action = { .sa_handler = on_rescue };
    sigset_t wanted;

    rescue_traps = traps;
    rescue_list = list;
    sigfillset (&action.sa_mask);
    sigemptyset (&wanted);
    sigaddset (&wanted, BASE_RESCUE_SIGNAL);
    if (sigaction (BASE_RESCUE_SIGNAL, &action, NULL) == 0) {
        sigprocmask (SIG_UNBLOCK, &wanted, NULL);
    }
}
