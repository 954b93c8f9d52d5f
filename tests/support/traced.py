# SPDX-License-Identifier: GPL-3.0-or-later
"""Traced runs in a test, and what OTF2's own reader for Python says of their archives."""
import collections
import json
import os
import re
import shutil
import subprocess
import tempfile

import pddt


def has_parked_locks(python=pddt.PYTHON):
    """Its locks (in some versions of 3.13, and from 3.14 on) are words of memory, and who waits for one waits for a semaphore
    of its own."""
    said = subprocess.run([python, "-c", "import _thread; print(_thread.LockType.__basicsize__)"], stdout=subprocess.PIPE, text=True, check=True)
    return int(said.stdout) == 24   # the head of an object and a byte


class Traced:
    """One traced run in a folder of its own."""

    def __init__(self, command, *options, **environment):
        self.folder = tempfile.mkdtemp(prefix="pddt-traced-")
        self.environment = dict(pddt.ENVIRONMENT, PDDT_TEST_MARKER=os.path.basename(self.folder), **environment)
        self.line = [pddt.PDDT, "--trace", *options, *command]

    def build(self, name, text, *options):
        """A program of C in the run's folder."""
        with open(os.path.join(self.folder, name + ".c"), "w", encoding="utf-8") as stream:
            stream.write(text)
        subprocess.run(["gcc", *options, "-o", name, name + ".c"], cwd=self.folder, check=True)

    def run(self):
        done = subprocess.run(self.line, cwd=self.folder, env=self.environment, text=True, timeout=200,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        pddt.expect_nothing_left(os.path.basename(self.folder))
        run = pddt.Run(done.returncode, done.stdout, done.stderr)
        run.archive = os.path.join(self.folder, (re.search(r"archive is (\S+)\.\n", done.stderr) or ["", "none"])[1])
        return run

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)


SCRIPT = """
import collections, json, otf2, sys
from otf2 import events as e
out = {"counts": {}, "calls": {}, "sends": [], "receives": [], "collectives": [], "bad": [], "regions": {},
       "parameters": [], "metrics": [], "used": [], "comms": []}
with otf2.reader.open(sys.argv[1]) as trace:
    stacks, last, requests = {}, {}, {}
    names = lambda group: [m.group.name for m in group.members]
    for c in trace.definitions.comms:
        if hasattr(c, "group") and "PTHREAD" in str(c.group.paradigm):
            continue
        out["comms"].append([c.name, len(c.group.members) if hasattr(c, "group") else None])
    for location, event in trace.events:
        where, kind = location.group.name + "/" + location.name, type(event).__name__
        rank = location.group.name
        count = out["counts"].setdefault(rank, {})
        count[kind] = count.get(kind, 0) + 1
        if event.time < last.get(where, 0):
            out["bad"].append("time runs backwards at " + where)
        last[where] = event.time
        stack = stacks.setdefault(where, [])
        if isinstance(event, e.Enter):
            stack.append(event.region.name)
            calls = out["calls"].setdefault(rank, {})
            calls[event.region.name] = calls.get(event.region.name, 0) + 1
            out["regions"][event.region.name] = [str(event.region.paradigm), str(event.region.region_role)]
        elif isinstance(event, e.Leave):
            if not stack or stack.pop() != event.region.name:
                out["bad"].append("unbalanced %s at %s" % (event.region.name, where))
        elif isinstance(event, (e.MpiSend, e.MpiIsend)):
            out["sends"].append([rank, event.communicator.name, str(event.communicator), event.receiver, event.msg_tag,
                                 event.msg_length])
        elif isinstance(event, (e.MpiRecv, e.MpiIrecv)):
            out["receives"].append([rank, event.communicator.name, str(event.communicator), event.sender, event.msg_tag,
                                    event.msg_length])
        elif isinstance(event, (e.MpiCollectiveEnd, e.NonBlockingCollectiveComplete)):
            out["collectives"].append([rank, str(event.collective_op).split(".")[-1], str(event.root), event.size_sent,
                                       event.size_received, len(stack) and stack[-1]])
        elif isinstance(event, e.ParameterInt) or isinstance(event, e.ParameterUnsignedInt):
            out["parameters"].append([rank, event.parameter.name, event.value])
        elif isinstance(event, e.ParameterString):
            out["parameters"].append([rank, event.parameter.name, event.string])
        elif isinstance(event, e.Metric):
            for member, value in zip(event.metric.members, event.values):
                out["used" if member.name.startswith("pddt::") else "metrics"].append([rank, member.name, value])
        if isinstance(event, (e.MpiIsend, e.MpiIrecvRequest, e.NonBlockingCollectiveRequest)):
            if (rank, event.request_id) in requests:
                out["bad"].append("request %d is there twice" % event.request_id)
            requests[rank, event.request_id] = kind
        elif isinstance(event, (e.MpiIsendComplete, e.MpiIrecv, e.NonBlockingCollectiveComplete, e.MpiRequestCancelled)):
            if requests.pop((rank, event.request_id), None) is None:
                out["bad"].append("%s of a request that was not begun" % kind)
    out["open"] = len(requests)
    out["bad"] += ["open at the end of " + where for where, stack in stacks.items() if stack]
print(json.dumps(out))
"""


def read(archive):
    """What python3-otf2 and otf2-print say of the archive; they must agree that it is whole."""
    anchor = os.path.join(archive, "traces.otf2")
    subprocess.run(["otf2-print", anchor], check=True, stdout=subprocess.DEVNULL)
    out = subprocess.run(["/usr/bin/python3", "-c", SCRIPT, anchor], check=True, stdout=subprocess.PIPE).stdout
    trace = json.loads(out)
    assert not trace["bad"], trace["bad"][:5]
    return trace


def match(trace):
    """Every message was sent and received, with the same bytes, in communicators whose members are all ranks in order.
    Returns the number of messages."""
    sent = collections.Counter((int(r[0].split()[1]), r[2], r[3], r[4], r[5]) for r in trace["sends"])
    received = collections.Counter((r[3], r[2], int(r[0].split()[1]), r[4], r[5]) for r in trace["receives"])
    assert sent == received, (sent - received, received - sent)
    return sum(sent.values())


def read_tables(page, section):
    """[[{title: value}]] of the tables in that section of a report, which is JSON."""
    blocks = [each["blocks"] for each in page["sections"] if each["title"] == section]
    assert len(blocks) == 1, [each["title"] for each in page["sections"]]
    return [[dict(zip([column["title"] for column in block["columns"]], row)) for row in block["rows"]]
            for block in blocks[0] if "columns" in block]


def list_classes(page):
    """{class: seconds} of a report."""
    return {row["What the ranks did"]: float(row["Time"]) for row in read_tables(page, "Time")[0]}


def list_ranks(page):
    """{rank: seconds} of a report of several."""
    return {row["Rank"]: float(row["Time"]) for table in read_tables(page, "Ranks") for row in table if "Rank" in row and "Time" in row}
