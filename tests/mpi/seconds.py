# SPDX-License-Identifier: GPL-3.0-or-later
"""Spends a second in each of a profile's classes, each in a function of its own, and prints how long each has lasted.

seconds.py FOLDER: where the libraries burn, waits and cuda-stand-in are. With mpi4py on two ranks; rank 0 prints."""
import ctypes
import fcntl
import os
import socket
import struct
import sys
import threading
import time

from mpi4py import MPI

COMM = MPI.COMM_WORLD


def load(name):
    library = ctypes.CDLL(os.path.join(sys.argv[1], f"lib{name}.so"))
    library.spend.argtypes = [ctypes.c_double]
    return library.spend


burn, waits, accelerator = load("burn"), load("waits"), load("cuda-stand-in")


def in_python():
    end = time.perf_counter() + 1
    while sum(range(50)) and time.perf_counter() < end:
        pass


def in_native():
    burn(1)


def in_MPI():
    COMM.recv(source=1)


def in_IO():
    """Somebody else has the file for a second."""
    path = os.path.join(sys.argv[1], "locked")
    with open(path, "w") as first, open(path) as second:
        fcntl.flock(first, fcntl.LOCK_EX)
        timer = threading.Timer(1, fcntl.flock, [first, fcntl.LOCK_UN])
        timer.start()
        fcntl.flock(second, fcntl.LOCK_EX)
    timer.join()


def in_network():
    ours, theirs = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 1, 0))
    try:
        ours.recv(1)
    except BlockingIOError:
        theirs.close()


def in_lock():
    lock = threading.Lock()
    with lock:
        lock.acquire(timeout=1)


def in_wait():
    time.sleep(1)


def in_OpenMP():
    waits(1)


def in_accelerator():
    accelerator(1)


if COMM.rank == 0:
    for function in in_python, in_native, in_IO, in_network, in_lock, in_wait, in_OpenMP, in_accelerator, in_MPI:
        if function is in_MPI:
            COMM.Barrier()
        begin = time.perf_counter()
        function()
        print(function.__name__, time.perf_counter() - begin, flush=True)
else:
    COMM.Barrier()
    time.sleep(1)
    COMM.send(0, dest=0)
