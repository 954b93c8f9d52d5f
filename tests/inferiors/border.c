/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What border.py calls through ctypes, and what calls back into it. */

typedef int (*Callback) (int);

static int
twice (int x)
{
    int y = x * 2; //@ c-twice
    return y;
}

int
add (int a, int b)
{
    int c = a + b; //@ c-add
    return c; //@ c-add-return
}

int
apply (Callback function, int n)
{
    int before = n + 1; //@ c-apply
    int got = function (before); //@ c-apply-call
    int after = twice (got); //@ c-apply-after
    return after; //@ c-apply-return
}
