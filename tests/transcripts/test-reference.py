# SPDX-License-Identifier: GPL-3.0-or-later
"""The events of --json have the names and fields that the reference lists, and no others: sessions that give every
event. Arguments: a small C program that ends by itself, the folders of the programs of inferiors and transcripts."""
import json
import os
import re
import sys
import tempfile

import pddt

PROGRAM, INFERIORS, TRANSCRIPTS = sys.argv[1:4]
PLACE = {"function", "file", "line", "language", "module", "offset"}
# What takes a lost host or a slow one: tests/hosts/test-losses.py and tests/command/test-why.c have them.
NOT_HERE = {"lost", "progress"}
PYTHON = """
import time
def work(n):
    value = [n] * 20
    return value[0]
work(1)
work(2)
print("worked", flush=True)
time.sleep(0.6)
raise KeyError("on purpose")
"""


def read_reference():
    """{event: fields}"""
    with open(os.path.join(pddt.SOURCE, "doc", "commands.md"), encoding="utf-8") as file:
        part = file.read().split("## Events of --json")[1]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", part, re.M)
    fields = {}
    for name, text in rows:
        words = set(re.findall(r"\w+", text)) - {"and", "or", "the", "fields", "of", "that", "s", "event"}
        fields[name] = words | (PLACE if "place" in words else set())
    # an answer to show state has the fields of the event of that state
    fields["state"] |= fields["stopped"] | fields["running"] | fields["exited"] | fields["lost"] | fields["detached"]
    return fields


def play(*commands, program, begin=()):
    run = pddt.run(["--json", *begin, *pddt.commands(*commands), *program])
    return run, [json.loads(line) for line in run.out.splitlines()]


def sessions(folder):
    script = os.path.join(folder, "script.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(PYTHON)
    line = PYTHON.splitlines().index("    return value[0]") + 1
    yield play("break nowhere.c:1", "break main", "show state", "show breakpoints", "where full", "print argc", "print 1 +",
               "list", "show threads", "show registers", "show modules", "show maps", "show signals", "disassemble", "x/4xb $sp",
               "up", "show locals", "stepi", "wait", "show options", "why", "show sets", "nonsense", "info frame", "continue",
               "wait 60", "show state", "print 1", program=[PROGRAM])
    yield play(f"break script.py:{line} if n == 1 log \"n is {{n}}\"", f"break script.py:{line} if n == 2", "continue", "wait 60",
               "print value", "print n * 10", "finish", "wait 60", "py n = 3", "call len(value)", "show queue", "continue",
               "profile 0.3", "wait 60", "kill", program=[pddt.PYTHON, "%python_debug%", script])
    yield play("on 0 step 3", "continue", "wait", "show queue", "why", "where", "show diverged",
               program=["mpirun", "-np", "2", os.path.join(TRANSCRIPTS, "exchange")])
    yield play("continue", "on 2 wait 60", "on 2 frame 1", "on 2 up", "show state", "show queue", program=["mpirun", "-np", "3", os.path.join(TRANSCRIPTS, "crash")])
    yield play("on 1 input text", "continue", "wait 60", program=["mpirun", "-np", "2", os.path.join(TRANSCRIPTS, "mistakes")])
    yield play("break work", "continue", "wait 60", "kill", program=[pddt.PYTHON, script])
    yield play("detach", "wait 20", program=["/bin/sleep", "0.2"])
    yield play("tcatch fork", "continue", "wait 20", "show breakpoints", "continue", "wait 20", "kill",
               program=[os.path.join(INFERIORS, "inferior-forks")])


def main():
    fields, seen = read_reference(), {}
    with tempfile.TemporaryDirectory() as folder:
        for run, events in sessions(folder):
            for event in events:
                name = event.pop("event")
                if name not in fields:
                    run.fail(f"the reference has no event {name}: {event}")
                if unknown := set(event) - fields[name]:
                    run.fail(f"the reference has no {unknown} of {name}: {event}")
                seen.setdefault(name, set()).update(event)
    missing = set(fields) - set(seen) - NOT_HERE
    print("never seen:", {name: sorted(fields[name] - seen.get(name, set()) - PLACE) for name in fields})
    if missing:
        raise SystemExit(f"no such event came: {missing}")


main()
