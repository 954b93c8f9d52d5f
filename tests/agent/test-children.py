# SPDX-License-Identifier: GPL-3.0-or-later
"""set option follow-fork both: children of multiprocessing are ranks beside their parents."""
import os
import re
import subprocess
import tempfile

import driver
import pddt

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "children.py")
LOOP = pddt.mark(PROGRAM, "loop")


def check_together(interpreter, method, n_helpers):
    """Each has the parent's breakpoints, is stepped by itself, and ends as without pddt."""
    first = 1 + n_helpers
    two = f"{first}-{first + 1}"
    with tempfile.TemporaryDirectory() as folder:
        run = pddt.run(pddt.commands(
            "set option follow-fork both", f"break children.py:{LOOP}", "break meet", "continue", "on 0 wait 60",
            f"on {first} wait 60", f"on {first + 1} wait 60", f"on {two} print number * 10", f"on {first} next", f"on {first} wait 120",
            f"on {first} where", "show breakpoints", "disable", "continue", "wait 60", "expect exited 0",
            "restart", "wait 60", "show breakpoints") + ["--", interpreter, "%python_debug%", PROGRAM, method, folder])
    stops = re.findall(rf"^([0-9-]+): breakpoint 1, work at children.py:{LOOP}$", run.out, re.MULTILINE)
    if ",".join(sorted(stops)) not in (two, two.replace("-", ",")):
        run.fail(f"{stops} stop at breakpoint 1 instead of {two}")
    run.expect("0: breakpoint 2, meet at children.py:")
    run.expect(f"{two}: number * 10 = [30..50] min 30 at {first} max 50 at {first + 1}")
    run.expect_line(f"{first}: stopped, work at children.py:{LOOP + 1}")
    run.expect_line(f"0-{first + 1}: breakpoint 1 set, work at children.py:{LOOP}, hits 2")
    run.expect("codes [0, 0] ['3', '5']")
    run.expect_line(f"0: breakpoint 1 set, work at children.py:{LOOP}, disabled")
    run.expect_status(0)


def test_forked(interpreter):
    check_together(interpreter, "fork", 0)


def test_spawned(interpreter):
    check_together(interpreter, "spawn", 1)           # the tracker of resources comes first


def test_served(interpreter):
    check_together(interpreter, "forkserver", 2)      # and the server


def test_attached(interpreter):
    """They are let go with their parent, without a trap."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([interpreter, PROGRAM, "fork", folder, "later"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        process.stdout.readline()
        talk = pddt.Dialogue(["--attach", str(process.pid)])
        for line in ("wait 60", "set option follow-fork both", f"break children.py:{LOOP}", "continue"):
            talk.ask(line)
        process.stdin.write("\n")
        process.stdin.close()
        stopped = set()
        while stopped < {1, 2}:
            event = talk.await_event("stop of both children", lambda event: event.get("state") == "breakpoint")
            stopped |= {int(rank) for rank in event["ranks"].replace("-", ",").split(",")}
        if talk.end() != 0:
            raise SystemExit("pddt has failed")
        if process.stdout.read() != "codes [0, 0] ['3', '5']\n" or process.wait(60) != 0:
            raise SystemExit("the program has not ended as it would without pddt")


def test_outlives(interpreter):
    """The session lasts until the last child has ended."""
    program = os.path.join(os.path.dirname(PROGRAM), "orphan.py")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "done")
        line = pddt.mark(program, "work")
        run = pddt.run(pddt.commands("set option follow-fork both", f"break orphan.py:{line}", "continue", "on 0 wait 120",
                                     "on 1 wait 120", "on 1 up", "continue", "wait 120", "expect exited 0")
                       + ["--", interpreter, "%python_debug%", program, path])
        run.expect_line("0: exited 0")
        run.expect_line(f"1: breakpoint 1, work at orphan.py:{line}")
        run.expect_status(0)
        if not os.path.exists(path):
            run.fail("the child has not done its work")


def test_quit(interpreter):
    """Launched ones end with the session, also those that stand at a breakpoint."""
    with tempfile.TemporaryDirectory() as folder:
        run = pddt.run(pddt.commands("set option follow-fork both", f"break children.py:{LOOP}", "break meet", "continue",
                                     "on 0 wait 60", "on 1 wait 60")
                       + ["--", interpreter, "%python_debug%", PROGRAM, "fork", folder])
        run.expect("breakpoint 1, work")
        if os.listdir(folder):
            run.fail("a child went on")


MANY = """import multiprocessing, sys
def square(number):
    result = number * number
    return result
def work(number):
    sys.exit(0 if square(number) == number * number else 9)
if __name__ == "__main__":
    context, codes = multiprocessing.get_context("spawn"), []
    for number in range(0, 8, 2):
        children = [context.Process(target=work, args=(number + more,)) for more in range(2)]
        for child in children:
            child.start()
        for child in children:
            child.join()
            codes.append(child.exitcode)
    print(codes, flush=True)
"""


def test_many(interpreter):
    """Into each new interpreter the agent is brought by calls that harm none of them."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "many.py")
        with open(path, "w", encoding="ascii") as file:
            file.write(MANY)
        run = pddt.run(pddt.commands("set option follow-fork both", 'break many.py:4 log "made {result}"', "continue", "wait 100")
                       + ["--", interpreter, "%python_debug%", path])
    run.expect_line(f"0| {[0] * 8}")
    made = sorted(int(line.split("made ")[1]) for line in run.out.splitlines() if ": made " in line)
    if made != [number * number for number in range(8)]:
        run.fail(f"the children's breakpoints: {made}")


driver.run_journeys([(test, interpreter) for interpreter in driver.list_interpreters()
                     for test in (test_forked, test_spawned, test_served, test_attached, test_outlives, test_quit, test_many)])
