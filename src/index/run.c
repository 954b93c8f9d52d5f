/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine that runs read programs: a stack of typed values; scalar.c has the arithmetic.
 * Checks every operand at run time. */
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "index/program-private.h"

#define MAX_FETCH (1 << 20)

void
index_value_clear (IndexValue *value)
{
    g_clear_pointer (&value->bytes, g_byte_array_unref);
    g_clear_pointer (&value->gaps, g_byte_array_unref);
    g_clear_pointer (&value->problem, g_free);
}

void
index_value_set_problem (IndexValue *value, char *problem)
{
    g_free (value->problem);
    value->problem = problem;
}

const IndexType *
index_run_get_type (const IndexRun *run, guint32 index)
{
    const IndexType *type = &run->program->types[index];
    while (type->kind == INDEX_TYPE_TYPEDEF)
        type = &run->program->types[type->target];
    return type;
}

gboolean
index_run_read_register (IndexRun *run, guint number, guint64 *ret_value)
{
    const IndexContext *context = run->context;
    if (context->read_register && context->read_register (context->user, number, ret_value))
        return TRUE;
    return run->is_kept && context->read_kept_register
           && context->read_kept_register (context->user, number, ret_value);
}

gboolean
index_run_read_wide (IndexRun *run, guint number, guint8 *ret_bytes)
{
    const IndexContext *context = run->context;
    return context->read_wide_register
           && context->read_wide_register (context->user, number, run->is_kept, ret_bytes);
}

static gboolean
fetch_register (IndexRun *run, IndexValue *value, gsize size)
{
    guint8 bytes[INDEX_REGISTER_ROOM] = { 0 };
    guint64 number = 0;
    gboolean is_ymm = value->address >= INDEX_REGISTER_YMM;
    gboolean wide = is_ymm || (value->address >= 17 && value->address <= 40),
             was_kept = run->is_kept;
    gsize room = is_ymm ? 32 : wide ? 16 : 8;
    if (run->context->used)
        *run->context->used |= INDEX_USED_REGISTER;
    run->is_kept = value->is_kept;
    gboolean good = is_ymm ? index_run_read_wide (run, value->address - INDEX_REGISTER_YMM + 17,
                                                  bytes)
                                 && index_run_read_wide (run, value->address, bytes + 16)
                    : wide ? index_run_read_wide (run, value->address, bytes)
                           : index_run_read_register (run, value->address, &number);
    run->is_kept = was_kept;
    if (!wide)
        memcpy (bytes, &number, 8);
    if (!good || value->inside >= room || size > room - value->inside) {
        index_value_set_problem (value, g_strdup (good ? "<wide register>" : "<not saved>"));
        return FALSE;
    }
    value->bytes = g_byte_array_new ();
    g_byte_array_append (value->bytes, bytes + value->inside, room - value->inside);
    return TRUE;
}

/* A scalar needs all its bytes, a structure is asked for its members. */
static gboolean
has_gap (IndexValue *value, gsize size)
{
    for (gsize i = 0; value->gaps && i < size; i++) {
        guint8 gap = i < value->gaps->len ? value->gaps->data[i] : 1;
        if (!gap)
            continue;
        index_value_set_problem (value, g_strdup (index_value_get_reason (gap)));
        return TRUE;
    }
    return FALSE;
}

gboolean
index_value_fetch (IndexRun *run, IndexValue *value, gsize size)
{
    if (value->problem || has_gap (value, size))
        return FALSE;
    if (value->bytes && value->bytes->len >= size)
        return TRUE;
    if (size > MAX_FETCH) {
        index_value_set_problem (value, g_strdup ("<too large>"));
        return FALSE;
    }
    if (value->place == INDEX_PLACE_REGISTER && !value->bytes)
        return fetch_register (run, value, size);
    if (value->place != INDEX_PLACE_MEMORY) {
        index_value_set_problem (value, g_strdup (value->pointee ? "<synthetic pointer>"
                                                                 : "<optimised out>"));
        return FALSE;
    }
    GByteArray *bytes = g_byte_array_sized_new (size);
    g_byte_array_set_size (bytes, size);
    gsize done = base_memory_read_some (run->context->memory, value->address, bytes->data,
                                        size);
    if (done < size) {
        g_byte_array_unref (bytes);
        const char *loss = base_memory_find_loss (run->context->memory, value->address + done);
        index_value_set_problem (value,
                                 g_strdup_printf ("<cannot read memory at 0x%" G_GINT64_MODIFIER
                                                  "x%s%s>",
                                                  value->address + done, loss ? ", " : "",
                                                  loss ? loss : ""));
        return FALSE;
    }
    g_clear_pointer (&value->bytes, g_byte_array_unref);
    value->bytes = bytes;
    return TRUE;
}

static GByteArray *
copy_from (const GByteArray *bytes, guint64 offset)
{
    GByteArray *copy = g_byte_array_new ();
    if (offset < bytes->len)
        g_byte_array_append (copy, bytes->data + offset, bytes->len - offset);
    return copy;
}

void
index_value_take_part (const IndexValue *value, guint32 type, guint64 offset,
                       IndexValue *ret_part)
{
    *ret_part = (IndexValue){ .type = type };
    if (value->problem) {
        ret_part->problem = g_strdup (value->problem);
        return;
    }
    if (value->place == INDEX_PLACE_MEMORY) {
        ret_part->place = INDEX_PLACE_MEMORY;
        ret_part->address = value->address + offset;
    } else if (value->place == INDEX_PLACE_REGISTER && offset < INDEX_REGISTER_ROOM) {
        ret_part->place = INDEX_PLACE_REGISTER;
        ret_part->address = value->address;
        ret_part->is_kept = value->is_kept;
        ret_part->inside = value->inside + offset;
    }
    if (value->bytes)
        ret_part->bytes = copy_from (value->bytes, offset);
    if (value->gaps)
        ret_part->gaps = copy_from (value->gaps, offset);
}

static void
run_binary (IndexMachine *machine, guint32 type, guint operator_id)
{
    IndexScalar left, right, result = { 0 };
    if (operator_id == INDEX_OPERATOR_COMPLEX || index_machine_has_complex (machine, 2)) {
        index_machine_run_complex (machine, type, operator_id, 2);
        return;
    }
    if (index_machine_has_decimal (machine, 2)) {
        index_machine_run_decimal (machine, type, operator_id, 2);
        return;
    }
    if (index_machine_has_vector (machine, 2)) {
        index_machine_run_vector (machine, type, operator_id, 2);
        return;
    }
    if (!index_machine_pop_two (machine, type, &left, &right))
        return;
    gboolean good = index_scalar_combine (operator_id, &left, &right, &result);
    if (good)
        index_machine_push_scalar (machine, type, &result);
    else
        index_machine_push_problem (machine, type,
                                    operator_id == INDEX_OPERATOR_DIVIDE
                                            || operator_id == INDEX_OPERATOR_MODULO
                                            || operator_id == INDEX_OPERATOR_FLOOR_MODULO
                                        ? "<division by zero>"
                                        : "<not a number>");
}

static void
run_unary (IndexMachine *machine, guint32 type, guint operator_id)
{
    IndexScalar scalar;
    if (index_machine_has_complex (machine, 1)) {
        index_machine_run_complex (machine, type, operator_id, 1);
        return;
    }
    if (index_machine_has_decimal (machine, 1)) {
        index_machine_run_decimal (machine, type, operator_id, 1);
        return;
    }
    if (index_machine_has_vector (machine, 1)) {
        index_machine_run_vector (machine, type, operator_id, 1);
        return;
    }
    if (!index_machine_pop_scalar (machine, type, &scalar))
        return;
    if (operator_id == INDEX_OPERATOR_NOT) {
        scalar.integer = scalar.kind == INDEX_SCALAR_FLOAT ? scalar.real == 0 : !scalar.integer;
        scalar.kind = INDEX_SCALAR_SIGNED;
    } else if (operator_id == INDEX_OPERATOR_NEGATE) {
        scalar.integer = -scalar.integer;
        scalar.real = -scalar.real;
    } else if (operator_id == INDEX_OPERATOR_COMPLEMENT && scalar.kind != INDEX_SCALAR_FLOAT) {
        scalar.integer = ~scalar.integer;
    } else if (index_scalar_round (operator_id, &scalar)) {
        ;
    } else {
        index_machine_push_problem (machine, type, "<not an integer>");
        return;
    }
    index_machine_push_scalar (machine, type, &scalar);
}

static void
run_location (IndexMachine *machine, guint32 type, gboolean kept)
{
    BaseCursor *cursor = &machine->cursor;
    gsize base_size = base_cursor_read_uleb (cursor);
    const guint8 *base = base_cursor_read_bytes (cursor, base_size);
    gsize size = base_cursor_read_uleb (cursor);
    const guint8 *expression = base_cursor_read_bytes (cursor, size);
    IndexValue *value = cursor->failed ? NULL : index_machine_push (machine, type);
    if (!value)
        return;
    machine->run->is_kept = kept;
    machine->run->frame_base = base;
    machine->run->frame_base_size = base_size;
    index_run_location (machine->run, base, base_size, expression, size, value);
}

/* Follows a pointer that has no value, only the location of what it points to. */
static void
follow_synthetic (IndexMachine *machine, guint32 type, const IndexValue *pointer)
{
    IndexRun *run = machine->run;
    IndexValue target = { .type = type };
    index_run_location (run, run->frame_base, run->frame_base_size, pointer->pointee,
                        pointer->pointee_size, &target);
    IndexValue *value = index_machine_push (machine, type);
    if (value)
        index_value_take_part (&target, type, pointer->pointee_offset, value);
    index_value_clear (&target);
}

/* An array that was computed and lies nowhere. */
static gboolean
has_own_bytes (const IndexMachine *machine)
{
    const IndexValue *top = machine->n ? &machine->stack[machine->n - 1] : NULL;
    return top && !top->problem && top->place == INDEX_PLACE_NONE && top->bytes
           && index_run_get_type (machine->run, top->type)->kind == INDEX_TYPE_ARRAY;
}

static void
run_deref (IndexMachine *machine, guint32 type)
{
    IndexScalar scalar;
    if (machine->n && machine->stack[machine->n - 1].pointee) {
        IndexValue pointer = machine->stack[--machine->n];
        follow_synthetic (machine, type, &pointer);
        index_value_clear (&pointer);
    } else if (has_own_bytes (machine)) {
        IndexValue array = machine->stack[--machine->n];
        index_value_take_part (&array, type, 0, &machine->stack[machine->n++]);
        index_value_clear (&array);
    } else if (index_machine_pop_scalar (machine, type, &scalar)) {
        index_machine_push_place (machine, type, scalar.integer);
    }
}

static void
run_bytes (IndexMachine *machine, guint32 type, gboolean problem)
{
    gsize size = base_cursor_read_uleb (&machine->cursor);
    const guint8 *bytes = base_cursor_read_bytes (&machine->cursor, size);
    IndexValue *value = machine->cursor.failed ? NULL : index_machine_push (machine, type);
    if (!value)
        return;
    if (problem) {
        value->problem = g_strndup ((const char *) bytes, size);
    } else {
        value->bytes = g_byte_array_new ();
        g_byte_array_append (value->bytes, bytes, size);
    }
}

static void
run_shared (IndexMachine *machine, guint32 type)
{
    const IndexContext *context = machine->run->context;
    gsize size = base_cursor_read_uleb (&machine->cursor);
    const guint8 *bytes = base_cursor_read_bytes (&machine->cursor, size);
    g_autofree char *name = bytes != NULL ? g_strndup ((const char *) bytes, size) : NULL;
    guint64 address;

    if (name != NULL && context->find_shared != NULL
        && context->find_shared (context->user, name, &address))
        index_machine_push_place (machine, type, address);
    else
        index_machine_push_problem (machine, type, "<not in any loaded file>");
}

static void
run_member (IndexMachine *machine, guint32 type)
{
    guint64 offset = base_cursor_read_uleb (&machine->cursor);
    guint32 bit_size = base_cursor_read_uleb (&machine->cursor);
    guint32 bit_offset = base_cursor_read_uleb (&machine->cursor);
    IndexValue value, part;
    if (type >= machine->run->program->n_types || bit_size > 64 || bit_offset > 1u << 30
        || !index_machine_pop (machine, &value)) {
        machine->broken = TRUE;
        return;
    }
    if (value.place == INDEX_PLACE_REGISTER && !value.problem)
        index_value_fetch (machine->run, &value, 8);
    index_value_take_part (&value, type, offset, &part);
    part.bit_size = bit_size;
    part.bit_offset = bit_offset;
    index_value_clear (&value);
    machine->stack[machine->n++] = part;
}

/* Base (array place, or pointer) and number of the element. */
static void
run_index (IndexMachine *machine, guint32 type, gint64 first, gboolean slice)
{
    IndexScalar index = { INDEX_SCALAR_SIGNED, first, 0 }, base;
    IndexRun *run = machine->run;
    IndexValue value, part;
    if (!slice && !index_machine_pop_scalar (machine, type, &index)) {
        index_machine_drop_below (machine);
        return;
    }
    if (!index_machine_pop (machine, &value))
        return;
    const IndexType *array = index_run_get_type (run, value.type);
    if (array->kind == INDEX_TYPE_ARRAY) {
        if (value.place == INDEX_PLACE_REGISTER && !value.problem)
            index_value_fetch (run, &value, 8);
        if (index_run_resolve (run, &value))
            index.integer -= value.n_sections ? 1 : index_run_find_lower (run, array);
        index_run_take_element (run, &value, index.integer, &part);
        part.type = type;
        part.resolved = part.resolved && !slice;
        machine->stack[machine->n++] = part;
    } else if (value.pointee && !value.problem && !slice) {
        value.pointee_offset += index.integer * (gint64) index_run_find_size (run, type);
        follow_synthetic (machine, type, &value);
    } else if (index_value_read_scalar (run, &value, &base)) {
        guint32 element = slice ? index_run_get_type (run, type)->target : type;
        guint64 size = element < run->program->n_types ? index_run_find_size (run, element) : 0;
        index_machine_push_place (machine, type, base.integer + index.integer * size);
    } else {
        index_machine_push_problem (machine, type, value.problem);
    }
    index_value_clear (&value);
}

static void
run_virtual (IndexMachine *machine, guint32 type, gint64 in_vtable)
{
    IndexValue value;
    guint64 vtable = 0;
    gint64 offset = 0;
    BaseMemoryReader *memory = machine->run->context->memory;
    if (!index_machine_pop (machine, &value))
        return;
    if (value.problem)
        index_machine_push_problem (machine, type, value.problem);
    else if (value.place != INDEX_PLACE_MEMORY
             || base_memory_read_some (memory, value.address, &vtable, 8) < 8
             || base_memory_read_some (memory, vtable + in_vtable, &offset, 8) < 8)
        index_machine_push_problem (machine, type, "<cannot find the virtual base>");
    else
        index_machine_push_place (machine, type, value.address + offset);
    index_value_clear (&value);
}

/* The vtable says, two words before its functions, how far it is to the object's start. */
static void
run_whole (IndexMachine *machine, guint32 type)
{
    IndexValue value;
    guint64 vtable = 0;
    gint64 offset = 0;
    BaseMemoryReader *memory = machine->run->context->memory;
    if (!index_machine_pop (machine, &value))
        return;
    if (value.problem)
        index_machine_push_problem (machine, type, value.problem);
    else if (value.place != INDEX_PLACE_MEMORY
             || base_memory_read_some (memory, value.address, &vtable, 8) < 8
             || base_memory_read_some (memory, vtable - 16, &offset, 8) < 8)
        index_machine_push_problem (machine, type, "<cannot read the vtable>");
    else
        index_machine_push_place (machine, type, value.address + offset);
    index_value_clear (&value);
}

static void
run_container (IndexMachine *machine, guint32 type, gboolean element)
{
    IndexScalar number = { INDEX_SCALAR_UNSIGNED, 0, 0 };
    IndexValue value;
    guint64 address;
    gboolean bit;
    if (element && !index_machine_pop_scalar (machine, type, &number)) {
        index_machine_drop_below (machine);
        return;
    }
    if (!index_machine_pop (machine, &value))
        return;
    if (value.problem)
        index_machine_push_problem (machine, type, value.problem);
    else if (element
             && index_view_find_element (machine->run, &value, number.integer, &address))
        index_machine_push_place (machine, type, address);
    else if (element && index_view_find_bit (machine->run, &value, number.integer, &bit)) {
        number.integer = bit;
        index_machine_push_scalar (machine, type, &number);
    } else if (element)
        index_machine_push_problem (machine, type, "<no such element>");
    else if (index_view_find_count (machine->run, &value, &number.integer))
        index_machine_push_scalar (machine, type, &number);
    else
        index_machine_push_problem (machine, type, "<no valid container>");
    index_value_clear (&value);
}

static void
run_address (IndexMachine *machine, guint32 type)
{
    IndexValue value;
    if (!index_machine_pop (machine, &value))
        return;
    index_run_resolve (machine->run, &value);
    IndexScalar scalar = { INDEX_SCALAR_UNSIGNED, value.address, 0 };
    if (value.problem)
        index_machine_push_problem (machine, type, value.problem);
    else if (value.place != INDEX_PLACE_MEMORY)
        index_machine_push_problem (machine, type, "<not in memory>");
    else
        index_machine_push_scalar (machine, type, &scalar);
    index_value_clear (&value);
}

static void
run_cast (IndexMachine *machine, guint32 type)
{
    IndexScalar scalar;
    if (type >= machine->run->program->n_types) {
        machine->broken = TRUE;
        return;
    }
    const IndexType *to = index_run_get_type (machine->run, type);
    if (to->flags & INDEX_TYPE_DECIMAL || index_machine_has_decimal (machine, 1))
        index_machine_run_decimal (machine, type, INDEX_OPERATOR_CAST, 1);
    else if (machine->n
             && (to->kind == INDEX_TYPE_STRUCT || to->kind == INDEX_TYPE_UNION
                 || to->kind == INDEX_TYPE_ARRAY || to->kind == INDEX_TYPE_VOID))
        machine->stack[machine->n - 1].type = type;
    else if (to->kind == INDEX_TYPE_COMPLEX || index_machine_has_complex (machine, 1))
        index_machine_run_complex (machine, type,
                                   to->kind == INDEX_TYPE_COMPLEX ? INDEX_OPERATOR_CAST
                                                                  : INDEX_OPERATOR_REAL_PART,
                                   1);
    else if (index_machine_pop_scalar (machine, type, &scalar))
        index_machine_push_scalar (machine, type, &scalar);
}

/* Function and arguments, which are taken from the stack; what it returned. */
static void
run_call (IndexMachine *machine, guint32 type)
{
    guint64 n = base_cursor_read_uleb (&machine->cursor);
    guint64 by_reference = base_cursor_read_uleb (&machine->cursor);
    guint64 by_descriptor = base_cursor_read_uleb (&machine->cursor);
    IndexValue result;
    if (n > INDEX_MAX_ARGUMENTS || n >= machine->n || type >= machine->run->program->n_types) {
        machine->broken = TRUE;
        return;
    }
    IndexValue *operands = &machine->stack[machine->n - n - 1];
    index_run_call (machine->run, type, operands, n, (guint32) by_reference,
                    (guint32) by_descriptor, &result);
    for (guint64 i = 0; i <= n; i++)
        index_value_clear (&operands[i]);
    machine->n -= n + 1;
    machine->stack[machine->n++] = result;
}

/* The same place twice; what has no place is copied with its bytes. */
static void
run_dup (IndexMachine *machine)
{
    const IndexValue *from = machine->n ? &machine->stack[machine->n - 1] : NULL;
    IndexValue *copy = from ? index_machine_push (machine, from->type) : NULL;

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
index_value_spread_bits (IndexRun *run, IndexValue *value)
{
    IndexScalar scalar;
    guint8 bytes[16];
    gsize size = 0;
    if (!index_value_read_scalar (run, value, &scalar)
        || !index_scalar_store (index_run_get_type (run, value->type), &scalar, bytes, &size))
        return FALSE;
    IndexValue whole = { .type = value->type,
                         .bytes = g_byte_array_append (g_byte_array_new (), bytes,
                                                       (guint) size) };
    index_value_clear (value);
    *value = whole;
    return TRUE;
}

/* The array so far lies below the value. */
static void
run_append (IndexMachine *machine, guint32 type)
{
    IndexValue value, array;
    if (machine->n < 2) {
        machine->broken = TRUE;
        return;
    }
    index_machine_pop (machine, &value);
    index_machine_pop (machine, &array);
    guint64 size = index_run_find_size (machine->run, value.type);
    gboolean good = !array.problem && array.bytes
                    && (!value.bit_size || index_value_spread_bits (machine->run, &value))
                    && index_value_fetch (machine->run, &value, size);
    IndexValue *whole = good ? index_machine_push (machine, type) : NULL;
    if (whole) {
        whole->bytes = g_byte_array_ref (array.bytes);
        g_byte_array_append (whole->bytes, value.bytes->data, (guint) size);
    } else if (!good) {
        index_machine_push_problem (machine, type,
                                    array.problem ? array.problem : value.problem);
    }
    index_value_clear (&array);
    index_value_clear (&value);
}

static void
run_jump (IndexMachine *machine, guint op)
{
    guint64 by = base_cursor_read_uleb (&machine->cursor);
    IndexScalar scalar = { INDEX_SCALAR_SIGNED, 0, 0 };
    IndexValue value;
    if (op == INDEX_OP_JUMP_FALSE) {
        if (!index_machine_pop (machine, &value))
            return;
        gboolean known = index_value_read_scalar (machine->run, &value, &scalar);
        if (!known) {
            /* the whole is as unknown as the condition */
            index_machine_push_problem (machine, machine->run->program->type, value.problem);
            base_cursor_seek (&machine->cursor, machine->cursor.size);
        }
        index_value_clear (&value);
        if (!known
            || (scalar.kind == INDEX_SCALAR_FLOAT ? scalar.real != 0 : scalar.integer != 0))
            return;
    }
    base_cursor_skip (&machine->cursor, by);
}

static void
run_operation (IndexMachine *machine, guint op, guint32 type)
{
    BaseCursor *cursor = &machine->cursor;
    IndexScalar scalar = { INDEX_SCALAR_SIGNED, 0, 0 }, base;
    IndexValue *value;
    guint64 size;
    gint64 first;
    switch (op) {
    case INDEX_OP_LOCATION:
    case INDEX_OP_LOCATION_KEPT:
        run_location (machine, type, op == INDEX_OP_LOCATION_KEPT);
        break;
    case INDEX_OP_CONSTANT:
        scalar.integer = base_cursor_read_sleb (cursor);
        index_machine_push_scalar (machine, type, &scalar);
        break;
    case INDEX_OP_BYTES: run_bytes (machine, type, FALSE); break;
    case INDEX_OP_PROBLEM: run_bytes (machine, type, TRUE); break;
    case INDEX_OP_REGISTER:
        value = index_machine_push (machine, type);
        size = base_cursor_read_uleb (cursor);
        if (value) {
            value->place = INDEX_PLACE_REGISTER;
            value->address = size;
        }
        break;
    case INDEX_OP_STATIC:
        index_machine_push_place (machine, type,
                                  index_context_locate (machine->run->context,
                                                        base_cursor_read_uleb (cursor)));
        break;
    case INDEX_OP_SHARED: run_shared (machine, type); break;
    case INDEX_OP_DUP: run_dup (machine); break;
    case INDEX_OP_ASSIGN:
        index_machine_run_assign (machine, type, base_cursor_read_uleb (cursor) == 1);
        break;
    case INDEX_OP_MEMBER: run_member (machine, type); break;
    case INDEX_OP_DEREF: run_deref (machine, type); break;
    case INDEX_OP_ADDRESS: run_address (machine, type); break;
    case INDEX_OP_INDEX:
        base_cursor_read_uleb (cursor);
        run_index (machine, type, 0, FALSE);
        break;
    case INDEX_OP_SLICE:
        first = base_cursor_read_sleb (cursor);
        base_cursor_read_uleb (cursor);
        run_index (machine, type, first, TRUE);
        break;
    case INDEX_OP_SECTION: index_machine_run_section (machine, type); break;
    case INDEX_OP_KEY: index_machine_run_key (machine, type); break;
    case INDEX_OP_STRINGS: index_machine_run_strings (machine, type); break;
    case INDEX_OP_KEPT: index_machine_run_kept (machine, type); break;
    case INDEX_OP_KEEP: index_machine_run_keep (machine, type); break;
    case INDEX_OP_APPEND: run_append (machine, type); break;
    case INDEX_OP_DROP: index_machine_drop_below (machine); break;
    case INDEX_OP_COMPONENT: index_machine_run_component (machine, type); break;
    case INDEX_OP_SHAPE: index_machine_run_shape (machine, type); break;
    case INDEX_OP_TEXT: index_machine_run_text (machine, type); break;
    case INDEX_OP_VIRTUAL: run_virtual (machine, type, base_cursor_read_sleb (cursor)); break;
    case INDEX_OP_WHOLE: run_whole (machine, type); break;
    case INDEX_OP_ELEMENT: run_container (machine, type, TRUE); break;
    case INDEX_OP_COUNT: run_container (machine, type, FALSE); break;
    case INDEX_OP_OFFSET:
        size = base_cursor_read_uleb (cursor);
        if (index_machine_pop_two (machine, type, &base, &scalar)) {
            base.integer += scalar.integer * size;
            index_machine_push_scalar (machine, type, &base);
        }
        break;
    case INDEX_OP_CALL: run_call (machine, type); break;
    case INDEX_OP_CAST: run_cast (machine, type); break;
    case INDEX_OP_UNARY: run_unary (machine, type, base_cursor_read_uleb (cursor)); break;
    case INDEX_OP_BINARY: run_binary (machine, type, base_cursor_read_uleb (cursor)); break;
    default: machine->broken = TRUE;
    }
}

gboolean
index_run_code (IndexRun *run, const guint8 *code, gsize size, IndexValue *ret_value,
                GError **error)
{
    g_autofree IndexMachine *machine = g_new (IndexMachine,
                                              1); /* large: nothing of it is cleared in vain */
    machine->run = run;
    machine->n = 0;
    machine->broken = FALSE;
    machine->cursor = (BaseCursor) BASE_CURSOR_INIT (code, size);
    while (!machine->broken && base_cursor_get_left (&machine->cursor)) {
        guint op = base_cursor_read_uleb (&machine->cursor);
        if (op == INDEX_OP_END)
            break;
        if (op == INDEX_OP_JUMP || op == INDEX_OP_JUMP_FALSE) {
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
        index_value_clear (&machine->stack[--machine->n]);
    if (!good)
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT, "cannot run program: broken code");
    return good;
}
