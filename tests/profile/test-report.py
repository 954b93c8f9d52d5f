# SPDX-License-Identifier: GPL-3.0-or-later
"""The report: its four forms have the same numbers, and these are those of the samples."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pages
from sampled import Samples, equal, near


def find_table(sections, section, first):
    """{first cell: {title: cell}} of the table whose first column has this title."""
    for name, blocks in sections:
        for block in blocks:
            if name == section and not isinstance(block, str) and block[0][0] == first:
                return [dict(zip(block[0], row, strict=True)) for row in block[1]]
    raise SystemExit(f"no table {first} in {section}")


def check_head(sections, samples):
    cards = find_table(sections, "", "Wall time (s)")[0]
    near(float(cards["Wall time (s)"]), max(samples.total(rank) for rank in samples.ranks), "wall time", 0.006)
    equal((cards["Ranks"], cards["Samples"], cards["Samples missed"]), ("5", str(len(samples.lines)), "25"), "head")
    idle = [block for block in sections[0][1] if isinstance(block, str)]
    equal(len(idle), 2, "sentences of the head")
    busiest = max(samples.ranks, key=lambda rank: sum(us for _, kind, us, _, _ in samples.of(rank)
                                                      if kind == "native"))
    share = 100 * sum(us for _, kind, us, _, _ in samples.lines if kind == "native") / 1e6 / samples.total()
    equal(idle[0].partition(": ")[0], f"Most of the time, {share:.0f} %, is native", "what comes first")
    equal(idle[1], f"1 of 5 ranks did nothing: rank 7 worked less than 5 % as long as rank {busiest}, the busiest.", "idle ranks")


def check_classes(sections, samples):
    rows = find_table(sections, "Time", "What the ranks did")
    sums = {}
    for _, kind, us, _, _ in samples.lines:
        sums[kind] = sums.get(kind, 0) + us / 1e6
    equal(len(rows), 10, "classes")
    for row in rows:
        seconds = sums.pop(row["What the ranks did"], 0)
        share = seconds / samples.total()
        near(float(row["Time (s)"]), seconds, "time of a class", 1e-3)
        near(float(row["Share (%)"]), 100 * share, "share of a class", 0.051)
        n = len(samples.lines) + 1.96 ** 2  # Agresti and Coull
        p = (share * len(samples.lines) + 1.96 ** 2 / 2) / n
        near(float(row["95 % interval (± points)"]), 196 * (p * (1 - p) / n) ** 0.5, "interval", 0.051)
        equal(bool(row["What to try next"]), share >= 0.05, f"advice for {row}")
    equal(sums, {}, "classes that are missing")


def check_efficiency(sections, samples):
    """POP's formulas, and the bounds that the rank with the least time in MPI gives."""
    rows = {row["Efficiency"]: float(row["Value (%)"]) / 100 for row in find_table(sections, "Efficiency", "Efficiency")}
    useful = [sum(us for _, kind, us, _, _ in samples.of(rank) if kind == "native") / 1e6 for rank in samples.ranks]
    mpi = [samples.total(rank) - each for rank, each in zip(samples.ranks, useful, strict=True)]
    run = max(samples.total(rank) for rank in samples.ranks)
    wanted = {"Parallel efficiency": sum(useful) / 5 / run, "Load balance": sum(useful) / 5 / max(useful),
              "Communication efficiency": max(useful) / run, "Transfer efficiency": 1 - min(mpi) / run,
              "Serialisation efficiency": min(1, max(useful) / (run - min(mpi)))}
    equal(sorted(rows), sorted(wanted), "efficiencies")
    for name, value in wanted.items():
        near(rows[name], value, name, 1.1e-3)
    (row,) = [row for row in find_table(sections, "Time", "What the ranks did") if row["What the ranks did"] == "MPI"]
    equal(f"at most {min(mpi):.1f} s of {run:.1f} s" in row["What to try next"], True, f"advice: {row}")


def check_ranks(sections, samples):
    work = {rank: sum(us for _, kind, us, _, _ in samples.of(rank) if kind == "native") / 1e6
            for rank in samples.ranks}
    mpi = {rank: samples.total(rank) - work[rank] for rank in samples.ranks}
    rows = {row["Time of each rank"]: row for row in find_table(sections, "Ranks", "Time of each rank")}
    for name, values in (("Work", work), ("MPI", mpi)):
        row, mean = rows[name], sum(values.values()) / 5
        near(float(row["Least (s)"]), min(values.values()), "least", 1e-3)
        near(float(row["Most (s)"]), max(values.values()), "most", 1e-3)
        near(float(row["Mean (s)"]), mean, "mean", 1e-3)
        near(values[int(row["Rank with the least"])], min(values.values()), "rank with the least")
        near(values[int(row["Rank with the most"])], max(values.values()), "rank with the most")
        near(float(row["Imbalance (%)"]), 100 * (max(values.values()) / mean - 1), "imbalance", 0.051)
    rows = find_table(sections, "Ranks", "Rank")
    equal([row["Rank"] for row in rows], [str(rank) for rank in samples.ranks], "rows of ranks")
    for row in rows:
        rank = int(row["Rank"])
        near(float(row["Time (s)"]), samples.total(rank), "time of a rank", 1e-3)
        near(float(row["MPI (%)"]), 100 * mpi[rank] / samples.total(rank), "MPI of a rank", 0.051)
        near(float(row["native (%)"]), 100 * work[rank] / samples.total(rank), "work of a rank", 0.051)


def check_functions(sections, samples):
    wanted = samples.functions()
    rows = find_table(sections, "Functions", "Function")
    own = [float(row["Own time (s)"]) for row in rows]
    equal(own, sorted(own, reverse=True), "order of the functions")
    # The samples that could not be read are no function.
    equal(len(rows), len([cost for function, cost in wanted.items() if cost[0] > 0 and function[0]]), "functions")
    for row in rows:
        place = re.sub(r":\d+$", "", row["Place"])
        found = [function for function in wanted if os.path.basename(function[0]) == os.path.basename(place) and (
            function[1] == row["Function"] or (row["Function"] == "??" and function[1] == place))]
        if row["Function"] == "??":
            found = [function for function in wanted if function[1] == place]
        equal(len(found), 1, f"functions for {row}")
        cost = wanted[found[0]]
        near(float(row["Own time (s)"]), cost[0], "own time", 1e-3)
        near(float(row["Own (%)"]), 100 * cost[0] / samples.total(), "own share", 0.051)
        near(float(row["Total time (s)"]), cost[1], "whole time", 1e-3)
        near(float(row["Total (%)"]), 100 * cost[1] / samples.total(), "whole share", 0.051)
        ranks = [samples.functions(rank).get(found[0], [0])[0] for rank in samples.ranks]
        near(float(row["Imbalance (%)"]), 100 * (5 * max(ranks) / sum(ranks) - 1), "imbalance", 0.051)
    (counted,) = [block[1] for name, blocks in sections for block in blocks
                  if name == "Functions" and not isinstance(block, str) and "IPC" in block[0]]
    equal(counted, [[row["Function"], row["Own time (s)"], "2.00", *["not measured"] * 3] for row in rows],
          "counters of functions")


def check_lines(sections, samples):
    sums = {}
    for _, _, us, stack, lines in samples.lines:
        own = [(os.path.basename(file) + f":{line}", name) for (file, name), line in zip(stack, lines) if line]
        if own:
            sums[own[-1]] = sums.get(own[-1], 0) + us / 1e6
    rows = find_table(sections, "Lines", "Line")
    equal(sorted((row["Line"], row["Function"]) for row in rows), sorted(sums), "lines")
    for row in rows:
        near(float(row["Time (s)"]), sums[row["Line"], row["Function"]], "own time of a line", 1e-3)


def check_mpi(sections, samples):
    rows = {row["Call"]: row for row in find_table(sections, "MPI", "Call")}
    equal(sorted(rows), ["MPI_Barrier", "MPI_Recv"], "calls")
    equal((rows["MPI_Barrier"]["Kind"], rows["MPI_Recv"]["Kind"]), ("collective", "point-to-point"), "kinds")
    for name, row in rows.items():
        near(float(row["Time (s)"]), sum(us for _, _, us, stack, _ in samples.lines
                                         if stack[-1][1].endswith(name)) / 1e6, name, 1e-3)
    rows = {row["Kind"]: row for row in find_table(sections, "MPI", "Kind")}
    equal(sorted(rows), ["collective", "one-sided", "point-to-point"], "kinds of MPI")
    near(float(rows["one-sided"]["Time (s)"]), 0, "one-sided", 1e-3)
    for kind, name in ("collective", "MPI_Barrier"), ("point-to-point", "MPI_Recv"):
        near(float(rows[kind]["Time (s)"]), sum(us for _, _, us, stack, _ in samples.lines
                                                if stack[-1][1].endswith(name)) / 1e6, kind, 1e-3)
        equal({value for key, value in rows[kind].items() if key not in ("Kind", "Time (s)")}, {pages.NONE},
              "what was not measured")


def check_many(sections):
    """More ranks than rows share them; half of the ranks did nothing."""
    equal([block for block in sections[0][1] if isinstance(block, str)][1:],
          ["100 of 200 ranks did nothing: ranks 100-199 worked less than 5 % as long as rank 99, the busiest."], "idle")
    rows = find_table(sections, "Ranks", "Ranks")
    equal([row["Ranks"] for row in rows], [f"{first}-{first + 3}" for first in range(0, 200, 4)], "rows")
    for first, row in zip(range(0, 200, 4), rows):
        near(float(row["Time of each, mean (s)"]), 0.2, "time of a row")
        work = first + 51.5 if first < 100 else 0
        near(float(row["native (%)"]), work / 2, f"work of {row['Ranks']}", 0.051)
        near(float(row["wait (%)"]), 100 - work / 2, f"wait of {row['Ranks']}", 0.051)


def main():
    if not shutil.which("xmllint"):
        print("skipped: xmllint is not installed")
        sys.exit(77)
    folder = tempfile.mkdtemp(prefix="pddt-test-report-")
    try:
        subprocess.run([sys.argv[1], folder], check=True, stdout=subprocess.DEVNULL)
        samples = Samples(folder)
        for name in ("report", "empty", "many"):
            title, sections = pages.compare(*[f"{folder}/{name}.{suffix}" for suffix in ("html", "txt", "csv", "json")])
            (text,) = next(blocks for head, blocks in sections if head == "Not measured")
            equal("warp stalls" in text, True, "what is not measured")
            processors = next((blocks for head, blocks in sections if head == "Processors"), [""])
            equal("--metrics leaves counters out" in str(processors[-1]), True, "why the processors have counted nothing")
            if name == "report":
                equal(title, "Profile of mpirun -np 5 ./app '<b>&\"' '\\x1b[31m'", "title")
                for check in (check_head, check_classes, check_efficiency, check_ranks, check_functions, check_lines, check_mpi):
                    check(sections, samples)
                    print("ok", check.__name__)
            elif name == "many":
                check_many(sections)
            elif "Nothing was sampled: no rank ran." not in sections[0][1]:
                raise SystemExit("the report of nothing does not say so")
    finally:
        shutil.rmtree(folder)


main()
