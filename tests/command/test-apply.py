# SPDX-License-Identifier: GPL-3.0-or-later
"""`frame apply`, `thread apply` and their short forms: which frames and threads, what is shown of them and of failures, and that what
was selected before is selected again. Arguments: the programs words and crossed."""
import os
import re
import subprocess
import sys

import pddt

WORDS, CROSSED = sys.argv[1:3]
SOURCE = os.path.join(pddt.SOURCE, "tests", "inferiors", "words.c")


def frames(run):
    return [int(number) for number in re.findall(r"^0: #(\d+) ", run.out, re.M)]


def ask(*lines):
    return pddt.run(pddt.commands("handle SIGUSR1 nostop noprint", "break spawn if depth == 0", "continue", *lines) + [WORDS])


def check_frames():
    for command, expected in (("all", [0, 1, 2, 3]), ("2", [0, 1]), ("-1", [3]), ("-3", [1, 2, 3]), ("level 1", [1]), ("level 0 2-3", [0, 2, 3]),
                              ("9", [0, 1, 2, 3])):
        run = ask(f"frame apply {command} print 7")
        run.expect_status(0)
        if frames(run) != expected or run.out.count("0: 7 = 7") != len(expected):
            run.fail(f"{command}: {frames(run)}")
    run = ask("up", "frame apply all print depth", "frame", "print depth")
    run.expect_status(1) # main has none
    if frames(run) != [1, 0, 1, 2, 3, 1] or re.findall(r"^0: depth = (\d)$", run.out, re.M) != ["0", "1", "2", "1"]:
        run.fail("values of each frame, and the selected one again")
    run.expect("error: no symbol \"depth\" in frame main (0)")
    run = ask("frame apply all -s print depth", "faas print sum", "frame apply all -q print 5")
    run.expect_status(0)
    if frames(run) != [0, 1, 2, 3] or run.out.count("0: 5 = 5") != 4 or "error" in run.out:
        run.fail("only what has an answer is shown")
    run = ask("frame apply level 3 0 print depth", "frame apply level 3 0 -c print depth", "print 9")
    run.expect_status(1)
    if run.out.count("error: no symbol") != 1 + 1 or frames(run) != [0, 3, 0, 3] or "0: 9 = 9" not in run.out:
        run.fail("-c goes on, and without it a failure is the end")
    for line in ("frame apply", "frame apply all", "frame apply some print 1", "thread apply all -s", "frame apply level 77 print 1"):
        run = ask(line)
        run.expect_status(1)
    run.expect_line("error: no such frame (0)")


def check_motion():
    """A motion among them: what was selected is forgotten with it, as always."""
    run = ask("up", "frame apply 1 finish", "frame", "expect stopped")
    run.expect_status(0)
    if frames(run) != [1, 0, 0]:
        run.fail(f"{frames(run)}")


def check_threads():
    """In each thread, once they wait for each other."""
    asked = ["thread apply all print $_thread", "thread apply all -ascending print $_thread", "thread apply 2-3 print $_thread",
             "taas print $_thread", "thread apply 3 1 print $_thread + 10", "thread 2", "tfaas print nosuch", "print $_thread",
             "tfaas print $_thread", "print $_thread", "thread apply 77 print 1"]
    talk = pddt.Dialogue([CROSSED])
    talk.ask("continue")
    pddt.wait_for("the circle", lambda: "a deadlock" in str(talk.ask("why")[0]))
    for command in ("pause", "wait 60"):
        talk.ask(command)
    parts = []
    for text in asked:
        talk.given.write(f"{text}\necho @@\n")
        talk.given.flush()
        parts.append("")
        while not parts[-1].endswith("@@\n"):
            event = talk.read()
            parts[-1] += "".join(f"0: {row['name']} = {group['text']}\n" for row in event.get("values", []) for group in row["groups"])
            parts[-1] += event.get("text", "") + "\n"
    talk.end()

    def numbers(pattern, at):
        return re.findall(pattern, parts[at], re.M)

    headers = [numbers(r"^0: thread (\d+), ", at) for at in range(len(asked))]
    values = [numbers(r"^0: .* = (\d+)$", at) for at in range(len(asked))]
    if (headers[:5] != [["3", "2", "1"], ["1", "2", "3"], ["2", "3"], ["3", "2", "1"], ["1", "3"]] or values[:4] != headers[:4]
            or values[4] != ["11", "13"] or "nosuch" in parts[6] or values[7] != ["2"] or headers[8] != ["3", "2", "1"]
            or len(numbers(r"^0: #0 ", 8)) != 3 or set(values[8]) != {"1", "2", "3"} or values[9] != ["2"]
            or "no such thread" not in parts[10]):
        raise SystemExit(f"{headers} {values} {parts}")


check_frames()
check_motion()
check_threads()
