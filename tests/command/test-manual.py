# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences of the manual about the command line that no other test checks; tests/meta/manual-claims.txt has the rest.
Arguments: a small C program that ends by itself, a Fortran program."""
import json
import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import late
import pddt

PROGRAM, FORTRAN = sys.argv[1:3]
RING = os.path.join(pddt.BUILD, "tests", "mpi", "ring")
ROOT = pddt.SOURCE


def answer(arguments, text="", **more):
    done = subprocess.run([pddt.PDDT, *arguments], input=text, capture_output=True, text=True, timeout=60,
                          env=dict(pddt.ENVIRONMENT, **more), check=False)
    return pddt.Run(done.returncode, done.stdout, done.stderr)


def talk(words, *lines, environment=()):
    """All that a terminal shows of a program up to its end. lines: what it is to show first, and what is typed then."""
    main, other = pty.openpty()
    process = subprocess.Popen(words, stdin=other, stdout=other, stderr=other, start_new_session=True,
                               env=dict(pddt.ENVIRONMENT, TERM="dumb", **dict(environment)))
    os.close(other)
    text, waiting, end = "", list(lines), time.monotonic() + 200
    while time.monotonic() < end and select.select([main], [], [], 120)[0]:
        try:
            piece = os.read(main, 4096).decode(errors="replace")
        except OSError:  # its end is closed
            break
        if not piece:
            break
        text += piece
        if waiting and waiting[0][0] in text:
            os.write(main, (waiting.pop(0)[1] + "\n").encode())
    os.close(main)
    process.kill() if process.poll() is None and time.monotonic() > end else None
    return process.wait(120), text


def expect_order(run, *parts):
    at = [run.out.find(part) for part in parts]
    if -1 in at or at != sorted(at):
        run.fail(f"not in this order: {parts}")


def check_lines(folder):
    """-e and -x in the order given, then the terminal or the pipe with -i; a program that still runs is ended, unless the
    last line moves it."""
    path = os.path.join(folder, "commands")
    with open(path, "w", encoding="utf-8") as file:
        file.write("print 2\n  # nothing\n# print 9\nprint 3\n")
    run = answer(["-e", "print 1", "-x", path, "-e", "print 4", PROGRAM])
    run.expect_status(0)
    expect_order(run, "0: stopped, main at ", "0: 1 = 1", "0: 2 = 2", "0: 3 = 3", "0: 4 = 4")
    run = answer(["-e", "print 1", "-i", PROGRAM], "print 5\n")
    run.expect_status(0)
    expect_order(run, "0: 1 = 1", "0: 5 = 5")
    pddt.run(["-e", "continue", "-e", "show state", "/bin/sleep", "1000"])  # which waits less, and looks for what is left
    pddt.run(["-e", "continue", "/bin/sleep", "0.5"]).expect_line("0: exited 0")


def check_stops():
    """--stop-at; the Fortran main program."""
    run = pddt.run(["--stop-at", "mpi-init", "-e", "show state", "mpirun", "-np", "2", RING])
    run.expect("0-1: stopped, MPI_Init")
    run = pddt.run(["--stop-at", "start", "-e", "show state", "-e", "tbreak main", "-e", "continue", "-e", "wait 120",
                    PROGRAM])
    run.expect_not("0: stopped, main at")
    run.expect("0: breakpoint 1, main at inferior.c:")
    hot = os.path.join(pddt.BUILD, "tests", "inferiors", "inferior-hot")  # the program's variables are known in its loader
    run = pddt.run(["--stop-at", "start", *pddt.commands("print over", "watch over", "watch -l over", "continue", "wait 120",
                                                         "watch nonsense"), hot, "/no file"])
    run.expect_line("0: over = 0")
    run.expect("0: breakpoint 2 set, watch -l over (hardware)")
    run.expect_line("0: over = 1")
    run.expect("error: no symbol \"nonsense\"")
    pddt.run(["--stop-at", "none", "-e", "show state", "/bin/sleep", "1000"]).expect("0: running")
    run = pddt.run(["-e", "show state", FORTRAN])
    run.expect(".f90:")
    run.expect("0: stopped, ")
    run = pddt.run(pddt.commands("expect stopped at <module>", "break f", "continue", "wait 120", "expect breakpoint")
                   + [pddt.PYTHON, "%allinea_python_debug%", "-c", "def f():\n    return 1\n\n\nf()\n"])
    run.expect_status(0)


def check_wrappers(folder):
    """Words before the program; a script's child is followed where that is asked for."""
    for words in (["taskset", "-c", "0"], ["nice", "-n", "1"], ["env", "A=b", "nice"], ["numactl", "--localalloc"]):
        if shutil.which(words[0]) is not None:
            pddt.run(["-e", "show state", *words, PROGRAM]).expect("0: stopped, main at inferior.c:")
    script = os.path.join(folder, "script")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\n{PROGRAM}\necho $?\n")
    os.chmod(script, 0o755)
    end = pddt.mark(os.path.join(ROOT, "tests", "command", "inferior.c"), "end")
    run = pddt.run(["--stop-at", "start", *pddt.commands("set option follow-fork child", f"break inferior.c:{end}", "continue",
                                                         "wait 120", "expect breakpoint"), script])
    run.expect_status(0)
    run.expect(f"0: breakpoint 1, main at inferior.c:{end}")


def check_terminal(folder):
    """No display and no --cli; the prompt's history is kept."""
    place = {"XDG_STATE_HOME": folder}
    status, text = talk([pddt.PDDT, PROGRAM], ("stopped, main at", "print 6 * 7"), ("= 42", "quit"), environment=place)
    if status != 0 or "0: 6 * 7 = 42" not in text or "no display, using the command language" not in text:
        raise SystemExit(f"no prompt without a display: {status}, {text!r}")
    with open(os.path.join(folder, "pddt", "history"), encoding="utf-8") as file:
        if "print 6 * 7\n" not in file.read():
            raise SystemExit("the history lacks what was typed")


WAITS = """import ctypes, errno, select
libc = ctypes.CDLL(None, use_errno=True)
poll = select.epoll()
def wait():
    print("waits", flush=True)
    return libc.epoll_wait(poll.fileno(), ctypes.create_string_buffer(12), 1, 60000)
print(wait(), errno.errorcode[ctypes.get_errno()], flush=True)
"""


def check_interrupted():
    """A stop ends a system call that Linux does not restart."""
    dialogue = pddt.Dialogue([pddt.PYTHON, "-c", WAITS])

    def await_output(text):
        if not any(event.get("text") == text for event in dialogue.seen):
            dialogue.await_event(text, lambda event: event.get("text") == text, 60)
    dialogue.ask("continue")
    await_output("waits")
    wait = next(pid for pid, command in pddt.left_over(dialogue.marker) if command.startswith(pddt.PYTHON + " -c"))

    def is_asleep():
        with open(f"/proc/{wait}/wchan", encoding="ascii") as file:
            return "ep_poll" in file.read() or pddt.processes()[wait][1] == "S"
    pddt.wait_for("the system call", is_asleep)
    for line in "pause", "wait 120", "continue":
        dialogue.ask(line)
    await_output("-1 EINTR")
    dialogue.end()


def check_late(folder):
    """--timeout: the ranks that do not report in time after the first are named."""
    run = pddt.run(["--timeout", "2", "-e", "show state", *late.command(folder, PROGRAM)])
    run.expect_status(3)
    if "cannot start every rank: 1 did not report within 2 s" not in run.out + run.err:
        run.fail("nobody says who is late")


def check_moved_sources(folder):
    """OLD=NEW: where the sources of a program are now."""
    old, new = os.path.join(folder, "old"), os.path.join(folder, "new")
    os.mkdir(old)
    with open(os.path.join(old, "moved.c"), "w", encoding="utf-8") as file:
        file.write("int main (void)\n{\n    return 0; /* here */\n}\n")
    program = os.path.join(folder, "moved")
    subprocess.run(["cc", "-g", "-O0", "-o", program, os.path.join(old, "moved.c")], check=True)
    os.rename(old, new)
    run = pddt.run(pddt.commands("list", f"set option source-folders {old}={new}", "list") + [program])
    expect_order(run, f"cannot read {old}/moved.c", "return 0; /* here */")


def check_program_folder(folder):
    """The program of a core file is looked for in the current folder, too."""
    here, there = os.path.join(folder, "here"), os.path.join(folder, "there")
    os.mkdir(here)
    os.mkdir(there)
    program = shutil.copy(PROGRAM, os.path.join(there, "gone"))
    core = os.path.join(here, "core")
    subprocess.run(["gdb", "-nx", "-batch", "-ex", "break main", "-ex", "run", "-ex", f"gcore {core}", program],
                   stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=60)
    shutil.move(program, os.path.join(folder, "gone"))
    pddt.run(["-e", "where", "--core", core], cwd=there).expect_not("main at inferior.c")
    pddt.run(["-e", "where", "--core", core], cwd=folder).expect("main at inferior.c")


STUBS = {"data/prepare-build": "exit 0", "data/found": "", "build/src/programs/pddt": 'printf "%s\\n" "$@"',
         "build/src/programs/pddt-window": "", "bin/ninja": "exit 0"}


def check_interpreter_frames():
    """The interpreter's own functions stand in a stack only where that is asked for."""
    run = pddt.run(pddt.commands("break f", "continue", "wait 120", "where", "print 7", "set option interpreter-frames on", "where")
                   + [pddt.PYTHON, "%python_debug%", "-c", "def f():\n    return 1\n\n\nf()\n"])
    run.expect_status(0)
    off, on = run.out.split("0: 7 = 7")
    off = off.partition("breakpoint 1, f at")[2].splitlines()[1:]
    if len(off) != 2 or not all("[py]" in line for line in off) or len(on.splitlines()) < 5 or "<module> at " not in on:
        run.fail("the interpreter's frames")


def check_profile():
    """Without a number it takes five seconds; a process that has been attached to, and sleeps."""
    sleeper = subprocess.Popen([pddt.PYTHON, "-c", "import time\nprint(1, flush=True)\ntime.sleep(600)"],
                               stdout=subprocess.PIPE, text=True)
    try:
        sleeper.stdout.readline()
        run = answer(["--cli", "--json", "--attach", str(sleeper.pid), "-e", "continue", "-e", "profile", "-e", "quit"])
        profile = next((event for event in map(json.loads, run.out.splitlines()) if event["event"] == "profile"), None)
        if not profile or not 4.8 < profile["seconds"] < 6 or profile["frames"][0]["function"] != "<module>" or (
                profile["classes"]["wait"] < 0.99 * profile["seconds"]) or sleeper.poll() is not None:
            run.fail("another profile")
    finally:
        sleeper.kill()
        sleeper.communicate()


def check_saved_formats(folder):
    """`profile save` writes all formats, --export each."""
    names = {"pstats": {"cpu_0.prof", "cpu_0.txt", "cpu.prof", "cpu.txt"}, "speedscope": {"profile.speedscope.json"}, "chrome": {"profile.chrome.json"}, "perfetto": {"profile.perfetto-trace"},
             "collapsed": {"profile.collapsed"}, "dot": {"profile.dot"}, "tau": {"profile.0.0.0"},
             "cubex": {"profile.cubex"}, "csv": {"profile.csv"}}
    program = [pddt.PYTHON, "-c", "while sum(range(99)): pass"]
    saved, archive = os.path.join(folder, "saved"), os.path.join(folder, "archive")
    answer(["--cli", "-e", "continue", "-e", "profile 1", "-e", f"profile save {saved}", "-e", "kill", *program])
    if not set.union(*names.values()) <= set(os.listdir(saved)):
        raise SystemExit(f"saved: {os.listdir(saved)}")
    answer(["--profile", "--output", archive, "--duration", "1", *program]).expect_status(128 + 15)
    for name, files in names.items():
        answer(["--export", name, archive]).expect_status(0)
        export = os.path.join(archive, "export")
        if set(os.listdir(export)) != files:
            raise SystemExit(f"--export {name}: {os.listdir(export)}")
        shutil.rmtree(export)


def check_rights():
    """No program of pddt has more rights than its user."""
    for top, _, names in os.walk(os.path.join(pddt.BUILD, "src", "programs")):
        for name in names:
            path = os.path.join(top, name)
            if os.stat(path).st_mode & 0o6000 or "security.capability" in os.listxattr(path):
                raise SystemExit(f"{path} has rights of its own")


def check_run(folder):
    """./run without arguments: the window, the prompt or the session of heat.commands; with arguments: those."""
    with open(os.path.join(ROOT, "run"), encoding="utf-8") as file:
        stubs = dict(STUBS, run=file.read())
    for name, text in stubs.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
    environment = dict(pddt.ENVIRONMENT, PATH=os.path.join(folder, "bin") + ":/usr/bin:/bin")
    program = os.path.join(folder, "run")
    heat = os.path.join(folder, "data", "examples", "heat.py")

    def ask(*words, **more):
        return subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                              check=True, env=dict(environment, **more)).stdout.split("\n")[:-1]

    def is_example(words):
        return words[:3] == ["--", "mpirun", "-np"] and words[-2:] == ["%python_debug%", heat] and words[3] == "8"
    played = ask()
    if played[:2] != ["-x", os.path.join(folder, "data", "examples", "heat.commands")] or not is_example(played[2:]):
        raise SystemExit(f"without display and terminal: {played}")
    if not is_example(ask(DISPLAY=":0")):
        raise SystemExit("with a display")
    os.rename(os.path.join(folder, "build", "src", "programs", "pddt-window"), os.path.join(folder, "no-window"))
    if ask(DISPLAY=":0") != played:
        raise SystemExit("with a display, and a pddt without a window")
    _, text = talk([program], environment={"PATH": environment["PATH"]})
    if not is_example(text.replace("\r", "").split("\n")[:-1]):
        raise SystemExit(f"on a terminal: {text!r}")
    if ask("-e", "where", "a b") != ["-e", "where", "a b"]:
        raise SystemExit("arguments")


def check_examples(folder):
    """The example of each option in doc/starting.md names it and is a line that pddt takes; so is that of `set option`."""
    with open(os.path.join(ROOT, "doc", "starting.md"), encoding="utf-8") as file:
        table = re.search(r"^\| option \| meaning \| example \|\n.*\n((?:\|.*\n)+)", file.read(), re.M)[1]
    with open(os.path.join(folder, "steps.txt"), "w", encoding="ascii") as file:
        file.write("where\n")
    for row in table.splitlines():
        cells = re.split(r"(?<!\\) \| ", row[2:-2])
        words = shlex.split(cells[2].strip("`"))
        names = re.findall(r"`(-[^ `=\[]+)", cells[0])
        lacks = [name for name in names if name not in (word.partition("=")[0] for word in words)]
        if len(cells) != 3 or lacks not in ([], ["--help"]):
            raise SystemExit(f"the example of {names} does not show {lacks}")
        words = words[words.index("pddt") + 1:]
        done = subprocess.run([pddt.PDDT, "--version", *words], cwd=folder, env=pddt.ENVIRONMENT, capture_output=True, text=True,
                              timeout=60, check=False)
        pddt.Run(done.returncode, done.stdout, done.stderr).expect_status(0)  # 2: it does not take the others
    shown = answer(["-e", "help set option", PROGRAM])
    lines = re.findall(r"example: (set option (\S+) (\S+)), to ", shown.out)
    run = answer([*pddt.commands(*(line for line, _, _ in lines), "show options"), PROGRAM])
    run.expect_status(0)
    for _, name, value in lines:
        run.expect_line(f"{name} = {value}")
    if len(lines) != len(re.findall(r"^[a-z-]+ = ", run.out, re.M)):
        run.fail("an option without an example")


with tempfile.TemporaryDirectory() as top:
    check_examples(top)
    check_lines(top)
    check_stops()
    check_wrappers(top)
    check_terminal(top)
    check_interrupted()
    check_late(top)
    check_program_folder(top)
    check_moved_sources(top)
    check_interpreter_frames()
    check_profile()
    check_saved_formats(top)
    check_rights()
    check_run(os.path.join(top, "checkout"))
print("ok")
