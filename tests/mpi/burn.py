# SPDX-License-Identifier: GPL-3.0-or-later
"""Spends its time in functions of known shares, and counts what it has spent. With mpi4py, ranks above 0
work half as long in each turn and wait for rank 0 in a Barrier."""
import sys
import time

spent = {"heavy": 0.0, "medium": 0.0, "light": 0.0, "asleep": 0.0, "together": 0.0}


def spin(end):
    while time.perf_counter() < end:
        sum(range(50))


def heavy(end):
    spin(end)


def medium(end):
    spin(end)


def light(end):
    spin(end)


def asleep(end):
    time.sleep(max(end - time.perf_counter(), 0))


def together(end):
    comm.Barrier()


def turn(length):
    for function, part in ((heavy, 0.5), (medium, 0.25), (light, 0.15), (asleep, 0.1), (together, 0)):
        begin = time.perf_counter()
        function(begin + part * length)
        spent[function.__name__] += time.perf_counter() - begin


class Alone:
    rank = 0

    def Barrier(self):
        pass


if "mpi" in sys.argv:
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
else:
    comm = Alone()
while True:
    turn(0.04 if comm.rank == 0 else 0.02)
