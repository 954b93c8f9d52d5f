# SPDX-License-Identifier: GPL-3.0-or-later
"""The same commands by -e, from a file and from a pipe print the same and end with the same status: the rest of a file is left
out after a failure, which is the one difference. Argument: the program words."""
import os
import subprocess
import sys
import tempfile

import pddt

WORDS = sys.argv[1]
SOURCE = os.path.join(pddt.SOURCE, "tests", "inferiors", "words.c")
HALF, END, LOOP = (pddt.mark(SOURCE, name) for name in ("half", "end", "loop"))
SCRIPTS = [
    ["continue"], ["break half_of", "continue", "print value", "continue"], ["break nowhere", "continue"],
    ["next", "next", "step", "where", "finish"], ["tbreak half_of", "continue", "finish", "finish"], [f"until {END}"], [f"advance {END}"],
    ["watch halved", "continue", "continue", "delete", "continue"], ["handle SIGUSR1 nostop noprint", "continue", "expect exited 0"], ["quit 3"], ["print 1", "quit", "print 2"],
    [f"break {HALF}", "commands 1", "silent", "print result", "continue", "end", "continue", "show breakpoints"],
    ["define both", "print $arg0", "next", "end", "both 3", "both 4"], ["handle SIGUSR1 nostop noprint", "define go", "continue", "end", "go"],
    ["display number", "next", "next", "undisplay 1", "next"], ["set var number = 5", "print number", "call half_of (8)"],
    [f"break {LOOP} if i == 3", "c", "print i", "bt", "info locals", "info frame", "list", "list"], ["# a comment", "", "  print 1", "\tprint 2"],
    ["step", "stepi", "nexti", "next 3"], ["detach", "wait 20"], ["kill"], ["frame apply all print 1", "next"], ["continue &", "wait 20", "show state"],
    ["python", "print (1)", "end", "next"], ["tbreak half_of", "commands 1", "print value", "end", "continue"],
    ["print nosuch", "print 2"], ["nonsense"], ["continue", "print number", "next"], ["define both", "print 1"], ["restart", "next"]]


def run_ways(folder, lines):
    """{way: (status, output)}"""
    path = os.path.join(folder, "script")
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines))
    shown = {}
    for way, options in (("-e", pddt.commands(*lines)), ("-x", ["-x", path]), ("pipe", ["--cli"])):
        with open(path if way == "pipe" else os.devnull, encoding="utf-8") as given:
            done = subprocess.run([pddt.PDDT, *options, "--", WORDS], stdin=given, capture_output=True, text=True, timeout=120, check=False,
                                  env=pddt.ENVIRONMENT)
        shown[way] = done.returncode, done.stdout.splitlines(), done.stderr
    return shown


def check(folder, lines):
    shown = run_ways(folder, lines)
    status, out, _ = shown["-x"]
    skipped = [number for number, line in enumerate(out) if line.endswith("failed, the rest of the file is skipped")]
    if skipped:
        # the same up to there
        shown = {way: (status, out[:skipped[0]], err) for way, (status, out, err) in shown.items()}
    if not shown["-e"] == shown["-x"] == shown["pipe"]:
        raise SystemExit(f"{lines}: " + "".join(f"\n--- {way}: {result}" for way, result in shown.items()))
    return status


with tempfile.TemporaryDirectory() as work:
    statuses = [check(work, lines) for lines in SCRIPTS]
    if statuses[9] != 3 or statuses[8] != 0 or set(statuses) != {0, 1, 3}:
        raise SystemExit(f"statuses {statuses}")
    if "0: 4 = 4" not in run_ways(work, SCRIPTS[12])["-e"][1] or "0: exited 0" not in run_ways(work, SCRIPTS[13])["pipe"][1]:
        raise SystemExit("the lines of a defined command are not run to their end")
