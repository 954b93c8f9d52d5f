/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How values are passed and come back. */
#include "machine/passing.h"
#include <string.h>

typedef struct {
    MachinePartKind kind;
    guint64 offset, size;
} Part;

static MachinePassing
describe (MachineValueKind kind, guint64 size, const Part *parts, guint n)
{
    MachinePassing passing;

    if (machine_passing_begin (&passing, kind, size)) {
        for (guint i = 0; i < n; i++) {
            machine_passing_add (&passing, parts[i].kind, parts[i].offset, parts[i].size);
        }
        machine_passing_finish (&passing);
    }
    return passing;
}

#define DESCRIBE(kind, size, ...)                                                              \
    describe (kind, size, (const Part[]){ __VA_ARGS__ },                                       \
              sizeof ((const Part[]){ __VA_ARGS__ }) / sizeof (Part))

/* A struct of a double and two ints comes back in one register of each kind. */
static void
test_mixed (void)
{
    const struct {
        double a;
        int b, c;
    } value = { 2.5, 7, 9 };
    MachinePassing passing = DESCRIBE (MACHINE_VALUE_AGGREGATE, sizeof value,
                                       { MACHINE_PART_FLOAT, 0, 8 },
                                       { MACHINE_PART_INTEGER, 8, 4 },
                                       { MACHINE_PART_INTEGER, 12, 4 });
    MachineResult result = { 0 };
    guint8 bytes[32];

    g_assert_cmpint (passing.kind, ==, MACHINE_PASSING_REGISTERS);
    memcpy (result.vectors[0], &value.a, 8);
    memcpy (&result.integers[0], &value.b, 8);
    machine_passing_assemble (&passing, &result, bytes);
    g_assert_cmpmem (bytes, sizeof value, &value, sizeof value);
}

static void
test_memory (void)
{
    /* too large; not aligned, as in a packed struct; not to be copied */
    g_assert_cmpint (DESCRIBE (MACHINE_VALUE_AGGREGATE, 24, { MACHINE_PART_INTEGER, 0, 8 })
                         .kind,
                     ==, MACHINE_PASSING_MEMORY);
    g_assert_cmpint (DESCRIBE (MACHINE_VALUE_AGGREGATE, 9, { MACHINE_PART_BITS, 0, 0 },
                               { MACHINE_PART_INTEGER, 1, 8 })
                         .kind,
                     ==, MACHINE_PASSING_MEMORY);
    g_assert_cmpint (DESCRIBE (MACHINE_VALUE_AGGREGATE, 8, { MACHINE_PART_INTEGER, 0, 8 },
                               { MACHINE_PART_FIXED, 0, 0 })
                         .kind,
                     ==, MACHINE_PASSING_MEMORY);
}

static void
test_unknown (void)
{
    g_assert_cmpint (DESCRIBE (MACHINE_VALUE_NUMBER, 32, { MACHINE_PART_VECTOR, 0, 32 }).kind,
                     ==, MACHINE_PASSING_UNKNOWN);
    g_assert_cmpint (DESCRIBE (MACHINE_VALUE_AGGREGATE, 8, { MACHINE_PART_UNKNOWN, 0, 0 }).kind,
                     ==, MACHINE_PASSING_UNKNOWN);
    g_assert_cmpint (DESCRIBE (MACHINE_VALUE_NUMBER, 0, { MACHINE_PART_INTEGER, 0, 0 }).kind,
                     ==, MACHINE_PASSING_UNKNOWN);
}

/* A value that does not find enough registers goes to the stack as a whole; those after it still find the last
 * one. */
static void
test_arguments (void)
{
    MachinePassing pair = DESCRIBE (MACHINE_VALUE_AGGREGATE, 16, { MACHINE_PART_INTEGER, 0, 8 },
                                    { MACHINE_PART_INTEGER, 8, 8 });
    MachinePassing wide = DESCRIBE (MACHINE_VALUE_NUMBER, 16,
                                    { MACHINE_PART_LONG_DOUBLE, 0, 16 });
    const guint64 words[] = { 71, 72 };
    MachineArguments arguments = { .stack = g_array_new (FALSE, FALSE, sizeof (guint64)) };

    for (guint i = 0; i + 1 < MACHINE_N_ARGUMENTS; i++) {
        g_assert_cmpuint (machine_arguments_add_word (&arguments, i), ==, i);
    }
    machine_arguments_add_value (&arguments, &pair, (const guint8 *) words);
    g_assert_cmpuint (arguments.stack->len, ==, 2);
    g_assert_cmpuint (g_array_index (arguments.stack, guint64, 1), ==, 72);
    g_assert_cmpuint (machine_arguments_add_word (&arguments, 5), ==, MACHINE_N_ARGUMENTS - 1);
    g_assert_cmpuint (machine_arguments_add_word (&arguments, 6), ==, MACHINE_MAX_WORDS + 2);
    machine_arguments_add_value (&arguments, &wide, (const guint8 *) words);
    g_assert_cmpuint (arguments.stack->len, ==, 6); /* aligned by 16 */
    g_assert_cmpuint (g_array_index (arguments.stack, guint64, 4), ==, 71);
    g_array_unref (arguments.stack);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/machine/passing/mixed", test_mixed);
    g_test_add_func ("/machine/passing/memory", test_memory);
    g_test_add_func ("/machine/passing/unknown", test_unknown);
    g_test_add_func ("/machine/passing/arguments", test_arguments);
    return g_test_run ();
}
