/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects as text: what the files that make values share. */
#pragma once
#include "python/runtime-private.h"

/* How much of an object may still be shown. */
typedef struct {
    PythonRuntime *runtime;
    PythonLimits limits;
    guint nodes;      /* left */
} PythonPrinter;

/* A part of a numpy array, or a whole one. */
#define PYTHON_MAX_DIMENSIONS 64u
typedef struct {
    guint64 data;
    guint n_dimensions;
    gint64 shape[PYTHON_MAX_DIMENSIONS];
    gint64 strides[PYTHON_MAX_DIMENSIONS];
    gint32 type;      /* NPY_TYPES */
    gboolean is_swapped;
} PythonArray;

gboolean python_array_read (PythonRuntime *runtime, guint64 object, PythonArray *ret_array);
/* The part at index of the first dimension; negative from the end. FALSE: out of range. */
gboolean python_array_index (const PythonArray *array, gint64 index, PythonArray *ret_part);
JobValue *python_array_print (PythonPrinter *printer, const char *name, const PythonArray *array);
char *python_array_format_shape (const PythonArray *array);
gint64 python_array_get_size (const PythonArray *array);
/* A numpy scalar ("numpy.int64"): its number as text. NULL when it is no known one. */
char *python_scalar_format (PythonRuntime *runtime, const PythonType *type, guint64 object,
                            double *ret_number);

JobValue *python_print (PythonPrinter *printer, const char *name, guint64 object);
/* Python's repr of text, in single quotes where it can be. */
void python_append_repr (GString *text, const char *string, gboolean is_bytes, gsize size);
