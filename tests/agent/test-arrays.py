# SPDX-License-Identifier: GPL-3.0-or-later
"""The line of a numpy array among other values costs what the line holds, not what the array does; what is
written is the array's own beginning. Argument: the folder of the agent."""
import sys

import driver

sys.path.insert(0, sys.argv[1])
import pddt_values

try:
    import numpy
except ImportError:
    print("1..0 # SKIP no numpy")
    sys.exit()
tap = driver.Tap()
LIMIT = 400


class Counted:
    written = 0

    def __repr__(self):
        Counted.written += 1
        return "1"


def get_line(value, limit=LIMIT):
    return pddt_values.describe(value, limit).split(b"\0")[1].decode()


def get_whole(value, limit=LIMIT):
    is_row = type(value) is numpy.ndarray and value.ndim == 1
    return pddt_values.shorten(pddt_values.join_lines(repr(value)) if is_row else repr(value), limit)


# As long everywhere as they are at their beginning: the columns of the text are as wide.
ALIKE = {
    "numbers": numpy.arange(1000) % 10, "floats": numpy.ones(1000), "truths": numpy.zeros(1000, bool),
    "empty words": numpy.array([""] * 700), "bytes": numpy.array([b""] * 700), "rows": numpy.ones((30, 30)),
    "one row": numpy.ones((1, 900)), "a long row of two": numpy.ones((2, 1, 450)), "one column": numpy.ones((900, 1)),
    "by columns": numpy.ones((500, 2), order="F"), "reversed": numpy.ones(1000)[::-1],
    "records": numpy.zeros(200, [("a", "i4"), ("b", "f8")]), "few": numpy.arange(3), "none": numpy.zeros((0, 5)),
    "no dimension": numpy.array(5), "as many as fit": numpy.zeros(133, int), "one more": numpy.zeros(135, int),
    "many": numpy.arange(100000), "a matrix": numpy.matrix([[1, 2]] * 300), "masked": numpy.ma.ones(300),
}
for name, array in ALIKE.items():
    for limit in (LIMIT, 200):
        tap.equal(f"{name}, {limit} characters", get_line(array, limit), get_whole(array, limit))

many = numpy.array([Counted() for _ in range(900)])
for name, array in (("in a row", many), ("in rows", many.reshape(30, 30)), ("in one row", many.reshape(1, 900))):
    Counted.written = 0
    line = get_line(array)
    tap.check(f"{name}: no more are written than the line holds", line.endswith("…") and Counted.written < 200,
              f"{Counted.written} of {array.size}: {line}")
# A program that wants all its elements printed does not make the debugger slow.
with numpy.printoptions(threshold=sys.maxsize):
    Counted.written = 0
    get_line(numpy.resize(many, (1000, 300)))
    tap.check("also with numpy's threshold high", Counted.written < 400, Counted.written)
    line = get_line(numpy.arange(9000), pddt_values.LIMIT_TEXT)
    tap.check("alone it shows its end", "..." in line and line.endswith("8999])"), line[-40:])
tap.end()
