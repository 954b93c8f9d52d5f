# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as text, expressions and statements in a frame, and log texts. Called by pddt_support.py and
by the compiled part, with the GIL held and events masked."""
import sys
from _collections import defaultdict, deque
from _io import StringIO
from itertools import islice

import pddt_paths
from pddt_code import is_item, is_module, list_borrowed, list_named, walk_code
from pddt_sources import find_name

VERSION = sys.version_info
CO_OPTIMIZED = 1
LIMIT_TEXT = 8000
LIMIT_OUT = 60000


def encode(*words):
    return b"".join(word.encode("utf-8", "backslashreplace").replace(b"\0", b"\\x00") + b"\0"
                    for word in words)


# what C and Fortran write differently
FOREIGN = (("&&", "and"), ("||", "or"), (".and.", "and"), (".or.", "or"), (".not.", "not"), (".eq.", "=="),
           (".ne.", "!="), (".lt.", "<"), (".le.", "<="), (".gt.", ">"), (".ge.", ">="), ("/=", "!="),
           (".true.", "True"), (".false.", "False"), ("->", "."), ("!", "not"), ("=", "=="))


def blank_strings(text):
    """The text with spaces for what stands in quotes and for the operators that Python has."""
    plain, quote = "", ""
    for char in text:
        plain += char if not quote and char not in "\"'" else " "
        quote = ("" if char == quote else quote) or (char if not quote and char in "\"'" else "")
    for operator in "==", "!=", "<=", ">=", ":=":
        plain = plain.replace(operator, "  ")
    return plain


def find_hint(text):
    """How Python writes what C or Fortran writes differently, if the text contains that."""
    plain = blank_strings(text).lower()
    for foreign, own in FOREIGN:
        at = plain.find(foreign)
        if at >= 0 and (foreign != "=" or plain.count("(", 0, at) == plain.count(")", 0, at)):
            return "; in Python, write %s for %s" % (own, foreign)
    return ""


def explain(error, text):
    """What is wrong with a text that Python cannot parse, with the column and a hint."""
    at = error.offset if error.offset and error.lineno == 1 else len(translate(text)) + 1
    column = len(translate(text)[:at - 1].replace(EXCEPTION, "$exception")) + 1
    return "%s at column %d%s" % (error.msg, column, find_hint(text))


def compile_expression(text, what):
    """what: "the condition \"%s\"". SyntaxError: a message for the user."""
    try:
        return compile(translate(text), "<condition>", "eval", 0, True)
    except SyntaxError as error:
        raise SyntaxError("cannot understand " + what % shorten(text, 200) + ": " + explain(error, text)) from None
    except ValueError as error:  # a NUL, before 3.12
        raise SyntaxError("cannot understand " + what % shorten(text, 200) + ": %s" % error) from None


log_parts = {}  # text of a log -> its parts: plain text, or the code of a field


def split_log(text):
    """SyntaxError: a message for the user."""
    if text not in log_parts:
        log_parts[text] = list_log_parts(text)
    return log_parts[text]


def list_log_parts(text):
    parts, at, plain = [], 0, ""
    while at < len(text):
        if text[at:at + 2] in ("{{", "}}"):
            plain += text[at]
            at += 2
        elif text[at] == "{":
            depth, end = 1, at + 1
            while end < len(text) and depth:
                depth += {"{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}.get(text[end], 0)
                end += 1
            if depth:
                raise SyntaxError("cannot understand the log \"%s\": the { at column %d is never closed; write {{ for "
                                  "a { itself" % (shorten(text, 200), at + 1))
            parts += [plain, compile_field(text[at + 1:end - 1])]
            at, plain = end, ""
        else:
            plain += text[at]
            at += 1
    return parts + [plain]


def compile_field(field):
    """A field as in an f-string: with !r, with a format, or with neither."""
    for source in 'f"""{%s}"""' % field, "f'''{%s}'''" % field, "format((%s))" % field:
        try:
            return compile(translate(source), "<log>", "eval", 0, True)
        except SyntaxError:
            continue
    compile_expression(field, '"%s" in the log')
    raise SyntaxError('cannot understand "%s" in the log' % shorten(field, 200))


def format_log(text, frame):
    return shorten("".join(part if isinstance(part, str) else format_field(part, frame)
                           for part in split_log(text)), 3900)


def format_field(code, frame):
    try:
        return run_in_frame(code, frame)
    except Exception as error:
        return "<%s: %s>" % (type(error).__name__, error)


EXCEPTION = "__pddt_exception__"
raised = []  # the exception with which the thread has stopped


def translate(text):
    """Replaces $exception, which is not a valid name in Python."""
    return text.replace("$exception", EXCEPTION)


def is_private(name):
    return name.startswith("__") and not name.endswith("__")


def has_private(code):
    """Does the code use private names (__x), which a class changes?"""
    return any(map(is_private, code.co_names)) or any(
        has_private(constant) for constant in code.co_consts if isinstance(constant, type(code)))


def find_class_of(function):
    """The class in whose body a function of that qualified name is written; None."""
    parts = function.split(".")
    at = len(parts) - 1
    while at > 0 and parts[at - 1] == "<locals>":
        at -= 2
    return parts[at - 1] if at > 0 else None


def find_class(frame):
    """The name of the class in whose body the frame's code was written; None."""
    code = frame.f_code
    if not code.co_flags & CO_OPTIMIZED:
        return code.co_name if code.co_name != "<module>" else None
    if VERSION >= (3, 11):
        return find_class_of(code.co_qualname)
    first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    for base in type.mro(first if isinstance(first, type) else type(first)):
        value = base.__dict__.get(code.co_name)
        functions = [value]
        if isinstance(value, property):
            functions = [value.fget, value.fset, value.fdel]
        elif isinstance(value, (staticmethod, classmethod)):
            functions = [value.__func__]
        if any(isinstance(function, type(is_private)) and function.__code__ is code for function in functions):
            return base.__name__
    return find_class_of(find_name(code))


def mangle(code, frame):
    """Inside a class, __name means _Class__name."""
    kind = (find_class(frame) or "").lstrip("_") if has_private(code) else ""
    if not kind:
        return code

    def change(code):
        return code.replace(
            co_names=tuple("_" + kind + name if is_private(name) else name for name in code.co_names),
            co_consts=tuple(change(constant) if isinstance(constant, type(code)) else constant
                            for constant in code.co_consts))
    return change(code)


own_names = {}  # id of code -> (the code, the names of its function's variables)


def list_own(code):
    """Without those of comprehensions that are a part of it."""
    if id(code) not in own_names:
        if len(own_names) > 1000:
            own_names.clear()
        names = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        own_names[id(code)] = code, names - list_borrowed(code) if VERSION >= (3, 12) else names
    return own_names[id(code)][1]


def has_inner(code):
    for constant in code.co_consts:
        if type(constant) is type(code):
            return True
    return False


def list_unbound(frame, values, code):
    """The function's variables that have no value here and that the code of an expression or statement may use; they are
    not the module's of the same names."""
    if not frame.f_code.co_flags & CO_OPTIMIZED:
        return set()
    names = list_own(frame.f_code)
    if not has_inner(code):
        names = names.intersection(code.co_names)
    return {name for name in names if name not in values}


class Names:
    """The names of a function's frame of which some have no value. Code that asks for locals() gets this."""

    def __init__(self, known, unbound):
        self.known, self.unbound = known, unbound

    def __getitem__(self, name):
        try:
            return self.known[name]
        except KeyError:
            if name in self.unbound:
                raise UnboundLocalError("the local variable '%s' has no value here" % name) from None
            raise

    def __setitem__(self, name, value):
        self.known[name] = value

    def __contains__(self, name):
        return name in self.known

    def __iter__(self):
        return iter(self.known)

    def __len__(self):
        return len(self.known)

    def __repr__(self):
        return repr(self.known)

    def __getattr__(self, name):
        return getattr(self.known, name)


def has_inlined(frame):
    """Does a comprehension run that is a part of the frame's own code, of a module or class, as from 3.12 on? The
    interpreter then makes what it gives for f_locals each time anew."""
    return not frame.f_code.co_flags & CO_OPTIMIZED and frame.f_locals is not frame.f_locals


class OuterNames(Names):
    """The names of such a frame. What is assigned goes to the module itself: what the interpreter gives is a copy, from
    3.13 on of the comprehension's variables only."""

    def __init__(self, frame):
        super().__init__(frame.f_locals, ())
        self.frame, self.problem = frame, ""
        self.of_class = () if is_module(frame.f_code) else list_named(frame.f_code)
        if VERSION >= (3, 13) and is_module(frame.f_code):
            self.known = {**frame.f_globals, **frame.f_locals}

    def explain(self, what, name):
        return "cannot %s %s while a comprehension of the same %s runs: Python %d.%d has no way to it; let the " \
               "comprehension finish first" % ((what, name, "module" if is_module(self.frame.f_code) else "class body")
                                               + VERSION[:2])

    def __getitem__(self, name):
        known = self.frame.f_locals
        if name in known or name in self.of_class and VERSION < (3, 13):
            return known[name]
        if name in self.of_class:
            raise LookupError(self.explain("read", name))
        return self.frame.f_globals[name]

    def is_global(self, name):
        """Is it the module's? It is tried out, as a comprehension's value may be the same object."""
        names, own = self.frame.f_globals, self.frame.f_locals
        if not is_module(self.frame.f_code) or VERSION >= (3, 13):
            return is_module(self.frame.f_code) and name not in own
        before, names[name] = names.get(name, self), self
        found = self.frame.f_locals.get(name) is self
        if before is self:
            del names[name]
        else:
            names[name] = before
        return found

    def __setitem__(self, name, value):
        if not self.is_global(name):
            raise TypeError(self.explain("assign", name))
        self.frame.f_globals[name] = value

    def __delitem__(self, name):
        if not self.is_global(name):
            self.problem = self.explain("delete", name)
            raise KeyError(name)
        del self.frame.f_globals[name]


def uses_exception(code):
    return EXCEPTION in code.co_names or any(
        uses_exception(constant) for constant in code.co_consts if isinstance(constant, type(code)))


def run_in_frame(code, frame):
    code = mangle(code, frame)
    names, values = frame.f_globals, OuterNames(frame) if has_inlined(frame) else frame.f_locals
    unbound = list_unbound(frame, values, code)
    if uses_exception(code):
        if not raised:
            raise LookupError("no exception is raised here: $exception is known where `catch exception` or an "
                              "uncaught one has stopped")
        values = dict(values)
        values[EXCEPTION] = raised[0]
    if unbound:
        values = Names(values, unbound)
    if names is not values and has_inner(code):
        # a comprehension or lambda inside sees only globals, so put all names into one dictionary
        names = {name: value for name, value in names.items() if name not in unbound}
        names.update(values)
        values = names
    return eval(code, names, values)


def shorten(text, limit):
    return text if len(text) <= limit else text[:limit] + "…"


# what repr() shows for a container inside itself
AGAIN = {"list": "[...]", "tuple": "(...)", "dict": "{...}", "defaultdict": "{...}", "deque": "[...]"}


class Limits:
    maker = None
    wanted = 0, 0, 0


def make_limited_repr():
    reprlib = pddt_paths.load_standard("reprlib")
    array = getattr(sys.modules.get("array"), "array", None)

    class LimitedRepr(reprlib.Repr):
        left = 0  # so many characters more are shown
        shown = ()  # addresses of the containers around the value

        def repr1(self, value, level):
            """By the type itself: the base class takes any class of these names for it."""
            maker, at = makers.get(type(value)), id(value)
            if self.left <= 0:
                return "..."
            if maker is None or type(value) in (int, str):
                text = maker(self, value, level) if maker else self.repr_instance(value, level)
                self.left -= len(text)
                return text
            if at in self.shown:
                return AGAIN.get(type(value).__name__, "...")
            self.left -= 4  # separators and brackets
            outer, self.shown = self.shown, self.shown + (at,)
            try:
                return maker(self, value, level)
            finally:
                self.shown = outer

        def repr_int(self, value, level):
            try:
                return repr(value)
            except ValueError:
                return hex(value)

        def repr_deque(self, value, level):
            text = super().repr_deque(value, level)
            return text if value.maxlen is None else "%s, maxlen=%d)" % (text[:-1], value.maxlen)

        def repr_dict(self, value, level):
            """Keeps the dictionary's order, which the base class would sort."""
            if value and level <= 0:
                return "{...}"
            items = ["%s: %s" % (self.repr1(key, level - 1), self.repr1(part, level - 1))
                     for key, part in islice(value.items(), self.maxdict)]
            return "{%s}" % ", ".join(items + ["..."] * (len(value) > self.maxdict))

        def repr_defaultdict(self, value, level):
            return "defaultdict(%s, %s)" % (self.repr1(value.default_factory, level), self.repr_dict(value, level))

    makers = {kind: getattr(LimitedRepr, "repr_" + kind.__name__)
              for kind in (int, str, list, tuple, dict, set, frozenset, deque, defaultdict)}
    if isinstance(array, type) and array.__module__ == "array":  # the program's, if it has any
        makers[array] = LimitedRepr.repr_array
    maker = LimitedRepr()
    depth, items, size = Limits.wanted
    maker.maxlevel = depth or 6
    maker.maxlist = maker.maxtuple = maker.maxset = maker.maxfrozenset = items or 200
    maker.maxdict = maker.maxdeque = maker.maxarray = items or 200
    maker.maxstring = size or 4000
    maker.maxother = LIMIT_TEXT
    return maker


def set_limits(*wanted):
    """Limits that the user has set on depth, items and the bytes of a string; 0: not set."""
    if wanted != Limits.wanted:
        Limits.wanted, Limits.maker = wanted, None


def get_text(value, limit=LIMIT_TEXT):
    """limit: so many characters of it are shown."""
    if type(value) in (int, float, bool, complex, type(None)):
        try:
            return repr(value)
        except ValueError:
            return hex(value)
    if Limits.maker is None:
        Limits.maker = make_limited_repr()
    Limits.maker.left, Limits.maker.shown = limit + 100, ()
    try:
        return shorten(Limits.maker.repr(value), LIMIT_TEXT)
    except Exception as error:
        return "<%s: %s>" % (type(error).__name__, shorten(str(error), 200))


def get_number(value):
    kind = type(value)
    if kind in (int, float, bool) or (kind.__module__ == "numpy" and hasattr(kind, "dtype")
                                      and getattr(value, "shape", None) == ()):
        try:
            return repr(float(value))
        except Exception:
            return ""
    return ""


MAX_PARTS = 200


def is_array(value):
    return type(value).__name__ == "ndarray" and bool(getattr(value, "shape", ()))


def is_row(value):
    """An array of one dimension is written on several lines only where one would be too wide."""
    return is_array(value) and len(value.shape) == 1


def list_parts(value):
    """Items or attributes of a value, each with its accessor: "[0]", "['key']", "name"."""
    if isinstance(value, dict):
        return (("[%s]" % shorten(repr(key), 200), part) for key, part in list(value.items()))
    if isinstance(value, (list, tuple)) or is_array(value):
        return (("[%d]" % index, value[index]) for index in range(len(value)))
    if isinstance(value, (type, type(sys), type(list_parts), str, bytes, int, float, complex)):
        return iter(())
    return iter(getattr(value, "__dict__", {}).items())


def has_parts(value):
    try:
        return any(True for _ in list_parts(value))
    except Exception:
        return False


def join_lines(text):
    """Puts the text of a part on one line."""
    return text if "\n" not in text else " ".join(part.strip() for part in text.splitlines())


def cut_array(value, limit):
    """As many of a numpy array's first elements as can stand in so many characters: to write all of them takes
    milliseconds, or, where the program has set numpy's threshold high, seconds. One that numpy itself writes in
    short, and one whose end would be shown too, is left as it is."""
    numpy = sys.modules.get("numpy")
    wanted = limit // 3 + 1  # "0, "
    if type(value) is not getattr(numpy, "ndarray", None) or value.size <= wanted or limit >= LIMIT_TEXT:
        return value
    if value.size > numpy.get_printoptions()["threshold"]:
        return value
    head, inner = [], value.size
    for length in value.shape:
        inner //= length
        head.append(slice(-(-wanted // inner)))
        if inner < wanted:
            break
    return value[tuple(head)]


def describe(value, limit=LIMIT_TEXT, address=0, keeps_lines=True):
    """The value's type, text and number. A value that is no number has "+" there if it has parts, then "@"
    and its address (if given), by which the whole of it can be compared."""
    text = get_text(cut_array(value, limit), limit)
    if not keeps_lines or is_row(value):
        text = join_lines(text)
    return encode(type(value).__name__, shorten(text, limit),
                  get_number(value) or ("+" if has_parts(value) else "") + ("@%x" % address if address else ""))


kept = []  # the value evaluated last, kept alive as long as its address may be read


def release():
    """The thread resumes, so objects that were kept for the engine are released."""
    kept.clear()


def describe_parts(value):
    """The name and description of each part, as many as fit."""
    out = b""
    for index, (name, part) in enumerate(list_parts(value)):
        line = encode(str(name)) + describe(part, 200, keeps_lines=False)
        if index >= MAX_PARTS or len(out) + len(line) > LIMIT_OUT - LIMIT_TEXT * 4:
            break
        out += line
    return out


def describe_return(value, name, is_yielded):
    if is_yielded and is_item(value):
        import gc
        value, = gc.get_referents(value)
    return describe(value) + encode(name) + (encode("yielded") if is_yielded else b"")


def describe_error(error, text=""):
    """text: what was to be evaluated."""
    if type(error).__name__ == "Interrupted":
        return -1, encode(str(error) or "no answer in time, interrupted")
    if isinstance(error, SyntaxError):
        return -1, encode("%s: %s%s" % (type(error).__name__, error.msg, find_hint(text)))
    return -1, encode(shorten("%s: %s" % (type(error).__name__, error), 2000))


class Capture:
    """Takes what Python code prints while a command runs, so that it does not mix with the program's
    output."""

    def __enter__(self):
        self.saved = sys.stdout, sys.stderr, sys.displayhook
        self.text = sys.stdout = sys.stderr = StringIO()
        sys.displayhook = self.show
        return self

    def show(self, value):
        if value is not None:
            self.text.write(get_text(value) + "\n")

    def __exit__(self, *error):
        sys.stdout, sys.stderr, sys.displayhook = self.saved


def evaluate(text, frame):
    try:
        with Capture():
            code = compile(translate(text.strip()), "<pddt>", "eval", 0, True)
            value = run_in_frame(code, frame)
            kept[:] = [value]
            return 0, describe(value, address=id(value)) + describe_parts(value)
    except BaseException as error:
        return describe_error(error, text)


class FrameNames(Names):
    """The names of a function's frame, as the locals of a statement. Assignments are written through at
    once: to the frame, or to the module if the module has a variable of that name and the frame does
    not."""

    def __init__(self, frame, write_back, code):
        super().__init__(frame.f_locals, list_unbound(frame, frame.f_locals, code))
        self.frame, self.write_back = frame, write_back
        self.problem = ""  # why a name could not be deleted: the interpreter says that there is none
        own = frame.f_code
        self.own, self.slots = list_own(own), {*own.co_varnames, *own.co_cellvars, *own.co_freevars}

    def is_own(self, name):
        """A comprehension's variable is so while it has a value."""
        return name in self.own or name in self.slots and name in self.frame.f_locals

    def __getitem__(self, name):
        self.known = self.frame.f_locals  # what is called may have changed them
        return super().__getitem__(name)

    def __setitem__(self, name, value):
        if not self.is_own(name) and name in self.frame.f_globals:
            self.frame.f_globals[name] = value
            return
        self.frame.f_locals[name] = value
        if name in self.slots:
            self.write_back(self.frame)

    def __delitem__(self, name):
        if self.is_own(name):
            self.problem = "a function's variable cannot be deleted from outside: %s" % name
            raise KeyError(name)
        if name in self.frame.f_globals:
            del self.frame.f_globals[name]
        else:
            del self.frame.f_locals[name]


def run_statement(code, frame, write_back):
    names = frame.f_globals
    if frame.f_code.co_flags & CO_OPTIMIZED:
        values = FrameNames(frame, write_back, code)
        if has_inner(code):
            # a comprehension inside sees only globals
            names = {name: value for name, value in names.items() if name not in values.unbound}
            names.update(frame.f_locals)
    elif has_inlined(frame):
        values = OuterNames(frame)
        inner = {name for part in list(walk_code(code))[1:] for name in part.co_names}
        if not inner.isdisjoint(frame.f_code.co_varnames + frame.f_code.co_cellvars):
            names = {**names, **frame.f_locals}
    else:
        exec(code, names, frame.f_locals)
        return
    try:
        exec(code, names, values)
    except NameError:
        if values.problem:
            raise TypeError(values.problem) from None
        raise


def execute(text, frame, write_back):
    capture = Capture()
    try:
        with capture:
            try:
                code = compile(text.strip() + "\n", "<pddt>", "single", 0, True)
            except SyntaxError:
                code = compile(text.strip() + "\n", "<pddt>", "exec", 0, True)
            run_statement(mangle(code, frame), frame, write_back)
        return 0, encode(shorten(capture.text.getvalue(), LIMIT_OUT // 2))
    except BaseException as error:
        return describe_error(error)


def list_values(values, wants):
    lines, size = [], 0
    for name, value in list(values.items()):
        if not isinstance(name, str) or not wants(name, value):
            continue
        try:
            line = encode(name) + describe(value, 400, id(value))
        except BaseException as error:  # a value that cannot be shown must not hide the others
            line = encode(name, type(value).__name__, "<%s while it is shown>" % type(error).__name__, "")
        size += len(line)
        if size > LIMIT_OUT:
            break
        lines.append(line)
    return 0, b"".join(lines)


# in a module, imports, functions and classes are variables too, but not what the user looks for
NO_VARIABLES = (type(sys), type(list_values), type(len), type)


def is_shown_global(name, value):
    return not name.startswith("__") and not isinstance(value, NO_VARIABLES)


def list_locals(frame):
    try:
        with Capture():
            # from 3.12 on a module's have those of a comprehension that is a part of it, too
            is_global = frame.f_locals is frame.f_globals or is_module(frame.f_code)
            return list_values(OuterNames(frame).known if has_inlined(frame) else frame.f_locals,
                               is_shown_global if is_global else lambda name, value: name[:1] != ".")
    except BaseException as error:
        return describe_error(error)


def list_globals(frame):
    try:
        with Capture():
            return list_values(frame.f_globals, is_shown_global)
    except BaseException as error:
        return describe_error(error)
