/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows entries and attribute forms. Leaves units to units.c, the files they lie in to parts.c,
 * ranges and location lists to ranges.c, line programs to lines.c. */
#include <string.h>

#include "symbol/dwarf-private.h"

#define MAX_DEPTH 256

gint
symbol_form_get_size (guint32 form, guint offset_size, guint address_size, guint version)
{
    switch (form) {
    case DW_FORM_addr: return address_size;
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const: return 0;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1: return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2: return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3: return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4: return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8: return 8;
    case DW_FORM_data16: return 16;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt: return offset_size;
    case DW_FORM_ref_addr: return version <= 2 ? address_size : offset_size;
    default: return -1;
    }
}

static const SymbolAbbrev *
find_abbrev (const SymbolAbbrevTable *table, guint64 code)
{
    if (table->by_code)
        code = code > G_MAXUINT32
                   ? 0
                   : GPOINTER_TO_UINT (g_hash_table_lookup (table->by_code,
                                                            GUINT_TO_POINTER ((guint) code)));
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
    /* as nearly all sections of strings do */
    if (!section->data[section->size - 1])
        return start;
    return memchr (start, 0, section->size - offset) ? start : NULL;
}

static const char *
find_indexed_string (const SymbolUnit *unit, guint64 index)
{
    if (index > G_MAXUINT32)
        return NULL;
    BaseCursor cursor = unit->part->str_offsets;
    base_cursor_seek (&cursor, unit->str_offsets_base + index * unit->offset_size);
    guint64 offset = base_cursor_read_uint (&cursor, unit->offset_size);
    return cursor.failed ? NULL : find_string (&unit->part->str, offset);
}

gboolean
symbol_unit_read_address (const SymbolDwarf *dwarf, const SymbolUnit *unit, guint64 index,
                          guint64 *ret_address)
{
    if (index > G_MAXUINT32)
        return FALSE;
    BaseCursor cursor = unit->part->addr;
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

/* In the whole of a file's units; G_MAXUINT64 for what points nowhere. */
static void
read_far_reference (const SymbolPart *part, SymbolValue *value, guint64 offset)
{
    value->kind = SYMBOL_VALUE_REFERENCE;
    value->number = part && offset < part->info.size ? part->base + offset : G_MAXUINT64;
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
    case DW_FORM_ref1: read_reference (unit, value, base_cursor_read_u8 (cursor)); break;
    case DW_FORM_ref2: read_reference (unit, value, base_cursor_read_u16 (cursor)); break;
    case DW_FORM_ref4: read_reference (unit, value, base_cursor_read_u32 (cursor)); break;
    case DW_FORM_ref8: read_reference (unit, value, base_cursor_read_u64 (cursor)); break;
    case DW_FORM_ref_udata: read_reference (unit, value, base_cursor_read_uleb (cursor)); break;
    case DW_FORM_ref_addr:
        read_far_reference (unit->part, value,
                            base_cursor_read_uint (cursor, unit->version <= 2
                                                               ? unit->address_size
                                                               : offset_size));
        break;
    case DW_FORM_ref_sig8:
        set_number (value, SYMBOL_VALUE_SIGNATURE, base_cursor_read_u64 (cursor));
        break;
    case DW_FORM_sec_offset:
        set_number (value, SYMBOL_VALUE_OFFSET, base_cursor_read_uint (cursor, offset_size));
        break;
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
        set_number (value, SYMBOL_VALUE_OFFSET, base_cursor_read_uleb (cursor));
        break;
    case DW_FORM_exprloc:
    case DW_FORM_block: read_block (cursor, value, base_cursor_read_uleb (cursor)); break;
    case DW_FORM_block1: read_block (cursor, value, base_cursor_read_u8 (cursor)); break;
    case DW_FORM_block2: read_block (cursor, value, base_cursor_read_u16 (cursor)); break;
    case DW_FORM_block4: read_block (cursor, value, base_cursor_read_u32 (cursor)); break;
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt: {
        guint64 offset = base_cursor_read_uint (cursor, offset_size);
        set_string (value, unit->part->alternate
                               ? find_string (&unit->part->alternate->str, offset)
                               : NULL);
        break;
    }
    case DW_FORM_GNU_ref_alt:
        read_far_reference (unit->part->alternate, value,
                            base_cursor_read_uint (cursor, offset_size));
        break;
    case DW_FORM_ref_sup4:
        read_far_reference (unit->part->alternate, value, base_cursor_read_u32 (cursor));
        break;
    case DW_FORM_ref_sup8:
        read_far_reference (unit->part->alternate, value, base_cursor_read_u64 (cursor));
        break;
    default: cursor->failed = TRUE;
    }
}

/* DWARF 5 section 7.5.6 */
static void
read_value (const SymbolDwarf *dwarf, const SymbolUnit *unit, BaseCursor *cursor, guint32 form,
            gint64 implicit, SymbolValue *value)
{
    guint offset_size = unit->offset_size;
    *value = (SymbolValue){ .form = form };
    switch (form) {
    case DW_FORM_addr:
        set_number (value, SYMBOL_VALUE_ADDRESS,
                    base_cursor_read_uint (cursor, unit->address_size));
        break;
    case DW_FORM_addrx:
    case DW_FORM_GNU_addr_index:
        set_address (dwarf, unit, value, base_cursor_read_uleb (cursor));
        break;
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
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
    case DW_FORM_implicit_const: set_number (value, SYMBOL_VALUE_CONSTANT, implicit); break;
    case DW_FORM_data16: read_block (cursor, value, 16); break;
    case DW_FORM_flag:
        set_number (value, SYMBOL_VALUE_FLAG, base_cursor_read_u8 (cursor));
        break;
    case DW_FORM_flag_present: set_number (value, SYMBOL_VALUE_FLAG, 1); break;
    case DW_FORM_string: set_string (value, base_cursor_read_string (cursor)); break;
    case DW_FORM_strp:
        set_string (value, find_string (&unit->part->str,
                                        base_cursor_read_uint (cursor, offset_size)));
        break;
    case DW_FORM_line_strp:
        set_string (value, find_string (&unit->part->line_str,
                                        base_cursor_read_uint (cursor, offset_size)));
        break;
    case DW_FORM_strx:
    case DW_FORM_GNU_str_index:
        set_string (value, find_indexed_string (unit, base_cursor_read_uleb (cursor)));
        break;
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
        set_string (value,
                    find_indexed_string (unit,
                                         base_cursor_read_uint (cursor,
                                                                form - DW_FORM_strx1 + 1)));
        break;
    case DW_FORM_indirect: {
        guint64 real = base_cursor_read_uleb (cursor);
        if (real == DW_FORM_indirect || real == DW_FORM_implicit_const || real > G_MAXUINT32)
            cursor->failed = TRUE;
        else
            read_value (dwarf, unit, cursor, real, 0, value);
        break;
    }
    default: read_other_value (unit, cursor, form, value);
    }
    if (cursor->failed)
        value->kind = SYMBOL_VALUE_NONE;
}

/* At an offset of the space that all parts share. */
static BaseCursor
open_cursor (const SymbolUnit *unit, guint64 offset)
{
    BaseCursor cursor = unit->part->info;
    cursor.size = unit->end - unit->part->base;
    base_cursor_seek (&cursor, offset - unit->part->base);
    return cursor;
}

gboolean
symbol_die_read (const SymbolDwarf *dwarf, const SymbolUnit *unit, guint64 offset,
                 SymbolDie *ret_die)
{
    if (!unit || offset < unit->first_die || offset >= unit->end || !unit->abbrevs)
        return FALSE;
    BaseCursor cursor = open_cursor (unit, offset);
    guint64 code = base_cursor_read_uleb (&cursor);
    const SymbolAbbrev *abbrev = cursor.failed ? NULL : find_abbrev (unit->abbrevs, code);
    if (!abbrev)
        return FALSE;
    *ret_die = (SymbolDie){ unit,        abbrev,   offset, unit->part->base + cursor.offset,
                            abbrev->tag, unit->end };
    return TRUE;
}

void
symbol_form_read (const SymbolDwarf *dwarf, const SymbolUnit *unit, BaseCursor *cursor,
                  guint32 form, gint64 implicit, SymbolValue *value)
{
    read_value (dwarf, unit, cursor, form, implicit, value);
}

const SymbolAbbrev *
symbol_abbrev_find (const SymbolAbbrevTable *table, guint64 code)
{
    return find_abbrev (table, code);
}

BaseCursor
symbol_unit_open (const SymbolDwarf *dwarf, const SymbolUnit *unit, guint64 offset)
{
    return open_cursor (unit, offset);
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
    BaseCursor cursor = open_cursor (unit, die->attributes);
    for (guint i = 0; i < found; i++) {
        gint size = symbol_form_get_size (specs[i].form, unit->offset_size, unit->address_size,
                                          unit->version);
        SymbolValue skipped;
        if (size >= 0)
            base_cursor_skip (&cursor, size);
        else
            read_value (dwarf, unit, &cursor, specs[i].form, specs[i].implicit, &skipped);
    }
    read_value (dwarf, unit, &cursor, specs[found].form, specs[found].implicit, ret_value);
    if (ret_value->kind == SYMBOL_VALUE_SIGNATURE) {
        const SymbolSignature *known = g_hash_table_lookup (dwarf->signatures,
                                                            &ret_value->number);
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
        if ((!symbol_die_get (dwarf, &at, DW_AT_abstract_origin, &origin)
             && !symbol_die_get (dwarf, &at, DW_AT_specification, &origin))
            || origin.kind != SYMBOL_VALUE_REFERENCE
            || !symbol_die_find (dwarf, origin.number, &at))
            return FALSE;
    }
    return FALSE;
}

gboolean
symbol_die_is_declaration (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    SymbolDie at = *die;
    SymbolValue value;
    for (guint depth = 0; depth < 8; depth++) {
        if (symbol_die_get (dwarf, &at, DW_AT_location, &value)
            || symbol_die_get (dwarf, &at, DW_AT_const_value, &value))
            return FALSE;
        if (symbol_die_get (dwarf, &at, DW_AT_declaration, &value))
            return TRUE;
        /* what has a specification defines it */
        if (!symbol_die_get (dwarf, &at, DW_AT_abstract_origin, &value)
            || value.kind != SYMBOL_VALUE_REFERENCE
            || !symbol_die_find (dwarf, value.number, &at))
            return FALSE;
    }
    return FALSE;
}

const char *
symbol_die_get_name (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    SymbolValue value;
    if (!symbol_die_get_deep (dwarf, die, DW_AT_name, &value)
        || value.kind != SYMBOL_VALUE_STRING)
        return NULL;
    return value.string;
}

const char *
symbol_die_get_scope_name (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    SymbolValue value;
    SymbolDie type;
    if (symbol_die_get (dwarf, die, DW_AT_name, &value))
        return value.kind == SYMBOL_VALUE_STRING ? value.string : NULL;
    if (!symbol_die_get (dwarf, die, DW_AT_signature, &value)
        || value.kind != SYMBOL_VALUE_REFERENCE || !symbol_die_find (dwarf, value.number, &type)
        || !symbol_die_get (dwarf, &type, DW_AT_name, &value))
        return NULL;
    return value.kind == SYMBOL_VALUE_STRING ? value.string : NULL;
}

guint64
symbol_die_get_number (const SymbolDwarf *dwarf, const SymbolDie *die, guint32 attribute,
                       guint64 otherwise)
{
    SymbolValue value;
    if (!symbol_die_get_deep (dwarf, die, attribute, &value)
        || (value.kind != SYMBOL_VALUE_CONSTANT && value.kind != SYMBOL_VALUE_FLAG))
        return otherwise;
    return value.number;
}

/* First offset after the attributes; 0 when broken. */
static guint64
get_end (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    if (die->abbrev->fixed_size >= 0) {
        guint64 end = die->attributes + die->abbrev->fixed_size;
        return end <= die->unit->end ? end : 0;
    }
    const SymbolSpec *specs = &g_array_index (die->unit->abbrevs->specs, SymbolSpec,
                                              die->abbrev->first_spec);
    BaseCursor cursor = open_cursor (die->unit, die->attributes);
    for (guint i = 0; i < die->abbrev->n_specs && !cursor.failed; i++) {
        gint size = symbol_form_get_size (specs[i].form, die->unit->offset_size,
                                          die->unit->address_size, die->unit->version);
        SymbolValue value;
        if (size >= 0)
            base_cursor_skip (&cursor, size);
        else
            read_value (dwarf, die->unit, &cursor, specs[i].form, specs[i].implicit, &value);
    }
    return cursor.failed ? 0 : die->unit->part->base + cursor.offset;
}

/* Where the entry says that its sibling begins; 0 when it does not, or says nonsense. */
static guint64
find_sibling (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    SymbolValue sibling;
    if (!symbol_die_get (dwarf, die, DW_AT_sibling, &sibling)
        || sibling.kind != SYMBOL_VALUE_REFERENCE || sibling.number <= die->offset
        || sibling.number > die->limit)
        return 0;
    return sibling.number;
}

static gboolean
read_before (const SymbolDwarf *dwarf, const SymbolUnit *unit, guint64 offset, guint64 limit,
             SymbolDie *ret_die)
{
    if (offset >= limit || !symbol_die_read (dwarf, unit, offset, ret_die))
        return FALSE;
    ret_die->limit = limit;
    return TRUE;
}

gboolean
symbol_die_first_child (const SymbolDwarf *dwarf, const SymbolDie *die, SymbolDie *ret_child)
{
    if (!die->abbrev->has_children)
        return FALSE;
    guint64 end = get_end (dwarf, die), sibling = find_sibling (dwarf, die);
    return end
           && read_before (dwarf, die->unit, end, sibling ? sibling : die->limit, ret_child);
}

/* Where the sibling begins when it is not said: past all descendants. 0 when broken. */
static guint64
skip_children (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    guint64 at = get_end (dwarf, die);
    guint depth = 1;
    while (at && at < die->unit->end && depth) {
        SymbolDie child;
        SymbolValue sibling;
        if (!symbol_die_read (dwarf, die->unit, at, &child)) {
            BaseCursor cursor = open_cursor (die->unit, at);
            if (base_cursor_read_uleb (&cursor) != 0)
                return 0;
            at = cursor.failed ? 0 : die->unit->part->base + cursor.offset;
            depth--;
            continue;
        }
        if (child.abbrev->has_children
            && symbol_die_get (dwarf, &child, DW_AT_sibling, &sibling)
            && sibling.kind == SYMBOL_VALUE_REFERENCE && sibling.number > at
            && sibling.number < die->unit->end) {
            at = sibling.number;
            continue;
        }
        at = get_end (dwarf, &child);
        depth += child.abbrev->has_children ? 1 : 0;
        if (depth > MAX_DEPTH)
            return 0;
    }
    return depth ? 0 : at;
}

gboolean
symbol_die_next (const SymbolDwarf *dwarf, const SymbolDie *die, SymbolDie *ret_sibling)
{
    guint64 at = die->abbrev->has_children ? find_sibling (dwarf, die) : get_end (dwarf, die);
    if (!at && die->abbrev->has_children)
        at = skip_children (dwarf, die);
    return at > die->offset && read_before (dwarf, die->unit, at, die->limit, ret_sibling);
}

void
symbol_value_read (const SymbolDwarf *dwarf, const SymbolUnit *unit, BaseCursor *cursor,
                   guint64 form, SymbolValue *ret_value)
{
    if (form > G_MAXUINT32 || form == DW_FORM_implicit_const)
        cursor->failed = TRUE;
    else
        read_value (dwarf, unit, cursor, (guint32) form, 0, ret_value);
}
