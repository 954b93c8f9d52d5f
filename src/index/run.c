/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows the machine that runs read programs: a stack of typed values, scalars and their
 * arithmetic. Every operand is checked while it runs. */
#include <math.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "index/program-private.h"

#define MAX_STACK 64
#define MAX_FETCH (1 << 20)

void
index_value_clear (IndexValue *value)
{
    g_clear_pointer (&value->bytes, g_byte_array_unref);
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

static gboolean
fetch_register (IndexRun *run, IndexValue *value, gsize size)
{
    guint64 number = 0;

    if (run->context->used)
        *run->context->used |= INDEX_USED_REGISTER;
    if (!run->context->read_register ||
        !run->context->read_register (run->context->user, value->address, &number)) {
        index_value_set_problem (value, g_strdup ("<not saved>"));
        return FALSE;
    }
    if (size > 8) {
        index_value_set_problem (value, g_strdup ("<wide register>"));
        return FALSE;
    }
    value->bytes = g_byte_array_new ();
    g_byte_array_append (value->bytes, (const guint8 *) &number, 8);
    return TRUE;
}

gboolean
index_value_fetch (IndexRun *run, IndexValue *value, gsize size)
{
    if (value->problem)
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
        if (!value->bytes)
            value->bytes = g_byte_array_new ();
        guint have = value->bytes->len;
        g_byte_array_set_size (value->bytes, size);
        memset (value->bytes->data + have, 0, size - have);
        return TRUE;
    }
    GByteArray *bytes = g_byte_array_sized_new (size);
    g_byte_array_set_size (bytes, size);
    gsize done = base_memory_read_some (run->context->memory, value->address, bytes->data, size);
    if (done < size) {
        g_byte_array_unref (bytes);
        index_value_set_problem (value, g_strdup_printf (
            "<cannot read memory at 0x%" G_GINT64_MODIFIER "x>", value->address + done));
        return FALSE;
    }
    g_clear_pointer (&value->bytes, g_byte_array_unref);
    value->bytes = bytes;
    return TRUE;
}

void
index_value_take_part (const IndexValue *value, guint32 type, guint64 offset,
                       IndexValue *ret_part)
{
    *ret_part = (IndexValue) { .type = type };
    if (value->problem) {
        ret_part->problem = g_strdup (value->problem);
        return;
    }
    if (value->place == INDEX_PLACE_MEMORY) {
        ret_part->place = INDEX_PLACE_MEMORY;
        ret_part->address = value->address + offset;
    }
    if (value->bytes) {
        ret_part->bytes = g_byte_array_new ();
        if (offset < value->bytes->len)
            g_byte_array_append (ret_part->bytes, value->bytes->data + offset,
                                 value->bytes->len - offset);
    }
}

static gint64
extend (guint64 value, guint bits)
{
    guint shift = 64 - bits;
    return bits && bits < 64 ? (gint64) (value << shift) >> shift : (gint64) value;
}

static gboolean
is_signed (const IndexType *type)
{
    return type->kind == INDEX_TYPE_SIGNED || type->kind == INDEX_TYPE_CHAR ||
           (type->kind == INDEX_TYPE_ENUM && type->size == 8) ||
           (type->kind == INDEX_TYPE_ENUM && type->size <= 4);
}

static long double
read_real (const guint8 *bytes, guint64 size)
{
    float single;
    double twice;
    long double extended = 0;
    switch (size) {
    case 4:
        memcpy (&single, bytes, 4);
        return single;
    case 8:
        memcpy (&twice, bytes, 8);
        return twice;
    default:
        memcpy (&extended, bytes, 10);
        return extended;
    }
}

static guint64
take_bits (const guint8 *bytes, gsize size, guint first, guint n)
{
    guint64 result = 0;
    for (guint i = 0; i < n; i++) {
        guint at = first + i;
        if (at / 8 < size && (bytes[at / 8] >> (at % 8)) & 1)
            result |= (guint64) 1 << i;
    }
    return result;
}

gboolean
index_value_read_scalar (IndexRun *run, IndexValue *value, IndexScalar *ret_scalar)
{
    const IndexType *type = index_run_get_type (run, value->type);
    guint64 size = type->size, number = 0;
    *ret_scalar = (IndexScalar) { INDEX_SCALAR_UNSIGNED, 0, 0 };
    if (type->kind == INDEX_TYPE_ARRAY || type->kind == INDEX_TYPE_FUNCTION) {
        index_run_resolve (run, value);
        ret_scalar->integer = value->address;
        return !value->problem && value->place == INDEX_PLACE_MEMORY;
    }
    if (type->kind < INDEX_TYPE_BOOL || type->kind > INDEX_TYPE_REFERENCE ||
        type->kind == INDEX_TYPE_COMPLEX || !size || size > 16)
        return FALSE;
    if (value->bit_size) {
        gsize bytes = (value->bit_offset + value->bit_size + 7) / 8;
        if (!index_value_fetch (run, value, bytes))
            return FALSE;
        number = take_bits (value->bytes->data, value->bytes->len, value->bit_offset,
                            value->bit_size);
        size = 8;
    } else {
        if (!index_value_fetch (run, value, size))
            return FALSE;
        memcpy (&number, value->bytes->data, MIN (size, 8));
    }
    if (type->kind == INDEX_TYPE_FLOAT) {
        ret_scalar->kind = INDEX_SCALAR_FLOAT;
        ret_scalar->real = read_real (value->bytes->data, size);
        return size == 4 || size == 8 || size == 16;
    }
    if (is_signed (type)) {
        ret_scalar->kind = INDEX_SCALAR_SIGNED;
        number = extend (number, value->bit_size ? value->bit_size : MIN (size, 8) * 8);
    }
    ret_scalar->integer = number;
    return TRUE;
}

static void
convert_scalar (IndexScalar *scalar, gboolean to_float)
{
    if (to_float && scalar->kind != INDEX_SCALAR_FLOAT)
        scalar->real = scalar->kind == INDEX_SCALAR_SIGNED ? (long double) (gint64) scalar->integer
                                                           : (long double) scalar->integer;
    else if (!to_float && scalar->kind == INDEX_SCALAR_FLOAT)
        scalar->integer = isfinite (scalar->real) && fabsl (scalar->real) < 1.8e19L
                              ? (scalar->real < 0 ? (guint64) (gint64) MAX (scalar->real, -9.2e18L)
                                                  : (guint64) scalar->real)
                              : 0;
}

gboolean
index_scalar_store (const IndexType *type, const IndexScalar *scalar, guint8 *ret_bytes,
                    gsize *ret_size)
{
    IndexScalar copy = *scalar;
    guint64 size = type->size;
    if (type->kind < INDEX_TYPE_BOOL || type->kind > INDEX_TYPE_REFERENCE ||
        type->kind == INDEX_TYPE_COMPLEX || !size || size > 16)
        return FALSE;
    *ret_size = size;
    memset (ret_bytes, 0, 16);
    convert_scalar (&copy, type->kind == INDEX_TYPE_FLOAT);
    if (type->kind == INDEX_TYPE_FLOAT) {
        float single = copy.real;
        double twice = copy.real;
        memcpy (ret_bytes, size == 4 ? (void *) &single : size == 8 ? (void *) &twice
                                                                   : (void *) &copy.real,
                MIN (size, 10));
        return size == 4 || size == 8 || size == 16;
    }
    if (type->kind == INDEX_TYPE_BOOL)
        copy.integer = scalar->kind == INDEX_SCALAR_FLOAT ? scalar->real != 0
                                                          : copy.integer != 0;
    if (size == 16 && scalar->kind == INDEX_SCALAR_SIGNED && (gint64) copy.integer < 0)
        memset (ret_bytes + 8, 0xff, 8);
    memcpy (ret_bytes, &copy.integer, MIN (size, 8));
    return TRUE;
}

typedef struct {
    IndexRun *run;
    BaseCursor cursor;
    guint n;
    gboolean broken;
    IndexValue stack[MAX_STACK]; /* the first n of them; the rest is never looked at */
} Machine;

static IndexValue *
push (Machine *machine, guint32 type)
{
    if (machine->n == MAX_STACK || type >= machine->run->program->n_types) {
        machine->broken = TRUE;
        return NULL;
    }
    IndexValue *value = &machine->stack[machine->n++];
    *value = (IndexValue) { .type = type };
    return value;
}

static gboolean
pop (Machine *machine, IndexValue *ret_value)
{
    if (!machine->n) {
        machine->broken = TRUE;
        *ret_value = (IndexValue) { 0 };
        return FALSE;
    }
    *ret_value = machine->stack[--machine->n];
    return TRUE;
}

static void
push_problem (Machine *machine, guint32 type, const char *problem)
{
    IndexValue *value = push (machine, type);
    if (value)
        value->problem = g_strdup (problem ? problem : "<not a number>");
}

static void
push_scalar (Machine *machine, guint32 type, const IndexScalar *scalar)
{
    IndexValue *value = push (machine, type);
    guint8 bytes[16];
    gsize size;
    if (!value)
        return;
    if (!index_scalar_store (index_run_get_type (machine->run, type), scalar, bytes, &size)) {
        value->problem = g_strdup ("<not a number>");
        return;
    }
    value->bytes = g_byte_array_new ();
    g_byte_array_append (value->bytes, bytes, size);
}

/* Pops a number; FALSE after pushing its problem as the result of type. */
static gboolean
pop_scalar (Machine *machine, guint32 type, IndexScalar *ret_scalar)
{
    IndexValue value;
    if (!pop (machine, &value))
        return FALSE;
    gboolean good = index_value_read_scalar (machine->run, &value, ret_scalar);
    if (!good)
        push_problem (machine, type, value.problem);
    index_value_clear (&value);
    return good;
}

static gboolean
pop_two (Machine *machine, guint32 type, IndexScalar *left, IndexScalar *right)
{
    IndexValue rest;
    if (!pop_scalar (machine, type, right)) {
        /* its problem is on the stack, in front of the left operand */
        IndexValue problem;
        if (pop (machine, &problem) && pop (machine, &rest)) {
            index_value_clear (&rest);
            machine->stack[machine->n++] = problem;
        }
        return FALSE;
    }
    return pop_scalar (machine, type, left);
}

static void
push_place (Machine *machine, guint32 type, guint64 address)
{
    IndexValue *value = push (machine, type);
    if (!value)
        return;
    value->place = INDEX_PLACE_MEMORY;
    value->address = address;
}

static gboolean
compute_real (guint operator, long double a, long double b, IndexScalar *result)
{
    result->kind = INDEX_SCALAR_FLOAT;
    switch (operator) {
    case INDEX_OPERATOR_ADD: result->real = a + b; return TRUE;
    case INDEX_OPERATOR_SUBTRACT: result->real = a - b; return TRUE;
    case INDEX_OPERATOR_MULTIPLY: result->real = a * b; return TRUE;
    case INDEX_OPERATOR_DIVIDE: result->real = a / b; return TRUE;
    case INDEX_OPERATOR_POWER: result->real = powl (a, b); return TRUE;
    default: break;
    }
    result->kind = INDEX_SCALAR_SIGNED;
    switch (operator) {
    case INDEX_OPERATOR_EQUAL: result->integer = a == b; return TRUE;
    case INDEX_OPERATOR_UNEQUAL: result->integer = a != b; return TRUE;
    case INDEX_OPERATOR_LESS: result->integer = a < b; return TRUE;
    case INDEX_OPERATOR_LESS_EQUAL: result->integer = a <= b; return TRUE;
    case INDEX_OPERATOR_GREATER: result->integer = a > b; return TRUE;
    case INDEX_OPERATOR_GREATER_EQUAL: result->integer = a >= b; return TRUE;
    default: return FALSE;
    }
}

static gboolean
divide (guint operator, guint64 a, guint64 b, gboolean with_sign, guint64 *result)
{
    if (!b)
        return FALSE;
    gboolean modulo = operator == INDEX_OPERATOR_MODULO;
    if (!with_sign)
        *result = modulo ? a % b : a / b;
    else if ((gint64) b == -1)
        *result = modulo ? 0 : -a;
    else
        *result = modulo ? (guint64) ((gint64) a % (gint64) b)
                         : (guint64) ((gint64) a / (gint64) b);
    return TRUE;
}

static gboolean
compute_integer (guint operator, guint64 a, guint64 b, gboolean with_sign, IndexScalar *result)
{
    guint64 *r = &result->integer;
    gboolean less = with_sign ? (gint64) a < (gint64) b : a < b;
    result->kind = with_sign ? INDEX_SCALAR_SIGNED : INDEX_SCALAR_UNSIGNED;
    switch (operator) {
    case INDEX_OPERATOR_ADD: *r = a + b; return TRUE;
    case INDEX_OPERATOR_SUBTRACT: *r = a - b; return TRUE;
    case INDEX_OPERATOR_MULTIPLY: *r = a * b; return TRUE;
    case INDEX_OPERATOR_DIVIDE:
    case INDEX_OPERATOR_MODULO: return divide (operator, a, b, with_sign, r);
    case INDEX_OPERATOR_POWER:
        *r = 1;
        if (with_sign && (gint64) b < 0)
            *r = a == 1 ? 1 : a == G_MAXUINT64 ? (b % 2 ? a : 1) : 0;
        else
            for (guint64 base = a; b; b >>= 1, base *= base)
                *r *= b & 1 ? base : 1;
        return a != 0 || !with_sign || (gint64) b >= 0;
    case INDEX_OPERATOR_AND: *r = a & b; return TRUE;
    case INDEX_OPERATOR_OR: *r = a | b; return TRUE;
    case INDEX_OPERATOR_XOR: *r = a ^ b; return TRUE;
    case INDEX_OPERATOR_LEFT: *r = b < 64 ? a << b : 0; return TRUE;
    case INDEX_OPERATOR_RIGHT:
        *r = with_sign ? (guint64) ((gint64) a >> MIN (b, 63)) : b < 64 ? a >> b : 0;
        return TRUE;
    case INDEX_OPERATOR_EQUAL: *r = a == b; return TRUE;
    case INDEX_OPERATOR_UNEQUAL: *r = a != b; return TRUE;
    case INDEX_OPERATOR_LESS: *r = less; return TRUE;
    case INDEX_OPERATOR_LESS_EQUAL: *r = less || a == b; return TRUE;
    case INDEX_OPERATOR_GREATER: *r = !less && a != b; return TRUE;
    case INDEX_OPERATOR_GREATER_EQUAL: *r = !less; return TRUE;
    default: return FALSE;
    }
}

static void
run_binary (Machine *machine, guint32 type, guint operator)
{
    IndexScalar left, right, result = { 0 };
    if (!pop_two (machine, type, &left, &right))
        return;
    gboolean real = left.kind == INDEX_SCALAR_FLOAT || right.kind == INDEX_SCALAR_FLOAT;
    gboolean shift = operator == INDEX_OPERATOR_LEFT || operator == INDEX_OPERATOR_RIGHT;
    convert_scalar (&left, real);
    convert_scalar (&right, real);
    gboolean with_sign = left.kind == INDEX_SCALAR_SIGNED &&
                         (shift || right.kind == INDEX_SCALAR_SIGNED);
    gboolean good = real ? compute_real (operator, left.real, right.real, &result)
                         : compute_integer (operator, left.integer, right.integer, with_sign,
                                            &result);
    if (good)
        push_scalar (machine, type, &result);
    else
        push_problem (machine, type, operator == INDEX_OPERATOR_DIVIDE ||
                                             operator == INDEX_OPERATOR_MODULO
                                         ? "<division by zero>" : "<not a number>");
}

static void
run_unary (Machine *machine, guint32 type, guint operator)
{
    IndexScalar scalar;
    if (!pop_scalar (machine, type, &scalar))
        return;
    if (operator == INDEX_OPERATOR_NOT) {
        scalar.integer = scalar.kind == INDEX_SCALAR_FLOAT ? scalar.real == 0 : !scalar.integer;
        scalar.kind = INDEX_SCALAR_SIGNED;
    } else if (operator == INDEX_OPERATOR_NEGATE) {
        scalar.integer = -scalar.integer;
        scalar.real = -scalar.real;
    } else if (operator == INDEX_OPERATOR_COMPLEMENT && scalar.kind != INDEX_SCALAR_FLOAT) {
        scalar.integer = ~scalar.integer;
    } else {
        push_problem (machine, type, "<not an integer>");
        return;
    }
    push_scalar (machine, type, &scalar);
}

static void
run_location (Machine *machine, guint32 type)
{
    BaseCursor *cursor = &machine->cursor;
    gsize base_size = base_cursor_read_uleb (cursor);
    const guint8 *base = base_cursor_read_bytes (cursor, base_size);
    gsize size = base_cursor_read_uleb (cursor);
    const guint8 *expression = base_cursor_read_bytes (cursor, size);
    IndexValue *value = cursor->failed ? NULL : push (machine, type);
    if (value)
        index_run_location (machine->run, base, base_size, expression, size, value);
}

static void
run_bytes (Machine *machine, guint32 type, gboolean problem)
{
    gsize size = base_cursor_read_uleb (&machine->cursor);
    const guint8 *bytes = base_cursor_read_bytes (&machine->cursor, size);
    IndexValue *value = machine->cursor.failed ? NULL : push (machine, type);
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
run_member (Machine *machine, guint32 type)
{
    guint64 offset = base_cursor_read_uleb (&machine->cursor);
    guint32 bit_size = base_cursor_read_uleb (&machine->cursor);
    guint32 bit_offset = base_cursor_read_uleb (&machine->cursor);
    IndexValue value, part;
    if (type >= machine->run->program->n_types || bit_size > 64 || bit_offset > 1u << 30 ||
        !pop (machine, &value)) {
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

/* Two operands were popped for nothing: the problem of the upper one stays, the lower one goes. */
static void
drop_below (Machine *machine)
{
    IndexValue problem, rest;
    if (pop (machine, &problem) && pop (machine, &rest)) {
        index_value_clear (&rest);
        machine->stack[machine->n++] = problem;
    }
}

/* Base (array place, or pointer) and number of the element. */
static void
run_index (Machine *machine, guint32 type, gint64 first, gboolean slice)
{
    IndexScalar index = { INDEX_SCALAR_SIGNED, first, 0 }, base;
    IndexRun *run = machine->run;
    IndexValue value, part;
    if (!slice && !pop_scalar (machine, type, &index)) {
        drop_below (machine);
        return;
    }
    if (!pop (machine, &value))
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
    } else if (index_value_read_scalar (run, &value, &base)) {
        guint32 element = slice ? index_run_get_type (run, type)->target : type;
        guint64 size = element < run->program->n_types ? index_run_find_size (run, element) : 0;
        push_place (machine, type, base.integer + index.integer * size);
    } else {
        push_problem (machine, type, value.problem);
    }
    index_value_clear (&value);
}

/* What INDEX_OP_SECTION finds on the stack for one dimension. */
typedef struct {
    gboolean is_section;
    gint64 first, last, step;
} Subscript;

/* The operands of all dimensions, the innermost on top. FALSE: one is unknown, or there are too
 * few; its problem is on the stack. */
static gboolean
pop_subscripts (Machine *machine, guint32 type, Subscript *subscripts, guint n)
{
    for (guint i = n; i-- > 0;) {
        IndexScalar scalar[3];
        guint wanted = subscripts[i].is_section ? 3 : 1;
        for (guint j = wanted; j-- > 0;) {
            if (pop_scalar (machine, type, &scalar[j]))
                continue;
            for (guint rest = j; rest > 0; rest--)
                drop_below (machine);
            for (guint k = 0; k < i; k++)
                for (guint rest = subscripts[k].is_section ? 3 : 1; rest > 0; rest--)
                    drop_below (machine);
            drop_below (machine);
            return FALSE;
        }
        subscripts[i].first = scalar[0].integer;
        subscripts[i].last = wanted == 3 ? (gint64) scalar[1].integer : (gint64) scalar[0].integer;
        subscripts[i].step = wanted == 3 ? (gint64) scalar[2].integer : 1;
    }
    return TRUE;
}

/* One dimension of value, whose type is `array`: moves the address, keeps what is a section. */
static void
apply_subscript (IndexRun *run, IndexValue *value, const IndexType *array,
                 const Subscript *subscript, guint level)
{
    gboolean known = level < value->n_sections;
    gint64 lower = known ? 1 : index_run_find_lower (run, array);
    gint64 count = known ? value->sections[level].count : (gint64) index_run_find_count (run, array);
    gint64 stride = known ? value->sections[level].stride : index_run_find_stride (run, array);
    gint64 first = subscript->first == G_MININT64 ? lower : subscript->first;
    gint64 last = subscript->last == G_MAXINT64 ? lower + count - 1 : subscript->last;
    gboolean unknown = !known && array->count == G_MAXUINT64 &&
                       !array->codes[INDEX_CODE_UPPER].size;
    if (first < lower || (!unknown && last > lower + count - 1) || subscript->step <= 0) {
        index_value_set_problem (value, g_strdup ("<outside the array's bounds>"));
        return;
    }
    value->address += (first - lower) * stride;
    if (!subscript->is_section)
        return;
    value->sections[INDEX_MAX_SECTIONS - 1].stride = stride * subscript->step;
    value->sections[INDEX_MAX_SECTIONS - 1].count =
        last >= first ? (last - first) / subscript->step + 1 : 0;
}

static void
run_section (Machine *machine, guint32 type)
{
    BaseCursor *cursor = &machine->cursor;
    IndexRun *run = machine->run;
    Subscript subscripts[INDEX_MAX_SECTIONS] = { 0 };
    IndexValue value, kept = { 0 };
    guint n = base_cursor_read_uleb (cursor);
    if (n > INDEX_MAX_SECTIONS - 1 || n == 0) {
        machine->broken = TRUE;
        return;
    }
    for (guint i = 0; i < n; i++)
        subscripts[i].is_section = base_cursor_read_u8 (cursor) != 0;
    if (!pop_subscripts (machine, type, subscripts, n) || !pop (machine, &value))
        return;
    guint32 at = value.type;
    for (guint i = 0; i < n && index_run_resolve (run, &value); i++) {
        const IndexType *array = index_run_get_type (run, at);
        if (array->kind != INDEX_TYPE_ARRAY || value.place != INDEX_PLACE_MEMORY) {
            index_value_set_problem (&value, g_strdup ("<not an array in memory>"));
            break;
        }
        apply_subscript (run, &value, array, &subscripts[i], i);
        if (subscripts[i].is_section)
            kept.sections[kept.n_sections++] = value.sections[INDEX_MAX_SECTIONS - 1];
        at = array->target;
    }
    for (guint i = n; i < value.n_sections && kept.n_sections < INDEX_MAX_SECTIONS - 1; i++)
        kept.sections[kept.n_sections++] = value.sections[i];
    memcpy (value.sections, kept.sections, sizeof kept.sections);
    value.n_sections = kept.n_sections;
    g_clear_pointer (&value.bytes, g_byte_array_unref);
    value.type = type;
    value.resolved = value.n_sections > 0;
    machine->stack[machine->n++] = value;
}

static void
run_virtual (Machine *machine, guint32 type, gint64 in_vtable)
{
    IndexValue value;
    guint64 vtable = 0;
    gint64 offset = 0;
    BaseMemoryReader *memory = machine->run->context->memory;
    if (!pop (machine, &value))
        return;
    if (value.problem)
        push_problem (machine, type, value.problem);
    else if (value.place != INDEX_PLACE_MEMORY ||
             base_memory_read_some (memory, value.address, &vtable, 8) < 8 ||
             base_memory_read_some (memory, vtable + in_vtable, &offset, 8) < 8)
        push_problem (machine, type, "<cannot find the virtual base>");
    else
        push_place (machine, type, value.address + offset);
    index_value_clear (&value);
}

/* The vtable says, two words before its functions, how far it is to the object's start. */
static void
run_whole (Machine *machine, guint32 type)
{
    IndexValue value;
    guint64 vtable = 0;
    gint64 offset = 0;
    BaseMemoryReader *memory = machine->run->context->memory;
    if (!pop (machine, &value))
        return;
    if (value.problem)
        push_problem (machine, type, value.problem);
    else if (value.place != INDEX_PLACE_MEMORY ||
             base_memory_read_some (memory, value.address, &vtable, 8) < 8 ||
             base_memory_read_some (memory, vtable - 16, &offset, 8) < 8)
        push_problem (machine, type, "<cannot read the vtable>");
    else
        push_place (machine, type, value.address + offset);
    index_value_clear (&value);
}

static void
run_container (Machine *machine, guint32 type, gboolean element)
{
    IndexScalar number = { INDEX_SCALAR_UNSIGNED, 0, 0 };
    IndexValue value;
    guint64 address;
    if (element && !pop_scalar (machine, type, &number)) {
        drop_below (machine);
        return;
    }
    if (!pop (machine, &value))
        return;
    if (value.problem)
        push_problem (machine, type, value.problem);
    else if (element && index_view_find_element (machine->run, &value, number.integer, &address))
        push_place (machine, type, address);
    else if (element)
        push_problem (machine, type, "<no such element>");
    else if (index_view_find_count (machine->run, &value, &number.integer))
        push_scalar (machine, type, &number);
    else
        push_problem (machine, type, "<no valid container>");
    index_value_clear (&value);
}

static void
run_address (Machine *machine, guint32 type)
{
    IndexValue value;
    if (!pop (machine, &value))
        return;
    index_run_resolve (machine->run, &value);
    IndexScalar scalar = { INDEX_SCALAR_UNSIGNED, value.address, 0 };
    if (value.problem)
        push_problem (machine, type, value.problem);
    else if (value.place != INDEX_PLACE_MEMORY)
        push_problem (machine, type, "<not in memory>");
    else
        push_scalar (machine, type, &scalar);
    index_value_clear (&value);
}

static void
run_cast (Machine *machine, guint32 type)
{
    IndexScalar scalar;
    if (type >= machine->run->program->n_types) {
        machine->broken = TRUE;
        return;
    }
    const IndexType *to = index_run_get_type (machine->run, type);
    if (machine->n && (to->kind == INDEX_TYPE_STRUCT || to->kind == INDEX_TYPE_UNION ||
                       to->kind == INDEX_TYPE_ARRAY || to->kind == INDEX_TYPE_VOID))
        machine->stack[machine->n - 1].type = type;
    else if (pop_scalar (machine, type, &scalar))
        push_scalar (machine, type, &scalar);
}

static void
run_jump (Machine *machine, guint op)
{
    guint64 by = base_cursor_read_uleb (&machine->cursor);
    IndexScalar scalar = { INDEX_SCALAR_SIGNED, 0, 0 };
    IndexValue value;
    if (op == INDEX_OP_JUMP_FALSE) {
        if (!pop (machine, &value))
            return;
        gboolean known = index_value_read_scalar (machine->run, &value, &scalar);
        if (!known) {
            /* the whole is as unknown as the condition */
            push_problem (machine, machine->run->program->type, value.problem);
            base_cursor_seek (&machine->cursor, machine->cursor.size);
        }
        index_value_clear (&value);
        if (!known || (scalar.kind == INDEX_SCALAR_FLOAT ? scalar.real != 0
                                                         : scalar.integer != 0))
            return;
    }
    base_cursor_skip (&machine->cursor, by);
}

static void
run_operation (Machine *machine, guint op, guint32 type)
{
    BaseCursor *cursor = &machine->cursor;
    IndexScalar scalar = { INDEX_SCALAR_SIGNED, 0, 0 }, base;
    IndexValue *value;
    guint64 size;
    gint64 first;
    switch (op) {
    case INDEX_OP_LOCATION: run_location (machine, type); break;
    case INDEX_OP_CONSTANT:
        scalar.integer = base_cursor_read_sleb (cursor);
        push_scalar (machine, type, &scalar);
        break;
    case INDEX_OP_BYTES: run_bytes (machine, type, FALSE); break;
    case INDEX_OP_PROBLEM: run_bytes (machine, type, TRUE); break;
    case INDEX_OP_REGISTER:
        value = push (machine, type);
        size = base_cursor_read_uleb (cursor);
        if (value) {
            value->place = INDEX_PLACE_REGISTER;
            value->address = size;
        }
        break;
    case INDEX_OP_STATIC:
        push_place (machine, type, base_cursor_read_uleb (cursor) + machine->run->context->bias);
        break;
    case INDEX_OP_MEMBER: run_member (machine, type); break;
    case INDEX_OP_DEREF:
        if (pop_scalar (machine, type, &scalar))
            push_place (machine, type, scalar.integer);
        break;
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
    case INDEX_OP_SECTION: run_section (machine, type); break;
    case INDEX_OP_VIRTUAL: run_virtual (machine, type, base_cursor_read_sleb (cursor)); break;
    case INDEX_OP_WHOLE: run_whole (machine, type); break;
    case INDEX_OP_ELEMENT: run_container (machine, type, TRUE); break;
    case INDEX_OP_COUNT: run_container (machine, type, FALSE); break;
    case INDEX_OP_OFFSET:
        size = base_cursor_read_uleb (cursor);
        if (pop_two (machine, type, &base, &scalar)) {
            base.integer += scalar.integer * size;
            push_scalar (machine, type, &base);
        }
        break;
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
    g_autofree Machine *machine = g_new (Machine, 1); /* large: nothing of it is cleared in vain */
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
