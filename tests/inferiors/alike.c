/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program with names that its library has, too. */
#include "alike.h"

struct node {
    int of_program;
};
typedef struct node node_t;
enum kind { KIND = 15 };

static volatile int in_own = 11, in_other = 12, of_program = 14;
int hidden = 13;
static const char *volatile text = "program";
static node_t node = { 16 };
static volatile enum kind kind = KIND;

static int
same (int number)
{
    return 100 + number + in_own;
}

int
main (void)
{
    alike_stop (same (of_program) + node.of_program + (int) kind + text[0] + hidden);
    in_other = 112;
    return in_other == 0;
}
