# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks that wait for each other; mpi4py asks MPI for threads, so that each request is waited for by
a thread of its own."""
from mpi4py import MPI

comm = MPI.COMM_WORLD
if comm.rank == 0:
    comm.Recv(bytearray(8), source=1, tag=99)  # @ receive
elif comm.rank == 1:
    comm.recv(source=0, tag=7)  # @ probe
elif comm.rank == 2:
    comm.Ssend(b"abc", dest=0, tag=3)  # @ send
else:
    comm.irecv(source=2, tag=4).wait()  # @ wait
