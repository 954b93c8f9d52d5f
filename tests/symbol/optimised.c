/* SPDX-License-Identifier: GPL-3.0-or-later */
// What the compiler moved, split, folded or threw away; see test-values.py. `mark^N` asks in frame N.
#include <stdint.h>
#include <stdio.h>

struct pair { int a, b; };
struct wide { long x, y, z; };
struct small { short s; char c; };
typedef struct node { struct node *next; int value; } node;
volatile int sink;
volatile long source = 40;

__attribute__ ((noinline)) void
stop (int number)
{
    sink = number; //@ stop
}
//? stop: number
//? stop^1: first
//? stop^1: second
//? stop^1: third
//? stop^1: kept
//? stop^1: first + kept
//? stop^2: argc
//? stop^2: base

/* Nothing is needed after the call: only the caller knows. */
__attribute__ ((noinline)) long
entered (long first, long second, long third)
{
    long kept = source + first;
    stop (1);
    return kept;
}

__attribute__ ((noinline)) void
leave (void)
{
    sink = 2; //@ leave
}
//? leave^1: count
//? leave^1: text
//? leave^1: text[1]
//? leave^1: gone
//? leave^1: folded
//? leave^1: both
//? leave^1: both.a
//? leave^1: both.b
//? leave^1: many
//? leave^1: many.z
//? leave^1: pointer
//? leave^1: real
//? leave^1: pointer->value

__attribute__ ((noinline)) int
split (int count, const char *text, double real)
{
    struct pair both = { count, 7 };
    struct wide many = { source, 2, 3 };
    node end = { NULL, 5 };
    node *pointer = &end;
    int folded = 3 * 4;
    int gone = count * 2;
    sink = gone;
    leave ();
    return both.a + both.b + folded + (int) many.x + pointer->value;
}

__attribute__ ((noinline)) void
within (void)
{
    sink = 5; //@ within
}

static inline __attribute__ ((always_inline)) int
inlined (int v, int w)
{
    int x = v * w + (int) source;
    sink = x;
    within ();
    return x;
}
//? within^1: v
//? within^1: w
//? within^1: x
//? within^2: i
//? within^2: sum

__attribute__ ((noinline)) int
loop (int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += inlined (i, 3);
    return sum;
}

__attribute__ ((noinline)) int
deep (int level, long carried)
{
    if (level == 0) {
        stop (3);
        return sink;
    }
    int result = deep (level - 1, carried + level);
    sink = result + level;
    return result + 1;
}

/* The stack says that `tail` was called by main: it was not. */
__attribute__ ((noinline)) int
tail (int handed)
{
    leave ();
    return sink;
}

__attribute__ ((noinline)) int
jumps (int handed)
{
    return tail (handed + 100);
}

__attribute__ ((noinline)) int
vla (int n)
{
    int local[n + 1];
    for (int i = 0; i <= n; i++)
        local[i] = i * i;
    sink = local[n]; //@ vla
    return local[0] + local[n / 2];
}
//? vla: n
//? vla: local
//? vla: local[2]

__attribute__ ((noinline)) int
mixed (float f, double d, unsigned char byte, struct pair pair, struct wide wide, struct small small,
       __int128 huge, long double extended)
{
    sink = (int) f + (int) d + byte + pair.a + (int) wide.y + small.c + (int) huge; //@ mixed
    sink = (int) extended + pair.b;
    return sink;
}
//? mixed: f
//? mixed: d
//? mixed: byte
//? mixed: pair
//? mixed: pair.b
//? mixed: wide
//? mixed: wide.y
//? mixed: small
//? mixed: small.c
//? mixed: huge
//? mixed: extended

int
main (int argc, char **argv)
{
    long base = source + argc;
    struct pair pair = { 1, 2 };
    struct wide wide = { 3, base, 5 };
    struct small small = { 6, 'c' };
    int result = mixed (1.5f, 2.5, 200, pair, wide, small, (__int128) base, 0.5L);
    result += (int) entered (base, 11, 12);
    result += split (9, "text", 2.5);
    result += loop (3) + vla (4);
    result += deep (2, base) + jumps (5);
    printf ("%d %ld\n", result, base);
    return 0;
}
