# SPDX-License-Identifier: GPL-3.0-or-later
"""Breakpoints set at any moment of a running program reach the interpreter: while one of its threads is stopped
with the locks that this takes (CPython 3.12 and later, where any thread takes a pending call), and between any
two instructions of the agent's return from the previous change (earlier versions, where frames check for
themselves). The program is neither delayed nor damaged, and the last of many breakpoints stops it: in a function
that is called all the time, in a loop without calls, and during its imports, where it passes traps of the
loader."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import pddt

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wake.py")
HOLDER = os.path.join(pddt.BUILD, "tests", "agent", "libholder.so")
LOOP = f"wake.py:{pddt.mark(PROGRAM, 'loop')}"
PLACES = {"calls": (30, "work", f"work at wake.py:{pddt.mark(PROGRAM, 'work')}"),
          "loops": (8, LOOP, f"main at {LOOP}")}


def has(interpreter, condition):
    """Whether a condition on sys holds there."""
    return subprocess.run([interpreter, "-c", f"import sys; sys.exit(not ({condition}))"], check=False).returncode == 0


def check_last_of_many(interpreter, how, *before):
    times, where, place = PLACES[how]
    first = 2 if before else 1
    changes = [command for number in range(first, first + times)
               for command in (f"break {where} if done == {number + 1}", f"delete {number}")]
    done = pddt.run(pddt.commands(*before, "continue &", *changes,
                                  f"break {where}", "wait 60", "delete", "py done = True", "continue", "wait 60")
                    + [interpreter, "%python_debug%", PROGRAM, HOLDER, how])
    done.expect(f"breakpoint {first + times}, {place}")
    done.expect_not("cannot reach")
    done.expect("worked True")
    done.expect("0: exited 0")
    done.expect_status(0)


def expect_said(talk, text):
    """In what has come from pddt, or comes now."""
    def is_said(event):
        return text in json.dumps(event)

    any(map(is_said, talk.seen)) or talk.await_event(text, is_said)


def check_told_of_other(interpreter):
    """Where the program itself traces all threads: it is reached all the same, and says so."""
    talk = pddt.Dialogue([interpreter, "%python_debug%", PROGRAM, HOLDER, "traces"])
    talk.ask("continue")
    expect_said(talk, "tracing")
    talk.ask("break work")
    expect_said(talk, "the program has set a trace function of its own")
    talk.ask("kill")
    talk.end()


tap = driver.Tap()
for interpreter in driver.list_interpreters():
    for how in PLACES:
        check_last_of_many(interpreter, how, "break main", "continue", "wait 60", "delete")
        tap.check(f"{interpreter} {how}", True)
    check_last_of_many(interpreter, "calls")
    tap.check(f"{interpreter} imports", True)
    if has(interpreter, "sys.version_info < (3, 12)"):
        check_told_of_other(interpreter)
        tap.check(f"{interpreter} traces", True)
tap.end()
