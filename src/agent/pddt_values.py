# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as text, expressions and statements in a frame, and log texts. Called by pddt_support.py and
by the compiled part, with the GIL held and events masked."""
import sys

VERSION = sys.version_info
CO_OPTIMIZED = 1
LIMIT_TEXT = 8000
LIMIT_OUT = 60000


def encode(*words):
    return b"".join(word.encode("utf-8", "backslashreplace").replace(b"\0", b"\\x00") + b"\0"
                    for word in words)


log_parts = {}      # text of a log -> its parts: plain text, or the code of a field


def split_log(text):
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
            parts += [plain, compile_field(text[at + 1:end - 1])]
            at, plain = end, ""
        else:
            plain += text[at]
            at += 1
    return parts + [plain]


def compile_field(field):
    """A field of a formatted string: with !r, a format, or neither."""
    for source in 'f"""{%s}"""' % field, "f'''{%s}'''" % field, "format(%s)" % field:
        try:
            return compile(translate(source), "<log>", "eval", 0, True)
        except SyntaxError:
            continue
    return "{%s}" % field


def format_log(text, frame):
    if text not in log_parts:
        log_parts[text] = split_log(text)
    return shorten("".join(part if isinstance(part, str) else format_field(part, frame)
                           for part in log_parts[text]), 3900)


def format_field(code, frame):
    try:
        return run_in_frame(code, frame)
    except Exception as error:
        return "<%s: %s>" % (type(error).__name__, error)


EXCEPTION = "__pddt_exception__"
raised = []         # the exception that the thread has stopped with


def translate(text):
    """$exception is no name of Python."""
    return text.replace("$exception", EXCEPTION)


def is_private(name):
    return name.startswith("__") and not name.endswith("__")


def has_private(code):
    """It has names that mean others inside a class."""
    return any(map(is_private, code.co_names)) or any(
        has_private(constant) for constant in code.co_consts if isinstance(constant, type(code)))


def find_class(frame):
    """The name of the class that the frame's code was written in; None."""
    code = frame.f_code
    if VERSION >= (3, 11):
        parts = code.co_qualname.split(".")
        at = len(parts) - 1
        while at > 0 and parts[at - 1] == "<locals>":
            at -= 2
        return parts[at - 1] if at > 0 else None
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
    return None


def mangle(code, frame):
    """__name inside a class is _Class__name."""
    kind = (find_class(frame) or "").lstrip("_") if has_private(code) else ""
    if not kind:
        return code

    def change(code):
        return code.replace(
            co_names=tuple("_" + kind + name if is_private(name) else name for name in code.co_names),
            co_consts=tuple(change(constant) if isinstance(constant, type(code)) else constant
                            for constant in code.co_consts))
    return change(code)


def run_in_frame(code, frame):
    code = mangle(code, frame)
    names, values = frame.f_globals, frame.f_locals
    if EXCEPTION in code.co_names:
        if not raised:
            raise LookupError("no exception is raised here: $exception is known where `catch exception` or an "
                              "uncaught one has stopped")
        values = dict(values)
        values[EXCEPTION] = raised[0]
    if names is not values and any(isinstance(constant, type(code)) for constant in code.co_consts):
        # a comprehension or lambda inside sees only globals: give it one flat table
        names = dict(names)
        names.update(values)
        values = names
    return eval(code, names, values)


def shorten(text, limit):
    return text if len(text) <= limit else text[:limit] + "…"


class Limits:
    maker = None
    wanted = 0, 0, 0


def make_limited_repr():
    import reprlib
    from itertools import islice

    class LimitedRepr(reprlib.Repr):
        def repr_dict(self, value, level):
            """In the dictionary's own order, where the base class sorts."""
            if value and level <= 0:
                return "{...}"
            items = ["%s: %s" % (self.repr1(key, level - 1), self.repr1(part, level - 1))
                     for key, part in islice(value.items(), self.maxdict)]
            return "{%s}" % ", ".join(items + ["..."] * (len(value) > self.maxdict))

    maker = LimitedRepr()
    depth, items, size = Limits.wanted
    maker.maxlevel = depth or 6
    maker.maxlist = maker.maxtuple = maker.maxset = maker.maxfrozenset = items or 200
    maker.maxdict = maker.maxdeque = maker.maxarray = items or 200
    maker.maxstring = size or 4000
    maker.maxother = LIMIT_TEXT
    return maker


def set_limits(*wanted):
    """Depth, items and bytes of a string, as the user has set them; 0: not set."""
    if wanted != Limits.wanted:
        Limits.wanted, Limits.maker = wanted, None


def get_text(value):
    if type(value) in (int, float, bool, complex, type(None)):
        try:
            return repr(value)
        except ValueError:
            return hex(value)
    if Limits.maker is None:
        Limits.maker = make_limited_repr()
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


def list_parts(value):
    """Items or attributes of a value, each with what leads to it: "[0]", "['key']", "name"."""
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
    """A value is one line; `py print (value)` shows it as its class would."""
    return text if "\n" not in text else " ".join(part.strip() for part in text.splitlines())


def describe(value, limit=LIMIT_TEXT, address=0):
    """Type, text, and the number that it is, or "+" when it has parts; then where it is, for who wants
    to compare the whole of it."""
    return encode(type(value).__name__, shorten(join_lines(get_text(value)), limit),
                  get_number(value) or ("+" if has_parts(value) else "") + ("@%x" % address if address else ""))


kept = []           # what was evaluated last: it is there as long as its address may be read


def release():
    """The thread goes on: what it drops then is dropped now."""
    kept.clear()


def describe_parts(value):
    """For each part its name and description, as many as there is room for."""
    out = b""
    for index, (name, part) in enumerate(list_parts(value)):
        line = encode(str(name)) + describe(part, 200)
        if index >= MAX_PARTS or len(out) + len(line) > LIMIT_OUT - LIMIT_TEXT * 4:
            break
        out += line
    return out


def describe_return(value, name):
    return describe(value) + encode(name)


def describe_error(error):
    if type(error).__name__ == "Interrupted":
        return -1, encode(str(error) or "no answer in 2 s, interrupted")
    if isinstance(error, SyntaxError):
        return -1, encode("%s: %s" % (type(error).__name__, error.msg))
    return -1, encode(shorten("%s: %s" % (type(error).__name__, error), 2000))


class Capture:
    """Takes what Python code prints while a command runs: the program's output stays its own."""

    def __enter__(self):
        import io
        self.saved = sys.stdout, sys.stderr, sys.displayhook
        self.text = sys.stdout = sys.stderr = io.StringIO()
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
        return describe_error(error)


class FrameNames:
    """The names of a function's frame as a statement's locals: what it binds is written through at
    once, to the module's names where the frame has none of that name but the module has."""

    def __init__(self, frame, write_back):
        self.frame, self.write_back = frame, write_back
        code = frame.f_code
        self.own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}

    def __getitem__(self, name):
        return self.frame.f_locals[name]

    def keys(self):
        return self.frame.f_locals.keys()

    def __setitem__(self, name, value):
        if name not in self.own and name in self.frame.f_globals:
            self.frame.f_globals[name] = value
            return
        self.frame.f_locals[name] = value
        if name in self.own:
            self.write_back(self.frame)

    def __delitem__(self, name):
        if name in self.own:
            raise TypeError("a function's variable cannot be deleted from outside: %s" % name)
        if name in self.frame.f_globals:
            del self.frame.f_globals[name]
        else:
            del self.frame.f_locals[name]


def run_statement(code, frame, write_back):
    names = frame.f_globals
    if frame.f_code.co_flags & CO_OPTIMIZED:
        values = FrameNames(frame, write_back)
        if any(isinstance(constant, type(code)) for constant in code.co_consts):
            names = dict(names)     # a comprehension inside sees only globals
            names.update(frame.f_locals)
        exec(code, names, values)
    else:
        exec(code, names, frame.f_locals)


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
        except BaseException as error:      # one that cannot be shown hides no other
            line = encode(name, type(value).__name__, "<%s while it is shown>" % type(error).__name__, "")
        size += len(line)
        if size > LIMIT_OUT:
            break
        lines.append(line)
    return 0, b"".join(lines)


# in a module every import, function and class is a variable: not what one looks for
NO_VARIABLES = (type(sys), type(list_values), type(len), type)


def is_shown_global(name, value):
    return not name.startswith("__") and not isinstance(value, NO_VARIABLES)


def list_locals(frame):
    try:
        with Capture():
            is_global = frame.f_locals is frame.f_globals
            return list_values(frame.f_locals,
                               is_shown_global if is_global else lambda name, value: name[:1] != ".")
    except BaseException as error:
        return describe_error(error)


def list_globals(frame):
    try:
        with Capture():
            return list_values(frame.f_globals, is_shown_global)
    except BaseException as error:
        return describe_error(error)
