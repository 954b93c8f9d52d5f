/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of states is whole and consistent. */
#include "job/state.h"
#include <string.h>

static void
test_table (void)
{
    guint32 severities = 0;

    for (guint i = 0; i < JOB_N_STATES; i++) {
        const JobStateInfo *info = job_state_get_info ((JobState) i);
        JobState found;

        g_assert_true (job_state_find (info->word, &found));
        g_assert_cmpuint (found, ==, i);
        g_assert_nonnull (info->title);
        g_assert_nonnull (info->colour);
        g_assert_cmpint (g_utf8_strlen (info->glyph, -1), ==, 1);
        g_assert_cmpuint (severities & (1u << info->severity), ==, 0);
        severities |= 1u << info->severity;
        g_assert_cmpint (info->is_stopped + info->is_ended + info->is_moving, ==,
                         i == JOB_STATE_NONE ? 0 : 1);
    }
}

static void
test_words (void)
{
    JobState state = JOB_STATE_LOST;

    g_assert_false (job_state_find ("sleeping", &state));
    g_assert_false (job_state_find (NULL, &state));
    g_assert_cmpint (state, ==, JOB_STATE_LOST);
    g_assert_cmpstr (job_state_get_info (JOB_STATE_NONE)->word, ==, "not started");
    g_assert_cmpstr (job_state_get_info ((JobState) 99)->word, ==, "not started");
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/job/state/table", test_table);
    g_test_add_func ("/job/state/words", test_words);
    return g_test_run ();
}
