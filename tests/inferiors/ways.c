/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways of getting into a function that are no plain call: through a resolver, through the linkage table,
 * to itself, by pointer, by jump; for walks by single instructions. */
#include <stdlib.h>
#include <string.h>

static volatile int choice;
static const char words[] = "a text of some length, to be measured and copied";
static char copy[64];

static int
add (int a)
{
    return a + 1; /*@ add */
}

static int
subtract (int a)
{
    return a - 1;
}

static int (*resolve (void)) (int)
{
    return choice == 0 ? add : subtract;
}

int chosen (int a) __attribute__ ((ifunc ("resolve")));

static int
recurse (int depth)
{
    return depth == 0 ? 1 : recurse (depth - 1) + 1;
}

static int
compare (const void *a, const void *b)
{
    return *(const int *) a - *(const int *) b;
}

int
main (void)
{
    int numbers[6] = { 5, 3, 1, 4, 2, 0 };
    int (*by_pointer) (int) = subtract;
    int sum = chosen (3); /*@ chosen */

    memcpy (copy, words, sizeof words); /*@ copy */
    sum += (int) strlen (copy);
    sum += recurse (5); /*@ recursion */
    sum += by_pointer (sum);
    qsort (numbers, 6, sizeof numbers[0], compare); /*@ sort */
    return sum == 0 || numbers[3] != 3; /*@ end */
}
