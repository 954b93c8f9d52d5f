/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process without MPI that prints that it has started and waits to be ended; it ends with its
 * launcher or after three minutes. */
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
