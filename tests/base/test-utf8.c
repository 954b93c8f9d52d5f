/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text in pieces, wherever it is cut: each piece is whole characters, and nothing is lost. */
#include "base/utf8.h"
#include <string.h>

static void
test_pieces (void)
{
    const char *text = "aé→😀z\xff\xc3";

    for (gsize cut = 0; cut <= strlen (text); cut++) {
        g_autoptr (GString) rest = g_string_new_len (text, (gssize) cut);
        gsize whole = base_utf8_find_cut (rest->str, rest->len);

        g_assert_cmpuint (whole, <=, cut);
        g_assert_cmpuint (cut - whole, <, 4);
        g_assert_true (whole == cut || g_utf8_validate (text, (gssize) whole, NULL)
                       || whole > 10);
        g_string_append (rest, text + cut);
        g_assert_cmpstr (rest->str, ==, text);
    }
    g_assert_cmpuint (base_utf8_find_cut ("a\xe2\x86", 3), ==, 1);
    g_assert_cmpuint (base_utf8_find_cut ("a\xe2\x86\x92", 4), ==, 4);
    g_assert_cmpuint (base_utf8_find_cut ("\x86\x92", 2), ==, 2); /* of no character */
    g_assert_cmpuint (base_utf8_find_cut ("\xff", 1), ==, 1);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/base/utf8/pieces", test_pieces);
    return g_test_run ();
}
