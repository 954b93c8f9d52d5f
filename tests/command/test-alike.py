# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that a program and a library that is not the user's own both have, compared with gdb: in the library's frame its
own unit comes first, then the program, then the library's other units. Arguments: the program, its library."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pddt

pddt.require_gdb()

PROGRAM, LIBRARY = sys.argv[1:]
# What is below site-packages is a system's.
FOLDER = tempfile.TemporaryDirectory()
SYSTEM = os.path.join(FOLDER.name, "site-packages")
os.mkdir(SYSTEM)
shutil.copy(LIBRARY, SYSTEM)
STOP = "alike-own.c:%d" % pddt.mark(os.path.join(pddt.SOURCE, "tests", "inferiors", "alike-own.c"), "stop")


def ours(folder, *lines):
    return pddt.run(pddt.commands(*lines) + [PROGRAM], environment={"LD_LIBRARY_PATH": folder})


def gdb(*commands):
    """{command: its lines}."""
    words = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load no",
             "-ex", "set width 0", "-ex", "set startup-with-shell off", "-ex", "set breakpoint pending on",
             "-ex", f"set environment LD_LIBRARY_PATH {SYSTEM}", "-ex", f"break {STOP}", "-ex", "run"]
    for command in commands:
        words += ["-ex", f"echo \\n@{command}\\n", "-ex", command]
    out = subprocess.run(words + ["-ex", "echo \\n@end\\n", PROGRAM], capture_output=True, text=True, timeout=120,
                         stdin=subprocess.DEVNULL).stdout
    parts = re.split(r"^@(.*)$", out, flags=re.M)
    return {parts[i]: parts[i + 1].split() for i in range(1, len(parts), 2)}


def value(words):
    """Of "$1 = 12", "type = struct node {", "0x… "text""."""
    words = [word for word in words if word not in ("0:", "=") and not word.startswith("0x")]
    return " ".join(words[1:] if words and words[0].startswith("$") or words[:1] == ["type"] else words)


EXPRESSIONS = ["in_own", "in_other", "hidden", "of_program", "KIND", "OWN", "same (1)", "node", "in_other + hidden",
               "in_own + OWN", "in_own + local - local", "sizeof (struct node)", "sizeof (node_t)", "(int) KIND + of_program"]
LIBRARYS = ["of_library", "sizeof (struct only)", "of_library + in_own"]
TYPES = ["ptype struct node", "whatis node_t", "whatis in_other", "ptype enum kind", "ptype struct only", "whatis same"]


def check(frame):
    """Of a frame 0, the library's, or 1."""
    texts = [text for text in EXPRESSIONS + LIBRARYS * (not frame) if not (frame and re.search("local|OWN", text))]
    lines = ["print " + text for text in texts] + TYPES[:None if not frame else 4] + ["x/s text"]
    marked = [word for line in lines for word in ("print 7770", line)]
    theirs = gdb(f"frame {frame}", *lines)
    run = ours(SYSTEM, "break " + STOP, "continue", "wait 60", f"frame {frame}", *marked, "print 7770")
    run.expect_status(0)
    mine = run.out.split("0: 7770 = 7770\n")
    if len(mine) < len(lines) + 1 or any(line not in theirs for line in lines):
        run.fail(f"frame {frame}: {len(mine)} answers, gdb's {sorted(theirs)}")
    for line, part in zip(lines, mine[1:]):
        left = re.sub(r"^0: ", "", part, flags=re.M)
        if line.startswith("print "):
            left = left.replace(line[6:] + " = ", "", 1)
        left, right = value(left.split()), value(theirs[line])
        if re.sub(r"\W", "", left.replace("x/s", "")) != re.sub(r"\W", "", re.sub(r"<\w+>:", "", right)):
            raise SystemExit(f"frame {frame}, {line}: pddt {left!r}, gdb {right!r}")


check(0)
check(1)

# A part of an expression is the library's, another the program's: no value at all. A watched name is the program's, and
# so is a condition's; a library of the user's own counts as the program.
run = ours(SYSTEM, f"break {STOP} if in_other == 12 && hidden == 13", "continue", "wait 60", "expect breakpoint",
           "frame 0", "print in_other + local",
           "print of_library + in_other", "print of_library + (int) *\"in_other\" - local", "watch in_other", "delete 1", "continue", "wait 60")
if (run.out + run.err).count('"in_other" here is the program\'s, and other names are the library\'s: ask for each alone') != 2:
    run.fail("a value of two files' names")
run.expect("0: of_library + (int) *\"in_other\" - local = ")
run.expect_line("0: in_other before = 12")
run.expect_line("0: in_other = 112")
run.expect_not("132")
run = ours(os.path.dirname(LIBRARY), "break " + STOP, "continue", "wait 60", "frame 0", "print in_other", "frame 1",
           "print in_other")
run.expect_status(0)
run.expect_line("0: in_other = 32")
run.expect_line("0: in_other = 12")
