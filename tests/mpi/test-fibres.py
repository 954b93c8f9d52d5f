# SPDX-License-Identifier: GPL-3.0-or-later
"""A thread that changes between user-level threads inside MPI is in several calls at once, and each is shown."""
import os
import shutil

import pddt

HERE = os.path.join(pddt.SOURCE, "tests", "mpi")


def line(mark):
    return pddt.mark(os.path.join(HERE, "fibres.c"), mark)


def job(launcher, words, *commands):
    return pddt.run([*pddt.commands("break fibres.c:%d" % line("send"), "break fibres.c:%d" % line("end"), "continue",
                                    "on 1 wait 60", "on 0 wait 2", *commands), *launcher, *words])


def expect_reductions(run):
    for name in ("first", "second"):
        run.expect_line("0: in MPI_Allreduce, first collective on %s, 4 bytes at fibres.c:%d" % (name, line("reduce")))
    assert ": in MPI_Barrier" not in run.out and ": in MPI_Send" not in run.out, run.out


for program, launcher in (("fibres", ("mpirun", "-np", "2")), ("fibres-mpich", ("mpiexec.hydra", "-n", "2"))):
    path = os.path.join(pddt.BUILD, "tests", "mpi", program)
    if not os.path.exists(path) or not shutil.which(launcher[0]):
        continue
    run = job(launcher, [path], "on 0 show state", "show queue")
    expect_reductions(run)
    run.expect_line("0: running, MPI_Recv at fibres.c:%d" % line("receive"))
    run.expect("0: in MPI_Recv from 1, tag 7, MPI_COMM_WORLD, room for 4 bytes of MPI_INT at fibres.c:%d" % line("receive"))

    run = job(launcher, [path], "continue", "wait 60", "expect breakpoint at fibres.c:%d" % line("end"), "show queue",
              "continue", "wait 60", "expect exited")
    assert ": in MPI_" not in run.out and ": sent to " not in run.out, run.out
    run.expect("0| 2\n")
    run.expect("0| 4\n")

    run = job(launcher, [path, "outside"], "show queue", "why", "kill")
    expect_reductions(run)
    run.expect("whether it is stuck is not known: another thread of 0 is in ")
    assert "in MPI_Recv" not in run.out, run.out
