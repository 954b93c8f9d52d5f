# SPDX-License-Identifier: GPL-3.0-or-later
"""One rank waits at a fence of a window for another that listens on an intercommunicator."""
import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
half = comm.Split(comm.rank % 2)
both = half.Create_intercomm(0, comm, 1 - comm.rank % 2)
both.Set_name("both")
memory = numpy.zeros(4)
win = MPI.Win.Create(memory, comm=comm)
win.Set_name("plate")
win.Fence()
if comm.rank == 0:
    win.Put(memory, 1)
    win.Fence()  # @ culprit
else:
    both.recv(source=0, tag=3)
