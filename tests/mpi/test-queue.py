# SPDX-License-Identifier: GPL-3.0-or-later
"""`show queue` of running ranks in C, Fortran and Python, MPI's errors, and ranks that leave."""
import glob
import os
import re
import shutil

import pddt

HERE = os.path.join(pddt.SOURCE, "tests", "mpi")
BUILT = os.path.join(pddt.BUILD, "tests", "mpi")


def line(name, mark):
    return pddt.mark(os.path.join(HERE, name), mark)


def job(n_ranks, words, *commands, options=()):
    return pddt.run([*options, *pddt.commands(*commands), "mpirun", "-np", str(n_ranks), *words])


pending = os.path.join(BUILT, "pending")
run = job(2, [pending], "break pending.c:%d" % line("pending.c", "barrier"), "continue", "on 1 wait 60",
          "on 1 continue", "wait", "show state", "show queue", "pick nof 0", "show state")
run.expect("0-1: from the recorder (Open MPI")
run.expect("0: in MPI_Wait for 1 request at pending.c:%d" % line("pending.c", "wait"))
run.expect("0: open MPI_Irecv from 1, tag 21, halo, room for 4 bytes of MPI_INT at pending.c:%d"
           % line("pending.c", "posted"))
run.expect("1: in MPI_Barrier, first collective on halo at pending.c:%d" % line("pending.c", "barrier"))
run.expect("1: sent to 0, tag 12, halo, 3 bytes of MPI_CHAR \"abc\", not asked for, MPI_Send at "
           "pending.c:%d" % line("pending.c", "send"))
run.expect_line("0: running, MPI_Wait at pending.c:%d" % line("pending.c", "wait"))
run.expect_line("1: running, MPI_Barrier at pending.c:%d" % line("pending.c", "barrier"))

# What lies in memory that a graphics card manages, for which a file stands in, would move to the host if it were looked at.
run = job(2, [pending, "card"], "break pending.c:%d" % line("pending.c", "sent"), "continue", "on 1 wait 60", "on 1 show queue")
for name in glob.glob("/tmp/pddt-card-*"):
    os.unlink(name)
for tag, text in (31, ""), (32, ' "def"'), (33, ""), (34, ' "jkl"'):
    run.expect('1: sent to 0, tag %d, halo, 3 bytes of MPI_CHAR%s, ' % (tag, text))

run = job(2, [pending, "leave"], "continue", "on 1 wait 60", "on 1 expect stopped at pending.c:%d"
          % line("pending.c", "leave"))
run.expect_status(0)
run.expect("note: leaves without MPI_Finalize, exit status 4; continue lets it go (1)")

run = job(2, [pending, "open"], "continue", "wait 60", "expect exited")
run.expect_status(0)
run.expect("note: enters MPI_Finalize with 1 request never completed: MPI_Irecv from 0, tag 77 "
           "(pending.c:%d)" % line("pending.c", "open"))

for mode in "open", "root":
    run = job(2, [pending, mode], "set option mpi-errors off", "continue", "wait 60", "expect exited")
    run.expect_status(0)
    run.expect_not("never completed")
    run.expect_not("mismatch")

run = job(2, [pending, "cut"], "continue", "on 0 wait 60", "on 0 expect exception")
run.expect("0: exception MPI_ERR_TRUNCATE: message truncated, MPI_Recv at pending.c:%d" % line("pending.c", "cut"))
run = job(2, [pending, "root"], "continue", "wait 60", "expect exited")
run.expect_status(0)
run.expect("note: collective mismatch on halo: 0 calls MPI_Bcast with root 0 (pending.c:%d), 1 with root 1 "
           "(pending.c:%d)" % ((line("pending.c", "root"),) * 2))
run = job(2, [pending, "earlier"], "continue", "wait 60", "expect stopped")
run.expect_status(0)
run.expect("note: collective mismatch on MPI_COMM_WORLD: 0 and 1 have called different ones before the ")

mismatch = os.path.join(pddt.BUILD, "tests", "zoo", "mismatch")  # one of four calls something else
run = job(4, [mismatch], "continue", "wait", "show diverged")
run.expect("last common collective: the first on MPI_COMM_WORLD, MPI_Bcast (mismatch.c:")
run.expect("after it the ranks called different ones")

calls = os.path.join(BUILT, "calls")
run = job(2, [calls], "continue", "wait 60", "expect exited")  # which handles its error
run.expect_status(0)
run = job(2, [calls], "catch mpi-error", "continue", "wait 60", "on 0-1 expect exception", "continue", "wait 60",
          "expect exited")
run.expect_status(0)
run.expect("0-1: exception MPI_ERR_RANK: invalid rank, MPI_Send at calls.c:%d"
           % line("calls.c", "bad-rank"))
run = job(2, [calls, "fatal"], "continue", "wait 60")
run.expect("exception MPI_ERR_RANK: invalid rank, MPI_Send at calls.c:%d" % line("calls.c", "fatal"))
run = job(2, [calls, "abort"], "continue", "wait 60")
run.expect("MPI_Abort at calls.c:%d" % line("calls.c", "abort"))

for name, source in (("calls-f", "calls.f90"), ("calls-f08", "calls08.f90")):
    program = os.path.join(BUILT, name)
    if os.path.exists(program):
        run = job(2, [program, "hang"], "continue", "wait", "show queue")
        run.expect("in MPI_Recv from 1, tag 9, %s, room for 4 bytes of MPI_INTEGER at %s:%d"
                   % ("field" if name == "calls-f08" else "MPI_COMM_WORLD", source,
                      line(source, "hang")))

fourth = os.path.join(BUILT, "fourth-mpich")
if os.path.exists(fourth) and shutil.which("mpiexec.hydra"):
    run = pddt.run([*pddt.commands("continue", "wait", "show queue"), "mpiexec.hydra", "-n", "2", fourth,
                    "hang"])
    run.expect("from the recorder (MPICH")
    run.expect("0: in MPI_Recv from 1, tag 5, MPI_COMM_WORLD, room for 4 bytes of MPI_INT at fourth.c:%d"
               % line("fourth.c", "large"))
    run.expect("0: open MPI_Precv_init from 1, tag 4, MPI_COMM_WORLD, room for 16 bytes of MPI_INT at "
               "fourth.c:%d" % line("fourth.c", "partitioned"))
    run.expect("0: open MPI_Bcast_init, eighth collective on MPI_COMM_WORLD, root 1, 4 bytes at fourth.c:%d"
               % line("fourth.c", "persistent"))
    run.expect("1: in MPI_Finalize")
program = os.path.join(BUILT, "calls-f08-mpich")
if os.path.exists(program) and shutil.which("mpiexec.hydra"):
    run = pddt.run([*pddt.commands("continue", "wait", "show queue"), "mpiexec.hydra", "-n", "2", program,
                    "hang"])
    run.expect("in MPI_Recv from 1, tag 9, field, room for 4 bytes of MPI_INTEGER at calls08.f90:%d"
               % line("calls08.f90", "hang"))

session = os.path.join(BUILT, "session-mpich")
if os.path.exists(session) and shutil.which("mpiexec.hydra"):
    run = pddt.run([*pddt.commands("continue", "wait", "show queue", "why"), "mpiexec.hydra", "-n", "2",
                    session])
    run.expect("from the recorder: what MPI_Session_init gives is not recorded before MPI_Init, sampled")
    run.expect("0-1: in MPI_Recv from ?, tag 3 at session.c:%d" % line("session.c", "receive"))
    run.expect("0-1 appear to wait in MPI_Recv, tag 3 (session.c:%d); pddt cannot tell for which rank"
               % line("session.c", "receive"))
    run = pddt.run([*pddt.commands("continue", "wait 60"), "mpiexec.hydra", "-n", "2", session, "wrong"])
    run.expect("0-1: exception Invalid rank has value 77 but must be nonnegative and less than 2, MPI_Send at session.c:%d" % line("session.c", "wrong"))

program = os.path.join(BUILT, "calls-mpich")
if os.path.exists(program) and shutil.which("mpiexec.hydra"):
    run = pddt.run([*pddt.commands("continue", "wait 60", "on 0-1 expect exception"), "mpiexec.hydra", "-n",
                    "2", program, "fatal"])
    run.expect("exception Invalid rank has value 9 but must be nonnegative and less than 2, MPI_Send at calls.c:%d" % line("calls.c", "fatal"))

script = os.path.join(HERE, "calls.py")
run = job(2, ["/usr/bin/python3", "%python_debug%", script, "hang"], "continue", "wait", "show queue")
run.expect("0: comm.recv at calls.py:%d, its step MPI_Mprobe from 1, tag 99, MPI_COMM_WORLD"
           % line("calls.py", "hang"))
run.expect("1: in MPI_Finalize")

pddt.ENVIRONMENT["PDDT_NO_RECORDER"] = "1"
has_types = bool(glob.glob(os.path.join(pddt.BUILD, "src", "programs", "mpi-types-*.so")))
# without a queue nothing is known of deadlocks, and only a limit ends the waiting
run = job(2, [pending], "continue", "wait" if has_types else "wait 20", "show queue")
if has_types:
    # MPI's own library, with the types of this very Open MPI that pddt brings
    run.expect("from the message queue library (libompi_dbg_msgq.so): the recorder is not in this "
               "process, sampled")
    run.expect("0: open receive from 1, tag 21, halo, room for 4 bytes")
    run.expect("0: in MPI_Wait for 1 request at pending.c:%d" % line("pending.c", "wait"))
    hang = os.path.join(HERE, "hang.py")
    stuck = job(4, [pddt.PYTHON, hang], "continue", "wait", "show queue", "why")
    stuck.expect("0: comm.Recv at hang.py:%d, its step MPI_Recv from 1, tag 99, MPI_COMM_WORLD, room for 8 bytes"
               % line("hang.py", "receive"))
    stuck.expect("1: comm.recv at hang.py:%d, its step MPI_Mprobe from 0, tag 7, MPI_COMM_WORLD"
               % line("hang.py", "probe"))
    stuck.expect("2: comm.Ssend at hang.py:%d, its step MPI_Ssend to 0, tag 3, MPI_COMM_WORLD, 3 bytes"
               % line("hang.py", "send"))
    stuck.expect("3: open receive from 2, tag 4, MPI_COMM_WORLD")
    stuck.expect("0 and 1 appear to wait for each other: 0 in comm.Recv from 1, tag 99 (hang.py:%d); 1 in "
               "comm.recv from 0, tag 7 (hang.py:%d); one must send first; 2 more are stuck"
               % (line("hang.py", "receive"), line("hang.py", "probe")))
else:
    run.expect("from the stack: the recorder is not in this process, and MPI's queue library "
               "libompi_dbg_msgq.so says: Failed to find some type (opal_list_item_t), sampled")
    run.expect("0: in MPI_Wait at pending.c:%d" % line("pending.c", "wait"))
assert not re.search("recorder \\(", run.out), run.out
