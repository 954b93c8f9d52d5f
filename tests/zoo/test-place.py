# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks that hang in MPI, each at another depth of the library: names are those of the place that the
state line tells, until a frame is chosen."""
import os

import pddt

ZOO = os.path.join(pddt.SOURCE, "tests", "zoo")
HEAD = os.path.join(pddt.BUILD, "tests", "zoo", "head")


def hang(program, call, *lines):
    """What the lines answer once both ranks are inside the call."""
    run = pddt.run(pddt.commands("continue", "wait", "pause", "wait", f"expect stopped at {call}", *lines)
                   + ["mpirun", "-np", "2", *program])
    return run


def test_native():
    line = pddt.mark(os.path.join(ZOO, "head.c"), "culprit")
    run = hang([HEAD], f"head.c:{line}", "print other + 10", "show locals", "whatis value",
               "on 1 set var other = 7", "print other", "watch value", "print $pc == 0", "frame 0",
               "print other", "set option just-my-code off", "on 0 print other")
    run.expect_line("0-1: other + 10 = [10..11] min 10 at 1 max 11 at 0 mean 10.5")
    run.expect_line("0-1: value = 0")
    run.expect_line("0-1: type = int")
    run.expect_line("0-1: other = [1..7] min 1 at 0 max 7 at 1 mean 4")
    run.expect_line("0-1: breakpoint 1 set, watch value (hardware)")
    run.expect("error: no symbol \"other\"")


def test_python():
    path = os.path.join(ZOO, "lower.py")
    line = pddt.mark(path, "culprit")
    run = hang([pddt.PYTHON, path], f"lower.py:{line}", "show locals", "whatis comm", "print other + 10",
               "print (int) getpid () > 1", "print step", "print absent")
    run.expect_line("0-1: comm = <mpi4py.MPI.Intracomm COMM_WORLD>")
    run.expect_line("0-1: type = Intracomm")
    run.expect_line("0-1: other + 10 = [10..11] min 10 at 1 max 11 at 0 mean 10.5")
    run.expect_line("0-1: (int) getpid () > 1 = 1")
    run.expect_line("0-1: step = 3")
    run.expect_line("error: no symbol \"absent\" in frame <module> (0-1)")


test_native()
test_python()
