# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of the program's own functions: every kind of argument and result, as gdb shows them where gdb
can, and a program that ends as it does alone, whatever the calls did.
Arguments: the C++ program, the Fortran one, one with threads."""
import os
import re
import subprocess
import sys
import tempfile

import pddt

pddt.require_gdb()

CALLS, CALLED, THREADS = sys.argv[1:4]
FOLDER = os.path.join(pddt.SOURCE, "tests", "inferiors")
SOURCE = os.path.join(FOLDER, "calls.cc")
END = "calls.cc:%d" % pddt.mark(SOURCE, "end")
CALLED_END = "called.f90:%d" % pddt.mark(os.path.join(FOLDER, "called.f90"), "end")

# What gdb can do too.
SAME = ["add(3, 4)", "add(1.5, 2.0)", "make_pair_of(1, 2.5)", "make_pair_of(1, 2.5).b", "make_big(7)",
        "make_big(7).v[3]", "mix(mixed, 10)", "many(1, 2, 3, 4, 5, 6, 7, 8.0, 9, big)", "twofold(2.5)",
        "apply(times, 9)", "apply(&times, 9)", "shape->area(2)", "square.area(1)",
        "square.scaled(2, 1.5)", "Shape::count(3)", "recursive(5) + add(1, 1)", "doubled<int>(4)",
        "doubled<double>(1.25)", "local", "n_calls", "sizeof(add(1, 2))", "optind", "stdout->_fileno",
        "isatty(77)", "isatty(77) + local"]
# What only we do: gdb needs a cast, memory, or calls the container's code.
OURS = [("follow(local)", "8"), ("follow(77)", "78"), ("add(\"hello\")", "\"ello\""), ("text()", "\"abc\""),
        ("text().size()", "3"), ("list.size()", "3"), ("square.count(3)", "103"),
        ("make_big(1).v[1] + make_big(2).v[2]", "5"), ("(int) puts(\"called\")", "7"),
        ("(double) fabs(-2.5)", "2.5"), ("(int) strlen(\"four\")", "4"), ("(int) getpid() > 1", "true")]
FAILURES = [("add(1)", 'no "add" takes these arguments: add(const char *), add(double, double), add(int, int)'),
            ("times(1)", 'cannot call "times": it takes 2 arguments, not 1'),
            ("times(1, square)", "cannot pass argument 2: it is a Square, not a int"),
            ("apply(add, 1)", '"add" is ambiguous: '), ("nowhere(1)", 'no symbol "nowhere" in frame main')]
PROBLEMS = [("crash(0)", "<cannot call a function: it faulted>"),
            ("forever()", "<cannot call a function: it did not return within 2000 ms and was stopped halfway; "
                          "locks that it took are still locked>")]


def plain(program):
    return subprocess.run([program], capture_output=True, text=True, timeout=60).stdout


def gdb_values():
    lines = ["set debuginfod enabled off", "break " + END, "run"]
    lines += ["print " + expression for expression in SAME]
    out = subprocess.run(["gdb", "-nx", "-q", "-batch"] + [word for line in lines for word in ("-ex", line)]
                         + [CALLS], capture_output=True, text=True, timeout=60).stdout
    values = dict(re.findall(r"^\$(\d+) = (.*)$", out, flags=re.M))
    if len(values) != len(SAME):
        raise SystemExit("gdb: " + out)
    return [values[str(number)] for number in range(1, len(SAME) + 1)]


def run_at(program, where, expressions):
    return pddt.run(pddt.commands("break " + where, "continue", "wait 60")
                    + [word for text in expressions for word in ("-e", "print " + text)]
                    + ["-e", "continue", "-e", "wait 60", "-e", "expect exited", program])


run = run_at(CALLS, END, SAME + [text for text, _ in OURS])
run.expect_status(0)
for text, value in list(zip(SAME, gdb_values())) + OURS:
    line = [line for line in run.out.splitlines() if line.startswith(f"0: {text} = ")]
    ours = line[0][len(f"0: {text} = "):] if line else None
    if ours != value and re.sub(r"^0x[0-9a-f]+ ", "", ours or "") != value:
        run.fail(f"{text}: {ours}, not {value}")
# What the program prints by itself, and what the call of puts did.
for line in plain(CALLS).splitlines() + ["called"]:
    run.expect_line("0| " + line)

run = run_at(CALLS, END, [text for text, _ in FAILURES + PROBLEMS]
             + ["local", "change(local, 41)", "local", "change(local, 7)", "nothing()"])
for text, why in FAILURES:
    run.expect("error: " + why)
for text, why in PROBLEMS:
    run.expect_line(f"0: {text} = {why}")
run.expect_line("0: local = 7")
run.expect_line("0: local = 41")
run.expect_line("0: exited 0")
for line in plain(CALLS).splitlines():
    run.expect_line("0| " + line)

# `call` says nothing of what returns nothing; nothing is called in a rank that runs.
run = pddt.run(pddt.commands("break " + END, "continue", "wait 60", "call nothing()", "call add(1, 1)",
                             "print n_calls", "continue", "wait 60") + [CALLS])
run.expect_status(0)
run.expect_not("nothing() =")
run.expect_line("0: add(1, 1) = 2")
run.expect_line("0: n_calls = 2")

run = run_at(CALLED, CALLED_END, ["area(2.0, 4.5)", "area(2d0, 3.5d-1)", "total(v, 3)", "total(w, 3)",
                                  "length(name)", "length('four')", "bump(k)", "k", "shape_sum(w)",
                                  "shape_sum(v)"])
run.expect_status(0)
for line in ("area(2.0, 4.5) = 9", "area(2d0, 3.5d-1) = 0.7", "total(v, 3) = 6", "total(w, 3) = 21",
             "length(name) = 3", "length('four') = 4", "k = 7", "shape_sum(w) = 21",
             "shape_sum(v) = <the function takes an array of any shape: pass an allocatable one>"):
    run.expect_line("0: " + line)

# Conditions and texts of breakpoints call, too: all threads stand still for that, and none loses a turn.
run = pddt.run(pddt.commands("break times if recursive (a) == 7", "break times if recursive (a) == add (4, 2)",
                             'break times if recursive (a) log "{recursive (a + 1)} and {add (1.5, 2.0)}"',
                             "continue", "print a", "delete", "break follow if forever ()", "restart", "continue", "delete",
                             "break times if (a = 2) && recursive (a)", "continue", "print a", "delete", "continue",
                             "expect exited") + [CALLS])
run.expect_status(0)
for line in ("0: breakpoint 2, times at calls.cc:%d" % pddt.mark(SOURCE, "times"), "0: 24 and 4", "0: a = 3", "0: exited 0"):
    run.expect_line(line)
run.expect("cannot evaluate the condition of breakpoint 4: <cannot call a function: it did not return within")
run.expect("cannot evaluate the condition of breakpoint 5: <cannot assign: nothing can be changed here>")
run.expect_not("breakpoint 1, ")
for line in plain(CALLS).splitlines():
    run.expect_line("0| " + line)

HIT = "threads.c:%d" % pddt.mark(os.path.join(FOLDER, "threads.c"), "hit")
run = pddt.run(pddt.commands(f"break {HIT} if (long) labs (i) == 30", *["continue"] * 4, "print i", "continue", "expect exited")
               + ["--", THREADS, "4", "60", "0"])
run.expect_status(0)
if run.out.count("0: breakpoint 1, hit at ") != 4:
    run.fail("each of the four threads comes there once")
run.expect_line("0: exited 0")

# What the user has it run may write what is watched, in C and by Python: that stops nothing, and is no fault.
with tempfile.TemporaryDirectory(prefix="pddt-test-") as folder:
    library, script = os.path.join(folder, "libcount.so"), os.path.join(folder, "counts.py")
    with open(os.path.join(folder, "count.c"), "w", encoding="utf-8") as file:
        file.write("int counter;\nint count_to (int n)\n{\n    counter = n;\n    return n + 1;\n}\n")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"import ctypes\nlib = ctypes.CDLL({library!r})\n\n\ndef work():\n    lib.count_to(3)\n"
                   "    x = 2\n    lib.count_to(5)\n    return x\n\n\nwork()\n")
    subprocess.run(["gcc", "-g", "-O0", "-shared", "-fPIC", "-o", library, os.path.join(folder, "count.c")], check=True)
    run = pddt.run(pddt.commands("break count_to", "continue", "watch counter", "delete 1", "print count_to(7)", "continue",
                                 "break counts.py:7", "continue", "print lib.count_to(9)", "py lib.count_to(11)", "continue",
                                 "continue", "expect exited") + ["--", sys.executable, script])
run.expect_status(0)
for line in ("0: count_to(7) = 8", "0: counter before = 7", "0: counter = 3", "0: lib.count_to(9) = 10", "0: 12",
             "0: counter before = 11", "0: counter = 5", "0: exited 0"):
    run.expect_line(line)
run.expect_not("crashed")
