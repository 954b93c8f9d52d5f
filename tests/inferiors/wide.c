/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dies by SIGILL with known values in the widest vector registers. Status 2: the processor has no AVX-512. */
static __attribute__ ((noinline, target ("avx512f"))) void
fill (void)
{
    static const long values[3][8] = { { 11, 12, 13, 14, 15, 16, 17, 18 },
                                       { 21, 22, 23, 24, 25, 26, 27, 28 },
                                       { 31, 32, 33, 34, 35, 36, 37, 38 } };

    __asm__ volatile ("vmovdqu64 %0, %%zmm1\n"
                      "vmovdqu64 %1, %%zmm17\n"
                      "vmovdqu64 %2, %%zmm31\n"
                      "kmovw %3, %%k3\n"
                      "ud2\n"
                      :
                      : "m" (values[0]), "m" (values[1]), "m" (values[2]), "r" (0x5a5a)
                      : "xmm1", "xmm17", "xmm31", "k3");
}

int
main (void)
{
    if (!__builtin_cpu_supports ("avx512f")) {
        return 2;
    }
    fill ();
    return 0;
}
