/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vforked HOW FILE: has a child by vfork, which works in this memory and then executes this program again ("exec") or
 * ends with 3 ("exit"), beside a thread that works all the time. Writes to FILE what was left of it: "whole" when
 * every piece of work came out right. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int is_over, n_wrong;
static volatile long n_done;

static int
work (int value)
{
    int twice = value * 2; /*@ work */

    return twice + 1; /*@ work-end */
}

static int
pass (int value)
{
    return value + 1;
}

static void *
keep_busy (void *unused)
{
    while (!is_over || n_done < 1000) {
        n_wrong += pass (work (20)) != 42;
        n_done++;
    }
    return unused;
}

int
main (int argc, char **argv)
{
    char *again[] = { argv[0], NULL };
    int is_exec = argc > 1 && strcmp (argv[1], "exec") == 0, status = 0;
    pthread_t thread;
    FILE *file;
    pid_t child;

    if (argc < 3) {
        return work (2) != 5;
    }
    pthread_create (&thread, NULL, keep_busy, NULL);
    while (n_done < 100) {
    }
    child = vfork ();
    if (child == 0) {
        n_wrong += work (1) != 3;
        if (is_exec) { /*@ after */
            execv (argv[0], again);
        }
        _exit (3);
    }
    waitpid (child, &status, 0);
    is_over = 1;
    pthread_join (thread, NULL);
    n_wrong += work (3) != 7;
    file = fopen (argv[2], "w");
    fprintf (file, "%s %d\n", n_wrong == 0 ? "whole" : "broken",
             WIFEXITED (status) ? WEXITSTATUS (status) : -WTERMSIG (status));
    fclose (file);
    return 0;
}
