/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses Fortran's elements and sections: a(i,j), a(2:5,:), text(1:3). */
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"

#define MAX_DIMENSIONS 6

/* One subscript: a number, or first:last:step with any of them left out. */
typedef struct {
    SymbolNode first, last, step;
    gboolean is_section;
} Subscript;

static SymbolNode
parse_bound (SymbolParser *parser, gint64 otherwise)
{
    guint32 type = symbol_parser_get_long (parser, TRUE);
    symbol_parser_skip_space (parser);
    if (*parser->at == ':' || *parser->at == ',' || *parser->at == ')')
        return symbol_parser_make_integer (parser, type, otherwise);
    SymbolNode node = symbol_parse_conditional (parser);
    if (!parser->error && !symbol_is_integer (symbol_node_strip (parser, &node)))
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot index with a value of type %s",
                            symbol_node_strip (parser, &node)->name);
    if (!parser->error)
        symbol_emit_cast (&node, type);
    return node;
}

static void
parse_subscript (SymbolParser *parser, Subscript *subscript)
{
    subscript->first = parse_bound (parser, G_MININT64);
    subscript->is_section = !parser->error && symbol_parser_take (parser, ":");
    if (!subscript->is_section)
        return;
    subscript->last = parse_bound (parser, G_MAXINT64);
    if (!parser->error && symbol_parser_take (parser, ":"))
        subscript->step = parse_bound (parser, 1);
    else
        subscript->step = symbol_parser_make_integer (parser,
                                                      symbol_parser_get_long (parser, TRUE), 1);
}

static void
clear_subscript (Subscript *subscript)
{
    g_clear_pointer (&subscript->first.code, g_byte_array_unref);
    g_clear_pointer (&subscript->last.code, g_byte_array_unref);
    g_clear_pointer (&subscript->step.code, g_byte_array_unref);
}

static gboolean
is_character (SymbolBinding *binding, guint32 type)
{
    EvaluateTypeKind kind = symbol_type_strip (binding, type)->kind;
    return kind == EVALUATE_TYPE_CHAR || kind == EVALUATE_TYPE_UCHAR;
}

guint32
symbol_fortran_build_text (SymbolParser *parser, guint32 character)
{
    guint32 type = symbol_type_get_array (parser->binding, character, 0);
    SymbolType *text = symbol_type_get (parser->binding, type);
    g_free (text->name);
    text->name = g_strdup ("character (len=:)");
    text->flags |= EVALUATE_TYPE_FORTRAN;
    text->lower = 1;
    return type;
}

/* An array type of Fortran whose bounds are known only when it is looked at. */
static guint32
add_dimension (SymbolBinding *binding, guint32 rest)
{
    guint32 type = symbol_type_get_array (binding, rest, 0);
    SymbolType *array = symbol_type_get (binding, type);
    const char *of = symbol_type_get (binding, rest)->name;
    gboolean is_array = symbol_type_strip (binding, rest)->kind == EVALUATE_TYPE_ARRAY
                        && g_str_has_suffix (of, ":)");
    g_free (array->name);
    array->name = is_array ? g_strdup_printf ("%.*s,:)", (int) strlen (of) - 1, of)
                           : g_strconcat (of, " (:)", NULL);
    array->lower = 1;
    array->flags |= EVALUATE_TYPE_FORTRAN;
    return type;
}

/* The array type that is left: dimensions that are sections, and those that have no subscript. */
static guint32
build_rest (SymbolParser *parser, guint32 array, const Subscript *subscripts, guint n)
{
    SymbolBinding *binding = parser->binding;
    if (!n)
        return array;
    guint32 rest = build_rest (parser, symbol_type_strip (binding, array)->target, subscripts,
                               n - 1);
    if (!subscripts[n - 1].is_section)
        return rest;
    /* a piece of text is text */
    return is_character (binding, rest) ? symbol_fortran_build_text (parser, rest)
                                        : add_dimension (binding, rest);
}

/* Those that take a subscript: text has one of its own. */
static guint
count_dimensions (SymbolBinding *binding, const SymbolType *type)
{
    guint n = 0;
    for (; type->kind == EVALUATE_TYPE_ARRAY; type = symbol_type_strip (binding, type->target))
        if (n == 0 || !is_character (binding, type->target))
            n++;
    return n;
}

/* Subscripts stand in the order of Fortran, the innermost dimension first: one for each. */
static void
emit_subscripts (SymbolParser *parser, SymbolNode *node, Subscript *subscripts, guint n)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    /* of assumed rank: as many dimensions as are asked for, or it is none when it is looked at */
    if (type->flags & EVALUATE_TYPE_RANKED && n < type->view_types->len) {
        node->type = g_array_index (type->view_types, guint32, n);
        type = symbol_node_strip (parser, node);
    }
    guint rank = count_dimensions (parser->binding, type);
    if (rank != n) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            rank == 0 ? "cannot index a value of type %s"
                                      : "wrong number of subscripts for a value of type %s",
                            type->name);
        return;
    }
    guint32 rest = build_rest (parser, symbol_type_strip_number (parser->binding, node->type),
                               subscripts, n);
    for (guint i = n; i-- > 0;) {
        symbol_parser_append_code (node, &subscripts[i].first);
        if (!subscripts[i].is_section)
            continue;
        symbol_parser_append_code (node, &subscripts[i].last);
        symbol_parser_append_code (node, &subscripts[i].step);
    }
    symbol_code_put_op (node->code, EVALUATE_OP_SECTION, rest);
    base_bytes_put_uleb (node->code, n);
    for (guint i = n; i-- > 0;) {
        guint8 kind = subscripts[i].is_section;
        g_byte_array_append (node->code, &kind, 1);
    }
    node->type = rest;
    node->is_constant = FALSE;
}

/* An array type of the same dimensions with other elements. */
static guint32
build_alike (SymbolParser *parser, guint32 array, guint32 element)
{
    const SymbolType *type = symbol_type_strip (parser->binding, array);
    if (type->kind != EVALUATE_TYPE_ARRAY)
        return element;
    return add_dimension (parser->binding, build_alike (parser, type->target, element));
}

gboolean
symbol_emit_component (SymbolParser *parser, SymbolNode *node, const SymbolMember *member)
{
    if (symbol_node_strip (parser, node)->kind != EVALUATE_TYPE_ARRAY
        || EVALUATE_MEMBER_ELSEWHERE (member->bit_offset) || member->bit_size)
        return FALSE;
    node->type = build_alike (parser, node->type, member->type);
    node->is_constant = FALSE;
    symbol_code_put_op (node->code, EVALUATE_OP_COMPONENT, node->type);
    base_bytes_put_uleb (node->code, member->offset);
    return TRUE;
}

gboolean
symbol_emit_class_object (SymbolParser *parser, SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    if (!symbol_parser_is_fortran (parser) || type->kind != EVALUATE_TYPE_STRUCT
        || !type->members || !type->members->len
        || strcmp (g_array_index (type->members, SymbolMember, 0).name, "_data") != 0
        || !symbol_emit_named (parser, node, "_data"))
        return FALSE;
    if (symbol_node_strip (parser, node)->kind == EVALUATE_TYPE_POINTER)
        symbol_emit_deref (parser, node);
    return !parser->error;
}

gboolean
symbol_parse_fortran_postfix (SymbolParser *parser, SymbolNode *node)
{
    Subscript subscripts[MAX_DIMENSIONS] = { 0 };
    guint n = 0;
    if (symbol_parser_is_next (parser, '('))
        symbol_emit_class_object (parser, node);
    const SymbolType *type = symbol_node_strip (parser, node);
    if (type->kind == EVALUATE_TYPE_POINTER && type->flags & EVALUATE_TYPE_FORTRAN
        && symbol_type_strip (parser->binding,
                              symbol_type_get_target (parser->binding, node->type))
                   ->kind
               == EVALUATE_TYPE_ARRAY) {
        symbol_emit_deref (parser, node);
        return TRUE;
    }
    if ((type->kind != EVALUATE_TYPE_ARRAY && !(type->flags & EVALUATE_TYPE_RANKED))
        || !symbol_parser_take (parser, "("))
        return FALSE;
    do {
        parse_subscript (parser, &subscripts[n++]);
    } while (!parser->error && n < MAX_DIMENSIONS && symbol_parser_take (parser, ","));
    symbol_parser_expect (parser, ")");
    if (!parser->error)
        emit_subscripts (parser, node, subscripts, n);
    while (n)
        clear_subscript (&subscripts[--n]);
    return TRUE;
}
