# SPDX-License-Identifier: GPL-3.0-or-later
"""A message of another type than is received; objects and buffers of one type beside it are right."""
from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
if comm.rank == 0:
    comm.Send([array("d", [1, 2]), MPI.DOUBLE], dest=1, tag=1)
    comm.Send([array("i", [1, 2]), MPI.INT], dest=1, tag=2)
    comm.send({"a": 1}, dest=1, tag=3)
else:
    comm.Recv([array("i", [0] * 4), MPI.INT], source=0, tag=1)
    comm.Recv([bytearray(8), MPI.BYTE], source=0, tag=2)
    comm.recv(source=0, tag=3)
comm.allreduce(1)
