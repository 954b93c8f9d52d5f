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

/* Both forms stay with an error wherever it goes; one that has no other form shows its message. */
static void
test_forms (void)
{
    g_autoptr (GError) error = NULL, copy = NULL, plain = NULL, foreign = NULL;
    g_autoptr (BaseText) both = NULL;

    base_error_set_text (&error, BASE_ERROR_DENIED,
                         base_text_new_take (g_strdup ("denied"), g_strdup ("verboten")));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_DENIED);
    copy = g_error_copy (error);
    g_clear_error (&error);
    g_assert_cmpstr (copy->message, ==, "denied");
    g_assert_cmpstr (base_error_get_shown (copy), ==, "verboten");
    g_assert_cmpstr (base_error_get (copy, BASE_TEXT_ENGLISH), ==, "denied");
    g_assert_cmpstr (base_error_get (copy, BASE_TEXT_SHOWN), ==, "verboten");
    both = base_error_dup_text (copy);
    g_assert_cmpstr (both->english, ==, "denied");
    g_assert_cmpstr (both->shown, ==, "verboten");
    g_set_error (&plain, BASE_ERROR, BASE_ERROR_GONE, "it is gone");
    g_assert_cmpstr (base_error_get_shown (plain), ==, "it is gone");
    g_set_error (&foreign, G_FILE_ERROR, G_FILE_ERROR_ACCES, "no way");
    g_assert_cmpstr (base_error_get_shown (foreign), ==, "no way");
    base_error_set (NULL, BASE_ERROR_GONE, "nobody asks for %s", "it");
    base_error_set (&error, BASE_ERROR_INVALID, "%s has %d", "a", 3);
    g_assert_cmpstr (error->message, ==, "a has 3");
    g_assert_cmpstr (base_error_get_shown (error), ==, "a has 3");
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/base/error/names", test_names);
    g_test_add_func ("/base/error/forms", test_forms);
    return g_test_run ();
}
