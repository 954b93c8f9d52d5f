# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever dies first, no rank is left: front end, daemon, launcher."""
import os
import signal
import socket
import subprocess
import tempfile
import time

import pddt

ring = os.path.join(pddt.BUILD, "tests", "mpi", "ring")


def find(marker, *names):
    def probe():
        for pid, command in pddt.left_over(marker):
            # of guards the launcher's: that of a host ends no ranks
            if os.path.basename(command.split(" ", 1)[0]) in names and " --host " not in command:
                return pid
        return None
    return probe


def ranks(marker, n):
    def probe():
        found = [pid for pid, command in pddt.left_over(marker) if command.startswith(ring)]
        return found if len(found) == n else None
    return probe


for victim in (("pddt",), ("pddtd",), ("mpirun", "orterun", "prterun"), ("pddt-guard",)):
    process, marker = pddt.start(pddt.commands("show state", "wait", "continue", "wait 100")
                                 + ["mpirun", "-np", "2", ring, "hang"])
    pddt.wait_for("two ranks", ranks(marker, 2), 120)
    pid = pddt.wait_for(victim[0], find(marker, *victim), 120)
    os.kill(pid, signal.SIGKILL)
    pddt.wait_for(f"the ranks' end after the death of {victim[0]}",
                  lambda: not [p for p, c in pddt.left_over(marker) if c.startswith(ring)])
    pddt.wait_for("pddt's end", lambda: process.poll() is not None, 120)
    told = "".join(process.communicate())
    pddt.expect_nothing_left(marker)
    if victim[0] == "pddt-guard" and "pddt-guard was killed: mpirun is being ended" not in told:
        raise SystemExit(told)
    print("ok", victim[0])

# A daemon that dies before it has reported the ranks is told of at once, and they run on. It lives so short that it may
# have reported them already; and a machine may stand still.
sleeper = subprocess.Popen(["/bin/sleep", "100"])
for _ in range(50):
    process, marker = pddt.start(pddt.commands("show state") + ["--attach", str(sleeper.pid)])
    daemon = None
    while daemon is None and process.poll() is None:
        daemon = find(marker, "pddtd")()
    begin = time.monotonic()
    if daemon is not None:
        try:
            os.kill(daemon, signal.SIGKILL)
        except ProcessLookupError:
            pass
    out = "".join(process.communicate(timeout=120))  # an end at once is a failed start
    pddt.expect_nothing_left(marker)
    is_early, told_s = process.returncode != 0 and "stopped," not in out, time.monotonic() - begin
    if is_early and (told_s < 5 or process.returncode != 3):
        break
else:
    told_s = None  # never early enough on this machine
if told_s is None:
    print("not met")
elif told_s > 5 or process.returncode != 3 or "daemon" not in out or sleeper.poll() is not None:
    raise SystemExit(f"{told_s:.1f} s, status {process.returncode}: {out}")
sleeper.kill()
sleeper.wait()
print("ok attach")

# A daemon that dies while an attached program meets a breakpoint all the time harms nobody: the program goes on, and all
# that it computes is right. It has a handler of SIGTRAP for that as long as a breakpoint is set, and no longer.
hot = os.path.join(pddt.BUILD, "tests", "inferiors", "inferior-hot")


def catches_trap(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return bool(int(next(line for line in status if line.startswith("SigCgt")).split()[1], 16) & 1 << signal.SIGTRAP - 1)


for is_killed in (True, True, True, False, False, False):
    with tempfile.NamedTemporaryFile() as alive:
        program = subprocess.Popen([hot, alive.name], stdin=subprocess.DEVNULL)
        process, marker = pddt.start(pddt.commands("pause", "break touch if number == -1", "continue &", "wait 60"
                                                   if is_killed else "wait 1") + ["--attach", str(program.pid)])
        pddt.wait_for("the handler", lambda: catches_trap(program.pid), 120)
        if is_killed:
            os.kill(pddt.wait_for("the daemon", find(marker, "pddtd")), signal.SIGKILL)
        process.communicate(timeout=60)
        pddt.expect_nothing_left(marker)
        if not is_killed and catches_trap(program.pid):
            raise SystemExit("SIGTRAP's handler is left")
    if program.wait(timeout=120) != 0:
        raise SystemExit(f"the attached program ended with {program.returncode}")
print("ok hot")

# One that crashes is told of, with what becomes of the ranks and where its log is; so is one that GLib ends by a trap, as
# where there is no memory.
sleeper = subprocess.Popen(["/bin/sleep", "1000"])
for number in (signal.SIGSEGV, signal.SIGTRAP):
    with tempfile.TemporaryDirectory(prefix="pddt-test-") as state:
        dialogue = pddt.Dialogue(["--attach", str(sleeper.pid)], environment={"XDG_STATE_HOME": state})
        dialogue.ask("show state")
        os.kill(pddt.wait_for("pddtd", find(dialogue.marker, "pddtd"), 60), number)
        dialogue.await_event("word of the ranks", lambda event: "run on without pddt" in str(event))
        told = str(dialogue.await_event("word of the crash", lambda event: "has crashed" in str(event)))
        log = os.path.join(state, "pddt", f"crash-{socket.gethostname()}.log")
        with open(log, encoding="utf-8") as file:
            kept = file.read()
        if log not in told or f"crashed with {number.name}" not in kept or "/pddtd(+0x" not in kept.split(number.name)[1]:
            raise SystemExit(told + kept)
        dialogue.end()
if sleeper.poll() is not None:
    raise SystemExit("the rank ended with the daemon")
sleeper.kill()
sleeper.wait()
print("ok crash")
