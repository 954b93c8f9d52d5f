# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of every kind, each twice: same_KIND is equal in all ranks, diff_KIND differs at its
end, far beyond the part that a line shows. Argument: a number that is different in each rank, or "rank"."""
import array
import collections
import ctypes
import dataclasses
import os
import sys

SIZE = 5001
OWN = int(os.environ["OMPI_COMM_WORLD_RANK"] if sys.argv[1] == "rank" else sys.argv[1])


@dataclasses.dataclass
class Record:
    name: str
    items: list


def make_plain(last):
    """KIND: value, of what every interpreter has; `last` makes the difference."""
    numbers = list(range(SIZE - 1)) + [last]
    words = ["word %d" % number for number in numbers]
    yield "list", numbers
    yield "tuple", tuple(numbers)
    yield "floats", [number / 8 for number in numbers]
    yield "words", words
    yield "dict", dict(zip(words, numbers))
    yield "set", set(words)
    yield "frozenset", frozenset(numbers)
    yield "str", "é" * SIZE + str(last)
    yield "wide", "\U0001f600" * SIZE + str(last)
    yield "bytes", b"b" * SIZE + bytes([last % 256])
    yield "bytearray", bytearray(b"b" * SIZE + bytes([last % 256]))
    yield "array", array.array("d", numbers)
    yield "memoryview", memoryview(array.array("l", numbers))
    yield "deque", collections.deque(numbers)
    yield "ordered", collections.OrderedDict(zip(words, numbers))
    yield "default", collections.defaultdict(list, {0: numbers})
    yield "counter", collections.Counter(numbers)
    yield "nested", [[[numbers]], {"key": (words, numbers)}]
    yield "deep", {"a": [{"b": ({"c": numbers},)}]}
    yield "ctypes", (ctypes.c_int * SIZE)(*numbers)
    yield "record", Record("name", numbers)
    yield "int", 10 ** 3000 + last
    yield "mixed", [None, True, 2.5, "x", b"y", 1j, Ellipsis, range(3)] * 700 + [last]
    turning = [numbers]
    turning.append(turning)
    yield "turning", turning


def make_arrays(last):
    try:
        import numpy
    except ImportError:
        return
    numbers = numpy.arange(SIZE, dtype="f8")
    numbers[-1] = last
    close = numpy.ones(8)
    close[2] += last * 1e-12
    grid = numpy.arange(10000.0).reshape(100, 100)
    grid[99, 99] = last
    yield "ndarray", numbers
    yield "close", close
    yield "integers", numbers.astype("i4")
    yield "fortran", numpy.asfortranarray(grid)
    yield "turned", grid.T
    yield "strided", numpy.repeat(numbers, 3)[::3]
    yield "backward", numbers[::-1].copy()[::-1]
    yield "long_double", numbers.astype("longdouble")
    yield "objects", numpy.array([[number] for number in numbers.tolist()] + [None], dtype=object)
    yield "texts", numbers.astype("U12")
    padded = numpy.zeros(SIZE, dtype=numpy.dtype([("a", "i1"), ("b", "f8")], align=True))
    padded["b"] = numbers
    padded.view("u1").reshape(SIZE, 16)[:, 1:8] = OWN     # nobody's
    yield "records", padded
    yield "flags", numbers == 70007.0


def look():
    for kind, value in list(make_plain(70007)) + list(make_arrays(70007)):
        locals_["same_" + kind] = value
    for kind, value in list(make_plain(70007 + OWN)) + list(make_arrays(70007 + OWN)):
        locals_["diff_" + kind] = value
    globals().update(locals_)
    print("ready", flush=True)          # @ look
    sys.stdin.readline()


locals_ = {}
look()
