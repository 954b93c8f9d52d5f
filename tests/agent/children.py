# SPDX-License-Identifier: GPL-3.0-or-later
"""Two children of multiprocessing, begun in the way that the argument names."""
import multiprocessing
import os
import sys


def work(number, folder):
    total = 0
    for i in range(number):  # @ loop
        total += i
    open(os.path.join(folder, str(number)), "w").close()
    return total


def meet(folder):
    return len(os.listdir(folder))


if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    if "later" in sys.argv:
        print("ready", flush=True)
        sys.stdin.readline()
    children = [multiprocessing.Process(target=work, args=(number, sys.argv[2])) for number in (3, 5)]
    for child in children:
        child.start()
    meet(sys.argv[2])
    for child in children:
        child.join()
    print("codes", [child.exitcode for child in children], sorted(os.listdir(sys.argv[2])), flush=True)
