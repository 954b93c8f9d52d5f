# SPDX-License-Identifier: GPL-3.0-or-later
"""An exception that is caught on one rank skips a collective."""
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
try:
    if comm.rank == 1 and "--fixed" not in sys.argv:
        raise ValueError("bad data")
    comm.Barrier()  # @ others
except ValueError:
    pass
total = comm.allgather(comm.rank)  # @ culprit
