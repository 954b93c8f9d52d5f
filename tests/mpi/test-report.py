# SPDX-License-Identifier: GPL-3.0-or-later
"""--report of a debugging run: its four forms say the same; it has each stop with stacks and values, the fault
with its reason, the sentence of `why`, and the output by rank, none of which breaks the page."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import pddt

sys.path.insert(0, os.path.join(pddt.SOURCE, "tests", "profile"))
import pages
from faults import parse

PROGRAM = os.path.join(pddt.SOURCE, "tests", "mpi", "broken.py")
SUFFIXES = ("html", "txt", "csv", "json")


def place(name):
    return f"broken.py:{pddt.mark(PROGRAM, name)}"


def expect(condition, what):
    if not condition:
        raise SystemExit(what)


def find(sections, title):
    """The blocks of the one section whose title begins so."""
    found = [blocks for name, blocks in sections if name.startswith(title)]
    expect(len(found) == 1, f"{len(found)} sections {title} in {[name for name, _ in sections]}")
    return found[0]


def write(folder, name, arguments):
    paths = [f"{folder}/{name}.{suffix}" for suffix in SUFFIXES]
    run = pddt.run([word for path in paths for word in ("--report", path)] + arguments)
    for path in paths:
        if not os.path.exists(path):
            run.fail(f"there is no {path}")
    return run, pages.compare(*paths)


def check_breakpoint(stops):
    """All ranks come to it, on a busy machine not at one moment: each moment is a stop of its own."""
    seen = set()
    for stop in stops:
        ranks, _, what = stop[0].partition(": ")
        here = parse(ranks)
        expect(what == f"breakpoint 1, work at {place('work')}" and not seen & here, f"stops: {stops}")
        seen |= here
        stack = re.sub(r"^#\d ", "", stop[2], flags=re.M)  # of a single rank, frames have numbers
        expect(stack == f"{ranks} {len(here)} <module> at {place('call')} [py]\n  {ranks} {len(here)} work at {place('work')} [py]",
               f"stacks: {stop}")
        values = stop[stop.index("Arguments and local variables:") + 1].splitlines()
        expect(f"{ranks}: hostile = \"</pre><img src='x'>\"" in values, f"values: {values}")
    expect(seen == {0, 1, 2}, f"stops: {stops}")


def check_fault(sections, json):
    head = sections[0][1]
    cards = dict(zip(*[head[0][0], head[0][1][0]]))
    expect((cards["Ranks"], cards["Ranks that crashed or failed"]) == ("3", "1"), f"cards: {cards}")
    notes = [block for block in head if isinstance(block, str)]
    expect(f"1: exception ValueError, work at {place('fault')}" in notes, f"no exception in {notes}")
    expect("ValueError: no <b>value</b> & nothing (1)" in notes, f"no reason in {notes}")
    why = [note for note in notes if "0,2 wait in" in note and "Barrier" in note and "ValueError" in note]
    expect(len(why) == 1, f"no sentence of why in {notes}")

    check_breakpoint([blocks for title, blocks in sections if title.startswith("Stop ") and "breakpoint 1" in blocks[0]])
    crashes = [blocks for title, blocks in sections if title.startswith("Stop ") and "exception" in blocks[0]]
    expect(len(crashes) == 1 and crashes[0][0].startswith(f"1: exception ValueError, work at {place('fault')}\nnote: ")
           and "#0   1 1 work at " in crashes[0][2], f"crashes: {crashes}")
    last = find(sections, "Still running at the end: ranks 0,2")
    expect(f"0,2 2 <module> at {place('barrier')} [py]" in last[1], f"last: {last}")

    changes = [block for block in find(sections, "States over time") if not isinstance(block, str)][0]
    expect(set().union(*(parse(row[1]) for row in changes[1] if row[2] == "breakpoint")) == {0, 1, 2}, f"changes: {changes}")
    expect(["1", "exception"] in [row[1:] for row in changes[1]], f"changes: {changes}")
    times = [float(row[0]) for row in changes[1]]
    expect(times == sorted(times), f"times: {times}")

    lines = find(sections, "Commands and answers")[0].splitlines()
    expect([line.split("> ", 1)[1] for line in lines if re.match(r"\[[\d.]+ s\] > ", line)][:3]
           == ["break work", "continue", "wait"], f"commands: {lines}")
    expect(any(line.startswith('{"event":"breakpoint"') for line in lines) == json, f"answers: {lines}")


def check_output(sections):
    blocks = find(sections, "Output")
    for rank in range(3):
        text = blocks[blocks.index(f"From rank {rank}:") + 1]
        for wanted in ("<script>alert(1)</script> ]]> &amp;", f"stderr: \\x1b[31mrank {rank}\\x1b[0m \\a"):
            expect(wanted in text.splitlines(), f"output of {rank}: {text!r}")
        expect(re.search("^\ufffd\ufffd  bytes$", text, re.M), f"bytes of {rank}: {text!r}")


def test_fault(folder, json):
    options = ["--json"] if json else []
    run, (title, sections) = write(folder, f"fault{json}", options + pddt.commands(
        "break work", "continue", "wait", "delete", "continue", "wait")
        + ["mpirun", "-np", "3", "/usr/bin/python3", "%python_debug%", PROGRAM])
    run.expect_status(1)  # the wait fails, as the others cannot go on
    expect(title == f"Debugging mpirun -np 3 /usr/bin/python3 %python_debug% {PROGRAM}", title)
    check_fault(sections, json)
    check_output(sections)


def test_plain(folder):
    """A program that ends well: nothing is a fault, and pddt's status stays 0."""
    run, (_, sections) = write(folder, "plain", pddt.commands("continue", "wait 60") + ["/bin/echo", "well"])
    run.expect_status(0)
    head = sections[0][1]
    expect(dict(zip(head[0][0], head[0][1][0]))["Ranks that crashed or failed"] == "0", f"head: {head}")
    expect(not [block for block in head if isinstance(block, str)], f"head: {head}")
    expect("0: exited 0" in find(sections, "States over time")[-1], "no end")
    expect(find(sections, "Output") == ["From rank 0:", "well"], "no output")


def test_refusals(folder):
    for arguments, said in ((["--report", f"{folder}/page.pdf", "-e", "wait", "/bin/true"], ".html, .txt, .csv or .json"),
                            (["--report", f"{folder}/no/page.html", "-e", "wait", "/bin/true"], "cannot write")):
        run = pddt.run(arguments)
        run.expect_status(2)
        run.expect(said, "err")
        expect(not os.path.exists(f"{folder}/page.html"), "a report was left behind")
    # Full at the end: said, and not taken for success.
    os.symlink("/dev/full", f"{folder}/full.txt")
    run = pddt.run(["--report", f"{folder}/full.txt", "-e", "continue", "-e", "wait 60", "/bin/true"])
    run.expect_status(1)
    run.expect(f"pddt: cannot write {folder}/full.txt: No space left on device", "err")


def test_terminated(folder):
    """As a batch system ends a job: the report has where the ranks were."""
    path = f"{folder}/terminated.txt"
    program = os.path.join(pddt.SOURCE, "tests", "mpi", "burn.py")
    commands = ["tbreak turn", "continue", "wait 60", "continue"]
    process, marker = pddt.start(["--report", path, "--json", *pddt.commands(*commands, "wait"), "/usr/bin/python3",
                                  "%python_debug%", program])
    n_done = 0
    while n_done < len(commands) and (line := process.stdout.readline()):
        n_done += '"event":"done"' in line
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    pddt.expect_nothing_left(marker)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    expect("Still running at the end: rank 0" in text and "<module> at burn.py:" in text, text)


MANY = """#include <signal.h>
#include <stdio.h>
int work (int n) { return n; }
int main (void)
{
    for (int i = 0; i < 3000; i++) {
        printf ("line %d of a program that says more than a report keeps\\n", i);
    }
    for (int i = 0; i < 103; i++) {
        work (i);
    }
    for (int i = 0; i < 203; i++) {
        raise (SIGUSR2);
    }
    return 0;
}
"""


def test_limits(folder):
    """100 stops and 200 crashes more; the beginning and the end of what a rank says."""
    subprocess.run(["cc", "-g", "-o", f"{folder}/many", "-xc", "-"], input=MANY.encode(), check=True)
    with open(f"{folder}/commands", "w", encoding="utf-8") as file:
        file.write("break work\nhandle SIGUSR2 stop nopass\n" + "continue\nwait 20\n" * 307)
    run, (_, sections) = write(folder, "many", ["-x", f"{folder}/commands", f"{folder}/many"])
    run.expect_line("0: exited 0")
    stops = [blocks for title, blocks in sections if title.startswith("Stop ")]
    expect(len(stops) == 300, f"{len(stops)} stops")
    expect(sum("signal SIGUSR2" in stop[0] for stop in stops) == 200, "not 200 crashes")
    expect(all("work at" in str(stop) or "raise" in str(stop) or "main at" in str(stop) for stop in stops), "no stacks")
    text = find(sections, "Output")[1]
    lines = text.splitlines()
    expect(lines[0].startswith("line 0 ") and lines[-1].startswith("line 2999 "), f"{lines[0]} to {lines[-1]}")
    head, _, tail = text.partition("bytes are left out here]")
    expect(24 << 10 < len(head) <= 33 << 10 and 31 << 10 <= len(tail) <= 65 << 10, f"{len(head)} and {len(tail)} bytes")


def test_lost(folder):
    """A rank whose daemon is killed is among what went wrong; a pddt that is killed writes nothing."""
    for victim in "pddtd", "pddt":
        path = f"{folder}/lost-{victim}.txt"
        process, marker = pddt.start(["--report", path, *pddt.commands("show state", "continue", "wait 60"), "/bin/sleep", "1000"])
        process.stdout.readline()
        found = pddt.wait_for(victim, lambda: [pid for pid, command in pddt.left_over(marker)
                                               if os.path.basename(command.split(" ", 1)[0]) == victim])
        os.kill(found[0], signal.SIGKILL)
        process.communicate(timeout=60)
        pddt.expect_nothing_left(marker)
        expect(os.path.exists(path) == (victim == "pddtd"), f"a report, though {victim} was killed")
    with open(f"{folder}/lost-pddtd.txt", encoding="utf-8") as file:
        head = file.read().split("States over time")[0]
    expect("0: lost" in head, f"nothing is said of the lost rank: {head}")


temporary = tempfile.mkdtemp(prefix="pddt-test-report-")
try:
    test_refusals(temporary)
    test_plain(temporary)
    test_terminated(temporary)
    test_limits(temporary)
    test_lost(temporary)
    test_fault(temporary, False)
    test_fault(temporary, True)
finally:
    shutil.rmtree(temporary)
print("ok")
