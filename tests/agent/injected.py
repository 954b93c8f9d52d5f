# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs without the agent until its standard input ends, then says what it has computed.

With "stuck" it blocks in C and keeps the GIL.
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
other = threading.Thread(target=threading.Event().wait, daemon=True)
other.start()
names = set(globals())
print("ready", flush=True)
if "stuck" in sys.argv:
    wait_in_c([3, 4])
result = main()
print("right" if result[1] == result[0] * (result[0] + 1) else "wrong",
      sorted(set(globals()) - names - {"result"}), *(["signalled", handled] if "signalled" in sys.argv else []))
