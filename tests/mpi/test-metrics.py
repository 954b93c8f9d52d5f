# SPDX-License-Identifier: GPL-3.0-or-later
"""What ranks and hosts use, from the kernel and the accelerators' library to the archive and the report."""
import errno
import json
import os
import re
import shutil
import subprocess

import pddt
from measured import Measured, once_in_five, read, run_parts

PROGRAM = os.path.join(pddt.SOURCE, "tests", "mpi", "measured_program.py")
RANKS = ["mpirun", "-np", "2", "/usr/bin/python3", PROGRAM, "mpi"]
COUNTERS = ["mpi_sends", "mpi_sent", "mpi_receives", "mpi_collectives", "mpi_collected", "mpi_moves", "mpi_moved"]
MEASURED = ["Memory of a rank, peak", "Used on a host, peak", "Memory of the largest host", "Energy",
            "Use of accelerators, mean", "Memory of accelerators, peak", "Power of accelerators, mean", "Read from storage"]


def get_rows(report):
    return {row[0]: row[1:] for block in report["blocks of MPI"] for row in block.get("rows", [])
            if row[0] in ("point-to-point", "collective", "one-sided")}


def read_report(path):
    """{title: value} of tables with one row, and the blocks about MPI."""
    with open(path, encoding="utf-8") as file:
        sections = json.load(file)["sections"]
    found = {"blocks of MPI": next(section for section in sections if section["title"] == "MPI")["blocks"]}
    for section in sections:
        for block in section["blocks"]:
            if len(block.get("rows", [])) == 1:
                found.update({column["title"]: value for column, value in zip(block["columns"], block["rows"][0])})
    return found


def measure(*options, ranks=None, **environment):
    """The run, its report, which that of its archive equals, and its archive as OTF2's reader sees it."""
    with Measured(ranks or RANKS, "--report", "page.json", *options) as measured:
        measured.environment.update(environment)
        run = measured.run()
        run.expect_status(0)
        report = read_report(os.path.join(measured.folder, "page.json"))
        again = os.path.join(measured.folder, "again.json")
        subprocess.run([pddt.PDDT, "--report", again, run.archive], env=measured.environment, check=True, timeout=60)
        for title, value in read_report(again).items():
            if title in MEASURED and value != report[title]:
                run.fail(f"{title} is {value} in the archive, and was {report[title]}")
        if [row[:2] for row in get_rows(read_report(again)).values()] != [row[:2] for row in get_rows(report).values()]:
            run.fail("MPI is another in the archive")
        return run, report, read(run.archive)


def read_total():
    with open("/proc/meminfo", encoding="utf-8") as file:
        return int(file.readline().split()[1]) * 1024


@once_in_five
def test_host():
    run, report, archive = measure(PDDT_NVML=os.environ["NVML_LIBRARY"])
    tellers = [rank for rank in archive.values() if "gpu_use" in rank]
    if not tellers:  # the other rank may tell too when the first has ended
        run.fail(f"no rank tells what its host uses: {archive}")
    wanted = {"gpu_use": 61, "gpu_memory": 3 << 30, "gpu_power": 123456, "node_total": read_total()}
    if any(teller[name] != value for name, value in wanted.items() for teller in tellers) \
            or not 1e8 < tellers[0]["node_used"] <= wanted["node_total"]:
        run.fail(f"{tellers[0]}, not {wanted}")
    if (report["Use of accelerators, mean"], report["Memory of accelerators, peak"],
            report["Power of accelerators, mean"]) != (61.0, 3 << 30, 123.5):
        run.fail(f"{report}")
    if report["Memory of the largest host"] != read_total() or not report["Used on a host, peak"] > 1e8:
        run.fail(f"{report}")
    if (report["Energy"] is None) != ("energy" not in tellers[0]):
        run.fail(f"{report['Energy']} J, and {tellers[0].get('energy')} µJ")


@once_in_five
def test_hanging_driver():
    """It holds up neither the samples nor the end."""
    run, report, archive = measure(PDDT_NVML=os.environ["NVML_LIBRARY"], NVML_STAND_IN="hang")
    if report["Use of accelerators, mean"] is not None or any("gpu_use" in rank for rank in archive.values()):
        run.fail(f"{report}")
    if not all(rank["samples"] > 20 for rank in archive.values()):
        run.fail(f"{archive}")


def test_none():
    run, report, archive = measure(PDDT_NVML="/no/such/library.so")
    if report["Use of accelerators, mean"] is not None or report["Power of accelerators, mean"] is not None \
            or any("gpu_use" in rank or "gpu_memory" in rank for rank in archive.values()):
        run.fail(f"{report}")


def test_list():
    run, report, archive = measure("--metrics", "cpu, node", PDDT_NVML=os.environ["NVML_LIBRARY"])
    names = {name for rank in archive.values() for name in rank}
    if not {"cpu", "node_used", "node_total"} <= names or {"rss", "read", "waits", "energy", "gpu_use"} & names:
        run.fail(f"{sorted(names)}")
    if report["Memory of a rank, peak"] is not None or report["Read from storage"] is not None \
            or not report["Used on a host, peak"] > 1e8:
        run.fail(f"{report}")


def test_traffic():
    """Calls and bytes are what the program has counted itself, in Open MPI and MPICH, in one thread and in several."""
    for name, launcher, words in (("traffic", ["mpirun", "-np", "4"], []),
                                  ("traffic", ["mpirun", "-np", "4"], ["threads"]),
                                  ("traffic-mpich", ["mpiexec.hydra", "-n", "2"], [])):
        program = os.path.join(pddt.BUILD, "tests", "mpi", name)
        if not os.path.exists(program) or shutil.which(launcher[0]) is None:
            continue
        run, report, archive = measure(ranks=[*launcher, program, *words])
        sums = [0] * len(COUNTERS)
        for line in run.out.splitlines():
            rank, *wanted = map(int, line.split())
            found = [archive[f"rank {rank}"].get(counter) for counter in COUNTERS]
            if found != wanted:
                run.fail(f"{name} {words}: rank {rank} has {dict(zip(COUNTERS, found))}, not {wanted}")
            sums = [before + more for before, more in zip(sums, wanted)]
        rows = get_rows(report)
        if sums[0] == 0 or rows["point-to-point"][:2] != [sums[0] + sums[2], sums[1]] \
                or rows["collective"][:2] != sums[3:5] or rows["one-sided"][:2] != sums[5:] or sums[5] == 0:
            run.fail(f"{name} {words}: {rows}, not {sums}")
        print(f"# {name} {words}: {rows}")


def read_processors(measured, name):
    """The section of the report: its cards, its rows by their first word, and its sentences."""
    with open(os.path.join(measured.folder, name), encoding="utf-8") as file:
        sections = json.load(file)["sections"]
    blocks = next(section for section in sections if section["title"] == "Processors")["blocks"]
    cards = {column["title"]: value for column, value in zip(blocks[0]["columns"], blocks[0]["rows"][0])}
    rows = {row[0]: row[1:] for block in blocks[1:] for row in block.get("rows", [])}
    return cards, rows, json.dumps(blocks)


def test_counters():
    """What this machine's processors count is plausible; if they count nothing, the page says why, live and from the archive."""
    reasons = {errno.ENOENT: "virtual machine", errno.ENODEV: "virtual machine", errno.EOPNOTSUPP: "virtual machine",
               errno.EACCES: "perf_event_paranoid", errno.EPERM: "perf_event_paranoid", errno.EINVAL: "older than 5.13"}
    with Measured(RANKS, "--report", "page.json") as measured:
        run = measured.run()
        run.expect_status(0)
        subprocess.run([pddt.PDDT, "--report", os.path.join(measured.folder, "again.json"), run.archive],
                       env=measured.environment, check=True, timeout=60)
        cards, rows, text = read_processors(measured, "page.json")
        again = read_processors(measured, "again.json")
        if rows != again[1] or cards["Processors of the largest host"] != os.sysconf("SC_NPROCESSORS_ONLN") \
                or not 0 <= (cards["Used by all programs there"] or 0) <= 100:
            run.fail(f"{cards}, {rows}, and {again} in the archive")
        archive = read(run.archive)
    numbers = {rank["no_counters"] for rank in archive.values()}
    counted = any(name in rank for rank in archive.values() for name in ("cycles", "instructions"))
    if counted != (numbers == {0}) or bool(rows) != counted:
        run.fail(f"{numbers}: {archive}")
    if counted and not all(0.05 < rank["instructions"] / rank["cycles"] < 10 for rank in archive.values()):
        run.fail(f"{archive}")
    if not counted and not all(reasons.get(number, "Not measured") in text for number in numbers):
        run.fail(f"{numbers}: {text}")


UNCOUNTED = """
import numpy
from mpi4py import MPI
world = MPI.COMM_WORLD
n = world.size
out, into = numpy.ones(4 * n), numpy.zeros(4 * n)
all = [4] * n, [32 * i for i in range(n)], [MPI.DOUBLE] * n
for i in range(10):
    world.Alltoallw([out, *all], [into, *all])
    world.Reduce_scatter(out, into[:4], [4] * n)
assert into[0] == n, into
"""


def test_uncounted():
    """Two collective operations count as calls without bytes."""
    run, report, archive = measure(ranks=["mpirun", "-np", "2", "/usr/bin/python3", "-c", UNCOUNTED])
    if get_rows(report)["collective"][:2] != [40, 0]:
        run.fail(f"{get_rows(report)}")


def test_no_recorder():
    run, report, archive = measure(PDDT_NO_RECORDER="1")
    rows = get_rows(report)
    if any(row[:2] != [None, None] for row in rows.values()) or "without the recorder" not in json.dumps(report["blocks of MPI"]) \
            or any(counter in rank for rank in archive.values() for counter in COUNTERS):
        run.fail(f"{rows}, {archive}")


@once_in_five
def test_crowd():
    """More ranks than processors: the share of the time with a processor is the kernel's own."""
    program = ("import os, time\nend = time.monotonic() + 2\nwhile time.monotonic() < end: pass\n"
               "print(*open('/proc/self/schedstat').read().split()[:2])")
    n = 4 * len(os.sched_getaffinity(0))
    run, report, archive = measure(ranks=["mpirun", "--oversubscribe", "-np", str(n), "/usr/bin/python3", "-c", program])
    spent = [tuple(map(int, line.split())) for line in run.out.splitlines()]
    wanted = 100 - 100 * sum(ran for ran, _ in spent) / sum(ran + queued for ran, queued in spent)
    found = re.search(r"Ranks waited for a CPU (\d+) % of the time", run.err)
    if found is None or abs(float(found[1]) - wanted) > 8:
        run.fail(f"{wanted} %")
    seconds = sum(queued for _, queued in spent) / 1e9
    if not 0.8 * seconds < report["Waiting for a processor"] < 1.2 * seconds + 1:
        run.fail(f"{report['Waiting for a processor']} s, not {seconds}")
    if len(spent) != n or not all("queued" in rank for rank in archive.values()):
        run.fail(f"{archive}")


run_parts((test_crowd,), (test_counters, test_traffic, test_uncounted, test_no_recorder, test_list, test_host, test_hanging_driver, test_none))
