/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the programs of the zoo: MPI's initialisation, the rank, and whether the fault is
 * fixed. */
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size, fixed;

static void
begin (int argc, char **argv)
{
    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    fixed = argc > 1 && strcmp (argv[1], "--fixed") == 0;
}
