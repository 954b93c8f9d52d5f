# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits at MPI's windows, and for messages in the wrong order, each with its kind, both ranks and both lines; and the
archive's records of them."""
import json
import os
import re
import shutil
import subprocess

import pddt
import traced
from measured import once_in_five

SOURCE = os.path.join(os.environ["PDDT_SOURCE_ROOT"], "tests/mpi/onesided.c")
with open(SOURCE) as file:
    # a comment of its own says it of the next line
    LINES = {line.split("/* @ ")[1].split(" */")[0]: number + line.strip().startswith("/*")
             for number, line in enumerate(file, 1) if "/* @ " in line}
# (kind, waiting rank, function and mark, causing rank, function and mark, seconds)
EXPECTED = [("wait at window creation", 1, "main", "create", 0, "main", "create", 0.35),
            ("wait at window creation", 2, "main", "create", 0, "main", "create", 0.35),
            ("late post", 0, "late_post", "start", 1, "late_post", "post", 0.3),
            ("early wait", 1, "early_wait", "wait", 2, "early_wait", "late complete", 0.4),
            ("wait at fence", 0, "at_fence", "fence", 2, "at_fence", "fence", 0.25),
            ("wait at fence", 1, "at_fence", "fence", 2, "at_fence", "fence", 0.25),
            ("lock contention", 1, "contention", "lock", 0, "contention", "unlock", 0.4),
            ("wait at freeing a window", 0, "main", "free", 1, "main", "free", 0.2),
            ("wait at freeing a window", 2, "main", "free", 1, "main", "free", 0.2),
            ("wrong order", 0, "in_wrong_order", "receive first", 2, "in_wrong_order", "send", 0.3),
            ("late sender", 0, "in_wrong_order", "receive second", 2, "in_wrong_order", "send again", 0.25)]
RECORDS = {"RMA_SYNC": 8, "RMA_REQUEST_LOCK": 4, "RMA_ACQUIRE_LOCK": 4, "RMA_RELEASE_LOCK": 4}


def check_waits(page):
    kinds, rows = traced.read_tables(page, "Waiting in MPI")[:2]
    assert {row["Kind"] for row in kinds} == {"wait at barrier"} | {each[0] for each in EXPECTED}, kinds
    for kind, rank, function, mark, cause, cause_function, cause_mark, seconds in EXPECTED:
        places = ["%s at onesided.c:%d" % each for each in ((function, LINES[mark]), (cause_function, LINES[cause_mark]))]
        found = [row for row in rows if (row["Kind"], row["Rank"], row["Place"], row["Waits for"],
                                         row["Which was at"]) == (kind, rank, places[0], cause, places[1])]
        assert len(found) == 1 and found[0]["Times"] == 1, (kind, rank, places, rows)
        assert abs(found[0]["Time"] - seconds) < max(0.1, seconds / 4), (kind, rank, found[0]["Time"], seconds)
    for kind, least in ("lock contention", 0.3), ("wrong order", 0.2):  # the shared locks; what came in order
        assert sum(row["Time"] >= least for row in rows if row["Kind"] == kind) == 1, rows


def check_times(page):
    """No rank has more time than the run: threads of MPI that wait are no computing."""
    rows = traced.read_tables(page, "Ranks")[1]
    times = [row["Time"] for row in rows]
    assert len(times) == 3 and max(times) < 1.3 * min(times), rows


def check_records(archive):
    text = subprocess.run(["otf2-print", os.path.join(archive, "traces.otf2")], stdout=subprocess.PIPE, check=True,
                          timeout=60).stdout.decode()
    for record, n in RECORDS.items():
        assert len(re.findall(r"(?m)^%s " % record, text)) == n, (record, text)
    assert len(re.findall(r"(?m)^RMA_SYNC .* Sync Type: NOTIFY_IN", text)) == 4, text


@once_in_five
def check(launcher, program):
    with traced.Traced([*launcher, "-np", "3", os.path.join(os.environ["PDDT_BUILD_ROOT"], "tests/mpi", program)]) as one:
        run = one.run()
        assert run.status == 0, run
        report = os.path.join(one.folder, "report.json")
        subprocess.run([pddt.PDDT, "--report", report, run.archive], check=True, env=pddt.ENVIRONMENT, timeout=60)
        with open(report) as file:
            page = json.load(file)
        check_waits(page)
        check_times(page)
        if shutil.which("otf2-print"):
            check_records(run.archive)


check(["mpirun", "--oversubscribe"], "onesided")
if shutil.which("mpirun.mpich") and os.path.exists(os.path.join(os.environ["PDDT_BUILD_ROOT"], "tests/mpi/onesided-mpich")):
    check(["mpirun.mpich"], "onesided-mpich")
