/* SPDX-License-Identifier: GPL-3.0-or-later */
/* undisturbed FILE HOW: says "R", and computes ("registers") or waits ("sleep", "poll") until FILE is no more; status 0 if its registers,
 * its signal mask and the answers of its system calls were always what they should be. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define N_WORDS 16
#define WORD(index) (1000000007l * (index + 1))

extern volatile long spins, words[N_WORDS];
volatile long spins, words[N_WORDS];

static __attribute__ ((noinline)) void
never (void)
{
    spins = 0;
}

/* Every register has a number of its own for a while, and the carry flag is set. */
static int
compute (void)
{
    static const int left_out[] = { 6, 7 };
    int n_bad = 0;

    spins = 300000;
    __asm__ volatile(
        "movq $1000000007, %%rax; movq $2000000014, %%rbx; movq $3000000021, %%rcx;"
        "movq $4000000028, %%rdx; movq $5000000035, %%rsi; movq $6000000042, %%rdi;"
        "movq $9000000063, %%r8; movq $10000000070, %%r9; movq $11000000077, %%r10;"
        "movq $12000000084, %%r11; movq $13000000091, %%r12; movq $14000000098, %%r13;"
        "movq $15000000105, %%r14; movq $16000000112, %%r15; movq %%rax, %%xmm5;"
        "movq %%rdi, -120(%%rsp); stc;"
        "1: decq spins(%%rip); jnz 1b; jc 2f; incq %%r15;"
        "2: cmpq %%rdi, -120(%%rsp); je 3f; incq %%r14;"
        "3: movq %%rax, words(%%rip); movq %%xmm5, %%rax; cmpq %%rax, words(%%rip); je 4f; incq %%r13;"
        "4: movq %%rbx, words+8(%%rip); movq %%rcx, words+16(%%rip); movq %%rdx, words+24(%%rip);"
        "movq %%rsi, words+32(%%rip); movq %%rdi, words+40(%%rip); movq %%r8, words+64(%%rip);"
        "movq %%r9, words+72(%%rip); movq %%r10, words+80(%%rip); movq %%r11, words+88(%%rip);"
        "movq %%r12, words+96(%%rip); movq %%r13, words+104(%%rip); movq %%r14, words+112(%%rip);"
        "movq %%r15, words+120(%%rip)"
        :
        :
        : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
          "r14", "r15", "xmm5", "cc", "memory");
    for (int i = 0; i < N_WORDS; i++) {
        n_bad += i != left_out[0] && i != left_out[1] && words[i] != WORD (i);
    }
    return n_bad;
}

static int
sleep_once (void)
{
    struct timespec begun, ended, time = { 0, 3000000 };
    int answer;

    clock_gettime (CLOCK_MONOTONIC, &begun);
    answer = nanosleep (&time, NULL);
    clock_gettime (CLOCK_MONOTONIC, &ended);
    return answer != 0
           || (ended.tv_sec - begun.tv_sec) * 1000000000l + ended.tv_nsec - begun.tv_nsec
                  < time.tv_nsec;
}

static int
is_mask_changed (const sigset_t *wanted)
{
    sigset_t mask;
    int n_changed = 0;

    sigprocmask (SIG_BLOCK, NULL, &mask);
    for (int number = 1; number < NSIG; number++) {
        n_changed += sigismember (&mask, number) != sigismember (wanted, number);
    }
    return n_changed;
}

int
main (int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "";
    sigset_t wanted;
    int n_bad = 0;

    sigemptyset (&wanted);
    sigaddset (&wanted, SIGUSR2);
    sigprocmask (SIG_BLOCK, &wanted, NULL);
    sigprocmask (SIG_BLOCK, NULL, &wanted);
    if (strcmp (how, "never") == 0) {
        never ();
    }
    n_bad = write (1, "R", 1) != 1;
    while (argc > 1 && n_bad == 0 && access (argv[1], F_OK) == 0) {
        n_bad = strcmp (how, "sleep") == 0  ? sleep_once ()
                : strcmp (how, "poll") == 0 ? poll (NULL, 0, 3) != 0
                                            : compute ();
        n_bad += is_mask_changed (&wanted) ? 100 : 0;
    }
    return n_bad;
}
