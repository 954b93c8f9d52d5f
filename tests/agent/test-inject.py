# SPDX-License-Identifier: GPL-3.0-or-later
"""Interpreters without the agent: after an attach they get it when a Python breakpoint or step needs it, and
continue unharmed after pddt has left."""
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import pddt

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "injected.py")
LINE = pddt.mark(PROGRAM, "work")


class Program:
    def __init__(self, interpreter, *arguments):
        self.process = subprocess.Popen([interpreter, PROGRAM, *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise SystemExit(f"{interpreter} did not start {PROGRAM}")

    def debug(self, *lines):
        return pddt.run(["--attach", str(self.process.pid)] + pddt.commands(*lines))

    def end(self):
        self.process.stdin.close()
        said = self.process.stdout.read()
        return self.process.wait(120), said

    def kill(self):
        self.process.kill()
        self.process.wait()


def test_breakpoint(interpreter):
    program = Program(interpreter)
    run = program.debug("print names is None", f"break injected.py:{LINE}", "continue", "wait 120",
                        "print twice == 2 * i", "py print(type(total).__name__)", "where",
                        "step", "wait 120", "delete 1")
    run.expect_status(0)
    run.expect_line("0: names is None = False")
    run.expect_line(f"0: breakpoint 1 set, work at injected.py:{LINE}")
    run.expect_line(f"0: breakpoint 1, work at injected.py:{LINE}")
    run.expect_line("0: twice == 2 * i = True")
    run.expect_line("0: int")
    run.expect(f"work at injected.py:{LINE} [py]")
    run.expect("0: stopped, main at injected.py:")
    check_end(program)


def test_step(interpreter):
    program = Program(interpreter)
    run = program.debug("next", "wait 120", "py print('at', __name__)")
    run.expect_status(0)
    run.expect("0: stopped, ")
    run.expect_line("0: at __main__")
    check_end(program)


def test_stuck(interpreter):
    """While C code holds the GIL, values can be read, the breakpoint waits, and nothing hangs."""
    program = Program(interpreter, "stuck")
    run = program.debug("print values[1] + 1", f"break injected.py:{LINE}", "print len(values)")
    run.expect_status(0)
    run.expect_line("0: values[1] + 1 = 5")
    run.expect_line("0: len(values) = 2")
    run.expect("as soon as the main thread executes Python code")
    if program.process.poll() is not None:
        run.fail("the program has ended")
    program.kill()


def test_full(interpreter):
    """Where the interpreter cannot be asked, the memory for what it would be asked serves the next attempt."""
    program = Program(interpreter, "full")
    dialogue = pddt.Dialogue(["--attach", str(program.process.pid)])
    sizes = []
    for number in range(1, 5):
        for line in f"break injected.py:{LINE}", "print names is None", f"delete {number}", "show state":
            dialogue.ask(line)
        with open(f"/proc/{program.process.pid}/statm", encoding="ascii") as file:
            sizes.append(int(file.read().split()[0]))
    dialogue.end()
    if sizes[1:] != sizes[:-1]:
        raise SystemExit(f"it grows by pages: {sizes}")
    program.kill()


def test_signalled(interpreter):
    """A signal that somebody sends while code is evaluated is no crash of that code, and comes to the program."""
    program = Program(interpreter, "signalled")
    dialogue = pddt.Dialogue(["--attach", str(program.process.pid)])
    for line in f"break injected.py:{LINE}", "continue", "wait 120":
        dialogue.ask(line)
    dialogue.given.write("print slow()\n")
    dialogue.given.flush()
    if program.process.stdout.readline() != "slow\n":
        raise SystemExit("the code does not run")
    os.kill(program.process.pid, signal.SIGSEGV)
    program.process.stdin.write("x")
    program.process.stdin.flush()
    if "'left'" not in str(dialogue.await_event("value", lambda event: event["event"] in ("values", "failure"))):
        raise SystemExit(f"it does not say what the code says: {dialogue.seen[-3:]}")
    dialogue.end()
    check_end(program, "right [] signalled 1\n")


def check_end(program, wanted="right []\n"):
    status, said = program.end()
    if status != 0 or said != wanted:
        raise SystemExit(f"the program ended with {status}: {said!r}")


def main():
    interpreters = driver.list_interpreters()
    tests = [(test_breakpoint, interpreter) for interpreter in interpreters]
    tests += [(test, interpreter) for interpreter in {interpreters[0]: 0, interpreters[-1]: 0}
              for test in (test_step, test_stuck, test_full, test_signalled)]
    driver.run_journeys(tests)


main()
