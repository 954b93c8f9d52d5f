# SPDX-License-Identifier: GPL-3.0-or-later
"""What sampling costs a Python program that computes: `pddt --profile`, `profile` while debugging, perf and cProfile
beside plain runs and runs under pddt that are not sampled, in turn; medians. Prints; asserts nothing."""
import os
import statistics
import subprocess
import sys
import tempfile

import pddt

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fib.py")
TURNS = "600"
ROUNDS = 9
ENVIRONMENT = dict(pddt.ENVIRONMENT)


def run(command):
    """(time, user time)"""
    with tempfile.TemporaryDirectory() as folder:  # for archives
        out = subprocess.run(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=120, check=False, cwd=folder).stdout
    line = [line for line in out.splitlines() if "time " in line][0]
    return tuple(map(float, line.split("time ")[1].split()))


def debugged(command):
    return [pddt.PDDT, "--cli"] + pddt.commands("break main", "continue", "wait 30", "delete", "continue", command) + [
        "--", "/usr/bin/python3", PROGRAM, TURNS]


plain = ["/usr/bin/python3", PROGRAM, TURNS]
with tempfile.NamedTemporaryFile() as data:
    ways = {"pddt --profile": [pddt.PDDT, "--profile"] + plain, "under pddt": debugged("wait 60"), "profile": debugged("profile 60"),
            "perf record -F 100 -g": ["perf", "record", "-q", "-F", "100", "-g", "-o", data.name] + plain,
            "cProfile": ["/usr/bin/python3", "-m", "cProfile"] + plain[1:]}
    try:
        subprocess.run(["perf", "record", "-q", "-o", data.name, "true"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        del ways["perf record -F 100 -g"]
    figures = {name: [] for name in ["plain", *ways]}
    for _ in range(ROUNDS):
        figures["plain"].append(run(plain))
        for name, command in ways.items():
            figures[name].append(run(command))
base = [statistics.median(column) for column in zip(*figures["plain"])]
for name, rows in figures.items():
    wall, user = (statistics.median(column) for column in zip(*rows))
    print(f"fib: {name}: {wall:.3f} s ({100 * (wall / base[0] - 1):+.1f} %), user {user:.3f} s "
          f"({100 * (user / base[1] - 1):+.1f} %)", flush=True)
sys.exit(0)
