# SPDX-License-Identifier: GPL-3.0-or-later
"""Python through C back into Python, and threads that wait for each other; then blocks.

Says "end" when it is there.
"""
import ctypes
import functools
import os
import sys
import threading

libc = ctypes.CDLL(None)
Compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int),
                           ctypes.POINTER(ctypes.c_int))
first = threading.Lock()
second = threading.Lock()
gate = threading.Barrier(3)


def block():
    sys.stdout.write("end\n")
    sys.stdout.flush()
    os.read(0, 1)


def key(item):
    block()
    return item


def compare(a, b):
    return len(sorted([3, 2, 1], key=key))


def sort():
    numbers = (ctypes.c_int * 4)(4, 3, 2, 1)
    libc.qsort(numbers, 4, ctypes.sizeof(ctypes.c_int), Compare(compare))


def partial_target(n):
    sort()


def run():
    functools.partial(partial_target, 1)()


def take(mine, other):
    with mine:
        gate.wait()
        with other:
            pass


threading.Thread(target=take, args=(first, second), daemon=True).start()
threading.Thread(target=take, args=(second, first), daemon=True).start()
gate.wait()
run()
