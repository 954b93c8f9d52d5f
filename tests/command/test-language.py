# SPDX-License-Identifier: GPL-3.0-or-later
"""Promises of the command language: where a file of commands stops, what is refused and with
which message, numbers in JSON, failed starts, and scripts that run their program as a child.
Arguments: a small program that ends by itself, one that runs until a file is removed."""
import json
import os
import stat
import sys
import tempfile

import pddt

PROGRAM, LOOPS = sys.argv[1:3]


def play(*files, after=(), program=(PROGRAM,)):
    """pddt -x each of these texts; FILE stands for its name in what is printed."""
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for i, text in enumerate(files):
            path = os.path.join(folder, f"file{i}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            words += ["-x", path]
        run = pddt.run(words + pddt.commands(*after) + list(program))
        return pddt.Run(run.status, run.out.replace(folder + "/", ""), run.err)


def check_files():
    run = play("# first\n\nshow sets\nnonsense\n\n# not a command\nprint 77\nprint 78\n", "print 79\n",
               after=["print 80"])
    run.expect_status(1)
    run.expect_line("error: file0:4 failed, the rest of the file is skipped")
    for skipped in "77", "78":
        run.expect_not(f"= {skipped}")
    for kept in "79", "80":
        run.expect_line(f"0: {kept} = {kept}")
    run = play("print 1 +\n# nothing follows\n\n")
    run.expect_status(1)
    run.expect_not("skipped")
    # What a wait finds out is an answer, not a mistake of the file's.
    run = play("continue\nwait 0.2\npause\nwait\nprint 81\nwait x\nprint 82\n",
               program=(LOOPS, __file__))
    run.expect_status(1)
    run.expect("error: not finished after 0.2 s (0)")
    run.expect_line("0: 81 = 81")
    run.expect_line("error: file0:6 failed, the rest of the file is skipped")
    run.expect_not("= 82")


def check_refused():
    refused = [
        ("print 1 +", 'error: cannot read expression: a value is missing after "1 +" (0)'),
        ("print (1", 'error: cannot read expression: ")" is missing after "(1" (0)'),
        ("print \"a", 'error: cannot read expression: the quote (") is not closed (0)'),
        ("wait x", 'error: wait needs seconds above 0, not "x"'),
        ("wait 0", 'error: wait needs seconds above 0, not "0"'),
        ("wait 1e3", 'error: wait needs seconds above 0, not "1e3"'),
        ("set option limit-items many",
         'error: limit-items is a number up to 1000000, 0 for no limit, not "many"'),
        ("set option limit-depth -1",
         'error: limit-depth is a number up to 1000000, 0 for no limit, not "-1"'),
        ("set option just-my-code maybe", 'error: just-my-code is on or off, not "maybe"'),
        ("set option follow-fork each", 'error: follow-fork is parent, child or both, not "each"'),
        ("set option limit-items", "error: set option NAME VALUE: the value is missing"),
        ("set option limits 3", 'error: no option "limits"; show options lists them'),
        ("save /nonexistent/a/b.pddt",
         "error: cannot save /nonexistent/a/b.pddt: there is no folder /nonexistent/a"),
    ]
    whole = {"show sets": "show sets", "show options": "show options", "show breakpoints": "show breakpoints",
             "set option limit-items 3": "set option", "help": "help"}
    empty = ["show state", "wait", "where", "list", "break main", "continue", "expect stopped", "why"]
    lines = [line for line, _ in refused] + [f"on exited {line}" for line in [*whole, *empty]] \
        + ["pick exited", "set gone = exited", "live set gone = exited", "on gone print 1"]
    run = pddt.run(pddt.commands(*lines) + [PROGRAM])
    run.expect_status(1)
    answers = run.out.splitlines()[1:]
    expected = [answer for _, answer in refused]
    expected += [f'error: {name} does not act on a set of ranks: leave out "on SET"' for name in whole.values()]
    expected += ["error: no rank is in this set"] * (len(empty) + 3)
    if answers != expected:
        run.fail(f"answers differ: expected {expected}")
    for topic, word in ("SET", "nof N"), ("WHERE", "FILE:FUNCTION"):
        pddt.run(pddt.commands(f"help {topic}") + [PROGRAM]).expect(word)


def check_numbers():
    """Each done has a number of its own, that of its command's answers."""
    run = pddt.run(["--json"] + pddt.commands(
        "show sets", "nonsense", "break main", "on where (1 == 1) print 5", "x/2xb $sp", "delete 1 1",
        "show state", "why", "wait x", "stepi", "wait", "help wait") + [PROGRAM])
    events = [json.loads(line) for line in run.out.splitlines()]
    numbers, since = [], []
    for event in events:
        if event["event"] == "done":
            numbers.append(event["request"])
            for answer in since:
                if answer["event"] not in ("ranks", "stopped", "stepping") \
                        and answer["request"] != event["request"]:
                    run.fail(f"{answer} is of no command, or of another one than {event}")
            since = []
        else:
            since.append(event)
    # the first two stops: of main and of stepi
    moved = [event["request"] for event in events if event["event"] == "stopped"]
    if len(numbers) != 12 or len(set(numbers)) != 12 or 0 in numbers or moved[-1] not in numbers:
        run.fail(f"the numbers are {numbers}, of the moves {moved}")


def check_failed_starts():
    for line in ["/nonexistent-program"], ["--attach", "999999999"], ["--core", "/nonexistent-core"]:
        run = pddt.run(["--json", "-e", "show sets"] + line)
        run.expect_status(3)
        events = [json.loads(line) for line in run.out.splitlines()]
        kinds = [event["event"] for event in events]
        if kinds[-1:] != ["done"] or kinds.count("done") != 1 or events[-1]["ok"] or "error" not in kinds:
            run.fail("a start that fails ends with one done")


def check_scripts():
    """A script that runs its program as a child is told before that ends; one with exec needs nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.sh")

        def write(*lines):
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(("#!/bin/sh",) + lines) + "\n")
            os.chmod(path, stat.S_IRWXU)

        name = os.path.basename(PROGRAM)
        note = f"note: run.sh runs {name} as its child: pddt debugs run.sh itself and does not see {name}."
        for lines in (PROGRAM,), (f"x=$(uname); ({PROGRAM}) | cat",), (f"sh -c '{PROGRAM}; :'",), \
                (f"for i in 1 2 3; do {PROGRAM}; done",):
            write(*lines, "exit 0")
            run = pddt.run(["-e", "wait", path])
            if run.out.count(note) != 1:
                run.fail(f"{lines}: not said once")
        for lines in (f"exec {PROGRAM}",), ("ls > /dev/null", f"x=$(uname)\nexec {PROGRAM}"):
            write(*lines)
            run = pddt.run(["-e", "expect stopped at main", path])
            run.expect_status(0)
            run.expect_not("note:")
        # and at once
        write(f"{PROGRAM}", "read line")
        talk = pddt.Dialogue(["--input", "0", path])
        talk.await_event("note of the script", lambda event: event["event"] == "message"
                         or note[6:20] in event.get("text", ""))
        talk.process.terminate()
        talk.end()


def check_truth():
    """What a condition takes for true, a set does, too: pointers, and what Python says of its objects."""
    end = "inferior.c:%d" % pddt.mark(os.path.join(pddt.SOURCE, "tests", "command", "inferior.c"), "end")
    run = pddt.run(pddt.commands("on where (argv) print 11", "on where (argv[1]) print 12",
                                 f"break {end} if argv[1]", f"break {end} if argv", "continue", "wait") + [PROGRAM])
    run.expect_line("0: 11 = 11")
    run.expect_not("12 = 12")
    run.expect(f"0: breakpoint 2, main at {end}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "boxes.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("""class Box:
    def __init__(self, number, full):
        self.number, self.full = number, full

    def __bool__(self):
        return self.full


def look(box):
    return box


for box in (Box(5, False), Box(6, True)):
    look(box)
""")
        run = pddt.run(pddt.commands("tbreak look", "continue", "wait", "on where (box) print 13",
                                     "on where (not box) print box.number", "break look if box", "continue", "wait",
                                     "on where (box) print box.number", "on where (nothing) print 14")
                       + [pddt.PYTHON, path])
    run.expect_not("13 = 13")
    run.expect_line("0: box.number = 5")
    run.expect("0: breakpoint 2, look at boxes.py:10")
    run.expect_line("0: box.number = 6")
    run.expect("error: NameError")


def check_waits():
    """In scripts a command waits first until its ranks have finished their motions."""
    run = pddt.run(pddt.commands("break inferior.c:14", "continue", "output 1 + 1", "continue", "expect exited")
                   + [PROGRAM])
    run.expect_status(0)
    where = [run.out.index(text) for text in ("breakpoint 1, main", "0: 2", "0: exited 0")]
    assert where == sorted(where), run.out
    # only a motion in the background is not waited for, and what a wait has given up
    run = pddt.run(pddt.commands("continue &", "print turns[0] >= 0", "wait 0.1", "whatis turns",
                                 "step", "pause", "expect stopped") + [LOOPS, __file__])
    run.expect("turns[0] >= 0 = 1 (sampled)")
    run.expect("error: not finished after 0.1 s (0)")
    run.expect("error: step refused, no rank has moved: these have not finished their last motion (0)")
    run.expect_not("expected")
    talk = pddt.Dialogue([PROGRAM])
    talk.given.write("continue\n")
    talk.ask("expect exited")  # up to the end of "continue"
    events = talk.ask("show sets")[0]
    assert events[-1]["ok"], events
    talk.end()


check_files()
check_waits()
check_refused()
check_truth()
check_numbers()
check_failed_starts()
check_scripts()
