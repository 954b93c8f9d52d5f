/* SPDX-License-Identifier: GPL-3.0-or-later */
/* latch HOW FIFO FILE: what waits in the kernel where nothing can stop it, until a byte comes from FIFO. "hold" waits in vfork
 * at once, "beside" in a second thread, "call" only when somebody calls wait_in_vfork; "signals" counts what comes of the signals that provoke
 * sends when somebody calls it, "ordered" wants them in their order, "plain" calls it itself; "twice" has a child of vfork that vforks itself, "trap" one that meets
 * an int3. Exit status 0, which also stands in FILE: all went well. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *fifo;
static volatile int n_main, n_hits, n_first, n_second, is_ordered;
static pid_t sender;

int
wait_in_vfork (void)
{
    pid_t child = vfork ();
    int status = -1;

    if (child == 0) {
        char byte = 0;
        int fd = open (fifo, O_RDONLY);

        _exit (fd >= 0 && read (fd, &byte, 1) == 1 ? 0 : 1);
    }
    waitpid (child, &status, 0);
    return status == 0 ? 42 : -1;
}

static void
on_first (int number, siginfo_t *info, void *context)
{
    n_first += info->si_pid == sender;
    is_ordered = n_second == 0;
}

static void
on_second (int number, siginfo_t *info, void *context)
{
    n_second += info->si_code == SI_QUEUE && info->si_value.sival_int == 7;
}

/* Neither the thread nor its process has it pending any more. */
static int
is_taken (int number, pid_t pid)
{
    unsigned long mask, all = 0;
    char path[64], line[256];
    FILE *file;

    snprintf (path, sizeof path, "/proc/%d/status", (int) pid);
    file = fopen (path, "r");
    while (file != NULL && fgets (line, sizeof line, file) != NULL) {
        if (sscanf (line, "SigPnd: %lx", &mask) == 1
            || sscanf (line, "ShdPnd: %lx", &mask) == 1) {
            all |= mask;
        }
    }
    if (file != NULL) {
        fclose (file);
    }
    return (all & 1ul << (number - 1)) == 0;
}

/* A child sends two signals, the second when the first has been taken. */
int
provoke (void)
{
    const union sigval value = { .sival_int = 7 };
    int ends[2];
    char byte = 0;
    pid_t parent = getpid ();

    if (pipe (ends) != 0) {
        return -1;
    }
    sender = fork ();
    if (sender == 0) {
        if (read (ends[0], &byte, 1) == 1) {
            kill (parent, SIGUSR1);
            while (!is_taken (SIGUSR1, parent)) {
            }
            sigqueue (parent, SIGUSR2, value);
            while (!is_taken (SIGUSR2, parent)) {
            }
        }
        _exit (0);
    }
    if (write (ends[1], &byte, 1) != 1) {
        return -1;
    }
    while (waitpid (sender, NULL, 0) < 0) {
    }
    close (ends[0]);
    close (ends[1]);
    return 7;
}

static void
hit (void)
{
    n_hits++; /*@ hit */
}

static int
have_child (int is_twice)
{
    pid_t child = vfork ();
    int status = -1;

    if (child == 0) {
        if (!is_twice) {
            __asm__ volatile("int3");
            _exit (1);
        }
        child = vfork ();
        if (child == 0) {
            _exit (0);
        }
        _exit (waitpid (child, &status, 0) == child && status == 0 ? 0 : 1);
    }
    waitpid (child, &status, 0);
    return is_twice ? status == 0 : WIFSIGNALED (status) && WTERMSIG (status) == SIGTRAP;
}

static volatile int is_over;

static void *
wait_beside (void *data)
{
    *(int *) data = wait_in_vfork () == 42;
    is_over = 1;
    return NULL;
}

/* A thread waits, and this one does not. */
static int
be_beside (void)
{
    pthread_t thread;
    int is_well = 0;

    pthread_create (&thread, NULL, wait_beside, &is_well);
    while (!is_over) {
        usleep (1000);
    }
    pthread_join (thread, NULL);
    return is_well;
}

static int
end (const char *path, int status)
{
    FILE *file = path != NULL ? fopen (path, "w") : NULL;

    if (file != NULL) {
        fprintf (file, "%d\n", status);
        fclose (file);
    }
    return status;
}

int
main (int argc, char **argv)
{
    struct sigaction first = { .sa_sigaction = on_first, .sa_flags = SA_SIGINFO };
    struct sigaction second = { .sa_sigaction = on_second, .sa_flags = SA_SIGINFO };
    int is_well = 1;

    n_main++;
    sigaction (SIGUSR1, &first, NULL);
    sigaction (SIGUSR2, &second, NULL);
    fifo = argc > 2 ? argv[2] : "";
    if (strcmp (argv[1], "plain") == 0) {
        provoke ();
    } else if (strcmp (argv[1], "hold") == 0) {
        is_well = wait_in_vfork () == 42;
    } else if (strcmp (argv[1], "beside") == 0) {
        is_well = be_beside ();
    } else if (strcmp (argv[1], "twice") == 0 || strcmp (argv[1], "trap") == 0) {
        is_well = have_child (argv[1][1] == 'w');
    }
    for (int i = 0; i < 20; i++) {
        hit ();
    }
    if (strcmp (argv[1], "signals") == 0 || strcmp (argv[1], "ordered") == 0
        || strcmp (argv[1], "plain") == 0) {
        is_well = n_first == 1 && n_second == 1 && (is_ordered || argv[1][0] == 's');
    }
    return end (argc > 3 ? argv[3] : NULL, is_well && n_main == 1 && n_hits == 20 ? 0 : 9);
}
