# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program prints and returns is what it prints and returns without pddt."""
import os
import subprocess

import pddt

heat = os.path.join(pddt.SOURCE, "data", "examples", "heat.py")


def plain(arguments):
    return subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, env=pddt.ENVIRONMENT)


expected = plain(["mpirun", "-np", "2", pddt.PYTHON, heat]).stdout.splitlines()
run = pddt.run(pddt.commands("continue", "wait 60", "expect exited")
               + ["mpirun", "-np", "2", pddt.PYTHON, "%python_debug%", heat])
run.expect_status(0)
for line in expected:
    run.expect_line("0| " + line)

script = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
run = pddt.run(pddt.commands("continue", "wait 60", "expect failed")
               + [pddt.PYTHON, "%python_debug%", "-c", script])
run.expect_status(0)
run.expect_line("0| out")
run.expect("0| err", "err")
run.expect_line("0: failed 3")

run = pddt.run(pddt.commands("continue", "wait 60") + ["/bin/echo", "no debug information"])
run.expect_status(0)
run.expect_line("0| no debug information")
run.expect_line("0: exited 0")

# Open MPI finds a program without a slash in the working directory too.
built = os.path.join(pddt.BUILD, "tests", "mpi")
run = pddt.run(pddt.commands("continue", "wait 60", "expect exited") + ["mpirun", "-np", "2", "ring"], cwd=built)
run.expect_status(0)
run.expect("0-1: stopped, main at ring.c:")
