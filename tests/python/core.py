# SPDX-License-Identifier: GPL-3.0-or-later
"""Python through C into Python, with values of several kinds; then waits for a core to be taken."""
import ctypes
import os
import sys
import threading

Compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class Part:
    def __init__(self, value):
        self.value = [value, {"deep": (value, "text")}]


def work(n):
    part = Part(n)
    total = n * 2
    part.kinds = [kind for kind in "ab"]
    sys.stdout.write("ready\n")
    sys.stdout.flush(); os.read(0, 1)  # @ work
    return part, total


def compare(a, b):
    work(21)  # @ compare
    return 0


def outer():
    numbers = (ctypes.c_int * 2)(2, 1)
    ctypes.CDLL(None).qsort(numbers, 2, 4, Compare(compare))  # @ outer


threading.Thread(target=threading.Event().wait, daemon=True).start()
turn = kind = "the module's"
result = [outer() for turn in range(5, 6)]
