# SPDX-License-Identifier: GPL-3.0-or-later
"""The reasons that pddt gives for a signal: the fault's address, the arithmetic, the last words
of the C library, who sent it; live and from a core. Arguments: the program of faults, those of
uncaught exceptions."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

import pddt

FAULTS, *THROWN = sys.argv[1:]
SOURCE = os.path.join(pddt.SOURCE, "tests", "inferiors", "faults.c")
FULL = "SIGSEGV: the stack is full: infinite recursion, or local variables that are too large"
# argument: signal, function, mark, what the note says as a pattern
FAULTS_TOLD = {
    "null": ("SIGSEGV", "main", "null", r"SIGSEGV: a null pointer \(address 0x8\)"),
    "wild": ("SIGSEGV", "main", "wild", "SIGSEGV: nothing is mapped at 0x123456789"),
    "impossible": ("SIGSEGV", "main", "impossible", "SIGSEGV: an invalid .non-canonical. address"),
    "constant": ("SIGSEGV", "main", "constant",
                 r"SIGSEGV: 0x[0-9a-f]+ is read-only \(inferior-faults\)"),
    "deep": ("SIGSEGV", "deep", None, FULL),
    "deep-thread": ("SIGSEGV", "deep", None, FULL),
    "divide": ("SIGFPE", "main", "divide", "SIGFPE: an integer divided by zero, or a quotient too large"),
    "divide-float": ("SIGFPE", "main", "divide-float",
                     "SIGFPE: a floating-point number divided by zero"),
    "bus": ("SIGBUS", "read_empty_file", "bus",
            r"SIGBUS: 0x[0-9a-f]+ is mapped beyond the end of /tmp/pddt-faults-\w+( \(deleted\))?, or its disk is full"),
    "twice": ("SIGABRT", "free_twice", "twice", "SIGABRT: .*double free.*"),
    "assert": ("SIGABRT", "main", "assert", r"SIGABRT: .*: main: Assertion `zero == 1' failed\."),
    "trap": ("SIGILL", "main", "trap", "SIGILL: an invalid instruction at 0x[0-9a-f]+"),
}


def expect_told(run, what):
    name, function, mark, note = FAULTS_TOLD[what]
    line = str(pddt.mark(SOURCE, mark)) if mark else r"\d+"
    for pattern in (rf"0: signal {name}, {function} at faults\.c:{line}", rf"note: {note} \(0\)"):
        if not re.search(f"^{pattern}$", run.out, re.M):
            raise SystemExit(f"{what}: no line {pattern!r} in:\n{run.out}")


def test_live(what):
    expect_told(pddt.run([*pddt.commands("continue", "wait"), FAULTS, what]), what)


def test_core(what, folder):
    core = os.path.join(folder, what + ".core")
    subprocess.run(["gdb", "-nx", "-batch", "-ex", "run", "-ex", "gcore " + core, "--args", FAULTS, what],
                   capture_output=True, timeout=120, stdin=subprocess.DEVNULL, check=True)
    expect_told(pddt.run(["--core", core, *pddt.commands("show state")]), what)


# argument: what the note says; None: it says nothing of an exception
UNCAUGHT_TOLD = {
    "int": "int: -7",
    "words": 'char const\\*: "as a text"',
    "trouble": "app::trouble",
    "late": "app::late: made from another",
    "both": "app::both: behind another base",
    "changed": "app::changed",
    "virtually": "virtually",
    "again": "std::runtime_error: kept",
    "noexcept": "std::logic_error: must not leave",
    "abort": None,
}


def expect_uncaught(run, what):
    told = UNCAUGHT_TOLD[what]
    pattern = rf"^note: SIGABRT: uncaught exception {told or '.*'} \(0\)$"
    if (re.search(pattern, run.out, re.M) is None) != (told is None) or "0: signal SIGABRT, operator() at" not in run.out:
        raise SystemExit(f"{what}: {pattern!r} and:\n{run.out}")


def test_uncaught(folder):
    for program in THROWN:
        for what in UNCAUGHT_TOLD:
            expect_uncaught(pddt.run([*pddt.commands("continue", "wait"), program, what]), what)
        core = os.path.join(folder, "thrown.core")
        subprocess.run(["gdb", "-nx", "-batch", "-ex", "run", "-ex", "gcore " + core, "--args", program, "both"],
                       capture_output=True, timeout=120, stdin=subprocess.DEVNULL, check=True)
        expect_uncaught(pddt.run(["--core", core, *pddt.commands("show state")]), "both")


def test_sender():
    """From another process it is told; what the program does to itself needs no word."""
    run = pddt.run([*pddt.commands("continue", "wait"), FAULTS, "raise"])
    run.expect("0: signal SIGUSR1, main at faults.c:")
    run.expect_not("note: SIGUSR1")
    process = subprocess.Popen([FAULTS, "wait"], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    dialogue = pddt.Dialogue(["--attach", str(process.pid)])
    dialogue.ask("continue")
    os.kill(process.pid, signal.SIGUSR1)
    event = dialogue.await_event("signal", lambda event: event.get("signal") == "SIGUSR1")
    if not re.fullmatch(rf"sent by python3\S* \(process {os.getpid()}\)", event.get("message", "")):
        raise SystemExit(f"the sender is not named: {event}")
    dialogue.ask("handle SIGUSR1 nopass")
    if dialogue.end() != 0:
        raise SystemExit("pddt failed")
    process.kill()
    process.wait()


def test_json():
    run = pddt.run(["--json", *pddt.commands("continue", "wait"), FAULTS, "divide"])
    events = [json.loads(line) for line in run.out.splitlines()]
    told = [event.get("message") for event in events if event.get("signal") == "SIGFPE"]
    if not told or told[0] != "an integer divided by zero, or a quotient too large":
        raise SystemExit(f"not told in JSON: {run.out}")


def test_python():
    """The words of an exception that nobody catches."""
    code = "raise ValueError('no\\nway')"
    run = pddt.run([*pddt.commands("continue", "wait"), pddt.PYTHON, "%python_debug%", "-c", code])
    run.expect_line("note: ValueError: no way (0)")


with tempfile.TemporaryDirectory(prefix="pddt-reasons-") as folder:
    for name in FAULTS_TOLD:
        test_live(name)
        print("ok", name)
    for name in ("null", "divide", "twice", "bus", "deep", "deep-thread"):
        test_core(name, folder)
        print("ok core", name)
    test_uncaught(folder)
test_sender()
test_json()
test_python()
