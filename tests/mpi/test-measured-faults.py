# SPDX-License-Identifier: GPL-3.0-or-later
"""--profile when things go wrong: ranks that are killed, threads and children that come and go, a full disk."""
import os
import resource
import subprocess
import sys

import otf2

import pddt
from measured import Measured, read

PROGRAM = os.path.join(pddt.SOURCE, "tests", "mpi", "crowd.py")
PLAIN = ["/usr/bin/python3", PROGRAM]


def test_signal():
    """One of two ranks dies; the other is ended by mpirun."""
    plain = subprocess.run(["mpirun", "-np", "2"] + PLAIN + ["wait"], env=pddt.ENVIRONMENT, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    with Measured(["mpirun", "-np", "2"] + PLAIN + ["wait"]) as measured:
        run = measured.run()
        run.expect_status(plain.returncode)
        run.expect("SIGSEGV" if "SIGSEGV" in run.err else "signal 11", "err")
        ranks = read(run.archive)
        for rank in "rank 0", "rank 1":
            if ranks[rank].get("work", 0) < 0.2:
                run.fail(f"{ranks}")


def test_threads():
    with Measured(PLAIN + ["threads"], "--rate", "500") as measured:
        run = measured.run()
        run.expect_status(0)
        found = read(run.archive)["rank 0"]
        if found["work"] < 0.6 or found["threads"] < 10:
            run.fail(f"{found}")
        print(f"# {found['threads']} of 181 threads seen, {found['work']:.2f} s in work")


def test_dying():
    """Many are killed in the middle of a sample."""
    with Measured(PLAIN + ["dying"], "--rate", "1000") as measured:
        run = measured.run()
        run.expect_status(0)
        run.expect("done")
        if read(run.archive)["rank 0"]["work"] < 0.3:
            run.fail("the parent's time is lost")


def test_many():
    """More than 16 ranks on a host: half as many samples."""
    with Measured(["mpirun", "-np", "18", "/bin/sleep", "1.5"]) as measured:
        run = measured.run()
        run.expect_status(0)
        run.expect("18 ranks", "err")
        if len(read(run.archive)) != 18:
            run.fail("not 18 ranks")
        with otf2.reader.open(os.path.join(run.archive, "traces.otf2")) as trace:
            if [each.period for each in trace.definitions.interrupt_generators] != [20000000]:
                run.fail("another period")


def test_full():
    """The job goes on, and one sentence says what is missing."""
    with Measured(PLAIN + ["threads", "wait"], "--output", "here") as measured:
        process = measured.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        spool = os.path.join(measured.folder, "here", "spool")
        pddt.wait_for("samples", lambda: os.path.exists(spool) and os.path.getsize(spool) > 1000)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (2000, 2000))
        out, err = process.communicate(timeout=60)
        run = measured.end(process.returncode, out, err)
        run.expect_status(0)
        run.expect("done")
        run.expect("The samples could not be kept in here: File too large.", "err")
        if run.err.count("\n") != 1:
            run.fail("more than a sentence")


for test in test_signal, test_threads, test_dying, test_many, test_full:
    if len(sys.argv) < 2 or test.__name__ in sys.argv:
        test()
        print("ok", test.__name__, flush=True)
