/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program to look at: functions, inlined calls, blocks and every kind of C value. The test links
 * it and looks at its own memory; other builds of it (optimised, DWARF 4, compressed) are only
 * scanned. */
#include "subject.h"

#include <complex.h>
#include <stdbool.h>
#include <stdio.h>

typedef unsigned long word;
enum color { RED, GREEN = 5, BLUE = 8 };
struct bits { unsigned low : 3, middle : 7; int high : 5; };
struct point {
    int x, y;
    const char *name;
    struct point *next;
    struct bits bits;
    union { float f; unsigned u; };
};
struct opaque;

struct point origin = { 1, -2, "zero \"o\"", &origin, { 5, 99, -3 }, { .f = 1.5f } };
int counter = 42;
double table[20] = { 0.1, 2.5, 1e100 };
char text[16] = "abc";
char letter = 'z', bell = '\a';
unsigned char byte = 200;
bool flag = true;
enum color paint = GREEN;
enum color mixed = (enum color) 13;
int matrix[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
word wide = 1ul << 63;
float third = 1.0f / 3;
long double extended = 1.25L;
double complex whirl = 1.5 + 2.5 * I;
struct opaque *hidden;
int (*function) (const char *) = puts;
__thread int own = 11;
volatile int sink;

static inline __attribute__ ((always_inline)) int
square (int v)
{
    int w = v * v; //@ inlined
    sink = w;
    return w + counter;
}

__attribute__ ((noinline)) int
work (int n, double f, struct point *where, subject_callback callback)
{
    int total = 0; //@ work-first
    static int calls = 3;
    for (int i = 0; i < n; i++) {
        int k = square (i); //@ call
        total += k * f;
    }
    int vla[n];
    vla[0] = 7;
    vla[n - 1] = 9;
    int grid[2][n];
    grid[1][n - 2] = 5;
    sink = grid[1][2];

    {
        int total = -1; //@ after-gap
        callback ("inner");
        sink = total;
    }
    callback ("outer");
    return total + vla[n - 1] + where->x + calls;
}

int
subject_run (subject_callback callback)
{
    own++;
    return work (4, 1.5, &origin, callback);
}
