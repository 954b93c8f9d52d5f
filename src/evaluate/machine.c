/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stack of the machine that runs read programs; unknown values stay on it as problems. */
#include <glib/gi18n.h>

#include "evaluate/program-private.h"

EvaluateValue *
evaluate_machine_push (EvaluateMachine *machine, guint32 type)
{
    if (machine->n == EVALUATE_MAX_STACK || type >= machine->run->program->n_types) {
        machine->broken = TRUE;
        return NULL;
    }
    EvaluateValue *value = &machine->stack[machine->n++];
    *value = (EvaluateValue){ .type = type };
    return value;
}

gboolean
evaluate_machine_pop (EvaluateMachine *machine, EvaluateValue *ret_value)
{
    if (!machine->n) {
        machine->broken = TRUE;
        *ret_value = (EvaluateValue){ 0 };
        return FALSE;
    }
    *ret_value = machine->stack[--machine->n];
    return TRUE;
}

void
evaluate_machine_push_problem (EvaluateMachine *machine, guint32 type, const char *problem)
{
    EvaluateValue *value = evaluate_machine_push (machine, type);
    if (value)
        value->problem = g_strdup (problem ? problem : N_ ("<not a number>"));
}

void
evaluate_machine_push_scalar (EvaluateMachine *machine, guint32 type,
                              const EvaluateScalar *scalar)
{
    EvaluateValue *value = evaluate_machine_push (machine, type);
    guint8 bytes[16];
    gsize size;
    if (!value)
        return;
    if (!evaluate_scalar_store (evaluate_run_get_type (machine->run, type), scalar, bytes,
                                &size)) {
        value->problem = g_strdup (N_ ("<not a number>"));
        return;
    }
    value->bytes = g_byte_array_new ();
    g_byte_array_append (value->bytes, bytes, size);
}

/* Pops a number; FALSE after pushing its problem as the result of type. */
gboolean
evaluate_machine_pop_scalar (EvaluateMachine *machine, guint32 type, EvaluateScalar *ret_scalar)
{
    EvaluateValue value;
    if (!evaluate_machine_pop (machine, &value))
        return FALSE;
    gboolean good = evaluate_value_read_scalar (machine->run, &value, ret_scalar);
    if (!good)
        evaluate_machine_push_problem (machine, type, value.problem);
    evaluate_value_clear (&value);
    return good;
}

gboolean
evaluate_machine_pop_two (EvaluateMachine *machine, guint32 type, EvaluateScalar *left,
                          EvaluateScalar *right)
{
    EvaluateValue rest;
    if (!evaluate_machine_pop_scalar (machine, type, right)) {
        /* its problem is on the stack, in front of the left operand */
        EvaluateValue problem;
        if (evaluate_machine_pop (machine, &problem) && evaluate_machine_pop (machine, &rest)) {
            evaluate_value_clear (&rest);
            machine->stack[machine->n++] = problem;
        }
        return FALSE;
    }
    return evaluate_machine_pop_scalar (machine, type, left);
}

void
evaluate_machine_push_place (EvaluateMachine *machine, guint32 type, guint64 address)
{
    EvaluateValue *value = evaluate_machine_push (machine, type);
    if (!value)
        return;
    value->place = EVALUATE_PLACE_MEMORY;
    value->address = address;
}

/* Two operands were popped for nothing: the problem of the upper one stays, the lower one goes. */
void
evaluate_machine_drop_below (EvaluateMachine *machine)
{
    EvaluateValue problem, rest;
    if (evaluate_machine_pop (machine, &problem) && evaluate_machine_pop (machine, &rest)) {
        evaluate_value_clear (&rest);
        machine->stack[machine->n++] = problem;
    }
}
