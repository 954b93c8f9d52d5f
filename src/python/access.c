/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways from one point to the next: attributes, items, slices. Properties and other
 * descriptors with code are refused by name. */
#include "base/error.h"
#include "python/point-private.h"
#include <string.h>

/* Of staticmethod and classmethod, functools.partial has member descriptors. */
#define CALLABLE 16
#define GETTER_INDEX 16 /* _tuplegetterobject */
#define MAX_DICT_KEYS (1u << 20)

static gboolean
is_named (const PythonType *type, const char *name)
{
    return type != NULL && strcmp (type->full_name, name) == 0;
}

static PythonPoint *
new_array (PythonEvaluation *evaluation, const PythonArray *array)
{
    PythonPoint *point = python_point_new (evaluation, PYTHON_POINT_ARRAY);

    point->array = g_memdup2 (array, sizeof *array);
    return point;
}

static PythonPoint *
new_raw (PythonEvaluation *evaluation, const PythonRaw *raw)
{
    PythonPoint *point = python_point_new (evaluation, PYTHON_POINT_RAW);

    point->raw = *raw;
    return point;
}

PythonPoint *
python_point_enter (PythonEvaluation *evaluation, PythonPoint *point)
{
    const PythonType *type = point->kind == PYTHON_POINT_OBJECT
                                 ? python_find_object_type (evaluation->runtime, point->object)
                                 : NULL;
    PythonArray array;
    PythonRaw raw;

    if (type == NULL) {
        return point;
    }
    if ((python_array_is_plain (evaluation->runtime, type)
         && python_array_read (evaluation->runtime, point->object, &array))
        || (is_named (type, "numpy.void")
            && python_array_read_void (evaluation->runtime, point->object, &array))) {
        return new_array (evaluation, &array);
    }
    if (python_ctypes_is_instance (evaluation->runtime, type)
        && python_ctypes_read (evaluation->runtime, point->object, &raw)) {
        return new_raw (evaluation, &raw);
    }
    return point;
}

/* ---- attributes ---- */

static PythonPoint *
new_integers (PythonEvaluation *evaluation, const gint64 *values, guint count)
{
    PythonPoint *tuple = python_point_new (evaluation, PYTHON_POINT_TUPLE);

    tuple->items = g_ptr_array_new ();
    for (guint i = 0; i < count; i++) {
        g_ptr_array_add (tuple->items, python_point_new_int (evaluation, values[i]));
    }
    return tuple;
}

static PythonPoint *
transpose (PythonEvaluation *evaluation, const PythonArray *array)
{
    PythonPoint *point = new_array (evaluation, array);

    for (guint i = 0; i < array->n_dimensions; i++) {
        point->array->shape[i] = array->shape[array->n_dimensions - 1 - i];
        point->array->strides[i] = array->strides[array->n_dimensions - 1 - i];
    }
    return point;
}

static PythonPoint *
find_array_attribute (PythonEvaluation *evaluation, const PythonArray *array, const char *name,
                      GError **error)
{
    g_autoptr (GString) text = g_string_new (NULL);

    if (strcmp (name, "shape") == 0) {
        return new_integers (evaluation, array->shape, array->n_dimensions);
    }
    if (strcmp (name, "strides") == 0) {
        return new_integers (evaluation, array->strides, array->n_dimensions);
    }
    if (strcmp (name, "ndim") == 0) {
        return python_point_new_int (evaluation, array->n_dimensions);
    }
    if (strcmp (name, "size") == 0) {
        return python_point_new_int (evaluation, python_array_get_size (array));
    }
    if (strcmp (name, "itemsize") == 0) {
        return python_point_new_int (evaluation, array->element_size);
    }
    if (strcmp (name, "nbytes") == 0) {
        return python_point_new_int (evaluation, (__int128) array->element_size
                                                     * python_array_get_size (array));
    }
    if (strcmp (name, "T") == 0) {
        return transpose (evaluation, array);
    }
    if (strcmp (name, "dtype") == 0) {
        python_array_append_type (evaluation->runtime, text, array);
        return python_point_new_text (evaluation, g_strdup_printf ("dtype('%s')", text->str));
    }
    return python_point_refuse (error, "ndarray computes %s in C, or has no such attribute",
                                name);
}

/* Fields of built-in types that their C code keeps as objects. */
static gboolean
find_built_in (PythonEvaluation *evaluation, const PythonType *type, guint64 object,
               const char *name, PythonPoint **ret_point)
{
    static const struct {
        const char *type, *name;
        guint offset;
    } rows[] = {
        { "range", "start", 16 },     { "range", "stop", 24 },      { "range", "step", 32 },
        { "slice", "start", 16 },     { "slice", "stop", 24 },      { "slice", "step", 32 },
        { "method", "__func__", 16 }, { "method", "__self__", 24 },
    };
    PythonRuntime *runtime = evaluation->runtime;
    guint64 found = 0;
    double parts[2];

    if (strcmp (name, "__class__") == 0) {
        *ret_point = python_point_new_object (evaluation, type->address);
        return TRUE;
    }
    if (is_named (type, "complex") && (strcmp (name, "real") == 0 || strcmp (name, "imag") == 0)
        && python_read (runtime, object + (guint64) runtime->layout->complex_value, parts,
                        sizeof parts)) {
        *ret_point = python_point_new_float (evaluation, parts[name[0] == 'i']);
        return TRUE;
    }
    if ((type->flags & PYTHON_FLAG_EXCEPTION) != 0 && strcmp (name, "args") == 0) {
        python_read_u64 (runtime, object + (guint64) runtime->layout->exception_args, &found);
    }
    if (is_named (type, "function")
        && (strcmp (name, "__qualname__") == 0 || strcmp (name, "__name__") == 0)) {
        python_read_u64 (runtime,
                         object + (guint64) runtime->layout->function_qualname
                             - (strcmp (name, "__name__") == 0
                                    ? (guint64) runtime->layout->function_name_before
                                    : 0),
                         &found);
    }
    for (guint i = 0; i < G_N_ELEMENTS (rows) && found == 0; i++) {
        if (is_named (type, rows[i].type) && strcmp (name, rows[i].name) == 0) {
            python_read_u64 (runtime, object + rows[i].offset, &found);
        }
    }
    *ret_point = found != 0 ? python_point_new_object (evaluation, found) : NULL;
    return found != 0;
}

/* A field of a named tuple. */
static PythonPoint *
find_tuple_item (PythonEvaluation *evaluation, guint64 getter, guint64 tuple, const char *name,
                 GError **error)
{
    PythonRuntime *runtime = evaluation->runtime;
    guint64 index = 0;
    guint64 count = 0;
    guint64 item = 0;

    python_read_u64 (runtime, getter + GETTER_INDEX, &index);
    python_read_u64 (runtime, tuple + (guint64) runtime->layout->var_size, &count);
    return index < count
                   && python_read_u64 (runtime,
                                       tuple + (guint64) runtime->layout->tuple_items
                                           + index * 8,
                                       &item)
               ? python_point_new_object (evaluation, item)
               : python_point_miss (error, PYTHON_MISS_ATTRIBUTE, name);
}

/* A method is a description: what it is bound to and its code are there by other ways. */
static PythonPoint *
bind_method (PythonEvaluation *evaluation, const PythonType *kind, guint64 found,
             guint64 instance, const char *name)
{
    PythonPrinter printer
        = { .runtime = evaluation->runtime, .limits = PYTHON_LIMITS_DEFAULT, .nodes = 1 };
    const PythonType *type = python_find_object_type (evaluation->runtime, instance);
    g_autoptr (GString) text = g_string_new (NULL);

    if (is_named (kind, "function")) {
        python_append_bound (&printer, text, found, instance);
    } else if (is_named (kind, "wrapper_descriptor")) {
        g_string_printf (text,
                         "<method-wrapper '%s' of %s object at 0x%" G_GINT64_MODIFIER "x>",
                         name, type != NULL ? type->name : "?", instance);
    } else {
        g_string_printf (text, "<built-in method %s of %s object at 0x%" G_GINT64_MODIFIER "x>",
                         name, type != NULL ? type->name : "?", instance);
    }
    return python_point_new_text (evaluation, g_string_free (g_steal_pointer (&text), FALSE));
}

static gboolean
is_method (const PythonType *kind)
{
    return is_named (kind, "function") || is_named (kind, "method_descriptor")
           || is_named (kind, "wrapper_descriptor")
           || is_named (kind, "classmethod_descriptor");
}

/* What a class attribute gives when it is read through an instance (0: through the class). */
static PythonPoint *
bind (PythonEvaluation *evaluation, guint64 found, guint64 instance, const char *name,
      GError **error)
{
    const PythonType *kind = python_find_object_type (evaluation->runtime, found);
    guint64 object = 0;

    if (kind == NULL) {
        return python_point_miss (error, PYTHON_MISS_ATTRIBUTE, name);
    }
    if (is_named (kind, "member_descriptor") && instance != 0) {
        return python_member_read (evaluation->runtime, found, instance, &object)
                   ? python_point_new_object (evaluation, object)
                   : python_point_miss (error, PYTHON_MISS_ATTRIBUTE, name);
    }
    if (is_named (kind, "staticmethod") || is_named (kind, "classmethod")) {
        return python_read_u64 (evaluation->runtime, found + CALLABLE, &object) && object != 0
                   ? python_point_new_object (evaluation, object)
                   : python_point_miss (error, PYTHON_MISS_ATTRIBUTE, name);
    }
    if (instance == 0) {
        return python_point_new_object (evaluation, found);
    }
    if (is_named (kind, "property") || is_named (kind, "getset_descriptor")) {
        return python_point_refuse (error, "%s is a property%s", name,
                                    is_named (kind, "property") ? "" : " computed in C");
    }
    if (strcmp (kind->name, "_tuplegetter") == 0) {
        return find_tuple_item (evaluation, found, instance, name, error);
    }
    if (is_method (kind)) {
        return bind_method (evaluation, kind, found, instance, name);
    }
    if ((kind->flags & PYTHON_FLAG_TYPE) != 0) {
        return python_point_new_object (evaluation, found);
    }
    if (python_type_find (evaluation->runtime, kind, "__get__", &object, NULL)) {
        return python_point_refuse (error, "%s is computed by its descriptor (%s)", name,
                                    kind->name);
    }
    return python_point_new_object (evaluation, found);
}

static gboolean
is_data_descriptor (PythonEvaluation *evaluation, guint64 object)
{
    const PythonType *kind = python_find_object_type (evaluation->runtime, object);

    return is_named (kind, "property") || is_named (kind, "member_descriptor")
           || is_named (kind, "getset_descriptor")
           || python_type_has_code (evaluation->runtime, kind, "__set__");
}

static PythonPoint *
find_instance_attribute (PythonEvaluation *evaluation, const PythonType *type, guint64 object,
                         const char *name, GError **error)
{
    guint64 own, in_class = 0;
    gboolean is_in_class;
    PythonPoint *point;

    if (python_type_has_code (evaluation->runtime, type, "__getattribute__")) {
        return python_point_refuse (error, "%s has a __getattribute__ of its own", type->name);
    }
    is_in_class = python_type_find (evaluation->runtime, type, name, &in_class, NULL);
    if (find_built_in (evaluation, type, object, name, &point)) {
        return point;
    }
    if (is_in_class && is_data_descriptor (evaluation, in_class)) {
        return bind (evaluation, in_class, object, name, error);
    }
    own = python_attributes_find (evaluation->runtime, object, name);
    if (own != 0) {
        return python_point_new_object (evaluation, own);
    }
    if (is_in_class) {
        return bind (evaluation, in_class, object, name, error);
    }
    if (python_type_has_code (evaluation->runtime, type, "__getattr__")) {
        return python_point_refuse (error, "%s computes %s by its __getattr__, or has none",
                                    type->name, name);
    }
    if (python_type_may_have (evaluation->runtime, type, name)) {
        return python_point_refuse (error, "%s implements %s in C", type->name, name);
    }
    return python_point_miss (error, PYTHON_MISS_ATTRIBUTE, name);
}

static PythonPoint *
find_class_attribute (PythonEvaluation *evaluation, guint64 object, const char *name,
                      GError **error)
{
    const PythonType *self = python_find_type (evaluation->runtime, object);
    guint64 found = 0;

    if (self != NULL && strcmp (name, "__name__") == 0) {
        return python_point_new_text (evaluation, g_strdup_printf ("'%s'", self->name));
    }
    if (self != NULL && python_type_find (evaluation->runtime, self, name, &found, NULL)) {
        return bind (evaluation, found, 0, name, error);
    }
    return python_point_miss (error, PYTHON_MISS_ATTRIBUTE, name);
}

static PythonPoint *
find_module_attribute (PythonEvaluation *evaluation, guint64 object, const char *name,
                       GError **error)
{
    guint64 dict = 0;
    guint64 found = 0;

    python_read_u64 (evaluation->runtime,
                     object + (guint64) evaluation->runtime->layout->module_dict, &dict);
    return dict != 0 && python_dict_find_str (evaluation->runtime, dict, name, &found)
               ? python_point_new_object (evaluation, found)
               : python_point_miss (error, PYTHON_MISS_ATTRIBUTE, name);
}

/* An instance of a subclass of numpy's array has it in its own dictionary. */
static gboolean
has_own_attribute (PythonEvaluation *evaluation, const PythonPoint *point, const char *name)
{
    return point->kind == PYTHON_POINT_OBJECT
           && python_attributes_find (evaluation->runtime, point->object, name) != 0;
}

/* One of numpy's own in a subclass that makes its items by Python code. */
static gboolean
is_array_attribute (PythonRuntime *runtime, const PythonType *type, const char *name)
{
    const PythonType *owner = NULL;
    guint64 found;

    return python_type_has_base (runtime, type, "numpy.ndarray")
           && !python_type_has_code (runtime, type, "__getattribute__")
           && python_type_find (runtime, type, name, &found, &owner)
           && is_named (owner, "numpy.ndarray");
}

static PythonPoint *
find_attribute (PythonEvaluation *evaluation, PythonPoint *point, const char *name,
                GError **error)
{
    PythonPoint *inner = python_point_enter (evaluation, point);
    const PythonType *type;
    PythonArray array;
    PythonRaw field;

    if (inner->kind == PYTHON_POINT_ARRAY && !has_own_attribute (evaluation, point, name)) {
        return find_array_attribute (evaluation, inner->array, name, error);
    }
    if (inner->kind == PYTHON_POINT_RAW) {
        if (strcmp (name, "value") == 0 && point->kind == PYTHON_POINT_OBJECT
            && python_ctypes_get_length (evaluation->runtime, &inner->raw) < 0) {
            return inner;
        }
        if (python_ctypes_field (evaluation->runtime, &inner->raw, name, &field)) {
            return new_raw (evaluation, &field);
        }
    }
    type = point->kind == PYTHON_POINT_OBJECT
               ? python_find_object_type (evaluation->runtime, point->object)
               : NULL;
    if (type != NULL && is_array_attribute (evaluation->runtime, type, name)
        && python_array_read (evaluation->runtime, point->object, &array)) {
        return find_array_attribute (evaluation, &array, name, error);
    }
    if (type == NULL) {
        return point->kind == PYTHON_POINT_OBJECT
                   ? python_point_miss (error, PYTHON_MISS_ATTRIBUTE, name)
                   : python_point_refuse (error,
                                          "pddt does not read attributes of a computed value");
    }
    if (is_named (type, "module")) {
        return find_module_attribute (evaluation, point->object, name, error);
    }
    return (type->flags & PYTHON_FLAG_TYPE) != 0
               ? find_class_attribute (evaluation, point->object, name, error)
               : find_instance_attribute (evaluation, type, point->object, name, error);
}

PythonPoint *
python_point_attribute (PythonEvaluation *evaluation, PythonPoint *point, const char *name,
                        GError **error)
{
    g_autofree char *mangled = python_evaluation_mangle (evaluation, name);
    PythonPoint *found = mangled != NULL ? find_attribute (evaluation, point, mangled, NULL)
                                         : NULL;

    return found != NULL ? found : find_attribute (evaluation, point, name, error);
}

/* ---- items ---- */

static PythonPoint *
miss_item (PythonEvaluation *evaluation, PythonPoint *index, GError **error)
{
    PythonPrinter printer = { evaluation->runtime, PYTHON_LIMITS_DEFAULT, 1 };
    g_autoptr (JobValue) value = python_point_print (evaluation, &printer, index);

    base_error_set (error, BASE_ERROR_NOT_FOUND, "no item [%s]", value->text);
    return NULL;
}

static gboolean
take_index (PythonEvaluation *evaluation, PythonPoint *point, gint64 *ret_index)
{
    point = python_point_simplify (evaluation, point);
    if ((point->kind != PYTHON_POINT_INT && point->kind != PYTHON_POINT_BOOL)
        || point->integer > G_MAXINT64 || point->integer < -G_MAXINT64) {
        return FALSE;
    }
    *ret_index = (gint64) point->integer;
    return TRUE;
}

static gint64
clamp_bound (gint64 value, gint64 length, gint64 step)
{
    if (value < 0) {
        value += length;
        return value < 0 ? (step < 0 ? -1 : 0) : value;
    }
    return value >= length ? (step < 0 ? length - 1 : length) : value;
}

/* As slice.indices() counts: first, step, count. */
static gboolean
measure_slice (PythonEvaluation *evaluation, PythonPoint *slice, gint64 length,
               gint64 *ret_first, gint64 *ret_step, gint64 *ret_count, GError **error)
{
    gint64 values[3] = { 0, 0, 1 };
    gboolean is_set[3];

    for (guint i = 0; i < 3; i++) {
        PythonPoint *part = g_ptr_array_index (slice->items, i);

        part = part != NULL ? python_point_simplify (evaluation, part) : NULL;
        is_set[i] = part != NULL && part->kind != PYTHON_POINT_NONE;
        if (is_set[i] && !take_index (evaluation, part, &values[i])) {
            return python_point_refuse (error, "the bounds of a slice are not integers")
                   != NULL;
        }
    }
    if (values[2] == 0) {
        return python_point_refuse (error, "a slice's step is 0") != NULL;
    }
    *ret_step = values[2];
    *ret_first = is_set[0] ? clamp_bound (values[0], length, values[2])
                           : (values[2] < 0 ? length - 1 : 0);
    values[1] = is_set[1] ? clamp_bound (values[1], length, values[2])
                          : (values[2] < 0 ? -1 : length);
    if (values[2] > 0) {
        *ret_count = values[1] > *ret_first ? (values[1] - *ret_first - 1) / values[2] + 1 : 0;
    } else {
        *ret_count = *ret_first > values[1] ? (*ret_first - values[1] - 1) / -values[2] + 1 : 0;
    }
    return TRUE;
}

/* One index after the other; an ellipsis takes the dimensions that are left. */
static PythonPoint *
index_array (PythonEvaluation *evaluation, PythonPoint *point, PythonPoint *index,
             GError **error)
{
    PythonPoint *part = new_array (evaluation, point->array);
    gboolean is_tuple = index->kind == PYTHON_POINT_TUPLE && !index->is_list;
    guint count = is_tuple ? index->items->len : 1;
    guint dimension = 0;

    for (guint i = 0; i < count; i++) {
        PythonPoint *one = is_tuple ? g_ptr_array_index (index->items, i) : index;
        gint64 first, step, size;

        one = python_point_simplify (evaluation, one);
        if (one->kind == PYTHON_POINT_ELLIPSIS) {
            guint left = count - 1 - i;

            dimension = part->array->n_dimensions > left ? part->array->n_dimensions - left : 0;
        } else if (dimension >= part->array->n_dimensions) {
            return miss_item (evaluation, index, error);
        } else if (one->kind == PYTHON_POINT_SLICE) {
            if (!measure_slice (evaluation, one, part->array->shape[dimension], &first, &step,
                                &size, error)) {
                return NULL;
            }
            python_array_slice (part->array, dimension++, first, step, size);
        } else if (one->kind != PYTHON_POINT_BOOL && take_index (evaluation, one, &first)) {
            if (!python_array_fix (part->array, dimension, first)) {
                return miss_item (evaluation, one, error);
            }
        } else {
            return python_point_refuse (
                error, "an array is indexed by something other than integers and "
                       "slices");
        }
    }
    return part;
}

static char *
dup_characters (const PythonPoint *point)
{
    return point->kind == PYTHON_POINT_STR
               ? g_ucs4_to_utf8 ((gunichar *) (gpointer) point->characters->data,
                                 point->characters->len, NULL, NULL, NULL)
               : NULL;
}

static PythonPoint *
subscript_array (PythonEvaluation *evaluation, PythonPoint *point, PythonPoint *index,
                 GError **error)
{
    PythonPoint *key = python_point_simplify (evaluation, index);
    g_autofree char *name = dup_characters (key);
    PythonArray field;

    if (name == NULL) {
        return index_array (evaluation, point, index, error);
    }
    return python_array_field (evaluation->runtime, point->array, name, &field)
               ? new_array (evaluation, &field)
               : python_point_miss (error, PYTHON_MISS_FIELD, name);
}

static PythonPoint *
slice_sequence (PythonEvaluation *evaluation, const PythonPoint *from, PythonPoint *slice,
                GError **error)
{
    PythonPoint *point = python_point_new (evaluation, PYTHON_POINT_SEQUENCE);
    gint64 first;
    gint64 step;

    if (!measure_slice (evaluation, slice, from->count, &first, &step, &point->count, error)) {
        return NULL;
    }
    point->first = from->first + (guint64) (first * from->step * 8);
    point->step = from->step * step;
    point->is_list = from->is_list;
    return point;
}

static PythonPoint *
subscript_sequence (PythonEvaluation *evaluation, const PythonPoint *sequence,
                    PythonPoint *index, GError **error)
{
    guint64 item = 0;
    gint64 at;

    if (index->kind == PYTHON_POINT_SLICE) {
        return slice_sequence (evaluation, sequence, index, error);
    }
    if (!take_index (evaluation, index, &at)) {
        return miss_item (evaluation, index, error);
    }
    at = at < 0 ? at + sequence->count : at;
    if (at < 0 || at >= sequence->count
        || !python_read_u64 (evaluation->runtime,
                             sequence->first + (guint64) (at * sequence->step * 8), &item)
        || item == 0) {
        return miss_item (evaluation, index, error);
    }
    return python_point_new_object (evaluation, item);
}

static PythonPoint *
subscript_characters (PythonEvaluation *evaluation, const PythonPoint *point,
                      PythonPoint *index, GError **error)
{
    PythonPoint *part = python_point_new (evaluation, point->kind);
    gint64 length = point->characters->len;
    gint64 first;
    gint64 step = 1;
    gint64 count = 1;

    part->characters = g_array_new (FALSE, FALSE, sizeof (gunichar));
    if (index->kind == PYTHON_POINT_SLICE) {
        if (!measure_slice (evaluation, index, length, &first, &step, &count, error)) {
            return NULL;
        }
    } else if (take_index (evaluation, index, &first)) {
        first = first < 0 ? first + length : first;
        if (first < 0 || first >= length) {
            return miss_item (evaluation, index, error);
        }
        if (point->kind == PYTHON_POINT_BYTES) {
            return python_point_new_int (evaluation,
                                         g_array_index (point->characters, gunichar, first));
        }
    } else {
        return miss_item (evaluation, index, error);
    }
    for (gint64 i = 0; i < count; i++) {
        g_array_append_val (part->characters,
                            g_array_index (point->characters, gunichar, first + i * step));
    }
    return part;
}

typedef struct {
    PythonEvaluation *evaluation;
    PythonPoint *key;
    guint64 value;
    guint count;
    gboolean is_unknown;
} KeySearch;

static gboolean
match_key (guint64 key, guint64 value, gpointer user)
{
    KeySearch *search = user;
    gboolean equal = FALSE;
    guint n_points = search->evaluation->points->len;

    if (!python_point_equal (search->evaluation, search->key,
                             python_point_new_object (search->evaluation, key), &equal, NULL)) {
        search->is_unknown = TRUE;
    }
    /* what one comparison made is not kept for the next */
    g_ptr_array_set_size (search->evaluation->points, (gint) n_points);
    if (equal) {
        search->value = value;
        return FALSE;
    }
    return ++search->count < MAX_DICT_KEYS;
}

static PythonPoint *
subscript_dict (PythonEvaluation *evaluation, guint64 dict, PythonPoint *index, GError **error)
{
    KeySearch search = { evaluation, python_point_simplify (evaluation, index), 0, 0, FALSE };
    g_autofree char *name = dup_characters (search.key);
    guint64 found = 0;

    if (name != NULL) {
        return python_dict_find_str (evaluation->runtime, dict, name, &found)
                   ? python_point_new_object (evaluation, found)
                   : python_point_miss (error, PYTHON_MISS_KEY, name);
    }
    python_dict_foreach (evaluation->runtime, dict, match_key, &search);
    if (search.value != 0) {
        return python_point_new_object (evaluation, search.value);
    }
    return search.is_unknown
               ? python_point_refuse (error, "only Python itself can compare some of the keys")
               : miss_item (evaluation, index, error);
}

static PythonPoint *
subscript_range (PythonEvaluation *evaluation, guint64 range, PythonPoint *index,
                 GError **error)
{
    gint64 parts[4]; /* start, stop, step, length */
    gint64 at;

    for (guint i = 0; i < 4; i++) {
        guint64 part = 0;

        if (!python_read_u64 (evaluation->runtime, range + 16 + i * 8, &part)
            || !python_read_int (evaluation->runtime, part, &parts[i])) {
            return python_point_refuse (error, "the range is too long");
        }
    }
    if (index->kind == PYTHON_POINT_SLICE || !take_index (evaluation, index, &at)) {
        return python_point_refuse (error, "only single items of a range can be read");
    }
    at = at < 0 ? at + parts[3] : at;
    return at >= 0 && at < parts[3]
               ? python_point_new_int (evaluation,
                                       (__int128) parts[0] + (__int128) at * parts[2])
               : miss_item (evaluation, index, error);
}

static PythonPoint *
open_sequence (PythonEvaluation *evaluation, const PythonType *type, guint64 object)
{
    const PythonLayout *layout = evaluation->runtime->layout;
    PythonPoint *point = python_point_new (evaluation, PYTHON_POINT_SEQUENCE);

    point->is_list = (type->flags & PYTHON_FLAG_LIST) != 0;
    point->step = 1;
    python_read_u64 (evaluation->runtime, object + (guint64) layout->var_size,
                     (guint64 *) &point->count);
    point->first = object + (guint64) layout->tuple_items;
    if (point->is_list) {
        python_read_u64 (evaluation->runtime, object + (guint64) layout->list_items,
                         &point->first);
    }
    return point;
}

static PythonPoint *
subscript_object (PythonEvaluation *evaluation, guint64 object, PythonPoint *index,
                  GError **error)
{
    const PythonType *type = python_find_object_type (evaluation->runtime, object);
    PythonArray array;
    guint64 found = 0;
    gint64 at = 0;

    if (type == NULL || python_type_has_code (evaluation->runtime, type, "__getitem__")) {
        return type == NULL
                   ? miss_item (evaluation, index, error)
                   : python_point_refuse (error, "%s has a __getitem__ of its own", type->name);
    }
    if ((type->flags & (PYTHON_FLAG_LIST | PYTHON_FLAG_TUPLE)) != 0) {
        return subscript_sequence (evaluation, open_sequence (evaluation, type, object), index,
                                   error);
    }
    if ((type->flags & PYTHON_FLAG_DICT) != 0) {
        return subscript_dict (evaluation, object, index, error);
    }
    if (is_named (type, "range")) {
        return subscript_range (evaluation, object, index, error);
    }
    if (is_named (type, "collections.deque")) {
        return take_index (evaluation, index, &at)
                       && python_deque_index (evaluation->runtime, object, at, &found)
                   ? python_point_new_object (evaluation, found)
                   : miss_item (evaluation, index, error);
    }
    if (python_buffer_read (evaluation->runtime, type, object, &array)) {
        return index_array (evaluation, new_array (evaluation, &array), index, error);
    }
    return python_point_refuse (error, "%s has no items that can be read", type->name);
}

PythonPoint *
python_point_subscript (PythonEvaluation *evaluation, PythonPoint *point, PythonPoint *index,
                        GError **error)
{
    PythonPoint *inner = python_point_enter (evaluation, point);
    PythonRaw item;
    gint64 at;

    if (inner->kind == PYTHON_POINT_ARRAY) {
        return subscript_array (evaluation, inner, index, error);
    }
    if (inner->kind == PYTHON_POINT_RAW) {
        return take_index (evaluation, index, &at)
                       && python_ctypes_index (evaluation->runtime, &inner->raw, at, &item)
                   ? new_raw (evaluation, &item)
                   : miss_item (evaluation, index, error);
    }
    if (inner->kind == PYTHON_POINT_SEQUENCE) {
        return subscript_sequence (evaluation, inner, index, error);
    }
    inner = python_point_simplify (evaluation, inner);
    if (inner->characters != NULL) {
        return subscript_characters (evaluation, inner, index, error);
    }
    if (inner->kind == PYTHON_POINT_TUPLE) {
        if (!take_index (evaluation, index, &at)) {
            return python_point_refuse (error, "the index is not an integer");
        }
        at = at < 0 ? at + inner->items->len : at;
        return at >= 0 && at < inner->items->len ? g_ptr_array_index (inner->items, at)
                                                 : miss_item (evaluation, index, error);
    }
    return inner->kind == PYTHON_POINT_OBJECT
               ? subscript_object (evaluation, inner->object, index, error)
               : python_point_refuse (error, "it has no items");
}
