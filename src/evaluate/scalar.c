/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scalars: reading and writing their bytes, and C's arithmetic. */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "evaluate/program-private.h"

static gint64
extend (guint64 value, guint bits)
{
    guint shift = 64 - bits;
    return bits && bits < 64 ? (gint64) (value << shift) >> shift : (gint64) value;
}

static gboolean
is_signed (const EvaluateType *type)
{
    return type->kind == EVALUATE_TYPE_SIGNED || type->kind == EVALUATE_TYPE_CHAR
           || (type->kind == EVALUATE_TYPE_ENUM
               && !(type->flags & EVALUATE_TYPE_UNSIGNED_ENUM));
}

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;
#else
typedef long double Quad; /* where that has 128 bits */
#endif
G_STATIC_ASSERT (sizeof (Quad) == 16);

/* Two bytes: IEEE's binary16, or bfloat16, which has the exponent of binary32. */
static guint
get_fraction_bits (gboolean is_brain)
{
    return is_brain ? 7 : 10;
}

static long double
read_half (const guint8 *bytes, gboolean is_brain)
{
    guint bits = bytes[0] | (guint) bytes[1] << 8, n = get_fraction_bits (is_brain);
    int top = (1 << (15 - n)) - 1, exponent = (int) (bits >> n) & top;
    guint fraction = bits & ((1u << n) - 1);
    long double real = exponent == top ? (fraction ? (long double) NAN : (long double) INFINITY)
                       : exponent ? ldexpl ((1u << n) + fraction, exponent - top / 2 - (int) n)
                                  : ldexpl (fraction, 1 - top / 2 - (int) n);
    return bits & 0x8000 ? -real : real;
}

/* To the nearest, of two as near to the even one. */
static void
store_half (long double real, gboolean is_brain, guint8 *ret_bytes)
{
    guint n = get_fraction_bits (is_brain), top = (1u << (15 - n)) - 1, bits = top << n;
    int least = 1 - (int) (top / 2);
    if (isnan (real)) {
        bits |= 1u << (n - 1);
    } else if (!isinf (real)) {
        int exponent = real != 0 ? MAX (ilogbl (real), least) : least;
        long double fraction = rintl (ldexpl (fabsl (real), (int) n - exponent));
        bits = MIN (bits, ((guint) (exponent - least) << n) + (guint) fraction);
    }
    bits |= signbit (real) ? 0x8000 : 0;
    ret_bytes[0] = (guint8) bits;
    ret_bytes[1] = (guint8) (bits >> 8);
}

long double
evaluate_real_read (const guint8 *bytes, guint64 size, gboolean is_quad)
{
    Quad quad;
    float single;
    double twice;
    long double extended = 0;
    switch (size) {
    case 2: return read_half (bytes, is_quad);
    case 4: memcpy (&single, bytes, 4); return single;
    case 8: memcpy (&twice, bytes, 8); return twice;
    default:
        if (is_quad) {
            memcpy (&quad, bytes, sizeof quad);
            return (long double) quad;
        }
        memcpy (&extended, bytes, 10);
        return extended;
    }
}

void
evaluate_real_store (long double real, guint64 size, gboolean is_quad, guint8 *ret_bytes)
{
    float single = (float) real;
    double twice = (double) real;
    Quad quad = real;
    if (size == 2)
        store_half (real, is_quad, ret_bytes);
    else if (size == 16 && is_quad)
        memcpy (ret_bytes, &quad, sizeof quad);
    else
        memcpy (ret_bytes,
                size == 4   ? (void *) &single
                : size == 8 ? (void *) &twice
                            : (void *) &real,
                MIN (size, 10));
}

static guint64
take_bits (const guint8 *bytes, gsize size, guint first, guint n)
{
    guint64 result = 0;
    for (guint i = 0; i < n; i++) {
        guint at = first + i;
        if (at / 8 < size && (bytes[at / 8] >> (at % 8)) & 1)
            result |= (guint64) 1 << i;
    }
    return result;
}

/* Most numbers stand in memory, and nobody needs their bytes. FALSE: not this one, or it cannot be read. */
static gboolean
read_at_once (EvaluateRun *run, const EvaluateValue *value, gsize size, guint64 *ret_number)
{
    return size <= sizeof *ret_number && !value->bytes && !value->gaps && !value->problem
           && value->place == EVALUATE_PLACE_MEMORY
           && base_memory_read_some (run->context->memory, value->address, ret_number, size)
                  == size;
}

EvaluateScalar
evaluate_scalar_from_bits (const EvaluateType *type, guint64 bits)
{
    gboolean with_sign = is_signed (type);
    return (EvaluateScalar){ with_sign ? EVALUATE_SCALAR_SIGNED : EVALUATE_SCALAR_UNSIGNED,
                             with_sign ? (guint64) extend (bits, type->size * 8) : bits, 0 };
}

gboolean
evaluate_value_read_scalar (EvaluateRun *run, EvaluateValue *value, EvaluateScalar *ret_scalar)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    guint64 size = type->size, number = 0;
    *ret_scalar = (EvaluateScalar){ EVALUATE_SCALAR_UNSIGNED, 0, 0 };
    if (type->kind == EVALUATE_TYPE_ARRAY || type->kind == EVALUATE_TYPE_FUNCTION) {
        evaluate_run_resolve (run, value);
        ret_scalar->integer = value->address;
        if (!value->problem && value->place != EVALUATE_PLACE_MEMORY)
            evaluate_value_set_problem (value, g_strdup (N_ ("<not in memory>")));
        return !value->problem && value->place == EVALUATE_PLACE_MEMORY;
    }
    if (type->kind < EVALUATE_TYPE_BOOL || type->kind > EVALUATE_TYPE_REFERENCE
        || type->kind == EVALUATE_TYPE_COMPLEX || !size || size > 16)
        return FALSE;
    if (value->bit_size) {
        gsize bytes = (value->bit_offset + value->bit_size + 7) / 8;
        if (!evaluate_value_fetch (run, value, bytes))
            return FALSE;
        number = take_bits (value->bytes->data, value->bytes->len, value->bit_offset,
                            value->bit_size);
        size = 8;
    } else if (type->kind == EVALUATE_TYPE_FLOAT || !read_at_once (run, value, size, &number)) {
        if (!evaluate_value_fetch (run, value, size))
            return FALSE;
        memcpy (&number, value->bytes->data, MIN (size, 8));
    }
    if (type->kind == EVALUATE_TYPE_FLOAT) {
        ret_scalar->kind = EVALUATE_SCALAR_FLOAT;
        ret_scalar->real = evaluate_real_read (value->bytes->data, size,
                                               (type->flags & EVALUATE_TYPE_QUAD) != 0);
        return size == 2 || size == 4 || size == 8 || size == 16;
    }
    if (size == 16 && !(type->flags & EVALUATE_TYPE_TO_METHOD)) {
        guint64 high;
        memcpy (&high, value->bytes->data + 8, 8);
        gboolean minus = is_signed (type) && (gint64) number < 0;
        if (high != (minus ? G_MAXUINT64 : 0)) {
            evaluate_value_set_problem (value, g_strdup (N_ ("<too large to compute with>")));
            return FALSE;
        }
    }
    if (is_signed (type)) {
        ret_scalar->kind = EVALUATE_SCALAR_SIGNED;
        number = extend (number, value->bit_size ? value->bit_size : MIN (size, 8) * 8);
    }
    ret_scalar->integer = number;
    return TRUE;
}

void
evaluate_scalar_convert (EvaluateScalar *scalar, gboolean to_float)
{
    if (to_float && scalar->kind != EVALUATE_SCALAR_FLOAT)
        scalar->real = scalar->kind == EVALUATE_SCALAR_SIGNED
                           ? (long double) (gint64) scalar->integer
                           : (long double) scalar->integer;
    else if (!to_float && scalar->kind == EVALUATE_SCALAR_FLOAT)
        scalar->integer = isfinite (scalar->real) && fabsl (scalar->real) < 1.8e19L
                              ? (scalar->real < 0
                                     ? (guint64) (gint64) MAX (scalar->real, -9.2e18L)
                                     : (guint64) scalar->real)
                              : 0;
}

gboolean
evaluate_scalar_store (const EvaluateType *type, const EvaluateScalar *scalar,
                       guint8 *ret_bytes, gsize *ret_size)
{
    EvaluateScalar copy = *scalar;
    guint64 size = type->size;
    if (type->kind < EVALUATE_TYPE_BOOL || type->kind > EVALUATE_TYPE_REFERENCE
        || type->kind == EVALUATE_TYPE_COMPLEX || !size || size > 16)
        return FALSE;
    *ret_size = size;
    memset (ret_bytes, 0, 16);
    evaluate_scalar_convert (&copy, type->kind == EVALUATE_TYPE_FLOAT);
    if (type->kind == EVALUATE_TYPE_FLOAT) {
        evaluate_real_store (copy.real, size, (type->flags & EVALUATE_TYPE_QUAD) != 0,
                             ret_bytes);
        return size == 2 || size == 4 || size == 8 || size == 16;
    }
    if (type->kind == EVALUATE_TYPE_BOOL)
        copy.integer = scalar->kind == EVALUATE_SCALAR_FLOAT ? scalar->real != 0
                                                             : copy.integer != 0;
    if (size == 16 && scalar->kind == EVALUATE_SCALAR_SIGNED && (gint64) copy.integer < 0)
        memset (ret_bytes + 8, 0xff, 8);
    memcpy (ret_bytes, &copy.integer, MIN (size, 8));
    return TRUE;
}

gboolean
evaluate_scalar_round (guint operator_id, EvaluateScalar *scalar)
{
    gboolean real = scalar->kind == EVALUATE_SCALAR_FLOAT;
    switch (operator_id) {
    case EVALUATE_OPERATOR_ABSOLUTE:
        scalar->real = fabsl (scalar->real);
        if (scalar->kind == EVALUATE_SCALAR_SIGNED && (gint64) scalar->integer < 0)
            scalar->integer = -scalar->integer;
        return TRUE;
    case EVALUATE_OPERATOR_FLOOR:
    case EVALUATE_OPERATOR_CEILING:
        scalar->real = operator_id == EVALUATE_OPERATOR_FLOOR ? floorl (scalar->real)
                                                              : ceill (scalar->real);
        return real && fabsl (scalar->real) < 9.2e18L;
    case EVALUATE_OPERATOR_REAL_PART: return TRUE;
    default: return FALSE;
    }
}

gboolean
evaluate_scalar_compute_real (guint operator_id, long double a, long double b,
                              EvaluateScalar *result)
{
    result->kind = EVALUATE_SCALAR_FLOAT;
    switch (operator_id) {
    case EVALUATE_OPERATOR_ADD: result->real = a + b; return TRUE;
    case EVALUATE_OPERATOR_SUBTRACT: result->real = a - b; return TRUE;
    case EVALUATE_OPERATOR_MULTIPLY: result->real = a * b; return TRUE;
    case EVALUATE_OPERATOR_DIVIDE: result->real = a / b; return TRUE;
    case EVALUATE_OPERATOR_POWER: result->real = powl (a, b); return TRUE;
    case EVALUATE_OPERATOR_MODULO: result->real = fmodl (a, b); return b != 0;
    case EVALUATE_OPERATOR_FLOOR_MODULO: result->real = a - b * floorl (a / b); return b != 0;
    default: break;
    }
    result->kind = EVALUATE_SCALAR_SIGNED;
    switch (operator_id) {
    case EVALUATE_OPERATOR_EQUAL: result->integer = a == b; return TRUE;
    case EVALUATE_OPERATOR_UNEQUAL: result->integer = a != b; return TRUE;
    case EVALUATE_OPERATOR_LESS: result->integer = a < b; return TRUE;
    case EVALUATE_OPERATOR_LESS_EQUAL: result->integer = a <= b; return TRUE;
    case EVALUATE_OPERATOR_GREATER: result->integer = a > b; return TRUE;
    case EVALUATE_OPERATOR_GREATER_EQUAL: result->integer = a >= b; return TRUE;
    default: return FALSE;
    }
}

static gboolean
divide (guint operator_id, guint64 a, guint64 b, gboolean with_sign, guint64 *result)
{
    if (!b)
        return FALSE;
    gboolean modulo = operator_id == EVALUATE_OPERATOR_MODULO;
    if (!with_sign)
        *result = modulo ? a % b : a / b;
    else if ((gint64) b == -1)
        *result = modulo ? 0 : -a;
    else
        *result = modulo ? (guint64) ((gint64) a % (gint64) b)
                         : (guint64) ((gint64) a / (gint64) b);
    return TRUE;
}

gboolean
evaluate_scalar_compute (guint operator_id, guint64 a, guint64 b, gboolean with_sign,
                         EvaluateScalar *result)
{
    guint64 *r = &result->integer;
    gboolean less = with_sign ? (gint64) a < (gint64) b : a < b;
    result->kind = with_sign ? EVALUATE_SCALAR_SIGNED : EVALUATE_SCALAR_UNSIGNED;
    switch (operator_id) {
    case EVALUATE_OPERATOR_ADD: *r = a + b; return TRUE;
    case EVALUATE_OPERATOR_SUBTRACT: *r = a - b; return TRUE;
    case EVALUATE_OPERATOR_MULTIPLY: *r = a * b; return TRUE;
    case EVALUATE_OPERATOR_DIVIDE:
    case EVALUATE_OPERATOR_MODULO: return divide (operator_id, a, b, with_sign, r);
    case EVALUATE_OPERATOR_FLOOR_MODULO:
        if (!divide (EVALUATE_OPERATOR_MODULO, a, b, with_sign, r))
            return FALSE;
        *r += with_sign && *r && ((gint64) *r < 0) != ((gint64) b < 0) ? b : 0;
        return TRUE;
    case EVALUATE_OPERATOR_POWER:
        *r = 1;
        if (with_sign && (gint64) b < 0)
            *r = a == 1 ? 1 : a == G_MAXUINT64 ? (b % 2 ? a : 1) : 0;
        else
            for (guint64 base = a; b; b >>= 1, base *= base)
                *r *= b & 1 ? base : 1;
        return a != 0 || !with_sign || (gint64) b >= 0;
    case EVALUATE_OPERATOR_AND: *r = a & b; return TRUE;
    case EVALUATE_OPERATOR_OR: *r = a | b; return TRUE;
    case EVALUATE_OPERATOR_XOR: *r = a ^ b; return TRUE;
    case EVALUATE_OPERATOR_LEFT: *r = b < 64 ? a << b : 0; return TRUE;
    case EVALUATE_OPERATOR_RIGHT:
        *r = with_sign ? (guint64) ((gint64) a >> MIN (b, 63)) : b < 64 ? a >> b : 0;
        return TRUE;
    case EVALUATE_OPERATOR_EQUAL: *r = a == b; return TRUE;
    case EVALUATE_OPERATOR_UNEQUAL: *r = a != b; return TRUE;
    case EVALUATE_OPERATOR_LESS: *r = less; return TRUE;
    case EVALUATE_OPERATOR_LESS_EQUAL: *r = less || a == b; return TRUE;
    case EVALUATE_OPERATOR_GREATER: *r = !less && a != b; return TRUE;
    case EVALUATE_OPERATOR_GREATER_EQUAL: *r = !less; return TRUE;
    default: return FALSE;
    }
}

gboolean
evaluate_scalar_combine (guint operator_id, EvaluateScalar *left, EvaluateScalar *right,
                         EvaluateScalar *ret_result)
{
    gboolean real = left->kind == EVALUATE_SCALAR_FLOAT || right->kind == EVALUATE_SCALAR_FLOAT;
    gboolean shift = operator_id == EVALUATE_OPERATOR_LEFT
                     || operator_id == EVALUATE_OPERATOR_RIGHT;
    evaluate_scalar_convert (left, real);
    evaluate_scalar_convert (right, real);
    gboolean with_sign = left->kind == EVALUATE_SCALAR_SIGNED
                         && (shift || right->kind == EVALUATE_SCALAR_SIGNED);
    return real
               ? evaluate_scalar_compute_real (operator_id, left->real, right->real, ret_result)
               : evaluate_scalar_compute (operator_id, left->integer, right->integer, with_sign,
                                          ret_result);
}
