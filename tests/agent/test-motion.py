# SPDX-License-Identifier: GPL-3.0-or-later
"""Where step, next, finish and until end, in every interpreter found: generators, coroutines,
exceptions, recursion, decorators, callbacks, threads, imports. Argument: the folder of the agent."""
import os
import sys

from driver import Ended, Rank, Tap, marks, run_tests

AGENT = os.path.join(sys.argv[1], "pddt_agent.abi3.so")
RUNNER = os.path.join(sys.argv[1], "pddt_runner.py")
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "motions.py")
LINES = marks(PROGRAM)
NAMES = {line: name for name, line in LINES.items()}
tap = Tap()

# from, motions, and where each ends
WALKS = [
    ("consume-for", "step", ["produce", "yield", "consume-body", "consume-for", "after-yield"]),
    ("consume-for", "next", ["consume-body", "consume-for", "consume-body", "consume-for",
                             "consume-return", "main-sum"]),
    ("yield", "next", ["consume-body", "consume-for"]),
    ("consume-sum", "step", ["produce", "yield"]),
    ("consume-sum", "next", ["main-async"]),
    ("outer-first", "next", ["outer-await", "outer-task", "outer-return"]),
    ("inner-await", "next", ["inner-return", "outer-task"]),
    ("outer-await", "step", ["inner-await"]),
    ("catches-call", "next", ["catches-except", "catches-return", "main-passes"]),
    ("raises", "next", ["catches-except"]),
    ("passes", "next", ["calls-except"]),
    ("recurse-call", "next", ["recurse-return", "main-decorated"]),
    ("recurse-call", "step", ["recurse-if", "recurse-call", "recurse-if"]),
    ("main-decorated", "step", ["wrapper", "decorated", "main-sorted"]),
    ("main-sorted", "step", ["key", "key", "main-deep"]),
    ("main-sorted", "next", ["main-deep"]),
    ("with", "step", ["enter", "with-body"]),
    ("with-body", "next", ["with", "with-return"]),
    ("thread-call", "next", ["thread-return"]),
    ("import", "step", ["imports-return", "main-print"]),
]

# where finish ends, and which value was returned or yielded
FINISHES = [
    ("leaf-yield", "middle-from", ["1", "leaf", "yielded"]),
    ("middle-from", "top-from", ["1", "middle", "yielded"]),
    ("top-from", "drive-next", ["1", "top", "yielded"]),
    ("leaf-caught", "drive-throw", ["3", "leaf", "yielded"]),    # what delegates is passed by what is thrown
    ("leaf-return", "middle-from", ["5", "leaf"]),
    ("await-yield", "items-await", ["None", "Awaitable.__await__", "yielded"]),
    ("items-yield", "items-for", ["1", "items", "yielded"]),
    ("items-await", "items-for", ["2", "items", "yielded"]),     # it is suspended before, but has yielded nothing
    ("sleeper-finally", "cancelled-except", []),
]


def start(python, mark, **options):
    rank = Rank(AGENT, [python, "-B", RUNNER, PROGRAM], **options)
    rank.set_breakpoint(1, "motions.py", LINES[mark], temporary=1)
    assert rank.go() == "breakpoint"
    return rank


def describe(rank):
    function, file, line = rank.where()
    return NAMES.get(line, line) if file == "motions.py" else "%s:%s" % (file, function)


def test_walks(python, minor):
    rank = Rank(AGENT, [python, "-B", RUNNER, PROGRAM, "again"], timeout=60)
    try:
        for mark, motion, wanted in WALKS:
            for place in ("main-consume", mark):    # each from the beginning of a round
                rank.set_breakpoint(1, "motions.py", LINES[place], temporary=1)
                assert rank.go() == "breakpoint"
            got = []
            for _ in wanted:
                event = rank.go(motion)
                got.append(describe(rank) if event == "step" else event)
            if minor < 10 and mark == "with-body":
                wanted = ["with-return", "main-loop"]   # no line of its own for the exit there
            wanted = [LINES["yield"] - 1 if name == "produce" else name for name in wanted]
            tap.equal("%s %s from %s" % (python, motion, mark), got, wanted)
    finally:
        rank.kill()


def test_finish_of_suspended(python, minor):
    """Of a generator by what it yields, wherever that goes; of a coroutine not while it waits."""
    rank = Rank(AGENT, [python, "-B", RUNNER, PROGRAM, "again"], timeout=60)
    try:
        for mark, end, value in FINISHES:
            for place in ("main-loop", mark):
                rank.set_breakpoint(1, "motions.py", LINES[place], temporary=1)
                assert rank.go() == "breakpoint"
            if mark == "leaf-caught" and minor == 9:
                end = "drive-try"                       # the next line: who has called throw is not known there
            if mark == "sleeper-finally" and minor >= 12:
                end = "cancelled-await"                 # where the await ends is an instruction of its own
            got = (rank.go("finish"), describe(rank),
                   rank.text()[1:2] + rank.text()[3:] if rank.get("number") else [])
            if minor < 11 and value:
                value = [value[0], value[1].rpartition(".")[2]] + value[2:]
            tap.equal("%s finish from %s" % (python, mark), got, ("step", end, value))
    finally:
        rank.kill()


def test_finish(python, minor):
    rank = start(python, "deep-end")
    try:
        tap.equal(python + " finish", (rank.go("finish"), describe(rank), rank.text()[:2]),
                  ("step", "deep-call", ["int", "7"]))
        tap.equal("finish of the second frame", (rank.go("finish", frame=1), describe(rank),
                                                 rank.ask("stack")[1][0]),
                  ("step", "deep-call", rank.ask("stack")[1][0]))
        depth = rank.ask("stack")[1][::3].count("deep")
        tap.equal("its depth", depth, 1)
        tap.equal("to main", (rank.go("finish"), describe(rank), rank.text()[:2]),
                  ("step", "main-deep", ["int", "7"]))
        tap.equal("result is not yet bound", rank.ask("eval", "result")[0], -1)
        tap.equal("then next", (rank.go("next"), describe(rank)), ("step", "main-managed"))
        status, out, _ = rank.finish_run()
        tap.equal("end", (status, out), (4, "result 7\n"))
    finally:
        rank.kill()


def test_finish_outer(python, minor):
    rank = start(python, "deep-end")
    try:
        tap.equal(python + " finish of an outer frame", (rank.go("finish", frame=3), describe(rank),
                                                         rank.text()[:2]),
                  ("step", "main-deep", ["int", "7"]))
    finally:
        rank.kill()


def test_finish_by_exception(python, minor):
    rank = start(python, "raises")
    try:
        # from 3.11 on a handler begins with an instruction that has no line
        tap.equal(python + " finish by an exception", (rank.go("finish"), rank.get("number"), describe(rank)),
                  ("step", 0, "catches-except"))
        stack = rank.ask("stack")[1]
        tap.equal("in the stack", [stack[0], stack[2]], ["catches", str(LINES["catches-except"])])
        tap.check("then next", rank.go("next") == "step" and rank.where()[0] == "catches",
                  rank.where())
    finally:
        rank.kill()


def test_finish_of_a_coroutine(python, minor):
    rank = start(python, "inner-await")
    try:
        tap.equal(python + " finish of a coroutine", (rank.go("finish"), describe(rank),
                                                      rank.text()[:2]),
                  ("step", "outer-await", ["int", "5"]))
    finally:
        rank.kill()


def test_step_of_library(python, minor):
    """Without just-my-code the decorator's library is shown; with it, it is not."""
    rank = start(python, "import")
    try:
        rank.put("just_my_code", 0)
        rank.go("step")
        tap.check(python + " into the library", not describe(rank).startswith("import"),
                  describe(rank))
        tap.check("which is no program's file", rank.where()[1] != "motions.py", rank.where())
        rank.put("just_my_code", 1)
        tap.equal("out of it again", (rank.go("finish"), describe(rank)), ("step", "import"))
    finally:
        rank.kill()


def test_end(python, minor):
    rank = start(python, "main-print")
    try:
        for _ in range(9):
            rank.go("step")
        tap.check(python + " steps end with the program", False, describe(rank))
    except Ended as end:
        tap.equal(python + " steps end with the program", end.args[0], 4)
    finally:
        rank.kill()


run_tests(tap, globals())
