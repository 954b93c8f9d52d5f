# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is wrong here: objects are polled for, tested for and sent to oneself, while others
compute and read slowly. pddt must never call it stuck."""
import subprocess
import time

from mpi4py import MPI

comm = MPI.COMM_WORLD


def compute(seconds):
    end = time.monotonic() + seconds
    total = 0
    while time.monotonic() < end:
        total += sum(range(100))


begun = comm.rank  # @ begun
if comm.rank == 0:
    request = comm.isend("to myself", dest=0, tag=1)
    assert comm.recv(source=0, tag=1) == "to myself"
    request.wait()
    compute(1.5)
    comm.send({"late": True}, dest=1, tag=2)
    request = comm.irecv(source=1, tag=3)
    while not request.test()[0]:
        pass
elif comm.rank == 1:
    while not comm.iprobe(source=0, tag=2):
        pass
    comm.recv(source=0, tag=2)
    compute(1)
    comm.send([1, 2, 3], dest=0, tag=3)
else:
    print(subprocess.run(["sh", "-c", "sleep 2.5; echo late"], capture_output=True).stdout)
for turn in range(2000):
    comm.allreduce(turn)
print("rank", comm.rank, "is well")
