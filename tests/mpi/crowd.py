# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads and children that come and go, and ends of all kinds, as the arguments say."""
import os
import signal
import sys
import threading
import time


def work(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


if "deaf" in sys.argv:
    signal.signal(signal.SIGTERM, lambda *_: print("told to end", flush=True))
if "threads" in sys.argv:
    for _ in range(60):
        some = [threading.Thread(target=work, args=(0.01,)) for _ in range(3)]
        for thread in some:
            thread.start()
        for thread in some:
            thread.join()
if "dying" in sys.argv:
    for number in range(40):
        child = os.fork()
        if child == 0:
            work(0.002 * (number % 10))
            if number % 2:
                os.kill(os.getpid(), signal.SIGKILL)
            os._exit(0)
        if number % 4 == 0:
            work(0.005)
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
work(0.3)
if "stay" in sys.argv:
    work(2)
elif os.environ.get("OMPI_COMM_WORLD_RANK") == "1":
    os.kill(os.getpid(), signal.SIGSEGV)
if "wait" in sys.argv:
    time.sleep(2)
if "forever" in sys.argv:
    time.sleep(1000)
print("done", flush=True)
