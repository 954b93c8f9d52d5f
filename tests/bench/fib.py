# SPDX-License-Identifier: GPL-3.0-or-later
"""A fixed amount of Python work; prints its time and its user time."""
import resource
import sys
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def main():
    begin = time.perf_counter()
    for _ in range(int(sys.argv[1])):
        fib(22)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    print("time", time.perf_counter() - begin, used, flush=True)


main()
