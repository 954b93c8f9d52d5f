/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DWARF's stack machine: evaluates location expressions to a place, a register or bytes. */
#include <glib/gi18n.h>
#include <string.h>

#include "base/cursor.h"
#include "evaluate/program-private.h"

#define MAX_STEPS 20000
#define MAX_STACK 64
#define MAX_PIECES (1 << 16)
#define N_GENERAL 17     /* registers that hold 8 bytes */
#define ENCODING_FLOAT 4 /* DWARF 5 section 7.8 */

/* DWARF 5 section 7.7.1 */
enum {
    OP_addr = 0x03,
    OP_deref = 0x06,
    OP_const1u = 0x08,
    OP_const8s = 0x0f,
    OP_constu = 0x10,
    OP_consts,
    OP_dup,
    OP_drop,
    OP_over,
    OP_pick,
    OP_swap,
    OP_rot,
    OP_abs = 0x19,
    OP_and,
    OP_div,
    OP_minus,
    OP_mod,
    OP_mul,
    OP_neg,
    OP_not,
    OP_or,
    OP_plus,
    OP_plus_uconst,
    OP_shl,
    OP_shr,
    OP_shra,
    OP_xor,
    OP_bra,
    OP_eq,
    OP_ge,
    OP_gt,
    OP_le,
    OP_lt,
    OP_ne,
    OP_skip,
    OP_lit0 = 0x30,
    OP_reg0 = 0x50,
    OP_breg0 = 0x70,
    OP_regx = 0x90,
    OP_fbreg,
    OP_bregx,
    OP_piece,
    OP_deref_size,
    OP_nop = 0x96,
    OP_push_object_address = 0x97,
    OP_form_tls_address = 0x9b,
    OP_call_frame_cfa,
    OP_bit_piece,
    OP_implicit_value,
    OP_stack_value,
    OP_implicit_pointer,
    OP_addrx,
    OP_constx,
    OP_entry_value,
    OP_const_type,
    OP_regval_type,
    OP_deref_type,
    OP_convert = 0xa8,
    OP_reinterpret,
    OP_GNU_push_tls_address = 0xe0,
    OP_GNU_entry_value = 0xf3,
    OP_GNU_implicit_pointer = 0xf2,
    OP_GNU_convert = 0xf7,
};

typedef struct {
    EvaluateRun *run;
    const guint8 *frame_base;
    gsize frame_base_size;
    BaseCursor cursor;
    guint64 stack[MAX_STACK];
    guint types[MAX_STACK]; /* encoding << 8 | size; 0 untyped */
    guint n;
    const char *problem;
    /* what the expression ended with */
    gboolean is_register, is_value;
    guint reg;
    const guint8 *implicit;
    gsize implicit_size;
    gboolean is_pointer; /* to what has no address: its location is implicit */
    gint64 pointer_offset;
} Machine;

guint64
evaluate_context_locate (const EvaluateContext *context, guint64 address)
{
    address += context->bias;
    return context->find_copy != NULL ? context->find_copy (context->user, address) : address;
}

static gboolean
is_signed (guint type)
{
    guint encoding = type >> 8;
    return encoding == 5 || encoding == 6;
}

static gboolean
is_float (guint type)
{
    return type >> 8 == ENCODING_FLOAT;
}

static void
push_typed (Machine *machine, guint64 value, guint type)
{
    guint size = type & 0xff;
    if (machine->n == MAX_STACK || size > 8 || (is_float (type) && size != 4 && size != 8)) {
        machine->problem = size > 8 ? N_ ("<location not understood>")
                                    : N_ ("<broken location>");
        return;
    }
    if (size && size < 8) {
        guint shift = 64 - size * 8;
        value = is_signed (type) ? (guint64) ((gint64) (value << shift) >> shift)
                                 : value << shift >> shift;
    }
    machine->types[machine->n] = type;
    machine->stack[machine->n++] = value;
}

static void
push (Machine *machine, guint64 value)
{
    push_typed (machine, value, 0);
}

static double
read_real (guint64 bits, guint type)
{
    float single;
    double twice;
    if ((type & 0xff) == 4) {
        memcpy (&single, &bits, 4);
        return single;
    }
    memcpy (&twice, &bits, 8);
    return twice;
}

static void
push_real (Machine *machine, double value, guint type)
{
    guint64 bits = 0;
    float single = (float) value;
    if ((type & 0xff) == 4)
        memcpy (&bits, &single, 4);
    else
        memcpy (&bits, &value, 8);
    push_typed (machine, bits, type);
}

static guint64
pop (Machine *machine)
{
    if (!machine->n) {
        machine->problem = N_ ("<broken location>");
        return 0;
    }
    return machine->stack[--machine->n];
}

static void
note_frame (const EvaluateContext *context)
{
    if (context->used)
        *context->used |= EVALUATE_USED_FRAME;
}

static guint64
read_register (Machine *machine, guint number)
{
    const EvaluateContext *context = machine->run->context;
    guint64 value = 0;
    guint8 wide[16];
    note_frame (context);
    if (number >= N_GENERAL) {
        if (evaluate_run_read_wide (machine->run, number, wide))
            memcpy (&value, wide, 8);
        else
            machine->problem = N_ ("<not saved>");
    } else if (!evaluate_run_read_register (machine->run, number, &value)) {
        machine->problem = N_ ("<not saved>");
    }
    return value;
}

static guint64
read_memory (Machine *machine, guint64 address, guint size)
{
    guint64 value = 0;
    if (size > 8 || !size) /* as clang says of a part of a vector */
        machine->problem = N_ ("<location not understood>");
    else if (base_memory_read_some (machine->run->context->memory, address, &value, size)
             < size)
        machine->problem = N_ ("<cannot read memory>");
    return value;
}

static guint64
find_frame_base (Machine *machine)
{
    EvaluateValue base = { 0 };
    guint64 address = 0;
    if (!machine->frame_base_size || machine->run->depth > 4) {
        machine->problem = N_ ("<no frame base>");
        return 0;
    }
    machine->run->depth++;
    evaluate_run_location (machine->run, NULL, 0, machine->frame_base, machine->frame_base_size,
                           &base);
    machine->run->depth--;
    if (base.problem)
        machine->problem = machine->frame_base[0] == EVALUATE_LOCATION_CALLER
                               ? N_ ("<the frame of its procedure is not known>")
                               : N_ ("<no frame base>");
    else if (base.place == EVALUATE_PLACE_REGISTER)
        address = read_register (machine, base.address);
    else if (base.place == EVALUATE_PLACE_MEMORY)
        address = base.address;
    else if (base.bytes && base.bytes->len >= 8)
        memcpy (&address, base.bytes->data, 8);
    evaluate_value_clear (&base);
    return address;
}

static void
run_real (Machine *machine, guint op, double left, double right, guint type)
{
    switch (op) {
    case OP_plus: push_real (machine, left + right, type); break;
    case OP_minus: push_real (machine, left - right, type); break;
    case OP_mul: push_real (machine, left * right, type); break;
    case OP_div: push_real (machine, left / right, type); break;
    case OP_eq: push (machine, left == right); break;
    case OP_ge: push (machine, left >= right); break;
    case OP_gt: push (machine, left > right); break;
    case OP_le: push (machine, left <= right); break;
    case OP_lt: push (machine, left < right); break;
    case OP_ne: push (machine, left != right); break;
    default: machine->problem = N_ ("<location not understood>");
    }
}

static void
run_division (Machine *machine, guint op, guint64 left, guint64 right, guint type)
{
    gboolean with_sign = type ? is_signed (type) : op == OP_div;
    gint64 sl = left, sr = right;
    if (!right || (with_sign && sr == -1 && sl == G_MININT64))
        machine->problem = N_ ("<broken location>");
    else if (op == OP_div)
        push_typed (machine, with_sign ? (guint64) (sl / sr) : left / right, type);
    else
        push_typed (machine, with_sign ? (guint64) (sl % sr) : left % right, type);
}

static void
run_binary (Machine *machine, guint op)
{
    guint64 right = pop (machine);
    guint type = machine->types[machine->n];
    guint64 left = pop (machine);
    if (machine->problem)
        return;
    if (op != OP_shl && op != OP_shr && op != OP_shra && type != machine->types[machine->n]) {
        machine->problem = N_ ("<broken location>");
        return;
    }
    type = machine->types[machine->n];
    if (is_float (type)) {
        run_real (machine, op, read_real (left, type), read_real (right, type), type);
        return;
    }
    gboolean with_sign = !type || is_signed (type);
    gboolean less = with_sign ? (gint64) left < (gint64) right : left < right;
    switch (op) {
    case OP_and: push_typed (machine, left & right, type); break;
    case OP_or: push_typed (machine, left | right, type); break;
    case OP_xor: push_typed (machine, left ^ right, type); break;
    case OP_plus: push_typed (machine, left + right, type); break;
    case OP_minus: push_typed (machine, left - right, type); break;
    case OP_mul: push_typed (machine, left * right, type); break;
    case OP_div:
    case OP_mod: run_division (machine, op, left, right, type); break;
    case OP_shl: push_typed (machine, right < 64 ? left << right : 0, type); break;
    case OP_shr:
        if (is_signed (type) && (type & 0xff) < 8)
            left &= ((guint64) 1 << (type & 0xff) * 8) - 1;
        push_typed (machine, right < 64 ? left >> right : 0, type);
        break;
    case OP_shra: push_typed (machine, (gint64) left >> MIN (right, 63), type); break;
    case OP_eq: push (machine, left == right); break;
    case OP_ge: push (machine, !less); break;
    case OP_gt: push (machine, !less && left != right); break;
    case OP_le: push (machine, less || left == right); break;
    case OP_lt: push (machine, less); break;
    case OP_ne: push (machine, left != right); break;
    default: machine->problem = N_ ("<location not understood>");
    }
}

/* DWARF 5 section 2.5.1.6: value to value, or bits to bits. */
static void
convert (Machine *machine, guint to, gboolean bits_only)
{
    guint64 value = pop (machine);
    guint from = machine->types[machine->n];
    if (machine->problem)
        return;
    if (bits_only || (!is_float (from) && !is_float (to))) {
        push_typed (machine, value, to);
    } else if (is_float (to)) {
        double real = is_float (from)             ? read_real (value, from)
                      : !from || is_signed (from) ? (double) (gint64) value
                                                  : (double) value;
        push_real (machine, real, to);
    } else {
        double real = read_real (value, from);
        if (!(real > -9.2e18 && real < 1.8e19))
            machine->problem = N_ ("<location not understood>");
        else
            push_typed (machine, real < 0 ? (guint64) (gint64) real : (guint64) real, to);
    }
}

static void
run_typed (Machine *machine, guint op)
{
    BaseCursor *cursor = &machine->cursor;
    guint64 number = 0;
    guint type, size;
    switch (op) {
    case OP_const_type:
        type = base_cursor_read_uleb (cursor);
        size = base_cursor_read_u8 (cursor);
        if (size && size <= 8)
            push_typed (machine, base_cursor_read_uint (cursor, size), type);
        else
            machine->problem = N_ ("<location not understood>");
        break;
    case OP_regval_type:
        number = read_register (machine, base_cursor_read_uleb (cursor));
        push_typed (machine, number, base_cursor_read_uleb (cursor));
        break;
    case OP_deref_type:
        size = base_cursor_read_u8 (cursor);
        number = read_memory (machine, pop (machine), size);
        push_typed (machine, number, base_cursor_read_uleb (cursor));
        break;
    default: convert (machine, base_cursor_read_uleb (cursor), op == OP_reinterpret);
    }
}

/* What a register or expression was when the function began: the caller's call site may know. */
static void
run_entry_value (Machine *machine)
{
    const EvaluateContext *context = machine->run->context;
    gsize size = base_cursor_read_uleb (&machine->cursor);
    const guint8 *expression = base_cursor_read_bytes (&machine->cursor, size);
    guint64 value = 0;
    note_frame (context);
    if (!expression)
        return;
    if (context->find_entry_value
        && context->find_entry_value (context->user, expression, size, &value))
        push (machine, value);
    else
        machine->problem = N_ ("<optimised out>");
}

/* Where the frame of a procedure around this one is, which no static link tells. */
static void
run_caller (Machine *machine)
{
    const EvaluateContext *context = machine->run->context;
    guint64 low = base_cursor_read_uleb (&machine->cursor),
            size = base_cursor_read_uleb (&machine->cursor), cfa;
    note_frame (context);
    if (context->find_caller && context->find_caller (context->user, low, size, &cfa))
        push (machine, cfa);
    else
        machine->problem = N_ ("<the frame of its procedure is not known>");
}

/* Puts copies of entries, counted from the top, on the stack in place of the topmost `n`. */
static void
rearrange (Machine *machine, guint n, const guint8 *from, guint n_from)
{
    guint64 values[4];
    guint types[4];
    if (machine->n < n) {
        machine->problem = N_ ("<broken location>");
        return;
    }
    for (guint i = 0; i < n_from; i++) {
        values[i] = machine->stack[machine->n - 1 - from[i]];
        types[i] = machine->types[machine->n - 1 - from[i]];
    }
    machine->n -= n;
    for (guint i = 0; i < n_from; i++)
        push_typed (machine, values[i], types[i]);
}

static void
run_stack (Machine *machine, guint op)
{
    guint at;
    switch (op) {
    case OP_dup: rearrange (machine, 1, (const guint8[]){ 0, 0 }, 2); break;
    case OP_drop: pop (machine); break;
    case OP_over:
    case OP_pick:
        at = op == OP_over ? 1 : base_cursor_read_u8 (&machine->cursor);
        if (at >= machine->n)
            machine->problem = N_ ("<broken location>");
        else
            push_typed (machine, machine->stack[machine->n - 1 - at],
                        machine->types[machine->n - 1 - at]);
        break;
    case OP_swap: rearrange (machine, 2, (const guint8[]){ 0, 1 }, 2); break;
    default: /* rot: the topmost becomes the third */
        rearrange (machine, 3, (const guint8[]){ 0, 2, 1 }, 3);
    }
}

static void
run_tls (Machine *machine)
{
    const EvaluateContext *context = machine->run->context;
    guint64 offset = pop (machine);
    guint64 block;
    if (!context->tls_offset && context->find_tls_block
        && context->find_tls_block (context->user, &block))
        push (machine, block + offset);
    else if (!context->tls_offset || !context->fs_base)
        machine->problem = N_ ("<thread-local storage unknown>");
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
        machine->problem = N_ ("<broken location>");
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
run_unary (Machine *machine, guint op)
{
    guint64 value = pop (machine);
    guint type = machine->types[machine->n];
    if (machine->problem)
        return;
    if (is_float (type)) {
        double real = read_real (value, type);
        push_real (machine, op == OP_abs && real >= 0 ? real : -real, type);
    } else if (op == OP_abs) {
        push_typed (machine, (gint64) value < 0 ? -value : value, type);
    } else {
        push_typed (machine, op == OP_neg ? -value : ~value, type);
    }
}

static void
take_implicit (Machine *machine)
{
    machine->implicit_size = base_cursor_read_uleb (&machine->cursor);
    machine->implicit = base_cursor_read_bytes (&machine->cursor, machine->implicit_size);
}

static void
run_operation (Machine *machine, guint op)
{
    BaseCursor *cursor = &machine->cursor;
    guint64 number, size;
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
    } else if (op == OP_abs || op == OP_neg || op == OP_not) {
        run_unary (machine, op);
    } else {
        switch (op) {
        case OP_addr:
            number = base_cursor_read_u64 (cursor);
            push (machine, evaluate_context_locate (machine->run->context, number));
            break;
        case OP_constu: push (machine, base_cursor_read_uleb (cursor)); break;
        case OP_consts: push (machine, base_cursor_read_sleb (cursor)); break;
        case OP_deref: push (machine, read_memory (machine, pop (machine), 8)); break;
        case OP_deref_size:
            size = base_cursor_read_u8 (cursor);
            push (machine, read_memory (machine, pop (machine), size));
            break;
        case OP_plus_uconst:
            number = pop (machine);
            push_typed (machine, number + base_cursor_read_uleb (cursor),
                        machine->types[machine->n]);
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
            if (!machine->run->context->cfa)
                machine->problem = N_ ("<no frame>");
            push (machine, machine->run->context->cfa);
            break;
        case OP_nop: break;
        case OP_push_object_address: push (machine, machine->run->object); break;
        case OP_form_tls_address:
        case OP_GNU_push_tls_address: run_tls (machine); break;
        case OP_stack_value: machine->is_value = TRUE; break;
        case OP_implicit_value: take_implicit (machine); break;
        case OP_const_type:
        case OP_regval_type:
        case OP_deref_type:
        case OP_convert:
        case OP_reinterpret: run_typed (machine, op); break;
        case OP_entry_value:
        case OP_GNU_entry_value: run_entry_value (machine); break;
        case EVALUATE_LOCATION_CALLER: run_caller (machine); break;
        case OP_implicit_pointer: /* location.c of symbol put the location in the entry's place */
            machine->is_pointer = TRUE;
            take_implicit (machine);
            machine->pointer_offset = base_cursor_read_sleb (cursor);
            break;
        default: run_binary (machine, op);
        }
    }
}

/* Numbers of reasons in a value's gaps. */
static const char *const reasons[] = { NULL, N_ ("<optimised out>"), N_ ("<not saved>"),
                                       N_ ("<cannot read memory>") };

const char *
evaluate_value_get_reason (guint8 gap)
{
    return reasons[gap < G_N_ELEMENTS (reasons) ? gap : 1];
}

/* One piece's bytes into `to`; 0 or the number of the reason why they are not known. */
static guint8
read_piece (Machine *machine, guint8 *to, guint64 size)
{
    guint64 value;
    guint8 wide[16];
    if (machine->problem)
        return strcmp (machine->problem, reasons[2]) == 0 ? 2 : 1;
    if (machine->is_register && machine->reg >= N_GENERAL) {
        if (size > 16 || !evaluate_run_read_wide (machine->run, machine->reg, wide))
            return 2;
        memcpy (to, wide, size);
        return 0;
    }
    if (machine->is_register || machine->is_value) {
        value = machine->is_register ? read_register (machine, machine->reg) : pop (machine);
        if (size > 8 || machine->problem)
            return 2;
        memcpy (to, &value, size);
        return 0;
    }
    if (machine->is_pointer)
        return 1;
    if (machine->implicit) {
        memcpy (to, machine->implicit, MIN (size, machine->implicit_size));
        return size > machine->implicit_size;
    }
    if (!machine->n)
        return 1;
    return base_memory_read_some (machine->run->context->memory, pop (machine), to, size) < size
               ? 3
               : 0;
}

/* Bits count from the lowest of a byte. `to` is 0 where they go. */
static void
copy_bits (guint8 *to, guint64 at, const guint8 *from, guint64 skipped, guint64 size)
{
    if ((at | skipped | size) % 8 == 0) {
        memcpy (to + at / 8, from + skipped / 8, size / 8);
        return;
    }
    for (guint64 i = 0; i < size; i++)
        if (from[(skipped + i) / 8] >> (skipped + i) % 8 & 1)
            to[(at + i) / 8] |= 1 << (at + i) % 8;
}

/* Appends one piece of bits at bit *at: what is missing leaves a gap, not a wrong value. skipped: bits
 * of its source before it. */
static void
add_piece (Machine *machine, EvaluateValue *value, guint64 size, guint64 skipped, guint64 *at)
{
    if (!value->bytes) {
        value->bytes = g_byte_array_new ();
        value->gaps = g_byte_array_new ();
    }
    guint start = value->bytes->len;
    guint64 whole = (skipped + size + 7) / 8, end = (*at + size + 7) / 8;
    if (size > MAX_PIECES * 8 || skipped > MAX_PIECES * 8 || end > MAX_PIECES) {
        machine->problem = N_ ("<broken location>");
        return;
    }
    g_autofree guint8 *from = g_malloc0 (whole + 1);
    guint8 gap = read_piece (machine, from, whole);
    g_byte_array_set_size (value->bytes, end);
    g_byte_array_set_size (value->gaps, end * 8);
    memset (value->bytes->data + start, 0, end - start);
    copy_bits (value->bytes->data, *at, from, skipped, size);
    memset (value->gaps->data + *at, gap, size);
    memset (value->gaps->data + *at + size, 0, end * 8 - *at - size);
    *at += size;
    machine->problem = NULL;
    machine->is_register = machine->is_value = machine->is_pointer = FALSE;
    machine->implicit = NULL;
    machine->n = 0;
}

static void
take_result (Machine *machine, EvaluateValue *value)
{
    if (machine->is_pointer) {
        value->pointee = machine->implicit;
        value->pointee_size = machine->implicit_size;
        value->pointee_offset = machine->pointer_offset;
    } else if (machine->is_register) {
        value->place = EVALUATE_PLACE_REGISTER;
        value->address = machine->reg;
        value->is_kept = machine->run->is_kept;
    } else if (machine->implicit) {
        value->bytes = g_byte_array_new ();
        g_byte_array_append (value->bytes, machine->implicit, machine->implicit_size);
    } else if (machine->is_value) {
        guint64 number = pop (machine);
        value->bytes = g_byte_array_new ();
        g_byte_array_append (value->bytes, (const guint8 *) &number, 8);
    } else {
        value->place = EVALUATE_PLACE_MEMORY;
        value->address = pop (machine);
    }
}

/* The operands of OP_piece or OP_bit_piece. */
static void
take_piece (Machine *machine, guint op, EvaluateValue *value, guint64 *at)
{
    guint64 size = base_cursor_read_uleb (&machine->cursor);
    guint64 skipped = op == OP_bit_piece ? base_cursor_read_uleb (&machine->cursor) : 0;
    if (op == OP_piece)
        size = size > MAX_PIECES ? G_MAXUINT64 : size * 8;
    if (!machine->cursor.failed)
        add_piece (machine, value, size, skipped, at);
}

/* To the next piece, which stands for itself: a problem of this one is its own. Its operation; 0: none
 * is found. */
static guint
skip_to_piece (BaseCursor *cursor)
{
    while (base_cursor_get_left (cursor) && !cursor->failed) {
        guint op = base_cursor_read_u8 (cursor);
        if (op == OP_piece || op == OP_bit_piece)
            return op;
        if ((op >= OP_breg0 && op < OP_regx) || op == OP_fbreg || op == OP_consts)
            base_cursor_read_sleb (cursor);
        else if (op == OP_constu || op == OP_plus_uconst || op == OP_regx)
            base_cursor_read_uleb (cursor);
        else if (op == OP_entry_value || op == OP_GNU_entry_value || op == OP_implicit_value)
            base_cursor_skip (cursor, base_cursor_read_uleb (cursor));
        else if (op == OP_addr || op == OP_const1u + 6 || op == OP_const8s)
            base_cursor_skip (cursor, 8);
        else if (op >= OP_const1u && op < OP_const1u + 6)
            base_cursor_skip (cursor, 1u << (op - OP_const1u) / 2);
        else if (op == OP_deref_size || op == OP_pick)
            base_cursor_skip (cursor, 1);
        else if (op == OP_bra || op == OP_skip || op >= OP_implicit_pointer)
            return 0;
    }
    return 0;
}

void
evaluate_run_location (EvaluateRun *run, const guint8 *frame_base, gsize frame_base_size,
                       const guint8 *expression, gsize size, EvaluateValue *value)
{
    Machine machine
        = { .run = run, .frame_base = frame_base, .frame_base_size = frame_base_size };
    machine.cursor = (BaseCursor) BASE_CURSOR_INIT (expression, size);
    guint64 at = 0; /* bits of pieces so far */
    gboolean pieces = FALSE;
    if (!size)
        machine.problem = N_ ("<optimised out>");
    for (guint step = 0; !machine.problem && base_cursor_get_left (&machine.cursor); step++) {
        guint op = base_cursor_read_u8 (&machine.cursor);
        guint piece = op == OP_piece || op == OP_bit_piece ? op : 0;
        if (step > MAX_STEPS)
            machine.problem = N_ ("<broken location>");
        else if (!piece)
            run_operation (&machine, op);
        if (machine.problem && !machine.cursor.failed && step <= MAX_STEPS)
            piece = skip_to_piece (&machine.cursor);
        if (piece) {
            take_piece (&machine, piece, value, &at);
            pieces = TRUE;
        }
        if (machine.cursor.failed)
            machine.problem = N_ ("<broken location>");
    }
    if (!machine.problem && !pieces)
        take_result (&machine, value);
    if (machine.problem) {
        value->place = EVALUATE_PLACE_NONE;
        evaluate_value_set_problem (value, g_strdup (machine.problem));
    }
}
