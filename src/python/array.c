/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numpy's ndarray and scalars: the public head of the array object, which numpy 1 and 2 share,
 * and the numbers behind it. PythonArrayType sizes follow from type numbers, as their field in the
 * descriptor has moved. */
#include "python/array-private.h"
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Offsets in PyArrayObject_fields and PyArray_Descr (numpy/ndarraytypes.h). */
#define ARRAY_DATA 16
#define ARRAY_N_DIMENSIONS 24
#define ARRAY_SHAPE 32
#define ARRAY_STRIDES 40
#define ARRAY_DESCRIPTOR 56
#define DESCRIPTOR_BYTE_ORDER 26
#define DESCRIPTOR_TYPE 28
/* numpy 1 has two ints at 32, element size and alignment; numpy 2 flags, then sizes as longs, and
 * the tail of the older structure behind them. */
#define DESCRIPTOR_SIZES 32
#define DESCRIPTOR_SIZE_2 40
#define DESCRIPTOR_FIELDS_1 48
#define DESCRIPTOR_FIELDS_2 96
#define MAX_ELEMENT (1u << 20)
#define MAX_FIELDS 64u
#define MAX_TYPE_DEPTH 4u

/* By NPY_TYPES; long is 8 bytes here. */
const PythonArrayType python_array_types[PYTHON_N_ARRAY_TYPES] = {
    { "bool", PYTHON_NUMBER_BOOL, 1 },           { "int8", PYTHON_NUMBER_SIGNED, 1 },
    { "uint8", PYTHON_NUMBER_UNSIGNED, 1 },      { "int16", PYTHON_NUMBER_SIGNED, 2 },
    { "uint16", PYTHON_NUMBER_UNSIGNED, 2 },     { "int32", PYTHON_NUMBER_SIGNED, 4 },
    { "uint32", PYTHON_NUMBER_UNSIGNED, 4 },     { "int64", PYTHON_NUMBER_SIGNED, 8 },
    { "uint64", PYTHON_NUMBER_UNSIGNED, 8 },     { "int64", PYTHON_NUMBER_SIGNED, 8 },
    { "uint64", PYTHON_NUMBER_UNSIGNED, 8 },     { "float32", PYTHON_NUMBER_FLOAT, 4 },
    { "float64", PYTHON_NUMBER_FLOAT, 8 },       { "float128", PYTHON_NUMBER_FLOAT, 16 },
    { "complex64", PYTHON_NUMBER_COMPLEX, 8 },   { "complex128", PYTHON_NUMBER_COMPLEX, 16 },
    { "complex256", PYTHON_NUMBER_COMPLEX, 32 }, { "object", PYTHON_NUMBER_OTHER, 8 },
    { "bytes", PYTHON_NUMBER_OTHER, 0 },         { "str", PYTHON_NUMBER_OTHER, 0 },
    { "void", PYTHON_NUMBER_OTHER, 0 },          { "datetime64", PYTHON_NUMBER_SIGNED, 8 },
    { "timedelta64", PYTHON_NUMBER_SIGNED, 8 },  { "float16", PYTHON_NUMBER_FLOAT, 2 },
};

const PythonArrayType *
python_array_get_element (const PythonArray *array)
{
    static const PythonArrayType unknown = { "unknown", PYTHON_NUMBER_OTHER, 0 };

    return array->type >= 0 && array->type < (gint32) PYTHON_N_ARRAY_TYPES
               ? &python_array_types[array->type]
               : &unknown;
}

static gboolean
is_numpy_2 (PythonRuntime *runtime, guint64 descriptor)
{
    guint64 word = 0;

    /* The upper half is numpy 1's alignment, at least 1, or the flags' unused part. */
    return python_read_u64 (runtime, descriptor + DESCRIPTOR_SIZES, &word) && word >> 32 == 0;
}

gboolean
python_array_read_descriptor (PythonRuntime *runtime, guint64 descriptor, PythonArray *array)
{
    guint32 type;
    guint32 size;
    guint8 order;

    if (!python_read (runtime, descriptor + DESCRIPTOR_BYTE_ORDER, &order, 1)
        || !python_read_u32 (runtime, descriptor + DESCRIPTOR_TYPE, &type)
        || !python_read_u32 (runtime,
                             descriptor
                                 + (is_numpy_2 (runtime, descriptor) ? DESCRIPTOR_SIZE_2
                                                                     : DESCRIPTOR_SIZES),
                             &size)) {
        return FALSE;
    }
    array->type = (gint32) type;
    array->is_swapped = order == '>';
    array->descriptor = descriptor;
    array->element_size = size;
    return TRUE;
}

gboolean
python_array_read (PythonRuntime *runtime, guint64 object, PythonArray *ret_array)
{
    guint64 descriptor;
    guint64 shape;
    guint64 strides;
    guint32 count;

    memset (ret_array, 0, sizeof *ret_array);
    if (!python_read_u64 (runtime, object + ARRAY_DATA, &ret_array->data)
        || !python_read_u32 (runtime, object + ARRAY_N_DIMENSIONS, &count)
        || count > PYTHON_MAX_DIMENSIONS
        || !python_read_u64 (runtime, object + ARRAY_SHAPE, &shape)
        || !python_read_u64 (runtime, object + ARRAY_STRIDES, &strides)
        || !python_read_u64 (runtime, object + ARRAY_DESCRIPTOR, &descriptor)
        || (count > 0
            && (!python_read (runtime, shape, ret_array->shape, count * 8)
                || !python_read (runtime, strides, ret_array->strides, count * 8)))
        || !python_array_read_descriptor (runtime, descriptor, ret_array)) {
        return FALSE;
    }
    ret_array->n_dimensions = count;
    return TRUE;
}

gboolean
python_array_fix (PythonArray *array, guint dimension, gint64 index)
{
    index = index < 0 ? index + array->shape[dimension] : index;
    if (index < 0 || index >= array->shape[dimension]) {
        return FALSE;
    }
    array->data += (guint64) (index * array->strides[dimension]);
    array->n_dimensions--;
    for (guint i = dimension; i < array->n_dimensions; i++) {
        array->shape[i] = array->shape[i + 1];
        array->strides[i] = array->strides[i + 1];
    }
    return TRUE;
}

void
python_array_slice (PythonArray *array, guint dimension, gint64 first, gint64 step,
                    gint64 count)
{
    if (count > 0) {
        array->data += (guint64) (first * array->strides[dimension]);
    }
    array->shape[dimension] = count;
    array->strides[dimension] *= step;
}

gboolean
python_array_index (const PythonArray *array, gint64 index, PythonArray *ret_part)
{
    PythonArray part = *array;

    if (array->n_dimensions == 0 || !python_array_fix (&part, 0, index)) {
        return FALSE;
    }
    *ret_part = part;
    return TRUE;
}

typedef struct {
    PythonRuntime *runtime;
    guint count;
    char *names[MAX_FIELDS];
    PythonArray fields[MAX_FIELDS]; /* data: the offset */
} Fields;

static void
free_fields (Fields *fields)
{
    for (guint i = 0; i < fields->count; i++) {
        g_free (fields->names[i]);
    }
    g_free (fields);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Fields, free_fields)

static gboolean
take_field (guint64 key, guint64 value, gpointer user)
{
    Fields *fields = user;
    const PythonLayout *layout = fields->runtime->layout;
    guint64 descriptor = 0;
    guint64 offset_at = 0;
    gint64 offset = 0;
    PythonArray field = { 0 };

    /* (dtype, offset) or (dtype, offset, title) */
    if (python_read_u64 (fields->runtime, value + (guint64) layout->tuple_items, &descriptor)
        && python_read_u64 (fields->runtime, value + (guint64) layout->tuple_items + 8,
                            &offset_at)
        && python_read_int (fields->runtime, offset_at, &offset)
        && python_array_read_descriptor (fields->runtime, descriptor, &field)) {
        field.data = (guint64) offset;
        fields->names[fields->count] = python_read_str (fields->runtime, key, 100, NULL);
        if (fields->names[fields->count] != NULL) {
            fields->fields[fields->count++] = field;
        }
    }
    return fields->count < MAX_FIELDS;
}

/* Too large for a stack. */
static Fields *
read_fields (PythonRuntime *runtime, const PythonArray *array)
{
    Fields *fields = g_new0 (Fields, 1);
    guint64 dict = 0;

    fields->runtime = runtime;
    if (array->type == TYPE_VOID && array->descriptor != 0) {
        python_read_u64 (runtime,
                         array->descriptor
                             + (is_numpy_2 (runtime, array->descriptor) ? DESCRIPTOR_FIELDS_2
                                                                        : DESCRIPTOR_FIELDS_1),
                         &dict);
    }
    if (dict != 0) {
        python_dict_foreach (runtime, dict, take_field, fields);
    }
    return fields;
}

static void
set_field (const PythonArray *array, const PythonArray *field, PythonArray *ret_field)
{
    PythonArray whole = *array;

    whole.data += field->data;
    whole.type = field->type;
    whole.is_swapped = field->is_swapped;
    whole.descriptor = field->descriptor;
    whole.element_size = field->element_size;
    *ret_field = whole;
}

guint
python_array_read_fields (PythonRuntime *runtime, const PythonArray *array,
                          PythonArray *ret_fields)
{
    g_autoptr (Fields) fields = read_fields (runtime, array);

    G_STATIC_ASSERT (MAX_FIELDS <= PYTHON_MAX_ARRAY_FIELDS);
    for (guint i = 0; i < fields->count; i++) {
        set_field (array, &fields->fields[i], &ret_fields[i]);
    }
    return fields->count;
}

gboolean
python_array_field (PythonRuntime *runtime, const PythonArray *array, const char *name,
                    PythonArray *ret_field)
{
    g_autoptr (Fields) fields = read_fields (runtime, array);
    gboolean is_found = FALSE;

    for (guint i = 0; i < fields->count && !is_found; i++) {
        if (strcmp (fields->names[i], name) == 0) {
            set_field (array, &fields->fields[i], ret_field);
            is_found = TRUE;
        }
    }
    return is_found;
}

static void
append_type (PythonRuntime *runtime, GString *text, const PythonArray *array, guint depth)
{
    g_autoptr (Fields) fields = NULL;

    if (array->type == TYPE_BYTES || array->type == TYPE_STR) {
        g_string_append_printf (text, "%c%" G_GUINT64_FORMAT,
                                array->type == TYPE_BYTES ? 'S' : 'U',
                                array->element_size / (array->type == TYPE_BYTES ? 1 : 4));
        return;
    }
    fields = depth > 0 ? read_fields (runtime, array) : g_new0 (Fields, 1);
    if (fields->count == 0) {
        PythonTimeUnit unit;

        g_string_append (text, python_array_get_element (array)->name);
        if ((array->type == TYPE_DATETIME || array->type == TYPE_TIMEDELTA)
            && python_time_read_unit (runtime, array->descriptor,
                                      is_numpy_2 (runtime, array->descriptor), &unit)) {
            python_time_append_unit (text, &unit);
        }
        return;
    }
    for (guint i = 0; i < fields->count; i++) {
        g_autoptr (GString) field = g_string_new (NULL);

        append_type (runtime, field, &fields->fields[i], depth - 1);
        g_string_append_printf (text, field->str[0] == '[' ? "%s('%s', %s)" : "%s('%s', '%s')",
                                i == 0 ? "[" : ", ", fields->names[i], field->str);
    }
    g_string_append_c (text, ']');
}

void
python_array_append_type (PythonRuntime *runtime, GString *text, const PythonArray *array)
{
    append_type (runtime, text, array, MAX_TYPE_DEPTH);
}

gint64
python_array_get_size (const PythonArray *array)
{
    gint64 size = 1;

    for (guint i = 0; i < array->n_dimensions; i++) {
        if (array->shape[i] <= 0) {
            return 0;
        }
        if (size > G_MAXINT64 / array->shape[i]) {
            return G_MAXINT64;
        }
        size *= array->shape[i];
    }
    return size;
}

guint64
python_array_get_element_size (const PythonArray *array)
{
    const PythonArrayType *element = python_array_get_element (array);

    return element->size != 0 ? element->size : array->element_size;
}

char *
python_array_format_shape (const PythonArray *array)
{
    GString *text = g_string_new ("(");

    for (guint i = 0; i < array->n_dimensions; i++) {
        g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                                array->shape[i]);
    }
    g_string_append (text, array->n_dimensions == 1 ? ",)" : ")");
    return g_string_free (text, FALSE);
}

static double
get_half_float (guint16 bits)
{
    guint exponent = bits >> 10 & 31;
    double fraction = bits & 1023;
    double value = exponent == 0    ? ldexp (fraction, -24)
                   : exponent == 31 ? (fraction != 0 ? (double) NAN : (double) INFINITY)
                                    : ldexp (1024 + fraction, (int) exponent - 25);

    return (bits & 0x8000) != 0 ? -value : value;
}

static double
get_float (const guint8 *bytes, guint size)
{
    guint16 half;
    float single;
    double value;
    long double extended;

    switch (size) {
    case 2: memcpy (&half, bytes, 2); return get_half_float (half);
    case 4: memcpy (&single, bytes, 4); return (double) single;
    case 8: memcpy (&value, bytes, 8); return value;
    default: memcpy (&extended, bytes, sizeof extended); return (double) extended;
    }
}

static gint64
get_signed (const guint8 *bytes, guint size)
{
    guint64 value = 0;

    memcpy (&value, bytes, MIN (size, 8));
    return size < 8 ? (gint64) (value << (64 - 8 * size)) >> (64 - 8 * size) : (gint64) value;
}

static guint64
get_unsigned (const guint8 *bytes, guint size)
{
    guint64 value = 0;

    memcpy (&value, bytes, MIN (size, 8));
    return value;
}

char *
python_array_format_number (const PythonArrayType *element, const guint8 *bytes,
                            double *ret_number)
{
    char buffer[64];

    *ret_number = 0;
    switch (element->kind) {
    case PYTHON_NUMBER_BOOL:
        *ret_number = bytes[0] != 0;
        return g_strdup (bytes[0] != 0 ? "True" : "False");
    case PYTHON_NUMBER_SIGNED:
        *ret_number = (double) get_signed (bytes, element->size);
        return g_strdup_printf ("%" G_GINT64_FORMAT, get_signed (bytes, element->size));
    case PYTHON_NUMBER_UNSIGNED:
        *ret_number = (double) get_unsigned (bytes, element->size);
        return g_strdup_printf ("%" G_GUINT64_FORMAT, get_unsigned (bytes, element->size));
    case PYTHON_NUMBER_FLOAT:
        *ret_number = get_float (bytes, element->size);
        g_ascii_formatd (buffer, sizeof buffer, "%.6g", *ret_number);
        return g_strdup (buffer);
    case PYTHON_NUMBER_COMPLEX:
        return g_strdup_printf ("(%.6g%+.6gj)", get_float (bytes, element->size / 2),
                                get_float (bytes + element->size / 2, element->size / 2));
    default: return g_strdup ("?");
    }
}

static void
swap_bytes (guint8 *bytes, guint size)
{
    for (guint i = 0; i < size / 2; i++) {
        guint8 byte = bytes[i];

        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = byte;
    }
}

/* Bytes and str are padded with zeros to the element's size. */
static char *
format_string (PythonRuntime *runtime, const PythonArray *array, guint64 address, gsize max)
{
    gboolean is_bytes = array->type != TYPE_STR;
    gsize width = is_bytes ? 1 : 4;
    gsize count = MIN (array->element_size / width, MIN (max, MAX_ELEMENT));
    g_autofree guint8 *data = g_malloc0 (count * width + 1);
    g_autoptr (GString) text = g_string_new (NULL);

    if (count > 0 && !python_read (runtime, address, data, count * width)) {
        return NULL;
    }
    if (!is_bytes) {
        while (count > 0 && ((gunichar *) data)[count - 1] == 0) {
            count--;
        }
        python_append_characters (text, (gunichar *) data, count);
    } else {
        while (array->type == TYPE_BYTES && count > 0 && data[count - 1] == 0) {
            count--;
        }
        python_append_repr (text, (char *) data, TRUE, count);
    }
    return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *format_at (PythonPrinter *printer, const PythonArray *array, guint64 address,
                        gboolean as_repr, double *ret_number);

static char *
format_fields (PythonPrinter *printer, const PythonArray *array, guint64 address)
{
    g_autoptr (GString) text = g_string_new ("(");
    g_autoptr (Fields) fields = NULL;
    double number;

    if (printer->nesting >= PYTHON_MAX_NESTING) {
        return NULL;
    }
    printer->nesting++;
    fields = read_fields (printer->runtime, array);
    for (guint i = 0; i < fields->count; i++) {
        g_autofree char *part = format_at (printer, &fields->fields[i],
                                           address + fields->fields[i].data, FALSE, &number);

        g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                                part != NULL ? part : N_ ("<unreadable>"));
    }
    g_string_append (text, fields->count == 1 ? ",)" : ")");
    printer->nesting--;
    return fields->count > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

/* bytes has room for the largest number. */
static gboolean
read_number (PythonRuntime *runtime, const PythonArray *array, guint64 address, guint8 *bytes)
{
    const PythonArrayType *element = python_array_get_element (array);
    guint part = element->kind == PYTHON_NUMBER_COMPLEX ? element->size / 2 : element->size;

    if (element->kind == PYTHON_NUMBER_OTHER
        || !python_read (runtime, address, bytes, element->size)) {
        return FALSE;
    }
    if (array->is_swapped) {
        swap_bytes (bytes, part);
        swap_bytes (bytes + part, element->size - part);
    }
    return TRUE;
}

static char *
format_at (PythonPrinter *printer, const PythonArray *array, guint64 address, gboolean as_repr,
           double *ret_number)
{
    const PythonArrayType *element = python_array_get_element (array);
    guint8 bytes[32] = { 0 };
    g_autoptr (GString) text = g_string_new (NULL);
    char *fields;
    guint64 object;

    *ret_number = NAN;
    if (element->kind != PYTHON_NUMBER_OTHER) {
        if (!read_number (printer->runtime, array, address, bytes)) {
            return NULL;
        }
        if (array->type == TYPE_DATETIME
            && python_time_append_element (printer->runtime, text, array->descriptor,
                                           is_numpy_2 (printer->runtime, array->descriptor),
                                           bytes)) {
            return g_string_free (g_steal_pointer (&text), FALSE);
        }
        if (as_repr && element->kind == PYTHON_NUMBER_FLOAT) {
            *ret_number = get_float (bytes, element->size);
            python_append_double (text, *ret_number);
            return g_string_free (g_steal_pointer (&text), FALSE);
        }
        return python_array_format_number (element, bytes, ret_number);
    }
    switch (array->type) {
    case TYPE_OBJECT:
        if (!python_read_u64 (printer->runtime, address, &object)) {
            return NULL;
        }
        python_append_object (printer, text, object, 1);
        return g_string_free (g_steal_pointer (&text), FALSE);
    case TYPE_BYTES:
    case TYPE_STR:
        return format_string (printer->runtime, array, address, printer->limits.bytes);
    case TYPE_VOID:
        fields = format_fields (printer, array, address);
        return fields != NULL
                   ? fields
                   : format_string (printer->runtime, array, address, printer->limits.bytes);
    default: return NULL;
    }
}

/* The element at a position in C order. */
char *
python_array_format_element (PythonPrinter *printer, const PythonArray *array, gint64 position,
                             gboolean as_repr, double *ret_number)
{
    guint64 address = array->data;

    for (guint i = array->n_dimensions; i > 0; i--) {
        address += (guint64) (position % array->shape[i - 1] * array->strides[i - 1]);
        position /= array->shape[i - 1];
    }
    return format_at (printer, array, address, as_repr, ret_number);
}

gboolean
python_array_read_element (PythonRuntime *runtime, const PythonArray *array,
                           PythonElement *ret_element)
{
    const PythonArrayType *element = python_array_get_element (array);
    guint8 bytes[32] = { 0 };

    memset (ret_element, 0, sizeof *ret_element);
    if (array->type == TYPE_OBJECT) {
        ret_element->kind = PYTHON_ELEMENT_OBJECT;
        return python_read_u64 (runtime, array->data, &ret_element->object);
    }
    if (!read_number (runtime, array, array->data, bytes)) {
        return FALSE;
    }
    switch (element->kind) {
    case PYTHON_NUMBER_FLOAT:
        ret_element->kind = PYTHON_ELEMENT_FLOAT;
        ret_element->number = get_float (bytes, element->size);
        return TRUE;
    case PYTHON_NUMBER_BOOL:
        ret_element->kind = PYTHON_ELEMENT_BOOL;
        ret_element->integer = bytes[0] != 0;
        return TRUE;
    case PYTHON_NUMBER_SIGNED:
        ret_element->kind = PYTHON_ELEMENT_INT;
        ret_element->integer = get_signed (bytes, element->size);
        return TRUE;
    case PYTHON_NUMBER_UNSIGNED:
        ret_element->kind = PYTHON_ELEMENT_UNSIGNED;
        ret_element->integer = (gint64) get_unsigned (bytes, element->size);
        return TRUE;
    default: return FALSE;
    }
}
