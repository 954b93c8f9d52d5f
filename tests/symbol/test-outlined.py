# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of variable length in the outlined functions of OpenMP, as clang 14 and later write them: whole, with their
lengths. Variables of which a region has copies are these copies, and no value is shown of a loop's variable of which
clang describes another place than the loop uses. The values are those that the program computes."""
import os
import shutil
import subprocess
import sys
import tempfile

import pddt

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "outlined.c")
COPIES = os.path.join(os.path.dirname(SOURCE), "copies.c")
if shutil.which("clang") is None:
    print("skipped: clang is not installed")
    sys.exit(77)


def write(value):
    return "{%s}" % ", ".join(map(write, value)) if isinstance(value, list) else f"{value:g}"


WANTED = {"rows": write([[10 * i + j for j in range(5)] for i in range(3)]),
          "columns": write([[4 * i + j for j in range(4)] for i in range(5)]), "whole": write([i / 2 for i in range(4)]),
          "sizeof rows": "60", "sizeof (columns)": "80", "columns[2][3]": "11", "sizeof whole / sizeof *whole": "4"}
with tempfile.TemporaryDirectory() as folder:
    for language in "c", "c++":
        program = os.path.join(folder, "outlined")
        if subprocess.run(["clang", "-g", "-O0", "-fopenmp", "-x", language, SOURCE, "-o", program, "-lstdc++"],
                          stderr=subprocess.DEVNULL).returncode != 0:
            print("skipped: clang cannot build programs with OpenMP here")
            sys.exit(77)
        run = pddt.run(pddt.commands("break outlined.c:%d" % pddt.mark(SOURCE, "inside"), "continue", "wait 60",
                                     *("print " + name for name in WANTED), "show locals", "ptype columns",
                                     "print &columns", "print *pointers") + [program])
        run.expect_status(0)
        for name, value in WANTED.items():
            run.expect_line(f"0: {name} = {value}")
        if run.out.count(f"0: columns = {WANTED['columns']}\n") != 2:
            run.fail("print and show locals differ")
        run.expect_line("0: type = int [5][4]")
        run.expect("0: &columns = (int (*)[][]) 0x")
        if subprocess.run(["clang", "-g", "-O0", "-fopenmp", "-x", language, COPIES, "-o", program, "-lstdc++"],
                          stderr=subprocess.DEVNULL).returncode != 0:
            sys.exit("copies.c cannot be built")
        ask = [command for mark in ("known", "unknown")
               for command in ("break copies.c:%d if seen == 4" % pddt.mark(COPIES, mark), "continue", "wait 60",
                               "show locals", "print sum", "print i", "where 1 full")]
        run = pddt.run(pddt.commands(*ask) + [program])
        run.expect_status(0)
        known, unknown = run.out.split("breakpoint 2 set")
        for text, wanted in (known, {"scaled = 8": 1, "last = 104": 1, "sum = 18": 2, "i = 4": 2}), \
                (unknown, {"sum = 18": 2, "i = <not known: clang describes only its first value>": 2}):
            for line, count in wanted.items():
                if text.count(f"0: {line}\n") != count:
                    run.fail(f"not {count} times: {line}")
        if "sum=" in run.out:
            run.fail("a frame has the variable outside as an argument")
