# SPDX-License-Identifier: GPL-3.0-or-later
"""gdb's commands: each one works, or pddt's refusal names its own way; the list is gdb's. Arguments: a program that ends
by itself, and one of words.c's."""
import os
import re
import subprocess
import sys
import tempfile

import pddt

PROGRAM, WORDS = sys.argv[1:3]
SOURCE = os.path.join(pddt.SOURCE, "tests", "inferiors", "words.c")
END = f"words.c:{pddt.mark(SOURCE, 'end')}"


def read_gdb():
    """The commands of gdb's own help, without settings and what is for gdb's maintainers."""
    out = subprocess.run(["gdb", "-nx", "-q", "-batch", "-ex", "help all"], capture_output=True, text=True,
                         timeout=120).stdout
    names = [name for line in re.findall(r"^([a-z!][^:\n]*) -- ", out, flags=re.M) for name in line.split(", ")]
    left_out = ("maintenance", "mt", "set", "show", "unset", "function", "info", "inf", "|",
                "pi") # of pick
    return [name for name in names if name.split()[0] not in left_out or name.startswith("info ")]


def read_reference():
    """What the reference lists: pddt's commands, and what the others of gdb's are here."""
    run = subprocess.run([pddt.PDDT, "--print-reference"], capture_output=True, text=True, timeout=60, check=True).stdout
    parts = dict((part.split("\n")[0], part) for part in run.split("\n## ")[1:])
    rows = re.findall(r"^\| (`[^|]*?) \|([^|]*)", parts["Commands"].replace("\\|", "/"), flags=re.M)
    own = set()
    for name, words in rows:
        own.add(re.match(r"`((?:info|show|set|live set|profile)? ?[a-z-]+)", name)[1])
        own.update(re.findall(r"`([^`]+)`", words))
    others = set(word for row in re.findall(r"^\| (`[^|]*) \|", parts["gdb's other commands"], flags=re.M)
                 for word in re.findall(r"`([^`]+)`", row))
    return own, others


def check_table():
    own, others = read_reference()
    known = own | others
    first = {name.split()[0] for name in known} - {"info"}
    unknown = [name for name in read_gdb()
               if name not in known and not any(word.startswith(name + " ") for word in known) and " ".join(name.split()[:2]) not in known
               and (name.split()[0] == "info" or name.split()[0] not in first)]
    if len(read_gdb()) < 300 or unknown:
        raise SystemExit(f"neither works nor is refused: {unknown}")
    both = own & others
    if both:
        raise SystemExit(f"in both tables: {both}")


def check_settings():
    """gdb shows and sets each of its settings: pddt does, or names its own list."""
    out = subprocess.run(["gdb", "-nx", "-q", "-batch", "-ex", "help all"], capture_output=True, text=True,
                         timeout=120).stdout
    names = sorted({name.split()[1] for line in re.findall(r"^(show [^:\n]*) -- ", out, flags=re.M)
                    for name in line.split(", ") if len(name.split()) > 1})
    run = pddt.run(pddt.commands(*("show " + name for name in names)) + [PROGRAM])
    refused = [line for line in run.out.splitlines() if line.startswith('error: no command "')]
    if len(names) < 100 or refused:
        raise SystemExit(f"{len(names)} settings, refused without a word: {refused}")
    run.expect("error: no show height: show options lists pddt's options, and help the commands")


def check_words():
    """What works, and how what does not is refused."""
    run = pddt.run(pddt.commands(
        "info args", "info proc mappings", "set print pretty on", "set pagination off", "thread apply all bt", "until",
        "echo one\\ttwo", "info registers rip", "reverse-step", "frame function main", "detach foo", "set listsize 3",
        "set print repeats 4", "show options", "info watchpoints", "checkpoint", "info functions ^half",
        "info variables greeting", "info types colour", "pwd") + [WORDS])
    run.expect_status(1)
    for line in ("error: no info args: show locals lists arguments and locals", "one\ttwo",
                 "error: no set print: print/F chooses a format, and show options lists the limits of what is shown",
                 "error: until needs WHERE; next goes on to the next line", os.getcwd(),
                 "error: not supported: reverse-step; pddt runs programs forward only",
                 "error: no frame function: frame N selects a frame, with N from where",
                 'error: detach takes no argument, not "foo"', "error: no set listsize: list A,B shows lines A to B",
                 "error: not supported: checkpoint; restart starts the job again"):
        run.expect_line(line)
    for text in ("r-x 0x", "#0 0 1 main at words.c:", "limit-repeats = 4", "half_of at ", "greeting", "0: $rip = "):
        run.expect(text)
    run.expect_not("help lists them")


def check_watch():
    """By steps where the user says so, at what cost, and what they find."""
    run = pddt.run(pddt.commands("set can-use-hw-watchpoints 0", "watch number", f"tbreak {END}", "continue", "delete",
                                 "set can-use-hw-watchpoints 1", "watch number") + [WORDS])
    run.expect("(by single steps, as hardware-watch is off: slow, some 20,000 instructions a second)")
    run.expect("watch number (hardware)")


def check_files():
    """source, and the user's own init, which no one else may have written."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write("print 11\nnonsense\nprint 12\n")
        run = pddt.run(pddt.commands(f"source {script}", "print 13") + [PROGRAM])
        run.expect_status(1)
        run.expect_line("0: 11 = 11")
        run.expect_line(f"error: {script}:2 failed, the rest of the file is skipped")
        run.expect_line("0: 13 = 13")
        run.expect_not("12 = 12")
        init = os.path.join(folder, "pddt", "init")
        os.mkdir(os.path.dirname(init))
        with open(init, "w", encoding="utf-8") as file:
            file.write("# mine\necho from init\ndirectory /first\nset substitute-path /old /new\n")
        for mode, above, says in (0o644, 0o755, True), (0o666, 0o755, False), (0o644, 0o777, False):
            os.chmod(init, mode)
            os.chmod(os.path.dirname(init), above)
            run = pddt.run(pddt.commands("show options") + [PROGRAM], prefix=["env", f"XDG_CONFIG_HOME={folder}"])
            run.expect_status(0)
            if ("from init" in run.out) != says or ("chmod go-w" in run.err) == says:
                run.fail("the init file")
            if says:
                run.expect("source-folders = /old=/new:/first")


def check_logging():
    """What the language prints goes to a file, too; what the program prints does not."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log")
        run = pddt.run(pddt.commands(f"set logging file {path}", "print 1", "set logging on", "show logging", "print 2",
                                     "set logging enabled off", "print 3", "set logging on", "print 4",
                                     "set logging off", "set logging overwrite", "set logging on", "print 5",
                                     "set logging redirect", f"set logging file {folder}", "set logging off",
                                     "set logging on") + [PROGRAM])
        run.expect_status(1)
        with open(path, encoding="utf-8") as file:
            kept = [line for line in file.read().splitlines() if "= " in line or "error" in line]
        if kept[:1] != ["0: 5 = 5"] or len(kept) != 2 or not kept[1].startswith("error: set logging takes on, off"):
            run.fail(f"the log has {kept}")
        for line in (f"logging to {path}", f"done logging to {path}", "0: 1 = 1", "0: 3 = 3",
                     f"error: cannot log to {folder}: Is a directory"):
            run.expect_line(line)
        run = pddt.run(pddt.commands(f"set logging file {path}", "set logging on", "print 6") + [PROGRAM])
        run.expect_status(0)
        with open(path, encoding="utf-8") as file:
            kept = [line for line in file.read().splitlines() if "= " in line]
        if kept != ["0: 5 = 5", "0: 6 = 6"]:
            run.fail(f"the second log has {kept}")


def check_standing():
    """The first stop is at main: who sets a breakpoint there and goes on is told that this is no stop."""
    run = pddt.run(pddt.commands("break main", f"break {END}", "tbreak main", "break half_of") + [WORDS])
    run.expect_status(0)
    run.expect_line("0: it stands there already: breakpoint 1 stops it the next time it gets there")
    run.expect_line("0: it stands there already: breakpoint 3 stops it the next time it gets there")
    for number in (2, 4):
        run.expect(f"breakpoint {number} set")
        run.expect_not(f"breakpoint {number} stops it")


def check_counts():
    """A number of hits is ignored, in C and in Python; the count begins anew with another number."""
    run = pddt.run(pddt.commands("break half_of", "ignore 1 1", "continue", "print value", "ignore 1 0", "show breakpoints",
                                 "on 0 ignore 1 many") + [WORDS])
    run.expect_line("0: value = -77")
    run.expect_line("error: ignore N COUNT: COUNT is a number of hits, not \"many\"")
    run.expect_not("from hit")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counted.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("def f(n):\n    return n\n\n\nfor i in range(9):\n    f(i)\n")
        run = pddt.run(pddt.commands("break counted.py:2", "ignore 1 2", "continue", "print n", "ignore 1 3", "continue",
                                     "print n", "continue", "print n", "show breakpoints") + ["/usr/bin/python3", path])
    run.expect_status(0)
    for line in ("0: n = 2", "0: n = 6", "0: n = 7"):
        run.expect_line(line)
    run.expect("from hit 4")


def check_search():
    """From the selected frame on, and from what was found."""
    half = pddt.mark(SOURCE, "half")
    run = pddt.run(pddt.commands("reverse-search ^half_of", "search result", "fo result", "rev result", "search never *there",
                                 "search (") + [WORDS])
    run.expect_status(1)
    lines = [int(line.split()[0]) for line in run.out.splitlines() if re.match(r" +[0-9]+    ", line)]
    if lines != [half - 4, half - 2, half, half - 2]:
        run.fail(f"found in lines {lines}")
    run.expect(f"error: no line after line {half - 2} of words.c matches \"never *there\"")
    run.expect("error: search REGEX: ")


check_table()
check_settings()
check_words()
check_counts()
check_search()
check_standing()
check_watch()
check_files()
check_logging()
