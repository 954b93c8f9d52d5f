// SPDX-License-Identifier: GPL-3.0-or-later
// Inlined calls in the forms that gcc describes them: whole, in pieces, with nothing where they begin.
#define INLINED static inline __attribute__ ((always_inline))
volatile int number = 3, result;

INLINED int whole (int x)
{
    result += x;
    return x + number;
}
INLINED int twice (int x) { return whole (x) + whole (x + 1); }
INLINED int pieces (int x)
{
    int y = number + x;
    result = y;
    if (y & 1)
        result += number;
    return y * result;
}
INLINED int outer (int x) { return pieces (x) * 2 + pieces (x + number); }
__attribute__ ((noinline)) int call (int x) { return outer (x) + twice (x) + pieces (x); }

int main (void)
{
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += call (i) + whole (i);
    return sum == 12345;
}
