# SPDX-License-Identifier: GPL-3.0-or-later
"""One frame: the state line, `show locals`, `print`, `set var`, `py`, `list`, `up` and `down`
refer to the same frame, in a library's line and while a library waits, launched and attached,
in every interpreter found."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import pddt

FOLDER = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(FOLDER, "frames.py")
LIBRARY = os.path.join(FOLDER, "site-packages", "lodger.py")
CALL, WAITS = pddt.mark(PROGRAM, "call"), pddt.mark(PROGRAM, "waits")
LODGE, WAIT = pddt.mark(LIBRARY, "lodge"), pddt.mark(LIBRARY, "wait")


def look(run, name, file, line, told):
    """What each command says of the frame's `thing`, in the order of `LOOKS`."""
    run.expect_line(f"0: thing.name = '{name.upper()}'")
    run.expect_line(f"0: thing._name = '{name}'")
    run.expect_line(f"0: py {name}")
    run.expect(f"\n{line:6} -> ")
    run.expect(f"at {file}:{line}\n")
    for text in told:
        run.expect_line(text)


LOOKS = ("print thing.name", "print thing._name", "py print('py', thing._name)", "list", "show locals",
         "set var thing._name = 'changed'", "print thing")


def test_library_line(interpreter):
    """At a breakpoint in the library, names are the library's and not the caller's."""
    run = pddt.run(pddt.commands("break lodger.lodge", "continue", "wait", "next", "wait", *LOOKS, "up",
                                 "print thing._name", "print other", "down", "print thing._name", "kill")
                   + ["--", interpreter, "%python_debug%", PROGRAM])
    look(run, "library", "lodger.py", LODGE, [f"0: stopped, lodge at lodger.py:{LODGE}",
                                              f"0: #1 caller at frames.py:{CALL}", "0: thing._name = 'mine'",
                                              "0: other = 3", f"0: #0 lodge at lodger.py:{LODGE}",
                                              "0: thing._name = 'changed'"])
    before_up = run.out.split("#1 caller")[0]
    if "other = 3" in before_up or "mine" in before_up:
        run.fail("show locals shows the caller's frame")


def check_waiting(run):
    """While the library waits, names are those of the user's line that the state line shows."""
    look(run, "mine", "frames.py", WAITS, [f"0: stopped, caller at frames.py:{WAITS}", "0: other = 3",
                                           "0: thing._name = 'changed'", "0: inner = 'library'", "0: other.real = 3",
                                           "0: thing._name.upper() = 'CHANGED'"])
    before_up = run.out.split(" <module> at frames.py")[0]
    if "inner" in before_up.split("down")[0] or " wait at lodger.py" in before_up:
        run.fail("the frame is not the state line's, or up went inwards")
    numbers = [int(text.split("#")[1].split()[0]) for text in run.out.splitlines()
               if text.startswith("0: #")]
    if not numbers[0] == numbers[1] + 1 == numbers[2] + 2:
        run.fail(f"up and down do not go by one from the place: {numbers}")


WAITING = ("show state", *LOOKS, "print thing._name", "up", "down", "print thing._name", "down",
           "print inner", "frame 0", "up 9", "down 1", "print other.real", "print thing._name.upper()")


def test_waiting_attached(interpreter):
    """Without the agent, which `print` of a property loads."""
    program = subprocess.Popen([interpreter, PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True)
    try:
        if program.stdout.readline() != "ready\n":
            raise SystemExit(f"{interpreter} did not start {PROGRAM}")
        pddt.wait_for("its wait", lambda: pddt.processes()[program.pid][1] == "S")
        check_waiting(pddt.run(["--attach", str(program.pid)] + pddt.commands(*WAITING)))
        program.stdin.close()
        if program.stdout.read() != "CHANGED 3\n" or program.wait(120) != 0:
            raise SystemExit("the program did not go on unharmed")
    finally:
        program.kill()
        program.wait()


GREENLET = """import greenlet
def child(number):
    deep(number)
def deep(number):
    inside = number
def main():
    greenlet.greenlet(child).switch(4)
    back = 1
main()
"""


def test_switched(interpreter):
    """Where greenlet has switched to another stack, the frames outside of it are missing, which is said."""
    run = pddt.run(pddt.commands("break <string>:5", "break <string>:8", "continue", "wait 60", "where", "continue", "wait 60",
                                 "show breakpoints", "where") + ["--", interpreter, "%python_debug%", "-c", GREENLET])
    first, _, then = run.out.partition("hits 1")
    lines = [line.strip() for line in first.splitlines() if line.startswith("#")]
    shown = [line for line in lines if line.endswith("[py]")]
    if [line.split()[-4] for line in shown] != ["child", "deep"] or "[incomplete]" not in lines[0]:
        run.fail(f"the switched stack is {lines}")
    shown = [line.split()[-4] for line in then.splitlines() if line.startswith("#")]
    if shown != ["<module>", "main"] or "incomplete" in then:
        run.fail(f"the stack that is whole is {shown}")


def test_left(interpreter):
    """The outermost function of a greenlet has no caller: its finish ends in the next line of the thread."""
    run = pddt.run(pddt.commands("break <string>:5", "continue", "wait 60", "finish", "wait 60", "finish", "wait 60")
                   + ["--", interpreter, "%python_debug%", "-c", GREENLET])
    run.expect_line("0: stopped, child at <string>:3")
    run.expect_line("0: child returned None")
    run.expect_line("0: stopped, main at <string>:8")


def main():
    interpreters = driver.list_interpreters()
    driver.run_journeys([(test, interpreter) for interpreter in interpreters
                         for test in (test_library_line, test_waiting_attached)] + [(test, interpreters[0]) for test in (test_switched, test_left)])


main()
