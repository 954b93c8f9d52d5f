# SPDX-License-Identifier: GPL-3.0-or-later
"""A running mpi4py job that was started without the agent: values of all ranks, also of the one that
is stuck in MPI; a Python breakpoint in the one that computes; the job's result unharmed."""
import os
import subprocess
import tempfile

import pddt

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "attached.py")
LINE = pddt.mark(PROGRAM, "add")


def main():
    flag = tempfile.NamedTemporaryFile(delete=False)
    job = subprocess.Popen(["mpirun", "-np", "2", pddt.PYTHON, PROGRAM, flag.name],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                           env=pddt.ENVIRONMENT)
    try:
        for _ in range(2):
            if job.stdout.readline() != "ready\n":
                raise SystemExit("the job did not start")
        pddt.wait_for("rank 1 in MPI", lambda: "MPI_" in show(job, "on 1 show state"))
        run = pddt.run(["--attach-job", str(job.pid)] + pddt.commands(
            "on 1 print values[-1] + 0.5", "on 1 print total",
            f"break attached.py:{LINE}", "on 0 continue", "on 0 wait 120", "print comm",
            "on 0 print twice == 2 * i", "delete 1"))
        run.expect_status(0)
        run.expect("comm = <mpi4py.MPI.Intracomm COMM_WORLD>")
        run.expect_line("1: values[-1] + 0.5 = 3.5")
        run.expect_line("1: total = 0")
        run.expect_line(f"0: breakpoint 1, add at attached.py:{LINE}")
        run.expect_line("0: twice == 2 * i = True")
        os.unlink(flag.name)
        said = job.communicate(timeout=60)[0]
        if said != "right\n" or job.returncode != 0:
            raise SystemExit(f"the job ended with {job.returncode}: {said!r}")
    finally:
        job.kill()
        job.wait()


def show(job, command):
    return pddt.run(["--attach-job", str(job.pid)] + pddt.commands(command)).out


main()
