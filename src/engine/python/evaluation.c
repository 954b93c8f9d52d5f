/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs Python code in a rank that is stopped in native code: a thread that has released the GIL
 * (it waits in MPI, it sleeps) makes a detour to the agent, and then all its registers are
 * restored; a thread between two Python instructions runs on to the next and stops there. If
 * the code could deadlock on a held lock, nothing runs and pddt says why. Loads the agent first
 * if necessary. */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/python/private.h"
#include <string.h>

#define LOAD_TIMEOUT_MS 10000
#define SLICE_US (20 * 1000)
#define N_SLICES 100
#define MAX_LATE 50

typedef struct {
    EngineProcess *process;
    EngineThread *thread; /* may be gone when a talk has ended with GONE */
    const JobRequest *request;
    const GError *read_error; /* why the answer could not be read alone */
    guint32 index;            /* of the frame, as the agent counts */
    gboolean has_gil;         /* it executes Python itself */
    MachineRegisters saved;
    GBytes *extended;
    guint64 handled_trap;
    JobState state;
    guint stop_number;      /* of the thread that made the stop */
    guint32 selected_frame; /* as it was before */
    gboolean frame_is_chosen;
    guint32 stop_frame;
    guint n_before;   /* Python frames, before anything was run */
    guint n_late;     /* so often it may go on until what loaded the agent has returned */
    guint32 n_deeper; /* frames that it has called since it was selected */
    gboolean is_new;  /* it has stopped on the way, and stays there */
} Evaluation;

gboolean
engine_python_refuse (GError **error, const char *reason)
{
    base_error_set_because (error, BASE_ERROR_BUSY, "cannot run Python code here: %s", reason);
    return FALSE;
}

/* ---- whether it may be ---- */

/* A library that brings an allocator of its own (jemalloc, tcmalloc, mimalloc, a sanitizer's): whatever its
 * functions are called, they may hold its locks. */
static gboolean
is_in_allocator (EngineProcess *process, const JobFrame *frame)
{
    ENGINE_EACH_MODULE (process, module) {
        g_autofree char *name = module->path != NULL ? g_path_get_basename (module->path)
                                                     : g_strdup ("");

        if (g_strcmp0 (name, frame->location.module) == 0) { /* of generated code: NULL */
            return !module->is_executable && !g_str_has_prefix (name, "libc.")
                   && !g_str_has_prefix (name, "libc-")
                   && engine_module_shares_function (process, module, "malloc");
        }
    }
    return FALSE;
}

/* What holds a lock, or has things half changed, that any Python code may need. */
gboolean
engine_python_is_dangerous (const JobFrame *frame)
{
    static const char *const names[] = {
        "malloc",
        "free",
        "calloc",
        "realloc",
        "memalign",
        "aligned_alloc",
        "posix_memalign",
        "cfree",
        "mallopt",
        "malloc_trim",
        "fork",
        "vfork",
        "clone",
        "exit",
        "dlopen",
        "dlclose",
        "dlsym",
        "dl_iterate_phdr",
        "printf",
        "fprintf",
        "vfprintf",
        "puts",
        "fputs",
        "fwrite",
        "fread",
        "fflush",
        "fgets",
        "fopen",
        "fclose",
        "PyGILState_Ensure",
        "PyEval_RestoreThread",
        "take_gil",
    };
    static const char *const beginnings[] = { "_int_", "__libc_malloc", "__libc_calloc",
                                              "__libc_realloc", "__libc_free", "__libc_fork",
                                              "_IO_", "_dl_", "__run_exit",
                                              /* allocators that are part of the program */
                                              "je_", "jemalloc", "tc_", "tcmalloc::", "mi_",
                                              "_mi_", "operator new", "operator delete" };
    const char *function = frame->location.function;
    const char *module = frame->location.module;

    if (module != NULL && g_str_has_prefix (module, "ld-linux")) {
        return TRUE;
    }
    if (function != NULL
        && BASE_ANY (i, G_N_ELEMENTS (names), strcmp (function, names[i]) == 0)) {
        return TRUE;
    }
    return function != NULL
           && BASE_ANY (i, G_N_ELEMENTS (beginnings),
                        g_str_has_prefix (function, beginnings[i]));
}

static gboolean
check_stack (EngineProcess *process, const Stack *stack, GError **error)
{
    for (guint i = 0; stack != NULL && i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);

        if (job_frame_is_python (frame)) {
            return TRUE;
        }
        if (engine_python_is_dangerous (frame) || is_in_allocator (process, frame)) {
            g_autofree char *reason = g_strdup_printf (
                "the thread is inside %s, whose locks the code could wait for",
                frame->location.function != NULL ? frame->location.function
                                                 : frame->location.module);

            return engine_python_refuse (error, reason);
        }
    }
    return engine_python_refuse (error, "its stack cannot be read");
}

/* What the interpreter itself calls all the time, and is out of at once. */
static gboolean
is_basic (const JobFrame *frame)
{
    static const char *const beginnings[] = { "libc.so",    "libc-",   "ld-linux",
                                              "ld-",        "libm.so", "libm-",
                                              "libpthread", "[vdso]",  "linux-vdso" };

    return frame->location.module != NULL
           && BASE_ANY (i, G_N_ELEMENTS (beginnings),
                        g_str_has_prefix (frame->location.module, beginnings[i]));
}

/* Calls what it is told to call, which may take any time. */
static gboolean
is_foreign (const JobFrame *frame)
{
    const char *module = frame->location.module;

    return module != NULL
           && (g_str_has_prefix (module, "_ctypes") || g_str_has_prefix (module, "libffi"));
}

/* With the lock it may only be told between two instructions, which C code that was called puts off:
 * code of a module or of the user's is not let go on for that. */
static gboolean
check_holder (EngineProcess *process, const Stack *stack, GError **error)
{
    gboolean is_waiting;

    if (engine_process_get_selected (process) != engine_process_get_main (process)) {
        return engine_python_refuse (error,
                                     "this thread executes Python now; step to a line first");
    }
    is_waiting
        = machine_registers_get_system_call (&engine_process_get_selected (process)->registers)
          >= 0;
    for (guint i = 0; stack != NULL && i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);

        if (job_frame_is_python (frame)) {
            return TRUE;
        }
        if (is_waiting || is_foreign (frame)
            || ((frame->flags & JOB_FRAME_INTERPRETER) == 0 && !is_basic (frame))) {
            g_autofree char *reason = g_strdup_printf (
                "the thread is inside %s and holds the interpreter's lock: step to a Python line first",
                frame->location.function != NULL ? frame->location.function : "C code");

            return engine_python_refuse (error, reason);
        }
    }
    return engine_python_refuse (error, "its stack cannot be read");
}

static guint
find_number (EngineProcess *process, const PythonThread *python)
{
    return BASE_PICK (process->threads, EngineThread, thread,
                      thread->tid == python->tid
                          || (python->tid == 0 && engine_thread_load_registers (thread)
                              && machine_registers_get_thread_pointer (&thread->registers)
                                     == python->pthread),
                      thread->number, 0);
}

static gboolean
check_threads (Evaluation *evaluation, GArray *threads, GError **error)
{
    const PythonThread *own = engine_inspect_find_python_thread (threads, evaluation->thread);

    if (own == NULL || own->n_outer > 0) {
        return engine_python_refuse (error, own == NULL ? "the selected thread runs no Python"
                                                        : "it runs in a subinterpreter");
    }
    evaluation->has_gil = own->holds_gil;
    for (guint i = 0; i < threads->len; i++) {
        const PythonThread *other = &g_array_index (threads, PythonThread, i);

        if (other->holds_gil && other != own) {
            guint number = find_number (evaluation->thread->process, other);
            g_autofree char *reason = g_strdup_printf ("thread %u holds the interpreter's lock",
                                                       number);

            return engine_python_refuse (error,
                                         number != 0
                                             ? reason
                                             : "another thread holds the interpreter's lock");
        }
    }
    return TRUE;
}

static gboolean
check (Evaluation *evaluation, GError **error)
{
    EngineProcess *process = evaluation->thread->process;
    PythonRuntime *runtime = engine_runtime_find (process);
    g_autoptr (GArray) threads = NULL;
    Stack *stack;

    if (runtime == NULL || engine_python_is_missing (process)) {
        return engine_python_refuse (error,
                                     "pddt's agent cannot be loaded into this interpreter");
    }
    if (engine_python_is_stop (process)) {
        return engine_python_refuse (
            error, "another thread stands at a Python line and holds the interpreter's lock");
    }
    if (evaluation->thread->state != ENGINE_THREAD_STOPPED
        || evaluation->thread->held_stops->len > 0 || evaluation->thread->in_vfork
        || !engine_thread_load_registers (evaluation->thread)) {
        return engine_python_refuse (error, "the thread is about to run");
    }
    threads = python_runtime_read_threads (runtime, error);
    if (threads == NULL || !check_threads (evaluation, threads, error)) {
        return FALSE;
    }
    stack = engine_inspect_get_stack (process);
    return evaluation->has_gil ? check_holder (process, stack, error)
                               : check_stack (process, stack, error);
}

/* ---- the agent, where it is not there yet ---- */

static gboolean
is_loaded (EngineProcess *process)
{
    guint32 is_loaded = 0;

    return process->python->has_agent
           && (process->python->begun
               || (engine_python_read_u32 (process, PYTHON_OFFSET (is_loaded), &is_loaded)
                   && is_loaded != 0));
}

/* The interpreter executes the line at its next instruction: it goes on for as long as that takes. */
static gboolean
load_between (Evaluation *evaluation, GError **error)
{
    EngineProcess *process = evaluation->thread->process;

    if (!engine_python_inject (process, error)) {
        return FALSE;
    }
    for (guint i = 0; i < N_SLICES && !process->ended && !is_loaded (process); i++) {
        if (engine_python_run_for (evaluation->thread, SLICE_US)) {
            engine_python_take_event (evaluation->thread);
        }
    }
    if (process->ended) {
        base_error_set (error, BASE_ERROR_GONE, "the rank has ended");
        return FALSE;
    }
    return is_loaded (process)
           || engine_python_refuse (
               error, "the thread does not reach Python code: step to a Python line first");
}

static gboolean
load_agent (Evaluation *evaluation, GError **error)
{
    EngineProcess *process = evaluation->thread->process;

    if (process->python->has_agent) {
        return TRUE;
    }
    if (process->python->is_agent_expected) {
        return engine_python_refuse (error, "the program has not begun");
    }
    if (evaluation->has_gil) {
        return load_between (evaluation, error);
    }
    return engine_python_check_others (process, error)
           && engine_python_inject_in (evaluation->thread, LOAD_TIMEOUT_MS, error)
           && engine_python_connect_loaded (process, error);
}

static gboolean
send_off (Evaluation *evaluation, GError **error)
{
    EngineThread *thread = evaluation->thread;
    EngineProcess *process = thread->process;
    MachineRegisters *registers = &thread->registers;

    evaluation->saved = thread->registers;
    evaluation->handled_trap = thread->handled_trap;
    evaluation->extended = target_thread_read_extended (thread->tid);
    machine_registers_restart_system_call (registers);
    if (!machine_call_enter (registers, engine_process_get_memory (process),
                             process->python->here_function)
        || !engine_python_write_u32 (process, PYTHON_OFFSET (here_command),
                                     PDDT_COMMAND_EVAL)) {
        thread->registers = evaluation->saved;
        return engine_python_refuse (error, "its stack cannot be written");
    }
    thread->registers_changed = TRUE;
    thread->handled_trap = 0;
    return TRUE;
}

static void
put_back (Evaluation *evaluation)
{
    EngineThread *thread = evaluation->thread;

    thread->registers = evaluation->saved;
    thread->has_registers = TRUE;
    thread->registers_changed = FALSE;
    target_thread_set_registers (thread->tid, &thread->registers);
    if (evaluation->extended != NULL) {
        target_thread_write_extended (thread->tid, evaluation->extended);
    }
    thread->handled_trap = evaluation->handled_trap;
}

static gboolean
ask_to_arrive (Evaluation *evaluation, GError **error)
{
    EngineProcess *process = evaluation->thread->process;
    guint32 request = 0;

    engine_python_read_u32 (process, PYTHON_OFFSET (request), &request);
    if (!engine_python_write_u32 (process, PYTHON_OFFSET (request),
                                  request | PDDT_REQUEST_ARRIVE)
        || !engine_python_wake (process)) {
        return engine_python_refuse (error, "the interpreter cannot be reached now");
    }
    return TRUE;
}

static void
forget_arrival (EngineProcess *process)
{
    guint32 request = 0;

    if (!process->ended && process->python->has_agent
        && engine_python_read_u32 (process, PYTHON_OFFSET (request), &request)) {
        engine_python_write_u32 (process, PYTHON_OFFSET (request),
                                 request & ~(guint32) PDDT_REQUEST_ARRIVE);
    }
}

/* ---- frames ---- */

static guint
count_python (EngineProcess *process)
{
    Stack *stack = engine_inspect_get_stack (process);

    return stack != NULL && stack->python != NULL ? stack->python->len : 0;
}

/* The frames that loaded the agent have not all returned. */
static gboolean
is_still_loading (EngineProcess *process, guint n_before)
{
    engine_process_forget_stacks (process);
    return process->python->event == PDDT_EVENT_ARRIVED && count_python (process) > n_before;
}

/* The frame that was selected, which has called n_deeper others since. */
static void
select_again (const Evaluation *evaluation, guint32 n_deeper)
{
    EngineProcess *process = evaluation->thread->process;

    process->selected_frame = evaluation->selected_frame;
    process->frame_is_chosen = evaluation->frame_is_chosen;
    process->stop_frame = evaluation->stop_frame;
    engine_inspect_read_again (process, n_deeper);
}

/* Where it was asked between two instructions it stays: at a Python stop, with the same frame
 * selected, which may have called another by then. */
static void
settle (const Evaluation *evaluation, guint32 n_deeper)
{
    EngineProcess *process = evaluation->thread->process;
    g_autoptr (JobLocation) before = job_location_dup (process->state_place);

    select_again (evaluation, n_deeper);
    engine_process_take_place (process,
                               engine_inspect_dup_place (process,
                                                         engine_process_get_stopped (process)));
    if (!job_location_equal (before, process->state_place)) {
        process->stop++;
        engine_emit_state (process, process->motion, FALSE, 0);
        engine_inspect_tell_frame (process, evaluation->request->id);
    }
}

/* ---- back ---- */

/* What it meets on its way is dealt with as ever. */
static void
leave (Evaluation *evaluation)
{
    EngineProcess *process = evaluation->process;
    gboolean is_left = FALSE, stands;

    engine_python_write_command (process, PDDT_COMMAND_CONTINUE, 1);
    do {
        stands = engine_python_read_arrival (process, evaluation->thread,
                                             engine_python_talk (evaluation->thread, TRUE),
                                             &is_left, NULL);
        if (stands && !is_left) {
            engine_python_take_event (evaluation->thread);
        }
    } while (stands && !is_left);
    if (process->ended) {
        return;
    }
    process->python->stopped_tid = 0;
    if (is_left) {
        put_back (evaluation);
    }
    engine_process_set_stopped (process,
                                engine_process_find_thread (process, evaluation->stop_number));
    select_again (evaluation, evaluation->n_deeper);
}

/* Where it was not the one that executes Python, it goes back to where it stood. */
static void
return_from (Evaluation *evaluation)
{
    EngineProcess *process = evaluation->process;

    if (process->ended || process->python->stopped_tid == 0 || evaluation->is_new) {
        return;
    }
    if (evaluation->has_gil) {
        engine_process_begin_caching (process);
        settle (evaluation, evaluation->n_deeper);
        engine_process_end_caching (process);
    } else {
        leave (evaluation);
    }
}

/* ---- there ---- */

/* The reasons why it could not be read and why it could not be run, as far as they say something. */
static void
tell_failure (const Evaluation *evaluation, const GError *run_error)
{
    g_autoptr (GError) error = engine_inspect_join_errors (evaluation->read_error, run_error);

    engine_emit_failure (evaluation->process, evaluation->request->id, error);
}

/* Nothing was run: the rank is as it was, unless it has stopped elsewhere on the way. */
static void
give_up (Evaluation *evaluation)
{
    EngineProcess *process = evaluation->process;

    if (process->ended) {
        return;
    }
    engine_process_return_to_stop (process, evaluation->state);
    select_again (evaluation, 0);
    forget_arrival (process);
}

/* Its frame has returned before the code could run. */
static void
refuse_late (Evaluation *evaluation)
{
    g_autoptr (GError) error = NULL;

    base_error_set (&error, BASE_ERROR_GONE,
                    "the frame has returned before the code could run: the rank stands in "
                    "its caller now");
    if (!evaluation->is_new) {
        engine_process_set_stopped (evaluation->process, evaluation->thread);
        evaluation->selected_frame = evaluation->stop_frame = 0;
        evaluation->frame_is_chosen = FALSE;
        settle (evaluation, 0);
    }
    tell_failure (evaluation, error);
}

static void
ask (Evaluation *evaluation)
{
    EngineProcess *process = evaluation->process;
    guint n_after = count_python (process);
    guint32 index = evaluation->index + n_after - evaluation->n_before;

    evaluation->is_new = process->python->event != PDDT_EVENT_ARRIVED;
    if (n_after + evaluation->index < evaluation->n_before) {
        refuse_late (evaluation);
        return;
    }
    evaluation->n_deeper = n_after > evaluation->n_before ? n_after - evaluation->n_before : 0;
    engine_process_set_stopped (process, evaluation->thread);
    if (!engine_python_handle_query (process, evaluation->request, index)) {
        g_autoptr (GError) error = NULL;

        base_error_set (&error, BASE_ERROR_UNSUPPORTED,
                        "cannot run Python code here: this is not a question to it");
        tell_failure (evaluation, error);
    }
    return_from (evaluation);
}

typedef enum { ARRIVAL_FAILED, ARRIVAL_AGAIN, ARRIVAL_THERE } Arrival;

static Arrival
judge_arrival (Evaluation *evaluation, PythonTalkAnswer answer, GError **error)
{
    EngineProcess *process = evaluation->process;
    EngineThread *thread = evaluation->thread;
    gboolean is_left = FALSE;
    guint32 event = 0;

    if (!engine_python_read_arrival (process, thread, answer, &is_left, error)) {
        return ARRIVAL_FAILED;
    }
    if (is_left || !engine_python_read_u32 (process, PYTHON_OFFSET (event), &event)) {
        engine_python_refuse (error, "pddt's agent gave an invalid answer");
        return ARRIVAL_FAILED;
    }
    if (event == PDDT_EVENT_ARRIVED) {
        process->python->stopped_tid = thread->tid;
        process->python->event = event;
        return ARRIVAL_THERE;
    }
    /* a breakpoint on the way is a stop as ever */
    engine_process_leave_stop (process);
    if (engine_python_take_event (thread) == ENGINE_TRAP_STOP) {
        return engine_python_is_stop (process)
                       || engine_python_refuse (error, "the rank has stopped elsewhere")
                   ? ARRIVAL_THERE
                   : ARRIVAL_FAILED;
    }
    engine_process_return_to_stop (process, evaluation->state);
    return ARRIVAL_AGAIN;
}

/* Until it stands in the stop to be asked. */
static gboolean
arrive (Evaluation *evaluation, GError **error)
{
    Arrival arrival = ARRIVAL_AGAIN;

    if (!(evaluation->has_gil ? ask_to_arrive (evaluation, error)
                              : send_off (evaluation, error))) {
        return FALSE;
    }
    while (arrival == ARRIVAL_AGAIN) {
        arrival = judge_arrival (evaluation, engine_python_talk (evaluation->thread, TRUE),
                                 error);
    }
    return arrival == ARRIVAL_THERE;
}

/* And the frames that loaded the agent have returned. */
static gboolean
arrive_at_last (Evaluation *evaluation, GError **error)
{
    EngineProcess *process = evaluation->process;
    gboolean is_there = arrive (evaluation, error);

    while (is_there && evaluation->n_late > 0
           && is_still_loading (process, evaluation->n_before)) {
        evaluation->n_late--;
        engine_python_write_command (process, PDDT_COMMAND_CONTINUE, 1);
        is_there = arrive (evaluation, error);
    }
    return is_there;
}

gboolean
engine_python_run_here (EngineProcess *process, const JobRequest *request, guint32 index,
                        const GError *read_error, GError **error)
{
    Evaluation evaluation = { .process = process,
                              .thread = engine_process_get_selected (process),
                              .request = request,
                              .read_error = read_error,
                              .index = index,
                              .state = process->state,
                              .stop_number = engine_process_get_stopped (process) != NULL
                                                 ? engine_process_get_stopped (process)->number
                                                 : 0,
                              .selected_frame = process->selected_frame,
                              .frame_is_chosen = process->frame_is_chosen,
                              .stop_frame = process->stop_frame };
    gboolean done;

    if (evaluation.thread == NULL || !check (&evaluation, error)) {
        return FALSE;
    }
    evaluation.n_before = count_python (process);
    evaluation.n_late = !process->python->has_agent && evaluation.has_gil ? MAX_LATE : 0;
    done = load_agent (&evaluation, error) && arrive_at_last (&evaluation, error);
    if (done) {
        engine_process_return_to_stop (process, evaluation.state);
        engine_process_begin_caching (process);
        select_again (&evaluation, 0);
        ask (&evaluation);
        engine_process_end_caching (process);
    } else {
        give_up (&evaluation);
    }
    g_clear_pointer (&evaluation.extended, g_bytes_unref);
    return done;
}
