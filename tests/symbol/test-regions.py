# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions whose code is elsewhere than the block that declares them: OpenMP's regions within blocks of C++ and of
Fortran's contained procedures, and GNU C's nested functions. Their variables are shown, and arrays of the function
around them with their own bounds, or with the word that these are not known. Static variables of constructors. The values are those that the programs
compute."""
import os
import subprocess
import sys
import tempfile

import pddt

HERE = os.path.dirname(os.path.abspath(__file__))


def ask(folder, compiler, name, mark, answers):
    source, program = os.path.join(HERE, name), os.path.join(folder, "program")
    if subprocess.run([compiler, "-g", "-O0", "-fopenmp", source, "-o", program]).returncode != 0:
        sys.exit(77)
    run = pddt.run(pddt.commands("break %s:%d" % (name, pddt.mark(source, mark)), "continue", "wait 60",
                                 *("print " + asked if asked[0] != "=" else asked[1:] for asked in answers),
                                 "show locals") + [program])
    for asked, answer in answers.items():
        run.expect_line("0: " + (answer if asked[0] == "=" else f"{asked} = {answer}"))
    return run


with tempfile.TemporaryDirectory() as folder:
    MEMBER = {"weight": "3", "start": "5", "i": "0", "part": "0", "*this": "{weight = 3}"}
    run = ask(folder, "g++", "regions.cpp", "member", MEMBER)
    run.expect("0: part = 0\n0: i = 0\n")
    ask(folder, "g++", "regions.cpp", "template", {"copy": "2.5", "sum": "0"})
    # a line without code, whose function is declared nowhere
    run = ask(folder, "g++", "regions.cpp", "single", {"copy": "2.5"})
    run.expect("_omp_fn.0 at regions.cpp:%d" % pddt.mark(os.path.join(HERE, "regions.cpp"), "template"))
    # static variables of a constructor stand in what both its instances are made of
    run = ask(folder, "g++", "regions.cpp", "constructor", {"total": "12", "*last@4": '"some"'})
    run.expect("\n0: last = 0x")
    run = ask(folder, "g++", "regions.cpp", "member", {"=ptype Job": "type = struct Job {"})
    run.expect("int scale<int>(int) const;")
    ask(folder, "gfortran", "regions.f90", "fortran", {"i": "1", "sum": "0", "text": "<length unknown>",
                                                       "len (text)": "<length unknown>", "list": "(2, 4, 6, 8, 10)",
                                                       "=whatis &twice": "type = integer(kind=4) (*)(integer(kind=4))"})
    ask(folder, "gcc", "within.c", "within", {
        "list": "{0, 1, 4, 9, 16}", "sizeof list": "20", "grid[1]": "{3, 4, 5}", "sizeof grid": "60", "text": '"abcdefg"',
        "own": "{7}", "=whatis grid": "type = int [5][3]", "=whatis text": "type = char [7]",
        "=up": "#1 main at within.c:%d" % pddt.mark(os.path.join(HERE, "within.c"), "outer"), "main::n": "5",
        "main::list[2]": "4"})
