# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user does with Python ranks: code run where a rank waits in C, until, a program whose agent
is missing; with every interpreter found. Argument: the folder of the agent."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import pddt

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "journey.py")
ALLOCATOR = os.path.join(pddt.BUILD, "tests", "agent", "liballocator.so")
STATUS = 3 + 6
ORDERED = repr({"z": 1, "a": {"y": [1], "b": {}}, 3: None})


def line(name):
    return pddt.mark(PROGRAM, name)


class Program:
    """The rank waits in a system call."""

    def __init__(self, *words, **environment):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=dict(os.environ, **environment))
        if self.process.stdout.readline() != "ready\n":
            raise SystemExit(f"{words} did not start")
        pddt.wait_for("sleep", lambda: "S" == pddt.processes()[self.process.pid][1])

    def debug(self, *lines):
        return pddt.run(["--attach", str(self.process.pid)] + pddt.commands(*lines))

    def expect_end(self, said):
        self.process.stdin.close()
        out = self.process.stdout.read()
        status = self.process.wait(120)
        if (status, out) != (STATUS, said):
            raise SystemExit(f"the program ended with {status}: {out!r}")


def test_waits(interpreter):
    """Without the agent, which is then loaded without harm to the program."""
    program = Program(interpreter, PROGRAM, "waits")
    run = program.debug("py values.append(double(5))", "py print(values, count)", "py LIMIT = 6",
                        "set var count = 100", "print double(LIMIT)", "py 1/0",
                        f"print dict({ORDERED})")
    run.expect_line("0: [1, 2, 3, 10] 1")
    run.expect_line("0: double(LIMIT) = 12")
    run.expect_line(f"0: dict({ORDERED}) = {ORDERED}")
    run.expect("error: ZeroDivisionError: division by zero (0)")
    program.expect_end("116 6\n")


def test_holds(interpreter):
    program = Program(interpreter, PROGRAM, "holds")
    run = program.debug("py values.append(5)")
    run.expect_status(1)
    run.expect("error: cannot run Python code here: the thread is inside ")
    run.expect(" and holds the interpreter's lock")
    program.expect_end("7 5\n")


def test_allocator(interpreter):
    """pddt does not wait for an allocator's locks, whatever its functions are called."""
    program = Program(interpreter, PROGRAM, "allocator", LD_PRELOAD=ALLOCATOR)
    run = program.debug("py values.append(5)")
    run.expect_status(1)
    run.expect("error: cannot run Python code here: the thread is inside find_region")
    program.expect_end("7 5\n")


def test_thread(interpreter):
    """Another thread computes: it holds the GIL, or is just releasing it."""
    program = Program(interpreter, PROGRAM, "thread")
    run = program.debug("py values.append(5)")
    if run.status == 0:
        program.expect_end("12 5\n")
        return
    run.expect("error: cannot run Python code here: ")
    program.expect_end("7 5\n")


def test_until(interpreter):
    run = pddt.run(pddt.commands(
        f"tbreak journey.py:{line('loop')}", "continue", "wait", f"until {line('after-loop')}", "wait",
        f"until journey.py:{line('second')}", "wait", "step", "wait", "step", "wait",
        "until journey.py:9999", f"until journey.py:{line('loop')}", "wait", "until outer", "wait",
        "print first + double(2)", "delete 1", "continue", "wait")
        + ["--", interpreter, "%python_debug%", PROGRAM, "runs"])
    places = [text for text in run.out.splitlines() if text.startswith("0: stopped, ")]
    wanted = [("work", "after-loop"), ("outer", "first"), ("outer", "second"), None, ("work", "loop"),
              ("outer", "second")]
    for index, place in enumerate(wanted):
        if place and places[1 + index] != f"0: stopped, {place[0]} at journey.py:{line(place[1])}":
            run.fail(f"stop {index} is not {place}: {places}")
    run.expect("error: no code at or after line 9999")
    run.expect_line("0: first + double(2) = 7")
    run.expect_line(f"0: failed {STATUS}")


def test_loop(interpreter):
    """A breakpoint set while a loop runs takes effect in that loop; code can be run where the rank is
    paused."""
    turn, other = line("turn"), line("other-turn")
    run = pddt.run(pddt.commands(
        f"tbreak journey.py:{turn}", "continue", "wait", "continue &", f"break journey.py:{other} if turns > 0",
        "wait", "delete 2", "continue", "pause", "wait", "py print(type(flag))", "py flag.append(1)",
        "continue", "wait")
        + ["--", interpreter, "%python_debug%", PROGRAM, "spins"])
    run.expect(f"0: breakpoint 1, spin at journey.py:{turn}")
    run.expect(f"0: breakpoint 2, spin at journey.py:{other}")
    run.expect_line("0: <class 'list'>")
    run.expect_line(f"0: failed {STATUS}")


def test_logs(interpreter):
    """Log texts are made in the rank, and none is lost, even if the rank ends abruptly."""
    run = pddt.run(pddt.commands(
        f"break journey.py:{line('logged')} log \"{{number}} {{half!r:>8}} {{half:.2f}} {{word if number else 0}}\"",
        f"break journey.py:{line('logged')} every 1000 log \"thousand\"", "continue", "wait")
        + ["--", interpreter, "%python_debug%", PROGRAM, "logs"])
    run.expect_status(0)
    wanted = ["0: 0      0.0 0.00 0"]
    wanted += [f"0: {i} {i / 2!r:>8} {i / 2:.2f} w{i - 1}" for i in range(1, 3000)]
    logged = [text for text in run.out.splitlines() if text.startswith("0: ") and text.count(" ") >= 4
              and text[3].isdigit()]
    if logged != wanted:
        run.fail(f"{len(logged)} texts: {logged[:2]} {logged[-2:]}")
    if run.out.count("0: thousand") != 3:
        run.fail("every 1000 does not log three times")
    run.expect_line("0| written")
    run.expect_line("0: failed 3")


def test_catch(interpreter):
    """An exception raised in a library is caught once, in the program's own frame that it reaches."""
    run = pddt.run(pddt.commands(
        "catch exception ValueError", "continue", "wait", "print $exception.msg", "delete 1",
        "catch exception ValueError if 'nothing' in str($exception)",
        "catch exception ValueError if 'invalid' in str($exception)", "continue", "wait",
        "print type($exception).__name__",
        "print [part for part in ('invalid', 'none') if part in str($exception)]", "set var caught = 1", "continue", "wait", "print $exception")
        + ["--", interpreter, "%python_debug%", PROGRAM, "raises"])
    run.expect_line(f"0: breakpoint 1, call_library at journey.py:{line('library-raises')}")
    run.expect_line(f"0: breakpoint 3, raise_own at journey.py:{line('own-raises')}")
    run.expect("note: JSONDecodeError: Expecting property name enclosed in double quotes")
    run.expect("note: ValueError: invalid literal for int() with base 10: 'x'")
    run.expect_line("0: $exception.msg = 'Expecting property name enclosed in double quotes'")
    run.expect_line("0: type($exception).__name__ = 'ValueError'")
    run.expect_line("0: [part for part in ('invalid', 'none') if part in str($exception)] = ['invalid']")
    run.expect_line(f"0: failed {STATUS}")
    if run.out.count("breakpoint 1, ") + run.out.count("breakpoint 3, ") != 2:
        run.fail("it stops again where it only comes through")


MISTAKES = {  # condition -> column, and what the message says as well
    "turns = 3": (7, "; in Python, write == for ="), "turns == 1 && flag": (13, "; in Python, write and for &&"),
    "turns .eq. 3": (None, "; in Python, write == for .eq."), "!flag": (1, "; in Python, write not for !"),
    "turns ==": (None, ""), "(turns": (None, ""), "$exception =3": (12, "; in Python, write == for ="), "print turns": (None, "")}


def test_mistakes(interpreter):
    """A condition or log that Python cannot parse is refused, at whatever kind of breakpoint; what was is kept."""
    turn = line("turn")
    places = f"journey.py:{turn}", "spin"
    lines = [f"break {places[number % 2]} if {text}" for number, text in enumerate(MISTAKES)]
    lines += [f"break spin log \"{text}\"" for text in ("{turns +}", "a {turns", "{turns = 3}")]
    lines += ["catch exception ValueError if x =", "show breakpoints", f"break journey.py:{turn} if turns == 4"]
    lines += [f"condition 1 {text}" for text in MISTAKES]
    lines += ["show breakpoints", "break journey.py:9999", "continue", "wait",
              "print turns", "show breakpoints"]
    run = pddt.run(pddt.commands(*lines) + ["--", interpreter, "%python_debug%", PROGRAM, "spins"])
    run.expect_status(1)
    said = [text for text in run.out.splitlines() if text.startswith("error: ")]
    for index, (text, (column, hint)) in enumerate([*MISTAKES.items()] * 2):
        wanted = f"{column}{hint} (0)" if column else f"{hint} (0)"
        index += 4 if index >= len(MISTAKES) else 0
        if (not said[index].startswith(f'error: cannot understand the condition "{text}": ')
                or " at column " not in said[index] or not said[index].endswith(wanted)):
            run.fail(f"condition {text}: {said[index]}")
    if [text.split(":")[1] for text in said[8:11]] != [' cannot understand "turns +" in the log',
                                                       ' cannot understand the log "a {turns"',
                                                       ' cannot understand "turns = 3" in the log']:
        run.fail(f"logs: {said[8:11]}")
    if 'the condition "x ="' not in said[11] or len(said) != 12 + len(MISTAKES):
        run.fail(f"errors: {said}")
    for text in f"set, spin at journey.py:{turn}, if turns == 4", "pending, no code at or after line 9999 of ":
        if run.out.count(text) < 2:
            run.fail(f"not twice in the list: {text}")
    run.expect(f"0: breakpoint 1, spin at journey.py:{turn}")
    run.expect_line("0: turns = 4")
    run.expect_not("no function")


def test_late_mistake(interpreter):
    """Where it was set while the program ran, it stops and says why."""
    talk = pddt.Dialogue(["--", interpreter, "%python_debug%", PROGRAM, "spins"])
    for command in f"tbreak journey.py:{line('turn')}", "continue", "wait 60", "continue":
        talk.ask(command)
    talk.ask(f"break journey.py:{line('other-turn')} if turns = 3")
    events, _ = talk.ask("wait 60")
    said = [event["text"] for event in talk.seen if event.get("event") == "notice"]
    wanted = 'cannot evaluate the condition of breakpoint 2: cannot understand the condition "turns = 3": '
    if not any(text.startswith(wanted) for text in said):
        raise SystemExit(f"it does not say why: {talk.seen}")
    talk.ask("kill")
    talk.end()


def test_missing(interpreter):
    """The runner works without its compiled part."""
    folder = tempfile.mkdtemp(prefix="pddt-journey-")
    try:
        for name in os.listdir(sys.argv[1]):
            if name.endswith(".py"):
                shutil.copy(os.path.join(sys.argv[1], name), folder)
        program = Program(interpreter, os.path.join(folder, "pddt_runner.py"), PROGRAM, "waits")
        run = program.debug(f"break journey.py:{line('loop')}")
        run.expect("note: this Python program runs without pddt's agent, which could not be loaded into its interpreter: Python "
                   "breakpoints and steps do not work in it (ModuleNotFoundError: No module named 'pddt_agent')")
        program.expect_end("7 5\n")
    finally:
        shutil.rmtree(folder)


def main():
    interpreters = driver.list_interpreters()
    tests = [(test, interpreter) for interpreter in interpreters
             for test in (test_waits, test_until, test_loop, test_logs, test_catch, test_mistakes)]
    tests += [(test, interpreters[0]) for test in (test_late_mistake, test_holds, test_allocator, test_thread, test_missing)]
    driver.run_journeys(tests)


main()
