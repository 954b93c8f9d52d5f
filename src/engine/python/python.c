/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python stops: finds the agent, keeps a trap on its stop function and turns what it says there into
 * stops of the rank; motions and breakpoint changes go back the same way. Where the thread cannot
 * be asked now, it is woken by a call that only marks a pending one in the interpreter. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/python/private.h"
#include <string.h>

static EngineTrapAnswer on_stop (EngineThread *thread, guint64 address, gpointer owner);

/* ---- the runner on the command line ---- */

static gboolean
is_runner (EngineProcess *process, const char *word)
{
    const char *runner = process->engine->options.runner_path;

    return (runner != NULL && strcmp (word, runner) == 0)
           || g_str_has_suffix (word, "/pddt_runner.py");
}

static gboolean
is_interpreter (const char *word)
{
    g_autofree char *name = g_path_get_basename (word);

    return g_str_has_prefix (name, "python")
           && name[strspn (name + 6, "0123456789.") + 6] == '\0';
}

void
engine_python_on_exec (EngineProcess *process)
{
    char *const *words;

    if (process->vfork != NULL) { /* its memory is its parent's */
        return;
    }
    words = engine_exec_get_command (process);
    process->python->is_agent_expected = FALSE;
    process->python->is_interpreter = words != NULL && words[0] != NULL
                                      && is_interpreter (words[0]);
    for (guint i = 1; words != NULL && words[0] != NULL && words[i] != NULL; i++) {
        if (is_interpreter (words[i])) {
            return; /* another program, which is going to run it, in a child perhaps */
        }
        if (is_runner (process, words[i])) {
            process->python->is_agent_expected = TRUE;
        }
    }
}

void
engine_python_on_gone (EngineProcess *process)
{
    EnginePython *python = process->python;

    /* it is there, and has not begun, where the program cannot be parsed */
    gboolean lacks_agent = python->is_agent_expected && !python->begun && !python->has_agent
                           && !process->detached && !python->is_injected && !python->is_missing;
    /* the runner has begun the interpreter again, without itself */
    gboolean is_refused = lacks_agent && !process->ended && python->is_interpreter;

    if (is_refused) {
        engine_say (process,
                    "this Python is not one of CPython 3.8 to 3.14: pddt debugs it as a "
                    "native program, without Python breakpoints and steps");
    } else if (lacks_agent && process->ended && process->motion_verb != JOB_VERB_KILL) {
        engine_say (process, "python ended before pddt's agent was loaded into it");
    }
    process->was_python = python->is_agent_expected || python->has_agent;
    engine_python_reset (process);
    process->is_python_refused = is_refused;
}

/* ---- finding the agent ---- */

static gboolean
is_agent_mapped (EngineProcess *process)
{
    ENGINE_EACH_MODULE (process, module) {
        if (module->path != NULL && g_str_has_suffix (module->path, "/pddt_agent.abi3.so")) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
read_head (EngineProcess *process, GError **error)
{
    guint64 magic = 0;
    guint32 version = 0, size = 0;

    if (!base_memory_read_u64 (engine_process_get_memory (process), process->python->mailbox,
                               &magic, error)
        || !engine_python_read_u32 (process, PYTHON_OFFSET (version), &version)
        || !engine_python_read_u32 (process, PYTHON_OFFSET (size), &size)) {
        if (error != NULL && *error == NULL) {
            base_error_set (error, BASE_ERROR_FAULT, "cannot read pddt's agent");
        }
        return FALSE;
    }
    if (magic != PDDT_MAILBOX_MAGIC || version != PDDT_MAILBOX_VERSION
        || size != sizeof (struct pddt_mailbox)) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "the agent in the program is of another version of pddt");
        return FALSE;
    }
    return TRUE;
}

/* A thread that was sent to be asked is long on its own: it goes back by itself. */
static EngineTrapAnswer
on_left (EngineThread *thread, guint64 address, gpointer owner)
{
    engine_python_pass_stop (thread, address);
    return ENGINE_TRAP_RESUME;
}

static void
connect_agent (EngineProcess *process)
{
    EnginePython *python = process->python;
    g_autoptr (GError) error = NULL;
    guint32 started = 0;

    if (!engine_process_find_symbol (process, "pddt_mailbox", &python->mailbox)
        || !engine_process_find_symbol (process, "pddt_python_stop", &python->stop_function)
        || !engine_process_find_symbol (process, "pddt_agent_wake", &python->wake_function)) {
        return;
    }
    engine_process_find_symbol (process, "pddt_agent_here", &python->here_function);
    if (engine_process_find_symbol (process, "pddt_agent_left", &python->left_function)
        && !engine_trap_add (process, python->left_function, on_left, process, NULL)) {
        python->left_function = 0;
    }
    if (!read_head (process, &error)
        || !engine_trap_add (process, python->stop_function, on_stop, process, &error)) {
        engine_emit_notice (process, error->message);
        return;
    }
    python->has_agent = engine_python_write_u32 (process, PYTHON_OFFSET (is_log_taken), 1)
                        && engine_python_write_u32 (process, PYTHON_OFFSET (attached), 1);
    if (engine_python_read_u32 (process, PYTHON_OFFSET (started), &started)) {
        python->begun = started != 0;
    }
}

/* ---- --stop-at mpi-init ---- */

static EngineTrapAnswer
on_mpi_init (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineProcess *process = owner;
    EnginePython *python = process->python;

    for (guint i = 0; i < G_N_ELEMENTS (python->mpi_init); i++) {
        if (python->mpi_init[i] != 0) {
            engine_trap_remove (process, python->mpi_init[i], on_mpi_init, process);
            python->mpi_init[i] = 0;
        }
    }
    python->wants_mpi_init = FALSE;
    engine_process_stop (process, thread, JOB_STATE_STOPPED, 0, NULL, NULL, NULL);
    return ENGINE_TRAP_STOP;
}

static void
watch_mpi_init (EngineProcess *process)
{
    static const char *names[] = { "MPI_Init", "MPI_Init_thread" };
    EnginePython *python = process->python;

    for (guint i = 0; python->wants_mpi_init && i < G_N_ELEMENTS (names); i++) {
        guint64 address;

        if (python->mpi_init[i] == 0 && engine_process_find_symbol (process, names[i], &address)
            && engine_trap_add (process, address, on_mpi_init, process, NULL)) {
            python->mpi_init[i] = address;
        }
    }
}

void
engine_python_on_modules (EngineProcess *process)
{
    if (process->vfork != NULL) { /* its parent's is not talked to */
        return;
    }
    if (!process->python->has_agent && is_agent_mapped (process)) {
        connect_agent (process);
    }
    if (!process->python->has_agent) {
        engine_python_await_code (process);
    }
    if (process->python->has_agent && process->python->wants_mpi_init) {
        watch_mpi_init (process);
    }
}

/* ---- stops ---- */

/* A thread that is in the middle of an earlier command executes this one after its late answer. */
static void
resume_stop (EngineThread *thread, guint32 command, guint32 count)
{
    EngineProcess *process = thread->process;

    if (engine_python_is_listening (thread)) {
        engine_python_write_command (process, command, count);
    } else {
        process->python->late_command = command;
        process->python->late_count = count;
    }
    engine_python_write_u32 (process, PYTHON_OFFSET (just_my_code),
                             process->engine->just_my_code);
    engine_python_pass_stop (thread, process->python->stop_function);
    process->python->stopped_tid = 0;
}

/* As much of it as the agent answers in time: the rest follows its late answer. */
static void
tell_queue (EngineThread *thread)
{
    EnginePython *python = thread->process->python;

    while (python->queue->len > 0 && engine_python_is_listening (thread)) {
        g_autoptr (JobRequest) request = g_ptr_array_steal_index (python->queue, 0);

        engine_python_tell_late (thread, request);
    }
    python->sync_wanted = python->queue->len > 0;
}

static void
hand_over_breakpoints (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    GPtrArray *list = engine_breakpoint_list (process);

    g_ptr_array_set_size (process->python->queue, 0);
    for (guint i = 0; list != NULL && i < list->len; i++) {
        const JobRequest *request = g_ptr_array_index (list, i);

        if (engine_python_is_breakpoint_verb (request)) {
            g_ptr_array_add (process->python->queue, job_request_dup (request));
        }
    }
    tell_queue (thread);
}

static EngineTrapAnswer
take_ready (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    const char *at = process->engine->start_at != NULL ? process->engine->start_at : "main";
    gboolean is_injected = process->python->is_injected;
    gboolean is_entry = strcmp (at, "main") == 0 && !process->python->begun && !is_injected;

    process->python->begun = TRUE;
    engine_python_write_u32 (process, PYTHON_OFFSET (stop_at_entry), is_entry);
    process->python->wants_mpi_init = strcmp (at, "mpi-init") == 0 && !is_injected;
    watch_mpi_init (process);
    hand_over_breakpoints (thread);
    if (process->python->wants_pause) {
        process->python->wants_pause = FALSE;
        engine_python_write_u32 (process, PYTHON_OFFSET (request_tid), 0);
        engine_python_write_u32 (process, PYTHON_OFFSET (request_command), PDDT_COMMAND_STEP);
        engine_python_write_u32 (process, PYTHON_OFFSET (request_frame), 0);
        engine_python_write_u32 (process, PYTHON_OFFSET (request), PDDT_REQUEST_PAUSE);
    }
    resume_stop (thread, PDDT_COMMAND_CONTINUE, 1);
    return ENGINE_TRAP_RESUME;
}

/* Asks for those that are still to be asked for, each once. */
static void
report_all_places (EngineThread *thread)
{
    EnginePython *python = thread->process->python;
    g_autoptr (GPtrArray) list = g_ptr_array_copy (engine_breakpoint_list (thread->process),
                                                   NULL, NULL);

    for (guint i = 0; i < list->len && engine_python_is_listening (thread); i++) {
        const JobRequest *request = g_ptr_array_index (list, i);

        if ((request->verb == JOB_VERB_BREAK || request->verb == JOB_VERB_CATCH)
            && engine_python_is_breakpoint_verb (request)
            && request->number >= python->places_from) {
            python->places_from = request->number + 1;
            engine_python_report_places (thread, request);
        }
    }
    if (engine_python_is_listening (thread)) {
        python->places_from = 0;
    }
}

static EngineTrapAnswer
take_sync (EngineThread *thread)
{
    tell_queue (thread);
    thread->process->python->places_from = 1;
    report_all_places (thread);
    resume_stop (thread, PDDT_COMMAND_CONTINUE, 1);
    return ENGINE_TRAP_RESUME;
}

/* What `finish` saw returned. */
void
engine_python_emit_returned (EngineProcess *process, const struct pddt_mailbox *box)
{
    PythonAnswer answer = { .out = (guint8 *) (guintptr) box->text,
                            .out_size = sizeof box->text };
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (process->slot, process->slot + 1);
    gsize at = 0;
    g_autoptr (JobValue) value = engine_python_take_value (NULL, &answer, &at, NULL);
    const char *function = engine_python_next_word (&answer, &at), *word;
    JobEvent *event;

    if (value == NULL || function == NULL) {
        return;
    }
    event = job_event_new (JOB_EVENT_RETURNED, process->motion, slot);
    event->place = job_location_new (function, NULL, 0);
    event->place->language = JOB_LANGUAGE_PYTHON;
    event->table = job_value_table_new ();
    job_value_table_add (event->table, function, slot, value);
    word = engine_python_next_word (&answer, &at);
    event->text = word != NULL && *word != '\0' ? g_strdup (word) : NULL;
    engine_emit (process->engine, event);
}

void
engine_python_forget_until (EngineProcess *process)
{
    EnginePython *python = process->python;
    JobRequest *request;

    if (python->until_is_set) {
        python->until_is_set = FALSE;
        request = job_request_new (JOB_VERB_DELETE, NULL);
        request->number = PYTHON_UNTIL_NUMBER;
        g_ptr_array_add (python->queue, request);
    }
}

static void
stop_at_breakpoint (EngineThread *thread, const struct pddt_mailbox *box,
                    const JobLocation *place)
{
    EngineProcess *process = thread->process;

    if (box->number == PYTHON_UNTIL_NUMBER) {
        process->python->until_is_set = FALSE;
        engine_process_stop (process, thread, JOB_STATE_STOPPED, 0, NULL, NULL, place);
        return;
    }
    if (box->text[0] == '\001') {
        engine_emit_notice (process, box->text + 1);
    } else if (box->text[0] != '\0') {
        engine_say (process, "cannot evaluate the condition of breakpoint %u: %s", box->number,
                    box->text);
    }
    engine_process_stop (process, thread, JOB_STATE_BREAKPOINT, (gint32) box->number, NULL,
                         NULL, place);
}

static void
stop_rank (EngineThread *thread, const struct pddt_mailbox *box)
{
    EngineProcess *process = thread->process;
    JobLocation *place = job_location_new (box->function, box->file, box->line);

    place->language = JOB_LANGUAGE_PYTHON;
    process->python->stopped_tid = engine_python_is_listening (thread) ? thread->tid : 0;
    process->python->is_by_traceback = FALSE;
    switch (box->event) {
    case PDDT_EVENT_BREAKPOINT: stop_at_breakpoint (thread, box, place); break;
    case PDDT_EVENT_EXCEPTION:
        engine_process_stop (process, thread, JOB_STATE_EXCEPTION, 0, box->text,
                             box->text + strlen (box->text) + 1, place);
        if (engine_process_is_stopped (process) && box->is_selected_by_traceback) {
            process->python->is_by_traceback = TRUE;
            engine_python_show_traceback (process, thread, box->own_frame);
        }
        break;
    case PDDT_EVENT_STEP:
        if (box->number == 1 && process->motion_verb != JOB_VERB_UNTIL) {
            engine_python_emit_returned (process, box);
        }
        engine_process_stop (process, thread, JOB_STATE_STOPPED, 0, NULL, NULL, place);
        break;
    default:
        engine_process_stop (process, thread, JOB_STATE_STOPPED, 0, NULL, NULL, place);
        break;
    }
    if (engine_process_is_stopped (process) && process->python->stopped_tid != 0) {
        engine_python_forget_until (process);
        tell_queue (thread);
    }
    job_location_free (place);
}

EngineTrapAnswer
engine_python_take_event (EngineThread *thread)
{
    return on_stop (thread, thread->process->python->stop_function, thread->process);
}

/* The answer of a conversation that took too long: the thread is at its stop again, and gets what was asked of it
 * meanwhile, the motion last. */
static EngineTrapAnswer
take_late_answer (EngineThread *thread)
{
    EnginePython *python = thread->process->python;
    gboolean is_awaited = python->late_tid == thread->tid;
    guint32 command = is_awaited ? python->late_command : PDDT_COMMAND_CONTINUE;
    guint32 count = is_awaited ? python->late_count : 1;
    guint32 frame = is_awaited ? python->late_frame : 0;

    if (is_awaited) {
        python->late_tid = 0;
    }
    engine_python_take_late_point (thread);
    tell_queue (thread);
    if (python->places_from != 0) {
        report_all_places (thread);
    }
    if (engine_python_is_listening (thread)) {
        engine_python_write_u32 (thread->process, PYTHON_OFFSET (command_frame), frame);
    } else {
        python->late_frame = frame;
    }
    resume_stop (thread, command, count);
    return ENGINE_TRAP_RESUME;
}

static EngineTrapAnswer
on_stop (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineProcess *process = owner;
    g_autofree struct pddt_mailbox *box = engine_python_read_event (process);

    if (box == NULL) {
        return ENGINE_TRAP_RESUME;
    }
    process->python->event = box->event;
    engine_python_take_log (process);
    switch (box->event) {
    case PDDT_EVENT_READY: return take_ready (thread);
    case PDDT_EVENT_SYNC: return take_sync (thread);
    case PDDT_EVENT_LOG:
        resume_stop (thread, PDDT_COMMAND_CONTINUE, 1);
        return ENGINE_TRAP_RESUME;
    case PDDT_EVENT_NOTICE:
        engine_emit_notice (process, box->text);
        resume_stop (thread, PDDT_COMMAND_CONTINUE, 1);
        return ENGINE_TRAP_RESUME;
    case PDDT_EVENT_ANSWER: return take_late_answer (thread);
    case PDDT_EVENT_ARRIVED:
        resume_stop (thread, PDDT_COMMAND_CONTINUE, 1);
        return ENGINE_TRAP_RESUME;
    default:
        /* what was asked while it ran holds from this stop on */
        tell_queue (thread);
        if (box->event == PDDT_EVENT_BREAKPOINT && box->number == PYTHON_UNTIL_NUMBER
            && !process->python->until_is_set) {
            resume_stop (thread, PDDT_COMMAND_CONTINUE, 1);
            return ENGINE_TRAP_RESUME;
        }
        if (box->event == PDDT_EVENT_STEP && process->motion_verb == JOB_VERB_STEP
            && process->motion_count > 1 && !engine_process_is_stopped (process)) {
            process->motion_count--;
            resume_stop (thread, PDDT_COMMAND_STEP, 1);
            return ENGINE_TRAP_RESUME;
        }
        stop_rank (thread, box);
        return ENGINE_TRAP_STOP;
    }
}

gboolean
engine_python_is_stop (const EngineProcess *process)
{
    return process->python->stopped_tid != 0 && engine_process_is_stopped (process)
           && engine_process_get_stopped (process) != NULL
           && engine_process_get_stopped (process)->tid == process->python->stopped_tid;
}

gboolean
engine_python_tells_place (const EngineProcess *process)
{
    return engine_python_is_stop (process) && process->python->event != PDDT_EVENT_ARRIVED;
}

/* ---- what has changed ---- */

static void
request_sync (EngineProcess *process, guint32 bits)
{
    guint32 request = 0;

    if (!engine_process_halt (process)) {
        return;
    }
    engine_python_read_u32 (process, PYTHON_OFFSET (request), &request);
    engine_python_write_u32 (process, PYTHON_OFFSET (request), request | bits);
    engine_python_wake_soon (process);
    if (!process->ended) {
        engine_process_release (process);
    }
}

gboolean
engine_python_handle_breakpoint (EngineProcess *process, const JobRequest *request,
                                 GError **error)
{
    if (!process->python->has_agent && !process->ended
        && engine_python_is_breakpoint_verb (request)) {
        engine_work_do (process, request, engine_python_bring_agent);
        if (process->python->is_injected && !process->python->has_agent) {
            engine_python_report_unanswered (process, request);
        }
        return TRUE;
    }
    /* before READY nothing is lost: the list is handed over then */
    if (!process->python->has_agent || !process->python->begun || process->ended
        || !engine_python_is_breakpoint_verb (request)) {
        return TRUE;
    }
    if (engine_python_is_stop (process)) {
        return engine_python_tell (engine_process_get_stopped (process), request, error);
    }
    engine_python_queue (process, request);
    if (!process->python->sync_wanted) {
        process->python->sync_wanted = TRUE;
        request_sync (process, PDDT_REQUEST_SYNC);
    }
    return TRUE;
}

/* ---- motions ---- */

/* The breakpoint at the end of `until`; NULL: it means no place that Python could have. */
static JobRequest *
new_until (const JobRequest *request)
{
    g_autoptr (JobRequest) point = job_request_dup (request);

    point->verb = JOB_VERB_BREAK;
    point->number = PYTHON_UNTIL_NUMBER;
    point->flags |= JOB_REQUEST_TEMPORARY;
    point->every = point->thread = 0;
    return engine_python_is_breakpoint_verb (point) ? g_steal_pointer (&point) : NULL;
}

gboolean
engine_python_begin_until (EngineProcess *process, const JobRequest *request, GError **error)
{
    g_autoptr (JobRequest) point = NULL;

    if (request->verb != JOB_VERB_UNTIL || !engine_python_is_stop (process)
        || (point = new_until (request)) == NULL) {
        return TRUE;
    }
    if (!engine_python_tell_until (engine_process_get_stopped (process), point, error)) {
        return FALSE;
    }
    process->python->until_is_set = TRUE;
    return TRUE;
}

/* The same from a stop in native code, for a place that is no native one: the agent takes it with
 * the motion. */
static gboolean
queue_until (EngineProcess *process, const JobRequest *request)
{
    g_autoptr (JobRequest) point = new_until (request);
    guint64 address;

    if (point == NULL
        || (point->where.kind == JOB_WHERE_LINE
                ? !g_str_has_suffix (point->where.file, ".py")
                : engine_process_find_symbol (process, point->where.function, &address))) {
        return FALSE;
    }
    g_ptr_array_add (process->python->queue, g_steal_pointer (&point));
    process->python->until_is_set = TRUE;
    return TRUE;
}

/* The selected frame, NULL when there is none. Borrowed from the stack. */
static const JobFrame *
find_selected (EngineProcess *process)
{
    Stack *stack = engine_inspect_get_stack (process);
    g_autoptr (GPtrArray) shown
        = stack != NULL ? stack_dup_shown (stack, process->engine->interpreter_frames) : NULL;

    return shown != NULL && process->selected_frame < shown->len
               ? g_ptr_array_index (shown, process->selected_frame)
               : NULL;
}

/* The user has selected a frame of C, whose line is the one to leave. */
static gboolean
is_native_chosen (EngineProcess *process)
{
    const JobFrame *frame = process->frame_is_chosen ? find_selected (process) : NULL;

    return frame != NULL && !job_frame_is_python (frame) && frame->location.line != 0;
}

/* The index of the selected Python frame; a step from a caller's line goes on to the next one there. */
static guint32
find_python_index (EngineProcess *process, guint32 *command)
{
    const JobFrame *frame = find_selected (process);
    guint32 index = frame != NULL && job_frame_is_python (frame) ? frame->native_index : 0;

    if (process->frame_is_chosen && index > 0 && *command == PDDT_COMMAND_STEP) {
        *command = PDDT_COMMAND_NEXT;
    }
    return index;
}

static gboolean
move_from_python_stop (EngineProcess *process, const JobRequest *request)
{
    static const struct {
        JobVerb verb;
        guint32 command;
    } rows[] = {
        { JOB_VERB_STEP, PDDT_COMMAND_STEP },
        { JOB_VERB_NEXT, PDDT_COMMAND_NEXT },
        { JOB_VERB_FINISH, PDDT_COMMAND_FINISH },
    };
    EngineThread *thread = engine_process_get_stopped (process);
    const JobFrame *frame = find_selected (process);
    guint32 index = frame != NULL && job_frame_is_python (frame) ? frame->native_index : 0;

    if (request->verb == JOB_VERB_UNTIL && process->python->until_is_set) {
        /* it ends, too, where the frame returns to */
        if (frame != NULL && job_frame_is_python (frame)
            && engine_process_get_selected (process) == thread) {
            engine_python_plant_boundary (thread, request->verb);
            engine_python_write_u32 (process, PYTHON_OFFSET (command_frame), index);
            resume_stop (thread, PDDT_COMMAND_FINISH, 1);
        } else {
            resume_stop (thread, PDDT_COMMAND_CONTINUE, 1);
        }
        return TRUE;
    }
    for (guint i = 0;
         engine_process_get_selected (process) == thread && i < G_N_ELEMENTS (rows); i++) {
        guint32 command = rows[i].command;

        if (rows[i].verb != request->verb || is_native_chosen (process)
            || (request->verb == JOB_VERB_FINISH && frame != NULL
                && !job_frame_is_python (frame))) {
            continue;
        }
        engine_python_plant_boundary (thread, request->verb);
        engine_python_write_u32 (process, PYTHON_OFFSET (command_frame),
                                 find_python_index (process, &command));
        resume_stop (thread, command,
                     request->verb == JOB_VERB_STEP ? 1 : MAX (request->count, 1));
        return TRUE;
    }
    resume_stop (thread, PDDT_COMMAND_CONTINUE, 1);
    return FALSE;
}

gboolean
engine_python_is_inner (EngineProcess *process)
{
    Stack *stack = engine_inspect_get_stack (process);

    for (guint i = 0; stack != NULL && i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);

        if (job_frame_is_python (frame)) {
            return TRUE;
        }
        if ((frame->flags & (JOB_FRAME_INTERPRETER | JOB_FRAME_LIBRARY)) == 0
            && frame->location.line != 0) {
            return FALSE;
        }
    }
    return FALSE;
}

/* A step among Python lines in a rank that runs without the agent: it stops at the first line that
 * is executed once the agent is there. */
static gboolean
bring_agent_for_step (EngineProcess *process)
{
    EnginePython *python = process->python;
    g_autoptr (GError) error = NULL;

    if (engine_python_is_missing (process)
        || (process->python->is_agent_expected && !python->is_injected) || !process->exec_seen
        || engine_runtime_find (process) == NULL || !engine_python_is_inner (process)) {
        return FALSE;
    }
    python->wants_pause = engine_python_inject (process, &error);
    if (!python->wants_pause) {
        engine_emit_notice (process, error->message);
    }
    return python->wants_pause;
}

static guint32
get_command (JobVerb verb)
{
    return verb == JOB_VERB_STEP     ? PDDT_COMMAND_STEP
           : verb == JOB_VERB_NEXT   ? PDDT_COMMAND_NEXT
           : verb == JOB_VERB_FINISH ? PDDT_COMMAND_FINISH
                                     : PDDT_COMMAND_CONTINUE;
}

static gboolean
is_step (const JobRequest *request)
{
    return request->verb == JOB_VERB_STEP || request->verb == JOB_VERB_NEXT
           || request->verb == JOB_VERB_FINISH;
}

/* The selected thread is in the middle of an evaluation that took too long. */
static gboolean
is_answering (const EngineProcess *process)
{
    return process->python->late_tid != 0 && engine_process_get_selected (process) != NULL
           && engine_process_get_selected (process)->tid == process->python->late_tid;
}

static void
note_late_motion (EngineProcess *process, const JobRequest *request)
{
    EnginePython *python = process->python;

    python->late_command = get_command (request->verb);
    python->late_frame = find_python_index (process, &python->late_command);
    python->late_count = MAX (request->count, 1);
}

gboolean
engine_python_prepare_motion (EngineProcess *process, const JobRequest *request)
{
    guint32 command;

    if (!engine_process_is_stopped (process)) {
        return FALSE;
    }
    if (!process->python->has_agent) {
        return is_step (request) && bring_agent_for_step (process);
    }
    if (engine_python_is_stop (process)) {
        return move_from_python_stop (process, request);
    }
    process->python->stopped_tid = 0;
    if (is_answering (process)) {
        note_late_motion (process, request);
        return is_step (request);
    }
    if (!process->python->begun || engine_process_get_selected (process) == NULL
        || !engine_python_is_inner (process) || is_native_chosen (process)
        || !(is_step (request)
             || (request->verb == JOB_VERB_UNTIL && queue_until (process, request)))) {
        return FALSE;
    }
    engine_python_write_u32 (process, PYTHON_OFFSET (request_tid),
                             (guint32) engine_process_get_selected (process)->tid);
    command = request->verb == JOB_VERB_UNTIL ? PDDT_COMMAND_FINISH
                                              : get_command (request->verb);
    engine_python_write_u32 (process, PYTHON_OFFSET (request_frame),
                             process->frame_is_chosen ? find_python_index (process, &command)
                                                      : 0);
    engine_python_write_u32 (process, PYTHON_OFFSET (request_command), command);
    request_sync (process, PDDT_REQUEST_PAUSE
                               | (request->verb == JOB_VERB_UNTIL ? PDDT_REQUEST_SYNC : 0));
    engine_python_write_u32 (process, PYTHON_OFFSET (motion_off), 0);
    return TRUE;
}
