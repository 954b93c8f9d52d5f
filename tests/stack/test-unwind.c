/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Native unwinding against gdb: pc, stack pointer and preserved registers of every frame. */
#include "inferior.h"
#include "target/process.h"
#include "target/maps.h"
#include <string.h>

#define N_WORDS 8u

/* In the order of the question to gdb; DWARF numbers. */
static const guint numbers[N_WORDS] = { 16, 7, 3, 6, 12, 13, 14, 15 };

static const char *const questions[] = {
    "set backtrace past-main on",
    "set backtrace past-entry on",
    "set pagination off",
    "frame apply all -q python gdb.selected_frame().type() == gdb.TAILCALL_FRAME or "
    "gdb.execute ('printf \"row %lx %lx %lx %lx %lx %lx %lx %lx\\\\n\", "
    "$pc, $sp, $rbx, $rbp, $r12, $r13, $r14, $r15')",
    NULL,
};

/* gdb's frames as rows of N_WORDS words, without tail calls, which are made up from debug information. Rows of one
 * stack pointer are one physical frame: inlined functions repeat it; the outermost counts. */
static GArray *
parse_gdb (const char *output)
{
    GArray *words = g_array_new (FALSE, FALSE, sizeof (guint64) * N_WORDS);
    guint64 last_sp = 0;

    for (const char *at = strstr (output, "row "); at != NULL; at = strstr (at, "row ")) {
        guint64 row[N_WORDS];
        char *end = (char *) at + strlen ("row ");

        for (guint i = 0; i < N_WORDS; i++) {
            row[i] = g_ascii_strtoull (end, &end, 16);
        }
        if (words->len > 0 && row[1] == last_sp) {
            g_array_set_size (words, words->len - 1);
        }
        g_array_append_val (words, row);
        last_sp = row[1];
        at = end;
    }
    return words;
}

static void
compare_with_gdb (const GArray *frames, const GArray *expected)
{
    g_assert_cmpuint (frames->len, ==, expected->len);
    for (guint i = 0; i < frames->len; i++) {
        const StackNativeFrame *frame = &g_array_index (frames, StackNativeFrame, i);
        const guint64 *row = (const guint64 *) (expected->data + i * N_WORDS * 8);

        for (guint j = 0; j < N_WORDS; j++) {
            guint number = numbers[j];

            /* The program's start has nothing outside, and rules that say so. */
            if (i + 1 < frames->len || j < 2) {
                g_assert_true ((frame->valid & 1u << number) != 0);
                g_assert_cmphex (frame->registers[number], ==, row[j]);
            }
        }
        g_assert_cmphex (frame->pc, ==, row[0]);
        g_assert_cmphex (frame->sp, ==, row[1]);
        if (i + 1 < frames->len) {
            g_assert_cmphex (frame->cfa, ==, (row + N_WORDS)[1]);
        }
        g_assert_false (frame->is_incomplete);
    }
}

static void
check_registers (const GArray *frames, gboolean has_signal)
{
    guint n_signals = 0;

    for (guint i = 0; i < frames->len; i++) {
        const StackNativeFrame *frame = &g_array_index (frames, StackNativeFrame, i);
        gboolean knows_rax = (frame->valid & 1u) != 0;

        n_signals += frame->is_signal;
        /* What a callee may destroy is known innermost, and where a signal came. */
        g_assert_cmpint (knows_rax, ==, i == 0 || frame->is_signal);
    }
    g_assert_cmpuint (n_signals, ==, has_signal ? 1 : 0);
}

static void
check_limits (Inferior *inferior, const MachineRegisters *registers, const GArray *all)
{
    for (guint n = 1; n < 4; n++) {
        g_autoptr (GArray) some = stack_unwind (inferior->modules, inferior->memory, registers,
                                                n);
        const StackNativeFrame *last = &g_array_index (some, StackNativeFrame, n - 1);

        g_assert_cmpuint (some->len, ==, n);
        g_assert_cmphex (last->cfa, ==, g_array_index (all, StackNativeFrame, n - 1).cfa);
    }
}

static void
test_native (gconstpointer data)
{
    const char *variant = data;
    g_auto (GStrv) words = g_strsplit (variant, " ", 2);
    g_autofree char *program = g_test_build_filename (G_TEST_BUILT, words[0], NULL);
    const char *arguments[] = { program, words[1], NULL };
    Inferior *inferior = inferior_start (arguments);
    g_autofree char *answer = inferior_ask_gdb (inferior, questions);
    g_autoptr (GArray) frames = NULL;
    g_autoptr (GArray) again = NULL;
    MachineRegisters registers;

    inferior_stop (inferior, NULL);
    g_assert_true (target_thread_get_registers (inferior->pid, &registers));
    frames = stack_unwind (inferior->modules, inferior->memory, &registers, 0);
    again = stack_unwind (inferior->modules, inferior->memory, &registers, 0);
    g_assert_cmpuint (frames->len, ==, again->len);
    g_assert_cmpmem (frames->data, frames->len * sizeof (StackNativeFrame), again->data,
                     again->len * sizeof (StackNativeFrame));
    check_registers (frames, strcmp (words[1], "signal") == 0);
    check_limits (inferior, &registers, frames);
    if (answer != NULL) {
        g_autoptr (GArray) expected = parse_gdb (answer);

        compare_with_gdb (frames, expected);
    } else {
        g_test_skip ("gdb is not there to compare with");
    }
    inferior_free (inferior);
}

/* An address in the program's data, which cannot be run. */
static guint64
find_data (const Inferior *inferior)
{
    g_autoptr (GArray) maps = target_maps_read (inferior->pid, NULL);

    for (guint i = 0; i < maps->len; i++) {
        const TargetMap *map = &g_array_index (maps, TargetMap, i);

        if (!map->executable && map->writable && strstr (map->path, "nested-O0") != NULL) {
            return map->start + 16;
        }
    }
    g_error ("no data");
}

/* The system call in the C library's clone3, which no unwind table tells of; 0: it has none. */
static guint64
find_clone (const Inferior *inferior)
{
    for (guint i = 0; i < stack_modules_get_count (inferior->modules); i++) {
        StackModule *module = stack_modules_get (inferior->modules, i);
        IndexImage *image = stack_module_open_image (inferior->modules, module);
        guint64 address, size;
        guint8 code[64];

        if (image == NULL
            || (!index_image_find_symbol (image, "__clone3", &address, &size)
                && !index_image_find_symbol (image, "clone3", &address, &size))) {
            continue;
        }
        address += module->bias;
        g_assert_cmpuint (base_memory_read_some (inferior->memory, address, code, sizeof code),
                          ==, sizeof code);
        for (guint at = 0; at + 1 < sizeof code; at++) {
            if (code[at] == 0x0f && code[at + 1] == 0x05) {
                return address + at;
            }
        }
    }
    return 0;
}

static void
compare_outer (Inferior *inferior, const MachineRegisters *registers, const GArray *frames)
{
    g_autoptr (GArray) wild = stack_unwind (inferior->modules, inferior->memory, registers, 0);

    g_assert_cmpuint (wild->len, ==, frames->len);
    g_assert_false (g_array_index (wild, StackNativeFrame, 0).is_incomplete);
    for (guint i = 1; i < frames->len; i++) {
        g_assert_cmphex (g_array_index (wild, StackNativeFrame, i).pc, ==,
                         g_array_index (frames, StackNativeFrame, i).pc);
    }
}

static void
test_wild_call (void)
{
    g_autofree char *program = g_test_build_filename (G_TEST_BUILT, "nested-O0", NULL);
    const char *arguments[] = { program, "plain", NULL };
    Inferior *inferior = inferior_start (arguments);
    g_autoptr (GArray) frames = NULL;
    MachineRegisters registers;

    inferior_stop (inferior, NULL);
    g_assert_true (target_thread_get_registers (inferior->pid, &registers));
    frames = stack_unwind (inferior->modules, inferior->memory, &registers, 0);
    /* As if the second frame had called address 16: the return address is on top. */
    machine_registers_set_sp (&registers, g_array_index (frames, StackNativeFrame, 0).cfa - 8);
    registers.rbp = g_array_index (frames, StackNativeFrame, 1).registers[6];
    machine_registers_set_pc (&registers, 16);
    compare_outer (inferior, &registers, frames);
    machine_registers_set_pc (&registers, find_data (inferior));
    compare_outer (inferior, &registers, frames);
    /* As if it were making a thread; and as if it were the thread that is made, which has no caller. */
    machine_registers_set_pc (&registers, find_clone (inferior));
    if (machine_registers_get_pc (&registers) != 0) {
        g_autoptr (GArray) alone = NULL;

        compare_outer (inferior, &registers, frames);
        machine_registers_set_sp (&registers, find_data (inferior));
        machine_registers_set_result (&registers, 0);
        alone = stack_unwind (inferior->modules, inferior->memory, &registers, 0);
        g_assert_cmpuint (alone->len, ==, 1);
        g_assert_false (g_array_index (alone, StackNativeFrame, 0).is_incomplete);
        machine_registers_set_result (&registers, 1);
        g_array_unref (alone);
        alone = stack_unwind (inferior->modules, inferior->memory, &registers, 0);
        g_assert_true (g_array_index (alone, StackNativeFrame, alone->len - 1).is_incomplete);
    }
    inferior_free (inferior);
}

static void
test_broken (void)
{
    g_autofree char *program = g_test_build_filename (G_TEST_BUILT, "nested-O0", NULL);
    const char *arguments[] = { program, "plain", NULL };
    Inferior *inferior = inferior_start (arguments);
    g_autoptr (Stack) stack = NULL;
    MachineRegisters registers;

    inferior_stop (inferior, NULL);
    g_assert_true (target_thread_get_registers (inferior->pid, &registers));
    machine_registers_set_pc (&registers, 16);
    machine_registers_set_sp (&registers, 4096);
    registers.rbp = 1;
    stack = stack_read (inferior->modules, inferior->memory, &registers, NULL, NULL, 0);
    g_assert_cmpuint (stack->n_native, ==, 1);
    g_assert_true (stack->incomplete);
    g_assert_cmpuint (((JobFrame *) g_ptr_array_index (stack->frames, 0))->flags
                          & JOB_FRAME_INCOMPLETE,
                      !=, 0);
    inferior_free (inferior);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_data_func ("/stack/unwind/O0", "nested-O0 plain", test_native);
    g_test_add_data_func ("/stack/unwind/O2", "nested-O2 plain", test_native);
    g_test_add_data_func ("/stack/unwind/signal-O0", "nested-O0 signal", test_native);
    g_test_add_data_func ("/stack/unwind/signal-O2", "nested-O2 signal", test_native);
    g_test_add_data_func ("/stack/unwind/static", "nested-static plain", test_native);
    g_test_add_func ("/stack/unwind/wild-call", test_wild_call);
    g_test_add_func ("/stack/unwind/broken", test_broken);
    return g_test_run ();
}
