/* SPDX-License-Identifier: GPL-3.0-or-later */
// Recursion, inlined calls, callbacks out of the C library, a signal handler, tail calls and values of
// every kind on the way; stopped in reached () and handle (). See test-oracle.py.
#include <complex.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum kind { LEAF = 1, NODE = 4, ALL = 7 };
struct flags { unsigned low : 3, middle : 7; int high : 6; };
union word { uint32_t whole; uint8_t bytes[4]; float real; };
struct tree { struct tree *left, *right; enum kind kind; double weight; char name[12]; };
volatile int sink;
static struct tree leaves[4];
static int (*chosen) (int);
long global[5] = { 1, 1, 2, 3, 5 };

__attribute__ ((noinline)) void
reached (int number, const char *why)
{
    sink = number + (why != NULL);
}

static inline int
weigh (const struct tree *tree, double *sum)
{
    double part = tree->weight * 2;
    *sum += part;
    reached ((int) part, tree->name);
    return tree->kind == LEAF;
}

__attribute__ ((noinline)) static int
walk (struct tree *tree, int depth, double *sum)
{
    int found = 0;
    if (tree == NULL)
        return 0;
    found += walk (tree->left, depth + 1, sum);
    found += weigh (tree, sum);
    found += walk (tree->right, depth + 1, sum);
    return found;
}

__attribute__ ((noinline)) static int
compare (const void *a, const void *b)
{
    const long *left = a, *right = b;
    reached (3, "compare");
    return *left < *right ? -1 : *left > *right;
}

__attribute__ ((noinline)) static void
handle (int number)
{
    static int seen;
    seen += number;
    sink = seen;
}

__attribute__ ((noinline)) static int
last (int value)
{
    reached (value, "last");
    return value + 1;
}

__attribute__ ((noinline)) static int
tail (int value, int other)
{
    return last (value * 2 + other);
}

__attribute__ ((noinline)) static long
many (int a, long b, short c, char d, float e, double f, struct flags g, union word h, long i,
      unsigned char j)
{
    int numbers[3] = { a, (int) b, c };
    double complex z = f + e * I;
    struct flags *pointer = &g;
    reached (numbers[1], "many");
    return numbers[0] + b + c + d + (long) creal (z) + pointer->middle + h.bytes[0] + i + j;
}

int
main (int argc, char **argv)
{
    double sum = 0;
    struct flags flags = { 5, 100, -7 };
    union word word = { 0x3f800000 };
    __int128 low = -((__int128) argc << 100) - 9;
    const __int128 minus = -5;
    unsigned __int128 most = ~(unsigned __int128) 0 - (unsigned) argc;
    sink = (int) (low + minus) + (int) most;
    for (int i = 0; i < 4; i++) {
        leaves[i] = (struct tree) { NULL, NULL, LEAF, i + 0.5, "leaf" };
        leaves[i].name[4] = (char) ('0' + i);
    }
    leaves[1].left = &leaves[0];
    leaves[1].right = &leaves[2];
    leaves[1].kind = NODE;
    chosen = last;
    sink += walk (&leaves[1], 0, &sum);
    qsort (global, 5, sizeof global[0], compare);
    signal (SIGUSR1, handle);
    raise (SIGUSR1);
    sink += tail (argc, 4) + chosen (6);
    sink += (int) many (argc, -2, 3, 'x', 1.5f, 2.25, flags, word, 1L << 40, 200);
    return argv == NULL;
}
