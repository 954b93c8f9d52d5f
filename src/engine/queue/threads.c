/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that are outside MPI while others of their rank wait in it. A thread of the program
 * itself may still do what those wait for, so the rank is not stuck. MPI's own threads and idle
 * workers of OpenMP and BLAS never do; nor does one that sleeps until another thread of the same
 * process wakes it, as long as all of those do. Threads that sleep in the kernel are judged from
 * there and from memory; only a question of the user's halts the rank for those that run. */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/python/python.h"
#include "engine/queue/private.h"
#include "job/library.h"
#include <signal.h>
#include <string.h>

#define MAX_DEPTH 8        /* of threads that wait one for the other */
#define FIRST_REAL_TIME 34 /* signal: those before it are glibc's own */

/* UNSURE: its stack does not tell; it counts as OWN until it does. */
typedef enum { IDLE, OWN, UNSURE } Nature;

/* What a look at a rank's threads may do, and what it has done. */
typedef struct {
    EngineProcess *process;
    gboolean may_halt;
    gboolean has_halted;
    GArray *sleeps; /* of Sleep: threads that nothing of their own wakes */
    gboolean (*is_inside) (pid_t, gconstpointer);
    gconstpointer data;
} Look;

typedef struct {
    pid_t tid;
    guint64 n_turns; /* times that it has been on a processor */
} Sleep;

/* ---- whose code it is in ---- */

static JobLibrary
find_library (EngineProcess *process, const JobFrame *frame)
{
    const StackModule *module = !job_frame_is_python (frame)
                                    ? stack_modules_find (engine_process_get_modules (process),
                                                          frame->pc)
                                    : NULL;
    g_autofree char *name = module != NULL ? g_path_get_basename (module->path) : NULL;

    /* std::thread begins in the library of C++ */
    return name == NULL ? JOB_LIBRARY_OTHER
           : g_str_has_prefix (name, "libstdc++") || g_str_has_prefix (name, "libc++")
               ? JOB_LIBRARY_SYSTEM
               : job_library_get_kind (name);
}

/* By its stack: an idle worker has nothing but its library's frames. A frame of the program outside of the
 * library's means that it works, or will when the library returns. */
static Nature
judge_stack (EngineProcess *process, const Stack *stack, gboolean is_asleep,
             gboolean has_fibres)
{
    JobLibrary inner = JOB_LIBRARY_SYSTEM;
    gboolean has_own = FALSE, is_complete = stack != NULL && stack->frames->len > 0;

    for (guint i = 0; stack != NULL && i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);
        JobLibrary kind = find_library (process, frame);

        if (has_fibres && engine_inspect_find_call (frame) != NULL) {
            return IDLE; /* it waits in MPI */
        }
        has_own |= kind == JOB_LIBRARY_OTHER;
        is_complete &= (frame->flags & JOB_FRAME_INCOMPLETE) == 0;
        inner = inner == JOB_LIBRARY_SYSTEM ? kind : inner;
    }
    if (has_own) {
        return OWN;
    }
    if (!is_complete || inner == JOB_LIBRARY_SYSTEM) {
        return UNSURE;
    }
    return inner == JOB_LIBRARY_POOL && !is_asleep ? OWN : IDLE;
}

/* What is seen is kept for as long as the thread sleeps there: not if it has woken up since the key was
 * read, because its stack is then of another place. */
static Nature
judge_as (EngineThread *thread, const Stack *stack, const char *key, gboolean has_fibres)
{
    Nature nature = judge_stack (thread->process, stack, key != NULL, has_fibres);
    g_autofree char *now = engine_dup_sleep (thread->process, thread->tid);

    g_clear_pointer (&thread->idle_key, g_free);
    if (g_strcmp0 (now, key) != 0) {
        return UNSURE;
    }
    if (nature != UNSURE) {
        thread->idle_key = g_strdup (key);
        thread->was_idle = nature == IDLE;
    }
    return nature;
}

/* ---- all of a rank ---- */

static gboolean
halt (Look *look)
{
    if (!engine_process_is_stopped (look->process) && !look->has_halted) {
        look->has_halted = look->may_halt && engine_process_halt (look->process);
        if (!look->has_halted) {
            return FALSE;
        }
        engine_process_begin_caching (look->process);
    }
    return TRUE;
}

/* It wakes again and again to ask for Python's interpreter, and gets no further as long as a thread that waits in MPI has
 * that. */
static gboolean
is_kept_out (const Look *look, const EngineThread *thread)
{
    EngineThread *holder;

    return engine_python_waits_for_interpreter (look->process, thread->tid, look->may_halt,
                                                &holder)
           && holder != NULL && look->is_inside (holder->tid, look->data);
}

/* ---- what a signal's handler may wake ---- */

static gboolean
is_mpich (const EngineProcess *process)
{
    ENGINE_EACH_MODULE (process, module) {
        g_autofree char *name = g_path_get_basename (module->path);

        if (g_str_has_prefix (name, "libmpich")) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Signals that come by themselves: of timers, children, files, and other processes; not those of faults, of the terminal and
 * of profilers, and not the one that MPICH handles. */
static guint64
list_signals (const EngineProcess *process)
{
    static const int own[] = { SIGALRM, SIGCHLD, SIGIO, SIGURG, SIGUSR2 };
    guint64 mask = ~G_GUINT64_CONSTANT (0) << (FIRST_REAL_TIME - 1);

    for (guint i = 0; i < G_N_ELEMENTS (own); i++) {
        mask |= G_GUINT64_CONSTANT (1) << (own[i] - 1);
    }
    return mask | (is_mpich (process) ? 0 : G_GUINT64_CONSTANT (1) << (SIGUSR1 - 1));
}

static gboolean
handles_signals (const EngineProcess *process)
{
    static const char name[] = "\nSigCgt:";
    g_autofree char *path = g_strdup_printf ("/proc/%d/status", (int) process->pid);
    g_autofree char *text = NULL;
    const char *at = g_file_get_contents (path, &text, NULL, NULL) ? strstr (text, name) : NULL;

    return at != NULL && engine_process_get_modules (process) != NULL
           && (g_ascii_strtoull (at + strlen (name), NULL, 16) & list_signals (process)) != 0;
}

/* It waits for a semaphore: of all that threads sleep in that is what a handler may post (signal-safety(7)), while the thread
 * that it interrupts goes on waiting in MPI. Python calls its handlers elsewhere. */
static gboolean
may_be_posted (EngineProcess *process, pid_t tid)
{
    g_autoptr (JobWait) wait = NULL;
    guint32 flags = 0;

    if (process->runtime != NULL || engine_process_is_stopped (process)
        || !handles_signals (process)) {
        return FALSE;
    }
    wait = engine_dup_system_call (process, tid, &flags);
    if (wait == NULL || wait->kind != JOB_WAIT_FUTEX) {
        return FALSE;
    }
    engine_wait_find_function (process, tid, wait);
    return wait->kind == JOB_WAIT_LIBRARY && wait->number == JOB_WAIT_UNTIL_RELEASED;
}

/* ---- one thread ---- */

static Nature
judge_thread (Look *look, EngineThread *thread, gboolean has_fibres)
{
    EngineProcess *process = thread->process;
    /* equal ones are the same wait of the same frames */
    g_autofree char *key = engine_dup_sleep (process, thread->tid);
    g_autoptr (Stack) stack = NULL;
    Sleep sleep = { thread->tid, engine_count_turns (process, thread->tid) };
    Nature nature = UNSURE;

    if (!has_fibres && is_kept_out (look, thread)) {
        return IDLE;
    }
    if (!has_fibres && key != NULL && engine_needs_thread (process, thread->tid)
        && !may_be_posted (process, thread->tid)) {
        nature = IDLE;
    } else if (key != NULL && g_strcmp0 (key, thread->idle_key) == 0) {
        nature = thread->was_idle ? IDLE : OWN;
    } else if (key != NULL && !engine_process_is_stopped (process) && !look->has_halted) {
        stack = engine_system_call_read_stack (process, thread->tid);
        nature = judge_as (thread, stack, key, has_fibres);
    }
    if (nature == UNSURE && halt (look)) {
        g_clear_pointer (&stack, stack_free);
        g_free (key);
        key = engine_dup_sleep (process, thread->tid);
        stack = engine_inspect_read_stack (thread, 0);
        nature = judge_as (thread, stack, key, has_fibres);
    }
    if (nature == IDLE) {
        g_array_append_val (look->sleeps, sleep);
    }
    return nature;
}

/* All of them have slept since they were looked at: so there was a moment in which none moved. Idle workers
 * may turn round and round. */
static pid_t
find_awake (const Look *look)
{
    return BASE_PICK_ROW (look->sleeps, const Sleep, sleep,
                          engine_needs_thread (look->process, sleep->tid)
                              && engine_count_turns (look->process, sleep->tid)
                                     != sleep->n_turns,
                          sleep->tid, 0);
}

/* What a thread outside of MPI does, without or with a halt. */
static void
add_waits (Look *look, pid_t tid, JobMessageQueue *queue)
{
    if (look->may_halt) {
        engine_python_find_waits (look->process, tid, queue);
    } else {
        engine_queue_add_system_call (look->process, tid, queue);
    }
}

/* Python's locks and queues are read of a halted rank alone. */
static void
add_python_wait (const Look *look, JobMessageQueue *queue)
{
    g_autoptr (JobMessageQueue) found = job_message_queue_new (queue->rank);
    const JobWait *wait = NULL;

    if (look->may_halt) {
        engine_python_find_waits (look->process, look->process->pid, found);
        wait = found->waits->len > 0 ? g_ptr_array_index (found->waits, 0) : NULL;
    }
    if (wait != NULL && wait->kind != JOB_WAIT_FUTEX) {
        g_ptr_array_add (queue->waits, job_wait_dup (wait));
    }
}

static EngineThread *
find_thread (const Look *look, guint number)
{
    const GPtrArray *threads = look->process->threads;

    return BASE_FIND (threads, EngineThread, thread, thread->number == number);
}

/* What the thread waits for, and then the one that it waits for, down to one inside. FALSE: it leads elsewhere, and nothing is
 * added. */
static gboolean
add_way_inside (const Look *look, EngineThread *thread, guint depth, GPtrArray *waits)
{
    EngineProcess *process = look->process;
    guint32 flags = 0;
    JobWait *wait = engine_python_dup_interpreter_wait (process, thread, look->may_halt);
    EngineThread *other;

    wait = wait != NULL ? wait : engine_dup_system_call (process, thread->tid, &flags);
    other = wait != NULL
                    && (wait->kind == JOB_WAIT_MUTEX || wait->kind == JOB_WAIT_END
                        || wait->kind == JOB_WAIT_INTERPRETER)
                ? find_thread (look, wait->other)
                : NULL;
    if (other == NULL || depth == MAX_DEPTH) {
        job_wait_free (wait);
        return FALSE;
    }
    wait->flags |= depth > 0 ? JOB_WAIT_BEHIND : 0;
    if (process->runtime == NULL) { /* else it is some line of the interpreter */
        engine_wait_find_line (process, thread, wait);
    }
    g_ptr_array_add (waits, wait);
    if (look->is_inside (other->tid, look->data)
        || add_way_inside (look, other, depth + 1, waits)) {
        return TRUE;
    }
    g_ptr_array_set_size (waits, (int) depth);
    return FALSE;
}

/* What the main thread waits for that only another thread can end. */
static void
add_main_wait (const Look *look, JobMessageQueue *queue)
{
    EngineProcess *process = look->process;
    guint32 flags = 0;
    g_autoptr (JobWait) wait = engine_dup_system_call (process, process->pid, &flags);

    if (wait == NULL || wait->kind != JOB_WAIT_FUTEX) {
        return;
    }
    if (process->runtime != NULL) {
        add_python_wait (look, queue);
        return;
    }
    engine_wait_find_function (process, process->pid, wait);
    if (wait->kind == JOB_WAIT_LIBRARY) {
        g_ptr_array_add (queue->waits, g_steal_pointer (&wait));
    }
}

/* What the main thread or, if that is inside, another one waits for, where that is for one inside: it explains why
 * nobody else of the rank does what others wait for. */
static void
add_own_wait (const Look *look, JobMessageQueue *queue)
{
    EngineProcess *process = look->process;

    for (guint i = 0; i < process->threads->len && queue->waits->len == 0; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);

        if (thread->is_mpis || thread->shares_memory
            || look->is_inside (thread->tid, look->data)) {
            continue;
        }
        if (!add_way_inside (look, thread, 0, queue->waits) && thread->tid == process->pid) {
            add_main_wait (look, queue);
        }
    }
}

void
engine_queue_find_others (EngineProcess *process, gboolean may_halt,
                          gboolean (*is_inside) (pid_t, gconstpointer),
                          gboolean (*has_fibres) (pid_t, gconstpointer), gconstpointer data,
                          JobMessageQueue *queue)
{
    g_autoptr (GArray) sleeps = g_array_new (FALSE, FALSE, sizeof (Sleep));
    Look look = { .process = process,
                  .may_halt = may_halt,
                  .sleeps = sleeps,
                  .is_inside = is_inside,
                  .data = data };
    pid_t found = 0;

    for (guint i = 0; found == 0 && i < process->threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);
        gboolean is_fibrous = has_fibres != NULL && has_fibres (thread->tid, data);

        if (!thread->shares_memory && !thread->is_mpis
            && (is_fibrous || !is_inside (thread->tid, data))
            && judge_thread (&look, thread, is_fibrous) != IDLE) {
            found = thread->tid;
        }
    }
    if (found == 0 && !look.has_halted && !engine_process_is_stopped (process)) {
        found = find_awake (&look);
    }
    if (found == 0 && queue->waits->len == 0) {
        add_own_wait (&look, queue);
    }
    if (found != 0) {
        queue->flags |= JOB_MESSAGE_QUEUE_OTHERS;
        if (queue->waits->len == 0) {
            add_waits (&look, found, queue);
        }
    }
    if (look.has_halted) {
        engine_process_end_caching (process);
        engine_process_release (process);
    }
}
