# SPDX-License-Identifier: GPL-3.0-or-later
"""The thread of scripts: takes what is to run, asks pddt's main loop, and keeps scripts from what would end pddt."""
import _pddt
import collections
import os
import posix
import sys
import threading

(RUN, CALL, HIT, EVENT, ANSWER, WAKE, END, SHOW, STARTED, DONE, JUDGED, COMMAND, WRITE, ADD, OWN, DISOWN, LISTEN, FACTS,
 MOMENT, ARRAY, OBJECT, SHOWING, SHOWN, ARM, PROFILE) = range(25)
MAX_DEPTH, IN_CALLBACK = 8, 0x100
MAX_RECURSION = 10000
PIECE = 1 << 20  # characters of output that are sent at once


class Port:
    def __init__(self):
        self.last = 0
        self.answers = {}
        self.hits = collections.deque()
        self.events = collections.deque(maxlen=10000)
        self.depth = 0       # of scripts that were called by scripts, or by hits
        self.is_judging = False
        self.do = None       # of pddt.py
        self.is_over = False
        self.judge = None    # of pddt.py
        self.thread = threading.get_ident()
        self.given = None    # ranks that the running script is about, as text
        self.serve_show = None  # of gdb.py
        self.serve_call = None  # of pddt_functions.py

    def ask(self, kind, text=None, text2=None, number=0, takes_hits=False):
        """The answer's text, whether it is good, and its bytes."""
        if threading.get_ident() != self.thread:
            raise RuntimeError("pddt can be asked in the thread that runs scripts only, not in one that a script "
                               "started")
        self.last += 1
        mine = self.last
        _pddt.send(kind, mine, clean(text), clean(text2), number)
        while mine not in self.answers:
            self.handle(_pddt.take(), takes_hits)
        return self.answers.pop(mine)

    def handle(self, message, takes_hits):
        if message is None:
            return
        kind, identity, text, _, _, number, data = message
        if kind == ANSWER:
            self.answers[identity] = (text, bool(number), data)
        elif kind == HIT:
            self.hits.append((identity, number, text))
        elif kind == EVENT:
            self.events.append(text)
        elif kind in (RUN, CALL):
            self.run_inside(message)
        elif kind == END:
            self.is_over = True
            raise SystemExit
        elif kind == SHOW:
            self.show(message)
        if takes_hits:
            self.judge_hits()

    def show(self, message):
        """Its lines are not those of a script that waits."""
        _, identity, text, call, _, _, _ = message
        self.depth += self.depth < MAX_DEPTH - 1
        depth = self.depth
        try:
            if call is None:
                self.serve_show(identity, text)
            else:
                self.serve_call(identity, text, call)
        finally:
            self.depth = depth - 1

    def judge_hits(self):
        while self.hits and not self.is_judging and self.depth < MAX_DEPTH - 1:
            identity, number, ranks = self.hits.popleft()
            self.is_judging = True
            self.depth += 1
            try:
                self.judge(number, ranks)
            finally:
                self.depth -= 1
                self.is_judging = False
                _pddt.send(JUDGED, identity)

    def run_inside(self, message):
        """A command of a script's in a line that a script runs."""
        kind, identity, text, name, ranks, number, _ = message
        problem = "too many scripts call each other"
        given = self.given
        try:
            if self.depth < MAX_DEPTH - 1:
                self.depth += 1
                try:
                    problem = self.do(kind, text, name, ranks, number)
                finally:
                    self.depth -= 1
        finally:
            self.given = given
            _pddt.send(DONE, identity, clean(problem))

    def command(self, line, as_text=False):
        """What the line answers, and whether it has worked for all."""
        place = 2 * self.depth + as_text
        text, ok, _ = self.ask(COMMAND, line, number=place | (IN_CALLBACK if self.is_judging else 0), takes_hits=True)
        return text or "", ok

    def wait_event(self, seconds):
        """A JSON text; None: the time is over."""
        if not self.events:
            self.handle(_pddt.take(seconds), True)
        return self.events.popleft() if self.events else None


def clean(text):
    """As C takes it."""
    if text is None:
        return None
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode()


class Out:
    """sys.stdout and sys.stderr: whole lines, through pddt's own output."""
    encoding, errors, newlines, closed, line_buffering = "utf-8", "backslashreplace", None, False, True

    def __init__(self, number):
        self.number, self.kept = number, ""

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.kept += text
        end = self.kept.rfind("\n")
        if end >= 0 or len(self.kept) > PIECE:
            whole, self.kept = (self.kept[:end], self.kept[end + 1:]) if end >= 0 else (self.kept, "")
            self.send(whole)
        return len(text)

    def send(self, text):
        while text is not None:
            cut = text.rfind("\n", 0, PIECE) if len(text) > PIECE else -1
            size = cut if cut >= 0 else PIECE
            piece, text = text[:size], text[size + (cut >= 0):] if len(text) > size else None
            if threading.get_ident() == port.thread:
                port.ask(WRITE, piece, number=self.number)
            else:
                _pddt.send(WRITE, 0, clean(piece), None, self.number)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def finish(self):
        if self.kept:
            whole, self.kept = self.kept, ""
            self.send(whole)

    def isatty(self):
        return False

    def writable(self):
        return True

    def readable(self):
        return False

    def fileno(self):
        raise OSError("a script's output goes through pddt and is no file")


class NoInput:
    """sys.stdin: the terminal is the user's."""
    encoding, closed = "utf-8", False

    def readline(self, *_):
        return ""

    read = readline

    def __iter__(self):
        return iter(())

    def isatty(self):
        return False

    def fileno(self):
        raise OSError("scripts have no input")


# ---- what would end pddt, or the job ----

def refuse(what, instead):
    def refused(*_, **__):
        raise RuntimeError(f"{what} would end pddt, and with it the job: {instead}")
    return refused


own_descriptors = set()


def watch(event, arguments):
    if event in ("os.exec", "os.fork", "os.forkpty"):
        raise RuntimeError(f"{event} would copy or replace pddt: use subprocess")
    if event == "os.kill" and arguments[0] in (os.getpid(), 0, -1, -os.getpgrp()):
        raise RuntimeError("a script does not signal pddt itself")
    if event == "os.killpg" and arguments[0] in (0, os.getpgrp()) or event == "signal.pthread_kill":
        raise RuntimeError("a script does not signal pddt itself")
    if event == "open" and type(arguments[0]) is int and arguments[0] not in own_descriptors:
        raise OSError(9, f"descriptor {arguments[0]} is not the script's own")


def limit_recursion(depth, real=sys.setrecursionlimit):
    if depth > MAX_RECURSION:
        raise ValueError(f"more than {MAX_RECURSION} calls inside each other could overflow the stack, and end pddt")
    real(depth)


def guard_descriptors():
    """Scripts close what they have opened: the others are pddt's links with the job."""
    own = own_descriptors

    def note(function):
        def opening(*arguments, **named):
            found = function(*arguments, **named)
            own.update(found if isinstance(found, tuple) else (found,))
            return found
        return opening

    def close(fd, real=posix.close):
        if fd not in own:
            raise OSError(9, f"descriptor {fd} is not the script's own")
        own.discard(fd)
        real(fd)

    def closerange(low, high):
        for fd in [fd for fd in own if low <= fd < high]:
            close(fd)

    def dup2(fd, fd2, inheritable=True, real=posix.dup2):
        if fd2 not in own:
            raise OSError(9, f"descriptor {fd2} is not the script's own")
        return real(fd, fd2, inheritable)

    for name in "open", "pipe", "pipe2", "dup", "openpty", "memfd_create", "eventfd", "pidfd_open":
        if hasattr(posix, name):
            replace(name, note(getattr(posix, name)))
    replace("close", close)
    replace("closerange", closerange)
    replace("dup2", dup2)


def replace(name, function):
    setattr(posix, name, function)
    setattr(os, name, function)


def guard():
    import _signal
    sys.setrecursionlimit = limit_recursion
    replace("_exit", refuse("os._exit", "sys.exit ends the script, and quit pddt"))
    replace("abort", refuse("os.abort", "sys.exit ends the script, and quit pddt"))
    for module in filter(None, (_signal, sys.modules.get("signal"))):
        for name in "signal", "raise_signal", "alarm", "setitimer", "set_wakeup_fd", "siginterrupt", "pthread_sigmask":
            setattr(module, name, refuse(f"signal.{name}", "pddt needs its signals"))
    guard_descriptors()
    sys.addaudithook(watch)


port = Port()
sys.stdout, sys.stderr, sys.stdin = Out(1), Out(2), NoInput()
sys.__stdout__, sys.__stderr__, sys.__stdin__ = sys.stdout, sys.stderr, sys.stdin
guard()
