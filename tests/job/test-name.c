/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of names: the best are kept, each once, and come through the wire as they are. */
#include "job/name.h"

static void
assert_names (JobNames *names, const char *const *expected)
{
    GPtrArray *list = job_names_get (names);
    guint i = 0;

    for (; expected[i] != NULL; i++) {
        g_assert_cmpuint (i, <, list->len);
        g_assert_cmpstr (((const JobName *) g_ptr_array_index (list, i))->name, ==,
                         expected[i]);
    }
    g_assert_cmpuint (list->len, ==, i);
}

static void
test_best (void)
{
    static const char *const expected[] = { "work", "work_all", "network", NULL };
    g_autoptr (JobNames) names = job_names_new (3);

    job_names_add (names, JOB_NAME_FUNCTION, JOB_NAME_INSIDE, "coworkers_all", NULL, 0);
    job_names_add (names, JOB_NAME_FUNCTION, JOB_NAME_PREFIX, "work_all", "a.c", 3);
    job_names_add (names, JOB_NAME_FUNCTION, JOB_NAME_INSIDE, "network", NULL, 0);
    job_names_add (names, JOB_NAME_FUNCTION, JOB_NAME_EXACT, "work", "a.c", 1);
    /* said again, and better */
    job_names_add (names, JOB_NAME_FUNCTION, JOB_NAME_INSIDE, "work_all", NULL, 0);
    assert_names (names, expected);
    g_assert_false (job_names_wants (names, JOB_NAME_INSIDE, 20));
    g_assert_true (job_names_wants (names, JOB_NAME_EXACT, 20));
    g_assert_cmpuint (((const JobName *) g_ptr_array_index (job_names_get (names), 1))->line,
                      ==, 3);
}

/* What is typed may match a library's names better; the program's own are meant. */
static void
test_own_first (void)
{
    static const char *const expected[] = { "domain", "main_loop", "main", NULL };
    g_autoptr (JobNames) names = job_names_new (3);

    job_names_add (names, JOB_NAME_FUNCTION, JOB_NAME_EXACT + JOB_NAME_IS_LIBRARY, "main", NULL,
                   0);
    job_names_add (names, JOB_NAME_FUNCTION,
                   JOB_NAME_INSIDE + JOB_NAME_IS_BARE + JOB_NAME_IS_HIDDEN, "main_loop", NULL,
                   0);
    job_names_add (names, JOB_NAME_FUNCTION, JOB_NAME_PREFIX + JOB_NAME_IS_LIBRARY,
                   "_ZN4main3runEv", NULL, 0);
    job_names_add (names, JOB_NAME_FUNCTION, JOB_NAME_INSIDE, "domain", "a.c", 3);
    assert_names (names, expected);
}

static void
test_many (void)
{
    g_autoptr (JobNames) names = job_names_new (10);

    for (guint i = 0; i < 1000; i++) {
        g_autofree char *name = g_strdup_printf ("f%u", (i * 7) % 1000);

        job_names_add (names, JOB_NAME_FUNCTION, JOB_NAME_PREFIX, name, NULL, 0);
    }
    GPtrArray *list = job_names_get (names);
    g_assert_cmpuint (list->len, ==, 10);
    for (guint i = 0; i < 10; i++) {
        g_autofree char *name = g_strdup_printf ("f%u", i);

        g_assert_cmpstr (((const JobName *) g_ptr_array_index (list, i))->name, ==, name);
    }
}

static void
test_wire (void)
{
    static const char *const expected[] = { "a::b<int, c>", "/x y/f.c", "v", NULL };
    g_autoptr (JobNames) names = job_names_new (10), back = job_names_new (10);

    job_names_add (names, JOB_NAME_FUNCTION, 16, "a::b<int, c>", "/x y/f.c", 7);
    job_names_add (names, JOB_NAME_FILE, 32, "/x y/f.c", "/x y/f.c", 1);
    job_names_add (names, JOB_NAME_VARIABLE, 48, "v", NULL, 0);
    job_names_add (names, JOB_NAME_VARIABLE, 48, "not\tplain", NULL, 0);
    g_autofree char *text = job_names_format (names);
    job_names_read (back, text);
    assert_names (back, expected);
    const JobName *first = g_ptr_array_index (job_names_get (back), 0);
    g_assert_cmpstr (first->file, ==, "/x y/f.c");
    g_assert_cmpuint (first->line, ==, 7);
    g_assert_cmpuint (first->kind, ==, JOB_NAME_FUNCTION);
    g_assert_null (((const JobName *) g_ptr_array_index (job_names_get (back), 2))->file);
}

static void
test_wrong (void)
{
    static const char *const wrong
        = "x\n1\t2\n1\t1\t1\tname\n1\t3\t1\tname\t\n1\t16\t1\tname\t\n"
          "1\t1\t1\t\tf\n99999999999\t1\t1\tname\t\n1\t1\t1\tn\tf\textra\n";
    g_autoptr (JobNames) names = job_names_new (10);

    job_names_read (names, wrong);
    job_names_read (names, "");
    g_assert_cmpuint (job_names_get (names)->len, ==, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/job/name/best", test_best);
    g_test_add_func ("/job/name/many", test_many);
    g_test_add_func ("/job/name/own-first", test_own_first);
    g_test_add_func ("/job/name/wire", test_wire);
    g_test_add_func ("/job/name/wrong", test_wrong);
    return g_test_run ();
}
