# SPDX-License-Identifier: GPL-3.0-or-later
"""A rank is killed while a command is asked of it, for every command of the reference: the command ends, one
sentence says what failed in that rank, the rank's end is reported, and another rank is unharmed. Arguments: a
program of two threads that runs forever."""
import os
import re
import signal
import subprocess
import sys
import tempfile

import pddt

LOOPS = sys.argv[1]
FOLDER = tempfile.TemporaryDirectory(prefix="pddt-dying-")  # pylint: disable=consider-using-with
BATCH = 12  # ranks at a time; the last one lives
# What a command wants to know. The others are asked alone.
ARGUMENTS = {
    "until": "until turn", "jump": "jump turn", "break": "break turn if over == 0", "tbreak": "tbreak turn",
    "watch": "watch turns[0]", "catch": "catch signal SIGUSR1", "tcatch": "tcatch fork",
    "handle": "handle SIGUSR2 nostop", "delete": "delete 1", "disable": "disable 1", "enable": "enable 1",
    "where": "where threads full", "frame": "frame 1", "thread": "thread 2", "print": "print turns",
    "set var": "set var over = 0", "call": "call finish ()", "whatis": "whatis over", "ptype": "ptype turns",
    "py": "py 1", "x": "x/8xg $sp", "input": "input text", "expect": "expect stopped",
    "wait": "wait 0.1", "list": "list 1", "step": "step 3", "stepi": "stepi 20", "python": "python 1",
    "generate-core-file": f"generate-core-file {FOLDER.name}/core",
}
# About the session, not about ranks; and what would end it.
NOT_ASKED = {"define", "document", "source", "set option", "set", "live set", "forget", "pick", "save", "load", "restart", "quit", "help",
             "show sets", "show options"}


def read_commands():
    with open(os.path.join(pddt.SOURCE, "doc", "commands.md"), encoding="utf-8") as file:
        part = file.read().split("\n## ")[1]
    names = re.findall(r"^\| `([^`]*)`", part, flags=re.M)
    lines = {}
    for name in names:
        word = re.match(r"(?:(?:show|set|live set)(?= [a-z]) )?[a-z-]+", name)[0]
        word = "set" if name.startswith("set NAME") else "live set" if name.startswith("live set") else word
        if word not in NOT_ASKED:
            lines[word] = ARGUMENTS.get(word, word)
    return lines


def read_until_done(dialogue):
    events = []
    while event := dialogue.read():
        events.append(event)
        if event["event"] == "done":
            return events
    raise SystemExit("pddt has ended")


def check_batch(commands):
    processes = [subprocess.Popen([LOOPS, "/"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
                 for _ in range(len(commands) + 1)]
    healthy = len(commands)
    for process in processes:
        pddt.wait_for("both threads", lambda: len(os.listdir(f"/proc/{process.pid}/task")) == 2)
    dialogue = pddt.Dialogue(["--attach", ",".join(str(process.pid) for process in processes)])
    try:
        seen = []
        pddt.wait_for("all ranks", lambda: dialogue.ask("expect stopped")[0][-1]["ok"])
        for victim, command in enumerate(commands):
            dialogue.given.write(f"on {victim},{healthy} {command}\n")
            dialogue.given.flush()
            processes[victim].send_signal(signal.SIGKILL)
            events = read_until_done(dialogue)
            said = [event["text"] for event in events
                    if event["event"] in ("error", "failure") and event.get("ranks") == str(victim)]
            if len(said) > 1:
                raise SystemExit(f"{command}: {said}")
            seen += events
            for after in (f"on {healthy} pause", f"on {healthy} wait 120", f"on {victim} wait 120",
                          f"on {healthy} delete"):
                seen += dialogue.ask(after)[0]
        for victim, command in enumerate(commands):
            if command not in ("detach",):  # its rank may have been let go before it was killed
                pddt.wait_for(f"the end of the rank that was asked to {command}",
                              lambda: dialogue.ask(f"on {victim} expect failed SIGKILL")[0][-1]["ok"])
        if not set(commands) & set(ENDING):
            events = dialogue.ask(f"on {healthy} print over + 1")[0]
            if not any(event["event"] == "values" and event["values"][0]["groups"][0]["text"] == "1"
                       for event in events):
                raise SystemExit(f"the healthy rank: {events}")
        if any("daemon" in event.get("text", "") for event in seen if event["event"] in ("message", "error")):
            raise SystemExit(f"the daemon: {seen}")
        dialogue.end()
    finally:
        for process in processes:
            process.kill()
            process.wait()


found = read_commands()
unknown = set(ARGUMENTS) - set(found)
if unknown or len(found) < 40:
    raise SystemExit(f"{len(found)} commands, not in the reference: {unknown}")
# After these the healthy rank may have ended: nobody knows where a jump into a function returns to.
ENDING = ("kill", "detach", ARGUMENTS["jump"])
last = [command for command in found.values() if command in ENDING]
rest = [command for command in found.values() if command not in last]
for first in range(0, len(rest), BATCH - 1):
    check_batch(rest[first:first + BATCH - 1])
for command in last:
    check_batch([command])
print("ok", len(found), "commands")
