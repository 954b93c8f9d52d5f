/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evaluation hook (PEP 523) of CPython 3.8 to 3.11, which every frame of every thread
 * passes when it begins or resumes. The trace function is set only while a frame runs that
 * needs it; all others cost one lookup in the table of sites. The location of a thread's trace
 * function in the interpreter is used only after a check; if that fails, or another hook is
 * set, trace.c traces everything. */
#include "agent/private.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef void *(*Evaluate38) (void *frame, int is_thrown);
typedef void *(*Evaluate39) (void *thread, void *frame, int is_thrown);

/* Offsets in the interpreter (the evaluation function, and before 3.10 the number of threads
 * that trace, which 3.8 keeps in the runtime), in the thread, and in a frame. */
typedef struct {
    int minor;
    size_t evaluate, n_tracing;
    size_t profile, trace, flag; /* flag: in the thread before 3.10, then in its cframe */
    size_t previous, globals, builtins;
} Layout;
static const Layout layouts[] = {
    { 8, 568, 588, 56, 64, 48, 24, 48, 40 },
    { 9, 1400, 68, 56, 64, 48, 24, 48, 40 },
    { 10, 1368, 0, 56, 64, 48, 24, 48, 40 },
    { 11, 1424, 0, 64, 72, 56, 48, 8, 16 },
};
enum {
    INTERPRETER = 16,
    TRACING = 44,
    FRAME = 24,
    FRAME_311 = 8,
    FRAME_OBJECT_311 = 40,
    CODE = 32
};

static const Layout *layout; /* NULL: not known for certain */
static AgentTraceFunction function;
static int flag_value; /* the value that the interpreter itself writes into the flag */
static int *n_tracing; /* the interpreter's count of tracing threads; NULL: it has none */
static void *plain;    /* the interpreter's own evaluation function */
/* grows each time that tracing is switched from outside a thread's frames */
static uint32_t epoch;
/* the innermost frame that call_switched runs */
static __thread void *switched;
static int is_low;         /* the C stack was nearly exhausted */
static void *limit_thread; /* the thread to which stack_limit belongs */
static char *stack_limit;

static inline void **
at (void *object, size_t offset)
{
    return (void **) ((char *) object + offset);
}

/* ---- a thread's tracing ---- */

static inline int
read_flag (void *thread)
{
    if (layout->minor == 11)
        return *(uint8_t *) *at (thread, layout->flag);
    return layout->minor == 10 ? *(int *) *at (thread, layout->flag)
                               : *(int *) at (thread, layout->flag);
}

static inline int
is_on (void *thread)
{
    return *at (thread, layout->trace) == (void *) function && read_flag (thread) != 0;
}

static inline void
set_flag (void *thread, int is_wanted)
{
    int value = is_wanted || *at (thread, layout->profile) != NULL ? flag_value : 0;
    if (layout->minor == 11)
        *(uint8_t *) *at (thread, layout->flag) = (uint8_t) value;
    else if (layout->minor == 10)
        *(int *) *at (thread, layout->flag) = value;
    else
        *(int *) at (thread, layout->flag) = value;
}

/* Leaves the thread alone if the program itself traces it. Between any two instructions here,
 * the engine may run pddt_agent_wake, which sets the same fields; the exchange makes sure that
 * each change is counted once. */
static inline void
set_on (void *thread, int is_wanted)
{
    void *present = *at (thread, layout->trace), *wanted = is_wanted ? (void *) function : NULL;
    if (present != NULL && present != (void *) function)
        return;
    present = __atomic_exchange_n (at (thread, layout->trace), wanted, __ATOMIC_SEQ_CST);
    set_flag (thread, is_wanted);
    if (n_tracing != NULL && present != wanted)
        __atomic_fetch_add (n_tracing, is_wanted ? 1 : -1, __ATOMIC_RELAXED);
}

/* For a thread that continues by itself, not by agent_leave. If a request has arrived since
 * is_wanted was computed, and has switched on tracing in all threads, this leaves it on: no
 * other thread would take the request. */
static inline void
set_on_unless_asked (void *thread, int is_wanted)
{
    set_on (thread, is_wanted);
    if (!is_wanted && agent_trace_is_roused ())
        set_on (thread, 1);
}

static inline void *
get_frame (void *thread)
{
    return layout->minor == 11 ? *at (*at (thread, layout->flag), FRAME_311)
                               : *at (thread, FRAME);
}

/* Its condition can be decided now, and is all that decides. */
static inline int
is_decidable (const AgentSite *site)
{
    return site != NULL && site->is_first && site->condition != NULL
           && agent_find_site (site->code, site) == NULL;
}

/* TRUE if a breakpoint in the code may be hit in this frame, which is about to begin. is_traced: as in
 * agent_events_is_refused. */
static inline int
has_live_site (void *thread, PyObject *code, void *frame, int is_traced)
{
    const AgentSite *site = agent_find_site (code, NULL);
    void *present = *at (thread, layout->trace);
    if (site == NULL)
        return 0;
    if (is_decidable (site) && (present == NULL || present == (void *) function)) {
        agent_wait_for_others (); /* who may change the sites */
        site = agent_find_site (code, NULL);
        return is_decidable (site)
                   ? !agent_events_is_refused (site, frame, agent_frame_get_fast (frame),
                                               *at (frame, layout->globals),
                                               *at (frame, layout->builtins), is_traced)
                   : site != NULL;
    }
    PyObject **fast = site->is_fixed ? agent_frame_get_fast (frame) : NULL;
    while (site != NULL && agent_events_is_never (site, fast))
        site = agent_find_site (code, site);
    return site != NULL;
}

static inline int
is_wanted (void *thread, PyObject *code, void *frame)
{
    int may_be_traced = (agent_watch.wants_lines | (int) agent_watch.needs_codes
                         | agent_watch.has_catches)
                            != 0
                        || pddt_mailbox.request != 0
                        || agent_motion.command != PDDT_COMMAND_NONE;
    return has_live_site (thread, code, frame, may_be_traced)
           || (may_be_traced && agent_trace_wants (code, 1));
}

/* TRUE if this frame of the thread or one of its callers needs tracing. */
static int
is_wanted_on_stack (void *frame, int is_own)
{
    for (; frame != NULL; frame = *at (frame, layout->previous)) {
        if (agent_trace_wants (*at (frame, CODE), is_own))
            return 1;
    }
    return 0;
}

void
agent_hook_refresh (void)
{
    void *own = agent_thread_get ();
    __atomic_fetch_add (&epoch, 1, __ATOMIC_RELAXED);
    for (void *thread = agent_thread_get_next (NULL); thread != NULL;
         thread = agent_thread_get_next (thread)) {
        if (*at (thread, layout->flag) != NULL || layout->minor < 10)
            set_on (thread, is_wanted_on_stack (get_frame (thread), thread == own));
    }
}

void
agent_hook_set_all (int is_wanted)
{
    __atomic_fetch_add (&epoch, 1, __ATOMIC_RELAXED);
    for (void *thread = agent_thread_get_next (NULL); thread != NULL;
         thread = agent_thread_get_next (thread)) {
        if (*at (thread, layout->flag) != NULL || layout->minor < 10)
            set_on (thread, is_wanted);
    }
}

/* Switches line events on in all frames of the thread: a frame that loops without calls has no
 * other events. */
static void
show_lines (void *thread)
{
    for (void *frame = get_frame (thread); frame != NULL;
         frame = *at (frame, layout->previous)) {
        char *object = *at (frame, FRAME_OBJECT_311);
        if (object != NULL)
            object[agent_frame_lines_offset] = 1;
    }
}

int
agent_hook_rouse (void)
{
    int n_threads = 0, n_traced_by_program = 0;
    agent_hook_set_all (1);
    for (void *thread = agent_thread_get_next (NULL); thread != NULL;
         thread = agent_thread_get_next (thread)) {
        if (*at (thread, layout->flag) == NULL && layout->minor >= 10)
            continue;
        n_threads++;
        n_traced_by_program += *at (thread, layout->trace) != (void *) function;
        if (agent_frame_lines_offset != 0)
            show_lines (thread);
    }
    return n_traced_by_program == 0 || (layout->minor == 11 && n_threads > 1);
}

void
agent_hook_set_own (int is_wanted)
{
    set_on (agent_thread_get (), is_wanted);
}

void
agent_hook_skip_frame (void)
{
    void *thread = agent_thread_get (), *frame = get_frame (thread);
    if (frame == switched || !is_wanted_on_stack (*at (frame, layout->previous), 1))
        set_on_unless_asked (thread, 0);
}

/* ---- frames ---- */

static inline void *
call_plain (void *thread, void *frame, int is_thrown)
{
    return layout->minor == 8 ? ((Evaluate38) plain) (frame, is_thrown)
                              : ((Evaluate39) plain) (thread, frame, is_thrown);
}

/* For a frame that needs tracing, one that does not when its caller does, and a thread's first frame. */
static __attribute__ ((noinline)) void *
call_switched (void *thread, void *frame, int is_thrown, int is_wanted, int was_on)
{
    uint32_t before = __atomic_load_n (&epoch, __ATOMIC_RELAXED);
    void *outer = switched, *result;
    switched = frame;
    if (is_wanted != was_on)
        set_on_unless_asked (thread, is_wanted);
    result = call_plain (thread, frame, is_thrown);
    switched = outer;
    if (before != __atomic_load_n (&epoch, __ATOMIC_RELAXED))
        was_on = agent_trace_is_armed () && is_wanted_on_stack (get_frame (thread), 1);
    set_on_unless_asked (thread, was_on);
    return result;
}

/* Leaves the lower half of the stack to the program: without a hook, 3.11 uses no C stack for a
 * call from Python to Python. */
static __attribute__ ((noinline)) void
find_stack_limit (void *thread)
{
    static __thread char *own_limit;
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    if (own_limit == NULL && pthread_getattr_np (pthread_self (), &attributes) == 0) {
        if (pthread_attr_getstack (&attributes, &low, &size) == 0)
            own_limit = (char *) low + size / 2;
        pthread_attr_destroy (&attributes);
    }
    limit_thread = thread;
    stack_limit = own_limit;
}

static __attribute__ ((noinline)) void
give_up (void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch (&type, &value, &trace);
    is_low = 1;
    agent_events_update ();
    PyErr_Restore (type, value, trace);
}

static inline void *
evaluate (void *thread, void *frame, int is_thrown)
{
    if (*(int *) at (thread, TRACING) != 0 || !pddt_mailbox.attached
        || (agent_watch.n_busy != 0 && agent_is_busy_here ()))
        return call_plain (thread, frame, is_thrown);
    if (layout->minor == 11) {
        if (limit_thread != thread)
            find_stack_limit (thread);
        if ((char *) __builtin_frame_address (0) < stack_limit && !is_low)
            give_up ();
    }
    int wants_trace = is_wanted (thread, *at (frame, CODE), frame), was_on = is_on (thread);
    if (!wants_trace && !was_on && get_frame (thread) != NULL)
        return call_plain (thread, frame, is_thrown);
    return call_switched (thread, frame, is_thrown, wants_trace, was_on);
}

static void *
evaluate_38 (void *frame, int is_thrown)
{
    return evaluate (agent_thread_get (), frame, is_thrown);
}

static void *
evaluate_39 (void *thread, void *frame, int is_thrown)
{
    return evaluate (thread, frame, is_thrown);
}

/* ---- the interpreter's side ---- */

static void *
get_own_hook (void)
{
    return layout->minor == 8 ? (void *) evaluate_38 : (void *) evaluate_39;
}

/* TRUE if this hook is set. The interpreter may have 0 or NULL there for its own evaluation
 * function. */
static int
has_hook (void *hook)
{
    void *present = *at (*at (agent_thread_get (), INTERPRETER), layout->evaluate);
    return present == hook || (hook == plain && present == NULL);
}

int
agent_hook_is_known (void)
{
    return layout != NULL;
}

int
agent_hook_install (void)
{
    if (layout == NULL || is_low)
        return 0;
    if (has_hook (plain) && !agent_api_set_evaluation (get_own_hook ()))
        *at (*at (agent_thread_get (), INTERPRETER), layout->evaluate) = get_own_hook ();
    return has_hook (get_own_hook ());
}

void
agent_hook_remove (void)
{
    if (layout == NULL || !has_hook (get_own_hook ()))
        return;
    agent_hook_set_all (0);
    if (!agent_api_set_evaluation (plain))
        *at (*at (agent_thread_get (), INTERPRETER), layout->evaluate) = plain;
}

/* ---- checking the layout ---- */

static unsigned n_counted;

static void *
count_frame (void *thread, void *frame, int is_thrown)
{
    n_counted++;
    return call_plain (thread, frame, is_thrown);
}

PyObject *
agent_hook_count_frames (PyObject *self, PyObject *arguments)
{
    PyObject *called, *argument;
    if (!PyArg_ParseTuple (arguments, "OO", &called, &argument))
        return NULL;
    if (layout == NULL || layout->minor == 8 || !has_hook (plain)
        || !agent_api_set_evaluation ((void *) count_frame))
        return PyLong_FromLong (-1);
    n_counted = 0;
    PyObject *result = PyObject_CallFunctionObjArgs (called, argument, NULL);
    agent_api_set_evaluation (plain);
    if (result == NULL)
        return NULL;
    Py_DECREF (result);
    return PyLong_FromUnsignedLong (n_counted);
}

/* Sets the thread's trace function through the interpreter, and looks whether the expected
 * location changes. */
static int
check_trace (void *thread)
{
    int before = n_tracing != NULL ? *n_tracing : 0, is_right;
    if (*at (thread, layout->trace) != NULL || *at (thread, layout->profile) != NULL
        || read_flag (thread) != 0 || before < 0 || before > 100000)
        return 0;
    agent_set_trace (function, NULL);
    flag_value = read_flag (thread);
    is_right = is_on (thread) && flag_value != 0
               && (n_tracing == NULL || *n_tracing == before + 1);
    agent_set_trace (NULL, NULL);
    return is_right && *at (thread, layout->trace) == NULL && read_flag (thread) == 0
           && (n_tracing == NULL || *n_tracing == before);
}

/* As get_frame, where nothing is proved yet: what is no pointer must not be followed. NULL: it cannot be read. */
static void *
try_frame (void *thread)
{
    /* not by the functions of these names, which record the program's calls */
    int fd = layout->minor == 11
                 ? (int) syscall (SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC)
                 : -1;
    void *frame = NULL;

    if (layout->minor != 11)
        return get_frame (thread);
    if (fd < 0
        || syscall (SYS_pread64, fd, &frame, sizeof frame,
                    (off_t) (uintptr_t) at (*at (thread, layout->flag), FRAME_311))
               != sizeof frame)
        frame = NULL;
    if (fd >= 0)
        syscall (SYS_close, fd);
    return frame;
}

static int
check_frames (void *thread, PyObject *frame)
{
    void *data = agent_frame_get_data (frame),
         *previous = data != NULL ? *at (data, layout->previous) : NULL;
    PyObject *back = agent_frame_get_back (frame);
    int is_right = data != NULL && data == try_frame (thread) && back != NULL
                   && previous != NULL && agent_frame_get_data (back) == previous
                   && *at (previous, CODE) == (void *) agent_peek_code (back)
                   && *at (data, layout->globals) == (void *) PyEval_GetGlobals ()
                   && *at (data, layout->builtins) == (void *) PyEval_GetBuiltins ()
                   && (layout->minor != 11 || *at (data, FRAME_OBJECT_311) == (void *) frame);
    Py_XDECREF (back);
    return is_right;
}

void
agent_hook_check (AgentTraceFunction trace, PyObject *frame)
{
    void *thread = agent_thread_get ();
    layout = NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        if (layouts[i].minor == agent_api_get_minor ())
            layout = &layouts[i];
    }
    plain = agent_api_get_evaluation ();
    if (layout == NULL || plain == NULL
        || *at (thread, INTERPRETER) != agent_api_get_interpreter () || !has_hook (plain)) {
        layout = NULL;
        return;
    }
    function = trace;
    n_tracing = layout->n_tracing == 0 ? NULL
                : layout->minor == 8
                    ? (int *) at (agent_api_get_runtime (), layout->n_tracing)
                    : (int *) at (*at (thread, INTERPRETER), layout->n_tracing);
    if (!check_frames (thread, frame) || !check_trace (thread))
        layout = NULL;
}
