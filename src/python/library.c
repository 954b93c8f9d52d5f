/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The standard library's types as their repr shows them: those that keep their parts in C (offsets
 * of structures that are private to CPython's files and the same from 3.8 to 3.13), and the marks
 * of classes written in Python: enums, dataclasses, named tuples. */
#include "python/value-private.h"
#include <glib/gi18n.h>
#include <string.h>

/* rangeobject, PySliceObject */
#define RANGE_START 16
#define RANGE_STOP 24
#define RANGE_STEP 32
/* PyByteArrayObject */
#define BYTEARRAY_START 40
/* dequeobject: blocks of 64 objects between two links */
#define DEQUE_LEFT_BLOCK 24
#define DEQUE_LEFT_INDEX 40
#define DEQUE_MAX 64
#define DEQUE_BLOCK 64u
#define DEQUE_BLOCK_DATA 8
#define DEQUE_BLOCK_RIGHT (8 + 8 * DEQUE_BLOCK)
/* PyODictObject and its nodes: key, hash, next */
#define ODICT_FIRST 48
#define NODE_NEXT 16
/* defdictobject */
#define DEFAULT_FACTORY 48
/* arrayobject, and arraydescr: type code, item size */
#define ARRAY_ITEMS 24
#define ARRAY_DESCRIPTION 40
/* PyMemoryViewObject: its Py_buffer */
#define VIEW_BUFFER 56
#define VIEW_LENGTH 72
#define VIEW_ITEM_SIZE 80
#define VIEW_N_DIMENSIONS 92
#define VIEW_FORMAT 96
#define VIEW_SHAPE 104
#define VIEW_STRIDES 112
/* _PyDateTime_* */
#define DATE_DATA 25
#define DELTA_DAYS 24
/* mappingproxyobject */
#define PROXY_MAPPING 16
#define MAX_NODES (1u << 20)
#define MAX_FIELDS 64u

static gboolean
is_named (const PythonType *type, const char *name)
{
    return strcmp (type->full_name, name) == 0;
}

static void
append_range (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object)
{
    guint64 parts[3] = { 0 };
    gint64 step = 1;
    gboolean is_slice = is_named (type, "slice");

    python_read (printer->runtime, object + RANGE_START, parts, sizeof parts);
    g_string_append_printf (text, "%s(", type->name);
    python_append_object (printer, text, parts[0], 0);
    g_string_append (text, ", ");
    python_append_object (printer, text, parts[1], 0);
    if (is_slice || !python_read_int (printer->runtime, parts[2], &step) || step != 1) {
        g_string_append (text, ", ");
        python_append_object (printer, text, parts[2], 0);
    }
    g_string_append_c (text, ')');
}

gboolean
python_deque_index (PythonRuntime *runtime, guint64 deque, gint64 index, guint64 *ret_object)
{
    guint64 count = 0;
    guint64 block = 0;
    guint64 at = 0;

    python_read_u64 (runtime, deque + (guint64) runtime->layout->var_size, &count);
    index = index < 0 ? index + (gint64) count : index;
    if (index < 0 || (guint64) index >= count || count / DEQUE_BLOCK > MAX_NODES
        || !python_read_u64 (runtime, deque + DEQUE_LEFT_BLOCK, &block)
        || !python_read_u64 (runtime, deque + DEQUE_LEFT_INDEX, &at) || at >= DEQUE_BLOCK) {
        return FALSE;
    }
    for (at += (guint64) index; at >= DEQUE_BLOCK; at -= DEQUE_BLOCK) {
        if (!python_read_u64 (runtime, block + DEQUE_BLOCK_RIGHT, &block)) {
            return FALSE;
        }
    }
    return python_read_u64 (runtime, block + DEQUE_BLOCK_DATA + at * 8, ret_object);
}

static void
append_deque (PythonPrinter *printer, GString *text, guint64 object, guint depth)
{
    PythonRuntime *runtime = printer->runtime;
    guint64 count = 0;
    guint64 maximum = 0;

    python_read_u64 (runtime, object + (guint64) runtime->layout->var_size, &count);
    python_read_u64 (runtime, object + DEQUE_MAX, &maximum);
    g_string_append (text, "deque([");
    for (guint64 i = 0; i < count; i++) {
        guint64 item = 0;

        g_string_append (text, i > 0 ? ", " : "");
        if (i >= printer->limits.items || depth == 0
            || !python_deque_index (runtime, object, (gint64) i, &item)) {
            g_string_append (text, "...");
            break;
        }
        python_append_object (printer, text, item, depth - 1);
    }
    g_string_append_c (text, ']');
    if ((gint64) maximum >= 0) {
        g_string_append_printf (text, ", maxlen=%" G_GUINT64_FORMAT, maximum);
    }
    g_string_append_c (text, ')');
}

static gboolean
collect_entry (guint64 key, guint64 value, gpointer user)
{
    g_hash_table_insert (user, GSIZE_TO_POINTER (key), GSIZE_TO_POINTER (value));
    return TRUE;
}

/* move_to_end() changes only the chain of nodes, which holds the same keys as the table. */
static void
append_ordered (PythonPrinter *printer, GString *text, guint64 object, guint depth)
{
    PythonRuntime *runtime = printer->runtime;
    g_autoptr (GHashTable) table = g_hash_table_new (NULL, NULL);
    PythonEntries entries = { printer, text, depth, 0 };
    guint64 node = 0;
    guint64 key;

    python_dict_foreach (runtime, object, collect_entry, table);
    if (g_hash_table_size (table) == 0) {
        g_string_append (text, "OrderedDict()");
        return;
    }
    python_read_u64 (runtime, object + ODICT_FIRST, &node);
    g_string_append (text, "OrderedDict({");
    for (guint i = 0; node != 0 && i < MAX_NODES; i++) {
        if (!python_read_u64 (runtime, node, &key)
            || !g_hash_table_contains (table, GSIZE_TO_POINTER (key))) {
            g_string_append (text, N_ ("<unreadable>"));
            break;
        }
        if (!python_append_entry (
                key, GPOINTER_TO_SIZE (g_hash_table_lookup (table, GSIZE_TO_POINTER (key))),
                &entries)
            || !python_read_u64 (runtime, node + NODE_NEXT, &node)) {
            break;
        }
    }
    g_string_append (text, "})");
}

static gboolean
append_dict_kind (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object,
                  guint depth)
{
    guint64 factory = 0;

    if (is_named (type, "collections.OrderedDict")) {
        append_ordered (printer, text, object, depth);
    } else if (is_named (type, "collections.defaultdict")) {
        python_read_u64 (printer->runtime, object + DEFAULT_FACTORY, &factory);
        g_string_append (text, "defaultdict(");
        if (factory != 0) {
            python_append_object (printer, text, factory, 0);
        } else {
            g_string_append (text, "None");
        }
        g_string_append (text, ", ");
        python_append_dict (printer, text, object, depth);
        g_string_append_c (text, ')');
    } else if ((type->flags & PYTHON_FLAG_HEAP) != 0 && strcmp (type->name, "dict") != 0) {
        g_string_append_printf (text, "%s(", type->name);
        python_append_dict (printer, text, object, depth);
        g_string_append_c (text, ')');
    } else {
        return FALSE;
    }
    return TRUE;
}

/* NPY_TYPES of a struct or array type code in native size; -1: none of the known. */
static gint32
find_type_of_code (char code)
{
    static const char codes[] = "?bBhHiIlLqQfdg";
    const char *found = code != '\0' ? strchr (codes, code) : NULL;

    return found != NULL ? (gint32) (found - codes) : code == 'c' ? 18 : -1;
}

static guint64
get_code_size (gint32 type)
{
    static const guint8 sizes[] = { 1, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 4, 8, 16 };

    return type >= 0 && type < (gint32) G_N_ELEMENTS (sizes) ? sizes[type] : 1;
}

static void
set_line (PythonArray *array, guint64 data, guint64 count, gint32 type)
{
    memset (array, 0, sizeof *array);
    array->data = data;
    array->type = type;
    array->element_size = get_code_size (type);
    array->n_dimensions = 1;
    array->shape[0] = (gint64) count;
    array->strides[0] = (gint64) array->element_size;
}

static gboolean
read_view (PythonRuntime *runtime, guint64 object, PythonArray *array)
{
    guint64 words[3] = { 0 };
    guint64 strides = 0;
    guint64 item_size = 0;
    guint32 count = 0;
    char format[3] = { 0 };

    if (!python_read_u64 (runtime, object + VIEW_BUFFER, &words[0])
        || !python_read_u64 (runtime, object + VIEW_ITEM_SIZE, &item_size)
        || !python_read_u32 (runtime, object + VIEW_N_DIMENSIONS, &count)
        || count > PYTHON_MAX_DIMENSIONS
        || !python_read_u64 (runtime, object + VIEW_FORMAT, &words[1])
        || !python_read_u64 (runtime, object + VIEW_SHAPE, &words[2])
        || !python_read_u64 (runtime, object + VIEW_STRIDES, &strides)
        || (words[1] != 0 && !python_read (runtime, words[1], format, 2))) {
        return FALSE;
    }
    format[0] = words[1] == 0 ? 'B' : format[0];
    if ((format[0] == '@' || format[0] == '<' || format[0] == '=') && format[1] != '\0') {
        python_read (runtime, words[1] + 1, format, 2);
    }
    set_line (array, words[0], 0, format[1] == '\0' ? find_type_of_code (format[0]) : -1);
    array->n_dimensions = count;
    return array->type >= 0 && array->element_size == item_size
           && (count == 0
               || (python_read (runtime, words[2], array->shape, count * 8)
                   && python_read (runtime, strides, array->strides, count * 8)));
}

gboolean
python_buffer_read (PythonRuntime *runtime, const PythonType *type, guint64 object,
                    PythonArray *ret_array)
{
    guint64 count = 0;
    guint64 data = 0;
    guint64 description = 0;
    char code = 'B';

    if (is_named (type, "memoryview")) {
        return read_view (runtime, object, ret_array);
    }
    python_read_u64 (runtime, object + (guint64) runtime->layout->var_size, &count);
    if ((type->flags & PYTHON_FLAG_BYTES) != 0) {
        data = object + (guint64) runtime->layout->bytes_data;
    } else if (is_named (type, "bytearray")) {
        python_read_u64 (runtime, object + BYTEARRAY_START, &data);
    } else if (is_named (type, "array.array")) {
        if (!python_read_u64 (runtime, object + ARRAY_ITEMS, &data)
            || !python_read_u64 (runtime, object + ARRAY_DESCRIPTION, &description)
            || !python_read (runtime, description, &code, 1)) {
            return FALSE;
        }
    } else {
        return FALSE;
    }
    set_line (ret_array, data, count, find_type_of_code (code));
    return ret_array->type >= 0 && (gint64) count >= 0;
}

static gboolean
append_buffer (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object)
{
    PythonArray array;
    guint64 description = 0;
    char code = '?';

    if (is_named (type, "bytearray")
        && python_buffer_read (printer->runtime, type, object, &array)) {
        gsize shown = MIN ((guint64) array.shape[0], printer->limits.bytes);
        g_autofree char *data = g_malloc (shown + 1);

        if (shown > 0 && !python_read (printer->runtime, array.data, data, shown)) {
            return FALSE;
        }
        g_string_append (text, "bytearray(");
        python_append_repr (text, data, TRUE, shown);
        g_string_append (text, (gint64) shown < array.shape[0] ? "...)" : ")");
    } else if (is_named (type, "array.array")
               && python_buffer_read (printer->runtime, type, object, &array)) {
        python_read_u64 (printer->runtime, object + ARRAY_DESCRIPTION, &description);
        python_read (printer->runtime, description, &code, 1);
        g_string_append_printf (text, "array('%c'%s", code, array.shape[0] > 0 ? ", [" : "");
        python_array_append_items (printer, text, &array, TRUE);
        g_string_append (text, array.shape[0] > 0 ? "])" : ")");
    } else if (is_named (type, "memoryview")
               && python_buffer_read (printer->runtime, type, object, &array)) {
        g_autofree char *shape = python_array_format_shape (&array);

        g_string_append_printf (text, "memoryview(shape=%s, ", shape);
        python_array_append_type (printer->runtime, text, &array);
        g_string_append (text, ", [");
        python_array_append_items (printer, text, &array, TRUE);
        g_string_append (text, "])");
    } else {
        return FALSE;
    }
    return TRUE;
}

static guint
get_micro (const guint8 *bytes)
{
    return (guint) bytes[0] << 16 | (guint) bytes[1] << 8 | bytes[2];
}

static void
append_times (GString *text, const guint8 *bytes)
{
    guint micro = get_micro (bytes + 3);

    g_string_append_printf (text, "%u, %u", bytes[0], bytes[1]);
    if (bytes[2] != 0 || micro != 0) {
        g_string_append_printf (text, ", %u", bytes[2]);
    }
    if (micro != 0) {
        g_string_append_printf (text, ", %u", micro);
    }
}

static void
append_delta (GString *text, const gint32 *parts)
{
    static const char *const names[] = { "days", "seconds", "microseconds" };
    const char *comma = "";

    g_string_append (text, "datetime.timedelta(");
    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        if (parts[i] != 0) {
            g_string_append_printf (text, "%s%s=%d", comma, names[i], parts[i]);
            comma = ", ";
        }
    }
    g_string_append (text, comma[0] == '\0' ? "0)" : ")");
}

static gboolean
append_date (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object)
{
    guint8 bytes[11] = { 0 };
    gint32 delta[3] = { 0 };

    if (is_named (type, "datetime.timedelta")) {
        python_read (printer->runtime, object + DELTA_DAYS, delta, sizeof delta);
        append_delta (text, delta);
        return TRUE;
    }
    if (!python_read (printer->runtime, object + DATE_DATA - 1, bytes, sizeof bytes)) {
        return FALSE;
    }
    g_string_append_printf (text, "%s(", type->full_name);
    if (is_named (type, "datetime.time")) {
        append_times (text, bytes + 1);
    } else {
        g_string_append_printf (text, "%u, %u, %u", (guint) bytes[1] << 8 | bytes[2], bytes[3],
                                bytes[4]);
        if (is_named (type, "datetime.datetime")) {
            g_string_append (text, ", ");
            append_times (text, bytes + 5);
        }
    }
    g_string_append (text, bytes[0] != 0 && !is_named (type, "datetime.date") ? ", tzinfo=...)"
                                                                              : ")");
    return TRUE;
}

gboolean
python_is_enum (PythonRuntime *runtime, const PythonType *type)
{
    const PythonType *meta = (type->flags & PYTHON_FLAG_HEAP) != 0
                                 ? python_find_object_type (runtime, type->address)
                                 : NULL;

    return meta != NULL
           && (strcmp (meta->name, "EnumMeta") == 0 || strcmp (meta->name, "EnumType") == 0);
}

static gboolean
append_enum (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object)
{
    g_autofree char *name = NULL;
    guint64 value;

    if (!python_is_enum (printer->runtime, type)) {
        return FALSE;
    }
    value = python_attributes_find (printer->runtime, object, "_value_");
    name = python_read_str (printer->runtime,
                            python_attributes_find (printer->runtime, object, "_name_"), 200,
                            NULL);
    if (value == 0) {
        return FALSE;
    }
    g_string_append_printf (text, "<%s%s%s: ", type->name, name != NULL ? "." : "",
                            name != NULL ? name : "");
    python_append_object (printer, text, value, 0);
    g_string_append_c (text, '>');
    return TRUE;
}

typedef struct {
    PythonPrinter *printer;
    GString *text;
    guint64 object;
    guint depth, count;
} Fields;

static gboolean
append_field (guint64 key, guint64 field, gpointer user)
{
    Fields *fields = user;
    g_autofree char *name = python_read_str (fields->printer->runtime, key, 200, NULL);
    guint64 value = name != NULL ? python_attributes_find (fields->printer->runtime,
                                                           fields->object, name)
                                 : 0;

    if (value == 0) {
        return TRUE;
    }
    g_string_append (fields->text, fields->count > 0 ? ", " : "");
    if (fields->count++ >= MAX_FIELDS || fields->depth == 0) {
        g_string_append (fields->text, "...");
        return FALSE;
    }
    g_string_append_printf (fields->text, "%s=", name);
    python_append_object (fields->printer, fields->text, value, fields->depth - 1);
    return TRUE;
}

static gboolean
append_dataclass (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object,
                  guint depth)
{
    Fields fields = { printer, text, object, depth, 0 };
    guint64 dict = 0;

    if (!python_type_find (printer->runtime, type, "__dataclass_fields__", &dict, NULL)) {
        return FALSE;
    }
    g_string_append_printf (text, "%s(", type->name);
    python_dict_foreach (printer->runtime, dict, append_field, &fields);
    g_string_append_c (text, ')');
    return TRUE;
}

static gboolean
append_named_tuple (PythonPrinter *printer, GString *text, const PythonType *type,
                    guint64 object, guint depth)
{
    PythonRuntime *runtime = printer->runtime;
    guint64 names = 0;
    guint64 count = 0;

    if (!python_type_find (runtime, type, "_fields", &names, NULL)
        || !python_read_u64 (runtime, object + (guint64) runtime->layout->var_size, &count)
        || count > MAX_FIELDS) {
        return FALSE;
    }
    g_string_append_printf (text, "%s(", type->name);
    for (guint64 i = 0; i < count; i++) {
        guint64 item = 0;
        guint64 name_at = 0;
        g_autofree char *name = NULL;

        python_read_u64 (runtime, names + (guint64) runtime->layout->tuple_items + i * 8,
                         &name_at);
        python_read_u64 (runtime, object + (guint64) runtime->layout->tuple_items + i * 8,
                         &item);
        name = python_read_str (runtime, name_at, 200, NULL);
        g_string_append_printf (text, "%s%s=", i > 0 ? ", " : "", name != NULL ? name : "?");
        if (depth == 0) {
            g_string_append (text, "...");
        } else {
            python_append_object (printer, text, item, depth - 1);
        }
    }
    g_string_append_c (text, ')');
    return TRUE;
}

static gboolean
append_class_kind (PythonPrinter *printer, GString *text, const PythonType *type,
                   guint64 object, guint depth)
{
    if ((type->flags & PYTHON_FLAG_TUPLE) != 0) {
        return append_named_tuple (printer, text, type, object, depth);
    }
    return append_enum (printer, text, type, object)
           || append_dataclass (printer, text, type, object, depth);
}

gboolean
python_library_append (PythonPrinter *printer, GString *text, const PythonType *type,
                       guint64 object, guint depth)
{
    guint64 mapping = 0;

    if ((type->flags & PYTHON_FLAG_TYPE) != 0) {
        return FALSE;
    }
    if ((type->flags & PYTHON_FLAG_HEAP) != 0 && type->dict != 0
        && append_class_kind (printer, text, type, object, depth)) {
        return TRUE;
    }
    if ((type->flags & PYTHON_FLAG_DICT) != 0) {
        return append_dict_kind (printer, text, type, object, depth);
    }
    if (is_named (type, "range") || is_named (type, "slice")) {
        append_range (printer, text, type, object);
    } else if (is_named (type, "collections.deque")) {
        append_deque (printer, text, object, depth);
    } else if (is_named (type, "mappingproxy")
               && python_read_u64 (printer->runtime, object + PROXY_MAPPING, &mapping)) {
        g_string_append (text, "mappingproxy(");
        python_append_object (printer, text, mapping, depth);
        g_string_append_c (text, ')');
    } else if (is_named (type, "datetime.datetime") || is_named (type, "datetime.date")
               || is_named (type, "datetime.time") || is_named (type, "datetime.timedelta")) {
        return append_date (printer, text, type, object);
    } else if (is_named (type, "NotImplementedType")) {
        g_string_append (text, "NotImplemented");
    } else {
        return append_buffer (printer, text, type, object);
    }
    return TRUE;
}
