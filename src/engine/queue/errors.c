/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors of MPI: those that end the program pass through a function of the library's before, those that a
 * call returns are told by the recorder, which also tells of other events. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/queue/private.h"
#include <string.h>

/* "MPI_ERR_TRUNCATE: message truncated" of a code; the recorder has kept the library's texts. */
static char *
dup_error (EngineProcess *process, guint32 code)
{
    guint64 address = process->queue->tables + G_STRUCT_OFFSET (struct pddt_queue, errors)
                      + (guint64) code * sizeof (((struct pddt_queue *) NULL)->errors[0]);
    char *text = process->queue->tables != 0 && code < PDDT_QUEUE_ERRORS
                     ? base_memory_read_string (engine_process_get_memory (process), address,
                                                79, NULL, NULL)
                     : NULL;

    if (text != NULL && text[0] != '\0') {
        return text;
    }
    g_free (text);
    return g_strdup_printf ("MPI error %u", code);
}

/* is_fatal: the program ends by it, unless it is stopped; else it returns to the program, which handles it. */
static EngineTrapAnswer
stop_at_error (EngineThread *thread, gboolean is_fatal, const char *text)
{
    EngineProcess *process = thread->process;
    gboolean is_caught = engine_catch_mpi_error (thread);

    process->queue->was_error |= is_fatal;
    if (!is_caught
        && (!is_fatal || !process->engine->catch_mpi_errors || process->queue->tables == 0)) {
        return ENGINE_TRAP_RESUME;
    }
    engine_process_stop (process, thread, JOB_STATE_EXCEPTION, 0, text, NULL, NULL);
    return ENGINE_TRAP_STOP;
}

/* What it has called goes to the front end unasked: soon nobody can read it any more. */
static EngineTrapAnswer
give_last (EngineProcess *process)
{
    g_autoptr (EngineQueueCopy) copy = process->engine->catch_mpi_errors
                                           ? engine_queue_copy (process, NULL)
                                           : NULL;
    g_autoptr (JobRankSet) slot = engine_inspect_dup_slot (process);
    JobEvent *event;

    if (copy == NULL) {
        return ENGINE_TRAP_RESUME;
    }
    engine_queue_say_unfreed (process, copy);
    event = job_event_new (JOB_EVENT_QUEUES, 0, slot);
    event->queues = job_message_table_new ();
    job_message_table_add (event->queues, engine_queue_fill_collectives (process, copy, TRUE));
    engine_emit (process->engine, event);
    return ENGINE_TRAP_RESUME;
}

static EngineTrapAnswer
stop_at_overlap (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    gboolean is_caught = engine_catch_mpi_error (thread);

    /* Many programs throw several messages away into one variable: that is told, and no more. */
    if ((!is_caught && !process->engine->catch_mpi_errors)
        || !engine_queue_say_overlap (process,
                                      (guint32)
                                          machine_registers_get_argument (&thread->registers,
                                                                          1))
        || !is_caught) {
        return ENGINE_TRAP_RESUME;
    }
    engine_process_stop (process, thread, JOB_STATE_STOPPED, 0, NULL, NULL, NULL);
    return ENGINE_TRAP_STOP;
}

static EngineTrapAnswer
on_event (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineProcess *process = thread->process;
    g_autofree char *text = NULL;
    const char *colon;
    guint64 event;

    if (process->queue == NULL || !engine_thread_load_registers (thread)) {
        return ENGINE_TRAP_RESUME;
    }
    event = machine_registers_get_argument (&thread->registers, 0);
    if (event == PDDT_QUEUE_EVENT_LEFT_OPEN) {
        engine_queue_say_open (process);
        return ENGINE_TRAP_RESUME;
    }
    if (event == PDDT_QUEUE_EVENT_FINALIZE) {
        return give_last (process);
    }
    if (event == PDDT_QUEUE_EVENT_OVERLAP) {
        return stop_at_overlap (thread);
    }
    text = base_memory_read_string (engine_process_get_memory (process),
                                    machine_registers_get_argument (&thread->registers, 2), 300,
                                    NULL, NULL);
    /* "MPI_Send: MPI_ERR_RANK: invalid rank": the call is the place's. */
    colon = text != NULL ? strstr (text, ": ") : NULL;
    return stop_at_error (thread, event == PDDT_QUEUE_EVENT_ABORT,
                          colon != NULL  ? colon + 2
                          : text != NULL ? text
                                         : "MPI error");
}

/* handler (comm, int *code, …): the library ends the program after it. */
static EngineTrapAnswer
on_fatal (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineProcess *process = thread->process;
    g_autofree char *text = NULL;
    guint32 code = 0;

    if (process->queue == NULL || !engine_thread_load_registers (thread)
        || !base_memory_read_u32 (engine_process_get_memory (process),
                                  machine_registers_get_argument (&thread->registers, 1), &code,
                                  NULL)) {
        return ENGINE_TRAP_RESUME;
    }
    text = dup_error (process, code);
    return stop_at_error (thread, TRUE, text);
}

/* invoke (handler, object, its kind, code, …): whatever the handler is, errors that return too. */
static EngineTrapAnswer
on_openmpi_error (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineProcess *process = thread->process;
    g_autofree char *text = NULL;

    if (process->queue == NULL || process->queue->tables != 0
        || !engine_thread_load_registers (thread)) {
        return ENGINE_TRAP_RESUME; /* the recorder tells */
    }
    text = dup_error (process,
                      (guint32) machine_registers_get_argument (&thread->registers, 3));
    return stop_at_error (thread, FALSE, text);
}

/* MPICH's handles say what they are: the two highest bits how the object is kept, the next four its kind; an
 * object begins with its own. */
#define MPICH_KEPT 0xc0000000u
#define MPICH_KIND 0x3c000000u
#define MPICH_HANDLER 0x14000000u
#define MPICH_CLASS 0x7fu /* of a code */
#define MPICH_FATAL 0x54000000u
#define MPICH_ABORT 0x54000003u
#define MPICH_WORDS 256u /* of a communicator or window, more than there are */

/* By the handler of the communicator or window, which points to it; where it has none, that of MPI_COMM_SELF
 * is used, which only Python's mpi4py is known to change. */
static gboolean
is_fatal_in_mpich (EngineProcess *process, guint64 object)
{
    guint64 words[MPICH_WORDS];
    gsize n = object != 0 ? base_memory_read_some (engine_process_get_memory (process), object,
                                                   words, sizeof words)
                                / sizeof words[0]
                          : 0;

    for (gsize i = 0; i < n; i++) {
        guint32 handle = 0;

        if (words[i] >= 4096 && words[i] % sizeof words[0] == 0
            && base_memory_read_u32 (engine_process_get_memory (process), words[i], &handle,
                                     NULL)
            && (handle & MPICH_KEPT) != 0 && (handle & MPICH_KIND) == MPICH_HANDLER) {
            return handle == MPICH_FATAL || handle == MPICH_ABORT;
        }
    }
    return process->runtime == NULL;
}

#define DESCRIBE_MS 200

/* The text of the code, by MPICH's own function, which knows what went wrong; else that of its class. The function may
 * take a lock that the call already has, so it is not waited for long. */
static char *
dup_mpich_error (EngineThread *thread, guint32 code)
{
    EngineProcess *process = thread->process;
    guint64 function, error;
    char *text;

    if (!engine_process_find_symbol (process, "pddt_mpi_describe", &function)
        || !engine_call (thread, function, code, 0, DESCRIBE_MS, NULL, NULL)) {
        return dup_error (process, code & MPICH_CLASS);
    }
    error = process->queue->tables + G_STRUCT_OFFSET (struct pddt_queue, error);
    text = base_memory_read_string (engine_process_get_memory (process), error, 255, NULL,
                                    NULL);
    if (text != NULL && g_str_has_prefix (text, "MPI: ")) {
        memmove (text, text + 5, strlen (text + 5) + 1);
        return text;
    }
    g_free (text);
    return dup_error (process, code & MPICH_CLASS);
}

/* MPICH's functions (comm or window, function's name, code) are passed by every error of a call; the low bits
 * of the code are its class. The recorder tells of those that return, with the text of their code. */
static EngineTrapAnswer
on_mpich_error (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineProcess *process = thread->process;
    g_autofree char *text = NULL;
    guint32 code;
    gboolean is_fatal;

    if (process->queue == NULL || !engine_thread_load_registers (thread)) {
        return ENGINE_TRAP_RESUME;
    }
    code = (guint32) machine_registers_get_argument (&thread->registers, 2);
    is_fatal = is_fatal_in_mpich (process,
                                  machine_registers_get_argument (&thread->registers, 0));
    if ((code & MPICH_CLASS) == 0 || (!is_fatal && process->queue->tables != 0)) {
        return ENGINE_TRAP_RESUME;
    }
    text = dup_mpich_error (thread, code);
    return stop_at_error (thread, is_fatal, text);
}

/* ---- where they pass ---- */

static void
plant (EngineProcess *process, const char *symbol, EngineTrapHit hit)
{
    g_autoptr (GError) error = NULL;
    guint64 address;

    if (!process->engine->is_measured /* nothing stops it, and symbols are not looked for */
        && engine_process_find_symbol (process, symbol, &address)
        && !engine_trap_add (process, address, hit, process, &error)) {
        g_message ("MPI's errors will not be caught: %s", error->message);
    }
}

void
engine_queue_plant_library (EngineProcess *process)
{
    plant (process, "ompi_mpi_errors_are_fatal_comm_handler", on_fatal);
    plant (process, "ompi_mpi_errors_are_fatal_win_handler", on_fatal);
    plant (process, "ompi_mpi_errors_are_fatal_file_handler", on_fatal);
    plant (process, "MPIR_Err_return_comm", on_mpich_error);
    plant (process, "MPIR_Err_return_win", on_mpich_error);
}

void
engine_queue_catch_errors (EngineProcess *process)
{
    if (engine_process_get_modules (process) == NULL
        || (process->queue != NULL && process->queue->tables != 0)) {
        return; /* they will be asked for with the modules; the recorder tells */
    }
    engine_queue_get (process);
    plant (process, "ompi_errhandler_invoke", on_openmpi_error);
    plant (process, "MPIR_Err_return_comm", on_mpich_error);
    plant (process, "MPIR_Err_return_win", on_mpich_error);
}

void
engine_queue_plant_recorder (EngineProcess *process)
{
    plant (process, "pddt_mpi_event", on_event);
}
