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
# What takes a lost host or a slow rank: tests/command/test-json.c has them.
NOT_HERE = {"lost", "progress"}
# What the objects inside of an event have: {event: {where: fields}}; the reference names each of these fields, too.
VALUES = {"values": "name groups summary", "values.groups": "ranks text type number problem digest",
          "values.summary": "min min_at max max_at mean nan_at inf_at"}
INSIDE = {
    "breakpoint": {"places": ""}, "values": VALUES, "returned": VALUES,
    "profile": {"frames": "depth total self ranks is_sampled"},
    "stacks": {"frames": "depth ranks count arguments locals inlined tail_call calls_missing incomplete"},
    "text": {"details": "kind number address end offset name text here gone readable writable executable stop print pass"},
    "why": {"parts": "ranks call culprit"},
}
HAS_PLACE = {"places", "frames", "details", "parts"}
# tests/symbol/test-debian.py and test-tails.py have these marks of frames, tests/command/test-code.py a file that is gone,
# tests/profile/test-filled.py what is sampled
NOT_INSIDE = {"inlined", "tail_call", "calls_missing", "incomplete", "gone", "is_sampled"}
# fields that hold one of the words which the reference lists after their name
WORDS = {("queue", "what"), ("why", "verdict")}
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
    """{event: fields}, and {event: what the reference says of it}"""
    with open(os.path.join(pddt.SOURCE, "doc", "commands.md"), encoding="utf-8") as file:
        part = file.read().split("## Events of --json")[1]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", part, re.M)
    fields, meanings = {}, dict(re.findall(r"^\| `(\w+)` \| [^|]* \| ([^|]*) \|$", part, re.M))
    for name, text in rows:
        words = set(re.findall(r"\w+", text)) - {"and", "or", "the", "fields", "of", "that", "s", "event"}
        fields[name] = words | (PLACE if "place" in words else set())
    # an answer to show state has the fields of the event of that state
    fields["state"] |= fields["stopped"] | fields["running"] | fields["exited"] | fields["lost"] | fields["detached"]
    return fields, meanings


def list_inside(value, where):
    """(where, object) of all objects in a list of them."""
    if isinstance(value, list):
        for each in value:
            yield from list_inside(each, where)
    elif isinstance(value, dict) and "base64" not in value:
        yield where, value
        for key, inner in value.items():
            yield from list_inside(inner, f"{where}.{key}")


def check_inside(run, name, event, seen):
    """The objects in the event have fields that INSIDE lists."""
    for key, value in event.items():
        if key == "classes": # a number for each
            if not all(isinstance(seconds, (int, float)) for seconds in value.values()):
                run.fail(f"{value}")
            continue
        for where, inner in list_inside(value, key):
            if where not in INSIDE.get(name, {}):
                run.fail(f"the reference has no objects in {where} of {name}: {inner}")
            known = set(INSIDE[name][where].split()) | (PLACE if where in HAS_PLACE else set())
            if unknown := set(inner) - known:
                run.fail(f"the reference has no {unknown} in {where} of {name}: {inner}")
            seen.setdefault((name, where), set()).update(inner)


def find_problems_inside(meanings, seen):
    for name, objects in INSIDE.items():
        said = set(re.findall(r"\w+", meanings["values" if name == "returned" else name]))
        for where, text in objects.items():
            wanted = set(text.split())
            if where != "values" and wanted - said - {where}:
                yield f"the reference does not say that {where} of {name} has {wanted - said}"
            if name != "returned" and wanted - seen.get((name, where), set()) - NOT_INSIDE:
                yield f"{where} of {name} never has {wanted - seen.get((name, where), set())}"


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
    yield play("detach", "wait 120", program=["/bin/sleep", "0.2"])
    yield play("tcatch fork", "continue", "wait 120", "show breakpoints", "continue", "wait 120", "kill",
               program=[os.path.join(INFERIORS, "inferior-forks")])
    with open(os.path.join(pddt.SOURCE, "tests", "transcripts", "values.c"), encoding="utf-8") as file:
        stored = next(number for number, text in enumerate(file, 1) if "//@ end" in text)
    yield play(f"break values.c:{stored}", "continue", "wait 60", "print rank", "print (rank - 1) / 0.0", "print nosuch",
               "set option limit-items 2", "print numbers", "print *(long double *) numbers", "kill",
               program=["mpirun", "-np", "3", os.path.join(TRANSCRIPTS, "values")])


def main():
    (fields, meanings), seen, inside = read_reference(), {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for run, events in sessions(folder):
            for event in events:
                name = event.pop("event")
                if name not in fields:
                    run.fail(f"the reference has no event {name}: {event}")
                if unknown := set(event) - fields[name]:
                    run.fail(f"the reference has no {unknown} of {name}: {event}")
                seen.setdefault(name, set()).update(event)
                check_inside(run, name, event, inside)
                for key in event:
                    if (name, key) in WORDS and event[key] not in re.split(r"[,.;:] (?:or )?| or | is ", meanings[name]):
                        run.fail(f"the reference has no {key} {event[key]} of {name}")
    missing = set(fields) - set(seen) - NOT_HERE
    print("never seen:", {name: sorted(fields[name] - seen.get(name, set()) - PLACE) for name in fields})
    problems = [f"no such event came: {missing}"] if missing else []
    problems += find_problems_inside(meanings, inside)
    if problems:
        raise SystemExit("\n".join(problems))


main()
