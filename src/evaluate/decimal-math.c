/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic with decimal floating point, which the compiler's own library does: it rounds as
 * IEEE 754 wants it, in the size of the result. */
#include <glib/gi18n.h>
#include <string.h>

#include "evaluate/program-private.h"

static gboolean
is_decimal (const EvaluateMachine *machine, guint32 type)
{
    return (evaluate_run_get_type (machine->run, type)->flags & EVALUATE_TYPE_DECIMAL) != 0;
}

gboolean
evaluate_machine_has_decimal (EvaluateMachine *machine, guint n)
{
    for (guint i = 1; i <= n && i <= machine->n; i++)
        if (is_decimal (machine, machine->stack[machine->n - i].type))
            return TRUE;
    return FALSE;
}

#ifdef EVALUATE_HAS_DECIMAL /* the compiler knows them */
typedef float Small __attribute__ ((mode (SD)));
typedef float Double __attribute__ ((mode (DD)));
typedef float Quad __attribute__ ((mode (TD)));

/* The largest one holds what any other says, exactly. */
static gboolean
read_number (EvaluateMachine *machine, EvaluateValue *value, Quad *ret_number)
{
    const EvaluateType *type = evaluate_run_get_type (machine->run, value->type);
    EvaluateScalar scalar;
    Small small;
    Double middle;
    if (!(type->flags & EVALUATE_TYPE_DECIMAL)) {
        gboolean good = evaluate_value_read_scalar (machine->run, value, &scalar);
        *ret_number = !good ? 0
                      : scalar.kind == EVALUATE_SCALAR_FLOAT
                          ? (type->size == 8 ? (Quad) (double) scalar.real : (Quad) scalar.real)
                      : scalar.kind == EVALUATE_SCALAR_SIGNED ? (Quad) (gint64) scalar.integer
                                                              : (Quad) scalar.integer;
        return good;
    }
    if (!evaluate_value_fetch (machine->run, value, type->size))
        return FALSE;
    memcpy (&small, value->bytes->data, sizeof small);
    memcpy (&middle, value->bytes->data, MIN (type->size, sizeof middle));
    memcpy (ret_number, value->bytes->data, MIN (type->size, sizeof *ret_number));
    if (type->size == sizeof small)
        *ret_number = small;
    else if (type->size == sizeof middle)
        *ret_number = middle;
    return TRUE;
}

#define COMPUTE(kind, operator_id, a, b, result)                                               \
    switch (operator_id) {                                                                     \
    case EVALUATE_OPERATOR_ADD: *(result) = (kind) (a) + (kind) (b); return TRUE;              \
    case EVALUATE_OPERATOR_SUBTRACT: *(result) = (kind) (a) - (kind) (b); return TRUE;         \
    case EVALUATE_OPERATOR_MULTIPLY: *(result) = (kind) (a) * (kind) (b); return TRUE;         \
    case EVALUATE_OPERATOR_DIVIDE: *(result) = (kind) (a) / (kind) (b); return TRUE;           \
    case EVALUATE_OPERATOR_NEGATE: *(result) = -(kind) (a); return TRUE;                       \
    case EVALUATE_OPERATOR_CAST: *(result) = (kind) (a); return TRUE;                          \
    default: return FALSE;                                                                     \
    }

/* Rounded once, to the size that the result has. */
static gboolean
compute (guint operator_id, guint64 size, Quad a, Quad b, Quad *result)
{
    if (size == sizeof (Small))
        COMPUTE (Small, operator_id, a, b, result)
    if (size == sizeof (Double))
        COMPUTE (Double, operator_id, a, b, result)
    COMPUTE (Quad, operator_id, a, b, result)
}

static gboolean
compare (guint operator_id, Quad a, Quad b, gboolean *result)
{
    switch (operator_id) {
    case EVALUATE_OPERATOR_EQUAL: *result = a == b; return TRUE;
    case EVALUATE_OPERATOR_UNEQUAL: *result = a != b; return TRUE;
    case EVALUATE_OPERATOR_LESS: *result = a < b; return TRUE;
    case EVALUATE_OPERATOR_LESS_EQUAL: *result = a <= b; return TRUE;
    case EVALUATE_OPERATOR_GREATER: *result = a > b; return TRUE;
    case EVALUATE_OPERATOR_GREATER_EQUAL: *result = a >= b; return TRUE;
    case EVALUATE_OPERATOR_NOT: *result = a == 0; return TRUE;
    default: return FALSE;
    }
}

static void
push_decimal (EvaluateMachine *machine, guint32 type, Quad number)
{
    guint64 size = evaluate_run_get_type (machine->run, type)->size;
    Small small = (Small) number;
    Double middle = (Double) number;
    EvaluateValue *value = evaluate_machine_push (machine, type);
    if (!value)
        return;
    value->bytes = g_byte_array_append (g_byte_array_new (),
                                        size == sizeof small    ? (const guint8 *) &small
                                        : size == sizeof middle ? (const guint8 *) &middle
                                                                : (const guint8 *) &number,
                                        (guint) MIN (size, sizeof number));
}

/* FALSE: it is no such number's type. */
static gboolean
push_converted (EvaluateMachine *machine, guint32 type, Quad number)
{
    const EvaluateType *to = evaluate_run_get_type (machine->run, type);
    EvaluateScalar scalar = { EVALUATE_SCALAR_SIGNED, 0, 0 };
    if (to->kind == EVALUATE_TYPE_FLOAT) {
        scalar.kind = EVALUATE_SCALAR_FLOAT;
        scalar.real = to->size == 4   ? (long double) (float) number
                      : to->size == 8 ? (long double) (double) number
                                      : (long double) number;
    } else if (to->kind == EVALUATE_TYPE_BOOL) {
        scalar.integer = number != 0;
    } else if (to->kind >= EVALUATE_TYPE_CHAR && to->kind <= EVALUATE_TYPE_ENUM
               && to->kind != EVALUATE_TYPE_COMPLEX) {
        if (!(number > -9.2e18DL && number < 1.8e19DL))
            return FALSE;
        scalar.integer = number < 0 ? (guint64) (gint64) number : (guint64) number;
    } else {
        return FALSE;
    }
    evaluate_machine_push_scalar (machine, type, &scalar);
    return TRUE;
}

void
evaluate_machine_run_decimal (EvaluateMachine *machine, guint32 type, guint operator_id,
                              guint n)
{
    Quad numbers[2] = { 0, 0 }, result = 0;
    g_autofree char *problem = NULL;
    EvaluateScalar truth = { EVALUATE_SCALAR_SIGNED, 0, 0 };
    gboolean is_true;
    for (guint i = n; i-- > 0;) {
        EvaluateValue value;
        if (!evaluate_machine_pop (machine, &value))
            return;
        if (!read_number (machine, &value, &numbers[i])) {
            g_free (problem);
            problem = g_strdup (value.problem ? value.problem : N_ ("<not a number>"));
        }
        evaluate_value_clear (&value);
    }
    guint64 size = evaluate_run_get_type (machine->run, type)->size;
    if (problem) {
        evaluate_machine_push_problem (machine, type, problem);
    } else if (compare (operator_id, numbers[0], numbers[1], &is_true)) {
        truth.integer = (guint64) is_true;
        evaluate_machine_push_scalar (machine, type, &truth);
    } else if (is_decimal (machine, type)
               && compute (operator_id, size, numbers[0], numbers[1], &result)) {
        push_decimal (machine, type, result);
    } else if (operator_id != EVALUATE_OPERATOR_CAST
               || !push_converted (machine, type, numbers[0])) {
        evaluate_machine_push_problem (machine, type, N_ ("<not a number>"));
    }
}

#else

void
evaluate_machine_run_decimal (EvaluateMachine *machine, guint32 type, guint operator_id,
                              guint n)
{
    EvaluateValue value;

    while (n-- > 0) {
        if (!evaluate_machine_pop (machine, &value)) {
            return;
        }
        evaluate_value_clear (&value);
    }
    evaluate_machine_push_problem (machine, type,
                                   N_ ("<this pddt cannot compute with decimal numbers>"));
}
#endif
