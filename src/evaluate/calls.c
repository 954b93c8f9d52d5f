/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns values into the arguments of a call, and its result into a value; where they are placed, the machine
 * says. */
#include "evaluate/program-private.h"
#include "evaluate/returned.h"
#include <glib/gi18n.h>
#include <string.h>

typedef struct {
    EvaluateRun *run;
    EvaluateCall call;
    gboolean is_full; /* an offset into data found no place that can say so */
    const char *problem;
    guint32 by_reference, by_descriptor; /* bit i: argument i */
    GArray *lengths;                     /* of Fortran's texts: they come behind all others */
} Caller;

static void
put_integer (Caller *caller, guint64 value, gboolean in_data)
{
    guint at = machine_arguments_add_word (&caller->call.arguments, value);

    if (!in_data) {
        return;
    }
    if (at < MACHINE_MAX_WORDS) {
        caller->call.in_data |= 1u << at;
    } else if (at - MACHINE_MAX_WORDS < 64) {
        caller->call.stack_in_data |= G_GUINT64_CONSTANT (1) << (at - MACHINE_MAX_WORDS);
    } else {
        caller->is_full = TRUE;
    }
}

static guint64
put_data (Caller *caller, const guint8 *bytes, gsize size)
{
    static const guint8 zeros[16] = { 0 };
    guint64 offset = caller->call.data->len;

    if (bytes != NULL) {
        g_byte_array_append (caller->call.data, bytes, size);
    } else {
        g_byte_array_set_size (caller->call.data, offset + size);
        memset (caller->call.data->data + offset, 0, size);
    }
    g_byte_array_append (caller->call.data, zeros, (16 - (offset + size) % 16) % 16);
    return offset;
}

static void
put_bytes (Caller *caller, guint32 type, const guint8 *bytes, gsize size)
{
    MachinePassing passing;

    evaluate_program_classify (caller->run->program, type, &passing);
    if (passing.kind == MACHINE_PASSING_UNKNOWN) {
        caller->problem = N_ ("<it is not known how a value of this type is passed>");
        return;
    }
    passing.size = size;
    machine_arguments_add_value (&caller->call.arguments, &passing, bytes);
}

static gboolean
is_text (const EvaluateRun *run, const EvaluateType *type)
{
    return type->kind == EVALUATE_TYPE_ARRAY && type->flags & EVALUATE_TYPE_FORTRAN
           && type->target < run->program->n_types
           && (evaluate_run_get_type (run, type->target)->kind == EVALUATE_TYPE_CHAR
               || evaluate_run_get_type (run, type->target)->kind == EVALUATE_TYPE_UCHAR);
}

/* A section of an array, which the function would take for elements side by side. */
static gboolean
is_scattered (EvaluateRun *run, const EvaluateValue *value)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    gint64 expected;

    for (guint i = 0; i < value->n_sections && type->kind == EVALUATE_TYPE_ARRAY; i++)
        type = evaluate_run_get_type (run, type->target);
    expected = (gint64) type->size;
    for (guint i = value->n_sections; i-- > 0; expected *= value->sections[i].count)
        if (value->sections[i].stride != expected && value->sections[i].count > 1)
            return TRUE;
    return FALSE;
}

static void
put_reference (Caller *caller, EvaluateValue *value)
{
    EvaluateRun *run = caller->run;
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    guint64 size = evaluate_run_find_size (run, value->type);

    if (type->kind == EVALUATE_TYPE_ARRAY) {
        evaluate_run_resolve (run, value);
        if (is_text (run, type)) {
            guint64 length = value->n_sections > 0 ? (guint64) value->sections[0].count
                                                   : evaluate_run_find_count (run, type);

            g_array_append_val (caller->lengths, length);
        }
        if (is_scattered (run, value)) {
            caller->problem
                = N_ ("<cannot pass this section: its elements are not contiguous>");
            return;
        }
    }
    if (!value->problem && value->place == EVALUATE_PLACE_MEMORY) {
        put_integer (caller, value->address, FALSE);
    } else if (evaluate_value_fetch (run, value, size)) {
        put_integer (caller, put_data (caller, value->bytes->data, size), TRUE);
    }
}

static void
put_descriptor (Caller *caller, const EvaluateValue *value)
{
    const EvaluateType *type = evaluate_run_get_type (caller->run, value->type);

    if (type->kind != EVALUATE_TYPE_ARRAY || type->codes[EVALUATE_CODE_DATA].size == 0
        || value->resolved || value->place != EVALUATE_PLACE_MEMORY) {
        caller->problem
            = N_ ("<the function takes an array of any shape: pass an allocatable one>");
    } else {
        put_integer (caller, value->address, FALSE);
    }
}

static void
put_value (Caller *caller, EvaluateValue *value)
{
    EvaluateRun *run = caller->run;
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    gboolean is_vector = type->kind == EVALUATE_TYPE_ARRAY
                         && type->flags & EVALUATE_TYPE_VECTOR;
    EvaluateScalar scalar;
    guint8 bytes[16];
    gsize size = 0;

    if (!is_vector
        && (type->kind == EVALUATE_TYPE_ARRAY || type->kind == EVALUATE_TYPE_FUNCTION)) {
        put_reference (caller, value);
    } else if (type->kind == EVALUATE_TYPE_STRUCT || type->kind == EVALUATE_TYPE_UNION
               || type->kind == EVALUATE_TYPE_COMPLEX || is_vector || type->size > 8) {
        if (type->flags & (EVALUATE_TYPE_BY_REFERENCE | EVALUATE_TYPE_DYNAMIC)) {
            caller->problem
                = N_ ("<cannot pass a copy: only the program's own code can copy it>");
        } else if (evaluate_value_fetch (run, value, type->size)) {
            put_bytes (caller, value->type, value->bytes->data, type->size);
        }
    } else if (evaluate_value_read_scalar (run, value, &scalar)
               && evaluate_scalar_store (type, &scalar, bytes, &size)) {
        if (type->kind != EVALUATE_TYPE_FLOAT) {
            put_integer (caller, scalar.integer, FALSE);
        } else {
            put_bytes (caller, value->type, bytes, size);
        }
    } else if (!value->problem) {
        caller->problem = N_ ("<cannot pass such a value>");
    }
}

/* Problem of any operand, of the arguments, or NULL. */
static char *
put_arguments (Caller *caller, EvaluateValue *operands, guint n)
{
    for (guint i = 1; i <= n; i++) {
        guint32 bit = 1u << (i - 1);

        if (!operands[i].problem && caller->by_descriptor & bit) {
            put_descriptor (caller, &operands[i]);
        } else if (!operands[i].problem && caller->by_reference & bit) {
            put_reference (caller, &operands[i]);
        } else if (!operands[i].problem) {
            put_value (caller, &operands[i]);
        }
        if (operands[i].problem || caller->problem) {
            return g_strdup (operands[i].problem ? operands[i].problem : caller->problem);
        }
    }
    for (guint i = 0; i < caller->lengths->len; i++) {
        put_integer (caller, g_array_index (caller->lengths, guint64, i), FALSE);
    }
    return caller->is_full ? g_strdup (N_ ("<too many arguments>")) : NULL;
}

static char *
find_function (EvaluateRun *run, EvaluateValue *function, guint64 *ret_address)
{
    EvaluateScalar scalar;

    if (!evaluate_value_read_scalar (run, function, &scalar)) {
        return g_strdup (function->problem ? function->problem : N_ ("<no function>"));
    }
    *ret_address = scalar.integer;
    return scalar.integer == 0 ? g_strdup (N_ ("<no function at 0x0>")) : NULL;
}

static void
take_result (EvaluateRun *run, const MachinePassing *plan, const MachineResult *result,
             EvaluateValue *value)
{
    if (plan->kind == MACHINE_PASSING_MEMORY) {
        value->place = EVALUATE_PLACE_MEMORY;
        value->address = result->integers[0];
        evaluate_value_fetch (run, value, plan->size);
        return;
    }
    value->bytes = g_byte_array_new ();
    g_byte_array_set_size (value->bytes, MAX (plan->size, 32));
    machine_passing_assemble (plan, result, value->bytes->data);
    g_byte_array_set_size (value->bytes, plan->size);
}

/* After the operands are good: sets up what is returned, calls. */
static char *
run (Caller *caller, guint32 type, const MachinePassing *plan, EvaluateValue *value)
{
    const EvaluateContext *context = caller->run->context;
    MachineResult result = { 0 };
    g_autoptr (GError) error = NULL;

    if (!context->call) {
        if (context->used)
            *context->used |= EVALUATE_USED_CALL;
        return g_strdup (N_ ("<functions cannot be called here>"));
    }
    caller->call.kept = caller->run->call_data;
    caller->run->call_data += caller->call.data->len;
    if (!context->call (context->user, &caller->call, &result, &error)) {
        return evaluate_run_say_error (caller->run, error);
    }
    if (evaluate_run_get_type (caller->run, type)->kind != EVALUATE_TYPE_VOID) {
        take_result (caller->run, plan, &result, value);
    }
    return NULL;
}

void
evaluate_run_call (EvaluateRun *machine, guint32 type, EvaluateValue *operands, guint n,
                   guint32 by_reference, guint32 by_descriptor, EvaluateValue *ret_value)
{
    gboolean is_void = evaluate_run_get_type (machine, type)->kind == EVALUATE_TYPE_VOID;
    MachinePassing plan = { 0 };
    Caller caller
        = { .run = machine, .by_reference = by_reference, .by_descriptor = by_descriptor };
    char *problem;

    *ret_value = (EvaluateValue){ .type = type };
    caller.call.arguments.stack = g_array_new (FALSE, FALSE, sizeof (guint64));
    caller.call.data = g_byte_array_new ();
    caller.lengths = g_array_new (FALSE, FALSE, sizeof (guint64));
    problem = find_function (machine, &operands[0], &caller.call.function);
    if (!is_void) {
        evaluate_program_classify (machine->program, type, &plan);
    }
    if (!problem && !is_void && plan.kind == MACHINE_PASSING_UNKNOWN) {
        problem = g_strdup (N_ ("<it is not known how a value of this type is returned>"));
    }
    if (!problem && plan.kind == MACHINE_PASSING_MEMORY) {
        put_integer (&caller, put_data (&caller, NULL, plan.size), TRUE);
    }
    if (!problem) {
        problem = put_arguments (&caller, operands, n);
    }
    if (!problem) {
        problem = run (&caller, type, &plan, ret_value);
    }
    if (problem) {
        evaluate_value_set_problem (ret_value, problem);
    }
    g_array_unref (caller.call.arguments.stack);
    g_byte_array_unref (caller.call.data);
    g_array_unref (caller.lengths);
}
