/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What windows show of values that cannot be read, of frames and of lists, in a language of its own: nothing that pddt says
 * is left in English, and nothing that the program says is translated. */
#include "job/detail.h"
#include "job/frame.h"
#include "job/value.h"
#include "../support/pseudo.h"

static gboolean has_language;

static void
assert_shown (const JobValue *value, const char *expected)
{
    g_autofree char *english = job_value_print (BASE_TEXT_ENGLISH, value);
    g_autofree char *shown = job_value_print (BASE_TEXT_SHOWN, value);

    g_assert_cmpstr (english, ==, value->text);
    if (has_language) {
        g_assert_cmpstr (shown, ==, expected);
    }
}

static JobValue *
new_unreadable (const char *address)
{
    return job_value_new_problem ("p", "char *",
                                  job_text_new ("<cannot read memory at %s>", address));
}

static void
test_values (void)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        { "<optimised out>", "‹<optimised out>›" },
        { "{x = 1, y = <optimised out>, z = <not saved>}",
          "{x = 1, y = ‹<optimised out>›, z = ‹<not saved>›}" },
        { "\"<optimised out>\"", "\"<optimised out>\"" },
        { "'\"' \"a\\\"<not saved>\" <not saved>", "'\"' \"a\\\"<not saved>\" ‹<not saved>›" },
        { "(void (*)(void)) 0x401136 <main>", "(void (*)(void)) 0x401136 <main>" },
        { "std::vector<int> = {<not saved>}", "std::vector<int> = {‹<not saved>›}" },
        { "std::map<int, A<B>> <not saved>", "std::map<int, A<B>> ‹<not saved>›" },
        { "3 < 4", "3 < 4" },
        { "<", "<" },
        { "a > b \"open", "a > b \"open" },
        { "", "" },
    };

    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_autoptr (JobValue) value = job_value_new (NULL, NULL, cases[i].text);

        assert_shown (value, cases[i].shown);
    }
}

/* A reason with arguments keeps its form on its way through the net, and where it is a part of a value. */
static void
test_arguments (void)
{
    g_autoptr (JobValue) whole = job_value_new ("s", "S", "{p = <cannot read memory at 0x8>}");
    g_autoptr (JobValue) alone = new_unreadable ("0x8");
    g_autoptr (JobValueTable) table = job_value_table_new (), copy = NULL;
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 2);
    g_autoptr (GVariant) bytes = NULL;
    const JobValueRow *row;

    whole->children = g_ptr_array_new ();
    g_ptr_array_add (whole->children, new_unreadable ("0x8"));
    job_value_table_add (table, "s", ranks, whole);
    job_value_table_add (table, "p", ranks, alone);
    bytes = g_variant_ref_sink (job_value_table_encode (table));
    copy = job_value_table_decode (bytes, 2, NULL);
    g_assert_nonnull (copy);
    row = g_ptr_array_index (copy->rows, 0);
    assert_shown (((JobValueGroup *) row->groups->pdata[0])->value,
                  "{p = ‹<cannot read memory at 0x8>›}");
    row = g_ptr_array_index (copy->rows, 1);
    assert_shown (((JobValueGroup *) row->groups->pdata[0])->value,
                  "‹<cannot read memory at 0x8>›");
}

/* A reason within a reason, as an error's. */
static void
test_nested (void)
{
    JobText *said = job_text_new ("<%s>", "");
    JobText *inner = job_text_new ("cannot read memory at %s: it is %s", "0x10", "");
    g_autoptr (JobValue) value = NULL;

    job_text_nest (inner, 1, job_text_new_reason ("not in the core file"));
    job_text_nest (said, 0, inner);
    value = job_value_new_problem (NULL, NULL, said);
    g_assert_cmpstr (value->text, ==,
                     "<cannot read memory at 0x10: it is not in the core file>");
    assert_shown (value, "‹<‹cannot read memory at 0x10: it is ‹not in the core file››>›");
}

static void
test_frames (void)
{
    const guint32 flags = JOB_FRAME_INLINED | JOB_FRAME_TAIL_CALL | JOB_FRAME_AFTER_GAP
                          | JOB_FRAME_INCOMPLETE;
    g_autofree char *english = job_frame_format_marks (BASE_TEXT_ENGLISH, flags);
    g_autofree char *shown = job_frame_format_marks (BASE_TEXT_SHOWN, flags);
    g_autofree char *none = job_frame_format_marks (BASE_TEXT_SHOWN, 0);
    const JobLocation handler = { .function = (char *) "<signal handler called>" };
    const JobLocation module = { .function = (char *) "<module>" };

    g_assert_cmpstr (english, ==, " [inlined] [tail call] [calls missing] [incomplete]");
    g_assert_cmpstr (none, ==, "");
    g_assert_cmpstr (job_location_get_function (BASE_TEXT_SHOWN, &module), ==, "<module>");
    g_assert_cmpstr (job_location_get_function (BASE_TEXT_ENGLISH, &handler), ==,
                     handler.function);
    if (has_language) {
        g_assert_cmpstr (shown, ==,
                         " ‹[inlined]› ‹[tail call]› ‹[calls missing]› ‹[incomplete]›");
        pseudo_check (handler.function, job_location_get_function (BASE_TEXT_SHOWN, &handler));
    }
}

static void
assert_line (JobDetail *detail, const char *expected)
{
    g_autofree char *shown = job_detail_format (BASE_TEXT_SHOWN, detail);

    if (has_language) {
        g_assert_cmpstr (shown, ==, expected);
    }
    job_detail_free (detail);
}

static JobDetail *
new_range (JobDetailKind kind, const char *name, const char *text, guint32 flags)
{
    JobDetail *detail = job_detail_new (kind, 0x1000, name, text);

    detail->end = 0x2000;
    detail->flags = flags;
    return detail;
}

static void
test_details (void)
{
    assert_line (job_detail_new (JOB_DETAIL_REGISTER, 0, "rax", "<not saved>"),
                 "rax     ‹<not saved>›");
    assert_line (job_detail_new (JOB_DETAIL_REGISTER, 0, "rip", "0x10  <main>"),
                 "rip     0x10  <main>");
    assert_line (job_detail_new (JOB_DETAIL_MEMORY, 0x10, "<sums>", "<cannot be read>"),
                 "0x10 <sums>:  ‹<cannot be read>›");
    assert_line (new_range (JOB_DETAIL_MODULE, "/a.so", "no symbols", JOB_DETAIL_GONE),
                 "0x000000001000-0x000000002000  ‹no symbols›  ‹/a.so (replaced or changed "
                 "after the program loaded it)›");
    assert_line (new_range (JOB_DETAIL_MAP, NULL, NULL, JOB_DETAIL_READABLE),
                 "0x000000001000-0x000000002000 r-- 0x00000000  ‹(no file)›");
    assert_line (new_range (JOB_DETAIL_MAP, "/a", NULL, JOB_DETAIL_GONE),
                 "0x000000001000-0x000000002000 --- 0x00000000  ‹/a (deleted)›");
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    has_language = pseudo_open ();
    g_test_add_func ("/job/shown/values", test_values);
    g_test_add_func ("/job/shown/arguments", test_arguments);
    g_test_add_func ("/job/shown/nested", test_nested);
    g_test_add_func ("/job/shown/frames", test_frames);
    g_test_add_func ("/job/shown/details", test_details);
    return g_test_run ();
}
