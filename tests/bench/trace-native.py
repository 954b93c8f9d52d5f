# SPDX-License-Identifier: GPL-3.0-or-later
"""What --trace costs calls of the C library, beside the plain run, and what --memory costs Python's allocations, beside
tracemalloc, for every interpreter found: processor time, best of 7 in turn. Prints; asserts nothing."""
import os
import shutil
import subprocess
import sys
import tempfile

import pddt

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "agent"))
import driver                           # noqa: E402

NATIVE = os.path.join(os.environ["PDDT_BUILD_ROOT"], "tests/bench/bench-trace-native")
ALLOCATE = """
import sys, time
if "tracemalloc" in sys.argv:
    import tracemalloc
    tracemalloc.start()
begin = time.process_time()
for i in range(400000):
    x = [None] * 50
    y = bytes(200)
    z = (i, y, x)
    w = bytearray(2000)
print(time.process_time() - begin)
"""
ROUNDS = 7


def run(words, *options):
    """What the program prints."""
    folder = tempfile.mkdtemp(prefix="pddt-bench-")
    try:
        front = [pddt.PDDT, "--trace", *options, "--output", "here"] if options else []
        done = subprocess.run([*front, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=True, timeout=120, cwd=folder)
        return done.stdout.decode()
    finally:
        shutil.rmtree(folder)


def measure_native():
    print("calls of the C library, ns (best of 7): plain, and what --trace adds")
    sets = {}
    for options in (), ("--trace",):
        text = run([NATIVE, "file", "text"], *options)
        for line in text.splitlines():
            sets.setdefault(line.split()[0], []).append(float(line.split()[1]))
    for name, (plain, traced) in sets.items():
        print(f"  {name}: {plain:.0f}, {traced - plain:+.0f}")


def measure_memory():
    print("Python's allocations, times the plain run (best of 7 in turn):")
    for python in driver.list_interpreters():
        words = [python, "-c", ALLOCATE]
        plain, traced, sampled, peer = [], [], [], []
        for _ in range(ROUNDS):
            plain.append(float(run(words)))
            traced.append(float(run(words, "--trace")))
            sampled.append(float(run(words, "--memory")))
            peer.append(float(run(words + ["tracemalloc"])))
        base = min(plain)
        print(f"  {python}: plain {base * 1000:.0f} ms; --trace {min(traced) / base:.2f}; "
              f"--memory {min(sampled) / base:.2f}; tracemalloc {min(peer) / base:.2f}", flush=True)


measure_native()
measure_memory()
