/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows C's expressions: reads them, finds their types by C's rules, emits the read program. */
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"

#define MAX_DEPTH 60

static SymbolNode parse_binary (SymbolParser *parser, guint level);
static SymbolNode parse_unary (SymbolParser *parser);
static SymbolNode parse_conditional (SymbolParser *parser);

static SymbolType *
strip (SymbolParser *parser, const SymbolNode *node)
{
    return symbol_type_strip (parser->binding, node->type);
}

static gboolean
is_arithmetic (const SymbolType *type)
{
    return type->kind >= INDEX_TYPE_BOOL && type->kind <= INDEX_TYPE_ENUM &&
           type->kind != INDEX_TYPE_COMPLEX;
}

static gboolean
is_integer (const SymbolType *type)
{
    return is_arithmetic (type) && type->kind != INDEX_TYPE_FLOAT;
}

static gboolean
is_address (const SymbolType *type)
{
    return type->kind == INDEX_TYPE_POINTER || type->kind == INDEX_TYPE_ARRAY;
}

static void
emit_cast (SymbolNode *node, guint32 type)
{
    if (node->type == type)
        return;
    symbol_code_put_op (node->code, INDEX_OP_CAST, type);
    node->type = type;
}

/* A member anywhere in a structure: bases and unnamed parts are looked through. */
static gboolean
emit_member (SymbolParser *parser, SymbolNode *node, const char *name, guint depth)
{
    const SymbolType *type = strip (parser, node);
    for (guint i = 0; type->members && depth < 8 && i < type->members->len; i++) {
        SymbolMember member = g_array_index (type->members, SymbolMember, i);
        gboolean transparent = !member.name[0] || member.name[0] == '<';
        SymbolNode inner = symbol_parser_new_node (member.type);
        symbol_code_put_op (inner.code, INDEX_OP_MEMBER, member.type);
        base_bytes_put_uleb (inner.code, member.offset);
        base_bytes_put_uleb (inner.code, member.bit_size);
        base_bytes_put_uleb (inner.code, member.bit_offset);
        if (strcmp (member.name, name) == 0 ||
            (transparent && emit_member (parser, &inner, name, depth + 1))) {
            symbol_parser_append_code (node, &inner);
            node->type = inner.type;
            node->is_constant = FALSE;
            return TRUE;
        }
        g_byte_array_unref (inner.code);
    }
    return FALSE;
}

static void
emit_deref (SymbolParser *parser, SymbolNode *node)
{
    const SymbolType *type = strip (parser, node);
    if (type->kind == INDEX_TYPE_FUNCTION)
        return;
    if (!is_address (type)) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot follow a value of type %s",
                            type->name);
        return;
    }
    guint32 target = symbol_type_get_target (parser->binding, node->type);
    if (symbol_type_strip (parser->binding, target)->kind == INDEX_TYPE_VOID)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot follow a pointer to void");
    symbol_code_put_op (node->code, INDEX_OP_DEREF, target);
    node->type = target;
    node->is_constant = FALSE;
}

static SymbolNode
parse_name (SymbolParser *parser)
{
    SymbolBinding *binding = parser->binding;
    g_autofree char *name = symbol_parser_take_name (parser);
    SymbolDie die;
    guint64 address;
    SymbolNode node = symbol_parser_new_node (0);
    if (!name) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: unexpected \"%s\"",
              parser->at);
        return node;
    }
    if (binding->unit && binding->unit->language == JOB_LANGUAGE_FORTRAN) {
        char *lower = g_ascii_strdown (name, -1);
        g_free (name);
        name = lower;
    }
    if (symbol_scope_find (binding, name, &die)) {
        node.type = symbol_scope_emit (binding, &die, node.code);
        if (die.tag == DW_TAG_enumerator) {
            node.is_constant = TRUE;
            node.constant = symbol_die_get_number (binding->dwarf, &die, DW_AT_const_value, 0);
        }
        return node;
    }
    if (strcmp (name, "this") != 0 && symbol_scope_find (binding, "this", &die)) {
        node.type = symbol_scope_emit (binding, &die, node.code);
        emit_deref (parser, &node);
        if (emit_member (parser, &node, name, 0))
            return node;
        g_byte_array_set_size (node.code, 0);
    }
    if (symbol_scope_find_elf (binding, name, &address)) {
        node.type = symbol_parser_get_int (parser);
        symbol_code_put_op (node.code, INDEX_OP_STATIC, node.type);
        base_bytes_put_uleb (node.code, address);
        return node;
    }
    symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "no symbol \"%s\"", name);
    return node;
}

static SymbolNode
parse_sizeof (SymbolParser *parser)
{
    const char *before = parser->at;
    guint32 type;
    if (symbol_parser_take (parser, "(") && symbol_parser_take_type (parser, &type)) {
        symbol_parser_expect (parser, ")");
    } else {
        parser->at = before;
        SymbolNode node = parse_unary (parser);
        type = node.type;
        g_byte_array_unref (node.code);
    }
    return symbol_parser_make_integer (parser, symbol_parser_get_long (parser, FALSE),
                         symbol_type_strip (parser->binding, type)->size);
}

static SymbolNode
parse_primary (SymbolParser *parser)
{
    symbol_parser_skip_space (parser);
    if (symbol_parser_take (parser, "(")) {
        SymbolNode node = parse_conditional (parser);
        symbol_parser_expect (parser, ")");
        return node;
    }
    if (*parser->at == '$')
        return symbol_parser_parse_register (parser);
    if (*parser->at == '"' || *parser->at == '\'')
        return symbol_parser_parse_text (parser, *parser->at);
    if (g_ascii_isdigit (*parser->at) ||
        (*parser->at == '.' && g_ascii_isdigit (parser->at[1])))
        return symbol_parser_parse_number (parser);
    if (strncmp (parser->at, "sizeof", 6) == 0 && !symbol_parser_is_word (parser->at[6],
        FALSE)) {
        parser->at += 6;
        return parse_sizeof (parser);
    }
    return parse_name (parser);
}

static gboolean
is_dynamic (SymbolParser *parser, guint32 type)
{
    const SymbolType *array = symbol_type_strip (parser->binding, type);
    while (array->kind == INDEX_TYPE_ARRAY && array->count != G_MAXUINT64)
        array = symbol_type_strip (parser->binding, array->target);
    return array->kind == INDEX_TYPE_ARRAY;
}

/* Node (an index) times the elements of a row whose length only the program knows; the size that
 * is left to multiply with. */
static guint64
emit_row_size (SymbolParser *parser, SymbolNode *node, guint32 element)
{
    guint64 size = 1;
    guint32 type = symbol_parser_get_long (parser, TRUE);
    const SymbolType *array = symbol_type_strip (parser->binding, element);
    if (!is_dynamic (parser, element))
        return array->size;
    emit_cast (node, type);
    for (; array->kind == INDEX_TYPE_ARRAY;
         array = symbol_type_strip (parser->binding, array->target)) {
        if (array->count != G_MAXUINT64) {
            size *= array->count;
            continue;
        }
        SymbolNode one = symbol_parser_make_integer (parser, type, 1);
        if (!array->bound || !array->bound->len)
            symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                                "cannot index: the length of a row is unknown");
        else
            g_byte_array_append (node->code, array->bound->data, array->bound->len);
        symbol_parser_append_code (node, &one);
        symbol_code_put_op (node->code, INDEX_OP_BINARY, type);
        base_bytes_put_uleb (node->code, INDEX_OPERATOR_ADD);
        symbol_code_put_op (node->code, INDEX_OP_BINARY, type);
        base_bytes_put_uleb (node->code, INDEX_OPERATOR_MULTIPLY);
    }
    return size * array->size;
}

static void
parse_index (SymbolParser *parser, SymbolNode *node)
{
    SymbolNode index = parse_conditional (parser);
    const SymbolType *type = strip (parser, node);
    gboolean slice = symbol_parser_take (parser, ":");
    SymbolNode last = slice ? parse_conditional (parser) : symbol_parser_new_node (0);
    symbol_parser_expect (parser, "]");
    if (!parser->error && (!is_address (type) || !is_integer (strip (parser, &index))))
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot index a value of type %s",
                            type->name);
    if (!parser->error && slice &&
        (!index.is_constant || !last.is_constant || last.constant < index.constant ||
         last.constant - index.constant > 1000000))
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot take a slice: bounds must be rising numbers");
    if (!parser->error) {
        guint32 element = symbol_type_get_target (parser->binding, node->type);
        guint64 size = slice ? symbol_type_strip (parser->binding, element)->size
                             : emit_row_size (parser, &index, element);
        if (slice && is_dynamic (parser, element))
            symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                                "cannot take a slice of rows of unknown length");
        if (slice) {
            node->type = symbol_type_get_array (parser->binding, element,
                                                last.constant - index.constant + 1);
            symbol_code_put_op (node->code, INDEX_OP_SLICE, node->type);
            symbol_code_put_sleb (node->code, index.constant);
        } else {
            symbol_parser_append_code (node, &index);
            node->type = element;
            symbol_code_put_op (node->code, INDEX_OP_INDEX, element);
        }
        base_bytes_put_uleb (node->code, size);
        node->is_constant = FALSE;
    }
    g_clear_pointer (&index.code, g_byte_array_unref);
    g_clear_pointer (&last.code, g_byte_array_unref);
}

static gboolean
is_fortran (const SymbolParser *parser)
{
    return parser->binding->unit && parser->binding->unit->language == JOB_LANGUAGE_FORTRAN;
}

static void
emit_fortran_index (SymbolParser *parser, SymbolNode *node, SymbolNode *index)
{
    const SymbolType *type = strip (parser, node);
    if (type->kind != INDEX_TYPE_ARRAY || !is_integer (strip (parser, index))) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot index a value of type %s",
                            type->name);
        return;
    }
    SymbolNode lower = symbol_parser_make_integer (parser, symbol_parser_get_long (parser,
        TRUE), type->lower);
    guint32 element = symbol_type_get_target (parser->binding, node->type);
    SymbolNode zero_based = symbol_parser_new_node (lower.type);
    emit_cast (index, lower.type);
    symbol_parser_append_code (&zero_based, index);
    symbol_parser_append_code (&zero_based, &lower);
    symbol_code_put_op (zero_based.code, INDEX_OP_BINARY, lower.type);
    base_bytes_put_uleb (zero_based.code, INDEX_OPERATOR_SUBTRACT);
    guint64 size = emit_row_size (parser, &zero_based, element);
    symbol_parser_append_code (node, &zero_based);
    symbol_code_put_op (node->code, INDEX_OP_INDEX, element);
    base_bytes_put_uleb (node->code, size);
    node->type = element;
    node->is_constant = FALSE;
}

/* a(i,j): the last index is of the outermost dimension. */
static void
parse_fortran_index (SymbolParser *parser, SymbolNode *node)
{
    SymbolNode indexes[16];
    guint n = 0;
    do {
        indexes[n++] = parse_conditional (parser);
    } while (!parser->error && n < G_N_ELEMENTS (indexes) && symbol_parser_take (parser, ","));
    symbol_parser_expect (parser, ")");
    while (n) {
        SymbolNode *index = &indexes[--n];
        if (!parser->error)
            emit_fortran_index (parser, node, index);
        g_clear_pointer (&index->code, g_byte_array_unref);
    }
}

static SymbolNode
parse_postfix (SymbolParser *parser)
{
    SymbolNode node = parse_primary (parser);
    while (!parser->error) {
        if (is_fortran (parser) && strip (parser, &node)->kind == INDEX_TYPE_ARRAY &&
            symbol_parser_take (parser, "(")) {
            parse_fortran_index (parser, &node);
            continue;
        }
        if (symbol_parser_take (parser, "[")) {
            parse_index (parser, &node);
            continue;
        }
        gboolean member = is_fortran (parser) && strip (parser, &node)->members &&
                          symbol_parser_take (parser, "%");
        if (!member && !symbol_parser_take (parser, "->") && !symbol_parser_take (parser, "."))
            break;
        g_autofree char *name = symbol_parser_take_name (parser);
        if (is_address (strip (parser, &node)))
            emit_deref (parser, &node);
        if (!parser->error && (!name || !emit_member (parser, &node, name, 0)))
            symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "no member \"%s\" in %s",
                                name ? name : "",
                  symbol_type_get (parser->binding, node.type)->name);
    }
    return node;
}

/* Integers smaller than int become int. */
static void
promote (SymbolParser *parser, SymbolNode *node)
{
    const SymbolType *type = strip (parser, node);
    if (type->kind == INDEX_TYPE_ENUM || type->kind == INDEX_TYPE_BOOL || type->size < 4)
        emit_cast (node, symbol_parser_get_int (parser));
}

static void
emit_unary (SymbolParser *parser, SymbolNode *node, IndexOperator operator)
{
    const SymbolType *type = strip (parser, node);
    gboolean not = operator == INDEX_OPERATOR_NOT;
    if (!is_arithmetic (type) && !(not && is_address (type)))
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot compute with a value of type %s", type->name);
    if (parser->error)
        return;
    if (not) {
        node->constant = !node->constant;
        node->type = symbol_parser_get_int (parser);
    } else {
        promote (parser, node);
        node->constant = operator == INDEX_OPERATOR_NEGATE ? -node->constant : ~node->constant;
    }
    symbol_code_put_op (node->code, INDEX_OP_UNARY, node->type);
    base_bytes_put_uleb (node->code, operator);
}

static void
emit_address (SymbolParser *parser, SymbolNode *node)
{
    if (node->is_constant)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot take the address of a number");
    guint32 pointer = symbol_type_get_pointer (parser->binding, node->type);
    symbol_code_put_op (node->code, INDEX_OP_ADDRESS, pointer);
    node->type = pointer;
}

static SymbolNode
parse_cast_or_primary (SymbolParser *parser)
{
    const char *before = parser->at;
    guint32 type;
    if (symbol_parser_take (parser, "(") && symbol_parser_take_type (parser, &type)) {
        symbol_parser_expect (parser, ")");
        SymbolNode node = parse_unary (parser);
        if (!parser->error)
            emit_cast (&node, type);
        return node;
    }
    parser->at = before;
    return parse_postfix (parser);
}

static SymbolNode
parse_unary (SymbolParser *parser)
{
    SymbolNode node;
    if (++parser->depth > MAX_DEPTH)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot read expression: too deep");
    symbol_parser_skip_space (parser);
    char mark = parser->error ? 0 : *parser->at;
    if (parser->error) {
        node = symbol_parser_new_node (0);
    } else if (mark && strchr ("*&-+!~", mark) && strncmp (parser->at, "&&", 2) != 0) {
        parser->at++;
        node = parse_unary (parser);
        if (parser->error)
            ;
        else if (mark == '*')
            emit_deref (parser, &node);
        else if (mark == '&')
            emit_address (parser, &node);
        else if (mark == '-')
            emit_unary (parser, &node, INDEX_OPERATOR_NEGATE);
        else if (mark == '!')
            emit_unary (parser, &node, INDEX_OPERATOR_NOT);
        else if (mark == '~')
            emit_unary (parser, &node, INDEX_OPERATOR_COMPLEMENT);
    } else {
        node = parse_cast_or_primary (parser);
    }
    parser->depth--;
    return node;
}

typedef struct {
    const char *text;
    guint level;
    guint operator;    /* IndexOperator; 0 for @ */
} Operator;

/* Longer ones first; level 1 binds weakest. */
static const Operator operators[] = {
    { "==", 5, INDEX_OPERATOR_EQUAL }, { "!=", 5, INDEX_OPERATOR_UNEQUAL },
    { "<<", 7, INDEX_OPERATOR_LEFT }, { ">>", 7, INDEX_OPERATOR_RIGHT },
    { "<=", 6, INDEX_OPERATOR_LESS_EQUAL }, { ">=", 6, INDEX_OPERATOR_GREATER_EQUAL },
    { "<", 6, INDEX_OPERATOR_LESS }, { ">", 6, INDEX_OPERATOR_GREATER },
    { "|", 2, INDEX_OPERATOR_OR }, { "^", 3, INDEX_OPERATOR_XOR },
    { "&", 4, INDEX_OPERATOR_AND }, { "@", 8, 0 }, { "+", 9, INDEX_OPERATOR_ADD },
    { "-", 9, INDEX_OPERATOR_SUBTRACT }, { "*", 10, INDEX_OPERATOR_MULTIPLY },
    { "/", 10, INDEX_OPERATOR_DIVIDE }, { "%", 10, INDEX_OPERATOR_MODULO },
};

static const Operator *
peek_operator (SymbolParser *parser)
{
    symbol_parser_skip_space (parser);
    if (!strncmp (parser->at, "&&", 2) || !strncmp (parser->at, "||", 2))
        return NULL;
    for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
        if (strncmp (parser->at, operators[i].text, strlen (operators[i].text)) == 0)
            return &operators[i];
    return NULL;
}

/* C11 6.3.1.8 */
static guint32
find_common (SymbolParser *parser, const SymbolNode *a, const SymbolNode *b)
{
    SymbolBinding *binding = parser->binding;
    guint32 left = symbol_type_strip_number (binding, a->type);
    guint32 right = symbol_type_strip_number (binding, b->type);
    const SymbolType *x = symbol_type_get (binding, left), *y = symbol_type_get (binding,
        right);
    if (x->kind == INDEX_TYPE_FLOAT || y->kind == INDEX_TYPE_FLOAT) {
        if (y->kind != INDEX_TYPE_FLOAT)
            return left;
        return x->kind != INDEX_TYPE_FLOAT || y->size > x->size ? right : left;
    }
    guint64 size = MAX (MAX (x->size, y->size), 4);
    gboolean without_sign =
        (x->kind == INDEX_TYPE_UNSIGNED && x->size == size) ||
        (y->kind == INDEX_TYPE_UNSIGNED && y->size == size);
    if (size > 4)
        return symbol_parser_get_long (parser, !without_sign);
    return without_sign ? symbol_type_get_basic (binding, INDEX_TYPE_UNSIGNED, 4,
                                                 "unsigned int")
                        : symbol_parser_get_int (parser);
}

static void
fold_constant (SymbolNode *left, const SymbolNode *right, guint operator)
{
    gboolean both = left->is_constant && right->is_constant;
    left->is_constant = both && (operator == INDEX_OPERATOR_ADD ||
                                 operator == INDEX_OPERATOR_SUBTRACT ||
                                 operator == INDEX_OPERATOR_MULTIPLY);
    if (!left->is_constant)
        return;
    guint64 a = left->constant, b = right->constant;
    left->constant = operator == INDEX_OPERATOR_ADD ? a + b
                     : operator == INDEX_OPERATOR_SUBTRACT ? a - b : a * b;
}

static guint64
find_element_size (SymbolParser *parser, const SymbolNode *node)
{
    guint32 target = symbol_type_get_target (parser->binding, node->type);
    if (is_dynamic (parser, target))
        symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                            "cannot compute with rows of unknown length");
    return MAX (symbol_type_strip (parser->binding, target)->size, 1);
}

static guint32
decay (SymbolParser *parser, const SymbolNode *node)
{
    if (strip (parser, node)->kind != INDEX_TYPE_ARRAY)
        return node->type;
    return symbol_type_get_pointer (parser->binding,
                                    symbol_type_get_target (parser->binding, node->type));
}

/* Pointer plus or minus integer, and the difference of pointers. */
static void
emit_pointer_arithmetic (SymbolParser *parser, SymbolNode *left, SymbolNode *right,
                         guint operator)
{
    gboolean minus = operator == INDEX_OPERATOR_SUBTRACT;
    if (minus && is_address (strip (parser, right))) {
        guint64 size = find_element_size (parser, left);
        guint32 type = symbol_parser_get_long (parser, TRUE);
        SymbolNode divisor = symbol_parser_make_integer (parser, type, size);
        emit_cast (left, type);
        emit_cast (right, type);
        symbol_parser_append_code (left, right);
        symbol_code_put_op (left->code, INDEX_OP_BINARY, type);
        base_bytes_put_uleb (left->code, operator);
        symbol_parser_append_code (left, &divisor);
        symbol_code_put_op (left->code, INDEX_OP_BINARY, type);
        base_bytes_put_uleb (left->code, INDEX_OPERATOR_DIVIDE);
        return;
    }
    if (!is_address (strip (parser, left))) {
        SymbolNode swapped = *left;
        *left = *right;
        *right = swapped;
    }
    if (minus)
        emit_unary (parser, right, INDEX_OPERATOR_NEGATE);
    emit_cast (right, symbol_parser_get_long (parser, TRUE));
    guint64 size = find_element_size (parser, left);
    left->type = decay (parser, left);
    symbol_parser_append_code (left, right);
    symbol_code_put_op (left->code, INDEX_OP_OFFSET, left->type);
    base_bytes_put_uleb (left->code, size);
}

static void
emit_repeat (SymbolParser *parser, SymbolNode *left, const SymbolNode *right)
{
    if (!right->is_constant || right->constant < 1 || right->constant > 1000000) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot repeat with @: a positive number must follow");
        return;
    }
    guint64 size = symbol_type_strip (parser->binding, left->type)->size;
    emit_address (parser, left);
    left->type = symbol_type_get_array (
        parser->binding, symbol_type_get_target (parser->binding, left->type), right->constant);
    symbol_code_put_op (left->code, INDEX_OP_SLICE, left->type);
    symbol_code_put_sleb (left->code, 0);
    base_bytes_put_uleb (left->code, size);
}

static gboolean
is_comparison (guint operator)
{
    return operator >= INDEX_OPERATOR_EQUAL && operator <= INDEX_OPERATOR_GREATER_EQUAL;
}

static void
emit_binary (SymbolParser *parser, SymbolNode *left, SymbolNode *right, guint operator)
{
    const SymbolType *a = strip (parser, left), *b = strip (parser, right);
    gboolean pointers = is_address (a) || is_address (b);
    gboolean scalar = (is_arithmetic (a) || is_address (a) || a->kind == INDEX_TYPE_FUNCTION) &&
                      (is_arithmetic (b) || is_address (b) || b->kind == INDEX_TYPE_FUNCTION);
    if (!scalar || (pointers && !is_comparison (operator) &&
                    operator != INDEX_OPERATOR_ADD && operator != INDEX_OPERATOR_SUBTRACT)) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot compute with values of types %s and %s",
              a->name, b->name);
        return;
    }
    fold_constant (left, right, operator);
    if (pointers && !is_comparison (operator)) {
        emit_pointer_arithmetic (parser, left, right, operator);
        return;
    }
    guint32 common = pointers || !is_arithmetic (a) || !is_arithmetic (b)
                         ? symbol_parser_get_long (parser, FALSE) : find_common (parser, left,
                             right);
    if (operator == INDEX_OPERATOR_LEFT || operator == INDEX_OPERATOR_RIGHT) {
        promote (parser, left);
        common = symbol_type_strip_number (parser->binding, left->type);
    }
    emit_cast (left, common);
    if (operator != INDEX_OPERATOR_LEFT && operator != INDEX_OPERATOR_RIGHT)
        emit_cast (right, common);
    symbol_parser_append_code (left, right);
    left->type = is_comparison (operator) ? symbol_parser_get_int (parser) : common;
    symbol_code_put_op (left->code, INDEX_OP_BINARY, left->type);
    base_bytes_put_uleb (left->code, operator);
}

static SymbolNode
parse_binary (SymbolParser *parser, guint level)
{
    SymbolNode left = parse_unary (parser);
    while (!parser->error) {
        const Operator *operator = peek_operator (parser);
        if (!operator || operator->level < level)
            break;
        parser->at += strlen (operator->text);
        SymbolNode right = parse_binary (parser, operator->level + 1);
        if (!parser->error && operator->operator)
            emit_binary (parser, &left, &right, operator->operator);
        else if (!parser->error)
            emit_repeat (parser, &left, &right);
        g_clear_pointer (&right.code, g_byte_array_unref);
    }
    return left;
}

static void
emit_jump (SymbolNode *node, IndexOp op, guint size)
{
    base_bytes_put_uleb (node->code, op);
    base_bytes_put_uleb (node->code, size);
}

/* condition ? yes : no, as code. Both have their type already. */
static void
emit_choice (SymbolNode *condition, SymbolNode *yes, SymbolNode *no)
{
    emit_jump (yes, INDEX_OP_JUMP, no->code->len);
    emit_jump (condition, INDEX_OP_JUMP_FALSE, yes->code->len);
    symbol_parser_append_code (condition, yes);
    symbol_parser_append_code (condition, no);
    condition->is_constant = FALSE;
}

static gboolean
is_scalar (SymbolParser *parser, const SymbolNode *node)
{
    const SymbolType *type = strip (parser, node);
    return is_arithmetic (type) || is_address (type) || type->kind == INDEX_TYPE_FUNCTION;
}

static void
emit_truth (SymbolParser *parser, SymbolNode *node)
{
    if (!is_scalar (parser, node)) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot test a value of type %s",
              symbol_type_get (parser->binding, node->type)->name);
        return;
    }
    emit_unary (parser, node, INDEX_OPERATOR_NOT);
    emit_unary (parser, node, INDEX_OPERATOR_NOT);
}

static SymbolNode
parse_logic (SymbolParser *parser, gboolean either)
{
    SymbolNode left = either ? parse_logic (parser, FALSE) : parse_binary (parser, 1);
    while (!parser->error && symbol_parser_take (parser, either ? "||" : "&&")) {
        SymbolNode right = either ? parse_logic (parser, FALSE) : parse_binary (parser, 1);
        SymbolNode fixed = symbol_parser_make_integer (parser, symbol_parser_get_int (parser),
                                                       either);
        if (!parser->error)
            emit_truth (parser, &left);
        if (!parser->error)
            emit_truth (parser, &right);
        if (!parser->error)
            emit_choice (&left, either ? &fixed : &right, either ? &right : &fixed);
        g_clear_pointer (&right.code, g_byte_array_unref);
        g_clear_pointer (&fixed.code, g_byte_array_unref);
    }
    return left;
}

static SymbolNode
parse_conditional (SymbolParser *parser)
{
    if (++parser->depth > MAX_DEPTH)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot read expression: too deep");
    SymbolNode node = parser->error ? symbol_parser_new_node (0) : parse_logic (parser, TRUE);
    if (!parser->error && symbol_parser_take (parser, "?")) {
        SymbolNode yes = parse_conditional (parser), no = symbol_parser_new_node (0);
        symbol_parser_expect (parser, ":");
        g_clear_pointer (&no.code, g_byte_array_unref);
        no = parse_conditional (parser);
        if (!parser->error && is_arithmetic (strip (parser, &yes)) &&
            is_arithmetic (strip (parser, &no))) {
            guint32 common = find_common (parser, &yes, &no);
            emit_cast (&yes, common);
            emit_cast (&no, common);
        }
        if (!parser->error) {
            emit_truth (parser, &node);
            guint32 type = yes.type;
            if (!parser->error)
                emit_choice (&node, &yes, &no);
            node.type = type;
        }
        g_clear_pointer (&yes.code, g_byte_array_unref);
        g_clear_pointer (&no.code, g_byte_array_unref);
    }
    parser->depth--;
    return node;
}

gboolean
symbol_expression_parse (SymbolBinding *binding, const char *text, SymbolNode *ret_node,
                         GError **error)
{
    SymbolParser parser = { binding, text, NULL, 0 };
    SymbolNode node = parse_conditional (&parser);
    symbol_parser_skip_space (&parser);
    if (*parser.at)
        symbol_parser_fail (&parser, BASE_ERROR_INVALID,
                            "cannot read expression: unexpected \"%s\"",
              parser.at);
    if (parser.error) {
        g_byte_array_unref (node.code);
        g_propagate_error (error, parser.error);
        return FALSE;
    }
    *ret_node = node;
    return TRUE;
}
