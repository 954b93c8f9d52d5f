# SPDX-License-Identifier: GPL-3.0-or-later
"""mpi4py's objects as locals, without starting MPI; where there is no mpi4py the report says so."""
import os
import sys

try:
    import mpi4py
    mpi4py.rc.initialize = False
    from mpi4py import MPI
except ImportError:
    MPI = None


def work():
    if MPI is not None:
        comm, null, kind, operation = MPI.COMM_WORLD, MPI.COMM_NULL, MPI.DOUBLE, MPI.SUM
        request, status, own = MPI.Request(), MPI.Status(), MPI.Intracomm()
        status.Set_source(3)
        status.Set_tag(77)
    sys.stdout.write("%s\nend\n" % ("mpi4py" if MPI is not None else "none"))
    sys.stdout.flush(); os.read(0, 1)


work()
