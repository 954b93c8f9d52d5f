# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that waits: without the interpreter's lock, with it, or beside a thread that has it.
Arguments: how. Ends when its standard input does."""
import ctypes
import sys
import threading

LIMIT = 5


def double(value):
    return 2 * value


def work(count):
    total = 0
    for number in range(count):
        total += number                 # @ loop
    return total                        # @ after-loop


def outer():
    first = work(3)                     # @ first
    second = work(4)                    # @ second
    return first + second


def wait(count):
    values = [1, 2, 3]
    print("ready", flush=True)
    if sys.argv[1] == "holds":
        ctypes.PyDLL(None).read(0, ctypes.create_string_buffer(1), 1)
    else:
        sys.stdin.readline()
    return sum(values) + count


def spin(flag):
    turns = 0
    while not flag:
        turns += 2                      # @ turn
        turns -= 1                      # @ other-turn


def main():
    flag = []
    if sys.argv[1] == "thread":
        threading.Thread(target=spin, args=(flag,)).start()
    if sys.argv[1] == "spins":
        spin(flag)
    elif sys.argv[1] != "runs":
        print(wait(1), LIMIT, flush=True)
    flag.append(True)
    return outer()


sys.exit(main())
