/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that are outside MPI while others of their rank wait in it. A thread of the program
 * itself may still do what those wait for, so the rank is not stuck. MPI's own threads and idle
 * workers of OpenMP and BLAS never do. */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/python/python.h"
#include "engine/queue/private.h"
#include "job/library.h"
#include <string.h>

/* UNSURE: its stack does not tell; it counts as OWN until it does. */
typedef enum { IDLE, OWN, UNSURE } Nature;

/* ---- whose code it is in ---- */

static char *
dup_module (EngineProcess *process, const JobFrame *frame, gboolean *ret_is_user)
{
    const StackModule *module = !job_frame_is_python (frame)
                                    ? stack_modules_find (process->modules, frame->pc)
                                    : NULL;

    *ret_is_user = module == NULL || module->is_user || module->is_executable;
    return module != NULL ? g_path_get_basename (module->path) : g_strdup ("");
}

/* By its stack: the innermost code that is not the system's, and whether any of the user's is there. */
static Nature
judge_stack (EngineThread *thread, gboolean is_asleep, gboolean has_fibres)
{
    EngineProcess *process = thread->process;
    g_autoptr (Stack) stack = engine_inspect_read_stack (thread, 0);
    g_autofree char *inner = NULL;
    gboolean has_user = FALSE, is_complete = TRUE;
    JobLibrary kind;

    for (guint i = 0; stack != NULL && i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);
        gboolean is_user;
        g_autofree char *module = dup_module (process, frame, &is_user);

        if (has_fibres && engine_queue_find_call (frame) != NULL) {
            return IDLE; /* it waits in MPI */
        }
        has_user |= is_user;
        is_complete &= (frame->flags & JOB_FRAME_INCOMPLETE) == 0;
        if (inner == NULL && job_library_get_kind (module) != JOB_LIBRARY_SYSTEM) {
            inner = g_steal_pointer (&module);
        }
    }
    kind = job_library_get_kind (inner != NULL ? inner : "");
    if (kind == JOB_LIBRARY_OPENMP) {
        return IDLE;
    }
    if (!has_user && (inner == NULL || !is_complete)) {
        return UNSURE;
    }
    return !has_user
                   && ((is_asleep && kind == JOB_LIBRARY_POOL) || kind == JOB_LIBRARY_MPI
                       || kind == JOB_LIBRARY_MPI_HELPER)
               ? IDLE
               : OWN;
}

/* The rank is halted by the caller, or stopped. What is seen is kept for as long as the thread sleeps there: not
 * if it has woken up since the key was read, because its stack is then of another place. */
static Nature
look (EngineThread *thread, const char *key, gboolean has_fibres)
{
    Nature nature = judge_stack (thread, key != NULL, has_fibres);
    g_autofree char *now = engine_dup_sleep (thread->process, thread->tid);

    g_clear_pointer (&thread->idle_key, g_free);
    if (nature != UNSURE && g_strcmp0 (now, key) == 0) {
        thread->idle_key = g_strdup (key);
        thread->was_idle = nature == IDLE;
    }
    return nature;
}

/* ---- all of a rank ---- */

/* Waits for the end of one that waits in MPI, perhaps over others. */
static gboolean
joins_inside (EngineProcess *process, pid_t tid, gboolean (*is_inside) (pid_t, gconstpointer),
              gconstpointer data)
{
    for (guint i = 0; i < process->threads->len; i++) {
        tid = engine_find_joined (process, tid);
        if (tid == 0 || is_inside (tid, data)) {
            return tid != 0;
        }
    }
    return FALSE;
}

static Nature
judge_thread (EngineThread *thread, gboolean has_fibres, gboolean *halted)
{
    EngineProcess *process = thread->process;
    /* equal ones are the same wait of the same frames */
    g_autofree char *key = engine_dup_sleep (process, thread->tid);

    if (key != NULL && g_strcmp0 (key, thread->idle_key) == 0) {
        return thread->was_idle ? IDLE : OWN;
    }
    if (!engine_process_is_stopped (process) && !*halted) {
        *halted = engine_process_halt (process);
        if (!*halted) {
            return OWN;
        }
        engine_inspect_begin (process);
    }
    return look (thread, key, has_fibres);
}

void
engine_queue_find_others (EngineProcess *process, gboolean (*is_inside) (pid_t, gconstpointer),
                          gboolean (*has_fibres) (pid_t, gconstpointer), gconstpointer data,
                          JobMessageQueue *queue)
{
    EngineThread *found = NULL;
    gboolean halted = FALSE;

    for (guint i = 0; found == NULL && i < process->threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);
        gboolean is_fibrous = has_fibres != NULL && has_fibres (thread->tid, data);

        if (!thread->shares_memory && !thread->is_mpis
            && (is_fibrous || !is_inside (thread->tid, data))
            && !joins_inside (process, thread->tid, is_inside, data)
            && judge_thread (thread, is_fibrous, &halted) != IDLE) {
            found = thread;
        }
    }
    if (found != NULL) {
        queue->flags |= JOB_MESSAGE_QUEUE_OTHERS;
        if (queue->waits->len == 0) {
            engine_python_find_waits (process, found->tid, queue);
        }
    }
    if (halted) {
        engine_inspect_end (process);
        engine_process_release (process);
    }
}
