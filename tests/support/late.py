# SPDX-License-Identifier: GPL-3.0-or-later
"""A job whose second rank starts only with the test's permission. Its Open MPI starts each rank through a
script, which waits for the permission as long as its launcher lives, and then runs what pddt asked for."""
import os

import launching


def command(folder, *program):
    """The command line of two ranks; creates its files in the folder."""
    agent, gate = os.path.join(folder, "agent"), os.path.join(folder, "gate")
    hook, option = ("PRTE_MCA_odls_base_exec_agent", ["--prtemca", "odls_base_exec_agent"]) if launching.has_prrte() \
        else ("OMPI_MCA_orte_fork_agent", ["--mca", "orte_fork_agent"])
    with open(agent, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nhook=$(tr '\\0' '\\n' </proc/$PPID/environ"
                   " | sed -n 's/^" + hook + "=//p')\n"
                   f'while [ "$OMPI_COMM_WORLD_RANK" = 1 ] && [ ! -e {gate} ]; do\n'
                   "    kill -0 $PPID || exit 1\n    sleep 0.05\ndone\n"
                   'exec $hook "$@"\n')
    os.chmod(agent, 0o700)
    return ["mpirun", *option, agent, "-np", "2", *program]


def allow(folder):
    with open(os.path.join(folder, "gate"), "x", encoding="utf-8"):
        pass
