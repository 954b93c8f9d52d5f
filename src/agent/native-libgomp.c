/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OpenMP of GCC's libgomp, which offers no OMPT: of what compiled code calls of it, parallel regions and waits are wrapped.
 * Each thread's part of a region ends in a barrier of ours, as in OPARI2's: libgomp's own, behind the end of that part, cannot
 * be seen. A runtime that has these functions and OMPT (LLVM's) tells by itself. */
#include "agent/native-openmp.h"
#include "agent/trace-place.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define EXPORTED __attribute__ ((visibility ("default")))
#define FREE_NS 1000u /* taking a lock is no wait if it takes less */

enum { MAX_CALLERS = 2048, END_SIZE = 112 };

typedef void (*Part) (void *data);

/* libgomp's ABI, from its libgomp_g.h. */
void GOMP_parallel (Part part, void *data, unsigned n, unsigned flags);
void GOMP_parallel_sections (Part part, void *data, unsigned n, unsigned count, unsigned flags);
unsigned GOMP_parallel_reductions (Part part, void *data, unsigned n, unsigned flags);
#define LOOP(name)                                                                             \
    void name (Part part, void *data, unsigned n, long start, long end, long step, long chunk, \
               unsigned flags);
#define RUNTIME_LOOP(name)                                                                     \
    void name (Part part, void *data, unsigned n, long start, long end, long step,             \
               unsigned flags);
#define LOOPS(X)                                                                               \
    X (GOMP_parallel_loop_static)                                                              \
    X (GOMP_parallel_loop_dynamic)                                                             \
    X (GOMP_parallel_loop_guided)                                                              \
    X (GOMP_parallel_loop_nonmonotonic_dynamic)                                                \
    X (GOMP_parallel_loop_nonmonotonic_guided)
#define RUNTIME_LOOPS(X)                                                                       \
    X (GOMP_parallel_loop_runtime)                                                             \
    X (GOMP_parallel_loop_nonmonotonic_runtime)                                                \
    X (GOMP_parallel_loop_maybe_nonmonotonic_runtime)
LOOPS (LOOP)
RUNTIME_LOOPS (RUNTIME_LOOP)
void GOMP_barrier (void);
void GOMP_loop_end (void);
void GOMP_sections_end (void);
void GOMP_critical_start (void);
void GOMP_critical_name_start (void **lock);
void GOMP_atomic_start (void);
void GOMP_ordered_start (void);
void omp_set_lock (void *lock);
void omp_set_nest_lock (void *lock);
void omp_set_lock_ (void *lock); /* Fortran's */
void omp_set_nest_lock_ (void *lock);
int omp_get_cancellation (void);
void GOMP_task (Part part, void *data, void *copy, long size, long align, bool is_deferred,
                unsigned flags, void **depend, int priority, void *detach);
void GOMP_taskloop (Part part, void *data, void *copy, long size, long align, unsigned flags,
                    unsigned long n, int priority, long start, long end, long step);
void GOMP_taskloop_ull (Part part, void *data, void *copy, long size, long align,
                        unsigned flags, unsigned long n, int priority, unsigned long long start,
                        unsigned long long end, unsigned long long step);

#define FUNCTIONS(X)                                                                           \
    X (GOMP_parallel)                                                                          \
    X (GOMP_parallel_sections)                                                                 \
    X (GOMP_parallel_reductions)                                                               \
    LOOPS (X)                                                                                  \
    RUNTIME_LOOPS (X)                                                                          \
    X (GOMP_barrier)                                                                           \
    X (GOMP_loop_end)                                                                          \
    X (GOMP_sections_end)                                                                      \
    X (GOMP_critical_start)                                                                    \
    X (GOMP_critical_name_start)                                                               \
    X (GOMP_atomic_start)                                                                      \
    X (GOMP_ordered_start)                                                                     \
    X (omp_set_lock)                                                                           \
    X (omp_set_nest_lock)                                                                      \
    X (omp_set_lock_)                                                                          \
    X (omp_set_nest_lock_)                                                                     \
    X (GOMP_task)                                                                              \
    X (GOMP_taskloop)                                                                          \
    X (GOMP_taskloop_ull)                                                                      \
    X (omp_get_cancellation)

#define NUMBER(name) IS_##name,
enum { FUNCTIONS (NUMBER) N_FUNCTIONS };
#define NAME(name) #name,
static const char *const names[N_FUNCTIONS] = { FUNCTIONS (NAME) };

/* ---- whose functions ---- */

/* What the functions are for callers of one module, as the loader finds them for it: in the global scope, else in the module's
 * own. Python loads libraries that have a libgomp of their own each, in no global scope. */
typedef struct {
    uintptr_t module; /* 0: free */
    int is_ready;
    int is_told;   /* the runtime has OMPT */
    int is_sought; /* the module has no runtime, so that another one has called; this is any */
    int is_own;    /* the module is pddt's */
    int can_cancel;
    char end[END_SIZE]; /* of the module's path: another one may come to where it was */
    void *functions[N_FUNCTIONS];
} Runtime;
static Runtime runtimes[MAX_CALLERS];

/* is_first: the handle's scope is searched before the global one */
static void *
find_function (void *handle, int is_first, const char *name)
{
    void *const scopes[] = { is_first ? handle : RTLD_NEXT, is_first ? RTLD_NEXT : handle };

    for (int i = 0; i < 2; i++) {
        void *found = scopes[i] != NULL ? dlsym (scopes[i], name) : NULL;

        if (found != NULL && !trace_place_is_own (found)) {
            return found;
        }
    }
    return NULL;
}

static void *
open_module (const void *code)
{
    struct trace_module module;

    return trace_place_find_module (code, &module)
               ? dlopen (module.path, RTLD_LAZY | RTLD_NOLOAD)
               : NULL;
}

static int
has_ompt (void *handle)
{
    return dlsym (handle, "__kmpc_fork_call") != NULL;
}

typedef struct {
    uintptr_t last, others[2];
    int n; /* so many of the others come before the last one */
} Order;

static int
look_for (struct dl_phdr_info *info, size_t size, void *user)
{
    Order *order = user;

    if (info->dlpi_addr == order->last) {
        return 1;
    }
    order->n += (info->dlpi_addr == order->others[0]) + (info->dlpi_addr == order->others[1]);
    return 0;
}

/* A module that was there, with its own runtime, before another one came into the global scope has the functions of its own. */
static int
is_bound_first (const void *code, void *handle)
{
    const void *wide = find_function (NULL, 0, names[IS_omp_set_lock]);
    const void *own = handle != NULL ? find_function (handle, 1, names[IS_omp_set_lock]) : wide;
    struct trace_module module, of_wide, of_own;
    Order order;

    if (own == wide || wide == NULL || !trace_place_find_module (code, &module)
        || !trace_place_find_module (wide, &of_wide)
        || !trace_place_find_module (own, &of_own)) {
        return 0;
    }
    order = (Order){ of_wide.base, { module.base, of_own.base }, 0 };
    dl_iterate_phdr (look_for, &order);
    return order.n == 2;
}

typedef struct {
    unsigned n; /* so many modules come before it */
    char path[PATH_MAX];
} Module;

static int
copy_path (struct dl_phdr_info *info, size_t size, void *user)
{
    Module *module = user;

    if (module->n > 0) {
        module->n--;
        return 0;
    }
    snprintf (module->path, sizeof module->path, "%s", info->dlpi_name);
    return 1;
}

/* The first module with a runtime in its scope; is_gcc: one without OMPT, if there is any. NULL: there is none. */
static void *
open_any (int is_gcc)
{
    Module module = { 0, "" };

    for (unsigned i = 0; module.n = i, dl_iterate_phdr (copy_path, &module) != 0; i++) {
        void *handle = dlopen (module.path, RTLD_LAZY | RTLD_NOLOAD);

        if (handle != NULL && find_function (handle, 1, names[IS_omp_set_lock]) != NULL
            && !(is_gcc && has_ompt (handle))) {
            return handle;
        }
        if (handle != NULL) {
            dlclose (handle);
        }
    }
    return is_gcc ? open_any (0) : NULL;
}

/* Whoever does it at the same time finds the same. */
static void
fill (Runtime *runtime, const void *code, const char *end)
{
    void *handle = open_module (code), *own;
    int (*get_cancellation) (void), reason = errno;
    int is_first = is_bound_first (code, handle);

    runtime->is_sought = find_function (handle, is_first, names[IS_omp_set_lock]) == NULL;
    if (runtime->is_sought) {
        if (handle != NULL) {
            dlclose (handle);
        }
        handle = open_any (1);
    }
    for (int i = 0; i < N_FUNCTIONS; i++) {
        runtime->functions[i] = find_function (handle, is_first, names[i]);
    }
    if (handle != NULL) {
        dlclose (handle);
    }
    /* never closed: it stays where it is */
    own = open_module (runtime->functions[IS_omp_set_lock]);
    runtime->is_told = own != NULL && has_ompt (own);
    runtime->is_own = trace_place_is_own (code);
    *(void **) &get_cancellation = runtime->functions[IS_omp_get_cancellation];
    runtime->can_cancel = get_cancellation == NULL || get_cancellation () != 0;
    memcpy (runtime->end, end, strlen (end) + 1);
    dlerror (); /* what was not found is none of the program's errors */
    errno = reason;
    __atomic_store_n (&runtime->is_ready, 1, __ATOMIC_RELEASE);
}

/* NULL: of too many modules. */
static const Runtime *
find_runtime (const void *code)
{
    struct trace_module module = { "", 0, 1, 0 };
    const char *end;
    size_t length;

    trace_place_find_module (code, &module);
    length = strlen (module.path);
    end = module.path + (length < END_SIZE ? 0 : length - END_SIZE + 1);
    for (unsigned i = 0, at = (unsigned) (module.begin >> 12); i < MAX_CALLERS; i++, at++) {
        Runtime *runtime = &runtimes[at % MAX_CALLERS];
        uintptr_t known = __atomic_load_n (&runtime->module, __ATOMIC_ACQUIRE);

        if (known == 0
            && __atomic_compare_exchange_n (&runtime->module, &known, module.begin, 0,
                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            known = module.begin;
        }
        if (known != module.begin) {
            continue;
        }
        if (!__atomic_load_n (&runtime->is_ready, __ATOMIC_ACQUIRE)) {
            fill (runtime, code, end);
        }
        if (strcmp (runtime->end, end) == 0) {
            return runtime;
        }
    }
    return NULL;
}

/* A thread's part of a region, while it runs that. */
typedef struct {
    void *first; /* what GOMP_parallel_reductions reads of the data */
    Part part;
    void *data;
    const void *code;
    const Runtime *runtime;
    void (*wait) (void); /* NULL: not, as threads may leave a region that can be cancelled */
} Team;
static __thread const Team *running __attribute__ ((tls_model ("initial-exec")));

/* code: where the call returns to. A function that ends in a call is left by a jump: that is then in whoever has called the
 * function, run_part here or a library without OpenMP. The place, and the runtime, are those of the region then. */
static const Runtime *
find_caller (const void **code)
{
    const Runtime *runtime = find_runtime (*code);
    const Team *team = running;

    if (runtime == NULL) {
        return NULL;
    }
    if (runtime->is_own) {
        *code = team != NULL ? team->code : NULL;
    }
    return team != NULL && (runtime->is_own || runtime->is_sought) ? team->runtime : runtime;
}

/* NULL: there is none. A program may refer to one weakly, and call it as it finds the wrapper: it has one thread, and no
 * wait. */
static void *
find (const Runtime *runtime, int function)
{
    return runtime != NULL ? runtime->functions[function] : dlsym (RTLD_NEXT, names[function]);
}

static int
is_recorded (const Runtime *runtime)
{
    return runtime != NULL && !runtime->is_told && native_is_on ();
}

/* ---- events ---- */

static int
    has_tasks; /* the program makes tasks, which run while their threads wait at barriers */

static int
enter (enum native_openmp which, const void *code)
{
    int reason = errno, is_on = native_begin ();

    if (is_on) {
        native_open ();
        trace_put (PDDT_TRACE_ENTER, native_openmp_get_region (which), native_get_place (code));
        native_rest ();
    }
    errno = reason;
    return is_on;
}

static void
leave (enum native_openmp which, int is_entered)
{
    int reason = errno;

    if (is_entered && native_go_on ()) {
        trace_put (PDDT_TRACE_LEAVE, native_openmp_get_region (which), 0);
        native_rest ();
    }
    errno = reason;
}

/* It has waited since then: only now it is known whether it did. */
static void
put_wait (enum native_openmp which, uint64_t begin_ns, const void *code)
{
    uint64_t now = trace_now ();
    int reason = errno, is_barrier = which == OPENMP_BARRIER;

    if (is_barrier ? __atomic_load_n (&has_tasks, __ATOMIC_RELAXED)
                   : now - begin_ns < FREE_NS) {
        return;
    }
    if (native_begin ()) {
        native_open ();
        trace_put_at (begin_ns, PDDT_TRACE_ENTER, native_openmp_get_region (which),
                      native_get_place (code));
        trace_put_at (now, PDDT_TRACE_LEAVE, native_openmp_get_region (which), 0);
        native_rest ();
    }
    errno = reason;
}

/* ---- parallel regions ---- */

/* In a section of its own, whose begin and end the linker tells. */
static __attribute__ ((noinline, section ("pddt_part"))) void
run_part (void *data)
{
    const Team team = *(const Team *) data, *outer = running;
    int is_entered = enter (OPENMP_TASK, team.code);

    running = &team;
    team.part (team.data);
    running = outer;
    if (team.wait != NULL) {
        uint64_t begin_ns = trace_now ();

        team.wait ();
        put_wait (OPENMP_BARRIER, begin_ns, team.code);
    }
    leave (OPENMP_TASK, is_entered);
}

const void *
native_openmp_find_code (const void *code)
{
    extern const char __start_pddt_part[], __stop_pddt_part[];
    uintptr_t at = (uintptr_t) code;

    return running != NULL && at >= (uintptr_t) __start_pddt_part
                   && at < (uintptr_t) __stop_pddt_part
               ? running->code
               : code;
}

/* The compiler makes a function of each region, which begins at the region's line. Unlike the call's this place is never that
 * of another region or of another module. It is given as if a call ended in the function's first byte. */
static const void *
get_place (Part part)
{
    return (const char *) (uintptr_t) part + 1;
}

static void
tell (const Runtime *runtime, Part part)
{
    if (runtime != NULL && runtime->is_told) {
        native_openmp_part = get_place (part);
    }
}

/* part and data of a region are then those of the team. Whether it is entered. */
static int
begin_team (Team *team, const Runtime *runtime, Part *part, void **data)
{
    *team = (Team){ NULL, *part, *data, get_place (*part), runtime, NULL };
    if (!runtime->can_cancel) {
        *(void **) &team->wait = runtime->functions[IS_GOMP_barrier];
    }
    *part = run_part;
    *data = team;
    return enter (OPENMP_PARALLEL, team->code);
}

#define PLAIN(...) __VA_ARGS__
#define WITH(...) const Runtime *runtime, __VA_ARGS__
#define CALL(name) ((__typeof__ (&name)) find (runtime, IS_##name))
/* A runtime that tells by itself takes its caller for the place: it is called in place of the wrapper. */
#define WRAP_PARALLEL(name, parameters, ...)                                                   \
    static __attribute__ ((noinline)) void record_##name (WITH (PLAIN parameters))             \
    {                                                                                          \
        Team team;                                                                             \
        int is_entered = begin_team (&team, runtime, &part, &data);                            \
                                                                                               \
        CALL (name) (part, data, __VA_ARGS__);                                                 \
        leave (OPENMP_PARALLEL, is_entered);                                                   \
    }                                                                                          \
    EXPORTED void name parameters                                                              \
    {                                                                                          \
        const Runtime *runtime = find_runtime (*(void **) &part);                              \
                                                                                               \
        if (!is_recorded (runtime)) {                                                          \
            tell (runtime, part);                                                              \
            CALL (name) (part, data, __VA_ARGS__);                                             \
        } else {                                                                               \
            record_##name (runtime, part, data, __VA_ARGS__);                                  \
        }                                                                                      \
    }
#define WRAP_LOOP(name)                                                                        \
    WRAP_PARALLEL (name,                                                                       \
                   (Part part, void *data, unsigned n, long start, long end, long step,        \
                    long chunk, unsigned flags),                                               \
                   n, start, end, step, chunk, flags)
#define WRAP_RUNTIME_LOOP(name)                                                                \
    WRAP_PARALLEL (name,                                                                       \
                   (Part part, void *data, unsigned n, long start, long end, long step,        \
                    unsigned flags),                                                           \
                   n, start, end, step, flags)
WRAP_PARALLEL (GOMP_parallel, (Part part, void *data, unsigned n, unsigned flags), n, flags)
WRAP_PARALLEL (GOMP_parallel_sections,
               (Part part, void *data, unsigned n, unsigned count, unsigned flags), n, count,
               flags)
LOOPS (WRAP_LOOP)
RUNTIME_LOOPS (WRAP_RUNTIME_LOOP)

static __attribute__ ((noinline)) unsigned
record_reductions (const Runtime *runtime, Part part, void *data, unsigned n, unsigned flags)
{
    Team team;
    int is_entered = begin_team (&team, runtime, &part, &data);
    unsigned result;

    team.first = *(void **) team.data;
    result = CALL (GOMP_parallel_reductions) (part, data, n, flags);
    leave (OPENMP_PARALLEL, is_entered);
    return result;
}

EXPORTED unsigned
GOMP_parallel_reductions (Part part, void *data, unsigned n, unsigned flags)
{
    const Runtime *runtime = find_runtime (*(void **) &part);

    if (is_recorded (runtime)) {
        return record_reductions (runtime, part, data, n, flags);
    }
    tell (runtime, part);
    return CALL (GOMP_parallel_reductions) (part, data, n, flags);
}

/* ---- waits ---- */

#define WRAP_WAIT(name, which, parameters, ...)                                                \
    EXPORTED void name parameters                                                              \
    {                                                                                          \
        const void *code = __builtin_return_address (0);                                       \
        const Runtime *runtime = find_caller (&code);                                          \
        uint64_t begin_ns;                                                                     \
                                                                                               \
        if (find (runtime, IS_##name) == NULL) {                                               \
            return;                                                                            \
        }                                                                                      \
        if (!is_recorded (runtime)) {                                                          \
            CALL (name) (__VA_ARGS__);                                                         \
            return;                                                                            \
        }                                                                                      \
        begin_ns = trace_now ();                                                               \
        CALL (name) (__VA_ARGS__);                                                             \
        put_wait (which, begin_ns, code);                                                      \
    }
WRAP_WAIT (GOMP_barrier, OPENMP_BARRIER, (void) )
WRAP_WAIT (GOMP_loop_end, OPENMP_BARRIER, (void) )
WRAP_WAIT (GOMP_sections_end, OPENMP_BARRIER, (void) )
WRAP_WAIT (GOMP_critical_start, OPENMP_CRITICAL, (void) )
WRAP_WAIT (GOMP_critical_name_start, OPENMP_CRITICAL, (void **lock), lock)
WRAP_WAIT (GOMP_atomic_start, OPENMP_ATOMIC, (void) )
WRAP_WAIT (GOMP_ordered_start, OPENMP_ORDERED, (void) )
WRAP_WAIT (omp_set_lock, OPENMP_LOCK, (void *lock), lock)
WRAP_WAIT (omp_set_nest_lock, OPENMP_LOCK, (void *lock), lock)
WRAP_WAIT (omp_set_lock_, OPENMP_LOCK, (void *lock), lock)
WRAP_WAIT (omp_set_nest_lock_, OPENMP_LOCK, (void *lock), lock)

/* ---- tasks ---- */

/* Earlier versions of the compiler give fewer of the arguments. */
#define WRAP_TASK(name, parameters, ...)                                                       \
    EXPORTED void name parameters                                                              \
    {                                                                                          \
        const Runtime *runtime = find_runtime (*(void **) &part);                              \
                                                                                               \
        __atomic_store_n (&has_tasks, 1, __ATOMIC_RELAXED);                                    \
        CALL (name) (__VA_ARGS__);                                                             \
    }
WRAP_TASK (GOMP_task,
           (Part part, void *data, void *copy, long size, long align, bool is_deferred,
            unsigned flags, void **depend, int priority, void *detach),
           part, data, copy, size, align, is_deferred, flags, depend, priority, detach)
WRAP_TASK (GOMP_taskloop,
           (Part part, void *data, void *copy, long size, long align, unsigned flags,
            unsigned long n, int priority, long start, long end, long step),
           part, data, copy, size, align, flags, n, priority, start, end, step)
WRAP_TASK (GOMP_taskloop_ull,
           (Part part, void *data, void *copy, long size, long align, unsigned flags,
            unsigned long n, int priority, unsigned long long start, unsigned long long end,
            unsigned long long step),
           part, data, copy, size, align, flags, n, priority, start, end, step)
