/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The elements of an array: numbers by position, statistics, slices, files. Without widgets. */
#pragma once
#include <gio/gio.h>
#include "job/rank-set.h"

enum { GUI_ARRAY_MAX_DIMENSIONS = 16 };

typedef struct {
    guint32 rank;
    guint64 begin;
} GuiArrayPart;

typedef struct {
    GBytes *bytes;
    char kind;        /* numpy's letter: b i u f c */
    guint size;       /* of an element, bytes */
    gboolean is_quad; /* with kind f, and letter q: 16 bytes of binary128, 2 of bfloat16 */
    gboolean is_swapped;
    char *letters;      /* "<f8" */
    guint n_dimensions; /* at least 1 */
    guint64 shape[GUI_ARRAY_MAX_DIMENSIONS];
    gint64 lower[GUI_ARRAY_MAX_DIMENSIONS];
    gboolean is_fortran; /* the first index varies fastest in memory */
    guint32 *ranks;      /* of stacked arrays: the rank of each index of rank_dimension; else
                             NULL */
    guint rank_dimension;
    /* Of joined arrays: whose part begins at which index of join_dimension, in that order; else NULL. */
    GArray *parts; /* of GuiArrayPart */
    guint join_dimension;
    guint8
        *hidden; /* a bit for each element that is not shown (array-filter.h); NULL: all are */
    guint64 n_elements;
} GuiArrayData;

/* text: "<f8 3 4", or with "F -1 1" after the shape: Fortran's order, lower bounds. CORRUPT when the bytes do not fit it, UNSUPPORTED for kinds unknown here. */
GuiArrayData *gui_array_data_new (const char *text, GBytes *bytes, GError **error);
void gui_array_data_free (GuiArrayData *data);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GuiArrayData, gui_array_data_free)
/* Stacks the arrays of these ranks into one, with the rank as its slowest dimension. INVALID
 * when their shapes differ. */
GuiArrayData *gui_array_data_stack (GPtrArray *arrays, const guint32 *ranks, GError **error);
/* Joins the parts of one array that these ranks have, in this order, along a dimension of the parts (from 0), in which
 * they may differ in length. INVALID when they differ otherwise. */
GuiArrayData *gui_array_data_join (GPtrArray *arrays, const guint32 *ranks, guint dimension,
                                   GError **error);
/* The order of ranks that a text says, "3-0,4": ranges and numbers between commas or blanks, in their order; each of the
 * set, and none twice. Of guint32; caller owns. INVALID. */
GArray *gui_array_data_parse_order (const char *text, const JobRankSet *ranks, GError **error);
/* The indices of an element as the program counts, of rank_dimension the rank; for GUI_ARRAY_MAX_DIMENSIONS. */
void gui_array_data_find_coordinates (const GuiArrayData *data, guint64 position,
                                      gint64 *ret_coordinates);
/* Whose element it is, by its coordinates: `rank` where it is no array of several. */
guint32 gui_array_data_find_rank (const GuiArrayData *data, const gint64 *coordinates,
                                  guint32 rank);
gboolean gui_array_data_is_hidden (const GuiArrayData *data, guint64 position);
/* The element at a position in memory; for complex numbers the absolute value. */
double gui_array_data_get (const GuiArrayData *data, guint64 position);
/* With all digits (exact), or with six. Caller owns. */
char *gui_array_data_format (const GuiArrayData *data, guint64 position, gboolean exact);
char *gui_array_data_format_type (const GuiArrayData *data);  /* "float64" */
char *gui_array_data_format_shape (const GuiArrayData *data); /* "(3, 4)" */
/* "[1][2]", Fortran "(2,3)"; of stacked arrays with the rank first, "5: [1][2]". */
char *gui_array_data_format_index (const GuiArrayData *data, guint64 position);
/* An index of a dimension as the program counts; of rank_dimension the rank. */
gint64 gui_array_data_get_coordinate (const GuiArrayData *data, guint dimension, guint64 index);

typedef struct {
    guint64 n_shown, n_finite, n_nan, n_inf, n_zero, min_at, max_at;
    double min, max, mean, deviation; /* of the finite ones; deviation of the population */
} GuiArrayStatistics;
/* Of those that are not hidden. */
void gui_array_data_summarise (const GuiArrayData *data, GuiArrayStatistics *ret_statistics);

/* Two dimensions, the others fixed. columns may equal G_MAXUINT: one column. */
typedef struct {
    guint rows, columns;
    guint64 fixed[GUI_ARRAY_MAX_DIMENSIONS];
} GuiArraySlice;
guint64 gui_array_slice_get_position (const GuiArrayData *data, const GuiArraySlice *slice,
                                      guint64 row, guint64 column);
guint64 gui_array_slice_get_n_columns (const GuiArrayData *data, const GuiArraySlice *slice);
