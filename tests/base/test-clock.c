/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The replaceable clock. */
#include "base/clock.h"

static gint64
tell_seven (void)
{
    return 7;
}

static void
test_replace (void)
{
    gint64 before = g_get_monotonic_time ();

    base_clock_set (tell_seven);
    g_assert_cmpint (base_clock_get_us (), ==, 7);
    base_clock_set (NULL);
    g_assert_cmpint (base_clock_get_us (), >=, before);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/base/clock/replace", test_replace);
    return g_test_run ();
}
