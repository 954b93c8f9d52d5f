# SPDX-License-Identifier: GPL-3.0-or-later
"""Traced jobs on two hosts: one of which cannot write into the archive's folder, so that its rank is named and runs on;
and of MPICH's launcher, with Score-P's commands, where the ranks of each host are in a
folder of their own, of which --finalize makes an experiment."""
import os
import shutil
import subprocess
import sys
import tempfile

import hosts
import pddt
import traced
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


def test_hydra(machines, folder):
    if shutil.which("mpiexec.mpich") is None:
        return
    with open(os.path.join(folder, "plain.py"), "w", encoding="utf-8") as file:
        file.write("def work(): pass\nwork()\n")
    command = ["mpiexec.mpich", "-launcher", "ssh", "-launcher-exec", os.path.join(machines.state, "agent"), "-iface",
               "eth0", "-hosts", "node1:2,node2:2", "-n", "4", "/usr/bin/python3", "-m", "scorep", "plain.py"]
    modules = os.path.join(os.environ["PDDT_BUILD_ROOT"], "src/agent/python")
    subprocess.run(machines.on("login") + command, cwd=folder, stdin=subprocess.DEVNULL, timeout=60, check=True,
                   env=dict(pddt.ENVIRONMENT, PYTHONPATH=modules, SCOREP_ENABLE_TRACING="true",
                            SCOREP_EXPERIMENT_DIRECTORY=os.path.join(folder, "experiment")))
    made = [name for name in os.listdir(folder) if name.startswith("scorep-measurement-tmp-")]
    for name in made:
        subprocess.run([pddt.PDDT, "--finalize", os.path.join(folder, name)], check=True, stdin=subprocess.DEVNULL)
    found = [traced.read(os.path.join(folder, name))["calls"] for name in ("experiment", "experiment-before-1")]
    assert len(made) == 2, made
    ranks = sorted(sorted(calls) for calls in found)
    assert ranks == [["rank 0", "rank 1"], ["rank 2", "rank 3"]], ranks
    assert all(each["__main__:work"] == 1 for calls in found for each in calls.values()), found


with tempfile.TemporaryDirectory(prefix="pddt-halves-") as folder:
    path = os.path.join(folder, "halves.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    with hosts.Hosts(2) as machines:
        test_unwritable(machines, path)
        test_hydra(machines, folder)
sys.exit(0)
