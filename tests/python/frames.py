# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds known stacks in several threads, writes them as Python itself sees them, then blocks.

Each line of the report is "thread IDENT" or "FUNCTION|FILE|LINE", innermost first; "end" ends it.
"""
import functools
import os
import sys
import threading

lock = threading.Lock()
gate = threading.Barrier(3)
reports = []


def name_of(code):
    return getattr(code, "co_qualname", code.co_name)


def note(frame):
    lines = ["thread %d" % threading.get_ident()]
    while frame is not None:
        lines.append("%s|%s|%d" % (name_of(frame.f_code), frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    reports.append(lines)
    gate.wait()
    if threading.current_thread() is threading.main_thread():
        for report in reports:
            sys.stdout.write("".join(line + "\n" for line in report))
        sys.stdout.write("end\n")
        sys.stdout.flush()


class Solver:
    def __init__(self, depth):
        self.depth = depth
        self.name = "sölver"
        self.table = {"a": 1, "b": [1, 2, 3]}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.block(name)

    def block(self, name):
        local = name.upper()
        free = [self.depth]

        def innermost(x, y=2):
            big = 10 ** 40
            pair = (x, y, free, local)
            note(sys._getframe(0)); os.read(0, 1)
            return pair, big

        return innermost(
            1,
            y=[3,
               4])

    def __lt__(self, other):
        return self.missing


def generate(items):
    for item in items:
        yield sorted(
            [Solver(item), Solver(item + 1)])


def outer():
    yield from generate([1])


def run_partial(function, *args):
    return functools.partial(function, *args)()


def main():
    return [value
            for value in run_partial(outer)]


def wait_for_lock():
    def inner():
        note(sys._getframe(0)); lock.acquire()
    inner()


lock.acquire()
for _ in range(2):
    threading.Thread(target=lambda: wait_for_lock(), daemon=True).start()
exec(compile("\n\nmain()", "<generated>", "exec"))
