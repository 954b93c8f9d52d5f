/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a seized shim to the program's first stop: each exec starts over, and programs that only
 * start another one (env, numactl, a shell) are not stopped in. In a stripped program the stop
 * at main needs only the C library's dynamic symbols. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/modules/modules.h"
#include "engine/python/python.h"
#include "engine/step/step.h"
#include <string.h>

struct _EngineStart {
    EngineProcess *process;
    GArray *traps;       /* of guint64: where the first stop may be */
    char *function;      /* what begins there, even where it is inlined; NULL: not known */
    gboolean wants_libc; /* no symbol main: ask __libc_start_main */
    guint64 libc_trap;
    gboolean wants_mpi;
};

static EngineTrapAnswer on_first (EngineThread *thread, guint64 address, gpointer owner);
static EngineTrapAnswer on_libc (EngineThread *thread, guint64 address, gpointer owner);

void
engine_start_forget (EngineProcess *process)
{
    EngineStart *run = process->start;

    if (run == NULL) {
        return;
    }
    process->start = NULL;
    for (guint i = 0; i < run->traps->len; i++) {
        engine_trap_remove (process, g_array_index (run->traps, guint64, i), on_first, run);
    }
    if (run->libc_trap != 0) {
        engine_trap_remove (process, run->libc_trap, on_libc, run);
    }
    g_array_unref (run->traps);
    g_free (run->function);
    g_free (run);
}

static JobLocation *
locate_stripped (EngineProcess *process, guint64 address)
{
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, address, &image);
    IndexFrame frame = { 0 };
    JobLocation *location;

    if (module == NULL
        || (image != NULL
            && index_image_find_frames (image, address - module->bias, &frame, 1) > 0)) {
        return NULL;
    }
    location = job_location_new ("main", NULL, 0);
    location->module = g_path_get_basename (module->path);
    location->offset = address - module->bias;
    return location;
}

static EngineTrapAnswer
on_first (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineProcess *process = thread->process;
    g_autoptr (JobLocation) place = NULL;
    g_autofree char *function = NULL;

    if (!((EngineStart *) owner)->wants_mpi) {
        place = locate_stripped (process, address);
    }
    function = g_steal_pointer (&((EngineStart *) owner)->function);
    engine_start_forget (process);
    process->phase = ENGINE_START_STARTED;
    engine_inlines_hide (thread, function);
    engine_process_stop (process, thread, JOB_STATE_STOPPED, 0, NULL, NULL, place);
    return ENGINE_TRAP_STOP;
}

static void
plant_first (EngineStart *run, guint64 address)
{
    g_autoptr (GError) error = NULL;

    if (engine_trap_add (run->process, address, on_first, run, &error)) {
        g_array_append_val (run->traps, address);
    } else {
        g_message ("cannot stop at the start: %s", error->message);
    }
}

/* __libc_start_main (main, …): main is the first argument. */
static EngineTrapAnswer
on_libc (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineStart *run = owner;

    if (engine_thread_load_registers (thread)) {
        plant_first (run, machine_registers_get_argument (&thread->registers, 0));
    }
    run->libc_trap = 0;
    engine_trap_remove (thread->process, address, on_libc, run);
    return ENGINE_TRAP_RESUME;
}

static void
plant_main (EngineStart *run)
{
    EngineProcess *process = run->process;
    g_autoptr (GPtrArray) places = engine_modules_find_main (process);

    for (guint i = 0; i < places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (places, i);

        plant_first (run, place->address);
        g_free (run->function);
        run->function = g_strdup (place->location->function);
    }
    run->wants_libc = run->traps->len == 0;
}

static void
plant_later (EngineStart *run)
{
    EngineProcess *process = run->process;
    static const char *const names[] = { "MPI_Init", "MPI_Init_thread" };
    guint64 address;

    if (run->wants_libc && run->libc_trap == 0
        && engine_process_find_symbol (process, "__libc_start_main", &address)
        && engine_trap_add (process, address, on_libc, run, NULL)) {
        run->libc_trap = address;
        run->wants_libc = FALSE;
    }
    for (guint i = 0; run->wants_mpi && i < G_N_ELEMENTS (names); i++) {
        if (engine_process_find_symbol (process, names[i], &address)) {
            plant_first (run, address);
        }
    }
}

void
engine_start_on_modules (EngineProcess *process)
{
    if (process->start != NULL) {
        plant_later (process->start);
    }
}

static void
start_run (EngineProcess *process, gboolean to_mpi)
{
    EngineStart *run = g_new0 (EngineStart, 1);

    run->process = process;
    run->traps = g_array_new (FALSE, FALSE, sizeof (guint64));
    run->wants_mpi = to_mpi;
    process->start = run;
    if (!to_mpi) {
        plant_main (run);
    }
    plant_later (run);
}

void
engine_start_begin (EngineProcess *process)
{
    Engine *engine = process->engine;
    const char *at = engine->start_at != NULL ? engine->start_at : "main";

    process->held_at_exec = FALSE;
    process->motion = MAX (process->motion, engine->start_request);
    if (engine->is_measured && process->exit_kill) {
        target_thread_outlive (process->pid); /* its user has not asked for a debugger */
        process->exit_kill = FALSE;
    }
    if (strcmp (at, "start") == 0) {
        process->phase = ENGINE_START_STARTED;
        engine_process_stop (process, engine_process_get_main (process), JOB_STATE_STOPPED, 0,
                             NULL, NULL, NULL);
        return;
    }
    if (strcmp (at, "none") == 0) {
        gboolean is_first = process->phase != ENGINE_START_STARTED;

        process->phase = ENGINE_START_STARTED;
        engine_process_go_on (process, JOB_STATE_RUNNING);
        if (is_first && !process->ended) {
            engine_emit_state (process, engine->start_request, FALSE, 0);
        }
        return;
    }
    if (engine_python_is_expected (process)) {
        process->phase = ENGINE_START_STARTED; /* its first stop is python.c's */
    } else if (!engine_exec_is_wrapper (process->executable)) {
        start_run (process, strcmp (at, "mpi-init") == 0);
    }
    engine_process_go_on (process, JOB_STATE_RUNNING);
}

void
engine_start_take_exec (EngineThread *thread)
{
    EngineProcess *process = thread->process;

    if (process->phase == ENGINE_START_STARTED && !engine_python_is_expected (process)
        && !process->is_python_refused) {
        if (!engine_catch_exec (thread)) {
            engine_process_go_on (process, process->state);
        }
        return;
    }
    process->phase = ENGINE_START_AT_EXEC;
    if (process->engine->start_known) {
        engine_start_begin (process);
    } else {
        process->held_at_exec = TRUE;
    }
}
