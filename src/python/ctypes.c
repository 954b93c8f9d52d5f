/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ctypes: memory that a class describes. The head of its instances and field descriptors is the
 * same from 3.8 to 3.13; what the class says stands in its dict (_type_, _length_, _fields_). */
#include "python/value-private.h"
#include "base/array.h"
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* CDataObject */
#define DATA_ADDRESS 16
#define DATA_SIZE 40
/* CFieldObject: offset, and size; of a bit field bits << 16 | first bit */
#define FIELD_OFFSET 16
#define FIELD_SIZE 24
#define MAX_FIELDS 256u
#define MAX_LENGTH (1 << 28)

typedef enum {
    CLASS_NONE,
    CLASS_SIMPLE,
    CLASS_ARRAY,
    CLASS_STRUCT,
    CLASS_POINTER,
    CLASS_FUNCTION
} ClassKind;

static ClassKind
get_kind (PythonRuntime *runtime, guint64 type)
{
    static const struct {
        const char *name;
        ClassKind kind;
    } rows[] = {
        { "_ctypes.PyCSimpleType", CLASS_SIMPLE },
        { "_ctypes.PyCArrayType", CLASS_ARRAY },
        { "_ctypes.PyCStructType", CLASS_STRUCT },
        { "_ctypes.UnionType", CLASS_STRUCT },
        { "_ctypes.PyCPointerType", CLASS_POINTER },
        { "_ctypes.PyCFuncPtrType", CLASS_FUNCTION },
    };
    const PythonType *meta = python_find_object_type (runtime, type);

    return BASE_CHOOSE (i, meta != NULL ? G_N_ELEMENTS (rows) : 0,
                        strcmp (meta->full_name, rows[i].name) == 0, rows[i].kind, CLASS_NONE);
}

gboolean
python_ctypes_is_instance (PythonRuntime *runtime, const PythonType *type)
{
    return (type->flags & PYTHON_FLAG_TYPE) == 0
           && get_kind (runtime, type->address) != CLASS_NONE;
}

gboolean
python_ctypes_read (PythonRuntime *runtime, guint64 object, PythonRaw *ret_raw)
{
    memset (ret_raw, 0, sizeof *ret_raw);
    return python_read_u64 (runtime, object + 8, &ret_raw->type)
           && python_read_u64 (runtime, object + DATA_ADDRESS, &ret_raw->address)
           && python_read_u64 (runtime, object + DATA_SIZE, &ret_raw->size)
           && get_kind (runtime, ret_raw->type) != CLASS_NONE;
}

static guint64
find_in_class (PythonRuntime *runtime, guint64 type, const char *name)
{
    const PythonType *self = python_find_type (runtime, type);
    guint64 found = 0;

    return self != NULL && python_type_find (runtime, self, name, &found, NULL) ? found : 0;
}

gint64
python_ctypes_get_length (PythonRuntime *runtime, const PythonRaw *raw)
{
    gint64 length;

    if (get_kind (runtime, raw->type) != CLASS_ARRAY
        || !python_read_int (runtime, find_in_class (runtime, raw->type, "_length_"), &length)
        || length < 0 || length > MAX_LENGTH) {
        return -1;
    }
    return length;
}

gboolean
python_ctypes_index (PythonRuntime *runtime, const PythonRaw *raw, gint64 index,
                     PythonRaw *ret_item)
{
    gint64 length = python_ctypes_get_length (runtime, raw);

    index = index < 0 ? index + length : index;
    if (index < 0 || index >= length) {
        return FALSE;
    }
    memset (ret_item, 0, sizeof *ret_item);
    ret_item->type = find_in_class (runtime, raw->type, "_type_");
    ret_item->size = raw->size / (guint64) length;
    ret_item->address = raw->address + (guint64) index * ret_item->size;
    return ret_item->type != 0;
}

/* The class of a field, from _fields_ of the class or of the bases. */
static guint64
find_field_type (PythonRuntime *runtime, const PythonType *owner, const char *name)
{
    const PythonLayout *layout = runtime->layout;
    guint64 list = 0;
    guint64 count = 0;
    guint64 first;

    if (!python_dict_find_str (runtime, owner->dict, "_fields_", &list)
        || !python_read_u64 (runtime, list + (guint64) layout->var_size, &count)
        || count > MAX_FIELDS) {
        return 0;
    }
    first = list + (guint64) layout->tuple_items;
    if ((python_find_object_type (runtime, list)->flags & PYTHON_FLAG_LIST) != 0
        && !python_read_u64 (runtime, list + (guint64) layout->list_items, &first)) {
        return 0;
    }
    for (guint64 i = 0; i < count; i++) {
        guint64 pair = 0;
        guint64 parts[2];
        g_autofree char *found = NULL;

        if (python_read_u64 (runtime, first + i * 8, &pair)
            && python_read (runtime, pair + (guint64) layout->tuple_items, parts,
                            sizeof parts)) {
            found = python_read_str (runtime, parts[0], 200, NULL);
        }
        if (g_strcmp0 (found, name) == 0) {
            return parts[1];
        }
    }
    return 0;
}

gboolean
python_ctypes_field (PythonRuntime *runtime, const PythonRaw *raw, const char *name,
                     PythonRaw *ret_field)
{
    const PythonType *self = python_find_type (runtime, raw->type);
    const PythonType *kind;
    const PythonType *owner;
    guint64 descriptor = 0;
    guint64 words[2];

    if (self == NULL || get_kind (runtime, raw->type) != CLASS_STRUCT
        || !python_type_find (runtime, self, name, &descriptor, &owner)
        || (kind = python_find_object_type (runtime, descriptor)) == NULL
        || strcmp (kind->name, "CField") != 0
        || !python_read (runtime, descriptor + FIELD_OFFSET, words, sizeof words)) {
        return FALSE;
    }
    memset (ret_field, 0, sizeof *ret_field);
    ret_field->type = find_field_type (runtime, owner, name);
    ret_field->address = raw->address + words[0];
    ret_field->size = words[1];
    if (words[1] >> 16 != 0 && get_kind (runtime, ret_field->type) == CLASS_SIMPLE) {
        ret_field->n_bits = (guint32) (words[1] >> 16);
        ret_field->first_bit = (guint32) words[1] & 0xffff;
        ret_field->size = 8;
    }
    return ret_field->type != 0;
}

static gboolean
read_code (PythonRuntime *runtime, guint64 type, char *ret_code)
{
    g_autofree char *text = python_read_str (runtime, find_in_class (runtime, type, "_type_"),
                                             4, NULL);

    *ret_code = text != NULL ? text[0] : '\0';
    return *ret_code != '\0';
}

static void
append_c_string (PythonPrinter *printer, GString *text, guint64 address)
{
    g_autoptr (GString) bytes = g_string_new (NULL);
    char byte = '\0';

    if (address == 0) {
        g_string_append (text, "None");
        return;
    }
    while (bytes->len < printer->limits.bytes
           && python_read (printer->runtime, address + bytes->len, &byte, 1) && byte != '\0') {
        g_string_append_c (bytes, byte);
    }
    python_append_repr (text, bytes->str, TRUE, bytes->len);
    g_string_append (text, byte != '\0' ? "..." : "");
}

static void
append_integer (GString *text, const PythonRaw *raw, char code, guint64 word,
                double *ret_number)
{
    guint bits = raw->n_bits != 0 ? raw->n_bits : (guint) MIN (raw->size, 8) * 8;
    gboolean is_signed = strchr ("bhilq", code) != NULL;

    word >>= raw->n_bits != 0 ? MIN (raw->first_bit, 63) : 0;
    word <<= 64 - CLAMP (bits, 1, 64);
    if (is_signed) {
        gint64 value = (gint64) word >> (64 - CLAMP (bits, 1, 64));

        g_string_append_printf (text, "%" G_GINT64_FORMAT, value);
        *ret_number = (double) value;
    } else {
        word >>= 64 - CLAMP (bits, 1, 64);
        g_string_append_printf (text, "%" G_GUINT64_FORMAT, word);
        *ret_number = (double) word;
    }
}

static void
append_simple (PythonPrinter *printer, GString *text, const PythonRaw *raw, double *ret_number)
{
    guint64 words[2] = { 0 };
    float single;
    double value;
    long double extended;
    char code;

    if (!read_code (printer->runtime, raw->type, &code)
        || !python_read (printer->runtime, raw->address, words,
                         MIN (raw->size, sizeof words))) {
        g_string_append (text, N_ ("<unreadable>"));
        return;
    }
    switch (code) {
    case 'f':
        memcpy (&single, words, sizeof single);
        *ret_number = (double) single;
        python_append_double (text, *ret_number);
        break;
    case 'd':
        memcpy (&value, words, sizeof value);
        *ret_number = value;
        python_append_double (text, value);
        break;
    case 'g':
        memcpy (&extended, words, sizeof extended);
        *ret_number = (double) extended;
        python_append_double (text, *ret_number);
        break;
    case '?':
        *ret_number = words[0] & 1;
        g_string_append (text, (words[0] & 0xff) != 0 ? "True" : "False");
        break;
    case 'c': python_append_repr (text, (char *) words, TRUE, 1); break;
    case 'u': python_append_characters (text, (gunichar *) words, 1); break;
    case 'z': append_c_string (printer, text, words[0]); break;
    case 'P':
    case 'Z':
        if (words[0] == 0) {
            g_string_append (text, "None");
        } else {
            g_string_append_printf (text, "0x%" G_GINT64_MODIFIER "x", words[0]);
        }
        break;
    case 'O': python_append_object (printer, text, words[0], 0); break;
    default: append_integer (text, raw, code, words[0], ret_number); break;
    }
}

static void
append_array (PythonPrinter *printer, GString *text, const PythonRaw *raw, guint depth)
{
    gint64 length = python_ctypes_get_length (printer->runtime, raw);

    g_string_append_c (text, '[');
    for (gint64 i = 0; i < length; i++) {
        PythonRaw item;
        double number;

        g_string_append (text, i > 0 ? ", " : "");
        if (i >= (gint64) printer->limits.items || depth == 0
            || !python_ctypes_index (printer->runtime, raw, i, &item)) {
            g_string_append (text, "...");
            break;
        }
        python_ctypes_append_raw (printer, text, &item, depth - 1, &number);
    }
    g_string_append_c (text, ']');
}

typedef gboolean (*OnField) (const char *name, const PythonRaw *field, gpointer user);

static gboolean
walk_fields (PythonRuntime *runtime, const PythonRaw *raw, OnField on_field, gpointer user)
{
    const PythonLayout *layout = runtime->layout;
    guint64 list = find_in_class (runtime, raw->type, "_fields_");
    const PythonType *kind = list != 0 ? python_find_object_type (runtime, list) : NULL;
    guint64 count = 0;
    guint64 first = list + (guint64) layout->tuple_items;

    if (kind == NULL || !python_read_u64 (runtime, list + (guint64) layout->var_size, &count)
        || count > MAX_FIELDS
        || ((kind->flags & PYTHON_FLAG_LIST) != 0
            && !python_read_u64 (runtime, list + (guint64) layout->list_items, &first))) {
        return FALSE;
    }
    for (guint64 i = 0; i < count; i++) {
        guint64 pair = 0;
        guint64 name_at = 0;
        g_autofree char *name = NULL;
        PythonRaw field;

        python_read_u64 (runtime, first + i * 8, &pair);
        python_read_u64 (runtime, pair + (guint64) layout->tuple_items, &name_at);
        name = python_read_str (runtime, name_at, 200, NULL);
        if (name != NULL && python_ctypes_field (runtime, raw, name, &field)
            && !on_field (name, &field, user)) {
            break;
        }
    }
    return TRUE;
}

typedef struct {
    PythonPrinter *printer;
    GString *text;
    guint depth, count;
} Fields;

static gboolean
append_field (const char *name, const PythonRaw *field, gpointer user)
{
    Fields *fields = user;
    double number;

    g_string_append (fields->text, fields->count++ > 0 ? ", " : "");
    if (fields->depth == 0) {
        g_string_append (fields->text, "...");
        return FALSE;
    }
    g_string_append_printf (fields->text, "%s=", name);
    python_ctypes_append_raw (fields->printer, fields->text, field, fields->depth - 1, &number);
    return TRUE;
}

void
python_ctypes_append_raw (PythonPrinter *printer, GString *text, const PythonRaw *raw,
                          guint depth, double *ret_number)
{
    const PythonType *self = python_find_type (printer->runtime, raw->type);
    const char *name = self != NULL ? self->name : "?";
    Fields fields = { printer, text, depth, 0 };
    guint64 pointer = 0;

    *ret_number = NAN;
    switch (get_kind (printer->runtime, raw->type)) {
    case CLASS_SIMPLE: append_simple (printer, text, raw, ret_number); break;
    case CLASS_ARRAY:
        g_string_append_printf (text, "%s(", name);
        append_array (printer, text, raw, depth);
        g_string_append_c (text, ')');
        break;
    case CLASS_STRUCT:
        g_string_append_printf (text, "%s(", name);
        walk_fields (printer->runtime, raw, append_field, &fields);
        g_string_append_c (text, ')');
        break;
    default:
        python_read_u64 (printer->runtime, raw->address, &pointer);
        g_string_append_printf (text, "%s(0x%" G_GINT64_MODIFIER "x)", name, pointer);
        break;
    }
}

gboolean
python_ctypes_append (PythonPrinter *printer, GString *text, const PythonType *type,
                      guint64 object, guint depth)
{
    PythonRaw raw;
    double number;
    gboolean is_simple;

    if (!python_ctypes_is_instance (printer->runtime, type)
        || !python_ctypes_read (printer->runtime, object, &raw)) {
        return FALSE;
    }
    is_simple = get_kind (printer->runtime, raw.type) == CLASS_SIMPLE;
    if (is_simple) {
        g_string_append_printf (text, "%s(", type->name);
    }
    python_ctypes_append_raw (printer, text, &raw, depth, &number);
    if (is_simple) {
        g_string_append_c (text, ')');
    }
    return TRUE;
}

typedef struct {
    PythonPrinter *printer;
    JobValue *value;
} Parts;

static gboolean
add_field (const char *name, const PythonRaw *field, gpointer user)
{
    Parts *parts = user;

    if (parts->printer->nodes == 0) {
        return FALSE;
    }
    parts->printer->nodes--;
    g_ptr_array_add (parts->value->children, python_ctypes_print (parts->printer, name, field));
    return TRUE;
}

static void
add_parts (PythonPrinter *printer, JobValue *value, const PythonRaw *raw)
{
    Parts parts = { printer, value };
    gint64 length = python_ctypes_get_length (printer->runtime, raw);

    value->expandable = length > 0 || get_kind (printer->runtime, raw->type) == CLASS_STRUCT;
    if (!value->expandable || printer->limits.depth == 0) {
        return;
    }
    value->children = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
    printer->limits.depth--;
    if (length <= 0) {
        walk_fields (printer->runtime, raw, add_field, &parts);
    }
    for (gint64 i = 0; i < MIN (length, (gint64) printer->limits.items); i++) {
        g_autofree char *name = g_strdup_printf ("[%" G_GINT64_FORMAT "]", i);
        PythonRaw item;

        if (!python_ctypes_index (printer->runtime, raw, i, &item)
            || !add_field (name, &item, &parts)) {
            break;
        }
    }
    printer->limits.depth++;
}

JobValue *
python_ctypes_print (PythonPrinter *printer, const char *name, const PythonRaw *raw)
{
    const PythonType *self = python_find_type (printer->runtime, raw->type);
    g_autoptr (GString) text = g_string_new (NULL);
    double number;
    JobValue *value;

    python_ctypes_append_raw (printer, text, raw, 2, &number);
    if (!isnan (number)) {
        return job_value_new_number (name, self != NULL ? self->name : NULL, text->str, number);
    }
    value = job_value_new (name, self != NULL ? self->name : NULL, text->str);
    add_parts (printer, value, raw);
    return value;
}
