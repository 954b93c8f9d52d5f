/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows Fortran's operators and how they bind (Fortran 2018, table 10.1): `.not.` holds a whole
 * comparison, a minus sign a whole product, `**` is read from the right. Those of C that gdb's users
 * write in Fortran too (@, &&, !=, <<, ...) stand where gdb has them. */
#include <glib/gi18n.h>
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"

enum {
    EQUIVALENCE = 1,
    OR,
    AND,
    NOT,
    BITS_OR,
    BITS_XOR,
    BITS_AND,
    RELATION,
    SHIFT,
    REPEAT,
    JOIN,
    SUM,
    TERM,
    POWER
};

typedef enum { PLAIN, LOGIC, SAME, SPECIAL } Kind;

typedef struct {
    const char *text;
    guint level;
    Kind kind;
    guint operator_id;
} Operator;

/* Longer ones before their beginnings. */
static const Operator operators[] = {
    { ".eqv.", EQUIVALENCE, SAME, EVALUATE_OPERATOR_EQUAL },
    { ".neqv.", EQUIVALENCE, SAME, EVALUATE_OPERATOR_UNEQUAL },
    { ".xor.", EQUIVALENCE, SAME, EVALUATE_OPERATOR_UNEQUAL },
    { ".or.", OR, LOGIC, TRUE },
    { "||", OR, LOGIC, TRUE },
    { ".and.", AND, LOGIC, FALSE },
    { "&&", AND, LOGIC, FALSE },
    { "|", BITS_OR, PLAIN, EVALUATE_OPERATOR_OR },
    { "^", BITS_XOR, PLAIN, EVALUATE_OPERATOR_XOR },
    { "&", BITS_AND, PLAIN, EVALUATE_OPERATOR_AND },
    { ".eq.", RELATION, PLAIN, EVALUATE_OPERATOR_EQUAL },
    { "==", RELATION, PLAIN, EVALUATE_OPERATOR_EQUAL },
    { ".ne.", RELATION, PLAIN, EVALUATE_OPERATOR_UNEQUAL },
    { "/=", RELATION, PLAIN, EVALUATE_OPERATOR_UNEQUAL },
    { "!=", RELATION, PLAIN, EVALUATE_OPERATOR_UNEQUAL },
    { "<<", SHIFT, PLAIN, EVALUATE_OPERATOR_LEFT },
    { ">>", SHIFT, PLAIN, EVALUATE_OPERATOR_RIGHT },
    { ".le.", RELATION, PLAIN, EVALUATE_OPERATOR_LESS_EQUAL },
    { "<=", RELATION, PLAIN, EVALUATE_OPERATOR_LESS_EQUAL },
    { ".lt.", RELATION, PLAIN, EVALUATE_OPERATOR_LESS },
    { "<", RELATION, PLAIN, EVALUATE_OPERATOR_LESS },
    { ".ge.", RELATION, PLAIN, EVALUATE_OPERATOR_GREATER_EQUAL },
    { ">=", RELATION, PLAIN, EVALUATE_OPERATOR_GREATER_EQUAL },
    { ".gt.", RELATION, PLAIN, EVALUATE_OPERATOR_GREATER },
    { ">", RELATION, PLAIN, EVALUATE_OPERATOR_GREATER },
    { "@", REPEAT, SPECIAL, 0 },
    { "//", JOIN, SPECIAL, 0 },
    { "+", SUM, PLAIN, EVALUATE_OPERATOR_ADD },
    { "-", SUM, PLAIN, EVALUATE_OPERATOR_SUBTRACT },
    { "**", POWER, PLAIN, EVALUATE_OPERATOR_POWER },
    { "*", TERM, PLAIN, EVALUATE_OPERATOR_MULTIPLY },
    { "/", TERM, PLAIN, EVALUATE_OPERATOR_DIVIDE },
};

static gboolean
is_at (const char *text, const char *word)
{
    return g_ascii_strncasecmp (text, word, strlen (word)) == 0;
}

static const Operator *
peek_operator (SymbolParser *parser)
{
    symbol_parser_skip_space (parser);
    return BASE_CHOOSE (i, G_N_ELEMENTS (operators), is_at (parser->at, operators[i].text),
                        &operators[i], NULL);
}

/* With a space before what stands between points, so that it is no part of a number ("1.eq.i"). */
char *
symbol_fortran_rewrite (const char *text)
{
    GString *result = g_string_new (NULL);
    char quote = 0;
    for (; *text; text++) {
        guint i = 0;
        while (!quote && *text == '.' && i < G_N_ELEMENTS (operators)
               && !is_at (text, operators[i].text))
            i++;
        if (!quote && *text == '.' && (i < G_N_ELEMENTS (operators) || is_at (text, ".not.")))
            g_string_append_c (result, ' ');
        if (quote ? *text == quote : *text == '\'' || *text == '"')
            quote = quote ? 0 : *text;
        g_string_append_c (result, *text);
    }
    return g_string_free (result, FALSE);
}

gboolean
symbol_is_text (SymbolParser *parser, const SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    if (type->kind != EVALUATE_TYPE_ARRAY || !(type->flags & EVALUATE_TYPE_FORTRAN))
        return FALSE;
    EvaluateTypeKind kind = symbol_type_strip (parser->binding, type->target)->kind;
    return kind == EVALUATE_TYPE_CHAR || kind == EVALUATE_TYPE_UCHAR;
}

void
symbol_emit_fortran_pointee (SymbolParser *parser, SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    if (type->kind != EVALUATE_TYPE_POINTER || !(type->flags & EVALUATE_TYPE_FORTRAN)
        || parser->error)
        return;
    guint32 target = symbol_type_get_target (parser->binding, node->type);
    SymbolNode inner = { target, FALSE, 0, NULL };
    const SymbolType *pointee = symbol_type_strip (parser->binding, target);
    if (symbol_is_arithmetic (pointee) || pointee->kind == EVALUATE_TYPE_COMPLEX
        || symbol_is_text (parser, &inner))
        symbol_emit_deref (parser, node);
}

/* Compares two texts, or joins them (operator 0). */
static void
emit_text (SymbolParser *parser, SymbolNode *left, SymbolNode *right, guint operator_id)
{
    guint32 type = symbol_parser_get_truth (parser);
    if (!operator_id)
        type = symbol_fortran_build_text (parser, symbol_node_strip (parser, left)->target);
    symbol_parser_append_code (left, right);
    left->type = type;
    left->is_constant = FALSE;
    symbol_code_put_op (left->code, EVALUATE_OP_TEXT, type);
    base_bytes_put_uleb (left->code, operator_id);
}

static void
emit_operator (SymbolParser *parser, SymbolNode *left, SymbolNode *right, const Operator *row)
{
    gboolean join = row->level == JOIN;
    if (row->level == REPEAT) {
        symbol_emit_repeat (parser, left, right);
        return;
    }
    symbol_emit_fortran_pointee (parser, left);
    symbol_emit_fortran_pointee (parser, right);
    const SymbolType *a = symbol_node_strip (parser, left),
                     *b = symbol_node_strip (parser, right);
    gboolean texts = symbol_is_text (parser, left) && symbol_is_text (parser, right);
    if (texts && (join || row->level == RELATION)) {
        emit_text (parser, left, right, join ? 0 : row->operator_id);
        return;
    }
    if (join || a->kind == EVALUATE_TYPE_ARRAY || b->kind == EVALUATE_TYPE_ARRAY) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            join ? N_ ("cannot concatenate values of types %s and %s")
                                 : N_ ("cannot compute with values of types %s and %s"),
                            a->name, b->name);
        return;
    }
    if (row->kind == LOGIC) {
        symbol_emit_logic (parser, left, right, row->operator_id);
        return;
    }
    if (row->kind == SAME) {
        symbol_emit_truth (parser, left);
        symbol_emit_truth (parser, right);
    }
    if (!parser->error)
        symbol_emit_binary (parser, left, right, row->operator_id);
}

static SymbolNode
parse_operand (SymbolParser *parser, guint level)
{
    if (++parser->depth > SYMBOL_MAX_EXPRESSION)
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: it is nested too deeply");
    symbol_parser_skip_space (parser);
    gboolean not = is_at (parser->at, ".not."), minus = *parser->at == '-',
             plus = *parser->at == '+';
    SymbolNode node;
    if (parser->error) {
        node = symbol_parser_new_node (0);
    } else if (not || minus || plus) {
        parser->at += not ? strlen (".not.") : 1;
        node = symbol_parse_fortran_operators (parser, MAX (level, not ? NOT : TERM));
        if (!parser->error)
            symbol_emit_fortran_pointee (parser, &node);
        if (!parser->error && !plus)
            symbol_emit_unary (parser, &node,
                               not ? EVALUATE_OPERATOR_NOT : EVALUATE_OPERATOR_NEGATE);
    } else {
        node = symbol_parse_unary (parser);
    }
    parser->depth--;
    return node;
}

SymbolNode
symbol_parse_fortran_operators (SymbolParser *parser, guint level)
{
    SymbolNode left = parse_operand (parser, level);
    while (!parser->error) {
        const Operator *row = peek_operator (parser);
        if (!row || row->level < level)
            break;
        parser->at += strlen (row->text);
        SymbolNode right = symbol_parse_fortran_operators (parser, row->level == POWER
                                                                       ? POWER
                                                                       : row->level + 1);
        if (!parser->error)
            emit_operator (parser, &left, &right, row);
        g_clear_pointer (&right.code, g_byte_array_unref);
    }
    return left;
}
