/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges and location lists, as pddt and as libdwarf read them. */
#include "beside-private.h"

/* Without what linkers leave of code that they threw away. */
static void
add_range (GArray *ranges, guint64 low, guint64 high)
{
    SymbolRange range = { low, high };
    if (low < high && low > 1 && high < G_MAXUINT64 - 1)
        g_array_append_val (ranges, range);
}

/* Of .debug_ranges; the library leaves the base address to its caller. */
static int
read_old_ranges (Beside *beside, const SymbolUnit *unit, Dwarf_Die theirs, guint64 offset,
                 GArray *ranges, Dwarf_Error *error)
{
    Dwarf_Ranges *list = NULL;
    Dwarf_Signed n = 0;
    guint64 base = unit->low;
    int result = dwarf_get_ranges_b (beside->library->debug, offset, theirs, NULL, &list, &n,
                                     NULL, error);
    for (Dwarf_Signed i = 0; result == DW_DLV_OK && i < n; i++) {
        if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
            base = list[i].dwr_addr2;
        else if (list[i].dwr_type == DW_RANGES_ENTRY)
            add_range (ranges, base + list[i].dwr_addr1, base + list[i].dwr_addr2);
    }
    if (result == DW_DLV_OK)
        dwarf_ranges_dealloc (beside->library->debug, list, n);
    return result;
}

/* libdwarf 20210528 does not read the table of lists of a split unit, so it is told the offset. */
static guint64
find_list (const SymbolUnit *unit, guint64 index)
{
    BaseCursor cursor = unit->part->rnglists;
    base_cursor_seek (&cursor, unit->rnglists_base + index * unit->offset_size);
    return unit->rnglists_base + base_cursor_read_uint (&cursor, unit->offset_size);
}

static int
read_new_ranges (const SymbolUnit *unit, Dwarf_Attribute attribute, const SymbolValue *value,
                 GArray *ranges, Dwarf_Error *error)
{
    gboolean is_split = unit->part->is_split && value->form == DW_FORM_rnglistx;
    Dwarf_Rnglists_Head head = NULL;
    Dwarf_Unsigned n = 0, offset = 0;
    int result = dwarf_rnglists_get_rle_head (attribute,
                                              is_split ? DW_FORM_sec_offset : value->form,
                                              is_split ? find_list (unit, value->number)
                                                       : value->number,
                                              &head, &n, &offset, error);
    for (Dwarf_Unsigned i = 0; result == DW_DLV_OK && i < n; i++) {
        unsigned size = 0, kind = 0;
        Dwarf_Unsigned raw[2] = { 0 }, low = 0, high = 0;
        Dwarf_Bool missing = FALSE;
        dwarf_get_rnglists_entry_fields_a (head, i, &size, &kind, &raw[0], &raw[1], &missing,
                                           &low, &high, error);
        if (kind != DW_RLE_end_of_list && kind != DW_RLE_base_address
            && kind != DW_RLE_base_addressx && !missing)
            add_range (ranges, low, high);
    }
    if (head)
        dwarf_dealloc_rnglists_head (head);
    return result;
}

void
beside_compare_ranges (Beside *beside, const SymbolDie *die, Dwarf_Die theirs,
                       Dwarf_Attribute list)
{
    g_autoptr (GArray) ours = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
    g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
    SymbolValue value;
    Dwarf_Error error = NULL;
    if (!symbol_die_get (beside->dwarf, die, DW_AT_ranges, &value))
        return;
    symbol_die_read_ranges (beside->dwarf, die, ours);
    int result = die->unit->version >= 5
                     ? read_new_ranges (die->unit, list, &value, others, &error)
                     : read_old_ranges (beside, die->unit, theirs, value.number, others,
                                        &error);
    beside->n_ranges += ours->len;
    if (result != DW_DLV_OK || ours->len != others->len) {
        beside_fail (beside, die->offset, "%u ranges; theirs %u, %s", ours->len, others->len,
                     beside_describe (beside, result, &error));
        return;
    }
    for (guint i = 0; i < ours->len; i++) {
        const SymbolRange *own = &g_array_index (ours, SymbolRange, i);
        const SymbolRange *other = &g_array_index (others, SymbolRange, i);
        if (own->low != other->low || own->high != other->high)
            beside_fail (beside, die->offset,
                         "range 0x%" G_GINT64_MODIFIER "x to 0x%" G_GINT64_MODIFIER
                         "x; theirs 0x%" G_GINT64_MODIFIER "x to 0x%" G_GINT64_MODIFIER "x",
                         own->low, own->high, other->low, other->high);
    }
}

typedef struct {
    guint64 low, high;
    gboolean is_default;
    Dwarf_Locdesc_c described;
    guint64 n_operations;
} Place;

static void
add_place (GArray *places, Dwarf_Loc_Head_c head, Dwarf_Unsigned number, Dwarf_Error *error)
{
    Dwarf_Small kind = 0, source = 0;
    Dwarf_Unsigned raw[2] = { 0 }, n_operations = 0, expression = 0, entry = 0;
    Dwarf_Bool missing = FALSE;
    Dwarf_Locdesc_c described = NULL;
    Dwarf_Addr low = 0, high = 0;
    dwarf_get_locdesc_entry_d (head, number, &kind, &raw[0], &raw[1], &missing, &low, &high,
                               &n_operations, &described, &source, &expression, &entry, error);
    Place place = { low, high, kind == DW_LLE_default_location, described, n_operations };
    if (kind == DW_LLE_startx_endx || kind == DW_LLE_startx_length || kind == DW_LLE_offset_pair
        || kind == DW_LLE_start_end || kind == DW_LLE_start_length || place.is_default)
        g_array_append_val (places, place);
}

/* The first that holds there; NULL none. */
static const Place *
find_place (const GArray *places, guint64 pc, gboolean at_entry)
{
    const Place *otherwise = NULL;
    for (guint i = 0; i < places->len; i++) {
        const Place *place = &g_array_index (places, Place, i);
        if (place->is_default)
            otherwise = place;
        else if ((pc >= place->low && pc < place->high)
                 || (at_entry && place->low == place->high && pc == place->low))
            return place;
    }
    return otherwise;
}

/* The expression has the operations that the library says, where it says. */
static gboolean
is_same_expression (const Place *place, const guint8 *block, gsize size)
{
    if (!place->n_operations != !size)
        return FALSE;
    for (guint64 i = 0; i < place->n_operations; i++) {
        Dwarf_Small atom = 0;
        Dwarf_Unsigned operands[3], raw[3], offset = 0;
        Dwarf_Error error = NULL;
        if (dwarf_get_location_op_value_d (place->described, i, &atom, &operands[0],
                                           &operands[1], &operands[2], &raw[0], &raw[1],
                                           &raw[2], &offset, &error)
                != DW_DLV_OK
            || offset >= size || block[offset] != atom)
            return FALSE;
    }
    return TRUE;
}

static void
compare_at (Beside *beside, const SymbolDie *die, guint32 attribute, const GArray *places,
            guint64 pc, gboolean at_entry)
{
    const guint8 *block = NULL;
    gsize size = 0;
    const Place *theirs = find_place (places, pc, at_entry);
    gboolean found = symbol_die_find_location (beside->dwarf, die, attribute, pc, at_entry,
                                               &block, &size);
    beside->n_places++;
    if (found != (theirs != NULL) || (found && !is_same_expression (theirs, block, size)))
        beside_fail (beside, die->offset,
                     "attribute 0x%x at 0x%" G_GINT64_MODIFIER "x%s: %zu bytes; theirs %s, "
                     "%" G_GINT64_MODIFIER "u operations",
                     attribute, pc, at_entry ? " (entry)" : "", size, theirs ? "found" : "none",
                     theirs ? theirs->n_operations : 0);
}

void
beside_compare_places (Beside *beside, const SymbolDie *die, guint32 attribute,
                       Dwarf_Attribute list)
{
    g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (Place));
    SymbolValue value;
    Dwarf_Loc_Head_c head = NULL;
    Dwarf_Unsigned n = 0;
    Dwarf_Error error = NULL;
    if (!symbol_die_get (beside->dwarf, die, attribute, &value)
        || (value.kind != SYMBOL_VALUE_OFFSET
            && !(value.kind == SYMBOL_VALUE_CONSTANT && die->unit->version < 4)))
        return;
    int result = dwarf_get_loclist_c (list, &head, &n, &error);
    if (result != DW_DLV_OK) {
        beside_fail (beside, die->offset, "a list of locations; theirs: %s",
                     beside_describe (beside, result, &error));
        return;
    }
    for (Dwarf_Unsigned i = 0; i < n; i++)
        add_place (places, head, i, &error);
    for (guint i = 0; i < places->len; i++) {
        const Place *place = &g_array_index (places, Place, i);
        const guint64 addresses[] = { place->low - 1, place->low, place->high - 1,
                                      place->high };
        for (guint j = 0; j < 2 * G_N_ELEMENTS (addresses); j++)
            compare_at (beside, die, attribute, places, addresses[j / 2], j % 2);
    }
    dwarf_loc_head_c_dealloc (head);
}
