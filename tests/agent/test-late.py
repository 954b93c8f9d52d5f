# SPDX-License-Identifier: GPL-3.0-or-later
"""Breakpoints that pend are tried again when their code appears: in a program that was started without the
mark, from its first line on, and in the child of a fork that is followed; a child that is not followed
runs as without pddt."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import pddt

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "late.py")
EARLY, CALL = pddt.mark(PROGRAM, "early"), pddt.mark(PROGRAM, "call")
POINTS = ["break late", f"break late.py:{EARLY}", "break json.dumps"]


def expect_stops(run, *numbers):
    """Stops at these breakpoints, in this order, and no other."""
    found = [line.split()[2].rstrip(",") for line in run.out.splitlines()
             if line.startswith("0: breakpoint ") and " set, " not in line and " pending, " not in line]
    if found != [str(number) for number in numbers]:
        run.fail(f"stops at {found} instead of {numbers}")


def test_unmarked(interpreter):
    run = pddt.run(pddt.commands(*POINTS, "continue", "wait 120", "print 1 + 1", "up", "print total is None",
                                 "continue", "wait 120", "continue", "wait 120", "continue", "wait 120",
                                 "expect exited 0") + ["--", interpreter, PROGRAM])
    expect_stops(run, 2, 1, 3)
    run.expect_line("0: 1 + 1 = 2")
    run.expect_line("0| alone (1, 5, '[1]')")


def test_executed(interpreter):
    """Breakpoints that a shell has, before it becomes a Python without the mark."""
    run = pddt.run(["--stop-at", "start"]
                   + pddt.commands(*POINTS, "continue", "wait 120", "continue", "wait 120", "continue", "wait 120",
                                   "continue", "wait 120", "expect exited 0")
                   + ["--", "/bin/sh", "-c", 'exec "$0" "$1"', interpreter, PROGRAM])
    expect_stops(run, 2, 1, 3)
    run.expect_line("0| alone (1, 5, '[1]')")


def test_followed(interpreter):
    run = pddt.run(pddt.commands("set option follow-fork child", *POINTS, "continue", "wait 120", "delete 2",
                                 f"tbreak late.py:{CALL}", "continue", "wait 120", "next", "wait 120",
                                 "print total", "continue", "wait 120", "continue", "wait 120", "continue",
                                 "wait 120", "expect failed")
                   + ["--", interpreter, "%python_debug%", PROGRAM, "fork"])
    expect_stops(run, 2, 4, 1, 3)
    run.expect_line("0: total = 1")
    run.expect_line("0| child (1, 5, '[1]')")
    run.expect_line("0| parent 1 3")
    run.expect_status(0)


def test_not_followed(interpreter):
    run = pddt.run(pddt.commands(*POINTS, "continue", "wait 120", "continue", "wait 120", "expect exited 0")
                   + ["--", interpreter, "%python_debug%", PROGRAM, "fork"])
    expect_stops(run, 2)
    run.expect_line("0| child (1, 5, '[1]')")
    run.expect_line("0| parent 1 3")
    run.expect_status(0)


driver.run_journeys([(test, interpreter) for interpreter in driver.list_interpreters()
                     for test in (test_unmarked, test_executed, test_followed, test_not_followed)])
