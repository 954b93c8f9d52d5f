/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which thread of a Python rank waits for which: locks of the module threading, joins, and
 * cycles of these. Halts the rank for a moment. The holder of a Lock that was acquired without
 * `with` is reported as not known. */
#include "base/escape.h"
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/python/python.h"
#include "python/locks.h"
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#define MAX_THREADS 256u
#define STACK_WORDS                                                                            \
    1024u /* looked through for the lock: its methods' frames are among the innermost */
#define NOBODY G_MAXUINT

typedef enum {
    WAITS_FOR_NOTHING,
    WAITS_FOR_LOCK,
    WAITS_FOR_END,
    WAITS_FOR_INTERPRETER,
} WaitKind;

typedef struct {
    EngineThread *thread;
    GPtrArray *frames; /* of PythonFrame, innermost first; NULL: none */
    char *name;        /* in the module threading; NULL */
    WaitKind kind;
    PythonLock lock;
    guint for_whom;       /* index; NOBODY: not known */
    gboolean is_inferred; /* a frame shows who took the lock, the lock itself does not */
    gboolean is_seen;
} Waiter;

/* A thread that waits for the interpreter's lock, seen before the halt: that one may have met it awake. */
typedef struct {
    EngineThread *thread, *holder;
} KeptOut;

static void
clear_waiter (gpointer data)
{
    Waiter *waiter = data;

    g_clear_pointer (&waiter->frames, g_ptr_array_unref);
    g_free (waiter->name);
}

/* ---- what each waits for ---- */

/* It sleeps without a time limit: on what. 0: it does not. */
static guint64
find_futex (const EngineThread *thread)
{
    const MachineRegisters *registers = &thread->registers;
    guint operation = (guint) machine_registers_get_system_argument (registers, 1)
                      & FUTEX_CMD_MASK;

    return machine_registers_get_system_call (registers) == SYS_futex
                   && machine_registers_get_system_argument (registers, 3) == 0
                   && (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET)
               ? machine_registers_get_system_argument (registers, 0)
               : 0;
}

static gboolean
find_lock (EngineThread *thread, PythonRuntime *runtime, guint64 futex, PythonLock *ret_lock)
{
    const MachineRegisters *registers = &thread->registers;
    guint64 words[MACHINE_N_PRESERVED + STACK_WORDS];
    gsize size;

    for (guint i = 0; i < MACHINE_N_PRESERVED; i++) {
        words[i] = machine_registers_get_preserved (registers, i);
    }
    size = base_memory_read_some (engine_process_get_memory (thread->process),
                                  machine_registers_get_sp (registers),
                                  words + MACHINE_N_PRESERVED, STACK_WORDS * sizeof words[0]);

    return python_lock_find (runtime, words, MACHINE_N_PRESERVED + size / sizeof words[0],
                             futex, ret_lock);
}

static guint
find_index (GArray *waiters, guint64 pthread)
{
    return BASE_CHOOSE (i, pthread != 0 ? waiters->len : 0,
                        machine_registers_get_thread_pointer (&g_array_index (waiters, Waiter,
                                                                              i)
                                                                   .thread->registers)
                            == pthread,
                        i, NOBODY);
}

/* A condition's wait gives its lock away, whatever the frames outside it have taken. */
static gboolean
is_condition_wait (const PythonFrame *frame)
{
    return frame->file != NULL && g_str_has_suffix (frame->file, "/threading.py")
           && frame->function != NULL && g_str_has_suffix (frame->function, "wait");
}

static gboolean
has_taken (PythonRuntime *runtime, const Waiter *waiter, const PythonLock *lock)
{
    for (guint i = 0; waiter->frames != NULL && i < waiter->frames->len; i++) {
        const PythonFrame *frame = g_ptr_array_index (waiter->frames, i);

        if (is_condition_wait (frame)) {
            return FALSE;
        }
        if (python_lock_is_taken_in (runtime, lock, frame)) {
            return TRUE;
        }
    }
    return FALSE;
}

/* By its with statement: of two who took it nobody can say who has it now. */
static guint
find_taker (GArray *waiters, PythonRuntime *runtime, const PythonLock *lock)
{
    guint found = NOBODY;

    for (guint i = 0; i < waiters->len; i++) {
        if (has_taken (runtime, &g_array_index (waiters, Waiter, i), lock)) {
            if (found != NOBODY) {
                return NOBODY;
            }
            found = i;
        }
    }
    return found;
}

static guint
find_index_of (GArray *waiters, const EngineThread *thread)
{
    return BASE_CHOOSE (i, thread != NULL ? waiters->len : 0,
                        g_array_index (waiters, Waiter, i).thread == thread, i, NOBODY);
}

static GArray *
list_kept_out (EngineProcess *process)
{
    GArray *list = g_array_new (FALSE, FALSE, sizeof (KeptOut));
    gboolean is_patient = TRUE;

    for (guint i = 0; i < process->threads->len && i < MAX_THREADS; i++) {
        KeptOut one = { .thread = g_ptr_array_index (process->threads, i) };

        if (!one.thread->shares_memory && !one.thread->is_mpis
            && engine_python_waits_for_interpreter (process, one.thread->tid, is_patient,
                                                    &one.holder)
            && one.holder != one.thread) {
            g_array_append_val (list, one);
        } else if (one.thread->tid != process->pid) {
            is_patient = FALSE;
        }
    }
    return list;
}

static const KeptOut *
find_kept_out (const GArray *list, const EngineThread *thread)
{
    return BASE_FIND_ROW (list, const KeptOut, one, one->thread == thread);
}

static void
find_wait (GArray *waiters, PythonRuntime *runtime, const GArray *kept_out, Waiter *waiter)
{
    const KeptOut *own = find_kept_out (kept_out, waiter->thread);
    guint64 futex = find_futex (waiter->thread);
    const PythonFrame *inner = waiter->frames != NULL && waiter->frames->len > 0
                                   ? g_ptr_array_index (waiter->frames, 0)
                                   : NULL;
    guint64 joined = futex != 0 && inner != NULL ? python_frame_find_joined (runtime, inner)
                                                 : 0;

    if (own != NULL) {
        waiter->kind = WAITS_FOR_INTERPRETER;
        waiter->for_whom = find_index_of (waiters, own->holder);
    } else if (futex == 0 || inner == NULL) {
        return;
    } else if (joined != 0) {
        waiter->kind = WAITS_FOR_END;
        waiter->for_whom = find_index (waiters, joined);
    } else if (find_lock (waiter->thread, runtime, futex, &waiter->lock)) {
        waiter->kind = WAITS_FOR_LOCK;
        waiter->is_inferred = !waiter->lock.is_recursive;
        if (waiter->lock.is_queue) { /* nobody has it while it is empty */
            return;
        }
        waiter->for_whom = waiter->lock.is_recursive
                               ? find_index (waiters, waiter->lock.owner)
                               : find_taker (waiters, runtime, &waiter->lock);
    }
}

static GArray *
list_waiters (EngineProcess *process, PythonRuntime *runtime, const GArray *kept_out)
{
    g_autoptr (GArray) threads = python_runtime_read_threads (runtime, NULL);
    GArray *waiters = g_array_new (FALSE, TRUE, sizeof (Waiter));

    g_array_set_clear_func (waiters, clear_waiter);
    for (guint i = 0;
         threads != NULL && i < process->threads->len && waiters->len < MAX_THREADS; i++) {
        Waiter waiter = { .thread = g_ptr_array_index (process->threads, i),
                          .for_whom = NOBODY };
        const PythonThread *python;

        if (waiter.thread->shares_memory || !engine_thread_load_registers (waiter.thread)) {
            continue;
        }
        python = engine_inspect_find_python_thread (threads, waiter.thread);
        if (python != NULL) {
            waiter.frames = python_runtime_read_frames (runtime, python, NULL);
            waiter.name = base_escape_take (python_runtime_dup_thread_name (runtime, python),
                                            BASE_ESCAPE_NAME);
        }
        g_array_append_val (waiters, waiter);
    }
    for (guint i = 0; i < waiters->len; i++) {
        find_wait (waiters, runtime, kept_out, &g_array_index (waiters, Waiter, i));
    }
    return waiters;
}

/* ---- as data ---- */

/* The innermost frame that is the program's own. */
static const PythonFrame *
find_user_frame (const Waiter *waiter)
{
    return BASE_FIND (waiter->frames, const PythonFrame, frame,
                      frame->file != NULL && !python_is_library_file (frame->file));
}

static char *
dup_lock_name (PythonRuntime *runtime, const Waiter *waiter)
{
    const PythonFrame *user = find_user_frame (waiter),
                      *inner = g_ptr_array_index (waiter->frames, 0);
    char *name = user != NULL ? python_lock_dup_name (runtime, &waiter->lock, user) : NULL;

    name = name != NULL ? name : python_lock_dup_name (runtime, &waiter->lock, inner);
    return base_escape_take (name, BASE_ESCAPE_NAME);
}

/* The function that the program has called there: the outermost of the libraries' frames inside its own. NULL: it is in its
 * own. */
static const PythonFrame *
find_called (const Waiter *waiter)
{
    const PythonFrame *called = NULL;

    for (guint i = 0; waiter->frames != NULL && i < waiter->frames->len; i++) {
        const PythonFrame *frame = g_ptr_array_index (waiter->frames, i);

        if (frame->file != NULL && !python_is_library_file (frame->file)) {
            return called;
        }
        called = frame->file != NULL && frame->function != NULL ? frame : NULL;
    }
    return NULL;
}

/* "queue", "concurrent.futures": what the program imports. Caller owns. */
static char *
dup_module (const char *file)
{
    const char *start = strstr (file, "/python3."), *end;
    g_auto (GStrv) parts = NULL;
    GString *name = g_string_new (NULL);

    start = start != NULL ? strchr (start + 1, '/') : NULL;
    start = start != NULL ? start + 1 : file;
    start += g_str_has_prefix (start, "site-packages/")   ? strlen ("site-packages/")
             : g_str_has_prefix (start, "dist-packages/") ? strlen ("dist-packages/")
                                                          : 0;
    end = g_str_has_suffix (start, ".py") ? start + strlen (start) - 3 : start + strlen (start);
    {
        g_autofree char *path = g_strndup (start, (gsize) (end - start));

        parts = g_strsplit (path, "/", 0);
    }
    for (guint i = 0; parts[i] != NULL && (i == 0 || parts[i][0] != '_'); i++) {
        g_string_append_printf (name, "%s%s", i > 0 ? "." : "", parts[i]);
    }
    return g_string_free (name, FALSE);
}

static JobWaitUntil
find_until (const char *name)
{
    static const struct {
        const char *name;
        JobWaitUntil until;
    } known[] = {
        { "queue.Queue.get", JOB_WAIT_UNTIL_PUT },
        { "queue.SimpleQueue.get", JOB_WAIT_UNTIL_PUT },
        { "queue.Queue.put", JOB_WAIT_UNTIL_TAKEN },
        { "queue.Queue.join", JOB_WAIT_UNTIL_DONE },
        { "concurrent.futures.Future.result", JOB_WAIT_UNTIL_DONE },
        { "concurrent.futures.Future.exception", JOB_WAIT_UNTIL_DONE },
        { "threading.Condition.wait", JOB_WAIT_UNTIL_NOTIFIED },
        { "threading.Condition.wait_for", JOB_WAIT_UNTIL_NOTIFIED },
        { "threading.Event.wait", JOB_WAIT_UNTIL_SET },
        { "threading.Semaphore.acquire", JOB_WAIT_UNTIL_RELEASED },
        { "threading.Barrier.wait", JOB_WAIT_UNTIL_ARRIVED },
    };

    return BASE_CHOOSE (i, G_N_ELEMENTS (known), strcmp (known[i].name, name) == 0,
                        known[i].until, JOB_WAIT_UNTIL_WOKEN);
}

/* "Queue.get", in interpreters, too, in which a function does not know its class. Caller owns. */
static char *
dup_function (PythonRuntime *runtime, const PythonFrame *called)
{
    g_autofree char *class = strchr (called->function, '.') == NULL
                                 ? python_frame_dup_class (runtime, called)
                                 : NULL;

    return class != NULL ? g_strdup_printf ("%s.%s", class, called->function)
                         : g_strdup (called->function);
}

/* A lock that the library made for this wait alone: nobody has it, and its name says nothing to the user. */
static gboolean
note_called (PythonRuntime *runtime, JobWait *wait, const Waiter *waiter)
{
    const PythonFrame *called = waiter->kind == WAITS_FOR_LOCK && wait->other == 0
                                        && wait->kind == JOB_WAIT_LOCK
                                    ? find_called (waiter)
                                    : NULL;
    g_autofree char *module = called != NULL ? dup_module (called->file) : NULL;
    g_autofree char *function = called != NULL ? dup_function (runtime, called) : NULL;

    if (called == NULL && !waiter->lock.is_queue) {
        return FALSE;
    }
    wait->kind = JOB_WAIT_LIBRARY;
    wait->flags &= ~(guint32) JOB_WAIT_INFERRED;
    wait->name = called != NULL ? g_strdup_printf ("%s.%s", module, function)
                                : g_strdup ("queue.SimpleQueue.get"); /* it is C's own */
    wait->number = find_until (wait->name);
    wait->name = base_escape_take (wait->name, BASE_ESCAPE_NAME);
    return TRUE;
}

static JobWait *
make_wait (PythonRuntime *runtime, GArray *waiters, const Waiter *waiter)
{
    const Waiter *other = waiter->for_whom != NOBODY
                              ? &g_array_index (waiters, Waiter, waiter->for_whom)
                              : NULL;
    const PythonFrame *user = find_user_frame (waiter);
    JobWait *wait = job_wait_new (waiter->kind == WAITS_FOR_END           ? JOB_WAIT_END
                                  : waiter->kind == WAITS_FOR_INTERPRETER ? JOB_WAIT_INTERPRETER
                                  : waiter->lock.is_recursive             ? JOB_WAIT_RLOCK
                                                                          : JOB_WAIT_LOCK);

    wait->thread = waiter->thread->number;
    wait->thread_name = g_strdup (waiter->name);
    wait->other = other != NULL ? other->thread->number : 0;
    wait->other_name = g_strdup (other != NULL ? other->name : NULL);
    wait->flags = waiter->is_inferred ? JOB_WAIT_INFERRED : 0;
    if (!note_called (runtime, wait, waiter) && waiter->kind == WAITS_FOR_LOCK) {
        wait->name = dup_lock_name (runtime, waiter);
    }
    if (user != NULL) {
        wait->file = base_escape_take (g_path_get_basename (user->file), BASE_ESCAPE_NAME);
        wait->line = user->line;
    }
    return wait;
}

/* The threads that `from` waits for, one after the other; TRUE when that comes back to one of them. */
static gboolean
follow (GArray *waiters, guint from, GArray *way)
{
    for (guint at = from; at != NOBODY; at = g_array_index (waiters, Waiter, at).for_whom) {
        Waiter *waiter = &g_array_index (waiters, Waiter, at);

        if (BASE_ANY (i, way->len, g_array_index (way, guint, i) == at)) {
            return TRUE;
        }
        if (waiter->is_seen || waiter->kind == WAITS_FOR_NOTHING) {
            return FALSE;
        }
        g_array_append_val (way, at);
    }
    return FALSE;
}

/* The first of a way has these flags, and the others are behind it. */
static void
add_way (GPtrArray *list, PythonRuntime *runtime, GArray *waiters, const GArray *way,
         guint32 first_flags, gboolean is_circle)
{
    for (guint i = 0; i < way->len; i++) {
        JobWait *wait = make_wait (runtime, waiters,
                                   &g_array_index (waiters, Waiter,
                                                   g_array_index (way, guint, i)));

        wait->flags |= i == 0 ? first_flags : JOB_WAIT_BEHIND;
        wait->flags |= is_circle && i == way->len - 1 ? JOB_WAIT_CLOSES : 0;
        g_ptr_array_add (list, wait);
    }
}

static void
mark_seen (GArray *waiters, const GArray *way)
{
    for (guint i = 0; i < way->len; i++) {
        g_array_index (waiters, Waiter, g_array_index (way, guint, i)).is_seen = TRUE;
    }
}

/* Whoever has the interpreter's lock and waits for no thread sleeps with it in the kernel, which no Python code does: the
 * chain ends with where. */
static void
add_end (GPtrArray *list, GArray *waiters, const GArray *way, guint32 *flags)
{
    const Waiter *last = &g_array_index (waiters, Waiter,
                                         g_array_index (way, guint, way->len - 1));
    const Waiter *holder = last->kind == WAITS_FOR_INTERPRETER && last->for_whom != NOBODY
                               ? &g_array_index (waiters, Waiter, last->for_whom)
                               : NULL;
    g_autoptr (JobWait) wait = holder != NULL && holder->kind == WAITS_FOR_NOTHING
                                   ? engine_dup_system_call (holder->thread->process,
                                                             holder->thread->tid, flags)
                                   : NULL;
    const PythonFrame *user = wait != NULL ? find_user_frame (holder) : NULL;

    if (wait == NULL) {
        return;
    }
    wait->flags |= JOB_WAIT_BEHIND;
    wait->thread = holder->thread->number;
    wait->thread_name = g_strdup (holder->name);
    if (user != NULL && wait->file == NULL) {
        wait->file = base_escape_take (g_path_get_basename (user->file), BASE_ESCAPE_NAME);
        wait->line = user->line;
    }
    g_ptr_array_add (list, g_steal_pointer (&wait));
}

/* What the thread waits for, and those behind it. FALSE: it waits for no thread. */
static gboolean
add_own (GPtrArray *list, PythonRuntime *runtime, GArray *waiters, guint own, guint32 *flags)
{
    g_autoptr (GArray) way = g_array_new (FALSE, FALSE, sizeof (guint));
    gboolean is_circle;

    if (g_array_index (waiters, Waiter, own).kind == WAITS_FOR_NOTHING) {
        return FALSE;
    }
    is_circle = follow (waiters, own, way);
    add_way (list, runtime, waiters, way, 0, is_circle);
    if (!is_circle) {
        add_end (list, waiters, way, flags);
    }
    *flags |= is_circle ? JOB_MESSAGE_QUEUE_DEADLOCK : 0;
    mark_seen (waiters, way);
    return TRUE;
}

/* Circles of threads that the first one does not wait for. */
static void
add_circles (GPtrArray *list, PythonRuntime *runtime, GArray *waiters, guint32 *flags)
{
    for (guint i = 0; i < waiters->len; i++) {
        g_autoptr (GArray) way = g_array_new (FALSE, FALSE, sizeof (guint));

        if (follow (waiters, i, way)) {
            add_way (list, runtime, waiters, way, JOB_WAIT_OTHERS, TRUE);
            mark_seen (waiters, way);
            *flags |= JOB_MESSAGE_QUEUE_DEADLOCK;
        }
    }
}

/* otherwise: what the thread does, in case that it waits for no other; taken; NULL: nothing. */
static void
add_waits (GPtrArray *list, EngineProcess *process, PythonRuntime *runtime,
           const GArray *kept_out, pid_t tid, JobWait *otherwise, guint32 *flags)
{
    g_autoptr (GArray) waiters = list_waiters (process, runtime, kept_out);
    g_autoptr (JobWait) owned = otherwise;
    gboolean has_own = FALSE;

    for (guint i = 0; i < waiters->len && !has_own; i++) {
        has_own = g_array_index (waiters, Waiter, i).thread->tid == tid
                  && add_own (list, runtime, waiters, i, flags);
    }
    if (!has_own && owned != NULL) {
        g_ptr_array_add (list, g_steal_pointer (&owned));
    }
    add_circles (list, runtime, waiters, flags);
}

void
engine_python_find_lock_waits (EngineProcess *process, pid_t tid, JobMessageQueue *queue)
{
    PythonRuntime *runtime = engine_runtime_find (process);

    if (runtime != NULL) {
        g_autoptr (GArray) kept_out = list_kept_out (process);

        engine_process_begin_caching (process);
        python_runtime_invalidate (runtime);
        add_waits (queue->waits, process, runtime, kept_out, tid, NULL, &queue->flags);
        engine_process_end_caching (process);
    } else {
        engine_add_lock_waits (process, tid, NULL, queue);
    }
}

void
engine_python_find_waits (EngineProcess *process, pid_t tid, JobMessageQueue *queue)
{
    PythonRuntime *runtime = engine_runtime_find (process);
    g_autoptr (GArray) kept_out = NULL;
    g_autoptr (JobWait) wait = NULL;

    kept_out = runtime != NULL ? list_kept_out (process) : NULL;
    wait = engine_dup_system_call (process, tid, &queue->flags);
    if (wait != NULL && (runtime == NULL || wait->kind == JOB_WAIT_SHARED)) {
        engine_wait_find_function (process, tid, wait);
    }
    if (runtime == NULL && wait != NULL) {
        engine_add_lock_waits (process, tid, g_steal_pointer (&wait), queue);
    }
    if (runtime == NULL || (wait == NULL && kept_out->len == 0)) {
        return;
    }
    if (!engine_process_halt (process)) {
        if (wait != NULL) {
            g_ptr_array_add (queue->waits, g_steal_pointer (&wait));
        }
        return;
    }
    engine_process_begin_caching (process);
    python_runtime_invalidate (runtime);
    add_waits (queue->waits, process, runtime, kept_out, tid, g_steal_pointer (&wait),
               &queue->flags);
    engine_process_end_caching (process);
    engine_process_release (process);
}
