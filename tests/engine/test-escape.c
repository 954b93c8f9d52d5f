/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps whose calls do not return (longjmp, exceptions, a thread that ends), and what functions
 * return, with gdb as the oracle. */
#include "engine/inspect/inspect.h"
#include "rig.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

static Rig rig;
static guint32 slot;

static void
start (const char *name, const char *mark, const char *file, const char *condition)
{
    g_autofree char *where = g_strdup_printf ("%s:%u", file, rig_find_mark (file, mark));

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, name, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, where, condition);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, NULL, rig_find_mark (file, mark));
}

static void
go (JobVerb verb, const char *function, const char *mark)
{
    rig_do (&rig, slot, verb);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, function, rig_find_mark ("exceptions.cc", mark));
}

/* A step has come into the rest of the line of setjmp, or, where the compiler (GCC 14) leaves no statement there, to the
 * next one, where it has landed. */
static void
expect_landing (const char *function, const char *source, const char *mark)
{
    const JobEvent *event = rig_wait_stop (&rig, slot);

    g_assert_nonnull (event->place);
    g_assert_cmpstr (event->place->function, ==, function);
    if (event->place->line != rig_find_mark (source, "landed")) {
        g_assert_cmpuint (event->place->line, ==, rig_find_mark (source, mark));
        rig_do (&rig, slot, JOB_VERB_NEXT);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, function, rig_find_mark (source, "landed"));
    }
}

static void
test_longjmp (void)
{
    start ("inferior-exceptions", "call-jumper", "exceptions.cc", NULL);
    rig_do (&rig, slot, JOB_VERB_NEXT);
    expect_landing ("jump_over", "exceptions.cc", "setjmp");
    rig_close (&rig);
}

/* A C library that keeps addresses as they are. */
static void
test_plain_longjmp (void)
{
    start ("inferior-plain-jump", "jump", "plain-jump.c", NULL);
    rig_do (&rig, slot, JOB_VERB_NEXT);
    expect_landing ("main", "plain-jump.c", "keep");
    rig_close (&rig);
}

static void
test_exception (void)
{
    start ("inferior-exceptions", "call-through", "exceptions.cc", "what == 1");
    go (JOB_VERB_NEXT, "catcher", "handler");
    rig_close (&rig);
    /* The exception is caught inside the function, so it does not matter. */
    start ("inferior-exceptions", "call-catcher", "exceptions.cc", NULL);
    rig_do (&rig, slot, JOB_VERB_NEXT);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main",
                rig_find_mark ("exceptions.cc", "call-catcher") + 1);
    rig_close (&rig);
}

static void
test_finish_by_exception (void)
{
    start ("inferior-exceptions", "thrower", "exceptions.cc", "what == 2");
    rig_do (&rig, slot, JOB_VERB_FINISH);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "catcher", 0);
    rig_close (&rig);
}

/* The stepped thread ends: its rank stops and says so instead of stepping for ever. */
static void
test_thread_ends (void)
{
    start ("inferior-watched", "set-global-end", "watched.c", "global == 77");
    for (guint i = 0; i < 2; i++) {
        rig_do (&rig, slot, JOB_VERB_FINISH);
        g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
    }
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

/* The first thread ends during a step; a thousand others are stopped and inspected without
 * it. */
static void
test_leader_ends (void)
{
    g_autofree char *where = g_strdup_printf ("leaderless.c:%u",
                                              rig_find_mark ("leaderless.c", "meet"));
    g_autofree char *path = rig_dup_inferior ("inferior-leaderless");
    char *argv[] = { path, "1000", NULL };
    JobRequest *request;
    const JobEvent *event;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, where, NULL);
    rig_do (&rig, slot, JOB_VERB_FINISH);
    event = rig_wait_stop (&rig, slot);
    if (event->state == JOB_STATE_STOPPED) { /* else the others met before it had gone */
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        event = rig_wait_stop (&rig, slot);
    }
    g_assert_cmpint (event->state, ==, JOB_STATE_BREAKPOINT);
    g_assert_cmpstr (event->place->function, ==, "meet");
    request = job_request_new (JOB_VERB_WHERE, NULL);
    request->flags = JOB_REQUEST_THREADS;
    rig_send (&rig, slot, request);
    g_assert_nonnull (rig_wait (&rig, slot, JOB_EVENT_STACKS)->tree);
    rig_delete (&rig, slot, 1);
    rig_do (&rig, slot, JOB_VERB_NEXT);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "meet", rig_find_mark ("leaderless.c", "met"));
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

/* ---- values ---- */

static const char *const functions[] = {
    "get_small", "get_pair", "get_large", "get_complex", "get_c99", "get_long", "get_text",
};

static void
leave_terminal (gpointer user)
{
    sigset_t none;

    sigemptyset (&none); /* the rig blocks SIGCHLD, which gdb waits for */
    sigprocmask (SIG_SETMASK, &none, NULL);
    setsid ();
    alarm (60);
}

/* What gdb says that each of them returns. */
static char **
ask_gdb (const char *program)
{
    g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
    g_autofree char *out = NULL;
    g_auto (GStrv) lines = NULL;
    g_autoptr (GPtrArray) values = g_ptr_array_new ();

    g_ptr_array_add (argv, g_strdup ("gdb"));
    g_ptr_array_add (argv, g_strdup ("-nx"));
    g_ptr_array_add (argv, g_strdup ("-batch"));
    for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
        g_ptr_array_add (argv, g_strdup ("-ex"));
        g_ptr_array_add (argv, g_strdup_printf ("break %s", functions[i]));
    }
    for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
        g_ptr_array_add (argv, g_strdup ("-ex"));
        g_ptr_array_add (argv, g_strdup (i == 0 ? "run" : "continue"));
        g_ptr_array_add (argv, g_strdup ("-ex"));
        g_ptr_array_add (argv, g_strdup ("finish"));
    }
    g_ptr_array_add (argv, g_strdup (program));
    g_ptr_array_add (argv, NULL);
    g_setenv ("DEBUGINFOD_URLS", "", TRUE);
    g_spawn_sync (NULL, (char **) argv->pdata, NULL,
                  G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, leave_terminal, NULL, &out,
                  NULL, NULL, NULL);
    lines = g_strsplit (out != NULL ? out : "", "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        const char *value = g_str_has_prefix (lines[i], "Value returned is")
                                ? strstr (lines[i], " = ")
                                : NULL;

        if (value != NULL) {
            g_ptr_array_add (values, g_strdup (value + 3));
        }
    }
    g_ptr_array_add (values, NULL);
    return (char **) g_ptr_array_free (g_steal_pointer (&values), FALSE);
}

static void
test_values (void)
{
    g_autofree char *program = rig_dup_inferior ("inferior-exceptions");
    g_auto (GStrv) values = ask_gdb (program);

    g_assert_cmpuint (g_strv_length (values), ==, G_N_ELEMENTS (functions));
    start ("inferior-exceptions", "values", "exceptions.cc", NULL);
    for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
        const JobEvent *event;
        const JobValueRow *row;

        rig_break (&rig, slot, 10 + i, functions[i], NULL);
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, NULL, 0);
        rig_do (&rig, slot, JOB_VERB_FINISH);
        event = rig_wait (&rig, slot, JOB_EVENT_RETURNED);
        row = g_ptr_array_index (event->table->rows, 0);
        g_assert_cmpstr (((const JobValueGroup *) g_ptr_array_index (row->groups, 0))
                             ->value->text,
                         ==, values[i]);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    }
    rig_close (&rig);
}

static void
expect_in_contexts (JobVerb verb, const char *function, const char *mark)
{
    rig_do (&rig, slot, verb);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, function, rig_find_mark ("contexts.c", mark));
}

/* The functions of the stack that the rank stands in, with lines: "work run". */
static char *
dup_callers (void)
{
    EngineProcess *process = engine_find_process (rig.engine, slot);
    Stack *stack = engine_inspect_read_stack (engine_process_get_stopped (process), 0);
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);

        g_assert_nonnull (frame->location.function);
        if (frame->location.line != 0) {
            g_string_append_printf (text, "%s%s%s", text->len > 0 ? " " : "",
                                    frame->location.function,
                                    frame->flags & JOB_FRAME_INCOMPLETE ? " [incomplete]" : "");
        }
    }
    stack_free (stack);
    return g_string_free (text, FALSE);
}

/* In the C library, where the outermost function of such a stack returns to. Nothing has called that. */
static gboolean
is_at_context_start (void)
{
    const JobEvent *event = rig_wait_stop (&rig, slot);
    g_autofree char *callers = NULL;
    gboolean is_there = g_strcmp0 (event->place->function, "__start_context") == 0;

    if (is_there) {
        callers = dup_callers ();
    }
    rig.seen -= !is_there; /* for who looks at where it is instead */
    return is_there;
}

/* A program that switches between stacks of its own: what the others do meanwhile, in the same functions and by longjmp, is
 * not what is stepped. */
static void
test_contexts (void)
{
    g_autofree char *callers = NULL;
    const JobValueRow *row;

    start ("inferior-contexts", "yield", "contexts.c", NULL);
    callers = dup_callers ();
    g_assert_null (strstr (callers, "[incomplete]"));
    g_assert_true (g_str_has_prefix (callers, "work run"));
    g_assert_null (strstr (callers, "main"));
    expect_in_contexts (JOB_VERB_NEXT, "work", "yielded"); /* the other one has been here */
    rig_close (&rig);

    start ("inferior-contexts", "swap", "contexts.c", NULL);
    expect_in_contexts (JOB_VERB_NEXT, "yield", "swapped");
    expect_in_contexts (JOB_VERB_STEP, "work", "yielded");
    rig_close (&rig);

    start ("inferior-contexts", "work", "contexts.c", "own == 0");
    rig_do (&rig, slot, JOB_VERB_FINISH);
    row = g_ptr_array_index (rig_wait (&rig, slot, JOB_EVENT_RETURNED)->table->rows, 0);
    g_assert_cmpstr (((const JobValueGroup *) g_ptr_array_index (row->groups, 0))->value->text,
                     ==, "40");
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "run", rig_find_mark ("contexts.c", "call"));
    expect_in_contexts (JOB_VERB_NEXT, "run", "called");
    rig_close (&rig);

    start ("inferior-contexts", "switch", "contexts.c",
           NULL); /* for good, where the other one waits */
    expect_in_contexts (JOB_VERB_NEXT, "yield", "swapped");
    rig_close (&rig);

    start ("inferior-contexts", "end", "contexts.c",
           "own == 0"); /* out of the outermost function */
    expect_in_contexts (JOB_VERB_NEXT, "main", "over");
    rig_close (&rig);

    start ("inferior-contexts", "end", "contexts.c", "own == 0");
    expect_in_contexts (JOB_VERB_STEP, "main", "over");
    rig_close (&rig);

    start ("inferior-contexts", "end", "contexts.c", "own == 0");
    rig_do (&rig, slot, JOB_VERB_FINISH);
    for (guint i = 0; i < 20 && is_at_context_start (); i++) { /* which may have lines */
        rig_do (&rig, slot, JOB_VERB_NEXT);
    }
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", rig_find_mark ("contexts.c", "over"));
    rig_close (&rig);

    start ("inferior-contexts", "start", "contexts.c", NULL);
    expect_in_contexts (JOB_VERB_NEXT, "main", "over");
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/escape/longjmp", test_longjmp);
    g_test_add_func ("/engine/escape/plain-longjmp", test_plain_longjmp);
    g_test_add_func ("/engine/escape/exception", test_exception);
    g_test_add_func ("/engine/escape/finish", test_finish_by_exception);
    g_test_add_func ("/engine/escape/thread-ends", test_thread_ends);
    g_test_add_func ("/engine/escape/leader-ends", test_leader_ends);
    g_test_add_func ("/engine/escape/values", test_values);
    g_test_add_func ("/engine/escape/contexts", test_contexts);
    return g_test_run ();
}
