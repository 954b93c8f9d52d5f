/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Registers by number and name. */
#include "target/registers.h"

static void
test_numbers (void)
{
    TargetRegisters registers = { 0 };
    guint64 value;

    for (guint i = 0; i < 18; i++) {
        g_assert_true (target_registers_set (&registers, i, 100 + i));
    }
    for (guint i = 0; i < 18; i++) {
        g_assert_true (target_registers_get (&registers, i, &value));
        g_assert_cmpuint (value, ==, 100 + i);
    }
    g_assert_cmpuint (registers.rax, ==, 100);
    g_assert_cmpuint (registers.rdx, ==, 101);
    g_assert_cmpuint (registers.rsp, ==, 107);
    g_assert_cmpuint (registers.rip, ==, 116);
    g_assert_cmpuint (registers.eflags, ==, 117);
    g_assert_false (target_registers_get (&registers, 18, &value));
    g_assert_false (target_registers_set (&registers, 18, 0));
}

static void
test_names (void)
{
    g_assert_cmpint (target_registers_find ("rax"), ==, 0);
    g_assert_cmpint (target_registers_find ("r15"), ==, 15);
    g_assert_cmpint (target_registers_find ("pc"), ==, target_registers_find ("rip"));
    g_assert_cmpint (target_registers_find ("sp"), ==, target_registers_find ("rsp"));
    g_assert_cmpint (target_registers_find ("eflags"), ==, 17);
    g_assert_cmpint (target_registers_find ("nothing"), ==, -1);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/target/registers/numbers", test_numbers);
    g_test_add_func ("/target/registers/names", test_names);
    return g_test_run ();
}
