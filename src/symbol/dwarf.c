/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows units, abbreviations and attribute forms. Leaves ranges and location lists to ranges.c,
 * line programs to lines.c. */
#include "symbol/dwarf.h"

#include <string.h>

#define MAX_CODE 65536
#define MAX_DEPTH 256

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

static gint
find_form_size (guint32 form, guint offset_size, guint address_size, guint version)
{
    switch (form) {
    case DW_FORM_addr:
        return address_size;
    case DW_FORM_flag_present: case DW_FORM_implicit_const:
        return 0;
    case DW_FORM_data1: case DW_FORM_ref1: case DW_FORM_flag: case DW_FORM_strx1:
    case DW_FORM_addrx1:
        return 1;
    case DW_FORM_data2: case DW_FORM_ref2: case DW_FORM_strx2: case DW_FORM_addrx2:
        return 2;
    case DW_FORM_strx3: case DW_FORM_addrx3:
        return 3;
    case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_strx4: case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
        return 4;
    case DW_FORM_data8: case DW_FORM_ref8: case DW_FORM_ref_sig8: case DW_FORM_ref_sup8:
        return 8;
    case DW_FORM_data16:
        return 16;
    case DW_FORM_strp: case DW_FORM_line_strp: case DW_FORM_sec_offset: case DW_FORM_strp_sup:
    case DW_FORM_GNU_ref_alt: case DW_FORM_GNU_strp_alt:
        return offset_size;
    case DW_FORM_ref_addr:
        return version <= 2 ? address_size : offset_size;
    default:
        return -1;
    }
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
        gint size = find_form_size (spec.form, table->offset_size, table->address_size,
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
    g_autofree char *key = g_strdup_printf ("%" G_GINT64_MODIFIER "x/%u/%u/%u", offset,
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
    BaseCursor cursor = dwarf->abbrev;
    base_cursor_seek (&cursor, offset);
    for (guint i = 0; i < MAX_CODE && !cursor.failed; i++) {
        guint64 code = base_cursor_read_uleb (&cursor);
        if (!code || code > G_MAXUINT32)
            break;
        read_abbrev (table, &cursor, code);
    }
    return table;
}

static const SymbolAbbrev *
find_abbrev (const SymbolAbbrevTable *table, guint64 code)
{
    if (table->by_code)
        code = code > G_MAXUINT32 ? 0
                                  : GPOINTER_TO_UINT (g_hash_table_lookup (
                                        table->by_code, GUINT_TO_POINTER ((guint) code)));
    if (!code || code > table->abbrevs->len)
        return NULL;
    return &g_array_index (table->abbrevs, SymbolAbbrev, code - 1);
}

static const char *
find_string (const BaseCursor *section, guint64 offset)
{
    if (offset >= section->size)
        return NULL;
    const char *start = (const char *) section->data + offset;
    return memchr (start, 0, section->size - offset) ? start : NULL;
}

static const char *
find_indexed_string (const SymbolDwarf *dwarf, const SymbolUnit *unit, guint64 index)
{
    if (index > G_MAXUINT32)
        return NULL;
    BaseCursor cursor = dwarf->str_offsets;
    base_cursor_seek (&cursor, unit->str_offsets_base + index * unit->offset_size);
    guint64 offset = base_cursor_read_uint (&cursor, unit->offset_size);
    return cursor.failed ? NULL : find_string (&dwarf->str, offset);
}

gboolean
symbol_unit_read_address (const SymbolDwarf *dwarf, const SymbolUnit *unit, guint64 index,
                          guint64 *ret_address)
{
    if (index > G_MAXUINT32)
        return FALSE;
    BaseCursor cursor = dwarf->addr;
    base_cursor_seek (&cursor, unit->addr_base + index * unit->address_size);
    guint64 address = base_cursor_read_uint (&cursor, unit->address_size);
    if (cursor.failed)
        return FALSE;
    *ret_address = address;
    return TRUE;
}

static void
read_reference (const SymbolUnit *unit, SymbolValue *value, guint64 offset)
{
    value->kind = SYMBOL_VALUE_REFERENCE;
    value->number = offset < unit->end - unit->offset ? unit->offset + offset : G_MAXUINT64;
}

static void
read_block (BaseCursor *cursor, SymbolValue *value, guint64 size)
{
    value->kind = SYMBOL_VALUE_BLOCK;
    value->size = size;
    value->block = base_cursor_read_bytes (cursor, size);
}

static void
set_number (SymbolValue *value, SymbolValueKind kind, guint64 number)
{
    value->kind = kind;
    value->number = number;
}

static void
set_string (SymbolValue *value, const char *string)
{
    value->kind = SYMBOL_VALUE_STRING;
    value->string = string;
}

static void
set_address (const SymbolDwarf *dwarf, const SymbolUnit *unit, SymbolValue *value,
             guint64 index)
{
    if (symbol_unit_read_address (dwarf, unit, index, &value->number))
        value->kind = SYMBOL_VALUE_ADDRESS;
}

/* References, offsets and blocks of DWARF 5 section 7.5.6. */
static void
read_other_value (const SymbolUnit *unit, BaseCursor *cursor, guint32 form, SymbolValue *value)
{
    guint offset_size = unit->offset_size;
    switch (form) {
    case DW_FORM_ref1:
        read_reference (unit, value, base_cursor_read_u8 (cursor));
        break;
    case DW_FORM_ref2:
        read_reference (unit, value, base_cursor_read_u16 (cursor));
        break;
    case DW_FORM_ref4:
        read_reference (unit, value, base_cursor_read_u32 (cursor));
        break;
    case DW_FORM_ref8:
        read_reference (unit, value, base_cursor_read_u64 (cursor));
        break;
    case DW_FORM_ref_udata:
        read_reference (unit, value, base_cursor_read_uleb (cursor));
        break;
    case DW_FORM_ref_addr:
        set_number (value, SYMBOL_VALUE_REFERENCE,
                    base_cursor_read_uint (cursor, unit->version <= 2 ? unit->address_size
                                                                      : offset_size));
        break;
    case DW_FORM_ref_sig8:
        set_number (value, SYMBOL_VALUE_SIGNATURE, base_cursor_read_u64 (cursor));
        break;
    case DW_FORM_sec_offset:
        set_number (value, SYMBOL_VALUE_OFFSET, base_cursor_read_uint (cursor, offset_size));
        break;
    case DW_FORM_loclistx: case DW_FORM_rnglistx:
        set_number (value, SYMBOL_VALUE_OFFSET, base_cursor_read_uleb (cursor));
        break;
    case DW_FORM_exprloc: case DW_FORM_block:
        read_block (cursor, value, base_cursor_read_uleb (cursor));
        break;
    case DW_FORM_block1:
        read_block (cursor, value, base_cursor_read_u8 (cursor));
        break;
    case DW_FORM_block2:
        read_block (cursor, value, base_cursor_read_u16 (cursor));
        break;
    case DW_FORM_block4:
        read_block (cursor, value, base_cursor_read_u32 (cursor));
        break;
    case DW_FORM_strp_sup: case DW_FORM_GNU_strp_alt: case DW_FORM_GNU_ref_alt:
        base_cursor_skip (cursor, offset_size);
        break;
    case DW_FORM_ref_sup4:
        base_cursor_skip (cursor, 4);
        break;
    case DW_FORM_ref_sup8:
        base_cursor_skip (cursor, 8);
        break;
    default:
        cursor->failed = TRUE;
    }
}

/* DWARF 5 section 7.5.6 */
static void
read_value (const SymbolDwarf *dwarf, const SymbolUnit *unit, BaseCursor *cursor, guint32 form,
            gint64 implicit, SymbolValue *value)
{
    guint offset_size = unit->offset_size;
    *value = (SymbolValue) { .form = form };
    switch (form) {
    case DW_FORM_addr:
        set_number (value, SYMBOL_VALUE_ADDRESS,
                    base_cursor_read_uint (cursor, unit->address_size));
        break;
    case DW_FORM_addrx: case DW_FORM_GNU_addr_index:
        set_address (dwarf, unit, value, base_cursor_read_uleb (cursor));
        break;
    case DW_FORM_addrx1: case DW_FORM_addrx2: case DW_FORM_addrx3: case DW_FORM_addrx4:
        set_address (dwarf, unit, value,
                     base_cursor_read_uint (cursor, form - DW_FORM_addrx1 + 1));
        break;
    case DW_FORM_data1:
        set_number (value, SYMBOL_VALUE_CONSTANT, base_cursor_read_u8 (cursor));
        break;
    case DW_FORM_data2:
        set_number (value, SYMBOL_VALUE_CONSTANT, base_cursor_read_u16 (cursor));
        break;
    case DW_FORM_data4:
        set_number (value, SYMBOL_VALUE_CONSTANT, base_cursor_read_u32 (cursor));
        break;
    case DW_FORM_data8:
        set_number (value, SYMBOL_VALUE_CONSTANT, base_cursor_read_u64 (cursor));
        break;
    case DW_FORM_sdata:
        set_number (value, SYMBOL_VALUE_CONSTANT, base_cursor_read_sleb (cursor));
        break;
    case DW_FORM_udata:
        set_number (value, SYMBOL_VALUE_CONSTANT, base_cursor_read_uleb (cursor));
        break;
    case DW_FORM_implicit_const:
        set_number (value, SYMBOL_VALUE_CONSTANT, implicit);
        break;
    case DW_FORM_data16:
        read_block (cursor, value, 16);
        break;
    case DW_FORM_flag:
        set_number (value, SYMBOL_VALUE_FLAG, base_cursor_read_u8 (cursor));
        break;
    case DW_FORM_flag_present:
        set_number (value, SYMBOL_VALUE_FLAG, 1);
        break;
    case DW_FORM_string:
        set_string (value, base_cursor_read_string (cursor));
        break;
    case DW_FORM_strp:
        set_string (value, find_string (&dwarf->str, base_cursor_read_uint (cursor,
                                                                            offset_size)));
        break;
    case DW_FORM_line_strp:
        set_string (value, find_string (&dwarf->line_str,
                                        base_cursor_read_uint (cursor, offset_size)));
        break;
    case DW_FORM_strx: case DW_FORM_GNU_str_index:
        set_string (value, find_indexed_string (dwarf, unit, base_cursor_read_uleb (cursor)));
        break;
    case DW_FORM_strx1: case DW_FORM_strx2: case DW_FORM_strx3: case DW_FORM_strx4:
        set_string (value, find_indexed_string (dwarf, unit, base_cursor_read_uint (
                                                    cursor, form - DW_FORM_strx1 + 1)));
        break;
    case DW_FORM_indirect: {
        guint64 real = base_cursor_read_uleb (cursor);
        if (real == DW_FORM_indirect || real == DW_FORM_implicit_const || real > G_MAXUINT32)
            cursor->failed = TRUE;
        else
            read_value (dwarf, unit, cursor, real, 0, value);
        break;
    }
    default:
        read_other_value (unit, cursor, form, value);
    }
    if (cursor->failed)
        value->kind = SYMBOL_VALUE_NONE;
}

gboolean
symbol_die_read (const SymbolDwarf *dwarf, const SymbolUnit *unit, guint64 offset,
                 SymbolDie *ret_die)
{
    if (!unit || offset < unit->first_die || offset >= unit->end || !unit->abbrevs)
        return FALSE;
    BaseCursor cursor = dwarf->info;
    cursor.size = unit->end;
    base_cursor_seek (&cursor, offset);
    guint64 code = base_cursor_read_uleb (&cursor);
    const SymbolAbbrev *abbrev = cursor.failed ? NULL : find_abbrev (unit->abbrevs, code);
    if (!abbrev)
        return FALSE;
    *ret_die = (SymbolDie) { unit, abbrev, offset, cursor.offset, abbrev->tag };
    return TRUE;
}

const SymbolUnit *
symbol_dwarf_find_unit (const SymbolDwarf *dwarf, guint64 offset)
{
    guint low = 0, high = dwarf->units->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        const SymbolUnit *unit = dwarf->units->pdata[middle];
        if (offset < unit->offset)
            high = middle;
        else if (offset >= unit->end)
            low = middle + 1;
        else
            return unit;
    }
    return NULL;
}

gboolean
symbol_die_find (const SymbolDwarf *dwarf, guint64 offset, SymbolDie *ret_die)
{
    return symbol_die_read (dwarf, symbol_dwarf_find_unit (dwarf, offset), offset, ret_die);
}

gboolean
symbol_die_get (const SymbolDwarf *dwarf, const SymbolDie *die, guint32 attribute,
                SymbolValue *ret_value)
{
    const SymbolUnit *unit = die->unit;
    const SymbolSpec *specs = &g_array_index (unit->abbrevs->specs, SymbolSpec,
                                              die->abbrev->first_spec);
    guint n = die->abbrev->n_specs, found = 0;
    while (found < n && specs[found].attribute != attribute)
        found++;
    if (found == n)
        return FALSE;
    BaseCursor cursor = dwarf->info;
    cursor.size = unit->end;
    base_cursor_seek (&cursor, die->attributes);
    for (guint i = 0; i < found; i++) {
        gint size = find_form_size (specs[i].form, unit->offset_size, unit->address_size,
                                    unit->version);
        SymbolValue skipped;
        if (size >= 0)
            base_cursor_skip (&cursor, size);
        else
            read_value (dwarf, unit, &cursor, specs[i].form, specs[i].implicit, &skipped);
    }
    read_value (dwarf, unit, &cursor, specs[found].form, specs[found].implicit, ret_value);
    if (ret_value->kind == SYMBOL_VALUE_SIGNATURE) {
        const SymbolSignature *known = g_hash_table_lookup (dwarf->signatures, &ret_value->number);
        if (known)
            set_number (ret_value, SYMBOL_VALUE_REFERENCE, known->die);
    }
    return ret_value->kind != SYMBOL_VALUE_NONE;
}

gboolean
symbol_die_get_deep (const SymbolDwarf *dwarf, const SymbolDie *die, guint32 attribute,
                     SymbolValue *ret_value)
{
    SymbolDie at = *die;
    for (guint depth = 0; depth < 8; depth++) {
        SymbolValue origin;
        if (symbol_die_get (dwarf, &at, attribute, ret_value))
            return TRUE;
        if ((!symbol_die_get (dwarf, &at, DW_AT_abstract_origin, &origin) &&
             !symbol_die_get (dwarf, &at, DW_AT_specification, &origin)) ||
            origin.kind != SYMBOL_VALUE_REFERENCE ||
            !symbol_die_find (dwarf, origin.number, &at))
            return FALSE;
    }
    return FALSE;
}

const char *
symbol_die_get_name (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    SymbolValue value;
    if (!symbol_die_get_deep (dwarf, die, DW_AT_name, &value) ||
        value.kind != SYMBOL_VALUE_STRING)
        return NULL;
    return value.string;
}

guint64
symbol_die_get_number (const SymbolDwarf *dwarf, const SymbolDie *die, guint32 attribute,
                       guint64 otherwise)
{
    SymbolValue value;
    if (!symbol_die_get_deep (dwarf, die, attribute, &value) ||
        (value.kind != SYMBOL_VALUE_CONSTANT && value.kind != SYMBOL_VALUE_FLAG))
        return otherwise;
    return value.number;
}

guint64
symbol_die_get_end (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    if (die->abbrev->fixed_size >= 0) {
        guint64 end = die->attributes + die->abbrev->fixed_size;
        return end <= die->unit->end ? end : 0;
    }
    const SymbolSpec *specs = &g_array_index (die->unit->abbrevs->specs, SymbolSpec,
                                              die->abbrev->first_spec);
    BaseCursor cursor = dwarf->info;
    cursor.size = die->unit->end;
    base_cursor_seek (&cursor, die->attributes);
    for (guint i = 0; i < die->abbrev->n_specs && !cursor.failed; i++) {
        gint size = find_form_size (specs[i].form, die->unit->offset_size,
                                    die->unit->address_size, die->unit->version);
        SymbolValue value;
        if (size >= 0)
            base_cursor_skip (&cursor, size);
        else
            read_value (dwarf, die->unit, &cursor, specs[i].form, specs[i].implicit, &value);
    }
    return cursor.failed ? 0 : cursor.offset;
}

gboolean
symbol_die_first_child (const SymbolDwarf *dwarf, const SymbolDie *die, SymbolDie *ret_child)
{
    if (!die->abbrev->has_children)
        return FALSE;
    guint64 end = symbol_die_get_end (dwarf, die);
    return end && symbol_die_read (dwarf, die->unit, end, ret_child);
}

/* Where the sibling begins when it is not said: past all descendants. 0 when broken. */
static guint64
skip_children (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    guint64 at = symbol_die_get_end (dwarf, die);
    guint depth = 1;
    while (at && at < die->unit->end && depth) {
        SymbolDie child;
        SymbolValue sibling;
        if (!symbol_die_read (dwarf, die->unit, at, &child)) {
            BaseCursor cursor = dwarf->info;
            if (dwarf->info.data[at] != 0)
                return 0;
            base_cursor_seek (&cursor, at);
            base_cursor_read_uleb (&cursor);
            at = cursor.failed ? 0 : cursor.offset;
            depth--;
            continue;
        }
        if (child.abbrev->has_children &&
            symbol_die_get (dwarf, &child, DW_AT_sibling, &sibling) &&
            sibling.kind == SYMBOL_VALUE_REFERENCE && sibling.number > at &&
            sibling.number < die->unit->end) {
            at = sibling.number;
            continue;
        }
        at = symbol_die_get_end (dwarf, &child);
        depth += child.abbrev->has_children ? 1 : 0;
        if (depth > MAX_DEPTH)
            return 0;
    }
    return depth ? 0 : at;
}

gboolean
symbol_die_next (const SymbolDwarf *dwarf, const SymbolDie *die, SymbolDie *ret_sibling)
{
    guint64 at;
    SymbolValue sibling;
    if (!die->abbrev->has_children)
        at = symbol_die_get_end (dwarf, die);
    else if (symbol_die_get (dwarf, die, DW_AT_sibling, &sibling) &&
             sibling.kind == SYMBOL_VALUE_REFERENCE && sibling.number > die->offset)
        at = sibling.number;
    else
        at = skip_children (dwarf, die);
    return at > die->offset && symbol_die_read (dwarf, die->unit, at, ret_sibling);
}

static JobLanguage
find_language (guint64 code)
{
    switch (code) {
    case DW_LANG_C89: case DW_LANG_C: case DW_LANG_C99: case DW_LANG_C11: case 0x2c:
        return JOB_LANGUAGE_C;
    case DW_LANG_C_plus_plus: case DW_LANG_C_plus_plus_03: case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14: case 0x2b:
        return JOB_LANGUAGE_CXX;
    case DW_LANG_Fortran77: case DW_LANG_Fortran90: case DW_LANG_Fortran95:
    case DW_LANG_Fortran03: case DW_LANG_Fortran08: case 0x2d:
        return JOB_LANGUAGE_FORTRAN;
    case DW_LANG_Mips_Assembler:
        return JOB_LANGUAGE_ASSEMBLER;
    default:
        return JOB_LANGUAGE_UNKNOWN;
    }
}

static guint64
get_base (const SymbolDwarf *dwarf, const SymbolDie *die, guint32 attribute, guint64 otherwise)
{
    SymbolValue value;
    if (symbol_die_get (dwarf, die, attribute, &value) &&
        (value.kind == SYMBOL_VALUE_OFFSET || value.kind == SYMBOL_VALUE_CONSTANT))
        return value.number;
    return otherwise;
}

static void
read_unit_die (const SymbolDwarf *dwarf, SymbolUnit *unit)
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
    if (symbol_die_get (dwarf, &die, DW_AT_low_pc, &value) &&
        value.kind == SYMBOL_VALUE_ADDRESS) {
        unit->has_low = TRUE;
        unit->low = value.number;
    }
    unit->stmt_list = get_base (dwarf, &die, DW_AT_stmt_list, G_MAXUINT64);
    unit->has_lines = unit->stmt_list != G_MAXUINT64;
    if (symbol_die_get (dwarf, &die, DW_AT_name, &value))
        unit->name = value.string;
    unit->keeps_registers = symbol_die_get (dwarf, &die, DW_AT_producer, &value) &&
                            value.string && g_str_has_prefix (value.string, "GNU ");
    if (symbol_die_get (dwarf, &die, DW_AT_comp_dir, &value))
        unit->comp_dir = value.string;
    unit->language = find_language (symbol_die_get_number (dwarf, &die, DW_AT_language, 0));
}

static void
load_cursor (SymbolDwarf *dwarf, const char *name, BaseCursor *cursor)
{
    const SymbolSection *section = symbol_elf_find_section (dwarf->debug, name);
    if (section)
        *cursor = (BaseCursor) BASE_CURSOR_INIT (section->data, section->size);
}

static void
read_signature (SymbolDwarf *dwarf, const SymbolUnit *unit, BaseCursor *cursor)
{
    guint64 signature = base_cursor_read_u64 (cursor);
    guint64 offset = base_cursor_read_uint (cursor, unit->offset_size);
    if (cursor->failed || offset >= unit->end - unit->offset)
        return;
    SymbolSignature *known = g_new (SymbolSignature, 1);
    *known = (SymbolSignature) { signature, unit->offset + offset };
    g_hash_table_replace (dwarf->signatures, &known->signature, known);
}

/* .debug_types (DWARF 4) behind .debug_info: one space of offsets. Where it begins. */
static guint64
join_types (SymbolDwarf *dwarf)
{
    BaseCursor types = { 0 };
    gsize size = dwarf->info.size;
    load_cursor (dwarf, ".debug_types", &types);
    if (!types.size || !(dwarf->joined = g_try_malloc (size + types.size)))
        return G_MAXUINT64;
    if (size)
        memcpy (dwarf->joined, dwarf->info.data, size);
    memcpy (dwarf->joined + size, types.data, types.size);
    dwarf->info = (BaseCursor) BASE_CURSOR_INIT (dwarf->joined, size + types.size);
    return size;
}

/* One header at cursor, which moves to the next unit. NULL for what cannot be read. */
static SymbolUnit *
read_unit (SymbolDwarf *dwarf, BaseCursor *cursor, guint64 types)
{
    g_autofree SymbolUnit *unit = g_new0 (SymbolUnit, 1);
    unit->offset = cursor->offset;
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
    guint64 start = cursor->offset;
    unit->end = start + length;
    unit->version = base_cursor_read_u16 (cursor);
    guint64 abbrev;
    guint type = DW_UT_compile;
    if (unit->version >= 5) {
        type = base_cursor_read_u8 (cursor);
        unit->address_size = base_cursor_read_u8 (cursor);
        abbrev = base_cursor_read_uint (cursor, unit->offset_size);
        if (type == DW_UT_skeleton || type == DW_UT_split_compile)
            base_cursor_skip (cursor, 8);
        else if (type == DW_UT_type || type == DW_UT_split_type)
            read_signature (dwarf, unit, cursor);
    } else {
        abbrev = base_cursor_read_uint (cursor, unit->offset_size);
        unit->address_size = base_cursor_read_u8 (cursor);
        if (unit->offset >= types)
            read_signature (dwarf, unit, cursor);
    }
    unit->first_die = cursor->offset;
    gboolean good = !cursor->failed && unit->version >= 2 && unit->version <= 5 &&
                    (unit->address_size == 8 || unit->address_size == 4) &&
                    unit->first_die < unit->end && abbrev < dwarf->abbrev.size;
    cursor->failed = FALSE;
    base_cursor_seek (cursor, unit->end);
    if (!good)
        return NULL;
    unit->abbrevs = load_table (dwarf, unit, abbrev);
    read_unit_die (dwarf, unit);
    return g_steal_pointer (&unit);
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
    dwarf->units = g_ptr_array_new_with_free_func (g_free);
    dwarf->abbrev_tables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_table);
    load_cursor (dwarf, ".debug_info", &dwarf->info);
    load_cursor (dwarf, ".debug_abbrev", &dwarf->abbrev);
    load_cursor (dwarf, ".debug_str", &dwarf->str);
    load_cursor (dwarf, ".debug_line_str", &dwarf->line_str);
    load_cursor (dwarf, ".debug_str_offsets", &dwarf->str_offsets);
    load_cursor (dwarf, ".debug_addr", &dwarf->addr);
    load_cursor (dwarf, ".debug_ranges", &dwarf->ranges);
    load_cursor (dwarf, ".debug_rnglists", &dwarf->rnglists);
    load_cursor (dwarf, ".debug_loc", &dwarf->loc);
    load_cursor (dwarf, ".debug_loclists", &dwarf->loclists);
    load_cursor (dwarf, ".debug_line", &dwarf->line);
    dwarf->signatures = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
    guint64 types = join_types (dwarf);
    BaseCursor cursor = dwarf->info;
    while (!cursor.failed && base_cursor_get_left (&cursor) > 11) {
        SymbolUnit *unit = read_unit (dwarf, &cursor, types);
        if (unit)
            g_ptr_array_add (dwarf->units, unit);
    }
    return dwarf;
}

void
symbol_dwarf_free (SymbolDwarf *dwarf)
{
    if (!dwarf)
        return;
    g_ptr_array_unref (dwarf->units);
    g_hash_table_unref (dwarf->abbrev_tables);
    g_hash_table_unref (dwarf->signatures);
    g_free (dwarf->joined);
    if (dwarf->owns_debug)
        symbol_elf_free (dwarf->debug);
    symbol_elf_free (dwarf->elf);
    g_free (dwarf);
}
