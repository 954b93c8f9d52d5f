/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selftrap HOW [FILE]: raises SIGTRAP by itself, in the way that HOW names, and counts how often its handler is called; or
 * ("flags") reads the processor's flags and puts them back. Exit status 0: once, and without a trap flag. "again": three
 * times. "ignored", "blocked": does so about SIGTRAP, waits for may_go, meets breakpoints in meet, and looks whether that
 * is still so: exit status 0. "default": the same of the default action. "often": many times an int3, and "0" in FILE when
 * the handler was called after each. "late": waits for may_go, sets its handler, blocks all signals for a system call and
 * raises SIGTRAP; status 0 when the handler was called. "later": does nothing about SIGTRAP until may_handle, then as
 * "blocked". "masked": as "blocked", but SIGTRAP alone, and it handles SIGUSR1. "pending": raises SIGTRAP while it blocks it,
 * waits for may_go, meets breakpoints, and takes it from there: status 0. "waiting": the same without a handler.
 * "forking": blocks all signals, has a child, and meets breakpoints in meet: status 0 when SIGTRAP is still blocked then,
 * and has its handler.
 * "suspended": blocks all signals but while it waits for a timer: status 0 when that came. "changing": sets one handler
 * after the other, raises SIGTRAP, 200 times, and computes: status 0 when each was called as often as it should be.
 * "crossing": waits for may_go; threads block all signals, meet breakpoints in meet, unblock them, and meet others in pass:
 * status 0 when none blocks SIGTRAP there, and its handler is still in force. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define TRAP_FLAG 0x100ul

static volatile int n_traps, n_users;
static volatile long n_rounds;

static void
on_trap (int number, siginfo_t *info, void *context)
{
    n_traps++;
    ((ucontext_t *) context)->uc_mcontext.gregs[REG_EFL] &= ~(long long) TRAP_FLAG;
}

static void
queue (int code)
{
    siginfo_t info;

    memset (&info, 0, sizeof info);
    info.si_signo = SIGTRAP;
    info.si_code = code;
    syscall (SYS_rt_tgsigqueueinfo, getpid (), getpid (), SIGTRAP, &info);
}

static int
check_flags (void)
{
    unsigned long flags = 0;

    flags = __builtin_ia32_readeflags_u64 (); /*@ read */
    __builtin_ia32_writeeflags_u64 (flags);   /*@ write */
    n_rounds++;                               /*@ written */
    return (flags & TRAP_FLAG) != 0 || n_traps != 0;
}

static int
raise_again (void)
{
    for (int i = 0; i < 3; i++) {
        raise (SIGTRAP);
    }
    return n_traps == 3 ? 0 : 10 + n_traps;
}

static volatile int may_go, may_handle;

static void
meet (int round)
{
    n_rounds += round;
}

static int
keep (void (*wanted) (void), int is_blocked)
{
    struct sigaction now;
    sigset_t mask;

    while (!may_go) {
        sched_yield ();
    }
    for (int i = 0; i < 100; i++) {
        meet (i);
    }
    sigaction (SIGTRAP, NULL, &now);
    sigprocmask (SIG_SETMASK, NULL, &mask);
    return (void (*) (void)) now.sa_handler != wanted   ? 21
           : sigismember (&mask, SIGTRAP) != is_blocked ? 22
           : n_rounds != 4950                           ? 23
                                                        : 0;
}

static int
block_all (void)
{
    sigset_t all;

    sigfillset (&all);
    sigprocmask (SIG_SETMASK, &all, NULL);
    return keep ((void (*) (void)) on_trap, 1);
}

static void
on_user (int number)
{
    n_users++;
}

static int
block_trap (void)
{
    sigset_t set;

    signal (SIGUSR1, on_user);
    sigemptyset (&set);
    sigaddset (&set, SIGTRAP);
    sigprocmask (SIG_BLOCK, &set, NULL);
    return keep ((void (*) (void)) on_trap, 1);
}

static int
take_pending (void)
{
    const struct timespec none = { 0, 0 };
    sigset_t set;

    sigemptyset (&set);
    sigaddset (&set, SIGTRAP);
    sigprocmask (SIG_BLOCK, &set, NULL);
    raise (SIGTRAP);
    while (!may_go) {
        n_rounds++;
    }
    for (int i = 0; i < 100; i++) {
        meet (i);
    }
    return n_traps != 0 ? 33 : sigtimedwait (&set, NULL, &none) == SIGTRAP ? 0 : 34;
}

static int
have_child (void)
{
    sigset_t all;
    int status = 1;
    pid_t child;

    sigfillset (&all);
    sigprocmask (SIG_SETMASK, &all, NULL);
    child = fork ();
    if (child == 0) {
        _exit (0);
    }
    may_go = 1;
    return waitpid (child, &status, 0) != child || status != 0
               ? 36
               : keep ((void (*) (void)) on_trap, 1);
}

static int
suspend (void)
{
    const struct itimerval timer = { { 0, 20000 }, { 0, 20000 } };
    sigset_t all, none;

    signal (SIGALRM, on_user);
    sigfillset (&all);
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &all, NULL);
    setitimer (ITIMER_REAL, &timer, NULL);
    sigsuspend (&none);
    return n_users > 0 ? 0 : 35;
}

static int
trap_often (const char *path)
{
    FILE *file = NULL;

    for (int i = 0; i < 50000 && n_traps == i; i++) {
        __asm__ volatile("int3");
    }
    file = fopen (path, "w");
    fprintf (file, "%d\n", n_traps == 50000 ? 0 : n_traps);
    return fclose (file);
}

static void
handle_late (const struct sigaction *action)
{
    sigset_t all, old;

    sigaction (SIGTRAP, action, NULL);
    sigfillset (&all);
    sigprocmask (SIG_SETMASK, &all, &old);
    getppid ();
    sigprocmask (SIG_SETMASK, &old, NULL);
}

static int
raise_late (const struct sigaction *action)
{
    while (!may_go) {
        sched_yield ();
    }
    handle_late (action);
    raise (SIGTRAP);
    return n_traps == 1 ? 0 : 31;
}

static void
on_other_trap (int number)
{
    n_users++;
}

static int
change_handlers (const struct sigaction *action)
{
    for (int i = 0; i < 100; i++) {
        signal (SIGTRAP, on_other_trap);
        raise (SIGTRAP);
        sigaction (SIGTRAP, action, NULL);
        raise (SIGTRAP);
        for (int j = 0; j < 500000; j++) {
            n_rounds++;
        }
    }
    return n_traps != 100 ? 41 : n_users != 100 ? 42 : n_rounds != 100 * 500000l ? 43 : 0;
}

static void
pass (int round)
{
    n_rounds += round;
}

static void *
cross (void *user)
{
    sigset_t all, old;
    long n_wrong = 0;

    sigfillset (&all);
    for (int i = 0; i < 100; i++) {
        pthread_sigmask (SIG_SETMASK, &all, &old);
        meet (i);
        pthread_sigmask (SIG_SETMASK, &old, NULL);
        pass (i);
        pthread_sigmask (SIG_SETMASK, NULL, &old);
        n_wrong += sigismember (&old, SIGTRAP) != 0;
        sigdelset (&old, SIGTRAP);
    }
    return (void *) n_wrong;
}

static int
cross_all (void)
{
    pthread_t threads[3];
    struct sigaction now;
    long n_wrong = 0;

    while (!may_go) {
        sched_yield ();
    }
    for (int i = 0; i < 3; i++) {
        pthread_create (&threads[i], NULL, cross, NULL);
    }
    for (int i = 0; i < 3; i++) {
        void *n;

        pthread_join (threads[i], &n);
        n_wrong += (long) n;
    }
    sigaction (SIGTRAP, NULL, &now);
    return n_wrong > 0 ? 24 : now.sa_sigaction != on_trap ? 21 : 0;
}

static void
raise_by_flag (void)
{
    __asm__ volatile("pushfq; orq $0x100,(%%rsp); popfq; nop; nop" ::: "memory", "cc");
}

int
main (int argc, char **argv)
{
    struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
    const char *how = argc > 1 ? argv[1] : "";

    if (strcmp (how, "default") == 0) {
        return keep ((void (*) (void)) SIG_DFL, 0);
    }
    if (strcmp (how, "ignored") == 0) {
        signal (SIGTRAP, SIG_IGN);
        return keep ((void (*) (void)) SIG_IGN, 0);
    }
    if (strcmp (how, "late") == 0) {
        return raise_late (&action);
    }
    if (strcmp (how, "later") == 0) {
        while (!may_handle) {
            sched_yield ();
        }
    }
    if (strcmp (how, "waiting") == 0) {
        return take_pending ();
    }
    sigaction (SIGTRAP, &action, NULL);
    if (strcmp (how, "crossing") == 0) {
        return cross_all ();
    }
    if (strcmp (how, "forking") == 0) {
        return have_child ();
    }
    if (strcmp (how, "suspended") == 0) {
        return suspend ();
    }
    if (strcmp (how, "often") == 0) {
        return trap_often (argv[2]);
    }
    if (strcmp (how, "blocked") == 0 || strcmp (how, "later") == 0) {
        return block_all ();
    }
    if (strcmp (how, "masked") == 0) {
        return block_trap ();
    }
    if (strcmp (how, "pending") == 0) {
        return take_pending ();
    }
    if (strcmp (how, "changing") == 0) {
        return change_handlers (&action);
    }
    if (strcmp (how, "flags") == 0) {
        return check_flags ();
    }
    if (strcmp (how, "again") == 0) {
        return raise_again ();
    }
    if (strcmp (how, "flag") == 0) {
        raise_by_flag ();
    } else if (strcmp (how, "int3") == 0) {
        __asm__ volatile("int3");
    } else if (strcmp (how, "kill") == 0) {
        kill (getpid (), SIGTRAP);
    } else if (strcmp (how, "step-queued") == 0) {
        queue (TRAP_TRACE);
    } else {
        queue (SI_KERNEL);
    }
    for (int i = 0; i < 1000; i++) {
        n_rounds++;
    }
    return n_traps == 1 && n_rounds == 1000 ? 0 : 10 + n_traps;
}
