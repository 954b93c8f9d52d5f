/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows how gdb's ptype and whatis write types of Fortran: "PTR TO -> ( Type point )". */
#include <string.h>

#include "symbol/type-private.h"

/* What stands before the name, and behind it: bounds, parameters. */
typedef struct {
    char *base, *suffix;
} Parts;

static Parts write_parts (const SymbolTypeWriter *writer, guint64 offset);

static char *
write_whole (const SymbolTypeWriter *writer, guint64 offset)
{
    Parts parts = write_parts (writer, offset);
    char *whole = g_strconcat (parts.base, parts.suffix[0] ? " " : "", parts.suffix, NULL);
    g_free (parts.base);
    g_free (parts.suffix);
    return whole;
}

static void
put_component (const SymbolTypeWriter *writer, const SymbolDie *structure,
               const SymbolDie *member, GString *text)
{
    const SymbolDwarf *dwarf = writer->binding->dwarf;
    SymbolTypeWriter inner = *writer;
    g_autofree char *name = symbol_type_dup_name (dwarf, member);
    symbol_type_enter_member (&inner, structure, member);
    Parts parts = write_parts (&inner, symbol_type_find_target (dwarf, member));
    /* as gdb has it, the name of a pointer stands within: PTR TO -> ( real(kind=4) :: p ) */
    gsize length = strlen (parts.base),
          end = g_str_has_suffix (parts.base, " )") ? length - 2 : length;
    g_string_append_printf (text, "%*s%.*s :: %s%s%s\n", (int) writer->indent, "", (int) end,
                            parts.base, name ? name : "", parts.base + end, parts.suffix);
    g_free (parts.base);
    g_free (parts.suffix);
}

static char *
write_structure (const SymbolTypeWriter *writer, const SymbolDie *die)
{
    const SymbolDwarf *dwarf = writer->binding->dwarf;
    g_autofree char *name = symbol_type_dup_name (dwarf, die);
    GString *text = g_string_new ("Type ");
    SymbolTypeWriter inner = symbol_type_get_inner (writer);
    SymbolDie child;
    g_string_append (text, name ? name : "");
    if (writer->show <= 0)
        return g_string_free (text, FALSE);
    g_string_append_c (text, '\n');
    inner.indent += 4;
    if (symbol_die_first_child (dwarf, die, &child)) {
        do {
            if (child.tag == DW_TAG_member)
                put_component (&inner, die, &child, text);
        } while (symbol_die_next (dwarf, &child, &child));
    }
    g_string_append_printf (text, "%*sEnd Type %s", (int) writer->indent, "", name ? name : "");
    return g_string_free (text, FALSE);
}

static char *
write_text (const SymbolTypeWriter *writer, const SymbolDie *die)
{
    SymbolValue value;
    guint64 size = symbol_die_get_number (writer->binding->dwarf, die, DW_AT_byte_size, 0);
    if (symbol_die_get (writer->binding->dwarf, die, DW_AT_string_length, &value)) {
        GString *text = g_string_new (NULL);
        symbol_type_put_blank (writer, 0, "character*(*)", text);
        return g_string_free (text, FALSE);
    }
    return size ? g_strdup_printf ("character*%" G_GUINT64_FORMAT, size)
                : g_strdup ("character*(*)");
}

static Parts
write_array (const SymbolTypeWriter *writer, const SymbolDie *die)
{
    const SymbolDwarf *dwarf = writer->binding->dwarf;
    SymbolTypeWriter inner = *writer;
    SymbolValue value;
    GString *suffix = g_string_new (NULL);
    inner.depth++;
    inner.value = NULL;
    Parts element = write_parts (&inner, symbol_type_find_target (dwarf, die));
    symbol_type_put_bounds (writer, die, suffix);
    g_string_append (suffix, element.suffix);
    g_free (element.suffix);
    char *base = element.base;
    if (symbol_die_get (dwarf, die, DW_AT_allocated, &value)) {
        base = g_strconcat (element.base, ", allocatable", NULL);
        g_free (element.base);
    }
    return (Parts){ base, g_string_free (suffix, FALSE) };
}

static char *
write_parameters (const SymbolTypeWriter *writer, const SymbolDie *function)
{
    const SymbolDwarf *dwarf = writer->binding->dwarf;
    GString *text = g_string_new ("(");
    SymbolTypeWriter inner = symbol_type_get_inner (writer);
    SymbolDie child;
    gboolean any = FALSE;
    inner.show = MIN (inner.show, 0);
    inner.value = NULL;
    if (symbol_die_first_child (dwarf, function, &child)) {
        do {
            if (child.tag != DW_TAG_formal_parameter)
                continue;
            g_autofree char *type = write_whole (&inner,
                                                 symbol_type_find_target (dwarf, &child));
            g_string_append_printf (text, "%s%s", any ? ", " : "", type);
            any = TRUE;
        } while (symbol_die_next (dwarf, &child, &child));
    }
    if (!any && symbol_die_get_number (dwarf, function, DW_AT_prototyped, 0))
        g_string_append (text, "void");
    g_string_append_c (text, ')');
    return g_string_free (text, FALSE);
}

static Parts
write_parts (const SymbolTypeWriter *writer, guint64 offset)
{
    const SymbolDwarf *dwarf = writer->binding->dwarf;
    SymbolDie die;
    SymbolTypeWriter inner = *writer;
    inner.depth++;
    if (!offset)
        return (Parts){ g_strdup ("void"), g_strdup ("") };
    if (writer->depth > SYMBOL_TYPE_MAX_DEPTH || !symbol_die_find (dwarf, offset, &die))
        return (Parts){ g_strdup ("<unknown>"), g_strdup ("") };
    guint64 target = symbol_type_find_target (dwarf, &die);
    switch (die.tag) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type: {
        inner.value = NULL;
        g_autofree char *to = write_whole (&inner, target);
        return (Parts){ g_strdup_printf ("%s TO -> ( %s )",
                                         die.tag == DW_TAG_pointer_type ? "PTR" : "REF", to),
                        g_strdup ("") };
    }
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type: return write_parts (&inner, target);
    case DW_TAG_typedef:
        if (writer->show > 0)
            return write_parts (&inner, target);
        break;
    case DW_TAG_array_type: return write_array (writer, &die);
    case DW_TAG_string_type: return (Parts){ write_text (writer, &die), g_strdup ("") };
    case DW_TAG_subprogram:
    case DW_TAG_subroutine_type: {
        inner.value = NULL;
        Parts result = write_parts (&inner, target);
        g_free (result.suffix);
        return (Parts){ result.base, write_parameters (writer, &die) };
    }
    case DW_TAG_structure_type: return (Parts){ write_structure (writer, &die), g_strdup ("") };
    default: break;
    }
    g_autofree char *name = symbol_type_dup_name (dwarf, &die);
    return (Parts){ g_strdup (name ? name : "<unnamed>"), g_strdup ("") };
}

char *
symbol_type_write_fortran (const SymbolTypeWriter *writer, guint64 offset)
{
    return write_whole (writer, offset);
}
