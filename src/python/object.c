/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plain objects that everything else is made of: types, strings, integers and bytes. Sizes
 * come from the rank and are checked before anything is allocated. */
#include "python/runtime-private.h"
#include "base/array.h"
#include <string.h>

#define MAX_NAME 512u
#define MAX_CHARACTERS (16u << 20)
#define MAX_BASES 256u
#define FLAG_LONG (1u << 24)
#define FLAG_BYTES (1u << 27)
#define FLAG_UNICODE (1u << 28)

/* A class that is written in Python has its bare name in its type, which a type of the interpreter's may
 * have as well: its module tells them apart. */
static void
add_module (PythonRuntime *runtime, PythonType *type)
{
    g_autofree char *module = NULL, *name = type->full_name;
    guint64 found = 0;

    if (type->dict != 0 && python_dict_find_str (runtime, type->dict, "__module__", &found)) {
        module = python_read_str (runtime, found, MAX_NAME, NULL);
    }
    type->full_name = g_strconcat (module != NULL ? module : "?", ".", name, NULL);
    type->name = strrchr (type->full_name, '.') + 1;
}

static PythonType *
read_type (PythonRuntime *runtime, guint64 address)
{
    const PythonLayout *layout = runtime->layout;
    guint64 name = 0;
    PythonType *type;
    const char *dot;
    char text[MAX_NAME];
    gsize size = 0;

    if (!python_read_u64 (runtime, address + layout->type_name, &name)) {
        return NULL;
    }
    while (size < MAX_NAME - 1 && python_read (runtime, name + size, text + size, 1)
           && text[size] != '\0') {
        size++;
    }
    text[size] = '\0';
    if (size == 0 || !g_utf8_validate (text, -1, NULL)) {
        return NULL;
    }
    type = g_new0 (PythonType, 1);
    type->address = address;
    type->full_name = g_strdup (text);
    dot = strrchr (type->full_name, '.');
    type->name = dot != NULL ? (char *) dot + 1 : type->full_name;
    python_read_u64 (runtime, address + layout->type_basicsize, (guint64 *) &type->basicsize);
    python_read_u64 (runtime, address + layout->type_itemsize, (guint64 *) &type->itemsize);
    python_read_u64 (runtime, address + layout->type_dictoffset, (guint64 *) &type->dictoffset);
    python_read_u64 (runtime, address + layout->type_weaklist, (guint64 *) &type->weaklist);
    python_read_u64 (runtime, address + layout->type_flags, &type->flags);
    python_read_u64 (runtime, address + layout->type_dict, &type->dict);
    python_read_u64 (runtime, address + layout->type_mro, &type->mro);
    if ((type->flags & 1u << 9) != 0) { /* a heap type */
        python_read_u64 (runtime, address + layout->type_keys, &type->keys);
        if (dot == NULL) {
            add_module (runtime, type);
        }
    }
    return type;
}

const PythonType *
python_find_type (PythonRuntime *runtime, guint64 address)
{
    PythonType *type = g_hash_table_lookup (runtime->types, GSIZE_TO_POINTER (address));

    if (type == NULL) {
        type = read_type (runtime, address);
        if (type != NULL) {
            g_hash_table_insert (runtime->types, GSIZE_TO_POINTER (address), type);
        }
    }
    return type;
}

const PythonType *
python_find_object_type (PythonRuntime *runtime, guint64 object)
{
    guint64 type;

    if (object % 8 != 0 || !python_read_u64 (runtime, object + 8, &type)) {
        return NULL;
    }
    return python_find_type (runtime, type);
}

static gboolean
is_of_kind (PythonRuntime *runtime, guint64 object, guint64 flag)
{
    const PythonType *type = python_find_object_type (runtime, object);

    return type != NULL && (type->flags & flag) != 0;
}

gboolean
python_find_characters (PythonRuntime *runtime, guint64 object, guint64 *ret_address,
                        guint *ret_kind, guint64 *ret_length)
{
    const PythonLayout *layout = runtime->layout;
    guint32 state;
    guint kind;

    if (!is_of_kind (runtime, object, FLAG_UNICODE)
        || !python_read_u64 (runtime, object + layout->string_length, ret_length)
        || !python_read_u32 (runtime, object + layout->string_state, &state)) {
        return FALSE;
    }
    /* state: interned 2 bits, kind 3, compact 1, ascii 1 */
    kind = state >> 2 & 7;
    *ret_address = object
                   + ((state & 0x40) != 0 ? layout->string_ascii : layout->string_compact);
    if (kind == 0
        && layout->string_wide != 0) { /* to 3.11: made of wchar_t, not converted yet */
        *ret_kind = 4;
        return python_read_u64 (runtime, object + layout->string_wide, ret_address)
               && python_read_u64 (runtime, object + layout->string_wide_length, ret_length)
               && (gint64) *ret_length >= 0;
    }
    if ((state & 0x20) == 0
        && !python_read_u64 (runtime, object + layout->string_data, ret_address)) {
        return FALSE;
    }
    *ret_kind = kind;
    return (kind == 1 || kind == 2 || kind == 4) && (gint64) *ret_length >= 0;
}

gunichar *
python_read_characters (PythonRuntime *runtime, guint64 object, gsize from, gsize max,
                        gsize *ret_count, guint64 *ret_length)
{
    g_autofree guint8 *data = NULL;
    gunichar *characters;
    guint64 address;
    guint64 length;
    guint kind;
    gsize count;

    if (!python_find_characters (runtime, object, &address, &kind, &length)) {
        return NULL;
    }
    from = MIN (from, length);
    count = MIN (length - from, MIN (max, MAX_CHARACTERS));
    data = g_malloc (count * kind + 1);
    if (count > 0 && !python_read (runtime, address + from * kind, data, count * kind)) {
        return NULL;
    }
    characters = g_new (gunichar, count + 1);
    for (gsize i = 0; i < count; i++) {
        characters[i] = data[i * kind];
        for (guint j = 1; j < kind; j++) {
            characters[i] |= (gunichar) data[i * kind + j] << 8 * j;
        }
    }
    *ret_count = count;
    if (ret_length != NULL) {
        *ret_length = length;
    }
    return characters;
}

char *
python_read_str (PythonRuntime *runtime, guint64 object, gsize max, gboolean *ret_cut)
{
    guint64 length;
    gsize count;
    g_autofree gunichar *characters = python_read_characters (runtime, object, 0, max, &count,
                                                              &length);
    GString *text;

    if (characters == NULL) {
        return NULL;
    }
    text = g_string_sized_new (count);
    for (gsize i = 0; i < count; i++) {
        /* Lone surrogates are legal in a str, not in UTF-8. */
        g_string_append_unichar (text,
                                 g_unichar_validate (characters[i]) ? characters[i] : 0xfffd);
    }
    if (ret_cut != NULL) {
        *ret_cut = count < length;
    }
    return g_string_free (text, FALSE);
}

gboolean
python_read_int (PythonRuntime *runtime, guint64 object, gint64 *ret_value)
{
    const PythonLayout *layout = runtime->layout;
    guint64 tag;
    guint64 count;
    gboolean negative;
    guint32 digits[2] = { 0 };

    if (!is_of_kind (runtime, object, FLAG_LONG)
        || !python_read_u64 (runtime, object + layout->long_tag, &tag)) {
        return FALSE;
    }
    negative = layout->minor >= 12 ? (tag & 3) == 2 : (gint64) tag < 0;
    count = layout->minor >= 12 ? tag >> 3 : negative ? 0 - tag : tag;
    if (count > 2
        || (count > 0
            && !python_read (runtime, object + layout->long_digits, digits, count * 4))) {
        return FALSE;
    }
    *ret_value = (gint64) digits[0] | (gint64) digits[1] << 30;
    *ret_value = negative ? -*ret_value : *ret_value;
    return TRUE;
}

GBytes *
python_read_bytes (PythonRuntime *runtime, guint64 object, gsize max)
{
    guint64 size;
    guint8 *data;

    if (!is_of_kind (runtime, object, FLAG_BYTES)
        || !python_read_u64 (runtime, object + runtime->layout->var_size, &size)
        || size > max) {
        return NULL;
    }
    data = g_malloc (size + 1);
    if (size > 0 && !python_read (runtime, object + runtime->layout->bytes_data, data, size)) {
        g_free (data);
        return NULL;
    }
    return g_bytes_new_take (data, size);
}

guint
python_type_get_n_bases (PythonRuntime *runtime, const PythonType *type)
{
    guint64 count = 0;

    python_read_u64 (runtime, type->mro + (guint64) runtime->layout->var_size, &count);
    return (guint) MIN (count, MAX_BASES);
}

guint64
python_type_get_base (PythonRuntime *runtime, const PythonType *type, guint i)
{
    guint64 address = 0;

    python_read_u64 (runtime, type->mro + (guint64) runtime->layout->tuple_items + i * 8ull,
                     &address);
    return address;
}

gboolean
python_type_find (PythonRuntime *runtime, const PythonType *type, const char *name,
                  guint64 *ret_object, const PythonType **ret_owner)
{
    guint n_bases = python_type_get_n_bases (runtime, type);

    for (guint i = 0; i < n_bases; i++) {
        const PythonType *base = python_find_type (runtime,
                                                   python_type_get_base (runtime, type, i));

        if (base != NULL && base->dict != 0
            && python_dict_find_str (runtime, base->dict, name, ret_object)) {
            if (ret_owner != NULL) {
                *ret_owner = base;
            }
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
python_type_has_base (PythonRuntime *runtime, const PythonType *type, const char *full_name)
{
    guint n_bases = python_type_get_n_bases (runtime, type);

    for (guint i = 0; i < n_bases; i++) {
        const PythonType *base = python_find_type (runtime,
                                                   python_type_get_base (runtime, type, i));

        if (base != NULL && strcmp (base->full_name, full_name) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Whether a table of C definitions that ends with a nameless one has the name. */
static gboolean
has_definition (PythonRuntime *runtime, guint64 table, gsize size, const char *name)
{
    enum { MAX_DEFINITIONS = 1000 };
    gsize length = strlen (name) + 1;

    for (guint i = 0; table != 0 && length <= MAX_NAME && i < MAX_DEFINITIONS; i++) {
        guint64 at = 0;
        char found[MAX_NAME];

        if (!python_read_u64 (runtime, table + i * size, &at) || at == 0) {
            return FALSE;
        }
        if (python_read (runtime, at, found, length) && memcmp (found, name, length) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
python_type_may_have (PythonRuntime *runtime, const PythonType *type, const char *name)
{
    static const struct {
        guint offset, size;
    } tables[] = {
        { 232, 32 }, { 240, 40 }, { 248, 40 }, /* tp_methods, tp_members, tp_getset */
    };
    guint n_bases = python_type_get_n_bases (runtime, type);
    gboolean is_special = g_str_has_prefix (name, "__") && g_str_has_suffix (name, "__");

    for (guint i = 0; i < n_bases; i++) {
        guint64 address = python_type_get_base (runtime, type, i), table;
        const PythonType *base = python_find_type (runtime, address);

        if (base == NULL || (base->dict == 0 && is_special)) {
            return TRUE;
        }
        if (base->dict == 0
            && BASE_ANY (j, G_N_ELEMENTS (tables),
                         !python_read_u64 (runtime, address + tables[j].offset, &table)
                             || has_definition (runtime, table, tables[j].size, name))) {
            return TRUE;
        }
    }
    return n_bases == 0;
}

gboolean
python_type_has_code (PythonRuntime *runtime, const PythonType *type, const char *name)
{
    /* Heap types of the standard library whose C code is known here. */
    static const char *const known[] = { "array.array", "collections.deque",
                                         "collections.defaultdict", "collections.OrderedDict" };
    const PythonType *owner = NULL;
    guint64 found;

    if (type == NULL || (type->flags & PYTHON_FLAG_HEAP) == 0
        || !python_type_find (runtime, type, name, &found, &owner)
        || (owner->flags & PYTHON_FLAG_HEAP) == 0) {
        return FALSE;
    }
    return BASE_ALL (i, G_N_ELEMENTS (known), strcmp (owner->full_name, known[i]) != 0);
}
