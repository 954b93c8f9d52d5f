/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals whose handlers look at what came with them. Argument: fault, queue (a value that was sent along), later (the
 * same, blocked for a while), trap or trap-thread (a SIGTRAP of the program's own, while another thread passes a
 * place), both FILE (SIGUSR2, which it raises, and SIGHUP). Exit status 0, or "0" in FILE: as sent. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int passed, n_traps;
static volatile char *const nowhere = (volatile char *) 0x10;

static int
twice (int number)
{
    return 2 * number;
}

static void
on_signal (int number, siginfo_t *info, void *context)
{
    if (number == SIGSEGV) {
        _exit (info->si_code == SEGV_MAPERR && info->si_addr == (void *) nowhere ? 0 : 9);
    } else if (number == SIGUSR1) {
        _exit (info->si_code == SI_QUEUE && info->si_value.sival_int == 4711
                       && info->si_pid == getpid ()
                   ? 0
                   : 10);
    }
    n_traps += info->si_code == SI_TKILL;
}

static void
pass (void)
{
    passed++; /*@ pass */
}

static pthread_barrier_t barrier;

static void
meet (int raises)
{
    pthread_barrier_wait (&barrier);
    if (raises) {
        raise (SIGTRAP);
    } else {
        pass ();
    }
}

static void *
run (void *raises)
{
    meet (raises != NULL);
    return NULL;
}

static int
trap (int in_thread)
{
    pthread_t thread;

    pthread_barrier_init (&barrier, NULL, 2);
    pthread_create (&thread, NULL, run, in_thread ? &barrier : NULL);
    meet (!in_thread);
    pthread_join (thread, NULL);
    return n_traps == 1 ? 0 : 11;
}

static void
mask (int how)
{
    sigset_t set;

    sigemptyset (&set);
    sigaddset (&set, SIGUSR1);
    sigprocmask (how, &set, NULL);
}

static void
unblock (void)
{
    mask (SIG_UNBLOCK);
}

static volatile int n_first, n_second;

static void
count (int number)
{
    n_first += number == SIGUSR2;
    n_second += number == SIGHUP;
}

/* Until both have come, or too late. */
static int
await_both (const char *path)
{
    FILE *file;

    signal (SIGUSR2, count);
    signal (SIGHUP, count);
    raise (SIGUSR2);
    for (int i = 0; i < 3000 && n_second == 0; i++) {
        usleep (10000);
    }
    file = fopen (path, "w");
    fprintf (file, "%d\n", n_first == 1 && n_second == 1 ? 0 : 12);
    return fclose (file);
}

int
main (int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

    sigaction (SIGSEGV, &action, NULL);
    sigaction (SIGUSR1, &action, NULL);
    sigaction (SIGTRAP, &action, NULL);
    if (strcmp (what, "fault") == 0) {
        *nowhere = (char) twice (1);
    } else if (strcmp (what, "queue") == 0) {
        sigqueue (getpid (), SIGUSR1, (union sigval){ .sival_int = 4711 });
    } else if (strcmp (what, "later") == 0) {
        mask (SIG_BLOCK);
        sigqueue (getpid (), SIGUSR1, (union sigval){ .sival_int = 4711 });
        pass ();
        unblock ();
    } else if (strncmp (what, "trap", 4) == 0) {
        return trap (what[4] != 0);
    }
    return strcmp (what, "both") == 0 ? await_both (argv[2]) : 7;
}
