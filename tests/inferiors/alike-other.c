/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Another unit of the library. */
#include "alike.h"

struct node {
    long of_library[4];
};
typedef struct node node_t;
enum kind { KIND = 35 };
struct only {
    char of_library[3];
};

extern int hidden;
__attribute__ ((visibility ("hidden"))) int hidden = 33;
static volatile int in_own = 31, in_other = 32, of_library = 34;
static const char *volatile text = "library";
static node_t node;
static struct only only;
static volatile enum kind kind = KIND;

static int
same (int number)
{
    return 300 + number + in_own;
}

int
alike_other (int local)
{
    in_other = 132;
    return same (local) + in_other + of_library + hidden + text[0] + (int) node.of_library[0]
           + only.of_library[0] + (int) kind;
}
