/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Complex numbers: reading and writing their bytes, and arithmetic. */
#include <glib/gi18n.h>
#include <complex.h>
#undef I
#include <math.h>
#include <string.h>

#include "evaluate/program-private.h"

#ifdef BASE_HAS_QUAD
typedef __CFLOAT128 Complex;
#define JOIN(real, imaginary) CMPLXF128 (real, imaginary)
#else
typedef long double _Complex Complex;
#define JOIN(real, imaginary) CMPLXL (real, imaginary)
#endif

static gboolean
has_parts (const EvaluateType *type)
{
    guint64 half = type->size / 2;
    return type->flags & EVALUATE_TYPE_WHOLE
               ? half == 1 || half == 2 || half == 4 || half == 8
               : evaluate_real_count_digits (half, (type->flags & EVALUATE_TYPE_QUAD) != 0) > 0;
}

static BaseReal
read_part (const EvaluateType *type, const guint8 *bytes)
{
    guint64 half = type->size / 2, number = 0;
    guint unused = (guint) (64 - 8 * half);
    if (!(type->flags & EVALUATE_TYPE_WHOLE))
        return evaluate_real_read (bytes, half, (type->flags & EVALUATE_TYPE_QUAD) != 0);
    memcpy (&number, bytes, half);
    return type->flags & EVALUATE_TYPE_WHOLE_UNSIGNED
               ? (BaseReal) number
               : (BaseReal) ((gint64) (number << unused) >> unused);
}

gboolean
evaluate_value_read_complex (EvaluateRun *run, EvaluateValue *value, BaseReal ret_parts[2])
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    EvaluateScalar scalar;
    ret_parts[0] = ret_parts[1] = 0;
    if (type->kind != EVALUATE_TYPE_COMPLEX) {
        if (!evaluate_value_read_scalar (run, value, &scalar))
            return FALSE;
        evaluate_scalar_convert (&scalar, TRUE);
        ret_parts[0] = scalar.real;
        return TRUE;
    }
    if (!has_parts (type) || !evaluate_value_fetch (run, value, type->size))
        return FALSE;
    for (guint i = 0; i < 2; i++)
        ret_parts[i] = read_part (type, value->bytes->data + i * type->size / 2);
    return TRUE;
}

gboolean
evaluate_complex_store (const EvaluateType *type, const BaseReal parts[2], guint8 *ret_bytes)
{
    guint64 half = type->size / 2;
    if (type->kind != EVALUATE_TYPE_COMPLEX || !has_parts (type))
        return FALSE;
    memset (ret_bytes, 0, 32);
    for (guint i = 0; i < 2; i++) {
        EvaluateScalar scalar = { EVALUATE_SCALAR_FLOAT, 0, parts[i], 0 };
        evaluate_scalar_convert (&scalar, FALSE);
        if (type->flags & EVALUATE_TYPE_WHOLE)
            memcpy (ret_bytes + i * half, &scalar.integer, half);
        else
            evaluate_real_store (parts[i], half, (type->flags & EVALUATE_TYPE_QUAD) != 0,
                                 ret_bytes + i * half);
    }
    return TRUE;
}

gboolean
evaluate_machine_has_complex (EvaluateMachine *machine, guint n)
{
    for (guint i = 0; i < n && i < machine->n; i++)
        if (evaluate_run_get_type (machine->run, machine->stack[machine->n - 1 - i].type)->kind
            == EVALUATE_TYPE_COMPLEX)
            return TRUE;
    return FALSE;
}

/* Of integers, each part cut off towards zero. FALSE: by zero. */
static gboolean
divide_whole (Complex a, Complex b, Complex *result)
{
    Complex product = a * BASE_REAL (conj) (b);
    BaseReal by = BASE_REAL (creal) (b) * BASE_REAL (creal) (b)
                  + BASE_REAL (cimag) (b) * BASE_REAL (cimag) (b);
    *result = JOIN (BASE_REAL (trunc) (BASE_REAL (creal) (product) / by),
                    BASE_REAL (trunc) (BASE_REAL (cimag) (product) / by));
    return by != 0;
}

static gboolean
compute (guint operator_id, Complex a, Complex b, Complex *result)
{
    switch (operator_id) {
    case EVALUATE_OPERATOR_ADD: *result = a + b; return TRUE;
    case EVALUATE_OPERATOR_SUBTRACT: *result = a - b; return TRUE;
    case EVALUATE_OPERATOR_MULTIPLY: *result = a * b; return TRUE;
    case EVALUATE_OPERATOR_DIVIDE: *result = a / b; return TRUE;
    case EVALUATE_OPERATOR_POWER: *result = BASE_REAL (cpow) (a, b); return TRUE;
    case EVALUATE_OPERATOR_EQUAL: *result = a == b; return TRUE;
    case EVALUATE_OPERATOR_UNEQUAL: *result = a != b; return TRUE;
    case EVALUATE_OPERATOR_COMPLEX:
        *result = JOIN (BASE_REAL (creal) (a), BASE_REAL (creal) (b));
        return TRUE;
    case EVALUATE_OPERATOR_NEGATE: *result = -a; return TRUE;
    case EVALUATE_OPERATOR_ABSOLUTE: *result = BASE_REAL (cabs) (a); return TRUE;
    case EVALUATE_OPERATOR_REAL_PART: *result = BASE_REAL (creal) (a); return TRUE;
    case EVALUATE_OPERATOR_IMAGINARY_PART: *result = BASE_REAL (cimag) (a); return TRUE;
    case EVALUATE_OPERATOR_CONJUGATE: *result = BASE_REAL (conj) (a); return TRUE;
    case EVALUATE_OPERATOR_CAST: *result = a; return TRUE;
    case EVALUATE_OPERATOR_NOT: *result = a == 0; return TRUE;
    default: return FALSE;
    }
}

static void
push_complex (EvaluateMachine *machine, guint32 type, Complex result)
{
    const EvaluateType *to = evaluate_run_get_type (machine->run, type);
    BaseReal parts[2] = { BASE_REAL (creal) (result), BASE_REAL (cimag) (result) };
    EvaluateScalar scalar = { EVALUATE_SCALAR_FLOAT, 0, parts[0], 0 };
    guint8 bytes[32];
    if (!evaluate_complex_store (to, parts, bytes)) {
        evaluate_machine_push_scalar (machine, type, &scalar);
        return;
    }
    EvaluateValue *value = evaluate_machine_push (machine, type);
    if (value)
        value->bytes = g_byte_array_append (g_byte_array_new (), bytes, to->size);
}

void
evaluate_machine_run_complex (EvaluateMachine *machine, guint32 type, guint operator_id,
                              guint n)
{
    Complex numbers[2] = { 0, 0 }, result = 0;
    char *problem = NULL;
    for (guint i = n; i-- > 0;) {
        BaseReal parts[2];
        EvaluateValue value;
        if (!evaluate_machine_pop (machine, &value)) {
            g_free (problem);
            return;
        }
        if (evaluate_value_read_complex (machine->run, &value, parts)) {
            numbers[i] = JOIN (parts[0], parts[1]);
        } else {
            g_free (problem);
            problem = g_strdup (value.problem ? value.problem : N_ ("<not a number>"));
        }
        evaluate_value_clear (&value);
    }
    gboolean is_whole
        = (evaluate_run_get_type (machine->run, type)->flags & EVALUATE_TYPE_WHOLE) != 0;
    gboolean good = !problem
                    && (is_whole && operator_id == EVALUATE_OPERATOR_DIVIDE
                            ? divide_whole (numbers[0], numbers[1], &result)
                            : compute (operator_id, numbers[0], numbers[1], &result));
    if (!good)
        evaluate_machine_push_problem (machine, type,
                                       problem ? problem
                                       : operator_id == EVALUATE_OPERATOR_DIVIDE
                                           ? N_ ("<division by zero>")
                                           : NULL);
    else
        push_complex (machine, type, result);
    g_free (problem);
}
