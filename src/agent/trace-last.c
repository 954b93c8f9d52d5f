/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who makes the archive of processes that nobody has started together (python3 -m scorep): the last one that ends. Each
 * holds a shared lock on a file of the spool, which the kernel takes back however it ends. Who can have the lock alone,
 * at its exit, and finds that all ranks have been there, is the last. */
#include "agent/trace-last.h"
#include "agent/trace-layout.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_PATH = 4096, MAX_RANKS = 1 << 20 };

static struct {
    char spool[MAX_PATH], program[MAX_PATH];
    int lock; /* descriptor; -1: this process is none of those */
    pid_t pid;
    long size;
} last = { .lock = -1 };

static int
open_file (const char *name, int flags)
{
    char path[MAX_PATH + 64];

    snprintf (path, sizeof path, "%s/%s", last.spool, name);
    return open (path, O_RDWR | O_CLOEXEC | flags, 0666);
}

static void
take_part (void)
{
    last.pid = getpid ();
    last.lock = open_file (PDDT_TRACE_LOCK, O_CREAT);
    if (last.lock >= 0 && flock (last.lock, LOCK_SH) != 0) {
        close (last.lock);
        last.lock = -1;
    }
}

/* A lock belongs to what was opened, which a fork shares. */
static void
in_child (void)
{
    if (last.lock >= 0) {
        close (last.lock);
        take_part ();
    }
}

void
trace_last_begin (const char *spool, const char *program, const char *rank, const char *size)
{
    char name[64];
    int mark;

    if (strlen (spool) >= sizeof last.spool || strlen (program) >= sizeof last.program) {
        return;
    }
    strcpy (last.spool, spool);
    strcpy (last.program, program);
    last.size = size != NULL ? strtol (size, NULL, 10) : 0;
    take_part ();
    if (rank != NULL) {
        snprintf (name, sizeof name, "rank-%ld", strtol (rank, NULL, 10));
        mark = open_file (name, O_CREAT);
        if (mark >= 0) {
            close (mark);
        }
    }
    pthread_atfork (NULL, NULL, in_child);
}

static int
have_all_begun (void)
{
    char path[MAX_PATH + 64];

    for (long rank = 0; rank < last.size && rank < MAX_RANKS; rank++) {
        snprintf (path, sizeof path, "%s/rank-%ld", last.spool, rank);
        if (access (path, F_OK) != 0) {
            return 0;
        }
    }
    return 1;
}

/* Score-P's bindings say nothing at the end; pddt is to say no more than what is wrong. Never freed. */
static char **
extend_environment (void)
{
    size_t n = 0;
    char **entries = environ, **list;

    while (entries != NULL && entries[n] != NULL) {
        n++;
    }
    list = calloc (n + 2, sizeof *list);
    if (list != NULL) {
        memcpy (list, entries, n * sizeof *list);
        list[n] = (char *) "PDDT_TRACE_LAST=1";
    }
    return list != NULL ? list : entries;
}

/* The spool is FOLDER/trace/spool. */
static void
finalize (void)
{
    char folder[MAX_PATH], *words[] = { last.program, "--finalize", folder, NULL };
    int status, (*spawn) (pid_t *, const char *, const posix_spawn_file_actions_t *,
                          const posix_spawnattr_t *, char *const[], char *const[]);
    pid_t child;

    /* trace-preload.c's would trace it, too */
    *(void **) &spawn = dlsym (RTLD_NEXT, "posix_spawn");
    strcpy (folder, last.spool);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr (folder, '/');

        if (slash == NULL || slash == folder) {
            return;
        }
        *slash = '\0';
    }
    if (spawn != NULL
        && spawn (&child, last.program, NULL, NULL, words, extend_environment ()) == 0) {
        while (waitpid (child, &status, 0) < 0 && errno == EINTR) {
        }
    } else {
        fprintf (stderr, "pddt: cannot run %s: %s; pddt --finalize %s makes the experiment\n",
                 last.program, strerror (errno), folder);
    }
}

void
trace_last_end (void)
{
    if (last.lock < 0 || last.pid != getpid ()) {
        return;
    }
    /* The own lock is given up first, so that of two that try at once one succeeds. */
    if (flock (last.lock, LOCK_EX | LOCK_NB) == 0 && have_all_begun ()) {
        finalize ();
    }
    close (last.lock);
    last.lock = -1;
}
