# SPDX-License-Identifier: GPL-3.0-or-later
"""--report and --export: of a run, which they measure, and of its archive afterwards."""
import json
import os
import pstats
import subprocess
import tempfile

import pddt
from measured import once_in_five

PROGRAM = os.path.join(pddt.SOURCE, "tests", "mpi", "measured_program.py")
RANKS = ["mpirun", "-np", "3", "/usr/bin/python3", PROGRAM, "mpi"]


def run(folder, *words, status=0):
    done = subprocess.run([pddt.PDDT, *words], cwd=folder, env=pddt.ENVIRONMENT, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120, check=False)
    result = pddt.Run(done.returncode, done.stdout, done.stderr)
    result.expect_status(status)
    return result


def find_seconds(folder, name, function):
    """What the report's table of functions says of it, with its calls."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        page = json.load(file)
    table = next(section for section in page["sections"] if section["title"] == "Functions")["blocks"][0]
    column = next(number for number, column in enumerate(table["columns"])
                  if column["title"] == "Total time" and column.get("unit") == "s")
    return next(row[column] for row in table["rows"] if row[0] == function)


def check_run(folder):
    result = run(folder, "--report", "page.json", "--report", "page.html", "--export", "pstats",
                 "--export", "collapsed=stacks.txt", *RANKS)
    for rank in range(3):
        result.expect_line(f"rank {rank} is done")
    spent = sum(0.8 * (rank + 1) for rank in range(3))
    archive = next(name for name in os.listdir(folder) if name.startswith("pddt-"))
    exported = os.path.join(folder, archive, "export")
    merged = pstats.Stats(os.path.join(exported, "cpu.prof")).stats
    seconds = sum(value[3] for key, value in merged.items() if key[2] == "work")
    if abs(seconds - spent) > 0.6:
        result.fail(f"{seconds} s of work, and {spent} s were spent")
    if {f"cpu_{rank}.prof" for rank in range(3)} - set(os.listdir(exported)):
        result.fail(f"exports: {os.listdir(exported)}")
    with open(os.path.join(folder, "stacks.txt"), encoding="utf-8") as file:
        if "work" not in file.read():
            result.fail("collapsed stacks without work")
    with open(os.path.join(folder, "page.json"), encoding="utf-8") as file:
        machine = next(section for section in json.load(file)["sections"] if section["title"] == "Memory")["blocks"][0]
    used = dict(zip((column["title"] for column in machine["columns"]), machine["rows"][0]))
    if not 5e6 < used["Memory of a rank, mean"] <= used["Memory of a rank, peak"] < 5e8:
        result.fail(f"memory: {used}")
    if not os.path.getsize(os.path.join(folder, "page.html")):
        result.fail("an empty page")
    return archive


def check_archive(folder, archive):
    before = find_seconds(folder, "page.json", "work")
    result = run(folder, "--report", "again.json", "--export", "csv", archive)
    if result.out:
        result.fail("output beside the files")
    if before < 1 or abs(find_seconds(folder, "again.json", "work") - before) > 0.1:
        result.fail("the archive says something else than the run")
    if not any(name.endswith(".csv") for name in os.listdir(os.path.join(folder, archive, "export"))):
        result.fail("no csv")


def check_children(folder):
    """Forked processes are no ranks: they count apart, and nobody is compared with them."""
    run(folder, "--report", "children.json", "/usr/bin/python3", PROGRAM, "fork")
    with open(os.path.join(folder, "children.json"), encoding="utf-8") as file:
        page = json.load(file)
    cards = page["sections"][0]["blocks"][0]
    shown = dict(zip((column["title"] for column in cards["columns"]), cards["rows"][0]))
    if (shown["Ranks"], shown["Child processes"], shown["Work imbalance"]) != (1, 1, 0):
        raise SystemExit(f"the head: {shown}")
    if "did nothing" in json.dumps(page) or "(child of rank 0)" not in json.dumps(page):
        raise SystemExit(f"the page: {page}")


def check_wrong(folder):
    before = sorted(os.listdir(folder))
    run(folder, "--export", "nonsense", *RANKS, status=2).expect("there are: ", "err")
    run(folder, "--export", "pstats", "-e", "where", *RANKS, status=2).expect("--export is for measured runs", "err")
    run(folder, "--report", "page.odt", *RANKS, status=2).expect("page.odt", "err")
    if sorted(os.listdir(folder)) != before:
        raise SystemExit(f"written: {os.listdir(folder)}")


@once_in_five
def check_all():
    with tempfile.TemporaryDirectory(prefix="pddt-outputs-") as where:
        check_archive(where, check_run(where))
        check_children(where)
        check_wrong(where)


check_all()
print("ok")
