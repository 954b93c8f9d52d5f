# SPDX-License-Identifier: GPL-3.0-or-later
"""The first job's figures, each with its peer in the same run: start of eight ranks over a plain
mpirun start, a merged stack of eight Python ranks beside eight gdb attaches, the daemon's memory, the
delay of Update. Prints; asserts nothing."""
import os
import statistics
import subprocess
import tempfile
import time

import pddt

RANKS = 8
SCRIPT = """
import sys, time
from mpi4py import MPI
def inner(n):
    if n:
        return inner(n - 1)
    print("ready", flush=True)
    time.sleep(600 if len(sys.argv) > 1 else 0)
inner(10)
"""


def seconds(arguments):
    begin = time.monotonic()
    subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=pddt.ENVIRONMENT, timeout=120, check=False)
    return time.monotonic() - begin


def median(function, *arguments, runs=5):
    return statistics.median(function(*arguments) for _ in range(runs))


def bench_start(script):
    plain = ["mpirun", "-np", str(RANKS), pddt.PYTHON, script]
    debugged = [pddt.PDDT, "-e", "show state", "mpirun", "-np", str(RANKS), pddt.PYTHON,
                "%python_debug%", script]
    a, b = median(seconds, plain), median(seconds, debugged)
    print(f"start, {RANKS} Python ranks: plain mpirun, whole run {a:.2f} s; pddt until all are stopped and "
          f"shown, and the end {b:.2f} s; more {b - a:+.2f} s (aim < 1 s)")


def gdb_stacks(pids):
    begin = time.monotonic()
    for pid in pids:
        subprocess.run(["gdb", "-nx", "-batch", "-p", str(pid), "-iex", "set auto-load safe-path /",
                        "-iex", "set debuginfod enabled off", "-ex", "py-bt", "-ex", "bt"],
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    return time.monotonic() - begin


def bench_stacks(dialogue, script):
    first = dialogue.ask("where")[1]
    dialogue.ask("next")
    dialogue.ask("wait 10")
    moved = dialogue.ask("where")[1]
    job = subprocess.Popen(["mpirun", "-np", str(RANKS), pddt.PYTHON, script, "sleep"],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                           env=pddt.ENVIRONMENT)
    try:
        for _ in range(RANKS):
            job.stdout.readline()
        pids = [pid for pid, (parent, _, _) in pddt.processes().items() if parent == job.pid]
        peer = gdb_stacks(pids)
    finally:
        job.terminate()
        job.wait()
    print(f"merged stack of {RANKS} Python ranks: pddt {first * 1000:.1f} ms the first time, "
          f"{moved * 1000:.1f} ms after a step; {len(pids)} gdb attaches in turn with py-bt {peer:.2f} s; "
          f"ratio {peer / first:.0f} and {peer / moved:.0f} (aim 50)")


def bench_update(dialogue):
    dialogue.ask("continue")
    seconds_each = [dialogue.ask("show state")[1] for _ in range(21)]
    print(f"Update of {RANKS} running Python ranks: median {statistics.median(seconds_each) * 1000:.1f} ms, "
          f"longest {max(seconds_each) * 1000:.1f} ms (aim < 20 ms)")


def bench_memory(dialogue):
    for pid, command in pddt.left_over(dialogue.marker):
        name = os.path.basename(command.split(" ", 1)[0])
        if name in ("pddtd", "pddt-symbols"):
            with open(f"/proc/{pid}/status", encoding="ascii") as file:
                fields = dict(line.split(":", 1) for line in file if ":" in line)
            print(f"memory with {RANKS} ranks: {name} {fields['VmRSS'].strip()} resident, "
                  f"{fields['RssAnon'].strip()} its own")


def main():
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(SCRIPT)
    try:
        bench_start(file.name)
        dialogue = pddt.Dialogue(["mpirun", "-np", str(RANKS), pddt.PYTHON, "%python_debug%",
                                  file.name, "sleep"])
        for line in ("show state", "break inner if n == 0", "continue", "wait 60"):
            dialogue.ask(line)
        bench_stacks(dialogue, file.name)
        bench_memory(dialogue)
        bench_update(dialogue)
        dialogue.end()
    finally:
        os.unlink(file.name)


main()
