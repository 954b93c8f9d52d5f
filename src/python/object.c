/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plain objects that everything else is made of: types, strings, integers and bytes. Sizes
 * come from the rank and are checked before anything is allocated. */
#include "python/runtime-private.h"
#include <string.h>

#define MAX_NAME 512u
#define FLAG_LONG (1u << 24)
#define FLAG_BYTES (1u << 27)
#define FLAG_UNICODE (1u << 28)

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
    type->full_name = g_strdup (text);
    dot = strrchr (type->full_name, '.');
    type->name = dot != NULL ? (char *) dot + 1 : type->full_name;
    python_read_u64 (runtime, address + layout->type_basicsize, (guint64 *) &type->basicsize);
    python_read_u64 (runtime, address + layout->type_itemsize, (guint64 *) &type->itemsize);
    python_read_u64 (runtime, address + layout->type_dictoffset, (guint64 *) &type->dictoffset);
    python_read_u64 (runtime, address + layout->type_flags, &type->flags);
    python_read_u64 (runtime, address + layout->type_dict, &type->dict);
    python_read_u64 (runtime, address + layout->type_mro, &type->mro);
    if ((type->flags & 1u << 9) != 0) { /* a heap type */
        python_read_u64 (runtime, address + layout->type_keys, &type->keys);
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

static char *
decode_characters (const guint8 *data, gsize count, guint kind)
{
    GString *text = g_string_sized_new (count);

    for (gsize i = 0; i < count; i++) {
        guint32 character = kind == 1   ? data[i]
                            : kind == 2 ? data[2 * i] | (guint32) data[2 * i + 1] << 8
                                        : data[4 * i] | (guint32) data[4 * i + 1] << 8
                                              | (guint32) data[4 * i + 2] << 16
                                              | (guint32) data[4 * i + 3] << 24;

        /* Lone surrogates are legal in a str, not in UTF-8. */
        g_string_append_unichar (text, g_unichar_validate (character) ? character : 0xfffd);
    }
    return g_string_free (text, FALSE);
}

char *
python_read_str (PythonRuntime *runtime, guint64 object, gsize max, gboolean *ret_cut)
{
    const PythonLayout *layout = runtime->layout;
    g_autofree guint8 *data = NULL;
    guint64 length;
    guint64 address;
    guint32 state;
    guint kind;
    gsize count;

    if (!is_of_kind (runtime, object, FLAG_UNICODE)
        || !python_read_u64 (runtime, object + layout->string_length, &length)
        || !python_read_u32 (runtime, object + layout->string_state, &state)) {
        return NULL;
    }
    /* state: interned 2 bits, kind 3, compact 1, ascii 1 */
    kind = state >> 2 & 7;
    if ((kind != 1 && kind != 2 && kind != 4) || (gint64) length < 0) {
        return NULL;
    }
    address = object + ((state & 0x40) != 0 ? layout->string_ascii : layout->string_compact);
    if ((state & 0x20) == 0
        && !python_read_u64 (runtime, object + layout->string_data, &address)) {
        return NULL;
    }
    count = MIN (length, max);
    data = g_malloc (count * kind + 1);
    if (count > 0 && !python_read (runtime, address, data, count * kind)) {
        return NULL;
    }
    if (ret_cut != NULL) {
        *ret_cut = count < length;
    }
    return decode_characters (data, count, kind);
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
        || !python_read_u64 (runtime, object + runtime->layout->var_size, &size) || size > max) {
        return NULL;
    }
    data = g_malloc (size + 1);
    if (size > 0 && !python_read (runtime, object + runtime->layout->bytes_data, data, size)) {
        g_free (data);
        return NULL;
    }
    return g_bytes_new_take (data, size);
}
