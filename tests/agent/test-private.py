# SPDX-License-Identifier: GPL-3.0-or-later
"""Values in a program that waits in native code, with every interpreter: private names of classes, methods
of built-in types, bound methods, numpy's rarer types, and the limits that the options set; and signals that
come meanwhile."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import pddt

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "private.py")
LINE = pddt.mark(PROGRAM, "wait")
ADD = pddt.mark(PROGRAM, "add")
SHOWN = {"ring": "deque([1, 2, 3], maxlen=5)", "numbers": "[0, 1, 2, ...]"}
ARRAYS = {
    "wide": "-5", "narrow": "7", "raw": "b'ab'", "row": "(1, 2.5)",
    "masked": "MaskedArray(shape=(3,), dtype=int64, [1, 2, 3], mask=[False, True, False])",
    "own": "Own(shape=(2, 3), dtype=float64, [0, 1, 2, …])",
    "matrix": "matrix(shape=(2, 2), dtype=int64, [1, 2, 3, …])",
}


def check(run, said, shown):
    for line in said:
        expression, value = line.rstrip("\n").split("\t")
        run.expect_line(f"0: {expression} = {value}")
    for name, value in shown.items():
        run.expect_line(f"0: {name} = {value}")
    run.expect("0: self.wait = <bound method _Base.wait of <")
    run.expect("0: text.upper = <built-in method upper of str object at 0x")
    run.expect("0: namesakes = [<float at 0x")
    run.expect(">, <NoneType at 0x")
    run.expect_line("0: __kept = 43")
    run.expect_status(0)


def list_commands(said):
    return ["print " + line.split("\t")[0] for line in said] + [
        "print self.wait", "print text.upper", "print namesakes", "set option limit-items 3", "show locals", "up",
        "print __kept"]


def test_outside(interpreter):
    program = subprocess.Popen([interpreter, PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    said, line = [], program.stdout.readline()
    while "\t" in line:
        said.append(line)
        line = program.stdout.readline()
    try:
        run = pddt.run(["--attach", str(program.pid)] + pddt.commands(*list_commands(said)))
        check(run, said, dict(SHOWN, **(ARRAYS if line == "numpy\n" else {})))
        program.stdin.close()
        if program.wait(120) != 0:
            run.fail(f"the program ended with {program.returncode}")
    finally:
        program.kill()
        program.wait()


def test_inside(interpreter):
    """The same at a Python line, also in conditions, logs and statements."""
    wanted = {"self.__held": "41", "self.__held + self.__list[1]": "43", "text.upper()": "'ABC'",
              "[self.__held for _ in text]": "[41, 41, 41]"}
    run = pddt.run(pddt.commands(f"tbreak private.py:{ADD} if __more == 44", "continue", "wait 120",
                                 "print self.__held + __more", f"break private.py:{LINE} if self.__held == 42", f"tbreak private.py:{LINE} if self.__held == 41",
                                 f'break private.py:{LINE} log "held {{self.__held}}"', "continue", "wait 120",
                                 *["print " + expression for expression in wanted],
                                 "print ring", "print namesakes", "print [1 << 40000, 3]",
                                 "set option limit-items 4", "print list(range(9))",
                                 "set option limit-depth 1", "print [[[1]]]", "set option limit-items 8", "print list(range(10))", "set option limit-bytes 200",
                                 "print len('a' * 500), 'a' * 500",
                                 "py self.__held = 5", "print self._Base__held", "print len(vars(self))", "up", "print __kept")
                   + ["--", interpreter, "%python_debug%", PROGRAM])
    run.expect("0: breakpoint 1, ")
    run.expect_line("0: self.__held + __more = 85")
    run.expect("0: breakpoint 3, ")
    run.expect_line("0: held 41")
    for expression, value in wanted.items():
        run.expect_line(f"0: {expression} = {value}")
    run.expect_line("0: ring = deque([1, 2, 3], maxlen=5)")
    run.expect_line("0: namesakes = [my float, my set, my NoneType, my array, my deque, my range, my list]")
    run.expect("0: [1 << 40000, 3] = [")
    run.expect_not("ValueError")
    run.expect_line("0: list(range(9)) = [0, 1, 2, 3, ...]")
    run.expect_line("0: [[[1]]] = [[...]]")
    run.expect_line("0: list(range(10)) = [0, 1, 2, 3, 4, 5, 6, 7, ...]")
    if "a" * 201 in run.out:
        run.fail("limit-bytes does not hold")
    run.expect_line("0: self._Base__held = 5")
    run.expect_line("0: len(vars(self)) = 2")
    run.expect_line("0: __kept = 43")
    run.expect_status(0)


def test_no_limits(interpreter):
    """At a Python line the limits are larger at first: 6 levels, 200 elements, 4,000 bytes, as show options says. 0 shows
    all, up to 8,000 characters."""
    shown = [repr(list(range(250))), "[[[[[[[1]]]]]]]", repr("b" * 5000)]
    asked = ["list(range(250))", "[[[[[[[1]]]]]]]", "'b' * 5000"]
    prints = ["print " + expression for expression in asked + ["list(range(200))", "[[[[[[1]]]]]]", "'b' * 3998"]]
    run = pddt.run(pddt.commands(f"break private.py:{LINE}", "continue", "wait 60", "delete", "show options", *prints,
                                 "set option limit-items 0", "set option limit-depth 0", "set option limit-bytes 0",
                                 "show options", *prints, "print 'c' * 9000", "kill")
                   + ["--", interpreter, "%python_debug%", PROGRAM])
    lines = run.out.splitlines()
    for line in ("limit-depth = 3 (6 at a Python line)", "limit-items = 8 (200 at a Python line)",
                 "limit-bytes = 200 (4000 at a Python line)", "limit-depth = 0", "limit-items = 0", "limit-bytes = 0"):
        run.expect_line(line)
    for expression, value in zip(asked, shown):
        answers = [line for line in lines if line.startswith(f"0: {expression} = ")]
        if len(answers) != 2 or "..." not in answers[0] or answers[1] != f"0: {expression} = {value}":
            run.fail(f"{expression}: {answers}")
    for value in repr(list(range(200))), "[[[[[[1]]]]]]", repr("b" * 3998):
        if sum(line.endswith(" = " + value) for line in lines) != 2:
            run.fail(f"not shown twice: {value}")
    if not 7000 < run.out.count("c" * 50) * 50 < 8050:
        run.fail("a text of 9000 characters")


def test_signals(interpreter):
    """A signal that comes while Python code is run for the user is kept from the program if he has said so."""
    run = pddt.run(pddt.commands(f"break private.py:{LINE}", "continue", "wait 60", "delete",
                                 "handle SIGUSR1 nostop noprint nopass",
                                 "py import os, signal; os.kill(os.getpid(), signal.SIGUSR1)", "print 6 * 7")
                   + ["--", interpreter, "%python_debug%", PROGRAM])
    run.expect("0: breakpoint 1, ")
    run.expect_line("0: 6 * 7 = 42")
    run.expect_not("SIGUSR1")


driver.run_journeys([(test, interpreter) for interpreter in driver.list_interpreters()
                     for test in (test_outside, test_inside, test_no_limits, test_signals)])
