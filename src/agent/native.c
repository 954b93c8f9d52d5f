/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the wrappers have in common. Events are recorded with a mark on the thread, so that neither a signal
 * handler that interrupts it nor the ring's own calls are recorded in their middle. */
#include "agent/native.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { N_PLACES = 4096, DEFINING = 1 };

#define NATIVE_TEXT(name) #name,
static const char *const names[NATIVE_N_FUNCTIONS] = { NATIVE_IO (NATIVE_TEXT)
                                                           NATIVE_LOCKS (NATIVE_TEXT) };
static void *functions[NATIVE_N_FUNCTIONS];
static uint32_t regions[NATIVE_N_FUNCTIONS];
static char folder[4096];
/* of calls that were recorded; a place whose slot is taken by another is not told */
static struct {
    uintptr_t code; /* 0: free; DEFINING */
    uint32_t place;
} places[N_PLACES];
static __thread int is_recording __attribute__ ((tls_model ("initial-exec")));

/* Condition variables have two forms, and a search without a version may find the old one. */
void *
native_find (enum native_function function)
{
    void *found = __atomic_load_n (&functions[function], __ATOMIC_RELAXED);

    if (found == NULL) {
        found = dlvsym (RTLD_NEXT, names[function], "GLIBC_2.3.2");
        found = found != NULL ? found : dlsym (RTLD_NEXT, names[function]);
        __atomic_store_n (&functions[function], found, __ATOMIC_RELAXED);
    }
    return found;
}

int
native_begin (void)
{
    if (!trace_is_open () || is_recording) {
        return 0;
    }
    is_recording = 1;
    return 1;
}

void
native_rest (void)
{
    is_recording = 0;
}

/* "__pread64_chk" is pread, for who has written it. */
static uint32_t
define (enum native_function function)
{
    int is_io = function < NATIVE_N_IO;
    const char *name = names[function] + (strncmp (names[function], "__", 2) == 0 ? 2 : 0);
    char text[64];

    snprintf (text, sizeof text, "%.*s", (int) (is_io ? strcspn (name, "_6") : strlen (name)),
              name);
    return trace_define_region (text, NULL, NULL, 0,
                                is_io ? PDDT_TRACE_IN_IO : PDDT_TRACE_IN_PTHREAD, 0);
}

static uint32_t
get_region (enum native_function function)
{
    uint32_t region = __atomic_load_n (&regions[function], __ATOMIC_RELAXED);

    if (region == 0) {
        region = define (function);
        __atomic_store_n (&regions[function], region, __ATOMIC_RELAXED);
    }
    return region;
}

uint16_t
native_get_place (const void *code)
{
    unsigned at = (unsigned) (((uint64_t) (uintptr_t) code * 0x9e3779b97f4a7c15u) >> 52);
    uintptr_t known = 0;
    Dl_info info;

    if (code == NULL) {
        return 0;
    }
    if (__atomic_compare_exchange_n (&places[at].code, &known, DEFINING, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        uint32_t place = dladdr (code, &info) != 0
                             ? trace_define_place (info.dli_fname, 0,
                                                   (uintptr_t) code
                                                       - (uintptr_t) info.dli_fbase)
                             : 0;

        places[at].place = place <= PDDT_TRACE_MAX_PLACE ? place : 0;
        __atomic_store_n (&places[at].code, (uintptr_t) code, __ATOMIC_RELEASE);
        known = (uintptr_t) code;
    }
    return known == (uintptr_t) code ? (uint16_t) (places[at].place << PDDT_TRACE_PLACE_SHIFT)
                                     : 0;
}

void
native_enter (enum native_function function, const void *code)
{
    trace_put (PDDT_TRACE_ENTER, get_region (function), native_get_place (code));
}

void
native_leave (enum native_function function)
{
    trace_put (PDDT_TRACE_LEAVE, get_region (function), 0);
}

const char *
native_get_folder (void)
{
    return folder;
}

static void __attribute__ ((constructor)) begin (void)
{
    for (int i = 0; i < NATIVE_N_FUNCTIONS; i++) {
        native_find ((enum native_function) i);
    }
    is_recording = 1;
    if (trace_find_setting (TRACE_FOLDER_VARIABLE, folder, sizeof folder - 1)
        && trace_open (PDDT_TRACE_NATIVE) == 0 && folder[strlen (folder) - 1] != '/') {
        strcat (folder, "/");
    }
    is_recording = 0;
}

static void __attribute__ ((destructor)) end (void)
{
    trace_end ();
}
