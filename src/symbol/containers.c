/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on arrays and C++ containers: elements by index and key, slices, targets of
 * pointers and iterators, and query functions, which need not run in the program. */
#include <glib/gi18n.h>
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"
#include "symbol/views-private.h"

static gboolean
has_elements (const SymbolType *type)
{
    return type->view == EVALUATE_VIEW_VECTOR || type->view == EVALUATE_VIEW_ARRAY
           || type->view == EVALUATE_VIEW_DEQUE || type->view == EVALUATE_VIEW_STRING
           || type->view == EVALUATE_VIEW_SPAN || type->view == EVALUATE_VIEW_BITS
           || type->view == EVALUATE_VIEW_BITSET;
}

/* Its elements lie side by side. */
static gboolean
is_row (const SymbolType *type)
{
    return type->view == EVALUATE_VIEW_VECTOR || type->view == EVALUATE_VIEW_ARRAY
           || type->view == EVALUATE_VIEW_STRING || type->view == EVALUATE_VIEW_SPAN;
}

static gboolean
is_map (const SymbolType *type)
{
    return (type->view == EVALUATE_VIEW_TREE || type->view == EVALUATE_VIEW_HASH)
           && type->view_types->len > 1;
}

static guint64
get_number (const SymbolType *type, guint at)
{
    return g_array_index (type->view_numbers, guint64, at);
}

static guint32
get_inner (const SymbolType *type, guint at)
{
    return g_array_index (type->view_types, guint32, at);
}

static void
emit_part (SymbolNode *node, guint64 offset, guint32 type)
{
    SymbolMember member = { NULL, offset, type, 0, 0 };
    symbol_emit_member (node, &member);
}

/* An element as a place; index's code is taken. */
static void
emit_element (SymbolNode *node, SymbolNode *index, guint32 element)
{
    symbol_parser_append_code (node, index);
    symbol_code_put_op (node->code, EVALUATE_OP_ELEMENT, element);
    node->type = element;
    node->is_constant = FALSE;
}

static void
emit_key (SymbolNode *node, SymbolNode *key, guint32 type, gboolean asks)
{
    symbol_parser_append_code (node, key);
    symbol_code_put_op (node->code, EVALUATE_OP_KEY, type);
    base_bytes_put_uleb (node->code, asks);
    node->type = type;
    node->is_constant = FALSE;
}

gboolean
symbol_emit_iterator (SymbolParser *parser, SymbolNode *node)
{
    SymbolType *type = symbol_node_strip (parser, node);
    gboolean iterator = type->view == EVALUATE_VIEW_ITERATOR;
    if (!iterator && type->view != EVALUATE_VIEW_UNIQUE)
        return FALSE;
    guint32 inner = get_inner (type, 0);
    emit_part (node, get_number (type, 0),
               iterator ? symbol_type_get_pointer (parser->binding, inner) : inner);
    return TRUE;
}

/* The first of a container's elements as if it were an array, for what has them in one row. */
static gboolean
emit_first_element (SymbolParser *parser, SymbolNode *node)
{
    SymbolType *type = symbol_node_strip (parser, node);
    if (!is_row (type))
        return FALSE;
    guint32 element = g_array_index (type->view_types, guint32, 0);
    SymbolNode zero = symbol_parser_make_integer (parser,
                                                  symbol_parser_get_long (parser, FALSE), 0);
    guint32 pointer = symbol_type_get_pointer (parser->binding, element);
    symbol_parser_append_code (node, &zero);
    symbol_code_put_op (node->code, EVALUATE_OP_ELEMENT, element);
    symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS, pointer);
    node->type = pointer;
    return TRUE;
}

static void
emit_slice (SymbolParser *parser, SymbolNode *node, const SymbolNode *first,
            const SymbolNode *last)
{
    emit_first_element (parser, node);
    const SymbolType *type = symbol_node_strip (parser, node);
    if (!symbol_is_address (type))
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot index a value of type %s",
                            type->name);
    else if (!first->is_constant || !last->is_constant || last->constant < first->constant)
        symbol_parser_fail (
            parser, BASE_ERROR_INVALID,
            "cannot take a slice: the bounds must be numbers in ascending order");
    else if ((guint64) last->constant - (guint64) first->constant > G_MAXINT32)
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot take a slice: it has more than 2147483648 elements");
    if (parser->error)
        return;
    guint32 element = symbol_type_get_target (parser->binding, node->type);
    if (symbol_is_dynamic (parser, element)) {
        symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                            "cannot take a slice of rows of unknown length");
        return;
    }
    node->type = symbol_type_get_array (parser->binding, element,
                                        last->constant - first->constant + 1);
    symbol_code_put_op (node->code, EVALUATE_OP_SLICE, node->type);
    symbol_code_put_sleb (node->code, first->constant);
    base_bytes_put_uleb (node->code, 0);
    node->is_constant = FALSE;
}

/* The pointer that a std::unique_ptr<T[]> or std::shared_ptr<T[]> has: their operator [] is mostly inlined only. */
static gboolean
emit_owned_array (SymbolParser *parser, SymbolNode *node)
{
    SymbolBinding *binding = parser->binding;
    guint32 number = symbol_type_strip_number (binding, node->type);
    const SymbolType *type = symbol_type_get (binding, number);
    if (type->view != EVALUATE_VIEW_UNIQUE && type->view != EVALUATE_VIEW_SHARED)
        return FALSE;
    guint64 owned = symbol_view_find_argument (binding, number, 0);
    if (!owned
        || symbol_type_strip (binding, symbol_type_build (binding, owned))->kind
               != EVALUATE_TYPE_ARRAY)
        return FALSE;
    emit_part (node, get_number (type, 0), get_inner (type, 0));
    return TRUE;
}

static void
emit_index (SymbolParser *parser, SymbolNode *node, SymbolNode *index)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    if (is_map (type)) {
        emit_key (node, index, get_inner (type, 1), FALSE);
        return;
    }
    gboolean container = has_elements (type);
    if (!container
        && (type->view == EVALUATE_VIEW_ITERATOR ? symbol_emit_iterator (parser, node)
                                                 : emit_owned_array (parser, node)))
        type = symbol_node_strip (parser, node);
    if (!container && symbol_emit_operator (parser, "[]", node, index))
        return;
    gboolean swapped = !container && !symbol_is_address (type)
                       && symbol_is_address (symbol_node_strip (parser, index));
    if (swapped) {
        SymbolNode kept = *node;
        *node = *index;
        *index = kept;
        type = symbol_node_strip (parser, node);
    }
    if ((!container && !symbol_is_address (type))
        || !symbol_is_integer (symbol_node_strip (parser, index))) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot index a value of type %s",
                            type->name);
        return;
    }
    if (container) {
        emit_element (node, index, get_inner (type, 0));
        return;
    }
    guint32 element = symbol_type_get_target (parser->binding, node->type);
    symbol_parser_append_code (node, index);
    node->type = element;
    node->is_constant = FALSE;
    symbol_code_put_op (node->code, EVALUATE_OP_INDEX, element);
    base_bytes_put_uleb (node->code, 0);
}

void
symbol_parse_index (SymbolParser *parser, SymbolNode *node)
{
    SymbolNode index = symbol_parse_assignment (parser);
    gboolean slice = symbol_parser_take (parser, ":");
    SymbolNode last = slice ? symbol_parse_conditional (parser) : symbol_parser_new_node (0);
    symbol_parser_expect (parser, "]");
    if (!parser->error && slice)
        emit_slice (parser, node, &index, &last);
    else if (!parser->error)
        emit_index (parser, node, &index);
    symbol_follow_reference (parser, node);
    g_clear_pointer (&index.code, g_byte_array_unref);
    g_clear_pointer (&last.code, g_byte_array_unref);
}

/* What an optional holds, if it does. */
static void
emit_held (SymbolParser *parser, SymbolNode *node)
{
    static const char *const none = N_ ("<no contained value>");
    const SymbolType *type = symbol_node_strip (parser, node);
    guint32 inner = get_inner (type, 0);
    guint64 value = get_number (type, 0), flag = get_number (type, 1);
    SymbolNode held = symbol_parser_new_node (node->type),
               missing = symbol_parser_new_node (inner);
    g_byte_array_append (held.code, node->code->data, node->code->len);
    emit_part (&held, value, inner);
    symbol_code_put_op (missing.code, EVALUATE_OP_PROBLEM, inner);
    base_bytes_put_uleb (missing.code, strlen (none));
    g_byte_array_append (missing.code, (const guint8 *) none, strlen (none));
    emit_part (node, flag,
               symbol_type_get_basic (parser->binding, EVALUATE_TYPE_BOOL, 1, "bool"));
    symbol_emit_choice (node, &held, &missing);
    node->type = inner;
}

gboolean
symbol_emit_pointee (SymbolParser *parser, SymbolNode *node)
{
    SymbolType *type = symbol_node_strip (parser, node);
    gboolean optional = type->view == EVALUATE_VIEW_OPTIONAL,
             iterator = type->view == EVALUATE_VIEW_ITERATOR;
    if (type->view != EVALUATE_VIEW_UNIQUE && type->view != EVALUATE_VIEW_SHARED && !optional
        && !iterator)
        return FALSE;
    guint32 inner = get_inner (type, 0),
            pointer = symbol_type_get_pointer (parser->binding, inner);
    gint64 behind = iterator ? (gint64) get_number (type, 1) : 0;
    if (optional) {
        emit_held (parser, node);
        return TRUE;
    }
    emit_part (node, get_number (type, 0), iterator ? pointer : inner);
    if (behind) {
        SymbolNode by = symbol_parser_make_integer (parser,
                                                    symbol_parser_get_long (parser, TRUE),
                                                    behind);
        symbol_parser_append_code (node, &by);
        symbol_code_put_op (node->code, EVALUATE_OP_OFFSET, pointer);
        base_bytes_put_uleb (node->code, 1);
    }
    symbol_emit_deref (parser, node);
    return TRUE;
}

static void
emit_count (SymbolParser *parser, SymbolNode *node)
{
    node->type = symbol_parser_get_long (parser, FALSE);
    symbol_code_put_op (node->code, EVALUATE_OP_COUNT, node->type);
}

/* The first element, or the last. */
static void
emit_end (SymbolParser *parser, SymbolNode *node, gboolean last)
{
    guint32 type = symbol_parser_get_long (parser, TRUE),
            element = get_inner (symbol_node_strip (parser, node), 0);
    SymbolNode index = symbol_parser_make_integer (parser, type, last ? -1 : 0);
    if (last) {
        SymbolNode count = symbol_parser_new_node (node->type);
        g_byte_array_append (count.code, node->code->data, node->code->len);
        emit_count (parser, &count);
        symbol_emit_cast (&count, type);
        symbol_parser_append_code (&count, &index);
        symbol_code_put_binary (count.code, type, EVALUATE_OPERATOR_ADD);
        index = count;
    }
    emit_element (node, &index, element);
}

/* Of a std::stack and the like: what it wraps. */
static gboolean
emit_wrapped (SymbolParser *parser, SymbolNode *node, gboolean *ret_last)
{
    SymbolType *type = symbol_node_strip (parser, node);
    if (type->view != EVALUATE_VIEW_WRAP || get_number (type, 1) != EVALUATE_WRAP_ADAPTER)
        return FALSE;
    *ret_last = strstr (type->name, "::stack<") != NULL;
    emit_part (node, get_number (type, 0), get_inner (type, 0));
    return TRUE;
}

/* How many share what the pointer points to: the counts may be missing. */
static void
emit_use_count (SymbolParser *parser, SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    guint32 number = symbol_parser_get_long (parser, TRUE),
            small = symbol_parser_get_int (parser);
    guint32 pointer = symbol_type_get_pointer (parser->binding, small);
    SymbolNode use = symbol_parser_make_integer (parser, number, (gint64) get_number (type, 2));
    SymbolNode lacking = symbol_parser_make_integer (parser, number,
                                                     type->view_numbers->len > 4
                                                         ? (gint64) get_number (type, 4)
                                                         : 0);
    SymbolNode none = symbol_parser_make_integer (parser, number, 0),
               value = symbol_parser_new_node (pointer);
    emit_part (node, get_number (type, 1), pointer);
    g_byte_array_append (value.code, node->code->data, node->code->len);
    symbol_parser_append_code (&value, &use);
    symbol_code_put_op (value.code, EVALUATE_OP_OFFSET, pointer);
    base_bytes_put_uleb (value.code, 1);
    symbol_code_put_op (value.code, EVALUATE_OP_DEREF, small);
    symbol_code_put_op (value.code, EVALUATE_OP_CAST, number);
    symbol_parser_append_code (&value, &lacking);
    symbol_code_put_binary (value.code, number, EVALUATE_OPERATOR_ADD);
    symbol_emit_choice (node, &value, &none);
    node->type = number;
}

gboolean
symbol_emit_complex_value (SymbolParser *parser, SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    return type->kind == EVALUATE_TYPE_STRUCT && g_str_has_prefix (type->name, "std::complex<")
           && symbol_emit_named (parser, node, "_M_value");
}

/* real and imag of std::complex. FALSE: it is none. */
static gboolean
emit_complex_part (SymbolParser *parser, SymbolNode *node, const char *name)
{
    gboolean real = !strcmp (name, "real");
    if ((!real && strcmp (name, "imag") != 0) || !symbol_emit_complex_value (parser, node))
        return FALSE;
    guint64 half = symbol_node_strip (parser, node)->size / 2;
    node->type = symbol_parser_get_real (parser, half,
                                         (symbol_node_strip (parser, node)->flags
                                          & EVALUATE_TYPE_QUAD)
                                             != 0);
    symbol_code_put_op (node->code, EVALUATE_OP_UNARY, node->type);
    base_bytes_put_uleb (node->code,
                         real ? EVALUATE_OPERATOR_REAL_PART : EVALUATE_OPERATOR_IMAGINARY_PART);
    return TRUE;
}

/* Those without a value in the brackets. FALSE: it is none of them. */
static gboolean
emit_plain_call (SymbolParser *parser, SymbolNode *node, const char *name)
{
    SymbolType *type = symbol_node_strip (parser, node);
    gboolean counted = (type->view != EVALUATE_VIEW_NONE && type->view < EVALUATE_VIEW_TUPLE)
                       || type->view == EVALUATE_VIEW_SPAN
                       || type->view == EVALUATE_VIEW_BITSET;
    gboolean pointer = type->view == EVALUATE_VIEW_UNIQUE || type->view == EVALUATE_VIEW_SHARED;
    gboolean row = has_elements (type) || type->view == EVALUATE_VIEW_LIST
                   || type->view == EVALUATE_VIEW_FORWARD;
    if (counted && (!strcmp (name, "size") || !strcmp (name, "length"))) {
        emit_count (parser, node);
    } else if (counted && !strcmp (name, "empty")) {
        emit_count (parser, node);
        symbol_emit_unary (parser, node, EVALUATE_OPERATOR_NOT);
    } else if (row && (!strcmp (name, "front") || !strcmp (name, "back"))) {
        emit_end (parser, node, name[0] == 'b');
    } else if (pointer && !strcmp (name, "get")) {
        emit_part (node, get_number (type, 0), get_inner (type, 0));
    } else if (type->view == EVALUATE_VIEW_OPTIONAL && !strcmp (name, "has_value")) {
        emit_part (node, get_number (type, 1),
                   symbol_type_get_basic (parser->binding, EVALUATE_TYPE_BOOL, 1, "bool"));
    } else if (type->view == EVALUATE_VIEW_SPAN && !strcmp (name, "data")) {
        emit_part (node, get_number (type, 0),
                   symbol_type_get_pointer (parser->binding, get_inner (type, 0)));
    } else if (type->view == EVALUATE_VIEW_OPTIONAL && !strcmp (name, "value")) {
        emit_held (parser, node);
    } else if (type->view == EVALUATE_VIEW_SHARED && !strcmp (name, "use_count")) {
        emit_use_count (parser, node);
    } else {
        return emit_complex_part (parser, node, name);
    }
    return TRUE;
}

/* at, count, contains: in the brackets stands a number or a key. */
static gboolean
emit_asking_call (SymbolParser *parser, SymbolNode *node, const char *name)
{
    SymbolType *type = symbol_node_strip (parser, node);
    gboolean keyed = type->view == EVALUATE_VIEW_TREE || type->view == EVALUATE_VIEW_HASH;
    gboolean at = !strcmp (name, "at") && (has_elements (type) || is_map (type));
    gboolean asks = keyed
                    && (!strcmp (name, "contains")
                        || (!strcmp (name, "count") && !strstr (type->name, "multi")));
    if (!at && !asks)
        return FALSE;
    SymbolNode value = symbol_parse_conditional (parser);
    symbol_parser_expect (parser, ")");
    guint32 truth = !strcmp (name, "count") ? symbol_parser_get_long (parser, FALSE)
                                            : symbol_parser_get_truth (parser);
    if (!parser->error && at)
        emit_index (parser, node, &value);
    else if (!parser->error)
        emit_key (node, &value, truth, TRUE);
    g_clear_pointer (&value.code, g_byte_array_unref);
    return TRUE;
}

gboolean
symbol_parse_known_call (SymbolParser *parser, SymbolNode *node, const char *name)
{
    const char *before = parser->at;
    SymbolNode kept = *node;
    gboolean top, known = FALSE;
    kept.code = g_byte_array_new ();
    g_byte_array_append (kept.code, node->code->data, node->code->len);
    if (symbol_parser_take (parser, "(")) {
        const char *inner = emit_wrapped (parser, node, &top) && !strcmp (name, "top")
                                ? top ? "back" : "front"
                                : name;
        known = symbol_parser_take (parser, ")") ? emit_plain_call (parser, node, inner)
                                                 : emit_asking_call (parser, node, inner);
    }
    if (known) {
        g_byte_array_unref (kept.code);
        symbol_follow_reference (parser, node);
        return TRUE;
    }
    g_byte_array_unref (node->code);
    *node = kept;
    parser->at = before;
    return FALSE;
}

gboolean
symbol_parse_get (SymbolParser *parser, SymbolNode *node)
{
    static const char start[] = "std::get<";
    const char *before = parser->at;
    char *end;
    guint64 number = g_ascii_strtoull (parser->at + strlen (start), &end, 10);
    if (end == parser->at + strlen (start) || *end != '>')
        return FALSE;
    parser->at = end + 1;
    if (!symbol_parser_take (parser, "(")) {
        parser->at = before;
        return FALSE;
    }
    *node = symbol_parse_conditional (parser);
    symbol_parser_expect (parser, ")");
    const SymbolType *type = symbol_node_strip (parser, node);
    gboolean pair = g_str_has_prefix (type->name, "std::pair<") && type->members && number < 2;
    if (parser->error)
        ;
    else if (type->view == EVALUATE_VIEW_TUPLE && number < type->view_types->len)
        emit_part (node, get_number (type, number), get_inner (type, number));
    else if (pair && symbol_emit_named (parser, node, number ? "second" : "first"))
        ;
    else {
        g_autofree char *element = g_strdup_printf ("%" G_GUINT64_FORMAT, number);
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot take element %s of a value of type %s", element,
                            type->name);
    }
    symbol_follow_reference (parser, node);
    return TRUE;
}

gboolean
symbol_is_string (SymbolParser *parser, const SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    const SymbolType *inner = type->kind == EVALUATE_TYPE_ARRAY
                                  ? symbol_type_strip (parser->binding, type->target)
                                  : NULL;
    return type->view == EVALUATE_VIEW_STRING
           || (inner
               && (inner->kind == EVALUATE_TYPE_CHAR || inner->kind == EVALUATE_TYPE_UCHAR))
           || (type->kind == EVALUATE_TYPE_POINTER && type->flags & EVALUATE_TYPE_TO_CHAR);
}

gboolean
symbol_emit_strings (SymbolParser *parser, SymbolNode *left, SymbolNode *right,
                     guint operator_id)
{
    gboolean any = symbol_node_strip (parser, left)->view == EVALUATE_VIEW_STRING
                   || symbol_node_strip (parser, right)->view == EVALUATE_VIEW_STRING;
    if (!any || !symbol_is_string (parser, left) || !symbol_is_string (parser, right)
        || operator_id < EVALUATE_OPERATOR_EQUAL
        || operator_id > EVALUATE_OPERATOR_GREATER_EQUAL)
        return FALSE;
    symbol_parser_append_code (left, right);
    symbol_emit_comparison (parser, left, operator_id);
    return TRUE;
}

void
symbol_emit_comparison (SymbolParser *parser, SymbolNode *node, guint operator_id)
{
    node->type = symbol_parser_get_truth (parser);
    node->is_constant = FALSE;
    symbol_code_put_op (node->code, EVALUATE_OP_STRINGS, node->type);
    base_bytes_put_uleb (node->code, operator_id);
}
