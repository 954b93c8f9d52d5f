# SPDX-License-Identifier: GPL-3.0-or-later
"""Many real processes on one host: until all stand stopped through the shim, beside a plain mpirun until
all say that they run; and what one more rank costs the daemon. many.py [RANKS]"""
import os
import signal
import statistics
import subprocess
import sys
import threading
import time

import pddt

RANKS = int(sys.argv[1]) if len(sys.argv) > 1 else 512
SLEEPER = os.path.join(pddt.BUILD, "tests", "bench", "bench-sleeper")
LIMIT_S = 30


def line(ranks):
    return ["mpirun", "--oversubscribe", "-np", str(ranks), SLEEPER]


def count(ranks):
    total = 0
    for part in ranks.split(","):
        words = part.split("/")[0].split("-")
        step = int(part.split("/")[1]) if "/" in part else 1
        total += (int(words[-1]) - int(words[0])) // step + 1
    return total


def start_plain():
    begin = time.monotonic()
    job = subprocess.Popen(line(RANKS), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, env=pddt.ENVIRONMENT, text=True,
                           start_new_session=True)
    watch = threading.Timer(LIMIT_S, os.killpg, (job.pid, signal.SIGKILL))
    watch.start()
    there = sum(1 for _ in zip(range(RANKS), job.stdout))
    seconds = time.monotonic() - begin
    watch.cancel()
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    return seconds if there == RANKS else None


def start_debugged(ranks):
    """The dialogue with all ranks at their first instruction, and the seconds until then."""
    begin = time.monotonic()
    dialogue = pddt.Dialogue(["--stop-at", "start"] + line(ranks))
    stopped = 0

    def is_last(event):
        nonlocal stopped
        stopped += count(event["ranks"]) if event["event"] == "stopped" else 0
        return stopped >= ranks

    dialogue.await_event("start of all", is_last, LIMIT_S)
    return dialogue, time.monotonic() - begin


def read_own_kb(dialogue):
    """What the daemon alone holds; mapped files are shared."""
    for pid, command in pddt.left_over(dialogue.marker):
        if os.path.basename(command.split(" ", 1)[0]) == "pddtd":
            with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
                fields = dict(text.split(":", 1) for text in file if ":" in text)
            return int(fields["Pss_Anon"].split()[0])
    raise SystemExit("no daemon")


def end(dialogue):
    dialogue.ask("kill")
    dialogue.end()


def debug(ranks):
    dialogue, seconds = start_debugged(ranks)
    kb = read_own_kb(dialogue)
    end(dialogue)
    return seconds, kb


few = debug(8)
runs = [debug(RANKS) for _ in range(2)]
plain = [seconds for seconds in (start_plain() for _ in range(2)) if seconds]
ours = statistics.median(seconds for seconds, _ in runs)
each = (statistics.median(kb for _, kb in runs) - few[1]) / (RANKS - 8)
print(f"{RANKS} processes under mpirun: all stopped through the shim {ours:.2f} s; memory of the daemon "
      f"{runs[0][1]} kB, {each:.1f} kB a rank (aim 40)", flush=True)
if plain:
    print(f"{RANKS} such processes, plain mpirun: all run after {statistics.median(plain):.2f} s; ratio "
          f"{ours / statistics.median(plain):.2f} (aim 2)", flush=True)
else:
    print(f"{RANKS} such processes, plain mpirun: not all ran within {LIMIT_S} s", flush=True)
