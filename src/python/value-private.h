/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that convert objects to text. */
#pragma once
#include "python/runtime-private.h"

typedef struct _PythonDigest PythonDigest;

/* The remaining limits for showing an object. */
typedef struct {
    PythonRuntime *runtime;
    PythonLimits limits;
    guint nodes;          /* left */
    guint nesting;        /* of calls; ends recursion through cyclic objects */
    PythonDigest *digest; /* hash the text instead of keeping it: without limits and addresses;
                             NULL */
} PythonPrinter;
#define PYTHON_MAX_NESTING 24u

/* A part of a numpy array, or a whole one. */
#define PYTHON_MAX_DIMENSIONS 64u
typedef struct {
    guint64 data;
    guint n_dimensions;
    gint64 shape[PYTHON_MAX_DIMENSIONS];
    gint64 strides[PYTHON_MAX_DIMENSIONS];
    gint32 type; /* NPY_TYPES */
    gboolean is_swapped;
    guint64 element_size;
    guint64 descriptor; /* of numpy; 0 for other buffers */
} PythonArray;

gboolean python_array_read (PythonRuntime *runtime, guint64 object, PythonArray *ret_array);
/* TRUE for numpy.ndarray and subclasses without Python code for items and attributes. */
gboolean python_array_is_plain (PythonRuntime *runtime, const PythonType *type);
/* "matrix(shape=…, dtype=…, […])" for an array object; shows masked elements as such. */
JobValue *python_array_print_object (PythonPrinter *printer, const char *name,
                                     const PythonType *type, guint64 object,
                                     const PythonArray *array);
/* numpy.void, an element of a structured array. */
gboolean python_array_read_void (PythonRuntime *runtime, guint64 object,
                                 PythonArray *ret_array);
/* The part at index of the first dimension; negative from the end. FALSE: out of range. */
gboolean python_array_index (const PythonArray *array, gint64 index, PythonArray *ret_part);
/* Elements in C order and "<f8 3 4"; UNSUPPORTED, FAULT. */
GBytes *python_array_copy (PythonRuntime *runtime, const PythonArray *array, char **ret_shape,
                           GError **error);
JobValue *python_array_print (PythonPrinter *printer, const char *name,
                              const PythonArray *array);
/* Reduces a dimension to an index or a slice. */
gboolean python_array_fix (PythonArray *array, guint dimension, gint64 index);
void python_array_slice (PythonArray *array, guint dimension, gint64 first, gint64 step,
                         gint64 count);
/* A field of a structured array. */
gboolean python_array_field (PythonRuntime *runtime, const PythonArray *array, const char *name,
                             PythonArray *ret_field);
/* The element of an array without dimensions. */
typedef enum {
    PYTHON_ELEMENT_UNKNOWN,
    PYTHON_ELEMENT_BOOL,
    PYTHON_ELEMENT_INT,
    PYTHON_ELEMENT_UNSIGNED,
    PYTHON_ELEMENT_FLOAT,
    PYTHON_ELEMENT_OBJECT
} PythonElementKind;
typedef struct {
    PythonElementKind kind;
    gint64 integer; /* BOOL, INT; UNSIGNED as its bits */
    double number;
    guint64 object;
} PythonElement;
gboolean python_array_read_element (PythonRuntime *runtime, const PythonArray *array,
                                    PythonElement *ret_element);
void python_array_append_type (PythonRuntime *runtime, GString *text, const PythonArray *array);
/* "1, 2, …" of at most limits.items elements in C order. */
void python_array_append_items (PythonPrinter *printer, GString *text, const PythonArray *array,
                                gboolean as_repr);
guint64 python_array_get_element_size (const PythonArray *array);
/* The fields of a structured array, each as an array; how many there are. */
#define PYTHON_MAX_ARRAY_FIELDS 64u
guint python_array_read_fields (PythonRuntime *runtime, const PythonArray *array,
                                PythonArray *ret_fields);
char *python_array_format_shape (const PythonArray *array);
gint64 python_array_get_size (const PythonArray *array);
/* The mask of a masked array: an array of bools, or another object if nothing is masked; 0: it
 * is no masked array. */
guint64 python_array_find_mask (PythonRuntime *runtime, const PythonType *type, guint64 object);
/* "int64" for numpy.int64 and its aliases; NULL: no numpy type. */
const char *python_scalar_get_name (const PythonType *type);
/* A numpy scalar ("numpy.int64"): its number as text. NULL when it is no known one. */
char *python_scalar_format (PythonRuntime *runtime, const PythonType *type, guint64 object,
                            double *ret_number);

/* ---- time.c: numpy's dates ---- */
typedef struct {
    guint32 unit;  /* NPY_DATETIMEUNIT */
    guint32 count; /* of it: [10s] */
} PythonTimeUnit;
gboolean python_time_read_unit (PythonRuntime *runtime, guint64 descriptor, gboolean is_numpy_2,
                                PythonTimeUnit *ret_unit);
void python_time_append_unit (GString *text, const PythonTimeUnit *unit);
/* An element of an array: "'2020-05-05T10:00'"; FALSE: unsupported unit or size. */
gboolean python_time_append_element (PythonRuntime *runtime, GString *text, guint64 descriptor,
                                     gboolean is_numpy_2, const guint8 *bytes);
/* A scalar: a date, or a length of time with its unit; NULL as above. */
char *python_time_format_scalar (PythonRuntime *runtime, guint64 object, const guint8 *bytes,
                                 gboolean is_length);

/* "<bound method NAME of SELF>". */
void python_append_bound (PythonPrinter *printer, GString *text, guint64 function,
                          guint64 self);
JobValue *python_print (PythonPrinter *printer, const char *name, guint64 object);
void python_append_object (PythonPrinter *printer, GString *text, guint64 object, guint depth);
/* Entries of a dict, and how many are shown: those of limits.items, then "...". */
typedef struct {
    PythonPrinter *printer;
    GString *text;
    guint depth, count;
} PythonEntries;

/* For python_dict_foreach, with PythonEntries. */
gboolean python_append_entry (guint64 key, guint64 value, gpointer user);
void python_append_dict (PythonPrinter *printer, GString *text, guint64 dict, guint depth);
/* The same, without counting or hashing the object itself. */
void python_append_known (PythonPrinter *printer, GString *text, guint64 object, guint depth);
/* The items of a list or tuple: address of the first pointer, and how many. */
gboolean python_find_items (PythonRuntime *runtime, const PythonType *type, guint64 object,
                            guint64 *ret_first, guint64 *ret_count);

/* ---- digest.c ---- */
guint64 python_digest_object (PythonPrinter *printer, guint64 object);
/* As python_value_compare. */
void python_array_compare (PythonRuntime *runtime, JobValue *value, const PythonArray *array,
                           guint64 budget);

/* ---- text.c: as repr shows them ---- */
void python_append_str (PythonPrinter *printer, GString *text, guint64 object);
void python_append_bytes (PythonPrinter *printer, GString *text, guint64 object);
/* Returns the number as a double; appends "?" and returns 0 if it is not known. */
double python_append_int (PythonPrinter *printer, GString *text, guint64 object);
void python_append_double (GString *text, double number);
void python_append_complex (GString *text, double real, double imaginary);
void python_append_characters (GString *text, const gunichar *characters, gsize count);

/* Appends objects of the standard library's types, both those in C (deque, range, array, dates,
 * …) and those with marked classes (enums, dataclasses, named tuples). FALSE: none of them,
 * nothing appended. */
gboolean python_library_append (PythonPrinter *printer, GString *text, const PythonType *type,
                                guint64 object, guint depth);
gboolean python_is_enum (PythonRuntime *runtime, const PythonType *type);
#define PYTHON_RANGE_LENGTH 40 /* of a range object: an int */
/* Item `index` of a deque; FALSE when there is none. */
gboolean python_deque_index (PythonRuntime *runtime, guint64 deque, gint64 index,
                             guint64 *ret_object);
/* array.array, memoryview, bytes, bytearray and ctypes arrays as numbers; FALSE for other
 * types. */
gboolean python_buffer_read (PythonRuntime *runtime, const PythonType *type, guint64 object,
                             PythonArray *ret_array);
gboolean python_ctypes_append (PythonPrinter *printer, GString *text, const PythonType *type,
                               guint64 object, guint depth);

/* A piece of memory that a ctypes type describes. */
typedef struct {
    guint64 type; /* the ctypes class */
    guint64 address;
    guint64 size;              /* bytes */
    guint32 first_bit, n_bits; /* n_bits 0: no bit field */
} PythonRaw;
gboolean python_ctypes_is_instance (PythonRuntime *runtime, const PythonType *type);
gboolean python_ctypes_read (PythonRuntime *runtime, guint64 object, PythonRaw *ret_raw);
gboolean python_ctypes_field (PythonRuntime *runtime, const PythonRaw *raw, const char *name,
                              PythonRaw *ret_field);
gboolean python_ctypes_index (PythonRuntime *runtime, const PythonRaw *raw, gint64 index,
                              PythonRaw *ret_item);
/* Items of an array; -1 when it is none. */
gint64 python_ctypes_get_length (PythonRuntime *runtime, const PythonRaw *raw);
JobValue *python_ctypes_print (PythonPrinter *printer, const char *name, const PythonRaw *raw);
/* As Python shows it when a field is read: "3", not "c_int(3)". */
void python_ctypes_append_raw (PythonPrinter *printer, GString *text, const PythonRaw *raw,
                               guint depth, double *ret_number);

/* Communicators, requests, … of mpi4py: their name in the module, else their handle. */
gboolean python_mpi_append (PythonPrinter *printer, GString *text, const PythonType *type,
                            guint64 object);

/* Python's repr of text, in single quotes where it can be. */
void python_append_repr (GString *text, const char *string, gboolean is_bytes, gsize size);
