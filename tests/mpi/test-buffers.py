# SPDX-License-Identifier: GPL-3.0-or-later
"""--when-full: what is kept of a trace that is larger than its buffer, and what pddt says of the rest. With PDDT_LONG
also of 181 threads, of short program images, and of more runs that are killed."""
import json
import os
import signal
import subprocess
import sys
import time

import pddt
from measured import Measured
from traced import Traced, read, read_tables

sys.path.insert(0, os.path.join(pddt.SOURCE, "tests", "agent"))
from driver import list_interpreters

PROGRAM = os.path.join(pddt.SOURCE, "tests", "mpi", "buffers_program.py")
PYTHON = "/usr/bin/python3"
N_STEPS = 97
IS_LONG = "PDDT_LONG" in os.environ
SCRIPT = """
import json, otf2, sys
from otf2.events import Enter, Leave
out = {}
with otf2.reader.open(sys.argv[1]) as trace:
    missed = {p.location: p.value for p in trace.definitions.location_properties if p.name == "pddt::missed"}
    groups = {p.location_group.name: p.value for p in trace.definitions.location_group_properties
              if p.name == "pddt::missed"}
    for location in trace.definitions.locations:
        out[f"{location.group.name}/{location.name}"] = {"events": [], "missed": missed.get(location, 0)}
    for location, event in trace.events:
        opened = any(attribute.name == "pddt::opened" for attribute in event.attributes or {})
        kind = {Enter: "o" if opened else "e", Leave: "l"}.get(type(event))
        if kind:
            name = ("io:" if str(event.region.region_role).endswith("FILE_IO") else "") + event.region.name
            out[f"{location.group.name}/{location.name}"]["events"].append([kind, name, event.time])
print(json.dumps([groups, out]))
"""


def trace(words, *options, python=PYTHON):
    return Measured([python, PROGRAM, *words], "--filter", "rules", *options, mode="--trace")


def run(measured):
    """The program's own calls alone, so that all runs have the same."""
    with open(os.path.join(measured.folder, "rules"), "w") as stream:
        stream.write("SCOREP_FILE_NAMES_BEGIN\nEXCLUDE *\nINCLUDE */buffers_program.py\nSCOREP_FILE_NAMES_END\n")
    done = measured.run()
    done.expect_status(0)
    return done


def load(archive):
    """Events of each location and what each of them and each process has lost; the archive is balanced and in order."""
    anchor = os.path.join(archive, "traces.otf2")
    with subprocess.Popen(["otf2-print", anchor], stdout=subprocess.DEVNULL) as printer:
        out = subprocess.run(["/usr/bin/python3", "-c", SCRIPT, anchor], check=True, stdout=subprocess.PIPE).stdout
    assert printer.returncode == 0
    groups, locations = json.loads(out)
    for name, location in locations.items():
        events, stack = location["events"], []
        assert all(a[2] <= b[2] for a, b in zip(events, events[1:])), f"time runs backwards at {name}"
        for kind, region, _ in events:
            if kind != "l":
                stack.append(region)
            else:
                assert stack and stack.pop() == region, f"unbalanced {region} at {name}"
        assert not stack, f"{stack} are open at the end of {name}"
    return groups, locations


def record(words, *options, python=PYTHON):
    with trace(words, *options, python=python) as measured:
        done = run(measured)
        return done, *load(done.archive)


def strip(events):
    """Kinds and names alone."""
    return [(kind, name) for kind, name, _ in events]


def split(events):
    """The calls that were under way at the beginning, and the rest without the leaves that pddt has added at the end: all
    of them at the time of the last one."""
    n = 0
    while n < len(events) and events[n][0] == "o":
        n += 1
    return [name for _, name, _ in events[:n]], events[n:]


def drop_ends(events):
    """Without the leaves at its end, which may be pddt's."""
    end = len(events)
    while end > 0 and events[end - 1][0] == "l":
        end -= 1
    return events[:end]


def find_open(events):
    """What is under way after them."""
    stack = []
    for kind, name in events:
        if kind == "e":
            stack.append(name)
        else:
            assert stack.pop() == name
    return stack


def count_more(events):
    """A call for a file has an event of its own between its Enter and its Leave."""
    return sum(kind == "e" and name.startswith("io:") for kind, name in events)


def check_first(done, whole, kept, lost):
    """kept is how whole begins; what lacks is what was counted."""
    begin = drop_ends(strip(kept))
    if strip(whole)[:len(begin)] != begin or len(begin) < 10000:
        done.fail(f"{len(begin)} events are not the first ones")
    # the leaves at the end, too, may have been recorded
    following = 0
    while strip(whole)[len(begin) + following][0] == "l":
        following += 1
    recorded = len(whole) - lost + count_more(strip(whole)[len(begin):])
    if not len(begin) <= recorded <= len(begin) + following:
        done.fail(f"{lost} events are said to be lost of {len(whole)}, and {len(begin)} to {len(begin) + following} "
                  "are there")


def check_last(done, whole, kept, lost):
    """kept is how whole ends, in the calls that were under way then."""
    opened, rest = split(kept)
    rest = strip(rest)
    if strip(whole)[len(whole) - len(rest):] != rest:
        done.fail(f"{len(rest)} events are not the last ones")
    before = strip(whole)[:len(whole) - len(rest)]
    if lost != len(before) + count_more(before):
        done.fail(f"{lost} events are said to be lost, and {len(rest)} of {len(whole)} are there")
    if opened != find_open(before):
        done.fail(f"under way were {find_open(before)}, not {opened}")


WAYS = (("keep-first", check_first, "the last "), ("keep-last", check_last, "the first "))


def test_calls(python, ways=WAYS):
    _, _, whole = record(["calls"], python=python)
    whole = whole["rank 0/thread 1"]["events"]
    for way, check, words in ways:
        done, groups, locations = record(["calls"], "--when-full", way, "--buffer", "256K", python=python)
        location = locations["rank 0/thread 1"]
        check(done, whole, location["events"], location["missed"])
        if groups["rank 0"] != location["missed"]:
            done.fail(f"the rank has lost {groups}, its thread {location['missed']}")
        done.expect(f"({location['missed']} events lost)", "err")
        done.expect(f"The buffer was full: {words}{location['missed']} events are lost, {location['missed']} of them "
                    "from rank 0", "err")


def test_flush():
    """The default, also where it is asked for."""
    done, groups, locations = record(["calls"], "--when-full", "flush")
    if groups["rank 0"] != 0 or len(locations["rank 0/thread 1"]["events"]) < 80000 or "lost" in done.err:
        done.fail(f"something is lost: {groups}")


def test_room():
    """A buffer that does not get full loses nothing."""
    for way in ("keep-first", "keep-last"):
        done, groups, locations = record(["calls"], "--when-full", way)
        if groups["rank 0"] != 0 or len(locations["rank 0/thread 1"]["events"]) < 80000 or "lost" in done.err:
            done.fail(f"{way}: something is lost: {groups}")


def count(locations):
    return sum((kind != "o") + (kind == "e" and name.startswith("io:")) for location in locations.values()
               for kind, name, _ in location["events"])


def check_steps(done, events, is_first):
    """The steps follow each other without a gap."""
    steps = [int(name[5:]) for kind, name, _ in events if kind != "l" and name.startswith("step_")]
    if any((a + 1) % N_STEPS != b for a, b in zip(steps, steps[1:])):
        done.fail("there is a gap in the steps")
    if is_first and steps and steps[0] != 0:
        done.fail(f"the first step is {steps[0]}")
    return len(steps)


def test_threads():
    """All threads of a process share its buffer; what each has lost is told."""
    for words in (["threads"], ["crowd"])[:2 if IS_LONG else 1]:
        _, _, whole = record(words)
        for way in ("keep-first", "keep-last"):
            done, groups, locations = record(words, "--when-full", way, "--buffer", "256K")
            n_steps = [check_steps(done, location["events"], way == "keep-first") for location in locations.values()]
            n_left, n_whole = count(locations), count(whole)
            # how often threads wait for locks differs, and leaves are added to the first ones
            if not 0.94 * n_whole <= groups["rank 0"] + n_left <= 1.06 * n_whole:
                done.fail(f"{words}, {way}: {groups['rank 0']} are lost, {n_left} are there, of {n_whole}")
            if sum(location["missed"] for location in locations.values()) > groups["rank 0"]:
                done.fail("the threads have lost more than the process")
            if words == ["threads"] and max(n_steps) < 300:
                done.fail(f"{way}: of the steps {n_steps} are there")


def test_deep():
    """More calls inside each other than the buffer remembers: those after them stand where they belong."""
    done, groups, locations = record(["deep"], "--when-full", "keep-last", "--buffer", "256K")
    name, thread = max(locations.items(), key=lambda item: item[1]["missed"])
    opened, rest = split(thread["events"])
    if groups["rank 0"] == 0 or not 4000 < len(opened) < 6000:
        done.fail(f"{len(opened)} calls are under way, {groups} lost")
    stack = list(opened)
    depths = set()
    for kind, region, _ in rest:
        if kind == "l":
            stack.pop()
        else:
            stack.append(region)
        if kind == "e" and region in ("after", "step_49"):
            depths.add((region, len(stack), stack[-2]))
    if not any(region == "after" and caller == "go_deep" for region, _, caller in depths):
        done.fail(f"{name}: {sorted(depths)[:5]}")
    # step_49 is called in the depth of 4092 calls, and in walk at the end
    if {caller for region, _, caller in depths if region == "step_49"} != {"walk", opened[-1]} - {""} \
            and {caller for region, _, caller in depths if region == "step_49"} != {"walk"}:
        done.fail(f"{name}: {sorted(depths)[:5]}")


def test_fork():
    """The child has a buffer of its own."""
    done, groups, locations = record(["fork"], "--when-full", "keep-last", "--buffer", "256K")
    parent, child = locations["rank 0/thread 1"], locations["child 1 of rank 0/thread 1"]
    for location in (parent, child):
        if location["missed"] == 0 or check_steps(done, location["events"], False) < 2000:
            done.fail(f"{location['missed']} are lost")
    if ("e", "after") not in strip(parent["events"]) or "fork" not in split(child["events"])[0]:
        done.fail("the calls around the fork are not there")


def count_ends(whole):
    """The leaves with which pddt ends what the first program image had under way when it executed the next one."""
    first = [(kind, name) for kind, name, _ in whole].index(("l", "after")) + 1
    n = 0
    while whole[first + n][0] == "l":
        n += 1
    return first, n


def test_exec():
    """Each program image has a buffer of its own. What is kept is the beginning, or the end, of all of the process."""
    for counts in (("9000", "9000"), ("9000", "200"), ("200", "9000"))[:3 if IS_LONG else 1]:
        _, _, whole = record(["execs", *counts])
        whole = whole["rank 0/thread 1"]["events"]
        first, n_ends = count_ends(whole)
        assert n_ends == 2, whole[first:first + 10]
        for way, check, words in WAYS:
            done, groups, locations = record(["execs", *counts], "--when-full", way, "--buffer", "256K")
            location = locations["rank 0/thread 1"]
            kept, lost = location["events"], location["missed"]
            n_kept = len(drop_ends(kept)) if way == "keep-first" else len(split(kept)[1])
            # pddt's leaves are not among the events that were recorded, and may be where events are lost
            if (n_kept <= first if way == "keep-first" else len(whole) - n_kept >= first + n_ends):
                lost += n_ends
            check(done, whole, kept, lost)
            if groups["rank 0"] != location["missed"] or location["missed"] == 0:
                done.fail(f"{counts}, {way}: the rank has lost {groups}, its thread {location['missed']}")
            done.expect(f"The buffer was full: {words}{location['missed']} events are lost", "err")


def test_exec_other():
    """Nothing of the first image is under way while the second one works."""
    for options in [()] + [("--when-full", way) for way, _, _ in WAYS]:
        done, groups, locations = record(["execs_other"], *options)
        events = strip(locations["rank 0/thread 1"]["events"])
        behind = [event for event in events[events.index(("l", "after")) + 1:] if event[1] != "(not recorded)"]
        while behind and behind[0][1].startswith("io:"):  # os.execvp imports warnings where nothing has before
            del behind[0]
        if groups["rank 0"] != 0 \
                or behind[:6] != [("l", "outer"), ("l", "execs_other"), ("l", "<module>"), ("e", "head"),
                                  ("o", "(program start)"), ("l", "(program start)")] \
                or behind[-1] != ("l", "head") or ("e", "io:read") not in behind \
                or any(not name.startswith("io:") for _, name in behind[6:-1]):
            done.fail(f"{options}: {groups}, {events[-30:]}")


def test_killed():
    """kill -9 at some moment, and --finalize."""
    for way in ("keep-first",) + ("keep-last",) * (4 if IS_LONG else 1):
        with trace(["wait"], "--when-full", way, "--buffer", "256K", "--output", "here") as measured:
            with open(os.path.join(measured.folder, "rules"), "w") as stream:
                stream.write("SCOREP_FILE_NAMES_BEGIN\nEXCLUDE *\nINCLUDE */buffers_program.py\nSCOREP_FILE_NAMES_END\n")
            process = measured.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if process.stdout.readline() != "ready\n":
                raise SystemExit("it is not ready")
            here = os.path.join(measured.folder, "here")
            wait_for_loss(os.path.join(here, "trace", "spool"))
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
            process.stderr.close()
            pddt.expect_nothing_left(os.path.basename(measured.folder))
            done = pddt.run(["--finalize", here])
            done.expect_status(0)
            done.expect("The buffer was full: ", "err")
            groups, locations = load(here)
            thread = locations["rank 0/thread 1"]
            if thread["missed"] == 0 or check_steps(done, thread["events"], way == "keep-first") < 2000:
                done.fail(f"{way}: {groups}")
            opened, _ = split(thread["events"])
            if way == "keep-last" and opened[:6] != ["<module>", "wait", "go_down", "go_down", "go_down", "go_down"]:
                done.fail(f"under way were {opened}")


def wait_for_loss(spool):
    """Until the process has lost events; n_lost is the header's, in its units (trace-layout.h)."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for name in os.listdir(spool):
            if "-python-" in name:
                with open(os.path.join(spool, name), "rb") as stream:
                    stream.seek(2616)
                    if int.from_bytes(stream.read(8), "little") // 1048573 > 50000:
                        return
        time.sleep(0.001)
    raise SystemExit("nothing is lost")


def test_messages():
    """What belongs together is found from the end, and requests that were begun before are no riddle."""
    for way in ("keep-last", "keep-first"):
        with Traced(["mpirun", "-np", "2", PYTHON, PROGRAM, "messages"], "--when-full", way, "--buffer", "512K",
                    "--report", "page.json") as measured:
            done = measured.run()
            done.expect_status(0)
            found = read(done.archive)
            received = sum(row[0] == "rank 1" for row in found["receives"])
            if not 5 < received < 190:
                done.fail(f"{way}: rank 1 has {received} of 200 messages")
            with open(os.path.join(measured.folder, "page.json")) as stream:
                page = json.load(stream)
            waits = [row for row in read_tables(page, "Waiting in MPI")[1] if row["Kind"] == "late sender"
                     and row["Rank"] == 1]
            n = sum(row["Times"] for row in waits)
            seconds = sum(row["Time"] for row in waits)
            if any(row["Waits for"] != 0 for row in waits) or not received * 0.5 <= n <= received \
                    or not n * 0.0002 < seconds < n * 0.2:
                done.fail(f"{way}: of {received} messages: {waits}")


def test_report():
    with trace(["threads"], "--when-full", "keep-last", "--buffer", "256K", "--report", "page.txt",
               "--report", "page.html") as measured:
        done = run(measured)
        groups, locations = load(done.archive)
        with open(os.path.join(measured.folder, "page.txt")) as stream:
            text = stream.read()
        if "Lost events" not in text or f"the first {groups['rank 0']} events are lost" not in text:
            done.fail(text)
        worst = max(location["missed"] for location in locations.values())
        if not any(str(worst) in line.split() for line in text.split("Lost events")[1].splitlines()[:20]):
            done.fail(text)
        opened = pddt.run([done.archive])
        opened.expect_status(0)
        opened.expect("The buffer was full: the first ", "out")


def test_options():
    for words, sentence in (
            (["--when-full", "keep-last", "true"], "--when-full and --buffer need --trace"),
            (["--trace", "--when-full", "always", "true"], "--when-full needs flush, keep-first or keep-last"),
            (["--trace", "--buffer", "1M", "true"], "--buffer needs --when-full keep-first or keep-last"),
            (["--trace", "--when-full", "flush", "--buffer", "1M", "true"], "--buffer needs --when-full keep-first"),
            (["--trace", "--when-full", "keep-last", "--buffer", "1K", "true"], "--buffer needs a size from 256K"),
            (["--trace", "--when-full", "keep-last", "--buffer", "many", "true"], "--buffer needs a size from 256K")):
        done = pddt.run(words)
        done.expect_status(2)
        done.expect(sentence, "err")


for path in list_interpreters():
    test_calls(path, WAYS if path == PYTHON else WAYS[1:])
test_flush()
test_room()
test_threads()
test_deep()
test_fork()
test_exec()
test_exec_other()
test_killed()
test_messages()
test_report()
test_options()
