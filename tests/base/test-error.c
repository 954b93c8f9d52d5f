/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of error codes. */
#include "base/error.h"

static void
test_names (void)
{
    g_assert_cmpstr (base_error_get_name (BASE_ERROR_NOT_FOUND), ==, "not-found");
    g_assert_cmpstr (base_error_get_name (BASE_ERROR_UNSUPPORTED), ==, "unsupported");
    g_assert_cmpstr (base_error_get_name (BASE_ERROR_TIMEOUT), ==, "timeout");
    g_assert_cmpstr (base_error_get_name (BASE_ERROR_TIMEOUT + 1), ==, "unknown");
    g_assert_cmpstr (base_error_get_name (-1), ==, "unknown");
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/base/error/names", test_names);
    return g_test_run ();
}
