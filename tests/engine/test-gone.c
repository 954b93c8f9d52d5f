/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that go while something is under way with them: nothing that the engine keeps names them afterwards. */
#include "engine/control/control.h"
#include "failing.h"
#include "rig.h"
#include <glib/gstdio.h>
#include <string.h>
#include <sys/syscall.h>

#define DEADLINE_US (120 * G_USEC_PER_SEC)

static Rig rig;
static guint32 slot;
static char *go; /* a file that the inferior waits for */

/* The engine knows of the breakpoint that the other thread has met, and is about to stop this one. It
 * executes a program, and waits for the others, which the kernel has killed, to be gone. */
static void
await_exec (pid_t tid)
{
    g_autofree char *stat = g_strdup_printf ("/proc/%d/stat", (int) tid);
    g_autofree char *call = g_strdup_printf ("/proc/%d/syscall", (int) tid);
    g_autofree char *wanted = g_strdup_printf ("%d ", (int) SYS_execve);
    gint64 end = g_get_monotonic_time () + DEADLINE_US;

    g_assert_true (g_file_set_contents (go, "", 0, NULL));
    for (;;) {
        g_autofree char *state = NULL, *made = NULL;

        if (g_file_get_contents (stat, &state, NULL, NULL) && strstr (state, ") D ") != NULL
            && g_file_get_contents (call, &made, NULL, NULL)
            && g_str_has_prefix (made, wanted)) {
            return;
        }
        g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
}

static void
wait_for_answer (guint64 id)
{
    gint64 end = g_get_monotonic_time () + DEADLINE_US;

    for (;;) {
        for (guint i = 0; i < rig.events->len; i++) {
            const JobEvent *event = g_ptr_array_index (rig.events, i);

            if (event->request == id && event->final) {
                return;
            }
        }
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&rig, 10);
    }
}

/* Whoever made the last stop is one of the threads that there are, or nobody. */
static void
expect_known (void)
{
    const EngineProcess *process = engine_find_process (rig.engine, slot);
    EngineThread *stopped = engine_process_get_stopped (process);
    EngineThread *selected = engine_process_get_selected (process);

    g_assert_true (stopped == NULL || g_ptr_array_find (process->threads, stopped, NULL));
    g_assert_true (selected == NULL || g_ptr_array_find (process->threads, selected, NULL));
}

/* A thread has met a breakpoint, and while the others are to stop for that the first one executes a program. */
static void
test_replaced (void)
{
    rig_open (&rig, "main");
    go = g_build_filename (rig.folder, "go", NULL);
    slot = rig_start_inferior (&rig, "inferior-replaced", go);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, "hit", NULL);
    rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    failing_before_interrupt (await_exec);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL,
                0); /* at no breakpoint: the one who met it has gone */
    failing_before_interrupt (NULL);
    expect_known ();
    for (guint i = 0; i < 2; i++) { /* what has gone is freed with the first */
        wait_for_answer (rig_do (&rig, slot, JOB_VERB_WHERE));
        expect_known ();
    }
    rig_delete (&rig, slot, 1);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_do (&rig, slot, JOB_VERB_PAUSE);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    rig_do (&rig, slot, JOB_VERB_KILL);
    rig_expect (&rig, slot, JOB_STATE_FAILED, NULL, 0);
    g_assert_cmpint (g_unlink (go), ==, 0);
    g_clear_pointer (&go, g_free);
    rig_close (&rig);
}

/* A process that shares the rank's memory is stepped, and executes a program: the rank stands, and says why. */
static void
test_stepped_sharer (void)
{
    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-shares", "exec");
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, "help", NULL);
    rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "help", 0);
    rig_delete (&rig, slot, 1);
    for (guint i = 0; i < 2; i++) {
        rig_do (&rig, slot, JOB_VERB_NEXT);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, "help", 0);
    }
    rig_do (&rig, slot, JOB_VERB_NEXT);
    g_assert_cmpstr (rig_wait (&rig, slot, JOB_EVENT_NOTICE)->text, ==,
                     "the thread that was stepped has ended");
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    expect_known ();
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/gone/replaced", test_replaced);
    g_test_add_func ("/engine/gone/stepped-sharer", test_stepped_sharer);
    return g_test_run ();
}
