# SPDX-License-Identifier: GPL-3.0-or-later
"""A trace names who has waited for whom in MPI, at which line, and who has sent what to whom."""
import json
import os
import subprocess
import tempfile

import pddt
import traced
from measured import once_in_five

SCRIPT = """
from mpi4py import MPI
import numpy, time
world = MPI.COMM_WORLD
def late_sender():
    time.sleep(0.3)
    world.Send(numpy.zeros(10), 0, 7)  # @ send
def waiting():
    world.Recv(numpy.zeros(10), 3, 7)  # @ receive
def late_receiver():
    if world.rank == 1:
        world.Send(numpy.zeros(1000000), 2, 8)  # @ big send
    if world.rank == 2:
        time.sleep(0.25)
        world.Recv(numpy.zeros(1000000), 1, 8)  # @ big receive
def uneven():
    time.sleep(0.2 * world.rank)
    world.Barrier()  # @ barrier
def late_root():
    if world.rank == 1:
        time.sleep(0.35)
    world.Bcast(numpy.zeros(3), 1)  # @ broadcast
world.Barrier()
if world.rank == 3:
    late_sender()
if world.rank == 0:
    waiting()
world.Barrier()
late_receiver()
world.Barrier()
uneven()
world.Barrier()
late_root()
world.Barrier()
def late_member():
    if world.rank == 2:
        time.sleep(0.3)
    world.Allreduce(numpy.zeros(3), numpy.zeros(3))  # @ sum
late_member()
world.Barrier()
def early_root():
    if world.rank == 3:
        time.sleep(0.45)
    world.Reduce(numpy.zeros(3), numpy.zeros(3) if world.rank == 0 else None)  # @ reduce
early_root()
world.Barrier()
def in_front():
    if world.rank == 1:
        time.sleep(0.3)
    world.Scan(numpy.zeros(3), numpy.zeros(3))  # @ scan
in_front()
world.Barrier()
def not_blocked():
    if world.rank == 2:
        time.sleep(0.3)
    request = world.Ibarrier()  # @ begin
    request.Wait()  # @ wait
not_blocked()
"""
LINES = {line.split("# @ ")[1]: number for number, line in enumerate(SCRIPT.splitlines(), 1) if "# @ " in line}
# (kind, waiting rank, function and mark, causing rank, function and mark, seconds)
EXPECTED = [("late sender", 0, "waiting", "receive", 3, "late_sender", "send", 0.3),
            ("late receiver", 1, "late_receiver", "big send", 2, "late_receiver", "big receive", 0.25),
            ("wait at barrier", 0, "uneven", "barrier", 3, "uneven", "barrier", 0.6),
            ("wait at barrier", 1, "uneven", "barrier", 3, "uneven", "barrier", 0.4),
            ("late root", 0, "late_root", "broadcast", 1, "late_root", "broadcast", 0.35),
            ("late root", 3, "late_root", "broadcast", 1, "late_root", "broadcast", 0.35),
            ("wait for all", 0, "late_member", "sum", 2, "late_member", "sum", 0.3),
            ("root too early", 0, "early_root", "reduce", 3, "early_root", "reduce", 0.45),
            ("early scan", 2, "in_front", "scan", 1, "in_front", "scan", 0.3),
            ("early scan", 3, "in_front", "scan", 1, "in_front", "scan", 0.3),
            ("wait at barrier", 1, "not_blocked", "wait", 2, "not_blocked", "begin", 0.3)]
# function: on the critical path, the mean of the ranks, the rank; what others have waited for it. Of MPI_Reduce the
# root alone is said to wait, whatever another one in the middle of its tree does.
PATH = {"late_sender": (0.3, 0.075, 3, 0.9), "late_receiver": (0.25, 0.0625, 2, 0.75), "uneven": (0.6, 0.3, 3, 1.2),
        "late_root": (0.35, 0.0875, 1, 1.05), "late_member": (0.3, 0.075, 2, 0.9), "early_root": (0.45, 0.1125, 3, 0.8),
        "in_front": (0.3, 0.075, 1, 0.9), "not_blocked": (0.3, 0.075, 2, 0.9)}


def check_states(rows):
    for kind, rank, function, mark, cause, cause_function, cause_mark, seconds in EXPECTED:
        place = "%s at waits.py:%d" % (function, LINES[mark])
        found = [row for row in rows if (row["Kind"], row["Rank"], row["Place"], row["Waits for"],
                                         row["Which was at"]) ==
                 (kind, rank, place, cause, "%s at waits.py:%d" % (cause_function, LINES[cause_mark]))]
        assert len(found) == 1 and found[0]["Times"] == 1, (kind, rank, place, rows)
        assert abs(found[0]["Time"] - seconds) < max(0.1, seconds / 4), (kind, rank, found[0]["Time"], seconds)


def is_about(value, wanted):
    return abs(value - wanted) < max(0.1, wanted / 4)


def check_causes(page):
    """All waiting comes from what some rank did longer than others, even where those in between have waited, too."""
    (path,) = traced.read_tables(page, "The critical path")
    (delays,) = traced.read_tables(page, "What the waiting comes from")
    for name, (seconds, mean, rank, waited) in PATH.items():
        start = name + " at waits.py:"
        rows = [row for row in path if row["Function"].startswith(start)]
        assert len(rows) == 1, (start, path)
        row = rows[0]
        assert is_about(row["On the path"], seconds) and is_about(row["Mean of the ranks"], mean), (seconds, mean, row)
        assert is_about(row["Imbalance"], seconds - mean) and row["Most in rank"] == rank, (rank, row)
        sums = [row["Others waited"] + row["And for those"] for row in delays
                if row["Rank"] == rank and row["Took longer in"].startswith(start)]
        assert len(sums) == 1 and abs(sums[0] - waited) < waited * 0.4, (name, sums, waited, delays)
    assert "The critical path takes " in str(page) and " what is faster there makes the run faster." in str(page), page


def check_sums(sizes, tags, communicators):
    def read(table, key):
        return [(row[key], row["Messages"], row["Data"]) for row in table]
    assert read(sizes, "Size") == [("64–127", 1, 80), ("4194304–8388607", 1, 8000000)], sizes
    assert read(tags, "Tag") == [("8", 1, 8000000), ("7", 1, 80)], tags
    assert read(communicators, "Communicator") == [("MPI_COMM_WORLD", 2, 8000080)], communicators
    # from the send, which is late, to the end of the receive; and the other one, whose receive is late
    assert sizes[0]["Until received, mean"] < 0.2 < sizes[1]["Until received, mean"] < 0.6, sizes


@once_in_five
def test_states():
    """Where a machine stands still others wait, and for longer."""
    with tempfile.TemporaryDirectory(prefix="pddt-waits-") as folder:
        with open(os.path.join(folder, "waits.py"), "w") as file:
            file.write(SCRIPT)
        with traced.Traced(["mpirun", "-np", "4", "/usr/bin/python3", os.path.join(folder, "waits.py")]) as one:
            run = one.run()
            assert run.status == 0, run
            assert "The longest wait: rank 0 has waited for " in run.err, run.err
            report = os.path.join(folder, "report.json")
            subprocess.run([pddt.PDDT, "--report", report, run.archive], check=True, env=pddt.ENVIRONMENT, timeout=60)
            with open(report) as file:
                page = json.load(file)
        assert "a libgomp that is linked statically is not seen" in str(page), page
        tables = traced.read_tables(page, "Waiting in MPI")
        sums = {row["Kind"]: row["Time"] for row in tables[0]}
        assert set(sums) == {"late sender", "late receiver", "wait at barrier", "late root", "wait for all", "root too early",
                             "early scan"}, sums
        check_states(tables[1])
        check_causes(page)
        matrix, *sums = traced.read_tables(page, "Messages between ranks")
        sent = {(row["From"], rank): row["To %d" % rank] for row in matrix for rank in range(4) if row["To %d" % rank] != 0}
        assert sent == {(3, 0): 80, (1, 2): 8000000}, sent
        check_sums(*sums)


test_states()


CROWD = """
from mpi4py import MPI
import numpy
world = MPI.COMM_WORLD
if world.rank in (3, 16):
    world.Send(numpy.zeros(world.rank), 5)
if world.rank == 5:
    for source in 3, 16:
        world.Recv(numpy.zeros(16), source)
"""
with traced.Traced(["mpirun", "--oversubscribe", "-np", "17", "/usr/bin/python3", "-c", CROWD], "--report", "page.json") as one:
    run = one.run()
    assert run.status == 0, run
    with open(os.path.join(one.folder, "page.json")) as file:
        pairs, *_ = traced.read_tables(json.load(file), "Messages between ranks")
    # more than 16 ranks: no matrix, but the pairs with the most bytes
    assert [(row["From"], row["To"]) for row in pairs] == [(16, 5), (3, 5)], pairs
