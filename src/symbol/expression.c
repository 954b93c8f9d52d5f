/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows C's expressions: reads them, finds their types by C's rules, emits the read program. */
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"

#define MAX_REPEATED 1000000u /* elements of x@n */

static SymbolNode parse_binary (SymbolParser *parser, guint level);

/* Integers smaller than int become int. */
static void
promote (SymbolParser *parser, SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    if (type->kind == EVALUATE_TYPE_ENUM && type->size == 8)
        symbol_emit_cast (node,
                          symbol_parser_get_long (parser, !symbol_is_unsigned (parser, type)));
    else if (type->kind == EVALUATE_TYPE_ENUM && type->size == 4
             && symbol_is_unsigned (parser, type))
        symbol_emit_cast (node, symbol_type_get_basic (parser->binding, EVALUATE_TYPE_UNSIGNED,
                                                       4, "unsigned int"));
    else if (type->kind == EVALUATE_TYPE_ENUM || type->kind == EVALUATE_TYPE_BOOL
             || type->size < 4)
        symbol_emit_cast (node, symbol_parser_get_int (parser));
}

static gboolean
is_vector (const SymbolType *type)
{
    return type->kind == EVALUATE_TYPE_ARRAY && (type->flags & EVALUATE_TYPE_VECTOR);
}

void
symbol_emit_unary (SymbolParser *parser, SymbolNode *node, EvaluateOperator operator_id)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    gboolean is_not = operator_id == EVALUATE_OPERATOR_NOT,
             complex = type->kind == EVALUATE_TYPE_COMPLEX;
    gboolean decimal = symbol_is_decimal (type) && operator_id != EVALUATE_OPERATOR_COMPLEMENT;
    if (symbol_emit_operator (parser, symbol_operator_get_token (operator_id), node, NULL))
        return;
    if (is_vector (type) && !is_not) {
        symbol_code_put_op (node->code, EVALUATE_OP_UNARY, node->type);
        base_bytes_put_uleb (node->code, operator_id);
        return;
    }
    if (complex && operator_id == EVALUATE_OPERATOR_COMPLEMENT)
        operator_id = EVALUATE_OPERATOR_CONJUGATE; /* GNU C */
    if (is_not && symbol_emit_no_member (parser, node))
        return;
    if (!symbol_is_arithmetic (type) && !complex && !decimal
        && !(is_not && symbol_is_address (type)))
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot compute with a value of type %s", type->name);
    if (parser->error)
        return;
    if (is_not) {
        node->constant = !node->constant;
        node->type = symbol_parser_get_truth (parser);
    } else {
        if (!complex && !decimal)
            promote (parser, node);
        node->constant = operator_id == EVALUATE_OPERATOR_NEGATE ? -node->constant
                                                                 : ~node->constant;
    }
    symbol_code_put_op (node->code, EVALUATE_OP_UNARY, node->type);
    base_bytes_put_uleb (node->code, operator_id);
    node->is_rvalue = TRUE;
}

static void
emit_address (SymbolParser *parser, SymbolNode *node)
{
    if (symbol_emit_member_address (parser, node))
        return;
    if (node->is_constant)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot take the address of a number");
    guint32 pointer = symbol_type_get_pointer (parser->binding, node->type);
    symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS, pointer);
    node->type = pointer;
    node->is_rvalue = TRUE;
}

/* To a base by way of a virtual one: only the object knows where that is. FALSE: it is no base. */
static gboolean
emit_virtual_base (SymbolParser *parser, SymbolNode *node, guint32 from, guint32 wanted,
                   guint32 pointer)
{
    g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (SymbolMember));
    if (!symbol_find_base_path (parser->binding, from, wanted, path))
        return FALSE;
    if (pointer)
        symbol_emit_deref (parser, node);
    for (guint i = 0; i < path->len; i++)
        symbol_emit_member (node, &g_array_index (path, SymbolMember, i));
    if (pointer) {
        symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS, pointer);
        node->type = pointer;
    }
    return TRUE;
}

/* A class pointer or place to one of its bases, or the other way. FALSE: they are no relatives. */
static gboolean
emit_relative (SymbolParser *parser, SymbolNode *node, guint32 to, gboolean pointer)
{
    SymbolBinding *binding = parser->binding;
    guint32 from = pointer ? symbol_type_get_target (binding, node->type) : node->type;
    guint32 wanted = pointer ? symbol_type_get_target (binding, to) : to;
    guint32 type = symbol_parser_get_long (parser, TRUE);
    gint64 offset = 0;
    if (symbol_base_is_ambiguous (binding, from, wanted)
        || symbol_base_is_ambiguous (binding, wanted, from)) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot convert a value of type %s to %s: one has the "
                            "other as a base more than once",
                            symbol_type_get (binding, node->type)->name,
                            symbol_type_get (binding, to)->name);
        return TRUE;
    }
    gboolean up = symbol_find_base (binding, from, wanted, 0, &offset);
    if (!up && !symbol_find_base (binding, wanted, from, 0, &offset))
        return emit_virtual_base (parser, node, from, wanted, pointer ? to : 0);
    SymbolNode by = symbol_parser_make_integer (parser, type, up ? offset : -offset);
    if (!pointer) {
        guint32 own = symbol_type_get_pointer (binding, node->type);
        symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS, own);
        node->type = own;
        to = symbol_type_get_pointer (binding, wanted);
    }
    symbol_parser_append_code (node, &by);
    symbol_code_put_op (node->code, EVALUATE_OP_OFFSET, to);
    base_bytes_put_uleb (node->code, 1);
    node->type = to;
    if (!pointer)
        symbol_emit_deref (parser, node);
    return TRUE;
}

/* The same bytes. "short []" becomes as long as they are. */
static void
emit_array_cast (SymbolParser *parser, SymbolNode *node, guint32 type)
{
    const SymbolType *to = symbol_type_strip (parser->binding, type),
                     *from = symbol_node_strip (parser, node);
    guint64 size = symbol_type_strip (parser->binding, to->target)->size;
    if (!to->count && size && from->size && from->size % size == 0)
        type = symbol_type_get_array (parser->binding, to->target, from->size / size);
    else if (to->size != from->size)
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot convert a value of type %s to %s", from->name, to->name);
    node->is_constant = FALSE;
    symbol_emit_cast (node, type);
}

void
symbol_emit_conversion (SymbolParser *parser, SymbolNode *node, guint32 type)
{
    SymbolBinding *binding = parser->binding;
    const SymbolType *to = symbol_type_strip (binding, type),
                     *from = symbol_node_strip (parser, node);
    gboolean pointers = to->kind == EVALUATE_TYPE_POINTER && from->kind == EVALUATE_TYPE_POINTER
                        && (to->flags & EVALUATE_TYPE_TO_AGGREGATE)
                        && (from->flags & EVALUATE_TYPE_TO_AGGREGATE);
    if (symbol_emit_member_conversion (parser, node, type))
        return;
    if (strcmp (from->name, SYMBOL_UNTYPED) == 0) {
        guint32 place = symbol_type_get_pointer (binding, type);
        symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS, place);
        node->type = place;
        symbol_emit_deref (parser, node);
        return;
    }
    if (to->kind == EVALUATE_TYPE_REFERENCE) {
        guint32 target = symbol_type_get_target (binding, type);
        gboolean is_rvalue = symbol_type_is_rvalue_reference (binding, type);
        if (!emit_relative (parser, node, target, FALSE)) {
            guint32 pointer = symbol_type_get_pointer (binding, target);
            symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS, pointer);
            node->type = pointer;
            symbol_emit_deref (parser, node);
        }
        node->is_rvalue = is_rvalue;
        return;
    }
    if (pointers && emit_relative (parser, node, type, TRUE))
        return;
    if (symbol_is_decimal (to) && (symbol_is_decimal (from) || symbol_is_arithmetic (from))) {
        node->is_constant = FALSE;
        symbol_emit_cast (node, type);
        return;
    }
    if (to->kind == EVALUATE_TYPE_ARRAY && !(to->flags & EVALUATE_TYPE_VECTOR)
        && !symbol_is_dynamic (parser, type)) {
        emit_array_cast (parser, node, type);
        return;
    }
    if ((to->kind == EVALUATE_TYPE_STRUCT || to->kind == EVALUATE_TYPE_UNION)
        && (from->kind == to->kind ? symbol_node_strip (parser, node) != to : TRUE)) {
        if (from->kind == EVALUATE_TYPE_STRUCT && emit_relative (parser, node, type, FALSE))
            return;
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot convert a value of type %s to %s", from->name, to->name);
        return;
    }
    node->is_constant = node->is_constant && symbol_is_integer (to) && to->size == 8;
    symbol_emit_cast (node, type);
}

static SymbolNode
parse_cast_or_primary (SymbolParser *parser)
{
    const char *before = parser->at;
    guint32 type;
    if (symbol_parser_take (parser, "(") && symbol_parser_take_type (parser, &type)
        && (parser->error || symbol_parser_take (parser, ")"))) {
        gboolean was_cast = parser->is_cast;
        guint32 was_expected = parser->expected;
        parser->is_cast = TRUE;
        parser->expected = type;
        SymbolNode node = symbol_parse_unary (parser);
        parser->is_cast = was_cast;
        parser->expected = was_expected;
        if (!parser->error)
            symbol_emit_conversion (parser, &node, type);
        return node;
    }
    parser->at = before;
    return symbol_parse_postfix (parser);
}

/* {TYPE} ADDRESS, as gdb's users write it, or an array of values. */
static SymbolNode
parse_at_address (SymbolParser *parser)
{
    guint32 type = 0;
    const char *before = parser->at;
    symbol_parser_expect (parser, "{");
    if (!parser->error && !symbol_parser_take_type (parser, &type)) {
        parser->at = before;
        return symbol_parse_postfix (parser);
    }
    symbol_parser_expect (parser, "}");
    SymbolNode node = symbol_parse_unary (parser);
    if (!parser->error && !symbol_is_arithmetic (symbol_node_strip (parser, &node))
        && !symbol_is_address (symbol_node_strip (parser, &node)))
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot dereference a value of type %s",
                            symbol_node_strip (parser, &node)->name);
    if (!parser->error) {
        symbol_emit_cast (&node, symbol_type_get_pointer (parser->binding, type));
        symbol_emit_deref (parser, &node);
    }
    return node;
}

SymbolNode
symbol_parse_unary (SymbolParser *parser)
{
    SymbolNode node;
    if (++parser->depth > SYMBOL_MAX_EXPRESSION)
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: it is nested too deeply");
    symbol_parser_skip_space (parser);
    char mark = parser->error ? 0 : *parser->at;
    if (parser->error) {
        node = symbol_parser_new_node (0);
    } else if (mark == '{') {
        node = parse_at_address (parser);
    } else if ((mark == '+' || mark == '-') && parser->at[1] == mark
               && !symbol_parser_is_fortran (parser)) {
        parser->at += 2;
        node = symbol_parse_unary (parser);
        if (!parser->error)
            symbol_emit_increment (parser, &node, mark == '+', FALSE);
    } else if (mark && strchr ("*&-+!~", mark) && strncmp (parser->at, "&&", 2) != 0) {
        parser->at++;
        node = symbol_parse_unary (parser);
        if (parser->error)
            ;
        else if (mark == '*'
                 && (symbol_emit_pointee (parser, &node)
                     || symbol_emit_operator (parser, "*", &node, NULL)))
            ;
        else if (mark == '*')
            symbol_emit_deref (parser, &node);
        else if (mark == '&')
            emit_address (parser, &node);
        else if (mark == '-')
            symbol_emit_unary (parser, &node, EVALUATE_OPERATOR_NEGATE);
        else if (mark == '!')
            symbol_emit_unary (parser, &node, EVALUATE_OPERATOR_NOT);
        else if (mark == '~')
            symbol_emit_unary (parser, &node, EVALUATE_OPERATOR_COMPLEMENT);
    } else {
        node = parse_cast_or_primary (parser);
    }
    parser->depth--;
    return node;
}

typedef struct {
    const char *text;
    guint level;
    guint operator_id; /* EvaluateOperator; 0 for @ */
} Operator;

/* Longer ones first; level 1 binds weakest. */
static const Operator operators[] = {
    { "==", 5, EVALUATE_OPERATOR_EQUAL },      { "!=", 5, EVALUATE_OPERATOR_UNEQUAL },
    { "<<", 7, EVALUATE_OPERATOR_LEFT },       { ">>", 7, EVALUATE_OPERATOR_RIGHT },
    { "<=", 6, EVALUATE_OPERATOR_LESS_EQUAL }, { ">=", 6, EVALUATE_OPERATOR_GREATER_EQUAL },
    { "<", 6, EVALUATE_OPERATOR_LESS },        { ">", 6, EVALUATE_OPERATOR_GREATER },
    { "|", 2, EVALUATE_OPERATOR_OR },          { "^", 3, EVALUATE_OPERATOR_XOR },
    { "&", 4, EVALUATE_OPERATOR_AND },         { "@", 8, 0 },
    { "+", 9, EVALUATE_OPERATOR_ADD },         { "-", 9, EVALUATE_OPERATOR_SUBTRACT },
    { "*", 10, EVALUATE_OPERATOR_MULTIPLY },   { "/", 10, EVALUATE_OPERATOR_DIVIDE },
    { "%", 10, EVALUATE_OPERATOR_MODULO },
};

/* It can stand before a = that assigns. */
static gboolean
is_computing (const Operator *row)
{
    return row->operator_id && row->level != 5 && row->level != 6;
}

static const Operator *
peek_operator (SymbolParser *parser)
{
    symbol_parser_skip_space (parser);
    if (!strncmp (parser->at, "&&", 2) || !strncmp (parser->at, "||", 2))
        return NULL;
    for (guint i = 0; i < G_N_ELEMENTS (operators); i++) {
        gsize length = strlen (operators[i].text);
        if (strncmp (parser->at, operators[i].text, length) != 0)
            continue;
        /* += and the like are read by those who assign */
        return is_computing (&operators[i]) && parser->at[length] == '=' ? NULL : &operators[i];
    }
    return NULL;
}

static void
fold_constant (SymbolNode *left, const SymbolNode *right, guint operator_id)
{
    gboolean both = left->is_constant && right->is_constant;
    left->is_constant = both
                        && (operator_id == EVALUATE_OPERATOR_ADD
                            || operator_id == EVALUATE_OPERATOR_SUBTRACT
                            || operator_id == EVALUATE_OPERATOR_MULTIPLY);
    if (!left->is_constant)
        return;
    guint64 a = left->constant, b = right->constant;
    left->constant = operator_id == EVALUATE_OPERATOR_ADD        ? a + b
                     : operator_id == EVALUATE_OPERATOR_SUBTRACT ? a - b
                                                                 : a * b;
}

static guint64
find_element_size (SymbolParser *parser, const SymbolNode *node)
{
    guint32 target = symbol_type_get_target (parser->binding, node->type);
    if (symbol_is_dynamic (parser, target))
        symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                            "cannot compute with rows of unknown length");
    return MAX (symbol_type_strip (parser->binding, target)->size, 1);
}

static guint32
decay (SymbolParser *parser, const SymbolNode *node)
{
    if (symbol_node_strip (parser, node)->kind != EVALUATE_TYPE_ARRAY)
        return node->type;
    return symbol_type_get_pointer (parser->binding,
                                    symbol_type_get_target (parser->binding, node->type));
}

/* Pointer plus or minus integer, and the difference of pointers. */
static void
emit_pointer_arithmetic (SymbolParser *parser, SymbolNode *left, SymbolNode *right,
                         guint operator_id)
{
    gboolean minus = operator_id == EVALUATE_OPERATOR_SUBTRACT;
    if (minus && symbol_is_address (symbol_node_strip (parser, right))) {
        guint64 size = find_element_size (parser, left);
        guint32 type = symbol_parser_get_long (parser, TRUE);
        SymbolNode divisor = symbol_parser_make_integer (parser, type, size);
        symbol_emit_cast (left, type);
        symbol_emit_cast (right, type);
        symbol_parser_append_code (left, right);
        symbol_code_put_binary (left->code, type, operator_id);
        symbol_parser_append_code (left, &divisor);
        symbol_code_put_binary (left->code, type, EVALUATE_OPERATOR_DIVIDE);
        return;
    }
    if (!symbol_is_address (symbol_node_strip (parser, left))) {
        SymbolNode swapped = *left;
        *left = *right;
        *right = swapped;
    }
    if (minus)
        symbol_emit_unary (parser, right, EVALUATE_OPERATOR_NEGATE);
    symbol_emit_cast (right, symbol_parser_get_long (parser, TRUE));
    guint64 size = find_element_size (parser, left);
    left->type = decay (parser, left);
    symbol_parser_append_code (left, right);
    symbol_code_put_op (left->code, EVALUATE_OP_OFFSET, left->type);
    base_bytes_put_uleb (left->code, size);
}

/* An array of so many (G_MAXUINT64: the program says how many) of what is there, as its language has them. */
static guint32
make_repeated (SymbolParser *parser, guint32 element, guint64 count)
{
    guint32 type = symbol_type_get_array (parser->binding, element,
                                          count == G_MAXUINT64 ? 0 : count);
    SymbolType *array = symbol_type_get (parser->binding, type);
    array->count = count;
    if (symbol_parser_is_fortran (parser)) {
        array->flags |= EVALUATE_TYPE_FORTRAN;
        array->lower = 1;
    }
    return type;
}

/* As many as the program says when it is looked at. */
static void
emit_repeat_computed (SymbolParser *parser, SymbolNode *left, const SymbolNode *right)
{
    guint32 number = symbol_parser_get_long (parser, TRUE), element = left->type;
    SymbolNode last = { right->type, FALSE, 0, g_byte_array_new () };
    SymbolNode one = symbol_parser_make_integer (parser, number, 1);
    g_byte_array_append (last.code, right->code->data, right->code->len);
    symbol_emit_cast (&last, number);
    symbol_parser_append_code (&last, &one);
    symbol_code_put_binary (last.code, number, EVALUATE_OPERATOR_SUBTRACT);
    emit_address (parser, left);
    left->type = make_repeated (parser, element, G_MAXUINT64);
    symbol_type_get (parser->binding, left->type)->codes[EVALUATE_CODE_UPPER] = last.code;
    symbol_code_put_op (left->code, EVALUATE_OP_SLICE, left->type);
    symbol_code_put_sleb (left->code, 0);
    base_bytes_put_uleb (left->code, 0);
}

void
symbol_emit_repeat (SymbolParser *parser, SymbolNode *left, const SymbolNode *right)
{
    if (!right->is_constant && symbol_is_integer (symbol_node_strip (parser, right))) {
        emit_repeat_computed (parser, left, right);
        return;
    }
    if (right->is_constant && right->constant > MAX_REPEATED) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot use @: at most %u elements can follow it", MAX_REPEATED);
        return;
    }
    if (!right->is_constant || right->constant < 1) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot use @: a positive number must follow it");
        return;
    }
    guint64 size = symbol_type_strip (parser->binding, left->type)->size;
    emit_address (parser, left);
    left->type = make_repeated (parser, symbol_type_get_target (parser->binding, left->type),
                                (guint64) right->constant);
    symbol_code_put_op (left->code, EVALUATE_OP_SLICE, left->type);
    symbol_code_put_sleb (left->code, 0);
    base_bytes_put_uleb (left->code, size);
}

guint32
symbol_parser_get_truth (SymbolParser *parser)
{
    const SymbolUnit *unit = parser->binding->unit;
    if (unit && unit->language == JOB_LANGUAGE_CXX)
        return symbol_type_get_basic (parser->binding, EVALUATE_TYPE_BOOL, 1, "bool");
    if (unit && unit->language == JOB_LANGUAGE_FORTRAN) {
        guint32 logical = symbol_type_get_basic (parser->binding, EVALUATE_TYPE_BOOL, 4,
                                                 "logical(kind=4)");
        symbol_type_get (parser->binding, logical)->flags |= EVALUATE_TYPE_FORTRAN;
        return logical;
    }
    return symbol_parser_get_int (parser);
}

/* Element by element; a number stands for a vector of it. */
static void
emit_vector (SymbolParser *parser, SymbolNode *left, SymbolNode *right, guint operator_id)
{
    const SymbolType *a = symbol_node_strip (parser, left),
                     *b = symbol_node_strip (parser, right);
    guint32 type = is_vector (a) ? left->type : right->type;
    gboolean good = is_vector (a) && is_vector (b)
                        ? a->size == b->size && a->count == b->count
                        : symbol_is_arithmetic (is_vector (a) ? b : a);
    if (!good || symbol_is_comparison (operator_id)) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot compute with values of types %s and %s", a->name, b->name);
        return;
    }
    symbol_parser_append_code (left, right);
    symbol_code_put_binary (left->code, type, operator_id);
    left->type = type;
    left->is_constant = FALSE;
}

void
symbol_emit_binary (SymbolParser *parser, SymbolNode *left, SymbolNode *right,
                    guint operator_id)
{
    if (symbol_emit_strings (parser, left, right, operator_id))
        return;
    symbol_emit_iterator (parser, left);
    symbol_emit_iterator (parser, right);
    symbol_emit_complex_value (parser, left);
    symbol_emit_complex_value (parser, right);
    if (symbol_emit_operator (parser, symbol_operator_get_token (operator_id), left, right))
        return;
    left->is_rvalue = TRUE;
    const SymbolType *a = symbol_node_strip (parser, left),
                     *b = symbol_node_strip (parser, right);
    if (is_vector (a) || is_vector (b)) {
        emit_vector (parser, left, right, operator_id);
        return;
    }
    if (symbol_emit_member_comparison (parser, left, right, operator_id))
        return;
    gboolean pointers = symbol_is_address (a) || symbol_is_address (b);
    gboolean scalar = (symbol_is_arithmetic (a) || symbol_is_address (a)
                       || a->kind == EVALUATE_TYPE_FUNCTION)
                      && (symbol_is_arithmetic (b) || symbol_is_address (b)
                          || b->kind == EVALUATE_TYPE_FUNCTION);
    gboolean modulo = operator_id == EVALUATE_OPERATOR_MODULO
                      && !symbol_parser_is_fortran (parser)
                      && (a->kind == EVALUATE_TYPE_FLOAT || b->kind == EVALUATE_TYPE_FLOAT);
    if (symbol_emit_decimal (parser, left, right, operator_id))
        return;
    if ((a->kind == EVALUATE_TYPE_COMPLEX || b->kind == EVALUATE_TYPE_COMPLEX)
        && symbol_emit_complex (parser, left, right, operator_id))
        return;
    if (!scalar || modulo
        || (pointers && !symbol_is_comparison (operator_id)
            && operator_id != EVALUATE_OPERATOR_ADD
            && operator_id != EVALUATE_OPERATOR_SUBTRACT)) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot compute with values of types %s and %s", a->name, b->name);
        return;
    }
    fold_constant (left, right, operator_id);
    if (pointers && !symbol_is_comparison (operator_id)) {
        emit_pointer_arithmetic (parser, left, right, operator_id);
        return;
    }
    guint32 common = pointers || !symbol_is_arithmetic (a) || !symbol_is_arithmetic (b)
                         ? symbol_parser_get_long (parser, FALSE)
                         : symbol_find_common (parser, left, right);
    if (operator_id == EVALUATE_OPERATOR_LEFT || operator_id == EVALUATE_OPERATOR_RIGHT) {
        promote (parser, left);
        common = symbol_type_strip_number (parser->binding, left->type);
    }
    symbol_emit_cast (left, common);
    if (operator_id != EVALUATE_OPERATOR_LEFT && operator_id != EVALUATE_OPERATOR_RIGHT)
        symbol_emit_cast (right, common);
    symbol_parser_append_code (left, right);
    left->type = symbol_is_comparison (operator_id) ? symbol_parser_get_truth (parser) : common;
    symbol_code_put_binary (left->code, left->type, operator_id);
}

static SymbolNode
parse_binary (SymbolParser *parser, guint level)
{
    SymbolNode left = symbol_parse_unary (parser);
    while (!parser->error) {
        const Operator *row = peek_operator (parser);
        if (!row || row->level < level)
            break;
        parser->at += strlen (row->text);
        SymbolNode right = parse_binary (parser, row->level + 1);
        if (!parser->error && row->operator_id)
            symbol_emit_binary (parser, &left, &right, row->operator_id);
        else if (!parser->error)
            symbol_emit_repeat (parser, &left, &right);
        g_clear_pointer (&right.code, g_byte_array_unref);
    }
    return left;
}

static SymbolNode
parse_logic (SymbolParser *parser, gboolean either)
{
    SymbolNode left = either ? parse_logic (parser, FALSE) : parse_binary (parser, 1);
    while (!parser->error && symbol_parser_take (parser, either ? "||" : "&&")) {
        SymbolNode right = either ? parse_logic (parser, FALSE) : parse_binary (parser, 1);
        if (!parser->error)
            symbol_emit_logic (parser, &left, &right, either);
        g_clear_pointer (&right.code, g_byte_array_unref);
    }
    return left;
}

SymbolNode
symbol_parse_conditional (SymbolParser *parser)
{
    if (++parser->depth > SYMBOL_MAX_EXPRESSION)
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: it is nested too deeply");
    SymbolNode node = parser->error ? symbol_parser_new_node (0)
                      : symbol_parser_is_fortran (parser)
                          ? symbol_parse_fortran_operators (parser, 1)
                          : parse_logic (parser, TRUE);
    if (!parser->error && symbol_parser_take (parser, "?")) {
        SymbolNode yes = symbol_parse_assignment (parser), no = symbol_parser_new_node (0);
        symbol_parser_expect (parser, ":");
        g_clear_pointer (&no.code, g_byte_array_unref);
        no = symbol_parse_conditional (parser);
        if (!parser->error && symbol_is_arithmetic (symbol_node_strip (parser, &yes))
            && symbol_is_arithmetic (symbol_node_strip (parser, &no))) {
            guint32 common = symbol_find_common (parser, &yes, &no);
            symbol_emit_cast (&yes, common);
            symbol_emit_cast (&no, common);
        }
        if (!parser->error) {
            symbol_emit_truth (parser, &node);
            guint32 type = yes.type;
            if (!parser->error)
                symbol_emit_choice (&node, &yes, &no);
            node.type = type;
        }
        g_clear_pointer (&yes.code, g_byte_array_unref);
        g_clear_pointer (&no.code, g_byte_array_unref);
    }
    parser->depth--;
    return node;
}

gboolean
symbol_take_assignment (SymbolParser *parser, guint *ret_operator)
{
    symbol_parser_skip_space (parser);
    *ret_operator = 0;
    for (guint i = 0; !symbol_parser_is_fortran (parser) && i < G_N_ELEMENTS (operators); i++) {
        gsize length = strlen (operators[i].text);
        if (is_computing (&operators[i]) && !strncmp (parser->at, operators[i].text, length)
            && parser->at[length] == '=' && parser->at[length + 1] != '=') {
            *ret_operator = operators[i].operator_id;
            parser->at += length + 1;
            return TRUE;
        }
    }
    if (parser->at[0] != '=' || parser->at[1] == '=')
        return FALSE;
    parser->at++;
    return TRUE;
}

/* The place is in left's code; with an operator the value is what that makes of both. */
static void
emit_assignment (SymbolParser *parser, SymbolNode *left, SymbolNode *right, guint operator_id,
                 gboolean is_old_wanted)
{
    guint32 type = left->type;
    const SymbolType *to = symbol_node_strip (parser, left);
    g_autofree char *token
        = g_strconcat (operator_id ? symbol_operator_get_token (operator_id) : "", "=", NULL);
    if (symbol_emit_operator (parser, token, left, right))
        return;
    if (left->is_constant)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot assign to a number");
    else if (to->kind == EVALUATE_TYPE_STRUCT
             && (to->flags & (EVALUATE_TYPE_BY_REFERENCE | EVALUATE_TYPE_DYNAMIC)))
        symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                            "cannot assign a %s: only the program's own code can copy it",
                            to->name);
    else if (operator_id && !symbol_is_arithmetic (to) && to->kind != EVALUATE_TYPE_POINTER
             && !is_vector (to) && to->kind != EVALUATE_TYPE_COMPLEX && !symbol_is_decimal (to))
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot compute with a value of type %s", to->name);
    if (parser->error)
        return;
    const SymbolType *from = symbol_node_strip (parser, right);
    if (operator_id) {
        symbol_code_put_op (left->code, EVALUATE_OP_DUP, type);
        symbol_emit_binary (parser, left, right, operator_id);
        if (!parser->error && symbol_is_decimal (symbol_node_strip (parser, left)))
            symbol_emit_conversion (parser, left, type);
    } else {
        if (to->holder || symbol_is_decimal (to)
            || (symbol_is_decimal (from) && symbol_is_arithmetic (to)))
            symbol_emit_conversion (parser, right, type);
        else if (symbol_fits_elements (parser, right, type))
            symbol_emit_cast (right, type);
        else if (to->kind == EVALUATE_TYPE_POINTER && from->kind == EVALUATE_TYPE_POINTER)
            symbol_emit_conversion (parser, right, type);
        symbol_parser_append_code (left, right);
    }
    symbol_code_put_op (left->code, EVALUATE_OP_ASSIGN, type);
    base_bytes_put_uleb (left->code, is_old_wanted);
    left->type = type;
    left->is_constant = FALSE;
}

void
symbol_emit_increment (SymbolParser *parser, SymbolNode *node, gboolean is_up,
                       gboolean is_old_wanted)
{
    SymbolNode one = symbol_parser_make_integer (parser, symbol_parser_get_int (parser), 1);
    SymbolNode zero = symbol_parser_make_integer (parser, symbol_parser_get_int (parser), 0);
    /* operator++ (int) is the one that stands behind */
    gboolean is_own = symbol_emit_operator (parser, is_up ? "++" : "--", node,
                                            is_old_wanted ? &zero : NULL);
    g_clear_pointer (&zero.code, g_byte_array_unref);
    if (!is_own)
        emit_assignment (parser, node, &one,
                         is_up ? EVALUATE_OPERATOR_ADD : EVALUATE_OPERATOR_SUBTRACT,
                         is_old_wanted);
    g_clear_pointer (&one.code, g_byte_array_unref);
}

SymbolNode
symbol_parse_assignment (SymbolParser *parser)
{
    SymbolNode left;
    guint operator_id;
    if (parser->binding->kept && !parser->error && symbol_parse_keeping (parser, &left))
        return left;
    left = symbol_parse_conditional (parser);
    if (parser->error || !symbol_take_assignment (parser, &operator_id))
        return left;
    SymbolNode right = symbol_parser_new_node (0);
    g_clear_pointer (&right.code, g_byte_array_unref);
    if (++parser->depth > SYMBOL_MAX_EXPRESSION)
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: it is nested too deeply");
    else
        right = symbol_parse_assignment (parser);
    parser->depth--;
    if (!parser->error)
        emit_assignment (parser, &left, &right, operator_id, FALSE);
    g_clear_pointer (&right.code, g_byte_array_unref);
    return left;
}

SymbolNode
symbol_parse_comma (SymbolParser *parser)
{
    SymbolNode node = symbol_parse_assignment (parser);
    while (!parser->error && symbol_parser_take (parser, ",")) {
        SymbolNode next = symbol_parse_assignment (parser);
        symbol_parser_append_code (&node, &next);
        if (symbol_parser_is_fortran (parser)) {
            /* (real, imaginary) */
            node.type = symbol_parser_get_complex (parser, 8, FALSE);
            symbol_code_put_binary (node.code, node.type, EVALUATE_OPERATOR_COMPLEX);
            node.is_constant = FALSE;
            break;
        }
        symbol_code_put_op (node.code, EVALUATE_OP_DROP, next.type);
        node.type = next.type;
        node.is_constant = FALSE;
    }
    return node;
}
