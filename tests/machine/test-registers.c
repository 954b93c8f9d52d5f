/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Registers by number, name and use. */
#include "machine/registers.h"

static void
test_numbers (void)
{
    MachineRegisters registers = { 0 };
    guint64 value;

    for (guint i = 0; i < MACHINE_N_GENERAL; i++) {
        g_assert_true (machine_registers_set (&registers, i, 100 + i));
    }
    for (guint i = 0; i < MACHINE_N_GENERAL; i++) {
        g_assert_true (machine_registers_get (&registers, i, &value));
        g_assert_cmpuint (value, ==, 100 + i);
        g_assert_nonnull (machine_registers_get_name (i));
    }
    g_assert_false (machine_registers_get (&registers, 1000, &value));
    g_assert_false (machine_registers_set (&registers, 1000, 0));
    g_assert_null (machine_registers_get_name (MACHINE_N_GENERAL));
}

static void
test_uses (void)
{
    MachineRegisters registers = { 0 };

    machine_registers_set_pc (&registers, 7);
    machine_registers_set_sp (&registers, 8);
    machine_registers_set_result (&registers, 9);
    g_assert_cmpuint (machine_registers_get_pc (&registers), ==, 7);
    g_assert_cmpuint (machine_registers_get_sp (&registers), ==, 8);
    g_assert_cmpuint (machine_registers_get_result (&registers, 0), ==, 9);
    for (guint i = 0; i < MACHINE_N_ARGUMENTS; i++) {
        machine_registers_set_argument (&registers, i, 20 + i);
    }
    for (guint i = 0; i < MACHINE_N_ARGUMENTS; i++) {
        g_assert_cmpuint (machine_registers_get_argument (&registers, i), ==, 20 + i);
    }
    machine_registers_forget_system_call (&registers);
    g_assert_cmpint (machine_registers_get_system_call (&registers), ==, -1);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/machine/registers/numbers", test_numbers);
    g_test_add_func ("/machine/registers/uses", test_uses);
    return g_test_run ();
}
