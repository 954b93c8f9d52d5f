/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks libdwarf for a unit's macros, with those that it imports. */
#include "symbol/macros.h"

#include "base/array.h"
#include "base/error.h"

BASE_FREE_PUBLIC (symbol_macros_free, SymbolMacros, macros, g_array_unref (macros->events);
                  g_string_chunk_free (macros->texts))

#ifdef PDDT_HAS_LIBDWARF
#if __has_include(<libdwarf/libdwarf.h>)
#include <libdwarf/libdwarf.h>
#else /* as libdwarf installs it by itself */
#include <libdwarf.h>
#endif

#define MAX_EVENTS 4000000
#define MAX_DEPTH 32 /* of imports within each other */
#define MAX_IMPORTS 50000
#define MAX_OPERATIONS 8000000

typedef struct {
    const SymbolDwarf *dwarf;
    const SymbolUnit *own;
    Dwarf_Debug debug;
    Dwarf_Die unit;
    SymbolMacros *macros;
    guint n_imports, n_operations;
} Reader;

static void
add_event (Reader *reader, SymbolMacroKind kind, guint64 line, guint64 file, const char *text)
{
    SymbolMacroEvent event
        = { kind, (guint32) MIN (line, G_MAXINT32), (guint32) MIN (file, G_MAXUINT32),
            text ? g_string_chunk_insert_const (reader->macros->texts, text) : NULL };
    if (reader->macros->events->len < MAX_EVENTS)
        g_array_append_val (reader->macros->events, event);
}

static void read_operations (Reader *reader, Dwarf_Macro_Context context, guint64 count,
                             guint depth);

static void
import (Reader *reader, guint64 offset, guint depth)
{
    Dwarf_Macro_Context context = NULL;
    Dwarf_Unsigned version, count, size;
    Dwarf_Error fault = NULL;
    if (depth >= MAX_DEPTH || ++reader->n_imports > MAX_IMPORTS
        || dwarf_get_macro_context_by_offset (reader->unit, offset, &version, &context, &count,
                                              &size, &fault)
               != DW_DLV_OK)
        return;
    read_operations (reader, context, count, depth + 1);
    dwarf_dealloc_macro_context (context);
}

/* The string of that number in the unit's table. libdwarf 20210528 takes another one: it forgets where the unit's part of the
 * table begins (DW_AT_str_offsets_base). */
static const char *
find_string (const Reader *reader, guint64 index)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    SymbolValue value;
    base_bytes_put_uleb (bytes, index);
    BaseCursor cursor = { .data = bytes->data, .size = bytes->len };
    symbol_form_read (reader->dwarf, reader->own, &cursor, DW_FORM_strx, 0, &value);
    return value.kind == SYMBOL_VALUE_STRING ? value.string : NULL;
}

static void
read_definition (Reader *reader, Dwarf_Macro_Context context, guint64 number, gboolean by_index,
                 SymbolMacroKind kind)
{
    Dwarf_Unsigned line, index, offset;
    Dwarf_Half n_forms;
    const char *text = NULL;
    Dwarf_Error fault = NULL;
    if (dwarf_get_macro_defundef (context, number, &line, &index, &offset, &n_forms, &text,
                                  &fault)
        != DW_DLV_OK)
        return;
    text = by_index ? find_string (reader, index) : text;
    if (text)
        add_event (reader, kind, line, 0, text);
}

static void
read_operation (Reader *reader, Dwarf_Macro_Context context, guint64 number, guint operation,
                guint depth)
{
    Dwarf_Unsigned line = 0, value = 0;
    const char *name = NULL;
    Dwarf_Error fault = NULL;
    switch (operation) {
    case DW_MACRO_define:
    case DW_MACRO_define_strp:
    case DW_MACRO_define_strx:
    case DW_MACRO_define_sup:
        read_definition (reader, context, number, operation == DW_MACRO_define_strx,
                         SYMBOL_MACRO_DEFINE);
        break;
    case DW_MACRO_undef:
    case DW_MACRO_undef_strp:
    case DW_MACRO_undef_strx:
    case DW_MACRO_undef_sup:
        read_definition (reader, context, number, operation == DW_MACRO_undef_strx,
                         SYMBOL_MACRO_UNDEFINE);
        break;
    case DW_MACRO_start_file:
        if (dwarf_get_macro_startend_file (context, number, &line, &value, &name, &fault)
            == DW_DLV_OK)
            add_event (reader, SYMBOL_MACRO_BEGIN_FILE, line, value, NULL);
        break;
    case DW_MACRO_end_file: add_event (reader, SYMBOL_MACRO_END_FILE, 0, 0, NULL); break;
    case DW_MACRO_import:
        if (dwarf_get_macro_import (context, number, &value, &fault) == DW_DLV_OK)
            import (reader, value, depth);
        break;
    default: break;
    }
}

static void
read_operations (Reader *reader, Dwarf_Macro_Context context, guint64 count, guint depth)
{
    for (guint64 i = 0; i < count && reader->n_operations < MAX_OPERATIONS; i++) {
        reader->n_operations++;
        Dwarf_Unsigned start;
        Dwarf_Half operation, n_forms;
        const Dwarf_Small *forms;
        Dwarf_Error fault = NULL;
        if (dwarf_get_macro_op (context, i, &start, &operation, &n_forms, &forms, &fault)
            != DW_DLV_OK)
            return;
        read_operation (reader, context, i, operation, depth);
    }
}

/* DWARF 2 to 4, of compilers that keep to it. */
static void
read_old (Reader *reader, guint64 offset)
{
    Dwarf_Macro_Details *details = NULL;
    Dwarf_Signed count = 0;
    Dwarf_Error fault = NULL;
    if (dwarf_get_macro_details (reader->debug, offset, 0, &count, &details, &fault)
        != DW_DLV_OK)
        return;
    for (Dwarf_Signed i = 0; i < count; i++) {
        const Dwarf_Macro_Details *at = &details[i];
        guint64 line = at->dmd_lineno > 0 ? (guint64) at->dmd_lineno : 0;
        guint64 file = at->dmd_fileindex > 0 ? (guint64) at->dmd_fileindex : 0;
        switch (at->dmd_type) {
        case DW_MACINFO_define:
            add_event (reader, SYMBOL_MACRO_DEFINE, line, 0, at->dmd_macro);
            break;
        case DW_MACINFO_undef:
            add_event (reader, SYMBOL_MACRO_UNDEFINE, line, 0, at->dmd_macro);
            break;
        case DW_MACINFO_start_file:
            add_event (reader, SYMBOL_MACRO_BEGIN_FILE, line, file, NULL);
            break;
        case DW_MACINFO_end_file: add_event (reader, SYMBOL_MACRO_END_FILE, 0, 0, NULL); break;
        default: break;
        }
    }
    dwarf_dealloc (reader->debug, details, DW_DLA_STRING);
}

static gboolean
open_file (const char *path, Dwarf_Debug *ret_debug)
{
    Dwarf_Error fault = NULL;
#ifdef DW_LIBDWARF_VERSION_MAJOR
    return dwarf_init_path (path, NULL, 0, DW_GROUPNUMBER_ANY, NULL, NULL, ret_debug, &fault)
           == DW_DLV_OK;
#else
    return dwarf_init_path (path, NULL, 0, 0, DW_GROUPNUMBER_ANY, NULL, NULL, ret_debug, NULL,
                            0, NULL, &fault)
           == DW_DLV_OK;
#endif
}

static void
close_file (Dwarf_Debug debug)
{
#ifdef DW_LIBDWARF_VERSION_MAJOR
    dwarf_finish (debug);
#else
    Dwarf_Error fault = NULL;
    dwarf_finish (debug, &fault);
#endif
}

static void
read_unit (Reader *reader)
{
    Dwarf_Macro_Context context = NULL;
    Dwarf_Unsigned version, at, count, size;
    Dwarf_Attribute attribute;
    Dwarf_Off offset;
    Dwarf_Error fault = NULL;
    if (dwarf_get_macro_context (reader->unit, &version, &context, &at, &count, &size, &fault)
        == DW_DLV_OK) {
        read_operations (reader, context, count, 0);
        dwarf_dealloc_macro_context (context);
    } else if (dwarf_attr (reader->unit, DW_AT_macro_info, &attribute, &fault) == DW_DLV_OK
               && dwarf_global_formref (attribute, &offset, &fault) == DW_DLV_OK) {
        read_old (reader, offset);
    }
}

SymbolMacros *
symbol_macros_read (const SymbolDwarf *dwarf, const SymbolUnit *unit, GError **error)
{
    Reader reader = { .dwarf = dwarf, .own = unit };
    const char *path = dwarf->debug->path;
    Dwarf_Error fault = NULL;
    if (!open_file (path, &reader.debug)) {
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot read the macros of %s: libdwarf cannot open it", path);
        return NULL;
    }
    reader.macros = g_new0 (SymbolMacros, 1);
    reader.macros->events = g_array_new (FALSE, FALSE, sizeof (SymbolMacroEvent));
    reader.macros->texts = g_string_chunk_new (4096);
    if (dwarf_offdie_b (reader.debug, unit->first_die - symbol_unit_get_base (unit), TRUE,
                        &reader.unit, &fault)
        == DW_DLV_OK)
        read_unit (&reader);
    close_file (reader.debug);
    if (reader.macros->events->len > 0)
        return reader.macros;
    symbol_macros_free (reader.macros);
    base_error_set (error, BASE_ERROR_CORRUPT,
                    "cannot read the macros of %s: libdwarf gives none", path);
    return NULL;
}
#else
SymbolMacros *
symbol_macros_read (const SymbolDwarf *dwarf, const SymbolUnit *unit, GError **error)
{
    base_error_set (error, BASE_ERROR_UNSUPPORTED,
                    "cannot read macros: pddt was built without libdwarf, which reads them");
    return NULL;
}
#endif
