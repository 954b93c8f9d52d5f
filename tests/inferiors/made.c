/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls code that it has written itself, then divides by zero in a function that the C library calls. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int numbers[4] = { 3, 2, 0, 1 };

static int
divide (const void *a, const void *b)
{
    return *(const int *) a / *(const int *) b;
}

int
main (void)
{
    static const unsigned char code[] = { 0xb8, 1, 0, 0, 0, 0xc3 }; /* mov $1,%eax; ret */
    unsigned char *made = mmap (NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int sum = 0;

    memcpy (made, code, sizeof code);
    for (int i = 0; i < 3; i++) { //@ begin
        sum += ((int (*) (void)) (void *) made) ();
    }
    qsort (numbers, 4, sizeof *numbers, divide);
    return sum;
}
