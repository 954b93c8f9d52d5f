# SPDX-License-Identifier: GPL-3.0-or-later
"""waiter.py SEED: goes random ways to Python's own waits. Says "end" and waits for its input to end first."""
import json
import os
import queue
import random
import select
import socket
import sys
import threading
import time

left, right = socket.socketpair()
left.setblocking(False)
choice = random.Random(int(sys.argv[1]))
lock, full = threading.Lock(), queue.Queue(1)
lock.acquire()
full.put(1)
file = open("/proc/self/stat", "rb", buffering=0)


def receive():
    try:
        left.recv(1)
    except BlockingIOError:
        pass


def put():
    try:
        full.put(1, timeout=1e-6)
    except queue.Full:
        pass


def read():
    file.seek(0)
    file.read()


WAITS = [lambda: time.sleep(1e-6), lambda: lock.acquire(timeout=1e-6), lambda: select.select([left], [], [], 0),
         lambda: os.stat("/"), receive, put, read]


def go(depth):
    if depth == 0:
        choice.choice(WAITS)()
    elif depth % 3 == 0:
        json.dumps([0, 1], default=go(depth - 1), indent=1)
        sorted(range(3), key=lambda number: go(0) or number)
    elif depth % 3 == 1:
        any(go(depth - 1) for _ in range(1))
    else:
        go(depth - 1)


print("end", flush=True)
sys.stdin.read()
while True:
    go(choice.randrange(7))
