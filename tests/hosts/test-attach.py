# SPDX-License-Identifier: GPL-3.0-or-later
"""A running job on two hosts, with each installed launcher: pddt finds all its ranks, reaches
them by the launcher's own means, inspects them, and detaches without a trace: each rank reports
at its end whether its code is unchanged. srun has a table of its processes; for Open MPI 4.1
and Hydra they are looked for below the launcher's daemons."""
import atexit
import os
import shutil
import subprocess
import tempfile

import hosts
import pddt
import slurm

PLAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int turns;
__attribute__ ((noinline)) void turn (void)
{
    turns++;
    usleep (20000);
}
static unsigned sum (void)
{
    const volatile unsigned char *at = (const unsigned char *) turn;
    unsigned value = 0;
    for (int i = 0; i < 16; i++) {
        value = value * 31 + at[i];
    }
    return value;
}
static int find_rank (void)
{
    const char *names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID" };
    for (int i = 0; i < 3; i++) {
        if (getenv (names[i])) {
            return atoi (getenv (names[i]));
        }
    }
    return -1;
}
int work (const char *flag)
{
    char own[4096];
    int n = find_rank ();
    unsigned before = sum ();
    snprintf (own, sizeof own, "%s.%d", flag, n);
    printf ("ready %d\n", n);
    fflush (stdout);
    while (access (flag, F_OK) != 0 && access (own, F_OK) != 0) {
        turn ();
    }
    printf ("%s %d\n", sum () == before ? "rank" : "changed", n);
    return n;
}
int main (int argc, char **argv)
{
    return work (argv[argc - 1]) < 0;
}
"""


class Job:
    """A launcher's job of four ranks on two hosts, that runs until it is told to end."""

    def __init__(self, machines, launcher, program):
        self.machines, self.folder = machines, tempfile.mkdtemp()
        self.flag = os.path.join(self.folder, "flag")
        self.command = f"{program} {self.flag}"
        self.process = subprocess.Popen(machines.on("login") + launcher + [program, self.flag],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                        env=pddt.ENVIRONMENT)
        atexit.register(self.process.kill)  # for a test that fails
        self.pid = self.process.pid
        ready = [self.process.stdout.readline() for _ in range(4)]
        assert sorted(ready) == [f"ready {rank}\n" for rank in range(4)], ready

    def attach(self, *lines, prefix=(), options=()):
        return pddt.run(pddt.commands(*lines) + ["--attach-job", str(self.pid), *options],
                        prefix=self.machines.on("login") + list(prefix))

    def release(self, rank=None):
        with open(self.flag + ("" if rank is None else f".{rank}"), "w", encoding="ascii"):
            pass

    def is_untraced(self):
        """All its ranks run on, and nobody traces them."""
        found = 0
        for pid, (_, _, command) in pddt.processes().items():
            if command.rstrip() == self.command:
                with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
                    if "TracerPid:\t0\n" not in file.read():
                        return False
                found += 1
        return found == 4

    def end(self):
        self.release()
        out, _ = self.process.communicate(timeout=120)
        shutil.rmtree(self.folder)
        assert sorted(out.splitlines()) == [f"rank {rank}" for rank in range(4)], out
        assert self.process.returncode == 0


def attach_to_all(machines, launcher, program):
    """They stop at a breakpoint, which nobody takes away, and go on."""
    job = Job(machines, launcher, program)
    run = job.attach("expect stopped", "show state", "break turn", "continue", "wait 120", "print turns > 0",
                     "up", "print n", "on host node2 show state")
    run.expect_status(0)
    run.expect_line("0-3: turns > 0 = 1")
    run.expect_line("0-3: n = [0..3] min 0 at 0 max 3 at 3 mean 1.5")
    run.expect("\n2-3: breakpoint 1, turn at ")
    pddt.wait_for("no trace", job.is_untraced, 120)
    run = job.attach("show state", options=["--attach-ranks", "1-2"])
    run.expect_status(0)
    run.expect("1-2: stopped, ")
    pddt.wait_for("no trace", job.is_untraced, 120)
    job.end()


def host_that_refuses(machines, launcher, program, prefix, what):
    """Ranks that cannot be reached are named, the others are there."""
    job = Job(machines, launcher, program)
    run = job.attach("show state", prefix=prefix)
    if what not in run.out + run.err or "0-1: stopped, " not in run.out:
        run.fail("not what was to be told")
    job.end()


def rank_that_ended(machines, program):
    """It stands in srun's table all the same."""
    job = Job(machines, ["srun", "-O", "-N", "2", "-n", "4"], program)
    job.release(1)
    assert job.process.stdout.readline() == "rank 1\n"
    gone = lambda: sum(command.rstrip() == job.command for _, _, command in pddt.processes().values()) == 3
    pddt.wait_for("its end", gone)
    run = job.attach("show state")
    run.expect("\n0,2-3: stopped, ")
    run.expect(": it has ended" if ": it has ended" in run.out + run.err else ": there is no such process",
               "out" if "cannot attach to process" in run.out else "err")
    job.release()
    out, _ = job.process.communicate(timeout=120)
    assert sorted(out.splitlines()) == ["rank 0", "rank 2", "rank 3"], out
    shutil.rmtree(job.folder)


def open_mpi_and_hydra(machines, program):
    agent = machines.agent_that_stays('[ -z "$NO_NODE2" ] || [ "$host" != node2 ] || { echo no way to node2 >&2; exit 1; }\n')
    usual = agent if hosts.has_prrte() else None
    attach_to_all(machines, machines.mpirun(["login", "node2"], 4, usual), program)
    attach_to_all(machines, ["sh", "-c", '"$@"; exit $?', "script"] + machines.mpirun(["node1", "node2"], 4, usual), program)
    host_that_refuses(machines, machines.mpirun(["login", "node2"], 4, agent), program, ["env", "NO_NODE2=1"],
                      "cannot attach on node2: no way to node2")
    attach_to_all(machines, ["mpiexec.mpich", "-launcher", "ssh", "-launcher-exec", agent, "-iface", "eth0",
                             "-hosts", "node1:2,node2:2", "-n", "4"], program)


def srun(machines, program, folder):
    line = ["srun", "-O", "-N", "2", "-n", "4"]
    attach_to_all(machines, line, program)
    attach_to_all(machines, ["salloc", "-Q", "-O", "-N", "2", "-n", "4", "mpirun", *machines.network(),
                             *(["--map-by", "ppr:2:node"] if hosts.has_prrte() else []), "-np", "4"], program)
    agent = os.path.join(folder, "srun")
    with open(agent, "w", encoding="ascii") as file:
        file.write("#!/bin/bash\ncase \"$*\" in *node2*) echo no way to node2 >&2; exit 1;; esac\n"
                   "exec /usr/bin/srun \"$@\"\n")
    os.chmod(agent, 0o755)
    host_that_refuses(machines, line, program, ["env", f"PATH={folder}:{os.environ['PATH']}"],
                      "rank 2 on node2: no way to node2")
    os.unlink(agent)
    rank_that_ended(machines, program)


def main():
    with tempfile.TemporaryDirectory() as scratch, hosts.Hosts(2) as virtual:
        plain = os.path.join(scratch, "plain")
        subprocess.run(["cc", "-g", "-o", plain, "-xc", "-"], input=PLAIN.encode(), check=True)
        open_mpi_and_hydra(virtual, plain)
        with slurm.Slurm(virtual, scratch) as cluster:
            pddt.ENVIRONMENT["SLURM_CONF"] = cluster.conf
            srun(virtual, plain, scratch)


main()
