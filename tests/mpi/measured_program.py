# SPDX-License-Identifier: GPL-3.0-or-later
"""A program whose last rank has the most to do, and which ends as its arguments say."""
import os
import signal
import subprocess
import sys
import time

comm = None
if "mpi" in sys.argv:
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
rank = comm.rank if comm else 0


def work(seconds):
    end = time.perf_counter() + seconds
    while sum(range(50)) and time.perf_counter() < end:  # @ work
        pass


def on_interrupt(number, frame):
    os.write(1, b"interrupted\n")  # print may be in the middle of a line
    sys.exit(9)


def child():
    work(0.7)


signal.signal(signal.SIGINT, on_interrupt)
if "read" in sys.argv:
    print("read", sys.stdin.readline().strip(), sys.stdin.isatty(), sys.stdout.isatty())
if "fork" in sys.argv:
    pid = os.fork()
    if pid == 0:
        child()
        os._exit(0)
    os.waitpid(pid, 0)
if "subprocess" in sys.argv:
    subprocess.run([sys.executable, __file__, "quick"], check=True)
if "forever" in sys.argv:
    print("ready", flush=True)
    while True:
        work(1)
work(0.2 if "quick" in sys.argv else 0.8 * (rank + 1))
if comm:
    comm.Barrier()
print(f"rank {rank} is done", flush=True)
if "warn" in sys.argv:
    print("a warning", file=sys.stderr, flush=True)
if "abort" in sys.argv:
    os.kill(os.getpid(), signal.SIGABRT)
sys.exit(5 if "fail" in sys.argv else 0)
