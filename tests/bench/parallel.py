# SPDX-License-Identifier: GPL-3.0-or-later
"""Many ranks of one job, as the user feels them: `why` of a circle, `show queue`, and a line's step
of all ranks, beside gdb with as many inferiors that steps the same processes' like. Argument: ranks,
64 without. Prints; asserts nothing but that the answers are right."""
import json
import os
import re
import statistics
import subprocess
import sys
import time

import pddt

RANKS = int(sys.argv[1]) if len(sys.argv) > 1 else 64
STEPS = os.path.join(pddt.BUILD, "tests", "bench", "bench-steps")
SOURCE = os.path.join(pddt.SOURCE, "tests", "bench", "steps.c")
TURN = pddt.mark(SOURCE, "turn")
RUNS = 7


def show(name, values, aim=""):
    values = sorted(1000 * value for value in values)
    print(f"{name}: {statistics.median(values):.1f} ms median, {values[0]:.1f} best, {values[-1]:.1f} "
          f"worst of {len(values)}{aim}", flush=True)
    return statistics.median(values)


def count(text):
    """Ranks in "0-3,5,8-14/2"."""
    n = 0
    for part in filter(None, text.split(",")):
        found = re.fullmatch(r"(\d+)(?:-(\d+)(?:/(\d+))?)?", part)
        first, last, period = int(found[1]), int(found[2] or found[1]), int(found[3] or 1)
        n += (last - first) // period + 1
    return n


def bench_stuck():
    dialogue = pddt.Dialogue(["mpirun", "-np", str(RANKS), STEPS])
    dialogue.ask("continue")
    dialogue.ask("wait")  # ends as soon as nothing can move any more
    why, queue = [], []
    for _ in range(RUNS):
        events, seconds = dialogue.ask("why")
        if not any(event.get("verdict") == "cycle" for event in events):
            raise SystemExit("no cycle")
        why.append(seconds)
        events, seconds = dialogue.ask("show queue")
        if sum(event["event"] == "queue" and event["what"] == "call" for event in events) != RANKS:
            raise SystemExit("not a call of each rank")
        queue.append(seconds)
    show(f"why of a circle of {RANKS} ranks, line to sentence", why, " (aim 300)")
    show(f"show queue of {RANKS} running ranks, line to last row", queue, " (aim 50)")
    dialogue.ask("kill")
    dialogue.end()


def step(dialogue):
    """Seconds from the line to the last rank's arrival."""
    begin = time.monotonic()
    dialogue.process.stdin.write("next\n")
    dialogue.process.stdin.flush()
    arrived, is_done = 0, False
    while arrived < RANKS or not is_done:
        event = json.loads(dialogue.process.stdout.readline())
        if event["event"] in ("stopped", "breakpoint"):
            arrived += count(event["ranks"])
            last = time.monotonic()
        is_done |= event["event"] == "done"
    return last - begin


def bench_step():
    dialogue = pddt.Dialogue(["mpirun", "-np", str(RANKS), STEPS, "step"])
    dialogue.ask(f"tbreak steps.c:{TURN}")
    dialogue.ask("continue")
    dialogue.ask("wait")
    dialogue.ask("wait")
    pids = find_ranks()
    threads = sum(len(os.listdir(f"/proc/{pid}/task")) for pid in pids)
    seconds = [step(dialogue) for _ in range(RUNS)]
    ours = show(f"step of {RANKS} stopped MPI ranks with {threads} threads, line to last event", seconds,
                " (aim 60)")
    dialogue.ask("kill")
    dialogue.end()
    return ours


def find_ranks():
    return [pid for pid, (_, state, command) in pddt.processes().items()
            if command.startswith(STEPS + " step") and state != "Z"]


class Gdb:
    """The machine interface; all threads apart, so that all inferiors can step at once."""

    def __init__(self):
        self.process = subprocess.Popen(["gdb", "-nx", "-q", "--interpreter=mi3"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, errors="replace")
        for line in ("set debuginfod enabled off", "set auto-solib-add off", "set non-stop on",
                     "set mi-async on", "set print thread-events off", "set pagination off"):
            self.ask("-gdb-" + line if line.startswith("set") else line)

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read_until(self, is_it):
        for line in self.process.stdout:
            if is_it(line):
                return line
        raise SystemExit("gdb has ended")

    def ask(self, line):
        self.send(line)
        return self.read_until(lambda text: text.startswith(("^done", "^running", "^error", "^connected")))


def attach_all(gdb, pids):
    """The number of each process's main thread."""
    threads = []
    for index, pid in enumerate(pids):
        if index > 0:
            gdb.ask("-add-inferior")
            gdb.ask(f'-interpreter-exec console "inferior {index + 1}"')
        gdb.send(f"-target-attach {pid}")
        gdb.read_until(lambda text: text.startswith(("^done", "^error")))
        gdb.ask(f"-file-exec-and-symbols {STEPS}" if index == 0 else "-gdb-show version")
        answer = gdb.ask(f"-list-thread-groups i{index + 1}")
        threads.append(re.search(r'threads=\[\{id="(\d+)"', answer)[1])
    return threads


def bench_gdb():
    """Processes of another job of the same program, none of them pddt's."""
    job = subprocess.Popen(["mpirun", "-np", str(RANKS), STEPS, "step"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=pddt.ENVIRONMENT,
                           text=True)
    gdb = Gdb()
    try:
        for _ in range(RANKS):
            job.stdout.readline()
        threads = attach_all(gdb, sorted(find_ranks()))
        seconds = []
        for _ in range(RUNS):
            begin = time.monotonic()
            for thread in threads:
                gdb.send(f"-exec-next --thread {thread}")
            for _ in threads:
                if gdb.read_until(lambda text: text.startswith("^error")
                                  or "end-stepping-range" in text).startswith("^error"):
                    raise SystemExit("gdb does not step")
            seconds.append(time.monotonic() - begin)
    finally:
        gdb.process.kill()
        gdb.process.wait()
        job.terminate()
        job.wait()
    return show(f"step of the main threads of {RANKS} such processes in one gdb", seconds[1:])


bench_stuck()
ours = bench_step()
peer = bench_gdb()
print(f"pddt / gdb, step of {RANKS}: {ours / peer:.2f}")
