# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that are stuck or wrong, each with a known culprit, which the verdict must name; the
same programs fixed, and healthy ones, which must never be called stuck."""
import concurrent.futures
import json
import os
import sys

import pddt

ZOO = os.path.join(pddt.SOURCE, "tests", "zoo")
BUILT = os.path.join(pddt.BUILD, "tests", "zoo")


class Case:
    """A program, how many ranks, and what is known of it. wait: the wait itself must fail."""

    def __init__(self, file, n, verdict, culprits, text, line=None, wait=True, argument=None,
                 before=("continue",), options=(), step=False):
        self.file, self.n, self.verdict, self.culprits = file, n, verdict, culprits
        self.text, self.line, self.wait, self.argument = text, line, wait, argument
        self.before, self.options, self.step = before, list(options), step

    @property
    def name(self):
        return f"{self.file} {self.argument or ''} {'by step' if self.step else ''}".strip()

    def command(self, argument):
        path = os.path.join(ZOO, self.file)
        program = [pddt.PYTHON, "%python_debug%", path] if self.file.endswith(".py") \
            else [os.path.join(BUILT, self.file.split(".")[0])]
        return ["mpirun", "-np", str(self.n)] + program + ([argument] if argument else [])


def at(file, name):
    """file:line of a mark, also behind Fortran's comment sign."""
    with open(os.path.join(ZOO, file), encoding="utf-8") as source:
        for number, text in enumerate(source, 1):
            if text.rstrip().endswith(("//@ " + name, "# @ " + name, "!@ " + name)):
                return f"{file}:{number}"
    raise SystemExit(f"no mark {name} in {file}")


def begun(file):
    """Commands that let all ranks leave MPI_Init, however long that takes, and go on."""
    return (f"tbreak {at(file, 'begun')}", "continue", "wait 60", "continue")


# Those that are also run mended; the others differ in nothing but MPI's own words.
MENDED = {"head.c", "wildcard.c", "branch.c", "waitall.c", "skipped.py"}

CASES = [
    Case("head.c", 2, "cycle", "0-1", "0 and 1 wait for each other: 0 in MPI_Recv from 1, tag 7",
         "culprit"),
    Case("head.c", 2, "cycle", "0-1", "one must send first", "culprit", step=True),
    Case("ring.c", 3, "cycle", "0-2", "wait for each other in a circle: 0 in MPI_Ssend to 1, tag 3",
         "culprit"),
    Case("ring.c", 16, "cycle", "0-15", "and 12 more; one must receive first", "culprit"),
    Case("mismatch.c", 3, "mismatch", "2",
         "the second collective on MPI_COMM_WORLD is not the same for all: 2 calls MPI_Barrier", "culprit"),
    Case("root.c", 3, "mismatch", "2", "0-1 with root 0", "culprit", wait=False,
         before=("break done", "continue", "wait 120")),
    Case("tag.c", 2, "ended", "1", "with tag 12, which 0 never asked for", "culprit"),
    Case("communicator.c", 2, "cycle", "0-1", "in halo, not in MPI_COMM_WORLD, which 0 never asked",
         "culprit"),
    Case("gone.c", 2, "ended", "1", "1 is in MPI_Finalize", "gone"),
    Case("wildcard.c", 3, "ended", "1", "0 waits in MPI_Recv from 1, tag 5", "culprit"),
    Case("branch.c", 4, "mismatch", "0-3", "1,3 MPI_Barrier", "culprit"),
    Case("input.c", 2, "system-call", "0", "input frees it", "culprit", wait=False,
         before=begun("input.c"), options=["--input", "0"]),
    Case("endless.c", 2, "missing", "1", "1 has not called it; it is computing", "culprit",
         wait=False, before=begun("endless.c")),
    Case("endless.c", 2, "missing", "1", "1 has not called it; it ", "poll", wait=False,
         argument="poll", before=begun("endless.c")),
    Case("locked.c", 2, "system-call", "1", "waits for a mutex that the same thread holds", "self",
         wait=False, argument="self", before=begun("locked.c")),
    Case("locked.c", 2, "system-call", "1", "waits for a mutex that thread ", "other", wait=False,
         argument="other", before=begun("locked.c")),
    Case("locked.c", 2, "system-call", "1", "waits for the end of thread ", "join", wait=False,
         argument="join", before=begun("locked.c")),
    Case("waitall.c", 3, "cycle", None, "MPI_Waitall for MPI_Irecv", "culprit"),
    Case("crossed.f90", 2, "cycle", "0-1", "0 and 1 wait for each other: 0 in MPI_Recv from 1, tag 6",
         "culprit"),
    Case("swapped.f90", 3, "mismatch", "2", "with root 1", "culprit", wait=False,
         before=("break done", "continue", "wait 120")),
    Case("skipped.py", 2, "mismatch", "0-1", "MPI_Barrier (comm.", "culprit"),
    Case("lower.py", 2, "cycle", "0-1",
         "0 and 1 wait for each other: 0 in comm.recv from 1, tag 2", "culprit"),
]

CASES.append(Case("window.py", 2, "cycle", "0-1", "0 and 1 wait for each other: 0 in the second collective on "
                  "plate, win.Fence", "culprit"))


def stall(mode, line, text, n=2, verdict="cycle", culprits="0-1", **more):
    return Case("stalls.c", n, verdict, culprits, text, line, argument=mode, **more)


CASES += [
    stall("poll-gone", "poll", "MPI_Test", verdict="missing", culprits="0",
          wait=False, before=begun("stalls.c")),
    stall("any", "any", "0 in MPI_Waitany for MPI_Irecv from 1, tag 1"),
    stall("probe", "probe", "with tag 12, which 0 never asked for"),
    stall("ssend", "ssend", "one must receive first"),
    stall("lock", "lock", "on the window of 1, which 1 has locked since"),
    stall("fence", "fence", "0 in the second collective on window of MPI_COMM_WORLD, MPI_Win_fence"),
    stall("expose", "exposed", "0 in MPI_Win_wait"),
    stall("subset", "dup", "0 in the first collective on MPI_COMM_WORLD, MPI_Comm_dup", n=3, culprits="0,2"),
    stall("barriers", "barrier", "0 in the first collective on copy, MPI_Barrier"),
    stall("inter", "inter", "0 in MPI_Recv from 1, tag 6 on both"),
    stall("split", "split", "in half, where it is 1, not in MPI_COMM_WORLD, which 2 never asked for",
          n=4, culprits="1-2"),
    stall("unstarted", "unstarted", "1 in MPI_Ssend to 0, tag 2"),
    stall("threads", "thread", "0 in MPI_Recv from 1, tag 5"),
    stall("ibarrier", "ibarrier", "0 in the first collective on MPI_COMM_WORLD, MPI_Ibarrier"),
    stall("neighbours", "neighbour", "1 in the first collective on ring, MPI_Neighbor_allgather", n=4),
    stall("graph", "graph", "1 in MPI_Recv from 0, tag 4 on pair"),
    stall("no-finalize", "forgets", "1 has not called it; it is in pause", verdict="system-call",
          culprits="1", wait=False, before=begun("stalls.c")),
]

if os.environ.get("PDDT_LONG"):  # ./check --long
    CASES.append(Case("ring.c", 64, "cycle", "0-63", "and 60 more; one must receive first", "culprit"))

DEADLY = {"held", "ended", "mismatch", "cycle", "no-partner"}


def events(run, kind):
    found = []
    for line in run.out.splitlines():
        event = json.loads(line)
        if event["event"] == kind:
            found.append(event)
    return found


def check(case):
    """The wrong program: kind, culprits, words and place."""
    lines = list(case.before)
    if case.step:
        lines = ["break head.c:%d" % (int(at("head.c", "culprit").split(":")[1])), "continue",
                 "wait 120", "delete 1", "next"]
    lines += ["wait"] if case.wait else ["wait 1", "why"]
    if case.verdict == "mismatch" and case.wait:  # it stops those who disagree, unasked
        lines += ["expect stopped", "why"]
    if case.file == "input.c": # what the verdict offers does free it
        lines += ["on 0 input hello", "wait", "expect exited"]
    arguments = ["--json"] + case.options + pddt.commands(*lines) + case.command(case.argument)
    run = pddt.run(arguments)
    found = [event for event in events(run, "why") if event["verdict"] == case.verdict]
    if not found:
        run.fail(f"{case.name}: no verdict {case.verdict}")
    verdict = found[-1]
    if case.culprits is not None and verdict["culprits"] != case.culprits:
        run.fail(f"{case.name}: culprits {verdict['culprits']}, not {case.culprits}")
    if case.text not in verdict["text"]:
        run.fail(f"{case.name}: no {case.text!r} in {verdict['text']!r}")
    if case.line is not None and at(case.file, case.line) not in verdict["text"]:
        run.fail(f"{case.name}: no {at(case.file, case.line)} in {verdict['text']!r}")
    if not verdict["certain"]:
        run.fail(f"{case.name}: not certain")
    if case.file == "input.c" and "rank 1 has hello" not in run.out:
        run.fail(f"{case.name}: input did not free it")
    return f"{case.name}: {verdict['text']}"


def check_counts():
    """Nothing hangs by it: what the ranks have called is told when they leave, at the latest."""
    case = Case("stalls.c", 2, None, None, None)
    run = pddt.run(["--json"] + pddt.commands("continue", "wait") + case.command("counts"))
    run.expect("0 calls MPI_Reduce with 8 bytes (%s), 1 with 4 bytes" % at("stalls.c", "counts"))
    return "stalls.c counts"


def check_spawn():
    """A child that is started by MPI_Comm_spawn runs as it would, and its parent's call is told."""
    dialogue = pddt.Dialogue(Case("stalls.c", 1, None, None, None).command("spawn"))
    dialogue.ask("continue")
    pddt.wait_for("the child", lambda: "to child" in json.dumps(dialogue.ask("show queue")[0]), 60)
    for command, text in (("show queue", "in MPI_Recv from outside, tag 4, to child, room for 4 bytes of "
                                         "MPI_INT at " + at("stalls.c", "spawn")),
                          ("why", "0 waits in MPI_Recv from another job, tag 4 on to child")):
        answer = json.dumps(dialogue.ask(command)[0])
        if text not in answer:
            raise SystemExit(f"spawn: no {text!r} in {answer}")
    dialogue.end()
    return "stalls.c spawn"


def check_fixed(case):
    """The same program mended ends, and nothing is said against it."""
    run = pddt.run(["--json"] + pddt.commands("continue", "wait", "expect exited")
                   + case.command("--fixed"))
    run.expect_status(0)
    for event in events(run, "why"):
        if event["verdict"] in DEADLY:
            run.fail(f"{case.name} --fixed: {event['text']}")
    return f"{case.name} --fixed"


def check_healthy(file):
    """Asked while it computes, reads slowly and polls."""
    case = Case(file, 3, None, None, None)
    run = pddt.run(["--json"] + pddt.commands(*begun(file), "why", "on 1 why", "wait 1", "why",
                                              "wait", "expect exited") + case.command(None))
    verdicts = events(run, "why")
    if len(verdicts) < 3 or any(event["verdict"] in DEADLY for event in verdicts):
        run.fail(f"{file}: " + "; ".join(event["text"] for event in verdicts))
    if any(event["stuck"] for event in verdicts):
        run.fail(f"{file}: called stuck")
    if [event["state"] for event in events(run, "exited")][-1:] != ["exited"]:
        run.fail(f"{file}: did not end")
    return f"{file}: " + verdicts[-1]["text"]


def main():
    wanted = sys.argv[1:]
    tasks = [(check, case) for case in CASES if not wanted or case.file in wanted]
    tasks += [(check_fixed, case) for case in CASES
              if not wanted and not case.step and case.file in MENDED]
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        futures = [pool.submit(task, case) for task, case in tasks]
        futures += [pool.submit(check_healthy, file) for file in ("healthy.c", "healthy.py")
                    if not wanted or file in wanted]
        futures += [pool.submit(task) for task in (check_counts, check_spawn)
                    if not wanted or "stalls.c" in wanted]
        pddt.report(futures)


main()
