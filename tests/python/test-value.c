/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values and paths in the frame of values.py's work(), on every interpreter. */
#include "base/error.h"
#include "live.h"
#include <string.h>

typedef struct {
    const char *path;
    const char *text; /* a pattern for g_pattern_match_simple */
    gboolean is_number;
} Expected;

static const Expected expected[] = {
    { "i", "3", TRUE },
    { "n", "42", TRUE },
    { "negative", "-12345678901234567890", TRUE },
    { "zero", "0", TRUE },
    { "yes", "True", TRUE },
    { "nothing", "None", FALSE },
    { "f", "0.1", TRUE },
    { "big_float", "1e+20", TRUE },
    { "whole", "2.0", TRUE },
    { "s", "\"it's\"", FALSE },
    { "wide", "'日本'", FALSE },
    { "emoji", "'a😀'", FALSE },
    { "raw", "b'\\x00ab'", FALSE },
    { "few", "[1, 2, 3]", FALSE },
    { "few[-1]", "3", TRUE },
    { "few[zero]", "1", TRUE },
    { "many", "[0, 1, 2, 3, 4, 5, 6, 7, ...]", FALSE },
    { "many[99]", "99", TRUE },
    { "pair", "(1,)", FALSE },
    { "empty", "()", FALSE },
    { "d", "{'a': 1, 2: 'b'}", FALSE },
    { "d['a']", "1", TRUE },
    { "d[2]", "'b'", FALSE },
    { "gone", "{0: 0, 1: 1, 3: 3, 4: 4}", FALSE },
    { "st", "{4}", FALSE },
    { "fs", "frozenset()", FALSE },
    { "plain", "<Plain at 0x*>", FALSE },
    { "plain.x", "1", TRUE },
    { "plain.name", "'p'", FALSE },
    { "plain.inner['deep'][0]", "5", TRUE },
    { "plain.kind", "'plain'", FALSE },
    { "slotted.a", "10", TRUE },
    { "error", "ValueError('bad')", FALSE },
    { "cell", "[42]", FALSE },
    { "level", "7", TRUE },
    { "sys", "<module 'sys'>", FALSE },
    { "len", "<built-in function len>", FALSE },
    { "Plain", "<class '__main__.Plain'>", FALSE },
};

static const Expected expected_numpy[] = {
    { "grid", "ndarray(shape=(4, 4), dtype=float64, [0, 1, 2, 3, 4, 5, 6, 7, …])", FALSE },
    { "grid[1]", "ndarray(shape=(4,), dtype=float64, [4, 5, 6, 7])", FALSE },
    { "grid[1, 2]", "6", TRUE },
    { "grid[-1][-1]", "15", TRUE },
    { "grid.shape", "(4, 4)", FALSE },
    { "ints", "ndarray(shape=(3,), dtype=int32, [2, 1, 0])", FALSE },
    { "scalar", "2.5", TRUE },
    { "days", "ndarray(shape=(3,), dtype=datetime64[D], ['1969-12-31', '2024-02-29', 'NaT'])",
      FALSE },
    { "moment", "2020-05-05T10:07:09.500", FALSE },
    { "moments", "ndarray(shape=(1,), dtype=datetime64[m], ['1901-03-04T05:06'])", FALSE },
    { "months", "ndarray(shape=(1,), dtype=datetime64[M], ['2020-12'])", FALSE },
    { "length", "7 h", FALSE },
    { "lengths", "ndarray(shape=(2,), dtype=timedelta64[10ms], [1, 2])", FALSE },
};

static PythonFrame *
find_work (PythonRuntime *runtime, GPtrArray **ret_frames)
{
    gint64 deadline = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;

    while (g_get_monotonic_time () < deadline) {
        g_autoptr (GArray) threads = NULL;
        PythonFrame *frame;

        python_runtime_invalidate (runtime);
        threads = python_runtime_read_threads (runtime, NULL);
        g_assert_nonnull (threads);
        *ret_frames = python_runtime_read_frames (runtime,
                                                  &g_array_index (threads, PythonThread, 0),
                                                  NULL);
        if (*ret_frames == NULL) {
            continue;
        }
        frame = (*ret_frames)->len > 0 ? g_ptr_array_index (*ret_frames, 0) : NULL;
        if (frame != NULL && strcmp (frame->function, "work") == 0) {
            return frame;
        }
        g_clear_pointer (ret_frames, g_ptr_array_unref);
    }
    g_assert_not_reached ();
}

static void
check_paths (PythonRuntime *runtime, const PythonFrame *frame, const Expected *list,
             guint count)
{
    const PythonLimits limits = PYTHON_LIMITS_DEFAULT;

    for (guint i = 0; i < count; i++) {
        g_autoptr (GError) error = NULL;
        g_autoptr (JobValue) value = python_frame_evaluate (runtime, frame, list[i].path,
                                                            &limits, &error);

        g_assert_no_error (error);
        if (!g_pattern_match_simple (list[i].text, value->text)) {
            g_test_message ("%s", list[i].path);
            g_assert_cmpstr (value->text, ==, list[i].text);
        }
        g_assert_cmpint (value->is_number, ==, list[i].is_number);
        g_assert_false (value->is_problem);
    }
}

static void
check_refused (PythonRuntime *runtime, const PythonFrame *frame)
{
    static const struct {
        const char *path;
        int code;
    } refused[] = {
        { "absent", BASE_ERROR_NOT_FOUND },
        { "unset", BASE_ERROR_NOT_FOUND },
        { "plain.absent", BASE_ERROR_NOT_FOUND },
        { "plain.computed", BASE_ERROR_UNSUPPORTED },
        { "slotted.b", BASE_ERROR_NOT_FOUND },
        { "few[3]", BASE_ERROR_NOT_FOUND },
        { "d['z']", BASE_ERROR_NOT_FOUND },
        { "plain.f()", BASE_ERROR_NOT_FOUND },
        { "print(i)", BASE_ERROR_UNSUPPORTED },
        { "few[", BASE_ERROR_INVALID },
        { "", BASE_ERROR_INVALID },
        { "plain.", BASE_ERROR_INVALID },
    };
    const PythonLimits limits = PYTHON_LIMITS_DEFAULT;

    for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
        g_autoptr (GError) error = NULL;

        g_assert_null (python_frame_evaluate (runtime, frame, refused[i].path, &limits,
                                              &error));
        g_assert_error (error, BASE_ERROR, refused[i].code);
    }
}

static const JobValue *
find_value (const GPtrArray *values, const char *name)
{
    for (guint i = 0; values != NULL && i < values->len; i++) {
        const JobValue *value = g_ptr_array_index (values, i);

        if (g_strcmp0 (value->name, name) == 0) {
            return value;
        }
    }
    return NULL;
}

static void
check_locals (PythonRuntime *runtime, const PythonFrame *frame)
{
    const PythonLimits limits = PYTHON_LIMITS_DEFAULT;
    g_autoptr (GPtrArray) values = python_frame_read_locals (runtime, frame, &limits, NULL);
    const JobValue *plain = find_value (values, "plain");
    const JobValue *few = find_value (values, "few");

    g_assert_nonnull (find_value (values, "n"));
    g_assert_nonnull (find_value (values, "cell"));
    g_assert_null (find_value (values, "unset"));
    g_assert_null (find_value (values, "level"));
    g_assert_nonnull (plain);
    g_assert_true (plain->expandable);
    g_assert_cmpstr (plain->type, ==, "Plain");
    g_assert_cmpstr (find_value (plain->children, "name")->text, ==, "'p'");
    g_assert_cmpstr (find_value (few->children, "[1]")->text, ==, "2");
}

static void
check_module_locals (PythonRuntime *runtime, const PythonFrame *frame)
{
    const PythonLimits limits = PYTHON_LIMITS_DEFAULT;
    g_autoptr (GPtrArray) values = python_frame_read_locals (runtime, frame, &limits, NULL);

    g_assert_cmpstr (frame->function, ==, "<module>");
    g_assert_cmpstr (find_value (values, "level")->text, ==, "7");
    g_assert_null (find_value (values, "sys"));
    g_assert_null (find_value (values, "work"));
}

static void
test_values (gconstpointer data)
{
    Live *live = live_start (data, "values.py");
    PythonRuntime *runtime = python_runtime_open (live->memory,
                                                  (PythonImage *) live->images->data,
                                                  live->images->len, NULL);
    g_autoptr (GPtrArray) frames = NULL;
    PythonFrame *work = find_work (runtime, &frames);

    check_paths (runtime, work, expected, G_N_ELEMENTS (expected));
    if (g_str_has_prefix (live->report, "numpy")) {
        check_paths (runtime, work, expected_numpy, G_N_ELEMENTS (expected_numpy));
    }
    check_refused (runtime, work);
    check_locals (runtime, work);
    check_module_locals (runtime, g_ptr_array_index (frames, 1));
    python_runtime_free (runtime);
    live_stop (live);
}

int
main (int argc, char **argv)
{
    g_auto (GStrv) interpreters = live_list_interpreters ();

    g_test_init (&argc, &argv, NULL);
    for (guint i = 0; interpreters[i] != NULL; i++) {
        g_autofree char *name = g_strdup_printf ("/python/value%s", interpreters[i]);

        g_test_add_data_func (name, interpreters[i], test_values);
    }
    return g_test_run ();
}
