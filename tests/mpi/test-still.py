# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks that were continued and cannot get on are announced unasked, while others compute; they are shown as
blocked, after a pause too. Ranks that wait for one that computes are not."""
import os
import subprocess
import tempfile
import threading
import time

import measured
import pddt
import quiet

LIMIT_S, N_TRIES = 5.0, 3 # a machine with other work is late at times

DEADLOCK = """
import os
from mpi4py import MPI
comm = MPI.COMM_WORLD
if comm.rank < 2:
    comm.recv(source=1 - comm.rank, tag=7)
while comm.rank == 3 and not os.path.exists("go"):
    pass
comm.Barrier()
"""
TWO = """
from mpi4py import MPI
MPI.COMM_WORLD.recv(source=MPI.COMM_WORLD.rank ^ 1, tag=7)
"""
HEALTHY = """
import time
from mpi4py import MPI
comm = MPI.COMM_WORLD
end = time.monotonic() + 7
while comm.rank == 0 and time.monotonic() < end:
    pass
comm.Barrier()
print("through", flush=True)
"""


class Session:
    """pddt reads commands from a pipe; what it says is collected as it comes."""
    def __init__(self, n, program):
        self.lines = []
        with open("job.py", "w", encoding="utf-8") as file:      # what is given by -c has no lines to be shown
            file.write(program)
        self.process = subprocess.Popen(
            [pddt.PDDT, "--cli", "mpirun", "-np", str(n), "/usr/bin/python3", "%python_debug%", "job.py"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=pddt.ENVIRONMENT)
        threading.Thread(target=self.collect, daemon=True).start()

    def collect(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def expect(self, part, line=None):
        """A line that has the part comes; `line` is said again until it does."""
        seen = len(self.lines) if line else 0

        def probe():
            if line:
                self.say(line)
                time.sleep(0.2)
            return next((text for text in self.lines[seen:] if part in text), None)
        return pddt.wait_for(f"{part!r} among pddt's lines", probe, 120)

    def expect_blocked(self, wanted, *parts):
        """`show state` has these ranks as blocked, in as many lines as there are places, and lines with the parts."""
        def probe():
            seen = len(self.lines)
            self.say("show state")
            time.sleep(0.3)
            said = [line for line in self.lines[seen:] if ": blocked" in line]
            ranks = sorted(line.split(":")[0] for line in said)
            return ranks == wanted and all(any(part in line for line in said) for part in parts)
        pddt.wait_for(f"blocked {wanted} {parts}", probe, 120)

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)


def test_blocked():
    session = Session(4, DEADLOCK)
    session.expect("0-3: stopped", "show state")
    session.say("continue")
    told = session.expect("wait for each other")
    assert told.startswith("0 and 1 wait for each other: 0 in comm.recv from 1, tag 7 (job.py:6)") and "1 more is stuck" in told, told
    # 0 and 1 wait in the same line, 2 in another; where is known without stopping them
    session.expect_blocked(["0-1", "2"], "0-1: blocked, MPI_Mprobe at job.py:6", "2: blocked, MPI_Barrier at job.py:9")
    assert any(line.startswith("3: running") for line in session.lines), session.lines
    session.say("on 1 pause")
    session.expect("1: stopped")
    session.expect_blocked(["0", "2"])                   # rank 1 still waits for rank 0, paused or not
    session.say("on 1 continue")
    session.expect_blocked(["0-1", "2"])
    session.say("kill")
    session.end()


def test_two():
    """Two independent deadlocks: each is told."""
    session = Session(4, TWO)
    session.expect("0-3: stopped", "show state")
    session.say("continue")
    session.expect("0 and 1 wait for each other")
    session.expect("2 and 3 wait for each other")
    session.say("kill")
    session.end()


def test_healthy():
    session = Session(3, HEALTHY)
    session.expect("0-2: stopped", "show state")
    session.say("continue")
    session.expect("through")
    session.end()
    assert not any("wait" in line or "blocked" in line for line in session.lines), session.lines


def test_soon():
    """Within 5 s after the last one began to wait; also where MPI comes late, or long after it."""
    for late in {}, {"before_mpi": 2.5}, {"after_barrier": 4.0}:
        taken = []
        while not taken or (min(taken) > LIMIT_S and len(taken) < N_TRIES):
            taken.append(quiet.announce_s(4, **late))
            print(f"announced after {taken[-1]:.1f} s {late}", flush=True)
        assert min(taken) <= LIMIT_S, (late, taken)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    measured.run_parts((test_soon,), (test_blocked, test_two, test_healthy))
