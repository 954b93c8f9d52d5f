/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows how a type is written in C and C++, as gdb's ptype and whatis write it: names, declarators,
 * qualifiers. Bodies of classes are type-class.c's, Fortran is type-fortran.c's. */
#include <string.h>

#include "base/escape.h"
#include "symbol/parser-private.h"
#include "symbol/type-private.h"

char *
symbol_type_dup_name (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    return base_escape_dup (symbol_die_get_name (dwarf, die), BASE_ESCAPE_NAME);
}

static char *
join (const char *base, const char *inner)
{
    return inner[0] ? g_strconcat (base, " ", inner, NULL) : g_strdup (base);
}

SymbolTypeWriter
symbol_type_get_inner (const SymbolTypeWriter *writer)
{
    SymbolTypeWriter inner = *writer;
    inner.show--;
    inner.depth++;
    return inner;
}

/* A parameter's type: names only. */
static char *
write_parameter (const SymbolTypeWriter *writer, const SymbolDie *parameter)
{
    SymbolTypeWriter inner = *writer;
    inner.show = MIN (writer->show, 0);
    inner.depth++;
    inner.value = NULL;
    return symbol_type_write (&inner,
                              symbol_type_find_target (writer->binding->dwarf, parameter), "");
}

char *
symbol_type_write_parameters (const SymbolTypeWriter *writer, const SymbolDie *function,
                              gboolean is_method)
{
    const SymbolBinding *binding = writer->binding;
    GString *text = g_string_new ("(");
    SymbolDie child;
    gboolean any = FALSE;
    gboolean is_void = symbol_imports_get_language (binding, function->unit) == JOB_LANGUAGE_CXX
                       || symbol_die_get_number (binding->dwarf, function, DW_AT_prototyped, 0)
                              != 0;
    if (symbol_die_first_child (binding->dwarf, function, &child)) {
        do {
            if (child.tag == DW_TAG_unspecified_parameters) {
                g_string_append (text, any ? ", ..." : "...");
                any = TRUE;
            }
            if (child.tag != DW_TAG_formal_parameter
                || (is_method
                    && symbol_die_get_number (binding->dwarf, &child, DW_AT_artificial, 0)))
                continue;
            g_autofree char *type = write_parameter (writer, &child);
            /* the object of a method is constant, which only its definition says */
            gboolean is_object = symbol_die_get_number (binding->dwarf, &child,
                                                        DW_AT_artificial, 0)
                                 && g_str_has_suffix (type, "*");
            g_string_append_printf (text, "%s%s%s", any ? ", " : "", type,
                                    is_object ? " const" : "");
            any = TRUE;
        } while (symbol_die_next (binding->dwarf, &child, &child));
    }
    if (strcmp (text->str, "(...") == 0 && !is_void)
        g_string_truncate (text, 1); /* nothing is said of them */
    else if (!any && is_void)
        g_string_append (text, "void");
    g_string_append_c (text, ')');
    return g_string_free (text, FALSE);
}

static char *
write_array (const SymbolTypeWriter *writer, const SymbolDie *array, const char *inner)
{
    GString *text = g_string_new (inner);
    SymbolTypeWriter element = *writer;
    element.depth++;
    element.value = NULL;
    symbol_type_put_bounds (writer, array, text);
    char *whole = symbol_type_write (&element,
                                     symbol_type_find_target (writer->binding->dwarf, array),
                                     text->str);
    g_string_free (text, TRUE);
    return whole;
}

/* A class's name with what its arguments are called in the body around: "Node<T, 3>". */
static char *
replace_arguments (const SymbolTypeWriter *writer, const char *name)
{
    GString *text = g_string_new (NULL);
    while (*name) {
        gsize length = strcspn (name, "<>,");
        g_autofree char *part = g_strndup (name, length);
        const char *word = g_strstrip (part);
        gboolean is_argument = text->len > 0 && (name[length] == ',' || name[length] == '>');
        for (guint i = 0; is_argument && i < writer->names->len; i++) {
            const SymbolTypeName *known = &g_array_index (writer->names, SymbolTypeName, i);
            if (strcmp (known->text, word) == 0) {
                word = known->name;
                break;
            }
        }
        g_string_append (text, name[0] == ' ' && length ? " " : "");
        g_string_append (text, word);
        name += length;
        if (*name)
            g_string_append_c (text, *name++);
    }
    return g_string_free (text, FALSE);
}

char *
symbol_type_write_name (const SymbolTypeWriter *writer, const SymbolDie *die)
{
    const SymbolBinding *binding = writer->binding;
    g_autofree char *name = symbol_type_dup_name (binding->dwarf, die);
    const char *keyword = "";
    gboolean with_keyword = symbol_imports_get_language (binding, die->unit)
                            != JOB_LANGUAGE_CXX;
    if (die->tag == DW_TAG_structure_type || die->tag == DW_TAG_class_type)
        keyword = "struct ";
    else if (die->tag == DW_TAG_union_type)
        keyword = "union ";
    else if (die->tag == DW_TAG_enumeration_type)
        keyword = "enum ";
    g_autofree char *scope
        = base_escape_dup (name && !with_keyword && die->tag != DW_TAG_base_type
                               ? symbol_names_find_scope (binding->binder, die)
                               : NULL,
                           BASE_ESCAPE_NAME);
    g_autofree char *replaced = name && writer->names && strchr (name, '<')
                                    ? replace_arguments (writer, name)
                                    : NULL;
    return g_strconcat (with_keyword || !name ? keyword : "", scope ? scope : "",
                        scope ? "::" : "",
                        replaced     ? replaced
                        : name       ? name
                        : keyword[0] ? "{...}"
                                     : "<unnamed>",
                        NULL);
}

/* What a type that has a name is called in the class around; NULL: nothing else. */
static const char *
find_local_name (const SymbolTypeWriter *writer, guint64 offset)
{
    SymbolDie die;
    gboolean is_typedef = FALSE;
    for (guint i = 0; writer->names && i < 100; i++) {
        if (!symbol_die_find (writer->binding->dwarf, offset, &die))
            return NULL;
        if (die.tag != DW_TAG_typedef)
            break;
        is_typedef = TRUE;
        offset = symbol_type_find_target (writer->binding->dwarf, &die);
    }
    for (guint i = 0; writer->names && i < writer->names->len; i++) {
        const SymbolTypeName *known = &g_array_index (writer->names, SymbolTypeName, i);
        if (known->offset == offset && (is_typedef || !known->is_inherited))
            return known->name;
    }
    return NULL;
}

/* Fortran's */
static char *
write_text (const SymbolBinding *binding, const SymbolDie *die, const char *inner)
{
    SymbolValue value;
    guint64 size = symbol_die_get_number (binding->dwarf, die, DW_AT_byte_size, 0);
    g_autofree char *base
        = symbol_die_get (binding->dwarf, die, DW_AT_string_length, &value) || !size
              ? g_strdup ("character (len=*)")
              : g_strdup_printf ("character (len=%" G_GUINT64_FORMAT ")", size);
    return join (base, inner);
}

static char *
write_pointer (const SymbolTypeWriter *writer, guint64 target, const char *mark,
               const char *inner)
{
    SymbolDie die;
    SymbolTypeWriter pointee = *writer;
    g_autofree char *pointer = g_strconcat (mark, inner, NULL);
    pointee.depth++;
    pointee.value = NULL;
    gboolean is_known = target && symbol_die_find (writer->binding->dwarf, target, &die);
    for (guint i = 0; i < 100 && is_known && writer->show > 0 && die.tag == DW_TAG_typedef;
         i++) {
        target = symbol_type_find_target (writer->binding->dwarf, &die);
        is_known = target && symbol_die_find (writer->binding->dwarf, target, &die);
    }
    if (is_known && (die.tag == DW_TAG_subroutine_type || die.tag == DW_TAG_array_type)) {
        g_autofree char *wrapped = g_strconcat ("(", pointer, ")", NULL);
        return symbol_type_write (&pointee, target, wrapped);
    }
    return symbol_type_write (&pointee, target, pointer);
}

static const struct {
    guint tag;
    const char *word;
} qualifiers[] = {
    { DW_TAG_const_type, "const" },
    { DW_TAG_volatile_type, "volatile" },
    { DW_TAG_restrict_type, "restrict" },
    { DW_TAG_atomic_type, "_Atomic" },
};

guint64
symbol_type_read_qualifiers (const SymbolTypeWriter *writer, guint64 offset, GString *ret_words)
{
    const SymbolDwarf *dwarf = writer->binding->dwarf;
    SymbolDie die;
    guint seen = 0;
    for (guint i = 0; i < 100 && offset && symbol_die_find (dwarf, offset, &die); i++) {
        guint at = 0;
        while (at < G_N_ELEMENTS (qualifiers) && qualifiers[at].tag != die.tag)
            at++;
        if (at == G_N_ELEMENTS (qualifiers) && !(die.tag == DW_TAG_typedef && writer->show > 0))
            break;
        seen |= at < G_N_ELEMENTS (qualifiers) ? 1u << at : 0;
        offset = symbol_type_find_target (dwarf, &die);
    }
    for (guint at = 0; at < G_N_ELEMENTS (qualifiers); at++)
        if (seen & 1u << at)
            g_string_append_printf (ret_words, "%s ", qualifiers[at].word);
    return offset;
}

static char *
write_qualified (const SymbolTypeWriter *writer, guint64 offset, const char *inner)
{
    SymbolDie target;
    SymbolTypeWriter rest = *writer;
    g_autoptr (GString) words = g_string_new (NULL);
    rest.depth++;
    offset = symbol_type_read_qualifiers (writer, offset, words);
    if (offset && symbol_die_find (writer->binding->dwarf, offset, &target)
        && target.tag == DW_TAG_pointer_type) {
        g_string_truncate (words, words->len - 1);
        g_autofree char *mark = g_strconcat ("* ", words->str, inner[0] ? " " : "", NULL);
        return write_pointer (writer, symbol_type_find_target (writer->binding->dwarf, &target),
                              mark, inner);
    }
    g_autofree char *whole = symbol_type_write (&rest, offset, inner);
    /* those of an array are its elements', which may have said so already */
    gboolean is_said = offset && symbol_die_find (writer->binding->dwarf, offset, &target)
                       && target.tag == DW_TAG_array_type
                       && g_str_has_prefix (whole, words->str);
    if (is_said
        || (g_str_has_prefix (whole, "const ") && strcmp (words->str, "volatile ") == 0))
        return is_said || g_str_has_prefix (whole, "const volatile ")
                   ? g_steal_pointer (&whole)
                   : g_strconcat ("const volatile ", whole + strlen ("const "), NULL);
    return g_strconcat (words->str, whole, NULL);
}

static char *
write_member_pointer (const SymbolTypeWriter *writer, const SymbolDie *die, const char *inner)
{
    const SymbolBinding *binding = writer->binding;
    SymbolValue value;
    SymbolDie holder;
    g_autofree char *name = NULL;
    if (symbol_die_get (binding->dwarf, die, DW_AT_containing_type, &value)
        && symbol_die_find (binding->dwarf, value.number, &holder))
        name = base_escape_take (symbol_names_dup_qualified (binding->binder, &holder),
                                 BASE_ESCAPE_NAME);
    g_autofree char *mark = g_strconcat (name ? name : "?", "::*", NULL);
    return write_pointer (writer, symbol_type_find_target (binding->dwarf, die), mark, inner);
}

static char *
write_function (const SymbolTypeWriter *writer, const SymbolDie *die, const char *inner)
{
    SymbolTypeWriter result = *writer;
    g_autofree char *parameters = symbol_type_write_parameters (writer, die, FALSE);
    g_autofree char *whole = g_strconcat (inner, parameters, NULL);
    result.depth++;
    result.value = NULL;
    return symbol_type_write (&result, symbol_type_find_target (writer->binding->dwarf, die),
                              whole);
}

static char *
write_named (const SymbolTypeWriter *writer, guint64 offset, const SymbolDie *die,
             const char *inner)
{
    const char *name = symbol_die_get_name (writer->binding->dwarf, die);
    const char *local = find_local_name (writer, offset);
    gboolean is_whole = writer->show > 0 || (!name && writer->show == 0);
    if (local && !(is_whole && writer->show > 0))
        return join (local, inner);
    g_autofree char *base = !is_whole ? symbol_type_write_name (writer, die)
                            : die->tag == DW_TAG_enumeration_type
                                ? symbol_type_write_enumeration (writer, die)
                                : symbol_type_write_class (writer, die);
    return join (base, inner);
}

char *
symbol_type_write (const SymbolTypeWriter *writer, guint64 offset, const char *inner)
{
    const SymbolDwarf *dwarf = writer->binding->dwarf;
    SymbolDie die;
    if (!offset)
        return join ("void", inner);
    if (writer->depth > SYMBOL_TYPE_MAX_DEPTH || !symbol_die_find (dwarf, offset, &die))
        return join ("<unknown>", inner);
    guint64 target = symbol_type_find_target (dwarf, &die);
    switch (die.tag) {
    case DW_TAG_pointer_type: return write_pointer (writer, target, "*", inner);
    case DW_TAG_reference_type: return write_pointer (writer, target, "&", inner);
    case DW_TAG_rvalue_reference_type: return write_pointer (writer, target, "&&", inner);
    case DW_TAG_ptr_to_member_type: return write_member_pointer (writer, &die, inner);
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type: return write_qualified (writer, offset, inner);
    case DW_TAG_typedef:
        if (writer->show > 0) {
            SymbolTypeWriter rest = *writer;
            rest.depth++;
            return symbol_type_write (&rest, target, inner);
        }
        break;
    case DW_TAG_array_type: return write_array (writer, &die, inner);
    case DW_TAG_string_type: return write_text (writer->binding, &die, inner);
    case DW_TAG_subprogram:
    case DW_TAG_subroutine_type: return write_function (writer, &die, inner);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
    case DW_TAG_enumeration_type: return write_named (writer, offset, &die, inner);
    default: break;
    }
    const char *local = find_local_name (writer, offset);
    g_autofree char *base = local ? g_strdup (local) : symbol_type_write_name (writer, &die);
    return join (base, inner);
}

char *
symbol_type_describe (const SymbolBinding *binding, guint64 offset, const char *inner,
                      guint depth)
{
    const SymbolTypeWriter writer = { .binding = binding, .show = -1, .depth = depth };
    return symbol_type_write (&writer, offset, inner);
}

char *
symbol_type_describe_parameters (const SymbolBinding *binding, const SymbolDie *function)
{
    const SymbolTypeWriter writer = { .binding = binding, .show = -1 };
    return symbol_type_write_parameters (&writer, function, TRUE);
}

static char *expand (SymbolTypeWriter *writer, SymbolBinding *binding, guint32 number,
                     const char *inner);

/* The types of an expression's own function, as "(int, char)". */
static char *
expand_parameters (SymbolBinding *binding, const GArray *parameters)
{
    SymbolTypeWriter names = { .binding = binding, .show = -1, .flags = binding->type_flags };
    GString *text = g_string_new ("(");
    for (guint i = 0; i < parameters->len; i++) {
        g_autofree char *type = expand (&names, binding, g_array_index (parameters, guint32, i),
                                        "");
        g_string_append_printf (text, "%s%s", i ? ", " : "", type);
    }
    g_string_append_c (text, ')');
    return g_string_free (text, FALSE);
}

/* Of a type that an expression made: what it is made of is in `inner`. */
static char *
expand_made (SymbolTypeWriter *writer, SymbolBinding *binding, const SymbolType *type,
             const char *inner)
{
    guint32 target = type->target;
    EvaluateTypeKind kind = symbol_type_get (binding, target)->kind;
    if (type->qualifiers && kind == EVALUATE_TYPE_POINTER) {
        g_autofree char *marked = g_strconcat (" ", type->qualifiers, inner[0] ? " " : "",
                                               inner, NULL);
        return expand (writer, binding, target, marked);
    }
    if (type->qualifiers) {
        g_autofree char *of = expand (writer, binding, target, inner);
        return g_strconcat (type->qualifiers, " ", of, NULL);
    }
    g_autofree char *parameters = expand_parameters (binding, type->parameters);
    g_autofree char *whole = g_strconcat (inner, parameters, NULL);
    writer->value = NULL;
    return expand (writer, binding, target, whole);
}

static gboolean
is_fortran_text (const SymbolBinding *binding, const SymbolType *type)
{
    return type->kind == EVALUATE_TYPE_ARRAY && (type->flags & EVALUATE_TYPE_FORTRAN)
           && (symbol_type_strip (binding, type->target)->kind == EVALUATE_TYPE_UCHAR
               || symbol_type_strip (binding, type->target)->kind == EVALUATE_TYPE_CHAR);
}

/* Of a text that an expression made. */
static char *
expand_text (SymbolTypeWriter *writer, const SymbolType *type)
{
    GString *text = g_string_new (NULL);
    if (type->count && type->count != G_MAXUINT64)
        g_string_append_printf (text, "character*%" G_GUINT64_FORMAT, type->count);
    else
        symbol_type_put_blank (writer, 0, "character*(*)", text);
    return g_string_free (text, FALSE);
}

/* Of an array that an expression made; all dimensions that are so at once. How long a section of Fortran
 * is turns out when it is made. */
static char *
expand_array (SymbolTypeWriter *writer, SymbolBinding *binding, guint32 number,
              const char *inner)
{
    const SymbolType *type = symbol_type_get (binding, number);
    g_autoptr (GString) bounds = g_string_new (NULL);
    gboolean is_known = TRUE, is_fortran = (type->flags & EVALUATE_TYPE_FORTRAN) != 0;
    guint n = 0;
    for (;
         type->kind == EVALUATE_TYPE_ARRAY && !type->origin && !is_fortran_text (binding, type);
         n++) {
        gboolean is_variable = type->count == G_MAXUINT64 || (is_fortran && !type->count);
        gint64 upper = type->lower + (gint64) type->count - 1;
        g_autofree char *bound
            = is_variable        ? g_strdup (is_fortran ? ":" : "[variable length]")
              : !is_fortran      ? g_strdup_printf ("[%" G_GUINT64_FORMAT "]", type->count)
              : type->lower == 1 ? g_strdup_printf ("%" G_GINT64_FORMAT, upper)
                                 : g_strdup_printf ("%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT,
                                                    type->lower, upper);
        is_known = is_known && !is_variable;
        if (is_fortran)
            g_string_prepend (bounds, n ? "," : "");
        g_string_insert (bounds, is_fortran ? 0 : -1, bound);
        number = symbol_type_get_target (binding, number);
        type = symbol_type_get (binding, number);
    }
    if (is_fortran) {
        g_string_prepend_c (bounds, '(');
        g_string_append_c (bounds, ')');
    }
    g_autoptr (GString) text = g_string_new (is_fortran ? NULL : inner);
    if (is_known)
        g_string_append (text, bounds->str);
    else
        symbol_type_put_blank (writer, n, bounds->str, text);
    writer->value = NULL;
    if (!is_fortran)
        return expand (writer, binding, number, text->str);
    g_autofree char *element = expand (writer, binding, number, "");
    return g_strconcat (element, " ", text->str, NULL);
}

/* Of $_siginfo or a part of it, which no debug information describes: as gdb writes its own. */
static char *
expand_siginfo (SymbolTypeWriter *writer, SymbolBinding *binding, guint32 number,
                const char *inner)
{
    const SymbolType *type = symbol_type_get (binding, number);
    const char *keyword = type->kind == EVALUATE_TYPE_UNION ? "union" : "struct";
    const char *tag = symbol_siginfo_find_tag (type);
    SymbolTypeWriter part = symbol_type_get_inner (writer);
    GString *text = g_string_new (keyword);
    if (tag)
        g_string_append_printf (text, " %s", tag);
    if (writer->show < 0 || (writer->show == 0 && tag)) {
        g_string_append (text, tag ? "" : " {...}");
    } else {
        part.indent = writer->indent + 4;
        g_string_append (text, " {\n");
        BASE_EACH_ROW (type->members, const SymbolMember, member) {
            g_autofree char *line = expand (&part, binding, member->type, member->name);
            g_string_append_printf (text, "%*s%s;\n", (int) part.indent, "", line);
        }
        g_string_append_printf (text, "%*s}", (int) writer->indent, "");
    }
    g_autofree char *whole = g_string_free (text, FALSE);
    return join (whole, inner);
}

static char *
expand (SymbolTypeWriter *writer, SymbolBinding *binding, guint32 number, const char *inner)
{
    const SymbolType *type = symbol_type_get (binding, number);
    if (type->is_siginfo)
        return expand_siginfo (writer, binding, number, inner);
    if (type->origin && (type->flags & EVALUATE_TYPE_FORTRAN) && !inner[0])
        return symbol_type_write_fortran (writer, type->origin);
    if (type->origin)
        return symbol_type_write (writer, type->origin, inner);
    if (type->qualifiers || type->parameters)
        return expand_made (writer, binding, type, inner);
    if (is_fortran_text (binding, type) && !inner[0])
        return expand_text (writer, type);
    if (type->kind == EVALUATE_TYPE_ARRAY)
        return expand_array (writer, binding, number, inner);
    gboolean pointer = type->kind == EVALUATE_TYPE_POINTER;
    if (!pointer && type->kind != EVALUATE_TYPE_REFERENCE && !type->holder) {
        g_autofree char *name = base_escape_dup (type->name, BASE_ESCAPE_NAME);
        return join (name, inner);
    }
    guint32 target = type->holder ? type->target : symbol_type_get_target (binding, number);
    g_autofree char *mark = type->holder
                                ? g_strconcat (symbol_type_get (binding, type->holder)->name,
                                               "::*", NULL)
                                : g_strdup (pointer ? "*" : "&");
    EvaluateTypeKind kind = (writer->show > 0 ? symbol_type_strip (binding, target)
                                              : symbol_type_get (binding, target))
                                ->kind;
    gboolean wrapped = kind == EVALUATE_TYPE_ARRAY || kind == EVALUATE_TYPE_FUNCTION;
    g_autofree char *whole = g_strdup_printf (wrapped ? "(%s%s)" : "%s%s", mark, inner);
    writer->value = NULL;
    return expand (writer, binding, target, whole);
}

char *
symbol_type_expand (SymbolBinding *binding, guint32 number, gboolean is_whole,
                    const GByteArray *value)
{
    SymbolTypeWriter writer = { .binding = binding,
                                .show = is_whole ? 1 : -1,
                                .flags = binding->type_flags,
                                .value = value };
    g_autofree char *text = expand (&writer, binding, number, "");
    return g_utf8_make_valid (text, -1);
}
