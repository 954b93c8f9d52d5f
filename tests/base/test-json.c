/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"
#include <string.h>

static void
check (const char *text, const char *expected)
{
    GString *json = g_string_new (NULL);

    base_json_append_string (json, text, strlen (text));
    g_assert_cmpstr (json->str, ==, expected);
    g_string_free (json, TRUE);
}

static void
test_strings (void)
{
    check ("", "\"\"");
    check ("a\"b\\c/d\n\t\177", "\"a\\\"b\\\\c/d\\u000a\\u0009\\u007f\"");
    check ("\303\266\342\202\254", "\"\303\266\342\202\254\"");
    check ("\302\233\342\200\256x", "\"\\u009b\\u202ex\"");
    check ("\363\240\201\201", "\"\\udb40\\udc41\"");
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/strings", test_strings);
    return g_test_run ();
}
