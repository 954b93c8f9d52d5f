// SPDX-License-Identifier: GPL-3.0-or-later
// Values behind references and `this`, whose addresses lie in registers at -O2.
#include <cstdio>

struct Pair {
    int a, b;
    void __attribute__ ((noinline)) grow (int by)
    {
        for (int i = 0; i < 3; i++) {
            a += by; //@ grow
            asm volatile ("" ::: "memory");
        }
    }
};

__attribute__ ((noinline)) static void
bump (int &value, Pair &pair, int times)
{
    for (int i = 0; i < times; i++) {
        value += i; //@ bump
        pair.b += value;
        asm volatile ("" ::: "memory");
    }
}

int
main ()
{
    int value = 1;
    Pair pair = { 2, 3 };

    bump (value, pair, 3);
    pair.grow (2);
    std::printf ("%d %d %d\n", value, pair.a, pair.b);
    return 0;
}
