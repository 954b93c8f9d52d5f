# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks that work in turn; with "raise" rank 2 raises, with "hang" rank 0 waits in MPI_Recv."""
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


def work(n):
    total = 0
    for i in range(n):
        total += i * comm.rank  # @ add
    return total


def wait_for_nobody():
    buffer = np.zeros(4)
    comm.Recv(buffer, source=comm.size - 1, tag=99)  # @ hang


def main(mode):
    value = work(5 + comm.rank)  # @ call
    if mode == "raise" and comm.rank == 2:
        raise ValueError("two is wrong")  # @ raise
    if mode == "hang" and comm.rank == 0:
        wait_for_nobody()
    comm.Barrier()
    print("rank", comm.rank, "value", value)


main(sys.argv[1] if len(sys.argv) > 1 else "run")
