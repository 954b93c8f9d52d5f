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
            if (own && symbol_names_are_same (own, name))
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
            BASE_APPEND (candidates, SymbolCandidate,
                         .die = g_array_index (found, SymbolDie, i));
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
    BASE_EACH_ROW (path, const SymbolMember, member) {
        if (member->bit_size)
            return TRUE; /* no pointer leads there */
        /* C++17 [expr.unary.op]: of a base's member it is the base's, and none of a virtual base's converts to one of the
         * class */
        gboolean is_virtual = member->bit_offset == EVALUATE_MEMBER_VIRTUAL;
        holder = is_virtual ? symbol_type_strip_number (parser->binding, member->type) : holder;
        offset = is_virtual ? 0 : offset + member->offset;
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

/* Binds a named method to object (an address), for a call. */
static void
bind_method (SymbolBinding *binding, SymbolNode *object, SymbolNode *method)
{
    if (binding->bound)
        g_byte_array_unref (binding->bound);
    binding->bound = object->code;
    *object = *method;
    binding->bound_end = object->code->len;
    method->code = NULL;
}

/* Binds the method that pointer points to, of type function, to object (an address), for a
 * call. */
static void
emit_bound_method (SymbolParser *parser, SymbolNode *object, SymbolNode *pointer,
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
    bind_method (binding, object, &condition);
}

/* ---- conversions and comparisons of pointers to members (C++17 [conv.mem], [expr.eq]) ---- */

static guint32
find_variable_type (SymbolBinding *binding, const SymbolType *pointer)
{
    SymbolDie die;
    if (pointer->target != EVALUATE_TYPE_NONE)
        return pointer->target;
    return pointer->origin && symbol_die_find (binding->dwarf, pointer->origin, &die)
               ? symbol_type_build_of (binding, &die)
               : EVALUATE_TYPE_NONE;
}

/* "int (B::*)(const B * const, char)" without its class: what must be the same for a member of another. */
static char *
dup_signature (SymbolBinding *binding, const SymbolType *pointer)
{
    g_autofree char *name = symbol_names_reduce (pointer->name),
                    *holder
                    = symbol_names_reduce (symbol_type_get (binding, pointer->holder)->name),
                    *mark = g_strconcat ("(", holder, "::*)(", NULL);
    char *at = strstr (name, mark), *words = at ? at + strlen (mark) : NULL;
    char *object = words ? strstr (words, holder) : NULL;
    if (!object || strcspn (words, ",)*<") < (gsize) (object - words))
        return NULL;
    *at = *object = '\0';
    return g_strconcat (name, "*", words, "*", object + strlen (holder), NULL);
}

gboolean
symbol_find_member_distance (SymbolBinding *binding, const SymbolType *from,
                             const SymbolType *to, gint64 *ret_offset)
{
    *ret_offset = 0;
    if (from->kind != to->kind || !from->holder || !to->holder)
        return FALSE;
    if (to->flags & EVALUATE_TYPE_TO_METHOD) {
        g_autofree char *own = dup_signature (binding, from),
                        *other = dup_signature (binding, to);
        if (g_strcmp0 (own, other) != 0 || (!own && strcmp (from->name, to->name) != 0))
            return FALSE;
    } else {
        guint32 own = find_variable_type (binding, from),
                other = find_variable_type (binding, to);
        if (own == EVALUATE_TYPE_NONE || other == EVALUATE_TYPE_NONE
            || !symbol_is_same_type (binding, own, other))
            return FALSE;
    }
    return symbol_is_same_type (binding, from->holder, to->holder)
           || (!symbol_base_is_ambiguous (binding, to->holder, from->holder)
               && symbol_find_base (binding, to->holder, from->holder, 0, ret_offset));
}

/* -1 is no member: the first one's offset is 0. */
static SymbolNode
compare_with_none (SymbolParser *parser, const SymbolNode *pointer)
{
    guint32 number = symbol_parser_get_long (parser, TRUE);
    SymbolNode copy = copy_node (pointer),
               none = symbol_parser_make_integer (parser, number, -1);
    symbol_emit_cast (&copy, number);
    combine (&copy, &none, symbol_parser_get_truth (parser), EVALUATE_OPERATOR_EQUAL);
    return copy;
}

/* Two words as a pointer to a method. Takes them. */
static SymbolNode
join_words (SymbolParser *parser, SymbolNode *first, SymbolNode *second, guint32 type)
{
    guint32 array = symbol_type_get_array (parser->binding, first->type, 2);
    SymbolNode joined = symbol_parser_new_node (array);
    symbol_code_put_op (joined.code, EVALUATE_OP_BYTES, array);
    base_bytes_put_uleb (joined.code, 0);
    symbol_parser_append_code (&joined, first);
    symbol_code_put_op (joined.code, EVALUATE_OP_APPEND, array);
    symbol_parser_append_code (&joined, second);
    symbol_code_put_op (joined.code, EVALUATE_OP_APPEND, array);
    symbol_emit_cast (&joined, type);
    return joined;
}

/* The same member, of a class that has its class as a base so far from its beginning. */
static void
emit_distance (SymbolParser *parser, SymbolNode *node, guint32 type, gint64 offset)
{
    guint32 number = symbol_parser_get_long (parser, TRUE);
    SymbolNode by = symbol_parser_make_integer (parser, number, offset), moved;
    if (symbol_node_strip (parser, node)->flags & EVALUATE_TYPE_TO_METHOD) {
        SymbolNode function = make_word (parser, node, 0),
                   adjustment = make_word (parser, node, 8);
        combine (&adjustment, &by, number, EVALUATE_OPERATOR_ADD);
        moved = join_words (parser, &function, &adjustment, type);
    } else {
        SymbolNode there = copy_node (node),
                   none = symbol_parser_make_integer (parser, number, -1);
        moved = compare_with_none (parser, node);
        symbol_emit_cast (&there, number);
        combine (&there, &by, number, EVALUATE_OPERATOR_ADD);
        symbol_emit_choice (&moved, &none, &there);
        moved.type = number;
    }
    g_byte_array_unref (node->code);
    *node = moved;
}

gboolean
symbol_emit_member_conversion (SymbolParser *parser, SymbolNode *node, guint32 type)
{
    static const guint8 none[16];
    const SymbolType *to = symbol_type_strip (parser->binding, type),
                     *from = symbol_node_strip (parser, node);
    gint64 offset;
    if (!to->holder)
        return FALSE;
    gboolean method = (to->flags & EVALUATE_TYPE_TO_METHOD) != 0;
    if (node->is_constant && !node->constant) {
        g_byte_array_unref (node->code);
        *node = method ? symbol_parser_new_node (type)
                       : symbol_parser_make_integer (parser, type, -1);
        if (method) {
            symbol_code_put_op (node->code, EVALUATE_OP_BYTES, type);
            base_bytes_put_uleb (node->code, sizeof none);
            g_byte_array_append (node->code, none, sizeof none);
        }
    } else if (symbol_find_member_distance (parser->binding, from, to, &offset)) {
        if (offset)
            emit_distance (parser, node, type, offset);
        symbol_emit_cast (node, type);
    } else if (symbol_is_integer (from)) {
        if (method) /* it has that type all the same */
            emit_problem (node, type, N_ ("<a number is no pointer to a method>"));
        else
            symbol_emit_cast (node, type);
    } else {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot convert a value of type %s to %s", from->name, to->name);
    }
    node->is_constant = FALSE;
    return TRUE;
}

gboolean
symbol_emit_no_member (SymbolParser *parser, SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    if (!type->holder)
        return FALSE;
    SymbolNode answer;
    if (type->flags & EVALUATE_TYPE_TO_METHOD) {
        answer = make_word (parser, node, 0);
        symbol_emit_unary (parser, &answer, EVALUATE_OPERATOR_NOT);
    } else {
        answer = compare_with_none (parser, node);
    }
    g_byte_array_unref (node->code);
    *node = answer;
    return TRUE;
}

/* Two of one type are the same: the adjustment of none does not count. */
static void
emit_equality (SymbolParser *parser, SymbolNode *left, SymbolNode *right)
{
    guint32 number = symbol_parser_get_long (parser, TRUE),
            truth = symbol_parser_get_truth (parser);
    if (!(symbol_node_strip (parser, left)->flags & EVALUATE_TYPE_TO_METHOD)) {
        symbol_emit_cast (left, number);
        symbol_emit_cast (right, number);
        combine (left, right, truth, EVALUATE_OPERATOR_EQUAL);
        return;
    }
    SymbolNode same = make_word (parser, left, 0), other = make_word (parser, right, 0);
    SymbolNode adjustment = make_word (parser, left, 8), wanted = make_word (parser, right, 8);
    SymbolNode none = copy_node (left);
    symbol_emit_no_member (parser, &none);
    combine (&same, &other, truth, EVALUATE_OPERATOR_EQUAL);
    combine (&adjustment, &wanted, truth, EVALUATE_OPERATOR_EQUAL);
    combine (&adjustment, &none, truth, EVALUATE_OPERATOR_OR);
    combine (&same, &adjustment, truth, EVALUATE_OPERATOR_AND);
    g_byte_array_unref (left->code);
    *left = same;
}

gboolean
symbol_emit_member_comparison (SymbolParser *parser, SymbolNode *left, SymbolNode *right,
                               guint operator_id)
{
    const SymbolType *a = symbol_node_strip (parser, left),
                     *b = symbol_node_strip (parser, right);
    gint64 offset;
    if (!a->holder && !b->holder)
        return FALSE;
    gboolean up = symbol_find_member_distance (parser->binding, a, b, &offset)
                  || (left->is_constant && !left->constant);
    gboolean down = symbol_find_member_distance (parser->binding, b, a, &offset)
                    || (right->is_constant && !right->constant);
    if ((operator_id != EVALUATE_OPERATOR_EQUAL && operator_id != EVALUATE_OPERATOR_UNEQUAL)
        || (!up && !down)) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot compute with values of types %s and %s", a->name, b->name);
        return TRUE;
    }
    symbol_emit_member_conversion (parser, up ? left : right, up ? right->type : left->type);
    emit_equality (parser, left, right);
    if (operator_id == EVALUATE_OPERATOR_UNEQUAL)
        symbol_emit_unary (parser, left, EVALUATE_OPERATOR_NOT);
    return TRUE;
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

/* The offset that a pointer to a variable holds; none leads nowhere. */
static void
emit_some_member (SymbolParser *parser, SymbolNode *member)
{
    guint32 number = symbol_parser_get_long (parser, TRUE);
    SymbolNode offset = compare_with_none (parser, member),
               none = symbol_parser_new_node (number);
    emit_problem (&none, number, N_ ("<no member: the pointer is null>"));
    symbol_emit_cast (member, number);
    symbol_emit_choice (&offset, &none, member);
    *member = offset;
    member->type = number;
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
            emit_bound_method (parser, node, &member, function);
        g_clear_pointer (&member.code, g_byte_array_unref);
        return TRUE;
    }
    if (type && is_function (parser, &member)) {
        if (!arrow) {
            node->type = symbol_type_get_pointer (binding, node->type);
            symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS, node->type);
        }
        bind_method (binding, node, &member);
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
        emit_some_member (parser, &member);
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
