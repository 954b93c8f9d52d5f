# SPDX-License-Identifier: GPL-3.0-or-later
"""The interpreter is told of breakpoints while one of its threads stands still with the locks that this takes:
the program is neither held up nor broken by it, and the breakpoint stops it. From CPython 3.12 on, where any
thread takes a pending call; below, frames look for themselves."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import pddt

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wake.py")
HOLDER = os.path.join(pddt.BUILD, "tests", "agent", "libholder.so")
TIMES = 30

tap = driver.Tap()
for interpreter in driver.list_interpreters():
    if subprocess.run([interpreter, "-c", "import sys; sys.exit(sys.version_info < (3, 12))"], check=False).returncode:
        continue
    # In its imports, where it is on its way through traps of the loader, and in its loop.
    for before in [], ["break work", "continue", "wait 60", "delete"]:
        first = 2 if before else 1
        changes = [command for number in range(first, first + TIMES)
                   for command in (f"break work if done == {number + 1}", f"delete {number}")]
        run = pddt.run(pddt.commands(*before, "continue", *changes, "break work", "wait 60", "delete", "py done = True",
                                     "continue", "wait 60") + [interpreter, "%python_debug%", PROGRAM, HOLDER])
        run.expect(f"breakpoint {first + TIMES}, work at wake.py:{pddt.mark(PROGRAM, 'work')}")
        run.expect_not("cannot reach")
        run.expect("worked True")
        run.expect("0: exited 0")
        run.expect_status(0)
    tap.check(interpreter, True)
tap.end()
