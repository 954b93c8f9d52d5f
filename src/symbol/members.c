/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses class members without an object: "C::count", "C::method", "&C::x", and resolves
 * pointers to members (Itanium C++ ABI, 2.3). */
#include <glib/gi18n.h>
#include <string.h>

#include "base/error.h"
#include "index/format.h"
#include "symbol/calls-private.h"

#define MAX_DEPTH 20

/* The methods of that name, of the class or else of its bases. */
static void
list_methods (SymbolBinding *binding, guint32 holder, const char *name, guint depth,
              GArray *found)
{
    const SymbolType *type = symbol_type_strip (binding, holder);
    SymbolDie class, die;
    if (depth > MAX_DEPTH || !type->die || !symbol_die_find (binding->dwarf, type->die, &class))
        return;
    if (symbol_die_first_child (binding->dwarf, &class, &die)) {
        do {
            const char *own = die.tag == DW_TAG_subprogram
                                  ? symbol_die_get_name (binding->dwarf, &die)
                                  : NULL;
            if (own && strcmp (own, name) == 0)
                g_array_append_val (found, die);
        } while (symbol_die_next (binding->dwarf, &die, &die));
    }
    for (guint i = 0; !found->len && type->members && i < type->members->len; i++) {
        const SymbolMember *member = &g_array_index (type->members, SymbolMember, i);
        if (member->name[0] == '<' && binding->steps++ < SYMBOL_MAX_STEPS)
            list_methods (binding, member->type, name, depth + 1, found);
    }
}

static void
emit_problem (SymbolNode *node, guint32 type, const char *problem)
{
    g_byte_array_set_size (node->code, 0);
    node->type = type;
    symbol_code_put_op (node->code, EVALUATE_OP_PROBLEM, type);
    base_bytes_put_uleb (node->code, strlen (problem));
    g_byte_array_append (node->code, (const guint8 *) problem, strlen (problem));
}

/* & makes a pointer to a member of it. */
static void
note_member (SymbolNode *node, guint32 holder, guint64 offset)
{
    node->holder = holder;
    node->holder_end = node->code->len;
    node->member_offset = offset;
}

void
symbol_emit_method_itself (SymbolParser *parser, SymbolNode *node, const SymbolDie *method)
{
    SymbolBinding *binding = parser->binding;
    SymbolDie declaration = *method, class;
    SymbolValue value;
    guint64 slot;
    node->type = symbol_scope_emit (binding, method, node->code);
    if (!symbol_die_takes_object (binding->dwarf, method))
        return;
    for (guint i = 0;
         i < 8
         && (symbol_die_get (binding->dwarf, &declaration, DW_AT_abstract_origin, &value)
             || symbol_die_get (binding->dwarf, &declaration, DW_AT_specification, &value))
         && value.kind == SYMBOL_VALUE_REFERENCE;
         i++)
        if (!symbol_die_find (binding->dwarf, value.number, &declaration))
            return;
    if (!symbol_names_find_parent (binding->dwarf, &declaration, &class)
        || (class.tag != DW_TAG_structure_type && class.tag != DW_TAG_class_type
            && class.tag != DW_TAG_union_type))
        return;
    note_member (node, symbol_type_build (binding, class.offset),
                 symbol_die_find_slot (binding->dwarf, &declaration, &slot) ? 8 * slot + 1 : 0);
}

gboolean
symbol_emit_method_named (SymbolParser *parser, SymbolNode *node, guint32 holder,
                          const char *name)
{
    g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (SymbolDie));
    list_methods (parser->binding, holder, name, 0, found);
    if (!found->len)
        return FALSE;
    if (found->len > 1) {
        g_autoptr (GArray) candidates = symbol_candidates_new ();
        for (guint i = 0; i < found->len; i++) {
            SymbolCandidate candidate = { .die = g_array_index (found, SymbolDie, i) };
            g_array_append_val (candidates, candidate);
        }
        g_autofree char *all = symbol_candidates_describe (parser->binding, candidates);
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "\"%s\" is ambiguous: %s", name, all);
        return TRUE;
    }
    g_byte_array_set_size (node->code, 0);
    symbol_emit_method_itself (parser, node, &g_array_index (found, SymbolDie, 0));
    return TRUE;
}

/* A variable of the class: a static one itself; of others only what it is, and where in an object. */
static gboolean
emit_variable (SymbolParser *parser, SymbolNode *node, guint32 holder, const char *name)
{
    g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (SymbolMember));
    guint64 offset = 0;
    if (!symbol_find_member_path (parser, holder, name, path))
        return FALSE;
    const SymbolMember *last = &g_array_index (path, SymbolMember, path->len - 1);
    if (last->bit_offset == EVALUATE_MEMBER_STATIC
        || last->bit_offset == EVALUATE_MEMBER_CONSTANT) {
        symbol_emit_member (node, last);
        symbol_follow_reference (parser, node);
        return TRUE;
    }
    emit_problem (node, last->type, N_ ("<not static: needs an object>"));
    for (guint i = 0; i < path->len; i++) {
        const SymbolMember *member = &g_array_index (path, SymbolMember, i);
        if (EVALUATE_MEMBER_ELSEWHERE (member->bit_offset) || member->bit_size)
            return TRUE; /* no pointer leads there */
        offset += member->offset;
    }
    note_member (node, holder, offset);
    return TRUE;
}

gboolean
symbol_emit_class_member (SymbolParser *parser, SymbolNode *node, const char *name)
{
    SymbolBinding *binding = parser->binding;
    gsize length;
    const char *last = index_find_last_component (name, &length);
    SymbolDie class;
    if (!symbol_parser_is_cxx (parser) || last - name < 3)
        return FALSE;
    g_autofree char *scope = g_strndup (name, (gsize) (last - name - 2));
    if (!symbol_scope_find_type (binding, scope, 0, &class))
        return FALSE;
    guint32 holder = symbol_type_build (binding, class.offset);
    const SymbolType *type = symbol_type_strip (binding, holder);
    if (type->kind != EVALUATE_TYPE_STRUCT && type->kind != EVALUATE_TYPE_UNION)
        return FALSE;
    return emit_variable (parser, node, symbol_type_strip_number (binding, holder), last)
           || symbol_emit_method_named (parser, node, holder, last);
}

/* ---- pointers to members ---- */

gboolean
symbol_emit_member_address (SymbolParser *parser, SymbolNode *node)
{
    if (!node->holder || node->code->len != node->holder_end)
        return FALSE;
    guint32 type = symbol_type_get_member_pointer (parser->binding, node->holder, node->type);
    guint64 words[2] = { node->member_offset, 0 };
    if (symbol_node_strip (parser, node)->kind != EVALUATE_TYPE_FUNCTION) {
        g_byte_array_set_size (node->code, 0);
        symbol_code_put_op (node->code, EVALUATE_OP_CONSTANT, type);
        symbol_code_put_sleb (node->code, (gint64) node->member_offset);
    } else if (node->member_offset) {
        g_byte_array_set_size (node->code, 0);
        symbol_code_put_op (node->code, EVALUATE_OP_BYTES, type);
        base_bytes_put_uleb (node->code, sizeof words);
        g_byte_array_append (node->code, (const guint8 *) words, sizeof words);
    } else {
        symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS,
                            symbol_type_get_pointer (parser->binding, node->type));
        symbol_code_put_op (node->code, EVALUATE_OP_CAST, type);
    }
    node->type = type;
    node->holder = 0;
    node->is_rvalue = TRUE;
    return TRUE;
}

static SymbolNode
copy_node (const SymbolNode *from)
{
    SymbolNode copy = symbol_parser_new_node (from->type);
    g_byte_array_append (copy.code, from->code->data, from->code->len);
    return copy;
}

/* One of the two words of a pointer to a method. */
static SymbolNode
make_word (SymbolParser *parser, const SymbolNode *pointer, guint64 offset)
{
    SymbolNode word = copy_node (pointer);
    SymbolMember member = { NULL, offset, symbol_parser_get_long (parser, TRUE), 0, 0 };
    symbol_emit_member (&word, &member);
    return word;
}

static void
combine (SymbolNode *left, SymbolNode *right, guint32 type, guint operator_id)
{
    symbol_parser_append_code (left, right);
    symbol_code_put_binary (left->code, type, operator_id);
    left->type = type;
    left->is_constant = FALSE;
}

/* The word at an address. */
static void
read_word (SymbolParser *parser, SymbolNode *address)
{
    guint32 word = symbol_parser_get_long (parser, TRUE);
    symbol_code_put_op (address->code, EVALUATE_OP_CAST,
                        symbol_type_get_pointer (parser->binding, word));
    symbol_code_put_op (address->code, EVALUATE_OP_DEREF, word);
    address->type = word;
}

void
symbol_bind_method (SymbolBinding *binding, SymbolNode *object, SymbolNode *method)
{
    if (binding->bound)
        g_byte_array_unref (binding->bound);
    binding->bound = object->code;
    *object = *method;
    binding->bound_end = object->code->len;
    method->code = NULL;
}

void
symbol_emit_bound_method (SymbolParser *parser, SymbolNode *object, SymbolNode *pointer,
                          guint32 function)
{
    SymbolBinding *binding = parser->binding;
    guint32 word = symbol_parser_get_long (parser, TRUE);
    SymbolNode address = copy_node (object), adjustment = make_word (parser, pointer, 8);
    symbol_code_put_op (address.code, EVALUATE_OP_CAST, word);
    combine (&address, &adjustment, word, EVALUATE_OPERATOR_ADD);
    /* an odd word is one more than an offset into the object's vtable */
    SymbolNode condition = make_word (parser, pointer, 0),
               one = symbol_parser_make_integer (parser, word, 1);
    SymbolNode virtual = copy_node (&address), slot = make_word (parser, pointer, 0),
               plain = make_word (parser, pointer, 0);
    SymbolNode again = symbol_parser_make_integer (parser, word, 1);
    combine (&condition, &one, word, EVALUATE_OPERATOR_AND);
    read_word (parser, &virtual);
    combine (&virtual, &slot, word, EVALUATE_OPERATOR_ADD);
    combine (&virtual, &again, word, EVALUATE_OPERATOR_SUBTRACT);
    read_word (parser, &virtual);
    symbol_emit_choice (&condition, &virtual, &plain);
    symbol_code_put_op (condition.code, EVALUATE_OP_CAST,
                        symbol_type_get_pointer (binding, function));
    symbol_code_put_op (condition.code, EVALUATE_OP_DEREF, function);
    condition.type = function;
    g_byte_array_unref (object->code);
    *object = address;
    symbol_bind_method (binding, object, &condition);
}

/* The address of the object in node, as a pointer to the class that a pointer to a member is for. */
static void
emit_holder_address (SymbolParser *parser, SymbolNode *node, guint32 holder, gboolean arrow)
{
    SymbolBinding *binding = parser->binding;
    guint32 wanted = arrow ? symbol_type_get_pointer (binding, holder)
                           : symbol_type_get_reference (binding, holder, FALSE);
    symbol_emit_conversion (parser, node, wanted);
    if (!arrow && !parser->error) {
        node->type = symbol_type_get_pointer (binding, node->type);
        symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS, node->type);
    }
}

/* What a pointer to a method is a pointer to. FALSE: it is none. */
static gboolean
find_method_type (SymbolParser *parser, const SymbolNode *pointer, guint32 *ret_type)
{
    const SymbolType *type = symbol_node_strip (parser, pointer);
    SymbolDie die;
    gboolean is_made = !type->origin;
    if (!(type->flags & EVALUATE_TYPE_TO_METHOD) || !type->holder
        || (!is_made && !symbol_die_find (parser->binding->dwarf, type->origin, &die)))
        return FALSE;
    *ret_type = is_made ? type->target : symbol_type_build_of (parser->binding, &die);
    return TRUE;
}

/* A method that was named: &C::f. */
static gboolean
is_function (SymbolParser *parser, const SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    return type->kind == EVALUATE_TYPE_FUNCTION
           || (type->kind == EVALUATE_TYPE_POINTER && (type->flags & EVALUATE_TYPE_TO_FUNCTION)
               && !(type->flags & EVALUATE_TYPE_TO_METHOD));
}

gboolean
symbol_parse_member_pointer (SymbolParser *parser, SymbolNode *node)
{
    SymbolBinding *binding = parser->binding;
    SymbolDie die;
    guint32 function;
    symbol_parser_skip_space (parser);
    gboolean arrow = g_str_has_prefix (parser->at, "->*");
    if (!arrow && !g_str_has_prefix (parser->at, ".*"))
        return FALSE;
    parser->at += arrow ? 3 : 2;
    SymbolNode member = symbol_parse_unary (parser);
    const SymbolType *type = parser->error ? NULL : symbol_node_strip (parser, &member);
    gboolean is_made = type && type->kind == EVALUATE_TYPE_ENUM && type->holder
                       && type->target != EVALUATE_TYPE_NONE;
    if (type && find_method_type (parser, &member, &function)) {
        emit_holder_address (parser, node, type->holder, arrow);
        if (!parser->error)
            symbol_emit_bound_method (parser, node, &member, function);
        g_clear_pointer (&member.code, g_byte_array_unref);
        return TRUE;
    }
    if (type && is_function (parser, &member)) {
        if (!arrow) {
            node->type = symbol_type_get_pointer (binding, node->type);
            symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS, node->type);
        }
        symbol_bind_method (binding, node, &member);
        return TRUE;
    }
    if (type && !is_made
        && (!type->holder || type->kind != EVALUATE_TYPE_ENUM
            || !symbol_die_find (binding->dwarf, type->origin, &die)))
        symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                            "cannot dereference a %s: it is not a pointer "
                            "to a member of a class",
                            type->name);
    if (!parser->error) {
        guint32 target = is_made ? type->target : symbol_type_build_of (binding, &die),
                holder = type->holder;
        guint32 pointer = symbol_type_get_pointer (binding, target);
        emit_holder_address (parser, node, holder, arrow);
        symbol_emit_cast (&member, symbol_parser_get_long (parser, TRUE));
        symbol_parser_append_code (node, &member);
        symbol_code_put_op (node->code, EVALUATE_OP_OFFSET, pointer);
        base_bytes_put_uleb (node->code, 1);
        node->type = pointer;
        if (!parser->error)
            symbol_emit_deref (parser, node);
    }
    g_clear_pointer (&member.code, g_byte_array_unref);
    return TRUE;
}
