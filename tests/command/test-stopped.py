# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGSTOP to each of pddt's processes for some seconds, and SIGCONT: nothing is lost, and where it is long pddt says
so. Many sessions at once do not meet. PDDT_LONG=1: 100 of them, else 10, each part in each mode, and for longer.
Arguments: names of tests, all without any."""
import contextlib
import glob
import os
import signal
import subprocess
import sys
import tempfile

import pddt

IS_LONG = bool(os.environ.get("PDDT_LONG"))
N_SESSIONS = 100 if IS_LONG else 10
TICKS = 150 if IS_LONG else 30  # of 20 ms, and more where the machine is slow: how long a process is stopped
DEBUGGING = ["pddt", "pddtd", "pddt-symbols"] + ["pddt-guard", "pddt-guard --host"] * IS_LONG
MEASURED = {"--profile": ["pddtd"] + ["pddt", "pddt-guard", "pddt-guard --host"] * IS_LONG,
            "--trace": ["pddt"] + ["pddtd"] * IS_LONG}
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
volatile long n;
__attribute__ ((noinline)) void tick (FILE *file)
{
    fprintf (file, "%ld\\n", n);
    fflush (file);
}
int main (int argc, char **argv)
{
    FILE *file = fopen (argv[1], "w");
    for (n = 1; access (argv[2], F_OK) != 0; n++) {
        tick (file);
        usleep (20000);
    }
    printf ("the end\\n");
    return 0;
}
"""
SCRIPT = """
import os, sys, time
def work(n):
    return sum(range(n))
n = 0
with open(sys.argv[1], "w", encoding="ascii") as file:
    while not os.path.exists(sys.argv[2]):
        n += 1
        work(2000)
        print(n, file=file, flush=True)
        time.sleep(0.02)
print("worked", n)
"""


class Program:
    """Its line, and how far it is."""

    def __init__(self, folder, script=False):
        self.ticks, self.flag = os.path.join(folder, "ticks"), os.path.join(folder, "flag")
        path = os.path.join(folder, "program.py" if script else "program")
        if script:
            with open(path, "w", encoding="utf-8") as file:
                file.write(SCRIPT)
        else:
            subprocess.run(["cc", "-g", "-o", path, "-xc", "-"], input=PROGRAM.encode(), check=True)
        self.line = ([pddt.PYTHON] if script else []) + [path, self.ticks, self.flag]

    def count(self):
        try:
            with open(self.ticks, "rb") as file:
                return file.read().count(b"\n")
        except FileNotFoundError:
            return 0

    def await_more(self, n=TICKS):
        begin = self.count()
        pddt.wait_for("the program", lambda: self.count() >= begin + n)

    def finish(self):
        with open(self.flag, "w", encoding="ascii"):
            pass


def find_parts(marker):
    """{name: pid} of pddt's own processes."""
    found = {}
    for pid, command in pddt.left_over(marker):
        words = command.split()
        name = os.path.basename(words[0])
        if name.startswith("pddt"):
            found.setdefault(name + (" --host" if "--host" in words[:3] else ""), pid)
    return found


def read_state(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0]


@contextlib.contextmanager
def stopped(pid):
    os.kill(pid, signal.SIGSTOP)
    if pddt.wait_for("SIGSTOP", lambda: (state := read_state(pid)) in "TZ" and state) == "Z":
        raise ProcessLookupError(pid)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@contextlib.contextmanager
def ticking(folder):
    """A program that has nothing to do with pddt, whose ticks are time."""
    here = os.path.join(folder, "clock")
    os.mkdir(here)
    clock = Program(here)
    process = subprocess.Popen(clock.line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        yield clock
    finally:
        clock.finish()
        process.wait()


def send(talk, command):
    talk.given.write(command + "\n")
    talk.given.flush()


def await_done(talk, n):
    """The last of n answers; all of them are right."""
    for _ in range(n):
        done = talk.await_event("an answer", lambda event: event["event"] == "done")
        assert done["ok"], done
    return done


def test_debugging():
    """Each part while the program runs on, and while it is asked for something."""
    for part in DEBUGGING:
        with tempfile.TemporaryDirectory(prefix="pddt-stopped-") as folder, ticking(folder) as clock:
            program = Program(folder)
            talk = pddt.Dialogue(program.line)
            assert talk.ask("break tick if n < 0")[0][-1]["ok"]
            talk.ask("continue")
            program.await_more(3)
            pid = pddt.wait_for(part, lambda: find_parts(talk.marker).get(part))
            with stopped(pid):
                clock.await_more()
            program.await_more(3)
            with stopped(pid):
                for command in "pause", "print n > 0", "break main", "continue":
                    send(talk, command + (" &" if command == "continue" else ""))
                clock.await_more()
            await_done(talk, 4)
            program.await_more(3)
            program.finish()
            talk.await_event("its output", lambda event: event["event"] == "output" and "the end" in event["text"])
            events, _ = talk.ask("wait 120")
            assert talk.end() == 0, events
            print("ok debugging,", part, flush=True)


def test_told():
    """A daemon that does not answer for long is told of, and that it answers again."""
    with tempfile.TemporaryDirectory(prefix="pddt-stopped-") as folder:
        program = Program(folder)
        talk = pddt.Dialogue(program.line)
        talk.ask("continue")
        program.await_more(3)
        with stopped(pddt.wait_for("pddtd", lambda: find_parts(talk.marker).get("pddtd"))):
            talk.await_event("a word of it", lambda event: "has not answered" in str(event))
        talk.await_event("a word of its answer", lambda event: "answers again" in str(event))
        for command in "pause", "print n > 0", "continue":
            assert talk.ask(command)[0][-1]["ok"], command
        program.finish()
        talk.ask("wait 120")
        assert talk.end() == 0
    print("ok told", flush=True)


def test_measured():
    """Also while it ends. Samples may be missed, which is counted; events of a trace are all there."""
    for mode, parts in MEASURED.items():
        for part in parts:
            with tempfile.TemporaryDirectory(prefix="pddt-stopped-") as folder, ticking(folder) as clock:
                program, here = Program(folder, script=True), os.path.join(folder, "measured")
                process, marker = pddt.start([mode, "--output", here] + program.line)
                program.await_more(10)
                pid = pddt.wait_for(part, lambda: find_parts(marker).get(part))
                with stopped(pid):
                    clock.await_more()
                program.await_more(10)
                with stopped(pid):
                    program.finish()
                    clock.await_more()
                out, err = process.communicate(timeout=200)
                run = pddt.Run(process.returncode, out, err)
                pddt.expect_nothing_left(marker)
                run.expect_status(0)
                run.expect("The archive is ", "err")
                run.expect(f"worked {program.count()}\n")
                if mode == "--trace" and f"{program.count()} calls" not in (again := read_calls(here)):
                    run.fail(again)
                print("ok", mode + ",", part, flush=True)


def read_calls(folder):
    subprocess.run([pddt.PDDT, "--export", "csv=" + folder + "/calls.csv", folder], check=True, env=pddt.ENVIRONMENT)
    with open(folder + "/calls.csv", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split(",") for line in file]
    at = rows[0].index("calls")
    return " ".join(f"{row[at]} calls" for row in rows if "work" in row)


def find_child(parent, name):
    """Quickly: it lives for milliseconds."""
    with contextlib.suppress(OSError), open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
        for pid in map(int, file.read().split()):
            with open(f"/proc/{pid}/comm", encoding="ascii", errors="replace") as comm:
                if comm.read().strip() == name:
                    return pid
    return None


def test_readers():
    """What writes and reads archives."""
    with tempfile.TemporaryDirectory(prefix="pddt-stopped-") as folder, ticking(folder) as clock:
        program, here = Program(folder, script=True), os.path.join(folder, "measured")
        process, marker = pddt.start(["--trace", "--output", here] + program.line)
        program.await_more(20)
        program.finish()
        process.communicate(timeout=200)
        assert process.returncode == 0
        pddt.expect_nothing_left(marker)
        wanted = pddt.run(["--cli", here]).out
        for _ in range(50):  # it may have ended before it is found
            process, marker = pddt.start(["--cli", here])
            reader = None
            while reader is None and process.poll() is None:
                reader = find_child(process.pid, "pddt-archive")
            try:
                with stopped(reader) if reader else contextlib.nullcontext():
                    clock.await_more(TICKS if reader else 0)
            except (ProcessLookupError, FileNotFoundError):
                reader = None
            out, err = process.communicate(timeout=200)
            if process.returncode != 0 or out != wanted:
                raise SystemExit(f"{process.returncode} {out} {err}, and not {wanted}")
            if reader:
                break
        else:
            raise SystemExit("no reader was found")
    print("ok readers", flush=True)


def test_queues():
    """The process with MPI's queue library: what is known without it is said instead, and it is asked again afterwards."""
    if not IS_LONG:
        return  # pddt waits 10 s for it
    pddt.ENVIRONMENT["PDDT_NO_RECORDER"] = "1"
    talk = pddt.Dialogue(["mpirun", "-np", "2", os.path.join(pddt.BUILD, "tests", "mpi", "pending")])
    del pddt.ENVIRONMENT["PDDT_NO_RECORDER"]
    line = pddt.mark(os.path.join(pddt.SOURCE, "tests", "mpi", "pending.c"), "barrier")
    assert talk.ask(f"break pending.c:{line}")[0][-1]["ok"]
    talk.ask("continue")
    talk.ask("on 1 wait 120")
    talk.ask("pause")
    wanted = "message queue library"
    assert any(event.get("operation") == wanted for event in talk.ask("show queue")[0])
    guard = pddt.wait_for("its parent", lambda: find_parts(talk.marker).get("pddt-guard --host"))
    with stopped(pddt.wait_for("pddt-queues", lambda: find_child(guard, "pddt-queues"))):
        events = talk.ask("show queue")[0]
        assert any("does not answer" in event.get("text", "") for event in events), events
        assert any(event.get("operation") == "MPI_Wait" for event in events), events
    events = talk.ask("show queue")[0]
    assert any(event.get("operation") == wanted for event in events), events
    talk.ask("kill")
    talk.end()
    print("ok pddt-queues", flush=True)


def test_sessions():
    """Each ends as it does alone, with what its own program says, and leaves nothing."""
    with tempfile.TemporaryDirectory(prefix="pddt-sessions-") as folder:
        os.chmod(folder, 0o700)
        temporary, state = os.path.join(folder, "tmp"), os.path.join(folder, "state")
        os.mkdir(temporary)
        environment = {"TMPDIR": temporary, "XDG_STATE_HOME": state}
        all_of_them = [pddt.start(["-e", "continue", "-e", "wait 300", "--"]
                                  + (["mpirun", "-np", "1"] if i % 10 == 9 else []) + ["/bin/echo", f"number {i}."],
                                  environment=environment) for i in range(N_SESSIONS)]
        for i, (process, marker) in enumerate(all_of_them):
            out, err = process.communicate(timeout=900)
            run = pddt.Run(process.returncode, out, err)
            run.expect_status(0)
            if run.out.count("number") != 1 or f"number {i}." not in run.out:
                run.fail(f"session {i}")
            pddt.expect_nothing_left(marker)
        left = glob.glob(temporary + "/pddt-*") + glob.glob(state + "/pddt/*/key")
        assert not left, left
    print("ok", N_SESSIONS, "sessions", flush=True)


for test in test_debugging, test_told, test_measured, test_readers, test_queues, test_sessions:
    if len(sys.argv) < 2 or test.__name__ in sys.argv:
        test()
