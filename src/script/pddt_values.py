# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts get: sets of ranks, answers with those who are missing, states, stacks and values, as plain data."""
import base64
import json

from pddt_port import ARRAY, MOMENT, port


class Error(Exception):
    """Something that pddt could not do; ranks: in whom."""

    def __init__(self, text, ranks=None):
        super().__init__(f"{text} ({ranks})" if ranks else text)
        self.ranks = ranks


class NotFound(Error): pass
class Invalid(Error): pass
class Fault(Error): pass
class Gone(Error): pass
class Busy(Error): pass
class Denied(Error): pass
class Unsupported(Error): pass
class Corrupt(Error): pass
class Lost(Error): pass
class Timeout(Error): pass


class Partial(Error):
    """Some ranks have not answered; answer: what the others said."""

    def __init__(self, answer):
        reasons = "; ".join(f"{ranks}: {reason}" for reason, ranks in answer.failed.items())
        silent = answer.missing
        for ranks in answer.failed.values():
            silent = silent - ranks
        if silent:
            reasons += ("; " if reasons else "") + f"no answer from {silent}"
        super().__init__(reasons or "not all ranks have answered")
        self.answer = answer
        self.ranks = answer.missing


ERRORS = {"not-found": NotFound, "invalid": Invalid, "fault": Fault, "gone": Gone, "busy": Busy, "denied": Denied,
          "unsupported": Unsupported, "corrupt": Corrupt, "lost": Lost, "timeout": Timeout}


def parse_ranks(text):
    """The numbers of "0-3,5,8-30/2"."""
    found = set()
    for part in filter(None, (text or "").replace(" ", "").split(",")):
        span, _, stride = part.partition("/")
        low, dash, high = span.partition("-")
        found.update(range(int(low), int(high if dash else low) + 1, int(stride or 1)))
    return frozenset(found)


def format_ranks(ranks):
    parts, ordered = [], sorted(ranks)
    at = 0
    while at < len(ordered):
        end = at
        while end + 1 < len(ordered) and ordered[end + 1] == ordered[end] + 1:
            end += 1
        parts.append(str(ordered[at]) if end == at else f"{ordered[at]}-{ordered[end]}")
        at = end + 1
    return ",".join(parts)


def as_bytes(field):
    """A text of JSON that may be no UTF-8."""
    if isinstance(field, dict) and "base64" in field:
        return base64.b64decode(field["base64"]).decode("utf-8", "backslashreplace")
    return field


class Reply:
    """The lines of one command, as JSON, sorted."""

    def __init__(self, text, ok):
        self.ok, self.events, self.failed, self.missing = ok, [], {}, frozenset()
        self.problem, self.code = None, None
        for line in filter(None, text.split("\n")):
            event = json.loads(line)
            kind = event.get("event")
            if kind == "done":
                self.missing = parse_ranks(event.get("missing"))
            elif kind in ("failure", "error"):
                self.fail(event)
            else:
                self.events.append(event)

    def fail(self, event):
        text, ranks = as_bytes(event.get("text", "")), parse_ranks(event.get("ranks"))
        self.code = self.code or event.get("code")
        if ranks:
            self.failed[text] = self.failed.get(text, frozenset()) | ranks
        elif self.problem is None:
            self.problem = text


class Answer:
    """What ranks have answered: groups of (ranks, value), by lowest rank; answer[rank] is one value. Who did not
    answer is in `missing`, and why others could not in `failed`; nothing is raised for them but by all()."""

    def __init__(self, make, groups, reply=None, sampled=False):
        self.groups = sorted(((make(ranks), value) for ranks, value in groups if ranks),
                             key=lambda group: min(group[0]))
        self.ok = reply.ok if reply else True
        self.failed = {reason: make(ranks) for reason, ranks in reply.failed.items()} if reply else {}
        gone = frozenset().union(*reply.failed.values()) if reply and reply.failed else frozenset()
        self.missing = make((reply.missing if reply else frozenset()) | gone)
        self.ranks = make(frozenset().union(*(ranks for ranks, _ in self.groups)))
        self.sampled, self.code = sampled, reply.code if reply else None

    def all(self):
        """This answer, if all ranks have answered; else raises Partial."""
        if not self.ok or self.missing:
            raise Partial(self)
        return self

    def __getitem__(self, rank):
        for ranks, value in self.groups:
            if rank in ranks:
                return value._narrow(type(ranks)([rank])) if isinstance(value, Value) else value
        for reason, ranks in self.failed.items():
            if rank in ranks:
                raise ERRORS.get(self.code, Error)(reason, ranks)
        raise NotFound(f"no answer from rank {rank}", self.missing)

    def __iter__(self):
        return iter(self.groups)

    def __len__(self):
        return len(self.groups)

    def __bool__(self):
        return True

    @property
    def only(self):
        """The value, where all ranks have the same one."""
        if len(self.all().groups) != 1:
            raise Invalid(f"{len(self.groups)} different values", self.ranks)
        return self.groups[0][1]

    def numpy(self):
        """The ranks' arrays in one, the first axis by rank; they must have one shape."""
        import numpy
        ranks = sorted(self.all().ranks)
        return numpy.stack([self[rank].numpy() for rank in ranks])

    def _numbers(self):
        found = [(value.number, ranks) for ranks, value in self.groups]
        if not found or any(number is None for number, _ in found):
            raise Invalid("these are no numbers", self.ranks)
        return found

    def min(self):
        return min(number for number, _ in self._numbers())

    def max(self):
        return max(number for number, _ in self._numbers())

    def mean(self):
        numbers = self._numbers()
        return sum(number * len(ranks) for number, ranks in numbers) / sum(len(ranks) for _, ranks in numbers)

    def __str__(self):
        lines = [f"{ranks}: {value}" for ranks, value in self.groups]
        lines += [f"error: {reason} ({ranks})" for reason, ranks in self.failed.items()]
        return "\n".join(lines)

    def __repr__(self):
        return f"<Answer of {self.ranks or 'no rank'}{f', missing {self.missing}' if self.missing else ''}>"


class Place:
    """function, file, line, module, offset, language: what is known of it, else None."""

    def __init__(self, event):
        self.function, self.file = as_bytes(event.get("function")), as_bytes(event.get("file"))
        self.line, self.language = event.get("line"), event.get("language")
        self.module, self.offset = event.get("module"), event.get("offset")

    def _key(self):
        return self.function, self.file, self.line, self.module, self.offset

    def __eq__(self, other):
        return isinstance(other, Place) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        file = self.file.rsplit("/", 1)[-1] if self.file else None
        if file and self.line:
            return f"{self.function or '??'} at {file}:{self.line}"
        return f"{self.function or '??'}" + (f" ({self.module}+{self.offset:#x})" if self.module else "")


class State(Place):
    """word: "running", "stopped", "breakpoint", …; with its breakpoint, signal, exception, message or status."""

    def __init__(self, event):
        super().__init__(event)
        self.word = event.get("state")
        for name in "breakpoint", "signal", "exception", "message", "status", "host":
            setattr(self, name, as_bytes(event.get(name)))

    def _key(self):
        return (self.word, self.breakpoint, self.signal, self.exception, self.status, *super()._key())

    def __eq__(self, other):
        return isinstance(other, State) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        detail = next((str(part) for part in (self.breakpoint, self.signal, self.exception, self.status)
                       if part is not None), "")
        return " ".join(filter(None, (self.word, detail))) + (f", {super().__str__()}" if self.function else "")


class Frame(Place):
    """A frame of a stack; number: 0 is the innermost. Its variables: arguments and locals, as texts, after
    where(full=True)."""

    def __init__(self, event):
        super().__init__(event)
        self.number = 0
        self.arguments, self.locals = as_bytes(event.get("arguments")), as_bytes(event.get("locals"))
        self.inlined, self.incomplete = bool(event.get("inlined")), bool(event.get("incomplete"))

    def __str__(self):
        marks = (" [inlined]" if self.inlined else "") + (" [incomplete]" if self.incomplete else "")
        return f"#{self.number} {super().__str__()}{marks}"


class Stack:
    """frames: innermost first. stack[i], len, iteration."""

    def __init__(self, frames):
        self.frames = tuple(frames)
        for number, frame in enumerate(self.frames):
            frame.number = number

    def __getitem__(self, index):
        return self.frames[index]

    def __len__(self):
        return len(self.frames)

    def __iter__(self):
        return iter(self.frames)

    def text(self):
        return "\n".join(map(str, self.frames))

    __str__ = text


class Value:
    """A value as the program's language has it: text, type, number (None if it is none). value["member"], value[3] and
    value.deref() are values of the same ranks and frame. It is of the moment at which it was read: what needs the rank
    again raises Gone once that has moved."""

    def __init__(self, ranks, expression, group, moment):
        self.ranks, self.expression, self._moment, self._group = ranks, expression, moment, ranks
        self.text, self.type = as_bytes(group.get("text")), as_bytes(group.get("type"))
        self.number, self.is_problem = exact(group.get("number"), self.text, self.type or ""), bool(group.get("problem"))

    def _narrow(self, ranks):
        """The same for some of its ranks."""
        copy = Value.__new__(Value)
        copy.__dict__.update(self.__dict__, ranks=ranks)
        return copy

    def _check(self):
        if read_moment(self._group) != self._moment:
            raise Gone(f"{self.expression} was read before these ranks moved or were changed", self.ranks)

    def _read(self, expression):
        self._check()
        return self.ranks.value(expression)[min(self.ranks)]

    def __getitem__(self, part):
        if isinstance(part, str):
            return self._read(f"({self.expression}).{part}")
        return self._read(f"({self.expression})[{int(part)}]")

    def deref(self):
        return self._read(f"*({self.expression})")

    @property
    def address(self):
        return int(self._read(f"(unsigned long)&({self.expression})").number)

    def set(self, value):
        """Changes it in its ranks."""
        self._check()
        self.ranks.set_var(self.expression, value)

    def numpy(self):
        """A copy, as an array of numpy's: of all elements, however many the text shows."""
        self._check()
        return read_arrays(self.ranks, self.expression)[min(self.ranks)]

    def __int__(self):
        if self.number is None:
            return int(self.text, 0)
        return int(self.number)

    def __float__(self):
        return float(self.text if self.number is None else self.number)

    __index__ = __int__

    def __bool__(self):
        return bool(self.number) if self.number is not None else self.text not in ("", "false", "False", "None", "0x0")

    def __eq__(self, other):
        if isinstance(other, Value):
            return (self.text, self.type) == (other.text, other.type)
        if isinstance(other, str):
            return self.text == other
        return self.number is not None and self.number == other

    def __hash__(self):
        return hash((self.text, self.type))

    def __str__(self):
        return self.text or ""

    def __repr__(self):
        return f"<Value {self.expression} = {self.text}>"


def exact(number, text, kind):
    """JSON has it as a double: a whole number is read from its text."""
    if number is None:
        return None
    try:
        if any(word in kind for word in ("float", "double", "real")):
            return float(number)
        return int(text, 0)
    except (TypeError, ValueError):
        return float(number)


def read_moment(ranks):
    return port.ask(MOMENT, str(ranks))[0]


def make_array(shape, data):
    import numpy
    words = shape.split()
    kind, words = words[0], words[1:]
    if kind[1] == "q":
        raise TypeError("numpy has no type for " + ("binary128" if kind[2:] == "16" else "bfloat16"))
    order = "F" if "F" in words else "C"
    shape = tuple(map(int, words[:words.index("F")] if order == "F" else words))
    return numpy.frombuffer(data, dtype=kind).reshape(shape, order=order).copy(order="K")


def read_arrays(ranks, expression):
    """{rank: array}; raises the first failure."""
    text, _, data = port.ask(ARRAY, str(ranks), expression)
    found, at = {}, 0
    for line in filter(None, (text or "").split("\n")):
        kind, who, what, more = line.split("\t", 3)
        if kind == "failure":
            raise ERRORS.get(what, Error)(more, who)
        if kind == "missing":
            raise Timeout(f"no answer from rank {who}", who)
        array = make_array(what, data[at:at + int(more)])
        at += int(more)
        found.update((rank, array) for rank in parse_ranks(who))
    if not found:
        raise NotFound(f"{expression} is no array of numbers", ranks)
    return found
