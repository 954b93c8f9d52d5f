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

/* Two bytes: IEEE's binary16, or bfloat16, which has the exponent of binary32. */
static guint
get_fraction_bits (gboolean is_brain)
{
    return is_brain ? 7 : 10;
}

static BaseReal
read_half (const guint8 *bytes, gboolean is_brain)
{
    guint bits = bytes[0] | (guint) bytes[1] << 8, n = get_fraction_bits (is_brain);
    int top = (1 << (15 - n)) - 1, exponent = (int) (bits >> n) & top;
    guint fraction = bits & ((1u << n) - 1);
    BaseReal real = exponent == top ? (fraction ? (BaseReal) NAN : (BaseReal) INFINITY)
                    : exponent ? ldexpl ((1u << n) + fraction, exponent - top / 2 - (int) n)
                               : ldexpl (fraction, 1 - top / 2 - (int) n);
    return bits & 0x8000 ? -real : real;
}

/* To the nearest, of two as near to the even one. */
static void
store_half (BaseReal real, gboolean is_brain, guint8 *ret_bytes)
{
    guint n = get_fraction_bits (is_brain), top = (1u << (15 - n)) - 1, bits = top << n;
    int least = 1 - (int) (top / 2);
    if (isnan (real)) {
        bits |= 1u << (n - 1);
    } else if (!isinf (real)) {
        int exponent = real != 0 ? MAX (BASE_REAL (ilogb) (real), least) : least;
        BaseReal fraction = BASE_REAL (rint) (BASE_REAL (ldexp) (BASE_REAL (fabs) (real),
                                                                 (int) n - exponent));
        bits = MIN (bits, ((guint) (exponent - least) << n) + (guint) fraction);
    }
    bits |= signbit (real) ? 0x8000 : 0;
    ret_bytes[0] = (guint8) bits;
    ret_bytes[1] = (guint8) (bits >> 8);
}

int
evaluate_real_count_digits (guint64 size, gboolean is_quad)
{
    switch (size) {
    case 2: return is_quad ? 8 : 11;
    case 4: return 24;
    case 8: return 53;
    case 16: return !is_quad ? LDBL_MANT_DIG : BASE_REAL_IS_QUAD ? 113 : 0;
    default: return 0;
    }
}

char *
evaluate_real_format (BaseReal real, guint64 size, gboolean is_quad)
{
    return size == 16 && is_quad ? base_real_format_quad (real)
                                 : base_real_format ((long double) real, size);
}

BaseReal
evaluate_real_read (const guint8 *bytes, guint64 size, gboolean is_quad)
{
    BaseReal quad;
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
            return quad;
        }
        memcpy (&extended, bytes, LDBL_MANT_DIG == 64 ? 10 : sizeof extended);
        return extended;
    }
}

void
evaluate_real_store (BaseReal real, guint64 size, gboolean is_quad, guint8 *ret_bytes)
{
    float single = (float) real;
    double twice = (double) real;
    long double extended = (long double) real;
    if (size == 2)
        store_half (real, is_quad, ret_bytes);
    else if (size == 16 && is_quad)
        memcpy (ret_bytes, &real, sizeof real);
    else
        memcpy (ret_bytes,
                size == 4   ? (void *) &single
                : size == 8 ? (void *) &twice
                            : (void *) &extended,
                MIN (size, LDBL_MANT_DIG == 64 ? 10 : 16));
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
                             with_sign ? (guint64) extend (bits, type->size * 8) : bits, 0, 0 };
}

/* FALSE: value has no bytes of such a number, or now a problem. */
static gboolean
read_real (const EvaluateType *type, EvaluateValue *value, EvaluateScalar *ret_scalar)
{
    gboolean is_quad = (type->flags & EVALUATE_TYPE_QUAD) != 0;

    ret_scalar->kind = EVALUATE_SCALAR_FLOAT;
    ret_scalar->digits = evaluate_real_count_digits (type->size, is_quad);
    if (ret_scalar->digits > 0)
        ret_scalar->real = evaluate_real_read (value->bytes->data, type->size, is_quad);
    else if (type->size == 16)
        evaluate_value_set_problem (
            value, g_strdup (N_ ("<this pddt cannot compute with numbers of 128 bits>")));
    return ret_scalar->digits > 0;
}

gboolean
evaluate_value_fetch (EvaluateRun *run, EvaluateValue *value, gsize size)
{
    return evaluate_value_fetch_bits (run, value, 0, (guint64) MIN (size, G_MAXUINT32) * 8);
}

gboolean
evaluate_value_read_scalar (EvaluateRun *run, EvaluateValue *value, EvaluateScalar *ret_scalar)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    guint64 size = type->size, number = 0;
    *ret_scalar = (EvaluateScalar){ EVALUATE_SCALAR_UNSIGNED, 0, 0, 0 };
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
        if (!evaluate_value_fetch_bits (run, value, value->bit_offset, value->bit_size))
            return FALSE;
        number = take_bits (value->bytes->data, value->bytes->len, value->bit_offset,
                            value->bit_size);
        size = 8;
    } else if (type->kind == EVALUATE_TYPE_FLOAT || !read_at_once (run, value, size, &number)) {
        if (!evaluate_value_fetch (run, value, size))
            return FALSE;
        memcpy (&number, value->bytes->data, MIN (size, 8));
    }
    if (type->kind == EVALUATE_TYPE_FLOAT)
        return read_real (type, value, ret_scalar);
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
                           ? (BaseReal) (gint64) scalar->integer
                           : (BaseReal) scalar->integer;
    else if (!to_float && scalar->kind == EVALUATE_SCALAR_FLOAT)
        scalar->integer = isfinite (scalar->real) && BASE_REAL (fabs) (scalar->real) < 1.8e19L
                              ? (scalar->real < 0 ? (guint64) (gint64) MAX (scalar->real,
                                                                            (BaseReal) -9.2e18L)
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
        return evaluate_real_count_digits (size, (type->flags & EVALUATE_TYPE_QUAD) != 0) > 0;
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
        scalar->real = BASE_REAL (fabs) (scalar->real);
        if (scalar->kind == EVALUATE_SCALAR_SIGNED && (gint64) scalar->integer < 0)
            scalar->integer = -scalar->integer;
        return TRUE;
    case EVALUATE_OPERATOR_FLOOR:
    case EVALUATE_OPERATOR_CEILING:
        scalar->real = operator_id == EVALUATE_OPERATOR_FLOOR ? BASE_REAL (floor) (scalar->real)
                                                              : BASE_REAL (ceil) (scalar->real);
        return real && BASE_REAL (fabs) (scalar->real) < 9.2e18L;
    case EVALUATE_OPERATOR_REAL_PART: return TRUE;
    default: return FALSE;
    }
}

/* Has the sign of b, as Fortran's modulo. */
static BaseReal
floor_modulo (BaseReal a, BaseReal b)
{
    BaseReal rest = BASE_REAL (fmod) (a, b);

    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Numbers of x87's are rounded once, by its own operations. FALSE: it is no such operation. */
static gboolean
compute_extended (guint operator_id, long double a, long double b, BaseReal *result)
{
    switch (operator_id) {
    case EVALUATE_OPERATOR_ADD: *result = a + b; return TRUE;
    case EVALUATE_OPERATOR_SUBTRACT: *result = a - b; return TRUE;
    case EVALUATE_OPERATOR_MULTIPLY: *result = a * b; return TRUE;
    case EVALUATE_OPERATOR_DIVIDE: *result = a / b; return TRUE;
    case EVALUATE_OPERATOR_POWER: *result = powl (a, b); return TRUE;
    default: return FALSE;
    }
}

gboolean
evaluate_scalar_compute_real (guint operator_id, const EvaluateScalar *left,
                              const EvaluateScalar *right, EvaluateScalar *result)
{
    BaseReal a = left->real, b = right->real;
    result->kind = EVALUATE_SCALAR_FLOAT;
    result->digits = MAX (left->digits, right->digits);
    /* With 113 bits a result of at most 53 is the same as if it were rounded once (Figueroa, 1995); not one of 64. */
    if (result->digits == 64
        && compute_extended (operator_id, (long double) a, (long double) b, &result->real))
        return TRUE;
    switch (operator_id) {
    case EVALUATE_OPERATOR_ADD: result->real = a + b; return TRUE;
    case EVALUATE_OPERATOR_SUBTRACT: result->real = a - b; return TRUE;
    case EVALUATE_OPERATOR_MULTIPLY: result->real = a * b; return TRUE;
    case EVALUATE_OPERATOR_DIVIDE: result->real = a / b; return TRUE;
    case EVALUATE_OPERATOR_POWER: result->real = BASE_REAL (pow) (a, b); return TRUE;
    case EVALUATE_OPERATOR_MODULO: result->real = BASE_REAL (fmod) (a, b); return b != 0;
    case EVALUATE_OPERATOR_FLOOR_MODULO: result->real = floor_modulo (a, b); return b != 0;
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

/* An integer beside a number with a point becomes one of that number's type. */
static void
convert_to (EvaluateScalar *scalar, int digits)
{
    evaluate_scalar_convert (scalar, TRUE);
    scalar->real = digits == 24   ? (BaseReal) (float) scalar->real
                   : digits == 53 ? (BaseReal) (double) scalar->real
                                  : scalar->real;
}

gboolean
evaluate_scalar_combine (guint operator_id, EvaluateScalar *left, EvaluateScalar *right,
                         EvaluateScalar *ret_result)
{
    gboolean real = left->kind == EVALUATE_SCALAR_FLOAT || right->kind == EVALUATE_SCALAR_FLOAT;
    gboolean shift = operator_id == EVALUATE_OPERATOR_LEFT
                     || operator_id == EVALUATE_OPERATOR_RIGHT;
    if (real) {
        if (left->kind != EVALUATE_SCALAR_FLOAT)
            convert_to (left, right->digits);
        if (right->kind != EVALUATE_SCALAR_FLOAT)
            convert_to (right, left->digits);
        return evaluate_scalar_compute_real (operator_id, left, right, ret_result);
    }
    gboolean with_sign = left->kind == EVALUATE_SCALAR_SIGNED
                         && (shift || right->kind == EVALUATE_SCALAR_SIGNED);
    return evaluate_scalar_compute (operator_id, left->integer, right->integer, with_sign,
                                    ret_result);
}
