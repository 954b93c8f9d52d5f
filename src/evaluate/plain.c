/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that need no run of their program: numbers and pointers that a frame has in its memory or in a register, as nearly
 * all arguments are. One stack has a hundred of them. */
#include "base/real.h"
#include "evaluate/program-private.h"

/* DWARF 5 section 7.7.1 */
enum {
    OP_reg0 = 0x50,
    OP_breg0 = 0x70,
    OP_fbreg = 0x91,
    OP_call_frame_cfa = 0x9c,
};
#define N_GENERAL 17u /* registers that hold 8 bytes */

/* ---- where it is ---- */

/* An expression of this operation alone, with its operand. FALSE: it is another one. */
static gboolean
take_base (const guint8 *bytes, gsize size, EvaluatePlain *plain)
{
    BaseCursor cursor = BASE_CURSOR_INIT (bytes, size);
    guint op = base_cursor_read_u8 (&cursor);

    if (op == OP_call_frame_cfa) {
        plain->place = EVALUATE_PLAIN_AT_CFA;
    } else if (op >= OP_breg0 && op < OP_breg0 + N_GENERAL) {
        plain->place = EVALUATE_PLAIN_AT_REGISTER;
        plain->number = op - OP_breg0;
        plain->offset = (guint64) base_cursor_read_sleb (&cursor);
    } else if (op >= OP_reg0 && op < OP_reg0 + N_GENERAL) {
        plain->place = EVALUATE_PLAIN_IN_REGISTER;
        plain->number = op - OP_reg0;
    } else {
        return FALSE;
    }
    return !cursor.failed && base_cursor_get_left (&cursor) == 0;
}

/* frame_base: of the expression's OP_fbreg. */
static gboolean
take_place (const guint8 *frame_base, gsize frame_base_size, const guint8 *expression,
            gsize size, EvaluatePlain *plain)
{
    BaseCursor cursor = BASE_CURSOR_INIT (expression, size);
    guint64 offset;

    if (size == 0 || base_cursor_read_u8 (&cursor) != OP_fbreg) {
        return take_base (expression, size, plain);
    }
    offset = (guint64) base_cursor_read_sleb (&cursor);
    if (cursor.failed || base_cursor_get_left (&cursor) > 0
        || !take_base (frame_base, frame_base_size, plain)) {
        return FALSE;
    }
    if (plain->place == EVALUATE_PLAIN_IN_REGISTER) { /* which has the base's address */
        plain->place = EVALUATE_PLAIN_AT_REGISTER;
    }
    plain->offset += offset;
    return TRUE;
}

static gboolean
is_plain_type (const EvaluateType *type)
{
    guint64 size = type->size;

    if (type->view != EVALUATE_VIEW_NONE || size == 0 || size > 8 || (size & (size - 1)) != 0) {
        return FALSE;
    }
    switch (type->kind) {
    case EVALUATE_TYPE_BOOL:
    case EVALUATE_TYPE_CHAR:
    case EVALUATE_TYPE_UCHAR:
    case EVALUATE_TYPE_SIGNED:
    case EVALUATE_TYPE_UNSIGNED:
    case EVALUATE_TYPE_ENUM: return TRUE;
    case EVALUATE_TYPE_FLOAT: return size >= 4;
    case EVALUATE_TYPE_POINTER:
        return size == 8 && type->n_enumerators == 0
               && (type->flags & EVALUATE_TYPE_TO_METHOD) == 0;
    default: return FALSE;
    }
}

void
evaluate_plain_find (EvaluateProgram *program)
{
    BaseCursor cursor = BASE_CURSOR_INIT (program->code, program->code_size);
    guint64 op = base_cursor_read_uleb (&cursor), type = base_cursor_read_uleb (&cursor);
    gsize base_size = base_cursor_read_uleb (&cursor);
    const guint8 *base = base_cursor_read_bytes (&cursor, base_size);
    gsize size = base_cursor_read_uleb (&cursor);
    const guint8 *expression = base_cursor_read_bytes (&cursor, size);
    gboolean is_all = base_cursor_get_left (&cursor) == 0
                      || base_cursor_read_u8 (&cursor) == EVALUATE_OP_END;
    EvaluatePlain plain = { .type = (guint32) type };

    if (!cursor.failed && is_all && type < program->n_types
        && (op == EVALUATE_OP_LOCATION || op == EVALUATE_OP_LOCATION_KEPT)
        && is_plain_type (evaluate_program_get_type (program, plain.type))
        && take_place (base, base_size, expression, size, &plain)) {
        program->plain = plain;
    }
}

/* ---- what it is ---- */

/* FALSE: it is not known. */
static gboolean
read_bits (const EvaluatePlain *plain, const EvaluateContext *context, gsize size,
           guint64 *ret_bits)
{
    guint64 base = context->cfa;

    *ret_bits = 0;
    if (plain->place == EVALUATE_PLAIN_AT_CFA) {
        if (base == 0) {
            return FALSE;
        }
    } else if (context->read_register == NULL
               || !context->read_register (context->user, plain->number, &base)) {
        return FALSE;
    }
    if (plain->place == EVALUATE_PLAIN_IN_REGISTER) {
        memcpy (ret_bits, &base, size);
        return TRUE;
    }
    return base_memory_read_some (context->memory, base + plain->offset, ret_bits, size)
           == size;
}

static void
append_digits (GString *text, guint64 number, gboolean is_negative)
{
    char digits[24], *at = digits + sizeof digits;

    do {
        *--at = (char) ('0' + number % 10);
        number /= 10;
    } while (number != 0);
    if (is_negative) {
        *--at = '-';
    }
    g_string_append_len (text, at, digits + sizeof digits - at);
}

static void
append_pointer (const EvaluateProgram *program, const EvaluateContext *context,
                const EvaluateLimits *limits, const EvaluateType *type, guint64 address,
                GString *text)
{
    g_auto (EvaluateRun) run = { program, context, limits, 0 };

    evaluate_format_pointer (&run, text, type, program->types[program->plain.type].name,
                             address, 0, 0);
    if (run.is_partial && limits->compared > 0) {
        g_string_append (text, JOB_VALUE_TOO_LARGE);
    }
    if (context->spent != NULL) {
        *context->spent += run.spent;
    }
}

static void
append_owned (GString *text, char *part)
{
    g_string_append (text, part);
    g_free (part);
}

gboolean
evaluate_program_append_plain (const EvaluateProgram *program, const EvaluateContext *context,
                               const EvaluateLimits *limits, GString *text)
{
    const EvaluatePlain *plain = &program->plain;
    const EvaluateType *type;
    EvaluateScalar scalar;
    guint64 bits;

    if (plain->place == EVALUATE_PLAIN_NOT || limits->letter != '\0' || context->used != NULL
        || context->note_value != NULL) {
        return FALSE;
    }
    type = evaluate_program_get_type (program, plain->type);
    if (!read_bits (plain, context, type->size, &bits)) {
        return FALSE;
    }
    if (type->kind == EVALUATE_TYPE_POINTER) {
        append_pointer (program, context, limits, type, bits, text);
        return TRUE;
    }
    if (type->kind == EVALUATE_TYPE_FLOAT) {
        gboolean is_quad = (type->flags & EVALUATE_TYPE_QUAD) != 0;
        BaseReal real = evaluate_real_read ((const guint8 *) &bits, type->size, is_quad);

        append_owned (text, evaluate_real_format (real, type->size, is_quad));
        return TRUE;
    }
    scalar = evaluate_scalar_from_bits (type, bits);
    if (type->kind == EVALUATE_TYPE_SIGNED || type->kind == EVALUATE_TYPE_UNSIGNED) {
        gboolean is_negative = scalar.kind == EVALUATE_SCALAR_SIGNED
                               && (gint64) scalar.integer < 0;

        append_digits (text, is_negative ? -scalar.integer : scalar.integer, is_negative);
    } else {
        append_owned (text, evaluate_format_integer (type, &scalar));
    }
    return TRUE;
}
