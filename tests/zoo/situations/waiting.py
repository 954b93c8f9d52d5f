# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads of Python ranks that wait in MPI with the interpreter's lock (GIL), which others of their rank wait for, and
what is C's own in the standard library. A healthy one lasts about LATE seconds."""
import ctypes
import queue
import sys
import threading
import time

from mpi4py import MPI

LATE = 2.5
comm = MPI.COMM_WORLD
other = 1 - comm.rank
library = ctypes.PyDLL(None)  # calls into it keep the lock


def receive_with_lock():
    """As a library in C that does not release it."""
    handle = ctypes.c_void_p.from_address(MPI._addressof(comm))
    kind = ctypes.c_void_p.from_address(MPI._addressof(MPI.INT))
    library.MPI_Recv(ctypes.byref(ctypes.c_int()), 1, kind, other, 5, handle, None)  # @ receive


def send():
    comm.Send([bytearray(4), MPI.INT], other, 5)


def begin(function, name):
    """Returns when it runs."""
    started = threading.Event()

    def run():
        started.set()
        function()
    threading.Thread(target=run, name=name, daemon=True).start()
    started.wait()


def gil_thread():
    begin(receive_with_lock, "receiver")
    time.sleep(0.2)  # @ asks
    send()


def gil_main():
    begin(lambda: (time.sleep(0.2), send()), "sender")
    receive_with_lock()


def gil_sleep():
    if comm.rank == 1:
        begin(lambda: library.sleep(1000), "sleeper")
        time.sleep(0.2)
    comm.Barrier()


def gil_late():
    """The lock is given back in between: nobody is stuck."""
    if comm.rank == 1:
        begin(lambda: [library.usleep(20000) for _ in range(int(LATE / 0.02))], "busy")
        while threading.active_count() > 1:
            time.sleep(0.05)
        send()
    else:
        receive_with_lock()


def simple_queue():
    if comm.rank == 1:
        queue.SimpleQueue().get()  # @ get
    comm.Barrier()


comm.Barrier()
print("begun", flush=True)
globals()[sys.argv[1].replace("-", "_")]()
