# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that ended with tail calls become marked frames if the chain is unambiguous;
otherwise a mark says that calls are missing, and no value of an unknown call is shown. finish
and frame numbers work across them. Usage: PROGRAM"""
import json
import subprocess
import sys

from pddt import ENVIRONMENT, PDDT

TAIL, GAP = " [tail call]", " [calls missing]"
STOPS = [
    ["stop", "reach", "middle" + TAIL, "direct" + TAIL, "main"],
    ["stop", "reach" + GAP, "main"],
    ["stop", "reach" + GAP, "leads" + TAIL, "main"],
    ["stop", "reach", "again" + TAIL, "main"],
    ["stop", "ping", "main"],
    ["stop", "handled" + GAP, "main"],
    ["stop", "handled", "by_pointer", "main"],
]


def run(commands):
    line = [PDDT, "--json", "-e", "break stop", "-e", "continue", "-e", "wait"]
    for command in commands:
        line += ["-e", command]
    done = subprocess.run(line + [sys.argv[1]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=100, env=dict(ENVIRONMENT, DEBUGINFOD_URLS=""))
    return [json.loads(text) for text in done.stdout.splitlines()], done.stdout + done.stderr


def write(frame):
    return (frame["function"] + (TAIL if frame.get("tail_call") else "") +
            (GAP if frame.get("calls_missing") else ""))


def check(number, good, title, output):
    print(f"{'ok' if good else 'not ok'} {number} - {title}")
    if not good:
        print("# " + output[-3000:].replace("\n", "\n# "))
    return not good


def main():
    print("1..4")
    commands = []
    for _ in STOPS:
        commands += ["where", "continue", "wait"]
    events, output = run(commands)
    seen = [[write(frame) for frame in reversed(event["frames"])]
            for event in events if event["event"] == "stacks"]
    failed = check(1, seen == STOPS, "frames and marks", f"{seen}\n{output}")
    # who called is not known behind a gap: nothing but what is in registers and memory is shown
    events, output = run(["frame 3", "print number", "frame 2", "print number", "whatis number"])
    values = [event["values"][0]["groups"][0]["text"] for event in events if event["event"] == "values"]
    failed += check(2, values[:2] == ["1", "11"], "values of functions that are gone", f"{values}\n{output}")
    # out of a function that is gone is out of the one that it jumped to
    for number, frame in ((3, 1), (4, 3)):
        events, output = run([f"frame {frame}", "finish", "wait", "where"])
        stacks = [event for event in events if event["event"] == "stacks"]
        failed += check(number, stacks and [write(f) for f in stacks[-1]["frames"]] == ["main"],
                        f"finish of frame {frame}", output)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
