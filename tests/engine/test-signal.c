/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signal handling, rank by rank; and job control with SIGSTOP and SIGTSTP: the rank stays
 * stopped until SIGCONT, under pddt and after pddt has left. */
#include "engine/control/control.h"
#include "rig.h"
#include "target/process.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEADLINE_US (120 * G_USEC_PER_SEC)

static Rig rig;

static char *
dup_table (guint32 slot)
{
    rig_do (&rig, slot, JOB_VERB_SIGNALS);
    return job_detail_list_format (rig_wait (&rig, slot, JOB_EVENT_DETAILS)->details);
}

static void
expect_exit (guint32 slot)
{
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
}

/* A signal that is ignored comes where the thread is to go over the trap at which it has stopped: it meets that once. */
static void
test_ignored_at_trap (void)
{
    g_autofree char *program = rig_dup_inferior ("inferior-shares");
    guint32 slot;
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, (char *[]){ program, (char *) "apart", NULL }, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, "hit", "counted < 1");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "hit", 0);
    kill (pid, SIGURG);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

/* The same program twice: one is told to pass over the signal. */
static void
test_each_rank (void)
{
    guint32 slots[2];
    g_autofree char *first = NULL, *second = NULL;

    rig_open (&rig, "main");
    for (guint i = 0; i < 2; i++) {
        slots[i] = rig_start_inferior (&rig, "inferior-signals", "usr1");
        rig_expect (&rig, slots[i], JOB_STATE_STOPPED, "main", 0);
    }
    rig_handle (&rig, slots[1], "SIGUSR1", "nostop noprint");
    rig_handle (&rig, slots[1], "SIG40", "nostop");
    first = dup_table (slots[0]);
    second = dup_table (slots[1]);
    g_assert_nonnull (strstr (first, "\nSIGUSR1    yes  yes   yes"));
    g_assert_nonnull (strstr (second, "\nSIGUSR1    no   no    yes"));
    g_assert_null (strstr (first, "SIG40"));
    g_assert_nonnull (strstr (second, "\nSIG40      no   yes   yes"));
    for (guint i = 0; i < 2; i++) {
        rig_do (&rig, slots[i], JOB_VERB_CONTINUE);
    }
    expect_exit (slots[1]);
    rig.seen = 0;
    while (rig_wait_stop (&rig, slots[0])->state != JOB_STATE_SIGNAL) {
    }
    rig_do (&rig, slots[0], JOB_VERB_CONTINUE);
    expect_exit (slots[0]);
    rig_close (&rig);
}

static void
test_refused (void)
{
    guint32 slot;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-signals", "0");
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_handle (&rig, slot, "SIGNOTHING", "stop");
    g_assert_nonnull (strstr (rig_wait (&rig, slot, JOB_EVENT_FAILURE)->text, "SIGNOTHING"));
    rig_handle (&rig, slot, "SIGUSR1", "sometimes");
    g_assert_nonnull (strstr (rig_wait (&rig, slot, JOB_EVENT_FAILURE)->text, "sometimes"));
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

/* ---- job control ---- */

/* "State" of /proc/PID/status. */
static char
get_system_state (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/status", (int) pid);
    g_autofree char *text = NULL;
    const char *at;

    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    at = strstr (text, "State:\t");
    g_assert_nonnull (at);
    return at[strlen ("State:\t")];
}

static void
wait_for_system_state (pid_t pid, const char *states)
{
    gint64 end = g_get_monotonic_time () + DEADLINE_US;

    while (strchr (states, get_system_state (pid)) == NULL) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&rig, 1);
    }
}

static EngineThread *
get_thread (guint32 slot)
{
    return engine_process_get_selected (engine_find_process (rig.engine, slot));
}

static gboolean
is_in_call (guint32 slot)
{
    EngineThread *thread = get_thread (slot);

    return thread != NULL && engine_thread_load_registers (thread)
           && machine_registers_will_restart (&thread->registers);
}

static void
pause_in_call (guint32 slot)
{
    do {
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        rig_do (&rig, slot, JOB_VERB_PAUSE);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    } while (!is_in_call (slot));
}

/* A thread that a stop has interrupted in a system call has not come to the instruction behind it, where a trap waits for
 * it: it goes back to the call. */
static void
test_behind_call (void)
{
    g_autofree char *where = NULL, *program = rig_dup_inferior ("inferior-signals");
    guint32 slot;
    guint64 pc;
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, (char *[]){ program, (char *) "sleep", NULL }, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    pause_in_call (slot);
    pc = engine_thread_get_pc (get_thread (slot));
    where = g_strdup_printf ("*0x%" G_GINT64_MODIFIER "x", pc);
    rig_break (&rig, slot, 1, where, NULL);
    pause_in_call (slot);
    g_assert_cmphex (engine_thread_get_pc (get_thread (slot)), ==, pc);
    kill (pid, SIGKILL);
    rig_expect (&rig, slot, JOB_STATE_FAILED, NULL, 0);
    rig_close (&rig);
}

/* It counts only while it runs. */
static void
wait_for_counting (guint32 slot)
{
    guint64 before = rig_ask_number (&rig, slot, JOB_VERB_PRINT, "seen");
    gint64 end = g_get_monotonic_time () + DEADLINE_US;

    while (rig_ask_number (&rig, slot, JOB_VERB_PRINT, "seen") == before) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&rig, 1);
    }
}

static void
expect_still (guint32 slot)
{
    guint64 before = rig_ask_number (&rig, slot, JOB_VERB_PRINT, "seen");

    for (gint64 end = g_get_monotonic_time () + 20000; g_get_monotonic_time () < end;) {
        rig_pump (&rig, 1);
    }
    g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_PRINT, "seen"), ==, before);
}

static void
test_group_stop (gconstpointer data)
{
    int signal = GPOINTER_TO_INT (data);
    g_autofree char *path = rig_dup_inferior ("inferior-signals");
    guint32 slot;
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, (char *[]){ path, "loop", NULL }, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    wait_for_counting (slot);
    kill (pid, signal);
    rig_expect (&rig, slot, JOB_STATE_SIGNAL, "main", 0); /* told first */
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    wait_for_system_state (pid, "Tt");
    expect_still (slot); /* looked at, and still stopped */
    rig_do (&rig, slot, JOB_VERB_PAUSE);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_still (slot);
    kill (pid, SIGCONT);
    wait_for_system_state (pid, "R");
    wait_for_counting (slot);
    kill (pid, signal);
    rig_expect (&rig, slot, JOB_STATE_SIGNAL, "main", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_still (slot);
    kill (pid, SIGKILL); /* its end is seen all the same */
    rig_expect (&rig, slot, JOB_STATE_FAILED, NULL, 0);
    rig_close (&rig);
}

/* If pddt detaches while job control has stopped the rank, it stays stopped, and continues like
 * any other. */
static void
test_left_in_group_stop (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-signals");
    guint32 slot;
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, (char *[]){ path, "loop", NULL }, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_handle (&rig, slot, "SIGSTOP", "nostop noprint");
    rig_break (&rig, slot, 1, "divide", NULL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    kill (pid, SIGSTOP);
    wait_for_system_state (pid, "Tt");
    rig_do (&rig, slot, JOB_VERB_DETACH);
    engine_abandon (rig.engine);
    wait_for_system_state (pid, "T");
    kill (pid, SIGCONT);
    wait_for_system_state (pid, "R");
    kill (pid, SIGKILL);
    g_assert_cmpint (waitpid (pid, NULL, 0), ==, pid);
    rig_close (&rig);
}

/* A function is called while a signal is pending: the handler still gets the signal's own
 * siginfo. */
static void
test_info (gconstpointer what)
{
    guint32 slot;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-siginfo", what);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_SIGNAL);
    g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_CALL, "twice (21)"), ==, 42);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

/* The same, followed by a detach. */
static void
test_info_left (gconstpointer what)
{
    g_autofree char *path = rig_dup_inferior ("inferior-siginfo");
    char *argv[] = { path, (char *) what, NULL };
    guint32 slot;
    pid_t pid;
    int status;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_SIGNAL);
    g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_CALL, "twice (21)"), ==, 42);
    rig_do (&rig, slot, JOB_VERB_DETACH);
    g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
    g_assert_true (WIFEXITED (status));
    g_assert_cmpint (WEXITSTATUS (status), ==, 0);
    rig_close (&rig);
}

/* Queued signals that arrive while a function is called come after the one that waits, all and in their order. */
static void
test_queued_in_call (void)
{
    guint n_stops = 0;
    JobState state;
    guint32 slot;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-signals", "queue");
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    while ((state = rig_wait_stop (&rig, slot)->state) == JOB_STATE_SIGNAL) {
        g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_CALL, "twice (4)"), ==, 8);
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        n_stops++;
    }
    g_assert_cmpuint (n_stops, ==, 9);
    g_assert_cmpuint (state, ==, JOB_STATE_EXITED);
    rig_close (&rig);
}

/* The same, detached while all but the first two have been sent again: they arrive with what came with them. */
static void
test_queued_left (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-signals");
    char *argv[] = { path, (char *) "queue", NULL };
    guint32 slot;
    int status;
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_SIGNAL);
    g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_CALL, "twice (4)"), ==, 8);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_SIGNAL);
    rig_do (&rig, slot, JOB_VERB_DETACH);
    g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
    g_assert_cmphex ((guint) status, ==, 0);
    rig_close (&rig);
}

/* A signal that comes while one waits for the rank, which is let go then: the kernel gives the new one first. */
static void
test_both_left (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-siginfo"), *file = NULL;
    guint32 slot;
    pid_t pid;

    rig_open (&rig, "main");
    file = g_build_filename (rig.folder, "end", NULL);
    slot = rig_start (&rig, (char *[]){ path, (char *) "both", file, NULL }, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_SIGNAL);
    g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_CALL, "twice (4)"), ==,
                      8); /* it stands in no signal any more */
    g_assert_cmpint (tgkill (pid, pid, SIGHUP), ==, 0);
    rig_do (&rig, slot, JOB_VERB_DETACH);
    rig_expect_told_end (&rig);
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/signal/behind-call", test_behind_call);
    g_test_add_func ("/engine/signal/ignored-at-trap", test_ignored_at_trap);
    g_test_add_func ("/engine/signal/each-rank", test_each_rank);
    g_test_add_func ("/engine/signal/refused", test_refused);
    g_test_add_data_func ("/engine/signal/stop", GINT_TO_POINTER (SIGSTOP), test_group_stop);
    g_test_add_data_func ("/engine/signal/terminal-stop", GINT_TO_POINTER (SIGTSTP),
                          test_group_stop);
    g_test_add_data_func ("/engine/signal/info-of-fault", "fault", test_info);
    g_test_add_data_func ("/engine/signal/info-of-queue", "queue", test_info);
    g_test_add_data_func ("/engine/signal/info-of-fault-left", "fault", test_info_left);
    g_test_add_data_func ("/engine/signal/info-of-queue-left", "queue", test_info_left);
    g_test_add_func ("/engine/signal/left", test_left_in_group_stop);
    g_test_add_func ("/engine/signal/queued-in-call", test_queued_in_call);
    g_test_add_func ("/engine/signal/queued-left", test_queued_left);
    g_test_add_func ("/engine/signal/both-left", test_both_left);
    return g_test_run ();
}
