/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Storing a value into a place: memory, bits of it, a register or a part of one. */
#include <glib/gi18n.h>
#include <string.h>

#include "base/error.h"
#include "evaluate/program-private.h"

#define MAX_ELEMENTS (1u << 20)

/* what: N_ ("…"), or a problem. */
static gboolean
fail_invalid (GError **error, const char *what)
{
    base_error_set_because (error, BASE_ERROR_INVALID, "cannot assign: %s", what);
    return FALSE;
}

/* Puts bits into the bytes that are there. */
static gboolean
merge_bits (const EvaluateContext *context, const EvaluateValue *place,
            const EvaluateScalar *scalar, guint64 *ret_address, guint8 *bytes, gsize *ret_size,
            GError **error)
{
    guint first = place->bit_offset / 8, shift = place->bit_offset % 8;
    gsize size = (shift + place->bit_size + 7) / 8;
    guint8 old[16] = { 0 };
    if (size > 9
        || !base_memory_read (context->memory, place->address + first, old, size, error))
        return FALSE;
    for (guint i = 0; i < place->bit_size; i++) {
        guint at = shift + i;
        guint8 bit = (scalar->integer >> i) & 1;
        old[at / 8] = (old[at / 8] & ~(1u << (at % 8))) | (guint8) (bit << (at % 8));
    }
    memcpy (bytes, old, size);
    *ret_address = place->address + first;
    *ret_size = size;
    return TRUE;
}

/* The register's bytes as they are, and how many it has; 0: not known. */
static gsize
read_register (const EvaluateContext *context, guint64 number, guint8 *ret_bytes)
{
    gboolean is_ymm = number >= EVALUATE_REGISTER_YMM;
    guint64 word;

    if (is_ymm || (number >= 17 && number <= 40)) {
        if (!context->read_wide_register || !context->write_wide_register
            || !context->read_wide_register (context->user,
                                             is_ymm ? number - EVALUATE_REGISTER_YMM + 17
                                                    : number,
                                             FALSE, ret_bytes)
            || (is_ymm
                && !context->read_wide_register (context->user, number, FALSE, ret_bytes + 16)))
            return 0;
        return is_ymm ? 32 : 16;
    }
    if (!context->read_register || !context->write_register
        || !context->read_register (context->user, number, &word))
        return 0;
    memcpy (ret_bytes, &word, 8);
    return 8;
}

static gboolean
write_register (const EvaluateContext *context, guint64 number, const guint8 *bytes, gsize room)
{
    guint64 word;

    if (room == 32)
        return context->write_wide_register (context->user, number - EVALUATE_REGISTER_YMM + 17,
                                             bytes)
               && context->write_wide_register (context->user, number, bytes + 16);
    if (room == 16)
        return context->write_wide_register (context->user, number, bytes);
    memcpy (&word, bytes, 8);
    return context->write_register (context->user, number, word);
}

static gboolean
is_text (EvaluateRun *run, const EvaluateValue *value)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    if (type->kind != EVALUATE_TYPE_ARRAY)
        return FALSE;
    EvaluateTypeKind kind = evaluate_run_get_type (run, type->target)->kind;
    return kind == EVALUATE_TYPE_CHAR || kind == EVALUATE_TYPE_UCHAR;
}

/* The value is no number. */
static gboolean
fail_scalar (EvaluateRun *run, const EvaluateValue *value, GError **error)
{
    if (is_text (run, value) && value->place == EVALUATE_PLACE_NONE)
        return fail_invalid (error, N_ ("the string is not in the program's memory; assign "
                                        "strdup (\"…\"), which copies it there"));
    return fail_invalid (error, value->problem ? value->problem : N_ ("not a number"));
}

/* What is to be stored: a number in the place's type, or all of an equal aggregate. */
static gboolean
take_bytes (EvaluateRun *run, const EvaluateValue *place, EvaluateValue *value,
            guint8 *ret_bytes, gsize *ret_size, GError **error)
{
    const EvaluateType *type = evaluate_run_get_type (run, place->type);
    EvaluateScalar scalar;

    if (value->problem)
        return fail_invalid (error, value->problem);
    if (type->kind == EVALUATE_TYPE_STRUCT || type->kind == EVALUATE_TYPE_UNION
        || type->kind == EVALUATE_TYPE_ARRAY) {
        const EvaluateType *from = evaluate_run_get_type (run, value->type);
        if (from->kind != type->kind || from->size != type->size
            || type->size > EVALUATE_REGISTER_ROOM || strcmp (from->name, type->name) != 0)
            return fail_invalid (error, N_ ("types differ"));
        if (!evaluate_value_fetch (run, value, type->size))
            return fail_invalid (error, value->problem);
        memcpy (ret_bytes, value->bytes->data, type->size);
        *ret_size = type->size;
        return TRUE;
    }
    if (!evaluate_value_read_scalar (run, value, &scalar))
        return fail_scalar (run, value, error);
    if (place->bit_size || !evaluate_scalar_store (type, &scalar, ret_bytes, ret_size))
        return fail_invalid (error, N_ ("not a number that fits a register"));
    return TRUE;
}

/* The bytes beside the value's stay as they are. */
static gboolean
store_register (EvaluateRun *run, EvaluateValue *place, EvaluateValue *value, GError **error)
{
    guint8 bytes[EVALUATE_REGISTER_ROOM] = { 0 }, whole[EVALUATE_REGISTER_ROOM] = { 0 };
    gsize size = 0, room;

    if (!take_bytes (run, place, value, bytes, &size, error))
        return FALSE;
    room = read_register (run->context, place->address, whole);
    if (place->inside <= room && size <= room - place->inside) {
        memcpy (whole + place->inside, bytes, size);
        if (write_register (run->context, place->address, whole, room)) {
            place->bytes = g_byte_array_new ();
            g_byte_array_append (place->bytes, bytes, size);
            return TRUE;
        }
    }
    base_error_set (error, BASE_ERROR_UNSUPPORTED,
                    "cannot assign: the variable is in a register that cannot be changed here");
    return FALSE;
}

static gboolean store_value (EvaluateRun *run, EvaluateValue *place, EvaluateValue *value,
                             GError **error);

/* Fortran's text is cut or filled with blanks, C's must fit in and is filled with zeros. */
static gboolean
store_text (EvaluateRun *run, EvaluateValue *place, EvaluateValue *value, guint64 count,
            GError **error)
{
    const EvaluateType *type = evaluate_run_get_type (run, place->type);
    gboolean fortran = (type->flags & EVALUATE_TYPE_FORTRAN) != 0;
    g_autoptr (GByteArray) text = evaluate_run_read_text (run, value);
    guint64 width = evaluate_run_get_type (run, type->target)->size;
    if (!text)
        return fail_invalid (error, value->problem);
    if (width
        != evaluate_run_get_type (run, evaluate_run_get_type (run, value->type)->target)->size)
        return fail_invalid (error, N_ ("strings of different kinds"));
    if (!fortran && text->len > count * width)
        return fail_invalid (error, N_ ("the string is longer than the array"));
    for (guint64 i = 0; i < count; i++) {
        guint32 blank = fortran ? ' ' : 0;
        gboolean there = (i + 1) * width <= text->len;
        EvaluateValue part;
        evaluate_run_take_element (run, place, (gint64) i, &part);
        if (!base_memory_write (run->context->memory, part.address,
                                there ? text->data + i * width : (const guint8 *) &blank, width,
                                error))
            return FALSE;
    }
    return TRUE;
}

/* Element by element: of an array of the same length, or in Fortran the same number into all. */
static gboolean
store_array (EvaluateRun *run, EvaluateValue *place, EvaluateValue *value, GError **error)
{
    const EvaluateType *type = evaluate_run_get_type (run, place->type);
    const EvaluateType *from = evaluate_run_get_type (run, value->type);
    gboolean is_array = from->kind == EVALUATE_TYPE_ARRAY, good = TRUE;
    if (!evaluate_run_resolve (run, place) || (is_array && !evaluate_run_resolve (run, value)))
        return fail_invalid (error, place->problem ? place->problem : value->problem);
    guint64 count = place->n_sections ? (guint64) place->sections[0].count
                                      : evaluate_run_find_count (run, type);
    if (count > MAX_ELEMENTS)
        return fail_invalid (error, N_ ("the array is too long"));
    if (is_text (run, place) && is_text (run, value))
        return store_text (run, place, value, count, error);
    if (is_array ? (value->n_sections ? (guint64) value->sections[0].count
                                      : evaluate_run_find_count (run, from))
                       != count
                 : !(type->flags & EVALUATE_TYPE_FORTRAN))
        return fail_invalid (error, is_array ? N_ ("the arrays differ in length")
                                             : N_ ("types differ"));
    for (guint64 i = 0; good && i < count; i++) {
        EvaluateValue to, part = { 0 };
        evaluate_run_take_element (run, place, (gint64) i, &to);
        if (is_array)
            evaluate_run_take_element (run, value, (gint64) i, &part);
        good = store_value (run, &to, is_array ? &part : value, error);
        evaluate_value_clear (&to);
        evaluate_value_clear (&part);
    }
    return good;
}

static gboolean
store_complex (EvaluateRun *run, const EvaluateValue *place, EvaluateValue *value,
               GError **error)
{
    const EvaluateType *type = evaluate_run_get_type (run, place->type);
    BaseReal parts[2];
    guint8 bytes[32];
    if (!evaluate_value_read_complex (run, value, parts)
        || !evaluate_complex_store (type, parts, bytes))
        return fail_invalid (error, value->problem ? value->problem : N_ ("not a number"));
    return base_memory_write (run->context->memory, place->address, bytes, type->size, error);
}

static gboolean
store_value (EvaluateRun *run, EvaluateValue *place, EvaluateValue *value, GError **error)
{
    const EvaluateType *type = evaluate_run_get_type (run, place->type);
    EvaluateScalar scalar;
    guint8 bytes[16] = { 0 };
    gsize size = 0;
    guint64 address = place->address;
    if (place->problem || place->place == EVALUATE_PLACE_NONE)
        return fail_invalid (error, place->problem ? place->problem : N_ ("not a place"));
    if (place->place == EVALUATE_PLACE_REGISTER)
        return store_register (run, place, value, error);
    if (value->problem)
        return fail_invalid (error, value->problem);
    if (type->kind == EVALUATE_TYPE_STRUCT || type->kind == EVALUATE_TYPE_UNION
        || (type->flags & EVALUATE_TYPE_TO_METHOD)) {
        const EvaluateType *from = evaluate_run_get_type (run, value->type);
        if (from->kind != type->kind || from->size != type->size
            || strcmp (from->name, type->name) != 0)
            return fail_invalid (error, N_ ("types differ"));
        if (!evaluate_value_fetch (run, value, type->size))
            return fail_invalid (error, value->problem);
        return base_memory_write (run->context->memory, address, value->bytes->data, type->size,
                                  error);
    }
    if (type->kind == EVALUATE_TYPE_ARRAY)
        return store_array (run, place, value, error);
    if (type->kind == EVALUATE_TYPE_COMPLEX)
        return store_complex (run, place, value, error);
    if (evaluate_run_get_type (run, value->type)->kind == EVALUATE_TYPE_ARRAY
        && type->kind != EVALUATE_TYPE_POINTER)
        return fail_invalid (error, N_ ("types differ"));
    if (!evaluate_value_read_scalar (run, value, &scalar))
        return fail_scalar (run, value, error);
    if (place->bit_size) {
        if (scalar.kind == EVALUATE_SCALAR_FLOAT)
            scalar.integer = (guint64) (gint64) scalar.real;
        if (!merge_bits (run->context, place, &scalar, &address, bytes, &size, error))
            return FALSE;
    } else if (!evaluate_scalar_store (type, &scalar, bytes, &size)) {
        return fail_invalid (error, N_ ("not a number"));
    }
    return base_memory_write (run->context->memory, address, bytes, size, error);
}

/* Bytes of the place as they are, if they are to be told. */
static gboolean
keep_old (EvaluateRun *run, const EvaluateValue *place, EvaluateValue *ret_old)
{
    gsize size = evaluate_run_find_size (run, place->type);

    evaluate_value_take_part (place, place->type, 0, ret_old);
    ret_old->bit_size = place->bit_size;
    ret_old->bit_offset = place->bit_offset;
    return evaluate_value_fetch (run, ret_old, size);
}

void
evaluate_machine_run_assign (EvaluateMachine *machine, guint32 type, gboolean is_old_wanted)
{
    EvaluateRun *run = machine->run;
    EvaluateValue value, place, old = { 0 };
    g_autoptr (GError) error = NULL;
    g_autofree char *problem = NULL;

    if (machine->n < 2) {
        machine->broken = TRUE;
        return;
    }
    evaluate_machine_pop (machine, &value);
    evaluate_machine_pop (machine, &place);
    g_clear_pointer (&place.bytes, g_byte_array_unref);
    if (run->context->note_change == NULL)
        problem = g_strdup (N_ ("<cannot assign: nothing can be changed here>"));
    else if (is_old_wanted && !place.problem && !keep_old (run, &place, &old))
        problem = g_strdup (old.problem);
    else {
        run->context->note_change (run->context->user);
        if (!store_value (run, &place, &value, &error))
            problem = evaluate_run_say_error (run, error);
    }
    evaluate_value_clear (&value);
    if (problem) {
        evaluate_machine_push_problem (machine, type, problem);
    } else {
        machine->stack[machine->n++] = is_old_wanted ? old : place;
    }
    if (problem || is_old_wanted)
        evaluate_value_clear (&place);
    if (problem || !is_old_wanted)
        evaluate_value_clear (&old);
}
