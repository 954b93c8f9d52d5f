/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every attribute of every entry, every range, location and line of the programs that are named, as
 * pddt reads them and as libdwarf does. Prints what differs, and for each program how much was
 * compared. */
#include <stdarg.h>
#include <stdio.h>

#include "beside-private.h"

#define MAX_SHOWN 20
#define MAX_DEPTH 100

void
beside_fail (Beside *beside, guint64 offset, const char *format, ...)
{
    va_list arguments;
    if (beside->n_bad++ >= MAX_SHOWN)
        return;
    printf ("# part %" G_GUINT64_FORMAT " 0x%" G_GINT64_MODIFIER "x: ",
            beside->unit->part->base, offset - beside->unit->part->base);
    va_start (arguments, format);
    vprintf (format, arguments);
    va_end (arguments);
    printf ("\n");
}

const char *
beside_describe (Beside *beside, int result, Dwarf_Error *error)
{
    const char *text = result == DW_DLV_OK         ? "good"
                       : result == DW_DLV_NO_ENTRY ? "nothing"
                                                   : g_intern_string (dwarf_errmsg (*error));
    if (result == DW_DLV_ERROR)
        dwarf_dealloc_error (beside->library->debug, *error);
    *error = NULL;
    return text;
}

/* The lists that an attribute may refer to. */
static void
compare_list (Beside *beside, const SymbolDie *die, Dwarf_Die theirs, guint32 attribute,
              Dwarf_Attribute list)
{
    switch (attribute) {
    case DW_AT_ranges: beside_compare_ranges (beside, die, theirs, list); break;
    case DW_AT_location:
    case DW_AT_frame_base:
    case DW_AT_return_addr:
    case DW_AT_static_link: beside_compare_places (beside, die, attribute, list); break;
    default: break;
    }
}

static void
compare_attributes (Beside *beside, const SymbolDie *die, Dwarf_Die theirs)
{
    const SymbolSpec *specs = &g_array_index (die->unit->abbrevs->specs, SymbolSpec,
                                              die->abbrev->first_spec);
    Dwarf_Attribute *list = NULL;
    Dwarf_Signed n = 0;
    Dwarf_Error error = NULL;
    int result = dwarf_attrlist (theirs, &list, &n, &error);
    if (result == DW_DLV_ERROR || n != die->abbrev->n_specs)
        beside_fail (beside, die->offset, "%u attributes, theirs %d: %s", die->abbrev->n_specs,
                     (int) n, beside_describe (beside, result, &error));
    for (guint i = 0; i < n; i++) {
        Dwarf_Half attribute = 0;
        dwarf_whatattr (list[i], &attribute, &error);
        if (i < die->abbrev->n_specs && attribute != specs[i].attribute)
            beside_fail (beside, die->offset, "attribute %u is 0x%x, theirs 0x%x", i,
                         specs[i].attribute, attribute);
        else {
            beside->n_values++;
            beside_compare_value (beside, die, attribute, list[i]);
            compare_list (beside, die, theirs, attribute, list[i]);
        }
        dwarf_dealloc_attribute (list[i]);
    }
    if (result == DW_DLV_OK)
        dwarf_dealloc (beside->library->debug, list, DW_DLA_LIST);
}

static void
compare_entry (Beside *beside, const SymbolDie *die, Dwarf_Die theirs)
{
    Dwarf_Error error = NULL;
    Dwarf_Off offset = 0;
    Dwarf_Half tag = 0;
    beside->n_entries++;
    dwarf_dieoffset (theirs, &offset, &error);
    dwarf_tag (theirs, &tag, &error);
    if (offset != die->offset - die->unit->part->base || tag != die->tag)
        beside_fail (beside, die->offset, "tag 0x%x, theirs 0x%x at 0x%llx", die->tag, tag,
                     offset);
    else
        compare_attributes (beside, die, theirs);
}

static void
compare_children (Beside *beside, const SymbolDie *parent, Dwarf_Die theirs, guint depth)
{
    SymbolDie die;
    Dwarf_Error error = NULL;
    Dwarf_Die child = NULL;
    gboolean more = symbol_die_first_child (beside->dwarf, parent, &die);
    int result = dwarf_child (theirs, &child, &error);
    while (more && result == DW_DLV_OK) {
        Dwarf_Die next = NULL;
        compare_entry (beside, &die, child);
        if (depth < MAX_DEPTH)
            compare_children (beside, &die, child, depth + 1);
        more = symbol_die_next (beside->dwarf, &die, &die);
        result = dwarf_siblingof_b (beside->library->debug, child, beside->is_info, &next,
                                    &error);
        dwarf_dealloc_die (child);
        child = next;
    }
    if (more || result != DW_DLV_NO_ENTRY)
        beside_fail (beside, parent->offset, "its children end, %s; theirs: %s",
                     more ? "not here" : "here", beside_describe (beside, result, &error));
    if (result == DW_DLV_OK)
        dwarf_dealloc_die (child);
}

static void
compare_unit (Beside *beside)
{
    const SymbolUnit *unit = beside->unit;
    SymbolDie root;
    Dwarf_Die theirs = NULL;
    Dwarf_Error error = NULL;
    Dwarf_Half version = 0, offset_size = 0;
    gboolean good = symbol_die_read (beside->dwarf, unit, unit->first_die, &root);
    int result = dwarf_offdie_b (beside->library->debug, unit->first_die - unit->part->base,
                                 beside->is_info, &theirs, &error);
    beside->n_units++;
    if (!good || result != DW_DLV_OK) {
        beside_fail (beside, unit->offset, "unit %s; theirs: %s", good ? "good" : "broken",
                     beside_describe (beside, result, &error));
        return;
    }
    dwarf_get_version_of_die (theirs, &version, &offset_size);
    if (version != unit->version || offset_size != unit->offset_size)
        beside_fail (beside, unit->offset, "version %u, %u bytes; theirs %u, %u", unit->version,
                     unit->offset_size, version, offset_size);
    compare_entry (beside, &root, theirs);
    compare_children (beside, &root, theirs, 0);
    if (unit->has_lines && !unit->part->is_split)
        beside_compare_lines (beside, theirs);
    dwarf_dealloc_die (theirs);
}

/* The units that the library finds by their headers. Units that it meets on this way know the addresses of
 * their skeletons, those that it meets at an offset do not. */
static guint
count_units (Library *library)
{
    Dwarf_Unsigned size, type_offset, next;
    Dwarf_Off abbrev;
    Dwarf_Half version, address_size, length_size, extension_size, type;
    Dwarf_Sig8 signature;
    Dwarf_Error error = NULL;
    guint n = 0;
    while (dwarf_next_cu_header_d (library->debug, !library->part->is_types, &size, &version,
                                   &abbrev, &address_size, &length_size, &extension_size,
                                   &signature, &type_offset, &next, &type, &error)
           == DW_DLV_OK)
        n++;
    return n;
}

static gboolean
compare_file (const char *path)
{
    g_autoptr (GError) error = NULL;
    SymbolElf *elf = symbol_elf_open (path, &error);
    guint n_theirs = 0;
    if (!elf) {
        printf ("# %s\n", error->message);
        return FALSE;
    }
    g_autoptr (SymbolDwarf) dwarf = symbol_dwarf_new (elf);
    Beside beside = { .dwarf = dwarf, .libraries = library_open (dwarf) };
    for (guint i = 0; i < beside.libraries->len; i++) {
        Library *library = beside.libraries->pdata[i];
        n_theirs += library->debug ? count_units (library) : 0;
    }
    for (guint i = 0; i < dwarf->units->len; i++) {
        beside.unit = dwarf->units->pdata[i];
        beside.library = library_find (beside.libraries, beside.unit->part);
        beside.is_info = !beside.unit->part->is_types;
        if (beside.library->debug)
            compare_unit (&beside);
        else
            beside_fail (&beside, beside.unit->offset, "the library cannot open its part");
    }
    if (n_theirs != dwarf->units->len)
        beside.n_bad++;
    printf ("%" G_GUINT64_FORMAT " units (theirs %u), %" G_GUINT64_FORMAT
            " entries, %" G_GUINT64_FORMAT " values, %" G_GUINT64_FORMAT
            " ranges, %" G_GUINT64_FORMAT " places, %" G_GUINT64_FORMAT
            " rows, %" G_GUINT64_FORMAT " differ: %s\n",
            beside.n_units, n_theirs, beside.n_entries, beside.n_values, beside.n_ranges,
            beside.n_places, beside.n_rows, beside.n_bad, path);
    library_close (beside.libraries);
    return !beside.n_bad;
}

int
main (int argc, char **argv)
{
    gboolean good = argc > 1;
    for (int i = 1; i < argc; i++)
        good &= compare_file (argv[i]);
    return !good;
}
