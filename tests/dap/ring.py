# SPDX-License-Identifier: GPL-3.0-or-later
"""A token goes round mpi4py's ranks."""
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()


def work(number):
    square = number * number  # @ square
    table = {"rank": number, "list": list(range(5))}
    return square + len(table)  # @ return


total = comm.allreduce(work(rank))
print("rank", rank, "total", total, flush=True)
