# SPDX-License-Identifier: GPL-3.0-or-later
"""A thread computes without a pause until the file's byte is 1, then works at intervals until it is 2. The main
thread waits for standard input all the time."""
import mmap
import os
import sys
import threading
import time

FLAG = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 1)


def step(value):
    return value + 1                    # @ step


def work():
    total = 0
    while FLAG[0] == 0:
        total += 1
    while FLAG[0] == 1:
        total = step(total)
        time.sleep(0.002)


thread = threading.Thread(target=work)
thread.start()
print("ready", flush=True)
os.read(0, 1)
thread.join()
print("right", flush=True)
