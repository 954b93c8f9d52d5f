/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Motions that cross between Python and native code. While the agent watches for the end of a
 * step in Python lines, traps for that thread watch for it in native code: at the bodies of the
 * user's functions (a step into C) and in the C function that called back into Python. A native
 * step hands its thread to the agent where it enters or returns to an evaluation of the
 * interpreter, because it holds the GIL there. Whichever comes first ends the motion. */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/python/private.h"
#include "engine/notices.h"

#define MAX_BODIES 20000

/* ---- traps of one thread ---- */

struct _EngineBoundary {
    pid_t tid; /* 0: none planted */
    JobVerb verb;
    GArray *bodies;         /* of guint64: planted */
    guint64 caller, min_sp; /* the C function that called back; 0 */
    guint64 evaluation;     /* entry of the interpreter's evaluation; 0 */
};

static EngineBoundary *
get_boundary (EngineProcess *process)
{
    EnginePython *python = process->python;

    if (python->boundary == NULL) {
        EngineBoundary *boundary = python->boundary = g_new0 (EngineBoundary, 1);

        boundary->bodies = g_array_new (FALSE, FALSE, sizeof (guint64));
    }
    return python->boundary;
}

static EngineTrapAnswer on_body (EngineThread *thread, guint64 address, gpointer owner);
static EngineTrapAnswer on_caller (EngineThread *thread, guint64 address, gpointer owner);
static EngineTrapAnswer on_evaluation (EngineThread *thread, guint64 address, gpointer owner);

static void
clear_boundary (EngineProcess *process)
{
    EngineBoundary *boundary = get_boundary (process);

    for (guint i = 0; i < boundary->bodies->len; i++) {
        engine_trap_remove (process, g_array_index (boundary->bodies, guint64, i), on_body,
                            process);
    }
    g_array_set_size (boundary->bodies, 0);
    if (boundary->caller != 0) {
        engine_trap_remove (process, boundary->caller, on_caller, process);
    }
    if (boundary->evaluation != 0) {
        engine_trap_remove (process, boundary->evaluation, on_evaluation, process);
    }
    boundary->caller = boundary->evaluation = 0;
    boundary->tid = 0;
}

void
engine_python_on_stop (EngineProcess *process)
{
    EngineBoundary *boundary = process->python->boundary;

    if (boundary != NULL && boundary->tid != 0) {
        clear_boundary (process);
    }
    /* wherever it stopped: what the agent still looks for is off */
    if (process->python->has_agent && process->python->begun
        && process->python->stopped_tid == 0) {
        engine_python_write_u32 (process, PYTHON_OFFSET (motion_off), 1);
        engine_python_forget_until (process);
    }
}

BASE_FREE_PUBLIC (engine_python_free_boundary, EngineBoundary, boundary,
                  g_array_unref (boundary->bodies))

static EngineTrapAnswer
arrive (EngineThread *thread, JobVerb verb, gboolean is_end)
{
    return thread->process->engine->notices->goes_on_natively (thread, verb, is_end)
               ? ENGINE_TRAP_RESUME
               : ENGINE_TRAP_STOP;
}

static EngineTrapAnswer
on_body (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineProcess *process = owner;

    if (thread->tid != get_boundary (process)->tid) {
        return ENGINE_TRAP_RESUME;
    }
    clear_boundary (process);
    engine_python_write_u32 (process, PYTHON_OFFSET (motion_off), 1);
    return arrive (thread, JOB_VERB_STEP, TRUE);
}

/* The value that a Python function returned to C; the agent has written it down. */
static void
emit_returned (EngineProcess *process)
{
    g_autofree struct pddt_mailbox *box = g_new0 (struct pddt_mailbox, 1);

    if (engine_python_read_u32 (process, PYTHON_OFFSET (returned_size), &box->returned_size)
        && box->returned_size > 0 && box->returned_size < sizeof box->returned
        && base_memory_read (engine_process_get_memory (process),
                             process->python->mailbox + PYTHON_OFFSET (returned), box->text,
                             box->returned_size, NULL)) {
        engine_python_emit_returned (process, box);
    }
}

static EngineTrapAnswer
on_caller (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineProcess *process = owner;
    EngineBoundary *boundary = get_boundary (process);
    JobVerb verb = boundary->verb;

    if (thread->tid != boundary->tid || !engine_thread_load_registers (thread)
        || machine_registers_get_sp (&thread->registers) < boundary->min_sp) {
        return ENGINE_TRAP_RESUME;
    }
    clear_boundary (process);
    engine_python_write_u32 (process, PYTHON_OFFSET (motion_off), 1);
    if (verb == JOB_VERB_FINISH) {
        emit_returned (process);
    }
    return arrive (thread, verb, verb == JOB_VERB_FINISH || verb == JOB_VERB_UNTIL);
}

/* ---- a step into C ---- */

static void
plant_bodies (EngineProcess *process, StackModule *module)
{
    EngineBoundary *boundary = get_boundary (process);
    IndexImage *image = engine_process_open_image (process, module);
    g_autoptr (GArray) bodies = image != NULL && module->is_user
                                    ? index_image_list_bodies (image)
                                    : NULL;

    if (bodies == NULL || boundary->bodies->len + bodies->len > MAX_BODIES) {
        return;
    }
    for (guint i = 0; i < bodies->len; i++) {
        guint64 address = g_array_index (bodies, guint64, i) + module->bias;

        if (engine_trap_add (process, address, on_body, process, NULL)) {
            g_array_append_val (boundary->bodies, address);
        }
    }
}

static void
plant_all_bodies (EngineProcess *process)
{
    ENGINE_EACH_MODULE (process, module) {
        if (module->path != NULL && module->path[0] == '/') {
            plant_bodies (process, module);
        }
    }
}

/* The nearest C function of the user's outside the selected frame: where a callback returns to. */
static void
plant_caller (EngineProcess *process)
{
    EngineBoundary *boundary = get_boundary (process);
    Stack *stack = engine_inspect_get_stack (process);
    g_autoptr (GPtrArray) shown = stack != NULL ? stack_dup_shown (stack, FALSE) : NULL;

    for (guint i = process->selected_frame + 1; shown != NULL && i < shown->len; i++) {
        const JobFrame *frame = g_ptr_array_index (shown, i);

        if (job_frame_is_python (frame) || frame->location.line == 0
            || frame->flags & (JOB_FRAME_INTERPRETER | JOB_FRAME_LIBRARY)
            || frame->native_index >= stack->n_native
            || stack->native[frame->native_index].is_tail_call) {
            continue;
        }
        const StackNativeFrame *native = &stack->native[frame->native_index];
        if (engine_modules_has_lines (process, native->pc, 0)
            && engine_trap_add (process, native->pc, on_caller, process, NULL)) {
            boundary->caller = native->pc;
            boundary->min_sp = native->sp;
        }
        return;
    }
}

void
engine_python_plant_boundary (EngineThread *thread, JobVerb verb)
{
    EngineProcess *process = thread->process;
    EngineBoundary *boundary = get_boundary (process);

    clear_boundary (process);
    if (engine_process_get_modules (process) == NULL) {
        return;
    }
    boundary->tid = thread->tid;
    boundary->verb = verb;
    if (engine_python_is_stop (process)) {
        plant_caller (process);
    }
    if (verb == JOB_VERB_STEP) {
        plant_all_bodies (process);
    }
}

/* ---- from native code to Python ---- */

/* Sends the thread, which stands at pc with the GIL, into the agent and back. */
static gboolean
send_to_agent (EngineThread *thread, guint32 command)
{
    EngineProcess *process = thread->process;

    if (process->python->here_function == 0 || !engine_thread_load_registers (thread)
        || !engine_python_write_u32 (process, PYTHON_OFFSET (here_command), command)
        || !engine_python_write_u32 (process, PYTHON_OFFSET (just_my_code),
                                     process->engine->just_my_code)) {
        return FALSE;
    }
    if (!machine_call_enter (&thread->registers, engine_process_get_memory (process),
                             process->python->here_function)) {
        return FALSE;
    }
    machine_registers_forget_system_call (&thread->registers);
    thread->registers_changed = TRUE;
    thread->handled_trap = 0;
    return TRUE;
}

static gboolean
is_in_evaluation (EngineProcess *process, guint64 pc)
{
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, pc, &image);
    IndexFrame frames[32];
    guint count = image != NULL ? index_image_find_frames (image, pc - 1 - module->bias, frames,
                                                           G_N_ELEMENTS (frames))
                                : 0;

    return count > 0 && frames[count - 1].function != NULL
           && g_str_has_prefix (frames[count - 1].function, "_PyEval_EvalFrameDefault");
}

static gboolean
can_hand_over (EngineProcess *process)
{
    return process->python->has_agent && process->python->begun
           && process->python->here_function != 0 && process->python->stopped_tid == 0;
}

gboolean
engine_python_take_over (EngineThread *thread, JobVerb verb)
{
    EngineProcess *process = thread->process;
    guint32 command = verb == JOB_VERB_FINISH ? PDDT_COMMAND_CONTINUE
                      : verb == JOB_VERB_NEXT ? PDDT_COMMAND_NEXT
                                              : PDDT_COMMAND_STEP;

    if (!can_hand_over (process)
        || !is_in_evaluation (process, engine_thread_get_pc (thread))) {
        return FALSE;
    }
    if (!send_to_agent (thread, command)) {
        return FALSE;
    }
    engine_python_write_u32 (process, PYTHON_OFFSET (motion_off), 0);
    if (verb == JOB_VERB_STEP) {
        engine_python_plant_boundary (thread, verb);
    }
    return TRUE;
}

static EngineTrapAnswer
on_evaluation (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineProcess *process = owner;
    EngineBoundary *boundary = get_boundary (process);

    if (thread->tid != boundary->tid) {
        return ENGINE_TRAP_RESUME;
    }
    engine_trap_remove (process, boundary->evaluation, on_evaluation, process);
    boundary->evaluation = 0;
    if (!thread->resume_step && send_to_agent (thread, PDDT_COMMAND_STEP)) {
        engine_python_write_u32 (process, PYTHON_OFFSET (motion_off), 0);
    }
    return ENGINE_TRAP_RESUME;
}

void
engine_python_watch_callbacks (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    EngineBoundary *boundary;
    guint64 address;

    if (!can_hand_over (process)
        || !engine_process_find_symbol (process, "_PyEval_EvalFrameDefault", &address)) {
        return;
    }
    boundary = get_boundary (process);
    clear_boundary (process);
    if (engine_trap_add (process, address, on_evaluation, process, NULL)) {
        boundary->tid = thread->tid;
        boundary->verb = JOB_VERB_STEP;
        boundary->evaluation = address;
    }
}

gboolean
engine_python_is_outside (EngineProcess *process)
{
    Stack *stack = can_hand_over (process) ? engine_inspect_get_stack (process) : NULL;
    g_autoptr (GPtrArray) shown = stack != NULL ? stack_dup_shown (stack, FALSE) : NULL;

    for (guint i = process->selected_frame + 1; shown != NULL && i < shown->len; i++) {
        const JobFrame *frame = g_ptr_array_index (shown, i);

        if (job_frame_is_python (frame)) {
            return TRUE;
        }
        if (frame->location.line != 0
            && !(frame->flags & (JOB_FRAME_INTERPRETER | JOB_FRAME_LIBRARY))) {
            return FALSE;
        }
    }
    return FALSE;
}
