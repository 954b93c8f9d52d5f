# SPDX-License-Identifier: GPL-3.0-or-later
"""The module gdb, as far as printers of values need it, over the values of pddt: see the manual's chapter on scripts."""
import gc
import os
import re
import stat
import sys
import time
import traceback
import types as _modules

import pddt_types as _types
from pddt_format import Format, Watch
from pddt_objects import Address, Current, LazyString, Memory, Value, symbol_of
from pddt_port import ARM, OBJECT, SHOWING, SHOWN, port
from pddt_types import Field, File, MemoryError, Question, Type, error, lookup_type, type_of

VERSION, HOST_CONFIG, TARGET_CONFIG, PYTHONDIR = "13.1", "x86_64-linux-gnu", "x86_64-linux-gnu", "/usr/share/gdb/python"
for _name in dir(_types):
    if _name.startswith("CODE_"):
        globals()["TYPE_" + _name] = getattr(_types, _name)
(COMMAND_NONE, COMMAND_RUNNING, COMMAND_DATA, COMMAND_STACK, COMMAND_FILES, COMMAND_SUPPORT, COMMAND_STATUS, COMMAND_BREAKPOINTS,
 COMMAND_TRACEPOINTS, COMMAND_USER, COMMAND_OBSCURE, COMMAND_MAINTENANCE, COMMAND_TUI) = range(-1, 12)
(PARAM_BOOLEAN, PARAM_AUTO_BOOLEAN, PARAM_UINTEGER, PARAM_INTEGER, PARAM_STRING, PARAM_STRING_NOESCAPE, PARAM_OPTIONAL_FILENAME,
 PARAM_FILENAME, PARAM_ZINTEGER, PARAM_ZUINTEGER, PARAM_ZUINTEGER_UNLIMITED, PARAM_ENUM) = range(12)
COMPLETE_NONE, COMPLETE_FILENAME, COMPLETE_LOCATION, COMPLETE_COMMAND, COMPLETE_SYMBOL, COMPLETE_EXPRESSION = range(6)
SYMBOL_UNDEF_DOMAIN, SYMBOL_VAR_DOMAIN, SYMBOL_STRUCT_DOMAIN, SYMBOL_LABEL_DOMAIN = range(4)
STDOUT, STDERR, STDLOG = range(3)
AUTO_LOAD = "/usr/share/gdb/auto-load"
TIME_S = 1.0  # of a processor: on a busy machine a printer may hardly get one
MAX_PARTS = 10000  # of a value, in lists of windows and editors
MAX_RUNS = 8  # of a printer for one value: so many different contents are shown

gc.set_threshold(50000, 20, 20)  # what a printer makes goes as its last name does
GdbError = type("GdbError", (Exception,), {})


class Failed(Exception):
    """Of a printer; text: what has happened, and where."""


class Printers(list):
    """A list of printers; pddt learns when the user's change."""

    def append(self, what):
        super().append(what)
        _count()

    def insert(self, at, what):
        super().insert(at, what)
        _count()

    def extend(self, what):
        super().extend(what)
        _count()

    __iadd__ = lambda self, what: (self.extend(what), self)[1]


class Objfile:
    def __init__(self, filename):
        self.filename = self.username = filename
        self.pretty_printers, self.type_printers, self.frame_filters, self.xmethods = Printers(), [], {}, []
        self.progspace = None

    def is_valid(self):
        return True


class Progspace(Objfile):
    def objfiles(self):
        return list(_objfiles.values())

    def block_for_pc(self, pc):
        return block_for_pc(pc)


class _State:
    objfile, is_distribution, tried, counted, mode, read = None, False, set(), 0, "own", {}
    problems = []


pretty_printers, type_printers, xmethods, frame_filters = Printers(), [], [], {}
_objfiles = {}
_progspace = Progspace("")
_distribution = []  # of Objfile


def _user_lists():
    return [pretty_printers, _progspace.pretty_printers,
            *(objfile.pretty_printers for objfile in _objfiles.values() if objfile not in _distribution)]


def _count():
    if not _State.is_distribution:
        port.ask(ARM, number=1)
    Wants.known.clear()


def current_objfile():
    return _State.objfile


def current_progspace():
    return _progspace


def progspaces():
    return [_progspace]


def objfiles():
    return list(_objfiles.values())


def lookup_objfile(name, by_build_id=False):
    for objfile in _objfiles.values():
        if objfile.filename == name or os.path.basename(objfile.filename) == name:
            return objfile
    raise ValueError("Objfile not found.")


# ---- which printer a value has ----

def _look(lists, value):
    for printers in lists:
        for function in printers:
            if getattr(function, "enabled", True):
                found = function(value)
                if found is not None:
                    return found
    return None


def _wanted_lists():
    """Of the distribution; with the option `own` not those of the C and C++ libraries, whose types pddt has views of."""
    return [objfile.pretty_printers for objfile in _distribution
            if _State.mode == "all" or not os.path.basename(objfile.filename).startswith(("libstdc++", "libc.so"))]


def default_visualizer(value):
    found = _look(_user_lists(), value)
    return found if found is not None else _look([objfile.pretty_printers for objfile in _distribution], value)


Watch.find = default_visualizer


class Wants:
    """Whether printers are to show a type, by the option `printers`."""
    known = {}

    @classmethod
    def value(cls, value, depth=0):
        kind = value.type
        key = (_State.mode, kind)
        if key not in cls.known:
            cls.known[key] = False
            try:
                cls.known[key] = cls.look(value, kind.strip_typedefs(), depth)
            except Exception:  # of a printer that reads at once, here where nothing is
                cls.known[key] = True
        return cls.known[key]

    @classmethod
    def look(cls, value, plain, depth):
        if _look(_user_lists(), value) is not None:
            return True
        has_view = plain.has_view
        if (_State.mode == "all" or not has_view) and _look(_wanted_lists(), value) is not None:
            return True
        if depth > 4:
            return False
        if has_view:
            return any(cls.value(Value._at(plain._file.type(argument[1]), 0), depth + 1)
                       for argument in plain._entry.arguments if argument[0] == "T" and argument[1])
        if plain.code in (_types.CODE_STRUCT, _types.CODE_UNION):
            return any(cls.value(Value._at(field.type, 0), depth + 1) for field in plain.fields())
        return plain.code == _types.CODE_ARRAY and cls.value(Value._at(plain.target(), 0), depth + 1)


# ---- the distribution's printers ----

def _is_roots(path):
    """Root's, and writable by nobody else, up to the root folder."""
    while True:
        found = os.lstat(path)
        if found.st_uid != 0 or (found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not stat.S_ISLNK(found.st_mode)):
            return False
        if path == "/":
            return True
        path = os.path.dirname(path)


def _load_distribution():
    """Of the libraries that the rank has mapped, once each."""
    if Question.ranks in _State.tried:
        return
    _State.tried.add(Question.ranks)
    mapped = port.command(f"on {Question.ranks} show modules", as_text=True)[0]
    for folder, _, files in os.walk(AUTO_LOAD):
        for name in files:
            path = os.path.join(folder, name)
            library = path[len(AUTO_LOAD):-len("-gdb.py")]
            if not name.endswith("-gdb.py") or library in _objfiles or not re.search(
                    r"[/ ]" + re.escape(os.path.basename(library)) + r"\b", mapped):
                continue
            if _is_roots(path):
                _load_objfile(library, path)


def _load_objfile(library, path):
    objfile = _objfiles[library] = Objfile(library)
    _distribution.append(objfile)
    _State.objfile, _State.is_distribution = objfile, True
    try:
        with open(path, encoding="utf-8") as source:
            exec(compile(source.read(), path, "exec"), {"__name__": "__main__", "__file__": path})
    except Exception as problem:
        _State.problems.append(f"{path}: {_describe(problem)}")
    finally:
        _State.objfile, _State.is_distribution = None, False
        Wants.known.clear()


# ---- what pddt asks: how values are shown ----

def _describe(problem):
    place = ""
    for frame in traceback.extract_tb(problem.__traceback__):
        if not frame.filename.startswith("<"):
            place = f"{frame.filename}:{frame.lineno}: "
    text = "it calls itself without end" if isinstance(problem, RecursionError) else str(problem)
    if isinstance(problem, error):
        return place + text
    return f"{place}{type(problem).__name__}: {text}"


def _escape(text):
    if text.isprintable() and "\\" not in text:
        return text
    clean = "".join(c if c.isprintable() or c == "\n" else f"\\{ord(c):03o}" for c in text)
    return clean.replace("\\", "\\\\").replace("\n", "\\n")


def _equal_ranks(places, memory, at):
    """Those in which a printer would read the same, but for where it lies. places: (address, ranks)."""
    trace, digest, equal = memory.trace(), None, set()
    own = next(place for place in places if place[0] == at and memory.rank in place[1])
    if trace is None or len(trace) > 4 << 20:
        return {memory.rank} if trace is not None or len(memory.reads) > 4000 else _equal_bytes(own[1], memory)
    for address, ranks in [own, *(place for place in places if place is not own)]:
        Question.ranks = format_ranks(ranks)
        for who, _, data in _types.ask(f"replay {address} {trace}"):
            if digest is None and memory.rank in parse_ranks(who):
                digest = data
            if digest and data == digest:
                equal |= parse_ranks(who)
    return equal | {memory.rank}


def _equal_bytes(ranks, memory):
    """Where its own place matters: those that have the same there."""
    Question.ranks = format_ranks(ranks)
    groups = _types.ask("memory " + " ".join(f"{int(at):x} {len(data):x}" for at, data in memory.reads))
    return next((set(parse_ranks(who)) for who, _, _ in groups if memory.rank in parse_ranks(who)), {memory.rank})


def _show_at(make, places, limits):
    """(ranks, Format, text) for each content. places: (address, ranks); make: the value of an address."""
    found, places = [], [(address, set(ranks)) for address, ranks in places]
    while places and len(found) < MAX_RUNS:
        leader, at = min((min(ranks), address) for address, ranks in places)
        Question.ranks, Watch.end_s = str(leader), time.thread_time() + TIME_S
        memory = Current.memory = Memory(leader)
        shown, Watch.letter = Format(**limits), limits["format"]
        try:
            text = shown.top(make(Address(at, (-1, 0))))
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            raise Failed(_describe(problem))
        finally:
            Watch.end_s, Watch.letter = None, ""
        equal = _equal_ranks(places, memory, at) if sum(len(ranks) for _, ranks in places) > 1 else {leader}
        found.append((frozenset(equal), shown, text))
        places = [(address, ranks - equal) for address, ranks in places if ranks - equal]
    return found


MAX_SCALARS = 64  # members of a value in registers


def _scalars(kind, expression, at=0):
    """(expression, offset, type) of each number that the value consists of."""
    plain = kind.strip_typedefs()
    if plain.code == TYPE_CODE_STRUCT:
        for field in plain.fields():
            if not hasattr(field, "bitpos") or field.bitsize or field.name is None:
                raise error("it has members that are no numbers")
            name = f"(({field.type}) {expression})" if field.is_base_class else f"{expression}.{field.name}"
            yield from _scalars(field.type, name, at + field.bitpos // 8)
    elif plain.code in (TYPE_CODE_INT, TYPE_CODE_BOOL, TYPE_CODE_CHAR, TYPE_CODE_ENUM, TYPE_CODE_PTR, TYPE_CODE_FLT) and plain.sizeof <= 8:
        yield expression, at, plain
    else:
        raise error("it has members that are no numbers")


def _show_in_registers(kind, expression, ranks, limits):
    """A value that is nowhere in memory: of a pointer its number is the place, of others the numbers that they consist of."""
    contents = {rank: bytearray(kind.sizeof) for rank in ranks}
    for number, (part, at, plain) in enumerate(_scalars(kind, f"({expression})")):
        if number >= MAX_SCALARS:
            raise error("it has too many members")
        is_real = plain.code == TYPE_CODE_FLT
        for who, words, data in _types.ask(f"print {part}" if is_real else f"print (unsigned long) ({part})"):
            found = re.match(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?$|-?inf$|nan", data.decode("utf-8", "replace"))
            if words[:1] != "n" or found is None:
                raise error("a part of it is not known")
            own = Value(float(found[0])).cast(plain) if is_real else Value._of_number(int(found[0]), plain)
            for rank in parse_ranks(who) & contents.keys():
                contents[rank][at:at + plain.sizeof] = own._load()
    alike = {}
    for rank, data in contents.items():
        alike.setdefault(bytes(data), set()).add(rank)
    if kind.strip_typedefs().code == TYPE_CODE_PTR:
        return _show_at(lambda at: Value._of_number(at, kind, at),
                        [(int.from_bytes(data, "little"), who) for data, who in alike.items()], limits)
    return [shown for data, who in alike.items()
            for shown in _show_at(lambda _, data=data: Value(data, kind), [(0, who)], limits)]


def _show(ranks, expression, limits):
    """(ranks, Format, text) for those that printers show."""
    Question.ranks = str(min(ranks))
    _load_distribution()
    kind = type_of(expression)
    Current.memory = Memory(min(ranks))
    if not Wants.value(Value._at(kind, 0)):
        return []
    Question.ranks = format_ranks(ranks)
    groups, _ = _types.ask_all(f"print (unsigned long) &({expression})")
    places = [(int(data), parse_ranks(who)) for who, _, data in groups if data.isdigit()]
    found = _show_at(lambda at: Value._at(kind, at), places, limits) if places else []
    left = ranks - frozenset().union(*(who for _, who in places))
    if left:
        Question.ranks = format_ranks(left)
        found += _show_in_registers(kind, expression, left, limits)
    return found


def _describe_parts(shown):
    """Lines for the main loop: the parts that a printer has, or those of the value's own that printers show."""
    for name, text, value in shown.parts[:MAX_PARTS]:
        kind, path, is_open = "", "", ""
        if value is not None:
            plain, kind = value._plain, str(value._type)
            if value._address is not None and value._bits is None and plain.code not in (TYPE_CODE_REF, TYPE_CODE_RVALUE_REF):
                path = f"(*({value._type.unqualified().pointer()}) {int(value._address):#x})"
                is_open = "1" if plain.code in (TYPE_CODE_STRUCT, TYPE_CODE_UNION, TYPE_CODE_ARRAY) or (
                    plain.code == TYPE_CODE_PTR and int(value._pointer())) else ""
        yield "+\t" + "\t".join((*map(_escape, (name, kind, text, path)), is_open))
    if not shown.parts:
        for name, text in shown.texts[:MAX_PARTS]:
            yield f"~\t{_escape(name)}\t{_escape(text)}"


def _serve_show(identity, text):
    """text: mode, limits, then NUMBER, RANKS, EXPRESSION, TYPE by lines. The answer: NUMBER, RANKS, TEXT, or !, TYPE, REASON."""
    import _pddt
    lines, answers = text.split("\n"), []
    mode, items, bytes_, _, repeats, letter = lines[0].split("\t")
    _pddt.send(SHOWING, identity)
    gc.disable()  # it would look through all that printers have made, again and again
    before = Question.ranks, Current.memory
    try:
        _use_mode(mode)
        limits = {"max_elements": int(items), "max_characters": int(bytes_), "repeat_threshold": int(repeats), "max_depth": 20,
                  "format": letter}
        asked = {}
        for line in lines[1:]:
            number, ranks, expression, kind = line.split("\t", 3)
            asked[number, expression, kind] = asked.get((number, expression, kind), frozenset()) | parse_ranks(ranks)
        for (number, expression, kind), ranks in asked.items():
            try:
                for who, shown, text in _show(ranks, expression, limits):
                    answers += [f"{number}\t{format_ranks(who)}\t{_escape(text)}", *_describe_parts(shown)]
            except Failed as problem:
                answers.append(f"!\t{kind}\t{_escape(str(problem))}")
            except error:
                pass  # not in memory, of no frame of C or C++: it stays as it is
            except Exception as problem:
                answers.append(f"!\t{kind}\t{_escape(_describe(problem))}")
    except KeyboardInterrupt as problem:
        place = _describe(problem).rpartition("KeyboardInterrupt")[0]
        answers.append(f"!\t\t{_escape(place)}it takes longer than 1 s")
    finally:
        Question.ranks, Current.memory = before
        gc.enable()
        answers += [f"!\t\t{_escape(problem)}" for problem in _State.problems]
        _State.problems.clear()
        _pddt.send(SHOWN, identity, "\n".join(answers).encode("utf-8", "backslashreplace").decode())


def _use_mode(mode):
    """A file that the user named is run once, when it is first needed."""
    if mode not in ("own", "all", "off"):
        if mode not in _State.read:
            _State.read[mode] = True
            with open(os.path.expanduser(mode), encoding="utf-8") as source:
                exec(compile(source.read(), mode, "exec"), sys.modules["__main__"].__dict__)
        mode = "own"
    _State.mode = mode


port.serve_show = _serve_show


# ---- what printers call ----

def parse_and_eval(expression):
    expression, Current.is_asked = str(expression), True
    if re.fullmatch(r"\s*[-+]?(0[xX][0-9a-fA-F]+|\d+)\s*", expression):
        return Value(int(expression, 0))
    if Question.ranks is None:
        import pddt
        Question.ranks = str(min(pddt.job.focus or pddt.job.all))
        Current.memory = None
    if Current.memory is None or str(Current.memory.rank) != Question.ranks:
        Current.memory = Memory(int(Question.ranks))
    kind = type_of(expression)
    try:
        _, _, data = _types.ask(f"print (unsigned long) &({expression})")[0]
        if data.isdigit():
            return Value._at(kind, int(data))
    except error:
        pass
    _, _, data = _types.ask(f"print {expression}")[0]
    text = data.decode("utf-8", "replace")
    found = re.search(r"(?:^|\) )(0x[0-9a-f]+|-?\d+(?:\.\d+)?(?:e[-+]\d+)?)(?:$| )", text)
    if found is None:
        raise error(f"{expression} is neither in memory nor a number")
    if kind.strip_typedefs().code == TYPE_CODE_FLT:
        return Value(float(found[1])).cast(kind)
    return Value._of_number(int(found[1], 0), kind)


class Symbol:
    def __init__(self, name):
        self.name = self.linkage_name = self.print_name = name

    def value(self, frame=None):
        return parse_and_eval(self.name)

    @property
    def type(self):
        return type_of(self.name)

    is_variable = is_valid = True


def lookup_symbol(name, block=None, domain=SYMBOL_VAR_DOMAIN):
    try:
        type_of(name)
    except error:
        return None, False
    return Symbol(name), False


def lookup_global_symbol(name, domain=SYMBOL_VAR_DOMAIN):
    return lookup_symbol(name)[0]


lookup_static_symbol = lookup_global_symbol


class Block:
    def __init__(self, name):
        self.function, self.superblock, self.global_block, self.static_block = Symbol(name), None, None, None


def block_for_pc(pc):
    name = symbol_of(int(pc), min(parse_ranks(Question.ranks)))
    if name is None:
        return None
    name = name.partition("+")[0]
    try:
        kind = type_of(name).strip_typedefs()
        parameters = ", ".join(str(field.type) for field in kind.fields())
        return Block(name if "(" in name else f"{name}({parameters})")
    except (error, TypeError):
        return Block(name)


class Frame:
    def read_var(self, name, block=None):
        return parse_and_eval(str(name))

    def name(self):
        return None

    def is_valid(self):
        return True

    def _refuse(self, *_):
        raise error("pddt gives printers no other frames; pddt.job has them")

    older = newer = find_sal = block = function = pc = select = _refuse


def selected_frame():
    return Frame()


class Inferior:
    num, pid, is_valid = 1, 0, lambda self: True

    def read_memory(self, address, length):
        return memoryview(Current.memory.read(int(address), int(length))[0])


def selected_inferior():
    return Inferior()


def selected_thread():
    return None


def parameter(name):
    known = {"print elements": 200, "print repeats": 10, "print max-depth": 20, "verbose": False, "data-directory": "/usr/share/gdb"}
    return known.get(name)


def convenience_variable(name):
    return None


def set_convenience_variable(name, value):
    raise error("printers do not set variables")


def history(number):
    raise error("pddt keeps no history of values")


def execute(command, from_tty=False, to_string=False):
    Current.is_asked = True
    text = port.command(command, as_text=True)[0]
    if to_string:
        return text + "\n"
    print(text)
    return None


def write(text, stream=STDOUT):
    (sys.stderr if stream == STDERR else sys.stdout).write(text)


def flush(stream=STDOUT):
    pass


def post_event(function):
    function()


class Command:
    """Becomes a command of pddt where its name can be one."""

    def __init__(self, name, command_class=COMMAND_USER, completer_class=COMPLETE_NONE, prefix=False):
        import pddt
        run = lambda ranks, arguments: self.invoke(arguments, False)
        run.__doc__ = self.__doc__
        try:
            pddt.command(name)(run)
        except pddt.Error:
            pass  # one of pddt's own, or of several words

    def dont_repeat(self):
        pass


class Parameter:
    def __init__(self, name, command_class=COMMAND_NONE, parameter_class=PARAM_STRING, enum=None):
        self.name, self.value = name, False if parameter_class == PARAM_BOOLEAN else enum[0] if enum else None


class Function:
    """`print $NAME(...)` calls its invoke: see pddt_functions.py."""

    def __init__(self, name):
        import pddt
        pddt._add_function(name, self)


class _Registry:
    """Of events, and what else is registered and not served."""

    def connect(self, function):
        pass

    disconnect = connect


def string_to_argv(text):
    import shlex
    return shlex.split(text)


# ---- gdb.printing, gdb.types and the like ----

def _module(name, **content):
    made = _modules.ModuleType("gdb." + name)
    made.__dict__.update(content)
    sys.modules["gdb." + name] = made
    globals()[name] = made
    for what in content.values():
        if isinstance(what, type):
            what.__module__ = "gdb." + name


class PrettyPrinter:
    def __init__(self, name, subprinters=None):
        self.name, self.subprinters, self.enabled = name, subprinters, True

    def __call__(self, value):
        raise NotImplementedError("PrettyPrinter __call__")


class SubPrettyPrinter:
    def __init__(self, name):
        self.name, self.enabled = name, True


def register_pretty_printer(obj, printer, replace=False):
    """First in the object's list; obj None: for all files."""
    if not hasattr(printer, "__name__") and not hasattr(printer, "name"):
        raise TypeError("printer missing attribute: name")
    if not callable(printer):
        raise TypeError("printer is not callable")
    printers = (obj if obj is not None else sys.modules["gdb"]).pretty_printers
    name = getattr(printer, "name", None) or printer.__name__
    for i, known in enumerate(printers):
        if (getattr(known, "name", None) or getattr(known, "__name__", None)) == name:
            if not replace:
                raise RuntimeError(f"pretty-printer already registered: {name}")
            del printers[i]
            break
    printers.insert(0, printer)


class RegexpCollectionPrettyPrinter(PrettyPrinter):
    class RegexpSubprinter(SubPrettyPrinter):
        def __init__(self, name, regexp, gen_printer):
            super().__init__(name)
            self.regexp, self.gen_printer, self.compiled_re = regexp, gen_printer, re.compile(regexp)

    def __init__(self, name):
        super().__init__(name, [])

    def add_printer(self, name, regexp, gen_printer):
        self.subprinters.append(self.RegexpSubprinter(name, regexp, gen_printer))

    def __call__(self, value):
        name = get_basic_type(value.type).tag or value.type.name
        if not name:
            return None
        for printer in self.subprinters:
            if printer.enabled and printer.compiled_re.search(name):
                return printer.gen_printer(value)
        return None


class FlagEnumerationPrinter(PrettyPrinter):
    def __init__(self, name):
        super().__init__(name)

    def __call__(self, value):
        return None  # print shows flags so already


def get_basic_type(kind):
    while kind.code in (TYPE_CODE_REF, TYPE_CODE_RVALUE_REF, TYPE_CODE_TYPEDEF):
        kind = kind.target() if kind.code != TYPE_CODE_TYPEDEF else kind.strip_typedefs()
    return kind.unqualified()


def has_field(kind, name):
    kind = get_basic_type(kind)
    if kind.code not in (TYPE_CODE_STRUCT, TYPE_CODE_UNION):
        raise TypeError("not a struct or union")
    return any(field.name == name or (field.is_base_class and has_field(field.type, name)) for field in kind.fields())


def make_enum_dict(kind):
    if kind.code != TYPE_CODE_ENUM:
        raise TypeError("not an enum type")
    return {field.name: field.enumval for field in kind.fields()}


def deep_items(kind):
    for name, field in kind.iteritems():
        if name:
            yield name, field
        else:
            yield from deep_items(field.type)


class TypePrinter:
    def __init__(self, name):
        self.name, self.enabled = name, True

    def instantiate(self):
        return None


def get_type_recognizers():
    printers = [printer for objfile in _objfiles.values() for printer in objfile.type_printers]
    printers += _progspace.type_printers + type_printers
    found = (printer.instantiate() for printer in printers if printer.enabled)
    return [recognizer for recognizer in found if recognizer is not None]


def apply_type_recognizers(recognizers, kind):
    for recognizer in recognizers:
        found = recognizer.recognize(kind)
        if found is not None:
            return found
    return None


def register_type_printer(objfile, printer):
    (objfile.type_printers if objfile is not None else type_printers).insert(0, printer)


_module("printing", PrettyPrinter=PrettyPrinter, SubPrettyPrinter=SubPrettyPrinter, register_pretty_printer=register_pretty_printer,
        RegexpCollectionPrettyPrinter=RegexpCollectionPrettyPrinter, FlagEnumerationPrinter=FlagEnumerationPrinter)
_module("types", get_basic_type=get_basic_type, has_field=has_field, make_enum_dict=make_enum_dict, deep_items=deep_items,
        TypePrinter=TypePrinter, get_type_recognizers=get_type_recognizers, apply_type_recognizers=apply_type_recognizers,
        register_type_printer=register_type_printer)
_module("xmethod", XMethod=type("XMethod", (), {"__init__": lambda self, name: self.__dict__.update(name=name, enabled=True)}),
        XMethodMatcher=type("XMethodMatcher", (), {
            "__init__": lambda self, name: self.__dict__.update(name=name, enabled=True, methods=None)}),
        XMethodWorker=type("XMethodWorker", (), {}),
        register_xmethod_matcher=lambda place, matcher, replace=False: None)
_module("unwinder", Unwinder=type("Unwinder", (), {"__init__": lambda self, name: None}), register_unwinder=lambda *_, **__: None)
_module("FrameDecorator", FrameDecorator=type("FrameDecorator", (), {"__init__": lambda self, base: None}))
_module("FrameIterator", FrameIterator=type("FrameIterator", (), {}))
_module("frames")
_module("events", **{name: _Registry() for name in ("stop", "cont", "exited", "new_objfile", "clear_objfiles", "inferior_call",
                                                     "memory_changed", "register_changed", "breakpoint_created", "before_prompt")})
__path__ = []
from pddt_values import format_ranks, parse_ranks  # noqa: E402
