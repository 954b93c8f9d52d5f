/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the common type of two numbers, including C's complex and decimal ones. */

#include "base/error.h"
#include "symbol/parser-private.h"

gboolean
symbol_is_comparison (guint operator_id)
{
    return operator_id >= EVALUATE_OPERATOR_EQUAL
           && operator_id <= EVALUATE_OPERATOR_GREATER_EQUAL;
}

gboolean
symbol_is_decimal (const SymbolType *type)
{
    return (type->flags & EVALUATE_TYPE_DECIMAL) != 0;
}

/* Bytes of one part of a complex number that the type fits into. */
static guint64
find_half (const SymbolType *type)
{
    if (type->flags & EVALUATE_TYPE_WHOLE)
        return 4;
    return type->kind == EVALUATE_TYPE_COMPLEX ? type->size / 2
           : type->kind == EVALUATE_TYPE_FLOAT ? type->size
                                               : 4;
}

/* Fortran's kind is the number of bytes, but for x87's, of which ten count. */
static guint32
get_real (SymbolParser *parser, EvaluateTypeKind kind, guint64 size, gboolean is_quad)
{
    gboolean is_complex = kind == EVALUATE_TYPE_COMPLEX,
             is_fortran = symbol_parser_is_fortran (parser);
    const char *word = is_quad     ? "_Float128"
                       : size == 4 ? "float"
                       : size == 8 ? "double"
                                   : "long double";
    g_autofree char *name = is_fortran
                                ? g_strdup_printf ("%s(kind=%u)",
                                                   is_complex ? "complex" : "real",
                                                   size == 16 && !is_quad ? 10 : (guint) size)
                                : g_strconcat (is_complex ? "complex " : "", word, NULL);
    guint32 type = symbol_type_get_basic (parser->binding, kind, is_complex ? 2 * size : size,
                                          name);
    symbol_type_get (parser->binding, type)->flags
        |= (is_quad ? EVALUATE_TYPE_QUAD : 0) | (is_fortran ? EVALUATE_TYPE_FORTRAN : 0);
    return type;
}

guint32
symbol_parser_get_real (SymbolParser *parser, guint64 size, gboolean is_quad)
{
    return get_real (parser, EVALUATE_TYPE_FLOAT, size, is_quad);
}

guint32
symbol_parser_get_complex (SymbolParser *parser, guint64 half, gboolean is_quad)
{
    return get_real (parser, EVALUATE_TYPE_COMPLEX, half, is_quad);
}

guint32
symbol_parser_get_whole_complex (SymbolParser *parser, guint64 half, gboolean with_sign)
{
    const char *word = half == 1 ? "char" : half == 2 ? "short" : half == 4 ? "int" : "long";
    g_autofree char *name = g_strdup_printf ("_Complex %s%s", with_sign ? "" : "unsigned ",
                                             word);
    guint32 type = symbol_type_get_basic (parser->binding, EVALUATE_TYPE_COMPLEX, 2 * half,
                                          name);
    symbol_type_get (parser->binding, type)->flags
        |= EVALUATE_TYPE_WHOLE | (with_sign ? 0 : EVALUATE_TYPE_WHOLE_UNSIGNED);
    return type;
}

guint32
symbol_parser_get_part (SymbolParser *parser, const SymbolType *complex)
{
    SymbolBinding *binding = parser->binding;
    guint64 half = complex->size / 2;
    gboolean is_signed = !(complex->flags & EVALUATE_TYPE_WHOLE_UNSIGNED);
    const char *whole = half == 2   ? (is_signed ? "short" : "unsigned short")
                        : half == 1 ? (is_signed ? "signed char" : "unsigned char")
                        : half == 4 ? (is_signed ? "int" : "unsigned int")
                                    : (is_signed ? "long" : "unsigned long");
    if (complex->flags & EVALUATE_TYPE_WHOLE)
        return symbol_type_get_basic (binding,
                                      is_signed ? EVALUATE_TYPE_SIGNED : EVALUATE_TYPE_UNSIGNED,
                                      half, whole);
    return symbol_parser_get_real (parser, half, (complex->flags & EVALUATE_TYPE_QUAD) != 0);
}

guint32
symbol_parser_get_decimal (SymbolParser *parser, guint64 size)
{
    g_autofree char *name = g_strdup_printf ("_Decimal%u", (guint) (8 * size));
    guint32 type = symbol_type_get_basic (parser->binding, EVALUATE_TYPE_STRUCT, size, name);
    symbol_type_get (parser->binding, type)->flags |= EVALUATE_TYPE_DECIMAL;
    return type;
}

/* An integer, or a complex number of two. */
static gboolean
is_whole (const SymbolType *type)
{
    return symbol_is_integer (type)
           || (type->kind == EVALUATE_TYPE_COMPLEX && (type->flags & EVALUATE_TYPE_WHOLE));
}

/* One of them is complex. */
static guint32
find_common_complex (SymbolParser *parser, const SymbolType *x, const SymbolType *y)
{
    guint64 a = x->kind == EVALUATE_TYPE_COMPLEX ? x->size / 2 : x->size;
    guint64 b = y->kind == EVALUATE_TYPE_COMPLEX ? y->size / 2 : y->size;
    guint64 size = MAX (MAX (a, b), 4);
    gboolean without_sign
        = ((x->kind == EVALUATE_TYPE_UNSIGNED || x->flags & EVALUATE_TYPE_WHOLE_UNSIGNED)
           && a == size)
          || ((y->kind == EVALUATE_TYPE_UNSIGNED || y->flags & EVALUATE_TYPE_WHOLE_UNSIGNED)
              && b == size);
    if (is_whole (x) && is_whole (y) && !symbol_parser_is_fortran (parser))
        return symbol_parser_get_whole_complex (parser, MIN (size, 8), !without_sign);
    return symbol_parser_get_complex (parser, MAX (find_half (x), find_half (y)),
                                      ((x->flags | y->flags) & EVALUATE_TYPE_QUAD) != 0);
}

/* In C an enumeration without negative numbers is an unsigned int to the compilers, which its promotion keeps; C++ takes int
 * where that holds all of them. */
gboolean
symbol_is_unsigned (const SymbolParser *parser, const SymbolType *type)
{
    return type->kind == EVALUATE_TYPE_UNSIGNED
           || (type->kind == EVALUATE_TYPE_ENUM && type->flags & EVALUATE_TYPE_UNSIGNED_ENUM
               && !symbol_parser_is_cxx (parser) && !symbol_parser_is_fortran (parser));
}

/* C11 6.3.1.8 */
guint32
symbol_find_common (SymbolParser *parser, const SymbolNode *a, const SymbolNode *b)
{
    SymbolBinding *binding = parser->binding;
    guint32 left = symbol_type_strip_number (binding, a->type);
    guint32 right = symbol_type_strip_number (binding, b->type);
    const SymbolType *x = symbol_type_get (binding, left),
                     *y = symbol_type_get (binding, right);
    if (x->kind == EVALUATE_TYPE_COMPLEX || y->kind == EVALUATE_TYPE_COMPLEX)
        return find_common_complex (parser, x, y);
    if (x->kind == EVALUATE_TYPE_FLOAT || y->kind == EVALUATE_TYPE_FLOAT) {
        if (y->kind != EVALUATE_TYPE_FLOAT)
            return left;
        return x->kind != EVALUATE_TYPE_FLOAT || y->size > x->size
                       || (y->size == 16 && x->size == 16 && (y->flags & EVALUATE_TYPE_QUAD))
                   ? right
                   : left;
    }
    guint64 size = MAX (MAX (x->size, y->size), 4);
    gboolean without_sign = (symbol_is_unsigned (parser, x) && x->size == size)
                            || (symbol_is_unsigned (parser, y) && y->size == size);
    if (size > 4)
        return symbol_parser_get_long (parser, !without_sign);
    return without_sign
               ? symbol_type_get_basic (binding, EVALUATE_TYPE_UNSIGNED, 4, "unsigned int")
               : symbol_parser_get_int (parser);
}

static void
put_operation (SymbolNode *left, SymbolNode *right, guint32 type, guint operator_id)
{
    symbol_parser_append_code (left, right);
    left->type = type;
    left->is_constant = FALSE;
    symbol_code_put_binary (left->code, type, operator_id);
}

gboolean
symbol_emit_complex (SymbolParser *parser, SymbolNode *left, SymbolNode *right,
                     guint operator_id)
{
    const SymbolType *a = symbol_node_strip (parser, left),
                     *b = symbol_node_strip (parser, right);
    gboolean equality = operator_id == EVALUATE_OPERATOR_EQUAL
                        || operator_id == EVALUATE_OPERATOR_UNEQUAL;
    gboolean known = equality || operator_id == EVALUATE_OPERATOR_ADD
                     || operator_id == EVALUATE_OPERATOR_SUBTRACT
                     || operator_id == EVALUATE_OPERATOR_MULTIPLY
                     || operator_id == EVALUATE_OPERATOR_DIVIDE
                     || operator_id == EVALUATE_OPERATOR_POWER;
    if (!known || (a->kind != EVALUATE_TYPE_COMPLEX && !symbol_is_arithmetic (a))
        || (b->kind != EVALUATE_TYPE_COMPLEX && !symbol_is_arithmetic (b)))
        return FALSE;
    guint32 type = equality ? symbol_parser_get_truth (parser)
                            : symbol_find_common (parser, left, right);
    put_operation (left, right, type, operator_id);
    return TRUE;
}

gboolean
symbol_emit_decimal (SymbolParser *parser, SymbolNode *left, SymbolNode *right,
                     guint operator_id)
{
    const SymbolType *a = symbol_node_strip (parser, left),
                     *b = symbol_node_strip (parser, right);
    gboolean known = symbol_is_comparison (operator_id)
                     || (operator_id >= EVALUATE_OPERATOR_ADD
                         && operator_id <= EVALUATE_OPERATOR_DIVIDE);
    if (!symbol_is_decimal (a) && !symbol_is_decimal (b))
        return FALSE;
    if (!known || !(symbol_is_decimal (a) || symbol_is_integer (a))
        || !(symbol_is_decimal (b) || symbol_is_integer (b))) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot compute with values of types %s and %s", a->name, b->name);
        return TRUE;
    }
    gboolean is_left = symbol_is_decimal (a) && (!symbol_is_decimal (b) || a->size >= b->size);
    guint32 type = symbol_is_comparison (operator_id)
                       ? symbol_parser_get_truth (parser)
                       : symbol_type_strip_number (parser->binding,
                                                   is_left ? left->type : right->type);
    put_operation (left, right, type, operator_id);
    return TRUE;
}
