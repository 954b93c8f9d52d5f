/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows which function a call in an expression means, and how its arguments become what it takes:
 * overloads by what they are given, methods with their object, virtual ones by its vtable. */
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"

#define MAX_ARGUMENTS 31 /* a bit of a number for each */

typedef struct {
    SymbolNode nodes[MAX_ARGUMENTS];
    guint n;
    guint by_reference; /* bit i */
    guint by_descriptor; /* Fortran's assumed shape: by the address of what describes the array */
} Arguments;

typedef struct {
    GArray *parameters; /* of SymbolDie, without `this` */
    gboolean takes_more; /* anything after them */
} Signature;

static gboolean
is_fortran (const SymbolParser *parser)
{
    return parser->binding->unit && parser->binding->unit->language == JOB_LANGUAGE_FORTRAN;
}

static void
clear_arguments (Arguments *arguments)
{
    for (guint i = 0; i < arguments->n; i++)
        g_clear_pointer (&arguments->nodes[i].code, g_byte_array_unref);
}

/* After the opening bracket, to the closing one. */
static void
parse_arguments (SymbolParser *parser, Arguments *arguments)
{
    arguments->n = 0;
    arguments->by_reference = arguments->by_descriptor = 0;
    parser->is_cast = FALSE;
    if (symbol_parser_take (parser, ")"))
        return;
    do {
        if (arguments->n == MAX_ARGUMENTS) {
            symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED, "cannot call with more than %u "
                                "arguments", MAX_ARGUMENTS);
            return;
        }
        arguments->nodes[arguments->n++] = symbol_parse_assignment (parser);
    } while (!parser->error && symbol_parser_take (parser, ","));
    symbol_parser_expect (parser, ")");
}

/* `this`, and the lengths that Fortran's texts bring along; its descriptors are not hidden. */
static gboolean
is_hidden (SymbolParser *parser, const SymbolDie *parameter)
{
    const char *name = symbol_die_get_name (parser->binding->dwarf, parameter);
    return symbol_die_get_number (parser->binding->dwarf, parameter, DW_AT_artificial, 0) &&
           !(is_fortran (parser) && name && name[0] != '_');
}

static void
read_signature (SymbolParser *parser, const SymbolDie *function, Signature *signature)
{
    const SymbolDwarf *dwarf = parser->binding->dwarf;
    SymbolDie die;
    signature->parameters = g_array_new (FALSE, FALSE, sizeof (SymbolDie));
    signature->takes_more = FALSE;
    if (symbol_die_first_child (dwarf, function, &die)) {
        do {
            if (die.tag == DW_TAG_unspecified_parameters)
                signature->takes_more = TRUE;
            else if (die.tag == DW_TAG_formal_parameter && !is_hidden (parser, &die))
                g_array_append_val (signature->parameters, die);
        } while (symbol_die_next (dwarf, &die, &die));
    }
    if (!signature->parameters->len && function->unit->language == JOB_LANGUAGE_C &&
        !symbol_die_get_number (dwarf, function, DW_AT_prototyped, 0))
        signature->takes_more = TRUE;
}

/* ---- which one ---- */

static guint
rate_pointer (SymbolParser *parser, const SymbolNode *node, const SymbolType *from, guint32 type)
{
    SymbolBinding *binding = parser->binding;
    guint32 wanted = symbol_type_get_target (binding, type);
    const SymbolType *to = symbol_type_strip (binding, wanted), *own;
    gint64 offset = 0;
    if (from->kind == INDEX_TYPE_FUNCTION || symbol_is_integer (from))
        return node->is_constant && !node->constant ? 2 : from->kind == INDEX_TYPE_FUNCTION;
    if (from->kind != INDEX_TYPE_POINTER && from->kind != INDEX_TYPE_ARRAY)
        return 0;
    guint32 target = symbol_type_get_target (binding, node->type);
    own = symbol_type_strip (binding, target);
    if (own == to || strcmp (own->name, to->name) == 0)
        return 5;
    if (to->kind == INDEX_TYPE_VOID || symbol_find_base (binding, target, wanted, 0, &offset))
        return 2;
    return own->kind == to->kind && own->size == to->size ? 2 : 0;
}

/* How well a value goes with a parameter: 0 not at all … 5 it is of this type. */
static guint
rate_argument (SymbolParser *parser, const SymbolNode *node, guint32 type)
{
    SymbolBinding *binding = parser->binding;
    const SymbolType *to = symbol_type_strip (binding, type), *from = symbol_node_strip (parser, node);
    gint64 offset = 0;
    if (to->kind == INDEX_TYPE_REFERENCE)
        to = symbol_type_strip (binding, type = symbol_type_get_target (binding, type));
    if (to == from || (to->kind == from->kind && strcmp (to->name, from->name) == 0))
        return 5;
    if (to->kind == INDEX_TYPE_POINTER)
        return rate_pointer (parser, node, from, type);
    if (symbol_is_arithmetic (to) && symbol_is_arithmetic (from))
        return to->kind == from->kind && to->size == from->size ? 4
               : (to->kind == INDEX_TYPE_FLOAT) == (from->kind == INDEX_TYPE_FLOAT) ? 3 : 1;
    if (symbol_fits_elements (parser, node, type))
        return 2;
    if (to->kind == INDEX_TYPE_COMPLEX)
        return from->kind == INDEX_TYPE_COMPLEX ? 3 : symbol_is_arithmetic (from);
    if (symbol_is_decimal (to))
        return symbol_is_decimal (from) ? 3 : symbol_is_integer (from);
    if (symbol_is_decimal (from))
        return symbol_is_integer (to);
    return to->kind == INDEX_TYPE_STRUCT && symbol_find_base (binding, node->type, type, 0, &offset)
               ? 2 : 0;
}

/* 0: it cannot be called so. */
static guint
rate_function (SymbolParser *parser, const SymbolDie *function, const Arguments *arguments)
{
    g_autoptr (GArray) parameters = NULL;
    Signature signature;
    guint rating = 1;
    read_signature (parser, function, &signature);
    parameters = signature.parameters;
    if (arguments->n < parameters->len || (arguments->n > parameters->len && !signature.takes_more))
        return 0;
    for (guint i = 0; i < parameters->len; i++) {
        guint32 type = symbol_type_build_of (parser->binding,
                                             &g_array_index (parameters, SymbolDie, i));
        guint own = rate_argument (parser, &arguments->nodes[i], type);
        if (!own)
            return 0;
        rating += own * 100;
    }
    return rating + (signature.takes_more ? 0 : 1);
}

/* Link-time address of a function that may only be declared. */
static gboolean
find_address (SymbolBinding *binding, const SymbolDie *function, guint64 *ret_address)
{
    g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
    SymbolValue linkage;
    const char *name = symbol_die_get_name (binding->dwarf, function);
    symbol_die_read_ranges (binding->dwarf, function, ranges);
    if (ranges->len) {
        *ret_address = g_array_index (ranges, SymbolRange, 0).low;
        return TRUE;
    }
    if ((symbol_die_get_deep (binding->dwarf, function, DW_AT_linkage_name, &linkage) ||
         symbol_die_get_deep (binding->dwarf, function, DW_AT_MIPS_linkage_name, &linkage)) &&
        linkage.kind == SYMBOL_VALUE_STRING && linkage.string)
        name = linkage.string;
    return name && symbol_scope_find_elf (binding, name, ret_address);
}

static gboolean
is_overload (SymbolBinding *binding, guint64 offset, const char *wanted, SymbolDie *ret_die)
{
    guint64 address;
    if (!symbol_die_find (binding->dwarf, offset, ret_die) || ret_die->tag != DW_TAG_subprogram ||
        !find_address (binding, ret_die, &address))
        return FALSE;
    g_autofree char *whole = symbol_names_dup_qualified (binding->binder, ret_die);
    return g_strcmp0 (whole, wanted) == 0;
}

/* The one of its name that takes these arguments best. FALSE after an error. */
static gboolean
choose_overload (SymbolParser *parser, const SymbolDie *first, const char *name,
                 const Arguments *arguments, SymbolDie *ret_die)
{
    SymbolBinding *binding = parser->binding;
    g_autofree char *wanted = symbol_names_dup_qualified (binding->binder, first);
    const char *plain = symbol_die_get_name (binding->dwarf, first);
    const GArray *list = plain ? symbol_names_find (binding->binder, plain) : NULL;
    g_autofree char *overloads = symbol_names_list_overloads (binding, first);
    guint best = 0;
    guint64 chosen = 0, address;
    gboolean tie = FALSE;
    SymbolDie die;
    *ret_die = *first;
    for (guint i = 0; list && i < list->len; i++) {
        if (!is_overload (binding, g_array_index (list, guint64, i), wanted, &die) ||
            !find_address (binding, &die, &address) || address == chosen)
            continue;
        guint rating = rate_function (parser, &die, arguments);
        tie = rating == best ? tie || rating > 0 : rating < best && tie;
        if (rating > best) {
            best = rating;
            chosen = address;
            *ret_die = die;
        }
    }
    if (!overloads || (best && !tie))
        return TRUE;
    symbol_parser_fail (parser, BASE_ERROR_INVALID, best ? "\"%s\" is ambiguous: %s"
                                                         : "no \"%s\" takes these arguments: %s",
                        name, overloads);
    return FALSE;
}

/* ---- the call ---- */

/* As the default promotions do: float to double, small integers to int. */
static void
promote (SymbolParser *parser, SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    if (type->kind == INDEX_TYPE_FLOAT && type->size == 4)
        symbol_emit_cast (node, symbol_type_get_basic (parser->binding, INDEX_TYPE_FLOAT, 8,
                                                       "double"));
    else if (symbol_is_integer (type) && type->size < 4)
        symbol_emit_cast (node, symbol_parser_get_int (parser));
}

static void
convert_argument (SymbolParser *parser, Arguments *arguments, guint number, guint32 type)
{
    SymbolNode *node = &arguments->nodes[number];
    const SymbolType *from = symbol_node_strip (parser, node);
    const SymbolType *to = symbol_type_strip (parser->binding, type);
    if (to->kind == INDEX_TYPE_REFERENCE) {
        arguments->by_reference |= 1u << number;
        type = symbol_type_get_target (parser->binding, type);
        to = symbol_type_strip (parser->binding, type);
    }
    if (!rate_argument (parser, node, type)) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot pass argument %u: it is a %s, not a %s", number + 1, from->name,
                            to->name);
        return;
    }
    if (symbol_fits_elements (parser, node, type))
        symbol_emit_cast (node, type);
    else if (from != to && from->kind != INDEX_TYPE_ARRAY && from->kind != INDEX_TYPE_FUNCTION &&
        !(from->kind == to->kind && from->size == to->size && strcmp (from->name, to->name) == 0))
        symbol_emit_conversion (parser, node, type);
}

/* Fortran passes everything by address; its texts bring their length behind all others. */
static void
convert_arguments (SymbolParser *parser, Arguments *arguments, const Signature *signature)
{
    GArray *parameters = signature->parameters;
    for (guint i = 0; i < arguments->n && !parser->error; i++) {
        guint32 type = i < parameters->len
            ? symbol_type_build_of (parser->binding, &g_array_index (parameters, SymbolDie, i)) : 0;
        if (is_fortran (parser))
            arguments->by_reference |= 1u << i;
        if (is_fortran (parser) && i < parameters->len && symbol_die_get_number (
                parser->binding->dwarf, &g_array_index (parameters, SymbolDie, i), DW_AT_artificial, 0))
            arguments->by_descriptor |= 1u << i;
        if (i >= parameters->len)
            promote (parser, &arguments->nodes[i]);
        else if (!is_fortran (parser) ||
                 symbol_is_arithmetic (symbol_node_strip (parser, &arguments->nodes[i])))
            convert_argument (parser, arguments, i, is_fortran (parser) &&
                              symbol_type_strip (parser->binding, type)->kind ==
                                  INDEX_TYPE_REFERENCE
                              ? symbol_type_get_target (parser->binding, type) : type);
    }
}

/* callee and what stands before the arguments are in node's code; n_before of them count. */
static void
emit_call (SymbolParser *parser, SymbolNode *node, guint32 result, Arguments *arguments,
           guint n_before)
{
    for (guint i = 0; i < arguments->n; i++)
        symbol_parser_append_code (node, &arguments->nodes[i]);
    symbol_code_put_op (node->code, INDEX_OP_CALL, result);
    base_bytes_put_uleb (node->code, arguments->n + n_before);
    base_bytes_put_uleb (node->code, arguments->by_reference << n_before);
    base_bytes_put_uleb (node->code, arguments->by_descriptor << n_before);
    node->type = result;
    node->is_constant = FALSE;
}

static void
emit_static (SymbolNode *node, guint32 type, guint64 address)
{
    node->type = type;
    symbol_code_put_op (node->code, INDEX_OP_STATIC, type);
    base_bytes_put_uleb (node->code, address);
}

static void
check_arguments (SymbolParser *parser, const char *name, Arguments *arguments,
                 const SymbolDie *function)
{
    g_autoptr (GArray) parameters = NULL;
    Signature signature;
    read_signature (parser, function, &signature);
    parameters = signature.parameters;
    if (arguments->n < parameters->len || (arguments->n > parameters->len && !signature.takes_more))
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot call \"%s\": it takes %u arguments, "
                            "not %u", name, parameters->len, arguments->n);
    else
        convert_arguments (parser, arguments, &signature);
}

void
symbol_parse_named_call (SymbolParser *parser, SymbolNode *node, const SymbolDie *function,
                         const char *name)
{
    SymbolBinding *binding = parser->binding;
    Arguments arguments;
    SymbolDie chosen;
    guint64 address;
    symbol_parser_expect (parser, "(");
    parse_arguments (parser, &arguments);
    if (!parser->error && choose_overload (parser, function, name, &arguments, &chosen)) {
        check_arguments (parser, name, &arguments, &chosen);
        if (find_address (binding, &chosen, &address))
            emit_static (node, symbol_type_build (binding, chosen.offset), address);
        else if (symbol_die_get_number (binding->dwarf, &chosen, DW_AT_declaration, 0))
            node->type = symbol_scope_emit (binding, &chosen, node->code);
        else
            symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED, "cannot call \"%s\": it has no code "
                                "of its own", name);
        if (!parser->error) {
            emit_call (parser, node, symbol_type_build_of (binding, &chosen), &arguments, 0);
        }
    }
    clear_arguments (&arguments);
}

/* The function is in node's code; what it is cast to says what it returns. */
static void
parse_rest_of_untyped (SymbolParser *parser, SymbolNode *node, const char *name)
{
    Arguments arguments = { .n = 0 };
    guint32 result = parser->expected;
    symbol_parser_expect (parser, "(");
    if (!parser->is_cast)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot call \"%s\": nothing says what it "
                            "returns; put the type before it, as in (int) %s (…)", name, name);
    if (!parser->error)
        parse_arguments (parser, &arguments);
    for (guint i = 0; i < arguments.n && !parser->error; i++)
        promote (parser, &arguments.nodes[i]);
    if (!parser->error)
        emit_call (parser, node, result, &arguments, 0);
    clear_arguments (&arguments);
}

void
symbol_parse_untyped_call (SymbolParser *parser, SymbolNode *node, guint64 address,
                           const char *name)
{
    emit_static (node, symbol_type_get_basic (parser->binding, INDEX_TYPE_FUNCTION, 1, "code"),
                 address);
    parse_rest_of_untyped (parser, node, name);
}

SymbolNode
symbol_parse_outside_call (SymbolParser *parser)
{
    char *begin;
    gint64 address = (gint64) g_ascii_strtoull (parser->at + 1, &begin, 16);
    const char *end = strchr (begin, INDEX_OUTSIDE_MARK);
    SymbolNode node = symbol_parser_make_integer (parser, symbol_parser_get_long (parser, FALSE),
                                                  address);
    if (*begin != ' ' || !end) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot read expression: no address");
        return node;
    }
    g_autofree char *name = g_strndup (begin + 1, (gsize) (end - begin - 1));
    parser->at = end + 1;
    node.is_constant = FALSE;
    parse_rest_of_untyped (parser, &node, name);
    return node;
}

/* Behind "(": of what was cast to a function that a type's name says all of. */
static void
parse_cast_call (SymbolParser *parser, SymbolNode *node, const SymbolType *function)
{
    g_autoptr (GArray) types = g_array_ref (function->parameters);
    guint32 result = function->target;
    gboolean none = types->len == 1 && !g_array_index (types, guint32, 0); /* (void) */
    guint n = none ? 0 : types->len;
    Arguments arguments;
    parse_arguments (parser, &arguments);
    if (!parser->error && arguments.n != n)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot call a %s: it takes %u arguments, not %u",
                            function->name, n, arguments.n);
    for (guint i = 0; i < arguments.n && !parser->error; i++)
        convert_argument (parser, &arguments, i, g_array_index (types, guint32, i));
    if (!parser->error)
        emit_call (parser, node, result, &arguments, 0);
    clear_arguments (&arguments);
}

gboolean
symbol_parse_pointer_call (SymbolParser *parser, SymbolNode *node)
{
    SymbolBinding *binding = parser->binding;
    const SymbolType *type = symbol_node_strip (parser, node);
    const char *before = parser->at;
    Arguments arguments;
    SymbolDie die;
    if (type->kind == INDEX_TYPE_POINTER && type->flags & INDEX_TYPE_TO_FUNCTION)
        type = symbol_type_strip (binding, symbol_type_get_target (binding, node->type));
    if (type->kind == INDEX_TYPE_FUNCTION && type->parameters && symbol_parser_take (parser, "(")) {
        parse_cast_call (parser, node, type);
        return TRUE;
    }
    if (type->kind != INDEX_TYPE_FUNCTION || !type->die || !symbol_parser_take (parser, "("))
        return FALSE;
    if (!symbol_die_find (binding->dwarf, type->die, &die)) {
        parser->at = before;
        return FALSE;
    }
    parse_arguments (parser, &arguments);
    if (!parser->error)
        check_arguments (parser, type->name, &arguments, &die);
    if (!parser->error)
        emit_call (parser, node, symbol_type_build_of (binding, &die), &arguments, 0);
    clear_arguments (&arguments);
    return TRUE;
}

/* ---- methods ---- */

/* Of the class itself, then of its bases; path: the bases that are gone through. */
static gboolean
find_method (SymbolParser *parser, guint32 holder, const char *name, const Arguments *arguments,
             guint depth, GArray *path, SymbolDie *ret_die)
{
    SymbolBinding *binding = parser->binding;
    const SymbolType *type = symbol_type_strip (binding, holder);
    SymbolDie class, die;
    guint best = 0;
    if (depth > 12 || !type->die || !symbol_die_find (binding->dwarf, type->die, &class))
        return FALSE;
    if (symbol_die_first_child (binding->dwarf, &class, &die)) {
        do {
            const char *own = die.tag == DW_TAG_subprogram ? symbol_die_get_name (binding->dwarf, &die)
                                                           : NULL;
            guint rating = own && strcmp (own, name) == 0 ? rate_function (parser, &die, arguments) : 0;
            if (rating > best) {
                best = rating;
                *ret_die = die;
            }
        } while (symbol_die_next (binding->dwarf, &die, &die));
    }
    for (guint i = 0; !best && type->members && i < type->members->len; i++) {
        SymbolMember member = g_array_index (type->members, SymbolMember, i);
        if (member.name[0] != '<' || binding->steps++ > SYMBOL_MAX_STEPS)
            continue;
        g_array_append_val (path, member);
        if (find_method (parser, member.type, name, arguments, depth + 1, path, ret_die))
            return TRUE;
        g_array_set_size (path, path->len - 1);
    }
    return best > 0;
}

/* The function that the object's vtable names. */
static void
emit_virtual (SymbolParser *parser, SymbolNode *node, const SymbolNode *object, guint64 slot)
{
    guint32 word = symbol_parser_get_long (parser, FALSE);
    guint32 table = symbol_type_get_pointer (parser->binding, word);
    guint32 place = symbol_type_get_pointer (parser->binding, table);
    g_byte_array_append (node->code, object->code->data, object->code->len);
    symbol_code_put_op (node->code, INDEX_OP_ADDRESS, place);
    symbol_code_put_op (node->code, INDEX_OP_DEREF, table);
    symbol_code_put_op (node->code, INDEX_OP_CONSTANT, word);
    symbol_code_put_sleb (node->code, (gint64) slot);
    symbol_code_put_op (node->code, INDEX_OP_INDEX, word);
    base_bytes_put_uleb (node->code, 0);
}

static void
emit_method (SymbolParser *parser, SymbolNode *node, const SymbolDie *method, const char *name,
             Arguments *arguments)
{
    SymbolBinding *binding = parser->binding;
    SymbolValue object;
    guint64 slot, address;
    guint32 pointer = symbol_type_get_pointer (binding, node->type);
    SymbolNode call = symbol_parser_new_node (0);
    gboolean is_static = !symbol_die_get_deep (binding->dwarf, method, DW_AT_object_pointer, &object);
    check_arguments (parser, name, arguments, method);
    if (symbol_die_find_slot (binding->dwarf, method, &slot))
        emit_virtual (parser, &call, node, slot);
    else if (find_address (binding, method, &address))
        emit_static (&call, symbol_type_build (binding, method->offset), address);
    else
        symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED, "cannot call \"%s\": it has no code of its "
                            "own", name);
    if (!is_static) {
        symbol_parser_append_code (&call, node);
        symbol_code_put_op (call.code, INDEX_OP_ADDRESS, pointer);
    }
    if (!parser->error)
        emit_call (parser, &call, symbol_type_build_of (binding, method), arguments, is_static ? 0 : 1);
    g_clear_pointer (&node->code, g_byte_array_unref);
    *node = call;
}

gboolean
symbol_parse_method_call (SymbolParser *parser, SymbolNode *node, const char *name)
{
    const char *before = parser->at;
    g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (SymbolMember));
    Arguments arguments;
    SymbolDie method;
    if (symbol_node_strip (parser, node)->kind != INDEX_TYPE_STRUCT ||
        !symbol_parser_take (parser, "("))
        return FALSE;
    parse_arguments (parser, &arguments);
    gboolean found = !parser->error &&
                     find_method (parser, node->type, name, &arguments, 0, path, &method);
    for (guint i = 0; found && i < path->len; i++)
        symbol_emit_member (node, &g_array_index (path, SymbolMember, i));
    if (found)
        emit_method (parser, node, &method, name, &arguments);
    else if (!parser->error)
        parser->at = before;
    clear_arguments (&arguments);
    return found || parser->error;
}
