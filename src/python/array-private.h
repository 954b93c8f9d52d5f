/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between array.c (what an array is, and its elements) and array-print.c (as text). */
#pragma once
#include "python/value-private.h"

typedef enum {
    PYTHON_NUMBER_BOOL,
    PYTHON_NUMBER_SIGNED,
    PYTHON_NUMBER_UNSIGNED,
    PYTHON_NUMBER_FLOAT,
    PYTHON_NUMBER_COMPLEX,
    PYTHON_NUMBER_OTHER
} PythonNumberKind;

typedef struct {
    const char *name;
    PythonNumberKind kind;
    guint size;
} PythonArrayType;

enum { TYPE_OBJECT = 17, TYPE_BYTES, TYPE_STR, TYPE_VOID, TYPE_DATETIME, TYPE_TIMEDELTA };

#define PYTHON_N_ARRAY_TYPES 24
extern const PythonArrayType python_array_types[PYTHON_N_ARRAY_TYPES]; /* by NPY_TYPES */
/* NULL: not a type that is known. */
const PythonArrayType *python_array_get_element (const PythonArray *array);
/* The descriptor of a type, into the array's element type and size. FALSE: memory contradicts itself. */
gboolean python_array_read_descriptor (PythonRuntime *runtime, guint64 descriptor,
                                       PythonArray *array);
/* Caller owns; *ret_number is NAN of what is no number. */
char *python_array_format_number (const PythonArrayType *element, const guint8 *bytes,
                                  double *ret_number);
char *python_array_format_element (PythonPrinter *printer, const PythonArray *array,
                                   gint64 position, gboolean as_repr, double *ret_number);
