#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a breakpoint costs whose condition is false, a hit: pddt and gdb on the same program, with
one thread and with four. Two lengths of run are compared, so that starting does not count."""
import os
import subprocess
import time

root = os.environ["PDDT_BUILD_ROOT"]
inferior = os.path.join(root, "tests/inferiors/inferior-threads")
environment = dict(os.environ, DEBUGINFOD_URLS="")


def run(command):
    begin = time.monotonic()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True, timeout=120, env=environment)
    return time.monotonic() - begin


def run_pddt(threads, rounds):
    return run([os.path.join(root, "src/programs/pddt"), "--cli", "-e", "break hit if i < 0",
                "-e", "continue", "-e", "wait", "-e", "expect exited", "--", inferior,
                str(threads), str(rounds)])


def run_gdb(threads, rounds):
    return run(["gdb", "-nx", "-batch", "-ex", "set pagination off", "-ex", "break hit if i < 0",
                "-ex", "run", "--args", inferior, str(threads), str(rounds)])


def measure(tool, threads):
    """Microseconds a hit: the median of three differences between a long and a short run."""
    few, many = 500 // threads, 8500 // threads
    costs = []
    for _ in range(3):
        short = tool(threads, few)
        costs.append((tool(threads, many) - short) / ((many - few) * threads) * 1e6)
    return sorted(costs)[1]


for threads in 1, 4:
    ours, theirs = measure(run_pddt, threads), measure(run_gdb, threads)
    print(f"false condition, {threads} thread{'s' if threads > 1 else ' '}: pddt {ours:.0f} us a hit, "
          f"gdb {theirs:.0f}: {ours / theirs:.2f} of it")
