# SPDX-License-Identifier: GPL-3.0-or-later
"""A fixed amount of numpy work on each rank, with an exchange after each step of it; rank 0 prints the time, and the user
time of all ranks."""
import resource
import sys
import time

import numpy
from mpi4py import MPI


def step(cells, kernel):
    inner = cells[1:-1, 1:-1]
    inner += 0.1 * (cells[:-2, 1:-1] + cells[2:, 1:-1] + cells[1:-1, :-2] + cells[1:-1, 2:] - 4 * inner)
    return numpy.fft.irfft(numpy.fft.rfft(cells[1]) * kernel)


def exchange(comm, cells):
    comm.Sendrecv(cells[-2].copy(), (comm.rank + 1) % comm.size, recvbuf=cells[0], source=(comm.rank - 1) % comm.size)


def main():
    comm = MPI.COMM_WORLD
    cells = numpy.random.default_rng(comm.rank).random((200, 1000))
    kernel = numpy.linspace(1, 0, 501)
    total = numpy.zeros(1)
    begin = time.perf_counter()
    for _ in range(int(sys.argv[1])):
        row = step(cells, kernel)
        exchange(comm, cells)
        comm.Allreduce(numpy.array([row.sum()]), total)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    used = comm.reduce(used)
    if comm.rank == 0:
        print("time", time.perf_counter() - begin, used, flush=True)


main()
