/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks that differ: each relaxes a field of its own, and one of them diverges. The launcher says which it is. */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int cells;
    double residual;
} Field;

static double u[8];

static double
relax (Field *field, int rank, int iteration)
{
    for (int i = 0; i < field->cells; i++) { //@ begin
        u[i] += rank == 2 ? 1e3 * iteration : i;
    }
    field->residual = rank == 2 ? field->residual * 1e3 : field->residual / 2;
    return field->residual; //@ relaxed
}

int
main (void)
{
    const char *text = getenv ("OMPI_COMM_WORLD_RANK");
    int rank = text != NULL ? atoi (text) : 0;
    Field field = { 8, 1 };

    for (int iteration = 0; iteration < 4; iteration++) {
        relax (&field, rank, iteration);
    }
    printf ("rank %d ends\n", rank);
    return 0; //@ end
}
