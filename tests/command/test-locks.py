# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads of one process that wait for each other's locks: running, paused and in a core. Places of programs without
symbols, and code that a program has made itself. Arguments: the programs crossed and made."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pddt

CROSSED, MADE = sys.argv[1:3]
SOURCES = os.path.join(pddt.SOURCE, "tests", "inferiors")
FORWARDS, BACKWARDS = (pddt.mark(os.path.join(SOURCES, "crossed.c"), name) for name in ("forwards", "backwards"))
BEGIN = pddt.mark(os.path.join(SOURCES, "made.c"), "begin")


def check_sentence(text, what="mutex"):
    """Both threads, both places, one circle."""
    for part in (f"thread 2 waits for a {what} that thread 3 holds", f"thread 3 waits for a {what} that thread 2 holds",
                 f"crossed.c:{FORWARDS}", f"crossed.c:{BACKWARDS}", "a deadlock"):
        assert part in text, text


def check_running(*arguments, what="mutex"):
    talk = pddt.Dialogue([CROSSED, *arguments])
    talk.ask("continue")
    pddt.wait_for("the circle", lambda: "a deadlock" in str(talk.ask("why")[0]))
    check_sentence(str(talk.ask("why")[0]), what)
    talk.ask("pause")
    talk.ask("wait 60")
    check_sentence(str(talk.ask("why")[0]), what)
    talk.end()


def check_headers():
    """The places are the program's own, not those of the headers that lock for it, in whatever state it is."""
    source = os.path.join(SOURCES, "guards.cc")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "guards")
        if subprocess.run(["g++", "-g", "-O0", source, "-o", program, "-pthread"]).returncode != 0:
            return
        talk = pddt.Dialogue([program])
        talk.ask("continue")
        pddt.wait_for("the circle", lambda: "a deadlock" in str(talk.ask("why")[0]))
        for command in ("why", "pause", "wait 60", "why"):
            text = str(talk.ask(command)[0])
            for name in ("forwards", "backwards") if command == "why" else ():
                assert f"guards.cc:{pddt.mark(source, name)}" in text and "gthr" not in text, text
        talk.end()


def check_timed():
    """Whoever gives up after a while is in no deadlock."""
    talk = pddt.Dialogue([CROSSED, "timed"])
    talk.ask("continue")
    pddt.wait_for("the wait", lambda: "that thread 3 holds" in str(talk.ask("why")[0]))
    for command in ("why", "pause", "wait 60", "why"):
        text = str(talk.ask(command)[0])
        assert "deadlock" not in text and (command != "why" or "with a time limit" in text), text
    talk.end()


def count_sleepers(pid):
    """Threads that are in futex (202)."""
    n = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/syscall", encoding="ascii") as file:
            n += file.read().startswith("202 ")
    return n


def check_core():
    process = subprocess.Popen([CROSSED], stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        try:
            pddt.wait_for("three sleepers", lambda: count_sleepers(process.pid) == 3)
            subprocess.run(["gcore", "-o", os.path.join(folder, "core"), str(process.pid)], check=True,
                           capture_output=True, timeout=60)
        finally:
            process.kill()
            process.wait()
        run = pddt.run(pddt.commands("why") + ["--core", os.path.join(folder, f"core.{process.pid}")])
    check_sentence(run.out)
    run.expect_not("step or continue")


def check_stripped():
    """The place is the program's own, though only the C library has lines."""
    with tempfile.TemporaryDirectory() as folder:
        bare = os.path.join(folder, "bare")
        shutil.copy(MADE, bare)
        subprocess.run(["strip", bare], check=True, timeout=60)
        run = pddt.run(["--stop-at", "none"] + pddt.commands("wait 60", "show state") + [bare])
        lines = [line for line in run.out.splitlines() if "signal SIGFPE" in line]
        assert lines and all(re.search(r"bare\+0x[0-9a-f]+", line) for line in lines), run.out


def check_made():
    run = pddt.run(pddt.commands(f"break made.c:{BEGIN}", "continue", "break *made", "continue", "expect breakpoint 2",
                                 "frame", "show locals", "print sum", "whatis sum", "watch sum", "display sum", "undisplay 1", "up",
                                 "frame", "print sum", "down", "x/1i $pc", "continue", "expect breakpoint 2", "up", "print $code = (long) made", "down", "x/1i $pc",
                                 "print numbers[1]", "stepi", "print (long) $pc - $code", "print $eax",
                                 "info symbol $pc", "frame 0", "print made", "frame 1", "delete 2", "delete 1", "continue",
                                 "expect signal SIGFPE") + [MADE])
    run.expect("=> 0x")
    run.expect("mov")
    run.expect_line("0: numbers[1] = 2")
    run.expect_line("0: (long) $pc - $code = 5")
    run.expect_line("0: $eax = 1")
    if run.out.count('error: no symbol "made"') != 1:
        run.fail("main's variables are not those of the code that it has made")
    # where's #0 is the frame that everything is about
    if not re.search(r"^0: #0 .*\nerror: no debug information for this place: it belongs to no file \(0\)\n(error: .*no symbol \"sum\".*\n)"
                     r"{4}0: #1 main at made.c:\d+\n0: #1 main at made.c:\d+\n0: sum = 0$", run.out, re.M):
        run.fail("the selected frame is not the innermost one")
    run.expect("error: no symbol matches $pc (0)")


UNDESCRIBED = "int bare (int *at) { return *at / (*at - *at); }\n"
CALLER = """int bare (int *at);
int main (void) { int own = 5;
  own += bare (&own);
  return own; }
"""


def check_undescribed():
    """A function of the program's own without lines: by a breakpoint, by a step and where it crashes."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text, options in (("bare.c", UNDESCRIBED, []), ("caller.c", CALLER, ["-g"])):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(text)
            subprocess.run(["gcc", "-c", "-O0", *options, name], check=True, cwd=folder, timeout=60)
        subprocess.run(["gcc", "bare.o", "caller.o", "-o", "mixed"], check=True, cwd=folder, timeout=60)
        look = ["frame", "show locals", "print own", "up", "print own"]
        run = pddt.run(pddt.commands("tbreak bare", "continue", *look, "stepi", *look, "continue", *look) + ["./mixed"], cwd=folder)
    if len(re.findall(r"^0: #0 bare \(mixed\+0x.*\nerror: no debug information for bare in mixed: compile it with -g \(0\)\n"
                      r"error: no symbol \"own\".*\n0: #1 main at caller.c:3\n0: own = 5$", run.out, re.M)) != 3:
        run.fail("the selected frame is not the innermost one")


check_running()
check_running("written", what="read-write lock")
check_headers()
check_timed()
check_core()
check_stripped()
check_made()
check_undescribed()
