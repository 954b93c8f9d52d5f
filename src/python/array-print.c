/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays and scalars of numpy as text. */
#include "base/error.h"
#include "python/array-private.h"
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

void
python_array_append_items (PythonPrinter *printer, GString *text, const PythonArray *array,
                           gboolean as_repr)
{
    gint64 size = python_array_get_size (array);
    gint64 shown = MIN (size, (gint64) printer->limits.items);

    for (gint64 i = 0; i < shown; i++) {
        double number;
        g_autofree char *item = python_array_format_element (printer, array, i, as_repr,
                                                             &number);

        g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                                item != NULL ? item : N_ ("<unreadable>"));
    }
    g_string_append (text, shown < size ? (shown > 0 ? ", …" : "…") : "");
}

static char *
format_array (PythonPrinter *printer, const PythonArray *array)
{
    g_autofree char *shape = python_array_format_shape (array);
    GString *text = g_string_new (NULL);

    g_string_printf (text, "ndarray(shape=%s, dtype=", shape);
    python_array_append_type (printer->runtime, text, array);
    g_string_append (text, ", [");
    python_array_append_items (printer, text, array, FALSE);
    g_string_append (text, "])");
    return g_string_free (text, FALSE);
}

#define SCALAR_VALUE 16
#define VOID_DESCRIPTOR 32
#define VOID_DATA 24 /* PyVoidScalarObject (numpy/arrayscalars.h) */
#define MAX_COPY_BYTES (G_GUINT64_CONSTANT (256) << 20)

static char *
describe_elements (const PythonArray *array)
{
    static const char letters[] = { [PYTHON_NUMBER_BOOL] = 'b',
                                    [PYTHON_NUMBER_SIGNED] = 'i',
                                    [PYTHON_NUMBER_UNSIGNED] = 'u',
                                    [PYTHON_NUMBER_FLOAT] = 'f',
                                    [PYTHON_NUMBER_COMPLEX] = 'c' };
    const PythonArrayType *element = python_array_get_element (array);
    GString *text = g_string_new (NULL);

    g_string_printf (text, "%c%c%u",
                     element->size == 1  ? '|'
                     : array->is_swapped ? '>'
                                         : '<',
                     letters[element->kind], element->size);
    for (guint i = 0; i < array->n_dimensions; i++) {
        g_string_append_printf (text, " %" G_GINT64_FORMAT, array->shape[i]);
    }
    return g_string_free (text, FALSE);
}

/* Elements of the dimensions from `depth` on, appended to bytes; runs that lie together at once. */
static gboolean
copy_part (PythonRuntime *runtime, const PythonArray *array, guint depth, guint64 address,
           GByteArray *bytes)
{
    guint size = python_array_get_element (array)->size;
    gboolean is_last = depth + 1 == array->n_dimensions;

    if (is_last && array->strides[depth] == (gint64) size) {
        guint at = bytes->len, n = (guint) array->shape[depth] * size;

        g_byte_array_set_size (bytes, at + n);
        return n == 0 || python_read (runtime, address, bytes->data + at, n);
    }
    for (gint64 i = 0; i < array->shape[depth]; i++) {
        guint64 part = address + (guint64) (i * array->strides[depth]);
        guint at = bytes->len;

        if (is_last) {
            g_byte_array_set_size (bytes, at + size);
            if (!python_read (runtime, part, bytes->data + at, size)) {
                return FALSE;
            }
        } else if (!copy_part (runtime, array, depth + 1, part, bytes)) {
            return FALSE;
        }
    }
    return TRUE;
}

GBytes *
python_array_copy (PythonRuntime *runtime, const PythonArray *array, char **ret_shape,
                   GError **error)
{
    const PythonArrayType *element = python_array_get_element (array);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    gint64 size = python_array_get_size (array);

    if (element->kind == PYTHON_NUMBER_OTHER || array->n_dimensions == 0 || size < 0
        || (guint64) size > MAX_COPY_BYTES / element->size) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED, "cannot show it as an array: %s",
                        element->kind == PYTHON_NUMBER_OTHER || array->n_dimensions == 0
                            ? "its elements are not numbers"
                            : "it is larger than 256 MiB");
        return NULL;
    }
    if (!copy_part (runtime, array, 0, array->data, bytes)) {
        base_error_set (error, BASE_ERROR_FAULT, "cannot read the array's memory");
        return NULL;
    }
    *ret_shape = describe_elements (array);
    return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

static void
add_parts (PythonPrinter *printer, JobValue *value, const PythonArray *array)
{
    gint64 count = MIN (array->shape[0], (gint64) printer->limits.items);

    value->expandable = array->shape[0] > 0;
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
    text = python_array_format_element (printer, array, 0, FALSE, &number);
    if (text == NULL) {
        value = job_value_new (name, python_array_get_element (array)->name,
                               N_ ("<unreadable>"));
        value->is_problem = TRUE;
        return value;
    }
    if (python_array_get_element (array)->kind == PYTHON_NUMBER_COMPLEX
        || python_array_get_element (array)->kind == PYTHON_NUMBER_OTHER) {
        return job_value_new (name, python_array_get_element (array)->name, text);
    }
    return job_value_new_number (name, python_array_get_element (array)->name, text, number);
}

gboolean
python_array_read_void (PythonRuntime *runtime, guint64 object, PythonArray *ret_array)
{
    guint64 descriptor = 0;

    memset (ret_array, 0, sizeof *ret_array);
    return python_read_u64 (runtime, object + VOID_DATA, &ret_array->data)
           && python_read_u64 (runtime, object + VOID_DESCRIPTOR, &descriptor)
           && python_array_read_descriptor (runtime, descriptor, ret_array);
}

char *
python_scalar_format (PythonRuntime *runtime, const PythonType *type, guint64 object,
                      double *ret_number)
{
    const char *name = python_scalar_get_name (type);
    guint8 bytes[32];

    if (name == NULL) {
        return NULL;
    }
    for (guint i = 0; i < PYTHON_N_ARRAY_TYPES; i++) {
        const PythonArrayType *element = &python_array_types[i];

        if (element->kind != PYTHON_NUMBER_OTHER && g_str_has_prefix (name, element->name)
            && (name[strlen (element->name)] == '\0' || name[strlen (element->name)] == '_')
            && python_read (runtime, object + SCALAR_VALUE, bytes, element->size)) {
            char *time = i == TYPE_DATETIME || i == TYPE_TIMEDELTA
                             ? python_time_format_scalar (runtime, object, bytes,
                                                          i == TYPE_TIMEDELTA)
                             : NULL;

            if (time != NULL) {
                *ret_number = NAN;
                return time;
            }
            return python_array_format_number (element, bytes, ret_number);
        }
    }
    return NULL;
}
