/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: instructions as text, in the assembler's form that gdb and objdump use (AT&T's). */
#include "base/error.h"
#include "machine/code.h"
#include "machine/disassembler.h"

struct _MachineText {
    const MachineDisassembler *capstone;
    csh handle;
    cs_insn *instruction;
};

MachineText *
machine_text_new (GError **error)
{
    const MachineDisassembler *capstone = machine_disassembler_load (error);
    MachineText *text;
    csh handle;

    if (capstone == NULL) {
        return NULL;
    }
    if (capstone->open (CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED, "cannot disassemble on this machine");
        return NULL;
    }
    capstone->option (handle, CS_OPT_DETAIL, CS_OPT_ON);
    capstone->option (handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    text = g_new0 (MachineText, 1);
    *text = (MachineText){ capstone, handle, capstone->malloc (handle) };
    return text;
}

void
machine_text_free (MachineText *text)
{
    text->capstone->free (text->instruction, 1);
    text->capstone->close (&text->handle);
    g_free (text);
}

/* Where a direct jump or call leads, or which place beside the code an operand names. */
static guint64
find_target (const cs_insn *insn, gboolean *ret_is_code)
{
    const cs_x86 *x86 = &insn->detail->x86;

    *ret_is_code = FALSE;
    for (guint i = 0; i < x86->op_count; i++) {
        const cs_x86_op *operand = &x86->operands[i];

        if (operand->type == X86_OP_IMM && x86->op_count == 1
            && (insn->bytes[0] == 0xe8 || insn->mnemonic[0] == 'j'
                || g_str_has_prefix (insn->mnemonic, "call"))) {
            *ret_is_code = TRUE;
            return (guint64) operand->imm;
        }
        if (operand->type == X86_OP_MEM && operand->mem.base == X86_REG_RIP) {
            return insn->address + insn->size + (guint64) operand->mem.disp;
        }
    }
    return 0;
}

gboolean
machine_text_read (MachineText *text, const guint8 *code, gsize size, guint64 address,
                   MachineInstruction *ret_instruction)
{
    cs_insn *own = text->instruction;

    if (!text->capstone->disasm_iter (text->handle, &code, &size, &address, own)) {
        return FALSE;
    }
    *ret_instruction = (MachineInstruction){ .address = own->address,
                                             .length = own->size,
                                             .mnemonic = own->mnemonic,
                                             .operands = own->op_str };
    ret_instruction->target = find_target (own, &ret_instruction->is_code);
    return TRUE;
}
