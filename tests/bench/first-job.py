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


def with_commands(script, lines):
    return [pddt.PDDT] + pddt.commands(*lines) + ["mpirun", "-np", str(RANKS), pddt.PYTHON,
                                                  "%python_debug%", script, "sleep"]


def bench_command(script, command, runs=3, times=40):
    before = ["break inner if n == 0", "continue", "wait 60"]
    none = median(seconds, with_commands(script, before), runs=runs)
    one = median(seconds, with_commands(script, before + [command]), runs=runs)
    many = median(seconds, with_commands(script, before + [command] * (times + 1)), runs=runs)
    return max(one - none, 0), max(many - one, 0) / times


def gdb_stacks(pids):
    begin = time.monotonic()
    for pid in pids:
        subprocess.run(["gdb", "-nx", "-batch", "-p", str(pid), "-iex", "set auto-load safe-path /",
                        "-iex", "set debuginfod enabled off", "-ex", "py-bt", "-ex", "bt"],
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    return time.monotonic() - begin


def bench_stacks(script):
    first, next_ones = bench_command(script, "where")
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
    print(f"merged stack of {RANKS} Python ranks: pddt first {first * 1000:.0f} ms, next {next_ones * 1000:.1f} ms; "
          f"{len(pids)} gdb attaches in turn with py-bt {peer:.2f} s; ratio {peer / max(next_ones, 1e-4):.0f} "
          "(aim 50)")


def bench_update(script):
    _, each = bench_command(script, "show state")
    print(f"Update of {RANKS} ranks: {each * 1000:.1f} ms (aim < 20 ms)")


def bench_memory(script):
    process, marker = pddt.start(pddt.commands("break inner if n == 0", "continue", "wait 60", "where",
                                               "show locals", "continue", "wait 60")
                                 + ["mpirun", "-np", str(RANKS), pddt.PYTHON, "%python_debug%", script, "sleep"])
    try:
        for _ in range(9):
            if "inner" in (process.stdout.readline() or ""):
                break
        for pid, command in pddt.left_over(marker):
            name = os.path.basename(command.split(" ", 1)[0])
            if name in ("pddtd", "pddt-symbols"):
                with open(f"/proc/{pid}/status", encoding="ascii") as file:
                    fields = dict(line.split(":", 1) for line in file if ":" in line)
                print(f"memory with {RANKS} ranks: {name} {fields['VmRSS'].strip()} resident, "
                      f"{fields['RssAnon'].strip()} its own")
    finally:
        process.terminate()
        process.communicate()
        pddt.expect_nothing_left(marker, 30)


def main():
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(SCRIPT)
    try:
        for bench in (bench_start, bench_update, bench_stacks, bench_memory):
            bench(file.name)
    finally:
        os.unlink(file.name)


main()
