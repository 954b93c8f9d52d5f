/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values on the way through an expression: made, simplified, compared and computed with as Python
 * does; what only the program's own code could tell is refused with the reason. */
#include "base/array.h"
#include "base/error.h"
#include "python/point-private.h"
#include <math.h>
#include <string.h>

#define MAX_COMPARED 65536
#define MAX_NESTED 16u

BASE_FREE (free_point, PythonPoint, point, g_free (point->array); g_free (point->text);
           g_clear_pointer (&point->characters, g_array_unref);
           g_clear_pointer (&point->items, g_ptr_array_unref))

PythonPoint *
python_point_new (PythonEvaluation *evaluation, PythonPointKind kind)
{
    PythonPoint *point = g_new0 (PythonPoint, 1);

    point->kind = kind;
    if (evaluation->points == NULL) {
        evaluation->points = g_ptr_array_new_with_free_func (free_point);
    }
    g_ptr_array_add (evaluation->points, point);
    return point;
}

PythonPoint *
python_point_new_object (PythonEvaluation *evaluation, guint64 object)
{
    PythonPoint *point = python_point_new (evaluation, PYTHON_POINT_OBJECT);

    point->object = object;
    return point;
}

PythonPoint *
python_point_new_int (PythonEvaluation *evaluation, __int128 integer)
{
    PythonPoint *point = python_point_new (evaluation, PYTHON_POINT_INT);

    point->integer = integer;
    return point;
}

PythonPoint *
python_point_new_float (PythonEvaluation *evaluation, double number)
{
    PythonPoint *point = python_point_new (evaluation, PYTHON_POINT_FLOAT);

    point->number = number;
    return point;
}

PythonPoint *
python_point_new_bool (PythonEvaluation *evaluation, gboolean value)
{
    PythonPoint *point = python_point_new (evaluation, PYTHON_POINT_BOOL);

    point->integer = value != FALSE;
    return point;
}

PythonPoint *
python_point_new_text (PythonEvaluation *evaluation, char *text)
{
    PythonPoint *point = python_point_new (evaluation, PYTHON_POINT_TEXT);

    point->text = text;
    return point;
}

PythonPoint *
python_point_refuse (GError **error, const char *format, ...)
{
    va_list arguments;
    g_autofree char *why = NULL;

    va_start (arguments, format);
    why = g_strdup_vprintf (format, arguments);
    va_end (arguments);
    base_error_set (error, BASE_ERROR_UNSUPPORTED,
                    "cannot evaluate it without running code: %s", why);
    return NULL;
}

PythonPoint *
python_point_miss (GError **error, PythonMiss what, const char *name)
{
    switch (what) {
    case PYTHON_MISS_FIELD:
        base_error_set (error, BASE_ERROR_NOT_FOUND, "no field \"%s\"", name);
        break;
    case PYTHON_MISS_KEY:
        base_error_set (error, BASE_ERROR_NOT_FOUND, "no key \"%s\"", name);
        break;
    case PYTHON_MISS_SYMBOL:
        base_error_set (error, BASE_ERROR_NOT_FOUND, "no symbol \"%s\"", name);
        break;
    default: base_error_set (error, BASE_ERROR_NOT_FOUND, "no attribute \"%s\"", name);
    }
    return NULL;
}

/* ---- simple values ---- */

/* Ints of up to four digits of 30 bits; larger ones stay objects. */
static gboolean
read_wide_int (PythonRuntime *runtime, guint64 object, __int128 *ret_value)
{
    const PythonLayout *layout = runtime->layout;
    guint64 tag = 0;
    guint64 count;
    gboolean negative;
    guint32 digits[4] = { 0 };

    python_read_u64 (runtime, object + (guint64) layout->long_tag, &tag);
    negative = layout->minor >= 12 ? (tag & 3) == 2 : (gint64) tag < 0;
    count = layout->minor >= 12 ? ((tag & 3) == 1 ? 0 : tag >> 3) : negative ? 0 - tag : tag;
    if (count > 4
        || (count > 0
            && !python_read (runtime, object + (guint64) layout->long_digits, digits,
                             count * 4))) {
        return FALSE;
    }
    *ret_value = 0;
    for (guint i = 4; i > 0; i--) {
        *ret_value = *ret_value << 30 | digits[i - 1];
    }
    *ret_value = negative ? -*ret_value : *ret_value;
    return TRUE;
}

static PythonPoint *
take_characters (PythonEvaluation *evaluation, guint64 object)
{
    gsize count;
    guint64 length;
    g_autofree gunichar *characters = python_read_characters (evaluation->runtime, object, 0,
                                                              G_MAXSIZE, &count, &length);
    PythonPoint *point;

    if (characters == NULL || count < length) {
        return NULL;
    }
    point = python_point_new (evaluation, PYTHON_POINT_STR);
    point->characters = g_array_new (FALSE, FALSE, sizeof (gunichar));
    g_array_append_vals (point->characters, characters, (guint) count);
    return point;
}

static PythonPoint *
take_bytes (PythonEvaluation *evaluation, guint64 object)
{
    g_autoptr (GBytes) bytes = python_read_bytes (evaluation->runtime, object, 1u << 20);
    PythonPoint *point;
    const guint8 *data;
    gsize size;

    if (bytes == NULL) {
        return NULL;
    }
    data = g_bytes_get_data (bytes, &size);
    point = python_point_new (evaluation, PYTHON_POINT_BYTES);
    point->characters = g_array_new (FALSE, FALSE, sizeof (gunichar));
    for (gsize i = 0; i < size; i++) {
        gunichar byte = data[i];

        g_array_append_val (point->characters, byte);
    }
    return point;
}

static PythonPoint *
take_scalar (PythonEvaluation *evaluation, const PythonType *type, guint64 object)
{
    double number = 0;
    __int128 integer;
    const char *name = type->full_name;
    g_autofree char *text = NULL;

    if (strcmp (name, "NoneType") == 0) {
        return python_point_new (evaluation, PYTHON_POINT_NONE);
    }
    if (strcmp (name, "ellipsis") == 0) {
        return python_point_new (evaluation, PYTHON_POINT_ELLIPSIS);
    }
    if (strcmp (name, "float") == 0 || strcmp (name, "numpy.float64") == 0) {
        return python_read (evaluation->runtime,
                            object + (guint64) evaluation->runtime->layout->float_value,
                            &number, sizeof number)
                   ? python_point_new_float (evaluation, number)
                   : NULL;
    }
    if ((strcmp (name, "int") == 0 || strcmp (name, "bool") == 0)
        && read_wide_int (evaluation->runtime, object, &integer)) {
        return name[0] == 'b' ? python_point_new_bool (evaluation, integer != 0)
                              : python_point_new_int (evaluation, integer);
    }
    text = g_str_has_prefix (name, "numpy.")
               ? python_scalar_format (evaluation->runtime, type, object, &number)
               : NULL;
    if (text == NULL || g_str_has_prefix (name, "numpy.complex")
        || g_str_has_prefix (name, "numpy.datetime")
        || g_str_has_prefix (name, "numpy.timedelta")) {
        return NULL;
    }
    if (g_str_has_prefix (name, "numpy.bool")) {
        return python_point_new_bool (evaluation, number != 0);
    }
    if (g_str_has_prefix (name, "numpy.float")) {
        return python_point_new_float (evaluation, number);
    }
    return g_str_has_prefix (name, "numpy.uint")
               ? python_point_new_int (evaluation, g_ascii_strtoull (text, NULL, 10))
               : python_point_new_int (evaluation, g_ascii_strtoll (text, NULL, 10));
}

static PythonPoint *
take_element (PythonEvaluation *evaluation, PythonPoint *point)
{
    PythonElement element;

    if (point->array->n_dimensions > 0
        || !python_array_read_element (evaluation->runtime, point->array, &element)) {
        return point;
    }
    switch (element.kind) {
    case PYTHON_ELEMENT_BOOL: return python_point_new_bool (evaluation, element.integer != 0);
    case PYTHON_ELEMENT_INT: return python_point_new_int (evaluation, element.integer);
    case PYTHON_ELEMENT_UNSIGNED:
        return python_point_new_int (evaluation, (guint64) element.integer);
    case PYTHON_ELEMENT_FLOAT: return python_point_new_float (evaluation, element.number);
    case PYTHON_ELEMENT_OBJECT:
        return python_point_simplify (evaluation,
                                      python_point_new_object (evaluation, element.object));
    default: return point;
    }
}

/* What reading a simple field of a ctypes structure gives. */
static PythonPoint *
take_raw (PythonEvaluation *evaluation, PythonPoint *point)
{
    PythonPrinter printer = { evaluation->runtime, { 0, 0, 0, 0 }, 0 };
    g_autoptr (GString) text = g_string_new (NULL);
    double number;

    python_ctypes_append_raw (&printer, text, &point->raw, 0, &number);
    if (isnan (number)) {
        return point;
    }
    if (strcmp (text->str, "True") == 0 || strcmp (text->str, "False") == 0) {
        return python_point_new_bool (evaluation, number != 0);
    }
    if (strpbrk (text->str, ".e") != NULL) {
        return python_point_new_float (evaluation, number);
    }
    return python_point_new_int (evaluation,
                                 text->str[0] == '-'
                                     ? (__int128) g_ascii_strtoll (text->str, NULL, 10)
                                     : (__int128) g_ascii_strtoull (text->str, NULL, 10));
}

PythonPoint *
python_point_simplify (PythonEvaluation *evaluation, PythonPoint *point)
{
    const PythonType *type;
    PythonPoint *simple = NULL;
    PythonPoint *inner = python_point_enter (evaluation, point);

    point = inner->kind == PYTHON_POINT_ARRAY ? inner : point;
    if (point->kind == PYTHON_POINT_ARRAY) {
        return take_element (evaluation, point);
    }
    if (point->kind == PYTHON_POINT_RAW) {
        return take_raw (evaluation, point);
    }
    type = point->kind == PYTHON_POINT_OBJECT
               ? python_find_object_type (evaluation->runtime, point->object)
               : NULL;
    if (type == NULL) {
        return point;
    }
    if (strcmp (type->full_name, "str") == 0 || strcmp (type->full_name, "numpy.str_") == 0) {
        simple = take_characters (evaluation, point->object);
    } else if (strcmp (type->full_name, "bytes") == 0) {
        simple = take_bytes (evaluation, point->object);
    } else {
        simple = take_scalar (evaluation, type, point->object);
    }
    return simple != NULL ? simple : point;
}

static const PythonType *
find_type (PythonEvaluation *evaluation, const PythonPoint *point)
{
    return point->kind == PYTHON_POINT_OBJECT
               ? python_find_object_type (evaluation->runtime, point->object)
               : NULL;
}

const char *
python_point_get_type_name (PythonEvaluation *evaluation, const PythonPoint *point)
{
    static const char *const names[] = { NULL,       "ndarray",    "ctypes value", "sequence",
                                         "NoneType", "ellipsis",   "bool",         "int",
                                         "float",    "str",        "bytes",        "tuple",
                                         "slice",    "description" };
    const PythonType *type = find_type (evaluation, point);

    return type != NULL                         ? type->name
           : point->kind != PYTHON_POINT_OBJECT ? names[point->kind]
                                                : "?";
}

/* ---- truth and length ---- */

gboolean
python_point_get_length (PythonEvaluation *evaluation, PythonPoint *point, gint64 *ret_length,
                         GError **error)
{
    PythonRuntime *runtime = evaluation->runtime;
    const PythonType *type;
    PythonArray array;
    guint64 count = 0;
    gint32 offset = 0;

    point = python_point_simplify (evaluation, point);
    type = find_type (evaluation, point);
    if (python_point_is_characters (point)) {
        *ret_length = point->characters->len;
        return TRUE;
    }
    if (point->kind == PYTHON_POINT_TUPLE) {
        *ret_length = point->items->len;
        return TRUE;
    }
    if (point->kind == PYTHON_POINT_SEQUENCE) {
        *ret_length = point->count;
        return TRUE;
    }
    if (point->kind == PYTHON_POINT_ARRAY && point->array->n_dimensions > 0) {
        *ret_length = point->array->shape[0];
        return TRUE;
    }
    if (point->kind == PYTHON_POINT_RAW) {
        *ret_length = python_ctypes_get_length (runtime, &point->raw);
        return *ret_length >= 0 || python_point_refuse (error, "it has no length");
    }
    if (type == NULL || python_type_has_code (evaluation->runtime, type, "__len__")) {
        return python_point_refuse (error, "%s has %s",
                                    python_point_get_type_name (evaluation, point),
                                    type != NULL ? "a __len__ of its own" : "no length")
               != NULL;
    }
    if ((type->flags & (PYTHON_FLAG_LIST | PYTHON_FLAG_TUPLE)) != 0
        || strcmp (type->full_name, "collections.deque") == 0) {
        offset = runtime->layout->var_size;
    } else if ((type->flags & PYTHON_FLAG_DICT) != 0) {
        offset = runtime->layout->dict_used;
    } else if (strcmp (type->full_name, "set") == 0
               || strcmp (type->full_name, "frozenset") == 0) {
        offset = runtime->layout->set_used;
    } else if (strcmp (type->full_name, "range") == 0) {
        guint64 length = 0;

        return (python_read_u64 (runtime, point->object + PYTHON_RANGE_LENGTH, &length)
                && python_read_int (runtime, length, ret_length))
               || python_point_refuse (error, "the range is too long") != NULL;
    } else if (python_buffer_read (runtime, type, point->object, &array)
               && array.n_dimensions > 0) {
        *ret_length = array.shape[0];
        return TRUE;
    } else {
        return python_point_refuse (error, "%s has no length that can be read", type->name)
               != NULL;
    }
    python_read_u64 (runtime, point->object + (guint64) offset, &count);
    *ret_length = (gint64) count;
    return TRUE;
}

gboolean
python_point_is_true (PythonEvaluation *evaluation, PythonPoint *point, gboolean *ret_truth,
                      GError **error)
{
    const PythonType *type;
    gint64 length;

    point = python_point_simplify (evaluation, point);
    type = find_type (evaluation, point);
    if (python_point_is_number (point)) {
        *ret_truth = point->kind == PYTHON_POINT_FLOAT ? point->number != 0
                                                       : point->integer != 0;
        return TRUE;
    }
    if (point->kind == PYTHON_POINT_NONE || point->kind == PYTHON_POINT_ELLIPSIS) {
        *ret_truth = point->kind == PYTHON_POINT_ELLIPSIS;
        return TRUE;
    }
    if (point->kind == PYTHON_POINT_ARRAY) {
        return python_point_refuse (error,
                                    "an array of several elements is neither true nor false")
               != NULL;
    }
    if (type != NULL && python_type_has_code (evaluation->runtime, type, "__bool__")) {
        return python_point_refuse (error, "%s has a __bool__ of its own", type->name) != NULL;
    }
    if (type != NULL && (type->flags & PYTHON_FLAG_LONG) != 0) {
        *ret_truth = TRUE; /* larger than what is simplified */
        return TRUE;
    }
    if (type != NULL
        && (strcmp (type->full_name, "function") == 0 || strcmp (type->full_name, "module") == 0
            || (type->flags & PYTHON_FLAG_TYPE) != 0
            || ((type->flags & PYTHON_FLAG_HEAP) != 0
                && (type->flags & (PYTHON_FLAG_LIST | PYTHON_FLAG_TUPLE | PYTHON_FLAG_DICT))
                       == 0
                && !python_type_has_code (evaluation->runtime, type, "__len__")))) {
        *ret_truth = TRUE;
        return TRUE;
    }
    if (!python_point_get_length (evaluation, point, &length, error)) {
        return FALSE;
    }
    *ret_truth = length != 0;
    return TRUE;
}

/* ---- comparing ---- */

static int
order_numbers (const PythonPoint *a, const PythonPoint *b)
{
    long double x;
    long double y;

    if (a->kind != PYTHON_POINT_FLOAT && b->kind != PYTHON_POINT_FLOAT) {
        return (a->integer > b->integer) - (a->integer < b->integer);
    }
    x = a->kind == PYTHON_POINT_FLOAT ? (long double) a->number : (long double) a->integer;
    y = b->kind == PYTHON_POINT_FLOAT ? (long double) b->number : (long double) b->integer;
    return isnan (x) || isnan (y) ? 2 : (x > y) - (x < y);
}

static int
order_characters (const PythonPoint *a, const PythonPoint *b)
{
    guint count = MIN (a->characters->len, b->characters->len);

    for (guint i = 0; i < count; i++) {
        gunichar x = g_array_index (a->characters, gunichar, i);
        gunichar y = g_array_index (b->characters, gunichar, i);

        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    return (a->characters->len > b->characters->len)
           - (a->characters->len < b->characters->len);
}

/* 't' tuple, 'l' list, 0 neither: what can be compared item by item. */
static char
get_sequence_kind (PythonEvaluation *evaluation, const PythonPoint *point)
{
    const PythonType *type = find_type (evaluation, point);

    if (point->kind == PYTHON_POINT_TUPLE || point->kind == PYTHON_POINT_SEQUENCE) {
        return point->is_list ? 'l' : 't';
    }
    return type == NULL                             ? '\0'
           : strcmp (type->full_name, "tuple") == 0 ? 't'
           : strcmp (type->full_name, "list") == 0  ? 'l'
                                                    : '\0';
}

static PythonPoint *
get_item (PythonEvaluation *evaluation, PythonPoint *point, gint64 index)
{
    return python_point_subscript (evaluation, point, python_point_new_int (evaluation, index),
                                   NULL);
}

/* Ordering of two sequences; is_equality: only 0 or not is asked. */
static gboolean
order_sequences (PythonEvaluation *evaluation, PythonPoint *a, PythonPoint *b,
                 gboolean is_equality, int *ret_order, GError **error)
{
    gint64 n = 0;
    gint64 m = 0;

    if (evaluation->depth > MAX_NESTED * 4
        || !python_point_get_length (evaluation, a, &n, error)
        || !python_point_get_length (evaluation, b, &m, error) || MIN (n, m) > MAX_COMPARED) {
        return python_point_refuse (error, "it is too large to compare") != NULL;
    }
    if (is_equality && n != m) {
        *ret_order = 1;
        return TRUE;
    }
    for (gint64 i = 0; i < MIN (n, m); i++) {
        PythonPoint *x = get_item (evaluation, a, i);
        PythonPoint *y = get_item (evaluation, b, i);
        gboolean equal = FALSE;
        gboolean is_known;

        if (x == NULL || y == NULL) {
            return python_point_refuse (error, "an item cannot be read") != NULL;
        }
        evaluation->depth += 4;
        is_known = python_point_equal (evaluation, x, y, &equal, error);
        evaluation->depth -= 4;
        if (!is_known) {
            return FALSE;
        }
        if (!equal) {
            *ret_order = 1;
            return is_equality || python_point_order (evaluation, x, y, ret_order, error);
        }
    }
    *ret_order = (n > m) - (n < m);
    return TRUE;
}

static gboolean
has_plain_identity (PythonEvaluation *evaluation, const PythonPoint *point)
{
    const PythonType *type = find_type (evaluation, point);

    if (point->kind == PYTHON_POINT_NONE || point->kind == PYTHON_POINT_ELLIPSIS
        || python_point_is_number (point) || python_point_is_characters (point)) {
        return TRUE;
    }
    return type != NULL && !python_type_has_code (evaluation->runtime, type, "__eq__")
           && (type->flags
               & (PYTHON_FLAG_LONG | PYTHON_FLAG_LIST | PYTHON_FLAG_TUPLE | PYTHON_FLAG_BYTES
                  | PYTHON_FLAG_STR | PYTHON_FLAG_DICT))
                  == 0
           && ((type->flags & (PYTHON_FLAG_HEAP | PYTHON_FLAG_TYPE)) != 0
               || strcmp (type->full_name, "function") == 0
               || strcmp (type->full_name, "module") == 0);
}

gboolean
python_point_equal (PythonEvaluation *evaluation, PythonPoint *a, PythonPoint *b,
                    gboolean *ret_equal, GError **error)
{
    char kind;
    int order = 0;

    a = python_point_simplify (evaluation, a);
    b = python_point_simplify (evaluation, b);
    if (python_point_is_number (a) && python_point_is_number (b)) {
        *ret_equal = order_numbers (a, b) == 0;
        return TRUE;
    }
    if (python_point_is_characters (a) && python_point_is_characters (b)) {
        *ret_equal = a->kind == b->kind && order_characters (a, b) == 0;
        return TRUE;
    }
    if (a->kind == b->kind
        && (a->kind == PYTHON_POINT_NONE || a->kind == PYTHON_POINT_ELLIPSIS)) {
        *ret_equal = TRUE;
        return TRUE;
    }
    kind = get_sequence_kind (evaluation, a);
    if (kind != '\0' && kind == get_sequence_kind (evaluation, b)) {
        if (!order_sequences (evaluation, a, b, TRUE, &order, error)) {
            return FALSE;
        }
        *ret_equal = order == 0;
        return TRUE;
    }
    if (a->kind == PYTHON_POINT_OBJECT && b->kind == PYTHON_POINT_OBJECT
        && a->object == b->object && has_plain_identity (evaluation, a)) {
        *ret_equal = TRUE;
        return TRUE;
    }
    if ((has_plain_identity (evaluation, a) || kind != '\0')
        && (has_plain_identity (evaluation, b) || get_sequence_kind (evaluation, b) != '\0')) {
        *ret_equal = FALSE;
        return TRUE;
    }
    return python_point_refuse (error, "only Python itself can compare %s and %s",
                                python_point_get_type_name (evaluation, a),
                                python_point_get_type_name (evaluation, b))
           != NULL;
}

gboolean
python_point_order (PythonEvaluation *evaluation, PythonPoint *a, PythonPoint *b,
                    int *ret_order, GError **error)
{
    char kind;

    a = python_point_simplify (evaluation, a);
    b = python_point_simplify (evaluation, b);
    if (python_point_is_number (a) && python_point_is_number (b)) {
        *ret_order = order_numbers (a, b);
        return TRUE;
    }
    if (python_point_is_characters (a) && a->kind == b->kind) {
        *ret_order = order_characters (a, b);
        return TRUE;
    }
    kind = get_sequence_kind (evaluation, a);
    if (kind != '\0' && kind == get_sequence_kind (evaluation, b)) {
        return order_sequences (evaluation, a, b, FALSE, ret_order, error);
    }
    return python_point_refuse (error, "pddt does not know how to order %s and %s",
                                python_point_get_type_name (evaluation, a),
                                python_point_get_type_name (evaluation, b))
           != NULL;
}

gboolean
python_point_is_same (PythonEvaluation *evaluation, PythonPoint *a, PythonPoint *b,
                      gboolean *ret_same, GError **error)
{
    PythonPoint *x = python_point_simplify (evaluation, a);
    PythonPoint *y = python_point_simplify (evaluation, b);

    if (x->kind == PYTHON_POINT_NONE || y->kind == PYTHON_POINT_NONE
        || x->kind == PYTHON_POINT_BOOL || y->kind == PYTHON_POINT_BOOL) {
        *ret_same = x->kind == y->kind && x->integer == y->integer;
        return TRUE;
    }
    if (a->kind == PYTHON_POINT_OBJECT && b->kind == PYTHON_POINT_OBJECT) {
        *ret_same = a->object == b->object;
        return TRUE;
    }
    return python_point_refuse (error, "one of the two is not an object of the program")
           != NULL;
}

typedef struct {
    PythonEvaluation *evaluation;
    PythonPoint *item;
    gboolean is_found, is_failed;
    GError **error;
} Membership;

static gboolean
match_key (guint64 key, guint64 value, gpointer user)
{
    Membership *membership = user;
    GPtrArray *points = membership->evaluation->points;
    guint n_points = points->len;
    gboolean equal = FALSE;

    if (!python_point_equal (membership->evaluation, membership->item,
                             python_point_new_object (membership->evaluation, key), &equal,
                             membership->is_failed ? NULL : membership->error)) {
        membership->is_failed = TRUE;
        return FALSE;
    }
    g_ptr_array_set_size (points, (gint) n_points); /* what the comparison made */
    membership->is_found = equal;
    return !equal;
}

static gboolean
contains_characters (const PythonPoint *item, const PythonPoint *container)
{
    guint n = item->characters->len;
    guint m = container->characters->len;

    for (guint i = 0; n <= m && i <= m - n; i++) {
        if (memcmp (item->characters->data, container->characters->data + i * sizeof (gunichar),
                    n * sizeof (gunichar))
            == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
python_point_contains (PythonEvaluation *evaluation, PythonPoint *item, PythonPoint *container,
                       gboolean *ret_contains, GError **error)
{
    const PythonType *type;
    Membership membership = { evaluation, python_point_simplify (evaluation, item), FALSE,
                              FALSE, error };
    gint64 count;

    container = python_point_simplify (evaluation, container);
    type = find_type (evaluation, container);
    if (python_point_is_characters (container) && membership.item->kind == container->kind) {
        *ret_contains = contains_characters (membership.item, container);
        return TRUE;
    }
    if (type != NULL && python_type_has_code (evaluation->runtime, type, "__contains__")) {
        return python_point_refuse (error, "%s has a __contains__ of its own", type->name)
               != NULL;
    }
    if (type != NULL && (type->flags & PYTHON_FLAG_DICT) != 0) {
        python_dict_foreach (evaluation->runtime, container->object, match_key, &membership);
    } else if (type != NULL
               && (strcmp (type->full_name, "set") == 0
                   || strcmp (type->full_name, "frozenset") == 0)) {
        python_set_foreach (evaluation->runtime, container->object, match_key, &membership);
    } else {
        if (!python_point_get_length (evaluation, container, &count, error)) {
            return FALSE;
        }
        for (gint64 i = 0; i < MIN (count, MAX_COMPARED) && !membership.is_found; i++) {
            PythonPoint *part = get_item (evaluation, container, i);

            if (part == NULL) {
                return python_point_refuse (error, "an item cannot be read") != NULL;
            }
            if (!python_point_equal (evaluation, membership.item, part, &membership.is_found,
                                     error)) {
                return FALSE;
            }
        }
        if (!membership.is_found && count > MAX_COMPARED) {
            return python_point_refuse (error, "it is too long to search") != NULL;
        }
    }
    *ret_contains = membership.is_found;
    return !membership.is_failed;
}
