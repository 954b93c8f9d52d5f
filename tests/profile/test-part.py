# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a large archive, as Timeline asks for them when it is zoomed in: each event, to the ns, in all ranks and threads,
beside what OTF2's own reader says."""
import json
import os
import random
import subprocess
import sys

import pddt
from traced import Traced

READ_PART, TIMELINE_TIPS = sys.argv[1:]
ARCHIVE_PROGRAM = os.path.join(os.environ["PDDT_BUILD_ROOT"], "src/programs/pddt-archive")
PROGRAM = """
import threading
from mpi4py import MPI
world = MPI.COMM_WORLD
def leaf(): pass
def work():
    leaf(); leaf()
def loop(n):
    for i in range(n):
        work()
        if i % 100 == 0:
            world.Barrier() if threading.current_thread() is threading.main_thread() else None
thread = threading.Thread(target=loop, args=(2000,))
thread.start()
loop(6000 + world.rank * 0)
thread.join()
"""
SCRIPT = """
import json, otf2, sys
from otf2.events import Enter, Leave
out = {}
with otf2.reader.open(sys.argv[1]) as trace:
    threads = {p.location: p.value for p in trace.definitions.location_properties if p.name == "pddt::thread"}
    for location, event in trace.events:
        if isinstance(event, (Enter, Leave)):
            key = "%s %d" % (location.group.name.split()[1], threads[location])
            out.setdefault(key, []).append([event.time, isinstance(event, Enter), event.region.name])
print(json.dumps(out))
"""


def make_stretches(events, begin, end):
    """[(begin, end, stack)] of what was under way between two events that are not at the same time."""
    stack, found, before = [], [], None
    for time, is_enter, name in events:
        if before is not None and stack and min(time, end) > max(before, begin):
            found.append((max(before, begin), min(time, end), tuple(stack)))
        before = time
        if is_enter:
            stack.append(name)
        else:
            stack.pop()
    return found


def read(archive, begin, end):
    out = subprocess.run([READ_PART, ARCHIVE_PROGRAM, archive, str(begin), str(end)], check=True, text=True, timeout=100,
                         stdout=subprocess.PIPE).stdout
    found = {}
    for line in out.splitlines():
        rank, thread, first, last, *stack = line.split("\t")
        found.setdefault(f"{rank} {thread}", []).append((int(first), int(last), tuple(stack)))
    return found


def check_timeline(run, events, first):
    """What Timeline says of a place is the stretch that is there."""
    begin = events["0 1"][len(events["0 1"]) // 2][0] / 1e9 - 5e-6
    origin = first // 1000 / 1e6  # of the model: µs
    out = subprocess.run([TIMELINE_TIPS, ARCHIVE_PROGRAM, run.archive, "%.9f" % (begin - origin),
                          "%.9f" % (begin - origin + 2e-5), "40"], check=True, text=True, timeout=100,
                         stdout=subprocess.PIPE).stdout
    stretches = make_stretches(events["0 1"], 0, 1 << 62)
    n = 0
    for line in out.splitlines():
        time = float(line.split()[0]) + origin
        found = [each for each in stretches if each[0] + 20 < time * 1e9 < each[1] - 20]
        if not found or found[0][1] - found[0][0] > 999:
            continue  # at an edge, or longer than what is said in ns
        (start, end, stack), = found
        wanted = "%s|from %.9f s, for %d ns" % (stack[-1], start / 1e9 - origin, end - start)
        if not line.endswith(": " + wanted) and abs(float(line.split("from ")[1].split()[0]) - start / 1e9 + origin) > 2e-9:
            run.fail(f"{line!r}, not {wanted!r}")
        n += f": {stack[-1]}|" in line and line.endswith(f"for {end - start} ns")
    if n < 5:
        run.fail(f"of the places {n} are right:\n{out}")


def main():
    with Traced(["mpirun", "-np", "2", "/usr/bin/python3", "-c", PROGRAM]) as traced:
        run = traced.run()
        run.expect_status(0)
        anchor = os.path.join(run.archive, "traces.otf2")
        events = json.loads(subprocess.run(["/usr/bin/python3", "-c", SCRIPT, anchor], check=True,
                                           stdout=subprocess.PIPE).stdout)
        first = min(each[0][0] for each in events.values())
        last = max(each[-1][0] for each in events.values())
        n = 0
        generator = random.Random(7)
        for span in (300, 5000, 50000, 200000) * 3:  # less than 10,000 stretches, above which some are joined
            # where something happens: spans of rank 0's loop
            begin = generator.choice(events["0 1"])[0] - generator.randrange(span)
            found = read(run.archive, begin, begin + span)
            for key, each in events.items():
                wanted = make_stretches(each, begin, begin + span)
                if found.get(key, []) != wanted:
                    run.fail(f"{key} from {begin} for {span} ns: {found.get(key, [])[:5]}, not {wanted[:5]}")
                n += len(wanted)
        if n < 1000:
            run.fail(f"{n} stretches alone were compared")
        check_timeline(run, events, first)
        # what is before and after the archive is empty, and damaged numbers are no harm
        for begin, end in ((0, 1), (last + 10, last + 20), (first, first), (last, first)):
            if read(run.archive, begin, end):
                run.fail(f"there is something from {begin} to {end}")
        # all of it, which is more than is kept: fewer stretches, which still add up to the time
        for key, each in read(run.archive, first, last).items():
            spent = sum(stretch[1] - stretch[0] for stretch in each)
            wanted = sum(stretch[1] - stretch[0] for stretch in make_stretches(events[key], first, last))
            if len(each) > 10000 or abs(spent - wanted) > 0.01 * wanted:
                run.fail(f"{key}: {len(each)} stretches of {spent} ns, not of {wanted}")
        done = subprocess.run([READ_PART, ARCHIVE_PROGRAM, "/nowhere", "1", "2"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 1 or "there is no archive" not in done.stderr:
            run.fail(done.stderr)


main()
