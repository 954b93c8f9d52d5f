/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one rank waits for (a function that does not return, pddt-symbols, a thread that does not stop) holds up
 * nobody else; whatever comes in between, the rank goes on afterwards as if nothing had been. */
#include "engine/breakpoint/private.h"
#include "engine/control/control.h"
#include "job/name.h"
#include "rig.h"
#include "target/maps.h"
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_HERD 40
#define N_QUESTIONS 300 /* more than the kernel keeps connections */

static Rig rig;
static guint32 slot, other;
static pid_t pid;

static guint64
ask (guint32 of, JobVerb verb, const char *text)
{
    JobRequest *request = job_request_new (verb, NULL);

    request->text = g_strdup (text);
    return rig_send (&rig, of, request);
}

static const char *
wait_for_value (guint32 of)
{
    const JobEvent *event = rig_wait (&rig, of, JOB_EVENT_VALUES);
    const JobValueRow *row = g_ptr_array_index (event->table->rows, 0);

    return ((const JobValueGroup *) g_ptr_array_index (row->groups, 0))->value->text;
}

/* Of the request: a value, or a failure. */
static void
wait_for_end (guint64 id)
{
    for (;;) {
        for (guint i = 0; i < rig.events->len; i++) {
            const JobEvent *event = g_ptr_array_index (rig.events, i);

            if (event->request == id && event->final) {
                return;
            }
        }
        rig_pump (&rig, 10);
    }
}

static gboolean
is_busy (void)
{
    return engine_find_process (rig.engine, slot)->ongoing != NULL;
}

static gboolean
is_calling (void)
{
    const EngineOngoing *ongoing = engine_find_process (rig.engine, slot)->ongoing;

    return ongoing != NULL && !engine_ongoing_awaits_answer (ongoing);
}

static gboolean
is_asking (void)
{
    return is_busy () && !is_calling ();
}

/* Two ranks. */
static void
open_plain_rig (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-steps");

    rig_open (&rig, "main");
    slot = rig_start (&rig, (char *[]){ path, NULL }, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    other = rig_start_inferior (&rig, "inferior-steps", NULL);
    rig_expect (&rig, other, JOB_STATE_STOPPED, "main", 0);
}

/* One of the ranks is in a call that does not return. Returns the call's request. */
static guint64
open_rig (void)
{
    guint64 id;

    open_plain_rig ();
    id = ask (slot, JOB_VERB_CALL, "(int) pause ()");
    while (!is_calling ()) {
        g_assert_true (is_busy ()); /* it asks for its names first */
        rig_pump (&rig, 10);
    }
    return id;
}

/* One of them has asked pddt-symbols, which does not answer. Returns the request; 0: there is no pddt-symbols. */
static guint64
open_hung_rig (void)
{
    guint64 id;

    open_plain_rig ();
    if (!rig_has_symbols (&rig)) {
        g_test_skip ("no pddt-symbols");
        rig_close (&rig);
        return 0;
    }
    kill (rig.symbols, SIGSTOP);
    id = ask (slot, JOB_VERB_PRINT, "sizeof (int) + 38");
    g_assert_true (is_asking ());
    return id;
}

static void
expect_plain_end (void)
{
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

static void
cancel (guint64 id)
{
    JobRequest *request = job_request_new (JOB_VERB_CANCEL, NULL);

    request->every = id;
    rig_send (&rig, slot, request);
}

static void
test_others (void)
{
    open_rig ();
    ask (other, JOB_VERB_PRINT, "6 * 7");
    g_assert_true (is_busy ());
    g_assert_cmpstr (wait_for_value (other), ==, "42");
    g_assert_nonnull (strstr (wait_for_value (slot), "halfway"));
    g_assert_false (is_busy ());
    expect_plain_end ();
}

/* Requests made meanwhile for the rank are carried out in order. */
static void
test_cancel (void)
{
    guint64 id = open_rig ();

    ask (slot, JOB_VERB_PRINT, "6 * 7");
    cancel (id);
    g_assert_nonnull (strstr (wait_for_value (slot), "it was interrupted halfway"));
    g_assert_cmpstr (wait_for_value (slot), ==, "42");
    expect_plain_end ();
}

/* Calls inside an expression are made one after the other, each with a time limit of its
 * own. */
static void
test_several (void)
{
    guint64 id;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-steps", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    ask (slot, JOB_VERB_PRINT, "((int) usleep (2000)) + add (40, (int) usleep (2000) + 2)");
    g_assert_cmpstr (wait_for_value (slot), ==, "42");
    id = ask (slot, JOB_VERB_PRINT, "((int) usleep (2000)) + (int) pause ()");
    cancel (id); /* of the first, of the second, or before them */
    wait_for_end (id);
    expect_plain_end ();
}

static void
test_detach (void)
{
    int status = 0;

    open_rig ();
    rig_do (&rig, slot, JOB_VERB_DETACH);
    while (!engine_find_process (rig.engine, slot)->ended) {
        rig_pump (&rig, 10);
    }
    g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
    g_assert_true (WIFEXITED (status));
    g_assert_cmpint (WEXITSTATUS (status), ==, 0);
    rig_close (&rig);
}

static void
test_death (void)
{
    open_rig ();
    kill (pid, SIGKILL);
    rig_expect (&rig, slot, JOB_STATE_FAILED, NULL, 0);
    g_assert_false (is_busy ());
    ask (other, JOB_VERB_PRINT, "6 * 7");
    g_assert_cmpstr (wait_for_value (other), ==, "42");
    rig_close (&rig);
}

static void
test_abandon (void)
{
    open_rig ();
    rig_close (&rig);
}

/* The other rank continues and runs to its end. */
static void
test_hung (void)
{
    if (open_hung_rig () == 0) {
        return;
    }
    rig_do (&rig, other, JOB_VERB_CONTINUE);
    rig_expect (&rig, other, JOB_STATE_EXITED, NULL, 0);
    g_assert_true (is_asking ());
    kill (rig.symbols, SIGCONT);
    g_assert_cmpstr (wait_for_value (slot), ==, "42");
    g_assert_false (is_busy ());
    expect_plain_end ();
}

static void
test_hung_side_by_side (void)
{
    if (open_hung_rig () == 0) {
        return;
    }
    ask (other, JOB_VERB_PRINT, "sizeof (int) + 38");
    g_assert_nonnull (engine_find_process (rig.engine, other)->ongoing);
    g_assert_true (is_asking ());
    kill (rig.symbols, SIGCONT);
    g_assert_cmpstr (wait_for_value (other), ==, "42");
    rig.seen = 0; /* either may be first */
    g_assert_cmpstr (wait_for_value (slot), ==, "42");
    expect_plain_end ();
}

/* A cancel is answered at once; the next question, when pddt-symbols answers again. */
static void
test_hung_cancel (void)
{
    guint64 id = open_hung_rig ();
    const JobEvent *event;

    if (id == 0) {
        return;
    }
    cancel (id);
    do {
        event = rig_wait (&rig, slot, JOB_EVENT_FAILURE);
    } while (event->request != id);
    g_assert_nonnull (strstr (event->text, "interrupted"));
    kill (rig.symbols, SIGCONT);
    ask (slot, JOB_VERB_PRINT, "sizeof (int) + 38");
    g_assert_cmpstr (wait_for_value (slot), ==, "42");
    expect_plain_end ();
}

/* Nobody waits for a connection that pddt-symbols does not take. */
static void
test_hung_backlog (void)
{
    guint64 id = open_hung_rig ();

    if (id == 0) {
        return;
    }
    cancel (id);
    for (guint i = 0; i < N_QUESTIONS; i++) {
        g_autofree char *text = g_strdup_printf ("sizeof (int) + %u", i);

        id = ask (slot, JOB_VERB_PRINT, text);
        cancel (id);
        wait_for_end (id);
    }
    kill (rig.symbols, SIGCONT);
    do { /* until it has taken them all */
        id = ask (slot, JOB_VERB_PRINT, "sizeof (int) + 38");
        wait_for_end (id);
    } while (((const JobEvent *) g_ptr_array_index (rig.events, rig.events->len - 1))->kind
             == JOB_EVENT_FAILURE);
    expect_plain_end ();
}

static void
test_hung_death (void)
{
    if (open_hung_rig () == 0) {
        return;
    }
    kill (pid, SIGKILL);
    rig_expect (&rig, slot, JOB_STATE_FAILED, NULL, 0);
    g_assert_false (is_busy ());
    kill (rig.symbols, SIGCONT);
    ask (other, JOB_VERB_PRINT, "sizeof (int) + 38");
    g_assert_cmpstr (wait_for_value (other), ==, "42");
    rig_close (&rig);
}

static void
test_hung_abandon (void)
{
    if (open_hung_rig () != 0) {
        kill (rig.symbols, SIGCONT);
        rig_close (&rig);
    }
}

/* A sample of a thread finds, while pddt-symbols is asked for the names of one of the modules, that the process executes another
 * program, which has fewer. */
static void
test_hung_change (void)
{
    JobRequest *request = job_request_new (JOB_VERB_NAMES, NULL);
    g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (TargetMap));
    EngineProcess *process;
    guint64 id;

    open_plain_rig ();
    if (!rig_has_symbols (&rig)) {
        job_request_free (request);
        g_test_skip ("no pddt-symbols");
        rig_close (&rig);
        return;
    }
    kill (rig.symbols, SIGSTOP);
    request->text = g_strdup ("add");
    request->count = 10;
    request->delta = JOB_NAME_FUNCTION;
    id = rig_send (&rig, slot, request);
    g_assert_true (is_asking ());
    process = engine_find_process (rig.engine, slot);
    engine_process_set_modules (process, stack_modules_new (none, process->pid,
                                                            engine_process_get_memory (process),
                                                            process->symbols, NULL));
    kill (rig.symbols, SIGCONT);
    wait_for_end (id);
    ask (other, JOB_VERB_PRINT, "sizeof (int) + 38");
    g_assert_cmpstr (wait_for_value (other), ==, "42");
    rig_close (&rig);
}

/* ---- what a stop waits for ---- */

/* What is set is read at once: this is another condition, which is read when the breakpoint is hit. */
static void
set_unread_condition (const char *condition)
{
    EngineBreakpoint *breakpoint = g_ptr_array_index (rig.engine->breakpoints, 0);

    g_free (breakpoint->request->condition);
    breakpoint->request->condition = g_strdup (condition);
}

static void
await_asking (void)
{
    gint64 end_us = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;

    while (!is_asking () && g_get_monotonic_time () < end_us) {
        rig_pump (&rig, 10);
    }
    g_assert_true (is_asking ());
}

/* One of the ranks has come to a breakpoint whose condition pddt-symbols, which does not answer, is to read. FALSE:
 * there is no pddt-symbols. */
static gboolean
open_judging_rig (void)
{
    open_plain_rig ();
    if (!rig_has_symbols (&rig)) {
        g_test_skip ("no pddt-symbols");
        rig_close (&rig);
        return FALSE;
    }
    rig_break (&rig, slot, 1, "add", "a + (int) sizeof (int) > 4");
    rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    set_unread_condition ("a + (int) sizeof (int) > 3");
    kill (rig.symbols, SIGSTOP);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    await_asking ();
    return TRUE;
}

static void
test_judge (void)
{
    if (!open_judging_rig ()) {
        return;
    }
    rig_do (&rig, other, JOB_VERB_CONTINUE);
    rig_expect (&rig, other, JOB_STATE_EXITED, NULL, 0);
    g_assert_true (is_asking ());
    kill (rig.symbols, SIGCONT);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "add", 0);
    rig_delete (&rig, slot, 1);
    expect_plain_end ();
}

/* Whoever wants to see it does not wait for the answer: what cannot be told is a reason to stop. */
static void
test_judge_pause (void)
{
    if (!open_judging_rig ()) {
        return;
    }
    rig_do (&rig, slot, JOB_VERB_PAUSE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "add", 0);
    kill (rig.symbols, SIGCONT);
    rig_delete (&rig, slot, 1);
    expect_plain_end ();
}

static void
test_judge_death (void)
{
    if (!open_judging_rig ()) {
        return;
    }
    kill (pid, SIGKILL);
    rig_expect (&rig, slot, JOB_STATE_FAILED, NULL, 0);
    g_assert_false (is_busy ());
    kill (rig.symbols, SIGCONT);
    rig_close (&rig);
}

/* The breakpoint is taken away, and set anew, in the other rank meanwhile. */
static void
test_judge_change (void)
{
    JobRequest *request = job_request_new (JOB_VERB_CONDITION, NULL);

    if (!open_judging_rig ()) {
        job_request_free (request);
        return;
    }
    request->number = 1;
    request->condition = g_strdup ("1 == 2");
    rig_send (&rig, other, request);
    kill (rig.symbols, SIGCONT);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "add", 0);
    rig_delete (&rig, slot, 1);
    expect_plain_end ();
}

/* A busy rank comes late to its breakpoint's request, to which a newer one for the other rank has added a condition. */
static void
test_newer (void)
{
    guint64 call = open_rig ();
    guint64 older = rig_break (&rig, slot, 1, "add", NULL);

    rig_break (&rig, other, 1, "add", "1 == 2");
    rig_wait (&rig, other, JOB_EVENT_BREAKPOINT);
    cancel (call);
    wait_for_end (older);
    rig_do (&rig, other, JOB_VERB_CONTINUE);
    rig_expect (&rig, other, JOB_STATE_EXITED, NULL, 0);
    expect_plain_end ();
}

/* Files that could not be searched in time are searched again, so that no breakpoint is lost. */
static void
test_search (void)
{
    guint64 id;

    open_plain_rig ();
    if (!rig_has_symbols (&rig)) {
        g_test_skip ("no pddt-symbols");
        rig_close (&rig);
        return;
    }
    kill (rig.symbols, SIGSTOP);
    id = rig_break (&rig, slot, 1, "printf",
                    NULL); /* in a library that nobody has asked for yet */
    g_assert_true (is_asking ());
    rig_do (&rig, slot, JOB_VERB_PAUSE); /* who is in a hurry does not wait for it */
    wait_for_end (id);
    kill (rig.symbols, SIGCONT);
    g_assert_cmpint (engine_find_process (rig.engine, slot)->resolve_due_us, >, 0);
    while (g_get_monotonic_time () < engine_find_process (rig.engine, slot)->resolve_due_us) {
        rig_pump (&rig, 10);
    }
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "main", 0); /* by the line */
    rig_delete (&rig, slot, 1);
    expect_plain_end ();
}

/* ---- a thread that does not stop ---- */

/* Runs without pddt, and says that it is there. */
static pid_t
start_untraced (const char *argument)
{
    g_autofree char *path = rig_dup_inferior ("inferior-stuck");
    int said[2];
    char letter;
    pid_t child;

    g_assert_cmpint (pipe2 (said, O_CLOEXEC), ==, 0);
    child = fork ();
    g_assert_cmpint (child, >=, 0);
    if (child == 0) {
        sigset_t none;

        sigemptyset (&none);
        sigprocmask (SIG_SETMASK, &none, NULL);
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        dup2 (said[1], 1);
        execl (path, path, argument, NULL);
        _exit (126);
    }
    g_assert_cmpint (read (said[0], &letter, 1), ==, 1);
    close (said[0]);
    close (said[1]);
    return child;
}

/* All others have been attached to, and are looked at, before that is given up. */
static void
test_stuck (void)
{
    EngineRankInfo infos[2]
        = { { .pid = start_untraced ("stuck"), .size = 2, .input_fd = -1 },
            { .pid = start_untraced (NULL), .rank = 1, .size = 2, .input_fd = -1 } };

    slot = 0;
    rig_open (&rig, NULL);
    engine_attach (rig.engine, infos, 2);
    g_assert_cmpint (rig_wait_stop (&rig, 1)->state, ==, JOB_STATE_STOPPED);
    g_assert_true (is_busy ());
    ask (1, JOB_VERB_PRINT, "6 * 7");
    g_assert_cmpstr (wait_for_value (1), ==, "42");
    g_assert_true (is_busy ());
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
    g_assert_false (is_busy ());
    for (guint i = 0; i < 2; i++) {
        kill (infos[i].pid, SIGKILL);
        rig_expect (&rig, i, JOB_STATE_FAILED, NULL, 0);
    }
    rig_close (&rig);
}

/* ---- many ranks, one question ---- */

static guint
count_descriptors (void)
{
    g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
    guint n = 0;

    while (g_dir_read_name (folder) != NULL) {
        n++;
    }
    return n;
}

/* One of them asks; the others take its answer. */
static void
test_herd (void)
{
    EngineRankInfo infos[N_HERD];
    JobRequest *request = job_request_new (JOB_VERB_WHERE, NULL);
    guint n_open, n_answers = 0;

    rig_open (&rig, NULL);
    for (guint i = 0; i < N_HERD; i++) {
        infos[i] = (EngineRankInfo){
            .pid = start_untraced (NULL), .rank = i, .size = N_HERD, .input_fd = -1
        };
    }
    engine_attach (rig.engine, infos, N_HERD);
    for (guint i = 0; i < N_HERD; i++) {
        rig.seen = 0; /* in any order */
        g_assert_cmpint (rig_wait_stop (&rig, i)->state, ==, JOB_STATE_STOPPED);
    }
    kill (rig.symbols != 0 ? rig.symbols : getpid (), rig.symbols != 0 ? SIGSTOP : 0);
    n_open = count_descriptors ();
    request->flags = JOB_REQUEST_FULL; /* with variables, which nobody has asked for yet */
    request->id = ++rig.last_request;
    for (guint i = 0; i < N_HERD; i++) {
        job_rank_set_add (request->ranks, i);
    }
    engine_handle (rig.engine, request);
    /* two each: one that begins late may ask about another file */
    g_assert_cmpuint (count_descriptors (), <, n_open + N_HERD / 2);
    kill (rig.symbols != 0 ? rig.symbols : getpid (), rig.symbols != 0 ? SIGCONT : 0);
    while (n_answers < N_HERD) {
        rig_pump (&rig, 10);
        n_answers = 0;
        for (guint i = 0; i < rig.events->len; i++) {
            const JobEvent *event = g_ptr_array_index (rig.events, i);

            n_answers += event->kind == JOB_EVENT_STACKS ? job_rank_set_get_count (event->ranks)
                                                         : 0;
        }
    }
    job_request_free (request);
    for (guint i = 0; i < N_HERD; i++) {
        kill (infos[i].pid, SIGKILL);
    }
    rig_close (&rig);
    for (guint i = 0; i < N_HERD; i++) {
        waitpid (infos[i].pid, NULL, 0);
    }
}

/* ---- promises ---- */

/* What has been accepted holds, when the front end goes before it is carried out, too. */
static void
test_detach_abandon (void)
{
    g_autofree char *program = rig_dup_inferior ("inferior-stuck"), *path = NULL, *text = NULL;

    rig_open (&rig, "main");
    slot = rig_start (&rig, (char *[]){ program, NULL }, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    ask (slot, JOB_VERB_CALL, "(int) pause ()");
    while (!is_calling ()) {
        g_assert_true (is_busy ());
        rig_pump (&rig, 10);
    }
    rig_do (&rig, slot, JOB_VERB_DETACH);
    g_assert_true (is_busy ());
    engine_abandon (rig.engine);
    path = g_strdup_printf ("/proc/%d/status", (int) pid);
    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    g_assert_nonnull (strstr (text, "\nTracerPid:\t0\n"));
    g_assert_null (strstr (text, "\nState:\tZ"));
    kill (pid, SIGKILL);
    g_assert_cmpint (waitpid (pid, NULL, 0), ==, pid);
    rig_close (&rig);
}

static guint n_freed;

static void
note_freed (gpointer data)
{
    n_freed++;
}

/* What was removed is freed when those that may know it have ended, however many have begun since. */
static void
test_deferred (void)
{
    guint64 works[] = { 1, 2, 3 };

    rig_open (&rig, NULL);
    n_freed = 0;
    rig.engine->last_work = 2;
    g_array_append_vals (rig.engine->works, works, 2);
    engine_free_later (rig.engine, &rig, note_freed);
    rig.engine->last_work = 3;
    g_array_append_vals (rig.engine->works, works + 2, 1);
    engine_free_later (rig.engine, &rig, note_freed);
    engine_flush (rig.engine);
    g_assert_cmpuint (n_freed, ==, 0);
    g_array_remove_index (rig.engine->works, 0);
    engine_flush (rig.engine);
    g_assert_cmpuint (n_freed, ==, 0);
    g_array_remove_index (rig.engine->works, 0);
    engine_flush (rig.engine);
    g_assert_cmpuint (n_freed, ==, 1);
    g_array_remove_index (rig.engine->works, 0);
    engine_flush (rig.engine);
    g_assert_cmpuint (n_freed, ==, 2);
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/work/deferred", test_deferred);
    g_test_add_func ("/engine/work/others", test_others);
    g_test_add_func ("/engine/work/cancel", test_cancel);
    g_test_add_func ("/engine/work/several", test_several);
    g_test_add_func ("/engine/work/detach", test_detach);
    g_test_add_func ("/engine/work/death", test_death);
    g_test_add_func ("/engine/work/abandon", test_abandon);
    g_test_add_func ("/engine/work/hung", test_hung);
    g_test_add_func ("/engine/work/hung-side-by-side", test_hung_side_by_side);
    g_test_add_func ("/engine/work/hung-cancel", test_hung_cancel);
    g_test_add_func ("/engine/work/hung-backlog", test_hung_backlog);
    g_test_add_func ("/engine/work/hung-death", test_hung_death);
    g_test_add_func ("/engine/work/hung-abandon", test_hung_abandon);
    g_test_add_func ("/engine/work/hung-change", test_hung_change);
    g_test_add_func ("/engine/work/judge", test_judge);
    g_test_add_func ("/engine/work/judge-pause", test_judge_pause);
    g_test_add_func ("/engine/work/judge-death", test_judge_death);
    g_test_add_func ("/engine/work/judge-change", test_judge_change);
    g_test_add_func ("/engine/work/newer", test_newer);
    g_test_add_func ("/engine/work/search", test_search);
    g_test_add_func ("/engine/work/stuck", test_stuck);
    g_test_add_func ("/engine/work/herd", test_herd);
    g_test_add_func ("/engine/work/detach-abandon", test_detach_abandon);
    return g_test_run ();
}
