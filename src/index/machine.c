/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stack of the machine that runs read programs; unknown values stay on it as problems. */
#include <string.h>

#include "index/program-private.h"

IndexValue *
index_machine_push (IndexMachine *machine, guint32 type)
{
    if (machine->n == INDEX_MAX_STACK || type >= machine->run->program->n_types) {
        machine->broken = TRUE;
        return NULL;
    }
    IndexValue *value = &machine->stack[machine->n++];
    *value = (IndexValue){ .type = type };
    return value;
}

gboolean
index_machine_pop (IndexMachine *machine, IndexValue *ret_value)
{
    if (!machine->n) {
        machine->broken = TRUE;
        *ret_value = (IndexValue){ 0 };
        return FALSE;
    }
    *ret_value = machine->stack[--machine->n];
    return TRUE;
}

void
index_machine_push_problem (IndexMachine *machine, guint32 type, const char *problem)
{
    IndexValue *value = index_machine_push (machine, type);
    if (value)
        value->problem = g_strdup (problem ? problem : "<not a number>");
}

void
index_machine_push_scalar (IndexMachine *machine, guint32 type, const IndexScalar *scalar)
{
    IndexValue *value = index_machine_push (machine, type);
    guint8 bytes[16];
    gsize size;
    if (!value)
        return;
    if (!index_scalar_store (index_run_get_type (machine->run, type), scalar, bytes, &size)) {
        value->problem = g_strdup ("<not a number>");
        return;
    }
    value->bytes = g_byte_array_new ();
    g_byte_array_append (value->bytes, bytes, size);
}

/* Pops a number; FALSE after pushing its problem as the result of type. */
gboolean
index_machine_pop_scalar (IndexMachine *machine, guint32 type, IndexScalar *ret_scalar)
{
    IndexValue value;
    if (!index_machine_pop (machine, &value))
        return FALSE;
    gboolean good = index_value_read_scalar (machine->run, &value, ret_scalar);
    if (!good)
        index_machine_push_problem (machine, type, value.problem);
    index_value_clear (&value);
    return good;
}

gboolean
index_machine_pop_two (IndexMachine *machine, guint32 type, IndexScalar *left,
                       IndexScalar *right)
{
    IndexValue rest;
    if (!index_machine_pop_scalar (machine, type, right)) {
        /* its problem is on the stack, in front of the left operand */
        IndexValue problem;
        if (index_machine_pop (machine, &problem) && index_machine_pop (machine, &rest)) {
            index_value_clear (&rest);
            machine->stack[machine->n++] = problem;
        }
        return FALSE;
    }
    return index_machine_pop_scalar (machine, type, left);
}

void
index_machine_push_place (IndexMachine *machine, guint32 type, guint64 address)
{
    IndexValue *value = index_machine_push (machine, type);
    if (!value)
        return;
    value->place = INDEX_PLACE_MEMORY;
    value->address = address;
}

/* Two operands were popped for nothing: the problem of the upper one stays, the lower one goes. */
void
index_machine_drop_below (IndexMachine *machine)
{
    IndexValue problem, rest;
    if (index_machine_pop (machine, &problem) && index_machine_pop (machine, &rest)) {
        index_value_clear (&rest);
        machine->stack[machine->n++] = problem;
    }
}
