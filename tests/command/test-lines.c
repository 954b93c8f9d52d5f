/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exact lines that scripts match, command by command. */
#include "rig.h"
#include "session/sources.h"
#include "command/private.h"
#include <math.h>
#include <string.h>

static JobEvent *
make_breakpoint (const char *ranks, gint32 number, const char *place, const char *remark)
{
    JobEvent *event = rig_event (JOB_EVENT_BREAKPOINT, ranks);

    event->number = number;
    event->text = g_strdup (remark);
    if (place != NULL) {
        event->places = g_ptr_array_new ();
        g_ptr_array_add (event->places, rig_place (place));
    }
    return event;
}

static void
test_break (void)
{
    g_autoptr (Rig) rig = rig_new (8, FALSE);

    rig_answer (rig, make_breakpoint ("0-3", 1, "work at /a/app.py:12", NULL),
                make_breakpoint ("4-7", 1, "work at /a/app.py:12", NULL), NULL);
    rig_assert (rig, "break app.py:12", "0-7: breakpoint 1 set, work at app.py:12\n");
    rig_answer (rig, make_breakpoint ("0-7", 2, NULL, NULL), NULL);
    rig_assert (rig, "stop at x.c:3", "0-7: breakpoint 2 pending, no file \"x.c\" yet\n");
    rig_answer (rig, make_breakpoint ("0-7", 3, NULL, NULL), NULL);
    rig_assert (rig, "b foo if x > 3", "0-7: breakpoint 3 pending, no function \"foo\" yet\n");
    rig_answer (rig, make_breakpoint ("0-7", 4, "work at /a/app.py:13", "moved from line 12"),
                NULL);
    rig_assert (rig, "tbreak app.py:12 every 5",
                "0-7: breakpoint 4 set, work at app.py:13 (moved from line 12)\n");
    rig_assert (rig, "show breakpoints",
                "0-7: breakpoint 1 set, work at app.py:12\n"
                "0-7: breakpoint 2 pending, no file \"x.c\" yet\n"
                "0-7: breakpoint 3 pending, no function \"foo\" yet, if x > 3\n"
                "0-7: breakpoint 4 set, work at app.py:13, every 5, once\n");
    rig_assert (rig, "disable 1", "");
    rig_assert (rig, "delete 2 3", "");
    rig_assert (rig, "status",
                "0-7: breakpoint 1 set, work at app.py:12, disabled\n"
                "0-7: breakpoint 4 set, work at app.py:13, every 5, once\n");
    rig_assert (rig, "delete 9", "error: no breakpoint 9\n");
    rig_assert (rig, "delete", "");
    rig_assert (rig, "status", "");
}

static void
test_break_options (void)
{
    g_autoptr (Rig) rig = rig_new (2, FALSE);
    const JobRequest *request;

    rig_assert (rig,
                "break app.c:3 if every[2] > 0 && s == \" log \" every 5 thread 2 "
                "log \"x is {x}, if 1\"",
                "");
    request = g_ptr_array_index (rig->requests, 0);
    g_assert_cmpstr (request->condition, ==, "every[2] > 0 && s == \" log \"");
    g_assert_cmpuint (request->every, ==, 5);
    g_assert_cmpuint (request->thread, ==, 2);
    g_assert_cmpstr (request->log, ==, "x is {x}, if 1");
    rig_assert (rig, "break app.c:3 nonsense",
                "error: break WHERE [if EXPR] [every N] [thread T] "
                "[log \"TEXT\"]: cannot read \"nonsense\"\n");
    rig_assert (rig, "break 12",
                "error: no rank of the set is in a known file: use FILE:LINE\n");
    rig_state (rig, "0", JOB_STATE_STOPPED, 0, NULL, "f at /a/x.c:1");
    rig_state (rig, "1", JOB_STATE_STOPPED, 0, NULL, "f at /a/y.c:1");
    rig_assert (rig, "break 12",
                "error: the frames of the set are in different files: use FILE:LINE\n");
    rig_assert (rig, "on 1 break 12", "");
    request = g_ptr_array_index (rig->requests, rig->requests->len - 1);
    g_assert_cmpstr (request->where.file, ==, "/a/y.c");
}

/* What is done to some ranks of a breakpoint is shown of those alone, and kept so. */
static void
test_break_on_some (void)
{
    static const struct {
        const char *line, *shown;
    } rows[] = {
        { "on 0-3 disable 1", ", disabled on 0-3" },
        { "on 1,6 disable 1", ", disabled on 0-3,6" },
        { "on 0-1 enable 1", ", disabled on 2-3,6" },
        { "on 2 delete 1", ", disabled on 3,6" },
        { "disable 1", ", disabled" },
        { "on 7 enable", ", disabled on 0-1,3-6" },
        { "enable 1", "" },
    };
    g_autoptr (Rig) rig = rig_new (8, FALSE);
    g_autoptr (GPtrArray) requests = NULL;

    rig_answer (rig, make_breakpoint ("0-7", 1, "work at /a/app.py:12", NULL), NULL);
    g_free (rig_run (rig, "break app.py:12 every 2 thread 3"));
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autofree char *expected
            = g_strdup_printf ("%s: breakpoint 1 set, work at app.py:12, every 2, thread 3%s\n",
                               i < 3 ? "0-7" : "0-1,3-7", rows[i].shown);

        rig_assert (rig, rows[i].line, "");
        rig_assert (rig, "show breakpoints", expected);
    }
    rig_assert (rig, "on 0-3 disable 1", "");
    requests = session_dup_restart_requests (rig->session);
    g_assert_cmpuint (requests->len, ==, 2);
    for (guint i = 0; i < 2; i++) {
        const JobRequest *request = g_ptr_array_index (requests, i);
        g_autofree char *ranks = job_rank_set_format (request->ranks);

        g_assert_cmpint (request->verb, ==, i == 0 ? JOB_VERB_BREAK : JOB_VERB_DISABLE);
        g_assert_cmpstr (ranks, ==, i == 0 ? "0-1,3-7" : "0-1,3");
        g_assert_cmpuint (request->thread, ==, i == 0 ? 3 : 0);
    }
}

static void
add_stack (JobEvent *event, const char *ranks, const char *const *places)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 1000, NULL);
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);

    for (; *places != NULL; places++) {
        JobFrame *frame = job_frame_new ();
        g_autoptr (JobLocation) place = rig_place (*places);

        frame->location.function = g_strdup (place->function);
        frame->location.file = g_strdup (place->file);
        frame->location.line = place->line;
        if (g_str_has_suffix (place->file, ".py")) {
            frame->location.language = JOB_LANGUAGE_PYTHON;
        }
        g_ptr_array_add (frames, frame);
    }
    if (event->tree == NULL) {
        event->tree = job_stack_tree_new ();
    }
    job_stack_tree_add (event->tree, frames, set);
}

static void
test_where (void)
{
    static const char *const left[] = { "f at /a/k.c:5", "work at /a/app.py:9",
                                        "<module> at /a/app.py:20", NULL };
    static const char *const right[] = { "g at /a/k.c:8", "work at /a/app.py:9",
                                         "<module> at /a/app.py:20", NULL };
    g_autoptr (Rig) rig = rig_new (4, FALSE);
    JobEvent *event = rig_event (JOB_EVENT_STACKS, "0-3");

    add_stack (event, "0-1,3", left);
    add_stack (event, "2", right);
    rig_answer (rig, event, NULL);
    rig_assert (rig, "where",
                "0-3 4 <module> at app.py:20 [py]\n"
                "  0-3 4 work at app.py:9 [py]\n"
                "    0-1,3 3 f at k.c:5\n"
                "    2 1 g at k.c:8\n");
    event = rig_event (JOB_EVENT_STACKS, "2");
    add_stack (event, "2", right);
    rig_answer (rig, event, NULL);
    rig_assert (rig, "on 2 bt 3",
                "#2 2 1 <module> at app.py:20 [py]\n"
                "#1   2 1 work at app.py:9 [py]\n"
                "#0     2 1 g at k.c:8\n");
}

/* Between the first and the last repetition frames are counted; their numbers and those inside stay. */
static void
test_fold (void)
{
    const char *one[503], *two[44];
    g_autoptr (Rig) rig = rig_new (4, FALSE);
    JobEvent *event = rig_event (JOB_EVENT_STACKS, "2");

    one[0] = "f at /a/app.py:7";
    for (guint i = 1; i < 501; i++) {
        one[i] = "f at /a/app.py:9";
    }
    one[501] = "<module> at /a/app.py:20";
    one[502] = NULL;
    add_stack (event, "2", one);
    rig_answer (rig, event, NULL);
    rig_assert (rig, "on 2 where",
                "#501 2 1 <module> at app.py:20 [py]\n"
                "#500   2 1 f at app.py:9 [py]\n"
                "    ... 498 more frames: f at app.py:9\n"
                "#1       2 1 f at app.py:9 [py]\n"
                "#0         2 1 f at app.py:7 [py]\n");
    for (guint i = 0; i < 42; i++) {
        two[i] = i % 2 == 0 ? "odd at /a/k.c:5" : "even at /a/k.c:8";
    }
    two[42] = "main at /a/k.c:20";
    two[43] = NULL;
    event = rig_event (JOB_EVENT_STACKS, "0-3");
    add_stack (event, "0-1,3", two);
    add_stack (event, "2", one);
    rig_answer (rig, event, NULL);
    rig_assert (rig, "where",
                "0-1,3 3 main at k.c:20\n"
                "  0-1,3 3 even at k.c:8\n"
                "    0-1,3 3 odd at k.c:5\n"
                "      ... 38 more frames: even at k.c:8, odd at k.c:5\n"
                "        0-1,3 3 even at k.c:8\n"
                "          0-1,3 3 odd at k.c:5\n"
                "2 1 <module> at app.py:20 [py]\n"
                "  2 1 f at app.py:9 [py]\n"
                "    ... 498 more frames: f at app.py:9\n"
                "      2 1 f at app.py:9 [py]\n"
                "        2 1 f at app.py:7 [py]\n");
}

static gboolean
stop_later (gpointer data)
{
    Rig *rig = data;

    rig_state (rig, "0-3,5", JOB_STATE_BREAKPOINT, 1, NULL, "work at /a/app.py:12");
    rig_state (rig, "4", JOB_STATE_EXCEPTION, 0, "ValueError", "work at /a/app.py:9");
    rig_state (rig, "6", JOB_STATE_BREAKPOINT, 1, NULL, "work at /a/app.py:12");
    rig_state (rig, "7", JOB_STATE_FAILED, 3, NULL, NULL);
    return G_SOURCE_REMOVE;
}

static void
test_wait (void)
{
    g_autoptr (Rig) rig = rig_new (8, FALSE);

    rig_assert (rig, "c", "");
    rig_assert (rig, "expect running", "");
    g_timeout_add (30, stop_later, rig);
    rig_assert (rig, "wait",
                "0-3,5-6: breakpoint 1, work at app.py:12\n"
                "4: exception ValueError, work at app.py:9\n7: failed 3\n");
    rig_assert (rig, "on 0-3 expect breakpoint 1 at app.py:12", "");
    rig_assert (rig, "on 7 expect failed 3", "");
    rig_assert (rig, "on 0-4 expect breakpoint",
                "4: exception ValueError, work at app.py:9\n"
                "error: expected breakpoint (4)\n");
    rig_assert (rig, "expect nonsense",
                "error: no state \"nonsense\": expect STATE [N|NAME] "
                "[at WHERE]\n");
    g_assert_cmpuint (rig->n_failed, ==, 2);
}

static void
test_wait_time (void)
{
    g_autoptr (Rig) rig = rig_new (2, FALSE);

    rig_assert (rig, "on 1 continue", "");
    rig_assert (rig, "wait 1", "1: running\nerror: not finished after 1 s (1)\n");
    rig_assert (rig, "on 0 wait", "");
}

static void
test_stuck (void)
{
    g_autoptr (Rig) rig = rig_new (2, FALSE);
    g_autofree char *text = NULL;

    g_free (rig_run (rig, "on 0 step"));
    rig_state (rig, "0", JOB_STATE_BLOCKED, 0, NULL, "MPI_Recv at /a/ring.c:40");
    text = rig_run (rig, "wait");
    g_assert_cmpstr (text, ==,
                     "0: blocked, MPI_Recv at ring.c:40\n"
                     "0: blocked, MPI_Recv at ring.c:40\n"
                     "error: 0 appears to wait in MPI_Recv (ring.c:40); 1 is paused; step or "
                     "continue 1 (0)\n");
}

static void
test_sets (void)
{
    g_autoptr (Rig) rig = rig_new (8, FALSE);
    JobEvent *event = rig_event (JOB_EVENT_VALUES, "0-7");

    rig_state (rig, "0-7", JOB_STATE_STOPPED, 0, NULL, "main at /a/ring.c:10");
    rig_assert (rig, "set left = 0-3", "");
    rig_assert (rig, "live set bad = signal, exception", "");
    rig_assert (rig, "set all = 3", "error: cannot name a set \"all\": it is a keyword\n");
    rig_assert (rig, "pick node 1", "");
    rig_assert (rig, "show sets", "focus = 1\nbad = signal, exception (live)\nleft = 0-3\n");
    rig_assert (rig, "show state", "1: stopped, main at ring.c:10\n");
    rig_assert (rig, "on left except 0 show state", "1-3: stopped, main at ring.c:10\n");
    rig_add_value (event, NULL, "0-4", "1", 1);
    rig_add_value (event, NULL, "5-7", "0", 0);
    rig_answer (rig, event, NULL);
    rig_assert (rig, "on where (x > 3) except 0 show state",
                "1-4: stopped, main at ring.c:10\n");
    event = rig_event (JOB_EVENT_VALUES, "0-7");
    rig_add_value (event, NULL, "0-7", "False", NAN);
    rig_answer (rig, event, NULL);
    rig_assert (rig, "on where (x > 4) step", "error: no rank is in this set\n");
    rig_assert (rig, "on bad where", "error: no rank is in this set\n");
    rig_assert (rig, "forget", "error: forget needs the NAME of a set\n");
    rig_assert (rig, "forget right", "error: no set right\n");
    rig_assert (rig, "forget left", "");
    rig_assert (rig, "show sets", "focus = 1\nbad = signal, exception (live)\n");
    rig_assert (rig, "on left show state", "error: no set \"left\"\n");
}

/* Commands that name ranks themselves: a set before them as well is no answer to either. */
static void
test_sets_twice (void)
{
    static const char *const lines[] = { "set x = 5", "pick 5", "pi 5", "live set y = 5",
                                         "forget x" };
    g_autoptr (Rig) rig = rig_new (8, FALSE);

    rig_state (rig, "0-7", JOB_STATE_STOPPED, 0, NULL, "main at /a/ring.c:10");
    rig_assert (rig, "set x = 1", "");
    rig_assert (rig, "pick 7", "");
    for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
        g_autofree char *line = g_strdup_printf ("on 0-3 %s", lines[i]);
        g_autofree char *text = rig_run (rig, line);

        g_assert_true (g_str_has_prefix (text, "error: "));
        g_assert_nonnull (strstr (text, "leave out \"on SET\""));
        rig_assert (rig, "show sets", "focus = 7\nx = 1\n");
    }
    g_assert_cmpuint (rig->n_failed, ==, G_N_ELEMENTS (lines));
}

static void
test_errors (void)
{
    g_autoptr (Rig) rig = rig_new (4, FALSE);

    rig_assert (rig, "frobnicate", "error: no command \"frobnicate\"; help lists them\n");
    rig_assert (rig, "di 3",
                "error: \"di\" is ambiguous: disable, display, disassemble, directory\n");
    rig_assert (rig, "on 9 step", "error: no rank 9: ranks are 0-3\n");
    rig_assert (rig, "on 1",
                "error: a command is missing after the set; pick SET changes the "
                "focus\n");
    rig_assert (rig, "show nothing",
                "error: no show nothing: show options lists pddt's options, and help the "
                "commands\n");
    rig_assert (rig, "# a comment", "");
    rig_assert (rig, "", "");
    rig->silent = TRUE;
    session_set_deadlines (rig->session, 10, 10);
    rig_assert (rig, "print x", "error: no answer (0-3)\n");
}

/* What has ended is left out of a set that was not spelt out, and is an error in one that was. */
static void
test_ended (void)
{
    g_autoptr (Rig) rig = rig_new (4, FALSE);
    JobEvent *event = rig_event (JOB_EVENT_VALUES, "2");

    rig_state (rig, "2", JOB_STATE_EXITED, 0, NULL, NULL);
    rig_assert (rig, "wait", "2: exited 0\n");
    rig_assert (rig, "print x", "");
    rig_assert (rig, "on 2 where", "error: the process has exited (2)\n");
    rig_assert (rig, "on 2 call f ()", "error: the process has exited (2)\n");
    rig_assert (rig, "on 2 show locals", "error: the process has exited (2)\n");
    event->flags = JOB_EVENT_INITIAL; /* its daemon reads its file */
    rig_add_value (event, "x", "2", "3", 3);
    rig_answer (rig, event, NULL);
    rig_assert (rig, "on 2 print x", "2: x = 3 (initial value)\n");
}

static void
test_words (void)
{
    static const struct {
        const char *line;
        JobVerb verb;
    } words[] = {
        { "cont", JOB_VERB_CONTINUE },
        { "play", JOB_VERB_CONTINUE },
        { "conti", JOB_VERB_CONTINUE },
        { "halt", JOB_VERB_PAUSE },
        { "interrupt", JOB_VERB_PAUSE },
        { "s 3", JOB_VERB_STEP },
        { "n", JOB_VERB_NEXT },
        { "fin", JOB_VERB_FINISH },
        { "advance f", JOB_VERB_UNTIL },
        { "until f", JOB_VERB_UNTIL },
        { "until", JOB_VERB_NEXT },
        { "si", JOB_VERB_STEPI },
        { "ni", JOB_VERB_NEXTI },
        { "bt", JOB_VERB_WHERE },
        { "backtrace full", JOB_VERB_WHERE },
        { "info locals", JOB_VERB_LOCALS },
        { "dump", JOB_VERB_LOCALS },
        { "assign x = 3", JOB_VERB_SET },
        { "exec x = 3", JOB_VERB_EXEC },
        { "info registers", JOB_VERB_REGISTERS },
        { "info sharedlibrary", JOB_VERB_MODULES },
        { "up", JOB_VERB_FRAME },
        { "thread 2", JOB_VERB_THREAD },
        { "x/4xb 16", JOB_VERB_EXAMINE },
        { "catch signal SIGUSR1", JOB_VERB_CATCH },
        { "watch x", JOB_VERB_WATCH },
        { "handle SIGUSR1 nostop pass", JOB_VERB_HANDLE },
        { "kill", JOB_VERB_KILL },
        { "set option limit-items 3", JOB_VERB_OPTION },
        { "input hello", JOB_VERB_INPUT },
    };

    for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
        Rig *rig = rig_new (2, FALSE);

        g_test_message ("%s", words[i].line);
        rig_assert (rig, words[i].line, "");
        g_assert_cmpuint (rig->requests->len, ==, 1);
        g_assert_cmpint (((JobRequest *) rig->requests->pdata[0])->verb, ==, words[i].verb);
        rig_free (rig);
    }
}

/* "on SET" is obeyed or refused, by every command. */
static void
test_on (void)
{
    static const char *const obey[] = { "show state", "condition", "ignore", "wait",
                                        "source",     "python",    NULL };
    const CommandRow *row;
    guint n_refused = 0;

    for (guint i = 0; (row = command_table_get (i)) != NULL; i++) {
        Rig *rig = rig_new (2, FALSE);
        g_autofree char *line = g_strdup_printf ("on 0 %s", row->name);
        g_autofree char *said = NULL;
        gboolean is_refused = (row->flags & COMMAND_WHOLE_JOB) != 0;

        g_test_message ("%s", line);
        g_assert_true (is_refused || (row->flags & COMMAND_RANKS) != 0
                       || g_strv_contains (obey, row->name));
        if (is_refused) {
            said = rig_run (rig, line);
            g_assert_true (g_str_has_prefix (said, "error: "));
            g_assert_nonnull (strstr (said, " does not act on a set of ranks: leave out"));
            g_assert_cmpuint (rig->requests->len, ==, 0);
            n_refused++;
        }
        rig_free (rig);
    }
    g_assert_cmpuint (n_refused, >, 10);
}

/* An option is the job's, whichever ranks are in focus. */
static void
test_option (void)
{
    g_autoptr (Rig) rig = rig_new (4, FALSE);
    g_autofree char *ranks = NULL;

    rig_assert (rig, "pick 1", "");
    rig_assert (rig, "set option just-my-code off", "");
    g_assert_cmpuint (rig->requests->len, ==, 1);
    ranks = job_rank_set_format (((JobRequest *) rig->requests->pdata[0])->ranks);
    g_assert_cmpstr (ranks, ==, "0-3");
}

static void
test_others (void)
{
    g_autoptr (Rig) rig = rig_new (4, FALSE);
    JobEvent *event = rig_event (JOB_EVENT_DETAILS, "0-2"),
             *other = rig_event (JOB_EVENT_DETAILS, "3");

    event->details = job_detail_list_new ();
    g_ptr_array_add (event->details, job_detail_new (JOB_DETAIL_REGISTER, 0, "rax", "1"));
    g_ptr_array_add (event->details, job_detail_new (JOB_DETAIL_REGISTER, 0, "rbx", "2"));
    other->details = job_detail_list_dup (event->details);
    g_free (((JobDetail *) other->details->pdata[0])->text);
    ((JobDetail *) other->details->pdata[0])->text = g_strdup ("5");
    rig_answer (rig, event, other, NULL);
    rig_assert (rig, "show registers", "0-2: rax     1\n3: rax     5\n0-3: rbx     2\n");
    event = rig_event (JOB_EVENT_FRAME, "0-3");
    event->number = 1;
    event->place = rig_place ("main at /a/ring.c:10");
    rig_answer (rig, event, NULL);
    rig_assert (rig, "up", "0-3: #1 main at ring.c:10\n");
    event = rig_event (JOB_EVENT_RETURNED, "0-3");
    event->place = rig_place ("pass at /a/ring.c:3");
    rig_add_value (event, NULL, "0-3", "4", 4);
    g_free (rig_run (rig, "finish"));
    session_apply (rig->session, event);
    job_event_free (event);
    rig_state (rig, "0-3", JOB_STATE_STOPPED, 0, NULL, "main at /a/ring.c:11");
    rig_assert (rig, "wait", "0-3: pass returned 4\n0-3: stopped, main at ring.c:11\n");
    event = rig_event (JOB_EVENT_RETURNED, "0-3");
    event->place = rig_place ("pass at /a/ring.c:3");
    rig_add_value (event, NULL, "0-2", "4", 4);
    rig_add_value (event, NULL, "3", "8", 8);
    g_free (rig_run (rig, "finish"));
    session_apply (rig->session, event);
    job_event_free (event);
    rig_state (rig, "0-3", JOB_STATE_STOPPED, 0, NULL, "main at /a/ring.c:12");
    rig_assert (rig, "wait",
                "0-3: pass returned [4..8] min 4 at 0 max 8 at 3 mean 5\n"
                "0-3: stopped, main at ring.c:12\n");
    event = rig_event (JOB_EVENT_LOG, "1");
    event->text = g_strdup ("x is 3");
    session_apply (rig->session, event);
    event->kind = JOB_EVENT_NOTICE;
    event->text[0] = 'y';
    session_apply (rig->session, event);
    job_event_free (event);
    rig_assert (rig, "wait", "1: x is 3\nnote: y is 3 (1)\n");
}

static void
emit_output (Rig *rig, const char *ranks, gint32 stream, const char *text)
{
    g_autoptr (JobEvent) event = rig_event (JOB_EVENT_OUTPUT, ranks);

    event->number = stream;
    event->bytes = g_bytes_new (text, strlen (text));
    session_apply (rig->session, event);
}

static void
test_output (void)
{
    g_autoptr (Rig) rig = rig_new (4, FALSE);

    emit_output (rig, "1", 1, "one\ntw");
    emit_output (rig, "2", 2, "bad\n");
    emit_output (rig, "1", 1, "o\n");
    emit_output (rig, "", 1, "from the launcher\n");
    g_assert_cmpstr (rig->text->str, ==, "1| one\n2> 2| bad\n1| two\njob| from the launcher\n");
}

static void
test_list (void)
{
    Rig *rig = rig_new (2, FALSE);

    session_script_source (rig->session, "/far/away/ring.c", "one\ntwo\r\nthree\n");
    rig_state (rig, "0-1", JOB_STATE_STOPPED, 0, NULL, "main at /far/away/ring.c:2");
    g_free (rig_run (rig, "wait"));
    rig_assert (rig, "list",
                "0-1: main at ring.c:2\n     1    one\n     2 -> two\n     3    three\n");
    rig_assert (rig, "list ring.c:3",
                "ring.c:3\n     1    one\n     2 -> two\n     3    three\n");
    rig_assert (rig, "list", "error: line 4 is out of range: ring.c has 3 lines\n");
    rig_assert (rig, "list ring.c:2,3", "     2    two\n     3    three\n");
    rig_assert (rig, "list ring.c:4,9", "error: line 4 is out of range: ring.c has 3 lines\n");
    rig_assert (rig, "list", "error: line 4 is out of range: ring.c has 3 lines\n");
    rig_assert (rig, "list -", "     1    one\n");
    rig_free (rig);
    rig = rig_new (2, FALSE);
    session_script_source (rig->session, "/far/away/ring.c", "one\ntwo\r\nthree\n");
    rig_state (rig, "0", JOB_STATE_STOPPED, 0, NULL, "main at /far/away/ring.c:2");
    rig_state (rig, "1", JOB_STATE_STOPPED, 0, NULL, "work at /far/away/gone.c:7");
    g_free (rig_run (rig, "wait"));
    rig_assert (rig, "list", /* each group's, in their order */
                "0: main at ring.c:2\n     1    one\n     2 -> two\n     3    three\n"
                "error: cannot read /far/away/gone.c: no such file (1)\n");
    rig_free (rig);
}

static JobEvent *
make_text (const char *ranks, const char *text)
{
    JobEvent *event = rig_event (JOB_EVENT_TEXT, ranks);

    event->text = g_strdup (text);
    return event;
}

static void
test_merged_lines (void)
{
    g_autoptr (Rig) rig = rig_new (8, FALSE);

    rig_answer (rig, make_text ("0,2-3", "rax  1\nrbx  2\nrip  9\n"),
                make_text ("1", "rax  1\nrbx  3\nk0   0\nrip  9"),
                make_text ("4", "rax  7\nrbx  3\nrip  9"), rig_failure ("5", "no registers"),
                NULL);
    rig_assert (rig, "on 0-5 show registers",
                "0-3: rax  1\n4: rax  7\n0,2-3: rbx  2\n1,4: rbx  3\n1: k0   0\n0-4: rip  9\n"
                "error: no registers (5)\n");
}

static void
test_complete (void)
{
    g_autoptr (Rig) rig = rig_new (2, FALSE);
    g_auto (GStrv) commands = command_complete (rig->session, "cont");
    g_auto (GStrv) sets = command_complete (rig->session, "on sto");
    g_auto (GStrv) shows = command_complete (rig->session, "on 0 show st");
    g_auto (GStrv) places = NULL;

    g_assert_cmpstr (commands[0], ==, "continue");
    g_assert_cmpstr (sets[0], ==, "on stopped");
    g_assert_cmpstr (shows[0], ==, "on 0 show state");
    rig_state (rig, "0", JOB_STATE_STOPPED, 0, NULL, "main at /a/ring.c:2");
    places = command_complete (rig->session, "break ri");
    g_assert_cmpstr (places[0], ==, "break ring.c:");
}

/* Equal lines are one while each rank's own keep their order. */
static void
test_merged_output (void)
{
    g_autoptr (Rig) rig = rig_new (4, FALSE);

    for (guint32 rank = 0; rank < 4; rank++) {
        g_autofree char *own = g_strdup_printf ("I am %u\n", rank);
        g_autofree char *name = g_strdup_printf ("%u", rank);

        emit_output (rig, name, 1, "begin\n");
        emit_output (rig, name, 1, own);
        emit_output (rig, name, 1, "en");
        emit_output (rig, name, 1, "d\n");
    }
    emit_output (rig, "2", 1, "begin\n");
    emit_output (rig, "3", 1, "begin\n");
    emit_output (rig, "3", 1, "begin\n");
    rig_assert (
        rig, "help nothing",
        "0-3| begin\n0| I am 0\n1| I am 1\n2| I am 2\n3| I am 3\n"
        "0-3| end\n2-3| begin\n3| begin\nerror: no command \"nothing\"; help lists them\n");
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/command/lines/merged-output", test_merged_output);
    g_test_add_func ("/command/lines/break", test_break);
    g_test_add_func ("/command/lines/break-options", test_break_options);
    g_test_add_func ("/command/lines/break-on-some", test_break_on_some);
    g_test_add_func ("/command/lines/where", test_where);
    g_test_add_func ("/command/lines/fold", test_fold);
    g_test_add_func ("/command/lines/wait", test_wait);
    g_test_add_func ("/command/lines/wait-time", test_wait_time);
    g_test_add_func ("/command/lines/stuck", test_stuck);
    g_test_add_func ("/command/lines/sets", test_sets);
    g_test_add_func ("/command/lines/sets-twice", test_sets_twice);
    g_test_add_func ("/command/lines/errors", test_errors);
    g_test_add_func ("/command/lines/ended", test_ended);
    g_test_add_func ("/command/lines/words", test_words);
    g_test_add_func ("/command/lines/on", test_on);
    g_test_add_func ("/command/lines/option", test_option);
    g_test_add_func ("/command/lines/others", test_others);
    g_test_add_func ("/command/lines/output", test_output);
    g_test_add_func ("/command/lines/list", test_list);
    g_test_add_func ("/command/lines/merged", test_merged_lines);
    g_test_add_func ("/command/lines/complete", test_complete);
    return g_test_run ();
}
