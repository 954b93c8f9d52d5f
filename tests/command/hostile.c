/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every kind of name that debug information has, for test-hostile.py, which inserts control
 * characters into each between compiler and assembler; and output, a thread's name and bytes
 * that already contain them. */
#include <stdio.h>
#include <sys/prctl.h>

struct evil_type {
    int evil_member;
    struct evil_type *evil_next;
};
typedef struct evil_type evil_typedef;
enum evil_enum { evil_one = 1 };

static int evil_global = 7;
volatile int spin;

static int
evil_function (int evil_argument, const char *evil_text)
{
    evil_typedef evil_local = { evil_argument, NULL };
    enum evil_enum evil_kind = evil_one;
    char evil_bytes[] = "a\033[2Jb\nc\302\233d";

    printf ("out\033[2J\033[31mred\r0: exited 0\t.\302\2332J\342\200\256\n"); //@ output
    fflush (stdout);
    spin += evil_local.evil_member + (int) evil_kind + evil_bytes[0] + evil_text[0]; //@ stop
    return evil_global + spin;
}

int
main (void)
{
    prctl (PR_SET_NAME, "t\033[2J\n0: exited");
    return evil_function (3, "x\033[2J\n0: exited 0") == 0;
}
