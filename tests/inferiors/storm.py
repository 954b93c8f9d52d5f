# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads that allocate, link in circles, raise and collect until a file is there; prints whether
every round's sum was right, and that no thread is missing. Arguments: the file."""
import gc
import os
import sys
import threading

gc.set_threshold(50, 2, 2)
WANTED = 3 * sum(range(40)) + 40
results = []


class Node:
    def __init__(self, number, other):
        self.number = number
        self.other = other
        self.own = self

    def __del__(self):
        if self.number < 0:
            raise SystemError


def produce(count):
    last = None
    for number in range(count):
        last = Node(number, last)
        yield last


def fail(number):
    if number % 2:
        raise KeyError(number)
    return 0


def work():
    total = 0
    for node in produce(40):
        total += node.number
        table = {key: [key] * 3 for key in range(8)}
        total += sum(node.number for _ in range(2))
        try:
            fail(node.number)
            total += 1
        except KeyError:
            total += len(table) - 7
    return total


def run():
    rounds = wrong = 0
    while not os.path.exists(sys.argv[1]):
        wrong += work() != WANTED
        rounds += 1
    results.append((rounds > 0, wrong))


def main():
    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    run()
    for thread in threads:
        thread.join()
    print(sorted(results) == [(True, 0)] * 3, flush=True)
    return 7 if sorted(results) == [(True, 0)] * 3 else 1


sys.exit(main())
