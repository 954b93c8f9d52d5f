/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two ranks and what `show queue` must say of them. queue: a message with the wrong tag, a posted
 * receive, a collective; leave: exits without MPI_Finalize; open: a request is never completed;
 * cut: a message is longer than its room; root: they disagree in a root, and nothing hangs; earlier:
 * the same, and long forgotten when somebody looks; card: messages from memory that a graphics card manages, for which a file
 * stands in, and from other memory. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void
queue (int rank, MPI_Comm halo)
{
    MPI_Request request;
    int value = 0, other = 1 - rank;
    char text[8] = "abc";

    if (rank == 0) {
        MPI_Irecv (&value, 1, MPI_INT, other, 21, halo, &request); //@ posted
        MPI_Wait (&request, MPI_STATUS_IGNORE);                    //@ wait
    } else {
        MPI_Send (text, 3, MPI_CHAR, other, 12, halo); //@ send
        MPI_Barrier (halo);                            //@ barrier
    }
}

static char *
map (const char *path, const char *text)
{
    int fd = path != NULL ? open (path, O_RDWR) : -1;
    char *memory = mmap (NULL, 4096, PROT_READ | PROT_WRITE,
                         path != NULL ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);

    close (fd);
    return strcpy (memory, text);
}

static void
send_cards (int rank, const char *path, MPI_Comm halo)
{
    if (rank == 1) {
        MPI_Send (map (path, "abc"), 3, MPI_CHAR, 0, 31, halo);
        usleep (60000); /* then what the recorder does not know is looked up again */
        MPI_Send (map (NULL, "def"), 3, MPI_CHAR, 0, 32, halo);
        usleep (60000);
        MPI_Send (map (path, "ghi"), 3, MPI_CHAR, 0, 33, halo);
        usleep (60000);
        MPI_Send (map (NULL, "jkl"), 3, MPI_CHAR, 0, 34, halo);
        MPI_Barrier (halo); //@ sent
    } else {
        pause ();
    }
}

static void
cut (int rank)
{
    int values[3] = { 0 };

    if (rank == 1) {
        MPI_Send (values, 3, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv (values, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ cut
    }
}

static void
disagree (int rank)
{
    int value = 0;

    MPI_Bcast (&value, 1, MPI_INT, rank, MPI_COMM_WORLD); //@ disagree
    for (int i = 0; i < 100; i++) {
        MPI_Barrier (MPI_COMM_WORLD);
    }
    for (int i = 0; i < 600; i++) { /* until somebody has stopped it */
        usleep (100000);
        MPI_Barrier (MPI_COMM_WORLD);
    }
}

int
main (int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "queue";
    MPI_Request request;
    MPI_Comm halo;
    int rank, dims[1] = { 2 }, periods[1] = { 0 }, value;
    char card[] = "/tmp/pddt-card-XXXXXX";

    if (strcmp (mode, "card") == 0) {
        int fd = mkstemp (card);

        if (fd < 0 || ftruncate (fd, 4096) != 0) {
            return 1;
        }
        close (fd);
        setenv ("PDDT_UVM", card, 1);
    }
    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Cart_create (MPI_COMM_WORLD, 1, dims, periods, 0, &halo);
    MPI_Comm_set_name (halo, "halo");
    if (strcmp (mode, "queue") == 0) {
        queue (rank, halo);
    } else if (strcmp (mode, "leave") == 0 && rank == 1) {
        _exit (4); //@ leave
    } else if (strcmp (mode, "open") == 0 && rank == 1) {
        MPI_Irecv (&value, 1, MPI_INT, 0, 77, halo, &request); //@ open
    }
    if (strcmp (mode, "card") == 0) {
        send_cards (rank, card, halo);
    } else if (strcmp (mode, "cut") == 0) {
        cut (rank);
    } else if (strcmp (mode, "root") == 0) {
        MPI_Bcast (&value, 1, MPI_INT, rank, halo); //@ root
    } else if (strcmp (mode, "earlier") == 0) {
        disagree (rank);
    }
    MPI_Finalize ();
    return 0;
}
