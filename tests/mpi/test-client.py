# SPDX-License-Identifier: GPL-3.0-or-later
"""The example of a client (client.c) starts a real job, stops it, reads a value of all ranks and ends it."""
import os
import subprocess

import pddt

built = os.path.join(pddt.BUILD, "tests", "mpi")
run = subprocess.run([os.path.join(built, "client"), "mpirun", "-np", "3", os.path.join(built, "ring")],
                     stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
                     env=pddt.ENVIRONMENT)
assert run.returncode == 0 and run.stdout == "0: 0\n1: 1\n2: 2\n", run
run = subprocess.run([os.path.join(built, "client"), "mpirun", "-np", "3", os.path.join(built, "nothing-there")],
                     stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
                     env=pddt.ENVIRONMENT)
assert run.returncode == 1 and "cannot start" in run.stderr, run
