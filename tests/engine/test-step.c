/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step, next, finish, until, single instructions and jump in native code. */
#include "rig.h"
#include <string.h>

static Rig rig;
static guint32 slot;

static guint32
line_of (const char *mark)
{
    return rig_find_mark ("steps.c", mark);
}

/* Stopped at the mark. */
static void
open_at (const char *mark)
{
    g_autofree char *where = g_strdup_printf ("steps.c:%u", line_of (mark));

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-steps", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    JobRequest *request = job_request_new (JOB_VERB_BREAK, NULL);
    request->number = 1;
    request->flags = JOB_REQUEST_TEMPORARY;
    g_assert_true (job_where_parse (where, &request->where, NULL));
    rig_send (&rig, slot, request);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, NULL, line_of (mark));
}

/* The line. */
static guint32
move (JobVerb verb, const char *function, const char *mark)
{
    guint64 id = rig_do (&rig, slot, verb);
    const JobEvent *event = rig_wait (&rig, slot, JOB_EVENT_STATE);

    g_assert_cmpint (event->state, ==, JOB_STATE_STEPPING);
    g_assert_true (event->final);
    g_assert_cmpuint (event->request, ==, id);
    event = rig_wait_stop (&rig, slot);
    g_assert_cmpuint (event->request, ==, id);
    g_assert_cmpint (event->state, ==, JOB_STATE_STOPPED);
    g_assert_nonnull (event->place);
    g_assert_cmpstr (event->place->function, ==, function);
    if (mark != NULL) {
        g_assert_cmpuint (event->place->line, ==, line_of (mark));
    }
    return event->place->line;
}

static void
test_next (void)
{
    open_at ("call-add");
    move (JOB_VERB_NEXT, "main", "call-nested");
    move (JOB_VERB_NEXT, "main", "call-half");
    move (JOB_VERB_NEXT, "main", "call-factorial");
    move (JOB_VERB_NEXT, "main", "call-qsort");
    move (JOB_VERB_NEXT, "main", "before-loop");
    rig_close (&rig);
}

static void
test_step (void)
{
    open_at ("call-nested");
    move (JOB_VERB_STEP, "add", "add-first");
    move (JOB_VERB_STEP, "add", "add-last");
    move (JOB_VERB_STEP, "add", "add-end");
    move (JOB_VERB_STEP, "add", "add-first"); /* the second call of the same line */
    move (JOB_VERB_NEXT, "add", "add-last");
    move (JOB_VERB_NEXT, "add", "add-end");
    move (JOB_VERB_NEXT, "main", "call-half");
    rig_close (&rig);
}

/* qsort has no line information: steps run over it, and over the callbacks with it. */
static void
test_step_over_library (void)
{
    open_at ("call-qsort");
    move (JOB_VERB_STEP, "main", "before-loop");
    rig_close (&rig);
}

static void
test_recursion (void)
{
    open_at ("factorial-call");
    move (JOB_VERB_NEXT, "factorial", "factorial-end");
    /* Out of the outermost of five, as gdb has it: into the rest of the line that has called, or, where the compiler (GCC
     * 14) leaves no statement there, to the next one. */
    guint32 line = move (JOB_VERB_NEXT, "main", NULL);
    if (line != line_of ("call-qsort")) {
        g_assert_cmpuint (line, ==, line_of ("call-factorial"));
        move (JOB_VERB_NEXT, "main", "call-qsort");
    }
    rig_close (&rig);
}

static void
test_finish (void)
{
    const JobEvent *event;

    open_at ("half");
    rig_do (&rig, slot, JOB_VERB_FINISH);
    event = rig_wait (&rig, slot, JOB_EVENT_RETURNED);
    g_assert_cmpstr (event->place->function, ==, "half");
    JobValueRow *row = g_ptr_array_index (event->table->rows, 0);
    JobValueGroup *group = g_ptr_array_index (row->groups, 0);
    g_assert_cmpstr (group->value->text, ==, "3.5");
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", line_of ("call-half"));
    move (JOB_VERB_NEXT, "main", "call-factorial");
    rig_close (&rig);
}

static void
test_breakpoint_wins (void)
{
    open_at ("call-qsort");
    rig_break (&rig, slot, 2, "compare", NULL);
    rig_do (&rig, slot, JOB_VERB_NEXT);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "compare", line_of ("compare"));
    rig_do (&rig, slot, JOB_VERB_FINISH); /* of a frame that the library called */
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
    rig_close (&rig);
}

static void
test_counts (void)
{
    JobRequest *request = job_request_new (JOB_VERB_NEXT, NULL);

    open_at ("call-add");
    request->number = 3;
    rig_send (&rig, slot, request);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", line_of ("call-factorial"));
    rig_close (&rig);
}

static void
test_until_and_jump (void)
{
    JobRequest *request = job_request_new (JOB_VERB_UNTIL, NULL);
    g_autofree char *print = g_strdup_printf ("steps.c:%u", line_of ("print"));
    g_autofree char *before = g_strdup_printf ("steps.c:%u", line_of ("before-loop"));
    g_autofree char *nowhere = g_strdup ("nowhere.c:3");

    open_at ("call-factorial");
    g_assert_true (job_where_parse (print, &request->where, NULL));
    rig_send (&rig, slot, request);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", line_of ("print"));
    rig_break (&rig, slot, 2, "count", NULL);
    request = job_request_new (JOB_VERB_JUMP, NULL);
    g_assert_true (job_where_parse (before, &request->where, NULL));
    rig_send (&rig, slot, request);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "count", 0);
    request = job_request_new (JOB_VERB_UNTIL, NULL);
    g_assert_true (job_where_parse (nowhere, &request->where, NULL));
    rig_send (&rig, slot, request);
    rig_wait (&rig, slot, JOB_EVENT_FAILURE);
    rig_close (&rig);
}

static void
test_instructions (void)
{
    open_at ("add-first");
    move (JOB_VERB_STEPI, "add", "add-first");
    for (guint i = 0; i < 40; i++) {
        rig_do (&rig, slot, i % 2 ? JOB_VERB_NEXTI : JOB_VERB_STEPI);
        g_assert_cmpint (rig_wait_stop (&rig, slot)->state, >=, JOB_STATE_STOPPED);
    }
    rig_close (&rig);
}

/* Through the whole program, line by line: it ends as it would without pddt. */
static void
test_to_the_end (void)
{
    const JobEvent *event;
    guint steps = 0;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-steps", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    do {
        rig_do (&rig, slot, JOB_VERB_STEP);
        event = rig_wait_stop (&rig, slot);
        g_assert_cmpuint (++steps, <, 2000);
    } while (event->state == JOB_STATE_STOPPED);
    g_assert_cmpint (event->state, ==, JOB_STATE_EXITED);
    g_assert_cmpuint (steps, >, 400);
    rig_close (&rig);
}

/* A timer's signals arrive all the time, but steps never stop in the handler. */
static void
test_signals_meanwhile (void)
{
    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-signals", "usr1");
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_handle (&rig, slot, "SIGUSR1", "nostop noprint pass");
    g_autofree char *where = g_strdup_printf ("signals.c:%u",
                                              rig_find_mark ("signals.c", "raise"));
    rig_break (&rig, slot, 1, where, NULL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "main", 0);
    rig_do (&rig, slot, JOB_VERB_NEXT);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main",
                rig_find_mark ("signals.c", "after-raise"));
    rig_close (&rig);
}

/* Into a function of another module, through PLT entries of all kinds. */
static void
check_plt (const char *name)
{
    guint32 first = rig_find_mark ("plt.c", "first");

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, name, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_NEXT);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", first);
    for (guint i = 1; i <= 2; i++) {
        rig_do (&rig, slot, JOB_VERB_STEP);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, "library_work",
                    rig_find_mark ("library.c", "library"));
        rig_do (&rig, slot, JOB_VERB_FINISH);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", first + i - 1);
        rig_do (&rig, slot, JOB_VERB_NEXT);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", first + i);
    }
    rig_close (&rig);
}

static void
test_plt (void)
{
    check_plt ("inferior-plt-lazy");
    check_plt ("inferior-plt-now");
}

/* A step over a call into MPI that need not wait. */
static void
test_blocked (void)
{
    const JobEvent *event;
    guint64 id;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-waits", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    id = rig_do (&rig, slot, JOB_VERB_NEXT);
    do {
        event = rig_wait (&rig, slot, JOB_EVENT_STATE);
    } while (event->state == JOB_STATE_STEPPING);
    g_assert_cmpint (event->state, ==, JOB_STATE_BLOCKED);
    g_assert_cmpuint (event->request, ==, id);
    g_assert_cmpstr (event->place->function, ==, "MPI_Recv");
    rig_do (&rig, slot, JOB_VERB_PAUSE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
    rig_close (&rig);
}

/* One thread steps while others run through a breakpoint whose condition is false. */
static void
test_among_threads (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-threads");
    char *argv[] = { path, "4", "100000", NULL };

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, "run", NULL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "run", 0);
    rig_delete (&rig, slot, 1);
    for (guint i = 0; i < 20; i++) {
        rig_do (&rig, slot, JOB_VERB_STEP);
        g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
    }
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/step/next", test_next);
    g_test_add_func ("/engine/step/step", test_step);
    g_test_add_func ("/engine/step/over-library", test_step_over_library);
    g_test_add_func ("/engine/step/recursion", test_recursion);
    g_test_add_func ("/engine/step/finish", test_finish);
    g_test_add_func ("/engine/step/breakpoint-wins", test_breakpoint_wins);
    g_test_add_func ("/engine/step/counts", test_counts);
    g_test_add_func ("/engine/step/until-and-jump", test_until_and_jump);
    g_test_add_func ("/engine/step/instructions", test_instructions);
    g_test_add_func ("/engine/step/to-the-end", test_to_the_end);
    g_test_add_func ("/engine/step/signals-meanwhile", test_signals_meanwhile);
    g_test_add_func ("/engine/step/plt", test_plt);
    g_test_add_func ("/engine/step/among-threads", test_among_threads);
    g_test_add_func ("/engine/step/blocked", test_blocked);
    return g_test_run ();
}
