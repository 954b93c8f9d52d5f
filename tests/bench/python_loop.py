# SPDX-License-Identifier: GPL-3.0-or-later
"""The call-heavy loop of python-overhead.py: prints the best time of one call in nanoseconds after
each breakpoint(), where the debugger sets what is to be measured, round by round, so that a busy
machine slows all of them. With a word: under that peer."""
import sys
import time

PEER = sys.argv[1] if len(sys.argv) > 1 else ""
ROUNDS = 12
CALLS = 10000 if PEER.startswith("bdb") else 100000
RUNS = 3 if PEER else 1
NAMES = ("plain", "elsewhere", "condition", "local", "call", "builtin", "earlier", "pending")
# where the peer's breakpoint stands, and its condition
PEERS = {"bdb": ("elsewhere", None), "bdb-condition": ("step", "i == -1"), "bdb-call": ("step", "is_wanted(i)"),
         "bdb-builtin": ("step", "abs(total) == -1"), "bdb-earlier": ("earlier", None)}


def step(total, i):
    total += i & 3                      #@ step
    return total


def elsewhere(value):
    return value + 1                    #@ elsewhere


def is_wanted(value):
    return value < 0


def loop():
    total = 0                           #@ earlier
    for i in range(CALLS):
        total = step(total, i)
    return total


def measure():
    best = 1e9
    for _ in range(RUNS):
        begin = time.thread_time()
        loop()
        best = min(best, time.thread_time() - begin)
    return best / CALLS * 1e9


def under_settrace():
    def trace(frame, event, argument):
        return trace
    sys.settrace(trace)
    try:
        return measure()
    finally:
        sys.settrace(None)


def under_bdb(place, condition):
    import bdb
    import linecache

    class Debugger(bdb.Bdb):
        result = 0

        def user_line(self, frame):
            self.set_continue()

        def work(self):
            self.result = measure()

    lines = linecache.getlines(__file__)
    number = [line.endswith("#@ %s\n" % place) for line in lines].index(True) + 1
    debugger = Debugger()
    debugger.set_break(__file__, number, cond=condition)
    debugger.runcall(debugger.work)
    return debugger.result


def main():
    if PEER == "settrace":
        print(under_settrace())
    elif PEER:
        print(under_bdb(*PEERS[PEER]))
    else:
        for _ in range(ROUNDS):
            for name in NAMES:
                breakpoint()
                print(name, measure(), flush=True)


main()
