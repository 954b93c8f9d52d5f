/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which expression is under the pointer. */
#include "gui/source/source-word.h"
#include <string.h>

/* The mark "^" stands before the byte that is pointed to. */
static void
check (const char *marked, const char *expected)
{
    const char *mark = strchr (marked, '^');
    g_autofree char *head = g_strndup (marked, (gsize) (mark - marked));
    g_autofree char *line = g_strconcat (head, mark + 1, NULL);
    g_autofree char *found = gui_source_word_find (line, (gsize) (mark - marked));

    g_assert_cmpstr (found, ==, expected);
}

static void
test_words (void)
{
    check ("    sum += va^lue * 2;", "value");
    check ("a = grid->cel^ls[i].x;", "grid->cells");
    check ("a = grid->cells[i + j[2]].^x;", "grid->cells[i + j[2]].x");
    check ("a = grid->cells[^i].x;", "i");
    check ("self.comm.r^ank", "self.comm.rank");
    check ("std::valu^e", "std::value");
    check ("call(a).na^me", NULL);
    check ("call(a)->na^me", NULL);
    check ("x = 1^2;", NULL);
    check ("x ^= y", NULL);
    check ("if (a > ^b)", "b");
    check ("part%si^ze = 3", "part%size");
    check ("^", NULL);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/gui/source-word", test_words);
    return g_test_run ();
}
