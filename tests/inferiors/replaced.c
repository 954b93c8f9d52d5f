/* SPDX-License-Identifier: GPL-3.0-or-later */
/* While a thread stands where its debugger has stopped it, the first one executes another program: the same, which waits. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int number;

static void
hit (void)
{
    __atomic_add_fetch (&number, 1, __ATOMIC_RELAXED); /*@ hit */
}

static void *
run (void *data)
{
    __atomic_store_n (&number, (int) syscall (SYS_gettid), __ATOMIC_RELAXED);
    hit ();
    pause ();
    return NULL;
}

static int
is_traced (int tid)
{
    char path[64], text[512] = "";
    const char *end;
    FILE *file;

    snprintf (path, sizeof path, "/proc/self/task/%d/stat", tid);
    file = fopen (path, "r");
    if (file != NULL) {
        text[fread (text, 1, sizeof text - 1, file)] = '\0';
        fclose (file);
    }
    end = strrchr (text, ')');
    return end != NULL && strncmp (end, ") t", 3) == 0;
}

int
main (int argc, char **argv)
{
    pthread_t thread;
    int tid;

    if (argc > 1) {
        pause ();
        return 0;
    }
    if (pthread_create (&thread, NULL, run, NULL) != 0) {
        return 9;
    }
    while ((tid = __atomic_load_n (&number, __ATOMIC_RELAXED)) == 0 || !is_traced (tid)) {
    }
    execl ("/proc/self/exe", argv[0], "again", NULL);
    return 9;
}
