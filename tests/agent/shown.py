# SPDX-License-Identifier: GPL-3.0-or-later
"""Values whose text is not one line, or is inside itself, or very large; and what waits while it is shown."""
import collections
import sys
import time


class Table:
    def __repr__(self):
        return "    x\n10  1\n20  2"


class Slow:
    def __init__(self):
        self.number = 7

    def __repr__(self):
        time.sleep(6)
        return "slow"


class Item:
    def __repr__(self):
        total = 0
        for number in range(200):
            total += number
        return "item %d" % total


def produce():
    value = 1
    yield value                         # @ yield
    return 5


def consume():
    producer = produce()
    first = next(producer)
    return first, list(producer)


def nest():
    nested = collections.defaultdict(dict)
    for row in range(300):
        for column in range(300):
            nested[row][column] = Item()
    return nested


def show():
    table = Table()
    here = [1]
    here.append(here)
    names = {"a": ([],)}
    names["a"][0].append(names["a"])
    names["b"] = names
    big = 2 ** 64 + 5
    negative = -2 ** 70
    nested = nest()
    return table                        # @ shown


def wait():
    a = 1
    slow = Slow()
    z = [1, 2]
    done = a                            # @ waits
    return done                         # @ after


def recurse(depth):
    return recurse(depth + 1)           # @ recurse


def overflow():
    try:
        recurse(0)
    except RecursionError:
        return "caught"


class Own(ValueError):
    pass


def fail():
    import json
    import pathlib
    for action in (lambda: json.loads("{"), lambda: pathlib.Path("/nowhere").open()):  # @ fails
        try:
            action()
        except (ValueError, OSError):
            pass
    if sys.version_info >= (3, 11):
        try:
            raise ExceptionGroup("several", [TypeError(1), Own(2)])  # @ group
        except ExceptionGroup:
            pass


if __name__ == "__main__":
    {"show": show, "wait": wait, "consume": consume, "overflow": overflow, "fail": fail}[sys.argv[1]]()
