/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A frame's variables, and the paths that can be followed from them by reading memory: names,
 * attributes, items. What would have to run code (properties, __getattr__, calls) is not found. */
#include "base/error.h"
#include "python/value-private.h"
#include <string.h>

#define MAX_LOCALS 500u
#define FLAG_LONG (1u << 24)
#define FLAG_LIST (1u << 25)
#define FLAG_TUPLE (1u << 26)
#define FLAG_UNICODE (1u << 28)
#define FLAG_DICT (1u << 29)
#define FLAG_TYPE (1u << 31)

/* Of PyMemberDef: name, type, offset; the types that slots have (structmember.h). */
#define MEMBER_OFFSET 16
#define MEMBER_OBJECT 6
#define MEMBER_OBJECT_EX 16

typedef struct {
    PythonPrinter *printer;
    GPtrArray *values;
    gboolean is_module;
} Locals;

/* In a module's frame every import and function is a variable: not what one looks for. */
static gboolean
is_noise (PythonRuntime *runtime, const char *name, guint64 object)
{
    const PythonType *type = python_find_object_type (runtime, object);

    return g_str_has_prefix (name, "__")
           || (type != NULL
               && (strcmp (type->full_name, "module") == 0
                   || strcmp (type->full_name, "function") == 0
                   || strcmp (type->full_name, "builtin_function_or_method") == 0
                   || (type->flags & FLAG_TYPE) != 0));
}

static gboolean
add_local (const char *name, guint64 object, gpointer user)
{
    Locals *locals = user;

    if (!locals->is_module || !is_noise (locals->printer->runtime, name, object)) {
        locals->printer->nodes = locals->printer->limits.nodes;
        g_ptr_array_add (locals->values, python_print (locals->printer, name, object));
    }
    return locals->values->len < MAX_LOCALS;
}

static gboolean
is_module_frame (PythonRuntime *runtime, const PythonFrame *frame)
{
    guint64 globals = 0;
    guint64 locals = 0;

    return python_read_u64 (runtime, frame->frame + (guint64) runtime->layout->frame_globals,
                            &globals)
           && python_read_u64 (runtime, frame->frame + (guint64) runtime->layout->frame_locals,
                               &locals)
           && globals == locals;
}

GPtrArray *
python_frame_read_locals (PythonRuntime *runtime, const PythonFrame *frame,
                          const PythonLimits *limits, GError **error)
{
    PythonPrinter printer = { runtime, *limits, limits->nodes };
    g_autoptr (GPtrArray) values
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
    Locals locals = { &printer, values, is_module_frame (runtime, frame) };

    if (!python_locals_foreach (runtime, frame->frame, add_local, &locals)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                     "cannot read locals of %s: the frame contradicts itself", frame->function);
        return NULL;
    }
    return g_steal_pointer (&values);
}

/* Where a path has come to: an object, or a part of an array. */
typedef struct {
    guint64 object;      /* 0: in the array */
    PythonArray array;
    JobValue *ready;     /* a value that is no object of the rank, as an array's shape */
} Point;

typedef struct {
    const char *name;
    guint64 object;
} NameSearch;

static gboolean
match_local (const char *name, guint64 object, gpointer user)
{
    NameSearch *search = user;

    if (strcmp (name, search->name) == 0) {
        search->object = object;
        return FALSE;
    }
    return TRUE;
}

static gboolean
find_name (PythonRuntime *runtime, const PythonFrame *frame, const char *name,
           guint64 *ret_object)
{
    const PythonLayout *layout = runtime->layout;
    NameSearch search = { name, 0 };
    const gint32 scopes[] = { layout->frame_globals, layout->frame_builtins };

    python_locals_foreach (runtime, frame->frame, match_local, &search);
    for (guint i = 0; i < G_N_ELEMENTS (scopes) && search.object == 0; i++) {
        guint64 dict = 0;

        python_read_u64 (runtime, frame->frame + (guint64) scopes[i], &dict);
        if (dict != 0) {
            python_dict_find_str (runtime, dict, name, &search.object);
        }
    }
    *ret_object = search.object;
    return search.object != 0;
}

typedef struct {
    PythonRuntime *runtime;
    const char *name;
    guint64 object;
} AttributeSearch;

static gboolean
match_attribute (guint64 key, guint64 value, gpointer user)
{
    AttributeSearch *search = user;
    g_autofree char *name = python_read_str (search->runtime, key, 1024, NULL);

    if (name != NULL && strcmp (name, search->name) == 0) {
        search->object = value;
        return FALSE;
    }
    return TRUE;
}

/* A member made by __slots__: the object at its offset. */
static gboolean
read_member (PythonRuntime *runtime, guint64 descriptor, guint64 object, guint64 *ret_object)
{
    guint64 define = 0;
    guint32 kind = 0;
    guint64 offset = 0;

    return python_read_u64 (runtime, descriptor + (guint64) runtime->layout->member_define,
                            &define)
           && python_read_u32 (runtime, define + 8, &kind)
           && (kind == MEMBER_OBJECT || kind == MEMBER_OBJECT_EX)
           && python_read_u64 (runtime, define + MEMBER_OFFSET, &offset) && offset < 65536
           && python_read_u64 (runtime, object + offset, ret_object) && *ret_object != 0;
}

static gboolean
find_in_classes (PythonRuntime *runtime, const PythonType *type, const char *name,
                 guint64 object, guint64 *ret_object)
{
    const PythonLayout *layout = runtime->layout;
    guint64 count = 0;

    python_read_u64 (runtime, type->mro + (guint64) layout->var_size, &count);
    for (guint64 i = 0; i < MIN (count, 256); i++) {
        guint64 address = 0;
        const PythonType *base;
        const PythonType *kind;
        guint64 found = 0;

        python_read_u64 (runtime, type->mro + (guint64) layout->tuple_items + i * 8, &address);
        base = python_find_type (runtime, address);
        if (base == NULL || base->dict == 0
            || !python_dict_find_str (runtime, base->dict, name, &found)) {
            continue;
        }
        kind = python_find_object_type (runtime, found);
        if (kind != NULL && strcmp (kind->full_name, "member_descriptor") == 0) {
            return read_member (runtime, found, object, ret_object);
        }
        *ret_object = found;
        return kind != NULL && strcmp (kind->full_name, "property") != 0
               && strcmp (kind->full_name, "getset_descriptor") != 0;
    }
    return FALSE;
}

static JobValue *
read_array_attribute (const PythonArray *array, const char *name)
{
    g_autofree char *text = NULL;

    if (strcmp (name, "shape") == 0) {
        text = python_array_format_shape (array);
        return job_value_new (NULL, "tuple", text);
    }
    if (strcmp (name, "ndim") == 0) {
        text = g_strdup_printf ("%u", array->n_dimensions);
        return job_value_new_number (NULL, "int", text, array->n_dimensions);
    }
    if (strcmp (name, "size") == 0) {
        text = g_strdup_printf ("%" G_GINT64_FORMAT, python_array_get_size (array));
        return job_value_new_number (NULL, "int", text,
                                     (double) python_array_get_size (array));
    }
    return NULL;
}

static gboolean
set_not_found (GError **error, const char *kind, const char *name)
{
    g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND, "no %s \"%s\"", kind, name);
    return FALSE;
}

static gboolean
is_array (PythonRuntime *runtime, guint64 object)
{
    const PythonType *type = python_find_object_type (runtime, object);

    return type != NULL && strcmp (type->full_name, "numpy.ndarray") == 0;
}

/* Makes an array of an object that is one; TRUE when the point is an array then. */
static gboolean
enter_array (PythonRuntime *runtime, Point *point)
{
    if (point->object != 0 && is_array (runtime, point->object)
        && python_array_read (runtime, point->object, &point->array)) {
        point->object = 0;
    }
    return point->object == 0 && point->ready == NULL;
}

static gboolean
follow_attribute (PythonRuntime *runtime, Point *point, const char *name, GError **error)
{
    AttributeSearch search = { runtime, name, 0 };
    const PythonType *type;
    guint64 dict = 0;

    if (enter_array (runtime, point)) {
        point->ready = read_array_attribute (&point->array, name);
        return point->ready != NULL || set_not_found (error, "attribute", name);
    }
    type = point->object != 0 ? python_find_object_type (runtime, point->object) : NULL;
    if (type == NULL) {
        return set_not_found (error, "attribute", name);
    }
    if (strcmp (type->full_name, "module") == 0) {
        python_read_u64 (runtime, point->object + (guint64) runtime->layout->module_dict, &dict);
        python_dict_find_str (runtime, dict, name, &search.object);
    } else if ((type->flags & FLAG_TYPE) != 0) {
        const PythonType *self = python_find_type (runtime, point->object);

        if (self != NULL) {
            find_in_classes (runtime, self, name, point->object, &search.object);
        }
    } else {
        python_attributes_foreach (runtime, point->object, match_attribute, &search);
        if (search.object == 0
            && !find_in_classes (runtime, type, name, point->object, &search.object)) {
            search.object = 0;
        }
    }
    point->object = search.object;
    return search.object != 0 || set_not_found (error, "attribute", name);
}

typedef struct {
    PythonRuntime *runtime;
    gint64 key;
    guint64 object;
} KeySearch;

static gboolean
match_int_key (guint64 key, guint64 value, gpointer user)
{
    KeySearch *search = user;
    gint64 number;

    if (python_read_int (search->runtime, key, &number) && number == search->key) {
        search->object = value;
        return FALSE;
    }
    return TRUE;
}

static gboolean
set_bad_index (GError **error, const char *text)
{
    g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND, "no item [%s]", text);
    return FALSE;
}

static gboolean
follow_index (PythonRuntime *runtime, Point *point, gint64 index, const char *text,
              GError **error)
{
    const PythonLayout *layout = runtime->layout;
    const PythonType *type;
    KeySearch search = { runtime, index, 0 };
    guint64 count = 0;
    guint64 first = 0;

    if (enter_array (runtime, point)) {
        return python_array_index (&point->array, index, &point->array)
               || set_bad_index (error, text);
    }
    type = point->object != 0 ? python_find_object_type (runtime, point->object) : NULL;
    if (type != NULL && (type->flags & (FLAG_LIST | FLAG_TUPLE)) != 0) {
        python_read_u64 (runtime, point->object + (guint64) layout->var_size, &count);
        index = index < 0 ? index + (gint64) count : index;
        first = point->object + (guint64) layout->tuple_items;
        if ((type->flags & FLAG_LIST) != 0) {
            python_read_u64 (runtime, point->object + (guint64) layout->list_items, &first);
        }
        if (index >= 0 && (guint64) index < count) {
            python_read_u64 (runtime, first + (guint64) index * 8, &search.object);
        }
    } else if (type != NULL && (type->flags & FLAG_DICT) != 0) {
        python_dict_foreach (runtime, point->object, match_int_key, &search);
    }
    point->object = search.object;
    return search.object != 0 || set_bad_index (error, text);
}

static gboolean
follow_key (PythonRuntime *runtime, Point *point, const char *key, GError **error)
{
    guint64 found = 0;

    if (point->object == 0 || !python_dict_find_str (runtime, point->object, key, &found)) {
        return set_not_found (error, "key", key);
    }
    point->object = found;
    return TRUE;
}

static gboolean
set_invalid (GError **error, const char *path)
{
    g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                 "cannot evaluate \"%s\" without running code: not a path of names, attributes "
                 "and items", path);
    return FALSE;
}

static char *
take_name (const char **at)
{
    const char *start = *at;
    const char *end = start;

    while (g_ascii_isalnum (*end) || *end == '_' || (guint8) *end >= 0x80) {
        end++;
    }
    if (end == start || g_ascii_isdigit (*start)) {
        return NULL;
    }
    *at = end;
    return g_strndup (start, (gsize) (end - start));
}

static void
skip_spaces (const char **at)
{
    while (g_ascii_isspace (**at)) {
        (*at)++;
    }
}

/* One index of "[1, 2]" or a name that holds an integer; at stands behind it then. */
static gboolean
take_index (PythonRuntime *runtime, const PythonFrame *frame, const char **at, gint64 *ret_index)
{
    g_autofree char *name = NULL;
    guint64 object;
    char *end;

    skip_spaces (at);
    name = take_name (at);
    if (name != NULL) {
        skip_spaces (at);
        return find_name (runtime, frame, name, &object)
               && python_read_int (runtime, object, ret_index);
    }
    *ret_index = g_ascii_strtoll (*at, &end, 10);
    if (end == *at) {
        return FALSE;
    }
    *at = end;
    skip_spaces (at);
    return TRUE;
}

/* at is behind "[". */
static gboolean
follow_brackets (PythonRuntime *runtime, const PythonFrame *frame, Point *point, const char *path,
                 const char **at, GError **error)
{
    char quote = **at;

    if (quote == '\'' || quote == '"') {
        const char *end = strchr (*at + 1, quote);
        g_autofree char *key = NULL;

        if (end == NULL || end[1] != ']' || memchr (*at, '\\', (gsize) (end - *at)) != NULL) {
            return set_invalid (error, path);
        }
        key = g_strndup (*at + 1, (gsize) (end - *at - 1));
        *at = end + 2;
        return follow_key (runtime, point, key, error);
    }
    for (;;) {
        const char *start = *at;
        g_autofree char *text = NULL;
        gint64 index;

        if (!take_index (runtime, frame, at, &index)) {
            return set_invalid (error, path);
        }
        text = g_strndup (start, (gsize) (*at - start));
        if (**at != ']' && **at != ',') {
            return set_invalid (error, path);
        }
        if (!follow_index (runtime, point, index, g_strstrip (text), error)) {
            return FALSE;
        }
        if (*(*at)++ == ']') {
            return TRUE;
        }
        /* Only arrays take several at once. */
        if (point->object != 0) {
            return set_invalid (error, path);
        }
    }
}

static gboolean
follow_rest (PythonRuntime *runtime, const PythonFrame *frame, Point *point, const char *path,
             const char *at, GError **error)
{
    for (skip_spaces (&at); *at != '\0'; skip_spaces (&at)) {
        if (point->ready != NULL) {
            return set_invalid (error, path);
        }
        if (*at == '.') {
            g_autofree char *name = NULL;

            at++;
            name = take_name (&at);
            if (name == NULL) {
                return set_invalid (error, path);
            }
            if (*at == '(') {
                return set_invalid (error, path);
            }
            if (!follow_attribute (runtime, point, name, error)) {
                return FALSE;
            }
        } else if (*at == '[') {
            at++;
            if (!follow_brackets (runtime, frame, point, path, &at, error)) {
                return FALSE;
            }
        } else {
            return set_invalid (error, path);
        }
    }
    return TRUE;
}

JobValue *
python_frame_evaluate (PythonRuntime *runtime, const PythonFrame *frame, const char *path,
                       const PythonLimits *limits, GError **error)
{
    PythonPrinter printer = { runtime, *limits, limits->nodes };
    const char *at = path;
    g_autofree char *name = NULL;
    Point point = { 0 };

    skip_spaces (&at);
    name = take_name (&at);
    if (name == NULL || *at == '(') {
        set_invalid (error, path);
        return NULL;
    }
    if (!find_name (runtime, frame, name, &point.object)) {
        if (strspn (at, " \t") == strlen (at) || *at == '.' || *at == '[') {
            set_not_found (error, "symbol", name);
        } else {
            set_invalid (error, path);
        }
        return NULL;
    }
    if (!follow_rest (runtime, frame, &point, path, at, error)) {
        job_value_free (point.ready);
        return NULL;
    }
    if (point.ready != NULL) {
        return point.ready;
    }
    return point.object != 0 ? python_print (&printer, NULL, point.object)
                             : python_array_print (&printer, NULL, &point.array);
}
