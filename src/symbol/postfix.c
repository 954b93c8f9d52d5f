/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses postfix expressions: members of bases, elements of arrays and containers. */
#include "base/error.h"
#include "symbol/parser-private.h"

SymbolType *
symbol_node_strip (SymbolParser *parser, const SymbolNode *node)
{
    return symbol_type_strip (parser->binding, node->type);
}

gboolean
symbol_is_arithmetic (const SymbolType *type)
{
    return type->kind >= EVALUATE_TYPE_BOOL && type->kind <= EVALUATE_TYPE_ENUM
           && type->kind != EVALUATE_TYPE_COMPLEX && !type->holder;
}

gboolean
symbol_is_integer (const SymbolType *type)
{
    return symbol_is_arithmetic (type) && type->kind != EVALUATE_TYPE_FLOAT;
}

gboolean
symbol_is_address (const SymbolType *type)
{
    return (type->kind == EVALUATE_TYPE_POINTER && !type->holder)
           || type->kind == EVALUATE_TYPE_ARRAY;
}

void
symbol_emit_cast (SymbolNode *node, guint32 type)
{
    if (node->type == type)
        return;
    symbol_code_put_op (node->code, EVALUATE_OP_CAST, type);
    node->type = type;
    node->is_rvalue = TRUE;
}

gboolean
symbol_node_is_rvalue (const SymbolNode *node)
{
    return node->is_rvalue || node->is_constant;
}

void
symbol_emit_deref (SymbolParser *parser, SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    if (type->kind == EVALUATE_TYPE_FUNCTION)
        return;
    if (type->holder) {
        symbol_parser_fail (
            parser, BASE_ERROR_INVALID,
            "cannot dereference a value of type %s without an object: use OBJECT.*POINTER",
            type->name);
        return;
    }
    if (!symbol_is_address (type) && type->kind != EVALUATE_TYPE_REFERENCE) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot dereference a value of type %s",
                            type->name);
        return;
    }
    guint32 target = symbol_type_get_target (parser->binding, node->type);
    if (symbol_type_strip (parser->binding, target)->kind == EVALUATE_TYPE_VOID)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot dereference a pointer to void");
    symbol_code_put_op (node->code, EVALUATE_OP_DEREF, target);
    node->type = target;
    node->is_constant = node->is_rvalue = FALSE;
}

void
symbol_follow_reference (SymbolParser *parser, SymbolNode *node)
{
    guint32 reference = node->type;
    if (parser->error || symbol_node_strip (parser, node)->kind != EVALUATE_TYPE_REFERENCE)
        return;
    gboolean is_rvalue = node->is_rvalue
                         && symbol_type_is_rvalue_reference (parser->binding, reference);
    symbol_emit_deref (parser, node);
    node->is_rvalue = is_rvalue;
    parser->binding->followed = reference;
    parser->binding->followed_end = node->code->len;
}

static void
emit_place_of_member (SymbolNode *node, const SymbolMember *member, guint32 type)
{
    node->type = type;
    node->is_constant = FALSE;
    switch (member->bit_offset) {
    case EVALUATE_MEMBER_STATIC:
        g_byte_array_set_size (node->code, 0);
        symbol_code_put_op (node->code, EVALUATE_OP_STATIC, type);
        base_bytes_put_uleb (node->code, member->offset);
        break;
    case EVALUATE_MEMBER_CONSTANT:
        g_byte_array_set_size (node->code, 0);
        symbol_code_put_op (node->code, EVALUATE_OP_BYTES, type);
        base_bytes_put_uleb (node->code, sizeof member->offset);
        g_byte_array_append (node->code, (const guint8 *) &member->offset,
                             sizeof member->offset);
        break;
    case EVALUATE_MEMBER_VIRTUAL:
        symbol_code_put_op (node->code, EVALUATE_OP_VIRTUAL, type);
        symbol_code_put_sleb (node->code, (gint64) member->offset);
        break;
    default:
        symbol_code_put_op (node->code, EVALUATE_OP_MEMBER, type);
        base_bytes_put_uleb (node->code, member->offset);
        base_bytes_put_uleb (node->code, member->bit_size);
        base_bytes_put_uleb (node->code, member->bit_offset);
    }
}

void
symbol_emit_member (SymbolNode *node, const SymbolMember *member)
{
    emit_place_of_member (node, member, member->type);
}

/* The same member of each element. */
static gboolean
emit_components (SymbolParser *parser, SymbolNode *node, const GArray *path)
{
    SymbolMember whole = g_array_index (path, SymbolMember, path->len - 1);
    whole.offset = 0;
    for (guint i = 0; i < path->len; i++)
        whole.offset += g_array_index (path, SymbolMember, i).offset;
    return symbol_emit_component (parser, node, &whole);
}

gboolean
symbol_emit_named (SymbolParser *parser, SymbolNode *node, const char *name)
{
    g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (SymbolMember));
    gsize length;
    guint32 holder = node->type;
    while (symbol_parser_is_fortran (parser)
           && symbol_type_strip (parser->binding, holder)->kind == EVALUATE_TYPE_ARRAY)
        holder = symbol_type_strip (parser->binding, holder)->target;
    gboolean found = index_find_last_component (name, &length) == name
                         ? symbol_find_member_path (parser, holder, name, path)
                         : symbol_find_qualified_path (parser, node->type, name, path);
    if (found && symbol_parser_is_fortran (parser)
        && symbol_node_strip (parser, node)->kind == EVALUATE_TYPE_ARRAY)
        return emit_components (parser, node, path);
    for (guint i = 0; found && i < path->len; i++) {
        symbol_emit_member (node, &g_array_index (path, SymbolMember, i));
    }
    if (found)
        symbol_follow_reference (parser, node);
    return found;
}

gboolean
symbol_is_dynamic (SymbolParser *parser, guint32 type)
{
    const SymbolType *array = symbol_type_strip (parser->binding, type);
    for (; array->kind == EVALUATE_TYPE_ARRAY;
         array = symbol_type_strip (parser->binding, array->target)) {
        gboolean is_section = (array->flags & EVALUATE_TYPE_FORTRAN) && !array->origin
                              && !array->count;
        if (array->count == G_MAXUINT64 || is_section)
            return TRUE;
    }
    return FALSE;
}

/* "x", "~C", 'x'. */
static char *
take_member_name (SymbolParser *parser)
{
    gboolean is_quoted = !symbol_parser_is_fortran (parser) && symbol_parser_take (parser, "'");
    gboolean is_destructor = !symbol_parser_is_fortran (parser)
                             && symbol_parser_take (parser, "~");
    g_autofree char *name = symbol_parser_take_name (parser);
    if (is_quoted)
        symbol_parser_expect (parser, "'");
    return name && is_destructor ? g_strconcat ("~", name, NULL) : g_steal_pointer (&name);
}

static void
parse_member (SymbolParser *parser, SymbolNode *node, gboolean arrow)
{
    g_autofree char *name = take_member_name (parser);
    if (name && symbol_parser_is_fortran (parser)) {
        char *lower = g_ascii_strdown (name, -1);
        g_free (name);
        name = lower;
    }
    gboolean plain = !symbol_parser_is_fortran (parser);
    if (name && plain && !arrow && symbol_parse_known_call (parser, node, name))
        return;
    gboolean is_pointee = arrow && symbol_emit_pointee (parser, node);
    if (arrow && !is_pointee)
        symbol_emit_arrow (parser, node);
    if (!is_pointee && symbol_is_address (symbol_node_strip (parser, node))
        && !(symbol_parser_is_fortran (parser)
             && symbol_node_strip (parser, node)->kind == EVALUATE_TYPE_ARRAY))
        symbol_emit_deref (parser, node);
    if (name && plain && !parser->error && arrow
        && symbol_parse_known_call (parser, node, name))
        return;
    if (name && plain && !parser->error && symbol_parse_method_call (parser, node, name)) {
        symbol_follow_reference (parser, node);
        return;
    }
    if (!parser->error
        && (!name
            || (!symbol_emit_named (parser, node, name)
                && !(symbol_emit_class_object (parser, node)
                     && symbol_emit_named (parser, node, name))
                && !symbol_emit_method_named (parser, node, node->type, name))))
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "no member \"%s\" in %s",
                            name ? name : "", symbol_node_strip (parser, node)->name);
    node->holder = 0; /* an object's method is a function */
}

static gboolean
has_components (SymbolParser *parser, const SymbolType *type)
{
    while (type->kind == EVALUATE_TYPE_ARRAY)
        type = symbol_type_strip (parser->binding, type->target);
    return type->members
           || (type->kind == EVALUATE_TYPE_POINTER
               && (type->flags & EVALUATE_TYPE_TO_AGGREGATE));
}

SymbolNode
symbol_parse_postfix (SymbolParser *parser)
{
    SymbolNode node = symbol_parse_primary (parser);
    while (!parser->error) {
        gboolean fortran = symbol_parser_is_fortran (parser);
        if (fortran && symbol_parse_fortran_postfix (parser, &node))
            continue;
        if (symbol_parse_pointer_call (parser, &node)
            || symbol_parse_object_call (parser, &node)) {
            symbol_follow_reference (parser, &node);
            continue;
        }
        if (symbol_parser_take (parser, "[")) {
            symbol_parse_index (parser, &node);
            continue;
        }
        if (!fortran && symbol_parse_member_pointer (parser, &node))
            continue;
        gboolean up = !fortran && symbol_parser_take (parser, "++");
        if (up || (!fortran && symbol_parser_take (parser, "--"))) {
            symbol_emit_increment (parser, &node, up, TRUE);
            continue;
        }
        gboolean member = fortran && has_components (parser, symbol_node_strip (parser, &node))
                          && symbol_parser_take (parser, "%");
        gboolean arrow = !member && symbol_parser_take (parser, "->");
        if (!member && !arrow && (fortran || !symbol_parser_take (parser, ".")))
            break;
        parse_member (parser, &node, arrow);
    }
    return node;
}
