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
        "info args", "info proc mappings", "set print pretty on", "set pagination off", "thread apply all bt", "bt -full", "where -3",
        "echo one\\ttwo", "info registers rip", "reverse-step", "frame function main", "detach foo", "set listsize 3",
        "set print repeats 4", "show options", "info watchpoints", "checkpoint", "info functions ^half",
        "info variables greeting", "info types colour", "pwd", "break half_of", "tbreak main", "info b 2", "info breakpoints 7",
        "show breakpoint pending", "dump binary value x n", "enable once 1", "target core x", "info types ^col.*", "info functions ^no_such") + [WORDS])
    run.expect_status(1)
    for line in ("error: no info args: show locals lists arguments and locals", "one\ttwo",
                 "error: no set print: print/F chooses a format, and show options lists the limits of what is shown",
                 os.getcwd(), "error: where N shows the N innermost frames; frame apply -3 COMMAND runs a command in the outermost ones",
                 "error: not supported: reverse-step; pddt runs programs forward only",
                 "error: no frame function: frame N selects a frame, with N from where",
                 'error: detach takes no argument, not "foo"', "error: no set listsize: list A,B shows lines A to B",
                 "error: not supported: checkpoint; restart starts the job again", "error: no breakpoint 7",
                 "error: no breakpoint pending", 'error: no name contains "^col.*"', 'error: nothing matches "^no_such"', "error: no enable once: tbreak WHERE stops once",
                 "error: no dump binary: generate-core-file saves memory, and x/FMT ADDR shows it",
                 "error: no target core: name the program when pddt starts; pddt --core FILE opens core files"):
        run.expect_line(line)
    if run.out.count("breakpoint 1 set") != 1 or run.out.count("breakpoint 2 set") != 2:
        run.fail("info b 2 shows others, too")
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


def listed(run):
    """The numbers of the lines that were shown without a place before them: one list for each answer."""
    parts, at = [], None
    for line in run.out.splitlines():
        found = re.match(r" +([0-9]+)( [ -][ >] |$)", line)
        if found:
            parts[-1:] = [parts[-1] + [int(found[1])]] if at else parts[-1:] + [[int(found[1])]]
        at = found
    return [part if len(part) < 3 else [part[0], part[-1]] for part in parts]


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


def ask_gdb(*commands):
    words = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-ex", "set width 0", "-ex", "break main", "-ex", "run"]
    for command in commands:
        words += ["-ex", f"echo \\n@\\n", "-ex", command]
    out = subprocess.run(words + [WORDS], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120).stdout
    parts = []
    for command, part in zip(commands, out.split("@\n")[1:]):
        numbers = [int(number) for number in re.findall(r"^(\d+)\t", part, re.M)]
        if numbers and re.match("list|.*search", command): # the others stop
            parts.append(numbers if len(numbers) < 3 else [numbers[0], numbers[-1]])
    return parts


def check_listing():
    """Each list goes on where the last one, or a search, has ended, as in gdb; a step and another frame begin anew."""
    begin = pddt.mark(SOURCE, "begin")
    asked = ["list", "list", "list -", "list -", "list", "list words.c:43", "list", "list -", "list 10,12", "list", "list -", "list *half_of",
             "list", "search twice", "list", "search twice", "reverse-search count", "list", "list *$pc", "list +", "next", "list", "list",
             f"tbreak {pddt.mark(SOURCE, 'half')}", "continue", "list", "list", "up", "list", "list", "down", "list"]
    run = pddt.run(pddt.commands(*(line for command in asked for line in ("echo -\\n", command))) + [WORDS])
    run.expect_status(0)
    ours, gdbs = listed(run), ask_gdb(*asked)
    if len(ours) < 24 or ours != gdbs:
        run.fail(f"{ours}\ngdb {gdbs}")
    run = pddt.run(pddt.commands("list 1", "list -", "list 1000", "list -", f"list words.c:{begin + 13}", "list", "list", "list",
                                 "list *nothing", "list *0", "list *half", "list main,", "info line *half_of",
                                 "info line *(half_of + 4)", "info scope *half_of", "disassemble *half_of", "until *half_of + 4",
                                 "expect stopped at words.c:%d" % (pddt.mark(SOURCE, "half") - 3)) + [WORDS])
    for line in ("error: nothing comes before line 1 of words.c", "error: 2.5 is not an address (0)"):
        run.expect_line(line)
    for text in ("error: line 1000 is out of range: words.c has ", 'error: no symbol "nothing"', "error: no code at *0x0 (0)",
                 "Symbol value is a variable of type int.", "<half_of+4>"):
        run.expect(text)
    if not re.search(r'^0: Line \d+ of "words.c" starts at address 0x\w+ <half_of> and ends at', run.out, re.M):
        run.fail("info line *EXPR")


def check_strings():
    """gdb's functions for texts and memory, inside expressions and in conditions, in gdb's own words."""
    asked = ['$_streq (greeting, "good day")', '$_streq (text, "hell")', "$_strlen (greeting) + 1", "$_strlen (text)",
             '$_regex (greeting, "good.*y$")', '$_regex (greeting, "day")', "$_memeq (bytes, &bytes[0], 4)",
             "$_memeq (table, bytes, 2)", "$_memeq (table, bytes, 0)", '!$_streq (text, "x") && $_strlen (text) == 5']
    words = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-ex", "break main", "-ex", "run"]
    for text in asked:
        words += ["-ex", f"print {text}"]
    out = subprocess.run(words + [WORDS], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120).stdout
    expected = re.findall(r"^\$\d+ = (.*)$", out, re.M)
    run = pddt.run(pddt.commands(*(f"print {text}" for text in asked), 'break half_of if $_streq (greeting, "good day") && value < 0',
                                 "continue", "print value", "print $_streq (number, text)", "print $_strlen (0)",
                                 'print $_regex (text, "(")', "print $_memeq (corner, text, 1)", "print $_strlen ((char *) 16)") + [WORDS])
    run.expect_status(1)
    if len(expected) != len(asked):
        run.fail(f"gdb says {expected}")
    for text, value in zip(asked, expected):
        run.expect_line(f"0: {text} = {value}")
    run.expect_line("0: value = -77")
    for line in ("error: $_streq needs a string, not a value of type int (0)", "error: $_strlen needs a string, not a value of type int (0)",
                 '0: $_regex (text, "(") = <not a regular expression>',
                 "error: $_memeq needs two addresses and a number, not a value of type struct point (0)",
                 "0: $_strlen ((char *) 16) = <not a string>"):
        run.expect_line(line)


THROWS = """#include <stdexcept>
namespace app { struct Trouble : std::runtime_error { int code; Trouble (int c) : std::runtime_error ("why"), code (c) {} }; }
static void inner (int n) { if (n == 0) throw app::Trouble (7); if (n == 1) throw std::logic_error ("logic"); throw 42; }
static void outer (int n) { try { inner (n); } catch (app::Trouble &t) { t.code++; throw; } }
int main () { int sum = 0; for (int i = 0; i < 3; i++) try { outer (i); } catch (app::Trouble &t) { sum += t.code; } catch (...) { sum++; }
  return sum; }
"""


def check_exceptions():
    """The three catchpoints of C++ exceptions, those of some types, and the object at such a stop, which can be changed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "throws")
        with open(path + ".cpp", "w", encoding="ascii") as file:
            file.write(THROWS)
        subprocess.run(["g++", "-g", "-O0", path + ".cpp", "-o", path], check=True, timeout=120)
        run = pddt.run(pddt.commands("print $_exception", "catch throw ^app::Tr", "catch rethrow", "catch catch int", "continue",
                                     "print $_exception", "print $_exception.code", "ptype $_exception.code", "continue", "print $_exception.code",
                                     "set var $_exception.code = 30", "continue", "print $_exception", "print $_exception + 1", "stepi",
                                     "print $_exception", "delete", "catch throw (", "tcatch rethrow", "continue", "expect failed 32") + [path])
    run.expect_status(1)
    for line in ("error: no $_exception: the thread has not stopped at a catchpoint for C++ exceptions (0)",
                 "0: $_exception.code = 7", "0: type = int",
                 "0: $_exception.code = 8", "0: $_exception = 42", "0: $_exception + 1 = 43",
                 "error: cannot catch throw (: the type is no regular expression (0)"):
        run.expect_line(line)
    run.expect("throws app::Trouble: why again")
    run.expect("0: $_exception = {<std::runtime_error> = ")
    if run.out.count("error: no $_exception") != 2:
        run.fail("$_exception outlives its stop")


def check_status():
    for words, status in ((["quit 7"], 7), (["nonsense", "quit 0"], 0), (["quit many"], 1), (["quit 256"], 1)):
        run = pddt.run(pddt.commands(*words) + [PROGRAM])
        run.expect_status(status)
    run.expect_line('error: quit takes an exit status up to 255, not "256"')


check_table()
check_settings()
check_words()
check_counts()
check_search()
check_listing()
check_strings()
check_exceptions()
check_status()
check_standing()
check_watch()
check_files()
check_logging()
