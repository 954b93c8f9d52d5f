/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves calls in expressions and converts their arguments: overloads by argument types,
 * methods with their object, virtual ones by the vtable. */
#include <glib/gi18n.h>
#include <string.h>

#include "base/error.h"
#include "machine/registers.h"
#include "symbol/calls-private.h"

static gboolean
is_fortran (const SymbolParser *parser)
{
    return parser->binding->unit && parser->binding->unit->language == JOB_LANGUAGE_FORTRAN;
}

void
symbol_arguments_clear (SymbolArguments *arguments)
{
    for (guint i = 0; i < arguments->n; i++)
        g_clear_pointer (&arguments->nodes[i].code, g_byte_array_unref);
}

void
symbol_parse_arguments (SymbolParser *parser, SymbolArguments *arguments)
{
    arguments->n = 0;
    arguments->by_reference = arguments->by_descriptor = 0;
    parser->is_cast = FALSE;
    if (symbol_parser_take (parser, ")"))
        return;
    do {
        if (arguments->n == SYMBOL_MAX_ARGUMENTS) {
            symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                                "cannot call with more than %u "
                                "arguments",
                                SYMBOL_MAX_ARGUMENTS);
            return;
        }
        arguments->nodes[arguments->n++] = symbol_parse_assignment (parser);
    } while (!parser->error && symbol_parser_take (parser, ","));
    symbol_parser_expect (parser, ")");
}

/* ---- the call ---- */

/* As the default promotions do: float to double, small integers to int. */
static void
promote (SymbolParser *parser, SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    if (type->kind == EVALUATE_TYPE_FLOAT && type->size == 4)
        symbol_emit_cast (node, symbol_type_get_basic (parser->binding, EVALUATE_TYPE_FLOAT, 8,
                                                       "double"));
    else if (symbol_is_integer (type) && type->size < 4)
        symbol_emit_cast (node, symbol_parser_get_int (parser));
}

static void
convert_argument (SymbolParser *parser, SymbolArguments *arguments, guint number, guint32 type)
{
    SymbolNode *node = &arguments->nodes[number];
    const SymbolType *from = symbol_node_strip (parser, node);
    const SymbolType *to = symbol_type_strip (parser->binding, type);
    if (to->kind == EVALUATE_TYPE_REFERENCE) {
        arguments->by_reference |= 1u << number;
        type = symbol_type_get_target (parser->binding, type);
        to = symbol_type_strip (parser->binding, type);
    }
    if (!symbol_rate_argument (parser, node, type)) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot pass argument %u: it is a %s, not a %s", number + 1,
                            from->name, to->name);
        return;
    }
    if (symbol_fits_elements (parser, node, type))
        symbol_emit_cast (node, type);
    else if (from != to && from->kind != EVALUATE_TYPE_ARRAY
             && from->kind != EVALUATE_TYPE_FUNCTION
             && !(from->kind == to->kind && from->size == to->size
                  && strcmp (from->name, to->name) == 0))
        symbol_emit_conversion (parser, node, type);
}

/* The child of parent that is an instance of the entry at origin, with its tag. */
static gboolean
find_instance (const SymbolDwarf *dwarf, const SymbolDie *parent, const SymbolDie *origin,
               SymbolDie *ret_die)
{
    SymbolDie die;
    SymbolValue value;
    if (!symbol_die_first_child (dwarf, parent, &die))
        return FALSE;
    do {
        if (die.tag == origin->tag
            && symbol_die_get (dwarf, &die, DW_AT_abstract_origin, &value)
            && value.kind == SYMBOL_VALUE_REFERENCE && value.number == origin->offset) {
            *ret_die = die;
            return TRUE;
        }
    } while (symbol_die_next (dwarf, &die, &die));
    return FALSE;
}

/* How a Fortran parameter is passed: by address, except those declared VALUE. Only its location
 * at the function's entry tells: one passed by address is in memory that a register or stack
 * word points to. FALSE: not known. */
static gboolean
find_passing (SymbolParser *parser, const SymbolDie *declared, const SymbolDie *body,
              guint64 entry, guint32 type, gboolean *ret_by_value)
{
    SymbolBinding *binding = parser->binding;
    SymbolDie instance;
    const SymbolDie *parameter = find_instance (binding->dwarf, body, declared, &instance)
                                     ? &instance
                                     : declared;
    const SymbolType *stripped = symbol_type_strip (binding, type);
    const guint8 *block;
    gsize size;
    *ret_by_value = FALSE;
    if (stripped->kind == EVALUATE_TYPE_ARRAY || stripped->kind == EVALUATE_TYPE_REFERENCE)
        return TRUE;
    if (!symbol_die_find_location (binding->dwarf, parameter, DW_AT_location, entry, FALSE,
                                   &block, &size)
        || !size)
        return FALSE;
    BaseCursor cursor = BASE_CURSOR_INIT (block, size);
    guint8 op = base_cursor_read_u8 (&cursor);
    if (op == DW_OP_regx || op == DW_OP_piece || (op >= DW_OP_reg0 && op <= DW_OP_reg31)) {
        *ret_by_value = TRUE;
        return TRUE;
    }
    gboolean in_frame = op == DW_OP_fbreg || op == DW_OP_call_frame_cfa;
    if (!in_frame && !(op >= DW_OP_breg0 && op <= DW_OP_breg31))
        return FALSE;
    if (op != DW_OP_call_frame_cfa)
        base_cursor_read_sleb (&cursor);
    gboolean is_end = !base_cursor_get_left (&cursor);
    guint8 next = is_end ? 0 : base_cursor_read_u8 (&cursor);
    if (!is_end && (next != DW_OP_deref || base_cursor_get_left (&cursor)))
        return FALSE;
    /* the stack's and the frame's pointers are the frame, too */
    in_frame = in_frame || op == DW_OP_breg0 + machine_fp_number
               || op == DW_OP_breg0 + machine_sp_number;
    *ret_by_value = in_frame && is_end;
    return in_frame || is_end;
}

/* entry: of the function; 0: it is not here, and all of Fortran's are taken to come by address. */
static void
convert_fortran (SymbolParser *parser, SymbolArguments *arguments, guint number,
                 const SymbolDie *parameter, const SymbolDie *body, guint64 entry)
{
    SymbolNode *node = &arguments->nodes[number];
    guint32 type = symbol_type_build_of (parser->binding, parameter);
    gboolean by_value;
    if (symbol_die_get_number (parser->binding->dwarf, parameter, DW_AT_artificial, 0))
        arguments->by_descriptor |= 1u << number;
    else if (entry && !find_passing (parser, parameter, body, entry, type, &by_value))
        symbol_parser_fail (
            parser, BASE_ERROR_UNSUPPORTED,
            "cannot pass argument %u: the debug "
            "information does not say whether it is passed by address or by value",
            number + 1);
    else if (entry && by_value) {
        convert_argument (parser, arguments, number, type);
        return;
    }
    arguments->by_reference |= 1u << number;
    if (!parser->error && symbol_is_arithmetic (symbol_node_strip (parser, node)))
        convert_argument (parser, arguments, number,
                          symbol_type_strip (parser->binding, type)->kind
                                  == EVALUATE_TYPE_REFERENCE
                              ? symbol_type_get_target (parser->binding, type)
                              : type);
}

/* Lengths of Fortran texts follow all other arguments. */
static void
convert_arguments (SymbolParser *parser, SymbolArguments *arguments, const SymbolDie *function,
                   const SymbolParameters *signature)
{
    g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
    gboolean by_address = is_fortran (parser)
                          && symbol_imports_get_language (parser->binding, function->unit)
                                 == JOB_LANGUAGE_FORTRAN;
    SymbolDie root, body = *function;
    symbol_die_read_ranges (parser->binding->dwarf, function, ranges);
    /* one that is also inlined has its code in an entry of its own */
    if (by_address && !ranges->len
        && symbol_die_read (parser->binding->dwarf, function->unit, function->unit->first_die,
                            &root)
        && find_instance (parser->binding->dwarf, &root, function, &body))
        symbol_die_read_ranges (parser->binding->dwarf, &body, ranges);
    guint64 entry = ranges->len ? g_array_index (ranges, SymbolRange, 0).low : 0;
    /* one that was declared without its parameters' types takes what the default promotions make of them */
    gboolean is_promoted
        = symbol_imports_get_language (parser->binding, function->unit) == JOB_LANGUAGE_C
          && !symbol_die_get_number (parser->binding->dwarf, function, DW_AT_prototyped, 0);
    GArray *parameters = signature->parameters;
    for (guint i = 0; i < arguments->n && !parser->error; i++) {
        const SymbolDie *parameter = i < parameters->len
                                         ? &g_array_index (parameters, SymbolDie, i)
                                         : NULL;
        if (!parameter)
            promote (parser, &arguments->nodes[i]);
        else if (by_address)
            convert_fortran (parser, arguments, i, parameter, &body, entry);
        else
            convert_argument (parser, arguments, i,
                              symbol_type_build_of (parser->binding, parameter));
        if (is_promoted && !parser->error)
            promote (parser, &arguments->nodes[i]);
    }
}

/* callee and what stands before the arguments are in node's code; n_before of them count. is_copied: the
 * first of these is an object that is passed by the address of a copy when it has none itself. */
static void
emit_call (SymbolParser *parser, SymbolNode *node, guint32 result, SymbolArguments *arguments,
           guint n_before, gboolean is_copied)
{
    for (guint i = 0; i < arguments->n; i++)
        symbol_parser_append_code (node, &arguments->nodes[i]);
    symbol_code_put_op (node->code, EVALUATE_OP_CALL, result);
    base_bytes_put_uleb (node->code, arguments->n + n_before);
    base_bytes_put_uleb (node->code, arguments->by_reference << n_before | (is_copied ? 1 : 0));
    base_bytes_put_uleb (node->code, arguments->by_descriptor << n_before);
    node->type = result;
    node->is_constant = FALSE;
    node->is_rvalue = TRUE;
}

static void
emit_static (SymbolNode *node, guint32 type, guint64 address)
{
    node->type = type;
    symbol_code_put_op (node->code, EVALUATE_OP_STATIC, type);
    base_bytes_put_uleb (node->code, address);
}

/* A function of Fortran whose first parameter is where its result goes (gfortran's __result). */
static gboolean
writes_result (const SymbolDwarf *dwarf, const SymbolDie *function)
{
    SymbolDie die;
    if (function->unit->language != JOB_LANGUAGE_FORTRAN
        || !symbol_die_first_child (dwarf, function, &die))
        return FALSE;
    do {
        const char *name = die.tag == DW_TAG_formal_parameter
                               ? symbol_die_get_name (dwarf, &die)
                               : NULL;
        if (name && !strcmp (name, "__result")
            && symbol_die_get_number (dwarf, &die, DW_AT_artificial, 0))
            return TRUE;
    } while (symbol_die_next (dwarf, &die, &die));
    return FALSE;
}

static void
check_arguments (SymbolParser *parser, const char *name, SymbolArguments *arguments,
                 const SymbolDie *function)
{
    g_autoptr (GArray) parameters = NULL;
    SymbolParameters signature;
    symbol_parameters_read (parser, function, &signature);
    parameters = signature.parameters;
    if (writes_result (parser->binding->dwarf, function))
        symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                            "cannot call \"%s\": it writes its result, a text or an array, to "
                            "memory that the caller has to provide",
                            name);
    else if (arguments->n < parameters->len
             || (arguments->n > parameters->len && !signature.takes_more))
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            parameters->len == 1
                                ? N_ ("cannot call \"%s\": it takes %u argument, not %u")
                                : N_ ("cannot call \"%s\": it takes %u arguments, not %u"),
                            name, parameters->len, arguments->n);
    else
        convert_arguments (parser, arguments, function, &signature);
}

/* The function's address in node's code. */
static void
emit_function (SymbolParser *parser, SymbolNode *node, const SymbolDie *function,
               const char *name)
{
    SymbolBinding *binding = parser->binding;
    guint64 address;
    if (symbol_find_code (binding, function, &address))
        emit_static (node, symbol_type_build (binding, function->offset), address);
    else if (symbol_die_get_number (binding->dwarf, function, DW_AT_declaration, 0))
        node->type = symbol_scope_emit (binding, function, node->code);
    else
        symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                            "cannot call \"%s\": it has no code that can "
                            "be called",
                            name);
}

/* NULL after an error. */
static const SymbolCandidate *
choose (SymbolParser *parser, const GArray *candidates, const char *name)
{
    gboolean is_ambiguous;
    const SymbolCandidate *best = symbol_candidates_choose (parser->binding->dwarf, candidates,
                                                            &is_ambiguous);
    if (!best && candidates->len == 1)
        best = &g_array_index (candidates, SymbolCandidate,
                               0); /* the arguments are checked against it */
    if (!best) {
        g_autofree char *all = symbol_candidates_describe (parser->binding, candidates);
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            is_ambiguous ? N_ ("\"%s\" is ambiguous: %s")
                                         : N_ ("no \"%s\" takes these arguments: %s"),
                            name, all);
    }
    return best;
}

/* What the name and the arguments mean together. FALSE after an error. */
static gboolean
find_function (SymbolParser *parser, const SymbolDie *first, const char *name,
               const SymbolArguments *arguments, SymbolDie *ret_die)
{
    SymbolBinding *binding = parser->binding;
    SymbolValue link;
    g_autoptr (GArray) candidates = symbol_candidates_new ();
    g_autofree char *wanted = first ? symbol_names_dup_qualified (binding->binder, first)
                                    : NULL;
    /* the frame may be in C, or in something that nothing describes */
    gboolean is_cxx = symbol_parser_is_cxx (parser)
                      || (first && first->unit->language == JOB_LANGUAGE_CXX);
    if (is_cxx && wanted)
        symbol_candidates_add_named (parser, candidates, wanted, arguments->nodes,
                                     arguments->n);
    if (symbol_parser_is_cxx (parser) && !strstr (name, "::"))
        symbol_candidates_add_visible (parser, candidates, name, arguments->nodes,
                                       arguments->n);
    if (symbol_parser_is_cxx (parser) && !strstr (name, "::"))
        symbol_candidates_add_associated (parser, candidates, name, arguments->nodes,
                                          arguments->n);
    const SymbolCandidate *best = candidates->len ? choose (parser, candidates, name) : NULL;
    if (best)
        *ret_die = best->die;
    else if (first)
        *ret_die = *first;
    else
        symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "no symbol \"%s\"", name);
    if (!parser->error && symbol_die_takes_object (binding->dwarf, ret_die))
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot call \"%s\" without an object",
                            name);
    if (!parser->error && symbol_die_get (binding->dwarf, ret_die, DW_AT_static_link, &link))
        symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                            "cannot call \"%s\": it uses variables of the function around it",
                            name);
    return !parser->error;
}

void
symbol_parse_named_call (SymbolParser *parser, SymbolNode *node, const SymbolDie *function,
                         const char *name)
{
    SymbolArguments arguments;
    SymbolDie chosen;
    symbol_parser_expect (parser, "(");
    symbol_parse_arguments (parser, &arguments);
    if (!parser->error && find_function (parser, function, name, &arguments, &chosen)) {
        check_arguments (parser, name, &arguments, &chosen);
        emit_function (parser, node, &chosen, name);
        if (!parser->error)
            emit_call (parser, node, symbol_type_build_of (parser->binding, &chosen),
                       &arguments, 0, FALSE);
    }
    symbol_arguments_clear (&arguments);
}

/* What functions of C's standard and POSIX return, of which the C library itself chooses one at its start, so that its
 * debug information has none of the name. 0: not known. */
static guint32
find_standard_result (SymbolParser *parser, const char *name)
{
    static const char *const numbers[] = { "memcmp",     "strcmp",      "strncmp",
                                           "strcasecmp", "strncasecmp", "strcoll" };
    static const char *const sizes[] = { "strlen", "strnlen", "strspn", "strcspn", "wcslen" };
    static const char *const texts[] = { "strchr", "strrchr", "strstr", "strpbrk",
                                         "strcpy", "strncpy", "strcat", "strncat" };
    static const char *const places[] = { "memchr", "memcpy", "memmove", "memset" };
    SymbolBinding *binding = parser->binding;
    if (symbol_parser_is_fortran (parser))
        return 0;
    if (BASE_ANY (i, G_N_ELEMENTS (numbers), !strcmp (name, numbers[i])))
        return symbol_parser_get_int (parser);
    if (BASE_ANY (i, G_N_ELEMENTS (sizes), !strcmp (name, sizes[i])))
        return symbol_parser_get_long (parser, FALSE);
    if (BASE_ANY (i, G_N_ELEMENTS (texts), !strcmp (name, texts[i])))
        return symbol_type_get_pointer (binding,
                                        symbol_type_get_basic (binding, EVALUATE_TYPE_CHAR, 1,
                                                               "char"));
    return BASE_CHOOSE (i, G_N_ELEMENTS (places), !strcmp (name, places[i]),
                        symbol_type_get_pointer (binding, 0), 0);
}

/* The function is in node's code; what it is cast to says what it returns. */
static void
parse_rest_of_untyped (SymbolParser *parser, SymbolNode *node, const char *name)
{
    SymbolArguments arguments = { .n = 0 };
    guint32 known = parser->is_cast ? 0 : find_standard_result (parser, name);
    guint32 result = known ? known : parser->expected;
    symbol_parser_expect (parser, "(");
    if (!parser->is_cast && !known)
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot call \"%s\": its return type is not known; "
                            "put the type before it, as in (int) %s (…)",
                            name, name);
    if (!parser->error)
        symbol_parse_arguments (parser, &arguments);
    for (guint i = 0; i < arguments.n && !parser->error; i++)
        promote (parser, &arguments.nodes[i]);
    if (!parser->error)
        emit_call (parser, node, result, &arguments, 0, FALSE);
    symbol_arguments_clear (&arguments);
}

void
symbol_parse_untyped_call (SymbolParser *parser, SymbolNode *node, guint64 address,
                           const char *name)
{
    emit_static (node,
                 symbol_type_get_basic (parser->binding, EVALUATE_TYPE_FUNCTION, 1, "code"),
                 address);
    parse_rest_of_untyped (parser, node, name);
}

SymbolNode
symbol_parse_outside_call (SymbolParser *parser)
{
    char *begin;
    gint64 address = (gint64) g_ascii_strtoull (parser->at + 1, &begin, 16);
    const char *end = strchr (begin, EVALUATE_OUTSIDE_MARK);
    SymbolNode node
        = symbol_parser_make_integer (parser, symbol_parser_get_long (parser, FALSE), address);
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

/* Behind "(": of what was cast to a function that a type's name says all of. object: code for the address of that of a
 * method, which is the first parameter; NULL. */
static void
parse_cast_call (SymbolParser *parser, SymbolNode *node, const SymbolType *function,
                 const GByteArray *object)
{
    g_autoptr (GArray) types = g_array_ref (function->parameters);
    guint32 result = function->target;
    gboolean none = types->len == 1 && !g_array_index (types, guint32, 0); /* (void) */
    gboolean takes_more
        = types->len > 0
          && !strcmp (symbol_type_get (parser->binding,
                                       g_array_index (types, guint32, types->len - 1))
                          ->name,
                      SYMBOL_TAKES_MORE);
    guint n_before = object && !none && types->len > 0;
    guint n = none ? 0 : types->len - takes_more - n_before;
    SymbolArguments arguments;
    if (n_before)
        g_byte_array_append (node->code, object->data, object->len);
    symbol_parse_arguments (parser, &arguments);
    if (!parser->error && (takes_more ? arguments.n < n : arguments.n != n))
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            n == 1 ? N_ ("cannot call a %s: it takes %u argument, not %u")
                                   : N_ ("cannot call a %s: it takes %u arguments, not %u"),
                            function->name, n, arguments.n);
    for (guint i = 0; i < arguments.n && !parser->error; i++) {
        if (i < n)
            convert_argument (parser, &arguments, i,
                              g_array_index (types, guint32, i + n_before));
        else
            promote (parser, &arguments.nodes[i]);
    }
    if (!parser->error)
        emit_call (parser, node, result, &arguments, n_before, FALSE);
    symbol_arguments_clear (&arguments);
}

gboolean
symbol_parse_pointer_call (SymbolParser *parser, SymbolNode *node)
{
    SymbolBinding *binding = parser->binding;
    const SymbolType *type = symbol_node_strip (parser, node);
    const char *before = parser->at;
    SymbolArguments arguments;
    SymbolDie die;
    if (type->kind == EVALUATE_TYPE_POINTER && type->flags & EVALUATE_TYPE_TO_FUNCTION)
        type = symbol_type_strip (binding, symbol_type_get_target (binding, node->type));
    if (type->kind != EVALUATE_TYPE_FUNCTION || (!type->parameters && !type->die)
        || !symbol_parser_take (parser, "("))
        return FALSE;
    if (!type->parameters && !symbol_die_find (binding->dwarf, type->die, &die)) {
        parser->at = before;
        return FALSE;
    }
    g_autoptr (GByteArray) object = binding->bound && binding->bound_end == node->code->len
                                        ? g_steal_pointer (&binding->bound)
                                        : NULL;
    if (type->parameters) {
        parse_cast_call (parser, node, type, object);
        return TRUE;
    }
    if (!object && symbol_die_takes_object (binding->dwarf, &die))
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot call a method without an object");
    if (object)
        g_byte_array_append (node->code, object->data, object->len);
    symbol_parse_arguments (parser, &arguments);
    if (!parser->error)
        check_arguments (parser, type->name, &arguments, &die);
    if (!parser->error)
        emit_call (parser, node, symbol_type_build_of (binding, &die), &arguments,
                   object ? 1 : 0, FALSE);
    symbol_arguments_clear (&arguments);
    return TRUE;
}

/* ---- methods ---- */

/* The function that the object's vtable names. */
static void
emit_virtual (SymbolParser *parser, SymbolNode *node, const SymbolNode *object, guint64 slot)
{
    guint32 word = symbol_parser_get_long (parser, FALSE);
    guint32 table = symbol_type_get_pointer (parser->binding, word);
    guint32 place = symbol_type_get_pointer (parser->binding, table);
    g_byte_array_append (node->code, object->code->data, object->code->len);
    symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS, place);
    symbol_code_put_op (node->code, EVALUATE_OP_DEREF, table);
    symbol_code_put_op (node->code, EVALUATE_OP_CONSTANT, word);
    symbol_code_put_sleb (node->code, (gint64) slot);
    symbol_code_put_op (node->code, EVALUATE_OP_INDEX, word);
    base_bytes_put_uleb (node->code, 0);
}

/* node: the object of the method's own class, then what it returns. */
static void
emit_method (SymbolParser *parser, SymbolNode *node, const SymbolDie *method, const char *name,
             SymbolArguments *arguments, gboolean is_exact)
{
    SymbolBinding *binding = parser->binding;
    guint64 slot;
    guint32 pointer = symbol_type_get_pointer (binding, node->type);
    SymbolNode call = symbol_parser_new_node (0);
    gboolean is_static = !symbol_die_takes_object (binding->dwarf, method);
    gboolean is_copied = symbol_node_is_rvalue (node); /* it may be nowhere in memory */
    check_arguments (parser, name, arguments, method);
    if (!is_exact && symbol_die_find_slot (binding->dwarf, method, &slot))
        emit_virtual (parser, &call, node, slot);
    else
        emit_function (parser, &call, method, name);
    if (!is_static) {
        symbol_parser_append_code (&call, node);
        if (!is_copied)
            symbol_code_put_op (call.code, EVALUATE_OP_ADDRESS, pointer);
    }
    if (!parser->error)
        emit_call (parser, &call, symbol_type_build_of (binding, method), arguments,
                   is_static ? 0 : 1, is_copied && !is_static);
    g_clear_pointer (&node->code, g_byte_array_unref);
    *node = call;
}

void
symbol_emit_candidate (SymbolParser *parser, SymbolNode *node, const SymbolCandidate *candidate,
                       const char *name, SymbolArguments *arguments, gboolean is_exact)
{
    SymbolNode call = symbol_parser_new_node (0);
    if (candidate->is_method) {
        g_clear_pointer (&call.code, g_byte_array_unref);
        for (guint i = 0; candidate->path && i < candidate->path->len; i++)
            symbol_emit_member (node, &g_array_index (candidate->path, SymbolMember, i));
        emit_method (parser, node, &candidate->die, name, arguments, is_exact);
        return;
    }
    check_arguments (parser, name, arguments, &candidate->die);
    emit_function (parser, &call, &candidate->die, name);
    if (!parser->error)
        emit_call (parser, &call, symbol_type_build_of (parser->binding, &candidate->die),
                   arguments, 0, FALSE);
    g_clear_pointer (&node->code, g_byte_array_unref);
    *node = call;
}

gboolean
symbol_parse_method_call (SymbolParser *parser, SymbolNode *node, const char *name)
{
    const char *before = parser->at, *last;
    g_autoptr (GArray) candidates = symbol_candidates_new ();
    SymbolArguments arguments;
    const SymbolCandidate *best = NULL;
    const SymbolType *type = symbol_node_strip (parser, node);
    gsize length;
    if ((type->kind != EVALUATE_TYPE_STRUCT && type->kind != EVALUATE_TYPE_UNION)
        || !symbol_parser_take (parser, "("))
        return FALSE;
    symbol_parse_arguments (parser, &arguments);
    last = index_find_last_component (name, &length);
    g_autofree char *scope = last > name + 2 ? g_strndup (name, (gsize) (last - name - 2))
                                             : NULL;
    if (!parser->error) {
        symbol_candidates_add_methods (parser, candidates, node, scope, last, arguments.nodes,
                                       arguments.n);
        best = candidates->len ? choose (parser, candidates, name) : NULL;
    }
    if (best)
        symbol_emit_candidate (parser, node, best, name, &arguments, scope != NULL);
    else if (!parser->error)
        parser->at = before;
    symbol_arguments_clear (&arguments);
    return best || parser->error;
}
