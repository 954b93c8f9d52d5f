# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a function's breakpoint stops: in the program's own functions of the name, else in those of imported
modules by their public names; with every interpreter found. Argument: the folder of the agent."""
import os
import sys

import driver

AGENT = os.path.join(sys.argv[1], "pddt_agent.abi3.so")
RUNNER = os.path.join(sys.argv[1], "pddt_runner.py")
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "language")
PROGRAM = os.path.join(FOLDER, "names.py")
OWN = driver.marks(PROGRAM)
with open(PROGRAM) as stream:
    OWN["dumps"] = stream.read().split("notation.dumps")[0].count("\n") + 1
WORK = driver.marks(os.path.join(FOLDER, "named", "work.py"))
tap = driver.Tap()

# name, the file before it, and where it stands: marks, or functions of libraries
NAMES = [
    ("find", "", ["find", "method"]),
    ("Solver.find", "", ["method"]),
    ("__main__.find", "", ["find"]),
    ("__main__.solve", "", []),
    ("solve", "named.work", ["solve"]),
    ("find", "named.work", []),
    ("names.find", "", ["find"]),
    ("find", "names.py", ["find", "method"]),
    ("find", "work.py", []),
    ("step", "", ["step"]),
    ("solve", "", ["solve"]),
    ("named.solve", "", ["solve"]),
    ("named.work.solve", "", ["solve"]),
    ("alias.solve", "", ["solve"]),
    ("named.renamed", "", ["solve"]),
    ("run", "", ["run"]),
    ("Thing.run", "", ["run"]),
    ("named.Thing.run", "", ["run"]),
    ("named.Thing.fixed", "", ["fixed"]),
    ("Thing.value", "", ["value"]),
    ("decorated", "", ["decorated"]),
    ("named.work.decorated", "", ["decorated"]),
    ("json.dumps", "", ["dumps"]),
    ("notation.dumps", "", ["dumps"]),
    ("dumps", "", ["dumps"]),
    ("loads", "", ["loads"]),
    ("os.path.basename", "", ["basename"]),
    ("basename", "", []),
    ("absent", "", []),
]


def name_places(words):
    """Marks, and functions of libraries, of an answer's places."""
    found = []
    for function, file, line in zip(words[::3], words[1::3], words[2::3]):
        marks = {"names.py": OWN, "work.py": WORK}.get(os.path.basename(file), {})
        found.append(next((mark for mark, number in marks.items() if number == int(line)), function))
    return sorted(found)


def go_to(rank, line):
    rank.set_breakpoint(999, "names.py", line, temporary=1)
    while rank.go() == "sync":
        pass


def test_names(python, minor):
    """Set before anything is imported, and again when all is."""
    rank = driver.Rank(AGENT, [python, "-B", RUNNER, PROGRAM], timeout=60)
    try:
        for number, (name, file, wanted) in enumerate(NAMES, 1):
            rank.set_breakpoint(number, file, function=name, condition="False")
        go_to(rank, OWN["dumps"])
        first = [name_places(rank.ask("places", number=number)[1]) for number in range(1, len(NAMES) + 1)]
        go_to(rank, OWN["last"])
        for number, (name, file, wanted) in enumerate(NAMES, 1):
            label = "%s: %s%s" % (python, file and file + ":", name)
            tap.equal(label, name_places(rank.ask("places", number=number)[1]), sorted(wanted))
            tap.equal(label + " before its call", first[number - 1], sorted(wanted))
            rank.ask("delete", number=number)
            later = rank.set_breakpoint(number, file, function=name)
            tap.equal(label + ", set later", name_places(later[1]), sorted(wanted))
            rank.ask("delete", number=number)
    finally:
        rank.kill()


def test_hits(python, minor):
    """What a name leads to only when an import or a class is complete is known when that function is called."""
    for name, line in ("named.renamed", WORK["solve"]), ("Part.step", OWN["step"]), ("Part.other", OWN["other"]):
        rank = driver.Rank(AGENT, [python, "-B", RUNNER, PROGRAM], timeout=60)
        try:
            rank.set_breakpoint(1, function=name)
            event = rank.go()
            while event == "sync":
                event = rank.go()
            tap.equal("%s: %s stops" % (python, name), (event, rank.where()[2]), ("breakpoint", line))
        except driver.Ended:
            tap.check("%s: %s stops" % (python, name), False, "it has ended")
        finally:
            rank.kill()


driver.run_tests(tap, globals())
