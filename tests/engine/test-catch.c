/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is caught: C++ exceptions with their types, forks and vforks, exec, exit, libraries, signals. */
#include "rig.h"
#include "engine/private.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static Rig rig;
static guint32 slot;

static void
start (const char *name, const char *argument)
{
    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, name, argument);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
}

static guint64 catch (guint32 number, const char *what, const char *condition,
                      JobRequestFlags flags)
{
    JobRequest *request = job_request_new (JOB_VERB_CATCH, NULL);

    request->number = number;
    request->text = g_strdup (what);
    request->condition = g_strdup (condition);
    request->flags = flags;
    return rig_send (&rig, slot, request);
}

static void
catch_set (guint32 number, const char *what)
{
    guint64 id = catch (number, what, NULL, 0);

    g_assert_cmpuint (rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT)->request, ==, id);
}

static void
expect_caught (gint32 number, const char *notice)
{
    const JobEvent *event;

    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    if (notice != NULL) {
        event = rig_wait (&rig, slot, JOB_EVENT_NOTICE);
        g_assert_nonnull (strstr (event->text, notice));
    }
    event = rig_wait_stop (&rig, slot);
    g_assert_cmpint (event->state, ==, JOB_STATE_BREAKPOINT);
    g_assert_cmpint (event->number, ==, number);
}

static void
expect_end (void)
{
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

static void
test_throw (void)
{
    start ("inferior-exceptions", NULL);
    catch_set (1, "throw");
    catch_set (2, "catch");
    expect_caught (1, "throws app::trouble");
    expect_caught (2, "catches app::trouble");
    expect_caught (1, "throws std::runtime_error");
    expect_caught (2, "catches std::runtime_error");
    expect_end ();
}

static void
test_type (void)
{
    start ("inferior-exceptions", NULL);
    catch_set (1, "throw runtime_error");
    expect_caught (1, "throws std::runtime_error");
    expect_end ();
}

static void
test_texts (void)
{
    static const char *const told[] = {
        "throws int: -7",
        "throws unsigned int: 4000000000",
        "throws char: 120",
        "throws bool: 1",
        "throws long: 1099511627776",
        "throws double",
        "throws char const*: \"as a text\"",
        "throws app::trouble",
        "throws app::boxed<app::trouble, 2>",
        "throws std::string: \"text\"",
        "throws std::runtime_error: two lines",
        "throws app::late: made from another",
        "throws app::both: behind another base",
        "throws app::changed",
        "throws virtually",
        "throws std::bad_alloc",
        "throws std::out_of_range: basic_string::at",
        "throws std::filesystem::__cxx11::filesystem_error: cannot get file size",
        "throws std::runtime_error: kept",
    };

    for (guint i = 0; i < 2; i++) {
        start (i == 0 ? "inferior-thrown" : "inferior-thrown-static", NULL);
        catch_set (1, "throw");
        for (guint j = 0; j < G_N_ELEMENTS (told); j++) {
            expect_caught (1, told[j]);
        }
        expect_end ();
    }
}

/* Catches by the name that the type has in C++. */
static void
test_names (void)
{
    static const char *const names[] = { "int",         "char const*",
                                         "std::string", "app::boxed<app::trouble, 2>",
                                         "late",        "app::both" };

    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        g_autofree char *what = g_strconcat ("throw ", names[i], NULL),
                        *said = g_strconcat ("throws ", names[i], NULL);

        start ("inferior-thrown", NULL);
        catch_set (1, what);
        expect_caught (1, strcmp (names[i], "late") == 0 ? "throws app::late" : said);
        expect_end ();
    }
}

static void
test_forks (void)
{
    start ("inferior-forks", NULL);
    catch_set (1, "fork");
    for (guint i = 0; i < 10; i++) {
        expect_caught (1, NULL);
    }
    catch (2, "vfork", NULL, JOB_REQUEST_TEMPORARY);
    expect_caught (2, NULL);
    expect_end ();
}

/* The rank becomes the child: it has the breakpoints, and the rank ends when the child ends. */
static void
test_follow (void)
{
    JobRequest *request;

    start ("inferior-forks", NULL);
    request = job_request_new (JOB_VERB_OPTION, NULL);
    request->text = g_strdup ("follow-fork");
    request->text2 = g_strdup ("child");
    rig_send (&rig, slot, request);
    rig_break (&rig, slot, 1, "pass", "passed == 1");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    g_assert_nonnull (strstr (rig_wait (&rig, slot, JOB_EVENT_NOTICE)->text,
                              "follows the child"));
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "pass", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->number, ==, 3); /* the child's own status */
    rig_close (&rig);
}

static char *
start_vforked (const char *how)
{
    g_autofree char *program = rig_dup_inferior ("inferior-vforked");
    JobRequest *request = job_request_new (JOB_VERB_OPTION, NULL);
    char *path;

    rig_open (&rig, "main");
    path = g_build_filename (rig.folder, "left", NULL);
    slot = rig_start (&rig, (char *[]){ program, (char *) how, path, NULL }, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    request->text = g_strdup ("follow-fork");
    request->text2 = g_strdup ("child");
    rig_send (&rig, slot, request);
    rig_break (&rig, slot, 2, "work", "value < 20"); /* the busy thread's is 20 */
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    g_assert_nonnull (strstr (rig_wait (&rig, slot, JOB_EVENT_NOTICE)->text,
                              "its parent is held"));
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "work", rig_find_mark ("vforked.c", "work"));
    return path;
}

/* The parent, let go, has no trap in its memory, and runs to its end. */
static void
expect_left (char *path, const char *wanted)
{
    gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;
    g_autofree char *text = NULL;

    while (text == NULL || strchr (text, '\n') == NULL) {
        g_clear_pointer (&text, g_free);
        g_file_get_contents (path, &text, NULL, NULL);
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&rig, 20);
    }
    g_assert_cmpstr (text, ==, wanted);
    rig_close (&rig);
    g_free (path);
}

/* A child that shares its parent's memory stops and steps there, and the parent's threads do not. */
static void
test_follow_vfork (void)
{
    char *path = start_vforked ("exec");

    rig_do (&rig, slot, JOB_VERB_NEXT);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "work", rig_find_mark ("vforked.c", "work-end"));
    rig_do (&rig, slot, JOB_VERB_FINISH);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_NEXT);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", rig_find_mark ("vforked.c", "after"));
    rig_do (&rig, slot, JOB_VERB_NEXT); /* then one whose return is never seen */
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_NEXT);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "work", 0); /* of the program it executes */
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    expect_left (path, "whole 0\n");
}

static void
test_follow_vfork_exit (void)
{
    char *path = start_vforked ("exit");

    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->number, ==, 3);
    expect_left (path, "whole 3\n");
}

static void
test_follow_vfork_killed (void)
{
    char *path = start_vforked ("exit");

    rig_do (&rig, slot, JOB_VERB_KILL);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->number, ==, SIGKILL);
    expect_left (path, "whole -9\n");
}

static pid_t
find_parent (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/status", (int) pid), *text = NULL;
    const char *at;

    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    at = strstr (text, "\nPPid:\t");
    g_assert_nonnull (at);
    return atoi (at + strlen ("\nPPid:\t"));
}

/* The memory outlives the parent. */
static void
test_follow_vfork_orphaned (void)
{
    char *path = start_vforked ("exit");

    kill (find_parent (engine_find_process (rig.engine, slot)->pid), SIGKILL);
    rig_do (&rig, slot, JOB_VERB_NEXT);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "work", rig_find_mark ("vforked.c", "work-end"));
    rig_do (&rig, slot, JOB_VERB_FINISH);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->number, ==, 3);
    rig_close (&rig);
    g_free (path);
}

static void
test_follow_vfork_detached (void)
{
    char *path = start_vforked ("exec");

    rig_do (&rig, slot, JOB_VERB_DETACH);
    rig_expect (&rig, slot, JOB_STATE_LOST, NULL, 0);
    expect_left (path, "whole 0\n");
}

static void
test_exit (void)
{
    start ("inferior-watched", NULL); /* has a thread that ends before */
    catch_set (1, "exit");
    expect_caught (1, NULL);
    expect_end ();
}

/* The rank continues, and the test reads no event until the kernel holds it at one; the request
 * then meets that. pid: that of the program. */
static void
look_at_event (pid_t pid, JobVerb verb)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) pid);
    gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;
    gboolean is_held = FALSE;

    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    while (!is_held && g_get_monotonic_time () < end) {
        g_autofree char *text = NULL;

        g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
        is_held = strstr (text, ") t ") != NULL;
    }
    g_assert_true (is_held);
    rig_do (&rig, slot, verb);
}

static void
expect_next (gint32 number)
{
    const JobEvent *event = rig_wait_stop (&rig, slot);

    g_assert_cmpint (event->state, ==, JOB_STATE_BREAKPOINT);
    g_assert_cmpint (event->number, ==, number);
}

/* Events that happen while the rank is halted for a question are caught as at any other
 * time. */
static void
test_looked_at (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-forks");
    char *argv[] = { path, NULL };
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    catch_set (1, "fork");
    catch_set (2, "exit");
    look_at_event (pid, JOB_VERB_WHERE);
    expect_next (1);
    for (guint i = 1; i < 10; i++) {
        expect_caught (1, NULL);
    }
    expect_caught (2, NULL);
    expect_end ();
}

static void
test_exit_looked_at (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-steps");
    char *argv[] = { path, NULL };
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    catch_set (1, "exit");
    look_at_event (pid, JOB_VERB_WHERE);
    expect_next (1);
    expect_end ();
}

static void
test_follow_looked_at (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-forks");
    char *argv[] = { path, NULL };
    JobRequest *request = job_request_new (JOB_VERB_OPTION, NULL);
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    request->text = g_strdup ("follow-fork");
    request->text2 = g_strdup ("child");
    rig_send (&rig, slot, request);
    look_at_event (pid, JOB_VERB_WHERE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->number, ==, 3); /* the child's own status */
    rig_close (&rig);
}

/* pddt detaches while the rank's child waits to be followed: the child must continue, too. The
 * parent waits for it. */
static void
test_left_with_newborn (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-forks");
    char *argv[] = { path, NULL };
    JobRequest *request = job_request_new (JOB_VERB_OPTION, NULL);
    gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    request->text = g_strdup ("follow-fork");
    request->text2 = g_strdup ("child");
    rig_send (&rig, slot, request);
    look_at_event (pid, JOB_VERB_PAUSE);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    while (g_hash_table_size (rig.engine->early_stops) == 0 && g_get_monotonic_time () < end) {
        rig_pump (&rig, 10);
    }
    g_assert_cmpuint (g_hash_table_size (rig.engine->early_stops), ==, 1);
    rig_do (&rig, slot, JOB_VERB_DETACH);
    while (kill (pid, 0) == 0 && g_get_monotonic_time () < end) {
        rig_pump (&rig, 10); /* which takes the program's end, too */
    }
    g_assert_cmpint (kill (pid, 0), !=, 0);
    rig_close (&rig);
}

static void
test_exec (void)
{
    char *argv[] = { "/bin/sh", "-c", "exec /bin/true", NULL };

    rig_open (&rig, "start");
    slot = rig_start (&rig, argv, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    catch_set (1, "exec");
    expect_caught (1, NULL);
    expect_end ();
}

static void
test_load (void)
{
    g_autofree char *plugin = rig_dup_inferior ("inferior-plugin.so");

    start ("inferior-loads", plugin);
    catch_set (1, "load no-such-library");
    catch_set (2, "load inferior-plugin");
    expect_caught (2, "inferior-plugin.so");
    expect_caught (2, "inferior-plugin.so");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_FAILED, NULL, 0);
    rig_close (&rig);
}

static void
test_signal (void)
{
    const JobEvent *event;

    start ("inferior-signals", "alarm");
    catch_set (1, "signal ALRM");
    for (guint i = 0; i < 3; i++) {
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        event = rig_wait_stop (&rig, slot);
        g_assert_cmpint (event->state, ==, JOB_STATE_SIGNAL);
        g_assert_cmpstr (event->text, ==, "SIGALRM");
    }
    rig_delete (&rig, slot, 1);
    expect_end ();
}

static void
check_condition (const char *condition, gboolean is_stop)
{
    start ("inferior-signals", "fpe");
    rig_handle (&rig, slot, "SIGFPE", "nostop noprint pass");
    catch (1, "signal SIGFPE", condition, 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, is_stop ? JOB_STATE_SIGNAL : JOB_STATE_FAILED, NULL, 0);
    rig_close (&rig);
}

static void
test_condition (void)
{
    check_condition ("a == 1", TRUE);
    check_condition ("a == 2", FALSE);
}

static void
test_refusals (void)
{
    start ("inferior-signals", "0");
    catch (1, "lightning", NULL, 0);
    g_assert_nonnull (strstr (rig_wait (&rig, slot, JOB_EVENT_FAILURE)->text, "lightning"));
    catch (1, "signal SIGNOTHING", NULL, 0);
    g_assert_nonnull (strstr (rig_wait (&rig, slot, JOB_EVENT_FAILURE)->text, "SIGNOTHING"));
    catch (1, "fork now", NULL, 0);
    g_assert_nonnull (strstr (rig_wait (&rig, slot, JOB_EVENT_FAILURE)->text, "takes no name"));
    expect_end ();
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/catch/throw", test_throw);
    g_test_add_func ("/engine/catch/type", test_type);
    g_test_add_func ("/engine/catch/texts", test_texts);
    g_test_add_func ("/engine/catch/names", test_names);
    g_test_add_func ("/engine/catch/forks", test_forks);
    g_test_add_func ("/engine/catch/follow", test_follow);
    g_test_add_func ("/engine/catch/follow-vfork", test_follow_vfork);
    g_test_add_func ("/engine/catch/follow-vfork-exit", test_follow_vfork_exit);
    g_test_add_func ("/engine/catch/follow-vfork-killed", test_follow_vfork_killed);
    g_test_add_func ("/engine/catch/follow-vfork-orphaned", test_follow_vfork_orphaned);
    g_test_add_func ("/engine/catch/follow-vfork-detached", test_follow_vfork_detached);
    g_test_add_func ("/engine/catch/exit", test_exit);
    g_test_add_func ("/engine/catch/looked-at", test_looked_at);
    g_test_add_func ("/engine/catch/exit-looked-at", test_exit_looked_at);
    g_test_add_func ("/engine/catch/follow-looked-at", test_follow_looked_at);
    g_test_add_func ("/engine/catch/left-with-newborn", test_left_with_newborn);
    g_test_add_func ("/engine/catch/exec", test_exec);
    g_test_add_func ("/engine/catch/load", test_load);
    g_test_add_func ("/engine/catch/signal", test_signal);
    g_test_add_func ("/engine/catch/condition", test_condition);
    g_test_add_func ("/engine/catch/refusals", test_refusals);
    return g_test_run ();
}
