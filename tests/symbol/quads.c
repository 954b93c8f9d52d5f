/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of IEEE's binary128, computed with in their own precision; see test-values.py. The text has as few digits as
 * give the number again, gdb's always 36. */
#include <stdio.h>

typedef _Float128 quad;
typedef long double wide;

int
main (void)
{
    quad third = (quad) 1 / 3, list[2] = { 1.5, -third }, tiny = 1e-4900L;
    _Complex _Float128 pair = third + 2.0i;
    long double extended = 1.0L / 3;
    wide far = 1e4000L, near = -1e-4000L;
    double twice = 0.1, large = 9007199254740993.0, product = 0.1 * 0.7, quotient = 4.35 / 1.1;
    long whole = 9007199254740993;

    printf ("%d\n", (int) third + (int) list[0] + (int) __real__ pair); //@ here
    return tiny > 1 || far < near || extended > 1 || twice > 1 || large < 1
           || product + quotient > 9 || whole < 0;
}
//? here: third => 0.3333333333333333333333333333333333
//? here: list => {1.5, -0.3333333333333333333333333333333333}
//? here: pair => 0.3333333333333333333333333333333333 + 2i
//? here: third == third + 1e-30
//? here: third < third + 1e-33
//? here: third * 3 == 1
//? here: third - twice - 0.25 => -0.016666666666666672217781789792449385
//? here: third == extended
//? here: extended + third == 2 * third
//? here: tiny == 0
//? here: tiny => 9.999999999999999999696276445295607e-4901
//? here: tiny ? 1 : 2 => 1
//? here: !third
//? here: third == 1.0f128 / 3 => 1
//? here: third == 1.0q / 3 => 1
//? here: (quad) 1 / 3 == third
//? here: (__float128) 1 / 3 == third => 1
//? here: (double) third == 1.0 / 3
//? here: whatis third + extended => type = _Float128
//? here: sizeof (third + 1)
//? here: print/x list[0]
//? here: whole == large
//? here: twice * 0.7 == product
//? here: 4.35 / 1.1 == quotient
//? here: output third => 0.3333333333333333333333333333333333
//? here: printf "%.36Lf", third => 0.333333333333333333333333333333333317
//? here: printf "%.3Lg|%g|%Le", far, near, near => 1e+4000|-1e-4000|-1.000000e-4000
//? here: printf "%c", extended * 200 => B
//? here: printf "%+12.5Le", extended => +3.33333e-01
