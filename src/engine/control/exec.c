/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a seized shim to the program's first stop: each exec starts over, and programs that only
 * start another one (env, numactl, a shell) are not stopped in. In a stripped program the stop
 * at main needs only the C library's dynamic symbols. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/private.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/python/python.h"
#include "engine/queue/queue.h"
#include "engine/step/step.h"
#include "target/core.h"
#include <elf.h>
#include <string.h>

struct _EngineStart {
    EngineProcess *process;
    GArray *traps;       /* of guint64: where the first stop may be */
    char *function;      /* what begins there, even where it is inlined; NULL: not known */
    gboolean wants_libc; /* no symbol main: ask __libc_start_main */
    guint64 libc_trap;
    gboolean wants_mpi;
};

static const char *const wrappers[] = {
    "env",    "nice",   "ionice",  "nohup", "numactl", "taskset", "chrt",
    "stdbuf", "setsid", "setarch", "time",  "bash",    "dash",    "sh",
    "zsh",    "ksh",    "ksh93",   "tcsh",  "csh",     "busybox", "pddt-start",
};

gboolean
engine_exec_is_wrapper (const char *executable)
{
    g_autofree char *base = executable != NULL ? g_path_get_basename (executable)
                                               : g_strdup ("");

    for (guint i = 0; i < G_N_ELEMENTS (wrappers); i++) {
        if (strcmp (base, wrappers[i]) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

static char *
dup_program (EngineProcess *process)
{
    g_auto (GStrv) words = process->core == NULL ? target_process_read_command (process->pid)
                                                 : NULL;
    GString *text
        = g_string_new (process->core != NULL ? target_core_get_command (process->core) : NULL);

    for (guint i = 0; words != NULL && words[i] != NULL; i++) {
        gboolean is_plain
            = words[i][0] != '\0'
              && words[i]
                      [strspn (words[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_-+=.,:/@%")]
                     == '\0';
        g_autofree char *quoted = is_plain ? g_strdup (words[i]) : g_shell_quote (words[i]);

        g_string_append_printf (text, "%s%s", i > 0 ? " " : "", quoted);
    }
    return g_string_free (text, FALSE);
}

void
engine_emit_ranks (EngineProcess *process)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (process->slot, process->slot + 1);
    JobEvent *event = job_event_new (JOB_EVENT_RANKS, 0, slot);
    g_autofree char *program = dup_program (process);
    const JobProcess entry = { .slot = process->slot,
                               .rank = process->rank,
                               .size = process->size,
                               .pid = process->pid,
                               .parent = process->parent,
                               .host = (char *) g_get_host_name (),
                               .program = program };

    event->processes = job_process_list_new ();
    job_process_list_add (event->processes, &entry);
    engine_emit (process->engine, event);
}

/* ---- the first stop ---- */

static EngineTrapAnswer on_first (EngineThread *thread, guint64 address, gpointer owner);
static EngineTrapAnswer on_libc (EngineThread *thread, guint64 address, gpointer owner);

void
engine_exec_forget (EngineProcess *process)
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
    engine_exec_forget (process);
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

/* Of the program's own file: of EnginePlace, new. */
static GPtrArray *
find_function (EngineProcess *process, const char *name)
{
    JobWhere where = { .kind = JOB_WHERE_FUNCTION, .function = (char *) name };
    g_autoptr (GPtrArray) places
        = g_ptr_array_new_with_free_func ((GDestroyNotify) engine_place_free);
    gboolean known = FALSE;

    for (guint i = 0; i < stack_modules_get_count (process->modules); i++) {
        StackModule *module = stack_modules_get (process->modules, i);

        if (module->is_executable) {
            engine_modules_find_places (process, &where, module, places, &known);
        }
    }
    for (guint i = places->len; places->len > 1 && i-- > 0;) {
        if (g_strcmp0 (((const EnginePlace *) g_ptr_array_index (places, i))
                           ->location->function,
                       name)
            != 0) {
            g_ptr_array_remove_index (places, i);
        }
    }
    return g_steal_pointer (&places);
}

/* Written in another language than Fortran, whose compiler makes a main that calls MAIN__. */
static gboolean
is_users_main (EngineProcess *process, const EnginePlace *place)
{
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, place->address, &image);
    IndexFrame frame;

    return image != NULL
           && index_image_find_frames (image, place->address - module->bias, &frame, 1) > 0
           && frame.line != 0 && frame.language != JOB_LANGUAGE_FORTRAN;
}

GPtrArray *
engine_exec_find_main (EngineProcess *process)
{
    g_autoptr (GPtrArray) fortran = find_function (process, "MAIN__");
    g_autoptr (GPtrArray) usual = find_function (process, "main");
    gboolean is_usual = fortran->len == 0
                        || (usual->len > 0
                            && is_users_main (process, g_ptr_array_index (usual, 0)));

    return is_usual ? g_steal_pointer (&usual) : g_steal_pointer (&fortran);
}

static void
plant_main (EngineStart *run)
{
    EngineProcess *process = run->process;
    g_autoptr (GPtrArray) places = engine_exec_find_main (process);

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
engine_exec_on_modules (EngineProcess *process)
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
engine_exec_begin (EngineProcess *process)
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

static void
open_memory (EngineProcess *process)
{
    process->exec_seen = TRUE;
    process->memory = target_memory_new (process->pid);
    process->planted = target_traps_new (process->pid, process->memory,
                                         process->engine->shared_traps);
}

static void
open_space (EngineProcess *process)
{
    g_free (process->executable);
    process->executable = target_process_read_executable (process->pid);
    if (process->vfork == NULL) {
        engine_python_on_exec (process);
    }
    engine_queue_on_exec (process);
    engine_process_refresh_modules (process);
}

void
engine_exec_follow (EngineProcess *process, gboolean is_vfork)
{
    engine_python_reset (process->python);
    process->exec_seen = FALSE;
    engine_emit_ranks (process);
    if (is_vfork && process->vfork == NULL) {
        /* Its stops are judged by what it executes, but nothing may be planted where its parent runs. */
        process->memory = target_memory_new (process->pid);
        return;
    }
    open_memory (process);
    open_space (process);
    if (!is_vfork) {
        engine_python_on_follow (process);
    }
}

void
engine_exec_handle (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    gboolean is_refused;

    /* what is put away here halts the process, and lets it go on */
    engine_thread_suspend (thread, ENGINE_SUSPENDS_EXEC);
    engine_vfork_end (process); /* before what is planted there is forgotten */
    engine_step_cancel (process);
    is_refused = process->exec_seen && engine_python_on_gone (process);
    engine_breakpoint_forget (process);
    engine_exec_forget (process);
    engine_fork_on_exec (process);
    engine_process_drop_other_threads (thread);
    engine_process_forget_space (process);
    engine_python_reset (process->python);
    engine_python_set_refused (process, is_refused);
    thread->resume_step = thread->exiting = thread->in_vfork = thread->interrupt_pending
        = FALSE;
    thread->handled_trap = 0;
    engine_thread_end_suspensions (
        thread); /* what it did in the program before does not count */
    engine_thread_suspend (thread, ENGINE_SUSPENDS_EXEC);
    process->only_thread = NULL;
    process->is_forked = FALSE;
    process->n_calls_watched = 0;
    open_memory (process);
    open_space (process);
    engine_python_note_folder (process);
    engine_emit_ranks (process);
    engine_thread_unsuspend (thread, ENGINE_SUSPENDS_EXEC);
    if (process->phase == ENGINE_START_STARTED && !engine_python_is_expected (process)
        && !is_refused) {
        if (!engine_catch_exec (thread)) {
            engine_process_go_on (process, process->state);
        }
        return;
    }
    process->phase = ENGINE_START_AT_EXEC;
    if (process->engine->start_known) {
        engine_exec_begin (process);
    } else {
        process->held_at_exec = TRUE;
    }
}

/* ---- attaching ---- */

/* Until a pass over the list finds no thread that is not ours: new ones of ours come traced. */
static void
seize_threads (EngineProcess *process)
{
    gboolean is_new = TRUE;

    for (guint round = 0; is_new && round < 100; round++) {
        g_autoptr (GArray) tids = target_process_list_threads (process->pid);

        is_new = FALSE;
        for (guint i = 0; i < tids->len; i++) {
            pid_t tid = g_array_index (tids, pid_t, i);

            if (g_hash_table_contains (process->engine->by_tid, GINT_TO_POINTER (tid))) {
                continue;
            }
            if (target_thread_seize (tid, FALSE, NULL)) {
                engine_process_add_thread (process, tid);
                is_new = TRUE;
            } else if (process->refusal == NULL) { /* or it has ended */
                target_process_check_tracers (process->pid, &process->refusal);
            }
        }
    }
}

void
engine_exec_seize (EngineProcess *process)
{
    seize_threads (process);
    for (guint i = 0; i < process->threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);

        thread->interrupt_pending = target_thread_interrupt (thread->tid);
    }
}

void
engine_exec_run_on (EngineProcess *process, const JobRequest *request)
{
    if (!process->ended && engine_process_is_stopped (process)) {
        process->motion = MAX (process->motion, process->engine->start_request);
        engine_process_go_on (process, JOB_STATE_RUNNING);
        engine_emit_state (process, process->engine->start_request, FALSE, 0);
    }
}

void
engine_exec_attach (EngineProcess *process, const JobRequest *request)
{
    process->phase = ENGINE_START_STARTED;
    engine_process_set_state (process, JOB_STATE_RUNNING, 0, NULL, NULL);
    open_memory (process); /* first: the halt may handle forks, which concern what is planted */
    if (!engine_process_halt (process)) {
        return;
    }
    if (process->refusal != NULL) {
        engine_emit_failure (process, 0, process->refusal);
        engine_process_release (process);
        engine_process_detach (process);
        return;
    }
    engine_fork_find_vforks (process);
    engine_inspect_begin (process);
    open_space (process);
    engine_process_keep_halted (process);
    engine_process_stop (process, engine_process_get_main (process), JOB_STATE_STOPPED, 0, NULL,
                         NULL, NULL);
    engine_inspect_end (process);
    if (process->engine->is_measured) {
        engine_exec_run_on (process, request);
    }
}
