/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls into a stopped rank: the value comes back, and nothing of the rank has changed. */
#include "engine/private.h"
#include "rig.h"
#include <string.h>

static void
test_values (void)
{
    Rig rig;
    guint32 slot;
    EngineProcess *process;
    EngineThread *thread;
    TargetRegisters before, after;
    guint64 function, value = 0;
    g_autoptr (GError) error = NULL;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-steps", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    process = engine_find_process (rig.engine, slot);
    thread = process->stop_thread;
    g_assert_true (engine_process_find_symbol (process, "add", &function));
    g_assert_true (engine_thread_load_registers (thread));
    before = thread->registers;
    for (guint i = 0; i < 50; i++) {
        g_assert_true (engine_call (thread, function, 40, i, 5000, &value, &error));
        g_assert_no_error (error);
        g_assert_cmpuint ((guint32) value, ==, 40 + i);
    }
    g_assert_true (engine_thread_load_registers (thread));
    after = thread->registers;
    g_assert_cmpmem (&before, sizeof before, &after, sizeof after);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

/* A breakpoint inside does not stop the call; a fault ends it. */
static void
test_in_the_way (void)
{
    Rig rig;
    guint32 slot;
    EngineProcess *process;
    guint64 function, value = 0;
    g_autoptr (GError) error = NULL;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-steps", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, "factorial", NULL);
    process = engine_find_process (rig.engine, slot);
    g_assert_true (engine_process_find_symbol (process, "factorial", &function));
    g_assert_true (engine_call (process->stop_thread, function, 6, 0, 5000, &value, &error));
    g_assert_cmpuint (value, ==, 720);
    g_assert_false (engine_call (process->stop_thread, 16, 0, 0, 5000, &value, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_FAULT);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "factorial", 0);
    rig_close (&rig);
}

/* It interrupts a system call that goes on afterwards; a call without end is given up. */
static void
test_in_sleep (void)
{
    Rig rig;
    guint32 slot;
    EngineProcess *process;
    guint64 function, value = 0;
    g_autoptr (GError) error = NULL;

    rig_open (&rig, "none");
    slot = rig_start_inferior (&rig, "inferior-signals", "sleep");
    rig_wait (&rig, slot, JOB_EVENT_STATE);
    process = engine_find_process (rig.engine, slot);
    for (gint64 end = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;;) {
        g_assert_true (engine_process_halt (process));
        if (engine_process_find_symbol (process, "pause", &function)) {
            break;
        }
        engine_process_release (process);
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&rig, 10);
    }
    g_assert_false (engine_call (engine_process_get_main (process), function, 0, 0, 50, &value, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_TIMEOUT);
    g_clear_error (&error);
    g_assert_true (engine_process_find_symbol (process, "getpid", &function));
    g_assert_true (engine_call (engine_process_get_main (process), function, 0, 0, 5000, &value, &error));
    g_assert_cmpint ((gint) value, ==, process->pid);
    engine_process_release (process);
    rig_pump (&rig, 20);
    g_assert_cmpuint (engine_get_n_ranks (rig.engine), ==, 1);
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/call/values", test_values);
    g_test_add_func ("/engine/call/in-the-way", test_in_the_way);
    g_test_add_func ("/engine/call/in-sleep", test_in_sleep);
    return g_test_run ();
}
