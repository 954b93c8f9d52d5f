# SPDX-License-Identifier: GPL-3.0-or-later
"""What --trace costs a call of MPI: processor time of a record (an Enter, a Leave, a message, a request), without and with
a trace, the recorder in both. Prints; asserts nothing."""
import os
import shutil
import subprocess
import tempfile

import pddt

BUILD = os.environ["PDDT_BUILD_ROOT"]
PROGRAM = os.path.join(BUILD, "tests/bench/bench-trace-calls")
# OTF2's records of one round of each
RECORDS = {"barrier": 4, "message": 9, "waitall": 10}


def run(**more):
    environment = dict(pddt.ENVIRONMENT, LD_PRELOAD=os.path.join(BUILD, "src/agent/libpddt-mpi.so"), **more)
    done = subprocess.run([PROGRAM], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
                          timeout=120, universal_newlines=True)
    return {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()}


def main():
    if not os.path.exists(PROGRAM):
        return
    folder = tempfile.mkdtemp(prefix="pddt-bench-")
    try:
        plain, traced = run(), run(PDDT_TRACE=folder)
    finally:
        shutil.rmtree(folder)
    print("MPI calls to oneself, ns in the recorder and traced, and ns a record: " + "; ".join(
        f"{name} {plain[name]:.0f}, {traced[name]:.0f}, {(traced[name] - plain[name]) / n:.0f}"
        for name, n in RECORDS.items()))


main()
