/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic on vectors, element by element; a scalar is broadcast. */
#include <string.h>

#include "index/program-private.h"

static gboolean
is_vector (const IndexRun *run, guint32 type)
{
    const IndexType *stripped = index_run_get_type (run, type);
    return stripped->kind == INDEX_TYPE_ARRAY && (stripped->flags & INDEX_TYPE_VECTOR);
}

gboolean
index_machine_has_vector (IndexMachine *machine, guint n)
{
    for (guint i = 1; i <= n && i <= machine->n; i++)
        if (is_vector (machine->run, machine->stack[machine->n - i].type))
            return TRUE;
    return FALSE;
}

/* The element of a vector, or the number itself. FALSE: its problem is in value. */
static gboolean
read_element (IndexRun *run, IndexValue *value, guint64 number, IndexScalar *ret_scalar)
{
    IndexValue part;
    if (!is_vector (run, value->type))
        return index_value_read_scalar (run, value, ret_scalar);
    if (!index_value_fetch (run, value, index_run_get_type (run, value->type)->size))
        return FALSE;
    index_run_take_element (run, value, (gint64) number, &part);
    gboolean good = index_value_read_scalar (run, &part, ret_scalar);
    if (!good)
        index_value_set_problem (value,
                                 g_strdup (part.problem ? part.problem : "<not a number>"));
    index_value_clear (&part);
    return good;
}

static gboolean
compute (guint operator_id, IndexScalar *left, IndexScalar *right, guint n,
         IndexScalar *ret_result)
{
    if (n == 2)
        return index_scalar_combine (operator_id, left, right, ret_result);
    *ret_result = *left;
    ret_result->integer = operator_id == INDEX_OPERATOR_NEGATE ? -left->integer
                                                               : ~left->integer;
    ret_result->real = -left->real;
    return operator_id == INDEX_OPERATOR_NEGATE
           || (operator_id == INDEX_OPERATOR_COMPLEMENT && left->kind != INDEX_SCALAR_FLOAT);
}

/* The bytes of the result; NULL: *ret_problem says why not. */
static GByteArray *
compute_all (IndexRun *run, guint32 type, guint operator_id, IndexValue *operands, guint n,
             const char **ret_problem)
{
    const IndexType *vector = index_run_get_type (run, type);
    const IndexType *element = index_run_get_type (run, vector->target);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    for (guint64 i = 0; i < vector->count && i < 64; i++) {
        IndexScalar scalars[2] = { 0 }, result = { 0 };
        guint8 part[16];
        gsize size = 0;
        for (guint j = 0; j < n; j++)
            if (!read_element (run, &operands[j], i, &scalars[j])) {
                *ret_problem = operands[j].problem;
                return NULL;
            }
        *ret_problem = "<not a number>";
        if (!compute (operator_id, &scalars[0], &scalars[1], n, &result)
            || !index_scalar_store (element, &result, part, &size))
            return NULL;
        g_byte_array_append (bytes, part, size);
    }
    return g_steal_pointer (&bytes);
}

void
index_machine_run_vector (IndexMachine *machine, guint32 type, guint operator_id, guint n)
{
    IndexValue operands[2] = { { 0 }, { 0 } };
    const char *problem = NULL;
    for (guint i = n; i-- > 0;)
        if (!index_machine_pop (machine, &operands[i]))
            return;
    GByteArray *bytes = is_vector (machine->run, type)
                            ? compute_all (machine->run, type, operator_id, operands, n,
                                           &problem)
                            : NULL;
    if (bytes) {
        IndexValue *value = index_machine_push (machine, type);
        if (value)
            value->bytes = bytes;
        else
            g_byte_array_unref (bytes);
    } else {
        index_machine_push_problem (machine, type, problem);
    }
    for (guint i = 0; i < n; i++)
        index_value_clear (&operands[i]);
}
