/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "library.h"

static int
get_section_info (void *object, Dwarf_Half number, Dwarf_Obj_Access_Section *ret_section,
                  int *error)
{
    const Library *library = object;
    if (number > library->n_sections)
        return DW_DLV_NO_ENTRY;
    /* the first one of an ELF file has no name */
    *ret_section = (Dwarf_Obj_Access_Section){ .name = "" };
    if (number) {
        ret_section->name = library->sections[number - 1].name;
        ret_section->size = library->sections[number - 1].bytes->size;
        ret_section->type = 1;
    }
    return DW_DLV_OK;
}

static Dwarf_Endianness
get_byte_order (void *object)
{
    return DW_OBJECT_LSB;
}

static Dwarf_Small
get_size (void *object)
{
    return 8;
}

static Dwarf_Unsigned
get_section_count (void *object)
{
    return ((const Library *) object)->n_sections + 1;
}

static int
load_section (void *object, Dwarf_Half number, Dwarf_Small **ret_data, int *error)
{
    const Library *library = object;
    if (!number || number > library->n_sections)
        return DW_DLV_NO_ENTRY;
    /* it only reads them */
    *ret_data = (Dwarf_Small *) library->sections[number - 1].bytes->data;
    return DW_DLV_OK;
}

static void
add_section (Library *library, const char *name, const BaseCursor *bytes)
{
    if (!bytes->size)
        return;
    library->sections[library->n_sections].name = name;
    library->sections[library->n_sections++].bytes = bytes;
}

static void
add_sections (Library *library)
{
    const SymbolPart *part = library->part;
    if (part->is_split) {
        add_section (library, part->is_types ? ".debug_types.dwo" : ".debug_info.dwo",
                     &part->info);
        add_section (library, ".debug_abbrev.dwo", &part->abbrev);
        add_section (library, ".debug_str.dwo", &part->str);
        add_section (library, ".debug_str_offsets.dwo", &part->str_offsets);
        add_section (library, ".debug_rnglists.dwo", &part->rnglists);
        add_section (library, ".debug_loc.dwo", &part->loc);
        add_section (library, ".debug_loclists.dwo", &part->loclists);
        return;
    }
    add_section (library, part->is_types ? ".debug_types" : ".debug_info", &part->info);
    add_section (library, ".debug_abbrev", &part->abbrev);
    add_section (library, ".debug_str", &part->str);
    add_section (library, ".debug_str_offsets", &part->str_offsets);
    add_section (library, ".debug_rnglists", &part->rnglists);
    add_section (library, ".debug_loc", &part->loc);
    add_section (library, ".debug_loclists", &part->loclists);
    add_section (library, ".debug_line", &part->line);
    add_section (library, ".debug_line_str", &part->line_str);
    add_section (library, ".debug_addr", &part->addr);
    add_section (library, ".debug_ranges", &part->ranges);
}

static void
init_debug (Library *library)
{
    static const Dwarf_Obj_Access_Methods methods
        = { get_section_info,  get_byte_order, get_size, get_size,
            get_section_count, load_section,   NULL };
    Dwarf_Error error = NULL;
    library->access.object = library;
    library->access.methods = &methods;
    if (dwarf_object_init_b (&library->access, NULL, NULL, DW_GROUPNUMBER_ANY, &library->debug,
                             &error)
        != DW_DLV_OK)
        library->debug = NULL;
}

/* The library looks for a skeleton among all units of the file that it is tied to, stops at the first
 * skeleton it meets, and wants nobody else to read there: so it gets a file with that one alone. */
static Library *
open_skeleton (Library *library, const SymbolDwarf *dwarf)
{
    for (guint i = 0; i < dwarf->units->len; i++) {
        const SymbolUnit *unit = dwarf->units->pdata[i], *skeleton = unit->skeleton;
        if (unit->part != library->part || !skeleton)
            continue;
        Library *tied = g_new0 (Library, 1);
        tied->part = skeleton->part;
        library->skeleton = (BaseCursor) BASE_CURSOR_INIT (skeleton->part->info.data
                                                               + skeleton->offset
                                                               - skeleton->part->base,
                                                           skeleton->end - skeleton->offset);
        add_sections (tied);
        tied->sections[0].bytes = &library->skeleton;
        init_debug (tied);
        return tied;
    }
    return NULL;
}

static void
close_debug (Library *library)
{
    Dwarf_Error error = NULL;
    if (library->debug)
        dwarf_object_finish (library->debug, &error);
}

GPtrArray *
library_open (const SymbolDwarf *dwarf)
{
    GPtrArray *libraries = g_ptr_array_new_with_free_func (g_free);
    for (guint i = 0; i < dwarf->parts->len; i++) {
        Library *library = g_new0 (Library, 1);
        library->part = dwarf->parts->pdata[i];
        add_sections (library);
        init_debug (library);
        if (library->part->is_split)
            library->tied = open_skeleton (library, dwarf);
        g_ptr_array_add (libraries, library);
    }
    for (guint i = 0; i < libraries->len; i++) {
        Library *library = libraries->pdata[i];
        const Library *tied = library->tied
                                  ? library->tied
                                  : library_find (libraries, library->part->alternate);
        Dwarf_Error error = NULL;
        if (library->debug && tied && tied->debug)
            dwarf_set_tied_dbg (library->debug, tied->debug, &error);
    }
    return libraries;
}

Library *
library_find (GPtrArray *libraries, const SymbolPart *part)
{
    for (guint i = 0; part && i < libraries->len; i++) {
        Library *library = libraries->pdata[i];
        if (library->part == part)
            return library;
    }
    return NULL;
}

void
library_close (GPtrArray *libraries)
{
    for (guint i = 0; i < libraries->len; i++) {
        Library *library = libraries->pdata[i];
        close_debug (library);
        if (library->tied)
            close_debug (library->tied);
        g_free (library->tied);
    }
    g_ptr_array_unref (libraries);
}
