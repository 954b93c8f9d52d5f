/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows Fortran's way to elements and sections: a(i,j), a(2:5,:), text(1:3). */
#include "base/error.h"
#include "symbol/parser-private.h"

#define MAX_DIMENSIONS 16

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
        subscript->step = symbol_parser_make_integer (
            parser, symbol_parser_get_long (parser, TRUE), 1);
}

static void
clear_subscript (Subscript *subscript)
{
    g_clear_pointer (&subscript->first.code, g_byte_array_unref);
    g_clear_pointer (&subscript->last.code, g_byte_array_unref);
    g_clear_pointer (&subscript->step.code, g_byte_array_unref);
}

/* Applies the subscripts from the last dimension, the outermost, inwards. A section of an inner one
 * is possible only when all outside it are single elements. */
static void
emit_subscripts (SymbolParser *parser, SymbolNode *node, Subscript *subscripts, guint n)
{
    gboolean open = FALSE;
    for (guint i = n; i-- > 0 && !parser->error;) {
        Subscript *subscript = &subscripts[i];
        const SymbolType *type = symbol_node_strip (parser, node);
        gboolean whole = subscript->is_section && subscript->first.is_constant &&
                         subscript->last.is_constant && subscript->step.is_constant &&
                         subscript->first.constant == G_MININT64 &&
                         subscript->last.constant == G_MAXINT64 && subscript->step.constant == 1;
        if (type->kind != INDEX_TYPE_ARRAY) {
            symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot index a value of type %s",
                                type->name);
        } else if (open && !whole) {
            symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                                "cannot take an inner part of a section: only : can stand in front "
                                "of one");
        } else if (open) {
            break;
        } else if (subscript->is_section) {
            symbol_parser_append_code (node, &subscript->first);
            symbol_parser_append_code (node, &subscript->last);
            symbol_parser_append_code (node, &subscript->step);
            symbol_code_put_op (node->code, INDEX_OP_SECTION, node->type);
            open = TRUE;
        } else {
            guint32 element = symbol_type_get_target (parser->binding, node->type);
            symbol_parser_append_code (node, &subscript->first);
            symbol_code_put_op (node->code, INDEX_OP_INDEX, element);
            base_bytes_put_uleb (node->code, 0);
            node->type = element;
        }
        node->is_constant = FALSE;
    }
}

gboolean
symbol_parse_fortran_postfix (SymbolParser *parser, SymbolNode *node)
{
    Subscript subscripts[MAX_DIMENSIONS] = { 0 };
    guint n = 0;
    const SymbolType *type = symbol_node_strip (parser, node);
    if (type->kind == INDEX_TYPE_POINTER && symbol_type_strip (
            parser->binding, symbol_type_get_target (parser->binding, node->type))->kind ==
            INDEX_TYPE_ARRAY) {
        symbol_emit_deref (parser, node);
        return TRUE;
    }
    if (type->kind != INDEX_TYPE_ARRAY || !symbol_parser_take (parser, "("))
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
