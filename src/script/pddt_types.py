# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of a program as gdb's Python has them, from what pddt-symbols says (src/symbol/typed.h)."""
import functools
import re

from pddt_port import OBJECT, port

(CODE_BITSTRING, CODE_PTR, CODE_ARRAY, CODE_STRUCT, CODE_UNION, CODE_ENUM, CODE_FLAGS, CODE_FUNC, CODE_INT, CODE_FLT, CODE_VOID,
 CODE_SET, CODE_RANGE, CODE_STRING, CODE_ERROR, CODE_METHOD, CODE_METHODPTR, CODE_MEMBERPTR, CODE_REF, CODE_RVALUE_REF, CODE_CHAR,
 CODE_BOOL, CODE_COMPLEX, CODE_TYPEDEF, CODE_NAMESPACE, CODE_DECFLOAT) = (-1, *range(1, 26))

# DWARF's numbers
TAG_ARRAY, TAG_CLASS, TAG_ENUM, TAG_POINTER, TAG_REFERENCE, TAG_STRUCT, TAG_SUBROUTINE = 0x1, 0x2, 0x4, 0xf, 0x10, 0x13, 0x15
TAG_TYPEDEF, TAG_UNION, TAG_MEMBERPTR, TAG_SUBRANGE, TAG_BASE, TAG_CONST, TAG_VOLATILE = 0x16, 0x17, 0x1f, 0x21, 0x24, 0x26, 0x35
TAG_RVALUE, TAG_RESTRICT, TAG_ATOMIC = 0x42, 0x37, 0x47
CODES = {TAG_ARRAY: CODE_ARRAY, TAG_CLASS: CODE_STRUCT, TAG_ENUM: CODE_ENUM, TAG_POINTER: CODE_PTR, TAG_REFERENCE: CODE_REF,
         TAG_STRUCT: CODE_STRUCT, TAG_SUBROUTINE: CODE_FUNC, 0x2e: CODE_FUNC, TAG_TYPEDEF: CODE_TYPEDEF, TAG_UNION: CODE_UNION,
         TAG_MEMBERPTR: CODE_MEMBERPTR, TAG_SUBRANGE: CODE_RANGE, TAG_RVALUE: CODE_RVALUE_REF}
ENCODINGS = {2: CODE_BOOL, 3: CODE_COMPLEX, 4: CODE_FLT, 5: CODE_INT, 6: CODE_INT, 7: CODE_INT, 8: CODE_INT, 16: CODE_CHAR}


# as gdb writes C++'s types, and as compilers do
SHORTER = {"long long unsigned int": "unsigned long long", "long unsigned int": "unsigned long", "short unsigned int": "unsigned short",
           "long long int": "long long", "long int": "long", "short int": "short"}
LONGER = {short: long for long, short in SHORTER.items()}


def canonical(name, names=SHORTER):
    if "int" not in name and "long" not in name and "short" not in name:
        return name
    return re.sub(r"\b(?:" + "|".join(sorted(names, key=len, reverse=True)) + r")\b", lambda found: names[found[0]], name)


WORDS = {CODE_STRUCT: "struct ", CODE_UNION: "union ", CODE_ENUM: "enum "}


class error(RuntimeError):
    """What gdb.error is: something that could not be done."""


class MemoryError(error):
    pass


class Entry:
    """What is known of one type's entry."""
    __slots__ = ("tag", "size", "encoding", "target", "flags", "name", "fields", "arguments", "enumerators", "ranges", "parameters", "pack")

    def __init__(self, words):
        self.tag, self.size, self.encoding, self.target, self.flags = map(int, words[2:7])
        self.name = (canonical(words[7]) if self.flags & 8 else words[7]) or None
        self.fields, self.arguments, self.enumerators, self.ranges, self.parameters, self.pack = [], [], [], [], [], []


class File:
    """A file of the program with its entries; bias: where it lies."""
    known = {}

    def __init__(self, path):
        self.path, self.bias, self.entries, self.types = path, 0, {}, {}

    @classmethod
    def find(cls, path):
        return cls.known.setdefault(path, None) or cls.known.__setitem__(path, cls(path)) or cls.known[path]

    def read(self, text):
        """Returns the words of the line I."""
        asked, entry = None, None
        for line in text.split("\n"):
            words = line.split("\t")
            kind = words[0]
            if kind == "T":
                entry = self.entries.setdefault(int(words[1]), Entry(words))
                if entry.fields or entry.arguments or entry.pack or entry.enumerators or entry.ranges or entry.parameters:
                    entry = Entry(words)  # is known already
            elif kind == "F":
                entry.fields.append((words[5], *map(int, words[1:5])))
            elif kind == "G":
                entry.arguments.append((words[1], *map(int, words[2:])))
            elif kind == "K":
                entry.pack.append((words[1], *map(int, words[2:])))
            elif kind == "E":
                entry.enumerators.append((int(words[1]), words[2]))
            elif kind == "R":
                entry.ranges.append((int(words[1]), int(words[2])))
            elif kind == "P":
                entry.parameters.append(int(words[1]))
            elif kind == "I":
                asked = words[1:]
        return asked

    def entry(self, offset):
        if offset not in self.entries:
            self.read(ask_types(self.path, "at", str(offset))[1])
            if offset not in self.entries:
                raise error(f"cannot read a type of {self.path}")
        return self.entries[offset]

    def type(self, offset):
        """Of an entry; const and volatile are properties of a Type."""
        if offset in self.types:
            return self.types[offset]
        if not offset:
            found = Type(CODE_VOID, name="void", size=1)
        else:
            entry = self.entry(offset)
            if entry.tag in (TAG_CONST, TAG_VOLATILE, TAG_RESTRICT, TAG_ATOMIC):
                inner = self.type(entry.target)
                found = inner.const() if entry.tag == TAG_CONST else inner.volatile() if entry.tag == TAG_VOLATILE else inner
            else:
                found = Type(None, file=self, offset=offset)
        self.types[offset] = found
        return found

    def make(self, words):
        """The type of a SPEC."""
        kind = words[0]
        if kind == "d":
            return self.type(int(words[1]))
        if kind == "p":
            return self.make(words[1:]).pointer()
        if kind == "r":
            return self.make(words[1:]).reference()
        if kind == "c":
            return self.make(words[1:]).const()
        if kind == "a":
            return self.make(words[2:]).array(int(words[1]) - 1)
        code = {"bool": CODE_BOOL, "float": CODE_FLT}.get(words[1], CODE_INT)
        return Type(code, name=words[3], size=int(words[2]), signed=words[1] in ("signed", "char"))


class Question:
    """Which ranks and frame types and values are asked for."""
    ranks = None


def ask_all(what):
    """Groups: (ranks, text, bytes), and failures: (ranks, code, reason)."""
    text, _, data = port.ask(OBJECT, Question.ranks, what)
    found, failed, at, data = [], [], 0, data or b""
    for line in filter(None, (text or "").split("\n")):
        kind, who, words, more = line.split("\t", 3)
        if kind in ("array", "text"):
            found.append((who, words, data[at:at + int(more)]))
            at += int(more)
        else:
            failed.append((who, words, more) if kind == "failure" else (who, "timeout", f"no answer from rank {who}"))
    return found, failed


def ask(what):
    """Groups, as of ask_all."""
    found, failed = ask_all(what)
    problem = failed[0][2] if failed else None
    if not found:
        raise error(problem or "no answer")
    return found


def ask_types(path, what, text):
    """The file and its lines."""
    _, _, data = ask(f"{path}\t{what}\t{text}")[0]
    answer = data.decode("utf-8", "replace")
    if not path:
        head, _, answer = answer.partition("\n")
        _, bias, path = head.split("\t", 2)
        File.find(path).bias = int(bias)
    return File.find(path), answer


def type_of(expression):
    file, answer = ask_types("", "of", expression)
    return file.make(file.read(answer))


named = {}


def lookup_type(name, block=None):
    """The type of that name; gdb.error: there is none."""
    key = (Question.ranks, name)
    if key not in named:
        named[key] = None
        plain = re.sub(r"^(struct|union|enum|class) +", "", name)
        for spelling in dict.fromkeys((plain, canonical(plain, LONGER))):
            try:
                file, answer = ask_types("", "named", spelling)
                named[key] = file.make(file.read(answer))
                break
            except error:
                pass
    if named[key] is None:
        raise error(f"No type named {name}.")
    return named[key]


class Field:
    """name, type, bitpos (none of a static member), bitsize, is_base_class, artificial, enumval."""

    def __init__(self, name, kind, parent, bitsize=0, is_base_class=False, **more):
        self.name, self.type, self.parent_type, self.bitsize, self.is_base_class = name, kind, parent, bitsize, is_base_class
        self.artificial = bool(name) and (name.startswith("_vptr") or name == "this")
        self.__dict__.update(more)


class Type:
    def __init__(self, code, file=None, offset=0, target=None, name=None, size=0, signed=True, bounds=None, const=False, volatile=False):
        self._file, self._offset, self._target, self._name, self._size = file, offset, target, name, size
        self._signed, self._bounds, self._const, self._volatile, self._made = signed, bounds, const, volatile, code
        self._fields, self._paths = None, {}

    # ---- what it is ----

    @functools.cached_property
    def _entry(self):
        return self._file.entry(self._offset)

    def _key(self):
        return self._file and self._file.path, self._offset, self._made, self._target, self._name, self._bounds, self._const, self._volatile

    def __eq__(self, other):
        return isinstance(other, Type) and (self is other or self._key() == other._key()
                                            or (not (self._file and other._file) and str(self) == str(other)))

    def __hash__(self):
        return hash(str(self))

    @functools.cached_property
    def code(self):
        if self._made is not None:
            return self._made
        entry = self._entry
        if entry.tag == TAG_BASE:
            return ENCODINGS.get(entry.encoding, CODE_INT)
        return CODES.get(entry.tag, CODE_ERROR if entry.tag != 0x3b else CODE_VOID)

    @functools.cached_property
    def _is_reference(self):
        return self.code in (CODE_REF, CODE_RVALUE_REF)

    @functools.cached_property
    def name(self):
        return self._name if self._made is not None else self._entry.name

    @property
    def tag(self):
        return self.name if self.code in (CODE_STRUCT, CODE_UNION, CODE_ENUM) else None

    @functools.cached_property
    def sizeof(self):
        code = self.code
        if code in (CODE_PTR, CODE_REF, CODE_RVALUE_REF):
            return 8
        if code == CODE_TYPEDEF:
            return self.target().sizeof
        if code == CODE_ARRAY:
            low, high = self.range()
            return max(0, high - low + 1) * self.target().sizeof
        return self._size if self._made is not None else self._entry.size

    @functools.cached_property
    def _is_character(self):
        """Of one byte; not of bool."""
        if self.code == CODE_CHAR:
            return True
        if self.code != CODE_INT or self.sizeof != 1:
            return False
        return self._entry.encoding in (6, 8, 16) if self._made is None else self.name in ("char", "signed char", "unsigned char")

    @property
    def alignof(self):
        kind = self.strip_typedefs()
        if kind.code == CODE_ARRAY:
            return kind.target().alignof
        if kind.code in (CODE_STRUCT, CODE_UNION):
            return max([field.type.alignof for field in kind.fields() if hasattr(field, "bitpos")], default=1)
        return min(kind.sizeof, 16) or 1

    @property
    def dynamic(self):
        return False

    @property
    def is_scalar(self):
        return self.strip_typedefs().code not in (CODE_STRUCT, CODE_UNION, CODE_ARRAY)

    @functools.cached_property
    def is_signed(self):
        kind = self.strip_typedefs()
        return kind._signed if kind._made is not None else kind._entry.encoding in (5, 6, 13)

    @functools.cached_property
    def _has_sign(self):
        """As the bytes of a number of this type, which has no typedef, are read."""
        if self.code in (CODE_INT, CODE_CHAR):
            return bool(self.is_signed)
        return self.code == CODE_ENUM and any(value < 0 for value, _ in self._entry.enumerators)

    @property
    def objfile(self):
        return None

    @functools.cached_property
    def has_view(self):
        """pddt's daemons show it themselves."""
        return self._made is None and bool(self._entry.flags & 2)

    # ---- other types ----

    def _copy(self, **more):
        words = {"file": self._file, "offset": self._offset, "target": self._target, "name": self._name, "size": self._size,
                 "signed": self._signed, "bounds": self._bounds, "const": self._const, "volatile": self._volatile}
        return Type(self._made, **{**words, **more})

    def const(self):
        return self._copy(const=True)

    def volatile(self):
        return self._copy(volatile=True)

    @functools.cached_property
    def _unqualified(self):
        return self._copy(const=False, volatile=False) if self._const or self._volatile else self

    def unqualified(self):
        return self._unqualified

    @functools.cached_property
    def _to(self):
        return Type(CODE_PTR, target=self)

    def pointer(self):
        return self._to

    def reference(self):
        return Type(CODE_REF, target=self)

    def array(self, first, last=None):
        return Type(CODE_ARRAY, target=self, bounds=(0, first) if last is None else (first, last))

    vector = array

    def target(self):
        return self._aim

    @functools.cached_property
    def _aim(self):
        if self._made is not None:
            if self._target is None:
                raise RuntimeError("Type does not have a target.")
            return self._target
        entry = self._entry
        if entry.tag == TAG_ARRAY and len(entry.ranges) > 1:
            inner = self._file.type(entry.target)
            for bounds in reversed(entry.ranges[1:]):
                inner = Type(CODE_ARRAY, target=inner, bounds=bounds)
            return inner
        if entry.tag in (TAG_STRUCT, TAG_CLASS, TAG_UNION, TAG_BASE):
            raise RuntimeError("Type does not have a target.")
        return self._file.type(entry.target)

    def strip_typedefs(self):
        return self._plain

    @functools.cached_property
    def _plain(self):
        kind, const, volatile = self, self._const, self._volatile
        while kind.code == CODE_TYPEDEF:
            kind = kind.target()
            const, volatile = const or kind._const, volatile or kind._volatile
        return kind if (const, volatile) == (kind._const, kind._volatile) else kind._copy(const=const, volatile=volatile)

    def range(self):
        kind = self.strip_typedefs()
        if kind._bounds is not None:
            return kind._bounds
        if kind.code == CODE_ARRAY:
            return kind._entry.ranges[0] if kind._entry.ranges else (0, -1)
        if kind.code == CODE_ENUM:
            values = [value for value, _ in kind._entry.enumerators]
            return min(values), max(values)
        raise RuntimeError("This type does not have a range.")

    def template_argument(self, number, block=None):
        kind = self.strip_typedefs()
        if kind.code in (CODE_REF, CODE_RVALUE_REF):
            kind = kind.target().strip_typedefs()
        arguments = (kind._entry.arguments or kind._entry.pack) if kind._made is None else []
        if not arguments:
            raise RuntimeError("This type is not a template.")
        if not 0 <= number < len(arguments):
            raise RuntimeError(f"No argument {number} in template.")
        what = arguments[number]
        of = kind._file.type(what[1])
        if what[0] == "T":
            return of
        from pddt_objects import Value
        return Value._of_number(what[2], of)

    # ---- members ----

    def fields(self):
        kind = self.strip_typedefs().unqualified()
        if kind._fields is None:
            kind._fields = kind._make_fields()
        return list(kind._fields)

    def _make_fields(self):
        code = self.code
        if code == CODE_ENUM:
            return [Field(name, None, self, enumval=value, bitpos=value) for value, name in self._entry.enumerators]
        if code == CODE_FUNC:
            return [Field(None, self._file.type(offset), self) for offset in self._entry.parameters]
        if code == CODE_ARRAY:
            return [Field(None, self.target(), self)]
        if code not in (CODE_STRUCT, CODE_UNION):
            raise TypeError("Type is not a structure, union, enum, or function type.")
        found = []
        for name, offset, bitpos, bitsize, flags in self._entry.fields if self._made is None else ():
            more = {} if flags & 6 else {"bitpos": bitpos}
            kind = self._file.type(offset)
            found.append(Field(kind.name if flags & 1 else name or None, kind, self, bitsize, bool(flags & 1),
                               _place=bitpos, _flags=flags, **more))
        return found

    def _composite(self):
        kind = self.strip_typedefs()
        while kind.code in (CODE_PTR, CODE_REF, CODE_RVALUE_REF):
            kind = kind.target().strip_typedefs()
        if kind.code not in (CODE_STRUCT, CODE_UNION, CODE_ENUM, CODE_FUNC):
            raise TypeError("Type is not a structure, union, enum, or function type.")
        return kind

    def items(self):
        return [(field.name, field) for field in self._composite().fields()]

    def keys(self):
        return [name for name, _ in self.items()]

    def values(self):
        return [field for _, field in self.items()]

    def iteritems(self):
        return iter(self.items())

    def iterkeys(self):
        return iter(self.keys())

    def itervalues(self):
        return iter(self.values())

    __iter__ = iterkeys

    def __len__(self):
        return len(self.items())

    def __bool__(self):
        return True

    def __contains__(self, name):
        return name in self.keys()

    has_key = __contains__

    def __getitem__(self, name):
        for known, field in self.items():
            if known == name:
                return field
        raise KeyError(name)

    def get(self, name, otherwise=None):
        return self[name] if name in self else otherwise

    # ---- its name ----

    def _write(self, inner):
        words = ("const " if self._const else "") + ("volatile " if self._volatile else "")
        code = self.code
        if code in (CODE_PTR, CODE_REF, CODE_RVALUE_REF) and not self.name:
            mark = {CODE_PTR: "*", CODE_REF: "&"}.get(code, "&&") + ((" " + words.strip()) if words else "")
            target = self.target()
            mark += inner if not words or not inner else " " + inner
            return target._write(f"({mark})" if target.code in (CODE_ARRAY, CODE_FUNC) and not target.name else mark)
        if code == CODE_ARRAY:
            low, high = self.range()
            return self.target()._write(inner + (f"[{high - low + 1}]" if high >= low else "[]"))
        if code == CODE_FUNC:
            parameters = ", ".join(str(field.type) for field in self.fields()) or "void"
            return self.target()._write(f"{inner}({parameters})")
        name = self.name or {CODE_STRUCT: "{...}", CODE_UNION: "{...}", CODE_ENUM: "{...}"}.get(code, "void")
        if self._made is None and self.name is None and code in (CODE_STRUCT, CODE_UNION, CODE_ENUM):
            name = WORDS[code] + name
        elif self._made is None and code in WORDS and not self._entry.flags & 8:  # of C
            name = WORDS[code] + name
        return words + name + (" " + inner if inner else "")

    def __str__(self):
        return self._write("")

    def __repr__(self):
        return f"<gdb.Type {self}>"
