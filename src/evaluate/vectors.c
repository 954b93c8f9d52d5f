/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic on vectors, element by element; a scalar is broadcast. */
#include <glib/gi18n.h>

#include "evaluate/program-private.h"

static gboolean
is_vector (const EvaluateRun *run, guint32 type)
{
    const EvaluateType *stripped = evaluate_run_get_type (run, type);
    return stripped->kind == EVALUATE_TYPE_ARRAY && (stripped->flags & EVALUATE_TYPE_VECTOR);
}

gboolean
evaluate_machine_has_vector (EvaluateMachine *machine, guint n)
{
    for (guint i = 1; i <= n && i <= machine->n; i++)
        if (is_vector (machine->run, machine->stack[machine->n - i].type))
            return TRUE;
    return FALSE;
}

/* The element of a vector, or the number itself. FALSE: its problem is in value. */
static gboolean
read_element (EvaluateRun *run, EvaluateValue *value, guint64 number,
              EvaluateScalar *ret_scalar)
{
    EvaluateValue part;
    if (!is_vector (run, value->type))
        return evaluate_value_read_scalar (run, value, ret_scalar);
    if (!evaluate_value_fetch (run, value, evaluate_run_get_type (run, value->type)->size))
        return FALSE;
    evaluate_run_take_element (run, value, (gint64) number, &part);
    gboolean good = evaluate_value_read_scalar (run, &part, ret_scalar);
    if (!good)
        evaluate_value_set_problem (value, g_strdup (part.problem ? part.problem
                                                                  : N_ ("<not a number>")));
    evaluate_value_clear (&part);
    return good;
}

static gboolean
compute (guint operator_id, EvaluateScalar *left, EvaluateScalar *right, guint n,
         EvaluateScalar *ret_result)
{
    if (n == 2)
        return evaluate_scalar_combine (operator_id, left, right, ret_result);
    *ret_result = *left;
    ret_result->integer = operator_id == EVALUATE_OPERATOR_NEGATE ? -left->integer
                                                                  : ~left->integer;
    ret_result->real = -left->real;
    return operator_id == EVALUATE_OPERATOR_NEGATE
           || (operator_id == EVALUATE_OPERATOR_COMPLEMENT
               && left->kind != EVALUATE_SCALAR_FLOAT);
}

/* The bytes of the result; NULL: *ret_problem says why not. */
static GByteArray *
compute_all (EvaluateRun *run, guint32 type, guint operator_id, EvaluateValue *operands,
             guint n, const char **ret_problem)
{
    const EvaluateType *vector = evaluate_run_get_type (run, type);
    const EvaluateType *element = evaluate_run_get_type (run, vector->target);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    for (guint64 i = 0; i < vector->count && i < 64; i++) {
        EvaluateScalar scalars[2] = { 0 }, result = { 0 };
        guint8 part[16];
        gsize size = 0;
        for (guint j = 0; j < n; j++)
            if (!read_element (run, &operands[j], i, &scalars[j])) {
                *ret_problem = operands[j].problem;
                return NULL;
            }
        *ret_problem = N_ ("<not a number>");
        if (!compute (operator_id, &scalars[0], &scalars[1], n, &result)
            || !evaluate_scalar_store (element, &result, part, &size))
            return NULL;
        g_byte_array_append (bytes, part, size);
    }
    return g_steal_pointer (&bytes);
}

void
evaluate_machine_run_vector (EvaluateMachine *machine, guint32 type, guint operator_id, guint n)
{
    EvaluateValue operands[2] = { { 0 }, { 0 } };
    const char *problem = NULL;
    for (guint i = n; i-- > 0;)
        if (!evaluate_machine_pop (machine, &operands[i]))
            return;
    GByteArray *bytes = is_vector (machine->run, type)
                            ? compute_all (machine->run, type, operator_id, operands, n,
                                           &problem)
                            : NULL;
    if (bytes) {
        EvaluateValue *value = evaluate_machine_push (machine, type);
        if (value)
            value->bytes = bytes;
        else
            g_byte_array_unref (bytes);
    } else {
        evaluate_machine_push_problem (machine, type, problem);
    }
    for (guint i = 0; i < n; i++)
        evaluate_value_clear (&operands[i]);
}
