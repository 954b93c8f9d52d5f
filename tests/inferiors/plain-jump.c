/* SPDX-License-Identifier: GPL-3.0-or-later */
/* setjmp and longjmp as musl has them: nothing that they keep is hidden. Exit status 0: it has come back. */
typedef unsigned long Kept[8];

int keep (Kept kept) __attribute__ ((returns_twice));
void longjmp (Kept kept, int value) __attribute__ ((noreturn));

__asm__(".text\n"
        ".globl keep\n"
        ".type keep, @function\n"
        "keep:\n"
        "mov %rbx, (%rdi)\n"
        "mov %rbp, 8(%rdi)\n"
        "mov %r12, 16(%rdi)\n"
        "mov %r13, 24(%rdi)\n"
        "mov %r14, 32(%rdi)\n"
        "mov %r15, 40(%rdi)\n"
        "lea 8(%rsp), %rdx\n"
        "mov %rdx, 48(%rdi)\n"
        "mov (%rsp), %rdx\n"
        "mov %rdx, 56(%rdi)\n"
        "xor %eax, %eax\n"
        "ret\n"
        ".size keep, .-keep\n"
        ".globl longjmp\n"
        ".type longjmp, @function\n"
        "longjmp:\n"
        "mov %esi, %eax\n"
        "mov (%rdi), %rbx\n"
        "mov 8(%rdi), %rbp\n"
        "mov 16(%rdi), %r12\n"
        "mov 24(%rdi), %r13\n"
        "mov 32(%rdi), %r14\n"
        "mov 40(%rdi), %r15\n"
        "mov 48(%rdi), %rsp\n"
        "jmp *56(%rdi)\n"
        ".size longjmp, .-longjmp\n"
        ".section .note.GNU-stack, \"\", @progbits\n"
        ".text\n");

static Kept kept;

static __attribute__ ((noinline)) void
jump (int value)
{
    longjmp (kept, value);
}

int
main (void)
{
    if (keep (kept) != 0) { /*@ keep */
        return 0;           /*@ landed */
    }
    jump (1); /*@ jump */
}
