/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows DWARF's stack machine: location expressions become a place, a register or bytes. */
#include <string.h>

#include "base/cursor.h"
#include "index/program-private.h"

#define MAX_STEPS 20000
#define MAX_STACK 64
#define MAX_PIECES (1 << 16)

/* DWARF 5 section 7.7.1 */
enum {
    OP_addr = 0x03, OP_deref = 0x06, OP_const1u = 0x08, OP_const8s = 0x0f, OP_constu = 0x10,
    OP_consts, OP_dup, OP_drop, OP_over, OP_pick, OP_swap, OP_rot, OP_abs = 0x19, OP_and,
    OP_div, OP_minus, OP_mod, OP_mul, OP_neg, OP_not, OP_or, OP_plus, OP_plus_uconst, OP_shl,
    OP_shr, OP_shra, OP_xor, OP_bra, OP_eq, OP_ge, OP_gt, OP_le, OP_lt, OP_ne, OP_skip,
    OP_lit0 = 0x30, OP_reg0 = 0x50, OP_breg0 = 0x70, OP_regx = 0x90, OP_fbreg, OP_bregx,
    OP_piece, OP_deref_size, OP_nop = 0x96, OP_push_object_address = 0x97, OP_form_tls_address = 0x9b, OP_call_frame_cfa,
    OP_bit_piece, OP_implicit_value, OP_stack_value, OP_implicit_pointer, OP_addrx,
    OP_constx, OP_entry_value, OP_const_type, OP_regval_type, OP_deref_type,
    OP_convert = 0xa8, OP_reinterpret, OP_GNU_push_tls_address = 0xe0,
    OP_GNU_entry_value = 0xf3, OP_GNU_implicit_pointer = 0xf2, OP_GNU_convert = 0xf7,
};

typedef struct {
    IndexRun *run;
    const guint8 *frame_base;
    gsize frame_base_size;
    BaseCursor cursor;
    guint64 stack[MAX_STACK];
    guint n;
    const char *problem;
    /* what the expression ended with */
    gboolean is_register, is_value;
    guint reg;
    const guint8 *implicit;
    gsize implicit_size;
} Machine;

static void
push (Machine *machine, guint64 value)
{
    if (machine->n == MAX_STACK)
        machine->problem = "<broken location>";
    else
        machine->stack[machine->n++] = value;
}

static guint64
pop (Machine *machine)
{
    if (!machine->n) {
        machine->problem = "<broken location>";
        return 0;
    }
    return machine->stack[--machine->n];
}

static void
note_frame (const IndexContext *context)
{
    if (context->used)
        *context->used |= INDEX_USED_FRAME;
}

static guint64
read_register (Machine *machine, guint number)
{
    const IndexContext *context = machine->run->context;
    guint64 value = 0;
    note_frame (context);
    if (!context->read_register ||
        !context->read_register (context->user, number, &value))
        machine->problem = "<not saved>";
    return value;
}

static guint64
read_memory (Machine *machine, guint64 address, guint size)
{
    guint64 value = 0;
    if (size > 8 || !size ||
        base_memory_read_some (machine->run->context->memory, address, &value, size) < size)
        machine->problem = "<cannot read memory>";
    return value;
}

static guint64
find_frame_base (Machine *machine)
{
    IndexValue base = { 0 };
    guint64 address = 0;
    if (!machine->frame_base_size || machine->run->depth > 4) {
        machine->problem = "<no frame base>";
        return 0;
    }
    machine->run->depth++;
    index_run_location (machine->run, NULL, 0, machine->frame_base, machine->frame_base_size,
                        &base);
    machine->run->depth--;
    if (base.problem)
        machine->problem = "<no frame base>";
    else if (base.place == INDEX_PLACE_REGISTER)
        address = read_register (machine, base.address);
    else if (base.place == INDEX_PLACE_MEMORY)
        address = base.address;
    else if (base.bytes && base.bytes->len >= 8)
        memcpy (&address, base.bytes->data, 8);
    index_value_clear (&base);
    return address;
}

static void
run_binary (Machine *machine, guint op)
{
    guint64 right = pop (machine), left = pop (machine);
    gint64 sl = left, sr = right;
    switch (op) {
    case OP_and: push (machine, left & right); break;
    case OP_or: push (machine, left | right); break;
    case OP_xor: push (machine, left ^ right); break;
    case OP_plus: push (machine, left + right); break;
    case OP_minus: push (machine, left - right); break;
    case OP_mul: push (machine, left * right); break;
    case OP_div:
        if (!sr || (sr == -1 && sl == G_MININT64))
            machine->problem = "<broken location>";
        else
            push (machine, sl / sr);
        break;
    case OP_mod:
        if (!right)
            machine->problem = "<broken location>";
        else
            push (machine, left % right);
        break;
    case OP_shl: push (machine, right < 64 ? left << right : 0); break;
    case OP_shr: push (machine, right < 64 ? left >> right : 0); break;
    case OP_shra: push (machine, sl >> MIN (right, 63)); break;
    case OP_eq: push (machine, sl == sr); break;
    case OP_ge: push (machine, sl >= sr); break;
    case OP_gt: push (machine, sl > sr); break;
    case OP_le: push (machine, sl <= sr); break;
    case OP_lt: push (machine, sl < sr); break;
    case OP_ne: push (machine, sl != sr); break;
    default: machine->problem = "<unknown location>";
    }
}

static void
run_stack (Machine *machine, guint op)
{
    guint64 a, b, c;
    switch (op) {
    case OP_dup:
        a = pop (machine);
        push (machine, a);
        push (machine, a);
        break;
    case OP_drop:
        pop (machine);
        break;
    case OP_over:
    case OP_pick:
        a = op == OP_over ? 1 : base_cursor_read_u8 (&machine->cursor);
        if (a >= machine->n)
            machine->problem = "<broken location>";
        else
            push (machine, machine->stack[machine->n - 1 - a]);
        break;
    case OP_swap:
        a = pop (machine), b = pop (machine);
        push (machine, a);
        push (machine, b);
        break;
    default: /* rot */
        a = pop (machine), b = pop (machine), c = pop (machine);
        push (machine, a);
        push (machine, c);
        push (machine, b);
    }
}

static void
run_tls (Machine *machine)
{
    const IndexContext *context = machine->run->context;
    guint64 offset = pop (machine);
    if (context->tls_block)
        push (machine, context->tls_block + offset);
    else if (!context->tls_offset || !context->fs_base)
        machine->problem = "<thread-local storage unknown>";
    else
        push (machine, context->fs_base - context->tls_offset + offset);
}

static void
run_jump (Machine *machine, gboolean taken)
{
    gint16 by = (gint16) base_cursor_read_u16 (&machine->cursor);
    gint64 to = (gint64) machine->cursor.offset + by;
    if (!taken)
        return;
    if (to < 0)
        machine->problem = "<broken location>";
    else
        base_cursor_seek (&machine->cursor, to);
}

static void
run_constant (Machine *machine, guint op)
{
    guint size = 1u << ((op - OP_const1u) / 2);
    guint64 value = base_cursor_read_uint (&machine->cursor, size);
    if ((op - OP_const1u) % 2 && size < 8) {
        guint shift = 64 - size * 8;
        value = (guint64) ((gint64) (value << shift) >> shift);
    }
    push (machine, value);
}

static void
run_operation (Machine *machine, guint op)
{
    BaseCursor *cursor = &machine->cursor;
    guint64 number;
    gsize size;
    if (op >= OP_lit0 && op < OP_reg0) {
        push (machine, op - OP_lit0);
    } else if (op >= OP_reg0 && op < OP_breg0) {
        machine->is_register = TRUE;
        machine->reg = op - OP_reg0;
    } else if (op >= OP_breg0 && op < OP_regx) {
        number = read_register (machine, op - OP_breg0);
        push (machine, number + base_cursor_read_sleb (cursor));
    } else if (op >= OP_const1u && op <= OP_const8s) {
        run_constant (machine, op);
    } else if (op >= OP_dup && op <= OP_rot) {
        run_stack (machine, op);
    } else {
        switch (op) {
        case OP_addr:
            push (machine, base_cursor_read_u64 (cursor) + machine->run->context->bias);
            break;
        case OP_constu: push (machine, base_cursor_read_uleb (cursor)); break;
        case OP_consts: push (machine, base_cursor_read_sleb (cursor)); break;
        case OP_deref: push (machine, read_memory (machine, pop (machine), 8)); break;
        case OP_deref_size:
            size = base_cursor_read_u8 (cursor);
            push (machine, read_memory (machine, pop (machine), size));
            break;
        case OP_abs:
            number = pop (machine);
            push (machine, (gint64) number < 0 ? -number : number);
            break;
        case OP_neg: push (machine, -pop (machine)); break;
        case OP_not: push (machine, ~pop (machine)); break;
        case OP_plus_uconst:
            number = pop (machine);
            push (machine, number + base_cursor_read_uleb (cursor));
            break;
        case OP_bra: run_jump (machine, pop (machine) != 0); break;
        case OP_skip: run_jump (machine, TRUE); break;
        case OP_regx:
            machine->is_register = TRUE;
            machine->reg = base_cursor_read_uleb (cursor);
            break;
        case OP_bregx:
            number = read_register (machine, base_cursor_read_uleb (cursor));
            push (machine, number + base_cursor_read_sleb (cursor));
            break;
        case OP_fbreg:
            number = find_frame_base (machine);
            push (machine, number + base_cursor_read_sleb (cursor));
            break;
        case OP_call_frame_cfa:
            note_frame (machine->run->context);
            push (machine, machine->run->context->cfa);
            break;
        case OP_nop: break;
        case OP_push_object_address: push (machine, machine->run->object); break;
        case OP_form_tls_address:
        case OP_GNU_push_tls_address: run_tls (machine); break;
        case OP_stack_value: machine->is_value = TRUE; break;
        case OP_implicit_value:
            machine->implicit_size = base_cursor_read_uleb (cursor);
            machine->implicit = base_cursor_read_bytes (cursor, machine->implicit_size);
            break;
        case OP_convert:
        case OP_reinterpret:
        case OP_GNU_convert: /* between integers only; wider types read as they are */
            base_cursor_read_uleb (cursor);
            break;
        case OP_entry_value:
        case OP_GNU_entry_value:
        case OP_implicit_pointer:
        case OP_GNU_implicit_pointer: machine->problem = "<optimised out>"; break;
        default: run_binary (machine, op);
        }
    }
}

/* Appends one piece's bytes; what is missing makes the whole a problem. */
static void
add_piece (Machine *machine, GByteArray *bytes, guint64 size)
{
    guint8 buffer[8] = { 0 };
    guint start = bytes->len;
    if (size > MAX_PIECES || bytes->len + size > MAX_PIECES) {
        machine->problem = "<broken location>";
        return;
    }
    g_byte_array_set_size (bytes, start + size);
    memset (bytes->data + start, 0, size);
    if (machine->is_register || machine->is_value) {
        guint64 value = machine->is_register ? read_register (machine, machine->reg)
                                             : pop (machine);
        memcpy (buffer, &value, 8);
        memcpy (bytes->data + start, buffer, MIN (size, 8));
    } else if (machine->implicit) {
        memcpy (bytes->data + start, machine->implicit, MIN (size, machine->implicit_size));
    } else if (!machine->n) {
        machine->problem = "<optimised out>";
    } else {
        guint64 address = pop (machine);
        if (base_memory_read_some (machine->run->context->memory, address,
                                   bytes->data + start, size) < size)
            machine->problem = "<cannot read memory>";
    }
    machine->is_register = machine->is_value = FALSE;
    machine->implicit = NULL;
    machine->n = 0;
}

static void
take_result (Machine *machine, IndexValue *value)
{
    if (machine->is_register) {
        value->place = INDEX_PLACE_REGISTER;
        value->address = machine->reg;
    } else if (machine->implicit) {
        value->bytes = g_byte_array_new ();
        g_byte_array_append (value->bytes, machine->implicit, machine->implicit_size);
    } else if (machine->is_value) {
        guint64 number = pop (machine);
        value->bytes = g_byte_array_new ();
        g_byte_array_append (value->bytes, (const guint8 *) &number, 8);
    } else {
        value->place = INDEX_PLACE_MEMORY;
        value->address = pop (machine);
    }
}

void
index_run_location (IndexRun *run, const guint8 *frame_base, gsize frame_base_size,
                    const guint8 *expression, gsize size, IndexValue *value)
{
    Machine machine = { .run = run, .frame_base = frame_base,
                        .frame_base_size = frame_base_size };
    machine.cursor = (BaseCursor) BASE_CURSOR_INIT (expression, size);
    g_autoptr (GByteArray) pieces = NULL;
    if (!size)
        machine.problem = "<optimised out>";
    for (guint step = 0; !machine.problem && base_cursor_get_left (&machine.cursor); step++) {
        guint op = base_cursor_read_u8 (&machine.cursor);
        if (step > MAX_STEPS) {
            machine.problem = "<broken location>";
        } else if (op == OP_piece) {
            if (!pieces)
                pieces = g_byte_array_new ();
            guint64 length = base_cursor_read_uleb (&machine.cursor);
            if (!machine.cursor.failed)
                add_piece (&machine, pieces, length);
        } else {
            run_operation (&machine, op);
        }
        if (machine.cursor.failed)
            machine.problem = "<broken location>";
    }
    if (!machine.problem && pieces)
        value->bytes = g_steal_pointer (&pieces);
    else if (!machine.problem)
        take_result (&machine, value);
    if (machine.problem) {
        value->place = INDEX_PLACE_NONE;
        index_value_set_problem (value, g_strdup (machine.problem));
    }
}
