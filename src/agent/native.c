/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the wrappers have in common. Events are recorded with a mark on the thread, so that neither a signal
 * handler that interrupts it nor the ring's own calls are recorded in their middle. */
#include "agent/native.h"
#include "agent/trace-ask.h"
#include "agent/trace-place.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LONG_NS 200000u /* a call that takes so long is asked for its line of Python code */

#define NATIVE_TEXT(name) #name,
static const char *const names[NATIVE_N_FUNCTIONS]
    = { NATIVE_IO (NATIVE_TEXT) NATIVE_LOCKS (NATIVE_TEXT) NATIVE_SLEEPS (NATIVE_TEXT) };
static void *functions[NATIVE_N_FUNCTIONS];
static uint32_t regions[NATIVE_N_FUNCTIONS];
static char folder[4096], program[4096];
static __thread int is_recording __attribute__ ((tls_model ("initial-exec")));
static __thread uint64_t entered_ns __attribute__ ((tls_model ("initial-exec")));
static int is_wanted, has_begun;
static const void
    *python; /* a function of the interpreter; NULL: there is none, or it came later */

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
native_is_on (void)
{
    return is_wanted && trace_user_is_on ();
}

int
native_go_on (void)
{
    if (is_recording) {
        return 0;
    }
    is_recording = 1;
    return 1;
}

int
native_begin (void)
{
    return native_is_on () && native_go_on ();
}

/* What records calls functions of the C library, too. */
int
native_has_interrupted (const void *code)
{
    return is_recording && native_is_on () && native_has_begun ()
           && !trace_place_is_own (native_openmp_find_code (code));
}

void
native_rest (void)
{
    is_recording = 0;
}

int
native_has_begun (void)
{
    return __atomic_load_n (&has_begun, __ATOMIC_RELAXED);
}

/* The name as who has written the call knows it: "__pread64_chk" is pread, "__isoc99_vfscanf" fscanf, "vprintf" printf and
 * "putc_unlocked" putc. In an experiment for Score-P's tools pread64 stays that, as Score-P has it. */
static void
simplify (const char *name, char *text, size_t size)
{
    static const char *const prefixes[] = { "__", "_IO_", "isoc99_", "isoc23_", "v" };
    char other[4096];

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen (prefixes[i]);

        name += strncmp (name, prefixes[i], length) == 0 ? length : 0;
    }
    snprintf (text, size, "%.*s",
              (int) strcspn (name, trace_find_setting ("PDDT_TRACE_LAST", other, sizeof other)
                                       ? "_"
                                       : "_6"),
              name);
}

static uint32_t
define (enum native_function function)
{
    int is_io = function < NATIVE_N_IO;
    char text[64];

    if (is_io) {
        simplify (names[function], text, sizeof text);
    } else {
        snprintf (text, sizeof text, "%s", names[function]);
    }
    return trace_define_region (text, NULL, NULL, 0,
                                is_io                               ? PDDT_TRACE_IN_IO
                                : function < NATIVE_N_BEFORE_SLEEPS ? PDDT_TRACE_IN_PTHREAD
                                                                    : PDDT_TRACE_IN_LIBC,
                                is_io || function == NATIVE_pthread_mutex_unlock
                                        || function == NATIVE_pthread_rwlock_unlock
                                    ? 0
                                    : PDDT_TRACE_IS_WAIT);
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
    uint32_t place = trace_place_get (code);

    return place <= PDDT_TRACE_MAX_PLACE ? (uint16_t) (place << PDDT_TRACE_PLACE_SHIFT) : 0;
}

/* The library's functions of these names record the program's calls. */
static void
read_text (const char *path, char *text, size_t size)
{
    int fd = (int) syscall (SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    long n = fd >= 0 ? syscall (SYS_read, fd, text, size - 1) : 0;

    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0) {
        syscall (SYS_close, fd);
    }
}

static uint64_t
read_runnable_ns (void)
{
    unsigned long long ran = 0, queued = 0;
    char text[96];

    read_text ("/proc/thread-self/schedstat", text, sizeof text);
    return sscanf (text, "%llu %llu", &ran, &queued) == 2 ? ran + queued : 0;
}

/* How long this thread has been there; 0: not known. */
static uint64_t
read_age_ns (void)
{
    enum {
        FIELDS_BEFORE = 19
    }; /* from the state, which follows the name, to when it has begun */
    char text[768];
    const char *at;
    struct timespec now;
    uint64_t begun_ns, now_ns;

    read_text ("/proc/thread-self/stat", text, sizeof text);
    at = strrchr (text, ')');
    for (int i = 0; at != NULL && i <= FIELDS_BEFORE; i++) {
        at = strchr (at + 1, ' ');
    }
    if (at == NULL || clock_gettime (CLOCK_BOOTTIME, &now) != 0) {
        return 0;
    }
    begun_ns = strtoull (at, NULL, 10) * (1000000000u / (uint64_t) sysconf (_SC_CLK_TCK));
    now_ns = (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
    return now_ns > begun_ns ? now_ns - begun_ns : 0;
}

static void
end_thread (void)
{
    native_runs_end ();
    if (native_go_on ()) {
        struct pddt_trace_value values[2] = { { .type = PDDT_TRACE_NATURAL },
                                              { .type = PDDT_TRACE_NATURAL } };

        values[0].value.natural = read_runnable_ns ();
        values[1].value.natural = read_age_ns ();
        trace_put_with (PDDT_TRACE_THREAD_END, 0, 0, values, sizeof values);
        native_rest ();
    }
}

void
native_open (void)
{
    if (!native_has_begun ()) {
        trace_user_open ();
        trace_on_fork (native_runs_forget);
        trace_on_thread_end (end_thread);
        __atomic_store_n (&has_begun, 1, __ATOMIC_RELAXED);
    }
}

void
native_enter (enum native_function function, const void *code)
{
    native_open ();
    entered_ns = trace_now ();
    trace_put_at (entered_ns, PDDT_TRACE_ENTER, get_region (function),
                  native_get_place (native_openmp_find_code (code)));
}

static int
is_interpreter (const void *code)
{
    struct trace_module module, interpreter;

    return python != NULL && code != NULL && trace_place_find_module (code, &module)
           && trace_place_find_module (python, &interpreter)
           && module.begin == interpreter.begin;
}

void
native_leave (enum native_function function, const void *code)
{
    uint64_t now = trace_now ();
    uint16_t line = now - entered_ns >= LONG_NS && is_interpreter (code) ? trace_ask_line ()
                                                                         : 0;

    trace_put_at (now, PDDT_TRACE_LEAVE, get_region (function), line);
}

const char *
native_get_folder (void)
{
    return folder;
}

/* ---- whose calls are recorded ---- */

static int
uses_any (void)
{
    /* the recorder of MPI calls has MPI_Init itself */
    static const char *const libraries[] = { "PySys_AddAuditHook", "PMPI_Init",
                                             "omp_get_num_threads" };

    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (dlsym (RTLD_DEFAULT, libraries[i]) != NULL) {
            return 1;
        }
    }
    return 0;
}

static int
is_shell (void)
{
    static const char *const shells[] = { "sh",  "dash", "bash", "ksh",     "mksh", "zsh",
                                          "csh", "tcsh", "fish", "busybox", "env" };
    const char *slash = strrchr (program, '/'), *name = slash != NULL ? slash + 1 : program;

    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp (name, shells[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* PDDT_TRACE_PID is the process that pddt-start has become the rank in, or "any". */
static int
is_of_interest (void)
{
    char pid[32];

    return trace_find_setting ("PDDT_TRACE_PID", pid, sizeof pid)
           && (strcmp (pid, "any") == 0 || uses_any ()
               || (atoi (pid) == (int) getpid () && !is_shell ()));
}

static void __attribute__ ((constructor)) begin (void)
{
    ssize_t length = readlink ("/proc/self/exe", program, sizeof program - 1);

    program[length > 0 ? length : 0] = '\0';
    for (int i = 0; i < NATIVE_N_FUNCTIONS; i++) {
        native_find ((enum native_function) i);
    }
    is_recording = 1;
    if (trace_find_setting (TRACE_FOLDER_VARIABLE, folder, sizeof folder - 1)
        && folder[0] == '/' && is_of_interest ()) {
        if (folder[strlen (folder) - 1] != '/') {
            strcat (folder, "/");
        }
        is_wanted = 1;
        python = dlsym (RTLD_DEFAULT, "PyGILState_Ensure");
    }
    dlerror (); /* what was not found is none of the program's errors */
    is_recording = 0;
}
