/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: the entry into the agent for a thread in the middle of native code. Saves every register, runs
 * agent_arrive and returns to the pc that the engine pushed below the red zone. The unwind information
 * describes a signal frame, because the pc may be the first instruction of a function. */
#include "agent/private.h"
#include <cpuid.h>

__attribute__ ((visibility ("hidden"))) uint64_t agent_extended_size = 512;
__attribute__ ((visibility ("hidden"))) uint32_t agent_has_xsave;

__asm__(".text\n"
        ".globl pddt_agent_here\n"
        ".type pddt_agent_here, @function\n"
        "pddt_agent_here:\n"
        ".cfi_startproc\n"
        ".cfi_signal_frame\n"
        ".cfi_def_cfa rsp, 136\n" /* the stack pointer before: above the pc and the red zone */
        ".cfi_offset rip, -136\n"
        "push %rbp\n"
        ".cfi_adjust_cfa_offset 8\n"
        ".cfi_offset rbp, -144\n"
        "mov %rsp, %rbp\n"
        ".cfi_def_cfa_register rbp\n"
        "pushfq\n"
        "push %rax\n"
        "push %rcx\n"
        "push %rdx\n"
        "push %rsi\n"
        "push %rdi\n"
        "push %r8\n"
        "push %r9\n"
        "push %r10\n"
        "push %r11\n"
        "cld\n"
        "sub agent_extended_size(%rip), %rsp\n"
        "and $-64, %rsp\n"
        "cmpl $0, agent_has_xsave(%rip)\n"
        "je 1f\n"
        "xor %eax, %eax\n" /* the area's header */
        "lea 512(%rsp), %rdi\n"
        "mov $8, %ecx\n"
        "rep stosq\n"
        "mov $-1, %eax\n"
        "mov $-1, %edx\n"
        "xsave64 (%rsp)\n"
        "jmp 2f\n"
        "1: fxsave64 (%rsp)\n"
        "2: call agent_arrive\n"
        "cmpl $0, agent_has_xsave(%rip)\n"
        "je 3f\n"
        "mov $-1, %eax\n"
        "mov $-1, %edx\n"
        "xrstor64 (%rsp)\n"
        "jmp 4f\n"
        "3: fxrstor64 (%rsp)\n"
        "4:\n"
        "lea -80(%rbp), %rsp\n"
        "pop %r11\n"
        "pop %r10\n"
        "pop %r9\n"
        "pop %r8\n"
        "pop %rdi\n"
        "pop %rsi\n"
        "pop %rdx\n"
        "pop %rcx\n"
        "pop %rax\n"
        "popfq\n"
        "pop %rbp\n"
        ".cfi_def_cfa rsp, 136\n"
        "ret $128\n"
        ".cfi_endproc\n"
        ".size pddt_agent_here, .-pddt_agent_here\n");

/* How much the vector registers take that the kernel has enabled (SDM volume 1, 13.2). */
void
agent_here_init (void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid (1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)
        || !__get_cpuid_count (13, 0, &a, &b, &c, &d) || b < 576)
        return;
    agent_extended_size = b;
    agent_has_xsave = 1;
}
