# SPDX-License-Identifier: GPL-3.0-or-later
"""Tab at the prompt: the program's own functions, files and variables, as gdb completes them too, and
`list` by names; Ctrl-C there, and how a start is counted. Arguments: a C++ program, a Fortran program."""
import itertools
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

import late
import pddt

CXX, FORTRAN = sys.argv[1:3]
PATIENCE_S = 120
NUMBERS = itertools.count()


class Terminal:
    def __init__(self, *command, begins=r"stopped, .* at .*\n.*on 0 > "):
        self.text = ""
        self.marker = f"complete-{os.getpid()}-{next(NUMBERS)}"
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            environment = {k: v for k, v in pddt.ENVIRONMENT.items() if k != "DISPLAY"}
            os.execve(pddt.PDDT, [pddt.PDDT, "--cli", *command],
                      dict(environment, TERM="dumb", INPUTRC="/dev/null", HISTFILE="/dev/null",
                           PDDT_TEST_MARKER=self.marker))
        self.wait(begins)

    def wait(self, pattern):
        end = time.monotonic() + PATIENCE_S
        while not any(re.search(pattern, text) for text in (self.text, self.text.replace("\a", ""))):
            ready = select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]
            assert ready, f"no {pattern!r} in {self.text!r}"
            self.text += os.read(self.fd, 65536).decode().replace("\r", "")

    def type(self, keys, pattern):
        """The line is new: what stood there is taken away."""
        self.text = ""
        os.write(self.fd, b"\x15" + keys.encode())
        self.wait(pattern)
        return self.text

    def close(self):
        os.write(self.fd, b"\x15quit\n")
        try:
            while os.read(self.fd, 65536):
                pass
        except OSError:
            pass
        assert os.waitpid(self.pid, 0)[1] == 0


def ask_gdb(program, text):
    answer = subprocess.run(["gdb", "-nx", "-q", "-batch", "-ex", f"complete break {text}", program],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
                            env=dict(os.environ, DEBUGINFOD_URLS="")).stdout
    names = {re.sub(r"\(.*|<.*", "", line.split(" ", 1)[1]) for line in answer.splitlines()}
    return {name for name in names if name.startswith(text)}


def check_like_gdb(terminal):
    for text in ("twof", "apply", "recurs"):
        (name,) = ask_gdb(CXX, text)
        terminal.type(f"break {text}\t", rf"break {name}")
    for text in ("Shape::", "Square::"):
        expected = ask_gdb(CXX, text)
        assert len(expected) > 2, expected
        terminal.type(f"break {text}\t", rf"break {text}\a")
        terminal.type(f"break {text}\t\t", rf"break {text}.*\n(.*\n)+.*on 0 > break")
        ours = set(terminal.text.split("on 0 > break")[-2].split())
        assert expected <= ours, (text, expected - ours)


def check_cxx():
    terminal = Terminal(CXX)
    terminal.type("break doub\t", "break doubled")
    terminal.type("break recu\t", "break recursive")
    terminal.type("break Square::sc\t", "break Square::scaled")
    terminal.type("break calls.\t", "break calls.cc:")
    terminal.type("print n_cal\t", "print n_calls")
    terminal.type("print recu\t", "print recursive")
    terminal.type("print 1 + recu\t", r"print 1 \+ recursive")
    terminal.type("on 0 break recu\t", "on 0 break recursive")
    terminal.type("ptype Mix\t", "ptype Mixed")
    terminal.type("print (Mix\t", r"print \(Mixed")
    terminal.type("whatis struct Mix\t", "whatis struct Mixed")
    terminal.type("ptype Squ\t", r"ptype Squ\a?are")  # its methods begin so too
    check_like_gdb(terminal)
    answer = terminal.type("list recursive\n", "static int recursive.*\n")
    assert re.search(r"calls\.cc:\d+", answer), answer
    terminal.type("list nothing_so\n", 'error: the source of function "nothing_so" is not known')
    terminal.close()


def check_fortran():
    terminal = Terminal(FORTRAN)
    terminal.type("break bum\t", "break bump")
    terminal.type("break SHAPE_S\t", "break SHAPE_Sum")
    terminal.close()


def check_cancel():
    """The daemon stands still meanwhile, so that nothing can be answered before Ctrl-C comes."""
    terminal = Terminal(CXX)
    (daemon,) = [pid for pid, command in pddt.left_over(terminal.marker) if "/pddtd " in command]
    os.kill(daemon, signal.SIGSTOP)
    terminal.type("call getpid()\n", r"call getpid.*\n")
    os.write(terminal.fd, b"\x03")
    terminal.wait(r"error: cancelled before these ranks had answered; they may still carry it out \(0\)")
    os.kill(daemon, signal.SIGCONT)
    terminal.type("break recursive\n", r"0: breakpoint 1 set, recursive")
    terminal.close()


def check_keyboard():
    """`input` alone hands over the keyboard until Ctrl-D; then the prompt has it again."""
    terminal = Terminal("--input", "0", "/bin/cat", begins=r"stopped, main.*\n.*on 0 > ")
    terminal.type("continue\n", r"continue\n.*on 0 > ")
    terminal.type("input\n", r"input\n")
    for _ in range(5):  # the prompt may take the first one: nothing says when the keyboard changes hands
        if "0| help input" in terminal.type("help input\n", r"0\| help input|send a line of input"):
            break
    else:
        raise SystemExit(f"the program has no keyboard: {terminal.text}")
    terminal.text = ""
    os.write(terminal.fd, b"\x04")
    terminal.wait(r"on 0 > ")
    # The end of its input ends the program, before the command or after it.
    terminal.type("print 6 * 7\n", r"0: 6 \* 7 = 42|error: .* \(0\)")
    terminal.close()


def count_waits(pid):
    """How often the process has gone to sleep by itself."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches:"))


def check_profile():
    """Ctrl-C ends a profile, and what there is of it is shown. While it samples, the daemon wakes for each tick."""
    terminal = Terminal(pddt.PYTHON, "-c", "import time; time.sleep(600)",
                        begins=r"stopped, .*\n.*on 0 > ")  # the interpreter may have no lines
    (daemon,) = [pid for pid, command in pddt.left_over(terminal.marker) if "/pddtd " in command]
    terminal.type("continue\n", r"continue\n.*on 0 > ")
    before, end = count_waits(daemon), time.monotonic() + PATIENCE_S
    terminal.type("profile 1000\n", r"profile 1000\n")
    while count_waits(daemon) < before + 200:
        assert time.monotonic() < end, "the daemon does not sample"
        select.select([], [], [], 0.01)
    os.write(terminal.fd, b"\x03")
    terminal.wait(r"0: \d+\.\d+ s, \d+ samples.*\n.*wait \d+\.\d %")
    terminal.close()


def check_start():
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(*late.command(folder, CXX), begins=r"\(1 of 2 ranks have reported\) > ")
        # An interrupt empties the terminal's queues: each waits for what came before it.
        terminal.type("nothing", "nothing")
        os.write(terminal.fd, b"\x03")
        terminal.wait(r"\^C\n\(1 of 2 ranks have reported\) > ")  # what was typed is dropped
        assert "cancelled" not in terminal.text, terminal.text
        os.write(terminal.fd, b"\x03")
        terminal.wait("warning: cancelled: 1 of 2 ranks have reported")
        terminal.type("restart\n", r"(?s)(on 0-1|\([01] of 2 ranks have reported\)) > .*\(1 of 2 ranks have reported\) > ")
        late.allow(folder)
        terminal.wait(r"\b1: stopped, main at")  # with rank 0 or after it; the ended job had no rank 1
        terminal.close()


def main():
    signal.alarm(900)
    check_cancel()
    check_keyboard()
    check_profile()
    check_start()
    check_cxx()
    check_fortran()


if __name__ == "__main__":
    main()
