# SPDX-License-Identifier: GPL-3.0-or-later
"""Attaches to a running job on two hosts, sets breakpoints, and then loses pddt in several
ways: the job is detached, prints what it would have printed, and has no trap in it."""
import os
import signal
import struct
import subprocess
import tempfile

import faults
import hosts
import pddt
import slurm

N_FUNCTIONS = 6  # more than a processor has debug registers

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
""" + "".join(f"""
__attribute__ ((noinline)) int done{i} (int n)
{{
    return n + {i};
}}
""" for i in range(N_FUNCTIONS)) + """
int main (int argc, char **argv)
{
    int n = atoi (getenv ("SLURM_PROCID"));
    printf ("ready %d\\n", n);
    fflush (stdout);
    while (access (argv[1], F_OK) != 0) {
        usleep (20000);
    }
    for (int round = 0; round < 3; round++) {
        n = """ + "".join(f"done{i} (" for i in range(N_FUNCTIONS)) + "n" + ")" * N_FUNCTIONS + """;
    }
    printf ("rank %d\\n", n);
    return 0;
}
"""


class Job:
    """Four ranks on node1 and node2 under srun, attached to and running on, with breakpoints before them."""

    def __init__(self, machines, folder, environment=()):
        self.machines, self.flag = machines, os.path.join(folder, "flag")
        self.program = os.path.join(folder, "program")
        self.job = subprocess.Popen(machines.on("login") + ["srun", "-O", "-N", "2", "-n", "4", self.program, self.flag],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=pddt.ENVIRONMENT)
        for _ in range(4):
            assert self.job.stdout.readline().startswith("ready")
        self.talk = pddt.Dialogue(["--attach-job", str(self.job.pid)], prefix=machines.on("login"),
                                  environment=environment)
        for i in range(N_FUNCTIONS):
            events, _ = self.talk.ask(f"break done{i}")
            assert events[-1]["ok"] and "missing" not in events[-1], events
        events, _ = self.talk.ask("continue")
        assert events[-1]["ok"], events
        self.ranks = [pid for pid, (_, _, command) in pddt.processes().items()
                      if command.rstrip() == f"{self.program} {self.flag}"]
        assert len(self.ranks) == 4, self.ranks

    def parts(self, name, host):
        space = os.readlink(f"/proc/{self.machines.pid_of(host)}/ns/net")
        return [pid for pid, (_, _, command) in pddt.processes().items()
                if os.path.basename(command.split(" ", 1)[0]) == name and self.space_of(pid) == space]

    @staticmethod
    def space_of(pid):
        try:
            return os.readlink(f"/proc/{pid}/ns/net")
        except OSError:
            return None

    def has_own_code(self, pid):
        """Its code is what its file holds; behind it, in the same page, pddt's handler of SIGTRAP is left."""
        with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as file:
            span, _, offset = next(line.split()[:3] for line in file if " r-xp " in line and self.program in line)
        with open(f"/proc/{pid}/mem", "rb") as memory, open(self.program, "rb") as file:
            headers = file.read(4096)
            at, (entry, n) = struct.unpack_from("<Q", headers, 32)[0], struct.unpack_from("<HH", headers, 54)
            segments = [struct.unpack_from("<IIQQQQ", headers, at + i * entry) for i in range(n)]
            size = next(segment[5] for segment in segments if segment[0] == 1 and segment[1] & 1)
            memory.seek(int(span.split("-")[0], 16))
            file.seek(int(offset, 16))
            return memory.read(size) == file.read(size)

    def is_free(self):
        """Nobody traces a rank, and its traps are gone, which the guard may do a moment later."""
        for pid in self.ranks:
            if not self.has_own_code(pid):
                return False
            with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
                text = file.read()
                if "TracerPid:\t0\n" not in text or "State:\tT" in text:
                    return False
        return True

    def finish(self):
        """The job ends as it would have."""
        pddt.wait_for("the ranks to be let go", self.is_free, 120)
        with open(self.flag, "w", encoding="ascii"):
            pass
        out, _ = self.job.communicate(timeout=120)
        wanted = sorted(f"rank {rank + 3 * sum(range(N_FUNCTIONS))}" for rank in range(4))
        assert sorted(out.splitlines()) == wanted and self.job.returncode == 0, (out, self.job.returncode)
        os.unlink(self.flag)
        pddt.expect_nothing_left(self.talk.marker)


def front_end_killed(machines, folder):
    job = Job(machines, folder)
    os.kill(job.parts("pddt", "login")[0], signal.SIGKILL)
    job.finish()


def daemon_killed(machines, folder):
    """Its host's ranks are restored by the guard; the others are under pddt as before."""
    job = Job(machines, folder)
    os.kill(job.parts("pddtd", "node2")[0], signal.SIGKILL)
    job.talk.await_event("loss", lambda event: faults.has_words(event, "host node2 is lost"))
    events, _ = job.talk.ask("on host node1 where")
    assert events[-1]["ok"], events
    job.talk.given.close()
    job.talk.process.wait(120)
    job.finish()


def front_end_silent(machines, folder):
    """Waited for during ten minutes of the daemons' time, then let go."""
    bend = faults.Bend("pddtd")
    job = Job(machines, folder, {"PDDT_BEND": bend.path})
    pid = job.parts("pddt", "login")[0]
    os.kill(pid, signal.SIGSTOP)
    bend.speed(120)
    pddt.wait_for("the ranks to be let go", job.is_free, 120)
    os.kill(pid, signal.SIGKILL)
    job.finish()


with tempfile.TemporaryDirectory() as scratch:
    subprocess.run(["cc", "-g", "-o", os.path.join(scratch, "program"), "-xc", "-"], input=PROGRAM.encode(), check=True)
    with hosts.Hosts(2) as virtual, slurm.Slurm(virtual, scratch) as cluster:
        pddt.ENVIRONMENT["SLURM_CONF"] = cluster.conf
        for node in ("node1", "node2"):
            virtual.preload(node, faults.BEND)
        front_end_killed(virtual, scratch)
        print("front end killed")
        daemon_killed(virtual, scratch)
        print("daemon killed")
        front_end_silent(virtual, scratch)
