# SPDX-License-Identifier: GPL-3.0-or-later
"""Equal means equal in type, shape and content: a rank that differs in one element that is not shown is listed
apart, by `print` and by `show locals`, in C++ and in Python."""
import os
import re
import sys
import tempfile

import pddt

SAME = sys.argv[1]
SOURCE = os.path.join(pddt.SOURCE, "tests", "mpi", "same.cc")
NAMES = ["c", "points", "inner", "cube", "text", "word", "names", "bits", "chain", "table"]


def find_groups(text, name):
    """Which ranks share a line of the value."""
    return [ranks for ranks, found in re.findall(r"^([0-9,-]+): ([\w.]+) =[ \n]", text, re.M) if found == name]


def check(run, text, what, names):
    for name in names:
        if find_groups(text, name) != ["0,2", "1"]:
            run.fail(f"{what}: {name}: {find_groups(text, name)}")
    if find_groups(text, "equal") != ["0-2"]:
        run.fail(f"{what}: equal: {find_groups(text, 'equal')}")


run = pddt.run(pddt.commands("break same.cc:%d" % pddt.mark(SOURCE, "look"), "continue", "wait 60", "show locals",
                             "show state", *("print " + name for name in NAMES + ["equal"]))
               + ["mpirun", "-np", "3", SAME])
run.expect_status(0)
locals_, _, printed = run.out.partition("breakpoint 1, work at")[2].partition("breakpoint 1, work at")
check(run, locals_, "show locals", NAMES)
check(run, printed, "print", NAMES)
run.expect_not("too large")

PROGRAM = """
import os
import numpy
odd = os.environ["OMPI_COMM_WORLD_RANK"] == "1"
def work():
    equal = [list(range(1000)), "x" * 5000, {"a": numpy.zeros(3000)}]
    c = numpy.zeros(2000)
    c[1500] = odd
    shape = numpy.zeros((4, 500) if odd else (500, 4))
    kind = numpy.zeros(2000, "f4" if odd else "f8")
    chain = [[0] * 10 for i in range(100)]
    chain[70][5] = int(odd)
    table = {i: str(i) for i in range(500)}
    table[400] = "odd" if odd else "even"
    text = "t" * 6000 + ("a" if odd else "b") + "t" * 100
    return equal, c, shape, kind, chain, table, text
def run():
    values = work()
    equal, c, shape, kind, chain, table, text = values
    here = len(values)
    return here
run()
"""
NAMES = ["c", "shape", "kind", "chain", "table", "text"]
folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "same.py")
with open(path, "w", encoding="utf-8") as file:
    file.write(PROGRAM)
line = 1 + PROGRAM.splitlines().index("    return here")
run = pddt.run(pddt.commands(f"break same.py:{line}", "continue", "wait 60", "show locals", "show state",
                             *("print " + name for name in NAMES + ["equal"]))
               + ["mpirun", "-np", "3", pddt.PYTHON, "%python_debug%", path])
run.expect_status(0)
locals_, _, printed = run.out.partition("breakpoint 1, run at")[2].partition("breakpoint 1, run at")
check(run, locals_, "show locals, Python", NAMES)
check(run, printed, "print, Python", NAMES)
