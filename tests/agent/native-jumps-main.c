/* SPDX-License-Identifier: GPL-3.0-or-later */
/* It has no OpenMP itself, and calls that of the libraries that its arguments name, but for the last one. A library after a colon
 * is only loaded, into the global scope. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef int (*Function) (void);

static Function
find (void *library, const char *name)
{
    Function function;

    *(void **) &function = dlsym (library, name);
    return function;
}

static void *
run (void *take)
{
    ((void (*) (void)) take) ();
    return NULL;
}

static void
work (void *library)
{
    static const char *const names[] = { "nest", "take_last", "take_in_task",
                                         "loop", "rest",      "count" };
    void (*take) (void) = (void (*) (void)) find (library, "take");
    void (*give) (void) = (void (*) (void)) find (library, "give");
    Function is_taken = find (library, "is_taken");
    pthread_t thread;

    take ();
    printf ("%d", is_taken ());
    give ();
    find (library, "meet") ();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        printf (" %x", find (library, names[i]) ());
    }
    pthread_create (&thread, NULL, (void *(*) (void *) ) (void *) find (library, "take"), NULL);
    pthread_join (thread, NULL);
    printf (" %d\n", is_taken ());
    give ();
}

int
main (int argc, char **argv)
{
    for (int i = 1; i < argc - 1; i++) {
        int is_global = argv[i][0] == ':';
        void *library = dlopen (argv[i] + is_global, RTLD_NOW | (is_global ? RTLD_GLOBAL : 0));

        if (library == NULL) {
            fprintf (stderr, "%s\n", dlerror ());
            return 1;
        }
        if (!is_global) {
            work (library);
        }
    }
    return 0;
}
