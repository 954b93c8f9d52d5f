# SPDX-License-Identifier: GPL-3.0-or-later
"""What was counted at each line, live and from the archive, of several ranks and of threads that end: by page faults, which each
kernel counts, against what the program has counted itself."""
import json
import os
import subprocess

import pddt
from measured import Measured, once_in_five, read

PROGRAM = os.path.join(pddt.BUILD, "tests", "mpi", "counted")
SOURCE = os.path.join(pddt.SOURCE, "tests", "mpi", "counted.c")
LINES = ["many", "few", "none"]
MIXED = ["mixed", "beside"]


def read_lines(path):
    """{mark: row}, each row {column: value}, and the sentences of the section."""
    with open(path, encoding="utf-8") as file:
        section = next(each for each in json.load(file)["sections"] if each["title"] == "Lines")
    table = next(block for block in section["blocks"] if "rows" in block)
    columns = [column["title"] for column in table["columns"]]
    rows = {row[0]: dict(zip(columns, row)) for row in table["rows"]}
    marks = {f"counted.c:{pddt.mark(SOURCE, name)}": name for name in LINES + MIXED}
    return ({marks[place]: row for place, row in rows.items() if place in marks},
            [block["text"] for block in section["blocks"] if "text" in block])


def measure(*options, words=(), n=2):
    """The run, what it has counted in all ranks, its lines, and what OTF2's reader finds in its archive."""
    with Measured(["mpirun", "-np", str(n), PROGRAM, *words], "--report", "page.json", *options) as measured:
        run = measured.run()
        run.expect_status(0)
        rows, texts = read_lines(os.path.join(measured.folder, "page.json"))
        again = os.path.join(measured.folder, "again.json")
        subprocess.run([pddt.PDDT, "--report", again, run.archive], env=measured.environment, check=True, timeout=60)
        if read_lines(again) != (rows, texts):
            run.fail(f"{read_lines(again)} in the archive, and {rows}, {texts} before")
        wanted = [sum(column) for column in zip(*(map(int, line.split()) for line in run.out.splitlines()))]
        return run, dict(zip(LINES, wanted)), rows, texts, read(run.archive)


def check_lines(words):
    run, wanted, rows, texts, archive = measure(words=words)
    if sorted(rows) != sorted(LINES):
        run.fail(f"{rows}, {texts}")
    found = {name: row["Page faults"] for name, row in rows.items()}
    print(f"# {found}, and the program: {wanted}")
    if None in found.values():
        if any("at_faults" in rank for rank in archive.values()):
            run.fail(f"{archive}, and {rows}")
        print("# this kernel lets nobody count")
        return
    for name in "many", "few":
        if not 0.8 * wanted[name] < found[name] < 1.15 * wanted[name] + 200:
            run.fail(f"{name}: {found}, and the program has counted {wanted}")
    if not found["none"] < 0.1 * wanted["few"]:
        run.fail(f"none: {found}, and the program has counted {wanted}")
    if len(texts) != 3 or "estimates" not in texts[1] or "belong to no line" not in texts[2]:
        run.fail(f"{texts}")
    if not all("at_faults" in rank for rank in archive.values()):
        run.fail(f"{archive}")
    for name, row in rows.items():  # what this processor does not count has no number
        if (row["IPC"] is None) != (not all("cycles" in rank for rank in archive.values())) \
                or not 0 < (row["IPC"] or 1) < 20 or not 0 <= (row["Memory-bound"] or 0) <= 100:
            run.fail(f"{name}: {row}")


@once_in_five
def test_ranks():
    check_lines([])


@once_in_five
def test_threads():
    """Each ends before the next one: what it has done since its last sample is its line's, too."""
    check_lines(["threads"])


@once_in_five
def test_mixed():
    """Lines that take turns faster than samples come share what one of them has counted, as the manual says."""
    _, _, rows, texts, _ = measure(words=["mixed"], n=1)
    found = [rows.get(name, {}).get("Page faults") for name in MIXED]
    print(f"# {found}")
    if None not in found and not 0.25 * sum(found) < found[1] < 0.75 * sum(found):
        raise SystemExit(f"{rows}, {texts}")
    if None in found and found != [None, None]:
        raise SystemExit(f"{rows}, {texts}")


def test_unwanted():
    run, _, rows, texts, archive = measure("--metrics", "rss", n=1)
    if any(row[title] is not None for row in rows.values() for title in ("IPC", "Memory-bound", "Cache misses", "Page faults")) \
            or len(texts) != 1 or any(name.startswith("at_") for rank in archive.values() for name in rank):
        run.fail(f"{rows}, {texts}, {archive}")


for test in test_ranks, test_threads, test_mixed, test_unwanted:
    test()
    print("ok", test.__name__, flush=True)
