# SPDX-License-Identifier: GPL-3.0-or-later
"""A traced job on two hosts, one of which cannot write into the archive's folder: its rank is named and runs on."""
import os
import subprocess
import sys
import tempfile

import hosts
from measured import Measured, read_calls

PROGRAM = """
import sys
from mpi4py import MPI
def work(): pass
for i in range(MPI.COMM_WORLD.rank + 3):
    work()
print("rank", MPI.COMM_WORLD.rank, "is done", flush=True)
"""


def test_unwritable(machines, program):
    command = machines.mpirun(["node1", "node2"], 2) + ["/usr/bin/python3", program]
    with Measured(command, "--output", "here", prefix=machines.on("login"), mode="--trace") as measured:
        for words in (["mount", "--bind", measured.folder, measured.folder],
                      ["mount", "-o", "remount,ro,bind", measured.folder]):
            subprocess.run(machines.on("node2") + words, check=True)
        try:
            run = measured.run()
        finally:
            subprocess.run(machines.on("node2") + ["umount", measured.folder], check=True)
        run.expect_status(0)
        run.expect("rank 0 is done")
        run.expect("rank 1 is done")
        run.expect("pddt: rank 1 is not traced: node2 cannot write into ", "err")
        calls = read_calls(run, os.path.join(measured.folder, "here"))
        found = {name: numbers["halves.py:work"] for name, numbers in calls.items() if "halves.py:work" in numbers}
        if found != {"rank 0: thread 1": 3}:
            run.fail(f"calls: {calls}")


with tempfile.TemporaryDirectory(prefix="pddt-halves-") as folder:
    path = os.path.join(folder, "halves.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    with hosts.Hosts(2) as machines:
        test_unwritable(machines, path)
sys.exit(0)
