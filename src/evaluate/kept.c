/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convenience variables ($x) and the history of shown values. */
#include <glib/gi18n.h>

#include "evaluate/program-private.h"

#define MAX_NOTED (1 << 16)

static char *
read_name (EvaluateMachine *machine)
{
    gsize size = base_cursor_read_uleb (&machine->cursor);
    const guint8 *bytes = base_cursor_read_bytes (&machine->cursor, size);
    return bytes ? g_strndup ((const char *) bytes, size) : NULL;
}

void
evaluate_machine_run_kept (EvaluateMachine *machine, guint32 type)
{
    const EvaluateContext *context = machine->run->context;
    g_autofree char *name = read_name (machine);
    GBytes *kept = name && context->find_kept ? context->find_kept (context->user, name) : NULL;
    guint64 size = evaluate_run_find_size (machine->run, type);
    if (!kept || g_bytes_get_size (kept) != size) {
        evaluate_machine_push_problem (machine, type,
                                       kept ? N_ ("<of another type here>")
                                            : N_ ("<not known here>"));
        return;
    }
    EvaluateValue *value = evaluate_machine_push (machine, type);
    if (value)
        value->bytes = g_byte_array_append (g_byte_array_new (), g_bytes_get_data (kept, NULL),
                                            (guint) size);
}

/* The elements lie side by side. The value was resolved last. */
static gboolean
is_packed (EvaluateRun *run, guint32 number)
{
    const EvaluateType *type = evaluate_run_get_type (run, number);
    for (; type->kind == EVALUATE_TYPE_ARRAY; type = evaluate_run_get_type (run, type->target))
        if (evaluate_run_find_stride (run, type)
                != (gint64) evaluate_run_find_size (run, type->target)
            && evaluate_run_find_count (run, type) > 1)
            return FALSE;
    return TRUE;
}

/* The type's name, where the bounds of an array are what they are now. The value was resolved last. */
static char *
dup_type_name (EvaluateRun *run, guint32 number)
{
    const EvaluateType *type = evaluate_run_get_type (run, number);
    gboolean is_fortran = (type->flags & EVALUATE_TYPE_FORTRAN) != 0;
    g_autoptr (GString) bounds = g_string_new (NULL);
    if (type->kind != EVALUATE_TYPE_ARRAY || type->flags & EVALUATE_TYPE_VECTOR)
        return g_strdup (run->program->types[number].name);
    for (; type->kind == EVALUATE_TYPE_ARRAY; type = evaluate_run_get_type (run, number)) {
        gint64 count = (gint64) evaluate_run_find_count (run, type),
               lower = evaluate_run_find_lower (run, type);
        g_autofree char *bound = is_fortran ? g_strdup_printf ("%" G_GINT64_FORMAT
                                                               ":%" G_GINT64_FORMAT "%s",
                                                               lower, lower + count - 1,
                                                               bounds->len ? "," : "")
                                            : g_strdup_printf ("[%" G_GINT64_FORMAT "]", count);
        g_string_insert (bounds, is_fortran ? 0 : -1, bound);
        number = type->target;
    }
    return g_strdup_printf (is_fortran ? "%s (%s)" : "%s %s", run->program->types[number].name,
                            bounds->str);
}

/* An array that is sliced or lies elsewhere becomes one that is whole. */
static gboolean
fetch_whole (EvaluateRun *run, EvaluateValue *value, guint64 size)
{
    gboolean is_array = evaluate_run_get_type (run, value->type)->kind == EVALUATE_TYPE_ARRAY;
    if (is_array
        && (!evaluate_run_resolve (run, value) || value->n_sections
            || !is_packed (run, value->type))) {
        if (!value->problem)
            evaluate_value_set_problem (value,
                                        g_strdup (N_ ("<cannot keep an array section>")));
        return FALSE;
    }
    return (!value->bit_size || evaluate_value_spread_bits (run, value))
           && evaluate_value_fetch (run, value, size);
}

void
evaluate_machine_run_keep (EvaluateMachine *machine, guint32 type)
{
    EvaluateRun *run = machine->run;
    const EvaluateContext *context = run->context;
    g_autofree char *name = read_name (machine);
    EvaluateValue value;
    if (!name || !evaluate_machine_pop (machine, &value))
        return;
    guint64 size = evaluate_run_find_size (run, type);
    gboolean is_void = evaluate_run_get_type (run, type)->kind == EVALUATE_TYPE_VOID;
    if (!context->keep && !value.problem)
        evaluate_value_set_problem (
            &value, g_strdup (N_ ("<cannot assign: nothing can be changed here>")));
    else if (!value.problem && is_void)
        context->keep (context->user, name, "void", NULL, 0);
    else if (!value.problem && fetch_whole (run, &value, size))
        context->keep (context->user, name, run->program->types[type].name, value.bytes->data,
                       size);
    machine->stack[machine->n++] = value;
}

void
evaluate_kept_note (EvaluateRun *run, const EvaluateValue *value)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    guint64 object = run->object, size;
    EvaluateValue copy = *value;
    if (value->problem || type->kind == EVALUATE_TYPE_VOID
        || type->kind == EVALUATE_TYPE_FUNCTION)
        return;
    if (copy.bytes)
        g_byte_array_ref (copy.bytes);
    if (copy.gaps)
        g_byte_array_ref (copy.gaps);
    /* how large an array is may depend on where it lies */
    gboolean good = evaluate_run_resolve (run, &copy);
    size = good ? evaluate_run_find_size (run, copy.type) : 0;
    if (good && size && size <= MAX_NOTED && fetch_whole (run, &copy, size)) {
        g_autofree char *name = dup_type_name (run, value->type);
        run->context->note_value (run->context->user, name, copy.bytes->data, size);
    }
    run->object = object;
    evaluate_value_clear (&copy);
}
