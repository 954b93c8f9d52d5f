/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time for which the process stands still is nobody's. */
#include "base/patience.h"
#include <unistd.h>

static gboolean
count (gpointer n)
{
    ++*(guint *) n;
    return G_SOURCE_CONTINUE;
}

static gboolean
note_over (gpointer is_over)
{
    *(gboolean *) is_over = TRUE;
    return G_SOURCE_REMOVE;
}

/* What others do meanwhile has most of the time still before it. */
static void
test_add (void)
{
    gboolean is_over = FALSE;
    guint n = 0, others = g_timeout_add (10, count, &n);

    base_patience_add (80, note_over, &is_over, NULL);
    g_usleep (200000);
    while (!is_over) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_assert_cmpuint (n, >=, 4);
    g_source_remove (others);
}

/* Nothing is called when it has been removed. */
static void
test_remove (void)
{
    gboolean is_over = FALSE, is_later = FALSE;

    g_source_remove (base_patience_add (1, note_over, &is_over, NULL));
    base_patience_add (80, note_over, &is_later, NULL);
    while (!is_later) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_assert_false (is_over);
}

static void
test_poll (void)
{
    int ends[2];
    GPollFD waiting = { .events = G_IO_IN };

    g_assert_cmpint (pipe (ends), ==, 0);
    waiting.fd = ends[0];
    g_assert_cmpint (base_patience_poll (&waiting, 1, 5), ==, 0);
    g_assert_cmpint (write (ends[1], "", 1), ==, 1);
    g_assert_cmpint (base_patience_poll (&waiting, 1, 60000), ==, 1);
    close (ends[0]);
    close (ends[1]);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/base/patience/add", test_add);
    g_test_add_func ("/base/patience/remove", test_remove);
    g_test_add_func ("/base/patience/poll", test_poll);
    return g_test_run ();
}
