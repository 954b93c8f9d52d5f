/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few functions that only look at their argument, and what an expression gave as a value to be
 * shown. */
#include "base/array.h"
#include "base/hash.h"
#include "python/point-private.h"
#include <math.h>
#include <string.h>

/* ---- calls ---- */

static PythonPoint *
call_int (PythonEvaluation *evaluation, PythonPoint *argument, GError **error)
{
    argument = python_point_simplify (evaluation, argument);
    if (argument->kind == PYTHON_POINT_INT || argument->kind == PYTHON_POINT_BOOL) {
        return python_point_new_int (evaluation, argument->integer);
    }
    if (argument->kind == PYTHON_POINT_FLOAT && fabs (argument->number) < 1e30) {
        return python_point_new_int (evaluation, (__int128) argument->number);
    }
    return python_point_refuse (error, "it is a call");
}

static PythonPoint *
call_with_one (PythonEvaluation *evaluation, const char *name, PythonPoint *argument,
               GError **error)
{
    PythonPoint *simple = python_point_simplify (evaluation, argument);
    gint64 length;
    gboolean truth;

    if (strcmp (name, "len") == 0) {
        return python_point_get_length (evaluation, argument, &length, error)
                   ? python_point_new_int (evaluation, length)
                   : NULL;
    }
    if (strcmp (name, "bool") == 0) {
        return python_point_is_true (evaluation, argument, &truth, error)
                   ? python_point_new_bool (evaluation, truth)
                   : NULL;
    }
    if (strcmp (name, "int") == 0) {
        return call_int (evaluation, argument, error);
    }
    if (strcmp (name, "id") == 0 && argument->kind == PYTHON_POINT_OBJECT) {
        return python_point_new_int (evaluation, argument->object);
    }
    if (strcmp (name, "type") == 0 && argument->kind == PYTHON_POINT_OBJECT) {
        const PythonType *type = python_find_object_type (evaluation->runtime,
                                                          argument->object);

        return type != NULL ? python_point_new_object (evaluation, type->address)
                            : python_point_refuse (error, "its type cannot be read");
    }
    if (simple->kind == PYTHON_POINT_FLOAT || simple->kind == PYTHON_POINT_INT
        || simple->kind == PYTHON_POINT_BOOL) {
        if (strcmp (name, "float") == 0) {
            return simple->kind == PYTHON_POINT_FLOAT
                       ? simple
                       : python_point_new_float (evaluation, (double) simple->integer);
        }
        if (strcmp (name, "abs") == 0) {
            return simple->kind == PYTHON_POINT_FLOAT
                       ? python_point_new_float (evaluation, fabs (simple->number))
                       : python_point_new_int (evaluation, simple->integer < 0
                                                               ? -simple->integer
                                                               : simple->integer);
        }
    }
    return python_point_refuse (error, "it is a call");
}

static PythonPoint *
call_isinstance (PythonEvaluation *evaluation, const GPtrArray *arguments, GError **error)
{
    const PythonPoint *object = g_ptr_array_index (arguments, 0);
    const PythonPoint *wanted = g_ptr_array_index (arguments, 1);
    const PythonType *type = object->kind == PYTHON_POINT_OBJECT
                                 ? python_find_object_type (evaluation->runtime, object->object)
                                 : NULL;
    const PythonType *meta = wanted->kind == PYTHON_POINT_OBJECT
                                 ? python_find_object_type (evaluation->runtime, wanted->object)
                                 : NULL;
    guint n_bases;

    if (type == NULL || meta == NULL || strcmp (meta->full_name, "type") != 0) {
        return python_point_refuse (error, "it is a call");
    }
    n_bases = python_type_get_n_bases (evaluation->runtime, type);
    return BASE_CHOOSE (i, n_bases,
                        python_type_get_base (evaluation->runtime, type, i) == wanted->object,
                        python_point_new_bool (evaluation, TRUE),
                        python_point_new_bool (evaluation, FALSE));
}

/* The name of a built-in function or class; NULL of all else, so that a function of the program
 * that is called len is not taken for it. */
static char *
find_built_in_name (PythonEvaluation *evaluation, const PythonPoint *function)
{
    PythonPrinter printer = { evaluation->runtime, PYTHON_LIMITS_DEFAULT, 1 };
    g_autoptr (GString) text = g_string_new (NULL);
    const char *start;
    const char *end;

    if (function->kind != PYTHON_POINT_OBJECT) {
        return NULL;
    }
    python_append_object (&printer, text, function->object, 0);
    if (g_str_has_prefix (text->str, "<built-in function ")) {
        start = text->str + strlen ("<built-in function ");
        end = strchr (start, '>');
    } else if (g_str_has_prefix (text->str, "<class '")) {
        start = text->str + strlen ("<class '");
        end = strchr (start, '\'');
    } else {
        return NULL;
    }
    return end != NULL ? g_strndup (start, (gsize) (end - start)) : NULL;
}

PythonPoint *
python_point_call (PythonEvaluation *evaluation, PythonPoint *function,
                   const GPtrArray *arguments, GError **error)
{
    g_autofree char *name = find_built_in_name (evaluation, function);

    if (name != NULL && arguments->len == 1) {
        return call_with_one (evaluation, name, g_ptr_array_index (arguments, 0), error);
    }
    if (g_strcmp0 (name, "isinstance") == 0 && arguments->len == 2) {
        return call_isinstance (evaluation, arguments, error);
    }
    return python_point_refuse (error, "it is a call");
}

/* ---- the result ---- */

static char *
format_integer (__int128 value)
{
    char digits[48];
    char *at = digits + sizeof digits - 1;
    unsigned __int128 rest = value < 0 ? -(unsigned __int128) value : (unsigned __int128) value;

    *at = '\0';
    do {
        *--at = (char) ('0' + (int) (rest % 10));
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        *--at = '-';
    }
    return g_strdup (at);
}

static JobValue *
print_sequence (PythonEvaluation *evaluation, PythonPrinter *printer, PythonPoint *point)
{
    g_autoptr (GString) text = g_string_new (point->is_list ? "[" : "(");
    gint64 count = point->kind == PYTHON_POINT_TUPLE ? (gint64) point->items->len
                                                     : point->count;
    JobValue *value = job_value_new (NULL, point->is_list ? "list" : "tuple", "");
    PythonPrinter inner = *printer;

    inner.limits.depth = printer->limits.depth > 0 ? printer->limits.depth - 1 : 0;
    value->children = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
    value->expandable = count > 0;
    for (gint64 i = 0; i < count; i++) {
        PythonPoint *item;
        JobValue *part;

        g_string_append (text, i > 0 ? ", " : "");
        item = i < (gint64) MAX (printer->limits.items, 1) && evaluation->depth < 32
                   ? python_point_subscript (evaluation, point,
                                             python_point_new_int (evaluation, i), NULL)
                   : NULL;
        if (item == NULL) {
            g_string_append (text, "...");
            break;
        }
        evaluation->depth++;
        part = python_point_print (evaluation, &inner, item);
        evaluation->depth--;
        part->name = g_strdup_printf ("[%" G_GINT64_FORMAT "]", i);
        g_string_append (text, part->text);
        g_ptr_array_add (value->children, part);
    }
    g_string_append (text, point->is_list ? "]" : count == 1 ? ",)" : ")");
    g_free (value->text);
    value->text = g_strdup (text->str);
    return value;
}

static JobValue *
print_characters (PythonPrinter *printer, const PythonPoint *point)
{
    g_autoptr (GString) text = g_string_new (NULL);
    guint count = MIN (point->characters->len, printer->limits.bytes);

    if (point->kind == PYTHON_POINT_STR) {
        python_append_characters (text, (gunichar *) (gpointer) point->characters->data, count);
    } else {
        g_autofree char *bytes = g_malloc (count + 1);

        for (guint i = 0; i < count; i++) {
            bytes[i] = (char) g_array_index (point->characters, gunichar, i);
        }
        python_append_repr (text, bytes, TRUE, count);
    }
    g_string_append (text, count < point->characters->len ? "..." : "");
    return job_value_new (NULL, point->kind == PYTHON_POINT_STR ? "str" : "bytes", text->str);
}

JobValue *
python_point_print (PythonEvaluation *evaluation, PythonPrinter *printer, PythonPoint *point)
{
    g_autofree char *text = NULL;
    g_autoptr (GString) buffer = g_string_new (NULL);

    switch (point->kind) {
    case PYTHON_POINT_OBJECT: return python_print (printer, NULL, point->object);
    case PYTHON_POINT_ARRAY: return python_array_print (printer, NULL, point->array);
    case PYTHON_POINT_RAW: return python_ctypes_print (printer, NULL, &point->raw);
    case PYTHON_POINT_SEQUENCE:
    case PYTHON_POINT_TUPLE: return print_sequence (evaluation, printer, point);
    case PYTHON_POINT_NONE: return job_value_new (NULL, "NoneType", "None");
    case PYTHON_POINT_BOOL:
        return job_value_new_number (NULL, "bool", point->integer != 0 ? "True" : "False",
                                     (double) point->integer);
    case PYTHON_POINT_INT:
        text = format_integer (point->integer);
        return job_value_new_number (NULL, "int", text, (double) point->integer);
    case PYTHON_POINT_FLOAT:
        python_append_double (buffer, point->number);
        return job_value_new_number (NULL, "float", buffer->str, point->number);
    case PYTHON_POINT_STR:
    case PYTHON_POINT_BYTES: return print_characters (printer, point);
    case PYTHON_POINT_TEXT: return job_value_new (NULL, NULL, point->text);
    case PYTHON_POINT_SLICE: return job_value_new (NULL, "slice", ":");
    default: return job_value_new (NULL, "ellipsis", "Ellipsis");
    }
}

/* Items of a slice of a list: each as what it is. */
static void
compare_sequence (PythonEvaluation *evaluation, JobValue *value, PythonPoint *point,
                  guint64 budget)
{
    gint64 count = point->kind == PYTHON_POINT_TUPLE ? (gint64) point->items->len
                                                     : point->count;
    guint64 hash = (guint64) count;

    for (gint64 i = 0; i < count && budget > 0; i++) {
        PythonPoint *item = python_point_subscript (evaluation, point,
                                                    python_point_new_int (evaluation, i), NULL);
        g_autoptr (JobValue) part = item != NULL ? job_value_new (NULL, NULL, "") : NULL;

        if (part != NULL) {
            evaluation->depth++;
            python_point_compare (evaluation, part, item, budget);
            evaluation->depth--;
            hash = base_hash_word (hash, part->rest);
            budget -= MIN (budget, 128);
        }
        if (item == NULL || part->text[0] != '\0' || budget == 0) { /* why not all of it */
            char *text = g_strconcat (value->text, JOB_VALUE_TOO_LARGE, NULL);

            g_free (value->text);
            value->text = text;
            break;
        }
    }
    value->rest = hash != 0 ? hash : 1;
}

void
python_point_compare (PythonEvaluation *evaluation, JobValue *value, PythonPoint *point,
                      guint64 budget)
{
    PythonRuntime *runtime = evaluation->runtime;

    if (budget == 0 || value->is_number || value->is_problem || evaluation->depth >= 32) {
        return;
    }
    switch (point->kind) {
    case PYTHON_POINT_OBJECT:
        python_value_compare (runtime, value, point->object, budget);
        break;
    case PYTHON_POINT_ARRAY: python_array_compare (runtime, value, point->array, budget); break;
    case PYTHON_POINT_SEQUENCE:
    case PYTHON_POINT_TUPLE: compare_sequence (evaluation, value, point, budget); break;
    case PYTHON_POINT_STR:
    case PYTHON_POINT_BYTES:
        value->rest = base_hash_bytes (1, point->characters->data,
                                       point->characters->len * sizeof (gunichar));
        break;
    default: break;
    }
}
