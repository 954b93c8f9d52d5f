# SPDX-License-Identifier: GPL-3.0-or-later
"""Two ranks that run without pddt's agent: rank 0 computes while the file that it is given is there,
rank 1 waits for what comes of it."""
import os
import sys
import time

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD


def add(total, i):
    twice = i * 2
    return total + twice  # @ add


def main():
    values = numpy.arange(3.0) + comm.rank
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    i = total = 0
    if comm.rank == 0:
        while os.path.exists(sys.argv[1]):
            i += 1
            total = add(total, i)
            time.sleep(0.002)
        comm.send((i, total), dest=1)
    else:
        i, total = comm.recv(source=0)
        sys.stdout.write("right\n" if add(total, 0) == i * (i + 1) else "wrong\n")
    return values


main()
