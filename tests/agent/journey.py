# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that waits: without the GIL, with it, in an allocator, or while another thread has
it. Arguments: how. Ends with its standard input."""
import ctypes
import json
import os
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


def write_down():
    for number in range(3000):
        half = number / 2
        word = "w%d" % number           # @ logged
    print("written", flush=True)
    os._exit(3)


def call_library(text):
    try:
        return json.loads(text)         # @ library-raises
    except ValueError:
        return None


def raise_own():
    try:
        call_library("{")
        return int("x")                 # @ own-raises
    except ValueError:
        raise


def outer():
    first = work(3)                     # @ first
    second = work(4)                    # @ second
    return first + second


def wait(count):
    values = [1, 2, 3]
    print("ready", flush=True)
    if sys.argv[1] == "holds":
        ctypes.PyDLL(None).read(0, ctypes.create_string_buffer(1), 1)
    elif sys.argv[1] == "allocator":
        ctypes.CDLL(None).malloc(4711)
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
    elif sys.argv[1] == "logs":
        write_down()
    elif sys.argv[1] == "raises":
        try:
            raise_own()
        except ValueError:
            pass
    elif sys.argv[1] != "runs":
        print(wait(1), LIMIT, flush=True)
    flag.append(True)
    return outer()


sys.exit(main())
