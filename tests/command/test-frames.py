# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps act on the selected frame: from a caller's line they go on once the calls that it waits for have returned, in
C and in Python, at a breakpoint and where a rank was paused inside a library; registers and names in a library's frame.
Argument: the program outer."""
import os
import re
import subprocess
import sys
import tempfile

import pddt

OUTER = sys.argv[1]
SOURCE = os.path.join(pddt.SOURCE, "tests", "inferiors", "outer.c")
PROGRAM = """
import os
import time

def inner(value):
    time.sleep(0.01)
    return value + 1

def middle(value):
    got = inner(value)
    return 2 * got

def outer():
    total = middle(3)
    total += nap()
    print(total)
    return total

def nap():
    with open(os.environ["NAPPING"], "w"):
        time.sleep(3)
    return 4

outer()
print("end")
"""


def line_of(path, text):
    with open(path, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if line.strip() == text)


def check(program, lines, expected):
    """The last state lines, in order."""
    run = pddt.run(pddt.commands(*lines) + program)
    states = re.findall(r"^0: (?:stopped|breakpoint \d+), (.*)$", run.out, re.M)
    if states[-len(expected):] != expected:
        run.fail(f"{lines}: {states}, expected {expected}")


INLINED = """#define INLINE static inline __attribute__ ((always_inline)) int
INLINE inner (int deep) { int mine = deep * 2;
  return mine; }
INLINE middle (int value) { int yours = value + 1; return inner (yours) + yours; }
int main (void) { int outer = 5; outer += middle (outer); return outer == 0; }
"""


def check_inlined():
    """Each frame has its own variables, inlined or not."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "inlined")
        with open(program + ".c", "w", encoding="utf-8") as file:
            file.write(INLINED)
        subprocess.run(["cc", "-g", "-O0", "-o", program, program + ".c"], check=True, timeout=60)
        run = pddt.run(pddt.commands("break inlined.c:3", "continue", "where full") + [program])
    frames = {}
    for line in run.out.splitlines():
        head = re.match(r"#\d+ +0 1 (\w+) \(", line)
        own = frames.setdefault(head[1], {}) if head else list(frames.values())[-1] if frames else {}
        own.update((name, int(value)) for name, value in re.findall(r"(\w+) ?= ?(\d+)", line))
    wanted = {"main": {"outer": 5}, "middle": {"value": 5, "yours": 6}, "inner": {"deep": 6, "mine": 12}}
    if frames != wanted:
        run.fail(f"{frames} instead of {wanted}")


ABORTS = """#include <stdlib.h>
void bare (void);
int main (void) { int mine = 7; bare (); if (mine == 7) abort (); return 0; }
"""


def check_library():
    """Stopped inside the C library: registers are those of its frame, in all commands; what was kept is of no frame, and
    names are the program's. Only what was compiled without -g is said to be."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "aborts")
        for options, source in (["-g"], ABORTS), ([], "void bare (void) {}"):
            subprocess.run(["cc", *options, "-O0", "-c", "-xc", "-", "-o", os.path.join(folder, f"{len(options)}.o")],
                           input=source.encode(), check=True, timeout=60)
        subprocess.run(["cc", "-o", program, os.path.join(folder, "0.o"), os.path.join(folder, "1.o")], check=True,
                       timeout=60)
        run = pddt.run(pddt.commands("break bare", "continue", "delete", "continue", "wait 60", "print $at = (long) $pc",
                                     "print $kept = mine", "print $kept + mine", 'printf "$%d\\n", mine',
                                     'printf "%d times\\n", (long) $pc == $at', "info symbol $pc") + [program])
        for line in "$kept = mine = 7", "$kept + mine = 14", "$7", "1 times":
            run.expect_line("0: " + line)
        if not re.search(r"^0: \S+ \+ \d+ in libc", run.out, re.M):
            run.fail("info symbol $pc is of another frame")
        run = pddt.run(pddt.commands("break bare", "continue", "where", "frame 0", "show locals",
                                     "set var $rip = $rip", "up", "set var mine = 1", "finish", "finish") + [program])
        run.expect("main returned 0")
        run.expect_not("for aborts: compile it with -g")


def check_native():
    save = f"save at outer.c:{pddt.mark(SOURCE, 'save')}"
    keep = f"keep at outer.c:{line_of(SOURCE, 'return narrow + 100 * middle + 10000 * wide;')}"
    around = f"around at outer.c:{line_of(SOURCE, 'return outermost + inner;')}"
    begin = [f"break outer.c:{pddt.mark(SOURCE, 'save')}", "continue", "wait 60"]
    for word in "next", "step":
        check([OUTER], [*begin, "up", word, "wait 60"], [save, keep])
        check([OUTER], [*begin, "up 2", word, "wait 60"], [save, around])
    # twice: the second one from where the first has ended
    check([OUTER], [*begin, "up", "next 2", "wait 60"],
          [save, f"keep at outer.c:{line_of(SOURCE, 'return narrow + 100 * middle + 10000 * wide;') + 1}"])
    # the innermost one, selected by its number, is stepped as ever
    check([OUTER], [*begin, "frame 0", "next", "wait 60"], [save, f"save at outer.c:{pddt.mark(SOURCE, 'save') + 1}"])
    # a breakpoint on the way comes first
    check([OUTER], [f"break outer.c:{pddt.mark(SOURCE, 'leave')}", *begin, "up 3", "next", "wait 60"],
          [save, f"leave at outer.c:{pddt.mark(SOURCE, 'leave')}"])


def check_python(folder):
    path = os.path.join(folder, "frames.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    program = [pddt.PYTHON, "%python_debug%", path]
    lines = {text: line_of(path, text) for text in ("time.sleep(0.01)", "return 2 * got", "total += nap()", "return 4",
                                                    "print(total)", "time.sleep(3)")}
    inner = f"inner at frames.py:{lines['time.sleep(0.01)']}"
    begin = [f"break frames.py:{lines['time.sleep(0.01)']}", "continue", "wait 60"]
    for word in "next", "step":
        check(program, [*begin, "up", word, "wait 60"], [inner, f"middle at frames.py:{lines['return 2 * got']}"])
        check(program, [*begin, "up 2", word, "wait 60"], [inner, f"outer at frames.py:{lines['total += nap()']}"])

    # Paused inside the C library: the user's line is selected, and left by next; with a caller selected, its line.
    napping = os.path.join(folder, "napping")
    pddt.ENVIRONMENT["NAPPING"] = napping
    pause = [f"break frames.py:{lines['time.sleep(3)']}", "continue", "wait 60", "delete", "next", "wait 1", "pause",
             "wait 60"]
    asleep = f"nap at frames.py:{lines['time.sleep(3)']}"
    check(program, [*pause, "next", "wait 60"], [asleep, f"nap at frames.py:{lines['time.sleep(3)'] - 1}"])
    check(program, [*pause, "up", "next", "wait 60"], [asleep, f"outer at frames.py:{lines['print(total)']}"])


check_library()
check_native()
with tempfile.TemporaryDirectory() as made:
    check_python(made)
