# SPDX-License-Identifier: GPL-3.0-or-later
"""find shows the places that gdb's find shows, in the same order; clear deletes what stands at a place. Argument: found.c."""
import os
import re
import subprocess
import sys

import pddt

pddt.require_gdb()

PROGRAM = sys.argv[1]
SOURCE = os.path.join(pddt.SOURCE, "tests", "inferiors", "found.c")
HERE = f"found.c:{pddt.mark(SOURCE, 'here')}"
ASKED = ["&text[0], +sizeof(text), \"hello\"", "text, +sizeof(text), 'h', 'e', 'l', 'l', 'o'",
         "text, +11, {char[5]}\"hello\"", "/b1 &mixed, +sizeof(mixed), 0x12",
         "&mixed, +sizeof(mixed), (char) 'c', (short) 0x1234, (int) 0x56789abc", "/b &mixed, +sizeof(mixed), 'c', 0x34",
         "numbers, +sizeof(numbers), 2", "/2w numbers, numbers+8, 2", "/h numbers, &numbers[7], 2",
         "/g numbers, +32, 2", "numbers, +32, numbers[1], numbers[2]", "&numbers[0], &numbers[3], 2",
         "&numbers[0], &numbers[3], (char)2", "numbers, +sizeof(numbers), 77", "halves, +sizeof(halves), 1.5",
         "large, +size, 'a', 'c', 'r'", "large, large + size - 1, {char[6]}\"across\""]
REFUSED = [("numbers, +0, 1", "find: nothing lies between START and END"),
           ("numbers, numbers - 1, 1", "find: nothing lies between START and END"),
           ("numbers, +5", "find START, +LENGTH or END, VALUE: one of them is missing"),
           ("numbers, +2, 1", "find: what is looked for is larger than where it is looked for"),
           ("/x numbers, +5, 1", 'cannot read "x": find takes a number, and a size of b h w g'),
           ("nothing, +5, 1", 'no symbol "nothing" in frame stop_here'),
           ("mixed.letter, +5, 1", "mixed.letter is not an address")]


def read_places(out):
    return [re.findall(r"^(?:0: )?(0x[0-9a-f]+)(?: (<[^>]+>))?$", part, flags=re.M) for part in out.split("mark\n")[1:]]


def add_marks(lines):
    return [line for asked in lines for line in ("echo mark\\n", asked)]


asked = ["find" + (" " if text[0] != "/" else "") + text for text in ASKED]
gdb = subprocess.run(["gdb", "-nx", "-q", "-batch"] + [word for line in
                     ["set debuginfod enabled off", "break " + HERE, "run"] + add_marks(asked) for word in ("-ex", line)]
                     + [PROGRAM], capture_output=True, text=True, timeout=60).stdout
run = pddt.run(pddt.commands("break " + HERE, "continue", *add_marks(asked)) + [PROGRAM])
run.expect_status(0)
wanted, found = read_places(gdb), read_places(run.out)
if len(wanted) != len(asked) or sum(map(len, wanted)) < 25:
    raise SystemExit("gdb: " + gdb)
for line, theirs, ours in zip(asked, wanted, found):
    if theirs != ours:
        run.fail(f"{line}: {ours}, not {theirs}")

run = pddt.run(pddt.commands("break " + HERE, "continue", "find numbers, +sizeof(numbers), 2", "print $numfound",
                             "print *(int *) $_", "find numbers, +sizeof(numbers), 77", "print $numfound",
                             "print *(int *) $_", "find/1 numbers, +sizeof(numbers), 2", "find 0, +10, 1",
                             "set $kept = 7", "print $kept + 1", *("find " + text for text, _ in REFUSED)) + [PROGRAM])
run.expect_status(1)
for line in ("0: 3 found", "0: $numfound = 3", "0: *(int *) $_ = 2", "0: not found", "0: $numfound = 0",
             "0: 1 found, not looked for more", "0: not found, 0x0 cannot be read, not looked further",
             "0: $kept + 1 = 8", *(f"error: {why} (0)" for _, why in REFUSED)):
    run.expect_line(line)

# clear, by line, by function, where it stands, and for some ranks of several.
run = pddt.run(pddt.commands("break " + HERE, "break stop_here", "break main", "break nosuch.c:7", "watch size", "clear main",
                             "clear nosuch.c:7", "clear 99", "clear nowhere", "continue", "clear", "show breakpoints") + [PROGRAM])
run.expect_status(1)
for line in ("0: breakpoint 3 deleted", "0: breakpoint 4 deleted", "0: breakpoint 1 deleted", "0: breakpoint 2 deleted",
             "error: no breakpoint at 99", "error: no breakpoint at nowhere"):
    run.expect_line(line)
shown = [line for line in run.out.splitlines() if re.match(r"0: breakpoint \d+ set", line)]
if ["watch size" in line for line in shown] != [False, False, False, True, True]:
    run.fail("what is left")
run = pddt.run(pddt.commands("break " + HERE, "on 1 clear " + HERE, "show breakpoints", "on 1 clear " + HERE, "clear " + HERE,
                             "show breakpoints") + ["mpirun", "-np", "2", PROGRAM])
for line in ("1: breakpoint 1 deleted", "0: breakpoint 1 deleted", f"error: no breakpoint at {HERE}"):
    run.expect_line(line)
run.expect(f"0: breakpoint 1 set, stop_here at {HERE}")
