/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A restart of a launcher that does not say what it is: the main loop goes on meanwhile, and whoever
 * ends the session does not wait for it. What is said to the ranks of the new job. */
#include "session/private.h"
#include "session/saved.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_S 120
#define TICK_MS 20
#define MANY 10

typedef struct {
    char *folder, *launcher, *pid_file;
    Session *session;
    guint n_ticks, n_ended;
} Rig;

static gboolean
on_tick (gpointer user)
{
    ((Rig *) user)->n_ticks++;
    return G_SOURCE_CONTINUE;
}

static gboolean
fail_late (gpointer user)
{
    g_error ("nothing came within %d s", LIMIT_S);
    return G_SOURCE_REMOVE;
}

static void
on_send (const JobRequest *request, gpointer user)
{
}

static void
on_ended (Session *session, int status, Rig *rig)
{
    rig->n_ended++;
}

/* A launcher; answer: what it does when it is asked for its version. */
static void
begin (Rig *rig, const char *answer)
{
    const char *argv[] = { NULL, "-n", "1", "/bin/true", NULL };
    const SessionOptions options = { .argv = argv };
    g_autofree char *text = NULL;

    *rig = (Rig){ .folder = g_dir_make_tmp ("pddt-test-XXXXXX", NULL) };
    rig->launcher = g_build_filename (rig->folder, "mpirun", NULL);
    rig->pid_file = g_build_filename (rig->folder, "pid", NULL);
    text = g_strdup_printf ("#!/bin/sh\necho $$ > %s.new; mv %s.new %s\n%s\n", rig->pid_file,
                            rig->pid_file, rig->pid_file, answer);
    g_assert_true (g_file_set_contents (rig->launcher, text, -1, NULL));
    g_assert_cmpint (g_chmod (rig->launcher, 0700), ==, 0);
    argv[0] = rig->launcher;
    rig->session = session_new ();
    session_start_scripted (rig->session, 4, on_send, NULL);
    session_restart_note_options (rig->session, &options);
    g_signal_connect (rig->session, "ended", G_CALLBACK (on_ended), rig);
}

static void
finish (Rig *rig)
{
    g_object_unref (rig->session);
    g_unlink (rig->pid_file);
    g_unlink (rig->launcher);
    g_assert_cmpint (g_rmdir (rig->folder), ==, 0);
    g_free (rig->folder);
    g_free (rig->launcher);
    g_free (rig->pid_file);
}

/* Until the launcher has been asked, and the loop has served others that long. */
static pid_t
await_asked (Rig *rig)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, NULL);
    guint tick = g_timeout_add (TICK_MS, on_tick, rig);
    g_autofree char *text = NULL;

    while (!g_file_get_contents (rig->pid_file, &text, NULL, NULL)) {
        g_main_context_iteration (NULL, TRUE);
    }
    rig->n_ticks = 0;
    while (rig->n_ticks < MANY) {
        g_main_context_iteration (NULL, TRUE);
        g_assert_null (session_get_failure (rig->session));
    }
    g_source_remove (tick);
    g_source_remove (limit);
    return (pid_t) g_ascii_strtoll (text, NULL, 10);
}

static void
test_hangs (void)
{
    Rig rig;
    g_autoptr (GError) error = NULL;
    pid_t launcher;

    begin (&rig, "exec sleep 1000");
    g_assert_true (session_restart (rig.session, &error));
    g_assert_no_error (error);
    launcher = await_asked (&rig);
    g_assert_true (session_is_restarting (rig.session));
    g_assert_cmpint (kill (launcher, 0), ==, 0);
    g_assert_false (session_restart (rig.session, NULL)); /* once is enough */
    session_end (rig.session);
    g_assert_false (session_is_restarting (rig.session));
    g_assert_null (session_get_failure (rig.session));
    g_assert_cmpint (kill (launcher, 0), <, 0);
    g_assert_cmpint (errno, ==, ESRCH);
    finish (&rig);
}

/* It answers, but is none that can be used: the session has ended, with that as its reason. */
static void
test_refuses (void)
{
    Rig rig;
    guint limit;

    begin (&rig, "echo a stranger");
    g_assert_true (session_restart (rig.session, NULL));
    limit = g_timeout_add_seconds (LIMIT_S, fail_late, NULL);
    while (session_get_failure (rig.session) == NULL || !session_is_ended (rig.session)) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
    g_assert_false (session_is_restarting (rig.session));
    g_assert_nonnull (strstr (session_get_failure (rig.session), "--version"));
    g_assert_cmpuint (rig.n_ended, ==, 2); /* the job before, and this one */
    finish (&rig);
}

/* The last reference goes while the launcher is asked: nothing starts, nothing stays. */
static void
test_forgotten (void)
{
    Rig rig;
    Session *alive;

    begin (&rig, "exec sleep 1000");
    alive = rig.session;
    g_object_add_weak_pointer (G_OBJECT (alive), (gpointer *) &alive);
    g_assert_true (session_restart (rig.session, NULL));
    await_asked (&rig);
    session_end (rig.session);
    g_object_unref (rig.session);
    g_assert_null (alive);
    rig.session = session_new ();
    finish (&rig);
}

/* A breakpoint of one thread stays that when it is said again, saved, edited and set in more ranks. */
static void
test_thread (void)
{
    Rig rig;
    g_autoptr (JobRankSet) some = job_rank_set_new_range (0, 2);
    g_autoptr (JobRankSet) more = job_rank_set_new_range (2, 4);
    JobRequest *request = job_request_new (JOB_VERB_BREAK, some);
    g_autoptr (GPtrArray) again = NULL;
    g_autoptr (SessionSaved) saved = NULL;
    g_autoptr (JobRequest) extension = NULL;
    g_autofree char *text = NULL;

    begin (&rig, "exit 0");
    request->number = session_next_breakpoint_number (rig.session);
    request->where.kind = JOB_WHERE_FUNCTION;
    request->where.function = g_strdup ("work");
    request->thread = 2;
    session_submit (rig.session, request);
    request = job_request_new (JOB_VERB_CONDITION, some);
    request->number = 1;
    request->condition = g_strdup ("i > 3");
    session_submit (rig.session, request);
    extension = session_breakpoint_make_request (session_find_breakpoint (rig.session, 1),
                                                 more);
    g_assert_cmpuint (extension->thread, ==, 2);
    g_assert_cmpstr (extension->condition, ==, "i > 3");
    again = session_dup_restart_requests (rig.session);
    g_assert_cmpuint (again->len, ==, 1);
    g_assert_cmpuint (((const JobRequest *) again->pdata[0])->thread, ==, 2);
    g_assert_cmpstr (((const JobRequest *) again->pdata[0])->condition, ==, "i > 3");
    rig.session->life->argv = g_strdupv (((char *[]){ rig.launcher, NULL }));
    saved = session_dup_saved (rig.session);
    text = session_saved_format (saved);
    g_assert_nonnull (strstr (text, "\nthread=2\n"));
    finish (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/restart/hangs", test_hangs);
    g_test_add_func ("/restart/refuses", test_refuses);
    g_test_add_func ("/restart/forgotten", test_forgotten);
    g_test_add_func ("/restart/thread", test_thread);
    return g_test_run ();
}
