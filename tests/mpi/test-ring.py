# SPDX-License-Identifier: GPL-3.0-or-later
"""Four ranks of a C program: stop, look, step one away, finish, run to the end."""
import os

import pddt

source = os.path.join(pddt.SOURCE, "tests", "mpi", "ring.c")
ring = os.path.join(pddt.BUILD, "tests", "mpi", "ring")
add, first = pddt.mark(source, "add"), pddt.mark(source, "first")

run = pddt.run(pddt.commands(
    "show state", "break pass", "continue", "wait 60", "show state", "print rank",
    "print token->parts", "print *token", "show locals", "where", "on 2 next", "wait 120", "show state",
    "on 0-1 expect breakpoint", "delete 1", "continue", "wait 60", "expect exited")
    + ["mpirun", "-np", "4", ring])
run.expect_status(0)
run.expect_line(f"0-3: stopped, main at ring.c:{first}")
run.expect(f"0-3: breakpoint 1 set, pass at ring.c:")
run.expect("0-3: breakpoint 1, pass at ring.c:")
run.expect_line("0-3: rank = [0..3] min 0 at 0 max 3 at 3 mean 1.5")
run.expect_line("0-3: token->parts = {0, 0, 0}")
run.expect_line("0-3: *token = {sum = 0, parts = {0, 0, 0}}")
run.expect("0-3 4 main at ring.c:")
run.expect("  0-3 4 pass at ring.c:")
run.expect("2: stopped, pass at ring.c:")
run.expect_line("0-3: exited 0")
for rank in range(4):
    run.expect(f"{rank}| rank {rank} has ")

run = pddt.run(pddt.commands("continue", "wait", "where", "pause", "wait 120", "show state",
                             "on 0 where", "on 0 call (int) getpid() > 1")
               + ["--stop-at", "main", "mpirun", "-np", "2", ring, "hang"])
run.expect("MPI_Recv at ring.c:%d" % pddt.mark(source, "hang"))
run.expect_line("0: (int) getpid() > 1 = 1")
run.expect("note: the function was called inside MPI_Recv: if it uses MPI itself, ")
