/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays whose lengths only the program knows. The questions are at the end. */
#include <string.h>

struct pair {
    int a, b;
};

static volatile int seen;

static void
look (int n, int m)
{
    struct record {
        int first;
        char text[n];
    } record;
    typedef float Row[m];
    double line[n];
    int grid[n][m], cube[2][n][3];
    struct pair pairs[m];
    Row rows[2], *row = &rows[1];
    int (*pointer)[n] = &cube[0][0] == 0 ? 0 : (int (*)[n]) line;
    memset (line, 0, sizeof line);
    memset (grid, 0, sizeof grid);
    memset (cube, 0, sizeof cube);
    memset (pairs, 0, sizeof pairs);
    memset (rows, 0, sizeof rows);
    memset (&record, 0, sizeof record);
    seen = n + m + (int) (*row)[0] + (*pointer)[0]; //@ look
}

int
main (void)
{
    look (4, 3);
    return seen;
}

//? look: ptype line
//? look: whatis line
//? look: ptype grid
//? look: whatis grid[1]
//? look: ptype grid[seen]
//? look: ptype cube
//? look: ptype cube[1]
//? look: ptype pairs
//? look: whatis pairs
//? look: ptype pairs[1]
//? look: ptype rows
//? look: whatis rows
//? look: ptype record
//? look: ptype record.text
//? look: ptype line[0]@n
//? look: print sizeof (line)
//? look: print sizeof (grid[0])
//? look: ptype pointer => type = int (*)[variable length]
//? look: grid[1]
//? look: $[2]
//? look: $$
//? look: whatis $
//? look: pairs
//? look: $[1].b + 1
//? look: $$2
//? look: ptype $$
//? look: $0
