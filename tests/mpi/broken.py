# SPDX-License-Identifier: GPL-3.0-or-later
"""Rank 1 fails with an exception while the others wait for it; its words would break a page that took them as
they are."""
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def work(values, hostile):
    if comm.rank == 1:  # @ work
        raise ValueError("no <b>value</b> & nothing")  # @ fault
    return sum(values)  # @ sum


print("<script>alert(1)</script> ]]> &amp;")
print(f"\033[31mrank {comm.rank}\033[0m", "\x07", file=sys.stderr)
sys.stdout.flush()
sys.stdout.buffer.write(b"\xff\xfe\0 bytes\n")
sys.stdout.flush()
sys.stderr.flush()
work([comm.rank, 2], "</pre><img src='x'>")  # @ call
comm.Barrier()  # @ barrier
