# SPDX-License-Identifier: GPL-3.0-or-later
"""The slow part of the agent: the code objects of a breakpoint, conditions, values as text. Called by
the compiled part (agent.c, trace.c), which decides when to stop and talks to the engine, with the
GIL held and events masked."""
import os
import sys
from _weakref import ref

import pddt_condition
import pddt_names
import pddt_paths
import pddt_sources
import pddt_user
from pddt_code import (Node, body_lines, find_delegator, is_bypassed, is_entered_once, is_first_only, is_item, is_module,
                       is_returning, list_frozen, list_lines, list_passed, list_set, list_suspended, peek_return,
                       walk_code)
from pddt_sources import codes, edited, find_name, get_tree, trees
from pddt_values import (LIMIT_OUT, compile_expression, describe_return, encode, evaluate, execute, format_log,
                         has_private, list_globals, list_locals, raised, release, run_in_frame, set_limits,
                         shorten, split_log, translate)
from pddt_user import expect_module, is_entry, is_user

# the program sees only the modules that it imports itself
for own in "pddt_code", "pddt_condition", "pddt_names", "pddt_paths", "pddt_sources", "pddt_user", "pddt_values":
    del sys.modules[own]
VERSION = sys.version_info
CO_OPTIMIZED = 1
# with what it imports itself
THREADING = ("threading", "_weakrefset", "collections", "functools", "heapq", "keyword", "operator", "reprlib", "types",
             "warnings")

agent = None
own_folder = ""
breakpoints = {}
once_seen = {}  # id -> weak reference to code that no function holds, such as a module's
original_thread_hook = None
misses_items = False
frozen_first = 0  # what the interpreter has hidden from the garbage collector before the program begins


class Breakpoint:
    def __init__(self, number, line, every, temporary, enabled, thread, file, function, condition,
                 log):
        self.number, self.line, self.every = number, line, every
        self.temporary, self.enabled, self.thread = bool(temporary), bool(enabled), thread
        self.file, self.function, self.log = file, function, log
        self.condition = self.tree = None
        self.condition_text = condition
        self.problem = ""  # why the condition or the log is not Python
        try:
            if condition:
                self.condition = compile_expression(condition, 'the condition "%s"')
                self.tree = None if has_private(self.condition) else pddt_condition.parse(translate(condition))
            split_log(log)
        except SyntaxError as error:
            self.problem = error.msg
        self.programs = {}  # code -> the condition's program in that code
        self.exception = None
        self.is_unknown = False  # there is no exception of that name yet
        self.places = {}  # (function, file, line) -> None
        self.sites = {}  # (id of code, line, kind) -> code
        self.has_own_file = False  # the program has a file of that name: those of libraries are not meant
        self.is_guess = False  # a library's function that may turn out not to be what the public name means
        # calls are watched, because a module with which the name begins is being imported, or what it names in a class
        # is there only when the class is complete
        self.is_awaited = False
        self.has_class = False  # the program defines the class with which the name begins

    def get_program(self, code):
        if self.tree is None:
            return None
        if id(code) not in self.programs:
            self.programs[id(code)] = pddt_condition.write_program(self.tree, code)
        return self.programs[id(code)]


get_paths = pddt_paths.get  # the C part asks for it here


def probe(first, second):
    return agent.check_fast(probe.__code__, first, second)


class Items:
    def __getitem__(self, index):
        return index


def take_items(items):
    for index in range(100):
        items[index]


def probe_items():
    """Some builds of CPython 3.11 begin a __getitem__ without calling the evaluation hook."""
    global misses_items
    if VERSION[:2] == (3, 11):
        for _ in range(20):
            take_items(Items())
        misses_items = agent.count_frames(take_items, Items()) < 101


def has_getter(sites):
    """May a breakpoint's code be the __getitem__ of a class?"""
    wanted = {id(site[0]) for site in sites if site[0].co_argcount == 2}
    classes, met = [object] if wanted else [], set()
    while classes:
        kind = classes.pop()
        getter = type.__dict__["__dict__"].__get__(kind).get("__getitem__")
        if id(getattr(getter, "__code__", None)) in wanted:
            return True
        for child in type.__subclasses__(kind):
            if id(child) not in met:
                met.add(id(child))
                classes.append(child)
    return False


def begin(module, folder, is_late=False):
    """is_late: the program may already be running, and may have left the folder in which it began."""
    import gc
    global agent, own_folder, frozen_first
    agent, own_folder = module, folder
    frozen_first = 0 if is_late else gc.get_freeze_count()
    pddt_paths.begin(is_late)
    pddt_user.begin(folder)
    agent.begin(Namespace())
    probe(object(), object())
    probe_items()


class Namespace:
    """Gives the compiled part access to this file's names, because the module is no longer in sys.modules."""

    def __getattr__(self, name):
        return globals()[name]


def watch_threads():
    """The module threading takes its hook from the other one when the program imports it."""
    global original_thread_hook
    module, name = sys.modules.get("threading"), "excepthook"
    if not hasattr(module, name):
        module, name = sys.modules["_thread"], "_excepthook"
    original_thread_hook = getattr(module, name)
    setattr(module, name, on_thread_exception)


def load_threading():
    """New threads get their trace function through it. Where a file beside the script has the name of one of these
    modules, they are left to the program."""
    if all(pddt_paths.is_standard(name) for name in THREADING):
        import threading
        assert threading


def ready():
    if agent.attached():
        watch_threads()
        if "PYTHONBREAKPOINT" not in os.environ or sys.flags.ignore_environment:
            sys.breakpointhook = agent.breakpointhook
        os.register_at_fork(after_in_child=agent.after_fork)
    agent.ready()


def register(code, source=None):
    """source: its text, where that is in no file."""
    if source is not None:
        pddt_sources.given[code.co_filename] = source, {id(inner) for inner in walk_code(code)}
    pddt_user.main_files.add(code.co_filename)
    learn(code, force=True)
    pddt_names.learn_aliases(code.co_filename, pddt_paths.get(code.co_filename)[0])


def uncaught(error):
    report_exception(error)


def on_thread_exception(arguments):
    if arguments.exc_value is not None and not isinstance(arguments.exc_value, SystemExit):
        report_exception(arguments.exc_value)
    original_thread_hook(arguments)


def report_exception(error):
    if not agent.attached():
        return
    frames, own = [], -1
    trace = error.__traceback__
    while trace is not None:
        frames.insert(0, (trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    for index, (frame, line) in enumerate(frames):
        if is_user(frame.f_code.co_filename):
            own = index
            break
    if isinstance(error, SyntaxError) and own < 0 and error.filename:
        agent.exception([], type(error).__name__, shorten(str(error), 3000), 0,
                        error.filename, error.lineno or 0)
        return
    try:
        message = str(error)
    except Exception:
        message = ""
    raised[:] = [error]
    agent.exception(frames, type(error).__name__, shorten(message, 3000), max(own, 0), "", 0)
    raised.clear()


# ---- where breakpoints stand ----

def add_code(code):
    codes.setdefault(code.co_filename, {})[id(code)] = code


def learn(code, force=False):
    """A module's code begins: from now on its whole tree of code objects is known."""
    if not is_module(code):
        return None
    tree = Node(code, "<module>")
    trees[code.co_filename] = tree
    edited.discard(code.co_filename)
    if force:
        for node in tree.walk():
            add_code(node.code)
    return tree


def scan_loaded():
    """Collects the live code objects: of frames on stacks, of functions, and of suspended generators and
    coroutines."""
    import gc
    found = {}
    function_type, suspended = type(scan_loaded), list_suspended()
    for frame in agent.list_frames().values():
        while frame is not None:
            found[id(frame.f_code)] = frame.f_code
            frame = frame.f_back
    for thing in gc.get_objects() + list_frozen():
        if type(thing) is function_type:
            code = thing.__code__
            found[id(code)] = code
        elif type(thing) in suspended:
            code = getattr(thing, suspended[type(thing)] + "code")
            found[id(code)] = code
    for reference in list(once_seen.values()):
        if reference() is not None:
            found[id(reference())] = reference()
    for code in list(found.values()):
        if not pddt_paths.get(code.co_filename)[1].startswith(own_folder + "/pddt_"):
            for inner in walk_code(code):
                add_code(inner)


def find_target(point, filename):
    """The nodes that have code on the line that FILE:LINE means, the outermost first, and that line."""
    tree = get_tree(filename)
    if tree is None:
        return [], 0
    line = point.line if tree.list_at(point.line) else find_next_line(point.line, tree)
    return tree.list_at(line), line


def find_next_line(wanted, tree):
    """The first line with code after a line without code, in the same function if possible; 0: none."""
    node = tree.find_innermost(wanted)
    while node is not None:
        later = [line for line in node.lines if line >= wanted]
        if later:
            return min(later)
        if node is tree:
            break
        node = tree
    return 0


def place_line(point, filename):
    nodes, line = find_target(point, filename)
    known = codes.get(filename, {})
    if not nodes:
        if get_tree(filename) is None:
            place_line_without_source(point, filename, known)
        return
    names = {(node.code.co_name, node.first) for node in nodes}
    for code in list(known.values()):
        if (code.co_name, code.co_firstlineno) in names and line in list_lines(code):
            point.sites[id(code), line, 0] = code
    name = next((node.name for node in nodes if line in node.lines), nodes[0].name)
    point.places[name, pddt_paths.get(filename)[0], line] = None


def place_line_without_source(point, filename, known):
    best = None
    line = point.line
    if not any(line in list_lines(code) for code in known.values()):
        for code in known.values():
            later = [later for later in body_lines(code) if later >= point.line]
            if later and code.co_firstlineno <= point.line:
                if best is None or code.co_firstlineno > best:
                    best, line = code.co_firstlineno, min(later)
    outermost = None
    for code in list(known.values()):
        if line in list_lines(code):
            point.sites[id(code), line, 0] = code
            if line in body_lines(code) and (outermost is None
                                             or code.co_firstlineno < outermost.co_firstlineno):
                outermost = code
    if outermost is not None:
        point.places[getattr(outermost, "co_qualname", outermost.co_name), pddt_paths.get(filename)[0], line] = None


def list_names(code, module):
    name = find_name(code)
    yield name
    if module:
        yield module + "." + name
    stem = os.path.basename(code.co_filename)
    if stem.endswith(".py") and not module:
        yield stem[:-3] + "." + name
    if not module and is_main(code.co_filename):
        yield "__main__." + name


def is_main(filename):
    main = sys.modules.get("__main__")
    file = main.__dict__.get("__file__") if isinstance(main, type(sys)) else None
    return filename == file or (file is None and filename in ("<string>", "<stdin>"))


def add_function(point, code):
    line = min(body_lines(code), default=code.co_firstlineno)
    point.sites[id(code), line, 1] = code
    point.places[next(list_names(code, "")), pddt_paths.get(code.co_filename)[0], line] = None


def is_class_of(point, code):
    """Is it the body of the program's class in which the name is looked for? That may inherit the function, or give it
    another name."""
    parts = point.function.split(".")
    return parts[-2:-1] == [code.co_name] and not code.co_flags & CO_OPTIMIZED and is_user(code.co_filename)


def leads_now(point, code):
    """Is it worth to look again for what the name means, now that this code is called?"""
    return not point.has_class or (is_user(code.co_filename)
                                   and bool(pddt_names.resolve(point.function, list_own_modules())))


def is_function(code, name):
    return code.co_name == name and not name.startswith("<") and code.co_flags & CO_OPTIMIZED


def find_named(point, is_own):
    """Codes of functions with that name, the program's own (is_own) or the libraries'."""
    modules, last, found = list_modules(), point.function.rpartition(".")[2], []
    for filename, known in list(codes.items()):
        if not point.file and (is_user(filename) != is_own or filename.startswith(
                "<frozen importlib" if "." in point.function else "<frozen")):
            continue
        module = filename[8:-1] if filename.startswith("<frozen ") else modules.get(filename, "")
        if point.file and point.file != module and not pddt_paths.match(point.file, filename):
            continue
        for code in list(known.values()):
            if is_function(code, last) and pddt_names.matches(
                    point.function, list(list_names(code, module)), module,
                    is_own or bool(point.file) or filename == "<string>"):
                found.append(code)
    return found


def list_own_modules():
    own = []
    for name, module in list(sys.modules.items()):
        file = module.__dict__.get("__file__") if isinstance(module, type(sys)) else None
        if (is_user(file) if isinstance(file, str) else name == "__main__"):
            own.append(module)
    return own


def place_function(point):
    """Prefers the program's own functions of that name. Only if there are none, looks for functions of
    libraries: first by a public name that leads to one, then by the modules' own names."""
    resolved = [] if point.file else pddt_names.resolve(point.function, list_own_modules())
    found = find_named(point, True) + [code for code in resolved if is_user(code.co_filename)]
    point.is_guess = False
    if not found and not point.file:
        found = resolved or find_named(point, False)
        point.is_guess = not resolved and "." in point.function
    point.sites.clear()
    point.places.clear()
    for code in found:
        add_code(code)
        add_function(point, code)


def list_modules():
    """Names of modules by file."""
    found = {}
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__dict__", {})
        file = spec.get("__file__") if isinstance(spec, dict) else None
        if isinstance(file, str) and name != "__main__":
            found[file] = name
    return found


def place_lines(point):
    """In the program's own files of that name. Only if it has none, in those of libraries."""
    files = [filename for filename in list(codes) if pddt_paths.match(point.file, filename)]
    own = [filename for filename in files if is_user(filename)]
    point.has_own_file = bool(own) or (bool(files) and pddt_user.has_own_file(point.file))
    point.sites.clear()
    point.places.clear()
    for filename in own if point.has_own_file else files:
        place_line(point, filename)


def meet_line(point, code):
    """Code that is new or called for the first time may have the line."""
    filename = code.co_filename
    if not pddt_paths.match(point.file, filename) or (point.has_own_file and not is_user(filename)):
        return
    if learn(code, True) is None:
        add_code(code)
    if point.has_own_file:
        place_line(point, filename)
    else:
        place_lines(point)


def place(point):
    if point.exception is not None:
        return
    if point.line:
        place_lines(point)
    else:
        place_function(point)
        point.has_class = any(is_class_of(point, code) for known in codes.values() for code in known.values())
        point.is_awaited = point.is_awaited or (point.has_class and not point.places)


def is_fixed(program, code):
    """TRUE if all variables of the condition are arguments that the code never assigns: its value then
    cannot change while a frame runs."""
    if program is None or VERSION >= (3, 12):
        return False
    bound = list_set(code)
    return all(number < code.co_argcount + code.co_kwonlyargcount and number not in bound
               for operation, number, _ in program if operation == pddt_condition.FAST)


def update():
    """Passes all sites to the compiled part."""
    import gc
    sites, points, needs_codes, has_catches = [], [], 0, False
    is_frozen = gc.get_freeze_count() > frozen_first  # there may be functions that scan_loaded has not found
    for point in breakpoints.values():
        if not point.enabled:
            continue
        points.append((point.number, point.every, point.thread,
                       point.condition is not None or point.is_guess or bool(point.problem),
                       bool(point.log), point.temporary))
        if point.exception is not None:
            has_catches = True
            needs_codes = max(needs_codes, point.is_unknown)
            continue
        needs_codes = max(needs_codes, 2 if point.is_awaited or is_frozen else 1)
        for (_, line, kind), code in point.sites.items():
            program = point.get_program(code)
            sites.append((code, line, point.number, kind, program, is_fixed(program, code),
                          list_passed(code, line) if VERSION < (3, 12) and kind == 0 else b"",
                          VERSION < (3, 12) and is_entered_once(code) and (kind == 1 or is_first_only(code, line))))
    agent.set_sites(sites, points, needs_codes, has_catches,
                    misses_items and (has_catches or needs_codes == 2 or has_getter(sites)))


def on_code(code, module):
    """A code object is called for the first time. Returns TRUE if a pending breakpoint got a place."""
    filename = code.co_filename
    if not filename.startswith("<frozen"):
        if not code.co_flags & CO_OPTIMIZED:
            once_seen[id(code)] = ref(code)
    if not breakpoints or filename.startswith(("<frozen", own_folder + "/pddt_")):
        return False
    became_set = changed = False
    for point in list(breakpoints.values()):
        before = list(point.places), list(point.sites), point.is_awaited
        if point.is_unknown:
            look_for_exception(point)
            became_set = became_set or not point.is_unknown
            changed = changed or not point.is_unknown
        if point.line:
            meet_line(point, code)
        elif point.function:
            meet_code(point, code)
        became_set = became_set or before[0] != list(point.places)
        changed = changed or before != (list(point.places), list(point.sites), point.is_awaited)
    if changed:
        update()
    return became_set


def meet_code(point, code):
    """Code that is new or called for the first time may be what the name means, or may have made the name
    mean something else."""
    last = point.function.rpartition(".")[2]
    has_name = any(is_function(inner, last) for inner in walk_code(code))
    point.has_class = point.has_class or any(is_class_of(point, inner) for inner in walk_code(code))
    if is_module(code):
        if has_name:
            learn(code, True)
        if is_user(code.co_filename):
            pddt_names.learn_aliases(code.co_filename, pddt_paths.get(code.co_filename)[0])
    elif has_name:
        add_code(code)
    is_importing = not point.file and pddt_names.is_importing(point.function)
    if has_name or (point.is_awaited and leads_now(point, code)):
        place_function(point)
    # the package's name for a function of its modules exists only when the import is complete, and a class gets a
    # method that was made at run time only when it is complete
    is_made = point.is_awaited or (has_name and code.co_filename.startswith("<"))
    point.is_awaited = (is_importing and (point.is_guess or not point.places)
                        or (point.has_class or (is_made and "." in point.function)) and not point.places)


def expects_code(filename, name):
    """May code of this file and name, made at run time, be what an enabled breakpoint means?"""
    return any(point.enabled and point.exception is None
               and (pddt_paths.match(point.file, filename) if point.line
                    else name == point.function.rpartition(".")[2])
               for point in breakpoints.values() if isinstance(filename, str))


def look_again():
    """Returns TRUE if a pending breakpoint got a place."""
    before = [point.number for point in breakpoints.values() if not point.places]
    scan_loaded()
    for point in breakpoints.values():
        if point.enabled:
            place(point)
    update()
    return any(point.places and point.number in before for point in breakpoints.values())


def describe_places(point):
    return b"".join(encode(function, file, str(line)) for function, file, line in point.places)


def describe_point(point):
    """The answer to a breakpoint that is new or has changed: a status, as mailbox.h has it, a reason and the
    places."""
    reason = point.problem
    if point.line and not point.places and not reason:
        name = next((filename for filename in list(codes) if pddt_paths.match(point.file, filename)), "")
        what = "no code" if get_tree(name) is not None else "no function that is loaded has code"
        reason = name and "%s at or after line %d of %s%s" % (what, point.line, pddt_paths.get(name)[0],
                                                              ", which was edited later" * (name in edited))
    if point.is_unknown and not reason:
        reason = "no exception \"%s\" yet" % point.exception
    status = 2 if point.problem else 0 if point.places or (point.exception is not None and not reason) else 1
    return status, encode(reason) + describe_places(point)


def set_breakpoint(*words):
    point = Breakpoint(*words)
    scan_loaded()
    place(point)
    breakpoints[point.number] = point
    update()
    return describe_point(point)


def look_for_exception(point):
    point.is_unknown = bool(point.exception) and not pddt_names.is_exception(point.exception, list_own_modules())


def catch_exception(number, line, every, temporary, enabled, thread, kind, condition, *rest):
    point = Breakpoint(number, 0, every, temporary, enabled, thread, "", "", condition, "")
    point.exception = kind
    look_for_exception(point)
    breakpoints[number] = point
    update()
    return describe_point(point)


def delete_breakpoint(number):
    if breakpoints.pop(number, None) is None:
        return -1, encode("no breakpoint %d" % number)
    update()
    return 0, b""


def enable_breakpoint(number, enabled):
    point = breakpoints.get(number)
    if point is None:
        return -1, encode("no breakpoint %d" % number)
    point.enabled = bool(enabled)
    if enabled:
        scan_loaded()
        place(point)
    update()
    return 0, b""


def list_places(number):
    point = breakpoints.get(number)
    if point is None:
        return -1, encode("no breakpoint %d" % number)
    return describe_point(point)


# ---- hits ----

def check_condition(number, frame):
    point = breakpoints[number]
    if point.problem:
        raise SyntaxError(point.problem)
    if point.is_guess:
        resolved = pddt_names.resolve(point.function, list_own_modules())
        if resolved and not any(code is frame.f_code for code in resolved):
            return False
    return point.condition is None or bool(run_in_frame(point.condition, frame))


def describe_problem(number, error):
    if breakpoints[number].problem:
        return breakpoints[number].problem
    return "%s: %s in condition %s" % (type(error).__name__, shorten(str(error), 300),
                                       breakpoints[number].condition_text)


def make_log(number, frame):
    return format_log(breakpoints[number].log, frame)


def catches(point, error):
    """By any name of its class, of a base of that, or, of a group, of what is in it."""
    kinds = [type(leaf) for leaf in pddt_names.list_leaves(error)]
    found = any(point.exception in pddt_names.list_exception_names(kind) for kind in kinds)
    if not found:
        meant = pddt_names.find_exceptions(point.exception, list_own_modules())
        found = any(issubclass(kind, tuple(meant)) for kind in kinds)
    point.is_unknown = point.is_unknown and not found
    return found


def list_catches(value, trace, frame):
    """Numbers of the breakpoints that catch an exception in this frame. The frame must be the first of the
    program's own that the exception reaches: it was raised there, or in a library that the frame has
    called."""
    kind = type(value)
    if not is_user(frame.f_code.co_filename):
        return []
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
        if is_user(trace.tb_frame.f_code.co_filename):
            return []
    silent = kind in (StopIteration, GeneratorExit, StopAsyncIteration)
    found = [number for number, point in sorted(breakpoints.items())
             if point.enabled and point.exception is not None
             and (catches(point, value) if point.exception else not silent)]
    if found:
        raised[:] = [value]
    return found


def describe_exception(error):
    """For the text of a stop: the mark, then type and text."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return "\x01" + type(error).__name__ + (": " + shorten(text, 1000) if text else "")


def forget_exception():
    raised.clear()


class Interrupted(BaseException):
    """Ends an evaluation that takes too long."""


def get_interruption():
    return Interrupted


def find_frame_behind():
    """Where a thread that runs on a greenlet's stack goes on when the outermost frame of that is left; None: the stack is its own."""
    module = sys.modules.get("greenlet._greenlet")
    greenlet = module.getcurrent().parent if module is not None else None
    while greenlet is not None and greenlet.gr_frame is None:  # not begun, or over
        greenlet = greenlet.parent
    return greenlet.gr_frame if greenlet is not None else None


def run(text, frame):
    return execute(text, frame, agent.locals_to_fast)


PART = 14000  # characters of a text in one answer, of at most four bytes


def find_source(path, start, frame):
    """The text of the code that a place names so, from that character on."""
    names = [filename for filename in list(codes) if pddt_paths.get(filename)[0] == path]
    for filename in dict.fromkeys([path] + names):
        text = pddt_sources.find(filename, frame)
        if text:
            return 0, encode(text[start:start + PART])
    return -1, encode("Python has no text of %s" % path)


def list_stack(frames):
    lines = []
    for frame, line in frames[:200]:
        code = frame.f_code
        lines.append(encode(getattr(code, "co_qualname", code.co_name),
                            pddt_paths.get(code.co_filename)[0], str(line or frame.f_lineno or 0)))
    return 0, b"".join(lines)[:LIMIT_OUT]
