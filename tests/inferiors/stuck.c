/* SPDX-License-Identifier: GPL-3.0-or-later */
/* With an argument: a thread waits in vfork for a child that lives as long as this, and cannot be stopped meanwhile.
 * Says that it is there. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

static void *
wait_for_child (void *unused)
{
    if (vfork () == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        if (write (1, "!", 1) == 1) {
            pause ();
        }
        _exit (0);
    }
    return unused;
}

int
main (int argc, char **argv)
{
    pthread_t thread;

    if (argc > 1) {
        pthread_create (&thread, NULL, wait_for_child, NULL);
    } else if (write (1, "!", 1) != 1) {
        return 1;
    }
    for (;;) {
        pause ();
    }
}
