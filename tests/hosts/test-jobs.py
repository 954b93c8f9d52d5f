# SPDX-License-Identifier: GPL-3.0-or-later
"""A job on two hosts: one daemon each, merged answers, sets by host, and a key that nobody else can read, even if
the second host does not have the first one's home folder."""
import os
import subprocess

import hosts
import pddt

ring = os.path.join(pddt.BUILD, "tests", "mpi", "ring")


def on_both(machines):
    run = pddt.run(pddt.commands("show state", "where", "on host node2 show state",
                                 "on 3 tbreak pass", "continue", "on 3 wait 60", "show state",
                                 "continue", "wait 60", "expect exited")
                   + machines.mpirun(["node1", "node2"], 4) + [ring],
                   prefix=machines.on("login"))
    run.expect_status(0)
    run.expect("0-3: stopped, main at ring.c:")
    run.expect("0-3 4 main at ring.c:")
    run.expect("\n2-3: stopped, main at ring.c:")
    run.expect("3: breakpoint 1, pass at ring.c:")
    run.expect("0-3: exited 0")


def without_home(machines):
    state = os.path.join(os.path.expanduser("~"), ".local", "state")
    subprocess.run(machines.on("node2") + ["mount", "-t", "tmpfs", "tmpfs", state], check=True)
    run = pddt.run(["--stop-at", "none"] + pddt.commands("wait 60", "expect exited")
                   + machines.mpirun(["node1", "node2"], 2) + ["env"], prefix=machines.on("login"))
    run.expect("1| ")
    for line in run.out.splitlines():
        if "PDDT_KEY" in line:
            run.fail("the key is in a rank's environment")


def secret_on_no_command_line(machines):
    process, marker = pddt.start(pddt.commands("show state", "continue", "wait 60")
                                 + machines.mpirun(["node1", "node2"], 2) + [ring, "hang"],
                                 prefix=machines.on("login"))
    pddt.wait_for("ranks", lambda: len([1 for _, command in pddt.left_over(marker)
                                        if command.startswith(ring)]) == 2)
    keys = [os.path.join(os.path.expanduser("~"), ".local", "state", "pddt", folder, "key")
            for folder in os.listdir(os.path.join(os.path.expanduser("~"), ".local", "state", "pddt"))]
    secrets = []
    for path in filter(os.path.exists, keys):
        with open(path, encoding="ascii") as file:
            secrets += [line[len("secret="):].strip() for line in file if line.startswith("secret=")]
    assert secrets
    for _, command in pddt.left_over(marker):
        for secret in secrets:
            assert secret not in command, command
    process.terminate()
    process.communicate(timeout=120)
    pddt.expect_nothing_left(marker)


with hosts.Hosts(2) as machines:
    on_both(machines)
    secret_on_no_command_line(machines)
    without_home(machines)
