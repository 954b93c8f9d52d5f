# SPDX-License-Identifier: GPL-3.0-or-later
"""Dummy arguments of Fortran: those that are not present say so, and arrays are whole where the optimiser has left parts of
their descriptors as the memory was. The values are those that the program computes. Arguments: the source."""
import os
import shutil
import subprocess
import sys
import tempfile

import pddt

SOURCE = os.path.abspath(sys.argv[1])
DUMMIES = ("i", "r", "text", "list", "whole", "p", "q", "held", "linked")
ABSENT = "<not present>"
if shutil.which("gfortran") is None:
    print("skipped: gfortran is not installed")
    sys.exit(77)


def ask(program, mark, hits, *questions):
    place = "dummies.f90:%d" % pddt.mark(SOURCE, mark)
    lines = [line for hit in range(hits) for line in ("continue", f"echo @@{hit}\n", *questions)]
    run = pddt.run(pddt.commands(f"break {place}", *lines) + [program])
    return run, [part.partition("\n")[2] for part in run.out.split("@@")[1:]]


with tempfile.TemporaryDirectory() as folder:
    for options in ("-O0",), ("-O0", "-gdwarf-4"), ("-O1",), ("-O2", "-fno-inline"):
        program = os.path.join(folder, "dummies")
        subprocess.run(["gfortran", "-g", *options, SOURCE, "-J", folder, "-o", program], check=True, timeout=120)
        run, (first, second) = ask(program, "maybe", 2, "show locals", "print i + 1", "print size (list)", "print p%x", "print q%x",
                                   "print text // 'x'", "set var i = 4")
        for name in DUMMIES:
            if f"0: {name} = {ABSENT}" not in first and (
                    options[0] == "-O0" or f"0: {name} = <not present, or 0>\n" not in first):
                run.fail(f"{options}: {name} is not said to be absent")
        for name in "i + 1", "size (list)", "p%x", "q%x", "text // 'x'":
            if options[0] == "-O0" and f"0: {name} = {ABSENT}\n" not in first:
                run.fail(f"{name} is not said to be absent")
        for line in ("i = 5", "r = 1.5", "text = 'xyz'", "list = (4, 5)", "whole = (1, 2, 3)", "held = <not allocated>") \
                if options[0] == "-O0" else ("i = 5",):
            if f"0: {line}\n" not in second:
                run.fail(f"not {line}")
        if options[0] == "-O0":
            texts = [line for name in ("late", "pointed") for line in (f"print {name}", f"print len ({name})")]
            run, parts = ask(program, "kinds", 2, "up", *texts, "print allocated (late)", "print associated (pointed)")
            for part, wanted in zip(parts, (["<not allocated, or not associated>"] * 4 + [".false."] * 2,
                                            ["'late'", "4", "'to'", "2", ".true.", ".true."])):
                if [line.partition(" = ")[2] for line in part.split("\n") if " = " in line] != wanted:
                    run.fail(f"texts without descriptors: {part}")
        run, parts = ask(program, "total", 4, "print a", "print a(2,3)")
        if options[0] == "-O2" and "0: exited 0" in run.out.split("@@")[0]:
            print("# total: the compiler has doubled the loop, and as gdb pddt stops in its first copy, which does not run")
            parts = []
        elif "a = ((11, 21, 31) (12, 22, 32) (13, 23, 33) (14, 24, 34))\n" not in parts[0] or "a(2,3) = 23\n" not in parts[0]:
            run.fail(f"{options}: {parts[0]}")
        if parts and ("a = ((12, 32) (13, 33) (14, 34))\n" not in parts[3] or "a(2,3) = 34\n" not in parts[3]):
            run.fail(f"{options}: {parts[3]}")
        for mark, wanted in ("every", ["(10, 20, 30, 40, 50)", "(20, 40)"]), ("those", ["(10, 20, 30, 40, 50)"]):
            run, parts = ask(program, mark, len(wanted), "print a")
            for part, value in zip(parts, wanted):
                if f"0: a = {value}\n" not in part:
                    run.fail(f"{options} {mark}: not {value}")
        run, parts = ask(program, "kinds", 1, "print a(3)%y", "print a%_data(4)%y")
        if "= 28\n" not in parts[0]:
            run.fail("elements of a class as declared, not as they are")
