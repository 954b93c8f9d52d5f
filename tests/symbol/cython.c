/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As Cython writes: its own functions are in a file that exists nowhere, and the program's variables have other names. */
#include <stdio.h>

static int __pyx_f_3sub_add (int __pyx_v_a, int b);

#line 1787 "cython_utility"
static int
__Pyx_PyInt_From_int (int value)
{
    int digits = value;
    return digits;
}

#line 100 "sub.pyx"
static int
__pyx_f_3sub_add (int __pyx_v_a, int b)
{
    int __pyx_v_total = 7, __pyx_t_1 = 8;
    __pyx_v_total += __Pyx_PyInt_From_int (__pyx_v_a); /* line 104 */
    return __pyx_v_total + b + __pyx_t_1;
}

int
main (void)
{
    printf ("%d\n", __pyx_f_3sub_add (3, 4));
    return 0;
}
