/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: an instruction as it can stand elsewhere. */
#include "machine/code.h"
#include "machine/disassembler.h"
#include "base/array.h"
#include <string.h>

#define JUMP 0xe9 /* jmp rel32 */
#define JUMP_SIZE 5u

/* Instructions that know where they stand, that leave, or that may fault by what they are: their
 * address would be seen. */
static gboolean
is_movable (const MachineDisassembler *capstone, csh handle, const cs_insn *instruction)
{
    static const guint8 refused[]
        = { CS_GRP_JUMP,      CS_GRP_CALL,           CS_GRP_RET, CS_GRP_INT, CS_GRP_IRET,
            CS_GRP_PRIVILEGE, CS_GRP_BRANCH_RELATIVE };

    if (BASE_ANY (i, G_N_ELEMENTS (refused),
                  capstone->insn_group (handle, instruction, refused[i]))) {
        return FALSE;
    }
    switch (instruction->id) {
    case X86_INS_SYSCALL:
    case X86_INS_SYSENTER:
    case X86_INS_DIV:
    case X86_INS_IDIV:
    case X86_INS_UD2:
    case X86_INS_POPF:
    case X86_INS_POPFD:
    case X86_INS_POPFQ:
    case X86_INS_XBEGIN:
    case X86_INS_XABORT:
    case X86_INS_HLT:
    case X86_INS_RDTSCP: return FALSE;
    default: return TRUE;
    }
}

static gboolean
uses_pc (const cs_insn *instruction)
{
    const cs_x86 *x86 = &instruction->detail->x86;

    return BASE_ANY (i, x86->op_count,
                     x86->operands[i].type == X86_OP_MEM
                         && x86->operands[i].mem.base == X86_REG_RIP);
}

/* The bytes that do at `to` what the instruction does at `from`. */
static gboolean
relocate (const cs_insn *instruction, guint8 *bytes, guint64 from, guint64 to)
{
    const cs_x86_encoding *encoding = &instruction->detail->x86.encoding;
    gint64 moved;
    gint32 displacement;

    if (!uses_pc (instruction)) {
        return TRUE;
    }
    if (encoding->disp_size != 4 || encoding->disp_offset == 0
        || encoding->disp_offset + 4u > instruction->size) {
        return FALSE;
    }
    memcpy (&displacement, bytes + encoding->disp_offset, 4);
    moved = displacement + (gint64) (from - to);
    displacement = (gint32) moved;
    memcpy (bytes + encoding->disp_offset, &displacement, 4);
    return moved == displacement;
}

/* From its end to the instruction after the original. */
static gboolean
append_jump (MachineCopy *copy, guint64 from, guint64 to)
{
    gint64 back = (gint64) (from - to) - JUMP_SIZE;
    gint32 distance = (gint32) back;

    copy->bytes[copy->length] = JUMP;
    memcpy (copy->bytes + copy->length + 1, &distance, sizeof distance);
    copy->size = copy->length + JUMP_SIZE;
    return distance == back;
}

gboolean
machine_code_displace (const guint8 *code, gsize size, guint64 from, guint64 to,
                       MachineCopy *ret_copy)
{
    static csh handle;
    const MachineDisassembler *capstone = machine_disassembler_load (NULL);
    cs_insn *instruction = NULL;
    gboolean is_good;

    if (capstone == NULL
        || (handle == 0 && capstone->open (CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)) {
        return FALSE;
    }
    capstone->option (handle, CS_OPT_DETAIL, CS_OPT_ON);
    if (capstone->disasm (handle, code, size, from, 1, &instruction) != 1) {
        return FALSE;
    }
    memset (ret_copy, 0, sizeof *ret_copy);
    ret_copy->length = instruction->size;
    memcpy (ret_copy->bytes, code, instruction->size);
    is_good = is_movable (capstone, handle, instruction)
              && relocate (instruction, ret_copy->bytes, from, to)
              && append_jump (ret_copy, from, to);
    capstone->free (instruction, 1);
    return is_good;
}
