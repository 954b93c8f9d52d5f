/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads and children of a rank: adopts threads; removes inherited traps from forked and
 * vforked children and detaches them, also if their parent ended or was detached before it
 * could report them. */
#include "engine/control/private.h"
#include "engine/notices.h"
#include "base/file.h"
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIFTED_LOOK_US 10000
#define N_RETIRED 64u      /* ended processes whose traps are remembered for late children */
#define MAX_FOLLOWED 4096u /* children of this host that become ranks */
#define NEWBORN_TIMEOUT_US G_USEC_PER_SEC
/* Threads in a function that pddt has called, which the kernel does not let stop: later it returns to nowhere. */
#define CALL_TIMEOUT_US (10 * G_USEC_PER_SEC)
#define LOOK_US 200
#define MAX_LOOK_US 20000
#define NEWBORN_AT_ONCE_US 300
#define NEWBORN_PAUSE_US 1000
#define UNTOLD_US (2 * G_USEC_PER_SEC) /* so long after a first stop its event may come */

/* Of a process or thread whose birth has not been told yet. */
typedef struct {
    TargetStop stop;
    gint64 since_us;
} EarlyStop;

static gboolean
is_own_thread (EngineProcess *process, pid_t tid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/task/%d", (int) process->pid, (int) tid);

    return access (path, F_OK) == 0;
}

/* A stopped one that nobody here knows (any more) goes on as if it had not been traced. */
static void
release (Engine *engine, const TargetStop *stop)
{
    pid_t tid = stop->tid;

    target_thread_detach (tid, stop->kind == TARGET_STOP_SIGNAL ? stop->signal : 0);
    g_hash_table_remove (engine->children, GINT_TO_POINTER (tid));
    g_hash_table_remove (engine->early_stops,
                         GINT_TO_POINTER (tid)); /* maybe the stop itself */
}

static gint
read_number (const char *text, const char *name)
{
    const char *at = strstr (text, name);

    return at != NULL ? atoi (at + strlen (name)) : 0;
}

/* The rank that is this process; NULL. */
static EngineProcess *
find_rank (Engine *engine, pid_t pid)
{
    const EngineThread *leader = g_hash_table_lookup (engine->by_tid, GINT_TO_POINTER (pid));

    if (leader != NULL) {
        return !leader->process->ended ? leader->process : NULL;
    }
    /* The leader may have left before the others. */
    return BASE_FIND (engine->processes, EngineProcess, process,
                      process->pid == pid && !process->ended);
}

/* Will a rank tell of it? A thread's rank or a child's parent does, as long as it is one. */
static gboolean
is_expected (Engine *engine, pid_t tid)
{
    g_autofree char *text = base_file_read_process (tid, "status", NULL);
    pid_t group;

    if (text == NULL) {
        return TRUE; /* gone: its exit comes next */
    }
    group = read_number (text, "\nTgid:\t");
    return find_rank (engine, group) != NULL
           || (group == tid && find_rank (engine, read_number (text, "\nPPid:\t")) != NULL);
}

/* By the call that has made it, in which its parent still is. */
static gboolean
is_made_sharing (EngineThread *thread, TargetStopKind kind)
{
    guint64 flags = 0;

    if (!engine_thread_load_registers (thread)) {
        return kind == TARGET_STOP_VFORK;
    }
    switch (machine_registers_get_system_call (&thread->registers)) {
    case SYS_clone:
        flags = machine_registers_get_system_argument (&thread->registers, 0);
        return (flags & CLONE_VM) != 0;
    case SYS_clone3: /* a struct that begins with them */
        return base_memory_read_u64 (engine_process_get_memory (thread->process),
                                     machine_registers_get_system_argument (&thread->registers,
                                                                            0),
                                     &flags, NULL)
               && (flags & CLONE_VM) != 0;
    default: return kind == TARGET_STOP_VFORK;
    }
}

static gboolean
shares_memory (EngineThread *thread, pid_t child, TargetStopKind kind)
{
    TargetSameMemory answer = target_process_compare_memory (thread->process->pid, child);

    return answer == TARGET_MEMORY_UNKNOWN ? is_made_sharing (thread, kind)
                                           : answer == TARGET_MEMORY_SAME;
}

/* Whose child it is, nobody can say: no rank's traps are left in it. */
static void
release_unexpected (Engine *engine, const TargetStop *stop)
{
    pid_t tid = stop->tid;

    for (guint i = 0; i < engine->retired->len; i++) {
        engine_space_clean_child (g_ptr_array_index (engine->retired, i), tid);
    }
    for (guint i = 0; i < engine->processes->len; i++) {
        EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (!process->ended
            && target_process_compare_memory (process->pid, tid) != TARGET_MEMORY_SAME) {
            engine_space_clean_child (process->space, tid);
        }
    }
    release (engine, stop);
}

/* Killed before its birth was told, and with it perhaps the thread that was to tell it: nobody comes for it any more,
 * and the kernel keeps the end of its process to itself until all threads have gone. */
static void
end_untold (Engine *engine, pid_t tid)
{
    g_hash_table_remove (engine->early_stops, GINT_TO_POINTER (tid));
    target_thread_continue (tid, 0);
}

void
engine_fork_take_unknown (Engine *engine, const TargetStop *stop)
{
    gpointer tid = GINT_TO_POINTER (stop->tid);
    gboolean is_late = engine->abandoned
                       || (engine->n_gone > 0 && stop->kind != TARGET_STOP_ENDED
                           && !is_expected (engine, stop->tid));

    if (engine_leaver_take_stop (engine, stop) || engine_script_take (engine, stop)) {
        return;
    }
    if (stop->kind == TARGET_STOP_ENDED) {
        g_hash_table_remove (engine->children, tid);
        g_hash_table_remove (engine->early_stops, tid);
    } else if (g_hash_table_contains (engine->children, tid)) {
        release (engine, stop);
    } else if (is_late) {
        release_unexpected (engine, stop);
    } else if (stop->kind == TARGET_STOP_EXIT) {
        end_untold (engine, stop->tid);
    } else {
        const EarlyStop early = { *stop, g_get_monotonic_time () };

        g_hash_table_insert (engine->early_stops, tid, g_memdup2 (&early, sizeof early));
    }
}

/* Children that are still to be seen may have what is planted. */
static void
retire (EngineProcess *process)
{
    Engine *engine = process->engine;

    if (engine->retired->len >= N_RETIRED) {
        g_ptr_array_remove_index (engine->retired, 0);
    }
    engine_space_retire (process->space);
    g_ptr_array_add (engine->retired, engine_space_ref (process->space));
}

void
engine_fork_on_gone (EngineProcess *process)
{
    Engine *engine = process->engine;
    g_autoptr (GList) tids = g_hash_table_get_keys (engine->early_stops);

    engine->n_gone++;
    if (process->ended && engine_space_takes_traps (process)) {
        retire (process);
    }
    for (GList *item = tids; item != NULL; item = item->next) {
        if (!is_expected (engine, GPOINTER_TO_INT (item->data))) {
            release_unexpected (engine, g_hash_table_lookup (engine->early_stops, item->data));
        }
    }
}

/* ---- the last ones ---- */

/* Whether one of the folder's processes or threads is traced by this process. */
static gboolean
has_tracee_in (const char *place)
{
    g_autofree char *wanted = g_strdup_printf ("\nTracerPid:\t%d\n", (int) getpid ());
    g_autoptr (GDir) folder = g_dir_open (place, 0, NULL);
    gboolean found = FALSE;
    const char *name;

    while (!found && folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
        g_autofree char *path = g_build_filename (place, name, "status", NULL);
        g_autofree char *text = NULL;

        found = g_ascii_isdigit (name[0]) && g_file_get_contents (path, &text, NULL, NULL)
                && strstr (text, wanted) != NULL;
    }
    return found;
}

/* Children whose birth nobody has told are found by what /proc says of everybody. */
static gboolean
has_tracees (Engine *engine)
{
    gboolean found = g_hash_table_size (engine->children) > 0 || has_tracee_in ("/proc");

    for (guint i = 0; i < engine->processes->len && !found; i++) {
        const EngineProcess *process = g_ptr_array_index (engine->processes, i);
        g_autofree char *tasks = g_strdup_printf ("/proc/%d/task", (int) process->pid);

        /* one that was let go may have threads that have not stopped yet */
        found = (!process->ended || process->detached) && has_tracee_in (tasks);
    }
    return found;
}

void
engine_fork_let_newborns_go (Engine *engine)
{
    gint64 end = g_get_monotonic_time ()
                 + (engine_leavers_are_in_calls (engine) ? CALL_TIMEOUT_US
                                                         : NEWBORN_TIMEOUT_US);
    gulong pause_us = LOOK_US;
    g_autoptr (GList) tids = g_hash_table_get_keys (engine->early_stops);

    engine->abandoned = TRUE;
    engine_script_let_go (engine);
    for (GList *item = tids; item != NULL; item = item->next) {
        release_unexpected (engine, g_hash_table_lookup (engine->early_stops, item->data));
    }
    while (g_get_monotonic_time () < end) {
        TargetStop stop;
        TargetWait answer = target_wait (-1, &stop);

        if (answer == TARGET_WAIT_NOBODY
            || (answer == TARGET_WAIT_NONE && !has_tracees (engine))) {
            return; /* what is left are this process's own children */
        }
        if (answer == TARGET_WAIT_NONE) {
            g_usleep (pause_us);
            pause_us = MIN (2 * pause_us, MAX_LOOK_US); /* every look reads all of /proc */
        } else if (stop.kind != TARGET_STOP_ENDED
                   && g_hash_table_contains (engine->by_tid, GINT_TO_POINTER (stop.tid))) {
            target_thread_continue (stop.tid, 0); /* killed: on its way */
        } else {
            engine->notices->take_stop (engine, &stop);
        }
    }
}

/* ---- children and threads ---- */

static gboolean
may_follow (const EngineProcess *process)
{
    return process->engine->follow != ENGINE_FOLLOW_PARENT && !process->held_at_exec;
}

/* A program may fork without end: the ranks that ended keep their numbers. */
static gboolean
is_full (EngineProcess *process)
{
    Engine *engine = process->engine;

    if (engine->follow != ENGINE_FOLLOW_BOTH || engine->n_followed < MAX_FOLLOWED) {
        return FALSE;
    }
    if (engine->n_followed == MAX_FOLLOWED) {
        engine->n_followed++; /* told */
        engine_say (process, "pddt follows no more children on this host: it has followed %u",
                    (guint) MAX_FOLLOWED);
    }
    return TRUE;
}

/* Known from now on like any other thread; it may have stopped already. */
static void
take_in (EngineProcess *process, pid_t tid, gboolean shares_memory)
{
    EngineThread *child = engine_process_add_thread (process, tid);
    gboolean was_seen = g_hash_table_remove (process->engine->early_stops,
                                             GINT_TO_POINTER (tid));

    child->shares_memory = shares_memory;
    if (was_seen) {
        engine_thread_set_state (child, ENGINE_THREAD_STOPPED);
    }
    if (was_seen && process->suspended.n == 0 && !engine_process_is_stopped (process)
        && engine_thread_may_go (child)) {
        engine_thread_resume (child);
    }
}

static gboolean
is_traced (pid_t pid)
{
    g_autofree char *text = base_file_read_process (pid, "status", NULL);

    return text != NULL && read_number (text, "\nTracerPid:\t") == getpid ();
}

/* Now, or when it comes to its first stop. One whose event comes late may have gone already. */
static void
let_child_go (Engine *engine, pid_t child)
{
    const TargetStop *stop = g_hash_table_lookup (engine->early_stops, GINT_TO_POINTER (child));

    if (stop != NULL) {
        release (engine, stop);
    } else if (engine->n_untold == 0 || is_traced (child)) {
        g_hash_table_add (engine->children, GINT_TO_POINTER (child));
    }
}

static void
lift_for_vfork (EngineThread *thread)
{
    if (!thread->lifted_for_vfork) {
        thread->lifted_for_vfork = engine_space_lift (engine_vfork_get_host (thread->process));
    }
}

void
engine_fork_find_vforks (EngineProcess *process)
{
    for (guint i = 0; i < process->threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);
        EngineSystemCall call;

        if (thread->state == ENGINE_THREAD_RUNNING && !thread->in_vfork
            && target_thread_get_state (process->pid, thread->tid) == 'D'
            && engine_system_call_read (process, thread->tid, &call)
            && target_system_call_makes_thread (call.number)) {
            thread->in_vfork = TRUE;
            lift_for_vfork (thread);
        }
    }
}

void
engine_fork_take (EngineThread *thread, TargetStopKind kind)
{
    EngineProcess *process = thread->process;
    Engine *engine = process->engine;
    unsigned long message = 0;
    gboolean is_shared;
    pid_t child;

    if (!target_thread_get_event_message (thread->tid, &message)
        || g_hash_table_contains (engine->by_tid, GINT_TO_POINTER ((pid_t) message))) {
        return;
    }
    child = (pid_t) message;
    is_shared = shares_memory (thread, child, kind);
    thread->in_vfork = kind == TARGET_STOP_VFORK;
    if (is_shared && !thread->in_vfork) {
        take_in (process, child, TRUE); /* a trap for one is a trap for both */
        return;
    }
    if (is_shared) {
        lift_for_vfork (thread);
    } else {
        engine_space_clean_child (process->space, child);
    }
    if (may_follow (process) && !is_full (process)) {
        thread->newborn = child; /* engine_fork_follow comes next */
        thread->newborn_shares = is_shared;
    } else if (!engine_script_follow (process, child)) {
        let_child_go (engine, child);
    }
}

void
engine_fork_forget_newborn (EngineThread *thread)
{
    if (thread->newborn != 0) {
        let_child_go (thread->process->engine, thread->newborn);
        thread->newborn = 0;
    }
}

/* Its first stop, wherever it comes from: the loop may see it first. On a busy machine this process does not run either:
 * looks count, not time. */
static gboolean
wait_for_child (EngineProcess *parent, pid_t child)
{
    guint n_left = NEWBORN_TIMEOUT_US / NEWBORN_PAUSE_US;
    TargetStop stop;

    do {
        if (g_hash_table_remove (parent->engine->early_stops, GINT_TO_POINTER (child))) {
            return TRUE;
        }
        switch (target_wait_for (child, NEWBORN_AT_ONCE_US, &stop)) {
        case TARGET_WAIT_STOP: return stop.kind != TARGET_STOP_ENDED;
        case TARGET_WAIT_NOBODY: return FALSE;
        default: engine_work_pause (parent, NEWBORN_PAUSE_US); break;
        }
    } while (--n_left > 0 && !parent->ended);
    return FALSE;
}

/* One that is followed beside its parent, as if it had been given the parent's settings. */
static EngineProcess *
make_child (EngineProcess *parent, pid_t pid)
{
    Engine *engine = parent->engine;
    const EngineRankInfo info = { .pid = pid,
                                  .rank = parent->rank,
                                  .size = parent->size,
                                  .local_rank = parent->local_rank,
                                  .launched = parent->launched,
                                  .input_fd = -1 };
    EngineProcess *process = engine_process_new (engine, &info);
    EngineThread *thread;

    process->parent = parent->slot + 1;
    process->exit_kill = parent->exit_kill;
    process->phase = ENGINE_START_STARTED;
    engine_process_set_state (process, JOB_STATE_RUNNING, 0, NULL, NULL);
    process->running_us = g_get_monotonic_time ();
    process->folder = g_strdup (parent->folder);
    process->is_script_told = TRUE;
    engine_signal_inherit (process, parent);
    g_ptr_array_add (engine->processes, process);
    thread = engine_process_add_thread (process, pid);
    engine_process_set_selected (process, thread);
    engine_thread_set_state (thread, ENGINE_THREAD_STOPPED);
    engine_thread_suspend (
        thread, ENGINE_SUSPENDS_BIRTH); /* until begin_beside, whoever halts it before */
    engine->notices->inherits (process, parent);
    return process;
}

static void
begin_beside (EngineProcess *process, gboolean is_vfork)
{
    const EngineProcess *parent = engine_find_process (process->engine, process->parent - 1);
    EngineThread *thread = engine_process_get_main (process);

    engine_exec_follow (process, is_vfork);
    engine_say (process, "process %d, forked by process %d, is debugged as a rank of its own",
                (int) process->pid, (int) parent->pid);
    if (!process->ended) {
        process->running_us = g_get_monotonic_time ();
        engine_thread_unsuspend (thread, ENGINE_SUSPENDS_BIRTH);
        engine_thread_go_on (thread);
    }
}

static void
begin_forked (EngineProcess *process, const JobRequest *request)
{
    begin_beside (process, FALSE);
}

static void
begin_vforked (EngineProcess *process, const JobRequest *request)
{
    begin_beside (process, TRUE);
}

/* With follow-fork both: the child, which is stopped, becomes a rank of its own and goes on. That is work of the child:
 * where it waits, the child may end, which the parent's work would not hear of. */
static void
follow_beside (EngineThread *thread, pid_t pid, gboolean is_vfork)
{
    EngineProcess *parent = thread->process, *process = make_child (parent, pid);

    if (is_vfork) {
        engine_vfork_begin_beside (process, thread);
    }
    process->is_forked = TRUE;
    process->n_calls_watched = ENGINE_WATCHED_CALLS;
    parent->engine->n_followed++;
    engine_work_do (process, NULL, is_vfork ? begin_vforked : begin_forked);
}

static void
tell_followed (EngineProcess *process, gboolean is_vfork)
{
    if (process->vfork != NULL) {
        engine_say (
            process,
            "follows the child, process %d; its parent is held until the child executes "
            "a program or ends",
            (int) process->pid);
    } else if (is_vfork) {
        engine_say (
            process,
            "follows the child, process %d; it shares the memory of threads that run on, "
            "so breakpoints stop it only after its exec",
            (int) process->pid);
    } else {
        engine_say (process, "follows the child, process %d", (int) process->pid);
    }
}

gboolean
engine_fork_follow (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    gboolean is_vfork = thread->newborn_shares;
    pid_t newborn = thread->newborn;
    EngineVfork *vfork = NULL;
    EngineThread *child;

    if (newborn == 0 || !may_follow (process)) { /* or the option was taken back */
        engine_fork_forget_newborn (thread);
        return FALSE;
    }
    thread->newborn = 0;
    if (!wait_for_child (process, newborn)) {
        return FALSE;
    }
    if (process->engine->follow == ENGINE_FOLLOW_BOTH) {
        follow_beside (thread, newborn, is_vfork);
        return FALSE;
    }
    engine_process_end_motion (process);
    if (!engine_process_halt (process)) {
        return TRUE;
    }
    if (is_vfork && engine_vfork_can_hold (thread)) {
        vfork = engine_vfork_new (process);
    }
    if (!engine_process_let_go (process, vfork)) {
        process->vfork = vfork;
        engine_vfork_end (process);
        return TRUE;
    }
    process->vfork = vfork;
    process->pid = newborn;
    engine_process_set_stopped (process, NULL);
    engine_process_set_moving_alone (process, NULL);
    child = engine_process_add_thread (process, process->pid);
    engine_thread_set_state (child, ENGINE_THREAD_STOPPED);
    engine_process_set_selected (process, child);
    tell_followed (process, is_vfork);
    engine_exec_follow (process, is_vfork);
    engine_thread_go_on (child);
    return TRUE;
}

/* ---- children of whom nobody tells ---- */

void
engine_fork_on_exec (EngineProcess *process)
{
    gpointer tid, early;

    if (process->threads->len > 1 && engine_space_takes_traps (process)) {
        retire (process);
    }
    BASE_WALK (process->engine->early_stops, &tid, &early) {
        g_autofree char *text = base_file_read_process (GPOINTER_TO_INT (tid), "status", NULL);

        if (text != NULL && read_number (text, "\nPPid:\t") == process->pid) {
            ((EarlyStop *) early)->since_us = 0; /* nobody is left who could tell of it */
        }
    }
}

/* It has been told of, but what is to come of it waits. */
static gboolean
is_awaited (Engine *engine, pid_t child)
{
    for (guint i = 0; i < engine->processes->len; i++) {
        const EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (BASE_HAS (process->threads, const EngineThread, thread, thread->newborn == child)) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
has_vfork (const EngineProcess *process)
{
    gboolean found = FALSE;

    for (guint i = 0; i < process->threads->len && !found; i++) {
        found = ((const EngineThread *) g_ptr_array_index (process->threads, i))->in_vfork;
    }
    return found;
}

/* As its event would have had it, by what /proc says of it. */
static void
settle (Engine *engine, EarlyStop *early)
{
    pid_t tid = early->stop.tid, group;
    g_autofree char *text = base_file_read_process (tid, "status", NULL);
    EngineProcess *process;

    early->since_us = g_get_monotonic_time ();
    if (text == NULL || is_awaited (engine, tid)) {
        return;
    }
    engine->n_untold++;
    group = read_number (text, "\nTgid:\t");
    process = find_rank (engine, group != tid ? group : read_number (text, "\nPPid:\t"));
    if (process == NULL
        || (group == tid
            && target_process_compare_memory (process->pid, tid) != TARGET_MEMORY_SAME)) {
        release_unexpected (engine, &early->stop);
        return;
    }
    if (group == tid) {
        engine_fork_find_vforks (process);
    }
    if (group == tid && has_vfork (process)) {
        release (engine, &early->stop);
    } else {
        take_in (process, tid, group == tid);
    }
}

void
engine_fork_check (Engine *engine)
{
    g_autoptr (GList) all = g_hash_table_size (engine->early_stops) > 0
                                ? g_hash_table_get_values (engine->early_stops)
                                : NULL;
    gint64 now = all != NULL ? g_get_monotonic_time () : 0;

    for (GList *item = all; item != NULL; item = item->next) {
        EarlyStop *early = item->data;

        if (now - early->since_us >= UNTOLD_US) {
            settle (engine, early);
        }
    }
}

int
engine_fork_get_timeout_ms (Engine *engine)
{
    gint64 now = g_get_monotonic_time (), left_us = UNTOLD_US;
    gpointer early;

    if (g_hash_table_size (engine->early_stops) == 0) {
        return -1;
    }
    BASE_WALK (engine->early_stops, NULL, &early) {
        left_us = MIN (left_us, ((EarlyStop *) early)->since_us + UNTOLD_US - now);
    }
    return left_us > 0 ? (int) (left_us / 1000) + 1 : 0;
}

void
engine_fork_take_clone (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    Engine *engine = process->engine;
    unsigned long message = 0;

    if (!target_thread_get_event_message (thread->tid, &message)) {
        return;
    }
    if (g_hash_table_contains (engine->by_tid, GINT_TO_POINTER ((pid_t) message))) {
        process->engine->notices->thread_made (thread, (pid_t) message);
    } else if (is_own_thread (process, (pid_t) message)) {
        take_in (process, (pid_t) message, FALSE);
        process->engine->notices->thread_made (thread, (pid_t) message);
    } else if (g_hash_table_contains (engine->early_stops, GINT_TO_POINTER ((pid_t) message))
               || kill ((pid_t) message, 0) == 0) {
        engine_fork_take (thread, TARGET_STOP_FORK);
    }
}

/* It shared the memory, and has one of its own now. */
void
engine_fork_release_sharer (EngineThread *thread)
{
    target_thread_detach (thread->tid, 0);
    engine_thread_set_state (thread, ENGINE_THREAD_RUNNING);
    engine_thread_leave (thread);
}

void
engine_fork_take_vfork_done (EngineThread *thread)
{
    gboolean lifted_for_vfork = thread->lifted_for_vfork;

    thread->in_vfork = thread->lifted_for_vfork = FALSE;
    if (lifted_for_vfork) {
        engine_vfork_plant_again (thread->process->engine,
                                  engine_vfork_get_host (thread->process));
    }
}

gboolean
engine_fork_has_lifted (const EngineProcess *process)
{
    return engine_space_is_lifted (process->space);
}

gboolean
engine_fork_await_traps (EngineProcess *process, gint64 timeout_us)
{
    gint64 end = g_get_monotonic_time () + timeout_us;

    while (engine_fork_has_lifted (process) && !process->ended && !engine_work_is_abandoned ()
           && g_get_monotonic_time () < end) {
        engine_work_pause (process, LIFTED_LOOK_US);
    }
    return !engine_fork_has_lifted (process);
}
