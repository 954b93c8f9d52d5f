/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: the code of rescue.h. A handler gets the siginfo in rsi, whose si_code is at 8, and the ucontext in rdx, whose
 * rip and flags are at 168 and 176; the kernel does not change rdx, r8 and r9 in system calls. Unwinders know the
 * restorer by its bytes. */
#include "machine/rescue.h"
#include <signal.h>

#define FLAG_RESTORER 0x04000000u /* SA_RESTORER, asm/signal.h */

/* clang-format off */
__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        ".globl machine_rescue_code\n"
        ".hidden machine_rescue_code\n"
        "machine_rescue_code:\n"
        ".byte 0xf3, 0x0f, 0x1e, 0xfa\n" /* endbr64 */
        "movl 8(%rsi), %eax\n"
        "cmpl $0x80, %eax\n" /* SI_KERNEL: int3 */
        "je 1f\n"
        "decl %eax\n"
        "cmpl $3, %eax\n" /* TRAP_BRKPT to TRAP_HWBKPT */
        "ja 4f\n"
        "andq $~0x100, 176(%rdx)\n"
        "ret\n"
        "1: movq 168(%rdx), %r8\n"
        "decq %r8\n"
        "movl $100, %r9d\n"
        "2: cmpb $0xcc, (%r8)\n"
        "jne 3f\n"
        "subq $24, %rsp\n" /* nanosleep of 5 ms */
        "movq $0, (%rsp)\n"
        "movq $5000000, 8(%rsp)\n"
        "movq %rsp, %rdi\n"
        "xorl %esi, %esi\n"
        "movl $35, %eax\n"
        "syscall\n"
        "addq $24, %rsp\n"
        "decl %r9d\n"
        "jnz 2b\n"
        "movq %r8, 168(%rdx)\n" /* the program's own: once more, without the handler */
        "jmp 5f\n"
        "3: movq %r8, 168(%rdx)\n"
        "ret\n"
        "4: leaq 6f(%rip), %rsi\n"
        "movq %rdx, %r9\n"
        "xorl %edx, %edx\n"
        "movl $5, %edi\n"
        "movl $8, %r10d\n"
        "movl $13, %eax\n" /* rt_sigaction */
        "syscall\n"
        "movl $39, %eax\n" /* getpid */
        "syscall\n"
        "movl %eax, %r8d\n"
        "movl $186, %eax\n" /* gettid */
        "syscall\n"
        "movl %r8d, %edi\n"
        "movl %eax, %esi\n"
        "movl $5, %edx\n"
        "movl $234, %eax\n" /* tgkill: it comes when the handler has returned */
        "syscall\n"
        "ret\n"
        "5: leaq 6f(%rip), %rsi\n"
        "xorl %edx, %edx\n"
        "movl $5, %edi\n"
        "movl $8, %r10d\n"
        "movl $13, %eax\n"
        "syscall\n"
        "ret\n"
        ".balign 8\n"
        "7: movq $15, %rax\n" /* rt_sigreturn */
        "syscall\n"
        "8: syscall\n" /* the call; what follows changes no flags */
        "movl $14, %eax\n" /* rt_sigprocmask */
        "movl $2, %edi\n"
        "leaq 10f(%rip), %rsi\n"
        "movl $0, %edx\n"
        "movl $8, %r10d\n"
        "syscall\n"
        "movq 11f(%rip), %rdi\n"
        "movq 12f(%rip), %rsi\n"
        "movq 13f(%rip), %rdx\n"
        "movq 14f(%rip), %r10\n"
        "movq 15f(%rip), %rcx\n"
        "movq 16f(%rip), %r11\n"
        "movq 17f(%rip), %rax\n"
        "jmp *18f(%rip)\n"
        ".balign 8\n"
        "6: .zero 32\n" /* the action by default */
        "9: .zero 32\n"
        "10: .zero 8\n"
        "11: .zero 8\n"
        "12: .zero 8\n"
        "13: .zero 8\n"
        "14: .zero 8\n"
        "15: .zero 8\n"
        "16: .zero 8\n"
        "17: .zero 8\n"
        "18: .zero 8\n"
        ".set pddt_rescue_end, .\n"
        ".balign 4\n"
        ".globl machine_rescue_size, machine_rescue_action, machine_rescue_call, machine_rescue_return\n"
        ".hidden machine_rescue_size, machine_rescue_action, machine_rescue_call, machine_rescue_return\n"
        "machine_rescue_size: .long pddt_rescue_end - machine_rescue_code\n"
        "machine_rescue_action: .long 9b - machine_rescue_code\n"
        "machine_rescue_call: .long 8b - machine_rescue_code\n"
        "machine_rescue_return: .long 10b - machine_rescue_code\n"
        "pddt_rescue_restorer: .long 7b - machine_rescue_code\n"
        ".popsection\n");
/* clang-format on */

extern const guint pddt_rescue_restorer __attribute__ ((visibility ("hidden")));

MachineSignalAction
machine_rescue_make_action (guint64 code)
{
    return (MachineSignalAction){
        .handler = code,
        .flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | FLAG_RESTORER,
        .restorer = code + pddt_rescue_restorer,
        .mask = G_MAXUINT64,
    };
}

MachineRescueReturn
machine_rescue_make_return (const MachineRegisters *registers, guint64 mask)
{
    MachineRegisters wanted = *registers;

    machine_registers_restart_system_call (&wanted);
    return (MachineRescueReturn){ { mask, wanted.rdi, wanted.rsi, wanted.rdx, wanted.r10,
                                    wanted.rcx, wanted.r11, wanted.rax, wanted.rip } };
}
