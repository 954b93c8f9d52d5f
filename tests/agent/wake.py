# SPDX-License-Identifier: GPL-3.0-or-later
"""A thread that repeatedly holds, for a moment, the locks that adding a pending call needs in
CPython 3.13, while the main thread runs until it is told to end; in other versions it only
runs. test-wake.py debugs it. Arguments: holder.c's library; "calls", or "loops": no function is
called while it runs; or "traces": the program has a trace function of its own."""
import ctypes
import sys
import threading

done = False
is_over = ctypes.c_int(0)


def find_locks():
    """Of the main thread's queue of calls, and of the interpreter's."""
    runtime = ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(None), "_PyRuntime"))
    get_interpreter = ctypes.PyDLL(None).PyInterpreterState_Get
    get_interpreter.restype = ctypes.c_void_p
    return runtime + 2648, get_interpreter() + 40, None


def start_holder():
    api = ctypes.CDLL(None)
    locks = (ctypes.c_void_p * 3)(*find_locks())
    holder = threading.Thread(target=ctypes.CDLL(sys.argv[1]).hold, args=(
        api.PyMutex_Lock, api.PyMutex_Unlock, locks, ctypes.byref(is_over)))
    holder.start()


def work():
    return 1                            # @ work


def main():
    count = 0
    if sys.version_info[:2] == (3, 13):
        start_holder()
    if sys.argv[2] == "traces":
        sys.settrace(lambda *arguments: None)
        print("tracing", flush=True)
    while not done and sys.argv[2] != "loops":
        count += work()
    while not done:
        count += 1                      # @ loop
    is_over.value = 1
    print("worked", count > 0, flush=True)


main()
