/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows complex numbers: how their bytes read and are written, and arithmetic with them. */
#include <complex.h>
#undef I
#include <string.h>

#include "index/program-private.h"

gboolean
index_value_read_complex (IndexRun *run, IndexValue *value, long double ret_parts[2])
{
    const IndexType *type = index_run_get_type (run, value->type);
    guint64 half = type->size / 2;
    IndexScalar scalar;
    ret_parts[0] = ret_parts[1] = 0;
    if (type->kind != INDEX_TYPE_COMPLEX) {
        if (!index_value_read_scalar (run, value, &scalar))
            return FALSE;
        index_scalar_convert (&scalar, TRUE);
        ret_parts[0] = scalar.real;
        return TRUE;
    }
    if ((half != 4 && half != 8 && half != 16) || !index_value_fetch (run, value, type->size))
        return FALSE;
    for (guint i = 0; i < 2; i++) {
        const guint8 *bytes = value->bytes->data + i * half;
        float single;
        double twice;
        memcpy (&single, bytes, 4);
        memcpy (&twice, bytes, MIN (half, 8));
        if (half == 16)
            memcpy (&ret_parts[i], bytes, 10);
        else
            ret_parts[i] = half == 4 ? single : twice;
    }
    return TRUE;
}

gboolean
index_complex_store (const IndexType *type, const long double parts[2], guint8 *ret_bytes)
{
    guint64 half = type->size / 2;
    if (type->kind != INDEX_TYPE_COMPLEX || (half != 4 && half != 8 && half != 16))
        return FALSE;
    memset (ret_bytes, 0, 32);
    for (guint i = 0; i < 2; i++) {
        float single = (float) parts[i];
        double twice = (double) parts[i];
        const void *from = half == 4 ? (const void *) &single : half == 8 ? (const void *) &twice
                                                                          : (const void *) &parts[i];
        memcpy (ret_bytes + i * half, from, MIN (half, 10));
    }
    return TRUE;
}

gboolean
index_machine_has_complex (IndexMachine *machine, guint n)
{
    for (guint i = 0; i < n && i < machine->n; i++)
        if (index_run_get_type (machine->run, machine->stack[machine->n - 1 - i].type)->kind ==
            INDEX_TYPE_COMPLEX)
            return TRUE;
    return FALSE;
}

static gboolean
compute (guint operator, long double _Complex a, long double _Complex b, long double _Complex *result)
{
    switch (operator) {
    case INDEX_OPERATOR_ADD: *result = a + b; return TRUE;
    case INDEX_OPERATOR_SUBTRACT: *result = a - b; return TRUE;
    case INDEX_OPERATOR_MULTIPLY: *result = a * b; return TRUE;
    case INDEX_OPERATOR_DIVIDE: *result = a / b; return TRUE;
    case INDEX_OPERATOR_POWER: *result = cpowl (a, b); return TRUE;
    case INDEX_OPERATOR_EQUAL: *result = a == b; return TRUE;
    case INDEX_OPERATOR_UNEQUAL: *result = a != b; return TRUE;
    case INDEX_OPERATOR_COMPLEX: *result = CMPLXL (creall (a), creall (b)); return TRUE;
    case INDEX_OPERATOR_NEGATE: *result = -a; return TRUE;
    case INDEX_OPERATOR_ABSOLUTE: *result = cabsl (a); return TRUE;
    case INDEX_OPERATOR_REAL_PART: *result = creall (a); return TRUE;
    case INDEX_OPERATOR_IMAGINARY_PART: *result = cimagl (a); return TRUE;
    case INDEX_OPERATOR_CONJUGATE: *result = conjl (a); return TRUE;
    case INDEX_OPERATOR_CAST: *result = a; return TRUE;
    case INDEX_OPERATOR_NOT: *result = a == 0; return TRUE;
    default: return FALSE;
    }
}

static void
push_complex (IndexMachine *machine, guint32 type, long double _Complex result)
{
    const IndexType *to = index_run_get_type (machine->run, type);
    long double parts[2] = { creall (result), cimagl (result) };
    IndexScalar scalar = { INDEX_SCALAR_FLOAT, 0, parts[0] };
    guint8 bytes[32];
    if (!index_complex_store (to, parts, bytes)) {
        index_machine_push_scalar (machine, type, &scalar);
        return;
    }
    IndexValue *value = index_machine_push (machine, type);
    if (value)
        value->bytes = g_byte_array_append (g_byte_array_new (), bytes, to->size);
}

void
index_machine_run_complex (IndexMachine *machine, guint32 type, guint operator, guint n)
{
    long double _Complex numbers[2] = { 0, 0 }, result = 0;
    char *problem = NULL;
    for (guint i = n; i-- > 0;) {
        long double parts[2];
        IndexValue value;
        if (!index_machine_pop (machine, &value)) {
            g_free (problem);
            return;
        }
        if (index_value_read_complex (machine->run, &value, parts)) {
            numbers[i] = CMPLXL (parts[0], parts[1]);
        } else {
            g_free (problem);
            problem = g_strdup (value.problem ? value.problem : "<not a number>");
        }
        index_value_clear (&value);
    }
    if (problem || !compute (operator, numbers[0], numbers[1], &result))
        index_machine_push_problem (machine, type, problem);
    else
        push_complex (machine, type, result);
    g_free (problem);
}
