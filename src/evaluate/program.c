/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes and checks read programs, and provides the operations on them. The machine is in
 * run.c, the text of values in format.c. */

#include "base/error.h"
#include "evaluate/program-private.h"

#define MAX_TYPES 100000

static gboolean
fail (GError **error, const char *what)
{
    base_error_set (error, BASE_ERROR_CORRUPT, "cannot use program: %s", what);
    return FALSE;
}

static void
decode_members (GVariant *list, EvaluateType *type)
{
    type->n_members = g_variant_n_children (list);
    type->members = g_new0 (EvaluateMember, type->n_members);
    for (guint i = 0; i < type->n_members; i++) {
        EvaluateMember *member = &type->members[i];
        g_variant_get_child (list, i, "(&stuuu)", &member->name, &member->offset, &member->type,
                             &member->bit_size, &member->bit_offset);
    }
}

static void
decode_enumerators (GVariant *list, EvaluateType *type)
{
    type->n_enumerators = g_variant_n_children (list);
    type->enumerators = g_new0 (EvaluateEnumerator, type->n_enumerators);
    for (guint i = 0; i < type->n_enumerators; i++)
        g_variant_get_child (list, i, "(x&s)", &type->enumerators[i].value,
                             &type->enumerators[i].name);
}

static void
decode_view (GVariant *view, EvaluateType *type)
{
    g_autoptr (GVariant) numbers = g_variant_get_child_value (view, 1);
    g_autoptr (GVariant) types = g_variant_get_child_value (view, 2);
    gsize n;
    g_variant_get_child (view, 0, "u", &type->view);
    type->view_numbers = g_variant_get_fixed_array (numbers, &type->n_view_numbers, 8);
    const guint32 *list = g_variant_get_fixed_array (types, &n, 4);
    type->view_types = g_memdup2 (list, n * 4);
    type->n_view_types = n;
}

static void
decode_type (GVariant *tuple, EvaluateType *type)
{
    g_autoptr (GVariant) codes = g_variant_get_child_value (tuple, 7);
    g_autoptr (GVariant) members = g_variant_get_child_value (tuple, 8);
    g_autoptr (GVariant) enumerators = g_variant_get_child_value (tuple, 9);
    g_autoptr (GVariant) view = g_variant_get_child_value (tuple, 10);
    g_variant_get_child (tuple, 0, "u", &type->kind);
    g_variant_get_child (tuple, 1, "u", &type->flags);
    g_variant_get_child (tuple, 2, "&s", &type->name);
    g_variant_get_child (tuple, 3, "t", &type->size);
    g_variant_get_child (tuple, 4, "t", &type->count);
    g_variant_get_child (tuple, 5, "u", &type->target);
    g_variant_get_child (tuple, 6, "x", &type->lower);
    for (gsize i = 0; i < MIN (g_variant_n_children (codes), EVALUATE_N_CODES); i++) {
        g_autoptr (GVariant) code = g_variant_get_child_value (codes, i);
        type->codes[i].bytes = g_variant_get_fixed_array (code, &type->codes[i].size, 1);
    }
    decode_view (view, type);
    decode_members (members, type);
    decode_enumerators (enumerators, type);
}

/* Typedefs must not go in circles; values must not contain themselves: the depth of a value's
 * types is bounded when it is shown. */
static gboolean
check_type (const EvaluateProgram *program, const EvaluateType *type)
{
    if (type->kind >= EVALUATE_N_TYPES
        || (type->target != EVALUATE_TYPE_NONE && type->target >= program->n_types))
        return FALSE;
    if ((type->kind == EVALUATE_TYPE_TYPEDEF || type->kind == EVALUATE_TYPE_ARRAY)
        && type->target == EVALUATE_TYPE_NONE)
        return FALSE;
    if (BASE_ANY (i, type->n_members,
                  type->members[i].type >= program->n_types || type->members[i].bit_size > 64
                      || (type->members[i].bit_offset > 1u << 30
                          && !EVALUATE_MEMBER_ELSEWHERE (type->members[i].bit_offset))))
        return FALSE;
    if (BASE_ANY (i, type->n_view_types, type->view_types[i] >= program->n_types))
        return FALSE;
    if (type->view >= EVALUATE_N_VIEWS || !evaluate_view_is_complete (type))
        return FALSE;
    guint steps = 0;
    for (const EvaluateType *at = type; at->kind == EVALUATE_TYPE_TYPEDEF; steps++) {
        if (steps > 100 || at->target >= program->n_types)
            return FALSE;
        at = &program->types[at->target];
    }
    return TRUE;
}

EvaluateProgram *
evaluate_program_decode (GVariant *variant, GError **error)
{
    if (!variant || !g_variant_is_of_type (variant, G_VARIANT_TYPE (EVALUATE_PROGRAM_TYPE))
        || !g_variant_is_normal_form (variant)) {
        fail (error, "it is malformed");
        return NULL;
    }
    g_autoptr (EvaluateProgram) program = g_new0 (EvaluateProgram, 1);
    program->variant = g_variant_ref_sink (variant);
    g_variant_get_data (variant); /* one block: parts that are borrowed live as long as it */
    g_autoptr (GVariant) types = g_variant_get_child_value (variant, 3);
    g_autoptr (GVariant) code = g_variant_get_child_value (variant, 4);
    g_variant_get_child (variant, 0, "&s", &program->name);
    g_variant_get_child (variant, 1, "&s", &program->type_name);
    g_variant_get_child (variant, 2, "u", &program->type);
    gsize n = g_variant_n_children (types);
    if (!n || n > MAX_TYPES || program->type >= n) {
        fail (error, "it has no types");
        return NULL;
    }
    program->types = g_new0 (EvaluateType, n);
    program->n_types = n;
    for (guint i = 0; i < n; i++) {
        g_autoptr (GVariant) tuple = g_variant_get_child_value (types, i);
        decode_type (tuple, &program->types[i]);
    }
    for (guint i = 0; i < n; i++) {
        if (!check_type (program, &program->types[i])) {
            fail (error, "it has an invalid type");
            return NULL;
        }
    }
    program->code = g_variant_get_fixed_array (code, &program->code_size, 1);
    evaluate_plain_find (program);
    return g_steal_pointer (&program);
}

void
evaluate_program_free (EvaluateProgram *program)
{
    if (!program)
        return;
    for (guint i = 0; i < program->n_types && program->types; i++) {
        g_free (program->types[i].members);
        g_free (program->types[i].enumerators);
        g_free (program->types[i].view_types);
    }
    g_free (program->types);
    if (program->variant)
        g_variant_unref (program->variant);
    g_free (program);
}

const char *
evaluate_program_get_name (const EvaluateProgram *program)
{
    return program->name;
}

const char *
evaluate_program_get_type_name (const EvaluateProgram *program)
{
    return program->type_name;
}

JobValue *
evaluate_program_run (const EvaluateProgram *program, const EvaluateContext *context,
                      const EvaluateLimits *limits, GError **error)
{
    static const EvaluateLimits defaults = EVALUATE_LIMITS_DEFAULT;
    g_auto (EvaluateRun) run = { program, context, limits ? limits : &defaults, 0 };
    EvaluateValue value = { 0 };
    if (!evaluate_run_code (&run, program->code, program->code_size, &value, error))
        return NULL;
    if (context->note_value)
        evaluate_kept_note (&run, &value);
    JobValue *shown = evaluate_run_format (&run, program->name, &value, 0);
    g_free (shown->type);
    shown->type = g_strdup (program->type_name);
    shown->rest = run.rest;
    if (run.is_partial && run.limits->compared > 0) {
        char *text = g_strconcat (shown->text, JOB_VALUE_TOO_LARGE, NULL);
        g_free (shown->text);
        shown->text = text;
    }
    if (context->spent)
        *context->spent += run.spent;
    evaluate_value_clear (&value);
    return shown;
}

gboolean
evaluate_program_find_vtable (const EvaluateProgram *program, const EvaluateContext *context,
                              guint64 *ret_vtable)
{
    static const EvaluateLimits limits = EVALUATE_LIMITS_DEFAULT;
    g_auto (EvaluateRun) run = { program, context, &limits, 0 };
    EvaluateValue value = { 0 };
    const EvaluateType *type = evaluate_run_get_type (&run, program->type);
    if (type->kind != EVALUATE_TYPE_STRUCT || !(type->flags & EVALUATE_TYPE_DYNAMIC)
        || !evaluate_run_code (&run, program->code, program->code_size, &value, NULL))
        return FALSE;
    gboolean good = !value.problem && value.place == EVALUATE_PLACE_MEMORY
                    && base_memory_read_some (context->memory, value.address, ret_vtable, 8)
                           == 8;
    evaluate_value_clear (&value);
    return good;
}
