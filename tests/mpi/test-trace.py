# SPDX-License-Identifier: GPL-3.0-or-later
"""--trace: every call that the program makes, counted as cProfile counts it, in an archive that OTF2's own tools read."""
import ast
import json
import os
import re
import pickle
import pstats
import signal
import subprocess
import sys

import pddt
from measured import Measured, read_calls
from traced import read_tables

sys.path.insert(0, os.path.join(pddt.SOURCE, "tests", "agent"))
from driver import list_interpreters

PROGRAM = os.path.join(pddt.SOURCE, "tests", "mpi", "traced_program.py")
PYTHON = "/usr/bin/python3"
REFERENCE = """
import cProfile, sys
path, to, builtins = sys.argv[1], sys.argv[2], sys.argv[3] == "c"
sys.argv = [path, "count"]
profile = cProfile.Profile(builtins=builtins)
with open(path) as stream:
    code = compile(stream.read(), path, "exec")
space = {"__name__": "__main__", "__builtins__": __builtins__}
profile.runctx(code, space, space)
profile.dump_stats(to)
"""
# what the two ways of starting the program call around it
AROUND = ("<built-in method builtins.exec>", "<method 'disable' of '_lsprof.Profiler' objects>")


def trace(words, *options, **more):
    return Measured(words, *options, mode="--trace", **more)


def load(path, has_c):
    """{function: (primitive calls, calls, {caller: (calls, primitive calls)})} of the program's own functions, and of
    functions of C what the program's own have called; cProfile does not know what is in the C library."""
    def is_counted(function):
        return function[2] not in AROUND and (has_c and function[2].startswith("<") or function[0] != "~")

    found = {}
    for function, (primitive, calls, _, _, callers) in pstats.Stats(path).stats.items():
        edges = {caller: numbers[:2] for caller, numbers in callers.items() if is_counted(caller)}
        if function[0] == PROGRAM:
            found[function] = (primitive, calls, edges)
        elif function[0] == "~" and is_counted(function):
            own = {caller: numbers for caller, numbers in edges.items() if caller[0] == PROGRAM}
            if own:
                found[function] = own
    return found


def test_counts(python):
    """Exactly cProfile's numbers, callers included, with and without functions of C. That of 3.14 names functions of C as
    callers even where it was told not to."""
    knows_builtins = subprocess.run([python, "-c", "import sys; sys.exit(sys.version_info < (3, 14))"], check=False).returncode == 0
    for what, options in (("python", []), ("c", ["--c-functions"])):
        with trace([python, PROGRAM, "count"], "--export", "pstats=mine.prof", *options) as measured:
            wanted_path = os.path.join(measured.folder, "wanted.prof")
            subprocess.run([python, "-c", REFERENCE, PROGRAM, wanted_path, what], check=True)
            run = measured.run()
            run.expect_status(0)
            wanted = load(wanted_path, what == "c")
            found = load(os.path.join(measured.folder, "mine.prof"), what == "c")
            for function, numbers in wanted.items():
                if what == "python" and knows_builtins and sum(edge[0] for edge in numbers[2].values()) < numbers[1]:
                    found[function], numbers = found.get(function, ())[:2], numbers[:2]
                if found.get(function) != numbers:
                    run.fail(f"{python}, {what}: {function} has {found.get(function)}, not {numbers}")
            if len(wanted) < 20:
                run.fail("the reference is not the program's")
            more = [function for function in found if function not in wanted]
            if more:
                run.fail(f"{python}, {what}: {more}")


def test_threads():
    with trace([PYTHON, PROGRAM, "threads"]) as measured:
        run = measured.run()
        run.expect_status(0)
        calls = read_calls(run, run.archive)
        counts = sorted(location["traced_program.py:fib"] for name, location in calls.items()
                        if location.get("traced_program.py:in_thread"))
        if counts != [15, 25, 41]:
            run.fail(f"calls in threads: {counts}")


def test_daemons(python):
    """Interpreters that end while threads are traced."""
    for _ in range(2):
        with trace([python, PROGRAM, "daemons"]) as measured:
            run = measured.run()
            run.expect_status(0)
            if run.out != "whole\n":
                run.fail("another output")
            calls = read_calls(run, run.archive)
            if sum(location.get("traced_program.py:fib", 0) for location in calls.values()) < 100:
                run.fail(f"{python}: the threads' calls are not there")


def test_fork():
    """The child has its parent's names, and what it was in counts as no call."""
    with trace([PYTHON, PROGRAM, "fork"]) as measured:
        run = measured.run()
        run.expect_status(0)
        run.expect("1 rank and 1 child process", "err")
        calls = read_calls(run, run.archive)
        child = [location for name, location in calls.items() if name.startswith("child 1 of rank 0")]
        if len(child) != 1 or child[0].get("traced_program.py:fib") != 67 \
                or child[0].get("traced_program.py:fork", 0) != 0 or child[0]["opened"] != 2:
            run.fail(f"the child's calls: {child}")


def test_executed():
    """Interpreters that the program starts are traced, too."""
    with trace([PYTHON, PROGRAM, "execute"]) as measured:
        run = measured.run()
        run.expect_status(0)
        calls = read_calls(run, run.archive)
        for name in ("<string>:executed", "<string>:by_shell"):
            if sum(location.get(name, 0) for location in calls.values()) != 1:
                run.fail(f"{name} is not in {list(calls)}")


def test_same():
    """What it prints, returns and sees, traced and not."""
    plain = subprocess.run([PYTHON, PROGRAM, "show", "a b"], env=dict(pddt.ENVIRONMENT, PDDT_TEST_MARKER=""), text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with trace([PYTHON, "%python_debug%", PROGRAM, "show", "a b"]) as measured:
        run = measured.run()
        run.expect_status(3)
        if run.out != plain.stdout or not run.err.startswith(plain.stderr + "pddt: 1 rank, "):
            run.fail(f"not {plain.stdout!r} and {plain.stderr!r}")


def test_ranks():
    with trace(["mpirun", "-np", "3", PYTHON, PROGRAM, "ranks"], "--export", "pstats", "--export", "tau") as measured:
        run = measured.run()
        run.expect_status(0)
        calls = read_calls(run, run.archive)
        for rank, wanted in enumerate((15, 25, 41)):
            path = os.path.join(run.archive, "export", f"cpu_{rank}.prof")
            found = {name: numbers[1] for (_, _, name), numbers in pstats.Stats(path).stats.items()}
            with open(os.path.join(run.archive, "export", f"profile.{rank}.0.0")) as stream:
                lines = [line for line in stream if line.startswith('"fib [{')]
            if found["fib"] != wanted or calls[f"rank {rank}: thread 1"]["traced_program.py:fib"] != wanted:
                run.fail(f"rank {rank} called fib {found['fib']} times, not {wanted}")
            if len(lines) != 1 or lines[0].split('" ')[1].split()[:2] != [str(wanted), str(wanted - 1)]:
                run.fail(f"TAU's line of rank {rank}: {lines}")


def test_untraced():
    """Ranks that are no Python programs are named, and a job of nothing else leaves no archive of it."""
    line = ["mpirun", "-np", "1", PYTHON, PROGRAM, "threads", ":", "-np", "2", "true"]
    plain = subprocess.run(line, env=pddt.ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if plain.returncode != 0:  # Debian 13's prterun 5.0.7 crashes on it
        print(f"several programs in one line are not tried: plain mpirun ends with {plain.returncode}")
        line = ["mpirun", "-np", "3", "sh", "-c", f'[ "$OMPI_COMM_WORLD_RANK" = 0 ] || exec true; exec {PYTHON} {PROGRAM} threads']
    with trace(line) as measured:
        run = measured.run()
        run.expect_status(0)
        run.expect("not traced: 1-2: ", "err")
        run.expect("pddt: 1 rank, ", "err")
    with trace(["true"]) as measured:
        run = measured.run()
        run.expect_status(3)
        run.expect("nothing is traced: no process has recorded anything", "err")
        if os.listdir(measured.folder):
            run.fail(f"left over: {os.listdir(measured.folder)}")


def test_killed_rank():
    with trace(["mpirun", "-np", "3", PYTHON, PROGRAM, "ranks", "kill"]) as measured:
        run = measured.run()
        calls = read_calls(run, run.archive)
        for rank, wanted in enumerate((15, 25, 41)):
            if calls[f"rank {rank}: thread 1"].get("traced_program.py:fib") != wanted:
                run.fail(f"rank {rank} has other calls")


def test_scribbled():
    """A rank that writes over what it has recorded loses that alone, and runs on; nobody says that it is no Python
    program."""
    with trace(["mpirun", "-np", "3", PYTHON, PROGRAM, "ranks", "scribble"]) as measured:
        run = measured.run()
        run.expect_status(3)
        if not re.search("scribbled [1-9]", run.out):
            run.fail("nothing was there to write over")
        run.expect(".pddt-trace is not what a traced process has recorded", "err")
        run.expect("not traced: 1: what was recorded there is not kept, or nothing was", "err")
        calls = read_calls(run, run.archive)
        for rank, wanted in ((0, 15), (2, 41)):
            if calls[f"rank {rank}: thread 1"].get("traced_program.py:fib") != wanted:
                run.fail(f"rank {rank} has other calls")
        if any(name.startswith("rank 1:") for name in calls):
            run.fail("numbers of a rank that has written over them")


def expect_under_way(folder):
    """Its archive is not to be had yet, and nothing is taken away from it."""
    before = sorted(os.walk(folder))
    run = pddt.run(["--finalize", folder])
    run.expect_status(1)
    run.expect("still under way", "err")
    assert sorted(os.walk(folder)) == before, folder


def test_under_way():
    """Of both archives of a run nothing is cut off."""
    with trace([PYTHON, PROGRAM, "wait"], "--profile", "--output", "here") as measured:
        process = measured.start(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if process.stdout.readline() != "ready\n":
            raise SystemExit("it is not ready")
        expect_under_way(os.path.join(measured.folder, "here"))
        process.send_signal(signal.SIGTERM)
        run = measured.end(process.wait(60), *process.communicate())
        assert "could not" not in run.err, run.err


def test_killed_pddt():
    """kill -9 of everything, and --finalize."""
    with trace([PYTHON, PROGRAM, "wait"], "--output", "here") as measured:
        process = measured.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if process.stdout.readline() != "ready\n":
            raise SystemExit("it is not ready")
        expect_under_way(os.path.join(measured.folder, "here"))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()
        pddt.expect_nothing_left(os.path.basename(measured.folder))
        here = os.path.join(measured.folder, "here")
        opened = pddt.run([here])
        opened.expect_status(1)
        opened.expect("--finalize", "err")
        run = pddt.run(["--finalize", here])
        run.expect_status(0)
        calls = read_calls(run, here)
        if calls["rank 0: thread 1"].get("traced_program.py:fib", 0) < 465:
            run.fail(f"calls before the kill are lost: {calls}")
        if os.path.exists(os.path.join(here, "trace")):
            run.fail("the spool is still there")
        pddt.run([here]).expect_status(0)


def test_full():
    """No more room for the file: the program runs on, and what was lost is counted."""
    with trace([PYTHON, PROGRAM, "fill"], "--report", "page.json") as measured:
        run = measured.run()
        run.expect_status(0)
        run.expect("whole", "out")
        run.expect(" events lost)", "err")
        run.expect("There was no more room for the trace: ", "err")
        read_calls(run, run.archive)
        with open(os.path.join(measured.folder, "page.json"), encoding="utf-8") as file:
            (lost,) = read_tables(json.load(file), "Lost events")
        if not all(0 < (row["Recorded until"] or 0) < 300 for row in lost if row["Thread"] != "others"):
            run.fail(f"until when is the trace whole? {lost}")


def test_no_room():
    """No room for a single event, nor for what functions are called: it is a trace all the same, and not all of what is
    lost has been counted."""
    line = ["sh", "-c", 'ulimit -f 40 && exec "$@"', "sh", PYTHON, PROGRAM, "show"]
    with trace(line, "--report", "page.txt", "--output", "here") as measured:
        run = measured.run()
        run.expect_status(3)
        run.expect(r"0 calls (at least ", "err")
        run.expect("There was no more room for the trace: at least ", "err")
        with open(os.path.join(measured.folder, "page.txt"), encoding="utf-8") as file:
            page = file.read()
        for sentence in "Trace of ", "No call was recorded.", "There was no more room for the trace: at least ":
            if sentence not in page:
                run.fail(f"the report has no {sentence!r}: {page}")
        opened = pddt.run(["--cli", os.path.join(measured.folder, "here")])
        opened.expect_status(0)
        opened.expect("0 calls, at least ")


FILTER = """
# what Score-P's manual has
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE *
  INCLUDE fi?
          traced_program:Thing.__*__   # by the file's name
          __main__:fir*                # as Score-P's Python bindings name it
  EXCLUDE subproces[s]* no_such_*      # and a module; and nothing
  EXCLUDE MANGLED Thing.__e*
SCOREP_REGION_NAMES_END
SCOREP_FILE_NAMES_BEGIN
  EXCLUDE */subprocess.py
SCOREP_FILE_NAMES_END
"""


def test_filter(python):
    with trace([python, PROGRAM, "count"], "--filter", "rules") as measured:
        with open(os.path.join(measured.folder, "rules"), "w") as stream:
            stream.write(FILTER)
        run = measured.run()
        run.expect_status(0)
        calls = read_calls(run, run.archive)
        names = {name for location in calls.values() for name in location if name.startswith("traced_program.py")}
        methods = {"traced_program.py:Thing.__init__", "traced_program.py:Thing.__del__"}
        wanted = {"traced_program.py:fib", "traced_program.py:first"} | (methods if python_has_qualified_names(python) else set())
        if names != wanted:
            run.fail(f"{python}: {names}, not {wanted}")
        said = re.search("no Python function has matched these rules: (.*)", run.err)
        if not said or "EXCLUDE no_such_*" not in said[1] or "fi" in said[1] or "__main__" in said[1]:
            run.fail(f"{python}: not said which rule matches nothing")
        with open(os.path.join(measured.folder, "rules"), "w") as stream:
            stream.write("SCOREP_REGION_NAMES_BEGIN\nfoo\n")
        wrong = measured.run()
        wrong.expect_status(2)
        wrong.expect("rules:2: a pattern stands before EXCLUDE or INCLUDE", "err")


def python_has_qualified_names(python):
    return subprocess.run([python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).returncode == 0


def test_both():
    with trace([PYTHON, PROGRAM, "count"], "--profile", "--output", "here") as measured:
        run = measured.run()
        run.expect_status(0)
        for folder in ("profile", "trace"):
            path = os.path.join(measured.folder, "here", folder)
            subprocess.run(["otf2-print", os.path.join(path, "traces.otf2")], check=True, stdout=subprocess.DEVNULL)
        read_calls(run, os.path.join(measured.folder, "here", "trace"))
    # what computes before it calls anything that is recorded
    awk = "BEGIN { for (i = 0; i < 5000000; i++) sum += i; print sum }"
    with trace(["awk", awk], "--profile", "--output", "here") as measured:
        run = measured.run()
        run.expect_status(0)
        times = re.findall(r"1 rank, ([0-9.]+) s", run.err)
        native = re.search(r"calls: native ([0-9.]+) %", run.err)
        held = re.search(r" calls: .*not sampled ([0-9.]+) %", run.err)  # before its loader and behind its end
        if (len(times) != 2 or abs(float(times[0]) - float(times[1])) > 0.2 or not native
                or float(native[1]) + (float(held[1]) if held else 0) < 90):
            run.fail("the trace and the profile differ")


class LineStats:
    """line_profiler's, for its pickle."""

    def __init__(self, timings, unit):
        self.timings, self.unit = timings, unit


class Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        assert (module, name) == ("line_profiler._line_profiler", "LineStats")
        return LineStats


def test_lines(python):
    """Hits as sys.settrace has them, of a function that is named and of one that the script decorates."""
    plain = subprocess.run([python, PROGRAM, "lines", "own"], check=True, stdout=subprocess.PIPE)
    wanted = ast.literal_eval(plain.stdout.decode())
    with trace([python, PROGRAM, "lines"], "--lines", "sum_odd", "--lines", "turn", "--export", "lprof=lines.lprof") as measured:
        run = measured.run()
        run.expect_status(0)
        for name in ("lines.lprof", "lines_0.lprof"):
            with open(os.path.join(measured.folder, name), "rb") as stream:
                stats = Unpickler(stream).load()
            found = sorted((function, line, hits) for (_, _, function), rows in stats.timings.items()
                           for line, hits, _ in rows)
            if found != wanted or not all(row[2] >= 0 for rows in stats.timings.values() for row in rows):
                run.fail(f"{python}: {found}, not {wanted}")
        with open(os.path.join(measured.folder, "lines.txt")) as stream:
            text = stream.read()
        if "Function: sum_odd at line" not in text or "    for i in range(n):" not in text:
            run.fail(f"another table: {text}")


def test_options():
    """A wrong use of the options."""
    for words, sentence in ((["--filter", "x", "true"], "--filter needs --trace"),
                            (["--trace", "--attach", "1"], "--trace needs a job that pddt starts"),
                            (["--trace", "--filter", "/none", "true"], "cannot read the filter file /none")):
        run = pddt.run(words)
        run.expect_status(2)
        run.expect(sentence, "err")


INTERPRETERS = list_interpreters()
print(f"# interpreters: {INTERPRETERS}")
for path in INTERPRETERS:
    test_counts(path)
    test_filter(path)
    test_lines(path)
test_daemons(PYTHON)
for path in INTERPRETERS:
    if "/3.13" in path:  # a newer one, which has sys.monitoring
        test_daemons(path)
test_threads()
test_fork()
test_executed()
test_same()
test_ranks()
test_untraced()
test_killed_rank()
test_scribbled()
test_under_way()
test_killed_pddt()
test_full()
test_no_room()
test_both()
test_options()
