# SPDX-License-Identifier: GPL-3.0-or-later
"""Of variables with one name show locals has the one that print shows, and a stack the argument, too. Arguments: the
program and its source."""
import os
import sys

import pddt

PROGRAM, SOURCE = sys.argv[1:3]
FILE = os.path.basename(SOURCE)
WANTED = {"inner": ("33", "7"), "innermost": ("0.5", "40"), "behind": ("33", "42"), "last": ("7", "43")}


def line(name):
    return pddt.mark(SOURCE, name)


def main():
    asked = ["continue", "wait 60", "echo @\\n", "print number", "echo @\\n", "show locals", "echo @\\n", "where 1 full", "echo @\\n"]
    run = pddt.run(pddt.commands(*(f"break {FILE}:{line(mark)}" for mark in WANTED), *(asked * len(WANTED)),
                                 "disable 1-3", "show breakpoints", "delete 2-9", "show breakpoints 1", "delete 2-3", "kill")
                   + ["--", PROGRAM])
    parts = run.out.split("@\n")
    for i, (mark, (number, total)) in enumerate(WANTED.items()):
        printed, shown, stack = (part.splitlines() for part in parts[4 * i + 1:4 * i + 4])
        hides = mark != "last"
        wanted = [f"0: number = {number}"]
        if (printed != wanted or sorted(shown) != sorted(wanted + ["0: more = 1", f"0: sum = {total}"])
                or stack != [f"#0 0 1 add (more=1, number=7) at {FILE}:{line(mark)}"] + [f"    number = {number}"] * hides
                + [f"    sum = {total}"]):
            run.fail(f"{mark}: {printed} {shown} {stack}")
    if run.out.count(", disabled") != 4:
        run.fail("disable 1-3")
    run.expect_line("error: no breakpoint 2-3")


main()
