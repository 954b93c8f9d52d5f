/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A C library without _dl_find_object (glibc before 2.35), which is renamed here: modules are found in the loader's list,
 * as the loader itself tells them. Argument: a library named as one of pddt's. */
#include "agent/trace-place.h"
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(hidden)

int
trace_is_busy (void)
{
    return 0;
}

uint32_t
trace_define_string (const char *text, ptrdiff_t size)
{
    return text != NULL;
}

uint32_t
trace_define_code (uint32_t module, uint32_t build_id, uint64_t offset)
{
    return module;
}

#pragma GCC visibility pop

static int status;

static void
check (int is_right, const char *what)
{
    static int number;

    printf ("%sok %d %s\n", is_right ? "" : "not ", ++number, what);
    status |= !is_right;
}

static int
is_as_told (const void *code)
{
    struct trace_module found, told;

    return trace_place_find_module (code, &found) && trace_place_ask_loader (code, &told)
           && strcmp (found.path, told.path) == 0 && found.base == told.base
           && found.begin == told.begin && (uintptr_t) code - found.begin < found.size;
}

int
main (int argc, char **argv)
{
    void *library = argc > 1 ? dlopen (argv[1], RTLD_NOW) : NULL;
    void *own = library != NULL ? dlsym (library, "place_own") : NULL;
    struct trace_module module;
    char *heap = malloc (1);

    printf ("1..6\n");
    check (is_as_told (__extension__(void *) main), "the program");
    check (is_as_told (__extension__(void *) strtol), "the C library");
    check (own != NULL && is_as_told (own), "a library");
    check (own != NULL && trace_place_is_own (own)
               && !trace_place_is_own (__extension__(void *) main),
           "pddt's own");
    check (!trace_place_find_module (heap, &module) && !trace_place_find_module (NULL, &module),
           "no code");
    check (trace_place_get (__extension__(void *) main) != 0 && trace_place_get (heap) == 0,
           "places");
    free (heap);
    return status;
}
