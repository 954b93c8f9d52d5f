# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs without a pause through calls, generators, callbacks and collections.

The report says what a stack of it may look like: "FUNCTION|FIRST|LAST|CALLERS", the functions that
may stand directly outside of it separated by commas."""
import dis
import functools
import gc
import sys


class Node:
    def __init__(self, depth):
        self.self = self
        self.depth = depth

    def __lt__(self, other):
        return compare(self, other)

    def __del__(self):
        leaf(self.depth)


def compare(a, b):
    return leaf(a.depth) < leaf(b.depth)


def leaf(n):
    return n + 1


def numbers(n):
    for i in range(n):
        yield leaf(i)


def delegate(n):
    yield from numbers(n)


def work(n):
    total = 0
    for value in delegate(n):
        total += value
    total += functools.partial(recurse, n)()
    ordered = sorted([Node(2), Node(1)])
    return total + len(ordered)


def recurse(n):
    if n == 0:
        return leaf(0)
    return recurse(n - 1)


def main():
    while True:
        work(20)
        gc.collect(0)


anywhere = "main,work,recurse,numbers,delegate,compare,leaf,Node.__init__,Node.__lt__"
table = [
    (main, "<module>"), (work, "main"), (recurse, "work,recurse"), (delegate, "work"),
    (numbers, "delegate"), (Node.__init__, "work"), (Node.__lt__, "work"), (compare, "Node.__lt__"),
    (leaf, "compare,numbers,recurse,Node.__del__"), (Node.__del__, anywhere),
]
for function, callers in table:
    code = function.__code__
    starts = dis.findlinestarts(code)
    last = max(line for _, line in starts if line is not None)
    text = "%s|%d|%d|%s" % (function.__qualname__, code.co_firstlineno, last, callers)
    if sys.version_info < (3, 11):
        text = text.replace("Node.", "")
    sys.stdout.write(text + "\n")
sys.stdout.write("end\n")
sys.stdout.flush()
main()
