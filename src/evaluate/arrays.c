/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays with run-time descriptors: the data's address, number and distance of elements. */
#include <glib/gi18n.h>
#include <string.h>

#include "evaluate/program-private.h"

#define MAX_DEPTH 12
/* More elements than a process has bytes: what was read is no bound. */
#define MAX_COUNT (G_GINT64_CONSTANT (1) << 46)

static gboolean
run_number (EvaluateRun *run, const EvaluateCode *code, gint64 *ret_number)
{
    EvaluateValue value = { 0 };
    EvaluateScalar scalar;
    if (!code->size || run->depth > MAX_DEPTH)
        return FALSE;
    run->depth++;
    gboolean good = evaluate_run_code (run, code->bytes, code->size, &value, NULL)
                    && evaluate_value_read_scalar (run, &value, &scalar);
    run->depth--;
    evaluate_value_clear (&value);
    if (good)
        *ret_number = scalar.integer;
    return good;
}

gboolean
evaluate_run_knows_count (EvaluateRun *run, const EvaluateType *array)
{
    gint64 last;
    return array->count != G_MAXUINT64
           || (run_number (run, &array->codes[EVALUATE_CODE_UPPER], &last) && last < MAX_COUNT);
}

guint64
evaluate_run_find_count (EvaluateRun *run, const EvaluateType *array)
{
    gint64 last;
    if (array->count != G_MAXUINT64)
        return array->count;
    if (!run_number (run, &array->codes[EVALUATE_CODE_UPPER], &last) || last < 0)
        return 0;
    return last >= MAX_COUNT ? 0 : (guint64) last + 1;
}

gint64
evaluate_run_find_lower (EvaluateRun *run, const EvaluateType *array)
{
    gint64 lower;
    return run_number (run, &array->codes[EVALUATE_CODE_LOWER], &lower) ? lower : array->lower;
}

guint64
evaluate_run_find_size (EvaluateRun *run, guint32 number)
{
    const EvaluateType *type = evaluate_run_get_type (run, number);
    if (type->kind != EVALUATE_TYPE_ARRAY || type->size || run->depth > MAX_DEPTH)
        return type->size;
    run->depth++;
    guint64 size = evaluate_run_find_count (run, type) * evaluate_run_find_stride (run, type);
    run->depth--;
    return size;
}

gint64
evaluate_run_find_stride (EvaluateRun *run, const EvaluateType *array)
{
    gint64 stride;
    if (run_number (run, &array->codes[EVALUATE_CODE_STRIDE], &stride))
        return stride;
    return evaluate_run_find_size (run, array->target);
}

static gboolean
run_place (EvaluateRun *run, const EvaluateCode *code, guint64 *ret_address)
{
    EvaluateValue value = { 0 };
    evaluate_run_location (run, NULL, 0, code->bytes, code->size, &value);
    gboolean good = !value.problem && value.place == EVALUATE_PLACE_MEMORY;
    *ret_address = value.address;
    evaluate_value_clear (&value);
    return good;
}

/* Fortran's pointer to a text, or an allocatable one, has no descriptor: the null pointer is none. */
static gboolean
is_null (const EvaluateType *type, const EvaluateValue *value)
{
    return type->kind == EVALUATE_TYPE_ARRAY && (type->flags & EVALUATE_TYPE_FORTRAN)
           && !type->codes[EVALUATE_CODE_EXISTS].size && !type->codes[EVALUATE_CODE_DATA].size
           && value->place == EVALUATE_PLACE_MEMORY && !value->address;
}

gboolean
evaluate_run_find_existence (EvaluateRun *run, const EvaluateValue *value, gboolean *ret_exists)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    guint at = type->codes[EVALUATE_CODE_EXISTS].size ? EVALUATE_CODE_EXISTS
                                                      : EVALUATE_CODE_DATA;
    guint64 word = !is_null (type, value), was = run->object;
    run->object = value->resolved ? value->object : value->address;
    gboolean good = !value->problem && type->kind == EVALUATE_TYPE_ARRAY
                    && (!type->codes[at].size || run_place (run, &type->codes[at], &word));
    run->object = was;
    *ret_exists = word != 0;
    return good;
}

gboolean
evaluate_run_take_rank (EvaluateRun *run, EvaluateValue *value, guint *ret_rank)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    gint64 rank;
    guint64 address;
    *ret_rank = 0;
    if (value->problem || type->kind != EVALUATE_TYPE_STRUCT
        || !(type->flags & EVALUATE_TYPE_RANKED))
        return !value->problem;
    run->object = value->address;
    if (value->place != EVALUATE_PLACE_MEMORY
        || !run_number (run, &type->codes[EVALUATE_CODE_UPPER], &rank) || rank < 0
        || rank >= (gint64) type->n_view_types
        || (!rank && !run_place (run, &type->codes[EVALUATE_CODE_DATA], &address))) {
        evaluate_value_set_problem (value, g_strdup (N_ ("<its rank is not known>")));
        return FALSE;
    }
    if (!rank)
        value->address = address;
    value->type = type->view_types[rank];
    *ret_rank = (guint) rank;
    return TRUE;
}

gboolean
evaluate_run_resolve (EvaluateRun *run, EvaluateValue *value)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    guint64 word;
    if (value->problem || type->kind != EVALUATE_TYPE_ARRAY)
        return !value->problem;
    if (value->resolved) {
        run->object = value->object;
        return TRUE;
    }
    value->resolved = TRUE;
    value->object = run->object = value->address;
    if (is_null (type, value)) {
        evaluate_value_set_problem (value,
                                    g_strdup (N_ ("<not allocated, or not associated>")));
        return FALSE;
    }
    if (type->codes[EVALUATE_CODE_EXISTS].size
        && run_place (run, &type->codes[EVALUATE_CODE_EXISTS], &word) && !word) {
        evaluate_value_set_problem (value, g_strdup (type->flags & EVALUATE_TYPE_ASSOCIATED
                                                         ? N_ ("<not associated>")
                                                         : N_ ("<not allocated>")));
        return FALSE;
    }
    if (!type->codes[EVALUATE_CODE_DATA].size)
        return TRUE;
    if (value->place != EVALUATE_PLACE_MEMORY
        || !run_place (run, &type->codes[EVALUATE_CODE_DATA], &word)) {
        evaluate_value_set_problem (value, g_strdup (N_ ("<cannot find the data>")));
        return FALSE;
    }
    value->address = word;
    g_clear_pointer (&value->bytes, g_byte_array_unref);
    return TRUE;
}

static gboolean
is_number (const EvaluateType *type)
{
    return type->size > 0
           && (type->kind == EVALUATE_TYPE_SIGNED || type->kind == EVALUATE_TYPE_UNSIGNED
               || type->kind == EVALUATE_TYPE_FLOAT || type->kind == EVALUATE_TYPE_BOOL
               || type->kind == EVALUATE_TYPE_ENUM);
}

/* FALSE: an element is an array whose length is not known, so it is not known where any but the first one is. */
static gboolean
knows_stride (EvaluateRun *run, const EvaluateType *type)
{
    gint64 stride;
    if (run_number (run, &type->codes[EVALUATE_CODE_STRIDE], &stride))
        return TRUE;
    const EvaluateType *element = evaluate_run_get_type (run, type->target);
    for (guint i = 0; i < EVALUATE_MAX_RANK && element->kind == EVALUATE_TYPE_ARRAY; i++) {
        if (!element->size && !evaluate_run_knows_count (run, element))
            return FALSE;
        element = evaluate_run_get_type (run, element->target);
    }
    return TRUE;
}

void
evaluate_run_take_element (EvaluateRun *run, EvaluateValue *array, gint64 number,
                           EvaluateValue *ret_part)
{
    const EvaluateType *type = evaluate_run_get_type (run, array->type);
    const EvaluateType *element = evaluate_run_get_type (run, type->target);
    if (!evaluate_run_resolve (run, array)) {
        *ret_part = (EvaluateValue){ .type = type->target,
                                     .problem = g_strdup (array->problem) };
        return;
    }
    if (number && !array->n_sections && !knows_stride (run, type)) {
        *ret_part = (EvaluateValue){ .type = type->target,
                                     .problem = g_strdup (N_ ("<length unknown>")) };
        return;
    }
    gint64 stride = array->n_sections ? array->sections[0].stride
                                      : evaluate_run_find_stride (run, type);
    evaluate_value_take_some (array, type->target, (guint64) (number * stride),
                              is_number (element) ? element->size : G_MAXUINT64, ret_part);
    if (array->n_sections > 1) {
        memcpy (ret_part->sections, array->sections + 1,
                (array->n_sections - 1) * sizeof array->sections[0]);
        ret_part->n_sections = array->n_sections - 1;
    }
    /* rows of the same descriptor */
    if (element->kind == EVALUATE_TYPE_ARRAY && !element->codes[EVALUATE_CODE_DATA].size) {
        ret_part->object = array->object;
        ret_part->resolved = TRUE;
    }
}
