/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places as text. */
#include "base/error.h"
#include "job/where.h"

static void
assert_round (const char *text, JobWhereKind kind, const char *again)
{
    JobWhere where, copy;
    g_autofree char *formatted = NULL;

    g_assert_true (job_where_parse (text, &where, NULL));
    g_assert_cmpint (where.kind, ==, kind);
    job_where_copy (&where, &copy);
    job_where_clear (&where);
    formatted = job_where_format (&copy);
    g_assert_cmpstr (formatted, ==, again);
    job_where_clear (&copy);
}

static void
test_parse (void)
{
    static const char *const wrong[]
        = { "",          "  ",    "0",       "1x",   "app.py:",
            "app.py:0",  ":3",    "*",       "*zz",  "app.py:4294967296",
            "app.py:4x", "main:", "main:4x", "a-b:f" };

    assert_round ("app.py:12", JOB_WHERE_LINE, "app.py:12");
    assert_round (" a b/x.c:3 ", JOB_WHERE_LINE, "a b/x.c:3");
    assert_round ("12", JOB_WHERE_LINE, "12");
    assert_round ("ns::work", JOB_WHERE_FUNCTION, "ns::work");
    assert_round ("app.py:Solver.step", JOB_WHERE_FUNCTION, "app.py:Solver.step");
    assert_round ("package:Solver.step", JOB_WHERE_FUNCTION, "package.Solver.step");
    assert_round ("a.module:work", JOB_WHERE_FUNCTION, "a.module:work"); /* maybe a file */
    assert_round ("app.c:::f", JOB_WHERE_FUNCTION, "app.c:::f");
    assert_round ("app.cc:S::f(ns::T) const", JOB_WHERE_FUNCTION, "app.cc:S::f(ns::T) const");
    assert_round ("f<int, int>", JOB_WHERE_FUNCTION, "f<int, int>");
    assert_round ("*0x10", JOB_WHERE_ADDRESS, "*0x10");
    assert_round ("* 16", JOB_WHERE_ADDRESS, "*0x10");
    for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
        g_autoptr (GError) error = NULL;
        JobWhere where;

        g_assert_false (job_where_parse (wrong[i], &where, &error));
        g_assert_error (error, BASE_ERROR, BASE_ERROR_INVALID);
    }
}

static void
test_match (void)
{
    g_assert_true (job_where_match_file ("app.py", "/x/app.py"));
    g_assert_true (job_where_match_file ("x/app.py", "/x/app.py"));
    g_assert_true (job_where_match_file ("/x/app.py", "/x/app.py"));
    g_assert_true (job_where_match_file ("./app.py", "/x/app.py"));
    g_assert_false (job_where_match_file ("/app.py", "/x/app.py"));
    g_assert_false (job_where_match_file ("pp.py", "/x/app.py"));
    g_assert_false (job_where_match_file ("", "/x/app.py"));
    g_assert_false (job_where_match_file ("app.py", NULL));
    g_assert_true (job_where_match_function ("work", "ns::work"));
    g_assert_true (job_where_match_function ("C.work", "mod.C.work"));
    g_assert_true (job_where_match_function ("work", "work"));
    g_assert_false (job_where_match_function ("work", "homework"));
    g_assert_false (job_where_match_function ("work", "a:work"));
    g_assert_true (job_where_match_function ("::work", "work"));
    g_assert_true (job_where_match_function ("::ns::work", "ns::work"));
    g_assert_false (job_where_match_function ("::work", "ns::work"));
}

static void
test_parameters (void)
{
    static const struct {
        const char *name, *rest;
    } cases[] = {
        { "f(int)", "(int)" },
        { "f", NULL },
        { "S::method() const", "() const" },
        { "f (int)", "(int)" },
        { "operator()", NULL },
        { "S::operator()(int)", "(int)" },
        { "S::operator<(S const&)", "(S const&)" },
        { "(anonymous namespace)::f", NULL },
        { "(anonymous namespace)::f(int)", "(int)" },
        { "f<void (*)(int)>", NULL },
        { "f<g<int> >(char)", "(char)" },
        { "f(int)::local::g()", "()" },
        { "S::operator->()", "()" },
        { "operators(int)", "(int)" },
        { "my_operator(int)", "(int)" },
        { "f(", "(" },
        { "", NULL },
    };

    for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_assert_cmpstr (job_where_find_parameters (cases[i].name), ==, cases[i].rest);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/job/where/parse", test_parse);
    g_test_add_func ("/job/where/match", test_match);
    g_test_add_func ("/job/where/parameters", test_parameters);
    return g_test_run ();
}
