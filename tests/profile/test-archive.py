# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives that others have written, and damaged ones: read by `pddt FILE.otf2`, or refused in one sentence."""
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import otf2
from otf2.enums import GroupType, Paradigm, RegionRole

import pddt
import traced

DAMAGE, ARCHIVE = sys.argv[1:]
LONG = "PDDT_LONG" in os.environ
CUTS = 400 if LONG else 24
FLIPS, STRIDE = "1000", "1" if LONG else "400"
folder = tempfile.mkdtemp(prefix="pddt-others-")


def fail(why):
    raise SystemExit(f"not ok: {why}")


def show(path, *options, status=0):
    run = subprocess.run([pddt.PDDT, *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                         env=pddt.ENVIRONMENT)  # with a display it would open a window
    if status is not None and run.returncode != status:
        fail(f"{path}: status {run.returncode}, {run.stderr}")
    return run


def expect(found, wanted, what):
    if abs(found - wanted) > 1e-5:
        fail(f"{what} is {found}, not {wanted}")


def frames(event):
    """{"main > work": frame}, by the names on the way."""
    found, path = {}, []
    for frame in event["frames"]:
        path[frame["depth"]:] = [frame["function"]]
        found[" > ".join(path)] = frame
    return found


def write_events(path, n_ranks=3):
    """Rank r works r + 1 s and is in MPI_Barrier until all have come; one more second in a file."""
    with otf2.writer.open(path, timer_resolution=1000000) as trace:
        regions = {name: trace.definitions.region(name, source_file="app.c", region_role=role, paradigm=paradigm)
                   for name, role, paradigm in (("main", RegionRole.FUNCTION, Paradigm.COMPILER),
                                                ("work", RegionRole.FUNCTION, Paradigm.COMPILER),
                                                ("MPI_Barrier", RegionRole.BARRIER, Paradigm.MPI),
                                                ("inner", RegionRole.FUNCTION, Paradigm.COMPILER),
                                                ("write", RegionRole.FILE_IO, Paradigm.USER))}
        node = trace.definitions.system_tree_node("node7", class_name="node")
        for rank in range(n_ranks):
            group = trace.definitions.location_group(f"process {rank}", system_tree_parent=node)
            writer = trace.event_writer(f"master {rank}", group=group)
            at = 0

            def enter(name):
                writer.enter(1000000000 + at, regions[name])

            def leave(name):
                writer.leave(1000000000 + at, regions[name])

            enter("main")
            at += 500000
            enter("work")
            at += (rank + 1) * 1000000
            leave("work")
            enter("MPI_Barrier")
            enter("inner")
            at = 500000 + n_ranks * 1000000 + 250000
            leave("inner")
            leave("MPI_Barrier")
            enter("write")
            at += 1000000
            leave("write")
            leave("main")
            for _ in range(1000):  # of half a microsecond each, on the average
                enter("work")
                at += _ % 2
                leave("work")
    return os.path.join(path, "traces.otf2")


def test_events():
    anchor = write_events(os.path.join(folder, "events"))
    event = json.loads(show(anchor, "--json").stdout)
    found = frames(event)
    if event["ranks"] != "0-2":
        fail(event["ranks"])
    expect(found["main"]["total"], 3 * 4.75, "main")
    expect(found["main"]["self"], 1.5, "main alone")
    for rank in range(3):
        expect(found["main > work"]["ranks"][rank], rank + 1, f"work of rank {rank}")
        expect(found["main > MPI_Barrier > inner"]["ranks"][rank], 2.25 - rank, "the barrier")
    expect(found["work"]["total"], 3 * 500e-6, "what is shorter than a microsecond")
    expect(event["classes"]["MPI"], 2.25 + 1.25 + 0.25, "MPI")
    expect(event["classes"]["I/O"], 3, "I/O")
    expect(event["classes"]["native"], 1.5 + 6 + 3 * 500e-6, "native")
    text = show(os.path.join(folder, "events")).stdout.decode()
    if "work at app.c:0" in text or "work at app.c" not in text or "MPI_Barrier" not in text or "3 ranks, 4.8 s" not in text:
        fail(text)



def test_foreign():
    """Of what another program has measured, a report claims nothing that only pddt's own archives say."""
    for write, has, lacks in (
            (write_events, ("write     app.c  ", "Time in files: 3.000 s", "What the archive does not record counts"),
             ("app.c:0", "Events lost", "such as network calls", "libgomp")),
            (write_samples, ("Time in files: not measured", "The samples of all threads count.", "does not say how many calls"),
             ("Samples missed", "Python lock", "while they run", "recorder", "--metrics", "libnvidia"))):
        path = os.path.join(folder, "foreign.txt")
        show(write(os.path.join(folder, f"foreign-{write.__name__}")), "--report", path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for part in (*has, "Time in sockets: not measured", "Other threads waited: not measured",
                     "Waiting for locks: not measured", "Not known: of these pddt reads only what it has measured itself."):
            if part not in text:
                fail(f"no {part!r} in {text}")
        for part in (*lacks, "CUPTI"):
            if part in text:
                fail(f"{part!r} in {text}")
        head, row = next((head, row) for head, row in itertools.pairwise(text.splitlines()) if head.startswith("Command "))
        if row[head.index("With the launcher"):].split()[:2] != ["not", "measured"]:
            fail(f"it does not say when its launcher ended: {row}")


# (from, to, tag, bytes, call, it begins and ends, the receive begins and ends) in seconds
MESSAGES = [(0, 1, 1, 1000, "MPI_Send", 1, 1.1, 2, 2.1),  # out before: MPI sends 1,000 bytes to this rank at once
            (0, 1, 2, 1000, "MPI_Send", 3, 4, 3.7, 3.9),  # so this one had no processor
            (0, 1, 3, 1001, "MPI_Send", 5, 6, 5.6, 5.9),
            (0, 1, 4, 10, "MPI_Ssend", 7, 8, 7.5, 7.9),
            (1, 0, 5, 10, "MPI_Send", 9, 10, 9.4, 9.9),  # in the other direction nothing is known
            (0, 2, 6, 10, "MPI_Send", 11, 12, 11.3, 11.9),  # nor of another rank,
            (0, 2, 7, 8, "MPI_Send", 13, 13.1, 14, 14.1)]  # until 8 bytes are out; 10 may be too many
LATE_RECEIVER = [(0, 1, 0.6), (0, 1, 0.5), (1, 0, 0.4), (0, 2, 0.3)]  # of tags 3 to 6


def write_messages(path):
    with otf2.writer.open(path, timer_resolution=1000) as trace:
        regions = {name: trace.definitions.region(name, region_role=RegionRole.POINT2POINT, paradigm=Paradigm.MPI)
                   for name in ("MPI_Send", "MPI_Ssend", "MPI_Recv")}
        node = trace.definitions.system_tree_node("node7", class_name="node")
        groups = [trace.definitions.location_group(f"rank {rank}", system_tree_parent=node) for rank in range(3)]
        threads = [trace.definitions.location(f"thread {rank}", group=group) for rank, group in enumerate(groups)]
        writers = [trace.event_writer_from_location(thread) for thread in threads]
        for kind in GroupType.COMM_LOCATIONS, GroupType.COMM_GROUP:
            members = trace.definitions.group("", kind, Paradigm.MPI, members=threads)
        world = trace.definitions.comm("world", members)
        calls = []
        for sender, receiver, tag, size, call, *times in MESSAGES:
            calls.append((sender, call, *times[:2], "mpi_send", (receiver, world, tag, size)))
            calls.append((receiver, "MPI_Recv", *times[2:], "mpi_recv", (sender, world, tag, size)))
        for rank, name, begin, end, event, values in sorted(calls, key=lambda call: call[2]):
            begin, end = 1000 + int(begin * 1000), 1000 + int(end * 1000)
            writers[rank].enter(begin, regions[name])
            getattr(writers[rank], event)(begin if event == "mpi_send" else end, *values)
            writers[rank].leave(end, regions[name])
    return os.path.join(path, "traces.otf2")


def test_small():
    """What is no larger than a message that was out before its receive began is not held up, unless it is synchronous."""
    report = os.path.join(folder, "messages.json")
    show(write_messages(os.path.join(folder, "messages")), "--report", report)
    with open(report, encoding="utf-8") as file:
        if "7 messages with 3.0 KiB were sent from one rank to another." not in file.read().replace("\u00a0", " "):
            fail("no such sum of messages")
        file.seek(0)
        _, places = traced.read_tables(json.load(file), "Waiting in MPI")
    found = [(row["Rank"], row["Waits for"], row["Time"]) for row in places if row["Kind"] == "late receiver"]
    if sorted(found) != sorted(LATE_RECEIVER):
        fail(f"late receivers: {found}")



def read_compared(page, title, first):
    """{first cell: the rest of its row} of the section's table."""
    section = next(section for section in page["sections"] if section["title"] == title)
    table = next(block for block in section["blocks"] if "rows" in block and block["columns"][0]["title"] == first)
    return {row[0]: row[1:] for row in table["rows"]}


def test_compared():
    """Two runs beside each other: the same, and one with twice the ranks."""
    few, many = (write_events(os.path.join(folder, f"compared{n}"), n) for n in (3, 6))
    page = json.loads(show(many, "--json", few).stdout)
    text = " ".join(block["text"] for block in page["sections"][0]["blocks"] if "text" in block)
    for sentence in ("Ranks: 6, and 3 before. Time: 7.75 s, and 4.75 s before.",
                     "that is 0.61 times as fast with 2.00 times the ranks: an efficiency of 31 %.",
                     "(weak scaling), the efficiency is 61 %."):
        if sentence not in text:
            fail(f"{sentence} is not in {text}")
    classes = read_compared(page, "Time of all ranks", "What the ranks did")
    functions = read_compared(page, "Functions by the change of their own time", "Function")
    for row, before, now in ((classes["MPI"], 3.75, 16.5), (classes["I/O"], 3, 6), (functions["work"][1:], 6.002, 21.003),
                             (functions["inner"][1:], 3.75, 16.5)):
        for found, wanted in zip(row, (before, now, now - before, 100 * (now / before - 1)), strict=False):
            if abs(found - wanted) > 0.1:
                fail(f"{row}, not {before} and {now}")
        if row[4] != "":  # calls are exact
            fail(row)
    scaling = read_compared(page, "Scaling", "Scaling")
    for name, wanted in (("Ranks", [3, 6]), ("Speedup", [1, 0.61]), ("Efficiency, the same problem, %", [100, 30.6]),
                         ("Efficiency, a problem grown with the ranks, %", [100, 61.3])):
        if scaling[name] != wanted:
            fail(f"{name}: {scaling[name]}, not {wanted}")
    for side in 0, 1:
        whole, balance, communication = (scaling[f"{name}, %"][side] for name in ("Parallel efficiency", "Load balance", "Communication efficiency"))
        if not 0 < whole < 100 or abs(balance * communication / 100 - whole) > 0.2:
            fail(f"{scaling}")
    if list(functions)[:2] != ["work", "inner"]:
        fail(f"the largest change first: {functions}")
    same = show(few, few).stdout.decode()
    if "It took 4.75 s, as long as before." not in same or "functions that have changed less are left out" not in same:
        fail(same)
    if "Scaling" in same:
        fail(f"as many ranks: {same}")
    for form in "html", "txt", "csv", "json":
        path = os.path.join(folder, f"compared.{form}")
        show(many, "--report", path, few)
        with open(path, encoding="utf-8") as file:
            if "weak scaling" not in file.read():
                fail(f"{path} lacks its sentence")
    run = show(many, "--export", "dot", few, status=2)
    if b"--export is for one archive, and --report compares two" not in run.stderr:
        fail(run.stderr)


def write_samples(path, n_moved=0, n=301):
    """Calling contexts with n samples, at a period that no record gives; so many of main's are deep's."""
    with otf2.writer.open(path, timer_resolution=1000000000) as trace:
        definitions = trace.definitions
        generator = definitions.interrupt_generator("timer", period=10000000)
        main = definitions.region("main", source_file="app.py")
        deep = definitions.region("deep", source_file="app.py")
        barrier = definitions.region("MPI_Barrier")
        outer = definitions.calling_context(main, definitions.source_code_location("app.py", 3), None)
        inner = definitions.calling_context(deep, definitions.source_code_location("app.py", 9), outer)
        waits = definitions.calling_context(barrier, None, outer)
        node = definitions.system_tree_node("node7", class_name="node")
        writer = trace.event_writer("master", group=definitions.location_group("process", system_tree_parent=node))
        for number in range(n):
            context = waits if number % 3 == 2 else inner if number % 3 == 1 or number < 3 * n_moved else outer
            writer.calling_context_sample(5000000000 + number * 10000000, context, 2, generator)
    return os.path.join(path, "traces.otf2")


def test_samples():
    anchor = write_samples(os.path.join(folder, "samples"))
    event = json.loads(show(anchor, "--json").stdout)
    found = frames(event)
    expect(found["main"]["total"], 3, "main")
    expect(found["main"]["self"], 1, "main alone")
    expect(found["main > deep"]["total"], 1, "deep")
    expect(event["classes"]["Python"], 2, "Python")
    expect(event["classes"]["MPI"], 1, "MPI")
    if found["main > deep"]["line"] != 9:
        fail(found)


def test_chance():
    """Of 100 samples in a function, 15 more or less say nothing; 60 do."""
    paths = {n: write_samples(os.path.join(folder, f"moved{n}"), n) for n in (0, 15, 60)}
    page = json.loads(show(paths[0], "--json", write_samples(os.path.join(folder, "moved101"), 101)).stdout)
    functions = read_compared(page, "Functions by the change of their own time", "Function")
    if (functions["main"][4:], functions["deep"][5]) != (["", "only now"], ""):  # main was there, on the stack
        fail(f"without an own sample before: {functions}")
    for n, remark in (15, "may be chance"), (60, ""):
        page = json.loads(show(paths[n], "--json", paths[0]).stdout)
        functions = read_compared(page, "Functions by the change of their own time", "Function")
        for name, wanted in ("main", -n / 100), ("deep", n / 100):
            if abs(functions[name][3] - wanted) > 0.02 or functions[name][5] != remark:
                fail(f"{n} samples of {name}: {functions}")


def test_silent():
    """Several ranks without a call of MPI: that nobody has recorded it is no time of 0 s."""
    path, page = os.path.join(folder, "silent"), os.path.join(folder, "silent.txt")
    with otf2.writer.open(path, timer_resolution=1000) as trace:
        main = trace.definitions.region("main", source_file="app.c", begin_line_number=3)
        node = trace.definitions.system_tree_node("node7", class_name="node")
        for rank in range(2):
            writer = trace.event_writer("master", group=trace.definitions.location_group(f"rank {rank}", system_tree_parent=node))
            writer.enter(0, main)
            writer.leave(1000 + rank, main)
    said = "No call of MPI was recorded: if the ranks called it, that time counts for the functions around the calls."
    if said not in show(path).stdout.decode():
        fail(show(path))
    show(path, "--report", page)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    if "* " + said not in text or re.search(r"^(MPI|Efficiency|Load balance)\b.*", text.replace("\nMPI: not measured\n", "\n"), re.M):
        fail(text)
    show(os.path.join(folder, "events"), "--report", page)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    if "No call of MPI" in text or "\nMPI: 26.3 %\n" not in text:
        fail(text)


REGIONS = (("main", RegionRole.FUNCTION, Paradigm.COMPILER), ("work", RegionRole.FUNCTION, Paradigm.COMPILER),
           ("again", RegionRole.FUNCTION, Paradigm.COMPILER), ("tiny", RegionRole.FUNCTION, Paradigm.COMPILER),
           ("MPI_Recv", RegionRole.POINT2POINT, Paradigm.MPI), ("omp barrier", RegionRole.BARRIER, Paradigm.OPENMP),
           ("launch", RegionRole.FUNCTION, Paradigm.CUDA), ("write", RegionRole.FILE_IO, Paradigm.USER))
TEXT = """\
0-1: 7.9 s, 20 calls
native 64.1 %, accelerator 12.5 %, OpenMP wait 10.9 %, MPI 7.8 %, I/O 4.7 %
100.0 % main at app.c
 39.0 %   work at app.c: 20 % of rank 0 to 51 % of rank 1
 23.4 %   again at app.c [recursive]: 19 % of rank 1 to 31 % of rank 0
 12.5 %   launch at app.c
 10.9 %   omp barrier at app.c
  7.8 %   MPI_Recv at app.c
  4.7 %   write at app.c
own time:
 39.0 % work at app.c: 20 % of rank 0 to 51 % of rank 1
 23.4 % again at app.c: 19 % of rank 1 to 31 % of rank 0
 12.5 % launch at app.c
 10.9 % omp barrier at app.c
  7.8 % MPI_Recv at app.c
  4.7 % write at app.c
  1.6 % main at app.c
"""


def write_text(path):
    """Two ranks that differ in work, a function that calls itself, one that is not worth a line, and classes."""
    with otf2.writer.open(path, timer_resolution=1000) as trace:
        regions = {name: trace.definitions.region(name, source_file="app.c", region_role=role, paradigm=paradigm)
                   for name, role, paradigm in REGIONS}
        node = trace.definitions.system_tree_node("node7", class_name="node")
        for rank in range(2):
            writer = trace.event_writer(f"master {rank}", group=trace.definitions.location_group(
                f"process {rank}", system_tree_parent=node))
            at = 0

            def call(name, milliseconds, *inside):
                nonlocal at
                writer.enter(at, regions[name])
                for one in inside:
                    call(*one)
                at += milliseconds
                writer.leave(at, regions[name])
            call("main", 100, ("work", 4000 if rank else 1000), ("again", 500, ("again", 500, ("again", 500))), ("tiny", 10),
                 ("MPI_Recv", 500), ("omp barrier", 700), ("launch", 800), ("write", 300))


def test_text():
    """The tree, its shares, the ranks that differ, and the list of own times."""
    write_text(os.path.join(folder, "text"))
    text = show(os.path.join(folder, "text")).stdout.decode()
    if not text.startswith(TEXT) or "The most expensive functions (own time): work 39.0 %; again 23.4 %; launch 12.5 %. The worst" not in text:
        fail(text)


def make_own(path, *options):
    """An archive of pddt's own, with sums of its files, and one without them, as an earlier version has written it."""
    subprocess.run([pddt.PDDT, *options, "--output", path, pddt.PYTHON, "-c", "import os, time\nfor _ in range(3):\n os.read(os.open"
                    "('/dev/zero', 0), 9)\n sum(range(2000000))\n time.sleep(.03)"], check=True, timeout=60, env=pddt.ENVIRONMENT,
                   capture_output=True)
    bare = shutil.copytree(path, path + "-bare")
    os.remove(os.path.join(bare, "traces.sums"))
    with open(os.path.join(bare, "traces.otf2"), "r+b") as file:
        whole = file.read()
        file.seek(0)
        file.write(whole.replace(b"PDDT::SUMMED", b"PDDT::OLD___"))
    return path, bare


def test_damaged():
    """Archives of others and of pddt, cut behind each byte of each of their files, and with some bytes changed."""
    write_samples(os.path.join(folder, "short"), n=30)
    paths = [os.path.join(folder, name) for name in ("text", "messages", "short")]
    paths += [*make_own(os.path.join(folder, "sampled"), "--profile"), make_own(os.path.join(folder, "traced"), "--trace")[0]]
    for path in paths:
        done = subprocess.run([DAMAGE, ARCHIVE, path, FLIPS, STRIDE], capture_output=True, text=True, timeout=None if LONG else 600,
                              env=pddt.ENVIRONMENT)
        print("#", os.path.basename(path), done.stdout, done.stderr, flush=True)
        if done.returncode != 0:
            fail(f"{path} is damaged, and pddt says nothing")


def test_long():
    """Behind the first chunk of a file of events that was cut the library goes round in circles: pddt does not."""
    whole = os.path.join(folder, "long")
    subprocess.run([pddt.PDDT, "--trace", "--output", whole, pddt.PYTHON, "-c", "def leaf():\n pass\nfor _ in range(20000):\n leaf()"],
                   check=True, timeout=60, env=pddt.ENVIRONMENT, capture_output=True)
    events, = [os.path.join(whole, "traces", name) for name in os.listdir(os.path.join(whole, "traces")) if name.endswith(".evt")]
    size = os.path.getsize(events)
    if size < 300000:
        fail(f"{size} bytes are one chunk")
    for part in (0.9, 0.8, 0.7, 0.6):
        os.truncate(events, int(part * size))
        run = show(whole, "--cli", status=1)
        calls = int(re.search(rb"(\d+) calls", run.stdout)[1])
        if b"could not be read" not in run.stderr or calls > 40200:
            fail(run)


def read_classes(text):
    """The second line of an answer, which divides the time."""
    return {name.strip(): float(share) for name, share in re.findall(r"([A-Za-z/ ]+?) ([0-9.]+) %", text.splitlines()[1])}


def test_definitions():
    """Definitions that are cut anywhere: what they leave out is said and is of no class."""
    for original in "events", "samples":
        whole = read_classes(show(os.path.join(folder, original)).stdout.decode())
        if len(whole) < 2:
            fail(whole)
        path = os.path.join(folder, original, "traces.def")
        with open(path, "rb") as file:
            content = file.read()
        for part in range(1, CUTS):
            with open(path, "wb") as file:
                file.write(content[:len(content) * part // CUTS])
            run = show(os.path.join(folder, original), status=None)
            if run.returncode == 0 and read_classes(run.stdout.decode()) == whole:
                continue  # only what fills up the last block is missing
            if run.returncode != 1 or b"damaged" not in run.stderr and b"not an OTF2" not in run.stderr:
                fail(f"{original} {part}: {run.returncode} {run.stdout} {run.stderr}")
            expect_unscored(os.path.join(folder, original), f"{original} {part}")
            classes = read_classes(run.stdout.decode()) if run.stdout.count(b"\n") > 1 else {}
            for name, share in classes.items():
                if name != "unknown" and share > whole.get(name, 0) + 0.1:
                    fail(f"{original}, {part} of {CUTS}: {name} {share} %, and {whole} of the whole")
        with open(path, "wb") as file:
            file.write(content)


def expect_unscored(path, what):
    """No table at all: its numbers would be others."""
    run = show(path, "--score", status=1)
    if run.stdout or not run.stderr.startswith(f"pddt: cannot score {path}: ".encode()):
        fail(f"{what}: {run}")


def test_score():
    """A table of all events, or none: what could not be read is said instead."""
    path = os.path.join(folder, "events")
    if not re.search(rb"^MPI .* MPI_Barrier$", show(path, "--score").stdout, re.M):
        fail(show(path, "--score"))
    events = os.path.join(path, "traces", "1.evt")
    with open(events, "r+b") as file:
        content = file.read()
        file.truncate(len(content) // 2)
    expect_unscored(path, "cut")
    os.remove(events)
    expect_unscored(path, "gone")
    with open(events, "wb") as file:
        file.write(content)
    show(path, "--score")


def test_strays():
    """Events of a function that has no definition."""
    path = os.path.join(folder, "strays")
    with otf2.writer.open(path, timer_resolution=1000) as trace:
        known, gone = (trace.definitions.region(name) for name in ("known", "gone"))
        node = trace.definitions.system_tree_node("node7", class_name="node")
        writer = trace.event_writer("master", group=trace.definitions.location_group("process", system_tree_parent=node))
        reference = gone._ref
        for at, region in enumerate((known, gone)):
            gone._ref = 77
            writer.enter(2000 * at, region)
            writer.leave(2000 * at + 1000, region)
            gone._ref = reference
    expect_unscored(path, "a function without a definition")
    run = show(path, status=1)
    if b"its definitions are damaged: 1 of the names in them are not there" not in run.stderr \
            or read_classes(run.stdout.decode()) != {"native": 50, "unknown": 50}:
        fail(run)


def test_none():
    empty = os.path.join(folder, "empty.otf2")
    with open(empty, "w", encoding="utf-8"):
        pass
    run = show(empty, status=1)
    if b"not an OTF2 archive" not in run.stderr or run.stderr.count(b"\n") != 1:
        fail(run.stderr)
    os.mkdir(os.path.join(folder, "nothing"))
    with open(os.path.join(folder, "nothing", "spool"), "wb") as file:
        file.write(b"something else")
    run = show(os.path.join(folder, "nothing"), status=1)
    if b"not what pddt has recorded" not in run.stderr:
        fail(run.stderr)
    for made in "--finalize", "--finalize=":
        run = subprocess.run([pddt.PDDT, made + os.path.join(folder, "nothing")] if made.endswith("=")
                             else [pddt.PDDT, made, os.path.join(folder, "nothing")], stderr=subprocess.PIPE)
        if run.returncode != 1 or b"not what pddt has recorded" not in run.stderr:
            fail(run)


def test_named():
    """The folder of an archive that another tool has named; one with several; one with none."""
    write_events(os.path.join(folder, "original"))
    named = os.path.join(folder, "named")
    os.mkdir(named)
    for name in ".otf2", ".def", "":
        os.rename(os.path.join(folder, "original", "traces" + name), os.path.join(named, "eztrace_log" + name))
    text = show(named).stdout.decode()
    if "MPI_Barrier" not in text or "3 ranks, 4.8 s" not in text:
        fail(text)
    shutil.copy(os.path.join(named, "eztrace_log.otf2"), os.path.join(named, "other.otf2"))
    run = show(named, status=1)
    if b"has several archives: name one of eztrace_log.otf2, other.otf2\n" not in run.stderr:
        fail(run.stderr)
    os.mkdir(os.path.join(folder, "bare"))
    run = show(os.path.join(folder, "bare"), status=1)
    if b"there is no archive in this folder" not in run.stderr:
        fail(run.stderr)
    os.remove(os.path.join(named, "other.otf2"))
    os.remove(os.path.join(named, "eztrace_log.otf2"))
    run = show(named, status=1)
    if b"the archive eztrace_log has lost its anchor file eztrace_log.otf2, without which its other files cannot be read\n" not in run.stderr:
        fail(run.stderr)


def test_beside():
    """The folder of events inside an archive, where a dialog for folders ends; what an archive cannot be compared with."""
    path = os.path.join(folder, "inside")
    write_events(path)
    text = show(os.path.join(path, "traces/")).stdout
    if text != show(path).stdout or b"MPI_Barrier" not in text:
        fail(text)
    os.mkdir(os.path.join(folder, "traces"))
    for other, said in ("traces", "there is no archive in this folder"), ("gone", "there is no archive"):
        run = subprocess.run([pddt.PDDT, "--cli", path, os.path.join(folder, other)], env=pddt.ENVIRONMENT, capture_output=True, text=True,
                             check=False, stdin=subprocess.DEVNULL)
        if run.returncode != 1 or f"cannot open {os.path.join(folder, other)}: {said}" not in run.stderr:
            fail(run)



def test_words():
    """What is wrong with an archive is said twice: in English, and for windows in the user's language."""
    anchor = write_events(os.path.join(folder, "words"))
    events = os.path.join(folder, "words/traces/1.evt")
    os.truncate(events, os.path.getsize(events) // 2)
    places = os.path.join(folder, "locale")
    os.mkdir(places)
    os.symlink("/usr/lib/locale/C.utf8", os.path.join(places, "en_US.utf8"))  # see with-display
    run = subprocess.run([ARCHIVE, "--read", anchor], stdout=subprocess.PIPE, timeout=60, check=True,
                         env={**os.environ, "LOCPATH": places, "LC_ALL": "en_US.UTF-8", "LANGUAGE": "de"})
    for sentence in ("1 of its 3 locations could not be read to their end",
                     "1 von seinen 3 Orten konnten nicht bis zum Ende gelesen werden"):
        if sentence.encode() not in run.stdout:
            fail(f"{sentence!r} is not in {run.stdout[-400:]}")

try:
    for test in test_named, test_beside, test_events, test_foreign, test_small, test_compared, test_samples, test_chance, test_silent, test_text, test_definitions, test_score, test_strays, test_damaged, test_long, test_none, test_words:
        test()
        print("ok", test.__name__, flush=True)
finally:
    shutil.rmtree(folder)
