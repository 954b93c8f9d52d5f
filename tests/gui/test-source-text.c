/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sources of other encodings are readable, and the reader learns which it is. */
#include <string.h>
#include "gui/source/source-text.h"

static void
check (const char *bytes, gsize size, const char *text, GuiSourceEncoding encoding)
{
    GuiSourceEncoding found;
    g_autofree char *shown = gui_source_text_dup (bytes, size, &found);

    g_assert_cmpstr (shown, ==, text);
    g_assert_cmpint (found, ==, encoding);
}

static void
check_text (const char *bytes, const char *text, GuiSourceEncoding encoding)
{
    check (bytes, strlen (bytes), text, encoding);
}

static void
test_utf8 (void)
{
    check_text ("int a;\n", "int a;", GUI_SOURCE_UTF_8);
    check_text ("/* Größe — 大 */\r\nint a;\n", "/* Größe — 大 */\nint a;", GUI_SOURCE_UTF_8);
    check_text ("", "", GUI_SOURCE_UTF_8);
}

static void
test_old (void)
{
    check_text ("! Temp\xe9rature de la grille\n", "! Température de la grille",
                GUI_SOURCE_LATIN_1);
    check_text ("\xfc", "ü", GUI_SOURCE_LATIN_1); /* the last byte begins no character */
    check_text ("\x93Stra\xdf"
                "e\x94 \x80\n",
                "“Straße” €", GUI_SOURCE_WINDOWS);
}

/* One broken byte does not turn a file of UTF-8 into another language. */
static void
test_damaged (void)
{
    check_text ("/* Größe, Höhe\xff */", "/* Größe, Höhe\ufffd */", GUI_SOURCE_DAMAGED);
    check ("a\0b\xe9", 4,
           "a\ufffd"
           "b\ufffd",
           GUI_SOURCE_DAMAGED);
    check ("a\0b", 3,
           "a\ufffd"
           "b",
           GUI_SOURCE_DAMAGED);
    check_text ("\x81\x8d", "\ufffd\ufffd", GUI_SOURCE_DAMAGED); /* not in Windows-1252 */
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/source-text/utf-8", test_utf8);
    g_test_add_func ("/source-text/old", test_old);
    g_test_add_func ("/source-text/damaged", test_damaged);
    return g_test_run ();
}
