# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads that may or may not wait for each other; test-locks.py has the expected answer for
each situation. An additional thread prints "ready" when all threads that should sleep do."""
import concurrent.futures
import ctypes
import os
import queue
import sys
import threading
import time

first, second = threading.RLock(), threading.RLock()
plain, other = threading.Lock(), threading.Lock()
gate = threading.Barrier(2)
tids = []


class Box:
    def __init__(self, lock):
        self.lock = lock


def note():
    tids.append(threading.get_native_id())


def cross(mine, yours):
    """Both with statements use the same lock objects, in both orders."""
    note()
    with mine:
        gate.wait()
        with yours: pass                            # @ cross


def cross_boxes(mine, yours):
    note()
    with mine.lock:
        gate.wait()
        with yours.lock: pass                       # @ boxes


def cross_acquire(mine, yours):
    note()
    mine.acquire()
    gate.wait()
    yours.acquire()                                 # @ acquire


def cross_after(mine, yours):
    """The frame's stack keeps values of statements that have ended."""
    note()
    with plain, other:
        pass
    gate.wait()
    mine.acquire()
    gate.wait()
    yours.acquire()                                 # @ after


def cross_timed(mine, yours):
    note()
    with mine:
        gate.wait()
        yours.acquire(timeout=3600)                 # @ timed


def wait_for_condition(condition, lock):
    note()
    with lock:
        gate.wait()
        condition.wait()                            # @ condition


def take(lock):
    note()
    gate.wait()
    lock.acquire()                                  # @ take
    lock.release()


def start(function, *arguments):
    thread = threading.Thread(target=function, args=arguments, name=arguments and "worker" or None, daemon=True)
    thread.start()
    return thread


def is_asleep(tid):
    with open("/proc/self/task/%d/syscall" % tid) as file:
        return file.read().startswith("202 ")


def watch(count):
    """Waits for the GIL end after milliseconds, so a thread that sleeps each time it is looked at waits
    for a lock."""
    while len(tids) < count:
        time.sleep(0.001)
    looks = 0
    while looks < 200:
        looks = looks + 1 if all(is_asleep(tid) for tid in list(tids)) else 0
        time.sleep(0.001)
    print("ready", flush=True)
    time.sleep(3600)


def both(function, mine, yours):
    """The main thread is one of the two."""
    start(watch, 2)
    start(function, mine, yours)
    function(yours, mine)


def apart(function, mine, yours):
    """Main sleeps."""
    start(watch, 2)
    start(function, mine, yours)
    start(function, yours, mine)
    time.sleep(3600)


def alone():
    start(watch, 1)
    note()
    with plain:
        with plain: pass                            # @ alone


def join():
    """The main thread holds the lock for which the thread waits, and waits for that thread."""
    start(watch, 2)
    note()
    with first:
        thread = start(take, first)
        gate.wait()
        thread.join()                               # @ join


def condition():
    """A thread that waits for the condition has released its lock."""
    start(watch, 2)
    condition = threading.Condition(plain)
    start(wait_for_condition, condition, plain)
    gate.wait()
    with plain:
        note()
        tids.append(tids[0])
        other.acquire()
        other.acquire()                             # @ nobody


def library(wait):
    """A wait in a function of the library, whose own lock says nothing."""
    start(watch, 1)
    note()
    wait()


def wait_for_queue():
    queue.Queue().get()                             # @ queue


def wait_for_future():
    concurrent.futures.ThreadPoolExecutor(1).submit(time.sleep, 3600).result()  # @ future


def wait_for_event():
    threading.Event().wait()                        # @ event


def hold(begun):
    """As a library in C that does not give the interpreter away."""
    begun.wait()
    print("ready", flush=True)
    ctypes.PyDLL(None).sleep(3600)


def wait_for_interpreter():
    begun = threading.Event()
    start(hold, begun)
    while True:
        begun.is_set() or begun.set(); time.sleep(0.001)  # @ interpreter


situations = {
    "queue": lambda: library(wait_for_queue),
    "future": lambda: library(wait_for_future),
    "event": lambda: library(wait_for_event),
    "rlocks": lambda: both(cross, first, second),
    "locks": lambda: both(cross, plain, other),
    "mixed": lambda: both(cross, first, other),
    "boxes": lambda: both(cross_boxes, Box(first), Box(second)),
    "apart": lambda: apart(cross, first, second),
    "acquired-rlocks": lambda: both(cross_acquire, first, second),
    "acquired-locks": lambda: both(cross_acquire, plain, other),
    "after": lambda: both(cross_after, plain, other),
    "timed": lambda: both(cross_timed, first, second),
    "alone": alone,
    "join": join,
    "condition": condition,
    "interpreter": wait_for_interpreter,
}
situations[sys.argv[1]]()
