# SPDX-License-Identifier: GPL-3.0-or-later
"""Heat in a rod, on all ranks of MPI.COMM_WORLD, with its kernel in C.

The rod is insulated: its heat must stay what it was. Run it, and it does not. The README's
two-minute session finds out why.
"""
import ctypes
import os
import sys

import numpy as np
from mpi4py import MPI

CELLS = 4003
STEPS = 2000
ALPHA = 0.25


def load_kernel():
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(here, *up, "libheat_kernel.so") for up in ((), ("..", "..", "build", "data", "examples"))]
    library = ctypes.CDLL(os.environ.get("HEAT_LIBRARY") or next(filter(os.path.exists, places), places[-1]))
    pointer = np.ctypeslib.ndpointer(np.float64, flags="C")
    library.heat_step.argtypes = [pointer, pointer, ctypes.c_int, ctypes.c_double]
    library.heat_step.restype = None
    return library


def share(rank, size):
    """How many cells a rank has: the last one takes what is left over."""
    cells = CELLS // size
    if rank == size - 1:
        cells += CELLS % size
    return cells


def exchange(comm, now, cells):
    """Fills the ghost cells: from the neighbours, or a mirror at the insulated ends."""
    left = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
    right = comm.rank + 1 if comm.rank < comm.size - 1 else MPI.PROC_NULL
    now[0] = now[1]
    now[cells + 1] = now[cells]
    comm.Sendrecv(now[1:2], left, 0, now[cells + 1:cells + 2], right, 0)
    comm.Sendrecv(now[cells:cells + 1], right, 1, now[0:1], left, 1)


def time_step(comm, kernel, now, following, cells):
    exchange(comm, now, cells)
    kernel.heat_step(following, now, CELLS // comm.size, ALPHA)
    return following, now


def main():
    comm = MPI.COMM_WORLD
    kernel = load_kernel()
    cells = share(comm.rank, comm.size)
    now = np.zeros(cells + 2)
    now[1:cells + 1] = 1.0
    following = np.zeros(cells + 2)
    before = comm.allreduce(now[1:cells + 1].sum())
    for step in range(STEPS):
        now, following = time_step(comm, kernel, now, following, cells)
    after = comm.allreduce(now[1:cells + 1].sum())
    if comm.rank == 0:
        print(f"heat before {before:.1f}, after {after:.1f}:",
              "good" if abs(after - before) < 0.1 else "heat is lost!")
    return 0


sys.exit(main())
