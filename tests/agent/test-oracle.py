# SPDX-License-Identifier: GPL-3.0-or-later
"""Where breakpoints and steps stop, for every kind of statement of the language: as in bdb, which pdb is made
of, of the same interpreter, with every interpreter found. With PDDT_LONG also each line's breakpoint alone.
Argument: the folder of the agent."""
import glob
import os
import subprocess
import sys

import driver

AGENT = os.path.join(sys.argv[1], "pddt_agent.abi3.so")
RUNNER = os.path.join(sys.argv[1], "pddt_runner.py")
FOLDER = os.path.dirname(os.path.abspath(__file__))
FILES = {"statements.py": 8, "statements310.py": 10, "statements311.py": 11, "statements312.py": 12}
tap = driver.Tap()


def ask_bdb(python, what, file):
    text = subprocess.run([python, "-B", os.path.join(FOLDER, "bdb-oracle.py"), what, file], check=True,
                          stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout.decode()
    return [(name, int(line)) for name, _, line in (row.rpartition(" ") for row in text.splitlines())]


class Walk:
    """The program's stops in its own file."""

    def __init__(self, python, file):
        self.rank = driver.Rank(AGENT, [python, "-B", RUNNER, file], timeout=120)
        self.file = os.path.basename(file)

    def go(self, command):
        """Every stop until the end: (function, line)."""
        stops = []
        try:
            while True:
                event = self.rank.go(command)
                if event in ("breakpoint", "step"):
                    stops.append(self.rank.where())
        except driver.Ended:
            pass
        return [(name.rpartition(".")[2], line) for name, file, line in stops if file == self.file]


def walk_lines(python, file, lines):
    walk = Walk(python, file)
    try:
        for number, line in enumerate(lines, 1):
            walk.rank.set_breakpoint(number, walk.file, line)
        return walk.go("continue")
    finally:
        walk.rank.kill()


def walk_steps(python, file):
    walk = Walk(python, file)
    try:
        first = min(line for _, line in ask_bdb(python, "step", file))
        walk.rank.set_breakpoint(1, walk.file, first, temporary=1)
        assert walk.rank.go() == "breakpoint"
        begin = walk.rank.where()
        return [(begin[0], begin[2])] + walk.go("step")
    finally:
        walk.rank.kill()


def compare(what, got, wanted):
    at = next((i for i, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]), min(len(got), len(wanted)))
    tap.check(what, got == wanted, "stop %d of %d (%d): got %r\nwanted %r" % (
        at, len(wanted), len(got), got[max(at - 2, 0):at + 4], wanted[max(at - 2, 0):at + 4]))


def compare_all(python, minor):
    for name, first in FILES.items():
        file = os.path.join(FOLDER, "language", name)
        if minor < first:
            continue
        wanted = ask_bdb(python, "line", file)
        lines = sorted({line for _, line in wanted})
        compare("%s: breakpoints on every line of %s" % (python, name), walk_lines(python, file, lines), wanted)
        compare("%s: step through %s" % (python, name), walk_steps(python, file), ask_bdb(python, "step", file))
        # a frame that has passed its breakpoints is left alone
        few = lines[minor % 5::5]
        compare("%s: breakpoints on some lines of %s" % (python, name), walk_lines(python, file, few),
                [stop for stop in wanted if stop[1] in few])
        for line in lines if "PDDT_LONG" in os.environ else ():
            compare("%s: a breakpoint on %s:%d" % (python, name, line), walk_lines(python, file, [line]),
                    [stop for stop in wanted if stop[1] == line])


for path in sys.argv[2:] or driver.list_interpreters(also=9):
    compare_all(path, int(os.popen("%s -c 'import sys; print(sys.version_info[1])'" % path).read()))
tap.end()
