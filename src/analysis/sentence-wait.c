/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a thread outside of MPI waits for, and the threads behind it. */
#include "analysis/verdict-private.h"

/* Threads' names come with their first mention. */
typedef struct {
    BaseTextForm form;
    GArray *mentioned;        /* of guint32: numbers of threads */
    const JobLocation *place; /* of the first thread: for clauses that go on behind it; NULL */
    gboolean *is_placed;      /* set where the place was told */
} Telling;

static char *
format_thread (const Telling *telling, guint32 thread, const char *name)
{
    for (guint i = 0; i < telling->mentioned->len; i++) {
        if (g_array_index (telling->mentioned, guint32, i) == thread) {
            name = NULL;
        }
    }
    g_array_append_val (telling->mentioned, thread);
    return name != NULL ? base_text_print (telling->form, "thread %u \"%s\"", thread, name)
                        : base_text_print (telling->form, "thread %u", thread);
}

/* ---- system calls ---- */

static char *
describe_call (const AnalysisSubject *of, const JobWait *wait)
{
    if (wait->name == NULL) {
        return of->who == NULL
                   ? base_text_print_in (of->form, "caption", "in a system call")
                   : base_text_print_plural (of->form, "%s is in a system call",
                                             "%s are in a system call", of->n, of->who);
    }
    return of->who == NULL ? base_text_print_in (of->form, "caption", "in %s", wait->name)
                           : base_text_print_plural (of->form, "%s is in %s", "%s are in %s",
                                                     of->n, of->who, wait->name);
}

static char *
describe_file (const AnalysisSubject *of, const JobWait *wait, const char *file)
{
    const char *name = wait->name != NULL ? wait->name : "?";

    /* Translators: a system call and a file: "in read of /tmp/fifo". */
    return of->who == NULL
               ? base_text_print_in (of->form, "caption", "in %s of %s", name, file)
               /* Translators: ranks, a system call, and a file: "3 is in read of /tmp/fifo". */
               : base_text_print_plural (of->form, "%s is in %s of %s", "%s are in %s of %s",
                                         of->n, of->who, name, file);
}

/* "rank 3", "process 4711 (python3)"; NULL: not known. */
static char *
format_peer (BaseTextForm form, const JobWait *wait)
{
    return wait->peer != 0            ? base_text_print_in (form, "rank", "%u", wait->peer - 1)
           : wait->other_name != NULL ? base_text_print (form, "process %s", wait->other_name)
                                      : NULL;
}

/* The clause about a file, which it takes, with who has its lock, or its other end. */
static char *
add_peer (BaseTextForm form, char *clause, const JobWait *wait)
{
    g_autofree char *owned = clause, *peer = format_peer (form, wait);

    if (peer == NULL) {
        return g_steal_pointer (&owned);
    }
    /* Translators: in these, a clause about a file, and a rank or a process. */
    return g_strcmp0 (wait->name, "read") == 0
               ? base_text_print (form, "%s, which %s writes to", owned, peer)
           : g_strcmp0 (wait->name, "write") == 0
               ? base_text_print (form, "%s, which %s reads from", owned, peer)
           : g_strcmp0 (wait->name, "fcntl") != 0 && g_strcmp0 (wait->name, "flock") != 0
               ? base_text_print (form, "%s, where %s is the other end", owned, peer)
               : base_text_print (form, "%s, which %s has locked", owned, peer);
}

/* The clause, which it takes, with the line of the first thread, if something follows that would part the two. */
static char *
add_place (const Telling *telling, char *clause, const JobWait *wait)
{
    g_autofree char *line = analysis_words_format_line (telling->place);

    if (line == NULL || *telling->is_placed
        || (wait->flags & (JOB_WAIT_BEHIND | JOB_WAIT_OTHERS)) != 0) {
        return clause;
    }
    *telling->is_placed = TRUE;
    return analysis_words_add_line (telling->form, clause, telling->place);
}

static char *
describe_system_call (const Telling *telling, const AnalysisSubject *of, const JobWait *wait)
{
    g_autofree char *file = NULL, *peer = NULL;

    switch (wait->kind) {
    case JOB_WAIT_INPUT:
        /* Translators: it stands after a system call: "is in read of standard input". */
        file = base_text_print_in (of->form, "file", "standard input");
        break;
    case JOB_WAIT_DESCRIPTOR:
        /* Translators: it stands after a system call: "is in read of descriptor 3". */
        file = base_text_print_in (of->form, "file", "descriptor %lu", (gulong) wait->number);
        break;
    default: file = g_strdup (wait->file != NULL ? wait->file : "?");
    }
    if (wait->kind == JOB_WAIT_CALL) {
        return describe_call (of, wait);
    }
    peer = format_peer (of->form, wait);
    return peer == NULL
               ? describe_file (of, wait, file)
               : add_peer (of->form, add_place (telling, describe_file (of, wait, file), wait),
                           wait);
}

/* ---- threads ---- */

static char *
describe_end (const AnalysisSubject *of, const char *thread)
{
    if (thread == NULL) {
        return of->who == NULL
                   ? base_text_print_in (of->form, "caption",
                                         "waiting for the end of another thread")
                   : base_text_print_plural (of->form, "%s waits for the end of another thread",
                                             "%s wait for the end of another thread", of->n,
                                             of->who);
    }
    /* Translators: "thread 4". */
    return of->who == NULL
               ? base_text_print_in (of->form, "caption", "waiting for the end of %s", thread)
               /* Translators: ranks or a thread, and another thread: "3 waits for the end of
                  thread 4". */
               : base_text_print_plural (of->form, "%s waits for the end of %s",
                                         "%s wait for the end of %s", of->n, of->who, thread);
}

/* holder: "thread 4". */
static char *
describe_rwlock (const AnalysisSubject *of, const char *holder)
{
    return of->who == NULL
               ? base_text_print_in (of->form, "caption",
                                     "waiting for a read-write lock that %s holds", holder)
               /* Translators: ranks, and a thread. */
               : base_text_print_plural (of->form,
                                         "%s waits for a read-write lock that %s holds",
                                         "%s wait for a read-write lock that %s holds", of->n,
                                         of->who, holder);
}

static char *
describe_mutex (const AnalysisSubject *of, const char *holder)
{
    if (holder == NULL) {
        return of->who == NULL
                   ? base_text_print_in (of->form, "caption",
                                         "waiting for a mutex that the same thread holds")
                   : base_text_print_plural (of->form,
                                             "%s waits for a mutex that the same thread holds",
                                             "%s wait for a mutex that the same thread holds",
                                             of->n, of->who);
    }
    /* Translators: "thread 4". */
    return of->who == NULL
               ? base_text_print_in (of->form, "caption", "waiting for a mutex that %s holds",
                                     holder)
               /* Translators: ranks, and a thread. */
               : base_text_print_plural (of->form, "%s waits for a mutex that %s holds",
                                         "%s wait for a mutex that %s holds", of->n, of->who,
                                         holder);
}

/* "3 waits for Python's GIL (app.py:7), which thread 4 holds" */
static char *
describe_interpreter (const Telling *telling, const AnalysisSubject *of, const JobWait *wait,
                      const char *holder)
{
    char *clause = of->who == NULL
                       ? base_text_print_in (of->form, "caption", "waiting for Python's GIL")
                       : base_text_print_plural (of->form, "%s waits for Python's GIL",
                                                 "%s wait for Python's GIL", of->n, of->who);
    g_autofree char *placed = NULL;

    if (holder == NULL) {
        return clause;
    }
    placed = add_place (telling, clause, wait);
    /* Translators: a clause that somebody waits for a lock, and "thread 4". */
    return base_text_print (of->form, "%s, which %s holds", placed, holder);
}

static char *
describe_futex (const AnalysisSubject *of, gboolean is_timed)
{
    if (is_timed) {
        return of->who == NULL
                   ? base_text_print_in (of->form, "caption", "waiting for another thread")
                   : base_text_print_plural (of->form, "%s waits for another thread",
                                             "%s wait for another thread", of->n, of->who);
    }
    return of->who == NULL
               ? base_text_print_in (of->form, "caption", "waiting for another thread (futex)")
               : base_text_print_plural (of->form, "%s waits for another thread (futex)",
                                         "%s wait for another thread (futex)", of->n, of->who);
}

/* Who holds it, behind the clause about a lock, which it takes. */
static char *
add_owner (BaseTextForm form, char *clause, const JobWait *wait)
{
    g_autofree char *owned = clause, *peer = format_peer (form, wait);

    /* Translators: in these, a clause about a lock, and a rank or a process. */
    return wait->flags & JOB_WAIT_LEFT
               ? base_text_print (form, "%s, which thread %s held when it ended", owned,
                                  wait->other_name != NULL ? wait->other_name : "?")
           : peer != NULL ? base_text_print (form, "%s, which %s holds", owned, peer)
                          : g_steal_pointer (&owned);
}

static char *
describe_shared_rwlock (const AnalysisSubject *of)
{
    return of->who == NULL
               ? base_text_print_in (of->form, "caption",
                                     "waiting for a read-write lock shared between processes")
               : base_text_print_plural (
                   of->form, "%s waits for a read-write lock shared between processes",
                   "%s wait for a read-write lock shared between processes", of->n, of->who);
}

static char *
describe_shared_mutex (const AnalysisSubject *of)
{
    return of->who == NULL
               ? base_text_print_in (of->form, "caption",
                                     "waiting for a mutex shared between processes")
               : base_text_print_plural (of->form,
                                         "%s waits for a mutex shared between processes",
                                         "%s wait for a mutex shared between processes", of->n,
                                         of->who);
}

static char *
describe_shared (const Telling *telling, const AnalysisSubject *of, const JobWait *wait)
{
    if (wait->name != NULL) {
        char *clause = g_str_has_prefix (wait->name, "pthread_rwlock")
                           ? describe_shared_rwlock (of)
                           : describe_shared_mutex (of);

        return add_owner (of->form, add_place (telling, clause, wait), wait);
    }
    return of->who == NULL
               ? base_text_print_in (of->form, "caption",
                                     "waiting for a semaphore or lock shared with other "
                                     "processes")
               : base_text_print_plural (of->form,
                                         "%s waits for a semaphore or lock shared with other "
                                         "processes",
                                         "%s wait for semaphores or locks shared with other "
                                         "processes",
                                         of->n, of->who);
}

static char *
describe_child (const Telling *telling, const AnalysisSubject *of, const JobWait *wait)
{
    const char *child = wait->other_name != NULL ? wait->other_name : "?";
    /* Translators: a process: "4711 (python3)". */
    char *clause
        = of->who == NULL
              ? base_text_print_in (of->form, "caption",
                                    "waiting for the end of its child process %s", child)
              : base_text_print_plural (of->form,
                                        "%s waits for the end of its child process %s",
                                        "%s wait for the end of their child process %s", of->n,
                                        of->who, child);
    g_autofree char *placed = NULL;

    if ((wait->flags & JOB_WAIT_UNREAD) == 0) {
        return clause;
    }
    placed = add_place (telling, clause, wait);
    /* Translators: a clause that a rank waits for the end of a child process. */
    return base_text_print (of->form, "%s, which writes to a full pipe that nobody reads",
                            placed);
}

/* The clause that somebody waits in a function, which it takes, with what has to happen. */
static char *
add_until (BaseTextForm form, char *clause, const JobWait *wait)
{
    g_autofree char *owned = clause;

    /* Translators: in these, a clause about a rank or a thread and the function that it waits in. */
    switch (wait->number) {
    case JOB_WAIT_UNTIL_PUT:
        return base_text_print (form, "%s until some thread puts something into the queue",
                                owned);
    case JOB_WAIT_UNTIL_TAKEN:
        return base_text_print (form, "%s until some thread takes something out of the queue",
                                owned);
    case JOB_WAIT_UNTIL_DONE:
        return base_text_print (form, "%s until some thread has done the task", owned);
    case JOB_WAIT_UNTIL_NOTIFIED:
        return base_text_print (form, "%s until some thread notifies the condition", owned);
    case JOB_WAIT_UNTIL_SET:
        return base_text_print (form, "%s until some thread sets the event", owned);
    case JOB_WAIT_UNTIL_RELEASED:
        return base_text_print (form, "%s until some thread releases the semaphore", owned);
    case JOB_WAIT_UNTIL_ARRIVED:
        return base_text_print (form, "%s until other threads arrive there", owned);
    case JOB_WAIT_UNTIL_UNLOCKED:
        return base_text_print (form, "%s until the lock is free", owned);
    case JOB_WAIT_UNTIL_FULFILLED:
        return base_text_print (form, "%s until some thread sets the future's value", owned);
    default: return base_text_print (form, "%s until another thread wakes it", owned);
    }
}

/* The same where another process must do it. */
static char *
add_until_process (BaseTextForm form, char *clause, const JobWait *wait)
{
    g_autofree char *owned = clause, *until = NULL;

    switch (wait->number) {
    case JOB_WAIT_UNTIL_RELEASED:
        until = base_text_print (form, "%s until some process posts the semaphore", owned);
        break;
    case JOB_WAIT_UNTIL_NOTIFIED:
        until = base_text_print (form, "%s until some process notifies the condition", owned);
        break;
    case JOB_WAIT_UNTIL_ARRIVED:
        until = base_text_print (form, "%s until other processes arrive there", owned);
        break;
    default: until = base_text_print (form, "%s until the lock is free", owned);
    }
    return wait->other_name != NULL
               /* Translators: a clause about a rank that waits for a semaphore or the like, and ranks: "0,2-3". */
               ? base_text_print (form, "%s (shared with %s)", until, wait->other_name)
               : g_steal_pointer (&until);
}

/* "3 waits in queue.Queue.get (app.py:7) until some thread puts something into the queue" */
static char *
describe_library (const Telling *telling, const AnalysisSubject *of, const JobWait *wait)
{
    const JobLocation place = { .file = wait->file, .line = wait->line };
    g_autofree char *call
        = analysis_words_add_line (of->form, g_strdup (wait->name != NULL ? wait->name : "?"),
                                   &place);
    char *clause
        = of->who == NULL
              ? base_text_print_in (of->form, "caption", "waiting in %s", call)
              /* Translators: ranks or a thread, and a function: "3 waits in queue.Queue.get (app.py:7)". */
              : base_text_print_plural (of->form, "%s waits in %s", "%s wait in %s", of->n,
                                        of->who, call);
    g_autofree char *until = wait->flags & JOB_WAIT_PROCESSES
                                 ? add_until_process (of->form, clause, wait)
                                 : add_until (of->form, clause, wait);

    *telling->is_placed |= place.line != 0;
    return wait->flags & JOB_WAIT_ALONE
               /* Translators: a clause about a rank that waits for another thread. */
               ? base_text_print (of->form, "%s, but its process has no other thread", until)
               : g_steal_pointer (&until);
}

/* "the Lock requests" */
static char *
format_lock (BaseTextForm form, const JobWait *wait)
{
    if (wait->name == NULL) {
        /* Translators: classes of Python's module threading; it stands after "waits for". */
        return wait->kind == JOB_WAIT_RLOCK
                   ? base_text_print_in (form, "waits for it", "the RLock")
                   : base_text_print_in (form, "waits for it", "the Lock");
    }
    /* Translators: classes of Python's module threading, and a name; it stands after "waits for". */
    return wait->kind == JOB_WAIT_RLOCK
               ? base_text_print_in (form, "waits for it", "the RLock %s", wait->name)
               : base_text_print_in (form, "waits for it", "the Lock %s", wait->name);
}

static char *
describe_lock (const AnalysisSubject *of, const JobWait *wait)
{
    g_autofree char *lock = format_lock (of->form, wait);

    /* Translators: "the Lock requests". */
    return of->who == NULL ? base_text_print_in (of->form, "caption", "waiting for %s", lock)
                           /* Translators: ranks or a thread, and "the Lock requests". */
                           : base_text_print_plural (of->form, "%s waits for %s",
                                                     "%s wait for %s", of->n, of->who, lock);
}

/* The clause about a lock, which it takes, with who has it. */
static char *
add_holder (const Telling *telling, char *clause, const JobWait *wait)
{
    g_autofree char *owned = clause, *holder = NULL;
    gboolean is_inferred = (wait->flags & JOB_WAIT_INFERRED) != 0;

    /* Translators: in these, the first argument says that somebody waits for a lock. */
    if (wait->other == 0) {
        return base_text_print (telling->form, "%s, whose holder is not known", owned);
    }
    if (wait->other == wait->thread) {
        return is_inferred
                   ? base_text_print (telling->form, "%s, which the same thread has taken",
                                      owned)
                   : base_text_print (telling->form, "%s, which the same thread holds", owned);
    }
    holder = format_thread (telling, wait->other, wait->other_name);
    return is_inferred
               ? base_text_print (telling->form, "%s, which %s has taken", owned, holder)
               : base_text_print (telling->form, "%s, which %s holds", owned, holder);
}

/* The clause, which it takes, with the line where a thread behind another one waits. */
static char *
add_line (BaseTextForm form, char *clause, const JobWait *wait)
{
    const JobLocation place = { .file = wait->file, .line = wait->line };

    return wait->flags & (JOB_WAIT_BEHIND | JOB_WAIT_OTHERS)
               ? analysis_words_add_place (form, clause, &place)
               : clause;
}

static char *
describe_kind (const Telling *telling, const AnalysisSubject *of, const JobWait *wait)
{
    g_autofree char *thread = NULL;

    switch (wait->kind) {
    case JOB_WAIT_FUTEX: return describe_futex (of, (wait->flags & JOB_WAIT_TIMED) != 0);
    case JOB_WAIT_SHARED: return describe_shared (telling, of, wait);
    case JOB_WAIT_CHILD: return describe_child (telling, of, wait);
    case JOB_WAIT_LIBRARY: return describe_library (telling, of, wait);
    case JOB_WAIT_MUTEX:
        thread = wait->other != wait->thread
                     ? format_thread (telling, wait->other, wait->other_name)
                     : NULL;
        return add_line (of->form,
                         thread != NULL && wait->name != NULL ? describe_rwlock (of, thread)
                                                              : describe_mutex (of, thread),
                         wait);
    case JOB_WAIT_INTERPRETER:
        thread = wait->other != 0 ? format_thread (telling, wait->other, wait->other_name)
                                  : NULL;
        return add_line (of->form, describe_interpreter (telling, of, wait, thread), wait);
    case JOB_WAIT_END:
        thread = wait->other != 0 ? format_thread (telling, wait->other, wait->other_name)
                                  : NULL;
        return add_line (of->form, describe_end (of, thread), wait);
    case JOB_WAIT_LOCK:
    case JOB_WAIT_RLOCK:
        return add_holder (telling, add_line (of->form, describe_lock (of, wait), wait), wait);
    default: return describe_system_call (telling, of, wait);
    }
}

static char *
describe_wait (const Telling *telling, const AnalysisSubject *of, const JobWait *wait)
{
    char *clause = describe_kind (telling, of, wait);
    g_autofree char *placed = NULL;

    if ((wait->flags & JOB_WAIT_TIMED) == 0) {
        return clause;
    }
    placed = add_place (telling, clause, wait);
    /* Translators: a clause about what a rank or a thread waits for, which it gives up after some time. */
    return base_text_print (of->form, "%s, with a time limit", placed);
}

/* ---- several ---- */

static gboolean
is_behind (const GPtrArray *waits, guint index)
{
    return index < waits->len
           && (((JobWait *) g_ptr_array_index (waits, index))->flags & JOB_WAIT_BEHIND) != 0;
}

/* Those from `first` on that wait one for the other, and what they come to; NULL: there are none. */
static char *
format_chain (const Telling *telling, const GPtrArray *waits, guint first, gboolean is_inferred,
              guint *ret_end)
{
    g_autoptr (GString) list = g_string_new (NULL);
    gboolean closes = FALSE;
    guint i = first;

    for (; i == first ? i < waits->len : is_behind (waits, i); i++) {
        const JobWait *wait = g_ptr_array_index (waits, i);
        g_autofree char *who = format_thread (telling, wait->thread, wait->thread_name);
        const AnalysisSubject of = { telling->form, who, 1 };

        analysis_words_append (telling->form, list, describe_wait (telling, &of, wait));
        is_inferred |= (wait->flags & JOB_WAIT_INFERRED) != 0;
        closes |= (wait->flags & JOB_WAIT_CLOSES) != 0;
    }
    *ret_end = i;
    return !closes ? g_strdup (list->str)
           : is_inferred
               ? base_text_print (telling->form, "%s: apparently a deadlock", list->str)
               /* Translators: what threads wait for, each for the other. */
               : base_text_print (telling->form, "%s: a deadlock", list->str);
}

/* What the text, which it takes, is explained by: "3 is paused (thread 2 waits for …)". */
static char *
add_explanation (BaseTextForm form, char *text, char *explanation)
{
    g_autofree char *owned = text, *more = explanation;

    /* Translators: what threads do, and what further ones do. */
    return base_text_print_in (form, "what threads do", "%s (%s)", owned, more);
}

/* The clause about the first thread, which it takes, with those behind it, and circles of others. */
static char *
add_threads (const Telling *telling, char *clause, const GPtrArray *waits, gboolean has_own)
{
    const JobWait *own = has_own ? g_ptr_array_index (waits, 0) : NULL;
    gboolean is_inferred = own != NULL && (own->flags & JOB_WAIT_INFERRED);
    guint next = has_own ? 1 : 0;

    if (own != NULL && (own->flags & JOB_WAIT_CLOSES)) {
        g_autofree char *alone = clause;

        clause = is_inferred
                     ? base_text_print (telling->form, "%s: apparently a deadlock", alone)
                     : base_text_print (telling->form, "%s: a deadlock", alone);
    }
    if (is_behind (waits, next)) {
        char *chain = format_chain (telling, waits, next, is_inferred, &next);

        clause = add_explanation (telling->form, clause, chain);
    }
    while (next < waits->len) {
        char *chain = format_chain (telling, waits, next, FALSE, &next);

        clause = add_explanation (telling->form, clause, chain);
    }
    return clause;
}

static gboolean
has_own (const GPtrArray *waits)
{
    const JobWait *first = waits->len > 0 ? g_ptr_array_index (waits, 0) : NULL;

    return first != NULL && (first->flags & (JOB_WAIT_BEHIND | JOB_WAIT_OTHERS)) == 0;
}

/* place: of the first thread, which is told where it belongs; NULL: its own line is told behind the clause about it. */
static char *
describe_first (const AnalysisSubject *of, const GPtrArray *waits, const JobLocation *place,
                gboolean *ret_is_placed)
{
    g_autoptr (GArray) mentioned = g_array_new (FALSE, FALSE, sizeof (guint32));
    const Telling telling = { of->form, mentioned, place, ret_is_placed };
    const JobWait *first = has_own (waits) ? g_ptr_array_index (waits, 0) : NULL;
    JobLocation line = { 0 };
    char *clause;

    *ret_is_placed = FALSE;
    if (first == NULL) {
        return NULL;
    }
    clause = describe_wait (&telling, of, first);
    if (place == NULL && first->kind != JOB_WAIT_LIBRARY && first->line != 0) {
        line.file = first->file;
        line.line = first->line;
        clause = analysis_words_add_line (of->form, clause, &line);
    }
    return add_threads (&telling, clause, waits, TRUE);
}

char *
analysis_sentence_describe_wait (const AnalysisSubject *of, const GPtrArray *waits)
{
    gboolean is_placed;

    return describe_first (of, waits, NULL, &is_placed);
}

char *
analysis_sentence_describe_wait_at (const AnalysisSubject *of, const GPtrArray *waits,
                                    const JobLocation *place)
{
    gboolean is_placed;
    char *clause = describe_first (of, waits, place, &is_placed);

    return clause == NULL || is_placed ? clause
                                       : analysis_words_add_place (of->form, clause, place);
}

char *
analysis_sentence_add_wait (const AnalysisSubject *of, char *clause, const GPtrArray *waits)
{
    g_autoptr (GArray) mentioned = g_array_new (FALSE, FALSE, sizeof (guint32));
    gboolean is_placed = FALSE;
    const Telling telling = { of->form, mentioned, NULL, &is_placed };
    g_autofree char *paused = NULL, *who = NULL, *own = NULL;

    if (waits->len == 0) {
        return clause;
    }
    if (!has_own (waits)) {
        return add_threads (&telling, clause, waits, FALSE);
    }
    paused = clause;
    /* Translators: the subject of a clause that follows one about several ranks. */
    who = of->n == 1 ? base_text_print_in (of->form, "one rank", "it")
                     : base_text_print_in (of->form, "several ranks", "each");
    own = describe_wait (&telling, &(AnalysisSubject){ of->form, who, 1 },
                         g_ptr_array_index (waits, 0));
    /* Translators: a clause that a rank is paused, and one about what it waits for there. */
    clause = base_text_print (of->form, "%s, where %s", paused, own);
    return add_threads (&telling, clause, waits, TRUE);
}

char *
analysis_sentence_format_lock (BaseTextForm form, const GPtrArray *waits)
{
    const JobWait *wait = g_ptr_array_index (waits, 0);

    if (wait->kind == JOB_WAIT_SHARED) {
        return add_owner (form, g_strdup (wait->name != NULL ? wait->name : "?"), wait);
    }
    return add_peer (form,
                     /* Translators: a system call, and a file: "fcntl of /tmp/data". */
                     base_text_print_in (form, "call and its file", "%s of %s",
                                         wait->name != NULL ? wait->name : "?",
                                         wait->file != NULL ? wait->file : "?"),
                     wait);
}
