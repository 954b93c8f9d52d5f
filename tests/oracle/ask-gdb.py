# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside gdb: does the actions of the file named by PDDT_ORACLE_PLAN, one list for each session, and
writes what came of each to PDDT_ORACLE_ANSWER, again after each session and each tenth answer, so that
what a hanging program cost is only what came after it."""
import json
import os

import gdb

SETTINGS = ["confirm off", "pagination off", "debuginfod enabled off", "width 0", "height 0",
            "print entry-values no", "print repeats unlimited", "print elements 200", "print max-depth 20",
            "breakpoint pending off", "startup-with-shell off", "python print-stack none",
            "max-value-size unlimited", "print thread-events off", "unwindonsignal on"]
MOTIONS = ("continue", "step", "next", "finish", "up", "down", "until", "advance", "stepi", "nexti")


def describe_place():
    try:
        frame = gdb.selected_frame()
    except gdb.error:
        return None
    line = frame.find_sal()
    return {"function": frame.name(), "line": line.line if line.symtab else 0,
            "file": os.path.basename(line.symtab.filename) if line.symtab else None}


def execute(command):
    try:
        return {"text": gdb.execute(command, to_string=True)}
    except gdb.error as fault:
        return {"error": str(fault)}
    except Exception as fault:  # pylint: disable=broad-except
        return {"error": "internal: " + str(fault)}


def is_alive():
    return gdb.selected_inferior().pid != 0


def do(kind, text):
    if kind in ("break", "tbreak"):
        return execute(f"{kind} {text}")
    if kind == "clear":
        return execute("delete")
    if kind == "ask":
        return execute(text)
    if kind == "set":
        return execute(text)
    answer = execute(text)
    answer["place"] = describe_place() if is_alive() else None
    return answer


def run_session(session, answers, save):
    execute("kill")
    execute("delete")
    execute("file " + session["program"])
    execute("unset environment")
    for name, text in session["environment"].items():
        execute(f"set environment {name} {text}")
    execute("tbreak MAIN__" if session["fortran"] else "tbreak main")
    execute("run")
    answers.append({"place": describe_place() if is_alive() else None})
    for kind, text in session["actions"]:
        if not is_alive():
            break
        answers.append(do(kind, text))
        if len(answers) % 10 == 0:
            save()


def main():
    for setting in SETTINGS:
        execute("set " + setting)
    with open(os.environ["PDDT_ORACLE_PLAN"], encoding="utf-8") as file:
        sessions = json.load(file)
    path, done = os.environ["PDDT_ORACLE_ANSWER"], []

    def save():
        with open(path + ".new", "w", encoding="utf-8", errors="replace") as file:
            json.dump(done, file)
        os.rename(path + ".new", path)
    for session in sessions:
        done.append([])
        run_session(session, done[-1], save)
        save()
    execute("kill")


main()
