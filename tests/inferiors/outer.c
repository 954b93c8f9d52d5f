/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables in registers of frames that have called others: a callee that saves the registers on the stack, and
 * one that leaves them where they are. Prints what the variables are at last. */
#include <stdio.h>

static void
save (void)
{
    __asm__ volatile ("" ::: "rbx", "r12", "r13", "r14", "r15");
    __asm__ volatile ("nop"); //@ save
}

static void
leave (void)
{
    __asm__ volatile ("nop"); //@ leave
}

static long
keep (int n, void (*callee) (void))
{
    register signed char narrow = (signed char) n;
    register short middle = (short) (n + 1);
    register long wide = n + 2;

    callee ();
    return narrow + 100 * middle + 10000 * wide;
}

/* Its registers are those of keep's frame, saved by that. */
static long
around (int n, void (*callee) (void))
{
    register long outermost = 1000000L * n;
    long inner = keep (n, callee);

    return outermost + inner;
}

int
main (void)
{
    long saved = around (1, save), left = around (2, leave);

    printf ("%ld %ld\n", saved, left);
    return 0;
}
