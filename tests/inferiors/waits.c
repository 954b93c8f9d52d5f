/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits for ever in what has the name of an MPI call. */
#include <unistd.h>

void MPI_Recv (void);

extern const char *volatile banner;
const char *volatile banner = "one\ttwo";

void
MPI_Recv (void)
{
    for (;;) {
        pause ();
    }
}

int
main (void)
{
    MPI_Recv (); /*@ wait */
    return 0;
}
