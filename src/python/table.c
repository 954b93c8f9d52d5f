/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dictionaries and sets as tables in memory, and the attributes of instances, which share their
 * names with all instances of the type. */
#include "python/runtime-private.h"
#include <string.h>

#define MAX_ENTRIES (1u << 24)
#define BATCH 256u
#define FLAG_INLINE_VALUES (1u << 2)
#define FLAG_MANAGED_DICT (1u << 4)
#define FLAG_DICT (1u << 29)

/* The entries of a keys object. */
typedef struct {
    guint64 first; /* address of entry 0 */
    guint64 count;
    guint entry_size; /* 24 with hash, 16 without */
} Entries;

static gboolean
read_old_keys (PythonRuntime *runtime, guint64 keys, Entries *ret_entries)
{
    const PythonLayout *layout = runtime->layout;
    guint64 size;
    guint width;

    if (!python_read_u64 (runtime, keys + layout->keys_size, &size)
        || !python_read_u64 (runtime, keys + layout->keys_n_entries, &ret_entries->count)
        || size > MAX_ENTRIES) {
        return FALSE;
    }
    width = size <= 0xff ? 1 : size <= 0xffff ? 2 : 4;
    ret_entries->first = keys + layout->keys_indices + size * width;
    ret_entries->entry_size = 24;
    return ret_entries->count <= size;
}

static gboolean
read_keys (PythonRuntime *runtime, guint64 keys, Entries *ret_entries)
{
    const PythonLayout *layout = runtime->layout;
    guint8 log2_bytes;
    guint8 kind;

    if (layout->keys_size != 0) {
        return read_old_keys (runtime, keys, ret_entries);
    }
    if (!python_read (runtime, keys + layout->keys_log2_bytes, &log2_bytes, 1)
        || !python_read (runtime, keys + layout->keys_kind, &kind, 1)
        || !python_read_u64 (runtime, keys + layout->keys_n_entries, &ret_entries->count)
        || log2_bytes > 32 || kind > 2) {
        return FALSE;
    }
    ret_entries->first = keys + layout->keys_indices + (G_GUINT64_CONSTANT (1) << log2_bytes);
    ret_entries->entry_size = kind == 0 ? 24 : 16;
    return ret_entries->count <= MAX_ENTRIES;
}

/* values: address of the array of a split table, 0 for a combined one. */
static gboolean
walk_entries (PythonRuntime *runtime, const Entries *entries, guint64 values,
              PythonOnEntry on_entry, gpointer user)
{
    guint64 words[BATCH * 3];
    guint64 split[BATCH];

    for (guint64 done = 0; done < entries->count;) {
        guint64 part = MIN (entries->count - done, BATCH);

        if (!python_read (runtime, entries->first + done * entries->entry_size, words,
                          part * entries->entry_size)
            || (values != 0 && !python_read (runtime, values + done * 8, split, part * 8))) {
            return FALSE;
        }
        for (guint64 i = 0; i < part; i++) {
            const guint64 *entry = words + i * (entries->entry_size / 8)
                                   + (entries->entry_size == 24 ? 1 : 0);
            guint64 value = values != 0 ? split[i] : entry[1];

            if (entry[0] != 0 && value != 0 && !on_entry (entry[0], value, user)) {
                return TRUE;
            }
        }
        done += part;
    }
    return TRUE;
}

gboolean
python_dict_foreach (PythonRuntime *runtime, guint64 dict, PythonOnEntry on_entry,
                     gpointer user)
{
    const PythonLayout *layout = runtime->layout;
    const PythonType *type = python_find_object_type (runtime, dict);
    guint64 keys;
    guint64 values;
    Entries entries;

    if (type == NULL || (type->flags & FLAG_DICT) == 0
        || !python_read_u64 (runtime, dict + layout->dict_keys, &keys)
        || !python_read_u64 (runtime, dict + layout->dict_values, &values)
        || !read_keys (runtime, keys, &entries)) {
        return FALSE;
    }
    return walk_entries (runtime, &entries, values != 0 ? values + layout->values_first : 0,
                         on_entry, user);
}

gint64
python_dict_get_size (PythonRuntime *runtime, guint64 dict)
{
    guint64 used = 0;

    python_read_u64 (runtime, dict + runtime->layout->dict_used, &used);
    return (gint64) used;
}

typedef struct {
    PythonRuntime *runtime;
    const char *key;
    guint64 value;
} Search;

static gboolean
compare_key (guint64 key, guint64 value, gpointer user)
{
    Search *search = user;
    g_autofree char *name = NULL;
    guint64 length = 0;

    if (!python_read_u64 (search->runtime, key + search->runtime->layout->string_length,
                          &length)
        || length > strlen (search->key)) {
        return TRUE;
    }
    name = python_read_str (search->runtime, key, length, NULL);
    if (name != NULL && strcmp (name, search->key) == 0) {
        search->value = value;
        return FALSE;
    }
    return TRUE;
}

gboolean
python_dict_find_str (PythonRuntime *runtime, guint64 dict, const char *key, guint64 *ret_value)
{
    Search search = { runtime, key, 0 };

    python_dict_foreach (runtime, dict, compare_key, &search);
    if (search.value == 0) {
        return FALSE;
    }
    *ret_value = search.value;
    return TRUE;
}

gboolean
python_set_foreach (PythonRuntime *runtime, guint64 set, PythonOnEntry on_entry, gpointer user)
{
    const PythonLayout *layout = runtime->layout;
    guint64 mask;
    guint64 table;
    guint64 words[BATCH * 2];

    if (!python_read_u64 (runtime, set + layout->set_mask, &mask) || mask >= MAX_ENTRIES
        || !python_read_u64 (runtime, set + layout->set_table, &table)) {
        return FALSE;
    }
    for (guint64 done = 0; done <= mask;) {
        guint64 part = MIN (mask + 1 - done, BATCH);

        if (!python_read (runtime, table + done * 16, words, part * 16)) {
            return FALSE;
        }
        for (guint64 i = 0; i < part; i++) {
            /* A deleted entry keeps a dummy key with the hash -1. */
            if (words[2 * i] != 0 && words[2 * i + 1] != G_MAXUINT64
                && !on_entry (words[2 * i], words[2 * i], user)) {
                return TRUE;
            }
        }
        done += part;
    }
    return TRUE;
}

static gboolean
walk_values (PythonRuntime *runtime, const PythonType *type, guint64 values,
             PythonOnEntry on_entry, gpointer user)
{
    Entries entries;

    if (type->keys == 0 || !read_keys (runtime, type->keys, &entries)) {
        return FALSE;
    }
    return walk_entries (runtime, &entries, values + runtime->layout->values_first, on_entry,
                         user);
}

/* Where a type keeps the pointer to an instance's dict; 0 none. */
static guint64
find_dict_slot (PythonRuntime *runtime, const PythonType *type, guint64 object)
{
    guint64 count = 0;
    gint64 size;

    if (type->dictoffset >= 0) {
        return type->dictoffset > 0 ? object + (guint64) type->dictoffset : 0;
    }
    python_read_u64 (runtime, object + runtime->layout->var_size, &count);
    size = type->basicsize + type->itemsize * ABS ((gint64) count);
    return object + (guint64) ((size + 7) / 8 * 8 + type->dictoffset);
}

/* What a managed instance has: its dict, else the address of its values. */
static gboolean
read_managed (PythonRuntime *runtime, const PythonType *type, guint64 object, guint64 *ret_dict,
              guint64 *ret_values)
{
    guint64 word = 0;
    guint8 head[4];

    *ret_dict = 0;
    *ret_values = 0;
    if (!python_read_u64 (runtime, object - 24, &word)) {
        return FALSE;
    }
    if (runtime->layout->attributes == PYTHON_ATTRIBUTES_TAGGED) {
        *ret_dict = (word & 1) == 0 ? word : 0;
        *ret_values = (word & 1) != 0 ? word + 1 : 0;
        return TRUE;
    }
    *ret_dict = word;
    if (word != 0) {
        return TRUE;
    }
    if (runtime->layout->attributes == PYTHON_ATTRIBUTES_SPLIT) {
        return python_read_u64 (runtime, object - 32, ret_values);
    }
    /* 3.13: capacity, size, embedded, valid, then the values. */
    if ((type->flags & FLAG_INLINE_VALUES) != 0
        && python_read (runtime, object + (guint64) type->basicsize, head, sizeof head)
        && head[3] != 0) {
        *ret_values = object + (guint64) type->basicsize;
    }
    return TRUE;
}

/* Of PyMemberDef: name, type, offset; the types that slots have (structmember.h). */
#define MEMBER_KIND 8
#define MEMBER_OFFSET 16
#define MEMBER_OBJECT 6
#define MEMBER_OBJECT_EX 16

gboolean
python_member_read (PythonRuntime *runtime, guint64 descriptor, guint64 object,
                    guint64 *ret_object)
{
    guint64 define = 0;
    guint32 kind = 0;
    guint64 offset = 0;

    return python_read_u64 (runtime, descriptor + (guint64) runtime->layout->member_define,
                            &define)
           && python_read_u32 (runtime, define + MEMBER_KIND, &kind)
           && (kind == MEMBER_OBJECT || kind == MEMBER_OBJECT_EX)
           && python_read_u64 (runtime, define + MEMBER_OFFSET, &offset) && offset < 65536
           && python_read_u64 (runtime, object + offset, ret_object) && *ret_object != 0;
}

typedef struct {
    PythonRuntime *runtime;
    guint64 object;
    PythonOnEntry on_entry;
    gpointer user;
    gboolean has_enough;
} Slots;

static gboolean
pass_slot (guint64 key, guint64 value, gpointer user)
{
    Slots *slots = user;
    const PythonType *kind = python_find_object_type (slots->runtime, value);
    guint64 object;

    if (kind == NULL || strcmp (kind->full_name, "member_descriptor") != 0
        || !python_member_read (slots->runtime, value, slots->object, &object)) {
        return TRUE;
    }
    slots->has_enough = !slots->on_entry (key, object, slots->user);
    return !slots->has_enough;
}

/* What classes written in Python have declared in __slots__, the base's first. */
static gboolean
walk_slots (PythonRuntime *runtime, const PythonType *type, guint64 object,
            PythonOnEntry on_entry, gpointer user)
{
    Slots slots = { runtime, object, on_entry, user, FALSE };

    if ((type->flags & PYTHON_FLAG_HEAP) == 0) {
        return TRUE;
    }
    for (guint i = python_type_get_n_bases (runtime, type); i > 0 && !slots.has_enough; i--) {
        const PythonType *base = python_find_type (runtime,
                                                   python_type_get_base (runtime, type, i - 1));

        if (base != NULL && (base->flags & PYTHON_FLAG_HEAP) != 0 && base->dict != 0) {
            python_dict_foreach (runtime, base->dict, pass_slot, &slots);
        }
    }
    return TRUE;
}

typedef struct {
    PythonOnEntry on_entry;
    gpointer user;
    gboolean has_enough;
} Attributes;

static gboolean
pass_attribute (guint64 key, guint64 value, gpointer user)
{
    Attributes *attributes = user;

    attributes->has_enough = !attributes->on_entry (key, value, attributes->user);
    return !attributes->has_enough;
}

static gboolean
walk_own_attributes (PythonRuntime *runtime, const PythonType *type, guint64 object,
                     PythonOnEntry on_entry, gpointer user)
{
    guint64 dict = 0;
    guint64 values = 0;
    guint64 slot;

    if (runtime->layout->attributes != PYTHON_ATTRIBUTES_DICT
        && (type->flags & FLAG_MANAGED_DICT) != 0) {
        if (!read_managed (runtime, type, object, &dict, &values)) {
            return FALSE;
        }
        if (values != 0) {
            return walk_values (runtime, type, values, on_entry, user);
        }
    } else {
        slot = find_dict_slot (runtime, type, object);
        if (slot != 0) {
            python_read_u64 (runtime, slot, &dict);
        }
    }
    return dict == 0 || python_dict_foreach (runtime, dict, on_entry, user);
}

gboolean
python_attributes_foreach (PythonRuntime *runtime, guint64 object, PythonOnEntry on_entry,
                           gpointer user)
{
    const PythonType *type = python_find_object_type (runtime, object);
    Attributes attributes = { on_entry, user, FALSE };

    if (type == NULL
        || !walk_own_attributes (runtime, type, object, pass_attribute, &attributes)) {
        return FALSE;
    }
    return attributes.has_enough || walk_slots (runtime, type, object, on_entry, user);
}

guint64
python_attributes_find (PythonRuntime *runtime, guint64 object, const char *name)
{
    Search search = { runtime, name, 0 };

    python_attributes_foreach (runtime, object, compare_key, &search);
    return search.value;
}
