/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements, statistics, slices and files of arrays; .npy files are read back by numpy's own rules
 * in the journey, here by their header. */
#include "gui/arrays/array-export.h"
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
    g_test_add_func ("/gui/array/files", test_files);
    return g_test_run ();
}
