/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process without MPI that says that it is there, and waits to be ended; it outlives neither its
 * launcher nor three minutes. */
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

int
main (void)
{
    static const char text[] = "there\n";

    prctl (PR_SET_PDEATHSIG, SIGKILL);
    alarm (180);
    if (write (STDOUT_FILENO, text, sizeof text - 1) < 0) {
        return 1;
    }
    for (;;) {
        pause ();
    }
}
