/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code objects, kept as long as the process, and their line tables. A kept one is compared with
 * the rank once per stop, as its memory may hold another code object by then. */
#include "python/runtime-private.h"
#include "base/array.h"
#include <string.h>

#define MAX_NAME 1024u
#define MAX_TABLE (4u << 20)
#define MAX_CODE 512u
#define CODE_FREED_LIMIT 65536u

BASE_FREE_PUBLIC (python_code_free, PythonCode, code, g_free (code->function);
                  g_free (code->file); g_clear_pointer (&code->lines, g_bytes_unref))

static guint64
get_word (const guint8 *bytes, gint32 offset)
{
    guint64 word;

    memcpy (&word, bytes + offset, sizeof word);
    return word;
}

static guint32
get_half (const guint8 *bytes, gint32 offset)
{
    guint32 half;

    memcpy (&half, bytes + offset, sizeof half);
    return half;
}

static gboolean
is_code (PythonRuntime *runtime, guint64 type)
{
    const PythonType *found;

    if (runtime->code_type == 0) {
        found = python_find_type (runtime, type);
        if (found == NULL || strcmp (found->full_name, "code") != 0) {
            return FALSE;
        }
        runtime->code_type = type;
    }
    return type == runtime->code_type;
}

static char *
read_file (PythonRuntime *runtime, guint64 object)
{
    char *file = python_read_str (runtime, object, MAX_NAME * 4, NULL);
    char *path = file != NULL && file[0] != '/' && file[0] != '<' && file[0] != '\0'
                         && runtime->dup_path != NULL
                     ? runtime->dup_path (file, runtime->dup_path_user)
                     : NULL;

    if (path != NULL) {
        g_free (file);
    }
    return path != NULL ? path : file;
}

static PythonCode *
read_code (PythonRuntime *runtime, guint64 address, const guint8 *bytes)
{
    const PythonLayout *layout = runtime->layout;
    PythonCode *code = g_new0 (PythonCode, 1);

    code->address = address;
    code->filename_at = get_word (bytes, layout->code_filename);
    code->name_at = get_word (bytes, layout->code_qualname != 0 ? layout->code_qualname
                                                                : layout->code_name);
    code->lines_at = get_word (bytes, layout->code_lines);
    code->function = python_read_str (runtime, code->name_at, MAX_NAME, NULL);
    code->file = read_file (runtime, code->filename_at);
    code->first_line = get_half (bytes, layout->code_first_line);
    code->flags = get_half (bytes, layout->code_flags);
    code->n_slots = get_half (bytes, layout->code_n_slots);
    code->lines = python_read_bytes (runtime, code->lines_at, MAX_TABLE);
    if (layout->chain == PYTHON_CHAIN_OBJECTS) {
        code->locals = get_word (bytes, layout->code_locals);
        code->cells = get_word (bytes, layout->code_cells);
        code->frees = get_word (bytes, layout->code_frees);
    } else {
        code->stack_size = get_half (bytes, layout->code_stack_size);
        code->first_traceable = get_half (bytes, layout->code_first_traceable);
        code->bytecode = address + (guint64) layout->code_bytecode;
        code->slot_names = get_word (bytes, layout->code_slot_names);
        code->slot_kinds = get_word (bytes, layout->code_slot_kinds);
    }
    if (code->function == NULL || code->file == NULL || code->lines == NULL) {
        g_clear_pointer (&code, python_code_free);
    }
    return code;
}

static gboolean
is_same (const PythonRuntime *runtime, const PythonCode *code, const guint8 *bytes)
{
    const PythonLayout *layout = runtime->layout;
    gint32 name = layout->code_qualname != 0 ? layout->code_qualname : layout->code_name;

    return code->filename_at == get_word (bytes, layout->code_filename)
           && code->name_at == get_word (bytes, name)
           && code->lines_at == get_word (bytes, layout->code_lines)
           && code->first_line == get_half (bytes, layout->code_first_line);
}

const PythonCode *
python_find_code (PythonRuntime *runtime, guint64 address)
{
    PythonCode *code = g_hash_table_lookup (runtime->codes, GSIZE_TO_POINTER (address));
    guint8 bytes[MAX_CODE];
    gsize size = MIN ((gsize) runtime->layout->code_size, sizeof bytes);

    if (code != NULL && code->generation == runtime->generation) {
        return code;
    }
    if (address % 8 != 0 || !python_read (runtime, address, bytes, size)
        || !is_code (runtime, get_word (bytes, 8))) {
        return NULL;
    }
    if (code == NULL || !is_same (runtime, code, bytes)) {
        code = read_code (runtime, address, bytes);
        if (code == NULL) {
            g_hash_table_remove (runtime->codes, GSIZE_TO_POINTER (address));
            return NULL;
        }
        if (g_hash_table_size (runtime->codes) > CODE_FREED_LIMIT) {
            g_hash_table_remove_all (runtime->codes);
        }
        g_hash_table_insert (runtime->codes, GSIZE_TO_POINTER (address), code);
    }
    code->generation = runtime->generation;
    return code;
}

/* To 3.9 (Objects/lnotab_notes.txt): pairs of unsigned address and signed line increments. */
static guint32
find_line_lnotab (const guint8 *bytes, gsize size, guint32 first, gint64 offset)
{
    gint64 address = 0;
    gint64 line = first;

    for (gsize i = 0; i + 1 < size; i += 2) {
        address += bytes[i];
        if (address > offset) {
            break;
        }
        line += (gint8) bytes[i + 1];
    }
    return (guint32) MAX (line, 0);
}

/* 3.10 (PEP 626): each pair is a range; line increment -128 says that it has no line. */
static guint32
find_line_pairs (const guint8 *bytes, gsize size, guint32 first, gint64 offset)
{
    gint64 end = 0;
    gint64 line = first;
    gint64 found = first;

    for (gsize i = 0; i + 1 < size; i += 2) {
        gint8 step = (gint8) bytes[i + 1];

        if (end > offset) {
            break;
        }
        end += bytes[i];
        if (step != -128) {
            line += step;
            found = bytes[i] > 0 ? line : found;
        }
    }
    return (guint32) MAX (found, 0);
}

static gint64
read_varint (const guint8 *bytes, gsize size, gsize at)
{
    guint64 value = 0;

    for (guint shift = 0; at < size && shift < 60; at++, shift += 6) {
        value |= (guint64) (bytes[at] & 63) << shift;
        if ((bytes[at] & 64) == 0) {
            break;
        }
    }
    return (value & 1) != 0 ? -(gint64) (value >> 1) : (gint64) (value >> 1);
}

/* From 3.11 (Objects/locations.md): an entry's first byte has the top bit; 4 bits of kind, 3 of
 * length in code units. Kinds 10 to 12 carry the line step themselves, 13 and 14 as a varint, 15
 * has no line. */
static guint32
find_line_locations (const guint8 *bytes, gsize size, guint32 first, gint64 offset)
{
    gint64 end = 0;
    gint64 line = first;
    gint64 found = first;

    for (gsize i = 0; i < size; i++) {
        guint kind = bytes[i] >> 3 & 15;

        if ((bytes[i] & 0x80) == 0) {
            continue;
        }
        if (end > offset) {
            break;
        }
        end += ((bytes[i] & 7) + 1) * 2;
        if (kind == 13 || kind == 14) {
            line += read_varint (bytes, size, i + 1);
        } else if (kind >= 10 && kind <= 12) {
            line += kind - 10;
        }
        found = kind != 15 ? line : found;
    }
    return (guint32) MAX (found, 0);
}

guint32
python_code_find_line (const PythonRuntime *runtime, const PythonCode *code, gint64 offset)
{
    gsize size;
    const guint8 *bytes = g_bytes_get_data (code->lines, &size);

    if (offset < 0) {
        return code->first_line;
    }
    switch (runtime->layout->lines) {
    case PYTHON_LINES_LNOTAB: return find_line_lnotab (bytes, size, code->first_line, offset);
    case PYTHON_LINES_PAIRS: return find_line_pairs (bytes, size, code->first_line, offset);
    default: return find_line_locations (bytes, size, code->first_line, offset);
    }
}
