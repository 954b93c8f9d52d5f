# SPDX-License-Identifier: GPL-3.0-or-later
"""A program's index, made and opened, beside gdb that sets one breakpoint in the same file."""
import os
import resource
import subprocess
import time

BUILD = os.environ["PDDT_BUILD_ROOT"]
PROGRAMS = ["/usr/bin/python3.11", os.path.join(BUILD, "src", "programs", "pddtd")]


def run(line):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=dict(os.environ, DEBUGINFOD_URLS=""))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, time.monotonic() - start, after.ru_utime - before.ru_utime


def main():
    bench = os.path.join(BUILD, "tests", "bench", "bench-index")
    for program in filter(os.path.exists, PROGRAMS):
        ours, wall, cpu = run([bench, program])
        _, gdb_wall, gdb_cpu = run(["gdb", "-nx", "-q", "-batch", "-ex", "break main", program])
        print(f"{os.path.basename(program)}: {ours.stdout.strip()}; whole {wall * 1e3:.0f} ms "
              f"({cpu * 1e3:.0f} ms of a processor), gdb {gdb_wall * 1e3:.0f} ms ({gdb_cpu * 1e3:.0f}), "
              f"ratio {gdb_wall / wall:.1f}")


if __name__ == "__main__":
    main()
