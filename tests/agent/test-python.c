/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python ranks under the engine: the way from the interpreter's start over breakpoints, values and
 * steps to an uncaught exception, as events. Arguments: interpreter, runner, program. */
#include "engine/engine.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *python_path, *runner_path, *program_path;

typedef struct {
    Engine *engine;
    GPtrArray *events; /* of JobEvent, not yet looked at */
    pid_t pid;
    guint64 id;
    int output;
} Session;

static void
on_event (const JobEvent *event, gpointer user)
{
    Session *session = user;

    if (g_getenv ("PDDT_TEST_VERBOSE") != NULL) {
        g_printerr ("# %s req %d state %s number %d text %s %s:%u\n",
                    job_event_kind_get_name (event->kind), (int) event->request,
                    job_state_get_info (event->state)->word, event->number, event->text,
                    event->place != NULL ? event->place->function : "-",
                    event->place != NULL ? event->place->line : 0);
    }
    g_ptr_array_add (session->events, job_event_dup (event));
}

static guint32
find_mark (const char *name)
{
    g_autofree char *text = NULL, *mark = g_strconcat ("#@ ", name, NULL);
    g_auto (GStrv) lines = NULL;

    g_assert_true (g_file_get_contents (program_path, &text, NULL, NULL));
    lines = g_strsplit (text, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        if (g_str_has_suffix (lines[i], mark)) {
            return i + 1;
        }
    }
    g_assert_not_reached ();
}

/* The next event of the kind; others before it are dropped. NULL after ten seconds. */
static JobEvent *
wait_event (Session *session, JobEventKind kind)
{
    gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;

    while (g_get_monotonic_time () < end) {
        sigset_t set;
        struct timespec limit = { 0, 20 * 1000 * 1000 };

        while (session->events->len > 0) {
            JobEvent *event = g_ptr_array_steal_index (session->events, 0);

            if (event->kind == kind) {
                return event;
            }
            if (event->kind == JOB_EVENT_FAILURE || event->kind == JOB_EVENT_NOTICE) {
                g_test_message ("%s: %s", job_event_kind_get_name (event->kind), event->text);
            }
            job_event_free (event);
        }
        if (engine_pump (session->engine)) {
            continue;
        }
        sigemptyset (&set);
        sigaddset (&set, SIGCHLD);
        if (session->events->len == 0) {
            sigtimedwait (&set, NULL, &limit);
        }
    }
    return NULL;
}

static void
check_stop (Session *session, JobState state, gint32 number, guint32 line)
{
    JobEvent *event;

    while ((event = wait_event (session, JOB_EVENT_STATE)) != NULL
           && !job_state_get_info (event->state)->is_stopped
           && !job_state_get_info (event->state)->is_ended) {
        job_event_free (event);
    }
    g_assert_nonnull (event);
    g_assert_cmpstr (job_state_get_info (event->state)->word, ==,
                     job_state_get_info (state)->word);
    g_assert_cmpint (event->number, ==, number);
    if (line != 0) {
        g_assert_nonnull (event->place);
        g_assert_cmpuint (event->place->line, ==, line);
    }
    job_event_free (event);
}

static JobRequest *
new_request (Session *session, JobVerb verb)
{
    g_autoptr (JobRankSet) set = job_rank_set_new_range (0, 1);
    JobRequest *request = job_request_new (verb, set);

    request->id = ++session->id;
    return request;
}

static void
send_request (Session *session, JobRequest *request)
{
    engine_handle (session->engine, request);
    job_request_free (request);
}

static void
move (Session *session, JobVerb verb)
{
    send_request (session, new_request (session, verb));
}

static JobEvent *
ask (Session *session, JobVerb verb, const char *text, JobEventKind kind)
{
    JobRequest *request = new_request (session, verb);

    request->text = g_strdup (text);
    send_request (session, request);
    return wait_event (session, kind);
}

static void
check_value (Session *session, const char *expression, const char *type, const char *text)
{
    JobEvent *event = ask (session, JOB_VERB_PRINT, expression, JOB_EVENT_VALUES);

    g_assert_nonnull (event);
    g_assert_cmpuint (event->table->rows->len, ==, 1);
    {
        const JobValueRow *row = g_ptr_array_index (event->table->rows, 0);
        const JobValueGroup *group = g_ptr_array_index (row->groups, 0);

        g_assert_cmpstr (group->value->type, ==, type);
        g_assert_cmpstr (group->value->text, ==, text);
    }
    job_event_free (event);
}

static void
set_breakpoint (Session *session, guint32 number, const char *file, guint32 line,
                const char *condition)
{
    JobRequest *request = new_request (session, JOB_VERB_BREAK);

    request->number = number;
    request->where.kind = JOB_WHERE_LINE;
    request->where.file = g_strdup (file);
    request->where.line = line;
    request->condition = g_strdup (condition);
    send_request (session, request);
}

static pid_t
start_program (Session *session, const char *argument, int *gate)
{
    int ready[2], output[2];
    pid_t pid;

    g_assert_cmpint (pipe2 (ready, O_CLOEXEC), ==, 0);
    g_assert_cmpint (pipe2 (output, O_CLOEXEC), ==, 0);
    pid = fork ();
    if (pid == 0) {
        char byte;
        sigset_t none;

        sigemptyset (&none);
        sigprocmask (SIG_SETMASK, &none, NULL);
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        dup2 (output[1], 1);
        dup2 (output[1], 2);
        close (ready[1]);
        if (read (ready[0], &byte, 1) == 1) {
            execl (python_path, python_path, runner_path, program_path, argument, NULL);
        }
        _exit (99);
    }
    close (ready[0]);
    close (output[1]);
    session->output = output[0];
    *gate = ready[1];
    return pid;
}

static void
session_begin (Session *session, const char *stop_at, const char *argument)
{
    EngineOptions options = { .runner_path = runner_path, .emit = on_event, .user = session };
    EngineRankInfo info = { .rank = 0, .size = 1, .launched = TRUE, .input_fd = -1 };
    g_autoptr (GError) error = NULL;
    JobRequest *start;
    guint32 slot;
    int gate;

    memset (session, 0, sizeof *session);
    session->events = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    session->engine = engine_new (&options);
    start = new_request (session, JOB_VERB_START);
    start->text = g_strdup (stop_at);
    send_request (session, start);
    info.pid = session->pid = start_program (session, argument, &gate);
    g_assert_true (engine_adopt (session->engine, &info, &slot, &error));
    g_assert_no_error (error);
    g_assert_cmpint (write (gate, "g", 1), ==, 1);
    close (gate);
}

static void
session_end (Session *session)
{
    engine_free (session->engine);
    g_ptr_array_unref (session->events);
    close (session->output);
    waitpid (session->pid, NULL, 0);
}

static void
test_stops (void)
{
    Session session;
    JobEvent *event;

    session_begin (&session, "main", "fail");
    check_stop (&session, JOB_STATE_STOPPED, 0, 0);
    set_breakpoint (&session, 1, "program.py", find_mark ("work-loop"), "i == 7");
    event = wait_event (&session, JOB_EVENT_BREAKPOINT);
    g_assert_nonnull (event);
    g_assert_cmpuint (event->places->len, ==, 1);
    job_event_free (event);
    move (&session, JOB_VERB_CONTINUE);
    check_stop (&session, JOB_STATE_BREAKPOINT, 1, find_mark ("work-loop"));
    check_value (&session, "i + 1", "int", "8");
    event = ask (&session, JOB_VERB_PRINT, "nothing", JOB_EVENT_FAILURE);
    g_assert_nonnull (event);
    g_assert_cmpstr (event->text, ==, "NameError: name 'nothing' is not defined");
    job_event_free (event);
    event = ask (&session, JOB_VERB_EXEC, "total = 1000", JOB_EVENT_ACCEPTED);
    g_assert_nonnull (event);
    job_event_free (event);
    move (&session, JOB_VERB_FINISH);
    event = wait_event (&session, JOB_EVENT_RETURNED);
    g_assert_nonnull (event);
    g_assert_cmpstr (event->place->function, ==, "work");
    job_event_free (event);
    check_stop (&session, JOB_STATE_STOPPED, 0, find_mark ("main-work"));
    move (&session, JOB_VERB_NEXT);
    check_stop (&session, JOB_STATE_STOPPED, 0, find_mark ("main-print"));
    check_value (&session, "result", "int", "1024");
    move (&session, JOB_VERB_CONTINUE);
    check_stop (&session, JOB_STATE_EXCEPTION, 0, find_mark ("fail"));
    check_value (&session, "counter.value", "int", "3");
    move (&session, JOB_VERB_CONTINUE);
    check_stop (&session, JOB_STATE_FAILED, 1, 0);
    session_end (&session);
}

static void
test_while_running (void)
{
    Session session;
    JobEvent *event;

    session_begin (&session, "none", "loop");
    event = wait_event (&session, JOB_EVENT_STATE);
    g_assert_nonnull (event);
    job_event_free (event);
    {
        char byte;

        while (poll (&(struct pollfd){ .fd = session.output, .events = POLLIN }, 1, 20) == 0)
            engine_pump (session.engine);
        g_assert_cmpint (read (session.output, &byte, 1), ==, 1);
    }
    set_breakpoint (&session, 3, "program.py", find_mark ("loop"), "n > 1000");
    check_stop (&session, JOB_STATE_BREAKPOINT, 3, find_mark ("loop"));
    check_value (&session, "n > 1000", "bool", "True");
    {
        JobRequest *request = new_request (&session, JOB_VERB_DELETE);

        request->number = 3;
        send_request (&session, request);
    }
    move (&session, JOB_VERB_CONTINUE);
    move (&session, JOB_VERB_PAUSE);
    check_stop (&session, JOB_STATE_STOPPED, 0, 0);
    move (&session, JOB_VERB_NEXT);
    check_stop (&session, JOB_STATE_STOPPED, 0, 0);
    check_value (&session, "n > 0", "bool", "True");
    event = ask (&session, JOB_VERB_EXEC, "n = -1", JOB_EVENT_ACCEPTED);
    g_assert_nonnull (event);
    job_event_free (event);
    move (&session, JOB_VERB_CONTINUE);
    check_stop (&session, JOB_STATE_EXITED, 0, 0);
    session_end (&session);
}

/* An evaluation that never ends is ended; the rank is as it was. */
static void
test_interruption (void)
{
    Session session;
    JobEvent *event;

    session_begin (&session, "main", NULL);
    check_stop (&session, JOB_STATE_STOPPED, 0, 0);
    set_breakpoint (&session, 1, "program.py", find_mark ("work-loop"), "i == 2");
    move (&session, JOB_VERB_CONTINUE);
    check_stop (&session, JOB_STATE_BREAKPOINT, 1, find_mark ("work-loop"));
    event = ask (&session, JOB_VERB_PRINT, "[exec('while True: pass')]", JOB_EVENT_FAILURE);
    g_assert_nonnull (event);
    g_assert_cmpstr (event->text, ==, "no answer in 2 s, interrupted");
    job_event_free (event);
    check_value (&session, "i * 10", "int", "20");
    move (&session, JOB_VERB_NEXT);
    check_stop (&session, JOB_STATE_STOPPED, 0, 0);
    move (&session, JOB_VERB_CONTINUE);
    check_stop (&session, JOB_STATE_EXITED, 0, 0);
    session_end (&session);
}

static const char endless[] = "[exec('while True: pass')]";

static void
stop_in_loop (Session *session)
{
    session_begin (session, "main", NULL);
    check_stop (session, JOB_STATE_STOPPED, 0, 0);
    set_breakpoint (session, 1, "program.py", find_mark ("work-loop"), "i == 2");
    move (session, JOB_VERB_CONTINUE);
    check_stop (session, JOB_STATE_BREAKPOINT, 1, find_mark ("work-loop"));
}

static JobRequest *
new_text (Session *session, JobVerb verb, const char *text)
{
    JobRequest *request = new_request (session, verb);

    request->text = g_strdup (text);
    return request;
}

/* The final event of the request. */
static JobEvent *
wait_answer (Session *session, guint64 request, JobEventKind kind)
{
    JobEvent *event = wait_event (session, kind);

    g_assert_nonnull (event);
    g_assert_cmpuint (event->request, ==, request);
    g_assert_true (event->final);
    return event;
}

/* What is asked of a rank that is still busy is done when its turn comes, the rank's end included. */
static void
test_order (void)
{
    Session session;
    JobEvent *event;
    guint64 first;

    stop_in_loop (&session);
    first = session.id + 1;
    send_request (&session,
                  new_text (&session, JOB_VERB_EXEC, "__import__('time').sleep(0.05); i = 70"));
    send_request (&session, new_text (&session, JOB_VERB_PRINT, "i"));
    send_request (&session, new_text (&session, JOB_VERB_EXEC, "i = 80"));
    send_request (&session, new_text (&session, JOB_VERB_PRINT, "i + 1"));
    set_breakpoint (&session, 2, "program.py", find_mark ("main-print"), NULL);
    move (&session, JOB_VERB_CONTINUE);
    job_event_free (wait_answer (&session, first, JOB_EVENT_ACCEPTED));
    event = wait_answer (&session, first + 1, JOB_EVENT_VALUES);
    g_assert_cmpstr (((JobValueGroup *) ((JobValueRow *) event->table->rows->pdata[0])
                          ->groups->pdata[0])
                         ->value->text,
                     ==, "70");
    job_event_free (event);
    job_event_free (wait_answer (&session, first + 2, JOB_EVENT_ACCEPTED));
    event = wait_answer (&session, first + 3, JOB_EVENT_VALUES);
    g_assert_cmpstr (((JobValueGroup *) ((JobValueRow *) event->table->rows->pdata[0])
                          ->groups->pdata[0])
                         ->value->text,
                     ==, "81");
    job_event_free (event);
    job_event_free (wait_answer (&session, first + 4, JOB_EVENT_BREAKPOINT));
    check_stop (&session, JOB_STATE_BREAKPOINT, 2, find_mark ("main-print"));
    session_end (&session);
}

/* What nobody waits for any longer ends before its time, and what waits behind it is not held up; the rank is as
 * it was. */
static void
test_hurry (void)
{
    static const JobVerb verbs[] = { JOB_VERB_PAUSE, JOB_VERB_CANCEL };
    Session session;

    stop_in_loop (&session);
    for (guint i = 0; i < G_N_ELEMENTS (verbs); i++) {
        JobRequest *request;
        guint64 asked = session.id + 1;
        JobEvent *event;

        send_request (&session, new_text (&session, JOB_VERB_PRINT, endless));
        send_request (&session, new_text (&session, JOB_VERB_PRINT, endless));
        request = new_request (&session, verbs[i]);
        request->cancels = asked + 1;
        send_request (&session, request);
        if (verbs[i] == JOB_VERB_CANCEL) { /* the second waits: it is not even begun */
            event = wait_answer (&session, asked + 1, JOB_EVENT_FAILURE);
            g_assert_cmpstr (event->text, ==, "cancelled");
            job_event_free (event);
            request = new_request (&session, JOB_VERB_CANCEL);
            request->cancels = asked;
            send_request (&session, request);
        }
        event = wait_answer (&session, asked, JOB_EVENT_FAILURE);
        g_assert_cmpstr (event->text, ==, "interrupted");
        job_event_free (event);
        if (verbs[i] == JOB_VERB_PAUSE) {
            event = wait_answer (&session, asked + 1, JOB_EVENT_FAILURE);
            g_assert_cmpstr (event->text, ==, "interrupted");
            job_event_free (event);
            job_event_free (wait_answer (&session, asked + 2, JOB_EVENT_ACCEPTED));
        }
        check_value (&session, "i * 10", "int", "20");
    }
    move (&session, JOB_VERB_CONTINUE);
    check_stop (&session, JOB_STATE_EXITED, 0, 0);
    session_end (&session);
}

/* Threads that the code makes run as soon as all do, however late they are made. */
static void
test_newborn (void)
{
    static const char *codes[] = {
        "[t.start() or t.join() for t in [__import__('threading').Thread(target=len, args=('a',))]]",
        "[__import__('time').sleep(0.5)] + [t.start() or t.join() for t in "
        "[__import__('threading').Thread(target=len, args=('a',))]]",
    };
    Session session;

    stop_in_loop (&session);
    check_value (&session, codes[0], "list", "[None]");
    check_value (&session, codes[1], "list", "[None, None]");
    check_value (&session, "__import__('threading').active_count()", "int", "1");
    move (&session, JOB_VERB_CONTINUE);
    check_stop (&session, JOB_STATE_EXITED, 0, 0);
    session_end (&session);
}

/* It sleeps in the kernel, and is not stopped. */
static gboolean
is_waiting (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) pid);
    g_autofree char *text = NULL;
    const char *after = g_file_get_contents (path, &text, NULL, NULL) ? strrchr (text, ')')
                                                                      : NULL;

    return after != NULL && after[2] == 'S';
}

/* Code that waits in the kernel is not interrupted in time: it goes on with the rank, and what was asked meanwhile
 * holds as soon as it has ended. */
static void
run_late (gboolean is_hurried)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (folder, "fifo", NULL);
    g_autofree char *code = g_strdup_printf ("open('%s').read()", path);
    gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;
    Session session;
    JobEvent *event;
    int fd;

    g_assert_cmpint (mkfifo (path, 0600), ==, 0);
    stop_in_loop (&session);
    send_request (&session, new_text (&session, JOB_VERB_PRINT, code));
    if (is_hurried) {
        while (!is_waiting (session.pid)) {
            g_assert_cmpint (g_get_monotonic_time (), <, end);
            engine_pump (session.engine);
        }
        move (&session, JOB_VERB_PAUSE);
    }
    event = wait_event (&session, JOB_EVENT_FAILURE);
    g_assert_nonnull (event);
    g_assert_true (g_str_has_prefix (event->text, is_hurried
                                                      ? "interrupted, but the code still waits"
                                                      : "no answer in 2 s: the code may wait"));
    job_event_free (event);
    set_breakpoint (&session, 2, "program.py", find_mark ("main-print"), NULL);
    move (&session, JOB_VERB_CONTINUE);
    while ((fd = open (path, O_WRONLY | O_CLOEXEC | O_NONBLOCK))
           < 0) { /* until the rank reads again */
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        engine_pump (session.engine);
    }
    close (fd);
    check_stop (&session, JOB_STATE_BREAKPOINT, 2, find_mark ("main-print"));
    session_end (&session);
    unlink (path);
    rmdir (folder);
}

static void
test_late (void)
{
    run_late (FALSE);
    run_late (TRUE);
}

/* The agent takes the command for that breakpoint, and does nothing until somebody writes to the fifo. */
static void
delay_agent (Session *session, const char *function, guint32 number, const char *path)
{
    g_autofree char *code = g_strdup_printf (
        "exec(\"import gc\\n"
        "for f in gc.get_objects():\\n"
        "  if type(f) is type(lambda: 0) and f.__name__ == '%s':\\n"
        "    late = lambda *words, f=f: (words[0] != %u or open('%s').read(), f(*words))[1]\\n"
        "    late.__code__ = late.__code__.replace(co_filename=f.__code__.co_filename)\\n"
        "    f.__globals__['%s'] = late\", {})",
        function, number, path, function);
    JobEvent *event = ask (session, JOB_VERB_EXEC, code, JOB_EVENT_ACCEPTED);

    g_assert_nonnull (event);
    job_event_free (event);
}

static void
let_agent_go (Session *session, const char *path)
{
    gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;
    int fd;

    while ((fd = open (path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)) < 0) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        engine_pump (session->engine);
    }
    close (fd);
}

/* Until the breakpoint has a place. No event may give one of them another one's. */
static void
wait_place (Session *session, guint32 number, const guint32 lines[4])
{
    gboolean is_there = FALSE;

    while (!is_there) {
        JobEvent *event = wait_event (session, JOB_EVENT_BREAKPOINT);

        g_assert_nonnull (event);
        g_assert_cmpint (event->number, <, 4);
        for (guint i = 0; event->places != NULL && i < event->places->len; i++) {
            const JobLocation *place = g_ptr_array_index (event->places, i);

            g_assert_cmpuint (place->line, ==, lines[event->number]);
            is_there |= (guint32) event->number == number;
        }
        job_event_free (event);
    }
}

/* Until such an event comes. */
static void
wait_text (Session *session, JobEventKind kind, gint32 number, const char *text)
{
    gboolean is_it = FALSE;

    while (!is_it) {
        JobEvent *event = wait_event (session, kind);

        g_assert_nonnull (event);
        is_it = event->number == number && g_strcmp0 (event->text, text) == 0;
        job_event_free (event);
    }
}

/* A command for a breakpoint that is answered late is not lost, and its answer is not taken for that of the next
 * one: while the rank runs, and while it stands at a Python stop. */
static void
run_late_breakpoint (gboolean is_stopped)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (folder, "fifo", NULL);
    const char *marks[] = { is_stopped ? "main-print" : "loop",
                            is_stopped ? "twice-first" : "add" };
    const guint32 lines[4] = { 0, 0, find_mark (marks[0]), find_mark (marks[1]) };
    const char *notice
        = "breakpoint 2 is pending: pddt's agent has not answered in 2 s and needs "
          "more time while the rank runs";
    Session session;
    char byte;

    g_assert_cmpint (mkfifo (path, 0600), ==, 0);
    session_begin (&session, "main", is_stopped ? NULL : "loop");
    check_stop (&session, JOB_STATE_STOPPED, 0, 0);
    delay_agent (&session, "set_breakpoint", 2, path);
    if (!is_stopped) {
        move (&session, JOB_VERB_CONTINUE);
        while (poll (&(struct pollfd){ .fd = session.output, .events = POLLIN }, 1, 20) == 0)
            engine_pump (session.engine);
        g_assert_cmpint (read (session.output, &byte, 1), ==, 1);
    }
    set_breakpoint (&session, 2, "program.py", lines[2], NULL);
    set_breakpoint (&session, 3, "program.py", lines[3], NULL);
    if (is_stopped) {
        wait_text (&session, JOB_EVENT_NOTICE, 0, notice);
    }
    wait_text (&session, JOB_EVENT_BREAKPOINT, 2, "pddt's agent has not answered yet");
    wait_text (&session, JOB_EVENT_BREAKPOINT, 3, "pddt's agent has not answered yet");
    if (!is_stopped) {
        wait_text (&session, JOB_EVENT_NOTICE, 0, notice);
    }
    if (is_stopped) {
        move (&session, JOB_VERB_CONTINUE);
    }
    let_agent_go (&session, path);
    wait_place (&session, 2, lines);
    if (is_stopped) {
        check_stop (&session, JOB_STATE_BREAKPOINT, 2, lines[2]);
        check_value (&session, "result", "int", "45");
        move (&session, JOB_VERB_CONTINUE);
        check_stop (&session, JOB_STATE_BREAKPOINT, 3, lines[3]);
    } else {
        wait_place (&session, 3, lines);
        check_stop (&session, JOB_STATE_BREAKPOINT, 2, lines[2]);
        check_value (&session, "n > 0", "bool", "True");
    }
    session_end (&session);
    unlink (path);
    rmdir (folder);
}

/* The rank has stopped elsewhere than `until` was to end, and the agent is late with forgetting that: the next motion
 * follows its answer, and nothing stops at that place any more. */
static void
test_late_until (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (folder, "fifo", NULL);
    Session session;
    JobRequest *request;

    g_assert_cmpint (mkfifo (path, 0600), ==, 0);
    session_begin (&session, "main", NULL);
    check_stop (&session, JOB_STATE_STOPPED, 0, 0);
    delay_agent (&session, "delete_breakpoint", 0xfffffff0u, path);
    set_breakpoint (&session, 3, "program.py", find_mark ("work-loop"), "i == 2");
    request = new_request (&session, JOB_VERB_UNTIL);
    request->where.kind = JOB_WHERE_LINE;
    request->where.file = g_strdup ("program.py");
    request->where.line = find_mark ("main-print");
    send_request (&session, request);
    check_stop (&session, JOB_STATE_BREAKPOINT, 3, find_mark ("work-loop"));
    check_value (&session, "i", "int", "2");
    set_breakpoint (&session, 2, "program.py", find_mark ("work-return"), NULL);
    move (&session, JOB_VERB_NEXT);
    let_agent_go (&session, path);
    check_stop (&session, JOB_STATE_STOPPED, 0, find_mark ("work-loop") - 1);
    move (&session, JOB_VERB_CONTINUE);
    check_stop (&session, JOB_STATE_BREAKPOINT, 2, find_mark ("work-return"));
    check_value (&session, "total", "int", "45");
    move (&session, JOB_VERB_CONTINUE);
    check_stop (&session, JOB_STATE_EXITED, 0, 0);
    session_end (&session);
    unlink (path);
    rmdir (folder);
}

static void
test_late_breakpoint (void)
{
    run_late_breakpoint (FALSE);
    run_late_breakpoint (TRUE);
}

/* The rank ends in the middle, or is let go, or the engine is: what waits is answered where somebody can hear
 * it, and nothing is left behind. */
static void
test_end (void)
{
    static const JobVerb verbs[] = { JOB_VERB_KILL, JOB_VERB_DETACH, JOB_VERB_NONE };

    for (guint i = 0; i < G_N_ELEMENTS (verbs); i++) {
        Session session;
        guint64 asked;

        stop_in_loop (&session);
        asked = session.id + 1;
        send_request (&session, new_text (&session, JOB_VERB_PRINT, endless));
        engine_pump (session.engine);
        if (verbs[i] == JOB_VERB_KILL) {
            send_request (&session, new_text (&session, JOB_VERB_PRINT, "i"));
            move (&session, JOB_VERB_KILL);
            check_stop (&session, JOB_STATE_FAILED, SIGKILL, 0);
            job_event_free (wait_answer (&session, asked, JOB_EVENT_FAILURE));
            job_event_free (wait_answer (&session, asked + 1, JOB_EVENT_FAILURE));
        } else if (verbs[i] == JOB_VERB_DETACH) {
            move (&session, JOB_VERB_DETACH);
            job_event_free (wait_answer (&session, asked, JOB_EVENT_FAILURE));
            check_stop (&session, JOB_STATE_LOST, 0, 0);
            g_assert_cmpint (waitpid (session.pid, NULL, 0), ==,
                             session.pid); /* it runs to its end */
        }
        session_end (&session);
    }
}

int
main (int argc, char **argv)
{
    sigset_t set;

    sigemptyset (&set);
    sigaddset (&set, SIGCHLD);
    sigprocmask (SIG_BLOCK, &set, NULL);
    g_test_init (&argc, &argv, NULL);
    g_assert_cmpint (argc, ==, 4);
    python_path = argv[1];
    runner_path = argv[2];
    program_path = argv[3];
    g_test_add_func ("/python/stops", test_stops);
    g_test_add_func ("/python/while-running", test_while_running);
    g_test_add_func ("/python/interruption", test_interruption);
    g_test_add_func ("/python/order", test_order);
    g_test_add_func ("/python/hurry", test_hurry);
    g_test_add_func ("/python/newborn", test_newborn);
    g_test_add_func ("/python/late", test_late);
    g_test_add_func ("/python/late-breakpoint", test_late_breakpoint);
    g_test_add_func ("/python/late-until", test_late_until);
    g_test_add_func ("/python/end", test_end);
    return g_test_run ();
}
