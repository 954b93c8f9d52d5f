# SPDX-License-Identifier: GPL-3.0-or-later
"""A measured job on hosts whose clocks are far apart (time namespaces): what its ranks do at the same time is at the
same time in the archive, for every reader, also when it is made of a spool later."""
import csv
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import hosts
import pddt
from measured import Measured, once_in_five

AHEAD = {"node1": 1000, "node2": 5000}  # seconds, on the machine's one clock
BOUND = 0.03  # of the distance of changes that come together; a sample is 5 ms
OFFSET_BOUND = 0.02
PROGRAM = """
import time

def work(until):
    while time.time() < until:
        pass

end = time.time() + 5
while time.time() < end:
    half = int(time.time() * 2) / 2
    if half % 1 == 0:
        work(half + 0.5)
    else:
        time.sleep(half + 0.5 - time.time())
"""

PHASES = """
import time, zlib
data = bytes(1 << 22)

def work():
    for i in range(300):
        zlib.crc32(data)

def rest():
    time.sleep(0.5)

for i in range(4):
    work()
    rest()
"""

READ = """
import json, otf2, sys
from otf2.events import CallingContextSample
ranks = {}
with otf2.reader.open(sys.argv[1]) as trace:
    properties = trace.definitions.clock_properties
    for location, event in trace.events:
        if isinstance(event, CallingContextSample):
            at = event.calling_context
            while at is not None and at.region.name != "work":
                at = at.parent
            ranks.setdefault(location.group.name, []).append((event.time / properties.timer_resolution, at is not None))
    print(json.dumps({"ranks": ranks, "begin": properties.global_offset / properties.timer_resolution,
                      "length": properties.trace_length / properties.timer_resolution}))
"""


def read(archive):
    out = subprocess.run(["/usr/bin/python3", "-c", READ, os.path.join(archive, "traces.otf2")], check=True,
                         stdout=subprocess.PIPE).stdout
    return json.loads(out)


def find_changes(samples):
    """Times between a sample in `work` and one that is not, or the other way round."""
    return [(earlier[0] + later[0]) / 2 for earlier, later in zip(samples, samples[1:]) if earlier[1] != later[1]]


def expect_together(run, found, begin, end):
    if sorted(found["ranks"]) != ["rank 0", "rank 1"]:
        run.fail(f"ranks: {sorted(found['ranks'])}")
    first, second = (find_changes(found["ranks"][f"rank {rank}"]) for rank in range(2))
    if min(len(first), len(second)) < 3: # a busy host misses some
        run.fail(f"too few changes: {first}, {second}")
    apart = [min(abs(change - other) for other in second) for change in first]
    print(f"# {len(first)} changes, median {1000 * statistics.median(apart):.1f} ms apart, "
          f"{1000 * max(apart):.1f} ms at most")
    if statistics.median(apart) > BOUND:
        run.fail(f"the hosts are not aligned: {apart}")
    times = [sample[0] for samples in found["ranks"].values() for sample in samples]
    if min(times) < begin - 0.1 or max(times) > end + 0.1:
        run.fail(f"samples from {min(times)} to {max(times)}, the run was from {begin} to {end}")
    if found["begin"] < begin - 0.1 or found["begin"] + found["length"] > end + 0.1:
        run.fail(f"the archive is from {found['begin']} for {found['length']} s")


def expect_offsets(run, archive):
    """Each location has the offset of its host's clock."""
    text = subprocess.run(["otf2-print", "-C", os.path.join(archive, "traces.otf2")], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    offsets = {}
    for location, offset in re.findall(r"CLOCK_OFFSET\s+(\d+)\s+.*?Offset:\s*([+-]?\d+)", text):
        offsets.setdefault(int(location), []).append(int(offset) / 1e9)
    if len(offsets) < 2:
        run.fail(f"clock offsets of {len(offsets)} locations: {text}")
    found = sorted(round(-statistics.mean(each)) for each in offsets.values())
    if set(found) != set(AHEAD.values()):
        run.fail(f"offsets {offsets}")
    for each in offsets.values():
        off = max(abs(offset + round(-offset)) for offset in each)
        print(f"# an offset is wrong by {1e6 * off:.0f} us at most")
        if off > OFFSET_BOUND:
            run.fail(f"offsets {each}")


@once_in_five
def test_run(machines, program):
    command = machines.mpirun(["node1", "node2"], 2) + ["/usr/bin/python3", program]
    with Measured(command, "--rate", "200", "--output", "here", prefix=machines.on("login")) as measured:
        begin = time.monotonic()
        run = measured.run()
        run.expect_status(0)
        if "runs backwards" in run.err or "has run backwards" in run.err:
            run.fail("a clock was corrected")
        archive = os.path.join(measured.folder, "here")
        expect_together(run, read(archive), begin, time.monotonic())
        expect_offsets(run, archive)


@once_in_five
def test_both(machines, program):
    """Samples fall into the calls of the trace that were under way: a function that calls C has hardly any time left of its
    own, on no host."""
    phases = os.path.join(os.path.dirname(program), "phases.py")
    with open(phases, "w", encoding="utf-8") as file:
        file.write(PHASES)
    command = machines.mpirun(["node1", "node2"], 2) + ["/usr/bin/python3", phases]
    with Measured(command, "--trace", "--output", "here", "--export", "csv=f.csv", prefix=machines.on("login")) as measured:
        run = measured.run()
        run.expect_status(0)
        with open(os.path.join(measured.folder, "f.csv"), encoding="utf-8") as file:
            found = {(row["rank"], row["function"]): (float(row["self_s"]), float(row["total_s"]))
                     for row in csv.DictReader(file) if row["function"] in ("work", "rest")}
        for rank in "0", "1":
            for name in "work", "rest":
                own, total = found[rank, name]
                if own > 0.4 * total:
                    run.fail(f"{name} of rank {rank} has {own} s of {total} s left")


@once_in_five
def test_spool(machines, program):
    """The front end is killed: the archive comes from the spool, on a host with a clock of its own."""
    command = machines.mpirun(["node1", "node2"], 2) + ["/usr/bin/python3", program]
    with Measured(command, "--rate", "200", "--output", "here", prefix=machines.on("login")) as measured:
        begin = time.monotonic()
        process = measured.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        here = os.path.join(measured.folder, "here")
        pddt.wait_for("spool", lambda: os.path.exists(os.path.join(here, "spool")), 120)
        pddt.wait_for("samples", lambda: os.path.getsize(os.path.join(here, "spool")) > 9000, 120)
        victims = [pid for pid, command in pddt.left_over(os.path.basename(measured.folder))
                   if "--profile" in command and os.path.basename(command.split()[0]) == "pddt"]
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        out, err = process.communicate(timeout=60)
        pddt.expect_nothing_left(os.path.basename(measured.folder), 60)
        final = subprocess.run(machines.on("node2") + [pddt.PDDT, "--finalize", here], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        run = pddt.Run(final.returncode, final.stdout, err + final.stderr)
        run.expect_status(0)
        expect_together(run, read(here), begin, time.monotonic())
        expect_offsets(run, here)


folder = tempfile.mkdtemp(prefix="pddt-clocks-")
try:
    program = os.path.join(folder, "halves.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    with hosts.Hosts(2, AHEAD) as machines:
        for test in test_run, test_both, test_spool:
            if len(sys.argv) < 2 or test.__name__ in sys.argv:
                test(machines, program)
                print("ok", test.__name__, flush=True)
finally:
    shutil.rmtree(folder)
