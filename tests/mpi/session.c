/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program without MPI_Init: both ranks of a session listen; "wrong": they send to nobody. */
#include <mpi.h>

int
main (int argc, char **argv)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank, value = 0;

    MPI_Session_init (MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset (session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group (group, "here", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank (comm, &rank);
    if (argc > 1) {
        MPI_Send (&value, 1, MPI_INT, 77, 1, comm); //@ wrong
    }
    MPI_Recv (&value, 1, MPI_INT, 1 - rank, 3, comm, MPI_STATUS_IGNORE); //@ receive
    MPI_Session_finalize (&session);
    return 0;
}
