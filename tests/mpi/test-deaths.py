# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 of the daemon while an attached program meets a false condition, is stepped, or is watched all the time: how
often the program dies of it. PDDT_LONG=1: 100 times each, beside gdb's own deaths in fewer kills, and says so."""
import os
import random
import signal
import subprocess
import sys
import tempfile

import pddt

N = int(os.environ.get("PDDT_DEATHS", "100" if os.environ.get("PDDT_LONG") else "2"))
N_GDB = min(N, 30) if N > 2 else 0
HOT = os.path.join(pddt.BUILD, "tests", "inferiors", "inferior-hot")
# what is set, and what the program then does; gdb's words for both
SITUATIONS = {"condition": ("break touch if number == -1", "continue"), "step": ("print 1", "stepi 100000000"),
              "watch": ("watch bad if bad < 0", "continue")}


def await_turns(pid):
    """Some turns of the program, as many as it comes to."""
    for _ in range(random.randrange(1, 60)):
        with open(f"/proc/{pid}/stat", "rb") as file:
            file.read()


def is_traced(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        return "\nTracerPid:\t0\n" not in file.read()


def find(marker, name):
    return next((pid for pid, command in pddt.left_over(marker) if os.path.basename(command.split()[0]) == name), None)


def kill_ours(pid, words):
    talk = pddt.Dialogue(["--attach", str(pid)])
    for word in ("pause", *words):
        events, _ = talk.ask(word)
        assert events[-1]["ok"], events
    await_turns(pid)
    os.kill(find(talk.marker, "pddtd"), signal.SIGKILL)
    talk.end()


def kill_gdb(pid, words):
    line = ["gdb", "-nx", "-q", "-batch", "-p", str(pid), *(word for each in words for word in ("-ex", each))]
    process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    pddt.wait_for("gdb", lambda: is_traced(pid))
    enough = count_stops(pid) + random.randrange(100, 200)
    pddt.wait_for("its work", lambda: count_stops(pid) > enough or process.poll() is not None)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def count_stops(pid):
    """The threads of a program that waits for nothing sleep only where a tracer stops them."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii", errors="replace") as file:
            total += int(next((line for line in file if line.startswith("voluntary")), "0 0").split()[1])
    return total


def count_deaths(situation, kill, n_kills):
    deaths = 0
    for _ in range(n_kills):
        with tempfile.NamedTemporaryFile() as alive:
            program = subprocess.Popen([HOT, alive.name], stdin=subprocess.DEVNULL, env=pddt.ENVIRONMENT)
            kill(program.pid, SITUATIONS[situation])
        status = program.wait(timeout=300)
        if status not in (0, -signal.SIGTRAP):
            raise SystemExit(f"{situation}: the program ended with {status}")
        deaths += status != 0
    return deaths


failed = False
for name in SITUATIONS:
    if len(sys.argv) < 2 or name in sys.argv:
        ours = count_deaths(name, kill_ours, N)
        beside = f", and {count_deaths(name, kill_gdb, N_GDB)} of {N_GDB} of gdb's" if N_GDB > 0 else ""
        print(f"# {name}: {ours} of {N} died{beside}", flush=True)
        failed |= ours > max(1, N // 50)
sys.exit(failed)
