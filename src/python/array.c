/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numpy's ndarray and scalars: the public head of the array object, which numpy 1 and 2 share,
 * and the numbers behind it. Element sizes follow from type numbers, as their field in the
 * descriptor has moved. */
#include "python/value-private.h"
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
#define SCALAR_VALUE 16

typedef enum { NUMBER_BOOL, NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_FLOAT, NUMBER_COMPLEX,
               NUMBER_OTHER } NumberKind;

typedef struct {
    const char *name;
    NumberKind kind;
    guint size;
} Element;

/* By NPY_TYPES; long is 8 bytes here. */
static const Element elements[] = {
    { "bool", NUMBER_BOOL, 1 },        { "int8", NUMBER_SIGNED, 1 },
    { "uint8", NUMBER_UNSIGNED, 1 },   { "int16", NUMBER_SIGNED, 2 },
    { "uint16", NUMBER_UNSIGNED, 2 },  { "int32", NUMBER_SIGNED, 4 },
    { "uint32", NUMBER_UNSIGNED, 4 },  { "int64", NUMBER_SIGNED, 8 },
    { "uint64", NUMBER_UNSIGNED, 8 },  { "int64", NUMBER_SIGNED, 8 },
    { "uint64", NUMBER_UNSIGNED, 8 },  { "float32", NUMBER_FLOAT, 4 },
    { "float64", NUMBER_FLOAT, 8 },    { "float128", NUMBER_FLOAT, 16 },
    { "complex64", NUMBER_COMPLEX, 8 }, { "complex128", NUMBER_COMPLEX, 16 },
    { "complex256", NUMBER_COMPLEX, 32 }, { "object", NUMBER_OTHER, 8 },
    { "bytes", NUMBER_OTHER, 0 },      { "str", NUMBER_OTHER, 0 },
    { "void", NUMBER_OTHER, 0 },       { "datetime64", NUMBER_SIGNED, 8 },
    { "timedelta64", NUMBER_SIGNED, 8 }, { "float16", NUMBER_FLOAT, 2 },
};

static const Element *
get_element (const PythonArray *array)
{
    static const Element unknown = { "unknown", NUMBER_OTHER, 0 };

    return array->type >= 0 && array->type < (gint32) G_N_ELEMENTS (elements)
               ? &elements[array->type]
               : &unknown;
}

gboolean
python_array_read (PythonRuntime *runtime, guint64 object, PythonArray *ret_array)
{
    guint64 descriptor;
    guint64 shape;
    guint64 strides;
    guint32 count;
    guint32 type;
    guint8 order;

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
        || !python_read (runtime, descriptor + DESCRIPTOR_BYTE_ORDER, &order, 1)
        || !python_read_u32 (runtime, descriptor + DESCRIPTOR_TYPE, &type)) {
        return FALSE;
    }
    ret_array->n_dimensions = count;
    ret_array->type = (gint32) type;
    ret_array->is_swapped = order == '>';
    return TRUE;
}

gboolean
python_array_index (const PythonArray *array, gint64 index, PythonArray *ret_part)
{
    PythonArray part = *array;

    if (array->n_dimensions == 0) {
        return FALSE;
    }
    index = index < 0 ? index + array->shape[0] : index;
    if (index < 0 || index >= array->shape[0]) {
        return FALSE;
    }
    part.data = array->data + (guint64) (index * array->strides[0]);
    part.n_dimensions--;
    memmove (part.shape, part.shape + 1, part.n_dimensions * sizeof part.shape[0]);
    memmove (part.strides, part.strides + 1, part.n_dimensions * sizeof part.strides[0]);
    *ret_part = part;
    return TRUE;
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

char *
python_array_format_shape (const PythonArray *array)
{
    GString *text = g_string_new ("(");

    for (guint i = 0; i < array->n_dimensions; i++) {
        g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", array->shape[i]);
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
    case 2:
        memcpy (&half, bytes, 2);
        return get_half_float (half);
    case 4:
        memcpy (&single, bytes, 4);
        return (double) single;
    case 8:
        memcpy (&value, bytes, 8);
        return value;
    default:
        memcpy (&extended, bytes, sizeof extended);
        return (double) extended;
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

static char *
format_number (const Element *element, const guint8 *bytes, double *ret_number)
{
    char buffer[64];

    *ret_number = 0;
    switch (element->kind) {
    case NUMBER_BOOL:
        *ret_number = bytes[0] != 0;
        return g_strdup (bytes[0] != 0 ? "True" : "False");
    case NUMBER_SIGNED:
        *ret_number = (double) get_signed (bytes, element->size);
        return g_strdup_printf ("%" G_GINT64_FORMAT, get_signed (bytes, element->size));
    case NUMBER_UNSIGNED:
        *ret_number = (double) get_unsigned (bytes, element->size);
        return g_strdup_printf ("%" G_GUINT64_FORMAT, get_unsigned (bytes, element->size));
    case NUMBER_FLOAT:
        *ret_number = get_float (bytes, element->size);
        g_ascii_formatd (buffer, sizeof buffer, "%.6g", *ret_number);
        return g_strdup (buffer);
    case NUMBER_COMPLEX:
        return g_strdup_printf ("(%.6g%+.6gj)", get_float (bytes, element->size / 2),
                                get_float (bytes + element->size / 2, element->size / 2));
    default:
        return g_strdup ("?");
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

/* The element at a position in C order. */
static char *
format_element (PythonRuntime *runtime, const PythonArray *array, gint64 position,
                double *ret_number)
{
    const Element *element = get_element (array);
    guint64 address = array->data;
    guint8 bytes[32] = { 0 };

    for (guint i = array->n_dimensions; i > 0; i--) {
        address += (guint64) (position % array->shape[i - 1] * array->strides[i - 1]);
        position /= array->shape[i - 1];
    }
    if (element->kind == NUMBER_OTHER || !python_read (runtime, address, bytes, element->size)) {
        return NULL;
    }
    if (array->is_swapped) {
        guint part = element->kind == NUMBER_COMPLEX ? element->size / 2 : element->size;

        swap_bytes (bytes, part);
        swap_bytes (bytes + part, element->size - part);
    }
    return format_number (element, bytes, ret_number);
}

static char *
format_array (PythonPrinter *printer, const PythonArray *array)
{
    g_autofree char *shape = python_array_format_shape (array);
    gint64 size = python_array_get_size (array);
    gint64 shown = MIN (size, (gint64) printer->limits.items);
    GString *text = g_string_new (NULL);

    g_string_printf (text, "ndarray(shape=%s, dtype=%s", shape, get_element (array)->name);
    if (get_element (array)->kind != NUMBER_OTHER) {
        g_string_append (text, ", [");
        for (gint64 i = 0; i < shown; i++) {
            double number;
            g_autofree char *item = format_element (printer->runtime, array, i, &number);

            g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                                    item != NULL ? item : "<unreadable>");
        }
        g_string_append (text, shown < size ? (shown > 0 ? ", …]" : "…]") : "]");
    }
    g_string_append_c (text, ')');
    return g_string_free (text, FALSE);
}

static void
add_parts (PythonPrinter *printer, JobValue *value, const PythonArray *array)
{
    gint64 count = MIN (array->shape[0], (gint64) printer->limits.items);

    value->expandable = array->shape[0] > 0 && get_element (array)->kind != NUMBER_OTHER;
    if (printer->limits.depth == 0 || !value->expandable) {
        return;
    }
    value->children = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
    printer->limits.depth--;
    for (gint64 i = 0; i < count && printer->nodes > 0; i++) {
        g_autofree char *name = g_strdup_printf ("[%" G_GINT64_FORMAT "]", i);
        PythonArray part;

        if (python_array_index (array, i, &part)) {
            printer->nodes--;
            g_ptr_array_add (value->children, python_array_print (printer, name, &part));
        }
    }
    printer->limits.depth++;
}

JobValue *
python_array_print (PythonPrinter *printer, const char *name, const PythonArray *array)
{
    g_autofree char *text = NULL;
    double number = 0;
    JobValue *value;

    if (array->n_dimensions > 0) {
        text = format_array (printer, array);
        value = job_value_new (name, "ndarray", text);
        add_parts (printer, value, array);
        return value;
    }
    text = format_element (printer->runtime, array, 0, &number);
    if (text == NULL) {
        value = job_value_new (name, get_element (array)->name, "<unreadable>");
        value->is_problem = TRUE;
        return value;
    }
    if (get_element (array)->kind == NUMBER_COMPLEX) {
        return job_value_new (name, get_element (array)->name, text);
    }
    return job_value_new_number (name, get_element (array)->name, text, number);
}

char *
python_scalar_format (PythonRuntime *runtime, const PythonType *type, guint64 object,
                      double *ret_number)
{
    const char *name = type->full_name + strlen ("numpy.");
    guint8 bytes[32];

    if (!g_str_has_prefix (type->full_name, "numpy.")) {
        return NULL;
    }
    for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
        const Element *element = &elements[i];

        if (element->kind != NUMBER_OTHER && g_str_has_prefix (name, element->name)
            && (name[strlen (element->name)] == '\0' || name[strlen (element->name)] == '_')
            && python_read (runtime, object + SCALAR_VALUE, bytes, element->size)) {
            return format_number (element, bytes, ret_number);
        }
    }
    return NULL;
}
