/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes offsets, sizes and holes of a class's members for ptype/o. */
#include "symbol/type-private.h"

guint
symbol_type_get_column (const SymbolTypeWriter *writer, guint indent)
{
    return indent + (writer->flags & SYMBOL_TYPE_OFFSETS ? SYMBOL_TYPE_COLUMN : 0);
}

SymbolTypePlace
symbol_type_find_place (const SymbolTypeWriter *writer, const SymbolDie *member)
{
    SymbolBinding *binding
        = (SymbolBinding *) writer->binding; /* types are built in it, nothing else changes */
    const SymbolDwarf *dwarf = binding->dwarf;
    guint32 type = symbol_type_build_of (binding, member);
    SymbolTypePlace place = { .size = symbol_type_strip (binding, type)->size };
    guint64 unit = symbol_die_get_number (dwarf, member, DW_AT_byte_size, place.size);
    guint64 before = symbol_die_get_number (dwarf, member, DW_AT_bit_offset, G_MAXUINT64);
    place.n_bits = symbol_die_get_number (dwarf, member, DW_AT_bit_size, 0);
    place.bit = 8 * symbol_die_get_number (dwarf, member, DW_AT_data_member_location, 0)
                + symbol_die_get_number (dwarf, member, DW_AT_data_bit_offset, 0);
    if (place.n_bits && before != G_MAXUINT64)
        place.bit += 8 * unit - before - place.n_bits; /* DWARF 3 counts from the other end */
    return place;
}

static void
put_hole (guint64 from, guint64 to, const char *what, GString *text)
{
    guint64 hole = from && from < to ? to - from : 0;
    if (hole % 8)
        g_string_append_printf (text, "/* XXX %2u-bit %-7s    */\n", (guint) (hole % 8), what);
    if (hole / 8)
        g_string_append_printf (text, "/* XXX %2" G_GUINT64_FORMAT "-byte %-7s   */\n",
                                hole / 8, what);
}

void
symbol_type_put_place (const SymbolTypeWriter *writer, const SymbolTypePlace *place,
                       gboolean is_union, guint64 *end, GString *text)
{
    gboolean is_hexadecimal = (writer->flags & SYMBOL_TYPE_HEXADECIMAL) != 0;
    guint64 bit = place->bit + writer->base;
    if (is_union) {
        g_string_append_printf (text,
                                is_hexadecimal ? "/*                0x%04" G_GINT64_MODIFIER
                                                 "x */"
                                               : "/*                %6" G_GUINT64_FORMAT " */",
                                place->size);
        return;
    }
    put_hole (*end, place->bit, "hole", text);
    *end = place->bit + (place->n_bits ? place->n_bits : 8 * place->size);
    g_string_append_printf (text,
                            is_hexadecimal ? "/* 0x%04" G_GINT64_MODIFIER "x"
                                           : "/* %6" G_GUINT64_FORMAT,
                            bit / 8);
    if (place->n_bits || writer->base % 8)
        g_string_append_printf (text, is_hexadecimal ? ": 0x%x" : ":%2u  ", (guint) (bit % 8));
    else
        g_string_append (text, "     ");
    g_string_append_printf (text,
                            is_hexadecimal ? " |  0x%04" G_GINT64_MODIFIER "x */"
                                           : " |  %6" G_GUINT64_FORMAT " */",
                            place->size);
}

void
symbol_type_put_size (const SymbolTypeWriter *writer, guint64 size, guint64 end, guint indent,
                      GString *text)
{
    put_hole (end, 8 * size, "padding", text);
    g_string_append_printf (text, "\n%*s/* total size (bytes): %4" G_GUINT64_FORMAT " */\n",
                            (int) symbol_type_get_column (writer, indent), "", size);
}
