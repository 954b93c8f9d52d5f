/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equality of places and the names of languages. */
#include "job/frame.h"

static void
test_equal (void)
{
    g_autoptr (JobLocation) a = job_location_new ("work", "/x/app.py", 12);
    g_autoptr (JobLocation) b = job_location_dup (a);

    b->module = g_strdup ("libx.so");
    b->offset = 16;
    g_assert_true (job_location_equal (a, b));
    g_assert_cmpuint (job_location_hash (a), ==, job_location_hash (b));
    b->line = a->line = 0;
    g_assert_false (job_location_equal (a, b));
    g_assert_false (job_location_equal (a, NULL));
    g_assert_true (job_location_equal (NULL, NULL));
    g_assert_null (job_location_dup (NULL));
}

static void
test_languages (void)
{
    for (guint i = 0; i <= JOB_LANGUAGE_ASSEMBLER; i++) {
        g_assert_cmpuint (job_language_find (job_language_get_name ((JobLanguage) i)), ==, i);
    }
    g_assert_cmpint (job_language_find ("cobol"), ==, JOB_LANGUAGE_UNKNOWN);
    g_assert_cmpint (job_language_find (NULL), ==, JOB_LANGUAGE_UNKNOWN);
    g_assert_cmpstr (job_language_get_name ((JobLanguage) 77), ==, "");
}

static void
test_frame (void)
{
    g_autoptr (JobFrame) frame = job_frame_new ();
    g_autoptr (JobFrame) copy = NULL;

    frame->location.function = g_strdup ("work");
    frame->location.language = JOB_LANGUAGE_PYTHON;
    frame->arguments = g_strdup ("(n=3)");
    frame->cfa = 7;
    copy = job_frame_dup (frame);
    g_assert_true (job_frame_is_python (copy));
    g_assert_cmpstr (copy->arguments, ==, "(n=3)");
    g_assert_true (job_location_equal (&frame->location, &copy->location));
    g_assert_cmpuint (copy->cfa, ==, 7);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/job/location/equal", test_equal);
    g_test_add_func ("/job/location/languages", test_languages);
    g_test_add_func ("/job/location/frame", test_frame);
    return g_test_run ();
}
