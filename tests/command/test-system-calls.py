# SPDX-License-Identifier: GPL-3.0-or-later
"""Input and system calls. A rank that reads late gets all of its input, and one that never
reads does no harm. catch syscall: reports each call of each thread at entry and return, and
only the program's own calls: a stop of the debugger that interrupts one is no return. Argument:
a program that calls."""
import os
import subprocess
import sys
import tempfile

import pddt

PROGRAM = sys.argv[1]
SOURCE = os.path.join(pddt.SOURCE, "tests", "inferiors", "asks.c")
N_CALLS = 12


def list_notes(events):
    return [event["text"] for event in events if event["event"] == "notice"]


def run_on(talk, first="continue"):
    """To the next stop: the notes on the way."""
    events = talk.ask(first)[0] + talk.ask("wait 60")[0]
    assert events[-1]["ok"], events
    return list_notes(events)


def reads(talk):
    """The program sits in its read."""
    found = [pid for pid, command in pddt.left_over(talk.marker) if command.strip() == PROGRAM]
    try:
        with open(f"/proc/{found[0]}/syscall", encoding="ascii") as file:
            return file.read().startswith("0 ")
    except (OSError, IndexError):
        return False


def pauses(talk):
    found = [pid for pid, command in pddt.left_over(talk.marker) if command.startswith(PROGRAM)]
    try:
        with open(f"/proc/{found[0]}/syscall", encoding="ascii") as file:
            return file.read().startswith("34 ")
    except (OSError, IndexError):
        return False


def feed(how, lines, expected):
    """Lines for a rank that does not read: it gets them all once it does, or nobody and nothing is harmed."""
    talk = pddt.Dialogue(["--input", "all", PROGRAM, how])
    talk.ask("handle SIGUSR1 nostop noprint")
    talk.ask("continue")
    pddt.wait_for("the program's pause", lambda: pauses(talk), 60)
    for line in lines:
        assert talk.ask("input " + line)[0][-1]["ok"]
    talk.ask("pause")
    talk.ask("wait 60")
    talk.ask(f"jump {os.path.basename(SOURCE)}:{pddt.mark(SOURCE, 'pause') + 1}")
    assert talk.ask("wait 60")[0][-1]["ok"] and talk.ask("expect exited")[0][-1]["ok"], talk.seen
    assert any(expected in event.get("text", "") for event in talk.seen), talk.seen
    refused = [event for event in talk.seen if "has closed its standard input" in event.get("text", "")]
    assert bool(refused) == (how == "closed"), talk.seen
    talk.end()


LOOP = """
import os
import sys
while not os.path.exists(sys.argv[1]):
    for _ in range(200):
        if os.getppid() <= 0:
            sys.exit(3)
"""


def call_inside():
    """A function is called in a process that makes one system call after the other (the agent is loaded for the
    breakpoint): none of them is lost, and none that nobody asked for keeps the function out."""
    with tempfile.TemporaryDirectory() as folder:
        script, gate = os.path.join(folder, "loop.py"), os.path.join(folder, "gate")
        with open(script, "w", encoding="ascii") as file:
            file.write(LOOP)
        process = subprocess.Popen([pddt.PYTHON, script, gate])
        talk = pddt.Dialogue(["--attach", str(process.pid)])
        for command in "catch syscall socketpair", "continue", "break loop.py:6", "wait 60":
            assert talk.ask(command)[0][-1]["ok"], talk.seen
        assert "loop.py" in str(talk.ask("where")[0]), talk.seen
        for command in "delete", "continue":
            assert talk.ask(command)[0][-1]["ok"], talk.seen
        with open(gate, "x", encoding="ascii"):
            pass
        assert process.wait(60) == 0, talk.seen
        talk.end()


def main():
    call_inside()
    feed("open", ["x" * 9998] * 30 + ["x."], "took 299973")
    feed("closed", ["nobody hears it"], "took 0")
    talk = pddt.Dialogue([PROGRAM])
    events = talk.ask("catch syscall getppidd")[0]
    assert 'no system call "getppidd"' in str(events) and not events[-1]["ok"], events
    talk.ask("catch syscall getppid")
    told = [note for _ in range(2 * N_CALLS) for note in run_on(talk)]
    assert len(told) == 2 * N_CALLS and told.count("calls getppid") == N_CALLS, told
    assert sum(note.startswith("getppid returned ") for note in told) == N_CALLS, told
    talk.ask("delete 1")
    talk.ask("continue")
    pddt.wait_for("the program's read", lambda: reads(talk), 60)
    begun = len(talk.seen)
    for what in ("0", "close"):  # it runs, and is in the call, which it enters anew: before or after the answer
        assert talk.ask("catch syscall " + what)[0][-1]["ok"]
    run_on(talk, "where")
    assert list_notes(talk.seen[begun:]) == ["calls read"], talk.seen[begun:]
    for _ in range(3):
        talk.ask("continue")
        pddt.wait_for("the program's read", lambda: reads(talk), 60)
        assert run_on(talk, "pause") == []
    talk.ask("continue")
    assert run_on(talk, "input hello") == ["read returned 6"]
    assert talk.ask("print (int) getpid ()")[0][-1]["ok"]
    assert run_on(talk) == ["calls close"]
    assert "inside a system call" in str(talk.ask("print (int) getpid ()")[0])
    assert run_on(talk) == ["close failed: Bad file descriptor"]
    events = talk.ask("where")[0]
    assert str(pddt.mark(SOURCE, "close")) in str(events), events
    talk.ask("continue")
    assert talk.ask("wait 60")[0][-1]["ok"] and talk.ask("expect exited")[0][-1]["ok"]
    assert talk.end() == 1  # two commands were refused


main()
