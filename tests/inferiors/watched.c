/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that change: a global, fields by a pointer that moves, bytes and halves beside others, a
 * local of a function that recurses, one in each thread, by what its argument says. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    char byte;
    short half;
    unsigned low : 3, high : 5;
    double numbers[8];
    int value;
};

int global;
struct item first, second, *current = &first;
static jmp_buf place;

static void
set_global (int value)
{
    global = value; /*@ set-global */
} /*@ set-global-end */

static int
nested (int depth)
{
    int local = depth * 10; /*@ nested-first */

    if (depth > 0) { /*@ nested-if */
        nested (depth - 1);
    }
    local += 1; /*@ nested-change */
    return local; /*@ nested-return */
} /*@ nested-end */

static void
leave (void)
{
    int local = 1; /*@ leave-first */

    local++;
    if (local == 2) { /*@ leave-if */
        longjmp (place, 1);
    }
}

static void
scribble (int depth)
{
    char text[4096];

    memset (text, depth, sizeof text);
    if (depth > 0) {
        scribble (depth - 1);
    }
}

static void *
run (void *data)
{
    set_global (*(int *) data);
    return NULL;
}

int
main (int argc, char **argv)
{
    int number = 77; /*@ start */
    pthread_t thread;

    set_global (0);
    for (int i = 1; i <= 3; i++) {
        set_global (i);
    }
    first.byte = 'x';           /*@ byte */
    first.low = 5;              /*@ low */
    first.high = 9;             /*@ high */
    first.half = 300;           /*@ half */
    first.numbers[6] = 1.5;     /*@ number */
    current->value = 4;         /*@ value */
    second.value = 4;           /*@ hidden */
    current = &second;          /*@ move */
    second.value = 6;           /*@ other */
    nested (2);                 /*@ call-nested */
    pthread_create (&thread, NULL, run, &number);
    pthread_join (thread, NULL);
    if (setjmp (place) == 0) {
        leave ();               /*@ call-leave */
        abort ();
    }
    scribble (3);               /*@ after-leave */
    return global == 77 ? 0 : 9; /*@ end */
}
