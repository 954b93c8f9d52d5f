/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank's MPI state, from the recorder's tables without stopping the rank, or from its stack:
 * finds the recorder and the current call. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/python/python.h"
#include "engine/queue/private.h"
#include "base/file.h"
#include <string.h>
#include <sys/syscall.h>

#define MAX_CALLS 1024

/* ---- finding it ---- */

EngineQueue *
engine_queue_get (EngineProcess *process)
{
    if (process->queue == NULL) {
        process->queue = g_new0 (EngineQueue, 1);
    }
    return process->queue;
}

void
engine_queue_forget (EngineProcess *process)
{
    if (process->queue != NULL) {
        g_free (process->queue->calls);
        g_clear_pointer (&process->queue, g_free);
    }
}

static gboolean
is_preloaded (const EngineProcess *process)
{
    gsize size = 0;
    g_autofree char *text = base_file_read_process (process->pid, "environ", &size);
    gboolean found = FALSE;

    for (const char *at = text; text != NULL && at < text + size; at += strlen (at) + 1) {
        found |= g_str_has_prefix (at, "LD_PRELOAD=") && strstr (at, "/libpddt-mpi") != NULL;
    }
    return found;
}

gboolean
engine_queue_is_wanted (EngineProcess *process)
{
    EngineQueue *queue = engine_queue_get (process);

    if (queue->tables == 0 && !queue->is_asked) {
        queue->is_asked = TRUE;
        queue->is_expected = is_preloaded (process);
    }
    return queue->tables == 0 && queue->is_expected;
}

static gboolean
has_module (EngineProcess *process)
{
    ENGINE_EACH_MODULE (process, module) {
        if (strstr (module->path, "/libpddt-mpi") != NULL) {
            return TRUE;
        }
    }
    return FALSE;
}

/* The recorder's list ends in an empty name. */
static void
read_calls (EngineProcess *process, guint64 address)
{
    EngineQueue *queue = process->queue;

    queue->calls = g_new0 (struct pddt_queue_call, MAX_CALLS);
    for (guint i = 1; i < MAX_CALLS; i++) {
        struct pddt_queue_call *call = &queue->calls[i];

        if (!base_memory_read (engine_process_get_memory (process), address + i * sizeof *call,
                               call, sizeof *call, NULL)
            || call->name[0] == '\0') {
            break;
        }
        call->name[sizeof call->name - 1] = '\0';
        queue->n_calls = i + 1;
    }
}

void
engine_queue_on_modules (EngineProcess *process)
{
    guint64 tables, calls;

    if (process->queue != NULL && process->queue->tables != 0) {
        engine_queue_plant_library (process); /* MPI itself may come later (Python's does) */
        return;
    }
    if (engine_catch_wants_mpi_errors (process)) {
        engine_queue_catch_errors (process);
    }
    if (!has_module (process)
        || !engine_process_find_symbol (process, "pddt_mpi_queue", &tables)
        || !engine_process_find_symbol (process, "pddt_mpi_calls", &calls)) {
        return;
    }
    engine_queue_get (process)->tables = tables;
    read_calls (process, calls);
    engine_queue_plant_recorder (process);
    engine_queue_plant_library (process);
}

gboolean
engine_queue_has_recorder (const EngineProcess *process)
{
    guint64 magic = 0;

    return process->queue != NULL && process->queue->tables != 0
           && base_memory_read_u64 (engine_process_get_memory (process), process->queue->tables,
                                    &magic, NULL)
           && magic == PDDT_QUEUE_MAGIC;
}

const struct pddt_queue_call *
engine_queue_get_call (EngineProcess *process, guint32 number)
{
    const EngineQueue *queue = process->queue;

    return queue != NULL && number > 0 && number < queue->n_calls ? &queue->calls[number]
                                                                  : NULL;
}

/* ---- places ---- */

JobLocation *
engine_queue_locate (EngineProcess *process, guint64 caller, const JobLocation *python)
{
    IndexImage *image = NULL;
    StackModule *module = engine_modules_find_image (process, caller - 1, &image);
    IndexFrame frame = { 0 };
    gboolean is_named;
    JobLocation *place;

    if ((module == NULL || !module->is_user) && python != NULL) {
        return job_location_dup (python);
    }
    if (module == NULL || (!module->is_user && process->runtime != NULL)) {
        return NULL; /* an extension of Python's: its own line would mislead */
    }
    is_named = image != NULL
               && index_image_find_frames (image, caller - 1 - module->bias, &frame, 1) > 0;
    place = job_location_new (is_named ? frame.function : NULL,
                              is_named && frame.line != 0 ? frame.file : NULL,
                              is_named && frame.file != NULL ? frame.line : 0);
    place->language = is_named ? frame.language : JOB_LANGUAGE_UNKNOWN;
    place->module = g_path_get_basename (module->path);
    place->offset = caller - module->bias;
    return place;
}

/* Of the threads inside MPI the main thread's, otherwise the first's; of several fibres that of the last call. */
static const struct pddt_queue_thread *
find_thread (EngineProcess *process, const EngineQueueCopy *copy)
{
    const struct pddt_queue_thread *found = NULL;

    for (guint32 i = 0; i < copy->queue->threads_high; i++) {
        const struct pddt_queue_thread *thread = &copy->threads[i];

        if (thread->tid == 0 || engine_queue_get_call (process, thread->inside) == NULL) {
            continue;
        }
        if (found == NULL
            || (found->tid == thread->tid ? engine_queue_get_record (found)->number
                                                < engine_queue_get_record (thread)->number
                                          : thread->tid == (guint32) process->pid)) {
            found = thread;
        }
    }
    return found;
}

JobLocation *
engine_queue_dup_running_place (EngineProcess *process)
{
    g_autoptr (EngineQueueCopy) copy = g_new0 (EngineQueueCopy, 1);
    g_autoptr (JobLocation) python = NULL;
    const struct pddt_queue_thread *thread;
    JobLocation *place;

    if (!engine_queue_has_recorder (process) || !engine_queue_read_threads (process, copy)) {
        return NULL;
    }
    thread = find_thread (process, copy);
    if (thread == NULL) {
        return NULL;
    }
    python = engine_inspect_dup_running_place_of (process, (pid_t) thread->tid);
    place = engine_queue_locate (process, engine_queue_get_record (thread)->caller, python);
    if (place == NULL) {
        place = job_location_new (NULL, NULL, 0);
    }
    g_free (place->function);
    place->function = g_strdup (engine_queue_get_call (process, thread->inside)->name);
    if (place->line == 0) { /* inside MPI the module is no help */
        g_clear_pointer (&place->module, g_free);
        place->offset = 0;
    }
    return place;
}

void
engine_queue_note_thread (EngineThread *parent, pid_t tid)
{
    EngineProcess *process = parent->process;
    EngineThread *thread = g_hash_table_lookup (process->engine->by_tid, GINT_TO_POINTER (tid));
    g_autoptr (EngineQueueCopy) copy = NULL;

    if (thread == NULL || thread->process != process) {
        return;
    }
    thread->is_mpis = parent->is_mpis;
    copy = g_new0 (EngineQueueCopy, 1);
    if (thread->is_mpis || !engine_queue_has_recorder (process)
        || !engine_queue_read_threads (process, copy)) {
        return;
    }
    for (guint32 i = 0; i < copy->queue->threads_high; i++) {
        thread->is_mpis |= copy->threads[i].tid == (guint32) parent->tid
                           && copy->threads[i].inside != 0;
    }
}

/* ---- progress ---- */

gboolean
engine_queue_find_blocked (EngineProcess *process, gboolean *ret_is_blocked,
                           JobLocation **ret_place)
{
    g_autoptr (EngineQueueCopy) copy = g_new0 (EngineQueueCopy, 1);
    guint64 completed = 0;
    const struct pddt_queue_thread *thread;
    const struct pddt_queue_call *call;

    if (!engine_queue_has_recorder (process) || !engine_queue_read_threads (process, copy)) {
        return FALSE;
    }
    for (guint32 i = 0; i < copy->queue->threads_high; i++) {
        completed += copy->threads[i].completed;
    }
    thread = find_thread (process, copy);
    call = thread != NULL ? engine_queue_get_call (process, thread->inside) : NULL;
    *ret_is_blocked = call != NULL && call->kind != PDDT_QUEUE_LOCAL
                      && completed == process->queue->progress;
    *ret_place = *ret_is_blocked ? engine_queue_dup_running_place (process) : NULL;
    process->queue->progress = completed;
    return TRUE;
}

/* ---- leaving without MPI_Finalize ---- */

gboolean
engine_queue_wants_exit (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    guint32 state = 0;

    return process->queue != NULL && !process->queue->was_error
           && !process->queue->was_held_at_exit && process->engine->catch_mpi_errors
           && engine_queue_has_recorder (process) && engine_thread_load_registers (thread)
           && machine_registers_get_system_call (&thread->registers) == SYS_exit_group
           && base_memory_read_u32 (engine_process_get_memory (process),
                                    process->queue->tables
                                        + G_STRUCT_OFFSET (struct pddt_queue, state),
                                    &state, NULL)
           && (state & PDDT_QUEUE_INITIALIZED)
           && !(state & (PDDT_QUEUE_FINALIZED | PDDT_QUEUE_ABORTING));
}

gboolean
engine_queue_check_exit (EngineThread *thread)
{
    EngineProcess *process = thread->process;

    if (!engine_queue_wants_exit (thread)) {
        return FALSE;
    }
    process->queue->was_held_at_exit = TRUE;
    engine_say (process, "leaves without MPI_Finalize, exit status %d; continue lets it go",
                (int) (machine_registers_get_argument (&thread->registers, 0) & 0xff));
    engine_process_stop (process, thread, JOB_STATE_STOPPED, 0, NULL, NULL, NULL);
    return TRUE;
}

/* ---- the answer ---- */

/* Whether the ranks are halted for what cannot be read otherwise: in answers to the user; where there is
 * no recorder; none, as nobody has asked. */
typedef enum { MANNER_OPEN, MANNER_RECORDED, MANNER_QUIET } Manner;

static gboolean
has_mpi (EngineProcess *process)
{
    guint64 address;

    return engine_process_find_symbol (process, "PMPI_Init", &address);
}

/* MPI is part of the program: nothing can come between the two. */
static gboolean
is_static (EngineProcess *process)
{
    guint64 address;
    const StackModule *module = engine_process_find_symbol (process, "PMPI_Init", &address)
                                    ? stack_modules_find (engine_process_get_modules (process),
                                                          address)
                                    : NULL;

    return module != NULL && module->is_executable;
}

static gboolean
is_foreign (EngineProcess *process)
{
    guint32 state = 0;

    base_memory_read_u32 (engine_process_get_memory (process),
                          process->queue->tables + G_STRUCT_OFFSET (struct pddt_queue, state),
                          &state, NULL);
    return (state & PDDT_QUEUE_FOREIGN) != 0;
}

/* Why it is not the recorder that tells. */
static const char *
find_reason (EngineProcess *process)
{
    if (is_static (process)) {
        return "MPI is part of the program, where the recorder sees nothing of it";
    }
    return engine_queue_has_recorder (process) && is_foreign (process)
               ? "the recorder in this process is for another MPI"
               : "the recorder is not in this process";
}

void
engine_queue_add_system_call (EngineProcess *process, pid_t tid, JobMessageQueue *queue)
{
    JobWait *wait = engine_dup_system_call (process, tid, &queue->flags);

    if (wait != NULL) {
        g_ptr_array_add (queue->waits, wait);
    }
}

/* Of a stopped rank only what continuing it does not change. */
static void
find_waits (EngineProcess *process, Manner manner, pid_t tid, JobMessageQueue *queue)
{
    if (engine_process_is_stopped (process)) {
        engine_python_find_lock_waits (process, tid, queue);
    } else if (manner != MANNER_OPEN) {
        engine_queue_add_system_call (process, tid, queue);
    } else {
        engine_python_find_waits (process, tid, queue);
    }
}

static JobMessageQueue *
read_stack (EngineProcess *process, Manner manner, GError **error)
{
    g_autoptr (JobMessageQueue) waits = job_message_queue_new (process->slot);
    EngineInspection look;
    JobMessageQueue *queue;

    if (!process->ended && process->exec_seen) {
        find_waits (process, manner, process->pid, waits);
    }
    if (manner == MANNER_QUIET && !engine_process_is_stopped (process)) {
        waits->remark = g_strdup (find_reason (process));
        return g_steal_pointer (&waits);
    }
    if (!engine_inspect_open (&look, process, error)) {
        return NULL;
    }
    if (process->is_forked || !has_mpi (process)) {
        queue = job_message_queue_new (process->slot);
        queue->remark = g_strdup (process->is_forked
                                      ? "a forked child has no part in its parent's MPI"
                                      : "the program has no MPI");
    } else {
        queue = engine_queue_fill_stack (process, find_reason (process));
    }
    if (queue->calls->len == 0) {
        g_ptr_array_extend_and_steal (queue->waits, g_steal_pointer (&waits->waits));
        waits->waits = job_wait_list_new ();
        queue->flags |= waits->flags;
    }
    queue->flags |= look.sampled ? JOB_MESSAGE_QUEUE_SAMPLED : 0;
    engine_inspect_close (&look);
    return queue;
}

/* The main thread's, or that of the one that moves alone. */
static pid_t
get_tid (const EngineProcess *process)
{
    const EngineThread *alone = engine_process_get_moving_alone (process);

    return alone != NULL ? alone->tid : process->pid;
}

static gboolean
is_inside (pid_t tid, gconstpointer data)
{
    const EngineQueueCopy *copy = data;

    return copy != NULL
           && BASE_ANY (i, copy->queue->threads_high,
                        copy->threads[i].tid == (guint32) tid && copy->threads[i].inside != 0);
}

/* Has been inside on several stacks: which of them it is on now, its calls do not tell. */
static gboolean
has_fibres (pid_t tid, gconstpointer data)
{
    const EngineQueueCopy *copy = data;
    return BASE_SUM (guint, i, copy != NULL ? copy->queue->threads_high : 0,
                     copy->threads[i].tid == (guint32) tid)
           > 1;
}

static JobMessageQueue *
read_recorder (EngineProcess *process, Manner manner, gboolean with_runs, GError **error)
{
    g_autoptr (GError) reason = NULL;
    g_autoptr (EngineQueueCopy) copy = engine_queue_copy (process, &reason);
    JobMessageQueue *queue;

    if (copy == NULL && !g_error_matches (reason, BASE_ERROR, BASE_ERROR_NOT_FOUND)) {
        g_propagate_error (error, g_steal_pointer (&reason));
        return NULL;
    }
    if (copy == NULL) {
        queue = job_message_queue_new (process->slot);
        queue->remark = g_strdup (reason->message);
    } else {
        queue = engine_queue_fill (process, copy, with_runs);
    }
    if (!engine_process_is_stopped (process)) {
        queue->flags |= JOB_MESSAGE_QUEUE_SAMPLED;
    }
    if (queue->calls->len == 0) {
        find_waits (process, manner, get_tid (process), queue);
    } else {
        engine_queue_find_others (process, manner == MANNER_OPEN, is_inside, has_fibres, copy,
                                  queue);
    }
    return queue;
}

static JobMessageQueue *
read_queue (EngineProcess *process, const char *how, GError **error)
{
    gboolean with_runs = g_strcmp0 (how, "runs") == 0;
    Manner manner = with_runs || g_strcmp0 (how, "quiet") == 0 ? MANNER_QUIET
                    : g_strcmp0 (how, "recorded") == 0         ? MANNER_RECORDED
                                                               : MANNER_OPEN;

    if (process->ended || !process->exec_seen) {
        if (process->ended) {
            base_error_set (error, BASE_ERROR_GONE,
                            "cannot read its messages: the rank has ended");
        } else {
            base_error_set (error, BASE_ERROR_BUSY,
                            "cannot read its messages: the program has not begun");
        }
        return NULL;
    }
    if (process->is_forked || process->queue == NULL || process->queue->tables == 0
        || (engine_queue_has_recorder (process) ? is_foreign (process) : is_static (process))) {
        return read_stack (process, manner, error);
    }
    return read_recorder (process, manner, with_runs, error);
}

/* For looks that come again and again: next to nothing, and nothing at all without the recorder. */
static JobMessageQueue *
read_collectives (EngineProcess *process)
{
    g_autoptr (EngineQueueCopy) copy = g_new0 (EngineQueueCopy, 1);

    return !process->ended && !process->is_forked && engine_queue_has_recorder (process)
                   && !is_foreign (process) && engine_queue_read_communicators (process, copy)
               ? engine_queue_fill_collectives (process, copy, FALSE)
               : job_message_queue_new (process->slot);
}

void
engine_queue_answer (EngineProcess *process, const JobRequest *request)
{
    g_autoptr (GError) error = NULL;
    JobMessageQueue *queue = g_strcmp0 (request->text, "collectives") == 0
                                 ? read_collectives (process)
                                 : read_queue (process, request->text, &error);
    g_autoptr (JobRankSet) slot = NULL;
    JobEvent *event;

    if (queue == NULL) {
        engine_emit_failure (process, request->id, error);
        return;
    }
    if (process->queue != NULL && process->queue->was_held_at_exit
        && engine_process_is_stopped (process)) {
        queue->flags |= JOB_MESSAGE_QUEUE_LEAVING;
    }
    if (queue->source == JOB_MESSAGE_SOURCE_STACK
        && engine_queue_dll_ask (process, request->id, queue)) {
        return;
    }
    if (queue->source == JOB_MESSAGE_SOURCE_STACK) {
        g_autofree char *reason = g_steal_pointer (&queue->remark);

        queue->remark = g_strconcat (reason, ": requests are not known", NULL);
    }
    slot = engine_inspect_dup_slot (process);
    event = job_event_new (JOB_EVENT_QUEUES, request->id, slot);
    event->final = TRUE;
    event->queues = job_message_table_new ();
    job_message_table_add (event->queues, queue);
    engine_emit (process->engine, event);
}
