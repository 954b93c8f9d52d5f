# SPDX-License-Identifier: GPL-3.0-or-later
"""gdb's words: formats, printf, displays, conditions and commands, against gdb itself where that can.
Argument: the C program."""
import json
import os
import re
import subprocess
import sys
import tempfile

import pddt

WORDS = sys.argv[1]
SOURCE = os.path.join(pddt.SOURCE, "tests", "inferiors", "words.c")
END = f"words.c:{pddt.mark(SOURCE, 'end')}"
KILL = f"words.c:{pddt.mark(SOURCE, 'kill')}"
COUNT = pddt.mark(SOURCE, "count")

EXPRESSIONS = ["number", "mask", "wide", "small", "minus", "octet", "letter", "flag", "half", "pi", "colour",
               "table", "bytes", "text", "greeting", "pointer", "corner", "far", "&number", "number+1", "3.5",
               "*far", "text[0]", "(char)65", "-1", "100000L", "half*2", "table[1]", "&count"]
# pddt says nan where gdb shows its bits, and writes as few digits as tell a number from others. A short integer is no
# half float, as it is for gdb since 14.
OWN = {("f", "small"), ("f", "number"), ("f", "table"), ("f", "corner"), ("f", "number+1"), ("f", "*far"), ("f", "-1"),
       ("f", "table[1]"), ("s", "pi"), ("f", "pi")}
PRINTF = ['"%d|%5d|%-7d|%x|%c|%u\\n", number, small, number, mask, letter, octet', '"%s %s\\n", greeting, text',
          '"%.2f %g %e %5.1f\\n", pi, half, pi, half', '"100%% %ld\\n", wide', '"plain\\n"', '"%p\\n", pointer',
          '"%s\\t%d\\n", text, table[3]', '"a, b\\n"', '"%8.3s|\\n", greeting', '"%d %lu\\n", minus, wide',
          '"%x %o %u %lx %c|\\n", number, minus, number, number, (char) 66']


def gdb(lines, where):
    """What gdb prints for each of the lines."""
    words = ["gdb", "-nx", "-q", "-batch", "-ex", "set debuginfod enabled off", "-ex",
             "handle SIGUSR1 nostop noprint", "-ex", f"break {where}", "-ex", "run"]
    for i, line in enumerate(lines):
        words += ["-ex", f"echo @{i}@", "-ex", line, "-ex", "echo \\n"]
    out = subprocess.run(words + [WORDS], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                         timeout=120).stdout
    found = dict(re.findall(r"^@(\d+)@(.*)$", out, flags=re.M))
    return [re.sub(r"^\$\d+ = ", "", found.get(str(i), "")) for i in range(len(lines))]


def at(where, *lines):
    run = pddt.run(pddt.commands("handle SIGUSR1 nostop noprint", f"break {where}", "continue", "wait 60",
                                 *lines) + [WORDS])
    return run, run.out.splitlines()[3:]


def same_number(answer, value):
    """Floats in as few digits as tell them from others."""
    try:
        ours, theirs = float(answer.rsplit(" = ", 1)[1]), float(value)
    except (ValueError, IndexError):
        return False
    return abs(ours - theirs) <= 1e-6 * abs(theirs)


def check_repeats():
    """Runs of equal characters, at gdb's own limit and at others."""
    for limit in "10", "3", "0":
        shown = "unlimited" if limit == "0" else limit
        expected = gdb([f"set print repeats {shown}", "print runs"], KILL)[1]
        run, _ = at(KILL, f"set option limit-repeats {limit}", "print runs")
        run.expect_line(f"0: runs = {expected}")


def check_formats():
    asked = [(letter, text) for letter in "xduotzacfs" for text in EXPRESSIONS if (letter, text) not in OWN]
    expected = gdb([f"print/{letter} {text}" for letter, text in asked], KILL)
    run, answers = at(KILL, *[f"print/{letter} {text}" for letter, text in asked])
    run.expect_status(0)
    wrong = [(letter, text, answer, value) for (letter, text), answer, value in zip(asked, answers, expected)
             if answer != f"0: {text} = {value}" and not (letter == "f" and same_number(answer, value))]
    if wrong or len(answers) != len(asked) or not all(expected):
        run.fail(f"not as gdb prints: {wrong[:10]}, {len(wrong)} in all")
    run, answers = at(KILL, "print/q 1", "p/4x 1", "p/xw 1", "print/x", "output/x number", "output text", "call/x half_of(20)")
    refused = "is not a format for values: use one of x d u o t z a c f s r; x/FMT shows memory"
    if answers != [f"error: /{word} {refused}" for word in ("q", "4x", "xw")] \
            + ["error: print [/F] EXPR", "0: 0xffffffb3", r'0: "hello\000\000"', "0: half_of(20) = 0xa"]:
        run.fail("formats that are refused, output and call/x")
    run, answers = at(KILL, "print -elements 3 -- text", "advance", "print -number", 'set var greeting = "new"')
    options = "error: print takes no options before --: set option limit-items N changes how many elements are shown; " \
              "show options lists the others"
    if answers != [options, "error: advance needs WHERE", "0: -number = 77",
                   'error: cannot assign: the string is not in the program\'s memory; assign strdup ("…"), which copies '
                   "it there (0)"]:
        run.fail("what gdb's print, advance and set var take and these do not")


def check_printf():
    expected = gdb([f"printf {text}" for text in PRINTF], KILL)
    run, answers = at(KILL, *[f"printf {text}" for text in PRINTF])
    run.expect_status(0)
    if answers != [f"0: {text}" for text in expected] or not all(expected):
        run.fail(f"printf: expected {expected}")
    refused = [('printf "%d"', "printf has more conversions than expressions (0)"),
               ('printf "a", 1', "printf has more expressions than conversions (0)"),
               ('printf "%y", 1', 'printf does not support the conversion "%y" (0)'),
               ('printf "%s", number', "number is not a string (0)"), ('printf "%d", text', "text is not a number (0)"),
               ('printf "%99999d", 1', 'printf: the width "99999" is too large (0)'),
               ('printf hello', 'printf "TEXT"[, EXPR…]'), ('printf "a', 'printf "TEXT"[, EXPR…]'),
               ('printf "%d", nosuch', 'no symbol "nosuch" in frame main (0)')]
    run, answers = at(KILL, *[line for line, _ in refused])
    if answers != [f"error: {why}" for _, why in refused]:
        run.fail(f"printf refuses {refused}")


def check_displays():
    run, answers = at(f"words.c:{COUNT}", "display number", "display/x step", "display nosuch", "next", "wait 60",
                      "undisplay 3", "info display", "undisplay 1", "continue", "wait 60", "display", "undisplay 7",
                      "undisplay", "finish", "wait 60")
    place = f"count at words.c:{COUNT}"
    if answers != ["0: 1: number = -77", "0: 2: /x step = 0x0", 'error: display 3: no symbol "nosuch" in frame count (0)',
                   f"0: stopped, count at words.c:{COUNT + 1}", "0: 1: number = -77", "0: 2: /x step = 0x0",
                   "display 1: number", "display 2: /x step", f"0: breakpoint 1, {place}", "0: 2: /x step = 0x1",
                   "0: 2: /x step = 0x1", "error: no display 7",
                   f"0: stopped, main at words.c:{pddt.mark(SOURCE, 'loop') - 1}"]:
        run.fail("displays")


def check_conditions():
    run, answers = at(f"words.c:{COUNT}", "condition 1 step == 3", "continue", "wait 60", "print step", "condition 1 if step > 4",
                      "continue", "wait 60", "print step", "condition 1", "show breakpoints", "condition 9 step",
                      "condition")
    place = f"0: breakpoint 1, count at words.c:{COUNT}"
    if answers != [place, "0: step = 3", place, "0: step = 5",
                   f"0: breakpoint 1 set, count at words.c:{COUNT}, hits 3", "error: no breakpoint 9",
                   'error: condition N [EXPR] [every N] [log "TEXT"]']:
        run.fail("conditions")
    run, answers = at(f"words.c:{COUNT} if step > 0", "condition 1 every 2", "show breakpoints", "continue", "wait 60",
                      "print step", "condition 1 log 'step {step}' every 1", "on 0 condition 1 step > 2", "show breakpoints",
                      "continue", "wait 60")
    if answers[:3] != [f"0: breakpoint 1 set, count at words.c:{COUNT}, if step > 0, every 2, hits 1", place, "0: step = 2"] \
            or answers[3] != f'0: breakpoint 1 set, count at words.c:{COUNT}, if step > 2, log "step {{step}}", hits 2' \
            or [a for a in answers if "step 4" in a or "step 5" in a] == []:
        run.fail("modifiers")
    run, answers = at(f"words.c:{COUNT}", 'condition 1 log "{step}"', "condition 1 log \"\" every 2", "show breakpoints",
                      "condition 1 every 0", "condition 1 every other", "condition 1 log step", "condition 1 every + 1 == 2",
                      "show breakpoints")
    line = f"0: breakpoint 1 set, count at words.c:{COUNT}"
    if answers != [f"{line}, every 2, hits 1", "error: every needs a number from 1 on",
                   "error: every needs a number from 1 on", "error: log needs a text in quotes",
                   f"{line}, if every + 1 == 2, every 2, hits 1"]:
        run.fail("modifiers that are kept")


def check_ranks_of_a_breakpoint():
    """One condition for all of them; a rank more is set as the others are, and a rank fewer goes on."""
    where = f"words.c:{COUNT}"
    run = pddt.run(pddt.commands("handle SIGUSR1 nostop noprint", f"on 0 break {where} if step == 2", "on 1 condition 1 step",
                                 "on 0 condition 1 step == 4", "on 1 enable 1", "show breakpoints", "continue", "wait 60",
                                 "print step", "on 0 delete 1", "show breakpoints", "continue", "wait 60")
                   + ["mpirun", "-np", "2", WORDS])
    expected = [f"0: breakpoint 1 set, count at {where}",
                "error: breakpoint 1 has one condition for all of its ranks: leave out the set, or name all of them",
                f"1: breakpoint 1 set, count at {where}", f"0-1: breakpoint 1 set, count at {where}, if step == 4",
                f"0-1: breakpoint 1, count at {where}", "0-1: step = 4",
                f"1: breakpoint 1 set, count at {where}, if step == 4, hits 2"]
    if [line for line in run.out.splitlines() if "breakpoint" in line or "step" in line] != expected:
        run.fail(f"expected {expected}")


def check_commands():
    """They run at each stop, a wait goes on behind a continue among them, and they are told apart."""
    with tempfile.NamedTemporaryFile("w", suffix=".commands") as file:
        file.write(f"handle SIGUSR1 nostop noprint\nbreak words.c:{COUNT}\ncommands 1\n  silent\n  # nothing\n"
                   "  printf \"step; %d\\n\", step\n  continue\nend\nbreak " + END + "\n"
                   "commands 2 \"print sum; output turns\"\nshow breakpoints\ncontinue\nwait 60\nprint 7\n")
        file.flush()
        run = pddt.run(["-x", file.name, WORDS])
        run.expect_status(0)
        expected = [f"0: step; {i}" for i in range(6)] \
            + [f"0: breakpoint 2, main at {END}", "0: sum = -32", "0: 30", "0: 7 = 7"]
        if run.out.splitlines()[5:] != expected:
            run.fail(f"expected {expected}")
        run.expect('commands "silent; printf "step; %d\\n", step; continue"')
    run, answers = at(f"words.c:{COUNT}", "commands 1 \"print step; nonsense\"", "continue", "wait 60", "commands 1 \"\"",
                      "continue", "wait 60", "commands", "commands 9 \"x\"", "commands 1 x", "commands 1", "print 1")
    run.expect_status(1)
    if answers[1:] != ["0: step = 1", 'error: no command "nonsense"; help lists them', answers[0],
                       'error: commands N ["CMD; CMD"]', "error: no breakpoint 9", 'error: commands N ["CMD; CMD"]',
                       "error: commands 1: the end is missing"]:
        run.fail("commands that fail")


def check_json():
    run = pddt.run(["--json"] + pddt.commands(f"break words.c:{COUNT}", "display/x step", "commands 1 \"print number\"",
                                              "continue", "wait 60", "output 3", 'printf "%d", 4') + [WORDS])
    events = [json.loads(line) for line in run.out.splitlines()]
    values = [(value["name"], value["groups"][0]["text"]) for event in events if event["event"] == "values"
              for value in event["values"]]
    if values != [("1: /x step", "0x0"), ("number", "-77"), ("3", "3")] \
            and values != [("number", "-77"), ("1: /x step", "0x0"), ("3", "3")]:
        run.fail(f"values in JSON: {values}")
    if not any(event["event"] == "text" and event["text"] == "4" for event in events):
        run.fail("printf in JSON")


def mark(name):
    return pddt.mark(SOURCE, name)


def check_info():
    begin = pddt.mark(SOURCE, "half") - 3
    expected = gdb(["info line half_of", "info symbol &table[2]", "info symbol half_of", f"info line {begin}"], f"words.c:{COUNT}")
    run, answers = at(f"words.c:{COUNT}", "info line half_of", "info symbol &table[2]", "info symbol half_of",
                      "info symbol 5", "info symbol", "info scope half_of", "info line nosuch", "info frame 3",
                      "info frame", f"info line {begin}")
    line = expected[0].replace("Line ", "").split()[0]
    pairs = [(answers[0], f'0: Line {line} of "words.c" starts at address '),
             (answers[1], "0: " + expected[1].split(" in section")[0] + " in "),
             (answers[2], "0: " + expected[2].split(" in section")[0]), (answers[3], "error: no symbol matches 5 (0)"),
             (answers[4], "error: info symbol ADDRESS"), (answers[5], "0: Scope for half_of at words.c:"),
             (answers[6], "0: Symbol value is a variable of type int."),
             (answers[7], "0: Symbol result is a variable of type int."), (answers[8], "error: no code at nosuch (0)"),
             (answers[9], 'error: info frame takes no argument, not "3"'), (answers[10], "0: Stack level 0, frame at 0x")]
    begins = "0: " + expected[3].split(" and ends")[0].replace("../tests/inferiors/", "")
    if run.out.count(begins) != 2:  # of the function and of its line
        run.fail(f"{begins}\ngdb {expected[3]}")
    for answer, begin in pairs:
        if not answer.startswith(begin):
            run.fail(f"{answer!r} does not begin with {begin!r}")
    # where it returns to is gdb's; the stack itself begins elsewhere, with another environment
    theirs = gdb(["printf \"%#lx\\n\", *(long *) ($rbp + 8)"], f"words.c:{COUNT}")
    if f"; saved rip = {theirs[0]}" not in answers[11]:
        run.fail(f"info frame: not {theirs}")


def check_list():
    with open(SOURCE, encoding="utf-8") as file:
        source = file.read().splitlines()

    def lines(first, last):
        return [f"{i:6}    {source[i - 1]}".rstrip() for i in range(first, min(last, len(source)) + 1)]

    asked = [("list 45,48", lines(45, 48)), ("list words.c:40,41", lines(40, 41)), ("list ,5", lines(1, 5)),
             ("list ,30", lines(21, 30)), ("list 3,", lines(3, 12)), ("list 7,7", lines(7, 7)),
             ("list 9,3", ["error: list A,B: line 3 comes before line 9"]),
             ("list ,", ["error: list A,B needs a line before or after the comma"]),
             ("list half_of,3", ['error: list A,B needs lines: LINE or FILE:LINE, not "half_of"'])]
    run, answers = at(f"words.c:{COUNT}", *[line for line, _ in asked])
    if [answer.rstrip() for answer in answers] != [line for _, wanted in asked for line in wanted]:
        run.fail("list A,B")


def check_return():
    """A function is left with a value of its type, the caller goes on with it; gdb does the same."""
    half = mark("half")
    run, answers = at(f"words.c:{half}", "return 99", "wait 60", "next", "wait 60", "print sum", "continue", "wait 60",
                      "return nosuch", "return", "wait 60", "delete", f"break {END}", "continue", "wait 60", "print turns")
    begin = mark("begin")
    expected = gdb(["set confirm off", "return 99", "next", "print sum"], f"words.c:{half}")
    if answers[:3] != [f"0: stopped, main at words.c:{begin}", f"0: stopped, main at words.c:{begin + 1}",
                       f"0: sum = {expected[3]}"] \
            or 'error: no symbol "nosuch" in frame half_of (0)' not in answers or answers[-1] != "0: turns = 30":
        run.fail(f"return: gdb says {expected}")
    run, answers = at(f"words.c:{COUNT}", "return 3", "up", "return", "wait 60")
    if answers[0] != "error: cannot return a value: count returns nothing (0)":
        run.fail("a value of a function that returns nothing")


def check_signal():
    kill = mark("kill")
    stop = f"0: signal SIGUSR1, main at words.c:{kill}"
    for line, answers in [("signal 0", ["0| -32 30 0", "0: exited 0"]), ("signal SIGUSR1", ["0| -32 30 11", "0: exited 0"]),
                          ("signal 10", ["0| -32 30 11", "0: exited 0"]), ("signal SIGUSR2", ["0: failed SIGUSR2"]),
                          ("signal SIGFOO", ['error: cannot signal: no signal "SIGFOO" (0)']),
                          ("signal", ["error: signal SIGNAL|0"])]:
        run = pddt.run(pddt.commands("continue", "wait 60", line, "wait 60") + [WORDS])
        if run.out.splitlines()[1:] != [stop] + answers:
            run.fail(f"{line}: expected {answers}")


def check_help():
    words = ["info frame", "info line", "info symbol", "info scope", "return", "signal", "list", "print", "output", "printf", "display", "undisplay", "condition", "commands", "show displays", "watch"]
    lines = pddt.run(pddt.commands(*[f"help {word}" for word in words]) + [WORDS]).out.splitlines()
    for word in words:
        if not any(line.startswith(word) for line in lines):
            raise SystemExit(f"no help of {word}")


BEGIN = pddt.mark(SOURCE, "begin")


def check_skips():
    """A step passes over what is skipped, and enters it again when it no longer is."""
    half, first = pddt.mark(SOURCE, "half") - 2, f"0: stopped, main at words.c:{BEGIN}"
    into, over = f"0: stopped, half_of at words.c:{half}", f"0: stopped, main at words.c:{BEGIN + 1}"
    loop = f"0: stopped, main at words.c:{pddt.mark(SOURCE, 'loop') - 1}"
    for skip, told in (("skip half_of", "skip 1: function half_of"),
                       ("skip function half_of", "skip 1: function half_of"),
                       ("skip -fu half_of", "skip 1: function half_of"), ("skip -fi words.c", "skip 1: file words.c"),
                       ("skip file words.c", "skip 1: file words.c"),
                       ("skip file inferiors/words.c", "skip 1: file inferiors/words.c")):
        run = pddt.run(pddt.commands(f"until {BEGIN}", "wait 60", skip, "step", "wait 60", "info skip", "step",
                                     "wait 60") + [WORDS])
        run.expect_status(0)
        assert run.out.splitlines()[1:] == [first, told, over, told, loop], run.out
    run = pddt.run(pddt.commands(f"until {BEGIN}", "wait 60", "skip other", "skip half_of", "skip delete 2",
                                 "info skip", "step", "wait 60", "skip", "info skip", "skip delete", "show skips",
                                 "skip delete 7") + [WORDS])
    run.expect_status(1)
    one, two, three = "skip 1: function other", "skip 2: function half_of", "skip 3: function half_of"
    assert run.out.splitlines()[1:] == [first, one, two, one, into, three, one, three, "no skips",
                                        "error: no skip 7"], run.out
    # no function is called so
    refused = "-gfi *.c", "-fi words.c -fu half_of", "enable 1", "disable"
    run = pddt.run(pddt.commands(*("skip " + text for text in refused), "info skip") + [WORDS])
    assert run.out.splitlines()[1:] == [
        f"error: no skip {text}: skip FUNCTION, skip file FILE and skip delete N are there" for text in refused] + ["no skips"], run.out
    # one that is stopped in anyway is walked
    run = pddt.run(pddt.commands("skip half_of", f"tbreak words.c:{half + 2}", "continue", "wait 60", "step",
                                 "wait 60") + [WORDS])
    run.expect_line(f"0: stopped, half_of at words.c:{half + 4}")


def check_history():
    """The last 200 values are kept, by number and counted from the last one."""
    with tempfile.NamedTemporaryFile("w", suffix=".commands") as file:
        file.write("".join(f"print {i}\n" for i in range(1, 206)) + "print $$199\nprint $7\nprint $7\n")
        file.flush()
        run = pddt.run(["-x", file.name, WORDS])
    run.expect_status(1)
    lines = run.out.splitlines()
    assert lines[-4:-1] == ["0: 205 = 205", "0: $$199 = 6", "0: $7 = 7"], lines[-4:]  # 7 was the oldest, now 8 is
    assert lines[-1].startswith("error: no value $7: "), lines[-1:]


check_history()
check_skips()
check_repeats()
check_formats()
check_printf()
check_displays()
check_conditions()
check_ranks_of_a_breakpoint()
check_commands()
check_json()
check_info()
check_list()
check_return()
check_signal()
check_help()
