# SPDX-License-Identifier: GPL-3.0-or-later
"""What --trace costs a Python call, beside cProfile in the same run, for every interpreter found: fib(25), times the
plain run, best of 7 in turn; and how fast its archive is written and read. Prints; asserts nothing."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

import pddt

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "agent"))
import driver                           # noqa: E402

PROGRAM = os.path.join(HERE, "trace_fib.py")
ROUNDS, CALLS = 7, 242785


def run(words, folder=None):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
                          timeout=120, cwd=folder)
    return float(done.stdout)


def run_traced(python, program="trace_fib.py", *options):
    folder = tempfile.mkdtemp(prefix="pddt-bench-")
    try:
        return run([pddt.PDDT, "--trace", *options, "--output", "here", python, os.path.join(HERE, program)], folder)
    finally:
        shutil.rmtree(folder)


def main():
    print("Python calls, fib(25), times the plain run (best of 7 in turn); added ns a call:")
    for python in driver.list_interpreters():
        version = subprocess.run([python, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"],
                                 stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        plain, peer, traced = [], [], []
        for _ in range(ROUNDS):
            plain.append(run([python, PROGRAM]))
            peer.append(run([python, PROGRAM, "cProfile"]))
            traced.append(run_traced(python))
        base, other, own = min(plain), min(peer), min(traced)
        print(f"  {version}: plain {base * 1000:.1f} ms; cProfile {other / base:.2f} ({(other - base) / CALLS * 1e9:.0f} ns); "
              f"--trace {own / base:.2f} ({(own - base) / CALLS * 1e9:.0f} ns); "
              f"{own / other:.2f} of cProfile's slowdown", flush=True)
    print("lines, a loop of three, added ns (best of 7):")
    for python in driver.list_interpreters():
        plain = run([python, os.path.join(HERE, "trace_lines.py")])
        traced = run_traced(python, "trace_lines.py", "--lines", "loop")
        print(f"  {python}: plain {plain:.0f} ns; --lines {traced - plain:.0f} ns added", flush=True)
    measure_archive()
    measure_timeline()


MANY = """
def leaf(): pass
def work():
    for _ in range(10): leaf()
for _ in range(454545): work()
"""


def measure_timeline():
    """10 million events, opened and zoomed into."""
    folder = tempfile.mkdtemp(prefix="pddt-bench-")
    build, source = os.environ["PDDT_BUILD_ROOT"], os.environ["PDDT_SOURCE_ROOT"]
    try:
        here = os.path.join(folder, "here")
        subprocess.run([pddt.PDDT, "--trace", "--output", here, "/usr/bin/python3", "-c", MANY],
                       stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=300)
        print("an archive of 10,000,000 events in Timeline:", flush=True)
        subprocess.run([os.path.join(source, "tests/support/with-display"),
                        os.path.join(build, "tests/bench/bench-timeline"),
                        os.path.join(build, "src/programs/pddt-archive"), here], stdin=subprocess.DEVNULL,
                       env=dict(os.environ, GSETTINGS_SCHEMA_DIR=os.path.join(build, "data"), NO_AT_BRIDGE="1"),
                       check=True, timeout=300)
    finally:
        shutil.rmtree(folder)


def measure_archive():
    folder = tempfile.mkdtemp(prefix="pddt-bench-")
    try:
        here = os.path.join(folder, "here")
        subprocess.run([pddt.PDDT, "--trace", "--output", here, "/usr/bin/python3", "-c",
                        "def f(): pass\nfor i in range(2000000): f()"], stdin=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True, timeout=300)
        size = sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(here) for name in names)
        begin = time.perf_counter()
        subprocess.run([pddt.PDDT, "--export", "csv=/dev/null", here], stdin=subprocess.DEVNULL, check=True, timeout=300)
        print(f"  an archive of 4,000,000 events: {size / 4e6:.1f} bytes each, read and exported in "
              f"{time.perf_counter() - begin:.2f} s")
    finally:
        shutil.rmtree(folder)


main()
