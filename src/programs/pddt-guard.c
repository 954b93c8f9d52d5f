/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The guard, the parent of the launcher ("--lifeline FD [--session DIRECTORY] [--foreground] -- LAUNCHER
 * ARGS"), or of a host's helpers ("--host SESSION_DIRECTORY HOST_DIRECTORY [--ready-fd
 * FD]"). */
#include "base/inherited.h"
#include "base/limits.h"
#include "base/log.h"
#include "launch/guard.h"
#include "target/process.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main (int argc, char **argv)
{
    if (argc >= 5 && strcmp (argv[1], "--lifeline") == 0) {
        int lifeline = atoi (argv[2]);
        gboolean has_session = argc >= 7 && strcmp (argv[3], "--session") == 0;
        char **rest = argv + (has_session ? 5 : 3);
        gboolean is_foreground = strcmp (rest[0], "--foreground") == 0;
        rest += is_foreground && rest[1] ? 1 : 0;
        if (strcmp (rest[0], "--") == 0) {
            fcntl (lifeline, F_SETFD, FD_CLOEXEC);
            base_inherited_note ();
            return launch_guard_run (lifeline, has_session ? argv[4] : NULL, is_foreground,
                                     rest + 1);
        }
    }
    if (argc >= 4 && strcmp (argv[1], "--host") == 0) {
        gboolean has_ready = argc == 6 && strcmp (argv[4], "--ready-fd") == 0;
        g_autofree char *log = g_build_filename (argv[3], "pddtd.log", NULL);
        base_limits_free_size ();
        base_log_init ("pddt-guard", log);
        return launch_host_guard_run (argv[2], argv[3], has_ready ? atoi (argv[5]) : -1,
                                      target_process_disarm);
    }
    fprintf (
        stderr,
        "usage: pddt-guard --lifeline FD [--session DIRECTORY] [--foreground] -- LAUNCHER [ARG...]\n"
        "       pddt-guard --host SESSION_DIRECTORY HOST_DIRECTORY [--ready-fd FD]\n");
    return 2;
}
