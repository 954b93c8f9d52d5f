/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every line comes back unchanged and in order, from any page, although memory holds only a few
 * of them. */
#include "gui/console/output-log.h"

#define LINES 70001

typedef struct {
    guint64 next;
    guint n;
} Seen;

static char *
make_text (guint64 number)
{
    return g_strdup_printf ("line %" G_GUINT64_FORMAT " of the output%.*s", number,
                            (int) (number % 40), "----------------------------------------");
}

static void
on_line (const JobRankSet *ranks, guint stream, const char *text, gboolean is_open,
         gpointer user)
{
    Seen *seen = user;
    g_autofree char *expected = make_text (seen->next);
    g_autofree char *words = ranks != NULL ? job_rank_set_format (ranks) : g_strdup ("job");
    g_autofree char *rank = seen->next % 7 == 0
                                ? g_strdup ("job")
                                : g_strdup_printf ("%u", (guint) (seen->next % 64));

    g_assert_cmpstr (text, ==, expected);
    g_assert_cmpstr (words, ==, rank);
    g_assert_cmpuint (stream, ==, 1 + seen->next % 2);
    g_assert_cmpint (is_open, ==, seen->next % 5 == 0);
    seen->next++;
    seen->n++;
}

static void
assert_page (GuiOutputLog *log, guint64 first, guint64 end)
{
    Seen seen = { .next = first };
    guint64 last = MIN (end, gui_output_log_get_count (log));

    gui_output_log_foreach (log, first, end, on_line, &seen);
    g_assert_cmpuint (seen.n, ==, first < last ? last - first : 0);
}

static void
test_pages (void)
{
    GuiOutputLog *log = gui_output_log_new (128 << 10);

    assert_page (log, 0, 10);
    for (guint64 i = 0; i < LINES; i++) {
        guint32 rank = (guint32) (i % 64);
        g_autoptr (JobRankSet) ranks = job_rank_set_new_range (rank, rank + 1);
        g_autofree char *text = make_text (i);

        gui_output_log_append (log, i % 7 == 0 ? NULL : ranks, 1 + (guint) (i % 2), text,
                               i % 5 == 0);
    }
    g_assert_false (gui_output_log_is_full (log));
    g_assert_null (gui_output_log_get_problem (log));
    g_assert_cmpuint (gui_output_log_get_count (log), ==, LINES);
    assert_page (log, 0, 20000);
    assert_page (log, 999, 1001);
    assert_page (log, 50001, LINES);
    assert_page (log, LINES - 1, G_MAXUINT64);
    assert_page (log, LINES, G_MAXUINT64);
    assert_page (log, 0, LINES);
    gui_output_log_free (log);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/gui/output-log/pages", test_pages);
    return g_test_run ();
}
