/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fortran's intrinsic functions (Fortran 2018, chapter 16) that inquire about values: bounds
 * and kinds, allocation, rounding and remainders, complex numbers. */
#include <glib/gi18n.h>
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"

#define MAX_ARGUMENTS 3

typedef struct {
    SymbolParser *parser;
    const char *name;
    guint operator_id; /* EvaluateShape or EvaluateOperator, as the function needs it */
    SymbolNode arguments[MAX_ARGUMENTS];
    guint n;
} Call;

static guint32
get_integer (SymbolParser *parser, guint64 size)
{
    g_autofree char *name = g_strdup_printf ("integer(kind=%u)", (guint) size);
    guint32 type = symbol_type_get_basic (parser->binding, EVALUATE_TYPE_SIGNED, size, name);
    symbol_type_get (parser->binding, type)->flags |= EVALUATE_TYPE_FORTRAN;
    return type;
}

/* The real numbers of which the complex one has two. */
static guint32
get_part (SymbolParser *parser, const SymbolType *complex)
{
    return symbol_parser_get_real (parser, complex->size / 2,
                                   (complex->flags & EVALUATE_TYPE_QUAD) != 0);
}

static SymbolType *
get_type (Call *call, guint at)
{
    return symbol_node_strip (call->parser, &call->arguments[at]);
}

static void
fail_type (Call *call, guint at)
{
    symbol_parser_fail (call->parser, BASE_ERROR_INVALID,
                        "cannot take %s of a value of type %s", call->name,
                        get_type (call, at)->name);
}

/* An argument that must be known here: a dimension or a kind. otherwise: it is not there. */
static gint64
find_constant (Call *call, guint at, gint64 otherwise)
{
    if (at >= call->n)
        return otherwise;
    if (!call->arguments[at].is_constant || call->arguments[at].constant < 1
        || call->arguments[at].constant > 16)
        symbol_parser_fail (call->parser, BASE_ERROR_INVALID,
                            "cannot take %s: argument %u must be a number from 1 to 16",
                            call->name, at + 1);
    return call->arguments[at].constant;
}

/* The first argument becomes the result. */
static void
put_unary (Call *call, guint operator_id, guint32 type)
{
    SymbolNode *node = &call->arguments[0];
    node->type = type;
    node->is_constant = FALSE;
    symbol_code_put_op (node->code, EVALUATE_OP_UNARY, type);
    base_bytes_put_uleb (node->code, operator_id);
}

static void
put_binary (Call *call, guint operator_id, guint32 type)
{
    SymbolNode *node = &call->arguments[0];
    symbol_parser_append_code (node, &call->arguments[1]);
    node->type = type;
    node->is_constant = FALSE;
    symbol_code_put_binary (node->code, type, operator_id);
}

static void
set_number (Call *call, gint64 number)
{
    SymbolNode fixed = symbol_parser_make_integer (call->parser, get_integer (call->parser, 4),
                                                   number);
    g_byte_array_unref (call->arguments[0].code);
    call->arguments[0] = fixed;
}

static guint
count_dimensions (SymbolParser *parser, guint32 type)
{
    guint n = 0;
    const SymbolType *array = symbol_type_strip (parser->binding, type);
    for (; array->kind == EVALUATE_TYPE_ARRAY && n < 16; n++) {
        SymbolNode inner = { symbol_type_strip_number (parser->binding, type), FALSE, 0, NULL };
        if (symbol_is_text (parser, &inner))
            break;
        type = array->target;
        array = symbol_type_strip (parser->binding, type);
    }
    return n;
}

/* Of a CLASS variable: what it is a descriptor of. */
static void
take_data (Call *call)
{
    const SymbolType *type = get_type (call, 0);
    if (type->kind == EVALUATE_TYPE_STRUCT && type->members && type->members->len
        && !g_strcmp0 (g_array_index (type->members, SymbolMember, 0).name, "_data"))
        symbol_emit_named (call->parser, &call->arguments[0], "_data");
}

/* size, lbound, ubound, shape */
static void
take_shape (Call *call)
{
    SymbolParser *parser = call->parser;
    SymbolNode *node = &call->arguments[0];
    take_data (call);
    gboolean is_ranked = (symbol_node_strip (parser, node)->flags & EVALUATE_TYPE_RANKED) != 0;
    guint n = is_ranked ? EVALUATE_MAX_RANK : count_dimensions (parser, node->type);
    gint64 dimension = find_constant (call, 1, 0);
    guint32 type = get_integer (parser, 8);
    if (!n || dimension > n) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            n == 1 ? N_ ("cannot take %s: the array has %u dimension")
                            : n    ? N_ ("cannot take %s: the array has %u dimensions")
                                   : N_ ("cannot take %s: the argument is not an array"),
                            call->name, n);
        return;
    }
    if (is_ranked && !dimension && call->operator_id != EVALUATE_SHAPE_SIZE) {
        symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                            "cannot take %s of an array of assumed rank: give the dimension",
                            call->name);
        return;
    }
    if (!dimension && call->operator_id != EVALUATE_SHAPE_SIZE) {
        type = symbol_type_get_array (parser->binding, type, n);
        symbol_type_get (parser->binding, type)->lower = 1;
        symbol_type_get (parser->binding, type)->flags |= EVALUATE_TYPE_FORTRAN;
    }
    node->type = type;
    symbol_code_put_op (node->code, EVALUATE_OP_SHAPE, type);
    base_bytes_put_uleb (node->code, call->operator_id);
    base_bytes_put_uleb (node->code, dimension);
}

static void
take_rank (Call *call)
{
    SymbolNode *node = &call->arguments[0];
    if (symbol_node_strip (call->parser, node)->flags & EVALUATE_TYPE_RANKED) {
        node->type = get_integer (call->parser, 4);
        symbol_code_put_op (node->code, EVALUATE_OP_SHAPE, node->type);
        base_bytes_put_uleb (node->code, EVALUATE_SHAPE_RANK);
        base_bytes_put_uleb (node->code, 0);
        return;
    }
    set_number (call, count_dimensions (call->parser, call->arguments[0].type));
}

static gint64
find_kind (const SymbolType *type)
{
    guint64 size = type->kind == EVALUATE_TYPE_COMPLEX ? type->size / 2 : type->size;
    gboolean is_real = type->kind == EVALUATE_TYPE_COMPLEX || type->kind == EVALUATE_TYPE_FLOAT;
    return is_real && size == 16 && !(type->flags & EVALUATE_TYPE_QUAD) ? 10 : (gint64) size;
}

static void
take_kind (Call *call)
{
    const SymbolType *type = get_type (call, 0);
    while (type->kind == EVALUATE_TYPE_ARRAY)
        type = symbol_type_strip (call->parser->binding, type->target);
    if (symbol_is_arithmetic (type) || type->kind == EVALUATE_TYPE_COMPLEX)
        set_number (call, find_kind (type));
    else
        fail_type (call, 0);
}

static void
take_length (Call *call)
{
    SymbolNode *node = &call->arguments[0];
    if (!symbol_is_text (call->parser, node)) {
        fail_type (call, 0);
        return;
    }
    node->type = get_integer (call->parser, 8);
    symbol_code_put_op (node->code, EVALUATE_OP_SHAPE, node->type);
    base_bytes_put_uleb (node->code, EVALUATE_SHAPE_LENGTH);
    base_bytes_put_uleb (node->code, 0);
}

static void
emit_address (Call *call, guint at)
{
    SymbolNode *node = &call->arguments[at];
    if (get_type (call, at)->kind != EVALUATE_TYPE_POINTER) {
        guint32 pointer = symbol_type_get_pointer (call->parser->binding, node->type);
        symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS, pointer);
        node->type = pointer;
        node->is_constant = FALSE;
    }
    symbol_emit_cast (node, get_integer (call->parser, 8));
}

/* allocated, and associated without a target or with one */
static void
take_existence (Call *call)
{
    SymbolNode *node = &call->arguments[0];
    take_data (call);
    const SymbolType *type = get_type (call, 0);
    guint32 truth = symbol_parser_get_truth (call->parser);
    if (type->kind != EVALUATE_TYPE_ARRAY && type->kind != EVALUATE_TYPE_POINTER) {
        fail_type (call, 0);
    } else if (call->n == 2) {
        emit_address (call, 0);
        emit_address (call, 1);
        put_binary (call, EVALUATE_OPERATOR_EQUAL, truth);
    } else if (type->kind == EVALUATE_TYPE_POINTER) {
        symbol_emit_truth (call->parser, node);
    } else {
        node->type = truth;
        symbol_code_put_op (node->code, EVALUATE_OP_SHAPE, truth);
        base_bytes_put_uleb (node->code, EVALUATE_SHAPE_EXISTS);
        base_bytes_put_uleb (node->code, 0);
    }
}

/* By value, with a hidden argument of which the name is like the dummy's: ".x", or "_x" before GCC 13. */
static gboolean
emit_hidden_presence (Call *call, const SymbolDie *dummy)
{
    static const char *const marks[] = { ".", "_" };
    SymbolBinding *binding = call->parser->binding;
    const char *name = symbol_die_get_name (binding->dwarf, dummy);
    SymbolNode *node = &call->arguments[0];
    for (guint i = 0; name && i < G_N_ELEMENTS (marks); i++) {
        g_autofree char *hidden = g_strconcat (marks[i], name, NULL);
        SymbolDie die;
        if (!symbol_scope_find_local (binding, hidden, &die)
            || die.tag != DW_TAG_formal_parameter
            || !symbol_die_get_number (binding->dwarf, &die, DW_AT_artificial, 0))
            continue;
        g_byte_array_set_size (node->code, 0);
        node->type = symbol_scope_emit (binding, &die, node->code);
        symbol_emit_truth (call->parser, node);
        return TRUE;
    }
    return FALSE;
}

static void
take_presence (Call *call)
{
    SymbolParser *parser = call->parser;
    SymbolBinding *binding = parser->binding;
    SymbolNode *node = &call->arguments[0];
    SymbolDie dummy = binding->holder;
    const guint8 *block;
    gsize size;
    if (node->is_constant || dummy.tag != DW_TAG_formal_parameter) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot take present: the argument is no dummy argument");
        return;
    }
    gboolean is_known = symbol_die_find_location (binding->dwarf, &dummy, DW_AT_location,
                                                  binding->pc, binding->at_entry, &block,
                                                  &size);
    gboolean is_direct = is_known && size && block[size - 1] != DW_OP_deref;
    const SymbolType *type = get_type (call, 0);
    if (is_direct && emit_hidden_presence (call, &dummy))
        return;
    if (is_direct && type->kind == EVALUATE_TYPE_POINTER
        && type->flags & EVALUATE_TYPE_TO_FUNCTION) {
        symbol_emit_truth (parser, node);
        return;
    }
    node->type = symbol_parser_get_truth (parser);
    symbol_code_put_op (node->code, EVALUATE_OP_SHAPE, node->type);
    base_bytes_put_uleb (node->code, EVALUATE_SHAPE_PRESENT);
    base_bytes_put_uleb (node->code, 0);
}

static void
take_place (Call *call)
{
    if (call->arguments[0].is_constant)
        fail_type (call, 0);
    else
        emit_address (call, 0);
}

/* mod, modulo, and the functions of bits: of numbers of the same kind */
static void
take_remainder (Call *call)
{
    gboolean bits = call->operator_id == EVALUATE_OPERATOR_AND
                    || call->operator_id == EVALUATE_OPERATOR_OR
                    || call->operator_id == EVALUATE_OPERATOR_XOR;
    for (guint i = 0; i < 2; i++)
        if (bits ? !symbol_is_integer (get_type (call, i))
                 : !symbol_is_arithmetic (get_type (call, i))) {
            fail_type (call, i);
            return;
        }
    symbol_emit_binary (call->parser, &call->arguments[0], &call->arguments[1],
                        call->operator_id);
}

static void
take_absolute (Call *call)
{
    const SymbolType *type = get_type (call, 0);
    if (type->kind == EVALUATE_TYPE_COMPLEX)
        put_unary (call, EVALUATE_OPERATOR_ABSOLUTE, get_part (call->parser, type));
    else if (symbol_is_arithmetic (type))
        put_unary (call, EVALUATE_OPERATOR_ABSOLUTE, call->arguments[0].type);
    else
        fail_type (call, 0);
}

/* ceiling, floor, int: to an integer of a kind */
static void
take_whole (Call *call)
{
    const SymbolType *type = get_type (call, 0);
    guint32 result = get_integer (call->parser, (guint64) find_constant (call, 1, 4));
    if (type->kind == EVALUATE_TYPE_FLOAT && call->operator_id)
        put_unary (call, call->operator_id, call->arguments[0].type);
    else if (!symbol_is_arithmetic (type)
             && !(type->kind == EVALUATE_TYPE_COMPLEX && !call->operator_id))
        fail_type (call, 0);
    symbol_emit_cast (&call->arguments[0], result);
}

static gboolean
is_real_kind (Call *call, gint64 kind)
{
    gboolean is_known = kind == 4 || kind == 8 || kind == 10 || kind == 16;
    if (!is_known)
        symbol_parser_fail (call->parser, BASE_ERROR_INVALID, "cannot take %s: no such kind",
                            call->name);
    return is_known;
}

/* real and dble (operator: the kind, 0: of a complex number its own, else 4) */
static void
take_real (Call *call)
{
    const SymbolType *type = get_type (call, 0);
    gboolean complex = type->kind == EVALUATE_TYPE_COMPLEX;
    gint64 kind = find_constant (call, 1,
                                 call->operator_id ? call->operator_id
                                 : complex         ? find_kind (type)
                                                   : 4);
    if (!complex && !symbol_is_arithmetic (type))
        fail_type (call, 0);
    else if (is_real_kind (call, kind))
        put_unary (call, EVALUATE_OPERATOR_REAL_PART,
                   symbol_parser_get_real (call->parser, kind == 10 ? 16 : (guint64) kind,
                                           kind == 16));
}

/* aimag, conjg */
static void
take_part (Call *call)
{
    const SymbolType *type = get_type (call, 0);
    if (type->kind != EVALUATE_TYPE_COMPLEX)
        fail_type (call, 0);
    else
        put_unary (call, call->operator_id,
                   call->operator_id == EVALUATE_OPERATOR_CONJUGATE
                       ? call->arguments[0].type
                       : get_part (call->parser, type));
}

static void
take_complex (Call *call)
{
    gint64 half = find_constant (call, 2, 4);
    for (guint i = 0; i < MIN (call->n, 2); i++)
        if (!symbol_is_arithmetic (get_type (call, i))
            && get_type (call, i)->kind != EVALUATE_TYPE_COMPLEX) {
            fail_type (call, i);
            return;
        }
    if (!is_real_kind (call, half))
        return;
    guint32 type = symbol_parser_get_complex (call->parser, half == 10 ? 16 : (guint64) half,
                                              half == 16);
    if (call->n == 1)
        symbol_emit_cast (&call->arguments[0], type);
    else
        put_binary (call, EVALUATE_OPERATOR_COMPLEX, type);
}

static const struct {
    const char *name;
    guint least, most;
    void (*take) (Call *call);
    guint operator_id;
} intrinsics[] = {
    { "size", 1, 2, take_shape, EVALUATE_SHAPE_SIZE },
    { "lbound", 1, 2, take_shape, EVALUATE_SHAPE_LOWER },
    { "ubound", 1, 2, take_shape, EVALUATE_SHAPE_UPPER },
    { "shape", 1, 1, take_shape, EVALUATE_SHAPE_EXTENT },
    { "rank", 1, 1, take_rank, 0 },
    { "kind", 1, 1, take_kind, 0 },
    { "len", 1, 1, take_length, 0 },
    { "allocated", 1, 1, take_existence, 0 },
    { "associated", 1, 2, take_existence, 0 },
    { "present", 1, 1, take_presence, 0 },
    { "loc", 1, 1, take_place, 0 },
    { "mod", 2, 2, take_remainder, EVALUATE_OPERATOR_MODULO },
    { "modulo", 2, 2, take_remainder, EVALUATE_OPERATOR_FLOOR_MODULO },
    { "iand", 2, 2, take_remainder, EVALUATE_OPERATOR_AND },
    { "ior", 2, 2, take_remainder, EVALUATE_OPERATOR_OR },
    { "ieor", 2, 2, take_remainder, EVALUATE_OPERATOR_XOR },
    { "abs", 1, 1, take_absolute, 0 },
    { "ceiling", 1, 2, take_whole, EVALUATE_OPERATOR_CEILING },
    { "floor", 1, 2, take_whole, EVALUATE_OPERATOR_FLOOR },
    { "int", 1, 2, take_whole, 0 },
    { "real", 1, 2, take_real, 0 },
    { "dble", 1, 1, take_real, 8 },
    { "aimag", 1, 1, take_part, EVALUATE_OPERATOR_IMAGINARY_PART },
    { "conjg", 1, 1, take_part, EVALUATE_OPERATOR_CONJUGATE },
    { "cmplx", 1, 3, take_complex, 0 },
};

/* "dim=" and "kind=" before a value say only what its place says here. */
static void
skip_keyword (SymbolParser *parser)
{
    const char *before = parser->at;
    g_autofree char *word = symbol_parser_take_name (parser);
    if (!word || !symbol_parser_take (parser, "=") || *parser->at == '=')
        parser->at = before;
}

static void
parse_arguments (Call *call)
{
    SymbolParser *parser = call->parser;
    gboolean was_cast = parser->is_cast;
    parser->is_cast = FALSE;
    symbol_parser_expect (parser, "(");
    do {
        skip_keyword (parser);
        call->arguments[call->n++] = symbol_parse_conditional (parser);
    } while (!parser->error && call->n < MAX_ARGUMENTS && symbol_parser_take (parser, ","));
    symbol_parser_expect (parser, ")");
    parser->is_cast = was_cast;
}

gboolean
symbol_parse_intrinsic (SymbolParser *parser, SymbolNode *node, const char *name)
{
    Call call = { .parser = parser, .name = name };
    guint at = 0;
    while (at < G_N_ELEMENTS (intrinsics) && strcmp (intrinsics[at].name, name) != 0)
        at++;
    if (at == G_N_ELEMENTS (intrinsics) || !symbol_parser_is_next (parser, '('))
        return FALSE;
    parse_arguments (&call);
    if (!parser->error && (call.n < intrinsics[at].least || call.n > intrinsics[at].most))
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            call.n == 1 ? N_ ("%s does not take %u argument")
                                        : N_ ("%s does not take %u arguments"),
                            name, call.n);
    gboolean whole = intrinsics[at].take == take_existence || intrinsics[at].take == take_place
                     || intrinsics[at].take == take_presence;
    for (guint i = 0; i < call.n && !parser->error && !whole; i++)
        symbol_emit_fortran_pointee (parser, &call.arguments[i]);
    call.operator_id = intrinsics[at].operator_id;
    if (!parser->error)
        intrinsics[at].take (&call);
    g_byte_array_unref (node->code);
    *node = call.arguments[0];
    for (guint i = 1; i < call.n; i++)
        g_clear_pointer (&call.arguments[i].code, g_byte_array_unref);
    return TRUE;
}
