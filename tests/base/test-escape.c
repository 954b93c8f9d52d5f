/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every character that must be escaped, at every position of a text, and those that stay. */
#include "base/escape.h"
#include <string.h>

static void
check (const char *text, BaseEscapeFlags flags, const char *expected)
{
    g_autofree char *shown = base_escape_dup (text, flags);

    g_assert_cmpstr (shown, ==, expected);
    g_assert_true (base_escape_is_clean (text, strlen (text), flags)
                   == (strcmp (text, expected) == 0));
}

static void
test_forms (void)
{
    check ("", BASE_ESCAPE_NAME, "");
    check ("solve<int> \303\251\342\202\254", BASE_ESCAPE_NAME,
           "solve<int> \303\251\342\202\254");
    check ("a\nb\tc\rd\033[2J\a\b\177", BASE_ESCAPE_NAME, "a\\nb\\tc\\rd\\x1b[2J\\a\\b\\x7f");
    check ("a\nb\tc\rd", BASE_ESCAPE_KEEP_LINES, "a\nb\tc\\rd");
    check ("a\nb\tc\rd", BASE_ESCAPE_KEEP_TABS, "a\\nb\tc\\rd");
    check ("\302\2332J", BASE_ESCAPE_NAME, "\\u009b2J"); /* CSI of C1 as UTF-8 */
    check ("\2332J", BASE_ESCAPE_NAME, "\\x9b2J");       /* and as a byte */
    check ("caf\351", BASE_ESCAPE_NAME, "caf\351");      /* Latin-1 stays as it is */
    check ("\342\200\256cba\342\201\246x", BASE_ESCAPE_NAME, "\\u202ecba\\u2066x");
    check ("\363\240\201\201", BASE_ESCAPE_NAME, "\\U000e0041");
    check ("a\342\200\250b", BASE_ESCAPE_KEEP_LINES, "a\\u2028b");
    check ("\342\200", BASE_ESCAPE_NAME, "\342\\x80"); /* cut */
    check ("\300\233", BASE_ESCAPE_NAME, "\300\\x9b"); /* too long */
    check ("\304\233", BASE_ESCAPE_NAME, "\304\233");
    check ("\304\233", BASE_ESCAPE_FOR_BYTES, "\\u011b"); /* 0x9b is CSI without UTF-8 */
    g_assert_null (base_escape_dup (NULL, BASE_ESCAPE_NAME));
}

static void
test_colours (void)
{
    check ("\033[1;31mred\033[0m", BASE_ESCAPE_KEEP_COLOURS, "\033[1;31mred\033[0m");
    check ("\033[38:2::1:2:3mx", BASE_ESCAPE_KEEP_COLOURS, "\033[38:2::1:2:3mx\033[0m");
    check ("\033[2Jx", BASE_ESCAPE_KEEP_COLOURS, "\\x1b[2Jx");
    check ("\033]0;title\a", BASE_ESCAPE_KEEP_COLOURS, "\\x1b]0;title\\a");
    check ("\033[31", BASE_ESCAPE_KEEP_COLOURS, "\\x1b[31");
    check ("\033[?25m", BASE_ESCAPE_KEEP_COLOURS, "\\x1b[?25m");
    check ("\033c\033[", BASE_ESCAPE_KEEP_COLOURS, "\\x1bc\\x1b[");
}

/* What was made safe is safe, and is not changed again; whatever the bytes were. */
static void
test_random (void)
{
    static const guchar likely[] = { 0,    033,  '[',  'm',  ';',  '3',  0xc2,
                                     0x9b, 0xe2, 0x80, 0xae, '\n', '\t', 'x' };

    for (guint round = 0; round < 20000; round++) {
        gsize size = (gsize) g_test_rand_int_range (0, 24);
        guchar bytes[24];
        BaseEscapeFlags flags = (BaseEscapeFlags) (round % 16);
        g_autoptr (GString) once = g_string_new (NULL), twice = g_string_new (NULL);
        gboolean clean;

        for (gsize i = 0; i < size; i++) {
            bytes[i] = g_test_rand_int_range (0, 3) != 0
                           ? likely[g_test_rand_int_range (0, sizeof likely)]
                           : (guchar) g_test_rand_int_range (0, 256);
        }
        clean = base_escape_is_clean ((const char *) bytes, size, flags);
        base_escape_append (once, (const char *) bytes, size, flags);
        g_assert_true (base_escape_is_clean (once->str, once->len, flags));
        base_escape_append (twice, once->str, once->len, flags);
        g_assert_true (g_string_equal (once, twice));
        g_assert_true (clean == (once->len == size && memcmp (once->str, bytes, size) == 0));
        g_assert_true ((flags & BASE_ESCAPE_KEEP_COLOURS) != 0
                       || memchr (once->str, 033, once->len) == NULL);
        g_assert_true ((flags & BASE_ESCAPE_KEEP_LINES) != 0
                       || memchr (once->str, '\n', once->len) == NULL);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/escape/forms", test_forms);
    g_test_add_func ("/escape/colours", test_colours);
    g_test_add_func ("/escape/random", test_random);
    return g_test_run ();
}
