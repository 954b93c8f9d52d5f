/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes that are made of numpy's array: matrix, recarray, masked arrays, the user's own. Their elements
 * are the array's; what their Python code makes of them is not known here. */
#include "python/value-private.h"
#include "base/array.h"
#include <string.h>

gboolean
python_array_is_plain (PythonRuntime *runtime, const PythonType *type)
{
    static const char *const methods[] = { "__getitem__", "__getattribute__", "__getattr__" };
    guint64 found;

    if (type == NULL || strcmp (type->full_name, "numpy.ndarray") == 0) {
        return type != NULL;
    }
    if (!python_type_has_base (runtime, type, "numpy.ndarray")) {
        return FALSE;
    }
    for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
        const PythonType *owner = NULL;

        if (python_type_find (runtime, type, methods[i], &found, &owner)
            && (owner->flags & PYTHON_FLAG_HEAP) != 0) {
            return FALSE;
        }
    }
    return TRUE;
}

guint64
python_array_find_mask (PythonRuntime *runtime, const PythonType *type, guint64 object)
{
    return python_type_has_base (runtime, type, "numpy.ma.core.MaskedArray")
                   || python_type_has_base (runtime, type, "numpy.ma.MaskedArray")
               ? python_attributes_find (runtime, object, "_mask")
               : 0;
}

static void
append_mask (PythonPrinter *printer, GString *text, guint64 mask)
{
    const PythonType *type = python_find_object_type (printer->runtime, mask);
    PythonArray array;

    if (type == NULL || strcmp (type->full_name, "numpy.ndarray") != 0
        || !python_array_read (printer->runtime, mask, &array)) {
        return; /* no element is masked */
    }
    g_string_append (text, ", mask=[");
    python_array_append_items (printer, text, &array, FALSE);
    g_string_append_c (text, ']');
}

JobValue *
python_array_print_object (PythonPrinter *printer, const char *name, const PythonType *type,
                           guint64 object, const PythonArray *array)
{
    JobValue *value = python_array_print (printer, name, array);
    guint64 mask = python_array_find_mask (printer->runtime, type, object);
    g_autoptr (GString) text = NULL;

    if (strcmp (type->full_name, "numpy.ndarray") == 0
        || !g_str_has_prefix (value->text, "ndarray(")) {
        if (mask != 0) {
            text = g_string_new (value->text);
            append_mask (printer, text, mask);
            g_free (value->text);
            value->text = g_string_free (g_steal_pointer (&text), FALSE);
        }
        return value;
    }
    text = g_string_new (type->name);
    g_string_append_len (text, value->text + strlen ("ndarray"),
                         (gssize) (strlen (value->text) - strlen ("ndarray)")));
    if (mask != 0) {
        append_mask (printer, text, mask);
    }
    g_string_append_c (text, ')');
    g_free (value->text);
    g_free (value->type);
    value->text = g_string_free (g_steal_pointer (&text), FALSE);
    value->type = g_strdup (type->name);
    return value;
}

const char *
python_scalar_get_name (const PythonType *type)
{
    static const struct {
        const char *name, *same;
    } others[] = {
        { "longlong", "int64" },
        { "ulonglong", "uint64" },
        { "intc", "int32" },
        { "uintc", "uint32" },
    };
    const char *name = type->full_name + strlen ("numpy.");

    if (!g_str_has_prefix (type->full_name, "numpy.")
        || (type->flags & PYTHON_FLAG_HEAP) != 0) {
        return NULL; /* a class that is written in Python */
    }
    return BASE_CHOOSE (i, G_N_ELEMENTS (others), strcmp (name, others[i].name) == 0,
                        others[i].same, name);
}
