/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine that runs read programs: a stack of typed values; scalar.c has the arithmetic.
 * Checks every operand at run time. */
#include <glib/gi18n.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "evaluate/program-private.h"

#define MAX_FETCH (1 << 20)

void
evaluate_value_clear (EvaluateValue *value)
{
    g_clear_pointer (&value->bytes, g_byte_array_unref);
    g_clear_pointer (&value->gaps, g_byte_array_unref);
    g_clear_pointer (&value->problem, g_free);
}

void
evaluate_value_set_problem (EvaluateValue *value, char *problem)
{
    g_free (value->problem);
    value->problem = problem;
}

const EvaluateType *
evaluate_program_get_type (const EvaluateProgram *program, guint32 index)
{
    const EvaluateType *type = &program->types[index];
    while (type->kind == EVALUATE_TYPE_TYPEDEF)
        type = &program->types[type->target];
    return type;
}

const EvaluateType *
evaluate_run_get_type (const EvaluateRun *run, guint32 index)
{
    return evaluate_program_get_type (run->program, index);
}

gboolean
evaluate_run_read_register (EvaluateRun *run, guint number, guint64 *ret_value)
{
    const EvaluateContext *context = run->context;
    if (context->read_register && context->read_register (context->user, number, ret_value))
        return TRUE;
    return run->is_kept && context->read_kept_register
           && context->read_kept_register (context->user, number, ret_value);
}

gboolean
evaluate_run_read_wide (EvaluateRun *run, guint number, guint8 *ret_bytes)
{
    const EvaluateContext *context = run->context;
    return context->read_wide_register
           && context->read_wide_register (context->user, number, run->is_kept, ret_bytes);
}

static gboolean
fetch_register (EvaluateRun *run, EvaluateValue *value, gsize size)
{
    guint8 bytes[EVALUATE_REGISTER_ROOM] = { 0 };
    guint64 number = 0;
    gboolean is_ymm = value->address >= EVALUATE_REGISTER_YMM;
    gboolean wide = is_ymm || (value->address >= 17 && value->address <= 40),
             was_kept = run->is_kept;
    gsize room = is_ymm ? 32 : wide ? 16 : 8;
    if (run->context->used)
        *run->context->used |= EVALUATE_USED_REGISTER;
    run->is_kept = value->is_kept;
    gboolean good
        = is_ymm
              ? evaluate_run_read_wide (run, value->address - EVALUATE_REGISTER_YMM + 17, bytes)
                    && evaluate_run_read_wide (run, value->address, bytes + 16)
          : wide ? evaluate_run_read_wide (run, value->address, bytes)
                 : evaluate_run_read_register (run, value->address, &number);
    run->is_kept = was_kept;
    if (!wide)
        memcpy (bytes, &number, 8);
    if (!good || value->inside >= room || size > room - value->inside) {
        evaluate_value_set_problem (value, g_strdup (good ? N_ ("<wide register>")
                                                          : N_ ("<not saved>")));
        return FALSE;
    }
    value->bytes = g_byte_array_new ();
    g_byte_array_append (value->bytes, bytes + value->inside, room - value->inside);
    return TRUE;
}

/* A scalar needs all its bits, a structure is asked for its members. */
static gboolean
has_gap (EvaluateValue *value, guint64 first, guint64 end)
{
    for (guint64 i = first; value->gaps && i < end; i++) {
        guint8 gap = i < value->gaps->len ? value->gaps->data[i] : 1;
        if (!gap)
            continue;
        evaluate_value_set_problem (value, g_strdup (evaluate_value_get_reason (gap)));
        return TRUE;
    }
    return FALSE;
}

/* loss: why nobody has that memory any more, for translators; NULL: it was never there. */
static char *
say_unreadable (EvaluateRun *run, guint64 address, const char *loss)
{
    g_autofree char *at = base_text_format_address (address);
    JobText *said = loss == NULL ? job_text_new ("<cannot read memory at %s>", at)
                                 /* Translators: an address, and the reason. */
                                 : job_text_new ("<cannot read memory at %s, %s>", at, loss);

    if (loss != NULL) {
        job_text_nest (said, 1, job_text_new_reason (loss));
    }
    return evaluate_run_say (run, said);
}

gboolean
evaluate_value_fetch_bits (EvaluateRun *run, EvaluateValue *value, guint64 first,
                           guint64 n_bits)
{
    gsize size = (first + n_bits + 7) / 8;
    if (value->problem || has_gap (value, first, first + n_bits))
        return FALSE;
    if (value->bytes && value->bytes->len >= size)
        return TRUE;
    if (size > MAX_FETCH) {
        evaluate_value_set_problem (value, g_strdup (N_ ("<too large>")));
        return FALSE;
    }
    if (value->place == EVALUATE_PLACE_REGISTER && !value->bytes)
        return fetch_register (run, value, size);
    if (value->place != EVALUATE_PLACE_MEMORY) {
        evaluate_value_set_problem (value, g_strdup (value->pointee ? N_ ("<synthetic pointer>")
                                                                    : N_ ("<optimised out>")));
        return FALSE;
    }
    GByteArray *bytes = g_byte_array_sized_new (size);
    g_byte_array_set_size (bytes, size);
    gsize done = base_memory_read_some (run->context->memory, value->address, bytes->data,
                                        size);
    if (done < size) {
        g_byte_array_unref (bytes);
        const char *loss = base_memory_find_loss (run->context->memory, value->address + done);
        evaluate_value_set_problem (value, say_unreadable (run, value->address + done, loss));
        return FALSE;
    }
    g_clear_pointer (&value->bytes, g_byte_array_unref);
    value->bytes = bytes;
    return TRUE;
}

static GByteArray *
copy_from (const GByteArray *bytes, guint64 offset, guint64 most)
{
    GByteArray *copy = g_byte_array_new ();
    if (offset < bytes->len)
        g_byte_array_append (copy, bytes->data + offset,
                             (guint) MIN (bytes->len - offset, most));
    return copy;
}

void
evaluate_value_take_part (const EvaluateValue *value, guint32 type, guint64 offset,
                          EvaluateValue *ret_part)
{
    evaluate_value_take_some (value, type, offset, G_MAXUINT64, ret_part);
}

void
evaluate_value_take_some (const EvaluateValue *value, guint32 type, guint64 offset,
                          guint64 most, EvaluateValue *ret_part)
{
    *ret_part = (EvaluateValue){ .type = type };
    if (value->problem) {
        ret_part->problem = g_strdup (value->problem);
        return;
    }
    if (value->place == EVALUATE_PLACE_MEMORY) {
        ret_part->place = EVALUATE_PLACE_MEMORY;
        ret_part->address = value->address + offset;
    } else if (value->place == EVALUATE_PLACE_REGISTER && offset < EVALUATE_REGISTER_ROOM) {
        ret_part->place = EVALUATE_PLACE_REGISTER;
        ret_part->address = value->address;
        ret_part->is_kept = value->is_kept;
        ret_part->inside = value->inside + offset;
    }
    if (value->bytes)
        ret_part->bytes = copy_from (value->bytes, offset, most);
    if (value->gaps)
        ret_part->gaps = copy_from (value->gaps, offset * 8, MIN (most, G_MAXUINT32) * 8);
}

static void
run_binary (EvaluateMachine *machine, guint32 type, guint operator_id)
{
    EvaluateScalar left, right, result = { 0 };
    if (operator_id == EVALUATE_OPERATOR_COMPLEX || evaluate_machine_has_complex (machine, 2)) {
        evaluate_machine_run_complex (machine, type, operator_id, 2);
        return;
    }
    if (evaluate_machine_has_decimal (machine, 2)) {
        evaluate_machine_run_decimal (machine, type, operator_id, 2);
        return;
    }
    if (evaluate_machine_has_vector (machine, 2)) {
        evaluate_machine_run_vector (machine, type, operator_id, 2);
        return;
    }
    if (!evaluate_machine_pop_two (machine, type, &left, &right))
        return;
    gboolean good = evaluate_scalar_combine (operator_id, &left, &right, &result);
    if (good)
        evaluate_machine_push_scalar (machine, type, &result);
    else
        evaluate_machine_push_problem (machine, type,
                                       operator_id == EVALUATE_OPERATOR_DIVIDE
                                               || operator_id == EVALUATE_OPERATOR_MODULO
                                               || operator_id == EVALUATE_OPERATOR_FLOOR_MODULO
                                           ? N_ ("<division by zero>")
                                           : N_ ("<not a number>"));
}

static void
run_unary (EvaluateMachine *machine, guint32 type, guint operator_id)
{
    EvaluateScalar scalar;
    if (evaluate_machine_has_complex (machine, 1)) {
        evaluate_machine_run_complex (machine, type, operator_id, 1);
        return;
    }
    if (evaluate_machine_has_decimal (machine, 1)) {
        evaluate_machine_run_decimal (machine, type, operator_id, 1);
        return;
    }
    if (evaluate_machine_has_vector (machine, 1)) {
        evaluate_machine_run_vector (machine, type, operator_id, 1);
        return;
    }
    if (!evaluate_machine_pop_scalar (machine, type, &scalar))
        return;
    if (operator_id == EVALUATE_OPERATOR_NOT) {
        scalar.integer = scalar.kind == EVALUATE_SCALAR_FLOAT ? scalar.real == 0
                                                              : !scalar.integer;
        scalar.kind = EVALUATE_SCALAR_SIGNED;
    } else if (operator_id == EVALUATE_OPERATOR_NEGATE) {
        scalar.integer = -scalar.integer;
        scalar.real = -scalar.real;
    } else if (operator_id == EVALUATE_OPERATOR_COMPLEMENT
               && scalar.kind != EVALUATE_SCALAR_FLOAT) {
        scalar.integer = ~scalar.integer;
    } else if (evaluate_scalar_round (operator_id, &scalar)) {
        ;
    } else {
        evaluate_machine_push_problem (machine, type, N_ ("<not an integer>"));
        return;
    }
    evaluate_machine_push_scalar (machine, type, &scalar);
}

static void
run_location (EvaluateMachine *machine, guint32 type, gboolean kept)
{
    BaseCursor *cursor = &machine->cursor;
    gsize base_size = base_cursor_read_uleb (cursor);
    const guint8 *base = base_cursor_read_bytes (cursor, base_size);
    gsize size = base_cursor_read_uleb (cursor);
    const guint8 *expression = base_cursor_read_bytes (cursor, size);
    EvaluateValue *value = cursor->failed ? NULL : evaluate_machine_push (machine, type);
    if (!value)
        return;
    machine->run->is_kept = kept;
    machine->run->frame_base = base;
    machine->run->frame_base_size = base_size;
    evaluate_run_location (machine->run, base, base_size, expression, size, value);
}

/* Follows a pointer that has no value, only the location of what it points to. */
static void
follow_synthetic (EvaluateMachine *machine, guint32 type, const EvaluateValue *pointer)
{
    EvaluateRun *run = machine->run;
    EvaluateValue target = { .type = type };
    evaluate_run_location (run, run->frame_base, run->frame_base_size, pointer->pointee,
                           pointer->pointee_size, &target);
    EvaluateValue *value = evaluate_machine_push (machine, type);
    if (value)
        evaluate_value_take_part (&target, type, pointer->pointee_offset, value);
    evaluate_value_clear (&target);
}

/* An array that was computed and lies nowhere. */
static gboolean
has_own_bytes (const EvaluateMachine *machine)
{
    const EvaluateValue *top = machine->n ? &machine->stack[machine->n - 1] : NULL;
    return top && !top->problem && top->place == EVALUATE_PLACE_NONE && top->bytes
           && evaluate_run_get_type (machine->run, top->type)->kind == EVALUATE_TYPE_ARRAY;
}

static void
run_deref (EvaluateMachine *machine, guint32 type)
{
    EvaluateScalar scalar;
    if (machine->n && machine->stack[machine->n - 1].pointee) {
        EvaluateValue pointer = machine->stack[--machine->n];
        follow_synthetic (machine, type, &pointer);
        evaluate_value_clear (&pointer);
    } else if (has_own_bytes (machine)) {
        EvaluateValue array = machine->stack[--machine->n];
        evaluate_value_take_part (&array, type, 0, &machine->stack[machine->n++]);
        evaluate_value_clear (&array);
    } else if (evaluate_machine_pop_scalar (machine, type, &scalar)) {
        evaluate_machine_push_place (machine, type, scalar.integer);
    }
}

static void
run_bytes (EvaluateMachine *machine, guint32 type, gboolean problem)
{
    gsize size = base_cursor_read_uleb (&machine->cursor);
    const guint8 *bytes = base_cursor_read_bytes (&machine->cursor, size);
    EvaluateValue *value = machine->cursor.failed ? NULL
                                                  : evaluate_machine_push (machine, type);
    if (!value)
        return;
    if (problem) {
        g_autofree char *text = g_strndup ((const char *) bytes, size);
        g_auto (GStrv) words = g_strsplit (text, EVALUATE_PROBLEM_ARGUMENT, -1);
        value->problem
            = words[0] && words[1]
                  ? evaluate_run_say (machine->run,
                                      job_text_new_formed (words[0],
                                                           (const char *const *) words + 1))
                  : g_steal_pointer (&text);
    } else {
        value->bytes = g_byte_array_new ();
        g_byte_array_append (value->bytes, bytes, size);
    }
}

static void
run_shared (EvaluateMachine *machine, guint32 type)
{
    const EvaluateContext *context = machine->run->context;
    gsize size = base_cursor_read_uleb (&machine->cursor);
    const guint8 *bytes = base_cursor_read_bytes (&machine->cursor, size);
    g_autofree char *name = bytes != NULL ? g_strndup ((const char *) bytes, size) : NULL;
    guint64 address;

    if (name != NULL && context->find_shared != NULL
        && context->find_shared (context->user, name, &address))
        evaluate_machine_push_place (machine, type, address);
    else
        evaluate_machine_push_problem (
            machine, type,
            evaluate_run_get_type (machine->run, type)->kind == EVALUATE_TYPE_FUNCTION
                ? N_ ("<no code of its own: only inlined, or in no loaded file>")
                : N_ ("<not in any loaded file>"));
}

static void
run_member (EvaluateMachine *machine, guint32 type)
{
    guint64 offset = base_cursor_read_uleb (&machine->cursor);
    guint32 bit_size = base_cursor_read_uleb (&machine->cursor);
    guint32 bit_offset = base_cursor_read_uleb (&machine->cursor);
    EvaluateValue value, part;
    if (type >= machine->run->program->n_types || bit_size > 64 || bit_offset > 1u << 30
        || !evaluate_machine_pop (machine, &value)) {
        machine->broken = TRUE;
        return;
    }
    if (value.place == EVALUATE_PLACE_REGISTER && !value.problem)
        evaluate_value_fetch (machine->run, &value, 8);
    evaluate_value_take_part (&value, type, offset, &part);
    part.bit_size = bit_size;
    part.bit_offset = bit_offset;
    evaluate_value_clear (&value);
    machine->stack[machine->n++] = part;
}

/* Base (array place, or pointer) and number of the element. */
static void
run_index (EvaluateMachine *machine, guint32 type, gint64 first, gboolean slice)
{
    EvaluateScalar index = { EVALUATE_SCALAR_SIGNED, first, 0 }, base;
    EvaluateRun *run = machine->run;
    EvaluateValue value, part;
    if (!slice && !evaluate_machine_pop_scalar (machine, type, &index)) {
        evaluate_machine_drop_below (machine);
        return;
    }
    if (!evaluate_machine_pop (machine, &value))
        return;
    const EvaluateType *array = evaluate_run_get_type (run, value.type);
    if (array->kind == EVALUATE_TYPE_ARRAY) {
        if (value.place == EVALUATE_PLACE_REGISTER && !value.problem)
            evaluate_value_fetch (run, &value, 8);
        if (evaluate_run_resolve (run, &value))
            index.integer -= value.n_sections ? 1 : evaluate_run_find_lower (run, array);
        evaluate_run_take_element (run, &value, index.integer, &part);
        part.type = type;
        part.resolved = part.resolved && !slice;
        machine->stack[machine->n++] = part;
    } else if (value.pointee && !value.problem && !slice) {
        value.pointee_offset += index.integer * (gint64) evaluate_run_find_size (run, type);
        follow_synthetic (machine, type, &value);
    } else if (evaluate_value_read_scalar (run, &value, &base)) {
        guint32 element = slice ? evaluate_run_get_type (run, type)->target : type;
        guint64 size = element < run->program->n_types ? evaluate_run_find_size (run, element)
                                                       : 0;
        evaluate_machine_push_place (machine, type, base.integer + index.integer * size);
    } else {
        evaluate_machine_push_problem (machine, type, value.problem);
    }
    evaluate_value_clear (&value);
}

static void
run_virtual (EvaluateMachine *machine, guint32 type, gint64 in_vtable)
{
    EvaluateValue value;
    guint64 vtable = 0;
    gint64 offset = 0;
    BaseMemoryReader *memory = machine->run->context->memory;
    if (!evaluate_machine_pop (machine, &value))
        return;
    if (value.problem)
        evaluate_machine_push_problem (machine, type, value.problem);
    else if (value.place != EVALUATE_PLACE_MEMORY
             || base_memory_read_some (memory, value.address, &vtable, 8) < 8
             || base_memory_read_some (memory, vtable + in_vtable, &offset, 8) < 8)
        evaluate_machine_push_problem (machine, type, N_ ("<cannot find the virtual base>"));
    else
        evaluate_machine_push_place (machine, type, value.address + offset);
    evaluate_value_clear (&value);
}

/* The vtable says, two words before its functions, how far it is to the object's start. */
static void
run_whole (EvaluateMachine *machine, guint32 type)
{
    EvaluateValue value;
    guint64 vtable = 0;
    gint64 offset = 0;
    BaseMemoryReader *memory = machine->run->context->memory;
    if (!evaluate_machine_pop (machine, &value))
        return;
    if (value.problem)
        evaluate_machine_push_problem (machine, type, value.problem);
    else if (value.place != EVALUATE_PLACE_MEMORY
             || base_memory_read_some (memory, value.address, &vtable, 8) < 8
             || base_memory_read_some (memory, vtable - 16, &offset, 8) < 8)
        evaluate_machine_push_problem (machine, type, N_ ("<cannot read the vtable>"));
    else
        evaluate_machine_push_place (machine, type, value.address + offset);
    evaluate_value_clear (&value);
}

static void
run_container (EvaluateMachine *machine, guint32 type, gboolean element)
{
    EvaluateScalar number = { EVALUATE_SCALAR_UNSIGNED, 0, 0 };
    EvaluateRun *run = machine->run;
    EvaluateHold hold;
    EvaluateValue value;
    guint64 address = 0, count = 0;
    gboolean bit = FALSE, known = FALSE, found = FALSE, is_bit = FALSE;
    if (element && !evaluate_machine_pop_scalar (machine, type, &number)) {
        evaluate_machine_drop_below (machine);
        return;
    }
    if (!evaluate_machine_pop (machine, &value))
        return;
    if (evaluate_hold_begin (run, &value, &hold)) {
        known = evaluate_view_find_count (run, &hold.value, &count);
        found = element
                && evaluate_view_find_element (run, &hold.value, number.integer, &address);
        is_bit = element && !found
                 && evaluate_view_find_bit (run, &hold.value, number.integer, &bit);
        evaluate_hold_end (run, &hold);
    }
    if (!element || is_bit)
        number.integer = is_bit ? (guint64) bit : count;
    if (value.problem) {
        evaluate_machine_push_problem (machine, type, value.problem);
    } else if (found && value.place != EVALUATE_PLACE_MEMORY && address >= EVALUATE_HELD_AT) {
        EvaluateValue *part = evaluate_machine_push (machine, type);
        if (part)
            evaluate_value_take_part (&value, type, address - EVALUATE_HELD_AT, part);
    } else if (found) {
        evaluate_machine_push_place (machine, type, address);
    } else if (is_bit || (known && !element)) {
        evaluate_machine_push_scalar (machine, type, &number);
    } else {
        evaluate_machine_push_problem (machine, type,
                                       !known && value.place != EVALUATE_PLACE_MEMORY
                                           ? N_ ("<optimised out>")
                                       : element ? N_ ("<no such element>")
                                                 : N_ ("<no valid container>"));
    }
    evaluate_value_clear (&value);
}

static void
run_present (EvaluateMachine *machine)
{
    EvaluateValue *value = machine->n ? &machine->stack[machine->n - 1] : NULL;
    if (value && !value->problem && value->place == EVALUATE_PLACE_MEMORY && !value->address)
        evaluate_value_set_problem (value, g_strdup (EVALUATE_NOT_PRESENT));
}

static void
run_address (EvaluateMachine *machine, guint32 type)
{
    EvaluateValue value;
    if (!evaluate_machine_pop (machine, &value))
        return;
    evaluate_run_resolve (machine->run, &value);
    EvaluateScalar scalar = { EVALUATE_SCALAR_UNSIGNED, value.address, 0 };
    if (value.problem)
        evaluate_machine_push_problem (machine, type, value.problem);
    else if (value.place != EVALUATE_PLACE_MEMORY)
        evaluate_machine_push_problem (machine, type, N_ ("<not in memory>"));
    else
        evaluate_machine_push_scalar (machine, type, &scalar);
    evaluate_value_clear (&value);
}

/* Its two words stay what they are. */
static gboolean
is_method_pointer (EvaluateMachine *machine, const EvaluateType *to)
{
    return (to->flags & EVALUATE_TYPE_TO_METHOD)
           && evaluate_run_find_size (machine->run, machine->stack[machine->n - 1].type)
                  == to->size;
}

static void
run_cast (EvaluateMachine *machine, guint32 type)
{
    EvaluateScalar scalar;
    if (type >= machine->run->program->n_types) {
        machine->broken = TRUE;
        return;
    }
    const EvaluateType *to = evaluate_run_get_type (machine->run, type);
    if (to->flags & EVALUATE_TYPE_DECIMAL || evaluate_machine_has_decimal (machine, 1))
        evaluate_machine_run_decimal (machine, type, EVALUATE_OPERATOR_CAST, 1);
    else if (machine->n
             && (is_method_pointer (machine, to) || to->kind == EVALUATE_TYPE_STRUCT
                 || to->kind == EVALUATE_TYPE_UNION || to->kind == EVALUATE_TYPE_ARRAY
                 || to->kind == EVALUATE_TYPE_VOID))
        machine->stack[machine->n - 1].type = type;
    else if (to->kind == EVALUATE_TYPE_COMPLEX || evaluate_machine_has_complex (machine, 1))
        evaluate_machine_run_complex (machine, type,
                                      to->kind == EVALUATE_TYPE_COMPLEX
                                          ? EVALUATE_OPERATOR_CAST
                                          : EVALUATE_OPERATOR_REAL_PART,
                                      1);
    else if (evaluate_machine_pop_scalar (machine, type, &scalar))
        evaluate_machine_push_scalar (machine, type, &scalar);
}

/* Function and arguments, which are taken from the stack; what it returned. */
static void
run_call (EvaluateMachine *machine, guint32 type)
{
    guint64 n = base_cursor_read_uleb (&machine->cursor);
    guint64 by_reference = base_cursor_read_uleb (&machine->cursor);
    guint64 by_descriptor = base_cursor_read_uleb (&machine->cursor);
    EvaluateValue result;
    if (n > EVALUATE_MAX_ARGUMENTS || n >= machine->n
        || type >= machine->run->program->n_types) {
        machine->broken = TRUE;
        return;
    }
    EvaluateValue *operands = &machine->stack[machine->n - n - 1];
    evaluate_run_call (machine->run, type, operands, n, (guint32) by_reference,
                       (guint32) by_descriptor, &result);
    for (guint64 i = 0; i <= n; i++)
        evaluate_value_clear (&operands[i]);
    machine->n -= n + 1;
    machine->stack[machine->n++] = result;
}

/* The same place twice; what has no place is copied with its bytes. */
static void
run_dup (EvaluateMachine *machine)
{
    const EvaluateValue *from = machine->n ? &machine->stack[machine->n - 1] : NULL;
    EvaluateValue *copy = from ? evaluate_machine_push (machine, from->type) : NULL;

    if (!copy) {
        machine->broken = TRUE;
        return;
    }
    *copy = *from;
    copy->bytes = from->bytes ? g_byte_array_ref (from->bytes) : NULL;
    copy->gaps = from->gaps ? g_byte_array_ref (from->gaps) : NULL;
    copy->problem = g_strdup (from->problem);
}

gboolean
evaluate_value_spread_bits (EvaluateRun *run, EvaluateValue *value)
{
    EvaluateScalar scalar;
    guint8 bytes[16];
    gsize size = 0;
    if (!evaluate_value_read_scalar (run, value, &scalar)
        || !evaluate_scalar_store (evaluate_run_get_type (run, value->type), &scalar, bytes,
                                   &size))
        return FALSE;
    EvaluateValue whole = { .type = value->type,
                            .bytes = g_byte_array_append (g_byte_array_new (), bytes,
                                                          (guint) size) };
    evaluate_value_clear (value);
    *value = whole;
    return TRUE;
}

/* The array so far lies below the value. */
static void
run_append (EvaluateMachine *machine, guint32 type)
{
    EvaluateValue value, array;
    if (machine->n < 2) {
        machine->broken = TRUE;
        return;
    }
    evaluate_machine_pop (machine, &value);
    evaluate_machine_pop (machine, &array);
    guint64 size = evaluate_run_find_size (machine->run, value.type);
    gboolean good = !array.problem && array.bytes
                    && (!value.bit_size || evaluate_value_spread_bits (machine->run, &value))
                    && evaluate_value_fetch (machine->run, &value, size);
    EvaluateValue *whole = good ? evaluate_machine_push (machine, type) : NULL;
    if (whole) {
        whole->bytes = g_byte_array_ref (array.bytes);
        g_byte_array_append (whole->bytes, value.bytes->data, (guint) size);
    } else if (!good) {
        evaluate_machine_push_problem (machine, type,
                                       array.problem ? array.problem : value.problem);
    }
    evaluate_value_clear (&array);
    evaluate_value_clear (&value);
}

static void
run_jump (EvaluateMachine *machine, guint op)
{
    guint64 by = base_cursor_read_uleb (&machine->cursor);
    EvaluateScalar scalar = { EVALUATE_SCALAR_SIGNED, 0, 0 };
    EvaluateValue value;
    if (op == EVALUATE_OP_JUMP_FALSE) {
        if (!evaluate_machine_pop (machine, &value))
            return;
        gboolean known = evaluate_value_read_scalar (machine->run, &value, &scalar);
        if (!known) {
            /* the whole is as unknown as the condition */
            evaluate_machine_push_problem (machine, machine->run->program->type, value.problem);
            base_cursor_seek (&machine->cursor, machine->cursor.size);
        }
        evaluate_value_clear (&value);
        if (!known
            || (scalar.kind == EVALUATE_SCALAR_FLOAT ? scalar.real != 0 : scalar.integer != 0))
            return;
    }
    base_cursor_skip (&machine->cursor, by);
}

static void
run_operation (EvaluateMachine *machine, guint op, guint32 type)
{
    BaseCursor *cursor = &machine->cursor;
    EvaluateScalar scalar = { EVALUATE_SCALAR_SIGNED, 0, 0 }, base;
    EvaluateValue *value;
    guint64 size;
    gint64 first;
    switch (op) {
    case EVALUATE_OP_LOCATION:
    case EVALUATE_OP_LOCATION_KEPT:
        run_location (machine, type, op == EVALUATE_OP_LOCATION_KEPT);
        break;
    case EVALUATE_OP_CONSTANT:
        scalar.integer = base_cursor_read_sleb (cursor);
        evaluate_machine_push_scalar (machine, type, &scalar);
        break;
    case EVALUATE_OP_BYTES: run_bytes (machine, type, FALSE); break;
    case EVALUATE_OP_PROBLEM: run_bytes (machine, type, TRUE); break;
    case EVALUATE_OP_REGISTER:
        value = evaluate_machine_push (machine, type);
        size = base_cursor_read_uleb (cursor);
        if (value) {
            value->place = EVALUATE_PLACE_REGISTER;
            value->address = size;
        }
        break;
    case EVALUATE_OP_STATIC:
        evaluate_machine_push_place (machine, type,
                                     evaluate_context_locate (machine->run->context,
                                                              base_cursor_read_uleb (cursor)));
        break;
    case EVALUATE_OP_SHARED: run_shared (machine, type); break;
    case EVALUATE_OP_DUP: run_dup (machine); break;
    case EVALUATE_OP_ASSIGN:
        evaluate_machine_run_assign (machine, type, base_cursor_read_uleb (cursor) == 1);
        break;
    case EVALUATE_OP_MEMBER: run_member (machine, type); break;
    case EVALUATE_OP_DEREF: run_deref (machine, type); break;
    case EVALUATE_OP_ADDRESS: run_address (machine, type); break;
    case EVALUATE_OP_INDEX:
        base_cursor_read_uleb (cursor);
        run_index (machine, type, 0, FALSE);
        break;
    case EVALUATE_OP_SLICE:
        first = base_cursor_read_sleb (cursor);
        base_cursor_read_uleb (cursor);
        run_index (machine, type, first, TRUE);
        break;
    case EVALUATE_OP_SECTION: evaluate_machine_run_section (machine, type); break;
    case EVALUATE_OP_KEY: evaluate_machine_run_key (machine, type); break;
    case EVALUATE_OP_STRINGS: evaluate_machine_run_strings (machine, type); break;
    case EVALUATE_OP_PRESENT: run_present (machine); break;
    case EVALUATE_OP_STRING: evaluate_machine_run_string (machine, type); break;
    case EVALUATE_OP_KEPT: evaluate_machine_run_kept (machine, type); break;
    case EVALUATE_OP_KEEP: evaluate_machine_run_keep (machine, type); break;
    case EVALUATE_OP_APPEND: run_append (machine, type); break;
    case EVALUATE_OP_DROP: evaluate_machine_drop_below (machine); break;
    case EVALUATE_OP_COMPONENT: evaluate_machine_run_component (machine, type); break;
    case EVALUATE_OP_SHAPE: evaluate_machine_run_shape (machine, type); break;
    case EVALUATE_OP_TEXT: evaluate_machine_run_text (machine, type); break;
    case EVALUATE_OP_VIRTUAL:
        run_virtual (machine, type, base_cursor_read_sleb (cursor));
        break;
    case EVALUATE_OP_WHOLE: run_whole (machine, type); break;
    case EVALUATE_OP_ELEMENT: run_container (machine, type, TRUE); break;
    case EVALUATE_OP_COUNT: run_container (machine, type, FALSE); break;
    case EVALUATE_OP_OFFSET:
        size = base_cursor_read_uleb (cursor);
        if (evaluate_machine_pop_two (machine, type, &base, &scalar)) {
            base.integer += scalar.integer * size;
            evaluate_machine_push_scalar (machine, type, &base);
        }
        break;
    case EVALUATE_OP_CALL: run_call (machine, type); break;
    case EVALUATE_OP_CAST: run_cast (machine, type); break;
    case EVALUATE_OP_UNARY: run_unary (machine, type, base_cursor_read_uleb (cursor)); break;
    case EVALUATE_OP_BINARY: run_binary (machine, type, base_cursor_read_uleb (cursor)); break;
    default: machine->broken = TRUE;
    }
}

gboolean
evaluate_run_code (EvaluateRun *run, const guint8 *code, gsize size, EvaluateValue *ret_value,
                   GError **error)
{
    static EvaluateMachine
        *spare; /* large: it is dear to make, and nothing of it is cleared in vain */
    EvaluateMachine *machine
        = g_steal_pointer (&spare); /* another run may begin within this one */
    if (!machine)
        machine = g_new (EvaluateMachine, 1);
    machine->run = run;
    machine->n = 0;
    machine->broken = FALSE;
    machine->cursor = (BaseCursor) BASE_CURSOR_INIT (code, size);
    while (!machine->broken && base_cursor_get_left (&machine->cursor)) {
        guint op = base_cursor_read_uleb (&machine->cursor);
        if (op == EVALUATE_OP_END)
            break;
        if (op == EVALUATE_OP_JUMP || op == EVALUATE_OP_JUMP_FALSE) {
            run_jump (machine, op);
        } else {
            guint64 type = base_cursor_read_uleb (&machine->cursor);
            if (type >= run->program->n_types)
                machine->broken = TRUE;
            else
                run_operation (machine, op, type);
        }
        if (machine->cursor.failed)
            machine->broken = TRUE;
    }
    gboolean good = !machine->broken && machine->n > 0;
    if (good)
        *ret_value = machine->stack[--machine->n];
    while (machine->n)
        evaluate_value_clear (&machine->stack[--machine->n]);
    if (!good)
        base_error_set (error, BASE_ERROR_CORRUPT, "cannot run program: broken code");
    g_free (spare);
    spare = machine;
    return good;
}
