# SPDX-License-Identifier: GPL-3.0-or-later
"""Attaching to running processes, and detaching without a trace, whichever process dies. Checks
each program's output and status at its end."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import launching
import pddt

LOOPS = os.path.join(pddt.BUILD, "tests", "inferiors", "inferior-loops")
HERE = os.path.dirname(os.path.abspath(__file__))


class Program:
    """A program that works until its input ends."""

    def __init__(self, words, **variables):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True,
                                        env=dict(pddt.ENVIRONMENT, **variables))
        self.pid = self.process.pid

    def expect_end(self, status=7, text="worked\n"):
        out, _ = self.process.communicate("", timeout=120)
        if (self.process.returncode, out) != (status, text):
            raise SystemExit(f"it ended with {self.process.returncode} and said {out!r}")


def loops(**variables):
    program = Program([LOOPS], **variables)
    pddt.wait_for("both threads", lambda: len(os.listdir(f"/proc/{program.pid}/task")) == 2)
    return program


def check_views():
    program = loops()
    run = pddt.run(["--attach", str(program.pid)] + pddt.commands(
        "show threads", "where threads", "break turn",
        "continue", "wait 120", "print *counter > 0", "delete 1", "continue", "pause", "wait 120", "expect stopped"))
    run.expect_status(0)
    run.expect("turn at loops.c:")
    run.expect("breakpoint 1, turn at loops.c")
    run.expect_line("0: *counter > 0 = 1")
    program.expect_end()


def check_numbers():
    """Ranks by the variables of a launcher when all have distinct ones, else as given."""
    programs = [loops(OMPI_COMM_WORLD_RANK=rank) for rank in ("5", "2")]
    pids = ",".join(str(program.pid) for program in programs)
    run = pddt.run(["--attach", pids] + pddt.commands("show state", "on 5 print $pc != 0", "detach"))
    run.expect_line("2,5: detached")
    if run.status != 0:
        run.fail("status")
    same = loops(PMI_RANK="0")
    other = loops(PMI_RANK="0")
    run = pddt.run(["--attach", f"{same.pid},{other.pid}"] + pddt.commands("detach"))
    run.expect_line("0-1: detached")
    run.expect_status(0)
    for program in programs + [same, other]:
        program.expect_end()


def check_refusals():
    zombie = subprocess.Popen(["/bin/true"])
    pddt.wait_for("a zombie", lambda: pddt.processes().get(zombie.pid, (0, "", ""))[1] == "Z")
    program = loops()
    absent = max(pddt.processes()) + 100000
    run = pddt.run(["--attach", str(absent)] + pddt.commands("where"))
    run.expect_status(3)
    run.expect(f"cannot attach to process {absent}: there is no such process")
    run = pddt.run(["--attach", f"{zombie.pid},{program.pid}"] + pddt.commands("where"))
    run.expect_status(0)
    run.expect(f"cannot attach to process {zombie.pid}: it has ended")
    run.expect("main at loops.c")
    zombie.wait()
    run = pddt.run(["--attach", "none"] + pddt.commands("where"))
    run.expect_status(2)
    run.expect("it is not a process number", "err")
    first, marker = pddt.start(["--attach", str(program.pid)] + pddt.commands("continue", "wait 60"))
    pddt.wait_for("the first pddt", lambda: tracer(program.pid) != 0)
    run = pddt.run(["--attach", str(program.pid)] + pddt.commands("where"))
    run.expect_status(3)
    run.expect(f"process {tracer(program.pid)} (pddtd) is already tracing it")
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=120)
    pddt.expect_nothing_left(marker)
    program.expect_end()


def tracer(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"TracerPid:\s*(\d+)", file.read())[1])


def read_code(pid, address):
    with open(f"/proc/{pid}/mem", "rb") as file:
        file.seek(address)
        return file.read(1)


def check_death(victim, *lines):
    """Kills one of pddt's own processes; the program is as it was."""
    program = loops()
    dialogue = pddt.Dialogue(["--attach", str(program.pid)])
    for line in lines:
        events, _ = dialogue.ask(line)
        if not events[-1].get("ok"):
            raise SystemExit(f"{line}: {events}")
    found = [pid for pid, command in pddt.left_over(dialogue.marker)
             if os.path.basename(command.split(" ", 1)[0]) == victim]
    os.kill(found[0], signal.SIGKILL)
    pddt.wait_for("no tracer", lambda: tracer(program.pid) == 0)
    dialogue.process.kill()
    dialogue.process.communicate(timeout=120)
    pddt.expect_nothing_left(dialogue.marker)
    program.expect_end()


def check_waiting():
    """The guard has a thread that the kernel wakes when the tracing thread begins to die, before it lets the ranks go;
    the process then takes long to end, and the guard would otherwise come too late."""
    program = loops()
    dialogue = pddt.Dialogue(["--attach", str(program.pid)])
    dialogue.ask("break finish")
    (guard,) = [pid for pid, command in pddt.left_over(dialogue.marker) if "pddt-guard --host" in command]
    if len(os.listdir(f"/proc/{guard}/task")) != 2:
        raise SystemExit("nobody waits for the tracing thread")
    os.kill(guard, signal.SIGSTOP)
    daemon = tracer(program.pid)
    os.kill(daemon, signal.SIGKILL)
    pddt.wait_for("no tracer", lambda: tracer(program.pid) == 0)
    os.kill(guard, signal.SIGCONT)
    dialogue.process.kill()
    dialogue.process.communicate(timeout=120)
    pddt.expect_nothing_left(dialogue.marker)
    program.expect_end()


def check_deaths():
    for victim in ("pddt", "pddtd"):
        # Stopped at a breakpoint, and running with one that is not met.
        check_death(victim, "break turn", "continue", "wait 120", "break finish")
        check_death(victim, "break finish", "continue", "break finish")
    # Its debug registers are in no thread of a rank that stands still.
    check_death("pddtd", "break turn", "continue", "wait 120", "watch *counter", "continue", "wait 120",
                "break finish")
    # It has been stepped: the step is in no thread of a rank that stands still.
    for step in ("stepi 3", "step", "next"):
        check_death("pddtd", "break turn", "continue", "wait 120", "delete 1", step, "wait 120")
    # It runs with armed ones: the guard clears them before the value changes, at the end.
    check_death("pddtd", "break turn", "continue", "wait 120", "watch over", "delete 1", "continue",
                "break finish")


def pending_traps(pid):
    """Threads for which a SIGTRAP waits: it would end the program once nobody traces it."""
    found = []
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/status", encoding="ascii") as file:
            if int(re.search(r"SigPnd:\s*(\w+)", file.read())[1], 16) & 1 << (signal.SIGTRAP - 1):
                found.append(tid)
    return found


def check_rest():
    """Many threads come to traps and written places at once; in none that stands one is under way."""
    programs = [loops() for _ in range(6)]
    dialogue = pddt.Dialogue(["--attach", ",".join(str(program.pid) for program in programs)])

    def ask(line):
        events, _ = dialogue.ask(line)
        if not events[-1].get("ok"):
            raise SystemExit(f"{line}: {events}")
        return events

    for line in ("break turn", "continue", "wait 120", "watch turns[0]", "watch turns[1]"):
        ask(line)
    for turn in range(200):
        ask("continue")
        ask("wait 120")
        for program in programs:
            if pending_traps(program.pid):
                raise SystemExit(f"stop {turn}: a trap waits in {pending_traps(program.pid)}")
    ask("detach")
    dialogue.end()
    for program in programs:
        program.expect_end()


def check_python():
    program = Program([pddt.PYTHON, os.path.join(HERE, "attached.py")])
    pddt.wait_for("its start", lambda: program.process.stdout.readline() == "ready\n")
    run = pddt.run(["--attach", str(program.pid)] + pddt.commands(
        "where", "pick 0", "print total", "print name"))
    run.expect(" work at attached.py:%d [py]" % pddt.mark(os.path.join(HERE, "attached.py"), "wait"))
    run.expect_line("0: name = 'seven'")
    program.expect_end()


def check_job():
    with tempfile.NamedTemporaryFile() as file:
        attach_job(file.name)


def attach_job(path):
    go_on = ["--prtemca", "state_base_error_non_zero_exit", "0"] if launching.has_prrte() else ["--mca", "orte_abort_on_non_zero_status", "0"]
    program = Program(["mpirun", *go_on, "-np", "3", LOOPS, path])
    pddt.wait_for("three ranks", lambda: sum(parent == program.pid and command.startswith(LOOPS)
                                             for parent, _, command in pddt.processes().values()) == 3)
    run = pddt.run(["--attach-job", str(program.pid)] + pddt.commands(
        "expect stopped", "where", "continue", "pause", "detach"), timeout_s=60)
    run.expect_status(0)
    run.expect("0-2 3 main at loops.c")
    run.expect_line("0-2: detached")
    if tracer(program.pid):
        raise SystemExit("the launcher is traced")
    os.rename(path, path + ".over")
    out, _ = program.process.communicate("", timeout=120)
    os.rename(path + ".over", path)
    if out.count("worked\n") != 3:
        raise SystemExit(f"the job ended with {program.process.returncode} and said {out!r}")
    refuse_job(os.getpid(), "it has started no rank")
    check_no_jobs()


def refuse_job(pid, why, prefix=(), status=3):
    run = pddt.run(["--attach-job", str(pid)] + pddt.commands("where"), prefix=prefix)
    run.expect_status(status)
    run.expect(f"cannot attach to the job of process {pid}: {why}", "err")


def check_no_jobs():
    """What is not there, has ended, is somebody else's, or cannot be chosen."""
    zombie = subprocess.Popen(["/bin/true"])
    pddt.wait_for("a zombie", lambda: pddt.processes().get(zombie.pid, (0, "", ""))[1] == "Z")
    refuse_job(zombie.pid, "it has ended")
    zombie.wait()
    refuse_job(max(pddt.processes()) + 100000, "there is no such process")
    with tempfile.TemporaryDirectory() as home:
        for name in ("srun", "mpirun"):
            shutil.copy("/bin/sleep", os.path.join(home, name))
        script = Program(["sh", "-c", f"{home}/srun 1000 & first=$!; {home}/mpirun 1000 & read line; kill $first $!"])
        pddt.wait_for("both", lambda: sum(command.startswith(home) for _, _, command in pddt.processes().values()) == 2)
        refuse_job(script.pid, "it has started 2 launchers, ", status=2)
        # the administrator alone can become somebody else, where that one can read what is built
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", f"HOME={home}"]
        os.chmod(home, 0o777)
        if subprocess.run(nobody + ["test", "-x", pddt.PDDT], check=False).returncode == 0:
            refuse_job(script.pid, "it belongs to root", nobody)
        script.process.communicate("\n", timeout=120)


def check_keep():
    """A launched job outlives pddt, and its words go where pddt's went."""
    run = subprocess.run([pddt.PDDT, "--keep", "-e", "break finish", "-e", "show state", LOOPS],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                         env=pddt.ENVIRONMENT)
    if run.returncode != 0 or not run.stdout.endswith("worked\n") or "lost" in run.stdout:
        raise SystemExit(f"--keep: {run.returncode} {run.stdout!r} {run.stderr!r}")


CHECKS = [check_views, check_numbers, check_refusals, check_waiting, check_deaths, check_rest, check_python, check_job,
          check_keep]
for check in CHECKS:
    if len(sys.argv) < 2 or check.__name__ in sys.argv[1:]:
        check()
        print("ok", check.__name__)
