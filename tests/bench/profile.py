# SPDX-License-Identifier: GPL-3.0-or-later
"""What sampling costs programs that compute: Python alone, mpi4py with numpy on two ranks, C alone and as 32 ranks, and C++
with 41 threads: their own time and user time, and the processor time of the whole machine, which is to have no other work.
`pddt --profile`, `profile` while debugging, perf and cProfile beside plain runs and runs under pddt that are not
sampled, in turn; medians. Prints; asserts nothing.

profile.py [PROGRAM…]: fib, numpy, c, ranks or threads"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import pddt

FOLDER = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"
ROUNDS = int(os.environ.get("PDDT_ROUNDS", "9"))
ENVIRONMENT = dict(pddt.ENVIRONMENT)
PERF = "perf record -F 100 -g"
# its command, with a place for what goes in front of the program, and where it is stopped at before it is sampled, if not at
# its first stop
PROGRAMS = {
    "fib": (lambda before: [PYTHON, *before, os.path.join(FOLDER, "fib.py"), "600"], "main"),
    "numpy": (lambda before: ["mpirun", "-np", "2", PYTHON, *before, os.path.join(FOLDER, "stencil.py"), "400"], "main"),
    "c": (lambda before: [os.path.join(pddt.BUILD, "tests", "bench", "bench-relax"), "200000"], None),
    "ranks": (lambda before: ["mpirun", "--oversubscribe", "-np", "32", os.path.join(pddt.BUILD, "tests", "bench", "bench-relax"),
                              "8000"], None),
    "threads": (lambda before: [os.path.join(pddt.BUILD, "tests", "bench", "bench-threads"), "250"], None),
}


def read_machine():
    """Seconds that its processors have worked: user, nice, system, interrupts."""
    with open("/proc/stat", encoding="ascii") as file:
        fields = file.readline().split()[1:]
    return sum(int(fields[i]) for i in (0, 1, 2, 5, 6)) / os.sysconf("SC_CLK_TCK")


def run(command):
    """(time, user time, the machine's processor time until it is at rest again)"""
    begin = read_machine()
    with tempfile.TemporaryDirectory() as folder:  # for archives
        out = subprocess.run(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=300, check=False, cwd=folder).stdout
        end, before = read_machine(), begin
        while end - before > 0.02:
            time.sleep(0.2)
            before, end = end, read_machine()
    return (*map(float, re.search(r"time ([\d.]+) ([\d.]+)$", out, re.M).groups()), end - begin)


def debugged(plain, place, *then):
    to_place = ["break " + place, "continue", "delete"] if place else []
    return [pddt.PDDT, "--cli"] + pddt.commands(*to_place, "continue &", *then, "wait 60") + ["--"] + plain


def find_ways(name, data):
    make, place = PROGRAMS[name]
    plain = make([])
    ways = {"pddt --profile": [pddt.PDDT, "--profile"] + plain, "under pddt": debugged(plain, place),
            "profile": debugged(plain, place, "profile 60"),
            PERF: ["perf", "record", "-q", "-F", "100", "-g", "-o", data] + plain}
    if PYTHON in plain:
        ways["cProfile"] = make(["-m", "cProfile", "-o", os.devnull])
    try:
        subprocess.run(["perf", "record", "-q", "-o", data, "true"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        del ways[PERF]
    return plain, ways


def measure(name):
    with tempfile.NamedTemporaryFile() as data:
        plain, ways = find_ways(name, data.name)
        figures = {way: [] for way in ["plain", *ways]}
        for _ in range(ROUNDS):
            figures["plain"].append(run(plain))
            for way, command in ways.items():
                figures[way].append(run(command))
    base = [statistics.median(column) for column in zip(*figures["plain"])]
    for way, rows in figures.items():
        wall, user, machine = (statistics.median(column) for column in zip(*rows))
        print(f"{name}: {way}: {wall:.3f} s ({100 * (wall / base[0] - 1):+.1f} %), user {user:.3f} s "
              f"({100 * (user / base[1] - 1):+.1f} %), the machine {machine:.2f} s", flush=True)


print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
for each in sys.argv[1:] or PROGRAMS:
    measure(each)
