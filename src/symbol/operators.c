/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves overloaded operators (C++17 [over.match.oper]) among methods and functions. */

#include "base/error.h"
#include "symbol/calls-private.h"

#define MAX_ARROWS 20 /* an operator-> may give an object that has one */

static gboolean
is_object (SymbolParser *parser, const SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    return (type->kind == EVALUATE_TYPE_STRUCT || type->kind == EVALUATE_TYPE_UNION)
           && type->die;
}

static void
add_functions (SymbolParser *parser, GArray *candidates, const char *name,
               const SymbolNode *nodes, guint n)
{
    symbol_candidates_add_visible (parser, candidates, name, nodes, n);
    symbol_candidates_add_associated (parser, candidates, name, nodes, n);
}

/* NULL: none can be used so, or an error. */
static const SymbolCandidate *
choose (SymbolParser *parser, const GArray *candidates, const char *name)
{
    gboolean is_ambiguous;
    const SymbolCandidate *best = symbol_candidates_choose (parser->binding->dwarf, candidates,
                                                            &is_ambiguous);
    if (!is_ambiguous)
        return best;
    g_autofree char *all = symbol_candidates_describe (parser->binding, candidates);
    symbol_parser_fail (parser, BASE_ERROR_INVALID, "\"%s\" is ambiguous: %s", name, all);
    return NULL;
}

gboolean
symbol_emit_operator (SymbolParser *parser, const char *token, SymbolNode *left,
                      SymbolNode *right)
{
    g_autoptr (GArray) candidates = symbol_candidates_new ();
    g_autofree char *name = g_strconcat ("operator", token, NULL);
    SymbolArguments arguments = { .n = 0 };
    if (!symbol_parser_is_cxx (parser) || parser->error
        || !(is_object (parser, left) || (right && is_object (parser, right))))
        return FALSE;
    arguments.nodes[arguments.n++] = *left;
    if (right)
        arguments.nodes[arguments.n++] = *right;
    add_functions (parser, candidates, name, arguments.nodes, arguments.n);
    symbol_candidates_add_methods (parser, candidates, left, NULL, name, &arguments.nodes[1],
                                   arguments.n - 1);
    const SymbolCandidate *best = choose (parser, candidates, name);
    if (!best)
        return parser->error != NULL;
    if (best->is_method) {
        arguments.n = right ? 1 : 0;
        if (right)
            arguments.nodes[0] = *right;
    } else {
        left->code = NULL;
    }
    if (right)
        right->code = NULL;
    symbol_emit_candidate (parser, left, best, name, &arguments, FALSE);
    symbol_arguments_clear (&arguments);
    symbol_follow_reference (parser, left);
    return TRUE;
}

gboolean
symbol_emit_arrow (SymbolParser *parser, SymbolNode *node)
{
    gboolean found = FALSE;
    for (guint i = 0; i < MAX_ARROWS && symbol_emit_operator (parser, "->", node, NULL); i++)
        found = TRUE;
    return found;
}

gboolean
symbol_parse_object_call (SymbolParser *parser, SymbolNode *node)
{
    static const char name[] = "operator()";
    const char *before = parser->at;
    g_autoptr (GArray) candidates = symbol_candidates_new ();
    SymbolArguments arguments;
    if (!symbol_parser_is_cxx (parser) || !is_object (parser, node)
        || !symbol_parser_take (parser, "("))
        return FALSE;
    symbol_parse_arguments (parser, &arguments);
    if (!parser->error)
        symbol_candidates_add_methods (parser, candidates, node, NULL, name, arguments.nodes,
                                       arguments.n);
    const SymbolCandidate *best = choose (parser, candidates, name);
    if (best)
        symbol_emit_candidate (parser, node, best, name, &arguments, FALSE);
    else if (!parser->error)
        parser->at = before;
    symbol_arguments_clear (&arguments);
    return best || parser->error;
}

const char *
symbol_operator_get_token (guint operator_id)
{
    static const char *const tokens[EVALUATE_N_OPERATORS] = {
        [EVALUATE_OPERATOR_ADD] = "+",        [EVALUATE_OPERATOR_SUBTRACT] = "-",
        [EVALUATE_OPERATOR_MULTIPLY] = "*",   [EVALUATE_OPERATOR_DIVIDE] = "/",
        [EVALUATE_OPERATOR_MODULO] = "%",     [EVALUATE_OPERATOR_AND] = "&",
        [EVALUATE_OPERATOR_OR] = "|",         [EVALUATE_OPERATOR_XOR] = "^",
        [EVALUATE_OPERATOR_LEFT] = "<<",      [EVALUATE_OPERATOR_RIGHT] = ">>",
        [EVALUATE_OPERATOR_EQUAL] = "==",     [EVALUATE_OPERATOR_UNEQUAL] = "!=",
        [EVALUATE_OPERATOR_LESS] = "<",       [EVALUATE_OPERATOR_LESS_EQUAL] = "<=",
        [EVALUATE_OPERATOR_GREATER] = ">",    [EVALUATE_OPERATOR_GREATER_EQUAL] = ">=",
        [EVALUATE_OPERATOR_NEGATE] = "-",     [EVALUATE_OPERATOR_NOT] = "!",
        [EVALUATE_OPERATOR_COMPLEMENT] = "~",
    };
    return operator_id < EVALUATE_N_OPERATORS && tokens[operator_id] ? tokens[operator_id]
                                                                     : "?";
}
