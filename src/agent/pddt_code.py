# SPDX-License-Identifier: GPL-3.0-or-later
"""Code objects: the tree of those of a file, their lines, and what their instructions do. Used by
pddt_support.py."""
import sys

VERSION = sys.version_info
CO_OPTIMIZED, CO_GENERATOR = 1, 0x20
CO_SUSPENDS = CO_GENERATOR | 0x80 | 0x100 | 0x200  # generators and coroutines
EXTENDED_ARG = 69 if VERSION >= (3, 14) else 71 if VERSION >= (3, 13) else 144
STORE_FAST, DELETE_FAST = 125, 126      # before 3.12
# opcodes of RETURN_VALUE, RETURN_CONST
RETURNS = (35,) if VERSION >= (3, 14) else (36, 103) if VERSION >= (3, 13) else (83, 121)


class Node:
    """A code object of a file, with the code objects inside it."""

    def __init__(self, code, name):
        self.code = code
        self.name = name
        self.children = []
        self.lines = body_lines(code)
        self.all_lines = list_lines(code)
        self.first = code.co_firstlineno
        self.last = max(self.lines, default=self.first)
        for constant in code.co_consts:
            if isinstance(constant, type(code)):
                self.children.append(Node(constant, join_name(code, name, constant)))
        for child in self.children:
            self.last = max(self.last, child.last)

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def list_at(self, line):
        """All nodes that have code on the line, the outermost first."""
        return [node for node in self.walk() if line in node.all_lines]

    def find_innermost(self, line):
        for child in self.children:
            if child.first <= line <= child.last:
                return child.find_innermost(line) or child
        return self if self.first <= line <= self.last or is_module(self.code) else None


def join_name(outer, outer_name, code):
    if VERSION >= (3, 11):
        return code.co_qualname
    if is_module(outer):
        return code.co_name
    if outer.co_flags & CO_OPTIMIZED:
        return outer_name + ".<locals>." + code.co_name
    return outer_name + "." + code.co_name


def is_module(code):
    return code.co_name == "<module>"


def list_lines(code):
    if VERSION >= (3, 10):
        return {line for _, _, line in code.co_lines() if line}
    line, lines, table = code.co_firstlineno, set(), code.co_lnotab
    lines.add(line)
    for step in table[1::2]:
        line += step - 256 if step >= 128 else step
        lines.add(line)
    return lines


def body_lines(code):
    """Lines that raise events: all but the `def` line of a function of several lines."""
    lines = list_lines(code)
    if code.co_flags & CO_OPTIMIZED and len(lines) > 1 and not code.co_name.startswith("<"):
        lines.discard(code.co_firstlineno)
    return lines


def walk_code(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            yield from walk_code(constant)


def is_returning(frame):
    """Before 3.12 a return and a yield raise the same event; the instruction tells them apart."""
    return frame.f_code.co_code[frame.f_lasti] in RETURNS


YIELD_FROM = 72  # before 3.11
# where a generator stands that has delegated
DELEGATING = 128 if VERSION >= (3, 14) else 149 if VERSION >= (3, 13) else 150 if VERSION >= (3, 12) else 86


def is_bypassed(frame):
    """Is a generator on the stack suspended all the same? So it is while an exception that was thrown into it is handled
    by the one to which it has delegated: what that yields goes to the caller of throw. A coroutine is meant where it
    goes on."""
    code, at = frame.f_code, frame.f_lasti
    if code.co_flags & CO_SUSPENDS != CO_GENERATOR or at < 0:
        return False
    if VERSION < (3, 11):
        return YIELD_FROM in code.co_code[at + 2:at + 3] and code.co_code[at] != YIELD_FROM
    return code.co_code[at] == DELEGATING


async def wait():
    pass


async def produce():
    yield


def list_suspended():
    """Types of objects that hold a frame which is on no stack, and how the names of their attributes begin."""
    waiting = wait()
    waiting.close()
    return {type(value for value in ()): "gi_", type(produce()): "ag_", type(waiting): "cr_"}


def take_comprehension(things):
    return [thing for thing in things]


# LOAD_FAST_AND_CLEAR, from 3.12 on: a comprehension within the function's own code begins to use its variable
CLEAR = [number for number, argument in zip(take_comprehension.__code__.co_code[::2],
                                            take_comprehension.__code__.co_code[1::2]) if argument == 1][0]


def store_plainly(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q):
    r = 0


def store_and_load(a, b, c, d, e, f, g, h, i, j, k):
    j = 0
    return k


def store_both(a, b, c, d, e, f, g, h, i, j, k):
    j, k = a


def share(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r):
    return lambda: r


def store_shared(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q):
    r = 0
    return lambda: r


def list_numbers(function, wanted):
    """The opcodes of the instructions that have this argument."""
    code = function.__code__.co_code
    return {number for number, argument in zip(code[::2], code[1::2]) if argument == wanted}


# variable 17, or 9 and 10, are an argument of no other instruction there
STORES = list_numbers(store_plainly, 17) | list_numbers(store_shared, 17) - list_numbers(share, 17)
STORES_TWO, STORES_FIRST = list_numbers(store_both, 0x9a), list_numbers(store_and_load, 0x9a)


def list_stores(code):
    """(number of the variable, place) wherever a function's variable gets a value; place: begin and end, each line and
    column, or None."""
    found, argument = [], 0
    for number, low, (line, end, column, end_column) in zip(code.co_code[::2], code.co_code[1::2], code.co_positions()):
        argument = argument << 8 | low
        if number == EXTENDED_ARG:
            continue
        variables = [argument] if number in STORES else [argument >> 4, argument & 15] if number in STORES_TWO \
            else [argument >> 4] if number in STORES_FIRST else []
        place = None if None in (line, end, column, end_column) else ((line, column), (end, end_column))
        found += [(number, variable, place) for variable in ([argument] if number == CLEAR else variables)]
        argument = 0
    return found


def list_borrowed(code):
    """From 3.12 on: the variables that only comprehensions in the function's code use. Outside of them they are not its
    own."""
    cells = tuple(name for name in code.co_cellvars if name not in code.co_varnames)
    names = code.co_varnames + cells + code.co_freevars
    n_arguments = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    stores = list_stores(code)
    borrowed = {}  # number of the variable: places of the comprehensions
    for number, variable, place in stores:
        if number == CLEAR:
            borrowed.setdefault(variable, []).append(place)
    for number, variable, place in stores:
        within = borrowed.get(variable)
        if within and None not in within and place \
           and not any(begin <= place[0] and place[1] <= end for begin, end in within):
            del borrowed[variable]
    return {names[variable] for variable in borrowed
            if variable >= n_arguments and names[variable] not in code.co_freevars}


# STORE_NAME: of these names only the last one, number 17, is assigned
STORE_NAME = [number for number, argument in zip(*(compile("a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;p;q\nr = 0", "", "exec").co_code[at::2]
                                                   for at in (0, 1))) if argument == 17][0]


def list_named(code):
    """The names that the code of a class's body assigns."""
    found, argument = set(), 0
    for number, low in zip(code.co_code[::2], code.co_code[1::2]):
        argument = argument << 8 | low
        if number == STORE_NAME:
            found.add(code.co_names[argument])
        if number != EXTENDED_ARG:
            argument = 0
    return found


MODULE, FUNCTION = type(sys), type(is_module)
# what holds a function, and the names of its members
WRAPPERS = {property: ("fget", "fset", "fdel"), staticmethod: ("__func__",), classmethod: ("__func__",)}


def get_content(cell):
    try:
        return cell.cell_contents
    except ValueError:  # it is empty
        return None


def list_held(thing):
    """What a module, a class, a function or a decorator's wrapper holds. It is read from their own namespaces: no code of
    the program runs, and the collector's functions would also give what modules keep in lists of free objects."""
    kind = type(thing)
    if issubclass(kind, MODULE):
        return list(MODULE.__getattribute__(thing, "__dict__").values())
    if issubclass(kind, type):
        return list(type.__dict__["__dict__"].__get__(thing).values())
    if kind is FUNCTION:
        return [get_content(cell) for cell in thing.__closure__ or ()] + list(thing.__dict__.values())
    return [wrapper.__dict__[name].__get__(thing) for wrapper in WRAPPERS if issubclass(kind, wrapper)
            for name in WRAPPERS[wrapper]]


def list_frozen():
    """Functions that gc.freeze has taken out of the collector's lists: those of modules and classes, and those that
    decorators have wrapped."""
    import gc
    things = list(sys.modules.values()) if gc.get_freeze_count() else []
    met = set(map(id, things))
    for thing in things:  # grows meanwhile
        for part in list_held(thing):
            if id(part) not in met and issubclass(type(part), (MODULE, type, FUNCTION, *WRAPPERS)):
                met.add(id(part))
                things.append(part)
    return [thing for thing in things if type(thing) is FUNCTION]


def find_delegator(frame):
    """In 3.8: the frame of the generator or coroutine that has delegated to the one of this frame; None: there is none."""
    import gc
    if frame.f_back is not None and frame.f_back.f_code.co_code[frame.f_back.f_lasti] == YIELD_FROM:
        return frame.f_back
    kinds = list_suspended()
    for thing in gc.get_objects():
        if type(thing) in kinds:
            inner = getattr(thing, kinds[type(thing)] + ("yieldfrom" if kinds[type(thing)] == "gi_" else "await"))
            if type(inner) in kinds and getattr(inner, kinds[type(inner)] + "frame") is frame:
                return getattr(thing, kinds[type(thing)] + "frame")
    return None


def is_item(value):
    """Is it what an asynchronous generator yields to its consumer?"""
    return type(value).__name__ == "async_generator_wrapped_value"


def peek_return(frame):
    """From 3.12 on, a line that only returns raises no event for the return unless return events were on
    before the line's own event. None: the frame continues; otherwise (the value,), or () if the value
    is not known."""
    code = frame.f_code
    number = code.co_code[frame.f_lasti]
    if number not in RETURNS or VERSION < (3, 12):
        return None
    if number == RETURNS[0]:
        return ()
    argument = code.co_code[frame.f_lasti + 1]
    return (code.co_consts[argument],) if code.co_code[frame.f_lasti - 2] != EXTENDED_ARG else ()


def list_set(code):
    """Indexes of the fast variables that the code assigns or deletes (before 3.12)."""
    found, argument = set(), 0
    for at in range(0, len(code.co_code), 2):
        argument = argument << 8 | code.co_code[at + 1]
        if code.co_code[at] in (STORE_FAST, DELETE_FAST):
            found.add(argument)
        if code.co_code[at] != EXTENDED_ARG:
            argument = 0
    return found


# before 3.12: jumps by absolute offset, then, in 3.11, backward ones
ABSOLUTE_JUMPS, BACKWARD_JUMPS = (111, 112, 113, 114, 115, 121), (134, 140, 173, 174, 175, 176)
CALL_FINALLY, END_FINALLY = 162, 88  # 3.8: back to behind the first one
SETUPS = 122, 143, 154  # before 3.10: of a handler, so far on


def list_offsets(code):
    """(offset, line) where a line begins."""
    if VERSION >= (3, 10):
        yield from ((start, line) for start, _, line in code.co_lines())
        return
    offset, line = 0, code.co_firstlineno
    for more, step in zip(code.co_lnotab[::2], code.co_lnotab[1::2]):
        if more:
            yield offset, line
        offset += more
        line += step - 256 if step >= 128 else step
    yield offset, line


def read_number(table, at):
    """A number of the table of exceptions, six bits in a byte, and where the next one begins."""
    value = table[at] & 63
    while table[at] & 64:
        at += 1
        value = value << 6 | table[at] & 63
    return value, at + 1


def list_handlers(code):
    """(end of what it protects, offset) of each exception's handler in 3.11; in older versions they are behind it."""
    table, at = getattr(code, "co_exceptiontable", b""), 0
    while at < len(table):
        words = []
        for _ in range(4):
            value, at = read_number(table, at)
            words.append(value * 2)
        yield words[0] + words[1] - 2, words[2]


def list_back_jumps(code):
    """(from, to) of everything that can go back to an earlier instruction."""
    argument, calls, ends, unit = 0, [], [], 1 if VERSION < (3, 10) else 2
    for at in range(0, len(code.co_code), 2):
        number = code.co_code[at]
        argument = argument << 8 | code.co_code[at + 1]
        if VERSION >= (3, 11):
            if number in BACKWARD_JUMPS:
                yield at, at + 2 - argument * unit
        elif number in ABSOLUTE_JUMPS:
            yield at, argument * unit
        elif VERSION < (3, 9) and number in (CALL_FINALLY, END_FINALLY):
            (calls if number == CALL_FINALLY else ends).append(at)
        if number != EXTENDED_ARG:
            argument = 0
    yield from ((end, call + 2) for call in calls for end in ends if end > call)
    yield from list_handlers(code)


RESUME = 151  # 3.11: what stands before it belongs to no line


def is_entered_once(code):
    """Is each frame of the code one call of a function?"""
    return bool(code.co_flags & CO_OPTIMIZED) and not code.co_flags & CO_SUSPENDS


def list_runs(code, start):
    """(line, offset where it begins, offset of its end) for the instructions from `start` on."""
    begins = list(list_offsets(code))
    ends = [at for at, _ in begins[1:]] + [len(code.co_code)]
    runs = []
    for (at, line), end in zip(begins, ends):
        if end <= start:
            continue
        if runs and runs[-1][0] == line:
            at = runs.pop()[1]
        runs.append((line, at, end))
    return runs


def list_inner_handlers(code):
    """Where handlers begin, before 3.10: one in the midst of a line is an event of that line in a frame that has caught
    something before."""
    argument = 0
    for at in range(0, len(code.co_code) if VERSION < (3, 10) else 0, 2):
        argument = argument << 8 | code.co_code[at + 1]
        if code.co_code[at] in SETUPS:
            yield at + 2 + argument
        if code.co_code[at] != EXTENDED_ARG:
            argument = 0


def is_once(code, line, runs):
    """Does nothing come back to the line once it has been reached?"""
    own = [(at, end) for number, at, end in runs if number == line]
    return (len(own) == 1
            and not any(start >= own[0][0] and to < own[0][1] for start, to in list_back_jumps(code) if to <= start)
            and not any(own[0][0] < at < own[0][1] for at in list_inner_handlers(code)))


def is_first_only(code, line):
    """Is the line (of code before 3.12) the first that a call comes to, and does the call never come back to it?"""
    numbers = code.co_code[::2]
    start = 2 * numbers.index(RESUME) + 2 if VERSION >= (3, 11) and RESUME in numbers else 0
    runs = list_runs(code, start)
    return bool(runs) and runs[0][0] == line and is_once(code, line, runs)


def list_passed(code, line):
    """At which lines of the code (before 3.12) it is certain that `line` is not reached any more, as bits from the first
    line on."""
    runs = list_runs(code, 0)
    passed = max((end for at, _, end in runs if at == line), default=len(code.co_code))
    jumps = [(start, to) for start, to in list_back_jumps(code) if to <= start]
    before = 0
    while before != passed:
        before = passed
        passed = max([passed] + [start + 2 for start, to in jumps if start >= passed > to])
    early = {at for at, start, _ in runs if start < passed}
    if is_once(code, line, runs):
        early.discard(line)
    bits = bytearray()
    for at in {at for at, _, _ in runs if at and at >= code.co_firstlineno} - early:
        byte, bit = divmod(at - code.co_firstlineno, 8)
        bits.extend(bytes(max(0, byte + 1 - len(bits))))
        bits[byte] |= 1 << bit
    return bytes(bits)
