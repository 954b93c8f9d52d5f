// SPDX-License-Identifier: GPL-3.0-or-later
// Floating-point numbers of two bytes, beside gdb; see test-values.py.
typedef _Float16 Eight __attribute__ ((vector_size (16)));
typedef struct {
    _Float16 a, b;
} Pair;

_Float16 halves[8] = { 1.5f16, -0.1f16, 65504, 6e-8f16, 0, 0.333f16, 2048, 6.2e-5f16 };
Pair pair = { 1.25f16, -2 };
Eight eight = { 1, 2, 3, 4, 5, 6, 7, 0.5f16 };
_Complex _Float16 both;

static _Float16
twice (_Float16 half)
{
    return half + half;
}

static Pair
make_pair (_Float16 half)
{
    Pair made = { half, half + 1 };

    return made;
}

int
main (void)
{
    both = halves[0];
    return twice (halves[0]) == make_pair (halves[1]).a; //@ halves
}

//? halves: halves
//? halves: halves[1]
//? halves: pair
//? halves: eight
//? halves: both
//? halves: halves[0] * 2
//? halves: halves[0] + halves[1]
//? halves: halves[0] + 1
//? halves: halves[0] + 1.0
//? halves: (float) halves[5] > 0.333
//? halves: twice (halves[0])
//? halves: twice (3)
//? halves: make_pair (halves[0])
//? halves: print/x halves[5]
//? halves: whatis halves[0]
//? halves: whatis halves[0] + 1
//? halves: sizeof halves[0]
//? halves: halves[0] = 0.1
//? halves: halves[2] = 1e9
//? halves: halves[3] = -0.00006 => -6.0022e-05
//? halves: halves[4] = 2049 => 2048
//? halves: halves[4] = 2051 => 2052
//? halves: halves[4] = 65519 => 65504
//? halves: halves[4] = 65520 => inf
//? halves: halves[4] = 6.1e-8 => 5.9605e-08
//? halves: halves[4] = -1e-12 => -0
