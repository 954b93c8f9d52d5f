/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of an expression: an object of the rank, a part of one that is no object of its
 * own, or a value computed here. Points live as long as their evaluation. */
#pragma once
#include "python/value-private.h"

typedef enum {
    PYTHON_POINT_OBJECT,
    PYTHON_POINT_ARRAY,    /* numpy array or part of one; other buffers of numbers */
    PYTHON_POINT_RAW,      /* memory that a ctypes class describes */
    PYTHON_POINT_SEQUENCE, /* slice of a list or tuple */
    PYTHON_POINT_NONE,
    PYTHON_POINT_ELLIPSIS,
    PYTHON_POINT_BOOL,
    PYTHON_POINT_INT,
    PYTHON_POINT_FLOAT,
    PYTHON_POINT_STR,
    PYTHON_POINT_BYTES,
    PYTHON_POINT_TUPLE, /* of points */
    PYTHON_POINT_SLICE, /* three points, NULL where absent */
    PYTHON_POINT_TEXT,  /* a description, which allows no further evaluation */
} PythonPointKind;

typedef struct _PythonPoint PythonPoint;
struct _PythonPoint {
    PythonPointKind kind;
    guint64 object;
    PythonArray *array;
    PythonRaw raw;
    __int128 integer; /* BOOL, INT */
    double number;
    GArray *characters; /* of gunichar: STR, BYTES */
    GPtrArray *items;   /* of PythonPoint, not owned: TUPLE, SLICE; of a list when is_list */
    gboolean is_list;
    guint64 first; /* SEQUENCE: address of the first pointer */
    gint64 step, count;
    char *text;
};

typedef struct {
    PythonRuntime *runtime;
    const PythonFrame *frame;
    GPtrArray *points; /* owned */
    guint skip;        /* not 0: inside an unevaluated part, as in "x is None or …" */
    guint depth;
    guint64 root; /* without a frame: the object that the name "_" means, the only one */
} PythonEvaluation;

PythonPoint *python_point_new (PythonEvaluation *evaluation, PythonPointKind kind);
PythonPoint *python_point_new_object (PythonEvaluation *evaluation, guint64 object);
PythonPoint *python_point_new_int (PythonEvaluation *evaluation, __int128 integer);
PythonPoint *python_point_new_float (PythonEvaluation *evaluation, double number);
PythonPoint *python_point_new_bool (PythonEvaluation *evaluation, gboolean value);
PythonPoint *python_point_new_text (PythonEvaluation *evaluation, char *text);

static inline gboolean
python_point_is_number (const PythonPoint *point)
{
    return point->kind == PYTHON_POINT_INT || point->kind == PYTHON_POINT_BOOL
           || point->kind == PYTHON_POINT_FLOAT;
}

static inline gboolean
python_point_is_characters (const PythonPoint *point)
{
    return point->kind == PYTHON_POINT_STR || point->kind == PYTHON_POINT_BYTES;
}

const char *python_point_get_type_name (PythonEvaluation *evaluation, const PythonPoint *point);

typedef enum {
    PYTHON_MISS_ATTRIBUTE,
    PYTHON_MISS_FIELD,
    PYTHON_MISS_KEY,
    PYTHON_MISS_SYMBOL
} PythonMiss;

/* Sets INVALID, "cannot evaluate it without running code: WHY", and returns NULL. */
PythonPoint *python_point_refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Sets NOT_FOUND, "no WHAT "NAME"", and returns NULL. */
PythonPoint *python_point_miss (GError **error, PythonMiss what, const char *name);

/* Converts numpy arrays and ctypes instances to points with parts; others unchanged. */
PythonPoint *python_point_enter (PythonEvaluation *evaluation, PythonPoint *point);
/* Converts objects, array elements and ctypes fields to scalars; others unchanged. */
PythonPoint *python_point_simplify (PythonEvaluation *evaluation, PythonPoint *point);
gboolean python_point_is_true (PythonEvaluation *evaluation, PythonPoint *point,
                               gboolean *ret_truth, GError **error);
gboolean python_point_get_length (PythonEvaluation *evaluation, PythonPoint *point,
                                  gint64 *ret_length, GError **error);
PythonPoint *python_point_attribute (PythonEvaluation *evaluation, PythonPoint *point,
                                     const char *name, GError **error);
PythonPoint *python_point_subscript (PythonEvaluation *evaluation, PythonPoint *point,
                                     PythonPoint *index, GError **error);
/* FALSE: not known without running code. */
gboolean python_point_equal (PythonEvaluation *evaluation, PythonPoint *a, PythonPoint *b,
                             gboolean *ret_equal, GError **error);
/* -1, 0, 1; 2 for nan. */
gboolean python_point_order (PythonEvaluation *evaluation, PythonPoint *a, PythonPoint *b,
                             int *ret_order, GError **error);
gboolean python_point_contains (PythonEvaluation *evaluation, PythonPoint *item,
                                PythonPoint *container, gboolean *ret_contains, GError **error);
gboolean python_point_is_same (PythonEvaluation *evaluation, PythonPoint *a, PythonPoint *b,
                               gboolean *ret_same, GError **error);
/* operation: + - * / % & | ^, and d for //, p for **, l for <<, r for >>. */
PythonPoint *python_point_compute (PythonEvaluation *evaluation, char operation, PythonPoint *a,
                                   PythonPoint *b, GError **error);
PythonPoint *python_point_negate (PythonEvaluation *evaluation, char operation,
                                  PythonPoint *point, GError **error);
/* A call of one of the functions without side effects: len, abs, type, id, int, float, bool,
 * isinstance. */
PythonPoint *python_point_call (PythonEvaluation *evaluation, PythonPoint *function,
                                const GPtrArray *arguments, GError **error);
/* As python_value_compare, with a budget. */
void python_point_compare (PythonEvaluation *evaluation, JobValue *value, PythonPoint *point,
                           guint64 budget);
JobValue *python_point_print (PythonEvaluation *evaluation, PythonPrinter *printer,
                              PythonPoint *point);

/* NULL with NOT_FOUND. */
/* The mangled name in the frame's class: "_Class__name" for "__name"; NULL: not mangled. */
char *python_evaluation_mangle (PythonEvaluation *evaluation, const char *name);
PythonPoint *python_evaluation_find_name (PythonEvaluation *evaluation, const char *name,
                                          GError **error);
/* The whole text as one expression. */
PythonPoint *python_expression_evaluate (PythonEvaluation *evaluation, const char *text,
                                         GError **error);
