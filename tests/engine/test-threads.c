/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thousand threads: attach, breakpoints, steps, detach; and stepping one thread while the
 * others are stopped or running. */
#include "rig.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_MANY 1000
#define DEADLINE_US (120 * G_USEC_PER_SEC)

static Rig rig;
static guint32 slot;

static gint64
read_number (const char *expression)
{
    return (gint64) rig_ask_number (&rig, slot, JOB_VERB_PRINT, expression);
}

static guint
count_tasks (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/task", (int) pid);
    g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
    guint count = 0;

    while (folder != NULL && g_dir_read_name (folder) != NULL) {
        count++;
    }
    return count;
}

/* The program itself counts every hit of every thread. */
static void
test_many_hits (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-threads");

    rig_open (&rig, "main");
    slot = rig_start (&rig, (char *[]){ path, G_STRINGIFY (N_MANY), "2", NULL }, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, "hit", "i < 0");
    rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

static pid_t
start_crowd (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-threads");
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    pid_t pid = fork ();

    g_assert_cmpint (pid, >=, 0);
    if (pid == 0) {
        sigset_t none;

        prctl (PR_SET_PDEATHSIG, SIGKILL);
        sigemptyset (&none);
        sigprocmask (SIG_SETMASK, &none, NULL);
        execl (path, path, G_STRINGIFY (N_MANY), "1000000000", "500000", NULL);
        _exit (126);
    }
    while (count_tasks (pid) < N_MANY + 1) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        g_usleep (1000);
    }
    return pid;
}

static void
test_many_attached (void)
{
    EngineRankInfo info = { .size = 1, .launched = FALSE, .input_fd = -1 };
    g_autoptr (GError) error = NULL;
    g_autofree char *path = NULL, *text = NULL;

    rig_open (&rig, NULL);
    info.pid = start_crowd ();
    g_assert_true (engine_adopt (rig.engine, &info, &slot, &error));
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    rig_do (&rig, slot, JOB_VERB_THREADS);
    const JobEvent *event = rig_wait (&rig, slot, JOB_EVENT_DETAILS);
    g_assert_cmpuint (event->details->len, ==, N_MANY + 1);
    rig_break (&rig, slot, 1, "hit", NULL);
    rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    for (guint i = 0; i < 3; i++) {
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "hit", 0);
    }
    rig_delete (&rig, slot, 1);
    for (guint i = 0; i < 3; i++) {
        rig_do (&rig, slot, i == 0 ? JOB_VERB_FINISH : JOB_VERB_NEXT);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, "run", 0);
    }
    rig_do (&rig, slot, JOB_VERB_DETACH);
    engine_abandon (rig.engine);
    path = g_strdup_printf ("/proc/%d/status", (int) info.pid);
    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    g_assert_nonnull (strstr (text, "TracerPid:\t0\n"));
    g_assert_cmpuint (count_tasks (info.pid), ==, N_MANY + 1);
    kill (info.pid, SIGKILL);
    g_assert_cmpint (waitpid (info.pid, NULL, 0), ==, info.pid);
    rig_close (&rig);
}

static void
set_locking (const char *value)
{
    JobRequest *request = job_request_new (JOB_VERB_OPTION, NULL);

    request->text = g_strdup ("scheduler-locking");
    request->text2 = g_strdup (value);
    rig_send (&rig, slot, request);
    rig_wait (&rig, slot, JOB_EVENT_ACCEPTED);
}

/* Lines of the loop in which the thread calls hit: what all have counted against what it has. */
static void
walk_lines (gint64 *ret_counted, gint64 *ret_own)
{
    gint64 counted = read_number ("counted"), own = read_number ("i");

    for (guint i = 0; i < 12; i++) {
        rig_do (&rig, slot, JOB_VERB_NEXT);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, "run", 0);
    }
    *ret_counted = read_number ("counted") - counted;
    *ret_own = read_number ("i") - own;
}

static void
test_locking (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-threads");
    g_autofree char *where = NULL;
    gint64 counted, own, end = g_get_monotonic_time () + DEADLINE_US;

    rig_open (&rig, "main");
    slot = rig_start (&rig, (char *[]){ path, "4", "1000000000", NULL }, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    where = g_strdup_printf ("threads.c:%u", rig_find_mark ("threads.c", "call"));
    rig_break (&rig, slot, 1, where, "i == 50");
    rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "run", 0);
    rig_delete (&rig, slot, 1);
    set_locking ("on");
    walk_lines (&counted, &own);
    g_assert_cmpint (own, ==, 4);
    g_assert_cmpint (counted, ==, own); /* nobody else has moved */
    set_locking ("off");
    do {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        walk_lines (&counted, &own);
        g_assert_cmpint (own, ==, 4);
        g_assert_cmpint (counted, >=, own);
    } while (counted == own); /* the others get a processor sooner or later */
    rig_close (&rig);
}

/* What a client that has selected this is told. */
static const JobEvent *
ask_as (JobVerb verb, const char *text, guint32 number, guint32 thread, gint32 frame,
        JobEventKind kind)
{
    g_autoptr (JobRankSet) one = job_rank_set_new_range (slot, slot + 1);
    JobRequest *request = job_request_new (verb, NULL);

    request->text = g_strdup (text);
    request->number = number;
    if (thread != 0 || frame >= 0) {
        job_request_select (request, one, thread, frame >= 0, (guint32) MAX (frame, 0));
    }
    rig_send (&rig, slot, request);
    return rig_wait (&rig, slot, kind);
}

static void
expect_value (const char *text, guint32 thread, gint32 frame, const char *expected)
{
    const JobEvent *event = ask_as (JOB_VERB_PRINT, text, 0, thread, frame, JOB_EVENT_VALUES);
    const JobValueRow *row = g_ptr_array_index (event->table->rows, 0);
    const JobValueGroup *group = g_ptr_array_index (row->groups, 0);

    g_assert_cmpstr (group->value->text, ==, expected);
}

/* Two clients look at the same rank, each from its own thread and frame. */
static void
test_clients (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-threads");
    const JobEvent *event;
    gint32 in_main = -1;

    rig_open (&rig, "main");
    slot = rig_start (&rig, (char *[]){ path, "4", "1000000000", NULL }, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, "hit", "i == 50");
    rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "hit", 0);
    do { /* the caller that waits for the others is not the innermost frame of its thread */
        event = ask_as (JOB_VERB_FRAME, NULL, (guint32) ++in_main, 1, -1, JOB_EVENT_FRAME);
    } while (g_strcmp0 (event->place->function, "main") != 0);
    for (guint i = 0; i < 3; i++) {
        expect_value ("n", 1, in_main, "4");
        expect_value ("i", 0, -1, "50");
        expect_value ("i", 0, 1, "50");
        expect_value ("data", 0, 1, "(void *) 0x0");
        event = ask_as (JOB_VERB_FRAME, NULL, 1, 0, -1, JOB_EVENT_FRAME);
        g_assert_cmpstr (event->place->function, ==, "run");
        event = ask_as (JOB_VERB_PRINT, "n", 0, 0, -1, JOB_EVENT_FAILURE); /* not in hit */
    }
    event = ask_as (JOB_VERB_THREADS, NULL, 0, 1, -1, JOB_EVENT_DETAILS);
    g_assert_cmpuint (((JobDetail *) event->details->pdata[0])->flags & JOB_DETAIL_HERE, !=, 0);
    event = ask_as (JOB_VERB_THREADS, NULL, 0, 0, -1, JOB_EVENT_DETAILS);
    g_assert_cmpuint (((JobDetail *) event->details->pdata[0])->flags & JOB_DETAIL_HERE, ==, 0);
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/threads/hits", test_many_hits);
    g_test_add_func ("/engine/threads/attached", test_many_attached);
    g_test_add_func ("/engine/threads/locking", test_locking);
    g_test_add_func ("/engine/threads/clients", test_clients);
    return g_test_run ();
}
