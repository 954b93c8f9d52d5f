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

/* What a line names, of a text of which it is the second. */
static void
test_list (void)
{
    static const struct {
        const char *line, *words;
    } cases[] = {
        { "total += factor * grid->cells[i].x;",
          "total factor grid->cells i grid->cells[i].x" },
        { "for (int i = 0; i < grid->n; i++) {", "i grid->n" },
        { "value = self.comm.allreduce(now[1:cells + 1].sum())", "value now cells" },
        { "MPI_Send (&rank, 1, MPI_INT, peer, 5, MPI_COMM_WORLD);", "rank peer" },
        { "do k = 1, part%size", "k part%size" },
        { "return;", "" },
        { "", "" },
    };

    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_autoptr (GtkSourceBuffer) buffer = gtk_source_buffer_new (NULL);
        g_autofree char *text = g_strdup_printf ("first\n%s\nlast", cases[i].line);
        g_auto (GStrv) words = NULL;
        g_autofree char *joined = NULL;

        gtk_text_buffer_set_text (GTK_TEXT_BUFFER (buffer), text, -1);
        words = gui_source_word_list (buffer, 1);
        joined = g_strjoinv (" ", words);
        g_assert_cmpstr (joined, ==, cases[i].words);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/gui/source-word", test_words);
    g_test_add_func ("/gui/source-word/list", test_list);
    return g_test_run ();
}
