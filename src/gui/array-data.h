/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The elements of an array as they came: numbers by position, statistics, slices, files. Knows no
 * widget. */
#pragma once
#include <gio/gio.h>

enum { GUI_ARRAY_MAX_DIMENSIONS = 16 };

typedef struct {
    GBytes *bytes;
    char kind;            /* numpy's letter: b i u f c */
    guint size;           /* of an element, bytes */
    gboolean is_swapped;
    char *letters;        /* "<f8" */
    guint n_dimensions;   /* at least 1 */
    guint64 shape[GUI_ARRAY_MAX_DIMENSIONS];
    guint64 n_elements;
} GuiArrayData;

/* text: "<f8 3 4". CORRUPT when the bytes do not fit it, UNSUPPORTED for kinds unknown here. */
GuiArrayData *gui_array_data_new (const char *text, GBytes *bytes, GError **error);
void gui_array_data_free (GuiArrayData *data);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GuiArrayData, gui_array_data_free)
/* The arrays as one, with a first dimension for them. INVALID when their shapes differ. */
GuiArrayData *gui_array_data_stack (GPtrArray *arrays, GError **error);
/* The element at a position in C order; of a complex number its absolute value. */
double gui_array_data_get (const GuiArrayData *data, guint64 position);
/* All its digits, or six of them. Caller owns. */
char *gui_array_data_format (const GuiArrayData *data, guint64 position, gboolean exact);
char *gui_array_data_format_shape (const GuiArrayData *data); /* "(3, 4)" */
char *gui_array_data_format_index (const GuiArrayData *data, guint64 position); /* "[1][2]" */

typedef struct {
    guint64 n_finite, n_nan, n_inf, n_zero, min_at, max_at;
    double min, max, mean, deviation; /* of the finite ones; deviation of the population */
} GuiArrayStatistics;
void gui_array_data_summarise (const GuiArrayData *data, GuiArrayStatistics *ret_statistics);

/* Two dimensions, the others fixed. columns may equal G_MAXUINT: one column. */
typedef struct {
    guint rows, columns;
    guint64 fixed[GUI_ARRAY_MAX_DIMENSIONS];
} GuiArraySlice;
guint64 gui_array_slice_get_position (const GuiArrayData *data, const GuiArraySlice *slice,
                                      guint64 row, guint64 column);
guint64 gui_array_slice_get_n_columns (const GuiArrayData *data, const GuiArraySlice *slice);

/* The slice as lines of comma-separated values, exact. */
gboolean gui_array_data_save_csv (const GuiArrayData *data, const GuiArraySlice *slice,
                                  const char *file, GError **error);
/* Everything, in numpy's format 1.0 (numpy.lib.format). */
gboolean gui_array_data_save_npy (const GuiArrayData *data, const char *file, GError **error);
