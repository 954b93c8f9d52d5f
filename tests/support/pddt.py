# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs pddt in a test: real launchers, real ranks, a deadline, and nothing left behind."""
import atexit
import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
import tty

import launching

BUILD = os.environ["PDDT_BUILD_ROOT"]
SOURCE = os.environ["PDDT_SOURCE_ROOT"]
PDDT = os.path.join(BUILD, "src", "programs", "pddt")
PYTHON = "/usr/bin/python3"
OWNER = f"{os.getpid()}-{time.monotonic_ns()}"  # inherited by everything that this test starts
os.environ["PDDT_TEST_OWNER"] = OWNER

ENVIRONMENT = dict(os.environ, **launching.ENVIRONMENT,
                   OMPI_MCA_mpi_yield_when_idle="1",  # all ranks share two cores
                   # otherwise mpirun asks displays :0 to :9 for graphics cards, and dies with one
                   HWLOC_COMPONENTS="-gl",
                   LC_ALL="C.UTF-8",
                   HEAT_LIBRARY=os.path.join(BUILD, "data", "examples", "libheat_kernel.so"))
# Unbuffered, print writes a line in pieces, between which other ranks' come.
for name in ("DISPLAY", "WAYLAND_DISPLAY", "PYTHONUNBUFFERED"):
    ENVIRONMENT.pop(name, None)


def is_sanitized():
    with open(PDDT, "rb") as file:
        return b"__asan_init" in file.read()


# gdb 13 does not know processors' states that are as large as those with AMX.
CANNOT_WRITE = "Couldn't write extended state"


def require_gdb():
    """Ends a test as skipped whose oracle is what gdb calls and changes, where gdb writes no registers."""
    said = subprocess.run(["gdb", "-nx", "-batch", "-ex", "starti", "-ex", "set var $xmm0.uint128 = 1", "/bin/true"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stderr
    if CANNOT_WRITE in said:
        print("skipped: this gdb cannot write this processor's registers")
        sys.exit(77)


def mark(path, name):
    """The line with a mark: //@ name or /*@ name */ in C, # @ name in Python, !@ name in Fortran."""
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if text.rstrip().endswith(("//@ " + name, f"/*@ {name} */", "# @ " + name, "!@ " + name)):
                return number
    raise SystemExit(f"no mark {name} in {path}")


def processes(pids=None):
    """{pid: (parent, state, command line)} of these or all processes, the oldest first: process numbers begin again from 1."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")) if pids is None else pids:
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                fields = file.read().rsplit(b")", 1)[1].split()
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                command = file.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        found.append((int(fields[19]), int(pid), (int(fields[1]), fields[0].decode(), command)))
    return {pid: what for _, pid, what in sorted(found)}


def wait_for(what, probe, timeout_s=120.0):
    """Waits for a fact, with a deadline; a machine that stands still takes nobody's time."""
    left_s, last = timeout_s, time.monotonic()
    while True:
        found = probe()
        if found:
            return found
        if left_s < 0:
            raise SystemExit(f"timed out waiting for {what}")
        time.sleep(max(0.02, time.monotonic() - last))  # looking takes the others' time
        now = time.monotonic()
        left_s, last = left_s - min(now - last, 1), now


def left_over(marker, variable="PDDT_TEST_MARKER"):
    """Processes whose environment has this test's marker."""
    wanted = f"{variable}={marker}".encode()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    found.append(pid)
        except OSError:
            continue
    return [(pid, command) for pid, (_, state, command) in processes(found).items() if state != "Z" and pid != os.getpid()]


@atexit.register
def end_left_over(owner=os.getpid()):
    """Kills what a failed test leaves running: programs that wait or loop for ever would hold its output
    open."""
    for pid, _ in left_over(OWNER, "PDDT_TEST_OWNER") if os.getpid() == owner else ():
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


class Run:
    """One complete run of pddt."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def fail(self, why):
        # the reason last: where a long log is cut, its end is what is seen
        sys.stderr.write(f"--- status {self.status}\n--- stdout\n{self.out}--- stderr\n{self.err}---\n{why}\n")
        raise SystemExit(1)

    def expect_status(self, status):
        if self.status != status:
            self.fail(f"status {self.status}, expected {status}")

    def expect_line(self, line):
        if line not in self.out.splitlines():
            self.fail(f"no line {line!r}")

    def expect(self, text, stream="out"):
        if text not in getattr(self, stream):
            self.fail(f"no {text!r} in {stream}")

    def expect_not(self, text):
        if text in self.out + self.err:
            self.fail(f"unexpected {text!r}")


_counter = 0


def start(arguments, prefix=(), environment=(), **more):
    """A running pddt and the marker that its processes carry. prefix: words before it; environment: of its own."""
    global _counter
    _counter += 1
    marker = f"{os.getpid()}-{_counter}"
    process = subprocess.Popen(list(prefix) + [PDDT] + arguments, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                               env=dict(ENVIRONMENT, PDDT_TEST_MARKER=marker, **dict(environment)),
                               start_new_session=True, **more)
    return process, marker


def expect_nothing_left(marker, timeout_s=120.0):
    end = time.monotonic() + timeout_s
    while left_over(marker):
        if time.monotonic() > end:
            raise SystemExit(f"left behind: {[(pid, command[:150]) for pid, command in left_over(marker)]}")
        time.sleep(0.05)


def run(arguments, timeout_s=180.0, **more):
    process, marker = start(arguments, **more)
    try:
        out, err = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        sys.stderr.write(f"still running after {timeout_s} s: {left_over(marker)}\n")
        for pid, _ in left_over(marker):
            try:
                os.kill(pid, 9)
            except OSError:
                pass
        out, err = process.communicate()
        Run(process.returncode, out, err).fail("timed out")
    expect_nothing_left(marker)
    return Run(process.returncode, out, err)


def report(futures):
    """Prints a line for each of the tests that run side by side, in the order in which they began; exits
    with 1 if one failed."""
    failed = False
    for future in futures:
        try:
            print("ok", future.result(), flush=True)
        except SystemExit as error:
            failed = True
            print("not ok", error, flush=True)
    sys.exit(failed)


def commands(*lines):
    """-e options."""
    return [word for line in lines for word in ("-e", line)]


def open_terminal():
    """The two ends of a terminal that displays nothing."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    return os.fdopen(master, "w"), slave


MOTION = re.compile(r"(on [^;]* )?(continue|cont|c|play|step|s|next|n|finish|until|advance|stepi|si|nexti|ni|return|"
                    r"signal|jump)( [^&;]*)?$")


class Dialogue:
    """A running pddt that gets one command at a time, with --json -i on a pipe, or on a terminal, where
    pddt assumes that a person is reading."""

    def __init__(self, arguments, prefix=(), terminal=False, environment=()):
        self.marker = f"{os.getpid()}-dialogue-{id(self)}"
        self.seen = []
        given, end = open_terminal() if terminal else (None, subprocess.PIPE)
        self.process = subprocess.Popen(
            list(prefix) + [PDDT, "--json", "-i"] + arguments, stdin=end, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True,
            env=dict(ENVIRONMENT, PDDT_TEST_MARKER=self.marker, **dict(environment)))
        self.given = given or self.process.stdin
        if terminal:
            os.close(end)

    def read(self):
        """The next event; None at the end. On a terminal, the prompt appears before and between events."""
        for line in self.process.stdout:
            begin = line.find('{"')
            if begin >= 0:
                self.seen.append(json.loads(line[begin:]))
                return self.seen[-1]
        return None

    def ask(self, command):
        """The events up to the command's "done", and the seconds from sending the line to that event. Motions
        run in the background: no later command waits for them."""
        begin = time.monotonic()
        self.given.write(command + (" &\n" if MOTION.match(command) else "\n"))
        self.given.flush()
        events = []
        while event := self.read():
            events.append(event)
            if event["event"] == "done":
                return events, time.monotonic() - begin
        raise SystemExit(f"pddt ended during {command!r}")

    def await_event(self, what, is_it, timeout_s=120.0):
        """The first event that is_it accepts; sends no command."""
        watch = threading.Timer(timeout_s, self.process.kill)
        watch.start()
        try:
            while event := self.read():
                if is_it(event):
                    return event
        finally:
            watch.cancel()
        raise SystemExit(f"no {what} within {timeout_s} s")

    def end(self):
        """The exit status, after checking that nothing is left behind."""
        with contextlib.suppress(OSError):  # it may have ended by itself
            if self.given.isatty():  # a process that a signal would end
                self.given.write("quit\n")
                self.given.flush()
            else:
                self.given.close()
        while self.read():
            pass
        self.process.wait(120)
        with contextlib.suppress(OSError):
            self.given.close()
        expect_nothing_left(self.marker)
        return self.process.returncode
