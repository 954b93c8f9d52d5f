/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions: what counts as true, and code that jumps over what is not to be evaluated. */
#include "base/error.h"
#include "symbol/parser-private.h"

static void
emit_jump (SymbolNode *node, EvaluateOp op, guint size)
{
    base_bytes_put_uleb (node->code, op);
    base_bytes_put_uleb (node->code, size);
}

void
symbol_emit_choice (SymbolNode *condition, SymbolNode *yes, SymbolNode *no)
{
    emit_jump (yes, EVALUATE_OP_JUMP, no->code->len);
    emit_jump (condition, EVALUATE_OP_JUMP_FALSE, yes->code->len);
    symbol_parser_append_code (condition, yes);
    symbol_parser_append_code (condition, no);
    condition->is_constant = FALSE;
}

static gboolean
is_scalar (SymbolParser *parser, const SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    return symbol_is_arithmetic (type) || symbol_is_address (type)
           || type->kind == EVALUATE_TYPE_FUNCTION || type->kind == EVALUATE_TYPE_COMPLEX
           || symbol_is_decimal (type) || type->holder;
}

void
symbol_emit_truth (SymbolParser *parser, SymbolNode *node)
{
    if (!is_scalar (parser, node)) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot use a value of type %s as a condition",
                            symbol_type_get (parser->binding, node->type)->name);
        return;
    }
    symbol_emit_unary (parser, node, EVALUATE_OPERATOR_NOT);
    symbol_emit_unary (parser, node, EVALUATE_OPERATOR_NOT);
}

void
symbol_emit_logic (SymbolParser *parser, SymbolNode *left, SymbolNode *right, gboolean either)
{
    guint32 type = symbol_parser_get_truth (parser);
    if (symbol_emit_operator (parser, either ? "||" : "&&", left, right))
        return;
    SymbolNode fixed = symbol_parser_make_integer (parser, type, either);
    symbol_emit_truth (parser, left);
    if (!parser->error)
        symbol_emit_truth (parser, right);
    if (!parser->error)
        symbol_emit_choice (left, either ? &fixed : right, either ? right : &fixed);
    g_clear_pointer (&fixed.code, g_byte_array_unref);
}
