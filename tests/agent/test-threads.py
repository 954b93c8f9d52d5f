# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads of every kind, in every interpreter: each hits breakpoints and can be stepped, in
programs that are launched and attached to, also where the main thread never executes Python
again. Calls of every kind: each is seen."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import pddt

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "threads.py")
CALLS = os.path.join(os.path.dirname(PROGRAM), "calls.py")
FIXED = os.path.join(os.path.dirname(PROGRAM), "fixed.py")
ENTERED = os.path.join(os.path.dirname(PROGRAM), "entered.py")
SPINS = os.path.join(os.path.dirname(PROGRAM), "spins.py")
LATER = os.path.join(os.path.dirname(PROGRAM), "later.py")
LINES = {name: pddt.mark(PROGRAM, name) for name in ("double", "line", "call", "back", "call_back", "work")}
KINDS = ["native", "raw", "threading"]


def visit(number, kind):
    """A stop in the kind's thread, steps in it, and no breakpoint left."""
    return [f"break threads.py:{LINES['line']} if name == '{kind}'", "continue", "wait 120", "print name, i",
            *(["show threads"] if kind == "threading" else []), "next", "wait 120", "step", "wait 120", "finish", "wait 120", f"print name == '{kind}'", f"delete {number}"]


def check_names(run, threads):
    """Python's names, and one has the lock: the one that has stopped."""
    holders = [thread for thread in threads if "(holds the GIL)" in thread]
    if len(holders) != 1 or not re.match(r'\* \d+ "named"  work at ', holders[0]):
        run.fail(f"who holds the lock: {threads}")
    if not any('"MainThread"' in thread for thread in threads):
        run.fail(f"no main thread: {threads}")


def expect_visit(run, number, kind):
    at = run.out.find(f"breakpoint {number} set, work at ")
    if at < 0:
        run.fail(f"{kind}: breakpoint {number} has not been set")
    end = run.out.find(" set, work at ", at + 20)
    stops = re.findall(r"^0: (.*)$", run.out[at:end if end > 0 else None], re.MULTILINE)
    stops = [re.sub(r"(\S*/)?threads\.py", "threads.py", stop) for stop in stops
             if not stop.startswith("by ")]
    threads = [stop for stop in stops if re.match(r"[* ] \d+ ", stop)]
    stops = [stop for stop in stops if stop not in threads]
    if kind == "threading":
        check_names(run, threads)
    wanted = [f"breakpoint {number}, work at threads.py:{LINES['line']}",
              f"name, i = ('{kind}', 0)",
              f"stopped, work at threads.py:{LINES['call']}",
              f"stopped, double at threads.py:{LINES['double']}",
              "double returned 0",
              f"stopped, work at threads.py:{LINES['call']}",
              f"name == {kind!r} = True"]
    if stops[:len(wanted)] != wanted:
        run.fail(f"{kind}: {stops[:len(wanted)]} instead of {wanted}")


def check_counts(run, said):
    """The program counted right, and so did the log point, from its first line on."""
    counts = {name: (is_right, int(count)) for name, is_right, count
              in re.findall(r"^(?:0\| )?(\w+) (True|False) (\d+)$", said, re.MULTILINE)}
    for kind in KINDS:
        if counts.get(kind, ("", 0))[0] != "True":
            run.fail(f"{kind}: the program says {counts}")
        logged = len(re.findall(rf"by {kind}$", run.out, re.MULTILINE))
        if run.is_counted and logged != counts[kind][1]:
            run.fail(f"{kind}: {logged} log lines of {counts[kind][1]}")


def test_launched(interpreter):
    lines = [f'break threads.py:{LINES["back"]} log "by {{name}}"']
    for number, kind in enumerate(KINDS, 2):
        lines += visit(number, kind)
    lines += ["list threads.py:work", "list threading.Thread.start"]
    run = pddt.run(pddt.commands("list call_back", *lines, "continue", "wait 120", "expect exited") +
                   ["--", interpreter, "%python_debug%", PROGRAM] + KINDS)
    run.is_counted = True
    run.expect_status(0)
    for number, kind in enumerate(KINDS, 2):
        expect_visit(run, number, kind)
    for name in "call_back", "work":
        run.expect_line(f"threads.py:{LINES[name]}")
    run.expect("threading.py:")
    check_counts(run, run.out)


def test_attached(interpreter):
    """Main waits in pthread_join for the native thread."""
    program = subprocess.Popen([interpreter, PROGRAM, "join"] + KINDS, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    assert program.stdout.readline() == "ready\n"
    program.stdin.write("go\n")
    program.stdin.flush()
    assert program.stdout.readline() == "started\n"
    lines = []
    for number, kind in enumerate(KINDS, 1):
        lines += visit(number, kind)
    try:
        run = pddt.run(["--attach", str(program.pid)] + pddt.commands(*lines))
        run.is_counted = False
        for number, kind in enumerate(KINDS, 1):
            expect_visit(run, number, kind)
        said, _ = program.communicate(timeout=120)
        check_counts(run, said)
        if program.returncode != 0:
            run.fail(f"the program ended with {program.returncode}")
    finally:
        program.kill()
        program.wait()


def test_computing(interpreter):
    """The agent could not be loaded at the stop, as a thread held the interpreter's lock and the main thread waits: it
    comes when the lock is free."""
    with tempfile.NamedTemporaryFile() as flag:
        flag.write(b"\0")
        flag.flush()
        program = subprocess.Popen([interpreter, SPINS, flag.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True)
        dialogue = None
        try:
            assert program.stdout.readline() == "ready\n"
            dialogue = pddt.Dialogue(["--attach", str(program.pid)])
            dialogue.ask(f"break spins.py:{pddt.mark(SPINS, 'step')}")
            dialogue.ask("continue")
            os.pwrite(flag.fileno(), b"\1", 0)
            dialogue.ask("wait 60")
            events, _ = dialogue.ask(f"expect breakpoint at spins.py:{pddt.mark(SPINS, 'step')}")
            assert events[-1]["ok"], [event for event in dialogue.seen if event["event"] != "output"]
            dialogue.ask("detach")
            os.pwrite(flag.fileno(), b"\2", 0)
            said, _ = program.communicate("x", timeout=60)
            assert (program.returncode, said) == (0, "right\n"), (program.returncode, said)
        except AssertionError as error:
            raise SystemExit(f"computing: {error}") from None
        finally:
            if dialogue:
                dialogue.end()
            program.kill()
            program.wait()


def test_calls(interpreter):
    """No call is missed, however it is made; deep recursion and a profiler go on as ever."""
    names = "item property add init yield attribute method plain alias".split()
    lines = [f'break calls.py:{pddt.mark(CALLS, name)} log "by {name}"' for name in names]
    run = pddt.run(pddt.commands("continue", "wait 120", *lines, "continue", "wait 60", "expect exited 0")
                   + ["--", interpreter, "%python_debug%", CALLS])
    run.expect_status(0)
    run.expect_line("0| 50000")
    run.expect_line("0| [31]")
    counts = {name: len(re.findall(rf"by {name}$", run.out, re.MULTILINE)) for name in names}
    wanted = dict.fromkeys(names, 120)
    wanted["init"] += 1
    if counts != wanted:
        run.fail(f"{counts} instead of {wanted}")


def test_conditions(interpreter):
    """A condition on an argument: whether the function keeps it or not, it counts as it is at the line (the
    lambda of in_cell is on the line too)."""
    wanted = {"kept": 1, "rebound": 1, "looped": 10, "named": 1, "in_cell": 2, "changed": 1, "keyword": 1,
              "several": 0, "suspended": 3, "deep": 7, "far": 1}
    lines = [f'break fixed.py:{pddt.mark(FIXED, name)} if n == 3 log "by {name}"' for name in wanted]
    run = pddt.run(pddt.commands(*lines, "continue", "wait 60", "expect exited 0")
                   + ["--", interpreter, "%python_debug%", FIXED])
    run.expect_status(0)
    counts = {name: len(re.findall(rf"by {name}$", run.out, re.MULTILINE)) for name in wanted}
    if counts != wanted:
        run.fail(f"{counts} instead of {wanted}")


def test_entered(interpreter):
    """Conditions of functions' breakpoints and of lines inside, on variables that change."""
    wanted = {"recurse": ("n == 3", 20), "suspend": ("k == 7", 1), "fail": ("v == 4", 1), "short": ("x == 2", 1),
              "Box.method": ("q == 5", 1)}
    inside = {"recurse": ("n == 2", 20), "suspend": ("k == 8", 1), "fail": ("v == 4", 1), "method": ("q == 6", 1)}
    lines = [f'break {name} if {text} log "in {name}"' for name, (text, _) in wanted.items()]
    lines += [f'break entered.py:{pddt.mark(ENTERED, name)} if {text} log "at {name}"'
              for name, (text, _) in inside.items()]
    run = pddt.run(pddt.commands(*lines, "continue", "wait 60", "expect exited 0")
                   + ["--", interpreter, "%python_debug%", ENTERED])
    run.expect_status(0)
    for word, table in ("in", wanted), ("at", inside):
        counts = {name: len(re.findall(rf"{word} {name}$", run.out, re.MULTILINE)) for name in table}
        if counts != {name: count for name, (_, count) in table.items()}:
            run.fail(f"{word}: {counts}")


def test_later(interpreter):
    """A breakpoint of a thread that comes later says that it waits, and is hit in that thread alone."""
    line, joined = pddt.mark(LATER, "later"), pddt.mark(LATER, "joined")
    stop = ["continue", "wait 120", "print k"]
    run = pddt.run(pddt.commands(f"break later.py:{line} thread 3", f"break later.py:{joined}", *3 * stop,
                                 "continue", "wait 120", f"expect breakpoint at later.py:{joined}",
                                 f"break later.py:{line} thread 2", f"break later.py:{joined} thread 1",
                                 f"break later.py:{line} thread 9")
                   + ["--", interpreter, "%python_debug%", LATER])
    run.expect_status(0)
    run.expect_line(f"0: breakpoint 1 set, work at later.py:{line} (waits for thread 3)")
    run.expect_line(f"0: breakpoint 3 set, work at later.py:{line} (thread 2 has ended)")
    run.expect_line(f"0: breakpoint 4 set, <module> at later.py:{joined}")
    run.expect_line(f"0: breakpoint 5 set, work at later.py:{line} (waits for thread 9)")
    stops = re.findall(r"^0: (breakpoint \d+, |k = )(.*)$", run.out, re.MULTILINE)
    wanted = [pair for k in (10, 10, 11)
              for pair in (("breakpoint 1, ", f"work at later.py:{line}"), ("k = ", str(k)))]
    if stops[:6] != wanted:
        run.fail(f"{stops} instead of {wanted}")


driver.run_journeys([(test, interpreter) for interpreter in driver.list_interpreters()
                     for test in (test_launched, test_attached, test_computing, test_calls, test_conditions, test_entered, test_later)])
