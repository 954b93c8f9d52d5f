# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs without the agent until its standard input ends, then says what it has computed.

With "stuck" it blocks in C and keeps the GIL; with "full" it does so where the interpreter takes no more pending calls.
With "signalled" it has a handler for SIGSEGV, and counts its calls."""
import ctypes
import os
import select
import signal
import sys
import threading

names = None


def work(i, total):
    twice = i * 2
    return total + twice  # @ work


def main():
    i = total = 0
    while not select.select([0], [], [], 0.002)[0]:
        i += 1
        total = work(i, total)
    return i, total


def wait_in_c(values):
    ctypes.PyDLL(None).pause()


def fill(unused):
    """As a pending call, so that none of the others runs meanwhile."""
    python = ctypes.pythonapi
    while python.Py_AddPendingCall(nothing, None) == 0:
        pass
    if sys.version_info >= (3, 12):
        python.PyInterpreterState_Main.restype = ctypes.c_void_p
        main_one = ctypes.c_void_p(python.PyInterpreterState_Main())
        while python._PyEval_AddPendingCall(main_one, nothing, None, 0) == 0:
            pass
    print("ready", flush=True)
    wait_in_c([3, 4])


def slow():
    os.write(1, b"slow\n")  # what is printed is the evaluation's
    os.read(0, 1)
    return "left"


def on_fault(number, frame):
    global handled
    handled += 1


handled = 0
if "signalled" in sys.argv:
    signal.signal(signal.SIGSEGV, on_fault)
if "full" in sys.argv:
    PENDING = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    nothing, filling = PENDING(lambda unused: 0), PENDING(fill)
    ctypes.pythonapi.Py_AddPendingCall(filling, None)
other = threading.Thread(target=threading.Event().wait, daemon=True)
other.start()
names = set(globals())
print("ready", flush=True)
if "stuck" in sys.argv:
    wait_in_c([3, 4])
result = main()
print("right" if result[1] == result[0] * (result[0] + 1) else "wrong",
      sorted(set(globals()) - names - {"result"}), *(["signalled", handled] if "signalled" in sys.argv else []))
