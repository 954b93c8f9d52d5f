# SPDX-License-Identifier: GPL-3.0-or-later
"""A rank that waits for the others: code that the debugger runs in it returns when all ranks
are in it."""
import os
import sys
import time

FOLDER, COUNT = sys.argv[1], int(sys.argv[2])


def meet(name):
    """In round `name` each leaves a file, and takes it away again when it is interrupted."""
    path = os.path.join(FOLDER, str(name))
    os.makedirs(path, exist_ok=True)
    own = os.path.join(path, str(os.getpid()))
    with open(own, "w", encoding="ascii"):
        pass
    try:
        while len(os.listdir(path)) < COUNT:
            time.sleep(0.001)
    except BaseException:
        os.remove(own)
        raise
    return "met"


def wait():
    n = 0
    while not os.path.exists(os.path.join(FOLDER, "go")):
        time.sleep(0.001)
        n += 1  # @ turn
    return n


print("ready", flush=True)
wait()
print("done", flush=True)
