# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmarks and the rows that doc/maintainers/figures.md makes of what they print. `run` measures and writes."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

BUSY = 0.15  # of the processors, by others: more than that is a busy machine
SETTLE_S = 60  # what a benchmark has started may take to end
PAGE = os.path.join("doc", "maintainers", "figures.md")
PYTHON, DISPLAY = "/usr/bin/python3", "{source}/tests/support/with-display"
ENGINE = r"attach, stacks with lines and arguments, detach: %s: pddt's engine median ([\d.]+) ms.*one gdb for all (\d+) ms"
DIFFERING = r"scale +64 daemons +256000 ranks: "
DIFFERENT = r".*?print [^(]*\(([\d.]+).*?locals [^(]*\(([\d.]+).*?printf [^(]*\(([\d.]+).*?registers [^(]*\(([\d.]+)"
SCALE = r"scale +%d daemons +%d ranks: start (\d+) ms.*state ([\d.]+) ms.*where ([\d.]+) ms.*step ([\d.]+) ms"
ANSWERS = "{2} ms; {3} ms; {4} ms; {1} ms"


def script(name, *words):
    return [PYTHON, f"{{source}}/tests/bench/{name}.py", *words]


def program(name, *words):
    return [f"{{build}}/tests/bench/{name}", *words]


def remote_rows(rtt):
    """Of the window whose job is behind a link of that round trip, beside the same window by ssh -X."""
    def say(what, pattern, value):
        return [(f"{what}, round trip {rtt} ms", rf"^--remote, {rtt} ms: {pattern}", value, ""),
                ("the same, ssh -X", rf"^ssh -X, {rtt} ms: {pattern}", "", "`ssh -X`: " + value)]
    return [*say("`--remote` of 8 MPI ranks, 10 Mbit/s: first screen", r"first screen: ([\d.]+) s .*?, ([\d.]+) kB", "{1} s, {2} kB"),
            *say("the same, a step on all panes", r".*ms after the key.*drawn (\d+) .*\n.*a step crosses with ([\d.]+) kB",
                 "{1} ms, {2} kB"),
            *say("the same, scrolling the source for 4 s; at rest for as long", r"at rest: ([\d.]+) kB.*source ([\d.]+) kB",
                 "{2} kB; {1} kB"),
            (f"the same, a pulled cable until pddt says so; until all is back, a new ssh included, round trip {rtt} ms",
             rf"^--remote, {rtt} ms: loss noticed after ([\d.]+) s; whole again ([\d.]+) s", "{1} s; {2} s", "")]


def machine_row(name, what):
    seconds = r".*the machine ([\d.]+) s$"
    return (what, rf"^{name}: plain:{seconds}\n(?:.*\n)*?{name}: pddt --profile:{seconds}\n(?:.*\n)*?{name}: perf record {seconds}",
            "{2} s", "`perf record -F 100 -g`: {3} s; alone {1} s")


# A benchmark: its name, its command, the seconds that it may take, and its rows: what is measured, the line that tells
# it, and of the line's groups pddt's figure and the peer's. Several such lines become a range, and the longest is named.
BENCHMARKS = [
    ("first-job", script("first-job"), 300, [
        ("start of 8 mpi4py ranks until all are stopped and shown, and the end",
         r"^start, .*whole run ([\d.]+) s; .*the end ([\d.]+) s", "{2} s", "plain `mpirun`: {1} s"),
        ("merged stack of 8 mpi4py ranks: first; after a step",
         r"^merged stack of .*: pddt ([\d.]+) ms .* ([\d.]+) ms after a step; .*py-bt ([\d.]+) s", "{1} ms; {2} ms",
         "gdb's `py-bt`: {3} s"),
        ("Update of 8 running mpi4py ranks", r"^Update of .*median ([\d.]+) ms", "{1} ms", "")]),
    ("first-screen", script("first-screen"), 600, [
        ("first screen after `./run`", r"^first screen: ([\d.]+) s .*window ([\d.]+) s", "{1} s", "an empty window: {2} s")]),
    ("remote-window", script("remote-window"), 600, [row for rtt in (30, 100) for row in remote_rows(rtt)]),
    ("attach", script("attach"), 900, [
        ("attach, all stacks, detach: 8 C ranks", ENGINE % "8 C ranks", "{1} ms", "one gdb: {2} ms"),
        ("the same, 64 C ranks", ENGINE % "64 C ranks", "{1} ms", "one gdb: {2} ms"),
        ("the same, 64 MPI ranks with all threads", ENGINE % r"64 MPI ranks[^:]*", "{1} ms", "one gdb: {2} ms"),
        ("the same, 8 mpi4py ranks", ENGINE % "8 mpi4py ranks", "{1} ms", "one gdb: {2} ms"),
        ("`next` over a short line, 1 rank", r"^next over a short line, 1 rank: median ([\d.]+) ms.*one rank ([\d.]+) ms",
         "{1} ms", "gdb: {2} ms"),
        ("the same, 64 ranks", r"^next over a short line, 64 ranks: median ([\d.]+) ms", "{1} ms", ""),
        ("a breakpoint whose condition is false, each hit", r"^a breakpoint whose .*pddt (\d+) µs, gdb (\d+) µs",
         "{1} µs", "gdb: {2} µs")]),
    ("index", script("index"), 600, [
        ("C++ program with 99 MB of DWARF, from the shell to `main`: first; later",
         r"from the shell to main .*an index (\d+) ms, with (\d+); gdb (\d+), with its index cache (\d+)",
         "{1} ms; {2} ms", "gdb: {3} ms; with its index cache {4} ms")]),
    ("editor", script("editor"), 120, [
        ("`--dap`: from its start to the frame of the first stop", r"^editor: first stop of a C program, pddt: (\d+) ms",
         "{1} ms", ""),
        ("the same, another debugger", r"^editor: first stop of a C program, lldb-vscode-14: (\d+) ms", "",
         "lldb-vscode 14: {1} ms")]),
    ("python-stack", script("python-stack"), 120, [
        ("merged stack of one Python rank: first; later", r"^merged stack of a Python rank: first ([\d.]+) ms, then ([\d.]+) ms",
         "{1} ms; {2} ms", ""),
        ("the same, another debugger", r"^gdb py-bt, cold: (\d+) ms", "", "gdb's `py-bt`: {1} ms")]),
    ("python-overhead", script("python-overhead"), 900, [
        ("a loop of Python calls with a breakpoint elsewhere, CPython 3.8 to 3.13",
         r"pddt: elsewhere ([\d.]+), false condition", "{1} times the plain run", ""),
        ("the same with a false condition on what changes", r"of what changes ([\d.]+),.*bdb false condition ([\d.]+)",
         "{1} times", "`bdb`: {2} times"),
        ("the same with a false condition that calls a Python function", r"with a call ([\d.]+),.*bdb with a call ([\d.]+)",
         "{1} times", "`bdb`: {2} times"),
        ("the same, a built-in function", r", of a built-in function ([\d.]+),.*bdb of a built-in function ([\d.]+)",
         "{1} times", "`bdb`: {2} times"),
        ("the same with a breakpoint that the looping function has passed", r", passed ([\d.]+),.*bdb passed ([\d.]+)",
         "{1} times", "`bdb`: {2} times")]),
    ("profile", script("profile", "numpy", "threads", "c", "ranks"), 3600, [
        ("`--profile`, user time of mpi4py with numpy", r"^numpy: pddt --profile: .*user [\d.]+ s \(([-+\d.]+ %)\)", "{1}", ""),
        ("the same, perf", r"^numpy: perf record .*user [\d.]+ s \(([-+\d.]+ %)\)", "", "`perf record -F 100 -g`: {1}"),
        ("`--profile`, user time of C++ with 41 threads", r"^threads: pddt --profile: .*user [\d.]+ s \(([-+\d.]+ %)\)",
         "{1}", ""),
        ("the same, perf", r"^threads: perf record .*user [\d.]+ s \(([-+\d.]+ %)\)", "", "`perf record -F 100 -g`: {1}"),
        *(machine_row(name, what) for name, what in (
            ("numpy", "`--profile`, processor time of the whole machine: mpi4py with numpy, 2 ranks"),
            ("ranks", "the same, C, 32 ranks"), ("threads", "the same, C++ with 41 threads"), ("c", "the same, C, one thread")))]),
    ("trace", script("trace"), 1800, [
        ("a Python call recorded by `--trace`, CPython 3.8 to 3.13",
         r"plain [\d.]+ ms; cProfile [\d.]+ \((\d+) ns\); --trace [\d.]+ \((\d+) ns\)", "{2} ns", "cProfile: {1} ns"),
        ("a trace of 10 million events, opened", r"^open: ([\d.]+) s,", "{1} s", "")]),
    ("archives", script("archives", "20"), 600, [
        ("an archive of 20 million events, printed", r"^20 million events.*: pddt ([\d.]+) s, otf2-print ([\d.]+) s", "{1} s",
         "`otf2-print`: {2} s")]),
    ("recorder", script("recorder"), 300, [
        ("the MPI recorder: what a barrier of one rank costs", r"^barrier: plain ([\d.]+) ns.*; ([-+\d.]+) ns a call", "{2} ns",
         "the call itself: {1} ns"),
        ("`show queue` of 64 ranks", r"^show queue of 64 ranks:.*median ([\d.]+) ms", "{1} ms", "")]),
    ("parallel", script("parallel", "64"), 300, [
        ("`why` on a cycle of 64 ranks", r"^why of a circle of 64 ranks.*: ([\d.]+) ms median", "{1} ms", ""),
        ("step of 64 stopped MPI ranks", r"^step of 64 stopped MPI ranks.*: ([\d.]+) ms median", "{1} ms", ""),
        ("the same, main threads only", r"^step of the main threads .*: ([\d.]+) ms median", "", "one gdb: {1} ms")]),
    ("quiet-job", script("quiet-job"), 300, [
        ("a deadlock of Python ranks until pddt says so unasked", r"^a deadlock of .*unasked after ([\d.]+) s", "{1} s", "")]),
    ("many", script("many", "512"), 150, [
        ("512 processes of a host until all are stopped", r"^512 processes .*the shim ([\d.]+) s", "{1} s", ""),
        ("the same, until all run", r"^512 such processes, plain mpirun: all run after ([\d.]+) s", "", "plain `mpirun`: {1} s")]),
    ("chart", program("bench-chart"), 120, [
        ("drawing the chart of 1,000,000 ranks", r"^chart +1000000 ranks: +([\d.]+) ms.*: +([\d.]+) ms", "{1} ms",
         "a rectangle for each: {2} ms")]),
    ("source", [DISPLAY, *program("bench-window", "source", "50000")], 120, [
        ("opening a source of 50,000 lines", r"^source of 50000 lines: (\d+) ms", "{1} ms", "")]),
    ("scale", script("scale", "{build}/growth.svg"), 1800, [
        ("1,000,000 fake ranks on 64 daemons: state; stacks; step; start", SCALE % (64, 1000000), ANSWERS, ""),
        ("the same on 1,024 daemons", SCALE % (1024, 1000448), ANSWERS, ""),
        ("the same on 4,096 daemons", SCALE % (4096, 1003520), ANSWERS, ""),
        ("another value in each of 256,000 fake ranks, the front end's processor time for the command line's summary: print; locals; "
         "printf; registers", DIFFERING + DIFFERENT, "{1} ms; {2} ms; {3} ms; {4} ms", ""),
        ("the same whole, as windows and JSON have it; and queue", DIFFERING + r".*whole; " + DIFFERENT + r".*?queue [^(]*\(([\d.]+)",
         "{1} ms; {2} ms; {3} ms; {4} ms; {5} ms", "")]),
    ("chart-link", program("bench-scale", "{build}/tests/daemon/pddtd-scale", "64", "15625", "link"), 120, [
        ("over `--remote`, the chart of 1,000,000 fake ranks, which all take a step each second; as ssh compresses it",
         r"the chart moves with ([\d.]+) kB/s, ([\d.]+) kB/s compressed", "{1} kB/s; {2} kB/s", "")]),
    ("printers", script("printers", "64"), 600, [
        ("`print` of a `std::map` of 200 elements, 64 equal ranks", r"64 ranks, own view: ([\d.]+) ms", "{1} ms", ""),
        ("the same by gdb's pretty-printer, unchanged", r"64 ranks, gdb's printer: ([\d.]+) ms", "{1} ms", ""),
        ("the same in one process, another debugger", r"gdb with one process: ([\d.]+) ms", "", "gdb: {1} ms")]),
]
HEAD = """\
# Figures

`tests/bench/run BUILD` measures these figures one after the other, peers included, and writes this page; it refuses
to do so on a machine that has other work.

| what | |
| --- | --- |
"""
TAIL = """
What of this a user notices, and what helps, stands in
[Troubleshooting](../troubleshooting.md#when-the-program-is-slower-than-without-pddt).

The daemons of the last rows and of the chart are real and run on one machine; their ranks are fake: no network, no
ptrace.

The first screen over `--remote` waits 12 round trips for `ssh` and one for pddt, by the time stamps of `ssh -vvv`
(OpenSSH 9.2, one key, 100 ms). Before pddt's first byte may leave: one each for TCP, the banner, the ciphers, the keys,
the login without a key, which is refused, the offer of the key, its proof, and the command, behind whose answer the
window for data opens; two for the service and two for the channel, whose small packets wait for the acknowledgement of
others (Nagle). The job goes with pddt's first bytes, and nothing else goes up until the first screen is whole.

![State query, merged stacks and step, from 1k to 1M ranks on 64 daemons](../../data/pictures/growth.svg)
"""


def read_busy(path="/proc/stat"):
    """(jiffies in which the processors worked, all jiffies)"""
    with open(path, encoding="ascii") as file:
        fields = [int(word) for word in file.readline().split()[1:9]]
    return sum(fields) - fields[3] - fields[4], sum(fields)


def measure_busy(seconds=1.0, read=read_busy, sleep=time.sleep):
    """The share of all processors that others use now, from 0 to 1."""
    before = read()
    sleep(seconds)
    after = read()
    return (after[0] - before[0]) / max(after[1] - before[1], 1)


def wait_until_idle(measure=measure_busy, limit_s=SETTLE_S, clock=time.monotonic):
    """The share that others use when it is small enough, or after the limit."""
    end = clock() + limit_s
    while (busy := measure()) > BUSY and clock() < end:
        pass
    return busy


def fill(form, matches):
    """The form with the groups of all lines: one value, or the least and the most."""
    def value(found):
        values = [match[int(found[1])] for match in matches]
        numbers = sorted(values, key=lambda text: float(text.split()[0]))
        return values[0] if len(set(values)) == 1 else f"{numbers[0]} to {numbers[-1]}"
    return re.sub(r"\{(\d)\}", value, form)


def make_rows(benchmarks, printed):
    """([(what, pddt's, the peer's)], [what is missing]); a row that begins with "the same," and has a peer alone fills the
    place of the row above it."""
    rows, missing = [], []
    for name, _, _, lines in benchmarks:
        for what, pattern, ours, peer in lines:
            matches = list(re.finditer(pattern, printed.get(name, ""), re.M))
            if not ours:
                if matches:
                    rows[-1] = (*rows[-1][:2], fill(peer, matches))
                continue
            if not matches:
                missing.append(f"{name}: {what}")
            rows.append((what, fill(ours, matches) if matches else "not measured", fill(peer, matches) if matches else ""))
    return rows, missing


def format_page(facts, rows):
    text = HEAD + "".join(f"| {name} | {value} |\n" for name, value in facts)
    text += "\n| what | pddt | peer |\n| --- | --- | --- |\n"
    return text + "".join(f"| {what} | {ours} | {peer} |\n" for what, ours, peer in rows) + TAIL


def first_line(path, start, default):
    try:
        with open(path, encoding="utf-8") as file:
            return next((line.split(sep=start[-1], maxsplit=1)[1].strip().strip('"') for line in file
                         if line.startswith(start[:-1])), default)
    except OSError:
        return default


def describe_machine(source, busy):
    commit = ""
    if shutil.which("git"):
        commit = subprocess.run(["git", "-C", source, "describe", "--always", "--dirty=, changed"], capture_output=True, text=True,
                                check=False).stdout.strip()
    return [("measured", time.strftime("%Y-%m-%d", time.gmtime())), ("commit", commit or "not known"),
            ("machine", f"{first_line('/proc/cpuinfo', 'model name:', 'not known')}, {os.cpu_count()} processors, "
             f"{first_line('/etc/os-release', 'PRETTY_NAME=', 'not known')}, Linux {os.uname().release.split('-')[0]}"),
            ("processors that other work had, at most", f"{100 * busy:.0f} %")]


def run_one(command, limit_s, environment):
    """What it printed; after its time it ends with all that it started in its session."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, errors="replace", env=environment, start_new_session=True)
    except OSError as problem:
        return f"{problem}\n"
    try:
        return process.communicate(timeout=limit_s)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return f"{process.communicate()[0]}\nnot ended after {limit_s} s\n"


def run_all(benchmarks, build, source, is_anyway=False, wait=wait_until_idle):
    """({name: what it printed}, the largest share of others). Raises SystemExit on a busy machine."""
    printed, largest = {}, 0.0
    environment = dict(os.environ, PDDT_BUILD_ROOT=build, PDDT_SOURCE_ROOT=source, PYTHONDONTWRITEBYTECODE="1", PDDT_LONG="1",
                       PYTHONPATH=os.path.join(source, "tests", "support"), NO_AT_BRIDGE="1",
                       GSETTINGS_SCHEMA_DIR=os.path.join(build, "data"))
    for name, command, limit_s, _ in benchmarks:
        busy = wait(limit_s=0) if is_anyway else wait()
        if busy > BUSY and not is_anyway:
            raise SystemExit(f"other work has {100 * busy:.0f} % of the processors: figures are measured on an idle machine "
                             "(at most 15 %). Nothing was written; --anyway measures, and says so on the page")
        largest = max(largest, busy)
        command = [word.format(build=build, source=source) for word in command]
        print(f"== {name}", flush=True)
        printed[name] = run_one(command, limit_s, environment)
        print(printed[name], end="", flush=True)
    return printed, largest


def main(arguments, benchmarks=None, wait=wait_until_idle):
    """run BUILD [--anyway] [--page FILE] [NAME…]; with names it prints rows and writes nothing."""
    is_anyway, build = "--anyway" in arguments, os.path.abspath(arguments[0])
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    page = os.path.join(source, PAGE)
    if "--page" in arguments:
        page = arguments[arguments.index("--page") + 1]
    names = [word for word in arguments[1:] if not word.startswith("--") and word != page]
    chosen = [row for row in benchmarks or BENCHMARKS if not names or row[0] in names]
    printed, busy = run_all(chosen, build, source, is_anyway, wait)
    rows, missing = make_rows(chosen, printed)
    text = format_page(describe_machine(source, busy), rows)
    if names:
        print(text)
    else:
        with open(page, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"wrote {page}", flush=True)
        if os.path.exists(growth := os.path.join(build, "growth.svg")) and page == os.path.join(source, PAGE):
            shutil.copy(growth, os.path.join(source, "data", "pictures"))
    for what in missing:
        print(f"not measured: {what}", file=sys.stderr)
    return 1 if missing else 0
