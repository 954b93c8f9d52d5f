/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads abbreviations, the headers of units, and the attributes of a unit's first entry. */
#include "symbol/dwarf-private.h"

#define MAX_CODE 65536

static void
free_table (gpointer data)
{
    SymbolAbbrevTable *table = data;
    g_array_unref (table->abbrevs);
    g_array_unref (table->specs);
    if (table->by_code)
        g_hash_table_unref (table->by_code);
    g_free (table);
}

static void
read_abbrev (SymbolAbbrevTable *table, BaseCursor *cursor, guint32 code)
{
    SymbolAbbrev abbrev = { code, base_cursor_read_uleb (cursor), 0, 0, table->specs->len, 0 };
    abbrev.has_children = base_cursor_read_u8 (cursor) != 0;
    while (!cursor->failed) {
        SymbolSpec spec = { base_cursor_read_uleb (cursor), base_cursor_read_uleb (cursor), 0 };
        if (spec.form == DW_FORM_implicit_const)
            spec.implicit = base_cursor_read_sleb (cursor);
        if (!spec.attribute && !spec.form)
            break;
        gint size = symbol_form_get_size (spec.form, table->offset_size, table->address_size,
                                          table->version);
        abbrev.fixed_size = size < 0 || abbrev.fixed_size < 0 ? -1 : abbrev.fixed_size + size;
        g_array_append_val (table->specs, spec);
        abbrev.n_specs++;
    }
    if (cursor->failed)
        return;
    g_array_append_val (table->abbrevs, abbrev);
    if (code != table->abbrevs->len && !table->by_code) {
        table->by_code = g_hash_table_new (NULL, NULL);
        for (guint i = 0; i + 1 < table->abbrevs->len; i++)
            g_hash_table_insert (table->by_code, GUINT_TO_POINTER (i + 1),
                                 GUINT_TO_POINTER (i + 1));
    }
    if (table->by_code)
        g_hash_table_insert (table->by_code, GUINT_TO_POINTER (code),
                             GUINT_TO_POINTER (table->abbrevs->len));
}

static SymbolAbbrevTable *
load_table (SymbolDwarf *dwarf, const SymbolUnit *unit, guint64 offset)
{
    g_autofree char *key = g_strdup_printf ("%p/%" G_GINT64_MODIFIER "x/%u/%u/%u",
                                            (const void *) unit->part->abbrev.data, offset,
                                            unit->offset_size, unit->address_size,
                                            unit->version);
    SymbolAbbrevTable *table = g_hash_table_lookup (dwarf->abbrev_tables, key);
    if (table)
        return table;
    table = g_new0 (SymbolAbbrevTable, 1);
    table->abbrevs = g_array_new (FALSE, FALSE, sizeof (SymbolAbbrev));
    table->specs = g_array_new (FALSE, FALSE, sizeof (SymbolSpec));
    table->offset_size = unit->offset_size;
    table->address_size = unit->address_size;
    table->version = unit->version;
    g_hash_table_insert (dwarf->abbrev_tables, g_steal_pointer (&key), table);
    BaseCursor cursor = unit->part->abbrev;
    base_cursor_seek (&cursor, offset);
    for (guint i = 0; i < MAX_CODE && !cursor.failed; i++) {
        guint64 code = base_cursor_read_uleb (&cursor);
        if (!code || code > G_MAXUINT32)
            break;
        read_abbrev (table, &cursor, code);
    }
    return table;
}

#define DW_AT_LANGUAGE_NAME 0x90 /* DWARF 6 */

static JobLanguage
find_language (guint64 code)
{
    switch (code) {
    case DW_LANG_C89:
    case DW_LANG_C:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case 0x2c: /* C17 */
    case 0x3e: /* C23 */ return JOB_LANGUAGE_C;
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2a: /* C++17 */
    case 0x2b: /* C++20 */
    case 0x3a: /* C++23 */ return JOB_LANGUAGE_CXX;
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
    case 0x2d: /* Fortran 2018 */
    case 0x3f: /* Fortran 2023 */ return JOB_LANGUAGE_FORTRAN;
    case 0x31:
    case DW_LANG_Mips_Assembler: return JOB_LANGUAGE_ASSEMBLER;
    default: return JOB_LANGUAGE_UNKNOWN;
    }
}

/* DWARF 6 names the language without its version; GCC 15 and clang 20 write that beside DWARF 5. */
static JobLanguage
find_language_name (guint64 name)
{
    switch (name) {
    case 0x03: return JOB_LANGUAGE_C;
    case 0x04: return JOB_LANGUAGE_CXX;
    case 0x09: return JOB_LANGUAGE_FORTRAN;
    default: return JOB_LANGUAGE_UNKNOWN;
    }
}

static guint64
get_base (const SymbolDwarf *dwarf, const SymbolDie *die, guint32 attribute, guint64 otherwise)
{
    SymbolValue value;
    if (symbol_die_get (dwarf, die, attribute, &value)
        && (value.kind == SYMBOL_VALUE_OFFSET || value.kind == SYMBOL_VALUE_CONSTANT))
        return value.number;
    return otherwise;
}

static void
read_first_die (const SymbolDwarf *dwarf, SymbolUnit *unit)
{
    SymbolDie die;
    SymbolValue value;
    if (!symbol_die_read (dwarf, unit, unit->first_die, &die))
        return;
    guint header = unit->offset_size == 8 ? 16 : 8, lists = unit->offset_size == 8 ? 20 : 12;
    gboolean five = unit->version >= 5;
    unit->tag = die.tag;
    unit->str_offsets_base = get_base (dwarf, &die, DW_AT_str_offsets_base, five ? header : 0);
    unit->addr_base = get_base (dwarf, &die, DW_AT_addr_base,
                                get_base (dwarf, &die, DW_AT_GNU_addr_base, five ? header : 0));
    unit->rnglists_base = get_base (dwarf, &die, DW_AT_rnglists_base, five ? lists : 0);
    unit->loclists_base = get_base (dwarf, &die, DW_AT_loclists_base, five ? lists : 0);
    if (symbol_die_get (dwarf, &die, DW_AT_low_pc, &value)
        && value.kind == SYMBOL_VALUE_ADDRESS) {
        unit->has_low = TRUE;
        unit->low = value.number;
    }
    unit->stmt_list = get_base (dwarf, &die, DW_AT_stmt_list, G_MAXUINT64);
    unit->has_lines = unit->stmt_list != G_MAXUINT64;
    if (symbol_die_get (dwarf, &die, DW_AT_name, &value))
        unit->name = value.string;
    unit->keeps_registers = symbol_die_get (dwarf, &die, DW_AT_producer, &value) && value.string
                            && g_str_has_prefix (value.string, "GNU ");
    if (symbol_die_get (dwarf, &die, DW_AT_comp_dir, &value))
        unit->comp_dir = value.string;
    if (symbol_die_get (dwarf, &die, DW_AT_dwo_name, &value)
        || symbol_die_get (dwarf, &die, DW_AT_GNU_dwo_name, &value))
        unit->dwo_name = unit->part->is_split ? NULL : value.string;
    if (!five)
        unit->dwo_id = symbol_die_get_number (dwarf, &die, DW_AT_GNU_dwo_id, 0);
    unit->ranges_base = get_base (dwarf, &die, DW_AT_GNU_ranges_base, 0);
    unit->language = find_language (symbol_die_get_number (dwarf, &die, DW_AT_language, 0));
    if (unit->language == JOB_LANGUAGE_UNKNOWN)
        unit->language = find_language_name (symbol_die_get_number (dwarf, &die,
                                                                    DW_AT_LANGUAGE_NAME, 0));
}

static void
read_signature (SymbolDwarf *dwarf, const SymbolUnit *unit, BaseCursor *cursor)
{
    guint64 signature = base_cursor_read_u64 (cursor);
    guint64 offset = base_cursor_read_uint (cursor, unit->offset_size);
    if (cursor->failed || offset >= unit->end - unit->offset)
        return;
    SymbolSignature *known = g_new (SymbolSignature, 1);
    *known = (SymbolSignature){ signature, unit->offset + offset };
    g_hash_table_replace (dwarf->signatures, &known->signature, known);
}

/* One header at cursor, which moves to the next unit. NULL for what cannot be read. */
static SymbolUnit *
read_unit (SymbolDwarf *dwarf, const SymbolPart *part, BaseCursor *cursor)
{
    g_autofree SymbolUnit *unit = g_new0 (SymbolUnit, 1);
    unit->part = part;
    unit->offset = part->base + cursor->offset;
    unit->offset_size = 4;
    guint64 length = base_cursor_read_u32 (cursor);
    if (length == 0xffffffff) {
        unit->offset_size = 8;
        length = base_cursor_read_u64 (cursor);
    }
    if (cursor->failed || length > base_cursor_get_left (cursor)) {
        cursor->failed = TRUE;
        return NULL;
    }
    guint64 start = part->base + cursor->offset;
    unit->end = start + length;
    unit->version = base_cursor_read_u16 (cursor);
    guint64 abbrev;
    guint type = DW_UT_compile;
    if (unit->version >= 5) {
        type = base_cursor_read_u8 (cursor);
        unit->address_size = base_cursor_read_u8 (cursor);
        abbrev = base_cursor_read_uint (cursor, unit->offset_size);
        if (type == DW_UT_skeleton || type == DW_UT_split_compile)
            unit->dwo_id = base_cursor_read_u64 (cursor);
        else if (type == DW_UT_type || type == DW_UT_split_type)
            read_signature (dwarf, unit, cursor);
    } else {
        abbrev = base_cursor_read_uint (cursor, unit->offset_size);
        unit->address_size = base_cursor_read_u8 (cursor);
        if (part->is_types)
            read_signature (dwarf, unit, cursor);
    }
    unit->first_die = part->base + cursor->offset;
    gboolean good = !cursor->failed && unit->version >= 2 && unit->version <= 5
                    && (unit->address_size == 8 || unit->address_size == 4)
                    && unit->first_die < unit->end && abbrev < part->abbrev.size;
    cursor->failed = FALSE;
    base_cursor_seek (cursor, unit->end - part->base);
    if (!good)
        return NULL;
    unit->abbrevs = load_table (dwarf, unit, abbrev);
    read_first_die (dwarf, unit);
    return g_steal_pointer (&unit);
}

void
symbol_units_read (SymbolDwarf *dwarf, const SymbolPart *part)
{
    BaseCursor cursor = part->info;
    while (!cursor.failed && base_cursor_get_left (&cursor) > 11) {
        SymbolUnit *unit = read_unit (dwarf, part, &cursor);
        if (unit)
            g_ptr_array_add (dwarf->units, unit);
    }
}

void
symbol_unit_link (SymbolUnit *skeleton, SymbolUnit *split)
{
    skeleton->split = split;
    split->skeleton = skeleton;
    split->addr_base = skeleton->addr_base;
    split->ranges_base = skeleton->ranges_base;
    split->has_low = skeleton->has_low;
    split->low = skeleton->low;
    if (!split->comp_dir)
        split->comp_dir = skeleton->comp_dir;
}

void
symbol_unit_read_ranges (const SymbolDwarf *dwarf, const SymbolUnit *unit, GArray *ranges)
{
    const SymbolUnit *said = unit->skeleton ? unit->skeleton : unit;
    SymbolDie root;
    if (symbol_die_read (dwarf, said, said->first_die, &root))
        symbol_die_read_ranges (dwarf, &root, ranges);
}

SymbolDwarf *
symbol_dwarf_new (SymbolElf *elf)
{
    SymbolDwarf *dwarf = g_new0 (SymbolDwarf, 1);
    dwarf->elf = elf;
    dwarf->debug = symbol_elf_open_debug (elf);
    dwarf->owns_debug = dwarf->debug != NULL;
    if (!dwarf->debug)
        dwarf->debug = elf;
    dwarf->files = g_ptr_array_new_with_free_func ((GDestroyNotify) symbol_elf_free);
    dwarf->parts = g_ptr_array_new_with_free_func (g_free);
    dwarf->units = g_ptr_array_new_with_free_func (g_free);
    dwarf->abbrev_tables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_table);
    dwarf->signatures = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
    symbol_parts_load (dwarf);
    symbol_parts_load_split (dwarf);
    return dwarf;
}

void
symbol_dwarf_free (SymbolDwarf *dwarf)
{
    if (!dwarf)
        return;
    g_ptr_array_unref (dwarf->units);
    g_ptr_array_unref (dwarf->parts);
    g_hash_table_unref (dwarf->abbrev_tables);
    g_hash_table_unref (dwarf->signatures);
    g_ptr_array_unref (dwarf->files);
    g_free (dwarf->missing);
    if (dwarf->owns_debug)
        symbol_elf_free (dwarf->debug);
    symbol_elf_free (dwarf->elf);
    g_free (dwarf);
}
