/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel tells the stack pointer and the pc of a thread that waits in it, and nothing else. Most
 * stacks can be unwound from these alone; a function that addresses its frame by the frame pointer
 * needs that, if the functions inside it have not saved it. It then stands on the stack itself, in
 * what the function has pushed when it began: the outer function's frame pointer, and above it the
 * address to which it returns, after a call of just this function. */
#include "stack/modules-private.h"
#include <string.h>

#define SEARCHED_WORDS 8192u
#define MAX_TRIES 16u
#define PUSHED_BYTES 16 /* frame pointer and return address, below the CFA */

/* The frame where the walk has ended for want of a frame pointer. FALSE: there is none. */
static gboolean
find_end (StackModules *modules, const GArray *native, StackNativeFrame *ret_frame,
          guint64 *ret_pc)
{
    StackCfaRule rule;

    for (guint i = 0; i < native->len; i++) {
        const StackNativeFrame *frame = &g_array_index (native, StackNativeFrame, i);

        if (frame->is_incomplete) {
            *ret_frame = *frame;
            *ret_pc = i == 0 || frame->is_signal ? frame->pc : frame->pc - 1;
            return stack_find_cfa_rule (modules, *ret_pc, &rule)
                   && rule.number == machine_fp_number && rule.offset == PUSHED_BYTES
                   && (i == 0 || (frame->unsaved & 1u << machine_fp_number) != 0);
        }
    }
    return FALSE;
}

static gboolean
is_whole (const GArray *native)
{
    for (guint i = 0; i < native->len; i++) {
        if (g_array_index (native, StackNativeFrame, i).is_incomplete) {
            return FALSE;
        }
    }
    return native->len > 0;
}

/* What is pushed at `address` may be there since the function at pc began. */
static gboolean
is_entry (StackModules *modules, BaseMemoryReader *memory, guint64 pc, guint64 address,
          const guint64 *pushed)
{
    guint64 entry;

    return (pushed[0] > address || pushed[0] <= 1)
           && stack_modules_find_entry (modules, pushed[1]) != NULL
           && stack_find_entry (modules, memory, pc, pushed[1], &entry) != STACK_ENTRY_OTHER;
}

GArray *
stack_unwind_waiting (StackModules *modules, BaseMemoryReader *memory,
                      const MachineRegisters *registers)
{
    g_autoptr (GArray) native = stack_unwind (modules, memory, registers, 0);
    g_autofree guint64 *words = NULL;
    StackNativeFrame end;
    guint64 pc;
    gsize n;

    if (!find_end (modules, native, &end, &pc)) {
        return g_steal_pointer (&native);
    }
    words = g_new (guint64, SEARCHED_WORDS);
    n = base_memory_read_some (memory, end.sp, words, SEARCHED_WORDS * sizeof *words)
        / sizeof *words;
    for (guint i = 0, n_tries = 0; i + 1 < n && n_tries < MAX_TRIES; i++) {
        guint64 address = end.sp + i * sizeof *words;
        MachineRegisters tried = *registers;
        g_autoptr (GArray) found = NULL;

        if (!is_entry (modules, memory, pc, address, words + i)) {
            continue;
        }
        n_tries++;
        machine_registers_set (&tried, machine_fp_number, address);
        found = stack_unwind (modules, memory, &tried, 0);
        if (is_whole (found)) {
            return g_steal_pointer (&found);
        }
    }
    return g_steal_pointer (&native);
}
