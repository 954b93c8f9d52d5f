/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements, statistics, slices and files of arrays; .npy files are read back by numpy's own rules
 * in the journey, here by their header. */
#include "gui/arrays/array-export.h"
#include "gui/arrays/array-filter.h"
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include "base/error.h"

static GuiArrayData *
make (const char *text, gconstpointer bytes, gsize size)
{
    g_autoptr (GBytes) content = g_bytes_new (bytes, size);
    g_autoptr (GError) error = NULL;
    GuiArrayData *data = gui_array_data_new (text, content, &error);

    g_assert_no_error (error);
    return data;
}

/* In steps as short as can be; before the last one there is no file. */
static gboolean
save (const GuiArrayData *data, const GuiArraySlice *slice, const char *file)
{
    GuiArrayExport *export = gui_array_export_new (data, slice, file, NULL);
    gboolean is_done = FALSE, ok = export != NULL;

    g_assert_false (g_file_test (file, G_FILE_TEST_EXISTS));
    while (ok && !is_done) {
        ok = gui_array_export_step (export, 0, &is_done, NULL);
        g_assert_true (is_done == g_file_test (file, G_FILE_TEST_EXISTS));
    }
    gui_array_export_free (export);
    export = gui_array_export_new (data, slice, file, NULL);
    gui_array_export_free (export); /* cancelled: the file is as it was */
    return ok;
}

static void
test_elements (void)
{
    static const double numbers[] = { 1, 2, NAN, 4, INFINITY, -6 };
    static const guint8 big[] = { 0x01, 0x02, 0xff, 0xfe };
    static const guint8 halves[] = { 0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00 };
    static const float parts[] = { 3, 4, 0, -1 };
    g_autoptr (GuiArrayData) data = make ("<f8 2 3", numbers, sizeof numbers);
    g_autoptr (GuiArrayData) swapped = make (">i2 2", big, sizeof big);
    g_autoptr (GuiArrayData) half = make ("<f2 3", halves, sizeof halves);
    g_autoptr (GuiArrayData) complex = make ("<c8 2", parts, sizeof parts);
    static const guint8 brains[] = { 0xc0, 0x3f, 0x00, 0xc0 };
    /* 1/3 in IEEE's binary128 */
    static const guint8 quads[16] = { 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55,
                                      0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xfd, 0x3f };
    g_autoptr (GuiArrayData) brain = make ("<q2 2", brains, sizeof brains);
    g_autoptr (GuiArrayData) quad = make ("<q16 1", quads, sizeof quads);
    g_autofree char *third = gui_array_data_format (quad, 0, TRUE);
    g_autofree char *index = gui_array_data_format_index (data, 5);
    g_autofree char *shape = gui_array_data_format_shape (swapped);
    g_autofree char *text = gui_array_data_format (complex, 1, TRUE);
    GuiArrayStatistics s;

    g_assert_cmpfloat (gui_array_data_get (data, 5), ==, -6);
    g_assert_cmpfloat (gui_array_data_get (swapped, 0), ==, 258);
    g_assert_cmpfloat (gui_array_data_get (swapped, 1), ==, -2);
    g_assert_cmpfloat (gui_array_data_get (half, 0), ==, 1);
    g_assert_cmpfloat (gui_array_data_get (half, 1), ==, -2);
    g_assert_cmpfloat (gui_array_data_get (half, 2), ==, 1 / 16777216.0);
    g_assert_cmpfloat (gui_array_data_get (brain, 0), ==, 1.5);
    g_assert_cmpfloat (gui_array_data_get (brain, 1), ==, -2);
    g_assert_cmpfloat (gui_array_data_get (quad, 0), ==, 1.0 / 3);
    g_assert_cmpstr (third, ==, "0.3333333333333333333333333333333333");
    g_assert_cmpfloat (gui_array_data_get (complex, 0), ==, 5);
    g_assert_cmpstr (text, ==, "0-1j");
    g_assert_cmpstr (index, ==, "[1][2]");
    g_assert_cmpstr (shape, ==, "(2,)");
    gui_array_data_summarise (data, &s);
    g_assert_cmpuint (s.n_finite, ==, 4);
    g_assert_cmpuint (s.n_nan, ==, 1);
    g_assert_cmpuint (s.n_inf, ==, 1);
    g_assert_cmpfloat (s.min, ==, -6);
    g_assert_cmpuint (s.min_at, ==, 5);
    g_assert_cmpfloat (s.max, ==, 4);
    g_assert_cmpfloat (s.mean, ==, 0.25);
    g_assert_cmpfloat_with_epsilon (s.deviation, sqrt (14.1875), 1e-12);
}

static void
test_refused (void)
{
    static const char *const texts[] = { "",
                                         "<f8",
                                         "<x8 1",
                                         "<f8 2",
                                         "<f8 1 1 1 1 1 1 1 1 1 1 1 1 1 "
                                         "1 1 1 1",
                                         "<f8 4294967295 4294967295 4294967295",
                                         "<i3 1",
                                         "f8 1",
                                         "<f8 -1",
                                         "<f8 1 F",
                                         "<f8 1 F 1 2",
                                         "<f8 F 1",
                                         NULL };
    g_autoptr (GBytes) bytes = g_bytes_new ("12345678", 8);

    for (guint i = 0; texts[i] != NULL; i++) {
        g_autoptr (GError) error = NULL;

        g_assert_null (gui_array_data_new (texts[i], bytes, &error));
        g_assert_nonnull (error);
    }
}

static void
test_stack (void)
{
    static const gint32 a[] = { 1, 2 }, b[] = { 3, 4 };
    static const guint32 ranks[] = { 3, 7 }, three[] = { 3, 7, 8 };
    g_autofree char *index = NULL;
    g_autoptr (GPtrArray) arrays
        = g_ptr_array_new_with_free_func ((GDestroyNotify) gui_array_data_free);
    g_autoptr (GuiArrayData) all = NULL;
    g_autoptr (GError) error = NULL;

    g_ptr_array_add (arrays, make ("<i4 2", a, sizeof a));
    g_ptr_array_add (arrays, make ("<i4 2", b, sizeof b));
    all = gui_array_data_stack (arrays, ranks, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (all->n_dimensions, ==, 2);
    g_assert_cmpfloat (gui_array_data_get (all, 2), ==, 3);
    index = gui_array_data_format_index (all, 3);
    g_assert_cmpstr (index, ==, "7: [1]");
    g_ptr_array_add (arrays, make ("<i4 1", b, sizeof b[0]));
    g_assert_null (gui_array_data_stack (arrays, three, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_INVALID);
}

/* A Fortran array A(-1:1, 2): the first index runs fastest. */
static void
test_fortran (void)
{
    static const gint16 numbers[] = { 11, 12, 13, 21, 22, 23 };
    static const guint32 ranks[] = { 4, 5 };
    g_autoptr (GuiArrayData) data = make ("<i2 3 2 F -1 1", numbers, sizeof numbers);
    g_autoptr (GuiArrayData) other = make ("<i2 3 2 F -1 1", numbers, sizeof numbers);
    g_autoptr (GPtrArray) both = g_ptr_array_new ();
    g_autoptr (GuiArrayData) all = NULL;
    g_autofree char *index = gui_array_data_format_index (data, 5), *of_rank = NULL;
    g_autofree char *folder = g_dir_make_tmp (NULL, NULL), *content = NULL;
    g_autofree char *csv = g_build_filename (folder, "a.csv", NULL);
    g_autofree char *npy = g_build_filename (folder, "a.npy", NULL);
    GuiArraySlice slice = { 0, 1, { 0 } };
    gsize size;

    g_assert_cmpuint (gui_array_slice_get_position (data, &slice, 2, 1), ==, 5);
    g_assert_cmpuint (gui_array_slice_get_position (data, &slice, 0, 1), ==, 3);
    g_assert_cmpstr (index, ==, "(1,2)");
    g_assert_cmpint (gui_array_data_get_coordinate (data, 0, 0), ==, -1);
    g_assert_true (save (data, &slice, csv));
    g_assert_true (g_file_get_contents (csv, &content, NULL, NULL));
    g_assert_cmpstr (content, ==, "11,21\n12,22\n13,23\n");
    g_free (content);
    g_assert_true (save (data, NULL, npy));
    g_assert_true (g_file_get_contents (npy, &content, &size, NULL));
    g_assert_nonnull (strstr (content + 10, "'fortran_order': True, 'shape': (3, 2)"));
    g_assert_cmpmem (content + 128, sizeof numbers, numbers, sizeof numbers);
    g_ptr_array_add (both, data);
    g_ptr_array_add (both, other);
    all = gui_array_data_stack (both, ranks, NULL);
    of_rank = gui_array_data_format_index (all, 11);
    g_assert_cmpstr (of_rank, ==, "5: (1,2)");
    g_assert_cmpfloat (gui_array_data_get (all, 6), ==, 11);
    g_unlink (csv);
    g_unlink (npy);
    g_rmdir (folder);
}

/* "012" of the elements that are left; NULL: it cannot be understood. */
static char *
filter (GuiArrayData *data, const char *text)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GuiArrayFilter) filter = gui_array_filter_new (text, &error);
    GString *left = g_string_new (NULL);
    guint64 n;

    if (filter == NULL) {
        g_assert_error (error, BASE_ERROR, BASE_ERROR_INVALID);
        return g_string_free (left, TRUE);
    }
    n = gui_array_filter_apply (filter, data, 7);
    for (guint64 i = 0; i < data->n_elements; i++) {
        if (!gui_array_data_is_hidden (data, i)) {
            g_string_append_printf (left, "%" G_GUINT64_FORMAT, i);
        }
    }
    g_assert_cmpuint (n, ==, left->len);
    return g_string_free (left, FALSE);
}

static void
test_filter (void)
{
    static const double numbers[] = { 1, -2, NAN, 4, INFINITY, 6 };
    static const struct {
        const char *text, *left;
    } cases[] = {
        { "value > 1", "345" },
        { "$value>=1 && value<6", "03" },
        { "isnan(value) or not isfinite (value)", "24" },
        { "abs(value) == 2", "1" },
        { "value != value", "2" },
        { "!(value < 5)", "245" }, /* what is not a number is not less */
        { "i == 1", "345" },
        { "i == 0 and j != 1", "02" },
        { "k == 0", "" }, /* there is no such index */
        { "rank == 7 and value == inf", "4" },
        { "value % 4 == 2 or value == - (1 + 1) * 1", "15" },
        { "value - 1 - 2 == 3", "5" },
        { "1 + 2 * 3 == 7 and value/2 == 3", "5" },
        { "1", "012345" },
        { "0 or nan", "" },
    };
    static const char *const wrong[] = { "",       "value >",   "valued > 1", "value > 1)",
                                         "(value", "1 2",       "abs value",  "abs()",
                                         "3x",     "value = 1", "notvalue" };
    g_autoptr (GuiArrayData) data = make ("<f8 2 3", numbers, sizeof numbers);
    g_autofree char *deep = g_strnfill (5000, '('), *minus = g_strnfill (5000, '-');
    GuiArrayStatistics s;

    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_autofree char *left = filter (data, cases[i].text);

        g_assert_cmpstr (left, ==, cases[i].left);
    }
    for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
        g_assert_null (filter (data, wrong[i]));
    }
    g_assert_null (filter (data, deep));
    g_assert_null (filter (data, minus));
    g_free (filter (data, "value > 1 and value < 5"));
    gui_array_data_summarise (data, &s);
    g_assert_cmpuint (s.n_shown, ==, 1);
    g_assert_cmpfloat (s.min, ==, 4);
    g_assert_cmpuint (s.min_at, ==, 3);
    g_assert_cmpuint (gui_array_filter_apply (NULL, data, 7), ==, 6);
    g_assert_null (data->hidden);
}

/* The oracle is the whole array, cut into parts along that dimension. */
static void
assert_joined (const char *format, const guint32 *shape, guint dimension, gboolean is_fortran)
{
    static const guint32 cuts[] = { 0, 1, 3, 4 }, ranks[] = { 5, 2, 8 };
    g_autoptr (GPtrArray) parts
        = g_ptr_array_new_with_free_func ((GDestroyNotify) gui_array_data_free);
    g_autoptr (GuiArrayData) joined = NULL;
    g_autoptr (GError) error = NULL;

    for (guint p = 0; p < 3; p++) {
        g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (gint32));
        guint32 part[] = { shape[0], shape[1], shape[2] };
        g_autofree char *text = NULL;

        part[dimension] = cuts[p + 1] - cuts[p];
        for (guint n = 0; n < part[0] * part[1] * part[2]; n++) {
            guint index[3], rest = n;
            gint32 number;

            for (guint d = 0; d < 3; d++) {
                guint at = is_fortran ? d : 2 - d;

                index[at] = rest % part[at];
                rest /= part[at];
            }
            index[dimension] += cuts[p];
            number = (gint32) (100 * index[0] + 10 * index[1] + index[2]);
            g_array_append_val (numbers, number);
        }
        text = g_strdup_printf (format, part[0], part[1], part[2]);
        g_ptr_array_add (parts, make (text, numbers->data, numbers->len * sizeof (gint32)));
    }
    joined = gui_array_data_join (parts, ranks, dimension, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (joined->n_elements, ==, shape[0] * shape[1] * shape[2]);
    for (guint64 i = 0; i < joined->n_elements; i++) {
        gint64 at[GUI_ARRAY_MAX_DIMENSIONS];
        gint64 index;

        gui_array_data_find_coordinates (joined, i, at);
        index = at[dimension] - joined->lower[dimension];
        g_assert_cmpfloat (gui_array_data_get (joined, i), ==,
                           (double) (100 * (at[0] - joined->lower[0])
                                     + 10 * (at[1] - joined->lower[1])
                                     + (at[2] - joined->lower[2])));
        g_assert_cmpuint (gui_array_data_find_rank (joined, at, 99), ==,
                          ranks[index < 1   ? 0
                                : index < 3 ? 1
                                            : 2]);
    }
}

static void
test_join (void)
{
    static const guint32 shapes[][3] = { { 4, 2, 3 }, { 2, 4, 3 }, { 2, 3, 4 } };
    static const gint32 a[] = { 1, 2, 3, 4 };
    static const guint32 ranks[] = { 0, 1 };
    g_autoptr (GPtrArray) differ
        = g_ptr_array_new_with_free_func ((GDestroyNotify) gui_array_data_free);
    g_autoptr (GError) error = NULL;

    for (guint d = 0; d < 3; d++) {
        assert_joined ("<i4 %u %u %u", shapes[d], d, FALSE);
        assert_joined ("<i4 %u %u %u F 1 -1 0", shapes[d], d, TRUE);
    }
    g_ptr_array_add (differ, make ("<i4 2 2", a, sizeof a));
    g_ptr_array_add (differ, make ("<i4 4 1", a, sizeof a));
    g_assert_null (gui_array_data_join (differ, ranks, 0, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_INVALID);
    g_clear_error (&error);
    g_assert_null (gui_array_data_join (differ, ranks, 2, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_INVALID);
}

static void
test_order (void)
{
    static const struct {
        const char *text, *order; /* NULL: refused */
    } cases[] = {
        { "0-3", "0123" },        { "3-0", "3210" }, { "1, 0 3", "103" }, { "2", "2" },
        { "0-3,2", NULL },        { "", NULL },      { " , ", NULL },     { "9", NULL },
        { "1-9", NULL },          { "a", NULL },     { "-1", NULL },      { "1-", NULL },
        { "0-4294967295", NULL },
    };
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 4);

    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_autoptr (GError) error = NULL;
        g_autoptr (GArray) order = gui_array_data_parse_order (cases[i].text, ranks, &error);
        g_autoptr (GString) text = g_string_new (NULL);

        for (guint j = 0; order != NULL && j < order->len; j++) {
            g_string_append_printf (text, "%u", g_array_index (order, guint32, j));
        }
        g_assert_cmpstr (order != NULL ? text->str : NULL, ==, cases[i].order);
        g_assert_true ((order == NULL) == (error != NULL));
    }
}

static void
test_files (void)
{
    static const gint16 numbers[] = { 0, 1, 2, 10, 11, 12 };
    g_autoptr (GuiArrayData) data = make ("<i2 2 1 3", numbers, sizeof numbers);
    GuiArraySlice slice = { 2, 0, { 0 } }; /* rows: the last dimension, columns: the first */
    g_autofree char *folder = g_dir_make_tmp (NULL, NULL), *content = NULL;
    g_autofree char *csv = g_build_filename (folder, "a.csv", NULL);
    g_autofree char *npy = g_build_filename (folder, "a.npy", NULL);
    gsize size;

    g_assert_true (save (data, &slice, csv));
    g_assert_true (g_file_get_contents (csv, &content, NULL, NULL));
    g_assert_cmpstr (content, ==, "0,10\n1,11\n2,12\n");
    g_free (content);
    g_assert_true (save (data, NULL, npy));
    g_assert_true (g_file_get_contents (npy, &content, &size, NULL));
    g_assert_cmpuint (size, ==, 128 + sizeof numbers);
    g_assert_cmpmem (content, 8, "\x93NUMPY\x01\x00", 8);
    g_assert_nonnull (strstr (content + 10, "'shape': (2, 1, 3)"));
    g_assert_cmpmem (content + 128, sizeof numbers, numbers, sizeof numbers);
    g_unlink (csv);
    g_unlink (npy);
    g_rmdir (folder);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/gui/array/elements", test_elements);
    g_test_add_func ("/gui/array/refused", test_refused);
    g_test_add_func ("/gui/array/stack", test_stack);
    g_test_add_func ("/gui/array/fortran", test_fortran);
    g_test_add_func ("/gui/array/filter", test_filter);
    g_test_add_func ("/gui/array/join", test_join);
    g_test_add_func ("/gui/array/order", test_order);
    g_test_add_func ("/gui/array/files", test_files);
    return g_test_run ();
}
