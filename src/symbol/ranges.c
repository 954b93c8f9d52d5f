/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads address ranges and location lists, of DWARF 2 to 4 (.debug_ranges, .debug_loc) and of
 * DWARF 5 (.debug_rnglists, .debug_loclists). */
#include "symbol/dwarf.h"

static void
add_range (const SymbolDwarf *dwarf, GArray *ranges, guint64 low, guint64 high)
{
    SymbolRange range = { low, high };
    /* linkers leave 0, 1, -1 or -2 in what they discarded */
    if (low < high && low > 1 && high < G_MAXUINT64 - 1)
        g_array_append_val (ranges, range);
}

static void
read_old_ranges (const SymbolDwarf *dwarf, const SymbolUnit *unit, guint64 offset,
                 GArray *ranges)
{
    BaseCursor cursor = unit->part->ranges;
    guint size = unit->address_size;
    guint64 base = unit->low, top = size == 4 ? G_MAXUINT32 : G_MAXUINT64;
    base_cursor_seek (&cursor, offset);
    for (;;) {
        guint64 low = base_cursor_read_uint (&cursor, size);
        guint64 high = base_cursor_read_uint (&cursor, size);
        if (cursor.failed || (!low && !high))
            return;
        if (low == top)
            base = high;
        else
            add_range (dwarf, ranges, base + low, base + high);
    }
}

/* One entry's addresses, DWARF 5 section 2.17.3 and 2.6.2 (equal encodings up to the kinds
 * numbers, given here as those of range lists). 1 range, 0 none, -1 end. */
typedef struct {
    guint64 base, low, high;
} Entry;

static int
read_bounds (const SymbolDwarf *dwarf, const SymbolUnit *unit, BaseCursor *cursor, guint kind,
             Entry *entry)
{
    guint64 index;
    gboolean good = TRUE;
    switch (kind) {
    case DW_RLE_base_addressx:
        index = base_cursor_read_uleb (cursor);
        return symbol_unit_read_address (dwarf, unit, index, &entry->base) ? 0 : -1;
    case DW_RLE_startx_endx:
        index = base_cursor_read_uleb (cursor);
        good = symbol_unit_read_address (dwarf, unit, index, &entry->low);
        index = base_cursor_read_uleb (cursor);
        good = good && symbol_unit_read_address (dwarf, unit, index, &entry->high);
        break;
    case DW_RLE_startx_length:
        index = base_cursor_read_uleb (cursor);
        good = symbol_unit_read_address (dwarf, unit, index, &entry->low);
        entry->high = entry->low + base_cursor_read_uleb (cursor);
        break;
    case DW_RLE_offset_pair:
        entry->low = entry->base + base_cursor_read_uleb (cursor);
        entry->high = entry->base + base_cursor_read_uleb (cursor);
        break;
    case DW_RLE_base_address:
        entry->base = base_cursor_read_uint (cursor, unit->address_size);
        return cursor->failed ? -1 : 0;
    case DW_RLE_start_end:
        entry->low = base_cursor_read_uint (cursor, unit->address_size);
        entry->high = base_cursor_read_uint (cursor, unit->address_size);
        break;
    case DW_RLE_start_length:
        entry->low = base_cursor_read_uint (cursor, unit->address_size);
        entry->high = entry->low + base_cursor_read_uleb (cursor);
        break;
    default: return -1;
    }
    return good && !cursor->failed ? 1 : -1;
}

static gboolean
find_list (const BaseCursor *section, const SymbolUnit *unit, const SymbolValue *value,
           guint64 base, gboolean indexed, BaseCursor *ret_cursor)
{
    *ret_cursor = *section;
    guint64 offset = value->number;
    if (indexed) {
        if (offset > G_MAXUINT32)
            return FALSE;
        base_cursor_seek (ret_cursor, base + offset * unit->offset_size);
        offset = base + base_cursor_read_uint (ret_cursor, unit->offset_size);
    }
    base_cursor_seek (ret_cursor, offset);
    return !ret_cursor->failed;
}

static void
read_new_ranges (const SymbolDwarf *dwarf, const SymbolUnit *unit, const SymbolValue *value,
                 GArray *ranges)
{
    BaseCursor cursor;
    Entry entry = { unit->low, 0, 0 };
    if (!find_list (&unit->part->rnglists, unit, value, unit->rnglists_base,
                    value->form == DW_FORM_rnglistx, &cursor))
        return;
    for (;;) {
        guint kind = base_cursor_read_u8 (&cursor);
        int found = cursor.failed || !kind ? -1
                                           : read_bounds (dwarf, unit, &cursor, kind, &entry);
        if (found < 0)
            return;
        if (found)
            add_range (dwarf, ranges, entry.low, entry.high);
    }
}

void
symbol_die_read_ranges (const SymbolDwarf *dwarf, const SymbolDie *die, GArray *ranges)
{
    SymbolValue low, high, list;
    if (symbol_die_get (dwarf, die, DW_AT_ranges, &list)
        && (list.kind == SYMBOL_VALUE_OFFSET || list.kind == SYMBOL_VALUE_CONSTANT)) {
        if (die->unit->version >= 5)
            read_new_ranges (dwarf, die->unit, &list, ranges);
        else
            read_old_ranges (dwarf, die->unit, list.number + die->unit->ranges_base, ranges);
        return;
    }
    if (!symbol_die_get (dwarf, die, DW_AT_low_pc, &low) || low.kind != SYMBOL_VALUE_ADDRESS
        || !symbol_die_get (dwarf, die, DW_AT_high_pc, &high))
        return;
    if (high.kind == SYMBOL_VALUE_ADDRESS)
        add_range (dwarf, ranges, low.number, high.number);
    else if (high.kind == SYMBOL_VALUE_CONSTANT || high.kind == SYMBOL_VALUE_OFFSET)
        add_range (dwarf, ranges, low.number, low.number + high.number);
}

/* A missing or malformed list does not prove that the value was optimised out: returns an
 * unsupported expression instead. */
static gboolean
take_broken (const guint8 **ret_block, gsize *ret_size)
{
    static const guint8 broken[1];
    *ret_block = broken;
    *ret_size = sizeof broken;
    return TRUE;
}

/* An empty range holds at the first instruction of a function, and nowhere else: what is there before
 * it runs. */
static gboolean
covers (guint64 low, guint64 high, guint64 pc, gboolean at_entry)
{
    return (pc >= low && pc < high) || (at_entry && low == high && pc == low);
}

/* GNU's .debug_loc.dwo of DWARF 4: kinds as DWARF 5 later numbered them, fixed lengths and a
 * length of the expression of two bytes. */
static gboolean
find_split_location (const SymbolDwarf *dwarf, const SymbolUnit *unit, guint64 offset,
                     guint64 pc, gboolean at_entry, const guint8 **ret_block, gsize *ret_size)
{
    enum { GNU_BASE_ADDRESS = 1, GNU_START_END, GNU_START_LENGTH, GNU_OFFSET_PAIR };
    BaseCursor cursor = unit->part->loc;
    guint64 base = unit->low, low = 0, high = 0;
    base_cursor_seek (&cursor, offset);
    for (;;) {
        guint kind = base_cursor_read_u8 (&cursor);
        if (cursor.failed || kind > GNU_OFFSET_PAIR)
            return take_broken (ret_block, ret_size);
        if (!kind)
            return FALSE;
        if (kind == GNU_OFFSET_PAIR)
            low = base + base_cursor_read_u32 (&cursor);
        else if (!symbol_unit_read_address (dwarf, unit, base_cursor_read_uleb (&cursor), &low))
            return FALSE;
        if (kind == GNU_BASE_ADDRESS) {
            base = low;
            continue;
        }
        if (kind != GNU_START_END)
            high = (kind == GNU_OFFSET_PAIR ? base : low) + base_cursor_read_u32 (&cursor);
        else if (!symbol_unit_read_address (dwarf, unit, base_cursor_read_uleb (&cursor),
                                            &high))
            return FALSE;
        gsize length = base_cursor_read_u16 (&cursor);
        const guint8 *block = base_cursor_read_bytes (&cursor, length);
        if (!cursor.failed && covers (low, high, pc, at_entry)) {
            *ret_block = block;
            *ret_size = length;
            return TRUE;
        }
    }
}

static gboolean
find_old_location (const SymbolDwarf *dwarf, const SymbolUnit *unit, guint64 offset, guint64 pc,
                   gboolean at_entry, const guint8 **ret_block, gsize *ret_size)
{
    BaseCursor cursor = unit->part->loc;
    guint size = unit->address_size;
    guint64 base = unit->low, top = size == 4 ? G_MAXUINT32 : G_MAXUINT64;
    base_cursor_seek (&cursor, offset);
    for (;;) {
        guint64 low = base_cursor_read_uint (&cursor, size);
        guint64 high = base_cursor_read_uint (&cursor, size);
        if (cursor.failed)
            return take_broken (ret_block, ret_size);
        if (!low && !high)
            return FALSE;
        if (low == top) {
            base = high;
            continue;
        }
        gsize length = base_cursor_read_u16 (&cursor);
        const guint8 *block = base_cursor_read_bytes (&cursor, length);
        if (!cursor.failed && covers (base + low, base + high, pc, at_entry)) {
            *ret_block = block;
            *ret_size = length;
            return TRUE;
        }
    }
}

static gboolean
find_new_location (const SymbolDwarf *dwarf, const SymbolUnit *unit, const SymbolValue *value,
                   guint64 pc, gboolean at_entry, const guint8 **ret_block, gsize *ret_size)
{
    /* location list kinds to those of range lists */
    static const guint8 same[] = { [DW_LLE_base_addressx] = DW_RLE_base_addressx,
                                   [DW_LLE_startx_endx] = DW_RLE_startx_endx,
                                   [DW_LLE_startx_length] = DW_RLE_startx_length,
                                   [DW_LLE_offset_pair] = DW_RLE_offset_pair,
                                   [DW_LLE_base_address] = DW_RLE_base_address,
                                   [DW_LLE_start_end] = DW_RLE_start_end,
                                   [DW_LLE_start_length] = DW_RLE_start_length };
    BaseCursor cursor;
    Entry entry = { unit->low, 0, 0 };
    const guint8 *otherwise = NULL;
    gsize otherwise_size = 0;
    if (!find_list (&unit->part->loclists, unit, value, unit->loclists_base,
                    value->form == DW_FORM_loclistx, &cursor))
        return take_broken (ret_block, ret_size);
    for (;;) {
        guint kind = base_cursor_read_u8 (&cursor);
        if (kind == 9) { /* GNU view pair */
            base_cursor_read_uleb (&cursor);
            base_cursor_read_uleb (&cursor);
            if (cursor.failed)
                return take_broken (ret_block, ret_size);
            continue;
        }
        int found = 0;
        if (cursor.failed)
            return take_broken (ret_block, ret_size);
        if (!kind)
            break;
        if (kind != DW_LLE_default_location)
            found = kind < sizeof same && same[kind]
                        ? read_bounds (dwarf, unit, &cursor, same[kind], &entry)
                        : -1;
        if (found < 0)
            return take_broken (ret_block, ret_size);
        if (!found && kind != DW_LLE_default_location)
            continue;
        gsize length = base_cursor_read_uleb (&cursor);
        const guint8 *block = base_cursor_read_bytes (&cursor, length);
        if (cursor.failed)
            return take_broken (ret_block, ret_size);
        if (!found) {
            otherwise = block;
            otherwise_size = length;
        } else if (covers (entry.low, entry.high, pc, at_entry)) {
            *ret_block = block;
            *ret_size = length;
            return TRUE;
        }
    }
    *ret_block = otherwise;
    *ret_size = otherwise_size;
    return otherwise != NULL;
}

gboolean
symbol_die_find_location (const SymbolDwarf *dwarf, const SymbolDie *die, guint32 attribute,
                          guint64 pc, gboolean at_entry, const guint8 **ret_block,
                          gsize *ret_size)
{
    SymbolValue value;
    if (!symbol_die_get_deep (dwarf, die, attribute, &value))
        return FALSE;
    if (value.kind == SYMBOL_VALUE_BLOCK) {
        *ret_block = value.block;
        *ret_size = value.size;
        return TRUE;
    }
    if (value.kind == SYMBOL_VALUE_OFFSET && die->unit->version >= 5)
        return find_new_location (dwarf, die->unit, &value, pc, at_entry, ret_block, ret_size);
    if (value.kind == SYMBOL_VALUE_OFFSET
        || (value.kind == SYMBOL_VALUE_CONSTANT && die->unit->version < 4))
        return (die->unit->part->is_split ? find_split_location
                                          : find_old_location) (dwarf, die->unit, value.number,
                                                                pc, at_entry, ret_block,
                                                                ret_size);
    return FALSE;
}
