/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SIGCHLD and the termination signals as a descriptor. */
#include "base/signals.h"
#include <sys/signalfd.h>

int
base_signals_open (sigset_t *ret_old)
{
    sigset_t wanted;

    sigemptyset (&wanted);
    sigaddset (&wanted, SIGCHLD);
    sigaddset (&wanted, SIGTERM);
    sigaddset (&wanted, SIGINT);
    sigaddset (&wanted, SIGHUP);
    sigprocmask (SIG_BLOCK, &wanted, ret_old);
    return signalfd (-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}
