# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of a rank as gdb's Python has them. Reads remember from which word of an earlier read their address came."""
import bisect
import operator
import struct

from pddt_types import (CODE_ARRAY, CODE_BOOL, CODE_CHAR, CODE_ENUM, CODE_FLT, CODE_FUNC, CODE_INT, CODE_PTR, CODE_REF,
                        CODE_RVALUE_REF, CODE_STRUCT, CODE_TYPEDEF, CODE_UNION, Field, MemoryError, Question, Type, ask, error,
                        lookup_type)

PAGE = 4096
MAX_AHEAD = 48           # pages that are fetched with one that is needed
MAX_READ = 1 << 24       # bytes of all reads of one value
MAX_STRING = 1 << 20


class Address(int):
    """origin: (number of a read, offset in it) of the word that it was counted from; None: none."""
    def __new__(cls, value, origin=None, word=None):
        made = int.__new__(cls, value & 0xffffffffffffffff)
        made.origin, made.word = origin, made if word is None else word
        return made

    def moved(self, delta):
        return Address(int(self) + delta, self.origin, self.word)


class Memory:
    """What was fetched of one rank, and the reads of the value that is shown."""

    def __init__(self, rank):
        self.rank, self.pages, self.hints, self.reads, self.n_bytes = rank, {}, [], [], 0
        self.checks = []  # what came of words that are pointers, beside reads
        self.pointers = set()  # numbers of reads of pointers: they matter where they are followed, compared or shown

    def show(self, address):
        """Its number matters."""
        if address.origin is not None:
            self.checks.append(("s", address))

    def trace(self):
        """For other ranks; None: the object's own place matters."""
        steps = []
        for number, (address, data) in enumerate(self.reads):
            if address.origin is None:
                steps.append(f"a {int(address)} {len(data)}")
            else:
                steps.append(f"r {word_of(address)} {len(data)}")
            if number in self.pointers:
                steps.append("p")
        for kind, *words in self.checks:
            if kind == "s" and words[0].origin[0] < 0:
                return None
            if any(word.origin is None for word in words):
                if kind == "d" or len(words) == 1:
                    continue
                return None
            steps.append(f"{kind} " + " ".join(map(word_of, words)))
        return ";".join(steps)

    def fetch(self, page, last):
        wanted = list(range(page, last + PAGE, PAGE))[:256]
        near = page >> 24
        for word in self.hints:
            if len(wanted) >= MAX_AHEAD:
                break
            at = word & -PAGE
            if at not in self.pages and at not in wanted:
                wanted.append(at)
        self.hints.clear()
        ranks, Question.ranks = Question.ranks, str(self.rank)
        try:
            _, sizes, data = ask("memory " + " ".join(f"{at:x} {PAGE:x}" for at in wanted))[0]
        finally:
            Question.ranks = ranks
        start = 0
        for at, size in zip(wanted, map(int, sizes.split())):
            self.pages[at] = data[start:start + size]
            for word in struct.unpack_from(f"{size // 8}Q", data, start):
                if word >> 24 == near and word & -PAGE not in self.pages:
                    self.hints.append(word)
            start += size

    def read(self, address, size):
        """The bytes, and the number of the read."""
        at, end = int(address), int(address) + size
        known = self.pages.get(at & -PAGE)
        offset = at & (PAGE - 1)
        self.n_bytes += size
        if known is not None and offset + size <= len(known) and self.n_bytes <= MAX_READ:
            data = known[offset:offset + size]
            self.reads.append((address, data))
            return data, len(self.reads) - 1
        if size > MAX_READ or self.n_bytes > MAX_READ:
            raise error("a printer has read more than 16 MB")
        parts = []
        while at < end:
            page = at & -PAGE
            if page not in self.pages:
                self.fetch(page, min((end - 1) & -PAGE, page + 255 * PAGE))
            part = self.pages[page][at - page:end - page]
            if not part:
                raise MemoryError(f"Cannot access memory at address {at:#x}")
            parts.append(part)
            at += len(part)
            if at < end and at & (PAGE - 1):
                raise MemoryError(f"Cannot access memory at address {at:#x}")
        data = b"".join(parts)
        self.reads.append((address, data))
        return data, len(self.reads) - 1


def word_of(address):
    return f"{address.origin[0]} {address.origin[1]} {int(address) - int(address.word)}"


class Current:
    memory = None
    is_asked = False  # what was read beside memory is of this rank alone


FLOATS = {2: "e", 4: "f", 8: "d"}
NUMBERS = int, float


def read_long_double(data):
    mantissa, sign = struct.unpack("<QH", data[:10])
    exponent = sign & 0x7fff
    if exponent == 0x7fff:
        return float("nan") if mantissa << 1 & 0xffffffffffffffff else float("-inf" if sign >> 15 else "inf")
    try:
        found = float(mantissa) * 2.0 ** (exponent - 16383 - 63)
    except OverflowError:
        found = float("inf")
    return -found if sign >> 15 else found


class Value:
    """As gdb.Value. Where it is in memory it is read when it is needed."""

    def __init__(self, what, type=None):
        self._memory, self._address, self._data, self._bits, self._origin, self._known = Current.memory, None, None, None, None, None
        if type is not None:
            self._type, self._data = type, bytes(what)[:type.sizeof]
        elif isinstance(what, Value):
            self.__dict__.update(what.__dict__)
        elif isinstance(what, bool):
            self._set_number(int(what), Type(CODE_BOOL, name="bool", size=1))
        elif isinstance(what, int):
            self._set_number(what, LONG if -1 << 63 <= what < 1 << 63 else UNSIGNED_LONG)
            self._known = what
        elif isinstance(what, float):
            self._type, self._data = DOUBLE, struct.pack("<d", what)
        elif isinstance(what, str):
            data = what.encode() + b"\0"
            self._type, self._data = CHAR.array(len(data) - 1), data
        else:
            raise TypeError(f"Could not convert Python object: {what!r}.")

    @classmethod
    def _at(cls, kind, address, memory=None, bits=None):
        made = cls.__new__(cls)
        made._type, made._address, made._memory = kind, address if isinstance(address, Address) else Address(address), memory or Current.memory
        made._data, made._bits, made._origin, made._known = None, bits, None, None
        return made

    @classmethod
    def _of_number(cls, number, kind, address=None):
        made = cls.__new__(cls)
        made._memory, made._address, made._bits, made._origin, made._known = Current.memory, None, None, address, None
        made._set_number(number, kind)
        return made

    def _set_number(self, number, kind):
        size = kind.sizeof or 8
        self._type, self._data = kind, (int(number) & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    # ---- what it holds ----

    def _load(self):
        if self._data is None:
            self._data, self._number = self._memory.read(self._address, self._type.sizeof if self._bits is None else self._bits[2])
            if self._type._plain.code == CODE_PTR:
                self._memory.pointers.add(self._number)
        return self._data

    def fetch_lazy(self):
        self._load()

    @property
    def is_lazy(self):
        return self._data is None

    is_optimized_out = False

    @property
    def type(self):
        return self._type

    @property
    def _plain(self):
        return self._type._plain

    def _integer(self):
        kind = self._type._plain
        data = self._data if self._data is not None else self._load()
        if self._bits is not None:
            shift, size, _ = self._bits
            number = int.from_bytes(data, "little") >> shift & ((1 << size) - 1)
            return number - (1 << size) if kind.is_signed and kind.code == CODE_INT and number >> (size - 1) else number
        return int.from_bytes(data, "little", signed=kind._has_sign)

    def _pointer(self):
        """The address that it holds."""
        if self._origin is not None:
            return self._origin
        if self._plain.code == CODE_ARRAY:
            if self._address is None:
                raise error("Attempt to take address of value not located in memory.")
            return self._address
        number = self._integer()
        if self._address is None:
            return Address(number)
        return Address(number, (self._number, 0))

    def _follow(self):
        """What a reference refers to; else itself."""
        kind = self._type._plain
        return Value._at(kind.target(), self._pointer(), self._memory) if kind._is_reference else self

    @property
    def address(self):
        if self._address is None or self._bits is not None:
            return None
        if self._plain.code in (CODE_REF, CODE_RVALUE_REF):
            return self._follow().address
        return Value._of_number(self._address, self._type.pointer(), self._address)

    @property
    def dynamic_type(self):
        kind = self._plain
        if kind.code in (CODE_PTR, CODE_REF, CODE_RVALUE_REF):
            target = kind.target().strip_typedefs()
            if target.code != CODE_STRUCT or not int(self._pointer()):
                return self._type
            found = Value._at(target, self._pointer(), self._memory).dynamic_type
            return self._type if found == target else found.pointer() if kind.code == CODE_PTR else found.reference()
        if kind.code != CODE_STRUCT or kind._made is not None or not kind._entry.flags & 4 or self._address is None:
            return self._type
        table = struct.unpack("<Q", self._memory.read(self._address, 8)[0])[0]
        name = symbol_of(table, self._memory.rank) or ""
        if name.startswith("vtable for "):
            try:
                return lookup_type(name[len("vtable for "):].rpartition("+")[0].strip() or name)
            except error:
                pass
        return self._type

    # ---- parts ----

    def _find(self, kind, name):
        """(path of fields) to a member of that name, also in bases and unnamed members."""
        fields = kind.fields()
        for field in fields:
            if field.name == name:
                return [field]
        for field in fields:
            if (field.is_base_class or field.name is None) and field.type.strip_typedefs().code in (CODE_STRUCT, CODE_UNION):
                path = self._find(field.type.strip_typedefs(), name)
                if path:
                    return [field, *path]
        return None

    def _member(self, field):
        flags = getattr(field, "_flags", 0)
        if flags & 2:
            return Value._at(field.type, field._place + field.parent_type._file.bias, self._memory)
        if flags & 4:
            return Value._of_number(field._place, field.type)
        offset = field.bitpos // 8
        if flags & 8:
            table, number = self._memory.read(self._address, 8)
            at = Address(struct.unpack("<Q", table)[0], (number, 0)).moved(field._place)
            offset = struct.unpack("<q", self._memory.read(at, 8)[0])[0]
        bits = None
        if field.bitsize:
            size = (field.bitpos % 8 + field.bitsize + 7) // 8
            bits = (field.bitpos % 8, field.bitsize, size)
        if self._address is not None:
            return Value._at(field.type, self._address.moved(offset), self._memory, bits)
        made = Value._at(field.type, 0, self._memory, bits)
        made._address, made._data = None, self._load()[offset:offset + (bits[2] if bits else field.type.sizeof)]
        return made

    def __getitem__(self, key):
        value = self._follow()
        kind = value._plain
        if isinstance(key, (str, Field)):
            if kind.code == CODE_PTR:
                value = value.dereference()
                kind = value._plain
            if isinstance(key, Field):
                return value._member(key)
            if kind.code not in (CODE_STRUCT, CODE_UNION):
                raise error("Attempt to extract a component of a value that is not a structure.")
            path = kind._paths.get(key)
            if path is None:
                path = value._find(kind, key)
                if not path:
                    raise error(f"There is no member named {key}.")
                kind._paths[key] = path
            for field in path:
                value = value._member(field)
            return value
        if kind.code == CODE_ARRAY:
            low, _ = kind.range()
            element = kind.target()
            offset = (int(key) - low) * element.sizeof
            if value._address is not None:
                return Value._at(element, value._address.moved(offset), value._memory)
            return Value(value._load()[offset:offset + element.sizeof], element)
        if kind.code == CODE_PTR:
            return (value + int(key)).dereference()
        raise error("Cannot subscript requested type.")

    def dereference(self):
        value = self._follow()
        kind = value._plain
        if kind.code not in (CODE_PTR, CODE_ARRAY):
            raise error("Attempt to take contents of a non-pointer value.")
        return Value._at(kind.target(), value._pointer(), value._memory)

    def referenced_value(self):
        if self._plain.code in (CODE_REF, CODE_RVALUE_REF):
            return self._follow()
        if self._plain.code == CODE_PTR:
            return self.dereference()
        raise error("Trying to get the referenced value from a value which is neither a pointer nor a reference.")

    def reference_value(self):
        return Value._of_number(self._address, self._type.reference(), self._address)

    def _base_path(self, kind, wanted):
        for field in kind.fields():
            if field.is_base_class:
                if field.type.strip_typedefs().unqualified() == wanted:
                    return [field]
                path = self._base_path(field.type.strip_typedefs(), wanted)
                if path:
                    return [field, *path]
        return None

    def cast(self, kind):
        value = self._follow() if kind.strip_typedefs().code not in (CODE_REF, CODE_RVALUE_REF) else self
        to, own = kind.strip_typedefs(), value._plain
        if to.code in (CODE_REF, CODE_RVALUE_REF):
            at = value._follow()._address
            return Value._of_number(at, kind, at)
        if to.code == CODE_PTR and own.code in (CODE_PTR, CODE_ARRAY):
            return value._cast_pointer(kind, to, own)
        if to.code in (CODE_STRUCT, CODE_UNION):
            path = value._base_path(own, to.unqualified()) if own.code == CODE_STRUCT else None
            for field in path or ():
                value = value._member(field)
            return value if path else value._as(kind)
        if own.code in (CODE_STRUCT, CODE_UNION):
            return value._as(kind)
        if to.code == CODE_FLT:
            return Value(value._pack_float(float(value), to.sizeof), kind)
        if to.code in (CODE_INT, CODE_CHAR, CODE_ENUM, CODE_PTR):
            return Value._of_number(int(value), kind)
        if to.code == CODE_BOOL:
            return Value._of_number(bool(value), kind)
        return value._as(kind)

    def _cast_pointer(self, kind, to, own):
        at, wanted = self._pointer(), to.target().strip_typedefs().unqualified()
        here = own.target().strip_typedefs().unqualified()
        if here.code == CODE_STRUCT == wanted.code and int(at) and here != wanted:
            down = self._base_path(here, wanted)
            if down:
                part = Value._at(here, at, self._memory)
                for field in down:
                    part = part._member(field)
                at = part._address
            else:
                up = self._base_path(wanted, here) or ()
                at = at.moved(-sum(field.bitpos // 8 for field in up))
        return Value._of_number(at, kind, at)

    def _as(self, kind):
        if self._address is not None:
            return Value._at(kind, self._address, self._memory)
        return Value(self._load(), kind)

    def reinterpret_cast(self, kind):
        return self.cast(kind)

    def dynamic_cast(self, kind):
        return self.cast(kind)

    @staticmethod
    def _pack_float(number, size):
        return struct.pack("<" + FLOATS.get(size, "d"), number)

    def __call__(self, *_):
        raise error("a printer does not call functions of the program")

    # ---- texts ----

    def _text_bytes(self, length):
        value = self._follow()
        kind = value._plain
        unit = kind.target().strip_typedefs().sizeof if kind.code in (CODE_PTR, CODE_ARRAY) else 1
        if kind.code == CODE_ARRAY and value._address is None:
            data = value._load()
        else:
            at = value._pointer()
            if length < 0 and kind.code == CODE_ARRAY:
                low, high = kind.range()
                limit = (high - low + 1) * unit
            else:
                limit = length * unit if length >= 0 else MAX_STRING
            data = value._memory.read(at, limit)[0] if length >= 0 else read_text(value._memory, at, unit, limit)
        if length >= 0:
            return data[:length * unit], unit
        for i in range(0, len(data), unit):
            if not any(data[i:i + unit]):
                return data[:i], unit
        return data, unit

    def string(self, encoding="", errors="strict", length=-1):
        data, unit = self._text_bytes(-1 if length is None else length)
        return data.decode(encoding or {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}.get(unit, "utf-8"), errors or "strict")

    def lazy_string(self, encoding="", length=-1):
        return LazyString(self, encoding, -1 if length is None else length)

    def format_string(self, **options):
        from pddt_format import Format, Watch
        return Format(**{"format": Watch.letter, **options}).top(self)

    def __str__(self):
        from pddt_format import Format, Watch
        return Format(format=Watch.letter).value(self)

    def __repr__(self):
        return f"<gdb.Value {self._type}>"

    # ---- arithmetic ----

    def __int__(self):
        if self._known is None or self._known.__class__ is not int:
            return self._find_int()
        return self._known

    def _find_int(self):
        value = self._follow()
        code = value._type._plain.code
        if code in (CODE_PTR, CODE_ARRAY):
            value._memory and value._memory.show(value._pointer())
            return int(value._pointer())
        if code == CODE_FLT:
            return int(float(value))
        if code in (CODE_STRUCT, CODE_UNION):
            raise error("Cannot convert value to long.")
        return value._integer()

    __index__ = __int__
    __long__ = __int__

    def __float__(self):
        value = self._follow()
        kind = value._plain
        if kind.code == CODE_FLT:
            data = value._load()
            return read_long_double(data) if len(data) > 8 else struct.unpack("<" + FLOATS[len(data)], data)[0]
        return float(int(value))

    def __bool__(self):
        value = self._follow()
        code = value._plain.code
        if code in (CODE_STRUCT, CODE_UNION):
            return True
        if code == CODE_PTR:
            return not value._is_null()
        return float(value) != 0 if code == CODE_FLT else int(value) != 0

    def _check(self, kind, *addresses):
        if self._memory is not None:
            self._memory.checks.append((kind, *addresses))

    def _is_null(self):
        at = self._pointer()
        if at.origin is not None:
            self._check("z", at)
        return not at

    def __hash__(self):
        return id(self)

    def __len__(self):
        return len(self._plain.fields())

    def _number(self):
        value = self._follow()
        return float(value) if value._plain.code == CODE_FLT else int(value)

    def _calculate(self, other, act):
        value = self._follow()
        kind = value._type._plain
        other = other if isinstance(other, Value) else Value(other)
        other = other._follow()
        if kind.code in (CODE_PTR, CODE_ARRAY) and act in (operator.add, operator.sub):
            size = kind.target().sizeof or 1
            if other._type._plain.code in (CODE_PTR, CODE_ARRAY):
                left, right = value._pointer(), other._pointer()
                if left.origin is None or right.origin is None:
                    int(value), int(other)  # their numbers matter
                else:
                    value._check("d", left, right)
                return Value._of_number((int(left) - int(right)) // size, LONG)
            at = value._pointer().moved(act(0, int(other)) * size)
            return Value._of_number(at, value._type if kind.code == CODE_PTR else kind.target().pointer(), at)
        if other._type._plain.code == CODE_PTR and act is operator.add:
            return other._calculate(value, act)
        left, right = number_of(value), number_of(other)
        if isinstance(left, float) or isinstance(right, float):
            return Value(float(act(left, right)))
        if act is operator.truediv:
            if not right:
                raise error("Division by zero")
            found = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        elif act is operator.mod:
            found = abs(left) % abs(right) * (1 if left >= 0 else -1)
        else:
            found = act(left, right)
        wide, kind = value._type._plain, other._type._plain
        if kind is not wide and (kind.sizeof, not kind.is_signed) > (wide.sizeof, not wide.is_signed):
            wide = kind
        return Value._of_number(found, wide if wide.sizeof >= 4 and wide.code == CODE_INT else INT)

    def __add__(self, other): return self._calculate(other, operator.add)
    def __sub__(self, other): return self._calculate(other, operator.sub)
    def __mul__(self, other): return self._calculate(other, operator.mul)
    def __truediv__(self, other): return self._calculate(other, operator.truediv)
    def __floordiv__(self, other): return self._calculate(other, operator.truediv)
    def __mod__(self, other): return self._calculate(other, operator.mod)
    def __and__(self, other): return self._calculate(other, operator.and_)
    def __or__(self, other): return self._calculate(other, operator.or_)
    def __xor__(self, other): return self._calculate(other, operator.xor)
    def __lshift__(self, other): return self._calculate(other, operator.lshift)
    def __rshift__(self, other): return self._calculate(other, operator.rshift)
    def __pow__(self, other): return self._calculate(other, operator.pow)
    def __radd__(self, other): return Value(other) + self
    def __rsub__(self, other): return Value(other) - self
    def __rmul__(self, other): return Value(other) * self
    def __rtruediv__(self, other): return Value(other) / self
    def __rand__(self, other): return Value(other) & self
    def __ror__(self, other): return Value(other) | self
    def __neg__(self): return Value(0) - self
    def __pos__(self): return self
    def __abs__(self): return self if number_of(self) >= 0 else -self
    def __invert__(self): return Value._of_number(~int(self), self._type)

    def _compare(self, other, act):
        known = other._known if other.__class__ is Value else other
        if self._known is not None and known.__class__ in NUMBERS:
            return act(self._known, known)
        if other is None:
            return act is operator.ne
        value = self._follow()
        if value._type._plain.code == CODE_PTR:
            if act in (operator.eq, operator.ne) and not isinstance(other, Value) and not other:
                return act(value._is_null(), True)
            if isinstance(other, Value) and other._follow()._type._plain.code == CODE_PTR:
                left, right = value._pointer(), other._follow()._pointer()
                if left.origin is not None and right.origin is not None:
                    value._check("e" if act in (operator.eq, operator.ne) else "d", left, right)
                    return act(int(left), int(right))
        return act(number_of(value), number_of(other))

    def __eq__(self, other): return self._compare(other, operator.eq)
    def __ne__(self, other): return self._compare(other, operator.ne)
    def __lt__(self, other): return self._compare(other, operator.lt)
    def __le__(self, other): return self._compare(other, operator.le)
    def __gt__(self, other): return self._compare(other, operator.gt)
    def __ge__(self, other): return self._compare(other, operator.ge)


def number_of(what):
    """Once: values stay as they were read."""
    if what.__class__ is not Value:
        return what
    if what._known is None:
        value = what._follow()
        what._known = float(value) if value._type._plain.code == CODE_FLT else value._find_int()
    return what._known


def read_text(memory, at, unit, limit):
    """Up to the zero that ends it."""
    data, step = b"", 64
    while len(data) < limit:
        size = min(step, limit - len(data), PAGE - (int(at) + len(data)) % PAGE)
        data += memory.read(at.moved(len(data)), size)[0]
        if any(not any(data[i:i + unit]) for i in range(max(0, len(data) - size) // unit * unit, len(data), unit)):
            return data
        step = 512
    return data


symbols = {}


def symbol_of(address, rank):
    """"NAME+OFFSET" of what lies there, as print has it; None."""
    key = (rank, int(address))
    if key not in symbols:
        ranks, Question.ranks = Question.ranks, str(rank)
        try:
            _, _, data = ask(f"print (void *) {int(address):#x}")[0]
            _, mark, name = data.decode("utf-8", "replace").partition(" <")
            symbols[key] = name[:-1] if mark and name.endswith(">") else None
        except error:
            symbols[key] = None
        finally:
            Question.ranks = ranks
    return symbols[key]


class LazyString:
    """A text that is read when it is shown."""

    def __init__(self, value, encoding, length):
        self._value, self.encoding, self.length, self.type = value, encoding, length, value.type

    @property
    def address(self):
        return int(self._value._pointer())

    def value(self):
        return self._value


LONG = Type(CODE_INT, name="long", size=8)
UNSIGNED_LONG = Type(CODE_INT, name="unsigned long", size=8, signed=False)
INT = Type(CODE_INT, name="int", size=4)
DOUBLE = Type(CODE_FLT, name="double", size=8)
CHAR = Type(CODE_INT, name="char", size=1)
