# SPDX-License-Identifier: GPL-3.0-or-later
"""Python ranks: line breakpoints with conditions, steps, py, an exception, a rank hung in C."""
import os

import pddt

source = os.path.join(pddt.SOURCE, "tests", "mpi", "apart.py")
add, call, hang = (pddt.mark(source, name) for name in ("add", "call", "hang"))
raised = pddt.mark(source, "raise")
job = ["mpirun", "-np", "4", pddt.PYTHON, "%python_debug%", source]

run = pddt.run(pddt.commands(
    f"break apart.py:{add} if i == 3", "continue", "wait 60", "show state", "print i", "print total",
    "show locals", "where full", "print np.eye(2)", "next", "wait 120", "show state", "on 1 py total = 1000", "on 1 print total",
    "on 3 finish", "wait 120", "show state", "delete 1", "continue", "wait 60", "expect exited") + job)
run.expect_status(0)
run.expect_line(f"0-3: breakpoint 1, work at apart.py:{add}")
run.expect_line("0-3: i = 3")
run.expect_line("    0-3 4 work at apart.py:%d [py]" % add)
run.expect_line("        i = 3")
run.expect("\n0-3: np.eye(2) =\n  array([[1., 0.],\n         [0., 1.]])\n")
run.expect_line(f"0-3: stopped, work at apart.py:{add - 1}")
run.expect_line("1: total = 1000")
run.expect("3: work returned 84")
run.expect(f"3: stopped, main at apart.py:{call}")
run.expect_line("0-3: exited 0")
run.expect("1| rank 1 value 1009")

run = pddt.run(pddt.commands("continue", "on 2 wait 120", "on 2 expect exception", "on 2 show state") + job + ["raise"])
run.expect(f"2: exception ValueError, main at apart.py:{raised}")

run = pddt.run(pddt.commands("on 0 break wait_for_nobody", "continue", "on 0 wait 60", "on 0 continue",
                             "on 0 wait", "on 0 pause", "on 0 wait 120", "on 0 show state",
                             "on 0 where") + job + ["hang"])
run.expect(f"0: stopped, MPI_Recv at apart.py:{hang}")
run.expect(f"wait_for_nobody at apart.py:{hang} [py]")
