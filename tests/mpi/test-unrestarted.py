# SPDX-License-Identifier: GPL-3.0-or-later
"""What looks like a deadlock is looked at unasked, which no system call of the ranks notices: not one of those that
Linux does not restart after a stop. In ./check --long for two minutes."""
import os
import shutil

import pddt

SECONDS = 120 if os.environ.get("PDDT_LONG") else 4
for name, launcher in (("unrestarted", ("mpirun", "-np", "2")), ("unrestarted-mpich", ("mpiexec.hydra", "-n", "2"))):
    program = os.path.join(pddt.BUILD, "tests", "mpi", name)
    if os.path.exists(program) and shutil.which(launcher[0]) and ("mpich" not in name or os.environ.get("PDDT_LONG")):
        run = pddt.run(["--stop-at", "none", *pddt.commands("wait", "expect exited"), *launcher, program, str(SECONDS)],
                       timeout_s=SECONDS + 60)
        run.expect_status(0)
        if run.out.count("| 0 interrupted\n") + run.out.count("0-1| 0 interrupted\n") != 2:
            run.fail(f"{name}: a system call was interrupted")
        run.expect_not("wait for each other")
