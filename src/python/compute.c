/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic of an expression, with Python's rules for signs and division; integers up to what fits
 * 128 bits, larger ones are refused. */
#include "base/error.h"
#include "python/point-private.h"
#include <math.h>
#include <string.h>

static double
get_double (const PythonPoint *point)
{
    return point->kind == PYTHON_POINT_FLOAT ? point->number : (double) point->integer;
}

static PythonPoint *
refuse_overflow (GError **error)
{
    return python_point_refuse (error, "the result is too large");
}

static PythonPoint *
compute_power (PythonEvaluation *evaluation, __int128 base, __int128 exponent, GError **error)
{
    __int128 result = 1;

    if (exponent < 0) {
        return python_point_new_float (evaluation, pow ((double) base, (double) exponent));
    }
    if (exponent > 127 && base != 0 && base != 1 && base != -1) {
        return refuse_overflow (error);
    }
    exponent = exponent > 127 ? exponent % 2 + 2 : exponent;
    for (__int128 i = 0; i < exponent; i++) {
        if (__builtin_mul_overflow (result, base, &result)) {
            return refuse_overflow (error);
        }
    }
    return python_point_new_int (evaluation, result);
}

static PythonPoint *
compute_shift (PythonEvaluation *evaluation, __int128 value, __int128 count, GError **error)
{
    __int128 result = value;

    if (count > 126) {
        return refuse_overflow (error);
    }
    for (__int128 i = 0; i < count; i++) {
        if (__builtin_mul_overflow (result, (__int128) 2, &result)) {
            return refuse_overflow (error);
        }
    }
    return python_point_new_int (evaluation, result);
}

static PythonPoint *
compute_integers (PythonEvaluation *evaluation, char operation, __int128 a, __int128 b,
                  GError **error)
{
    __int128 result = 0;
    gboolean overflows = FALSE;

    if ((operation == 'd' || operation == '%' || operation == '/') && b == 0) {
        base_error_set (error, BASE_ERROR_INVALID, "ZeroDivisionError: division by zero");
        return NULL;
    }
    if ((operation == 'l' || operation == 'r') && b < 0) {
        base_error_set (error, BASE_ERROR_INVALID, "ValueError: negative shift count");
        return NULL;
    }
    switch (operation) {
    case '+': overflows = __builtin_add_overflow (a, b, &result); break;
    case '-': overflows = __builtin_sub_overflow (a, b, &result); break;
    case '*': overflows = __builtin_mul_overflow (a, b, &result); break;
    case '/':
        return python_point_new_float (evaluation,
                                       (double) ((long double) a / (long double) b));
    case 'd': /* towards minus infinity */
        result = a / b - (a % b != 0 && (a < 0) != (b < 0));
        break;
    case '%': result = a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0); break;
    case 'p': return compute_power (evaluation, a, b, error);
    case 'l': return compute_shift (evaluation, a, b, error);
    case 'r': result = b > 126 ? (a < 0 ? -1 : 0) : a >> (int) b; break;
    case '&': result = a & b; break;
    case '|': result = a | b; break;
    default: result = a ^ b; break;
    }
    return overflows ? refuse_overflow (error) : python_point_new_int (evaluation, result);
}

static PythonPoint *
compute_floats (PythonEvaluation *evaluation, char operation, double a, double b,
                GError **error)
{
    double rest;

    if (strchr ("/d%", operation) != NULL && b == 0) {
        base_error_set (error, BASE_ERROR_INVALID, "ZeroDivisionError: division by zero");
        return NULL;
    }
    switch (operation) {
    case '+': return python_point_new_float (evaluation, a + b);
    case '-': return python_point_new_float (evaluation, a - b);
    case '*': return python_point_new_float (evaluation, a * b);
    case '/': return python_point_new_float (evaluation, a / b);
    case 'd': return python_point_new_float (evaluation, floor (a / b));
    case '%':
        rest = fmod (a, b);
        return python_point_new_float (evaluation,
                                       rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
    case 'p': return python_point_new_float (evaluation, pow (a, b));
    default: return python_point_refuse (error, "float does not have this operator");
    }
}

static PythonPoint *
join_characters (PythonEvaluation *evaluation, const PythonPoint *a, const PythonPoint *b)
{
    PythonPoint *point = python_point_new (evaluation, a->kind);

    point->characters = g_array_new (FALSE, FALSE, sizeof (gunichar));
    g_array_append_vals (point->characters, a->characters->data, a->characters->len);
    g_array_append_vals (point->characters, b->characters->data, b->characters->len);
    return point;
}

PythonPoint *
python_point_compute (PythonEvaluation *evaluation, char operation, PythonPoint *a,
                      PythonPoint *b, GError **error)
{
    a = python_point_simplify (evaluation, a);
    b = python_point_simplify (evaluation, b);
    if (python_point_is_number (a) && python_point_is_number (b)) {
        PythonPoint *result;

        if (a->kind == PYTHON_POINT_FLOAT || b->kind == PYTHON_POINT_FLOAT) {
            return compute_floats (evaluation, operation, get_double (a), get_double (b),
                                   error);
        }
        result = compute_integers (evaluation, operation, a->integer, b->integer, error);
        if (result != NULL && strchr ("&|^", operation) != NULL && a->kind == PYTHON_POINT_BOOL
            && b->kind == PYTHON_POINT_BOOL) {
            result->kind = PYTHON_POINT_BOOL;
        }
        return result;
    }
    if (operation == '+' && python_point_is_characters (a) && a->kind == b->kind) {
        return join_characters (evaluation, a, b);
    }
    return python_point_refuse (error, "only Python itself can compute with %s and %s",
                                python_point_get_type_name (evaluation, a),
                                python_point_get_type_name (evaluation, b));
}

PythonPoint *
python_point_negate (PythonEvaluation *evaluation, char operation, PythonPoint *point,
                     GError **error)
{
    point = python_point_simplify (evaluation, point);
    if (point->kind == PYTHON_POINT_FLOAT && operation != '~') {
        return python_point_new_float (evaluation,
                                       operation == '-' ? -point->number : point->number);
    }
    if (!python_point_is_number (point) || point->kind == PYTHON_POINT_FLOAT) {
        return python_point_refuse (error, "%s does not have this operator",
                                    python_point_get_type_name (evaluation, point));
    }
    return python_point_new_int (evaluation, operation == '-'   ? -point->integer
                                             : operation == '~' ? ~point->integer
                                                                : point->integer);
}
