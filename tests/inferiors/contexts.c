/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two fibres of makecontext, on stacks of their own, the second above the first. Each calls work, which lets the other one
 * run in its middle: the second one's returns while the first one's still waits. Exit status 0: all went well. */
#include <setjmp.h>
#include <ucontext.h>

#define STACK_SIZE (256 * 1024)

static char stacks[2][STACK_SIZE] __attribute__ ((aligned (64)));
static ucontext_t scheduler, fibres[2];
static int n_done;

static void
yield (int own)
{
    swapcontext (&fibres[own], own == 0 ? &fibres[1] : &scheduler); /* @ swap */
} /* @ swapped */

static int
jump_back (int own)
{
    jmp_buf here;

    if (setjmp (here) == 0) {
        longjmp (here, 1);
    }
    return own;
}

__attribute__ ((noinline)) static int
work (int own)
{
    int found = own; /* @ work */

    if (own == 0) {
        yield (own); /* @ yield */
    } else {
        found = jump_back (own);
    }
    n_done++; /* @ yielded */
    return found + 40;
}

static void
run (int own)
{
    int answer = work (own); /* @ call */

    n_done += answer == own + 40 ? 10 : 0; /* @ called */
    if (own == 1) {
        setcontext (&fibres[0]); /* @ switch */
    }
} /* @ end */

int
main (void)
{
    for (int i = 0; i < 2; i++) {
        getcontext (&fibres[i]);
        fibres[i].uc_stack.ss_sp = stacks[i];
        fibres[i].uc_stack.ss_size = STACK_SIZE;
        fibres[i].uc_link = &scheduler;
        makecontext (&fibres[i], (void (*) (void)) run, 1, i);
    }
    swapcontext (&scheduler, &fibres[0]); /* @ start */
    return n_done == 22 ? 0 : 1;          /* @ over */
}
