/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the debug information of a program outside of its own sections: the common file of dwz
 * (.gnu_debugaltlink, DWARF 5's .debug_sup), .dwo files and .dwp packages (DWARF 5 section
 * 7.3.5; version 2 is GNU's of DWARF 4). Uses a file only if its id matches; no such file may
 * refer to a further one. */

#include "symbol/dwarf-private.h"

#define MAX_FILES 65536
#define MAX_COLUMNS 16
#define MAX_PACKED (1u << 20)

/* Appends a part, with info and is_… set. Borrowed. */
static SymbolPart *
add_part (SymbolDwarf *dwarf, const SymbolPart *part)
{
    SymbolPart *added = g_new (SymbolPart, 1);
    *added = *part;
    if (dwarf->parts->len) {
        const SymbolPart *last = dwarf->parts->pdata[dwarf->parts->len - 1];
        added->base = last->base + last->info.size;
    }
    g_ptr_array_add (dwarf->parts, added);
    return added;
}

static char *
join_path (const char *folder, const char *name)
{
    return g_path_is_absolute (name) ? g_strdup (name) : g_build_filename (folder, name, NULL);
}

static void
load_section (SymbolElf *elf, const char *name, const char *suffix, BaseCursor *cursor)
{
    g_autofree char *whole = g_strconcat (name, suffix, NULL);
    const SymbolSection *section = symbol_elf_find_section (elf, whole);
    *cursor = (BaseCursor) BASE_CURSOR_INIT (section ? section->data : NULL,
                                             section ? section->size : 0);
}

/* suffix: "" or ".dwo"; what has an address stays with the skeletons, in the part main. */
static void
load_sections (SymbolElf *elf, const char *suffix, const SymbolPart *main, SymbolPart *part)
{
    *part = (SymbolPart){ .is_split = suffix[0] != 0 };
    load_section (elf, ".debug_info", suffix, &part->info);
    load_section (elf, ".debug_abbrev", suffix, &part->abbrev);
    load_section (elf, ".debug_str", suffix, &part->str);
    load_section (elf, ".debug_str_offsets", suffix, &part->str_offsets);
    load_section (elf, ".debug_rnglists", suffix, &part->rnglists);
    load_section (elf, ".debug_loc", suffix, &part->loc);
    load_section (elf, ".debug_loclists", suffix, &part->loclists);
    if (main) {
        part->addr = main->addr;
        part->ranges = main->ranges;
        return;
    }
    load_section (elf, ".debug_line", "", &part->line);
    load_section (elf, ".debug_line_str", "", &part->line_str);
    load_section (elf, ".debug_addr", "", &part->addr);
    load_section (elf, ".debug_ranges", "", &part->ranges);
}

static void
note_missing (SymbolDwarf *dwarf, const char *name)
{
    if (!dwarf->n_missing++)
        dwarf->missing = g_strdup (name);
}

/* The name of dwz's common file and the build-id that it must have, borrowed. */
static const char *
find_alternate_name (SymbolElf *elf, const guint8 **ret_id, gsize *ret_size)
{
    const SymbolSection *link = symbol_elf_find_section (elf, ".gnu_debugaltlink");
    const SymbolSection *sup = link ? NULL : symbol_elf_find_section (elf, ".debug_sup");
    if (!link && !sup)
        return NULL;
    BaseCursor cursor = BASE_CURSOR_INIT (link ? link->data : sup->data,
                                          link ? link->size : sup->size);
    /* version, and whether this is the common file itself */
    if (sup && (base_cursor_read_u16 (&cursor) != 5 || base_cursor_read_u8 (&cursor) != 0))
        return NULL;
    const char *name = base_cursor_read_string (&cursor);
    gsize size = sup ? base_cursor_read_uleb (&cursor) : base_cursor_get_left (&cursor);
    *ret_id = base_cursor_read_bytes (&cursor, size);
    *ret_size = size;
    return *ret_id && name && name[0] ? name : NULL;
}

static char *
format_id (const guint8 *id, gsize size)
{
    GString *text = g_string_new (NULL);
    for (gsize i = 0; i < size; i++)
        g_string_append_printf (text, "%02x", id[i]);
    return g_string_free (text, FALSE);
}

/* The common file says its checksum in .debug_sup, or the same in its build-id. */
static gboolean
is_alternate (SymbolElf *elf, const char *id)
{
    if (g_strcmp0 (elf->build_id, id) == 0)
        return TRUE;
    const SymbolSection *sup = symbol_elf_find_section (elf, ".debug_sup");
    if (!sup)
        return FALSE;
    BaseCursor cursor = BASE_CURSOR_INIT (sup->data, sup->size);
    base_cursor_skip (&cursor, 2);
    if (base_cursor_read_u8 (&cursor) != 1 || !base_cursor_read_string (&cursor))
        return FALSE;
    gsize size = base_cursor_read_uleb (&cursor);
    const guint8 *own = base_cursor_read_bytes (&cursor, size);
    g_autofree char *text = own ? format_id (own, size) : NULL;
    return g_strcmp0 (text, id) == 0;
}

static SymbolElf *
open_alternate (const char *path, const char *id)
{
    g_autoptr (SymbolElf) elf = symbol_elf_open (path, NULL);
    return elf && is_alternate (elf, id) ? g_steal_pointer (&elf) : NULL;
}

static SymbolElf *
find_alternate (SymbolDwarf *dwarf)
{
    const guint8 *bytes;
    gsize size;
    const char *name = find_alternate_name (dwarf->debug, &bytes, &size);
    if (!name || size < 2 || size > 64)
        return NULL;
    g_autofree char *id = format_id (bytes, size);
    g_autofree char *folder = g_path_get_dirname (dwarf->debug->path);
    g_autofree char *beside = join_path (folder, name);
    g_autofree char *known = g_strdup_printf ("/usr/lib/debug/.build-id/%.2s/%s.debug", id,
                                              id + 2);
    SymbolElf *elf = open_alternate (beside, id);
    if (!elf && !g_path_is_absolute (name)) {
        /* the name is relative to the file itself, not to a link to it */
        g_autofree char *real = realpath (dwarf->debug->path, NULL);
        g_autofree char *real_folder = real ? g_path_get_dirname (real) : NULL;
        g_autofree char *there = real ? join_path (real_folder, name) : NULL;
        elf = there ? open_alternate (there, id) : NULL;
    }
    if (!elf)
        elf = open_alternate (known, id);
    if (!elf)
        note_missing (dwarf, name);
    return elf;
}

void
symbol_parts_load (SymbolDwarf *dwarf)
{
    SymbolPart part;
    load_sections (dwarf->debug, "", NULL, &part);
    SymbolPart *main = add_part (dwarf, &part), *types = NULL;
    load_section (dwarf->debug, ".debug_types", "", &part.info);
    if (part.info.size) {
        part.is_types = TRUE;
        types = add_part (dwarf, &part);
    }
    SymbolElf *elf = main->info.size ? find_alternate (dwarf) : NULL;
    if (elf) {
        g_ptr_array_add (dwarf->files, elf);
        load_sections (elf, "", NULL, &part);
        part.is_alternate = TRUE;
        main->alternate = add_part (dwarf, &part);
        if (types)
            types->alternate = main->alternate;
    }
    for (guint i = 0; i < dwarf->parts->len; i++)
        symbol_units_read (dwarf, dwarf->parts->pdata[i]);
}

/* A package while its units are looked for. */
typedef struct {
    SymbolPart whole;
    BaseCursor index; /* of compile units */
    GHashTable *rows; /* dwo_id to row + 1 */
    guint n_columns, n_rows;
    gsize table; /* where the section numbers begin */
} Package;

/* The header and the hash table of .debug_cu_index or .debug_tu_index. */
static gboolean
read_rows (const BaseCursor *section, Package *package)
{
    BaseCursor cursor = *section;
    guint version = base_cursor_read_u32 (&cursor) & 0xffff;
    guint n_columns = base_cursor_read_u32 (&cursor), n_rows = base_cursor_read_u32 (&cursor);
    guint n_slots = base_cursor_read_u32 (&cursor);
    gsize size = (gsize) n_slots * 12 + (gsize) n_columns * 4 * ((gsize) n_rows * 2 + 1);
    if (cursor.failed || (version != 2 && version != 5) || !n_columns || n_columns > MAX_COLUMNS
        || n_rows > MAX_PACKED || n_slots > 4 * MAX_PACKED
        || size > base_cursor_get_left (&cursor))
        return FALSE;
    BaseCursor numbers = cursor;
    base_cursor_skip (&numbers, (gsize) n_slots * 8);
    for (guint i = 0; i < n_slots; i++) {
        guint64 id = base_cursor_read_u64 (&cursor);
        guint32 row = base_cursor_read_u32 (&numbers);
        if (row && row <= n_rows)
            g_hash_table_insert (package->rows, g_memdup2 (&id, sizeof id),
                                 GUINT_TO_POINTER (row));
    }
    package->index = *section;
    package->n_columns = n_columns;
    package->n_rows = n_rows;
    package->table = numbers.offset;
    return TRUE;
}

/* Section number of an index to the section in a part; DWARF 5 section 7.3.5.3, and GNU's of
 * version 2 where 2 is .debug_types and 5 .debug_loc. */
static BaseCursor *
find_column (SymbolPart *part, guint number, gboolean five)
{
    switch (number) {
    case 1: return &part->info;
    case 2: return five ? NULL : &part->info;
    case 3: return &part->abbrev;
    case 4: return &part->line;
    case 5: return five ? &part->loclists : &part->loc;
    case 6: return &part->str_offsets;
    case 8: return five ? &part->rnglists : NULL;
    default: return NULL;
    }
}

/* The sections of one row, 1 to n_rows. */
static SymbolPart
cut_part (const Package *package, guint row)
{
    SymbolPart part = package->whole;
    BaseCursor cursor = package->index;
    gboolean five = (base_cursor_read_u32 (&cursor) & 0xffff) == 5;
    for (guint i = 0; i < package->n_columns; i++) {
        gsize width = (gsize) package->n_columns * 4, at = package->table + (gsize) i * 4;
        cursor = package->index;
        base_cursor_seek (&cursor, at);
        BaseCursor *section = find_column (&part, base_cursor_read_u32 (&cursor), five);
        base_cursor_seek (&cursor, at + width * row);
        guint64 offset = base_cursor_read_u32 (&cursor);
        base_cursor_seek (&cursor, at + width * ((gsize) row + package->n_rows));
        guint64 size = base_cursor_read_u32 (&cursor);
        if (!section)
            continue;
        if (cursor.failed || offset > section->size || size > section->size - offset)
            *section = (BaseCursor) BASE_CURSOR_INIT (NULL, 0);
        else
            *section = (BaseCursor) BASE_CURSOR_INIT (section->data + offset, size);
    }
    return part;
}

static void
load_type_rows (SymbolDwarf *dwarf, SymbolElf *elf, Package *package)
{
    Package types = { .whole = package->whole };
    BaseCursor section, old;
    load_section (elf, ".debug_tu_index", "", &section);
    load_section (elf, ".debug_types", ".dwo", &old);
    if (!section.size)
        return;
    if (old.size) {
        types.whole.info = old;
        types.whole.is_types = TRUE;
    }
    types.rows = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    if (read_rows (&section, &types)) {
        for (guint row = 1; row <= types.n_rows; row++) {
            SymbolPart part = cut_part (&types, row);
            symbol_units_read (dwarf, add_part (dwarf, &part));
        }
    }
    g_hash_table_unref (types.rows);
}

/* FILE.dwp beside the program or its debug file. */
static gboolean
open_package (SymbolDwarf *dwarf, Package *package)
{
    g_autofree char *real = realpath (dwarf->elf->path, NULL);
    const char *paths[] = { dwarf->elf->path, real, dwarf->debug->path };
    package->rows = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
        g_autofree char *path = g_strconcat (paths[i] ? paths[i] : "", ".dwp", NULL);
        g_autoptr (SymbolElf) elf = symbol_elf_open (path, NULL);
        BaseCursor section;
        if (!elf)
            continue;
        load_section (elf, ".debug_cu_index", "", &section);
        load_sections (elf, ".dwo", dwarf->parts->pdata[0], &package->whole);
        if (!read_rows (&section, package))
            continue;
        load_type_rows (dwarf, elf, package);
        g_ptr_array_add (dwarf->files, g_steal_pointer (&elf));
        return TRUE;
    }
    return FALSE;
}

static SymbolUnit *
find_split (const SymbolDwarf *dwarf, guint first, guint64 id)
{
    for (guint i = first; i < dwarf->units->len; i++) {
        SymbolUnit *unit = dwarf->units->pdata[i];
        if (unit->dwo_id == id && unit->part->is_split && unit->tag == DW_TAG_compile_unit
            && !unit->skeleton)
            return unit;
    }
    return NULL;
}

/* All sections of that name: each type has one, until a linker or dwp joins them. */
static void
load_split_sections (SymbolDwarf *dwarf, SymbolElf *elf, const char *name, SymbolPart *part)
{
    const SymbolSection *section = NULL;
    for (guint n = 0; n < MAX_PACKED && (section = symbol_elf_find_next (elf, name, section));
         n++) {
        part->info = (BaseCursor) BASE_CURSOR_INIT (section->data, section->size);
        symbol_units_read (dwarf, add_part (dwarf, part));
    }
}

static void
load_split_file (SymbolDwarf *dwarf, const char *path)
{
    g_autoptr (SymbolElf) elf = symbol_elf_open (path, NULL);
    SymbolPart part;
    if (!elf)
        return;
    load_sections (elf, ".dwo", dwarf->parts->pdata[0], &part);
    load_split_sections (dwarf, elf, ".debug_info.dwo", &part);
    part.is_types = TRUE;
    load_split_sections (dwarf, elf, ".debug_types.dwo", &part);
    g_ptr_array_add (dwarf->files, g_steal_pointer (&elf));
}

/* Where the compiler left the file, then beside the program, where people move both to. `seen`:
 * path to the number of its first unit + 1. */
static SymbolUnit *
find_in_files (SymbolDwarf *dwarf, const SymbolUnit *skeleton, GHashTable *seen)
{
    g_autofree char *folder = g_path_get_dirname (dwarf->elf->path);
    g_autofree char *name = g_path_get_basename (skeleton->dwo_name);
    char *paths[]
        = { join_path (skeleton->comp_dir ? skeleton->comp_dir : folder, skeleton->dwo_name),
            join_path (folder, skeleton->dwo_name), g_build_filename (folder, name, NULL) };
    SymbolUnit *found = NULL;
    for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
        guint first = GPOINTER_TO_UINT (g_hash_table_lookup (seen, paths[i]));
        if (!found && !first && g_hash_table_size (seen) < MAX_FILES) {
            first = dwarf->units->len + 1;
            g_hash_table_insert (seen, g_strdup (paths[i]), GUINT_TO_POINTER (first));
            load_split_file (dwarf, paths[i]);
        }
        if (!found && first)
            found = find_split (dwarf, first - 1, skeleton->dwo_id);
        g_free (paths[i]);
    }
    return found;
}

static SymbolUnit *
find_in_package (SymbolDwarf *dwarf, Package *package, guint64 id)
{
    guint row = GPOINTER_TO_UINT (g_hash_table_lookup (package->rows, &id));
    if (!row)
        return NULL;
    guint first = dwarf->units->len;
    SymbolPart part = cut_part (package, row);
    symbol_units_read (dwarf, add_part (dwarf, &part));
    g_hash_table_remove (package->rows, &id);
    return find_split (dwarf, first, id);
}

void
symbol_parts_load_split (SymbolDwarf *dwarf)
{
    Package package = { 0 };
    g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    gboolean opened = FALSE;
    guint n = dwarf->units->len;
    for (guint i = 0; i < n; i++) {
        SymbolUnit *skeleton = dwarf->units->pdata[i];
        if (!skeleton->dwo_name || !skeleton->dwo_id || skeleton->part->is_alternate)
            continue;
        if (!opened)
            open_package (dwarf, &package);
        opened = TRUE;
        SymbolUnit *split = find_in_package (dwarf, &package, skeleton->dwo_id);
        if (!split)
            split = find_in_files (dwarf, skeleton, seen);
        if (split)
            symbol_unit_link (skeleton, split);
        else
            note_missing (dwarf, skeleton->dwo_name);
    }
    if (package.rows)
        g_hash_table_unref (package.rows);
}
