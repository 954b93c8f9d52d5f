/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes bounds of arrays and lengths of texts. Those known only at run time become blanks,
 * which index fills in for each rank. */
#include <string.h>

#include "symbol/type-private.h"

void
symbol_type_put_blank (const SymbolTypeWriter *writer, guint n_dimensions,
                       const char *otherwise, GString *text)
{
    SymbolTypeBlanks *blanks = writer->binding->blanks;
    if (!writer->value || !blanks) {
        g_string_append (text, otherwise);
        return;
    }
    GByteArray *blank = g_byte_array_new ();
    base_bytes_put_uleb (blank, n_dimensions);
    base_bytes_put_uleb (blank, writer->value->len);
    g_byte_array_append (blank, writer->value->data, writer->value->len);
    g_string_append_printf (text, "%c%u%c%s%c", EVALUATE_BLANK_MARK, blanks->list->len,
                            EVALUATE_BLANK_MARK, otherwise, EVALUATE_BLANK_MARK);
    g_ptr_array_add (blanks->list, blank);
}

static gboolean
has_attribute (const SymbolDwarf *dwarf, const SymbolDie *die, guint32 attribute)
{
    SymbolValue value;
    return symbol_die_get (dwarf, die, attribute, &value);
}

/* "(0:4,3)", of what is not known "(:,3)" */
static void
put_fortran (const SymbolBinding *binding, const SymbolDie *range, gboolean is_first,
             GString *text)
{
    guint64 count = symbol_array_find_count (binding, range);
    gint64 lower = symbol_array_find_lower (binding, range);
    g_string_append_c (text, is_first ? '(' : ',');
    gboolean is_said = has_attribute (binding->dwarf, range, DW_AT_upper_bound)
                       || has_attribute (binding->dwarf, range, DW_AT_count);
    if (count == G_MAXUINT64 && !is_said && lower != 1)
        g_string_append_printf (text, "%" G_GINT64_FORMAT ":*", lower);
    else if (count == G_MAXUINT64)
        g_string_append_c (text, is_said ? ':' : '*');
    else if (lower != 1)
        g_string_append_printf (text, "%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, lower,
                                lower + (gint64) count - 1);
    else
        g_string_append_printf (text, "%" G_GUINT64_FORMAT, count);
}

static void
put_c (const SymbolBinding *binding, const SymbolDie *range, gboolean is_vector, GString *text)
{
    guint64 count = symbol_array_find_count (binding, range);
    if (is_vector)
        g_string_append_printf (text, "%s__attribute__ ((vector_size(%" G_GUINT64_FORMAT ")))",
                                text->len ? " " : "", count);
    else if (count == G_MAXUINT64)
        g_string_append (text, "[variable length]");
    else if (!count && !has_attribute (binding->dwarf, range, DW_AT_upper_bound)
             && !has_attribute (binding->dwarf, range, DW_AT_count))
        g_string_append (text, "[]");
    else
        g_string_append_printf (text, "[%" G_GUINT64_FORMAT "]", count);
}

void
symbol_type_put_bounds (const SymbolTypeWriter *writer, const SymbolDie *array, GString *text)
{
    const SymbolBinding *binding = writer->binding;
    gboolean is_fortran = symbol_imports_get_language (binding, array->unit)
                          == JOB_LANGUAGE_FORTRAN;
    gboolean is_vector = has_attribute (binding->dwarf, array, DW_AT_GNU_vector),
             is_known = TRUE;
    g_autoptr (GString) bounds = g_string_new (NULL);
    SymbolDie range;
    guint n = 0;
    if (symbol_die_first_child (binding->dwarf, array, &range)) {
        do {
            if (range.tag != DW_TAG_subrange_type
                && (is_fortran || range.tag != DW_TAG_enumeration_type))
                continue;
            is_known = is_known && symbol_array_find_count (binding, &range) != G_MAXUINT64;
            if (is_fortran)
                put_fortran (binding, &range, !n, bounds);
            else
                put_c (binding, &range, is_vector, bounds);
            n++;
        } while (symbol_die_next (binding->dwarf, &range, &range));
    }
    if (is_fortran)
        g_string_append (bounds, n ? ")" : "()");
    if (is_vector && text->len)
        g_string_append_c (text, ' ');
    if (has_attribute (binding->dwarf, array, DW_AT_rank))
        symbol_type_put_blank (writer, 0, "(..)", text);
    else if (is_known)
        g_string_append (text, bounds->str);
    else
        symbol_type_put_blank (writer, n, bounds->str, text);
}

void
symbol_type_enter_member (SymbolTypeWriter *writer, const SymbolDie *class,
                          const SymbolDie *member)
{
    SymbolTypeBlanks *blanks = writer->binding->blanks;
    SymbolBinding *binding = blanks ? blanks->binding : NULL;
    const GByteArray *whole = writer->value;
    const char *name = symbol_die_get_name (writer->binding->dwarf, member);
    writer->value = NULL;
    if (!whole || !binding || !name)
        return;
    const SymbolType *type = symbol_type_strip (binding,
                                                symbol_type_build (binding, class->offset));
    for (guint i = 0; type->members && i < type->members->len; i++) {
        const SymbolMember *known = &g_array_index (type->members, SymbolMember, i);
        if (strcmp (known->name, name) != 0 || known->bit_size || known->bit_offset)
            continue;
        GByteArray *code = g_byte_array_new ();
        g_byte_array_append (code, whole->data, whole->len);
        symbol_code_put_op (code, EVALUATE_OP_MEMBER, known->type);
        base_bytes_put_uleb (code, known->offset);
        base_bytes_put_uleb (code, 0);
        base_bytes_put_uleb (code, 0);
        g_ptr_array_add (blanks->codes, code);
        writer->value = code;
        return;
    }
}
