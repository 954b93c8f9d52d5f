# SPDX-License-Identifier: GPL-3.0-or-later
"""pddt's own objects in Python: pddt.job is the job, sets of its ranks act as `on SET` does. See the manual's chapter
on scripts, and pddt.pyi for the types."""
import __main__
import os
import sys
import traceback

import _pddt
from pddt_port import (ADD, ARM, CALL, DISOWN, DONE, END, EVENT, FACTS, HIT, LISTEN, OWN, RUN, WRITE, port)
from pddt_values import (Answer, Busy, Corrupt, Denied, ERRORS, Error, Fault, Frame, Gone, Invalid, Lost, NotFound,
                         Partial, Place, Reply, Stack, State, Timeout, Unsupported, Value, as_bytes, format_ranks,
                         parse_ranks, read_moment)
from pddt_profile import (Allocation, Collective, CountedLine, File, Function, Line, Lock, Member, Message, Node, Process, Profile,
                          Sample, Spot, Traffic, Wait, get_taken as _get_taken, open_profile as _open_profile)

_LIBRARY = os.path.join(os.path.dirname(os.__file__), "")
_commands = {}
_functions = {}  # also of gdb.Function
_breakpoints = {}


def _ask(line):
    reply = Reply(*port.command(line))
    if reply.problem is not None and not reply.events:
        raise ERRORS.get(reply.code, Error)(reply.problem)
    return reply


class Ranks:
    """A set of ranks, which stays as it is. Operators: | & - ^ in len; iterating gives numbers, str the language's
    set. What the language does `on SET`, its methods do."""

    def __init__(self, ranks=()):
        self._ranks = frozenset(ranks)

    def __or__(self, other):
        return Ranks(self._ranks | _numbers(other))

    def __and__(self, other):
        return Ranks(self._ranks & _numbers(other))

    def __sub__(self, other):
        return Ranks(self._ranks - _numbers(other))

    def __xor__(self, other):
        return Ranks(self._ranks ^ _numbers(other))

    def __contains__(self, rank):
        return rank in self._ranks

    def __iter__(self):
        return iter(sorted(self._ranks))

    def __len__(self):
        return len(self._ranks)

    def __eq__(self, other):
        return isinstance(other, Ranks) and self._ranks == other._ranks

    def __hash__(self):
        return hash(self._ranks)

    def __le__(self, other):
        return self._ranks <= _numbers(other)

    def __str__(self):
        return format_ranks(self._ranks)

    def __repr__(self):
        return f"<Ranks {self}>"

    def run(self, line):
        """One line of the command language on these ranks; its events as dictionaries, as --json writes them."""
        if not self._ranks:
            raise Invalid("no rank is in this set")
        return _ask(f"on {self} {line}")

    def _answer(self, line, kind, make):
        reply = self.run(line)
        events = [event for event in reply.events if event.get("event") == kind]
        return Answer(Ranks, [(parse_ranks(event.get("ranks")), make(event)) for event in events], reply,
                      any(event.get("sampled") for event in events))

    # ---- reading ----

    def state(self):
        return self._answer("show state", "state", State)

    def where(self, n=0, threads=False, full=False):
        """Stacks; ranks with equal ones are one group."""
        words = [str(n)] * bool(n) + ["threads"] * threads + ["full"] * full
        reply = self.run(" ".join(["where", *words]))
        groups, sampled = [], False
        for event in reply.events:
            if event.get("event") == "stacks":
                groups += _split_tree(event["frames"])
                sampled = sampled or bool(event.get("sampled"))
        return Answer(Ranks, groups, reply, sampled)

    def value(self, expression):
        """What the expression is in each rank, in its selected frame's language."""
        return self._values(f"print {expression}", expression)

    def call(self, expression):
        """As value, and may call functions of the program."""
        return self._values(f"call {expression}", expression)

    def _values(self, line, expression):
        reply = self.run(line)
        groups, sampled = [], False
        for event in reply.events:
            if event.get("event") == "values" and event["values"]:
                sampled = sampled or bool(event.get("sampled"))
                for group in event["values"][0]["groups"]:
                    ranks = Ranks(parse_ranks(group["ranks"]))
                    groups.append((ranks._ranks, Value(ranks, expression, group, read_moment(ranks))))
        return Answer(Ranks, groups, reply, sampled)

    def locals(self):
        """The arguments and local variables of the selected frame: {name: Value}."""
        reply = self.run("show locals")
        found, kinds = {}, {}
        for event in reply.events:
            for row in event.get("values", ()) if event.get("event") == "values" else ():
                for group in row["groups"]:
                    ranks = Ranks(parse_ranks(group["ranks"]))
                    value = Value(ranks, row["name"], group, None)
                    for rank in ranks:
                        found.setdefault(rank, {})[row["name"]] = value
        for rank, names in found.items():
            kinds.setdefault(tuple(map(id, names.values())), (set(), names))[0].add(rank)
        moments = [(Ranks(ranks), names) for ranks, names in kinds.values()]
        return Answer(Ranks, [(ranks._ranks, {name: _of(value, ranks) for name, value in names.items()})
                              for ranks, names in moments], reply)

    def messages(self):
        """The rows of `show queue`, as dictionaries."""
        return [event for event in self.run("show queue").events if event.get("event") == "queue"]

    def why(self):
        """What these ranks wait for: the events of `why`, as dictionaries with verdict, text, culprits, certain."""
        return [event for event in self.run("why").events if event.get("event") == "why"]

    def profile(self, seconds=5):
        """Where they spend their time from now on, as `profile` measures it. Who has not told is in its `failed` and
        `missing`."""
        answer = Answer(Ranks, [], self.run(f"profile {seconds}"))
        try:
            found = _get_taken(Ranks) if len(answer.missing) < len(self) else None
        except NotFound:
            found = None
        if found is None:
            raise Partial(answer)
        found.missing, found.failed = answer.missing, answer.failed
        return found

    def text(self, line):
        """What the language prints for the line."""
        return port.command(f"on {self} {line}", as_text=True)[0]

    # ---- changing ----

    def set_var(self, left, value):
        reply = self.run(f"set var {left} = {value}")
        if not reply.ok:
            raise Partial(Answer(Ranks, [], reply))

    def _move(self, line, wait):
        reply = self.run(line + ("" if wait else " &"))
        answer = Answer(Ranks, [], reply)
        if not reply.ok:
            raise Partial(answer)

    def go(self, wait=True):
        """Lets them run. As in a file of commands, what comes next for them waits until they have stopped, unless wait is
        False."""
        self._move("continue", wait)

    def step(self, n=1, wait=True):
        self._move(f"step {n}", wait)

    def next(self, n=1, wait=True):
        self._move(f"next {n}", wait)

    def finish(self, wait=True):
        self._move("finish", wait)

    def until(self, where, wait=True):
        self._move(f"until {where}", wait)

    def pause(self):
        self._move("pause", True)

    def kill(self):
        self._move("kill", True)

    def detach(self):
        self._move("detach", True)

    def wait(self, seconds=None):
        """Until none of them moves any more; callbacks of breakpoints run meanwhile. False: the time is over, or nothing
        can move any more (why says what is wrong)."""
        reply = self.run("wait" + (f" {seconds}" if seconds is not None else ""))
        port.judge_hits()
        return reply.ok

    def frame(self, n):
        """Selects frame n for what the script reads."""
        return self._answer(f"frame {n}", "frame", Frame)

    # ---- stopping ----

    def break_at(self, where, if_=None, every=None, log=None, thread=None, temporary=False, callback=None):
        """A breakpoint; as a decorator it takes the callback, which is called with a Hit for all ranks that have
        arrived: they stop if it returns true, else they go on."""
        words = ["tbreak" if temporary else "break", str(where)]
        words += [f"if {if_}"] * (if_ is not None) + [f"every {every}"] * (every is not None)
        words += [f"thread {thread}"] * (thread is not None)
        words += ['log "{}"'.format(log.replace('"', '\\"'))] if log is not None else []
        return Breakpoint(self, self.run(" ".join(words)), callback)

    def watch(self, expression, if_=None, callback=None):
        return Breakpoint(self, self.run(f"watch {expression}" + (f" if {if_}" if if_ else "")), callback)

    def catch(self, event, if_=None, callback=None):
        return Breakpoint(self, self.run(f"catch {event}" + (f" if {if_}" if if_ else "")), callback)


def _of(value, ranks):
    copy = value._narrow(ranks)
    copy._moment, copy._group = read_moment(ranks), ranks
    return copy


def _numbers(ranks):
    if isinstance(ranks, Ranks):
        return ranks._ranks
    if isinstance(ranks, str):
        return job.ranks(ranks)._ranks
    return frozenset([ranks] if isinstance(ranks, int) else ranks)


def _split_tree(frames):
    """(ranks, Stack) for each end of a branch of the tree, which is flat, outermost first."""
    groups, path = [], []

    def close(depth):
        while len(path) > depth:
            ranks, events = path[-1][0], [event for _, event in path]
            if ranks:
                groups.append((frozenset(ranks), Stack([Frame(event) for event in reversed(events)])))
            path.pop()
    for event in frames:
        close(event["depth"])
        ranks = set(parse_ranks(event["ranks"]))
        if path:
            path[-1][0].difference_update(ranks)
        path.append((ranks, event))
    close(0)
    return groups


class Breakpoint:
    """number, ranks, places; callback: called at each hit, or None."""

    def __init__(self, ranks, reply, callback):
        found = [event["breakpoint"] for event in reply.events if "breakpoint" in event]
        if not found:
            raise Partial(Answer(Ranks, [], reply))
        self.number, self.ranks = found[0], ranks
        self.places = [Place(place) for event in reply.events for place in event.get("places", ())]
        self._enabled, self._callback = True, None
        self.callback = callback

    def __call__(self, function):
        self.callback = function
        return function

    @property
    def callback(self):
        return self._callback

    @callback.setter
    def callback(self, function):
        self._callback = function
        if function is not None:
            _breakpoints[self.number] = self
            port.ask(OWN, number=self.number)
        elif _breakpoints.pop(self.number, None) is not None:
            _pddt.send(DISOWN, 0, None, None, self.number)

    @property
    def enabled(self):
        return self._enabled

    @enabled.setter
    def enabled(self, value):
        self.ranks.run(f"{'enable' if value else 'disable'} {self.number}")
        self._enabled = bool(value)

    def delete(self):
        self.callback = None
        self.ranks.run(f"delete {self.number}")

    def __repr__(self):
        return f"<Breakpoint {self.number} of {self.ranks}>"


class Hit:
    """Ranks that have arrived at a breakpoint: they stand while its callback runs."""

    def __init__(self, breakpoint, ranks):
        self.breakpoint, self.ranks = breakpoint, ranks

    def value(self, expression):
        return self.ranks.value(expression)

    def where(self, n=0):
        return self.ranks.where(n)

    def locals(self):
        return self.ranks.locals()

    def state(self):
        return self.ranks.state()


class Options:
    """job.options["limit-items"]"""

    def __getitem__(self, name):
        for line in port.command("show options", as_text=True)[0].splitlines():
            known, equals, value = line.partition(" = ")
            if equals and known == name:
                return value.partition(" (")[0]
        raise NotFound(f'no option "{name}"')

    def __setitem__(self, name, value):
        value = {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value
        _ask(f"set option {name} {value}")


class Job:
    """The job that is debugged. job[3], job[0:8] and job.ranks("SET") are sets of its ranks."""

    def __init__(self):
        self.options = Options()

    def _facts(self):
        ranks, focus, start, ended = (port.ask(FACTS)[0] or "||0|1").split("|")
        return Ranks(parse_ranks(ranks)), Ranks(parse_ranks(focus)), int(start), ended == "1"

    @property
    def all(self):
        return self._facts()[0]

    @property
    def focus(self):
        """The ranks that the running script is about: `on SET source FILE`, else the focus."""
        return Ranks(parse_ranks(port.given)) if port.given else self._facts()[1]

    @property
    def size(self):
        return len(self.all)

    @property
    def starts(self):
        """How often it was started again."""
        return self._facts()[2]

    @property
    def is_over(self):
        return self._facts()[3]

    def __len__(self):
        return self.size

    def __getitem__(self, which):
        ranks = sorted(self.all)
        if isinstance(which, slice):
            if which.step is not None and which.step < 1:
                raise Invalid("a set of ranks has a stride above 0")
            return Ranks(rank for rank in ranks
                         if rank in range(which.start or 0, (ranks[-1] + 1 if which.stop is None else which.stop)
                                          if ranks else 0, which.step or 1))
        if which not in self.all:
            raise NotFound(f"no rank {which}")
        return Ranks([which])

    def ranks(self, text):
        """Those of a SET of the language, such as "breakpoint", "at a.c:7" or "where (x < 0)", as they are now."""
        reply = _ask(f"on {text} show state")
        return Ranks(frozenset().union(*(parse_ranks(event.get("ranks")) for event in reply.events)))

    def run(self, line):
        """One line of the command language; its events, as --json writes them."""
        return _ask(line)

    def execute(self, line):
        """The same, but returns what the language prints."""
        return port.command(line, as_text=True)[0]

    def restart(self):
        _ask("restart")

    def kill(self):
        self.all.kill()

    def detach(self):
        self.all.detach()

    @property
    def breakpoints(self):
        """Those that scripts have callbacks for."""
        return list(_breakpoints.values())

    @property
    def profile(self):
        """The last one that `profile`, or `profile stop`, has taken here."""
        return _get_taken(Ranks)

    def events(self, seconds=None):
        """What happens, as dictionaries: until nothing has for so many seconds."""
        import json
        _pddt.send(LISTEN, 0, None, None, 1)
        try:
            while (text := port.wait_event(-1 if seconds is None else seconds)) is not None:
                yield json.loads(text)
        finally:
            _pddt.send(LISTEN, 0, None, None, 0)
            port.events.clear()


def open_profile(path):
    """An archive of a measured or traced run, as `pddt --open` reads it."""
    return _open_profile(Ranks, path)


def command(name=None):
    """Decorator: the function becomes a command of the language. It is called with the ranks that the command is for and
    the text behind its name; its docstring is the help."""
    def add(function, word=None):
        word = word or function.__name__
        import inspect
        text, ok, _ = port.ask(ADD, word, inspect.getdoc(function) or "")
        if not ok:
            raise Invalid(text)
        _commands[word] = function
        return function
    return add(name) if callable(name) else lambda function: add(function, name)


def _add_function(name, function):
    if not name.isidentifier() or not name.isascii():
        raise Invalid(f'"{name}" cannot be a function: its name has letters, digits and _ only')
    _functions[name] = function
    port.ask(ARM, name)


def function(name=None):
    """Decorator: `print $NAME(EXPR, ...)` calls the function, with values, once for each distinct list of them over the
    ranks, and shows what it returns."""
    def add(called, word=None):
        _add_function(word or called.__name__, called)
        return called
    return add(name) if callable(name) else lambda called: add(called, name)


# ---- the loop ----

def _judge(number, ranks):
    """The callback's decision; what goes wrong in it stops the ranks."""
    breakpoint = _breakpoints.get(number)
    ranks = Ranks(parse_ranks(ranks))
    stops = True
    try:
        stops = breakpoint is None or bool(breakpoint.callback(Hit(breakpoint, ranks)))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        port.ask(WRITE, f"the callback of breakpoint {number}: {_describe(error)}")
    if stops:
        print(ranks.text("show state"))
    else:
        still = ranks & _standing(number, ranks)
        if still:
            still.go(wait=False)


def _standing(number, ranks):
    """The callback may have moved some itself."""
    return Ranks(rank for group, state in ranks.state().groups
                 if state.word == "breakpoint" and state.breakpoint == number for rank in group)


def _describe(error):
    """FILE:LINE: what is wrong, of the innermost line that is the script's."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}: {type(error).__name__}: {error.msg}"
    place, is_own = "", False
    for frame in traceback.extract_tb(error.__traceback__):
        is_library = frame.filename.startswith((_LIBRARY, "<frozen"))
        if not frame.filename.startswith("<pddt") and not (is_own and is_library):
            place, is_own = f"{frame.filename}:{frame.lineno}: ", not is_library
    text = str(error)
    return f"{place}{type(error).__name__}{': ' + text if text else ''}"


def _run(kind, text, name, number):
    if kind == CALL:
        _commands[text](job.focus, name or "")
        return
    __main__.__dict__["pddt"] = sys.modules["pddt"]
    if name:
        __main__.__dict__["__file__"] = name
    code = compile("\n" * (number - 1) + (text or ""), name or "<python>", "exec")
    exec(code, __main__.__dict__)


def _finish_output():
    sys.stdout.finish()
    sys.stderr.finish()


def _do(kind, text, name, ranks, number):
    """Why it has failed, or None."""
    problem = None
    port.given = ranks
    try:
        _run(kind, text, name, number)
    except SystemExit as error:
        if error.code not in (None, 0):
            problem = f"{name or 'the script'} ended with {error.code}"
    except KeyboardInterrupt as error:
        place = _describe(error).rpartition(": ")[0]
        problem = f"interrupted{' at ' + place if place else ''}"
    except BaseException as error:
        problem = _describe(error)
    try:
        port.judge_hits()
        _finish_output()
    except BaseException as error:
        problem = problem or _describe(error)
    port.given = None
    return problem


def _serve():
    port.judge, port.do = _judge, _do
    current = None
    while not port.is_over:
        try:
            message = _pddt.take()
            if message is None:
                continue
            kind, identity, text, name, ranks, number, _ = message
            if kind in (RUN, CALL):
                current = identity
                problem = _do(kind, text, name, ranks, number)
                current = None
                _pddt.send(DONE, identity, problem and problem.replace("\0", "\\0"))
            else:
                port.handle(message, True)
                _finish_output()
        except BaseException:  # an interrupt that came late
            if current is not None:
                _pddt.send(DONE, current, "interrupted")
                current = None


for _name, _what in list(globals().items()):
    if isinstance(_what, type) and _what.__module__ in ("pddt_values", "pddt_profile"):
        _what.__module__ = "pddt"
job = Job()
