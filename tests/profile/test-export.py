# SPDX-License-Identifier: GPL-3.0-or-later
"""The exports say what was sampled. pstats and Graphviz read theirs themselves; the others are
read by what their formats' descriptions say."""
import ast
import csv
import itertools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
from xml.etree import ElementTree

from perfetto import PerfettoTrace
from sampled import UNREADABLE, Samples, equal, near

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "agent"))
import driver

PSTATS = """
import pstats, sys
for path in sys.argv[1:]:
    stats = pstats.Stats(path, stream=open("/dev/null", "w"))
    stats.print_stats(); stats.print_callers(); stats.print_callees()
    print(repr(stats.stats))
"""


def key(function):
    return (function[0] or "~", function[1])


def check_pstats(stats, samples, rank):
    wanted = samples.functions(rank)
    calls = samples.calls(rank)
    got = {(file, name): cost for (file, line, name), cost in stats.items()}
    equal(len(got), len(stats), "functions of pstats")
    equal(sorted(got), sorted(key(function) for function in wanted), "pstats")
    for function, (own, total, _, count) in wanted.items():
        primitive, n, self_time, cumulative, callers = got[key(function)]
        equal((primitive, n), (count, count), f"ncalls of {function}")
        near(self_time, own, f"tottime of {function}")
        near(cumulative, total, f"cumtime of {function}")
        equal(sorted((file, name) for file, _, name in callers),
              sorted(key(caller) for caller, callee in calls if callee == function), f"callers of {function}")
        for (file, _, name), (n, primitive, self_time, cumulative) in callers.items():
            call = next(call for call in calls if key(call[0]) == (file, name) and call[1] == function)
            near(self_time, calls[call][0], f"tottime of {call}")
            near(cumulative, calls[call][1], f"cumtime of {call}")
            equal((n, primitive), (calls[call][2], calls[call][2]), f"ncalls of {call}")
    near(sum(cost[2] for cost in stats.values()), samples.total(rank), "tottime of all")


def check_table(path, samples, rank):
    """cpu_R.txt: own time first, what ncalls means, and the sum."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    head = re.match(r" +(\d+) samples in ([\d.]+) seconds\n", text)
    equal(int(head[1]), len(samples.of(rank)), "samples of the table")
    near(float(head[2]), samples.total(rank), "seconds of the table", 1e-3)
    if "counts no calls" not in text:
        raise SystemExit("the table does not say what ncalls means")
    rows = re.findall(r"^ +(\d+) +([\d.]+) +[\d.]+ +([\d.]+) +[\d.]+ (.*):(\d+)\((.*)\)$", text, re.M)
    wanted = samples.functions(rank)
    equal(len(rows), len(wanted), "rows of the table")
    own = [float(row[1]) for row in rows]
    equal(own, sorted(own, reverse=True), "order of the table")
    for n, self_time, cumulative, file, _, name in rows:
        cost = wanted["" if file == "~" else file, name]
        equal(int(n), cost[3], f"ncalls of {name}")
        near(float(self_time), cost[0], f"tottime of {name}", 1e-3)
        near(float(cumulative), cost[1], f"cumtime of {name}", 1e-3)


def test_pstats(folder, samples):
    files = [(None, "cpu")] + [(rank, f"cpu_{rank}") for rank in samples.ranks]
    for python in driver.list_interpreters():
        out = subprocess.run([python, "-c", PSTATS, f"{folder}/frequent.prof"] + [f"{folder}/{name}.prof" for _, name in files],
                             check=True, stdout=subprocess.PIPE).stdout.decode().splitlines()
        equal([cost[:2] for cost in ast.literal_eval(out.pop(0)).values()], [(5000000000, 5000000000)], "ncalls of many")
        for (rank, _), line in zip(files, out, strict=True):
            check_pstats(ast.literal_eval(line), samples, rank)
        print("ok pstats", subprocess.run([python, "--version"], stdout=subprocess.PIPE).stdout.decode().strip())
    for rank, name in files:
        check_table(f"{folder}/{name}.txt", samples, rank)
    for name in ["named.pstats"] + [f"named_{rank}.pstats" for rank in samples.ranks]:
        equal(os.path.exists(f"{folder}/{name}"), True, name)


def list_stretches(samples, rank):
    """(stack, µs) in the order of time; equal ones that follow each other are one."""
    return [(stack, sum(line[2] for line in lines))
            for stack, lines in itertools.groupby(samples.of(rank), key=lambda line: line[3])]


def check_chrome_event(event):
    """As the format's description has it."""
    equal({"ph", "pid", "tid", "ts"} <= set(event), True, f"keys of {event}")
    equal(all(isinstance(event[key], int) and event[key] >= 0 for key in ("pid", "tid", "ts")), True, str(event))
    equal(event["ph"] in "BEMC", True, str(event))
    if event["ph"] != "E":
        equal(isinstance(event["name"], str), True, str(event))
    if event["ph"] in "MC":
        equal(isinstance(event["args"], dict), True, str(event))


def test_chrome(folder, samples):
    """Begin and end of each function: together they are the samples again."""
    with open(f"{folder}/profile.chrome.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    for event in events:
        check_chrome_event(event)
    names = {event["pid"]: event["args"]["name"] for event in events if event.get("name") == "process_name"}
    equal(names, {rank: f"rank {rank}" for rank in samples.ranks}, "processes")
    for rank in samples.ranks:
        stack, got, before = [], [], None
        for event in events:
            if event["pid"] != rank or event["ph"] not in "BE":
                continue
            if stack and event["ts"] > before:
                got.append((tuple(stack), event["ts"] - before))
            before = event["ts"]
            if event["ph"] == "E":
                stack.pop()
            else:
                place = event.get("args", {}).get("place", "")
                stack.append((re.sub(r":\d+$", "", place), event["name"]))
        equal(stack, [], "functions that have no end")
        equal([each for each in got if each[1]], list_stretches(samples, rank), f"stacks of rank {rank}")
    print("ok chrome")


def test_perfetto(folder, samples):
    trace = PerfettoTrace(f"{folder}/profile.perfetto-trace")
    ranks = trace.find_tracks(0)
    equal(list(ranks.values()), [f"rank {rank}" for rank in samples.ranks], "ranks, in their order")
    for rank, number in zip(samples.ranks, ranks):
        threads = [track for track, name in trace.find_tracks(number).items() if name == "thread 1"]
        equal(len(threads), 1, f"first threads of rank {rank}")
        equal(trace.list_stacks(threads[0]), list_stretches(samples, rank), f"stacks of rank {rank}")
    print("ok perfetto (read by its description)")


def test_speedscope(folder, samples):
    with open(f"{folder}/profile.speedscope.json", encoding="utf-8") as file:
        document = json.load(file)
    frames = [(frame.get("file", ""), frame["name"]) for frame in document["shared"]["frames"]]
    equal(len(set(frames)), len(frames), "frames that are there twice")
    equal([profile["name"] for profile in document["profiles"]], [f"rank {rank}" for rank in samples.ranks], "ranks")
    for rank, profile in zip(samples.ranks, document["profiles"]):
        equal((profile["type"], profile["unit"], profile["startValue"]), ("sampled", "microseconds", 0), "profile")
        equal(sum(profile["weights"]), profile["endValue"] - profile["startValue"], "sum of the weights")
        got = [(tuple(frames[i] for i in stack), weight)
               for stack, weight in zip(profile["samples"], profile["weights"], strict=True)]
        equal(got, list_stretches(samples, rank), "stacks in the order of time")
    print("ok speedscope")


def test_collapsed(folder, samples):
    def show(function):
        file, name = function
        return re.sub("[;\n\r]", ":", f"{name} ({os.path.basename(file)})" if file else name)
    wanted = {}
    for stack, (_, count) in samples.stacks().items():
        text = ";".join(map(show, stack))
        wanted[text] = wanted.get(text, 0) + count
    got = {}
    with open(f"{folder}/profile.collapsed", encoding="utf-8") as file:
        for line in file:
            match = re.fullmatch(r"(.+) (\d+)\n", line)
            got[match[1]] = got.get(match[1], 0) + int(match[2])
    equal(got, wanted, "collapsed")
    equal(sum(got.values()), len(samples.lines), "samples")
    print("ok collapsed")


def test_dot(folder, samples):
    out = subprocess.run(["dot", "-Tsvg", f"{folder}/profile.dot"], check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    equal(out.stderr, b"", "errors of dot")
    plain = json.loads(subprocess.run(["dot", "-Tjson", f"{folder}/profile.dot"], check=True,
                                      stdout=subprocess.PIPE).stdout)
    total, functions = samples.total(), samples.functions()
    nodes = {}
    for node in plain["objects"]:
        label, share, own, count = re.fullmatch(r"(.*)\\n([\d.]+)%\\n\(([\d.]+)%\)\\n(\d+) samples",
                                                node["label"]).groups()
        nodes[node["_gvid"]] = label
        shown = label.replace("\\\\", "\\").replace('\\"', '"').replace("&amp;", "&")
        function = next(function for function in functions if shown == (
            f"{os.path.basename(function[0])}:{function[1]}" if function[0] else function[1]))
        cost = functions[function]
        near(float(share), 100 * cost[1] / total, f"share of {function}", 1e-2)
        near(float(own), 100 * cost[0] / total, f"own share of {function}", 1e-2)
        equal(int(count), cost[3], f"samples of {function}")
    equal(len(nodes), sum(cost[1] >= 0.005 * total for cost in functions.values()), "functions of dot")
    equal(len(plain["edges"]), sum(cost[1] >= 0.001 * total for cost in samples.calls().values()), "calls of dot")
    print("ok dot")


def make_cell(text):
    """A spreadsheet computes nothing that a program names."""
    return "'" + text if text[:1] in ("=", "+", "-", "@") else text


def test_csv(folder, samples):
    rows = {}
    with open(f"{folder}/profile.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, strict=True):
            rows.setdefault(row["rank"], {})[row["file"], row["function"]] = row
    equal(sorted(rows), sorted(["all"] + [str(rank) for rank in samples.ranks]), "ranks of csv")
    for rank, found in rows.items():
        wanted = samples.functions(None if rank == "all" else int(rank))
        wanted = {(make_cell(file), make_cell(name)): cost for (file, name), cost in wanted.items()}
        equal(sorted(found), sorted(wanted), "functions of csv")
        for function, cost in wanted.items():
            row = found[function]
            near(float(row["self_s"]), cost[0], f"self of {function}")
            near(float(row["total_s"]), cost[1], f"total of {function}")
            equal((int(row["self_samples"]), int(row["total_samples"])), (cost[2], cost[3]), f"samples of {function}")
            near(int(row["self_cycles"]), 3e6 * cost[0], f"cycles of {function}")
            faults = "" if rank in ("all", "7") else str(cost[2])  # 7 does not know them, so that nobody knows those of all
            equal(int(row["self_instructions"]), 2 * int(row["self_cycles"]), f"instructions of {function}")
            equal([row[f"self_{name}"] for name in ("stalls", "cache_misses", "faults")], ["", "", faults],
                  f"counters of {function} in {rank}")
    print("ok csv")


def test_tau(folder, samples):
    """As profile files are described: a count, a line of titles, the functions, aggregates, user events."""
    for rank in samples.ranks:
        with open(f"{folder}/profile.{rank}.0.0", encoding="utf-8") as file:
            lines = file.read().split("\n")
        n = int(re.fullmatch(r"(\d+) templated_functions_MULTI_TIME", lines[0])[1])
        equal(lines[1], "# Name Calls Subrs Excl Incl ProfileCalls #", "titles of TAU")
        equal(lines[2 + n:], ["0 aggregates", "0 userevents", ""], "end of TAU")
        found = {}
        for line in lines[2:2 + n]:
            match = re.fullmatch(r'"([^"]*)" (\d+) (\d+) (\d+) (\d+) 0 GROUP="(\w+)"', line)
            found[match[1]] = [int(number) for number in match.groups()[1:5]], match[6]
        equal(len(found), n, "functions of TAU")
        equal(found.pop(".TAU application"),
              ([1, len(samples.of(rank)), 0, round(samples.total(rank) * 1e6)], "TAU_DEFAULT"), "the whole of TAU")
        names = {re.sub(r" \[\{.*\} \{\d+,0\}\]$", "", name): name for name in found}
        equal(len(names), len(found) - 1, "two functions have one name")
        for (file, name), (own, total, n_own, n_total) in samples.functions(rank).items():
            name = name.replace('"', "'")
            full = next(full for full in found if re.fullmatch(
                re.escape(name) + (r" \[\{" + re.escape(file) + r"\} \{\d+,0\}\]" if file else ""), full))
            equal(found[full][0], [n_total, n_total - n_own, round(own * 1e6), round(total * 1e6)], full)
            group = "MPI" if "MPI_" in name else "TAU_PYTHON" if file.endswith(".py") else "TAU_USER"
            equal(found[full][1], group, f"group of {full}")
    print("ok tau (read by its description)")


def list_nodes(element, stack, regions, order):
    """The cnodes, each before those inside it, as numbers of an exclusive metric count them."""
    for node in element.findall("cnode"):
        at = stack + (regions[node.get("calleeId")],)
        equal(int(node.get("id")), len(order), "number of a node")
        order.append(at)
        list_nodes(node, at, regions, order)


def read_cubex(path):
    """{metric: [(stack, {rank: value})]}"""
    with tarfile.open(path) as tar:
        files = {member.name: tar.extractfile(member).read() for member in tar.getmembers()}
    root = ElementTree.fromstring(files["anchor.xml"])
    equal((root.tag, root.get("version")), ("cube", "4.4"), "cube")
    regions = {region.get("id"): (region.get("mod"), region.find("name").text)
               for region in root.findall("program/region")}
    order = []
    list_nodes(root.find("program"), (), regions, order)
    ranks = [int(group.find("rank").text) for group in root.iter("locationgroup")]
    result = {}
    for metric in root.findall("metrics/metric"):
        number, kind = metric.get("id"), metric.find("dtype").text
        index, data = files[f"{number}.index"], files[f"{number}.data"]
        equal((metric.get("type"), index[:11], data[:10]), ("EXCLUSIVE", b"CUBEX.INDEX", b"CUBEX.DATA"), "marks")
        one, version, form, n = struct.unpack("<ihbi", index[11:22])
        equal((one, version, form), (1, 0, 1), "head of an index")
        nodes = struct.unpack(f"<{n}i", index[22:])
        values = struct.unpack(f"<{n * len(ranks)}{'d' if kind == 'DOUBLE' else 'Q'}", data[10:])
        result[metric.find("uniq_name").text] = [
            (order[node], dict(zip(ranks, values[row * len(ranks):])))
            for row, node in enumerate(nodes)]
    return result


def test_cubex(folder, samples):
    metrics = read_cubex(f"{folder}/profile.cubex")
    equal(sorted(metrics), ["samples", "time"], "metrics")
    for metric, index in (("time", 0), ("samples", 1)):
        rows = metrics[metric]
        equal(len({stack for stack, _ in rows}), len(rows), "stacks that are there twice")
        for rank in samples.ranks:
            wanted = {stack if stack != (UNREADABLE,) else (): cost[index]
                      for stack, cost in samples.stacks(rank).items()}
            for stack, values in rows:
                equal(stack[0], ("", "(program)"), "root")
                near(values[rank], wanted.pop(stack[1:], 0), f"{metric} of {stack}")
            equal(wanted, {}, "stacks that are missing")
    print("ok cubex (read by its description)")


def main():
    folder = tempfile.mkdtemp(prefix="pddt-test-export-")
    try:
        said = subprocess.run([sys.argv[1], folder], check=True, stdout=subprocess.PIPE, text=True).stdout
        for line in said.splitlines():
            if not re.match(r"cannot (write|export|make) .*: .", line):
                raise SystemExit(f"not a good message: {line}")
        samples = Samples(folder)
        test_pstats(folder, samples)
        test_speedscope(folder, samples)
        test_chrome(folder, samples)
        test_perfetto(folder, samples)
        test_collapsed(folder, samples)
        test_csv(folder, samples)
        test_tau(folder, samples)
        test_cubex(folder, samples)
        if shutil.which("dot"):
            test_dot(folder, samples)
    finally:
        shutil.rmtree(folder)


main()
