# SPDX-License-Identifier: GPL-3.0-or-later
"""Both ranks receive a Python object before they send one."""
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
other = 1 - comm.rank
step = 3  # a function of the C library, too
if "--fixed" in sys.argv and comm.rank == 1:
    comm.send({"a": 1}, dest=other, tag=2)
thing = comm.recv(source=other, tag=2)  # @ culprit
if "--fixed" not in sys.argv or comm.rank == 0:
    comm.send({"a": 1}, dest=other, tag=2)
