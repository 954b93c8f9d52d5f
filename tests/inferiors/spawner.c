/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spawner N: N threads that start programs all the time, by posix_spawn (a vfork), until it is killed. */
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *
run (void *unused)
{
    char *words[] = { "true", NULL };
    pid_t child;

    while (posix_spawn (&child, "/bin/true", NULL, NULL, words, environ) == 0) {
        waitpid (child, NULL, 0);
    }
    return unused;
}

int
main (int argc, char **argv)
{
    pthread_t thread;

    alarm (60);
    for (int i = 1; argc > 1 && i < atoi (argv[1]); i++) {
        pthread_create (&thread, NULL, run, NULL);
    }
    run (NULL);
    return 1;
}
