# SPDX-License-Identifier: GPL-3.0-or-later
"""A job that runs already, on two hosts: all its ranks are found by its launcher's table, reached by its
launcher's own means, looked at, and let go without a trace. Of the launchers that are here, srun alone
has such a table before a debugger has told it to."""
import atexit
import os
import subprocess
import tempfile

import hosts
import pddt
import slurm

PLAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int work (const char *flag)
{
    int n = atoi (getenv ("SLURM_PROCID"));
    printf ("ready %d\\n", n);
    fflush (stdout);
    while (access (flag, F_OK) != 0) {
        usleep (20000);
    }
    return n;
}
int main (int argc, char **argv)
{
    printf ("rank %d\\n", work (argv[1]));
    return 0;
}
"""


def start(machines, program, flag):
    job = subprocess.Popen(machines.on("login") + ["srun", "-O", "-N", "2", "-n", "4", program, flag],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                           env=pddt.ENVIRONMENT)
    atexit.register(job.kill)  # for a test that fails
    ready = [job.stdout.readline() for _ in range(4)]
    assert sorted(ready) == [f"ready {rank}\n" for rank in range(4)], ready
    return job, job.pid


def no_trace(program, flag):
    """The job runs on, and nobody traces it."""
    found = 0
    for pid, (_, _, command) in pddt.processes().items():
        if command.rstrip() == f"{program} {flag}":
            with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
                if "TracerPid:\t0\n" not in file.read():
                    return False
            found += 1
    return found == 4


def attach_to_all(machines, program, flag):
    job, launcher = start(machines, program, flag)
    run = pddt.run(pddt.commands("up 3", "print n", "where", "on host node2 show state", "on host node1 print n")
                   + ["--attach-job", str(launcher)], prefix=machines.on("login"))
    run.expect_status(0)
    run.expect("0-3 4 work at ")
    run.expect("\n2-3: stopped, ")
    pddt.wait_for("no trace", lambda: no_trace(program, flag), 20)
    with open(flag, "w", encoding="ascii"):
        pass
    out, _ = job.communicate(timeout=30)
    assert sorted(out.splitlines()) == [f"rank {rank}" for rank in range(4)], out
    assert job.returncode == 0
    os.unlink(flag)


def host_that_refuses(machines, program, flag):
    """Ranks that cannot be reached are named, the others are there."""
    job, launcher = start(machines, program, flag)
    with tempfile.TemporaryDirectory() as folder:
        agent = os.path.join(folder, "srun")
        with open(agent, "w", encoding="ascii") as file:
            file.write("#!/bin/bash\ncase \"$*\" in *node2*) echo no way to node2 >&2; exit 1;; esac\n"
                       "exec /usr/bin/srun \"$@\"\n")
        os.chmod(agent, 0o755)
        run = pddt.run(pddt.commands("show state") + ["--attach-job", str(launcher)],
                       prefix=machines.on("login") + ["env", f"PATH={folder}:{os.environ['PATH']}"])
    text = run.out + run.err
    if "rank 2 on node2: no way to node2" not in text or "0-1: stopped, work at " not in text:
        run.fail("not what was to be told")
    with open(flag, "w", encoding="ascii"):
        pass
    job.communicate(timeout=30)
    assert job.returncode == 0


with tempfile.TemporaryDirectory() as scratch:
    plain = os.path.join(scratch, "plain")
    subprocess.run(["cc", "-g", "-o", plain, "-xc", "-"], input=PLAIN.encode(), check=True)
    with hosts.Hosts(2) as virtual, slurm.Slurm(virtual, scratch) as cluster:
        pddt.ENVIRONMENT["SLURM_CONF"] = cluster.conf
        attach_to_all(virtual, plain, os.path.join(scratch, "flag"))
        host_that_refuses(virtual, plain, os.path.join(scratch, "flag"))
