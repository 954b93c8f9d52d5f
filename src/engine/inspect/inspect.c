/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inspection of ranks: states and places, stacks, threads, the selected frame. A running rank
 * is halted meanwhile and resumed; a stopped one is only read. */
#include "engine/control/control.h"
#include "engine/inspect/private.h"
#include "engine/modules/modules.h"
#include "engine/notices.h"
#include "base/escape.h"

#define THREAD_WORDS 256u /* of glibc's struct pthread: the thread's number is among them */

/* To 3.10 an interpreter knows its threads by what pthread_self returns, which is known of a thread that
 * stands. Of one that does not, the kernel's number tells: the C library keeps it in that structure. */
static gboolean
has_number (EngineThread *thread, const PythonThread *candidate)
{
    guint32 words[THREAD_WORDS];
    gsize n = base_memory_read_some (engine_process_get_memory (thread->process),
                                     candidate->pthread, words, sizeof words)
              / sizeof *words;

    return BASE_ANY (i, n, words[i] == (guint32) thread->tid);
}

const PythonThread *
engine_inspect_find_python_thread (GArray *threads, EngineThread *thread)
{
    for (guint i = 0; i < threads->len; i++) {
        const PythonThread *candidate = &g_array_index (threads, PythonThread, i);
        if (candidate->tid == thread->tid)
            return candidate;
        if (candidate->tid == 0
            && (thread->has_registers
                    ? candidate->pthread
                          == machine_registers_get_thread_pointer (&thread->registers)
                    : has_number (thread, candidate)))
            return candidate;
    }
    return NULL;
}

Stack *
engine_inspect_read_stack (EngineThread *thread, guint max_frames)
{
    EngineProcess *process = thread->process;
    PythonRuntime *runtime;
    const PythonThread *python_thread = NULL;
    g_autoptr (GArray) threads = NULL;
    Stack *stack;

    if (engine_process_get_modules (process) == NULL
        || (!engine_thread_load_registers (thread) && !engine_inspect_is_waiting (thread)))
        return NULL;
    runtime = engine_runtime_find (process);
    if (runtime != NULL) {
        threads = python_runtime_read_threads (runtime, NULL);
        if (threads != NULL)
            python_thread = engine_inspect_find_python_thread (threads, thread);
    }
    if (!thread->has_registers)
        return engine_inspect_read_waiting (thread, runtime, python_thread);
    stack = stack_read (engine_process_get_modules (process),
                        engine_process_get_memory (process), &thread->registers, runtime,
                        python_thread, max_frames);
    stack_hide_inlined (stack, engine_thread_count_hidden (thread));
    return stack;
}

Stack *
engine_inspect_get_stack (EngineProcess *process)
{
    EngineThread *thread = engine_process_get_selected (process);

    if (process->stack == NULL && thread != NULL)
        process->stack = engine_inspect_read_stack (thread, 0);
    return process->stack;
}

/* The stack of the thread that has stopped is kept: what it shows may not be read again. */
static void
switch_thread (EngineProcess *process, EngineThread *thread, EngineThread *stopped)
{
    Stack *before = g_steal_pointer (&process->stack);

    if (engine_process_get_selected (process) == stopped) {
        g_clear_pointer (&process->stop_stack, stack_free);
        process->stop_stack = before;
    } else if (before != NULL) {
        stack_free (before);
    }
    process->stack = thread == stopped ? g_steal_pointer (&process->stop_stack) : NULL;
    engine_process_set_selected (process, thread);
}

void
engine_inspect_use_selection (EngineProcess *process, const JobRequest *request)
{
    const JobSelection *selection = job_request_find_selection (request, process->slot);
    EngineThread *selected = engine_process_get_selected (process);
    EngineThread *last = engine_process_get_stopped (process);
    EngineThread *stopped = last != NULL ? last : selected;
    EngineThread *thread = selection != NULL && selection->thread != 0
                               ? engine_process_find_thread (process, selection->thread)
                               : stopped;

    if (process->ended || selected == NULL || !engine_process_is_stopped (process))
        return;
    if (thread == NULL)
        thread = stopped;
    if (thread != selected)
        switch_thread (process, thread, stopped);
    process->frame_is_chosen = selection != NULL && selection->has_frame;
    process->selected_frame = process->frame_is_chosen ? selection->frame
                              : thread == stopped      ? process->stop_frame
                                                       : 0;
}

void
engine_inspect_read_again (EngineProcess *process, guint32 n_deeper)
{
    guint32 selected = process->selected_frame, own = process->stop_frame;
    gboolean is_chosen = process->frame_is_chosen;

    engine_process_forget_stacks (process);
    engine_tell (process, process->engine->notices->values_change);
    process->stop_frame = own != 0 ? own + n_deeper : 0;
    process->selected_frame = is_chosen || selected != 0 ? selected + n_deeper : 0;
    process->frame_is_chosen = is_chosen;
}

/* Of a native thread that stands in the user's own code: nothing outside its innermost frame is read,
 * named, or needs an index for that. NULL: it does not. */
static JobLocation *
dup_own_place (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    g_autoptr (Stack) top = NULL;
    const JobFrame *frame;

    if (engine_process_get_modules (process) == NULL || engine_runtime_find (process) != NULL
        || !engine_thread_load_registers (thread)
        || stack_modules_has_library_at (engine_process_get_modules (process),
                                         machine_registers_get_pc (&thread->registers)))
        return NULL;
    top = engine_inspect_read_stack (thread, 1);
    frame = top != NULL && top->frames->len > 0 ? g_ptr_array_index (top->frames, 0) : NULL;
    if (frame == NULL || frame->location.line == 0
        || (frame->flags & (JOB_FRAME_LIBRARY | JOB_FRAME_INTERPRETER)) != 0)
        return NULL;
    return job_location_dup (&frame->location);
}

const char *
engine_inspect_find_call (const JobFrame *frame)
{
    const char *name = frame->location.function;

    if (name == NULL || frame->location.module == NULL
        || ((frame->flags & JOB_FRAME_LIBRARY) == 0 && frame->location.line != 0)) {
        return NULL;
    }
    if (g_str_has_prefix (name, "PMPI_")) {
        return name + 1;
    }
    return g_str_has_prefix (name, "MPI_") ? name : NULL;
}

JobLocation *
engine_inspect_dup_place (EngineProcess *process, EngineThread *thread)
{
    JobLocation *own = thread != NULL && process->stack == NULL ? dup_own_place (thread) : NULL;

    if (own != NULL)
        return own;
    if (thread != NULL && thread == engine_process_get_selected (process)) {
        Stack *stack = engine_inspect_get_stack (process);
        return stack != NULL ? stack_dup_place (stack, engine_inspect_find_call) : NULL;
    }
    g_autoptr (Stack) stack = thread != NULL ? engine_inspect_read_stack (thread, 0) : NULL;
    return stack != NULL ? stack_dup_place (stack, engine_inspect_find_call) : NULL;
}

gboolean
engine_inspect_open (EngineInspection *look, EngineProcess *process, GError **error)
{
    *look = (EngineInspection){ .process = process };
    if (process->ended) {
        base_error_set (error, BASE_ERROR_GONE, "cannot inspect the rank: the rank has ended");
        return FALSE;
    }
    if (process->guest != NULL) {
        base_error_set (
            error, BASE_ERROR_BUSY,
            "cannot inspect the rank: it runs in its parent's memory until it executes a program");
        return FALSE;
    }
    if (!process->exec_seen) {
        base_error_set (error, BASE_ERROR_BUSY,
                        "cannot inspect the rank: the program has not begun");
        return FALSE;
    }
    if (engine_process_is_stopped (process)) {
        engine_process_begin_caching (process);
        return TRUE;
    }
    if (!engine_process_halt (process)) {
        base_error_set (error, BASE_ERROR_GONE, "cannot inspect the rank: the rank has ended");
        return FALSE;
    }
    look->sampled = TRUE;
    engine_process_begin_caching (process);
    engine_process_forget_stacks (process);
    if (engine_process_get_selected (process) == NULL && process->threads->len > 0)
        engine_process_set_selected (process, g_ptr_array_index (process->threads, 0));
    return TRUE;
}

void
engine_inspect_close (EngineInspection *look)
{
    engine_process_end_caching (look->process);
    if (!look->sampled)
        return;
    engine_process_forget_stacks (look->process);
    engine_process_release (look->process);
}

JobRankSet *
engine_inspect_dup_slot (const EngineProcess *process)
{
    return job_rank_set_new_range (process->slot, process->slot + 1);
}

JobEvent *
engine_inspect_new_event (const EngineInspection *look, JobEventKind kind, guint64 request)
{
    g_autoptr (JobRankSet) slot = engine_inspect_dup_slot (look->process);
    JobEvent *event = job_event_new (kind, request, slot);

    event->final = TRUE;
    if (look->sampled)
        event->flags |= JOB_EVENT_SAMPLED;
    if (engine_remains_are_used (look->process))
        event->flags |= JOB_EVENT_INITIAL;
    return event;
}

static void
answer_state (EngineProcess *process, guint64 request)
{
    JobLocation *running = NULL;

    if (!process->ended && !engine_process_is_stopped (process)) {
        running = process->engine->notices->dup_call_place (process);
        running = running != NULL ? running : engine_inspect_dup_running_place (process);
    }
    if (process->ended || engine_process_is_stopped (process)) { /* maybe since */
        engine_emit_state (process, request, TRUE, JOB_EVENT_FRESH);
        job_location_free (running);
    } else {
        JobLocation *kept = job_location_dup (process->state_place);

        engine_process_take_place (process, running);
        engine_emit_state (process, request, TRUE, JOB_EVENT_FRESH);
        engine_process_take_place (process, kept);
    }
}

GPtrArray *
engine_inspect_dup_shown (EngineProcess *process, const Stack *stack)
{
    return stack_dup_shown (stack, process->engine->interpreter_frames);
}

/* What is shown of the thread's stack: its frames, or views of them. Caller owns the list. */
static GPtrArray *
dup_frames (EngineThread *thread, const Stack *stack, const JobRequest *request)
{
    g_autoptr (GPtrArray) shown = engine_inspect_dup_shown (thread->process, stack);

    if (request->count > 0 && shown->len > request->count)
        g_ptr_array_set_size (shown, (gint) request->count);
    return (request->flags & JOB_REQUEST_FULL) != 0
               ? engine_inspect_dup_full (thread, stack, shown)
               : g_steal_pointer (&shown);
}

/* FALSE: none of its threads has one. */
static gboolean
answer_all_stacks (EngineInspection *look, const JobRequest *request)
{
    EngineProcess *process = look->process;
    g_autoptr (JobStackTree) tree = job_stack_tree_new ();
    g_autoptr (JobRankSet) slot = engine_inspect_dup_slot (process);
    JobEvent *event;
    guint n = 0;

    for (guint i = 0; i < process->threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);
        gboolean is_kept = thread == engine_process_get_selected (process)
                           && thread->state == ENGINE_THREAD_STOPPED;
        g_autoptr (Stack) own = is_kept ? NULL : engine_inspect_read_stack (thread, 0);
        const Stack *stack = is_kept ? engine_inspect_get_stack (process) : own;

        if (stack != NULL) {
            g_autoptr (GPtrArray) frames = dup_frames (thread, stack, request);

            job_stack_tree_add (tree, frames, slot);
            n++;
        } else {
            engine_inspect_tell_missing (thread);
        }
    }
    if (n == 0)
        return FALSE;
    event = engine_inspect_new_event (look, JOB_EVENT_STACKS, request->id);
    event->tree = g_steal_pointer (&tree);
    engine_emit (process->engine, event);
    return TRUE;
}

static gboolean
answer_where (EngineInspection *look, const JobRequest *request, GError **error)
{
    EngineProcess *process = look->process;
    g_autoptr (GPtrArray) frames = NULL;
    g_autoptr (JobRankSet) slot = NULL;
    JobEvent *event;

    if ((request->flags & JOB_REQUEST_THREADS) != 0)
        return answer_all_stacks (look, request)
               || engine_inspect_refuse_stack (process, error);
    if (engine_inspect_get_stack (process) == NULL)
        return engine_inspect_refuse_stack (process, error);
    frames = dup_frames (engine_process_get_selected (process), process->stack, request);
    event = engine_inspect_new_event (look, JOB_EVENT_STACKS, request->id);
    event->tree = job_stack_tree_new ();
    event = engine_emit (process->engine, event);
    /* at once to those of other ranks, most of which stand in the same frames */
    slot = engine_inspect_dup_slot (process);
    job_stack_tree_add (event->tree, frames, slot);
    return TRUE;
}

JobFrame *
engine_inspect_find_frame (EngineProcess *process, guint32 number, GError **error)
{
    Stack *stack = engine_inspect_get_stack (process);
    g_autoptr (GPtrArray) shown = NULL;

    if (stack == NULL) {
        base_error_set (error, BASE_ERROR_FAULT, "cannot read the stack");
        return NULL;
    }
    shown = engine_inspect_dup_shown (process, stack);
    if (number >= shown->len) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "no frame %u", number);
        return NULL;
    }
    return g_ptr_array_index (shown, number);
}

/* The frame of the place that the state line names: the innermost with a line outside of libraries and
 * interpreter; NULL: none. Of a stack that was read. */
static JobFrame *
find_place_frame (EngineProcess *process)
{
    for (guint i = 0; i < process->stack->frames->len; i++) {
        JobFrame *frame = g_ptr_array_index (process->stack->frames, i);

        if (!(frame->flags & (JOB_FRAME_INTERPRETER | JOB_FRAME_LIBRARY))
            && frame->location.line)
            return frame;
    }
    return NULL;
}

/* At a Python stop the agent has said where it is; a breakpoint in a library means the library. */
static gboolean
is_place_told (EngineProcess *process)
{
    return process->engine->notices->tells_place (process)
           && engine_process_get_selected (process) == engine_process_get_stopped (process);
}

/* Of no library, with lines or without: the program's file has it, or the program has made it while it ran. Under Python
 * the latter belongs to a compiler that its line has called, as numba. */
static gboolean
is_own_code (EngineProcess *process, const JobFrame *frame)
{
    if (!(frame->flags & (JOB_FRAME_LIBRARY | JOB_FRAME_INTERPRETER)))
        return TRUE;
    return !(frame->flags & JOB_FRAME_INTERPRETER)
           && (frame->flags & JOB_FRAME_PROGRAM || frame->location.module == NULL)
           && engine_runtime_find (process) == NULL;
}

guint32
engine_inspect_get_selected (EngineProcess *process)
{
    Stack *stack = engine_inspect_get_stack (process);
    g_autoptr (GPtrArray) shown = NULL;
    const JobFrame *place;
    guint at;

    if (process->selected_frame != 0 || process->frame_is_chosen || stack == NULL
        || !process->engine->just_my_code || is_place_told (process))
        return process->selected_frame;
    shown = engine_inspect_dup_shown (process, stack);
    if (shown->len == 0 || is_own_code (process, g_ptr_array_index (shown, 0)))
        return 0;
    place = find_place_frame (process);
    return place != NULL && g_ptr_array_find (shown, place, &at) ? at : 0;
}

const JobFrame *
engine_inspect_find_value_frame (EngineProcess *process, const JobRequest *request,
                                 GError **error)
{
    const char *text = request == NULL ? NULL
                       : request->verb == JOB_VERB_PRINTF || request->verb == JOB_VERB_INFO
                           ? request->text2
                           : request->text;
    guint32 number = text != NULL && engine_inspect_names_register (text)
                         ? process->selected_frame
                         : engine_inspect_get_selected (process);

    return engine_inspect_find_frame (process, number, error);
}

static void
emit_frame (EngineInspection *look, guint64 request, const JobFrame *frame)
{
    JobEvent *event = engine_inspect_new_event (look, JOB_EVENT_FRAME, request);

    event->number = (gint32) engine_inspect_get_selected (look->process);
    event->place = job_location_dup (&frame->location);
    engine_emit (look->process->engine, event);
}

void
engine_inspect_tell_frame (EngineProcess *process, guint64 request)
{
    const JobFrame *frame = engine_inspect_find_frame (process, process->selected_frame, NULL);
    EngineInspection look = { .process = process };

    if (process->frame_is_chosen && frame != NULL) {
        JobEvent *event = engine_inspect_new_event (&look, JOB_EVENT_FRAME, request);

        event->final = FALSE;
        event->number = (gint32) process->selected_frame;
        event->place = job_location_dup (&frame->location);
        engine_emit (process->engine, event);
    }
}

/* As far as there are frames; an error only where there is none at all. */
static gboolean
find_relative (EngineProcess *process, const JobRequest *request, guint32 *ret_number,
               GError **error)
{
    Stack *stack = engine_inspect_get_stack (process);
    g_autoptr (GPtrArray) shown = stack != NULL ? engine_inspect_dup_shown (process, stack)
                                                : NULL;
    gint64 last = shown != NULL ? (gint64) shown->len - 1 : 0;
    gint64 selected = engine_inspect_get_selected (process);
    gint64 wanted = CLAMP (selected + request->delta, 0, MAX (last, 0));
    const JobFrame *outermost = shown != NULL && shown->len > 0
                                    ? g_ptr_array_index (shown, last)
                                    : NULL;

    if (request->delta != 0 && wanted == selected) {
        if (request->delta < 0) {
            base_error_set (error, BASE_ERROR_NOT_FOUND, "this is the innermost frame");
        } else if (outermost != NULL && outermost->flags & JOB_FRAME_INCOMPLETE) {
            base_error_set (error, BASE_ERROR_NOT_FOUND, "its caller is not known");
        } else {
            base_error_set (error, BASE_ERROR_NOT_FOUND, "this is the outermost frame");
        }
        return FALSE;
    }
    *ret_number = (guint32) wanted;
    return TRUE;
}

static gboolean
select_frame (EngineInspection *look, const JobRequest *request, GError **error)
{
    EngineProcess *process = look->process;
    guint32 wanted = request->number;
    JobFrame *frame;

    if (look->sampled) {
        base_error_set (error, BASE_ERROR_BUSY, "cannot select a frame: the rank is running");
        return FALSE;
    }
    if (request->flags & JOB_REQUEST_RELATIVE
        && !find_relative (process, request, &wanted, error))
        return FALSE;
    frame = engine_inspect_find_frame (process, wanted, error);
    if (frame == NULL)
        return FALSE;
    process->selected_frame = wanted;
    process->frame_is_chosen = TRUE;
    emit_frame (look, request->id, frame);
    return TRUE;
}

static gboolean
select_thread (EngineInspection *look, const JobRequest *request, GError **error)
{
    EngineProcess *process = look->process;
    EngineThread *thread;

    if (look->sampled) {
        base_error_set (error, BASE_ERROR_BUSY, "cannot select a thread: the rank is running");
        return FALSE;
    }
    thread = engine_process_find_thread (process, request->number);
    if (thread != NULL) {
        const JobFrame *frame;

        if (thread != engine_process_get_selected (process))
            switch_thread (process, thread, engine_process_get_stopped (process));
        process->selected_frame = 0;
        process->frame_is_chosen = FALSE;
        frame = engine_inspect_find_frame (process, 0, error);
        if (frame != NULL)
            emit_frame (look, request->id, frame);
        return frame != NULL;
    }
    base_error_set (error, BASE_ERROR_NOT_FOUND, "no thread %u", request->number);
    return FALSE;
}

gboolean
engine_inspect_answer_text (EngineInspection *look, guint64 request, const char *text)
{
    JobEvent *event = engine_inspect_new_event (look, JOB_EVENT_TEXT, request);

    event->text = g_strdup (text);
    engine_emit (look->process->engine, event);
    return TRUE;
}

gboolean
engine_inspect_answer_details (EngineInspection *look, guint64 request, GPtrArray *details)
{
    JobEvent *event = engine_inspect_new_event (look, JOB_EVENT_DETAILS, request);

    event->details = details;
    engine_emit (look->process->engine, event);
    return TRUE;
}

/* As the kernel knows it; a library may have named it. */
static char *
dup_thread_name (EngineThread *thread)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/task/%d/comm",
                                             (int) thread->process->pid, (int) thread->tid);
    g_autofree char *text = NULL;

    return thread->process->core == NULL && g_file_get_contents (path, &text, NULL, NULL)
               ? g_utf8_make_valid (g_strchomp (text), -1)
               : NULL;
}

/* Python's own name for the thread, where it has one, and whether it has the interpreter's lock. */
static char *
dup_python_name (EngineProcess *process, EngineThread *thread, GArray *threads,
                 gboolean *ret_holds_gil)
{
    const PythonThread *python = threads != NULL
                                     ? engine_inspect_find_python_thread (threads, thread)
                                     : NULL;

    *ret_holds_gil = python != NULL && python->holds_gil;
    return python != NULL ? python_runtime_dup_thread_name (process->runtime, python) : NULL;
}

/* Without the address, in which ranks differ. */
static JobLocation *
dup_line (EngineProcess *process, EngineThread *thread)
{
    JobLocation *place = engine_inspect_dup_place (process, thread);

    if (place != NULL) {
        g_clear_pointer (&place->module, g_free);
        place->offset = 0;
    }
    return place;
}

static JobDetail *
describe_thread (EngineProcess *process, EngineThread *thread, GArray *threads)
{
    JobDetail *detail = job_detail_new (JOB_DETAIL_THREAD, thread->number, NULL, NULL);
    gboolean holds_gil;

    detail->name = dup_python_name (process, thread, threads, &holds_gil);
    if (detail->name == NULL) {
        detail->name = dup_thread_name (thread);
    }
    detail->name = base_escape_take (detail->name, BASE_ESCAPE_NAME);
    detail->place = dup_line (process, thread);
    detail->text = g_strdup (engine_inspect_explain_running (thread));
    detail->flags = (thread == engine_process_get_selected (process) ? JOB_DETAIL_HERE : 0)
                    | (holds_gil ? JOB_DETAIL_LOCK : 0);
    return detail;
}

static gboolean
answer_threads (EngineInspection *look, const JobRequest *request)
{
    EngineProcess *process = look->process;
    PythonRuntime *runtime = engine_runtime_find (process);
    g_autoptr (GArray) threads = runtime != NULL ? python_runtime_read_threads (runtime, NULL)
                                                 : NULL;
    GPtrArray *details = job_detail_list_new ();

    for (guint i = 0; i < process->threads->len; i++)
        g_ptr_array_add (details,
                         describe_thread (process, g_ptr_array_index (process->threads, i),
                                          threads));
    return engine_inspect_answer_details (look, request->id, details);
}

/* The nearest Python frame outside the selected one, as `py` can mean no other; without any the
 * selected one. */
static const JobFrame *
find_outer_python (EngineProcess *process, const JobFrame *selected)
{
    Stack *stack = engine_inspect_get_stack (process);
    g_autoptr (GPtrArray) shown = stack_dup_shown (stack, process->engine->interpreter_frames);

    for (guint i = engine_inspect_get_selected (process) + 1; i < shown->len; i++) {
        const JobFrame *frame = g_ptr_array_index (shown, i);
        if (job_frame_is_python (frame))
            return frame;
    }
    return selected;
}

GError *
engine_inspect_join_errors (const GError *read_error, const GError *run_error)
{
    if (run_error == NULL) {
        return g_error_copy (read_error);
    }
    if (read_error == NULL || g_error_matches (read_error, BASE_ERROR, BASE_ERROR_BUSY)) {
        return g_error_copy (run_error);
    }
    return g_error_new (BASE_ERROR, BASE_ERROR_BUSY, "%s; %s", read_error->message,
                        run_error->message);
}

/* By reading alone; where that is not enough, by running it. */
static gboolean
answer_in_python (EngineInspection *look, const JobRequest *request, const JobFrame *frame,
                  GError **error)
{
    g_autoptr (GError) read_error = NULL, run_error = NULL;

    if (engine_inspect_answer_in_frame (look, request, frame, &read_error))
        return TRUE;
    if ((g_error_matches (read_error, BASE_ERROR, BASE_ERROR_BUSY)
         || g_error_matches (read_error, BASE_ERROR, BASE_ERROR_UNSUPPORTED)
         || g_error_matches (read_error, BASE_ERROR, BASE_ERROR_INVALID))
        && look->process->engine->notices->run_python (look->process, request,
                                                       frame->native_index, read_error,
                                                       &run_error))
        return TRUE;
    g_propagate_error (error, engine_inspect_join_errors (read_error, run_error));
    return FALSE;
}

/* Python itself decides what of its values is true. */
static JobRequest *
dup_truth (const JobRequest *request)
{
    JobRequest *truth = job_request_dup (request);

    g_free (truth->text);
    truth->text = g_strdup_printf ("not not (%s)", request->text);
    return truth;
}

static gboolean
answer_value (EngineInspection *look, const JobRequest *request, GError **error)
{
    EngineProcess *process = look->process;
    const JobFrame *frame = engine_inspect_find_value_frame (process, request, error);
    g_autoptr (JobRequest) truth = NULL;

    if (frame == NULL
        || (request->verb == JOB_VERB_LOCALS
            && !engine_inspect_check_described (process, frame, error)))
        return FALSE;
    if ((request->flags & JOB_REQUEST_TRUTH) && request->text != NULL
        && job_frame_is_python (frame))
        request = truth = dup_truth (request);
    if (request->verb == JOB_VERB_EXEC && !job_frame_is_python (frame))
        frame = find_outer_python (process, frame);
    if (job_frame_is_python (frame) && !look->sampled
        && engine_process_get_selected (process) == engine_process_get_stopped (process)
        && process->engine->notices->ask_python (process, request, frame->native_index))
        return TRUE;
    if (!job_frame_is_python (frame) || look->sampled)
        return engine_inspect_answer_in_frame (look, request, frame, error);
    return answer_in_python (look, request, frame, error);
}

static gboolean
look_into (EngineInspection *look, const JobRequest *request, GError **error)
{
    if (request->verb == JOB_VERB_FIND) {
        return engine_inspect_answer_find (look, request, error);
    }
    if (engine_request_may_take_long (request->verb)) {
        return answer_value (look, request, error);
    }
    switch (request->verb) {
    case JOB_VERB_WHERE: return answer_where (look, request, error);
    case JOB_VERB_FRAME: return select_frame (look, request, error);
    case JOB_VERB_THREAD: return select_thread (look, request, error);
    case JOB_VERB_INFO: return engine_inspect_answer_info (look, request, error);
    case JOB_VERB_DUMP: return engine_inspect_dump (look, request, error);
    case JOB_VERB_THREADS: return answer_threads (look, request);
    case JOB_VERB_MODULES:
    case JOB_VERB_MAPS:
    case JOB_VERB_REGISTERS:
    case JOB_VERB_DISASSEMBLE:
    case JOB_VERB_EXAMINE: return engine_inspect_answer_code (look, request, error);
    default:
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot %s: this request does not inspect a rank",
                        job_verb_get_name (request->verb));
        return FALSE;
    }
}

static void
look_and_answer (EngineProcess *process, const JobRequest *request)
{
    EngineInspection look;
    g_autoptr (GError) error = NULL;

    if (engine_inspect_answer_unstopped (process, request))
        return;
    if (!engine_inspect_open (&look, process, &error)) {
        engine_emit_failure (process, request->id, error);
        return;
    }
    if (!look_into (&look, request, &error))
        engine_emit_failure (process, request->id, error);
    engine_inspect_close (&look);
}

void
engine_inspect_handle (Engine *engine, const JobRequest *request)
{
    gint64 end = engine_request_may_take_long (request->verb) ? engine_turn_get_end ()
                                                              : G_MAXINT64;

    JOB_EACH_RANK (request->ranks, slot) {
        EngineProcess *process = engine_find_process (engine, slot);

        if (process == NULL || engine_turn_put_off (process, request, end))
            continue;
        if (request->verb == JOB_VERB_STATE) {
            answer_state (process, request->id);
            continue;
        }
        if (process->ended) {
            engine_remains_answer (process, request);
            continue;
        }
        engine_work_do (process, request, look_and_answer);
    }
}
