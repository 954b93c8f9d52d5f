/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A restartable sequence (rseq(2)) as programs have them: described in a section, begun by nobody. */

static volatile int n_rounds;

int
main (void)
{
    for (int i = 0; i < 3; i++) {
        __asm__ volatile(".pushsection __rseq_cs, \"aw\"\n\t"
                         ".balign 32\n\t"
                         ".long 0, 0\n\t"
                         ".quad 1f, 2f - 1f, 3f\n\t"
                         ".popsection\n\t"
                         "1: nop\n\t"
                         ".globl inside_sequence\n\t"
                         "inside_sequence: nop\n\t"
                         "2: nop\n\t"
                         ".globl behind_sequence\n\t"
                         "behind_sequence: nop\n\t"
                         "jmp 4f\n\t"
                         "3: jmp 1b\n\t"
                         "4:");
        n_rounds++;
    }
    return 0;
}
