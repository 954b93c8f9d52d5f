/* SPDX-License-Identifier: GPL-3.0-or-later */
// A program and a library that are built anew while they run; see test-changed.py. With -DANEW all
// lies elsewhere. Arguments: its own path, the new one's, the library's, the new one's.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#ifdef ANEW
double pad[20] = { 1 };
int second = 2, first = 1;
#else
int first = 11, second = 22;
#endif
volatile int sink;

#ifdef LIBRARY
int
library_work (int n)
{
#ifdef ANEW
    int other = n * 100;
#else
    int inside = n + 1;
    int other = inside;
#endif
    sink = other; //@ library
    return sink;
}
#else

static void
replace (const char *path, const char *with)
{
    if (rename (with, path) != 0)
        exit (3);
}

/* Under the same inode: its time is all that tells. */
static void
touch (const char *path)
{
    struct timespec times[2] = { { 1000000000, 0 }, { 1000000000, 0 } };
    if (utimensat (AT_FDCWD, path, times, 0) != 0)
        exit (4);
}

static int
work (int n)
{
#ifdef ANEW
    int other = 1000, here = other;
#else
    int here = n * 2, other = 7;
#endif
    sink = here; //@ before
    sink = here + other; //@ after
    return sink;
}

int
main (int argc, char **argv)
{
    void *library = dlopen (argv[3], RTLD_NOW);
    int (*called) (int) = (int (*) (int)) dlsym (library, "library_work");
    called (3);
    if (access (argv[2], F_OK) == 0) {
        replace (argv[1], argv[2]);
        replace (argv[3], argv[4]);
    } else {
        touch (argv[3]);
    }
    work (5);
    called (4);
    return first == 11 && second == 22 ? 0 : 1;
}
#endif
