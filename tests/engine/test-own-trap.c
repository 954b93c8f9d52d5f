/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SIGTRAP of the program's own beside pddt's traps and steps: none is lost, none comes twice, and what the program does about
 * it stays as it was. */
#include "engine/control/control.h"
#include "rig.h"
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEADLINE_US (120 * G_USEC_PER_SEC)

static Rig rig;

static void
expect_exit (guint32 slot)
{
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
}

/* It stands in main. */
static guint32
start_at_main (const char *how)
{
    guint32 slot;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-selftrap", how);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    return slot;
}

static guint
count_held (pid_t pid)
{
    g_autofree char *place = g_strdup_printf ("/proc/%d/task", (int) pid);
    g_autoptr (GDir) folder = g_dir_open (place, 0, NULL);
    const char *name;
    guint n = 0;

    while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
        g_autofree char *path = g_build_filename (place, name, "stat", NULL);
        g_autofree char *text = NULL;

        n += g_file_get_contents (path, &text, NULL, NULL) && strstr (text, ") t ") != NULL;
    }
    return n;
}

/* One thread is at a breakpoint when another one sends itself a SIGTRAP, which is not
 * pddt's. */
static void
test_own_trap (gconstpointer what)
{
    g_autofree char *path = rig_dup_inferior ("inferior-siginfo");
    char *argv[] = { path, (char *) what, NULL };
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    guint32 slot;
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_handle (&rig, slot, "SIGTRAP", "nostop noprint pass");
    rig_break (&rig, slot, 1, "run", NULL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "run", 0); /* the thread is known */
    rig_break (&rig, slot, 2, "pass", NULL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    while (count_held (pid) < 2 && g_get_monotonic_time () < end) {
    }
    g_assert_cmpuint (count_held (pid), ==, 2);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "pass", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

/* A SIGTRAP that the program raises itself, whatever it looks like, is a signal: it is told of and passed on. */
static void
test_raised_trap (gconstpointer how)
{
    guint32 slot = start_at_main (how);

    rig_handle (&rig, slot, "SIGTRAP", "stop print pass");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_SIGNAL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

/* The same one instruction at a time, where pddt's own trap flag comes in between: at most a few hundred instructions. */
static void
test_own_flag_stepped (void)
{
    gboolean has_signal = FALSE;
    guint32 slot = start_at_main ("flag");

    rig_handle (&rig, slot, "SIGTRAP", "stop print pass");
    rig_break (&rig, slot, 1, "raise_by_flag", NULL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "raise_by_flag", 0);
    for (guint i = 0; i < 20 && !has_signal; i++) {
        rig_do (&rig, slot, JOB_VERB_STEPI);
        has_signal = rig_wait_stop (&rig, slot)->state == JOB_STATE_SIGNAL;
    }
    g_assert_true (has_signal);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

/* Stepped instructions that put the flags on the stack put them there without the debugger's. */
static void
test_pushed_flags (void)
{
    guint32 slot = start_at_main ("flags");

    rig_break (&rig, slot, 1, "check_flags", NULL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "check_flags", 0);
    for (guint i = 0; i < 3; i++) {
        rig_do (&rig, slot, JOB_VERB_NEXT);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, "check_flags", 0);
    }
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

/* A breakpoint in SIGTRAP's handler, which blocks SIGTRAP, leaves the handler there: the kernel forgets one that a trap
 * meets then. */
static void
test_trap_in_handler (void)
{
    JobState state;
    guint32 slot = start_at_main ("again");

    rig_handle (&rig, slot, "SIGTRAP", "nostop noprint pass");
    rig_break (&rig, slot, 1, "on_trap", NULL);
    do {
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        state = rig_wait_stop (&rig, slot)->state;
    } while (state == JOB_STATE_BREAKPOINT);
    g_assert_cmpuint (state, ==, JOB_STATE_EXITED);
    rig_close (&rig);
}

/* A program that ignores SIGTRAP, or blocks it beside a handler, still does so when it has met traps and steps. */
static void
test_kept_action (gconstpointer how)
{
    g_autofree char *path = rig_dup_inferior ("inferior-selftrap");
    char *argv[] = { path, (char *) how, NULL };
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    guint32 slot;
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    while (target_process_get_signal_use (pid, SIGTRAP) == TARGET_SIGNAL_DEFAULT) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&rig, 1);
    }
    rig_do (&rig, slot, JOB_VERB_PAUSE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
    rig_break (&rig, slot, 1, "meet", "round == 7 || round == 8");
    g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_PRINT, "may_go = 1"), ==, 1);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    for (guint i = 0; i < 2; i++) {
        rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "meet", 0);
        rig_do (&rig, slot, JOB_VERB_STEPI);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, "meet", 0);
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
    }
    expect_exit (slot);
    rig_close (&rig);
}

/* The program blocks all signals while it runs, as posix_spawn does: that it has blocked SIGTRAP, too, is told by the others. */
static void
test_blocked_meanwhile (void)
{
    guint32 slot = start_at_main ("blocked");

    g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_PRINT, "may_go = 1"), ==, 1);
    rig_break (&rig, slot, 1, "block_all", NULL);
    rig_break (&rig, slot, 2, "meet", "round == 7");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "block_all", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "meet", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

/* A step from the entry of the system call that blocks SIGTRAP ends where it is blocked. */
static void
test_stepped_call (void)
{
    guint32 slot = start_at_main ("blocked");

    rig_catch (&rig, slot, 1, "syscall rt_sigprocmask");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, NULL, 0);
    rig_delete (&rig, slot, 1);
    rig_do (&rig, slot, JOB_VERB_STEPI);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_PRINT, "may_go = 1"), ==, 1);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

static gboolean
has_in_status (pid_t pid, const char *name)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/status", (int) pid), *text = NULL;
    const char *found = g_file_get_contents (path, &text, NULL, NULL) ? strstr (text, name)
                                                                      : NULL;

    g_assert_nonnull (found);
    return (g_ascii_strtoull (found + strlen (name), NULL, 16) & 1u << (SIGTRAP - 1)) != 0;
}

/* The step that blocks SIGTRAP, the last one before a detach or with others behind it, makes the kernel forget nothing,
 * neither a handler ("blocked") nor, where there is none ("waiting"), that it is blocked. */
static void
test_stepped_and_left (gconstpointer how)
{
    g_autofree char *path = rig_dup_inferior ("inferior-selftrap");
    char *argv[] = { path, (char *) how, NULL };
    gboolean has_handler = strcmp (how, "blocked") == 0;
    guint32 slot;
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, "sigprocmask", NULL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, NULL, 0);
    for (guint i = 0; i < 200 && !has_in_status (pid, "\nSigBlk:"); i++) {
        rig_do (&rig, slot, JOB_VERB_STEPI);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    }
    g_assert_true (has_in_status (pid, "\nSigBlk:"));
    for (guint i = 0; !has_handler && i < 3; i++) {
        rig_do (&rig, slot, JOB_VERB_STEPI);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    }
    rig_do (&rig, slot, JOB_VERB_DETACH);
    rig_expect (&rig, slot, JOB_STATE_LOST, NULL, 0);
    g_assert_cmpint (target_process_get_signal_use (pid, SIGTRAP), ==,
                     has_handler ? TARGET_SIGNAL_CAUGHT : TARGET_SIGNAL_DEFAULT);
    g_assert_true (has_in_status (pid, "\nSigBlk:"));
    kill (pid, SIGKILL);
    rig_close (&rig);
}

/* It has been executed. */
static pid_t
start_alone (const char *how)
{
    g_autofree char *path = rig_dup_inferior ("inferior-selftrap");
    g_autofree char *file = g_build_filename (rig.folder, "end", NULL);
    int ends[2];
    char nothing;
    pid_t pid;

    g_assert_cmpint (pipe2 (ends, O_CLOEXEC), ==, 0);
    pid = fork ();
    if (pid == 0) {
        execl (path, path, how, file, NULL);
        _exit (126);
    }
    g_assert_cmpint (pid, >, 0);
    close (ends[1]);
    g_assert_cmpint (read (ends[0], &nothing, 1), ==, 0);
    close (ends[0]);
    return pid;
}

static guint32
attach (pid_t pid)
{
    EngineRankInfo info = { .pid = pid, .size = 1, .launched = FALSE, .input_fd = -1 };
    g_autoptr (GError) error = NULL;
    guint32 slot = 0;

    g_assert_true (engine_adopt (rig.engine, &info, &slot, &error));
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    return slot;
}

/* An int3 of the program's own that a detach finds it at is not lost. */
static void
test_trapped_and_left (void)
{
    for (guint i = 0; i < 10; i++) {
        gint64 end = g_get_monotonic_time () + DEADLINE_US;
        guint32 slot;
        pid_t pid;

        rig_open (&rig, NULL);
        pid = start_alone ("often");
        while (target_process_get_signal_use (pid, SIGTRAP) != TARGET_SIGNAL_CAUGHT) {
            g_assert_cmpint (g_get_monotonic_time (), <, end);
        }
        slot = attach (pid);
        rig_handle (&rig, slot, "SIGTRAP", "nostop noprint pass");
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        for (guint j = 0; j < i; j++) {
            rig_pump (&rig, 1);
        }
        rig_do (&rig, slot, JOB_VERB_DETACH);
        rig_expect (&rig, slot, JOB_STATE_LOST, NULL, 0);
        rig_expect_told_end (&rig);
        rig_close (&rig);
    }
}

/* A process that is attached to has pddt's handler of SIGTRAP until it sets its own: that one is the program's from then
 * on, also when a step ends in the middle of posix_spawn. */
static void
test_own_after_ours (void)
{
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    guint32 slot;
    pid_t pid;

    rig_open (&rig, NULL);
    pid = start_alone ("late");
    slot = attach (pid);
    rig_handle (&rig, slot, "SIGTRAP", "nostop noprint pass");
    rig_break (&rig, slot, 1, "handle_late", NULL);
    g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_PRINT, "may_go = 1"), ==, 1);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "handle_late", 0);
    do {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_do (&rig, slot, JOB_VERB_STEPI);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    } while (!has_in_status (pid, "\nSigBlk:"));
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

static void
change_and_go_on (guint32 slot, const char *assignment)
{
    rig_do (&rig, slot, JOB_VERB_PAUSE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
    g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_PRINT, assignment), ==, 1);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
}

static void
await_in_status (pid_t pid, const char *name)
{
    gint64 end = g_get_monotonic_time () + DEADLINE_US;

    while (!has_in_status (pid, name)) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&rig, 1);
    }
}

/* Of threads that meet traps at the same time, those block SIGTRAP again, and only those, that blocked it. */
static void
test_crossing (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-selftrap");
    char *argv[] = { path, (char *) "crossing", NULL };
    guint32 slot;
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, "meet", "round == 101");
    rig_break (&rig, slot, 2, "pass", "round == 101");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    await_in_status (pid, "\nSigCgt:");
    change_and_go_on (slot, "may_go = 1");
    expect_exit (slot);
    rig_close (&rig);
}

/* An attached program that does nothing about SIGTRAP has a handler of pddt's, by which nobody sees that it has one of its
 * own now. It is asked again when it blocks the signal, before a trap can make the kernel forget its handler. */
static void
test_late_handler (void)
{
    gint64 handled_us;
    guint32 slot;
    pid_t pid;

    rig_open (&rig, NULL);
    pid = start_alone ("later");
    slot = attach (pid);
    rig_break (&rig, slot, 1, "meet", "round == 101");
    rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    await_in_status (pid, "\nSigCgt:");
    handled_us = g_get_monotonic_time ();
    change_and_go_on (slot, "may_handle = 1");
    await_in_status (pid, "\nSigBlk:");
    while (g_get_monotonic_time ()
           < handled_us + 200000) { /* it is believed for half of that */
        rig_pump (&rig, 1);
    }
    change_and_go_on (slot, "may_go = 1");
    expect_exit (slot);
    rig_close (&rig);
}

/* A trap behind a system call in the middle of which it stands, as posix_spawn makes some with all signals blocked: there
 * it cannot be asked, so it is asked behind the call. */
static void
test_blocked_in_call (gconstpointer is_attached)
{
    guint32 slot;

    rig_open (&rig, is_attached != NULL ? NULL : "main");
    if (is_attached != NULL) {
        slot = attach (start_alone ("late"));
    } else {
        slot = rig_start_inferior (&rig, "inferior-selftrap", "late");
        rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    }
    rig_handle (&rig, slot, "SIGTRAP", "nostop noprint pass");
    g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_PRINT, "may_go = 1"), ==, 1);
    rig_catch (&rig, slot, 1, "syscall getppid");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, NULL, 0);
    rig_delete (&rig, slot, 1);
    rig_do (&rig, slot, JOB_VERB_FINISH);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "handle_late", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

/* The end of a step waits behind a stop that was asked for, in a thread that blocks SIGTRAP: it is taken there, and not in the
 * place of the breakpoint that is met next. */
static void
test_step_behind_stop (gconstpointer is_paused)
{
    guint32 slot = start_at_main ("forking");

    rig_catch (&rig, slot, 1, "fork");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, NULL, 0);
    rig_break (&rig, slot, 2, "meet", "round == 0");
    rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    g_assert_true (target_thread_interrupt (engine_find_process (rig.engine, slot)->pid));
    rig_do (&rig, slot, JOB_VERB_STEPI);
    if (is_paused != NULL) {
        rig_do (&rig, slot, JOB_VERB_PAUSE);
    }
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    rig_do (&rig, slot, JOB_VERB_STEPI);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "meet", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

/* While it is asked for its handler, which takes a thread that hardly gets a processor some turns, the sampler lets it be. */
static void
test_sampled_while_asked (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-selftrap");
    char *argv[] = { path, (char *) "changing", NULL };
    JobRequest *request = job_request_new (JOB_VERB_PROFILE, NULL);
    guint32 slot;
    pid_t pid, hog;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_handle (&rig, slot, "SIGTRAP", "nostop noprint pass");
    rig_break (&rig, slot, 1, "meet", NULL);
    request->number = 1000;
    rig_send (&rig, slot, request);
    hog = rig_starve (pid);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    kill (hog, SIGKILL);
    waitpid (hog, NULL, 0);
    rig_close (&rig);
}

/* A step into a handler of another signal is no reason to unblock SIGTRAP for what the handler returns to. */
static void
test_stepped_into_handler (void)
{
    guint32 slot;
    pid_t pid;
    g_autofree char *path = rig_dup_inferior ("inferior-selftrap");

    rig_open (&rig, "main");
    slot = rig_start (&rig, (char *[]){ path, (char *) "masked", NULL }, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    await_in_status (pid, "\nSigBlk:");
    rig_do (&rig, slot, JOB_VERB_PAUSE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
    kill (pid, SIGUSR1);
    rig_do (&rig, slot, JOB_VERB_STEPI);
    rig_expect (&rig, slot, JOB_STATE_SIGNAL, NULL, 0);
    rig_do (&rig, slot, JOB_VERB_STEPI);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "on_user", 0);
    g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_PRINT, "may_go = 1"), ==, 1);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

/* A SIGTRAP of its own that waits, as the program blocks it, still waits when the program has been stepped. */
static void
test_stepped_while_pending (gconstpointer how)
{
    g_autofree char *path = rig_dup_inferior ("inferior-selftrap");
    guint32 slot;
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, (char *[]){ path, (char *) how, NULL }, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_handle (&rig, slot, "SIGTRAP", "nostop noprint pass");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    await_in_status (pid, "\nSigPnd:");
    rig_do (&rig, slot, JOB_VERB_PAUSE);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
    for (guint i = 0; i < 3; i++) {
        rig_do (&rig, slot, JOB_VERB_STEPI);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, "take_pending", 0);
    }
    rig_break (&rig, slot, 1, "meet", "round == 7");
    g_assert_cmpuint (rig_ask_number (&rig, slot, JOB_VERB_PRINT, "may_go = 1"), ==, 1);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "meet", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}

/* A program that lets signals in while it waits comes out of that by steps, too. */
static void
test_stepped_suspend (void)
{
    guint n_steps = 0;
    guint32 slot = start_at_main ("suspended");

    rig_catch (&rig, slot, 1, "syscall rt_sigsuspend");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, NULL, 0);
    rig_delete (&rig, slot, 1);
    do {
        g_assert_cmpuint (++n_steps, <, 50);
        rig_do (&rig, slot, JOB_VERB_STEPI);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    } while (rig_ask_number (&rig, slot, JOB_VERB_PRINT, "n_users") == 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_exit (slot);
    rig_close (&rig);
}
int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_data_func ("/engine/own-trap/own-trap", "trap", test_own_trap);
    g_test_add_data_func ("/engine/own-trap/own-trap-of-thread", "trap-thread", test_own_trap);
    g_test_add_data_func ("/engine/own-trap/own-flag", "flag", test_raised_trap);
    g_test_add_data_func ("/engine/own-trap/own-int3", "int3", test_raised_trap);
    g_test_add_data_func ("/engine/own-trap/own-kill", "kill", test_raised_trap);
    g_test_add_data_func ("/engine/own-trap/own-queued", "queued", test_raised_trap);
    g_test_add_data_func ("/engine/own-trap/own-queued-step", "step-queued", test_raised_trap);
    g_test_add_func ("/engine/own-trap/own-flag-stepped", test_own_flag_stepped);
    g_test_add_func ("/engine/own-trap/pushed-flags", test_pushed_flags);
    g_test_add_func ("/engine/own-trap/stepped-call", test_stepped_call);
    g_test_add_data_func ("/engine/own-trap/stepped-and-left", "blocked",
                          test_stepped_and_left);
    g_test_add_data_func ("/engine/own-trap/stepped-behind-and-left", "waiting",
                          test_stepped_and_left);
    g_test_add_func ("/engine/own-trap/trapped-and-left", test_trapped_and_left);
    g_test_add_func ("/engine/own-trap/own-after-ours", test_own_after_ours);
    g_test_add_data_func ("/engine/own-trap/blocked-in-call", NULL, test_blocked_in_call);
    g_test_add_data_func ("/engine/own-trap/blocked-in-call-attached", "",
                          test_blocked_in_call);
    g_test_add_func ("/engine/own-trap/stepped-into-handler", test_stepped_into_handler);
    g_test_add_func ("/engine/own-trap/stepped-suspend", test_stepped_suspend);
    g_test_add_data_func ("/engine/own-trap/stepped-while-pending", "pending",
                          test_stepped_while_pending);
    g_test_add_data_func ("/engine/own-trap/stepped-while-waiting", "waiting",
                          test_stepped_while_pending);
    g_test_add_func ("/engine/own-trap/trap-in-handler", test_trap_in_handler);
    g_test_add_data_func ("/engine/own-trap/kept-ignored", "ignored", test_kept_action);
    g_test_add_data_func ("/engine/own-trap/kept-blocked", "blocked", test_kept_action);
    g_test_add_func ("/engine/own-trap/late-handler", test_late_handler);
    g_test_add_data_func ("/engine/own-trap/step-behind-stop", NULL, test_step_behind_stop);
    g_test_add_data_func ("/engine/own-trap/step-behind-pause", "", test_step_behind_stop);
    g_test_add_func ("/engine/own-trap/sampled-while-asked", test_sampled_while_asked);
    g_test_add_func ("/engine/own-trap/blocked-meanwhile", test_blocked_meanwhile);
    g_test_add_func ("/engine/own-trap/crossing", test_crossing);
    return g_test_run ();
}
