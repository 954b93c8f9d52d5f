# SPDX-License-Identifier: GPL-3.0-or-later
"""Measured runs in a test, and what their archives say to OTF2's own readers."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pddt


def once_in_five(check):
    """For what a machine that is busy or stands still just then may hide: a few ms of work, or who did nothing beside
    others. Right once in five times is right."""
    def repeat(*words):
        for _ in range(4):
            try:
                return check(*words)
            except (SystemExit, AssertionError) as error:
                print(f"# {check.__name__}: once more: {str(error)[:300]}", flush=True)
        return check(*words)
    repeat.__name__ = check.__name__
    return repeat


def run_parts(alone, beside):
    """Runs the tests that the command line names, or one of the two parts: "alone" those whose numbers need a quiet machine,
    "beside" those that other tests may run beside. Without words all of them."""
    chosen = {"alone": alone, "beside": beside}
    for test in chosen.get("".join(sys.argv[1:2]), (*alone, *beside)):
        if len(sys.argv) < 2 or sys.argv[1] in chosen or test.__name__ in sys.argv:
            test()
            print("ok", test.__name__, flush=True)


class Measured:
    """One measured run in a folder of its own."""

    def __init__(self, command, *options, given="", prefix=(), mode="--profile"):
        self.folder = tempfile.mkdtemp(prefix="pddt-measured-")
        self.environment = dict(pddt.ENVIRONMENT, PDDT_TEST_MARKER=os.path.basename(self.folder))
        self.line = list(prefix) + [pddt.PDDT, mode, *options, *command]
        self.given = given

    def start(self, **more):
        return subprocess.Popen(self.line, cwd=self.folder, env=self.environment, text=True,
                                start_new_session=True, **more)

    def run(self):
        process = self.start(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = process.communicate(self.given, timeout=200)
        return self.end(process.returncode, out, err)

    def end(self, status, out, err):
        pddt.expect_nothing_left(os.path.basename(self.folder))
        run = pddt.Run(status, out, err)
        run.archive = os.path.join(self.folder, (re.search(r"archive is (\S+)\.\n", err) or ["", "none"])[1])
        return run

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)


def read(archive):
    """{rank: {"work": seconds, class: seconds}} by OTF2's own reader for Python."""
    subprocess.run(["otf2-print", os.path.join(archive, "traces.otf2")], check=True, stdout=subprocess.DEVNULL)
    script = """
import json, otf2, sys
from otf2.events import CallingContextSample, MeasurementOnOff, Metric
ranks, before = {}, {}
with otf2.reader.open(sys.argv[1]) as trace:
    classes = {p.calling_context: p.value for p in trace.definitions.calling_context_properties
               if p.name == "pddt::class"}
    rates = trace.definitions.clock_properties.timer_resolution
    for location, event in trace.events:
        rank = ranks.setdefault(location.group.name, {"samples": 0, "threads": len([each for each in
            trace.definitions.locations if each.group is location.group])})
        if isinstance(event, CallingContextSample):
            spent = (event.time - before[location]) / rates
            rank["samples"] += 1
            kind = classes[event.calling_context]
            rank[kind] = rank.get(kind, 0) + spent
            at = event.calling_context
            while at is not None and at.region.name != "work":
                at = at.parent
            if at is not None:
                rank["work"] = rank.get("work", 0) + spent
                rank["line"] = at.source_code_location.line_number
            at = event.calling_context
            while at is not None and "Barrier" not in at.region.name:
                at = at.parent
            if at is not None:
                rank["barrier"] = rank.get("barrier", 0) + spent
        if isinstance(event, Metric):
            for member, value in zip(event.metric.members, event.values):
                name = member.name.replace("pddt::", "")
                rank[name] = max(value, rank.get(name, 0))
            continue
        before[location] = event.time
print(json.dumps(ranks))
"""
    out = subprocess.run(["/usr/bin/python3", "-c", script, os.path.join(archive, "traces.otf2")], check=True,
                         stdout=subprocess.PIPE).stdout
    return json.loads(out)


def read_calls(run, archive):
    """{"rank 0: thread 1": {"file.py:function": calls, "opened": frames}} by OTF2's own reader for Python, which
    fails the run where Enter and Leave do not balance or a location's times run backwards."""
    subprocess.run(["otf2-print", os.path.join(archive, "traces.otf2")], check=True, stdout=subprocess.DEVNULL)
    script = """
import json, os, otf2, sys
from otf2.events import Enter, Leave
found, stacks, before = {}, {}, {}
with otf2.reader.open(sys.argv[1]) as trace:
    for location in trace.definitions.locations:
        found[f"{location.group.name}: {location.name}"] = {"opened": 0}
    for location, event in trace.events:
        calls = found[f"{location.group.name}: {location.name}"]
        if event.time < before.get(location, 0):
            sys.exit(f"{location.name}: time runs backwards")
        before[location] = event.time
        stack = stacks.setdefault(location, [])
        if isinstance(event, Enter):
            stack.append(event.region)
            if any(attribute.name == "pddt::opened" for attribute in event.attributes or {}):
                calls["opened"] += 1
                continue
            file = event.region.source_file
            name = f"{os.path.basename(file)}:{event.region.name}" if file else event.region.name
            calls[name] = calls.get(name, 0) + 1
        elif isinstance(event, Leave) and (not stack or stack.pop() is not event.region):
            sys.exit(f"{location.name}: {event.region.name} was not entered")
if any(stacks.values()):
    sys.exit("some regions are never left")
print(json.dumps(found))
"""
    answer = subprocess.run(["/usr/bin/python3", "-c", script, os.path.join(archive, "traces.otf2")], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if answer.returncode != 0:
        run.fail(answer.stderr)
    return json.loads(answer.stdout)


class Script(Measured):
    """A traced script with its file in the run's folder."""

    def __init__(self, text, *options, python="/usr/bin/python3", launcher=(), **more):
        super().__init__([*launcher, python, "script.py"], *options, mode="--trace", **more)
        self.write("script.py", text)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def count(self, archive=None, status=0):
        """(the run, {"file.py:name": calls} of all its processes)."""
        run = self.run()
        run.expect_status(status)
        calls = {}
        for location in read_calls(run, os.path.join(self.folder, archive) if archive else run.archive).values():
            for name, number in location.items():
                calls[name] = calls.get(name, 0) + number
        return run, {name.removeprefix("script.py:"): number for name, number in calls.items()}

    def expect(self, wanted, **more):
        run, calls = self.count(**more)
        found = {name: calls.get(name, 0) for name in wanted}
        if found != wanted:
            run.fail(f"calls: {found}, not {wanted}")
        return run
