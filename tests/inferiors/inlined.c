/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that optimising compilers put in line: several of them begin at one instruction, others are
 * cut in pieces, also in a function that calls itself. */
volatile int sink;
volatile int n = 3;

#define INLINE static inline __attribute__ ((always_inline))

INLINE int
innermost (int a)
{
    sink = a + 1; /*@ innermost */
    return sink * 2;
}

INLINE int
middle (int b)
{
    return innermost (b) + 3; /*@ middle */
}

INLINE int
outer (int c)
{
    int t = middle (c); /*@ outer */
    sink = t;
    return t + 4;
}

INLINE void
side (void)
{
    sink++; /*@ side */
    sink++;
}

static __attribute__ ((noinline)) int
recurse (int depth)
{ /*@ recurse-open */
    int r = 0;
    side ();
    if (depth > 0)
        r = recurse (depth - 1);
    r += outer (depth);
    side ();
    return r;
}

int
main (void)
{
    int value = n;
    side ();              /*@ main-side */
    value = outer (value);
    side ();
    sink = recurse (2);
    sink = outer (value); /*@ main-outer */
    sink = 0;             /*@ main-last */
    return 0;
}
