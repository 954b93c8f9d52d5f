/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done for one rank on a stack of its own, a request or the handling of a stop: where it waits for a thread of
 * the rank, or for pddt-symbols, the loop goes on with the others, and comes back when the thread has stopped, the
 * answer has come, or its time is over. A rank has at most one that waits (process->ongoing). */
#include "engine/notices.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <dlfcn.h>
#include <sanitizer/common_interface_defs.h>
#endif

#define STACK_SIZE                                                                             \
    (8u << 20) /* as the first thread's usually is; what is not used is no memory */
#define GUARD_SIZE                                                                             \
    (64u << 10) /* below it; no function's frame is larger: see src/meson.build */
#define KEPT_SIZE (256u << 10) /* of a spare stack: what is further in is given back, */
#define GIVE_BACK 16u /* of one of so many works: the stack that is spare last is used next */
#define N_SPARE 16u
#define AT_ONCE_US                                                                             \
    300 /* so long is waited for what is soon there: cheaper than a turn of the loop */

#define ANSWER_PAUSE_US 500 /* for an answer that another one is waiting for */

struct _EngineOngoing {
    EngineProcess *process;
    guint64 request_id; /* of the request that it is for; 0: none */
    guint64 number;
    EngineWork function; /* NULL: handle is */
    JobRequest *request; /* NULL: it is for none */
    EngineWorkStop handle;
    EngineThread *handled; /* by that */
    TargetStop handled_stop;
    char *stack;
    ucontext_t own, caller;
    EngineOngoing *outer; /* in which it goes on; NULL: none */
    void *fake_stack, *caller_fake_stack;
    const void *caller_bottom;
    size_t caller_size;
    /* what it waits for: a stop of the thread (NULL: it is gone), or the answer of a helper, or its turn (-1) */
    EngineThread *thread;
    gboolean awaits_answer;
    int answer_fd;
    gint64 due_us; /* g_get_monotonic_time at which it goes on all the same */
    TargetStop stop;
    EngineWorkOther other; /* NULL */
    gpointer other_user;
    gboolean has_stop, may_hurry, is_hurried, is_abandoned, is_done;
};
typedef EngineOngoing Work;

static Work *current;    /* the one that runs; NULL: none */
static GPtrArray *spare; /* stacks */
static guint n_given;    /* works whose stacks became spare */

/* ---- stacks ---- */

static char *
take_stack (void)
{
    char *stack;

    if (spare != NULL && spare->len > 0) {
        return g_ptr_array_steal_index (spare, spare->len - 1);
    }
    stack = mmap (NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack != MAP_FAILED && mprotect (stack, GUARD_SIZE, PROT_NONE) != 0) {
        munmap (stack, STACK_SIZE);
        stack = MAP_FAILED;
    }
    return stack != MAP_FAILED ? stack : NULL;
}

static void
give_stack_back (char *stack)
{
    if (spare == NULL) {
        spare = g_ptr_array_new ();
    }
    if (spare->len < N_SPARE) {
        if (n_given++ % GIVE_BACK == 0) {
            madvise (stack + GUARD_SIZE, STACK_SIZE - GUARD_SIZE - KEPT_SIZE, MADV_FREE);
        }
        g_ptr_array_add (spare, stack);
    } else {
        munmap (stack, STACK_SIZE);
    }
}

/* ---- what works may still know ---- */

typedef struct {
    guint64 last_work; /* that had begun when it was removed */
    gpointer data;
    GDestroyNotify free;
} Deferred;

static void
end_number (const Work *work)
{
    GArray *works = work->process->engine->works;

    for (guint i = 0; i < works->len; i++) {
        if (g_array_index (works, guint64, i) == work->number) {
            g_array_remove_index (works, i);
            return;
        }
    }
}

void
engine_free_later (Engine *engine, gpointer data, GDestroyNotify free)
{
    Deferred *deferred = g_new (Deferred, 1);

    *deferred = (Deferred){ engine->last_work, data, free };
    g_queue_push_tail (&engine->deferred, deferred);
}

void
engine_work_free_deferred (Engine *engine, gboolean is_all)
{
    guint64 oldest = engine->works->len > 0 && !is_all
                         ? g_array_index (engine->works, guint64, 0)
                         : G_MAXUINT64;
    Deferred *deferred;

    while ((deferred = g_queue_peek_head (&engine->deferred)) != NULL
           && deferred->last_work < oldest) {
        g_queue_pop_head (&engine->deferred);
        deferred->free (deferred->data);
        g_free (deferred);
    }
}

/* ---- from one to the other ---- */

static void
switch_context (ucontext_t *from, const ucontext_t *to)
{
#ifdef __SANITIZE_ADDRESS__
    /* The sanitizer's own function warns of what it does not see, which begin_switch tells it. */
    int (*plain) (ucontext_t *, const ucontext_t *);

    *(void **) &plain = dlsym (dlopen ("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "swapcontext");
    plain (from, to);
#else
    swapcontext (from, to);
#endif
}

static void
begin_switch (void **fake_stack, const void *bottom, size_t size)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber (fake_stack, bottom, size);
#endif
}

static void
end_switch (void *fake_stack, const void **ret_bottom, size_t *ret_size)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber (fake_stack, ret_bottom, ret_size);
#endif
}

/* Until it waits, or has come to its end. */
static void
enter (Work *work)
{
    work->outer = current;
    current = work;
    begin_switch (&work->caller_fake_stack, work->stack, STACK_SIZE);
    switch_context (&work->caller, &work->own);
    end_switch (work->caller_fake_stack, NULL, NULL);
    if (work->is_done) {
        end_number (work);
        give_stack_back (work->stack);
        g_free (work);
    }
}

/* Back to who has entered it. */
static void
leave (Work *work)
{
    current = work->outer;
    begin_switch (work->is_done ? NULL : &work->fake_stack, work->caller_bottom,
                  work->caller_size);
    switch_context (&work->own, &work->caller);
    end_switch (work->fake_stack, &work->caller_bottom, &work->caller_size);
}

static void
do_it (Work *work)
{
    if (work->handle != NULL) {
        work->handle (work->handled, &work->handled_stop);
    } else {
        work->function (work->process, work->request);
    }
    engine_tell (work->process, work->process->engine->notices->work_over);
    job_request_free (work->request);
}

static void
run (void)
{
    Work *work = current;

    end_switch (NULL, &work->caller_bottom, &work->caller_size);
    do_it (work);
    work->is_done = TRUE;
    leave (work);
}

/* Without memory for a stack the loop has to wait for it. */
static void
begin (Work *work)
{
    work->awaits_answer = FALSE;
    work->stack = take_stack ();
    if (work->stack == NULL) {
        do_it (work);
        end_number (work);
        g_free (work);
        return;
    }
    getcontext (&work->own);
    work->own.uc_stack = (stack_t){ .ss_sp = work->stack, .ss_size = STACK_SIZE };
    makecontext (&work->own, run, 0);
    enter (work);
}

/* ---- while it waits ---- */

static void
begin_waiting (Work *work)
{
    EngineProcess *process = work->process;

    g_assert (process->ongoing == NULL);
    process->engine->n_busy += !engine_process_is_busy (process);
    process->ongoing = work;
}

static void
go_on (Work *work)
{
    EngineProcess *process = work->process;

    g_assert (process->ongoing == work);
    process->ongoing = NULL;
    process->engine->n_busy -= !engine_process_is_busy (process);
    if (work->stack != NULL) {
        enter (work);
    } else {
        begin (work);
    }
}

gboolean
engine_ongoing_is_for (const EngineOngoing *work, const EngineThread *thread)
{
    return work->thread == thread;
}

void
engine_ongoing_take_stop (EngineOngoing *work, const TargetStop *stop)
{
    work->stop = *stop;
    work->has_stop = TRUE;
    go_on (work);
}

void
engine_ongoing_hear_other (EngineOngoing *work, EngineThread *other, const TargetStop *stop)
{
    if (stop->kind == TARGET_STOP_EXEC) {
        work->thread = NULL; /* the only thread now is that one */
    } else if (work->other != NULL) {
        work->other (other, stop, work->other_user);
    }
}

void
engine_ongoing_forget_thread (EngineOngoing *work, const EngineThread *thread)
{
    if (work->thread == thread) {
        work->thread = NULL;
    }
}

gboolean
engine_ongoing_awaits_answer (const EngineOngoing *work)
{
    return work->awaits_answer;
}

guint64
engine_ongoing_get_request (const EngineOngoing *work)
{
    return work->request_id;
}

static gboolean
has_answer (const Work *work)
{
    struct pollfd waiting = { .fd = work->answer_fd, .events = POLLIN };

    return work->awaits_answer && work->answer_fd >= 0 && poll (&waiting, 1, 0) > 0;
}

gint64
engine_ongoing_get_due (const EngineOngoing *work)
{
    gboolean is_gone = work->thread == NULL && !work->awaits_answer;

    return is_gone || has_answer (work) ? 0 : work->due_us;
}

/* What its thread has done in time counts, however late its stop is seen. */
void
engine_ongoing_take_turn (EngineOngoing *work)
{
    Engine *engine = work->process->engine;
    TargetStop stop;

    if (work->thread != NULL && !work->awaits_answer
        && target_wait (work->thread->tid, &stop) == TARGET_WAIT_STOP) {
        engine->notices->take_stop (engine, &stop);
    } else {
        go_on (work);
    }
}

void
engine_ongoing_hurry (EngineOngoing *work)
{
    work->is_hurried = TRUE;
    if (work->may_hurry) {
        work->due_us = 0;
    }
}

void
engine_ongoing_finish (EngineOngoing *work, gint64 end_us)
{
    EngineProcess *process = work->process;

    while (process->ongoing != NULL && process->ongoing->awaits_answer
           && g_get_monotonic_time () < end_us) {
        struct pollfd waiting = { .fd = process->ongoing->answer_fd, .events = POLLIN };
        gint64 left_us = waiting.fd >= 0 ? end_us - g_get_monotonic_time () : ANSWER_PAUSE_US;

        if (poll (&waiting, 1, (int) (left_us / 1000) + 1) > 0 || waiting.fd < 0) {
            go_on (process->ongoing);
        }
    }
}

void
engine_ongoing_abandon (EngineOngoing *work)
{
    work->is_hurried = work->is_abandoned = TRUE;
    go_on (work);
}

/* ---- its beginning ---- */

/* NULL: it is part of other work of the rank. */
static Work *
new_work (EngineProcess *process)
{
    Work *work;

    if (process->ongoing != NULL || (current != NULL && current->process == process)) {
        return NULL;
    }
    work = g_new0 (Work, 1);
    work->process = process;
    work->number = ++process->engine->last_work;
    g_array_append_val (process->engine->works, work->number);
    return work;
}

void
engine_work_do (EngineProcess *process, const JobRequest *request, EngineWork function)
{
    Work *work = new_work (process);

    if (work == NULL) {
        function (process, request);
        return;
    }
    work->function = function;
    work->request_id = request != NULL ? request->id : 0;
    work->request = request != NULL ? job_request_dup (request) : NULL;
    if (request != NULL) {
        process->engine->notices->request_begins (process, request);
    }
    begin (work);
}

void
engine_work_do_all (Engine *engine, const JobRequest *request, EngineWork function)
{
    gint64 end = engine_turn_get_end ();

    JOB_EACH_RANK (request->ranks, slot) {
        EngineProcess *process = engine_find_process (engine, slot);

        if (process != NULL && !engine_turn_put_off (process, request, end)) {
            engine_work_do (process, request, function);
        }
    }
}

void
engine_work_do_soon (EngineProcess *process, EngineWork function)
{
    Work *work = g_get_monotonic_time () > process->engine->turn_end_us ? new_work (process)
                                                                        : NULL;

    if (work == NULL) {
        engine_work_do (process, NULL, function);
        return;
    }
    work->function = function;
    work->awaits_answer = TRUE;
    work->answer_fd = -1;
    begin_waiting (work);
}

void
engine_work_take_stop (EngineThread *thread, const TargetStop *stop, EngineWorkStop handle)
{
    Work *work = new_work (thread->process);

    if (work == NULL) {
        handle (thread, stop);
        return;
    }
    work->handle = handle;
    work->handled = thread;
    work->handled_stop = *stop;
    begin (work);
}

/* ---- waiting ---- */

gboolean
engine_thread_is_gone (const EngineThread *thread)
{
    return g_hash_table_lookup (thread->process->engine->by_tid, GINT_TO_POINTER (thread->tid))
           != thread;
}

static gboolean
may_wait (const EngineProcess *process)
{
    return current != NULL && current->process == process && !current->is_abandoned
           && process->ongoing == NULL;
}

/* Until it is to go on: for what it waits is in it. */
static void
wait_aside (Work *work)
{
    work->has_stop = FALSE;
    begin_waiting (work);
    leave (work);
    work->may_hurry = FALSE;
    /* others may have looked while it ran */
    engine_tell (work->process, work->process->engine->notices->work_waited);
}

static gboolean
wait_for_thread (EngineThread *thread, gint64 timeout_us, gboolean may_hurry,
                 TargetStop *ret_stop)
{
    Work *work = current;
    gint64 at_once_us = MIN (timeout_us, may_wait (thread->process) ? AT_ONCE_US : timeout_us);

    if (target_wait_for (thread->tid, at_once_us, ret_stop) == TARGET_WAIT_STOP) {
        return TRUE;
    }
    if (timeout_us <= at_once_us || engine_thread_is_gone (thread)) {
        return FALSE;
    }
    work->may_hurry = may_hurry;
    work->thread = thread;
    work->due_us = g_get_monotonic_time () + timeout_us - at_once_us;
    wait_aside (work);
    *ret_stop = work->stop;
    /* soon there, and not to be left in the middle of our code */
    if (!work->has_stop && work->is_abandoned && work->thread == thread
        && thread->makes_our_call) {
        return target_wait_for (thread->tid, work->due_us - g_get_monotonic_time (), ret_stop)
               == TARGET_WAIT_STOP;
    }
    return work->has_stop;
}

gboolean
engine_thread_wait (EngineThread *thread, gint64 timeout_us, TargetStop *ret_stop)
{
    return wait_for_thread (thread, timeout_us, FALSE, ret_stop);
}

gboolean
engine_work_wait (EngineThread *thread, gint64 timeout_us, TargetStop *ret_stop)
{
    return !(may_wait (thread->process) && current->is_hurried)
           && wait_for_thread (thread, timeout_us, TRUE, ret_stop);
}

void
engine_work_pause (EngineProcess *process, gint64 duration_us)
{
    Work *work = current;

    if (!may_wait (process)) {
        g_usleep (MIN (duration_us, AT_ONCE_US));
        return;
    }
    work->thread = NULL;
    work->awaits_answer = TRUE;
    work->answer_fd = -1;
    work->due_us = g_get_monotonic_time () + duration_us;
    wait_aside (work);
    work->awaits_answer = FALSE;
}

/* ---- answers of pddt-symbols ---- */

static gboolean
serves_others (void)
{
    return current != NULL && current->process->ongoing == NULL;
}

static gboolean
wait_for_answer (int fd, gint64 end_us)
{
    Work *work = current;
    Engine *engine = work->process->engine;
    struct epoll_event event = { .events = EPOLLIN };
    int own = work->is_hurried ? -1 : fcntl (fd, F_DUPFD_CLOEXEC, 0);

    /* Another one may close the connection meanwhile, and have one of the same number. */
    if (own < 0 || epoll_ctl (engine->answers_fd, EPOLL_CTL_ADD, own, &event) != 0) {
        if (own >= 0) {
            close (own);
        }
        return FALSE;
    }
    work->may_hurry = TRUE;
    work->thread = NULL;
    work->due_us = end_us;
    work->awaits_answer = TRUE;
    work->answer_fd = own;
    wait_aside (work);
    work->awaits_answer = FALSE;
    epoll_ctl (engine->answers_fd, EPOLL_CTL_DEL, own, NULL);
    close (own);
    return !work->is_hurried;
}

static gboolean
pause_for_answer (void)
{
    engine_work_pause (current->process, ANSWER_PAUSE_US);
    return !current->is_hurried;
}

/* While nothing comes of it, it looks as if pddt hung. */
static void
tell_reading (const char *path, IndexClientReading state)
{
    EngineProcess *process = current->process;
    g_autofree char *base = g_path_get_basename (path);

    switch (state) {
    case INDEX_CLIENT_READING:
        engine_say (process, "reading the debug information of %s", base);
        break;
    case INDEX_CLIENT_READ:
        engine_say (process, "the debug information of %s has been read", base);
        break;
    case INDEX_CLIENT_NOT_READ:
        engine_say (process, "the debug information of %s has not been read yet", base);
        break;
    }
}

const IndexClientWaiter engine_work_waiter = { serves_others, wait_for_answer, pause_for_answer,
                                               tell_reading };

gboolean
engine_work_is_abandoned (void)
{
    return current != NULL && current->is_abandoned;
}

gboolean
engine_work_take_hurry (void)
{
    gboolean is_hurried = current != NULL && current->is_hurried;

    if (is_hurried) {
        current->is_hurried = FALSE;
    }
    return is_hurried;
}

void
engine_work_hear_others (EngineProcess *process, EngineWorkOther function, gpointer user)
{
    if (current != NULL && current->process == process) {
        current->other = function;
        current->other_user = user;
    }
}
