# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what Python itself makes of many expressions in a frame, then blocks in that frame.

Each line of the report is "EXPRESSION<tab>TEXT"; TEXT is repr's unless the line says otherwise.
numpy is used where it is installed."""
import array
import collections
import ctypes
import dataclasses
import datetime
import enum
import os
import sys

try:
    import numpy
except ImportError:
    numpy = None

level = 7
late = "the module's"
table = {"one": 1, (1, 2): "pair", 3: [4, 5], None: 0, 2.5: "half"}


class Color(enum.Enum):
    RED = 1
    GREEN = "g"


class Level(enum.IntEnum):
    LOW = 1


@dataclasses.dataclass
class Point:
    x: int
    y: float = 2.5
    tags: list = dataclasses.field(default_factory=list)


Pair = collections.namedtuple("Pair", "left right")


class Base:
    kind = "base"
    __slots__ = ("slot",)


class Slotted(Base):
    __slots__ = ("other", "unbound")

    def __init__(self):
        self.slot = 1
        self.other = [2]


class Plain:
    kind = "plain"

    def __init__(self, value):
        self.value = value
        self.name = "p"
        self.items = [Point(1), Point(2, 0.5)]

    @property
    def computed(self):
        return 1

    @staticmethod
    def static():
        return 2

    def method(self):
        return 3


class Derived(Plain):
    extra = 5


class Computes:
    def __getattr__(self, name):
        return 1

    def __getitem__(self, index):
        return 1

    def __eq__(self, other):
        return True

    def __len__(self):
        return 3

    def __bool__(self):
        return False


class Str(str):
    pass


class Returning(collections.defaultdict):
    """Leads back to itself through what makes its values."""

    def make(self):
        return self


class Structure(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_double), ("flag", ctypes.c_uint, 3),
                ("rest", ctypes.c_uint, 5), ("name", ctypes.c_char * 4),
                ("inner", ctypes.c_short * 3)]


EXPRESSIONS = """
integer
-big
huge
huge - huge % 1000
zero
yes
not yes
nothing
ratio
whole
tiny
large
1e22
-0.0
infinite
z
z.imag
word
quotes
both
wide
emoji
control
surrogate
legacy
raw
mutable
few
many[99]
many[-1]
many[2:6]
many[::-30]
many[95:]
pair
pair[0] + 1
nested[0][1]
single
empty
mapping
mapping["b"][1]
table["one"]
table[(1, 2)]
table[1 + 2][-1]
table[None]
table[2.5]
keys
frozen
len(many)
len(mapping)
len(word)
len(numbers)
span
span[3]
span[-1]
len(span)
span.step
part
queue
queue[-1]
queue[70]
len(queue)
bounded
default
default["k"]
ordered
numbers
numbers[1]
view[0]
Color.RED
Level.LOW
color
color is Color.RED
point
point.x + point.y
point.tags
couple
couple.left
plain.value
plain.items[1].y
plain.items[0].x * 10
plain.kind
derived.extra
derived.kind
type(plain).kind
slotted.slot
slotted.other[0]
slotted.kind
word[0]
word[-2:]
wide[1]
word + "!"
"or" in word
"x" in word
3 in few
9 in few
9 not in few
"a" in mapping
"zz" in mapping
4 in keys
few == [1, 2, 3]
few == (1, 2, 3)
few < [1, 2, 4]
pair == (1, "two")
word == "word"
word != "other"
word < "x"
integer > 41 and ratio < 0.2
integer > 41 and ratio > 0.2
nothing is None
nothing is not None
nothing or 5
zero or few
few and zero
zero and few[100]
1 < integer < 100
1 < integer < 10
integer // 5
-integer // 5
-integer % 5
integer / 4
integer ** 2
2 ** -1
integer << 3
integer >> 1
integer & 6 | 1
integer ^ 5
~integer
-integer
+ratio
ratio * 3
7.5 // 2
-7.5 % 2
abs(-integer)
int(7.9)
float(integer)
bool(few)
bool(empty)
isinstance(plain, Plain)
isinstance(derived, Plain)
isinstance(point, Plain)
integer if yes else nothing
(1, integer)
[integer, word]
integer, 2
0x1F + 0b11 + 0o17 + 1_000
'\\n\\x41\\u00e9'
r"\\n"
b"\\x00a"
captured
level
moment
day
clock
delta
delta_zero
numeric
numeric.value
block[2]
structure.x
structure.y
structure.flag
structure.rest
structure.inner[1]
error
error.args[0]
errors
...
NotImplemented
""".strip().split("\n")

NUMPY_EXPRESSIONS = """
grid.shape
grid.ndim
grid.size
grid.nbytes
grid[1, 2] == 6
grid[-1][-1] > 14
grid[1][1:3].shape
grid[::2, 1].shape
grid[..., 0].shape
grid[1:, ::-1].shape
grid.T.shape
len(grid)
ints[0]
ints[1] + 1
int(scalar)
small > 200
flag and True
grid[1, 2] - 5.5
structured["n"][1]
structured[1]["n"]
objects[1]
texts[0]
counts[3]
zero_d > 2
""".strip().split("\n")


def work(integer, unset):
    big = 12345678901234567890
    huge = 7 ** 40
    zero, yes, nothing = 0, True, None
    ratio, whole, tiny, large, infinite = 0.1, 2.0, 1.5e-10, 1e16, float("-inf")
    z = 1.5 - 2j
    word, quotes, both = "word", "it's", "it's \"both\""
    wide, emoji, control, surrogate = "日本", "a😀", "\x00\x7f\x85\t", "a\udc80"
    legacy, raw, mutable = Str("legacy"), b"\x00'\xff", bytearray(b"ab")
    few, many, pair, nested = [1, 2, 3], list(range(100)), (1, "two"), [[1, [2]], ()]
    single, empty = (1,), ()
    mapping = {"a": 1, "b": [2, 3]}
    keys, frozen = {4}, frozenset([5])
    span, part = range(0, 30, 3), slice(1, None, 2)
    queue, bounded = collections.deque(range(5)), collections.deque([1], maxlen=3)
    for n in range(5, 200):
        queue.append(n)
    for _ in range(100):
        queue.popleft()
    default = collections.defaultdict(list, k=[1])
    ordered = collections.OrderedDict([("a", 1), ("b", 2)])
    ordered.move_to_end("a")
    numbers = array.array("d", [1.0, 2.5])
    view = memoryview(b"abc")
    color, point, couple = Color.GREEN, Point(1), Pair(1, "r")
    plain, derived, slotted, computes = Plain([1]), Derived(2), Slotted(), Computes()
    moment = datetime.datetime(2026, 2, 3, 4, 5, 6, 7)
    day, clock = datetime.date(1999, 12, 31), datetime.time(1, 2)
    delta, delta_zero = datetime.timedelta(1, 2, 3), datetime.timedelta()
    numeric, block = ctypes.c_int(-5), (ctypes.c_int * 4)(4, 3, 2, 1)
    structure = Structure(1, 2.5, 5, 9, b"ab", (7, 8, 9))
    returning, own = Returning(), []
    returning.default_factory = returning.make
    own.append(own)
    own.append({"own": own})
    if numpy is not None:
        holder = numpy.empty(1, dtype=object)
        holder[0] = holder
    error, errors = ValueError("bad"), KeyError("k", 2)
    captured = "cell"
    if unset:
        absent = 1
    if numpy is not None:
        grid = numpy.arange(16.0).reshape(4, 4)
        ints = numpy.arange(3, dtype=">i4")[::-1]
        scalar, small, flag = numpy.float32(2.5), numpy.uint8(201), numpy.bool_(True)
        structured = numpy.zeros(3, dtype=[("n", "i8"), ("x", "f4", 2), ("s", "S3")])
        structured["n"] = [5, 6, 7]
        objects = numpy.array([1, "two", None], dtype=object)
        texts, counts = numpy.array(["ab", "c"]), numpy.arange(5, dtype="u2")
        zero_d = numpy.array(2.5)

    def closure():
        return captured

    for text in EXPRESSIONS + (NUMPY_EXPRESSIONS if numpy is not None else []):
        report(text, eval(text, globals(), dict(locals())))
    sys.stdout.write("end\n")
    sys.stdout.flush(); os.read(0, 1)
    late = 1
    return closure, late


def report(text, value):
    shown = repr(value)
    if type(value).__name__ == "OrderedDict":
        shown = "OrderedDict(%r)" % dict(value)
    elif numpy is not None and isinstance(value, numpy.generic):
        shown = repr(value.item())
    elif isinstance(value, enum.Enum):
        shown = "<%s.%s: %r>" % (type(value).__name__, value.name, value.value)
    elif len(shown) > 60 and hasattr(value, "__len__") and not isinstance(value, tuple):
        shown = "*"
    sys.stdout.write(text + "\t" + shown.encode("ascii", "backslashreplace").decode() + "\n")


work(42, False)
