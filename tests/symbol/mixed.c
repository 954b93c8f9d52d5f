/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of C++ that are called while a function of C is looked at: see mixed.cpp. */
int weigh_all (void);

int
main (void)
{
    int whole = 1;
    double real = 1.5;
    return weigh_all () + whole + (int) real > 0 ? 0 : 1; //@ plain
}
//? plain: weigh (whole) => 1
//? plain: weigh (real) => 2
//? plain: weigh ("text") => 3
