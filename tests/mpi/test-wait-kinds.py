# SPDX-License-Identifier: GPL-3.0-or-later
"""Who waits for whom in probes, completions of sends, operations that not all take part in or record, intercommunicators
and collective operations on files, against the times that the program says itself; and its messages in Chrome's and Perfetto's
formats."""
import collections
import json
import os
import shutil
import subprocess

import pddt
import traced
from measured import once_in_five
from perfetto import PerfettoTrace

DUMP = """
import json, os, pddt
waits = pddt.open_profile(os.environ["ARCHIVE"]).waits
with open(os.environ["OUT"], "w") as file:
    json.dump([[w.kind, w.rank, w.call, w.cause, w.line, w.seconds] for w in waits], file)
"""
# (kind, waiting rank, call, causing rank)
EXPECTED = {
    "probe": [("late sender", 0, "MPI_Probe", 1)],
    "mprobe": [("late sender", 0, "MPI_Mprobe", 1)],
    "probed": [],
    "issend": [("late receiver", 1, "MPI_Wait", 0)],
    "isend": [("late receiver", 1, "MPI_Waitall", 0)],
    "sendrecv": [("late sender", 0, "MPI_Sendrecv", 1)],
    "halo": [("late sender", 0, "MPI_Waitall", 1)],
    "gatherv": [("root too early", 0, "MPI_Gatherv", 1)],
    "between": [("late sender", 0, "MPI_Recv", 3)],
    "bcast-between": [("late root", rank, "MPI_Bcast", 0) for rank in (1, 3)],
    "reduce-between": [("root too early", 0, "MPI_Reduce", 3)],
    "set-size": [("wait for all", rank, "MPI_File_set_size", 1) for rank in (0, 2, 3)],
    "write-all": [("wait for all", rank, "MPI_File_write_at_all", 2) for rank in (0, 1, 3)],
    "read": [],
    "paused": [("wait for all", rank, "MPI_Allreduce", 2) for rank in (0, 1, 3)],
    "after-pause": [("late sender", 1, "MPI_Recv", 0)],
    "close": [("wait for all", rank, "MPI_File_close", 2) for rank in (0, 1, 3)],
}


def read_waits(run, folder):
    out, script = os.path.join(folder, "waits.json"), os.path.join(folder, "dump.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(DUMP)
    subprocess.run([pddt.PDDT, "--stop-at", "none", "-x", script, "/bin/true"], check=True, timeout=60,
                   env=dict(pddt.ENVIRONMENT, ARCHIVE=run.archive, OUT=out), stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)
    with open(out, encoding="utf-8") as file:
        return json.load(file)


def read_calls(text):
    """{case: {rank: (line, enter, leave)}}"""
    cases = collections.defaultdict(dict)
    for line in text.splitlines():
        name, rank, number, enter, leave = line.split()
        cases[name][int(rank)] = int(number), float(enter), float(leave)
    return cases


def check(waits, cases):
    assert set(EXPECTED) | {"alltoallv"} == set(cases), cases
    for name, calls in cases.items():
        found = {tuple(wait[:4]): wait[5] for wait in waits
                 if wait[5] > 0.05 and any(wait[4] == line and wait[1] == rank for rank, (line, _, _) in calls.items())}
        for (kind, rank, call, cause), seconds in found.items():
            assert calls[cause][1] <= calls[rank][2], f"{name}: {rank} was out before {cause} came: {calls}"
            wanted = calls[cause][1] - calls[rank][1]
            assert abs(seconds - wanted) < max(0.02, wanted / 20), (name, kind, rank, call, seconds, wanted)
        assert name == "alltoallv" or sorted(found) == sorted(EXPECTED[name]), (name, found, calls)


def check_flows(run, folder):
    """In Chrome's format each message leads from the call that sends it to the one in which it comes; Perfetto's has the same."""
    perfetto = os.path.join(folder, "flows.perfetto-trace")
    path, slices, open_slices, ends = os.path.join(folder, "flows.json"), [], collections.defaultdict(list), {}
    subprocess.run([pddt.PDDT, "--export", "chrome=" + path, "--export", "perfetto=" + perfetto, run.archive], check=True, timeout=60, env=pddt.ENVIRONMENT)
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    for event in events:
        where = event["pid"], event["tid"]
        if event["ph"] == "B":
            open_slices[where].append((event["name"], event["ts"]))
        elif event["ph"] == "E":
            slices.append((where, *open_slices[where].pop(), event["ts"]))
        elif event["ph"] in "sf":
            assert event["cat"] == "message" and (event["ph"] == "s" or event["bp"] == "e"), event
            ends.setdefault(event["id"], {})[event["ph"]] = event
    n = subprocess.run(["otf2-print", os.path.join(run.archive, "traces.otf2")], stdout=subprocess.PIPE, check=True,
                       timeout=60).stdout.decode()
    n = n.count("\nMPI_SEND ") + n.count("\nMPI_ISEND ")
    assert len(ends) == n > 8 and all(set(pair) == {"s", "f"} for pair in ends.values()), (n, ends)
    for pair in ends.values():
        assert pair["s"]["args"]["to"] == pair["f"]["pid"] and pair["s"]["ts"] <= pair["f"]["ts"], pair
        for end in pair.values():
            assert any(where == (end["pid"], end["tid"]) and name.startswith("MPI_") and begin <= end["ts"] <= after
                       for where, name, begin, after in slices), end
    wanted = sorted((f"rank {sent['pid']}", f"rank {received['pid']}", sent["ts"], received["ts"], sent["args"]["tag"], sent["args"]["bytes"])
                    for sent, received in ((pair["s"], pair["f"]) for pair in ends.values()))
    assert PerfettoTrace(perfetto).list_messages() == wanted, wanted


@once_in_five
def test_kinds(launcher, program):
    """Where a machine stands still others wait, and for longer."""
    with traced.Traced([launcher, "-np", "4", os.path.join(pddt.BUILD, "tests/mpi", program), "made"]) as one:
        run = one.run()
        assert run.status == 0, run
        check(read_waits(run, one.folder), read_calls(run.out))
        check_flows(run, one.folder)


test_kinds("mpirun", "waited")
if shutil.which("mpiexec.mpich") and os.path.exists(os.path.join(pddt.BUILD, "tests/mpi/waited-mpich")):
    test_kinds("mpiexec.mpich", "waited-mpich")
