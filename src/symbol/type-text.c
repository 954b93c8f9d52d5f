/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows how a type is written in its own language. */
#include <string.h>

#include "base/escape.h"
#include "symbol/bind-private.h"

#define MAX_DEPTH 40

static char *
join (const char *base, const char *inner)
{
    return inner[0] ? g_strconcat (base, " ", inner, NULL) : g_strdup (base);
}

static char *
describe_parameters (const SymbolBinding *binding, const SymbolDie *function, guint depth)
{
    GString *text = g_string_new ("(");
    SymbolDie child;
    gboolean any = FALSE, prototyped = symbol_die_get_number (binding->dwarf, function,
                                                              DW_AT_prototyped, 0) != 0;
    if (symbol_die_first_child (binding->dwarf, function, &child)) {
        do {
            if (child.tag == DW_TAG_unspecified_parameters) {
                g_string_append (text, any ? ", ..." : "...");
                any = TRUE;
            }
            if (child.tag != DW_TAG_formal_parameter)
                continue;
            g_autofree char *type = symbol_type_describe (
                binding, symbol_type_find_target (binding->dwarf, &child), "", depth + 1);
            g_string_append_printf (text, "%s%s", any ? ", " : "", type);
            any = TRUE;
        } while (symbol_die_next (binding->dwarf, &child, &child));
    }
    if (!any && prototyped)
        g_string_append (text, "void");
    g_string_append_c (text, ')');
    return g_string_free (text, FALSE);
}

/* "(0:4,3)" */
static void
describe_fortran_bounds (const SymbolBinding *binding, const SymbolDie *array, GString *text)
{
    SymbolDie child;
    gboolean any = FALSE;
    g_string_append_c (text, '(');
    if (symbol_die_first_child (binding->dwarf, array, &child)) {
        do {
            if (child.tag != DW_TAG_subrange_type)
                continue;
            guint64 count = symbol_array_find_count (binding, &child);
            gint64 lower = symbol_array_find_lower (binding, &child);
            g_string_append (text, any ? "," : "");
            any = TRUE;
            if (count == G_MAXUINT64)
                g_string_append_c (text, ':');
            else if (lower != 1)
                g_string_append_printf (text, "%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, lower,
                                        lower + (gint64) count - 1);
            else
                g_string_append_printf (text, "%" G_GUINT64_FORMAT, count);
        } while (symbol_die_next (binding->dwarf, &child, &child));
    }
    g_string_append_c (text, ')');
}

static char *
describe_array (const SymbolBinding *binding, const SymbolDie *array, const char *inner,
                guint depth)
{
    GString *text = g_string_new (inner);
    SymbolDie child;
    gboolean fortran = symbol_imports_get_language (binding, array->unit) == JOB_LANGUAGE_FORTRAN;
    if (fortran)
        describe_fortran_bounds (binding, array, text);
    if (!fortran && symbol_die_first_child (binding->dwarf, array, &child)) {
        do {
            if (child.tag != DW_TAG_subrange_type && child.tag != DW_TAG_enumeration_type)
                continue;
            guint64 count = symbol_array_find_count (binding, &child);
            if (count == G_MAXUINT64)
                g_string_append (text, "[variable length]");
            else if (!count)
                g_string_append (text, "[]");
            else
                g_string_append_printf (text, "[%" G_GUINT64_FORMAT "]", count);
        } while (symbol_die_next (binding->dwarf, &child, &child));
    }
    char *whole = symbol_type_describe (binding, symbol_type_find_target (binding->dwarf, array), text->str,
                                        depth + 1);
    g_string_free (text, TRUE);
    return whole;
}

static char *
describe_named (const SymbolBinding *binding, const SymbolDie *die, const char *inner)
{
    g_autofree char *name = base_escape_dup (symbol_die_get_name (binding->dwarf, die), BASE_ESCAPE_NAME);
    const char *keyword = "";
    gboolean with_keyword = symbol_imports_get_language (binding, die->unit) != JOB_LANGUAGE_CXX;
    if (die->tag == DW_TAG_structure_type || die->tag == DW_TAG_class_type)
        keyword = "struct ";
    else if (die->tag == DW_TAG_union_type)
        keyword = "union ";
    else if (die->tag == DW_TAG_enumeration_type)
        keyword = "enum ";
    g_autofree char *scope = base_escape_dup (name && !with_keyword && die->tag != DW_TAG_base_type
                                                  ? symbol_names_find_scope (binding->binder, die) : NULL,
                                              BASE_ESCAPE_NAME);
    g_autofree char *base = g_strconcat (with_keyword || !name ? keyword : "",
                                         scope ? scope : "", scope ? "::" : "",
                                         name ? name : keyword[0] ? "{...}" : "<unnamed>", NULL);
    return join (base, inner);
}

/* Fortran's */
static char *
describe_text (const SymbolBinding *binding, const SymbolDie *die, const char *inner)
{
    SymbolValue value;
    guint64 size = symbol_die_get_number (binding->dwarf, die, DW_AT_byte_size, 0);
    g_autofree char *base = symbol_die_get (binding->dwarf, die, DW_AT_string_length, &value) || !size
                                ? g_strdup ("character (len=*)")
                                : g_strdup_printf ("character (len=%" G_GUINT64_FORMAT ")", size);
    return join (base, inner);
}

static char *
describe_pointer (const SymbolBinding *binding, guint64 target, const char *mark,
                  const char *inner, guint depth)
{
    SymbolDie die;
    g_autofree char *pointer = g_strconcat (mark, inner, NULL);
    if (target && symbol_die_find (binding->dwarf, target, &die) &&
        (die.tag == DW_TAG_subroutine_type || die.tag == DW_TAG_array_type)) {
        g_autofree char *wrapped = g_strconcat ("(", pointer, ")", NULL);
        return symbol_type_describe (binding, target, wrapped, depth + 1);
    }
    return symbol_type_describe (binding, target, pointer, depth + 1);
}

static char *
describe_qualified (const SymbolBinding *binding, const SymbolDie *die, const char *word,
                    const char *inner, guint depth)
{
    SymbolDie target;
    guint64 offset = symbol_type_find_target (binding->dwarf, die);
    if (offset && symbol_die_find (binding->dwarf, offset, &target) &&
        target.tag == DW_TAG_pointer_type) {
        g_autofree char *mark = g_strconcat ("* ", word, inner[0] ? " " : "", NULL);
        return describe_pointer (binding, symbol_type_find_target (binding->dwarf, &target), mark, inner,
                                 depth);
    }
    g_autofree char *rest = symbol_type_describe (binding, offset, inner, depth + 1);
    return g_strconcat (word, " ", rest, NULL);
}

static char *
describe_member_pointer (const SymbolBinding *binding, const SymbolDie *die, const char *inner,
                         guint depth)
{
    SymbolValue value;
    SymbolDie holder;
    g_autofree char *name = NULL;
    if (symbol_die_get (binding->dwarf, die, DW_AT_containing_type, &value) &&
        symbol_die_find (binding->dwarf, value.number, &holder))
        name = base_escape_take (symbol_names_dup_qualified (binding->binder, &holder), BASE_ESCAPE_NAME);
    g_autofree char *mark = g_strconcat (name ? name : "?", "::*", NULL);
    return describe_pointer (binding, symbol_type_find_target (binding->dwarf, die), mark, inner,
                             depth);
}

char *
symbol_type_describe (const SymbolBinding *binding, guint64 offset, const char *inner,
                      guint depth)
{
    SymbolDie die;
    if (!offset)
        return join ("void", inner);
    if (depth > MAX_DEPTH || !symbol_die_find (binding->dwarf, offset, &die))
        return join ("<unknown>", inner);
    guint64 target = symbol_type_find_target (binding->dwarf, &die);
    switch (die.tag) {
    case DW_TAG_pointer_type:
        return describe_pointer (binding, target, "*", inner, depth);
    case DW_TAG_reference_type:
        return describe_pointer (binding, target, "&", inner, depth);
    case DW_TAG_rvalue_reference_type:
        return describe_pointer (binding, target, "&&", inner, depth);
    case DW_TAG_ptr_to_member_type:
        return describe_member_pointer (binding, &die, inner, depth);
    case DW_TAG_const_type:
        return describe_qualified (binding, &die, "const", inner, depth);
    case DW_TAG_volatile_type:
        return describe_qualified (binding, &die, "volatile", inner, depth);
    case DW_TAG_restrict_type:
        return describe_qualified (binding, &die, "restrict", inner, depth);
    case DW_TAG_atomic_type:
        return describe_qualified (binding, &die, "_Atomic", inner, depth);
    case DW_TAG_array_type:
        return describe_array (binding, &die, inner, depth);
    case DW_TAG_string_type:
        return describe_text (binding, &die, inner);
    case DW_TAG_subprogram:
    case DW_TAG_subroutine_type: {
        g_autofree char *parameters = describe_parameters (binding, &die, depth);
        g_autofree char *whole = g_strconcat (inner, parameters, NULL);
        return symbol_type_describe (binding, target, whole, depth + 1);
    }
    default:
        return describe_named (binding, &die, inner);
    }
}

char *
symbol_type_expand (SymbolBinding *binding, guint32 number)
{
    const SymbolType *type = symbol_type_strip (binding, number);
    SymbolDie die, child;
    if ((type->kind != INDEX_TYPE_STRUCT && type->kind != INDEX_TYPE_UNION &&
         type->kind != INDEX_TYPE_ENUM) || !symbol_die_find (binding->dwarf, type->die, &die))
        return base_escape_dup (type->name, BASE_ESCAPE_NAME);
    g_autofree char *head = base_escape_dup (type->name, BASE_ESCAPE_NAME);
    GString *text = g_string_new (head);
    gboolean is_enum = type->kind == INDEX_TYPE_ENUM, first = TRUE;
    g_string_append (text, is_enum ? " {" : " {\n");
    if (symbol_die_first_child (binding->dwarf, &die, &child)) {
        do {
            g_autofree char *name = base_escape_dup (symbol_die_get_name (binding->dwarf, &child),
                                                     BASE_ESCAPE_NAME);
            if (is_enum && child.tag == DW_TAG_enumerator)
                g_string_append_printf (text, "%s%s", first ? "" : ", ", name ? name : "");
            first = FALSE;
            if (is_enum || child.tag != DW_TAG_member)
                continue;
            guint64 bits = symbol_die_get_number (binding->dwarf, &child, DW_AT_bit_size, 0);
            g_autofree char *line = symbol_type_describe (
                binding, symbol_type_find_target (binding->dwarf, &child), name ? name : "", 0);
            g_string_append_printf (text, "    %s", line);
            if (bits)
                g_string_append_printf (text, " : %" G_GUINT64_FORMAT, bits);
            g_string_append (text, ";\n");
        } while (symbol_die_next (binding->dwarf, &child, &child));
    }
    g_string_append_c (text, '}');
    g_autofree char *bytes = g_string_free (text, FALSE);
    return g_utf8_make_valid (bytes, -1);
}
