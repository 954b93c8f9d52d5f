/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step by step through a program: after each instruction the stack reaches the program's start, and
 * the rule for where its innermost frame begins says what the walk says; the walk by rows and libunwind's find the
 * same in every frame, whatever registers are known. Every so often the same
 * thread is walked by libunwind alone, with its own accessors. PDDT_STEPS steps, 4,000 without. */
#include "inferior.h"
#include "stack/modules-private.h"
#include "target/process.h"
#include <libunwind-ptrace.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAMPLE 97u
#define MAX_DEPTH 256u

typedef struct {
    Inferior *inferior;
    unw_addr_space_t space;
    void *upt;
    guint64 outermost; /* pc of the frame that is nobody's */
    guint n_rules, n_signals, n_samples, max_depth;
    guint n_partial, n_calls,
        n_partial_calls; /* of those that wait, as far as sp and pc tell */
} Walk;

/* FALSE: it has ended. Signals on the way are given to it. */
static gboolean
step (pid_t pid)
{
    int signal = 0, status;

    for (guint i = 0; i < 16; i++) {
        g_assert_true (target_thread_step (pid, signal));
        g_assert_cmpint (waitpid (pid, &status, __WALL), ==, pid);
        if (!WIFSTOPPED (status)) {
            return FALSE;
        }
        if (status >> 8 == SIGTRAP) {
            return TRUE;
        }
        signal = status >> 16 == 0 ? WSTOPSIG (status) : 0;
    }
    g_assert_not_reached ();
}

static void
compare_with_oracle (Walk *walk, const GArray *frames)
{
    unw_cursor_t cursor;
    guint depth = 0;

    g_assert_cmpint (unw_init_remote (&cursor, walk->space, walk->upt), ==, 0);
    do {
        unw_word_t pc, sp;

        g_assert_cmpint (unw_get_reg (&cursor, UNW_REG_IP, &pc), ==, 0);
        g_assert_cmpint (unw_get_reg (&cursor, UNW_REG_SP, &sp), ==, 0);
        if (pc == 0) {
            break;
        }
        g_assert_cmpuint (depth, <, frames->len);
        g_assert_cmphex (g_array_index (frames, StackNativeFrame, depth).pc, ==, pc);
        g_assert_cmphex (g_array_index (frames, StackNativeFrame, depth).sp, ==, sp);
        depth++;
    } while (depth < MAX_DEPTH && unw_step (&cursor) > 0);
    g_assert_cmpuint (depth, ==, frames->len);
    walk->n_samples++;
}

static void
check_rule (Walk *walk, const MachineRegisters *registers, const StackNativeFrame *innermost)
{
    StackCfaRule rule;
    guint64 value;

    if (stack_find_cfa_rule (walk->inferior->modules, machine_registers_get_pc (registers),
                             &rule)) {
        g_assert_true (machine_registers_get (registers, rule.number, &value));
        if (value + (guint64) rule.offset != innermost->cfa) {
            g_error ("at 0x%lx the frame begins at register %u + %d, which is not 0x%lx",
                     (gulong) machine_registers_get_pc (registers), rule.number,
                     (int) rule.offset, (gulong) innermost->cfa);
        }
        walk->n_rules++;
    }
}

/* Whose tables the oracle does not find. */
static gboolean
is_in_vdso (Walk *walk, guint64 pc)
{
    const StackModule *module = stack_modules_find (walk->inferior->modules, pc);

    return module != NULL && strcmp (module->path, "[vdso]") == 0;
}

/* Below __longjmp, whose table counts from the jump's buffer (in one place by an expression), the oracle takes that
 * for the stack; a signal may have come there. */
static gboolean
is_in_jump (Walk *walk, const GArray *frames)
{
    for (guint i = 0; i < frames->len; i++) {
        const StackNativeFrame *frame = &g_array_index (frames, StackNativeFrame, i);
        StackCfaRule rule;

        if ((i == 0 || frame->is_signal)
            && (!stack_find_cfa_rule (walk->inferior->modules, frame->pc, &rule)
                || (rule.number != UNW_X86_64_RSP && rule.number != UNW_X86_64_RBP))) {
            return TRUE;
        }
    }
    return FALSE;
}

/* A thread that waits tells no other registers: what is known without them is that much of the same stack, and marked
 * where it ends early. */
static void
check_waiting (Walk *walk, const MachineRegisters *registers, const GArray *frames)
{
    MachineRegisters known;
    guint64 pc = machine_registers_get_pc (registers), word = 0;
    g_autoptr (GArray) waiting = NULL;
    gboolean is_call;

    machine_registers_fill_waiting (&known, -1, NULL, machine_registers_get_sp (registers), pc);
    waiting = stack_unwind_waiting (walk->inferior->modules, walk->inferior->memory, &known);
    g_assert_cmpuint (waiting->len, <=, frames->len);
    for (guint i = 0; i < waiting->len; i++) {
        const StackNativeFrame *frame = &g_array_index (waiting, StackNativeFrame, i),
                               *oracle = &g_array_index (frames, StackNativeFrame, i);

        if (frame->pc != oracle->pc || frame->sp != oracle->sp) {
            g_error ("at 0x%lx frame %u is 0x%lx, which was never there: 0x%lx is", (gulong) pc,
                     i, (gulong) frame->pc, (gulong) oracle->pc);
        }
    }
    if (waiting->len < frames->len
        && !g_array_index (waiting, StackNativeFrame, waiting->len - 1).is_incomplete) {
        g_error ("at 0x%lx the stack ends after %u of %u frames, unmarked", (gulong) pc,
                 waiting->len, frames->len);
    }
    base_memory_read_u64 (walk->inferior->memory, pc - 2, &word, NULL);
    is_call = (word & 0xffff) == 0x050f;
    walk->n_calls += is_call;
    walk->n_partial += waiting->len < frames->len;
    walk->n_partial_calls += is_call && waiting->len < frames->len;
}

/* All that each frame tells: registers, which of them are known, where they were saved. */
static void
check_library (Walk *walk, const MachineRegisters *registers, guint32 known)
{
    StackModules *modules = walk->inferior->modules;
    BaseMemoryReader *memory = walk->inferior->memory;
    g_autoptr (GArray) ours = stack_unwind_known (modules, memory, registers, known, 0);
    g_autoptr (GArray) theirs = stack_unwind_by_library (modules, memory, registers, known);

    g_assert_cmpuint (ours->len, ==, theirs->len);
    for (guint i = 0; i < ours->len; i++) {
        if (memcmp (&g_array_index (ours, StackNativeFrame, i),
                    &g_array_index (theirs, StackNativeFrame, i), sizeof (StackNativeFrame))
            != 0) {
            g_error ("at 0x%lx frame %u is not as libunwind has it, with registers 0x%x",
                     (gulong) machine_registers_get_pc (registers), i, known);
        }
    }
}

static void
check_stack (Walk *walk, guint number)
{
    MachineRegisters registers;
    g_autoptr (GArray) frames = NULL;
    const StackNativeFrame *outermost;

    g_assert_true (target_thread_get_registers (walk->inferior->pid, &registers));
    frames = stack_unwind (walk->inferior->modules, walk->inferior->memory, &registers, 0);
    g_assert_cmpuint (frames->len, >, 0);
    outermost = &g_array_index (frames, StackNativeFrame, frames->len - 1);
    walk->outermost = walk->outermost != 0 ? walk->outermost : outermost->pc;
    if (outermost->is_incomplete || outermost->pc != walk->outermost) {
        const StackModule *module = stack_modules_find (walk->inferior->modules, outermost->pc);

        g_error ("after %u steps, at 0x%lx, the stack ends after %u frames at %s+0x%lx", number,
                 (gulong) machine_registers_get_pc (&registers), frames->len,
                 module != NULL ? module->path : "?",
                 (gulong) (outermost->pc - (module != NULL ? module->bias : 0)));
    }
    for (guint i = 0; i < frames->len; i++) {
        g_assert_false (g_array_index (frames, StackNativeFrame, i).is_incomplete);
        walk->n_signals += g_array_index (frames, StackNativeFrame, i).is_signal;
    }
    walk->max_depth = MAX (walk->max_depth, frames->len);
    check_library (walk, &registers, (1u << MACHINE_N_GENERAL) - 1);
    check_library (walk, &registers, 1u << machine_sp_number | 1u << machine_pc_number);
    check_rule (walk, &registers, &g_array_index (frames, StackNativeFrame, 0));
    if (!is_in_jump (walk, frames)) {
        check_waiting (walk, &registers, frames);
    }
    if (number % SAMPLE == 0 && !is_in_vdso (walk, machine_registers_get_pc (&registers))
        && !is_in_jump (walk, frames)) {
        compare_with_oracle (walk, frames);
    }
}

static void
test_walk (gconstpointer data)
{
    const char *wanted = g_getenv ("PDDT_STEPS");
    guint n_steps = wanted != NULL ? (guint) atoi (wanted) : 4000;
    g_autofree char *program = g_test_build_filename (G_TEST_BUILT, data, NULL);
    Walk walk = { .inferior = inferior_start ((const char *[]){ program, NULL }) };

    inferior_stop (walk.inferior, NULL);
    walk.space = unw_create_addr_space (&_UPT_accessors, 0);
    walk.upt = _UPT_create (walk.inferior->pid);
    close (walk.inferior->input);
    walk.inferior->input = -1;
    for (guint i = 0; i < n_steps; i++) {
        g_assert_true (step (walk.inferior->pid));
        check_stack (&walk, i);
    }
    g_test_message ("%u steps, %u rules, %u samples, %u frames of signals, %u deep", n_steps,
                    walk.n_rules, walk.n_samples, walk.n_signals, walk.max_depth);
    g_test_message ("%u calls of the kernel, %u of their stacks end early; of all %u",
                    walk.n_calls, walk.n_partial_calls, walk.n_partial);
    g_assert_cmpuint (walk.n_calls, >=, 4);
    g_assert_cmpuint (walk.n_partial_calls, <=,
                      walk.n_calls / 2); /* arrays of any size, alignment */
    g_assert_cmpuint (walk.n_rules, >, n_steps * 9 / 10);
    g_assert_cmpuint (walk.n_samples, >, n_steps / SAMPLE / 2);
    _UPT_destroy (walk.upt);
    unw_destroy_addr_space (walk.space);
    inferior_free (walk.inferior);
}

int
main (int argc, char **argv)
{
    static const char *const programs[] = { "walker", "walker-O0", "walker-O3" };

    g_test_init (&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (programs); i++) {
        g_autofree char *path = g_strconcat ("/stack/", programs[i], NULL);

        g_test_add_data_func (path, programs[i], test_walk);
    }
    return g_test_run ();
}
