/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OpenMP, told by runtimes that have OMPT (OpenMP 5.0, chapter 4: LLVM's and Intel's): parallel regions, the tasks of their
 * threads, worksharing, and waits at barriers and for locks. */
#include "agent/native-openmp.h"
#include "agent/trace-place.h"
#include <dlfcn.h>
#include <stddef.h>

/* From the specification, with its names and numbers: compilers have a header, but not GCC. */
typedef union {
    uint64_t value;
    void *ptr;
} ompt_data_t;
typedef void (*ompt_interface_fn_t) (void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t) (const char *name);
typedef struct {
    int (*initialize) (ompt_function_lookup_t lookup, int device, ompt_data_t *tool);
    void (*finalize) (ompt_data_t *tool);
    ompt_data_t tool_data;
} ompt_start_tool_result_t;
typedef int (*ompt_set_callback_t) (int event, void (*callback) (void));
enum {
    ON_PARALLEL_BEGIN = 3,
    ON_PARALLEL_END = 4,
    ON_IMPLICIT_TASK = 7,
    ON_SYNC_REGION_WAIT = 16,
    ON_WORK = 20,
    ON_MUTEX_ACQUIRE = 26,
    ON_MUTEX_ACQUIRED = 27,
    SCOPE_BEGIN = 1,
    SCOPE_END = 2,
    TASK_INITIAL = 1,
};

static const char *const names[N_OPENMP]
    = { "omp parallel",     "omp implicit task", "omp for",         "omp sections",
        "omp single",       "omp workshare",     "omp distribute",  "omp taskloop",
        "omp barrier wait", "omp taskwait",      "omp taskgroup",   "omp reduction wait",
        "omp lock wait",    "omp critical wait", "omp atomic wait", "omp ordered wait" };
static uint32_t regions[N_OPENMP];
static uintptr_t runtime_begin; /* where its module is mapped */
__thread const void *native_openmp_part;

uint32_t
native_openmp_get_region (enum native_openmp which)
{
    uint32_t region = __atomic_load_n (&regions[which], __ATOMIC_RELAXED);

    if (region == 0) {
        region = trace_define_region (names[which], NULL, NULL, 0, PDDT_TRACE_IN_OPENMP,
                                      which == OPENMP_BARRIER    ? PDDT_TRACE_IS_BARRIER
                                      : which >= OPENMP_LOCK     ? PDDT_TRACE_IS_LOCK
                                      : which >= OPENMP_TASKWAIT ? PDDT_TRACE_IS_WAIT
                                                                 : 0);
        __atomic_store_n (&regions[which], region, __ATOMIC_RELAXED);
    }
    return region;
}

/* code: where the construct stands; NULL: the runtime does not say */
static void
put (enum native_openmp which, int scope, const void *code)
{
    if (native_begin ()) {
        native_open ();
        if (scope != SCOPE_END) {
            trace_put (PDDT_TRACE_ENTER, native_openmp_get_region (which),
                       native_get_place (code));
        }
        if (scope != SCOPE_BEGIN) {
            trace_put (PDDT_TRACE_LEAVE, native_openmp_get_region (which), 0);
        }
        native_rest ();
    }
}

static int
is_of_runtime (const void *code)
{
    struct trace_module module;

    return code == NULL
           || (trace_place_find_module (code, &module) && module.begin == runtime_begin);
}

/* ---- what the runtime calls ---- */

/* The data of a region and of its implicit tasks is where it stands. */

static void
on_parallel_begin (ompt_data_t *task, const void *frame, ompt_data_t *parallel, unsigned n,
                   int flags, const void *code)
{
    parallel->ptr = (void *) (native_openmp_part != NULL ? native_openmp_part : code);
    native_openmp_part = NULL;
    put (OPENMP_PARALLEL, SCOPE_BEGIN, parallel->ptr);
}

static void
on_parallel_end (ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
    put (OPENMP_PARALLEL, SCOPE_END, code);
}

static void
on_implicit_task (int scope, ompt_data_t *parallel, ompt_data_t *task, unsigned n,
                  unsigned index, int flags)
{
    if ((flags & TASK_INITIAL) != 0) {
        return;
    }
    if (scope != SCOPE_END) {
        task->ptr = parallel->ptr;
    }
    put (OPENMP_TASK, scope, task->ptr);
}

static void
on_work (int kind, int scope, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
         const void *code)
{
    static const int which[] = { -1,
                                 OPENMP_FOR,
                                 OPENMP_SECTIONS,
                                 OPENMP_SINGLE,
                                 -1 /* not the one */,
                                 OPENMP_WORKSHARE,
                                 OPENMP_DISTRIBUTE,
                                 OPENMP_TASKLOOP };

    if (kind > 0 && (size_t) kind < sizeof which / sizeof *which && which[kind] >= 0) {
        put (which[kind], scope, code);
    }
}

static void
on_wait (int kind, int scope, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
    if (task != NULL && is_of_runtime (code)) { /* the region ends, maybe by a jump to this */
        code = task->ptr;
    }
    put (kind == 5   ? OPENMP_TASKWAIT
         : kind == 6 ? OPENMP_TASKGROUP
         : kind == 7 ? OPENMP_REDUCTION
                     : OPENMP_BARRIER,
         scope, code);
}

static enum native_openmp
get_lock (int kind)
{
    return kind == 5   ? OPENMP_CRITICAL
           : kind == 6 ? OPENMP_ATOMIC
           : kind == 7 ? OPENMP_ORDERED
                       : OPENMP_LOCK;
}

static void
on_acquire (int kind, unsigned hint, unsigned form, uint64_t lock, const void *code)
{
    put (get_lock (kind), SCOPE_BEGIN, code);
}

static void
on_acquired (int kind, uint64_t lock, const void *code)
{
    put (get_lock (kind), SCOPE_END, code);
}

/* ---- begin ---- */

static int
initialize (ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
    static const struct {
        int event;
        void (*callback) (void);
    } all[] = {
        { ON_PARALLEL_BEGIN, (void (*) (void)) on_parallel_begin },
        { ON_PARALLEL_END, (void (*) (void)) on_parallel_end },
        { ON_IMPLICIT_TASK, (void (*) (void)) on_implicit_task },
        { ON_SYNC_REGION_WAIT, (void (*) (void)) on_wait },
        { ON_WORK, (void (*) (void)) on_work },
        { ON_MUTEX_ACQUIRE, (void (*) (void)) on_acquire },
        { ON_MUTEX_ACQUIRED, (void (*) (void)) on_acquired },
    };
    ompt_set_callback_t set = (ompt_set_callback_t) lookup ("ompt_set_callback");
    struct trace_module module;

    if (trace_place_find_module (*(void **) &lookup, &module)) {
        runtime_begin = module.begin;
    }
    for (size_t i = 0; set != NULL && i < sizeof all / sizeof *all; i++) {
        set (all[i].event, all[i].callback);
    }
    return set != NULL;
}

static void
finalize (ompt_data_t *tool)
{
}

/* The runtime looks for this name. A tool of the program's own comes first. */
__attribute__ ((visibility ("default"))) ompt_start_tool_result_t *
ompt_start_tool (unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };
    ompt_start_tool_result_t *(*other) (unsigned, const char *)
        = (ompt_start_tool_result_t * (*) (unsigned, const char *) )
            dlsym (RTLD_NEXT, "ompt_start_tool");
    ompt_start_tool_result_t *others = other != NULL ? other (version, runtime) : NULL;

    return others != NULL ? others : native_is_on () ? &result : NULL;
}
