/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program whose waits are looked at as the sampler does it, by what the kernel tells of a thread that waits: its stack is
 * the one that all of its registers tell, or a beginning of that which is marked as cut; and that is rare. Programs of gcc
 * at each level, with and without frame pointers, and Python. PDDT_WAITS of each, 200 without. */
#include "inferior.h"
#include "machine/call.h"
#include "stack/modules-private.h"
#include "target/process.h"
#include "target/system-calls.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_CUT 2 /* of a hundred */

/* To its next entry into the kernel. */
static void
go_to_call (pid_t pid, TargetSystemCall *ret_call)
{
    int signal = 0, status;

    do {
        g_assert_true (target_thread_continue_to_call (pid, signal));
        g_assert_cmpint (waitpid (pid, &status, __WALL), ==, pid);
        g_assert_true (WIFSTOPPED (status));
        signal = status >> 16 == 0 && WSTOPSIG (status) != (SIGTRAP | 0x80) ? WSTOPSIG (status)
                                                                            : 0;
    } while (!target_thread_get_system_call (pid, ret_call) || !ret_call->is_entry);
}

static GArray *
unwind_waiting (Inferior *inferior, const MachineRegisters *registers)
{
    guint64 arguments[MACHINE_N_ARGUMENTS];
    MachineRegisters told;

    for (guint i = 0; i < MACHINE_N_ARGUMENTS; i++) {
        arguments[i] = machine_registers_get_system_argument (registers, i);
    }
    machine_registers_fill_waiting (&told, machine_registers_get_system_call (registers),
                                    arguments, machine_registers_get_sp (registers),
                                    machine_registers_get_pc (registers));
    return stack_unwind_waiting (inferior->modules, inferior->memory, &told);
}

/* TRUE: the stack is cut. */
static gboolean
check_wait (Inferior *inferior, const TargetSystemCall *call)
{
    g_autoptr (GArray) whole = NULL, waiting = NULL;
    MachineRegisters registers;
    guint i = 0;

    target_memory_forget_cache (inferior->memory);
    g_assert_true (target_thread_get_registers (inferior->pid, &registers));
    whole = stack_unwind (inferior->modules, inferior->memory, &registers, 0);
    waiting = unwind_waiting (inferior, &registers);
    while (i < MIN (whole->len, waiting->len)
           && g_array_index (whole, StackNativeFrame, i).pc
                  == g_array_index (waiting, StackNativeFrame, i).pc
           && g_array_index (whole, StackNativeFrame, i).sp
                  == g_array_index (waiting, StackNativeFrame, i).sp) {
        i++;
    }
    if (i < waiting->len) {
        g_error ("in %s frame %u is 0x%lx, which was never there",
                 target_system_call_get_name (call->number), i,
                 (gulong) g_array_index (waiting, StackNativeFrame, i).pc);
    }
    if (i < whole->len && !g_array_index (waiting, StackNativeFrame, i - 1).is_incomplete) {
        g_error ("in %s the stack ends after %u of %u frames, unmarked",
                 target_system_call_get_name (call->number), i, whole->len);
    }
    return i < whole->len;
}

static void
test_waits (gconstpointer data)
{
    const char *wanted = g_getenv ("PDDT_WAITS");
    guint n = wanted != NULL ? (guint) atoi (wanted) : 200, n_cut = 0;
    gboolean is_script = g_str_has_suffix (data, ".py");
    g_autofree char *program = g_test_build_filename (is_script ? G_TEST_DIST : G_TEST_BUILT,
                                                      data, NULL);
    g_autofree char *seed = g_strdup_printf ("%u", g_test_rand_int () >> 1);
    const char *script[] = { "/usr/bin/python3", program, seed, NULL };
    Inferior *inferior = inferior_start (is_script ? script : script + 1);

    inferior_stop (inferior, NULL);
    close (inferior->input);
    inferior->input = -1;
    for (guint i = 0; i < n; i++) {
        TargetSystemCall call;

        go_to_call (inferior->pid, &call);
        n_cut += check_wait (inferior, &call);
    }
    g_test_message ("%u of %u stacks are cut", n_cut, n);
    g_assert_cmpuint (100 * n_cut, <=, MOST_CUT * n);
    inferior_free (inferior);
}

int
main (int argc, char **argv)
{
    static const char *const programs[] = { "waiter-O0",    "waiter-O1",    "waiter-O2",
                                            "waiter-O3",    "waiter-O0-fp", "waiter-O1-fp",
                                            "waiter-O2-fp", "waiter-O3-fp", "waiter.py" };

    g_test_init (&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (programs); i++) {
        g_autofree char *path = g_strconcat ("/stack/waits/", programs[i], NULL);

        g_test_add_data_func (path, programs[i], test_waits);
    }
    return g_test_run ();
}
