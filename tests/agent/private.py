# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that are private to classes, methods, and types of numpy where that is installed.
Prints the values of its expressions, then waits in a method."""
import collections
import os
import sys

try:
    import numpy
except ImportError:
    numpy = None


class _Base:
    def __init__(self):
        self.__held = 41
        self.__list = [1, 2]

    def wait(self, argument):
        ring = collections.deque([1, 2, 3], maxlen=5)
        text, numbers = "abc", list(range(20))
        namesakes = [kind() for kind in NAMESAKES]
        if numpy is not None:
            wide, narrow = numpy.longlong(-5), numpy.ulonglong(7)
            raw = numpy.void(b"ab")
            record = numpy.rec.array([(1, 2.5)], dtype=[("x", "i4"), ("y", "f8")])
            row = record[0]
            masked = numpy.ma.masked_array([1, 2, 3], mask=[0, 1, 0])
            own = numpy.arange(6.0).reshape(2, 3).view(Own)
            own.info = "mine"
            matrix = numpy.matrix([[1, 2], [3, 4]])
            del record

        def add(__more):
            return self.__held + __more     # @ add
        add(44)
        for expression in EXPRESSIONS + (ARRAYS if numpy is not None else []):
            print(expression, repr(eval(expression.replace("self.__", "self._Base__"))), sep="\t")
        print("numpy" if numpy is not None else "plain", flush=True)
        os.read(0, 1)                   # @ wait


class Derived(_Base):
    pass


# Classes of the program that have the names of others.
NAMESAKES = [type(name, (), {"held": name, "__repr__": lambda self: "my " + self.held})
             for name in ("float", "set", "NoneType", "array", "deque", "range", "list")]

if numpy is not None:
    class Own(numpy.ndarray):
        pass

EXPRESSIONS = ["self.__held", "self.__held + self.__list[1]", "text.upper()", "'x'.join(['a', 'b'])",
               "ring.maxlen", "ring[1]", "self.wait.__name__", "numbers.index(7)", "(3).bit_length()",
               "namesakes[0].held", "namesakes[6].held"]
ARRAYS = ["own.shape", "own.info", "matrix.shape", "matrix[0].tolist()", "masked.shape", "int(wide)", "row['x'].item()"]


class Outer:
    class Inner:
        __kept = 43
        Derived().wait(3)


sys.exit(0)
