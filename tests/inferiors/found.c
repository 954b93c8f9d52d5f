/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `find` looks for: texts, numbers of all sizes, and more than is read at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[] = "hello-hello";
static struct __attribute__ ((packed)) {
    char letter;
    short two;
    int four;
} mixed = { 'c', 0x1234, 0x56789abc };
static int numbers[8] = { 1, 2, 3, 2, 1, 2, 3, 4 };
static double halves[4] = { 1.5, 2.5, 1.5, 0 };
static const int size = 5 << 20;

static void
stop_here (const char *large)
{
    printf ("%s %d %d %g %d\n", text, mixed.four, numbers[0], halves[0], large[0]); /*@ here */
}

int
main (void)
{
    char *large = calloc (1, (size_t) size);

    memcpy (large + (1 << 20) - 2, "across", 6); /* two parts of what is read have it */
    memcpy (large + size - 6, "across", 6);
    stop_here (large);
    free (large);
    return 0;
}
