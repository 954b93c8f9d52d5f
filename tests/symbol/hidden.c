/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables of inner blocks that hide a parameter and each other. */

static int
add (int more, int number)
{
    int sum = number;
    {
        int number = 33;
        sum += number; //@ inner
        {
            double number = 0.5;
            sum += (int) (2 * number) + more; //@ innermost
        }
        sum++; //@ behind
    }
    return sum; //@ last
}

int
main (void)
{
    return add (1, 7) == 43 ? 0 : 1;
}
