/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that loads its MPI itself and finds functions by name, as interpreters do. The recorder
 * sees nothing of it, and changes nothing. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

typedef int (*Init) (int *argc, char ***argv);
typedef int (*Rank) (MPI_Comm comm, int *ret_rank);
typedef int (*Sum) (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
typedef int (*Finalize) (void);

int
main (int argc, char **argv)
{
    void *library = dlopen (MPI_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    int rank = -1, sum = -1;

    if (library == NULL) {
        fprintf (stderr, "%s\n", dlerror ());
        return 1;
    }
    ((Init) dlsym (library, "MPI_Init")) (&argc, &argv);
    MPI_Comm world = dlsym (library, "ompi_mpi_comm_world");
    ((Rank) dlsym (library, "MPI_Comm_rank")) (world, &rank);
    ((Sum) dlsym (library, "MPI_Allreduce")) (&rank, &sum, 1, dlsym (library, "ompi_mpi_int"),
                                              dlsym (library, "ompi_mpi_op_sum"), world);
    printf ("%d sum %d\n", rank, sum);
    return ((Finalize) dlsym (library, "MPI_Finalize")) ();
}
