# SPDX-License-Identifier: GPL-3.0-or-later
"""mpi4py, both its own methods and MPI's: it must print the same with and without the recorder."""
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()


def say(*words):
    """One write a line: launchers join what ranks write."""
    sys.stdout.write(" ".join(map(str, (rank, *words))) + "\n")
    sys.stdout.flush()


right, left = (rank + 1) % size, (rank - 1) % size
say("allreduce", comm.allreduce(rank))
say("bcast", comm.bcast({"a": rank}, root=size - 1))
say("gather", comm.gather(rank, root=0))
request = comm.isend("hello %d" % rank, dest=right, tag=3)
say("recv", comm.recv(source=left, tag=3))
request.wait()
buffer = bytearray(4)
comm.Sendrecv([bytes([rank] * 4), MPI.BYTE], right, 4, [buffer, MPI.BYTE], left, 4)
say("Sendrecv", list(buffer))
copy = comm.Dup()
copy.Set_name("mine")
copy.Barrier()
copy.Free()
if sys.argv[1:] == ["hang"] and rank == 0:
    comm.recv(source=1, tag=99)  # @ hang
