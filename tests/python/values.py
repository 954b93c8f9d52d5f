# SPDX-License-Identifier: GPL-3.0-or-later
"""Locals of every kind; then reports and blocks. numpy is used where it is installed."""
import os
import sys

try:
    import numpy
except ImportError:
    numpy = None

level = 7


class Plain:
    kind = "plain"

    def __init__(self):
        self.x = 1
        self.name = "p"
        self.inner = {"deep": [5]}

    @property
    def computed(self):
        return 1


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a = 10


def work(n, unset_later):
    i = 3
    negative = -12345678901234567890
    zero = 0
    yes = True
    nothing = None
    f = 0.1
    big_float = 1e+20
    whole = 2.0
    s = "it's"
    wide = "日本"
    emoji = "a😀"
    raw = b"\x00ab"
    few = [1, 2, 3]
    many = list(range(100))
    pair = (1,)
    empty = ()
    d = {"a": 1, 2: "b"}
    gone = {k: k for k in range(5)}
    del gone[2]
    st = {4}
    fs = frozenset()
    plain = Plain()
    slotted = Slotted()
    error = ValueError("bad")
    nested = [[1, [2, [3, [4]]]]]
    if unset_later:
        unset = 1
    cell = [n]
    if numpy is not None:
        grid = numpy.arange(16.0).reshape(4, 4)
        ints = numpy.arange(3, dtype=numpy.int32)[::-1]
        scalar = numpy.float64(2.5)
        days = numpy.array(["1969-12-31", "2024-02-29", "NaT"], dtype="datetime64[D]")
        moment = numpy.datetime64("2020-05-05T10:07:09.5")
        moments = numpy.array(["1901-03-04T05:06"], dtype="datetime64[m]")
        months = numpy.array(["2020-12"], dtype="datetime64[M]")
        length = numpy.timedelta64(7, "h")
        lengths = numpy.array([1, 2], dtype="timedelta64[10ms]")

    def closure():
        return cell, i

    sys.stdout.write(("numpy" if numpy is not None else "plain") + "\nend\n")
    sys.stdout.flush(); os.read(0, 1)
    return closure


work(42, False)
