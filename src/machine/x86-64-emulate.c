/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: emulates instructions that cannot be displaced (jumps, calls, returns; Intel SDM volume 2),
 * and the short ones that functions begin with. The rank's other threads need not stop for
 * these, and no single step is needed. */
#include "base/cursor.h"
#include "machine/code.h"
#include <string.h>

#define FLAG_CARRY 0x1u
#define FLAG_PARITY 0x4u
#define FLAG_ZERO 0x40u
#define FLAG_TRAP 0x100u
#define FLAG_SIGN 0x80u
#define FLAG_OVERFLOW 0x800u
#define USER_END (G_GUINT64_CONSTANT (1) << 47)

typedef struct {
    const MachineWords *words;
    MachineRegisters *registers;
    BaseCursor code;
    guint64 start;
    guint rex; /* 0x40 to 0x4f; 0 none */
} Instruction;

/* By the number that instructions name it with. */
static guint64
get_register (const MachineRegisters *registers, guint number)
{
    /* DWARF numbers (psABI, figure 3.36) of rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi. */
    static const guint8 numbers[8] = { 0, 2, 1, 3, 7, 6, 4, 5 };
    guint64 value = 0;

    machine_registers_get (registers, number < 8 ? numbers[number] : number, &value);
    return value;
}

static void
set_register (MachineRegisters *registers, guint number, guint64 value)
{
    static const guint8 numbers[8] = { 0, 2, 1, 3, 7, 6, 4, 5 };

    machine_registers_set (registers, number < 8 ? numbers[number] : number, value);
}

static guint64
get_end (const Instruction *instruction)
{
    return instruction->start + instruction->code.offset;
}

static gint64
read_signed (BaseCursor *cursor, guint size)
{
    guint64 value = base_cursor_read_uint (cursor, size);

    return (gint64) (value << (64 - 8 * size)) >> (64 - 8 * size);
}

/* Where nothing can be, the processor faults: that is left to it. */
static gboolean
go_to (Instruction *instruction, guint64 target)
{
    if (instruction->code.failed || target >= USER_END) {
        return FALSE;
    }
    instruction->registers->rip = target;
    return TRUE;
}

static gboolean
push (Instruction *instruction, guint64 value)
{
    guint64 sp = instruction->registers->rsp - 8;

    if (instruction->code.failed
        || !instruction->words->store (instruction->words->memory, sp, value)) {
        return FALSE;
    }
    instruction->registers->rsp = sp;
    return TRUE;
}

static gboolean
pop (Instruction *instruction, guint64 *ret_value)
{
    if (!instruction->words->load (instruction->words->memory, instruction->registers->rsp,
                                   ret_value)) {
        return FALSE;
    }
    instruction->registers->rsp += 8;
    return TRUE;
}

/* Condition codes, table B-10 of appendix B. */
static gboolean
is_condition (const MachineRegisters *registers, guint code)
{
    guint64 flags = registers->eflags;
    gboolean sign_differs = !(flags & FLAG_SIGN) != !(flags & FLAG_OVERFLOW), is;

    switch (code >> 1) {
    case 0: is = (flags & FLAG_OVERFLOW) != 0; break;
    case 1: is = (flags & FLAG_CARRY) != 0; break;
    case 2: is = (flags & FLAG_ZERO) != 0; break;
    case 3: is = (flags & (FLAG_CARRY | FLAG_ZERO)) != 0; break;
    case 4: is = (flags & FLAG_SIGN) != 0; break;
    case 5: is = (flags & FLAG_PARITY) != 0; break;
    case 6: is = sign_differs; break;
    default: is = (flags & FLAG_ZERO) != 0 || sign_differs; break;
    }
    return is == ((code & 1u) == 0);
}

static gboolean
jump_if (Instruction *instruction, gboolean is_taken, guint size)
{
    gint64 distance = read_signed (&instruction->code, size);

    return go_to (instruction, get_end (instruction) + (is_taken ? (guint64) distance : 0));
}

/* loopne, loope, loop, jrcxz */
static gboolean
do_loop (Instruction *instruction, guint8 code)
{
    MachineRegisters *registers = instruction->registers;
    guint64 count = registers->rcx - (code != 0xe3);
    gboolean is_zero = (registers->eflags & FLAG_ZERO) != 0;
    gboolean is_taken = code == 0xe3
                            ? count == 0
                            : count != 0 && (code == 0xe2 || is_zero == (code == 0xe1));

    if (!jump_if (instruction, is_taken, 1)) {
        return FALSE;
    }
    registers->rcx = count;
    return TRUE;
}

/* ---- operands in memory ---- */

static guint64
read_scaled (Instruction *instruction, guint mode, gboolean *ret_has_base)
{
    guint byte = base_cursor_read_u8 (&instruction->code);
    guint index = (byte >> 3 & 7u) | (instruction->rex & 2u) << 2;
    guint base = (byte & 7u) | (instruction->rex & 1u) << 3;
    guint64 address = index != 4 ? get_register (instruction->registers, index) << (byte >> 6)
                                 : 0;

    *ret_has_base = !((byte & 7u) == 5 && mode == 0);
    return address + (*ret_has_base ? get_register (instruction->registers, base) : 0);
}

/* The address that ModRM says; volume 2, tables 2-2 and 2-3. Only of 64-bit addresses. */
static guint64
read_address (Instruction *instruction, guint modrm)
{
    guint mode = modrm >> 6, number = modrm & 7u;
    gboolean has_base = TRUE;
    guint64 address;

    if (number == 4) {
        address = read_scaled (instruction, mode, &has_base);
    } else if (mode == 0 && number == 5) {
        gint64 distance = read_signed (&instruction->code, 4);

        return get_end (instruction) + (guint64) distance; /* nothing follows it */
    } else {
        address = get_register (instruction->registers, number | (instruction->rex & 1u) << 3);
    }
    if (mode == 1) {
        address += (guint64) read_signed (&instruction->code, 1);
    } else if (mode == 2 || !has_base) {
        address += (guint64) read_signed (&instruction->code, 4);
    }
    return address;
}

/* call and jmp by a register or a word in memory */
static gboolean
go_indirect (Instruction *instruction)
{
    guint modrm = base_cursor_read_u8 (&instruction->code), what = modrm >> 3 & 7u;
    guint64 target;

    if (what != 2 && what != 4) {
        return FALSE;
    }
    if (modrm >> 6 == 3) {
        target = get_register (instruction->registers,
                               (modrm & 7u) | (instruction->rex & 1u) << 3);
    } else if (!instruction->words->load (instruction->words->memory,
                                          read_address (instruction, modrm), &target)) {
        return FALSE;
    }
    return target < USER_END && (what == 4 || push (instruction, get_end (instruction)))
           && go_to (instruction, target);
}

static gboolean
call_relative (Instruction *instruction)
{
    gint64 distance = read_signed (&instruction->code, 4);
    guint64 end = get_end (instruction), target = end + (guint64) distance;

    return target < USER_END && push (instruction, end) && go_to (instruction, target);
}

static gboolean
do_return (Instruction *instruction, guint8 code)
{
    guint64 drop = code == 0xc2 ? base_cursor_read_u16 (&instruction->code) : 0, target;

    if (instruction->code.failed
        || !instruction->words->load (instruction->words->memory, instruction->registers->rsp,
                                      &target)
        || !go_to (instruction, target)) {
        return FALSE;
    }
    instruction->registers->rsp += 8 + drop;
    return TRUE;
}

/* push and pop of a register */
static gboolean
move_register (Instruction *instruction, guint8 code)
{
    guint number = (code & 7u) | (instruction->rex & 1u) << 3;
    guint64 value;

    if (code < 0x58) {
        return push (instruction, get_register (instruction->registers, number))
               && go_to (instruction, get_end (instruction));
    }
    if (!pop (instruction, &value)) {
        return FALSE;
    }
    set_register (instruction->registers, number, value);
    return go_to (instruction, get_end (instruction));
}

static gboolean
emulate_two_bytes (Instruction *instruction)
{
    guint8 code = base_cursor_read_u8 (&instruction->code);

    return (code & 0xf0) == 0x80
           && jump_if (instruction, is_condition (instruction->registers, code & 15u), 4);
}

static gboolean
emulate (Instruction *instruction)
{
    guint8 code = base_cursor_read_u8 (&instruction->code);

    if ((code & 0xf0) == 0x40) {
        instruction->rex = code;
        code = base_cursor_read_u8 (&instruction->code);
    }
    switch (code) {
    case 0x0f: return emulate_two_bytes (instruction);
    case 0x90: return instruction->rex == 0 && go_to (instruction, get_end (instruction));
    case 0xc2:
    case 0xc3: return do_return (instruction, code);
    case 0xe0:
    case 0xe1:
    case 0xe2:
    case 0xe3: return do_loop (instruction, code);
    case 0xe8: return call_relative (instruction);
    case 0xe9: return jump_if (instruction, TRUE, 4);
    case 0xeb: return jump_if (instruction, TRUE, 1);
    case 0xff: return go_indirect (instruction);
    default: break;
    }
    if (code >= 0x50 && code < 0x60) {
        return move_register (instruction, code);
    }
    return (code & 0xf0) == 0x70
           && jump_if (instruction, is_condition (instruction->registers, code & 15u), 1);
}

gboolean
machine_code_emulate (const MachineWords *words, MachineRegisters *registers)
{
    static const guint8 endbr64[4] = { 0xf3, 0x0f, 0x1e, 0xfa };
    guint8 bytes[16];
    gsize size = base_memory_read_some (words->memory, registers->rip, bytes, sizeof bytes);
    MachineRegisters result = *registers;
    Instruction instruction = { .words = words,
                                .registers = &result,
                                .start = registers->rip,
                                .code = BASE_CURSOR_INIT (bytes, size) };

    if (registers->eflags & FLAG_TRAP) {
        return FALSE;
    }
    if (size >= sizeof endbr64 && memcmp (bytes, endbr64, sizeof endbr64) == 0) {
        registers->rip += sizeof endbr64;
        return TRUE;
    }
    /* bnd and notrack change nothing of a jump or a call. */
    if (size > 1 && (bytes[0] == 0xf2 || bytes[0] == 0x3e)
        && (bytes[1] == 0xff || bytes[1] == 0xe8 || bytes[1] == 0xe9 || bytes[1] == 0xc3)) {
        base_cursor_skip (&instruction.code, 1);
    }
    if (!emulate (&instruction) || instruction.code.failed) {
        return FALSE;
    }
    *registers = result;
    return TRUE;
}
