# SPDX-License-Identifier: GPL-3.0-or-later
"""What gdb can do with native code: signals that a called function raises, overloads and regular expressions as
places, $bpnum and $_siginfo, variables in registers of outer frames.
Arguments: the programs calls, siginfo and outer."""
import os
import re
import subprocess
import sys
import tempfile

import pddt

CALLS, SIGINFO, OUTER = sys.argv[1:4]
FOLDER = os.path.join(pddt.SOURCE, "tests", "inferiors")
SOURCE = os.path.join(FOLDER, "calls.cc")
END = "calls.cc:%d" % pddt.mark(SOURCE, "end")


def line_of(pattern):
    with open(SOURCE, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if re.match(pattern, line))


# A call that raises a signal, or faults, is undone and says so, also where it returns nothing; the program
# never gets the signal.
run = pddt.run(pddt.commands("break " + END, "continue", "wait 60", "call give_up()", "call smash(0)",
                             "call (int) raise(10)", "print (int) kill((int) getpid(), 15)", "call nothing()",
                             "print n_calls", "handle SIGUSR1 nostop print pass", "where 1", "continue", "wait 60",
                             "expect exited") + [CALLS])
run.expect_status(0)
for text in ("give_up() = <cannot call a function: it raised SIGABRT>",
             "smash(0) = <cannot call a function: it faulted>",
             "(int) raise(10) = <cannot call a function: it raised SIGUSR1>",
             "(int) kill((int) getpid(), 15) = <cannot call a function: it raised SIGTERM>", "n_calls = 2",
             "exited 0"):
    run.expect_line("0: " + text)
run.expect_not("signal SIG")

# Overloads by their parameters, however these are written; all functions that match.
PLACES = [("add(int, int)", r"static int add \("), ("add (double,double)", r"static double add \("),
          ("add(char const *)", r"static const char \*add \("), ("calls.cc:add(const char*)", r"static const char \*add"),
          ("Shape::area(double) const", r"    virtual double area"), ('"Square::area(double) const"', r"    double area"),
          ("::recursive", r"static int recursive")]
run = pddt.run(pddt.commands(*("break " + place for place, _ in PLACES), "break add(long)",
                             "break Shape::area(double)", "break ::area", "print $bpnum", "rbreak ^Shape::[ac]",
                             "print $bpnum", "rbreak calls.cc:^(many|mix)$", "rbreak other.cc:many", "rbreak ^no_such",
                             "rbreak (", "break *(main + 4)", "delete", "break add(double, double)", "continue", "wait 60",
                             "expect breakpoint at add", "print a", "delete", "continue", "wait 60") + [CALLS])
for number, (place, pattern) in enumerate(PLACES, 1):
    run.expect(f"0: breakpoint {number} set, ")
    if f"breakpoint {number} set, {place.split('(')[0].split(':')[-1].strip()} at calls.cc:{line_of(pattern)}\n" \
            not in run.out.replace("Shape::area", "area").replace("Square::area", "area"):
        run.fail(f"{place}: not at line {line_of(pattern)} alone")
N = len(PLACES)
for text in (f"breakpoint {N + 1} pending, no function \"add(long)\" yet",
             f"breakpoint {N + 2} pending, no function \"Shape::area(double)\" yet",
             f"breakpoint {N + 3} pending, no function \"::area\" yet", f"$bpnum = {N + 3}", f"$bpnum = {N + 5}",
             f"breakpoint {N + 4} set, Shape::area at calls.cc:{line_of('    virtual double area')}",
             f"breakpoint {N + 5} set, Shape::count at calls.cc:{line_of('    static int count')}", "a = 1"):
    run.expect_line("0: " + text)
for text in (f"0: breakpoint {N + 6} set, mix at calls.cc:", f"0: breakpoint {N + 7} set, many at calls.cc:",
             'error: no function of the program matches "other.cc:many"',
             'error: no function of the program matches "^no_such"', f"0: breakpoint {N + 8} set, main at calls.cc:",
             "error: rbreak [FILE:]REGEX: "):
    run.expect(text)

# The address that an expression is; each rank has its own.
run = pddt.run(pddt.commands("break *$pc", "break *save", "break *&leave", "break *(long) leave + 0 if 1 == 2", "break *1",
                             "break *nothing", "break *nothing + 1", "break *1.5 + 1", "tbreak *keep every 0",
                             "print $_hit_bpnum", "continue", "wait 60", "print $pc == save", "print $_hit_bpnum",
                             "print $_exitcode", "info breakpoints", "print $_", "x/3xw $sp", "print $_ == (int *) ($sp + 8)",
                             "print $__ == *$_", "x/s $sp", "print (long) $_ == $sp", "print $__", "x/i $pc",
                             "print (long) $_ - $pc") + [OUTER])
for text in ("breakpoint 2 set, save at outer.c:", "breakpoint 3 set, leave at outer.c:", "breakpoint 5 pending, nothing at 0x1",
             'breakpoint 6 pending, no function "nothing" yet', "$pc == save = 1", "$_hit_bpnum = void", "$_hit_bpnum = 2",
             "$_exitcode = void", "$_ = void", "$_ == (int *) ($sp + 8) = 1", "$__ == *$_ = 1", "(long) $_ == $sp = 1",
             "$__ = void", "(long) $_ - $pc = 0", "breakpoint 1 set, main at outer.c:"):
    run.expect("0: " + text)
for text in ('error: no symbol "nothing" in frame main', "error: 2.5 is not an address", "every needs a number from 1 on"):
    run.expect(text)
run.expect(", if 1 == 2")
OWN = '*getenv("OMPI_COMM_WORLD_RANK") == 49 ? leave : save'
run = pddt.run(pddt.commands(f"break *({OWN})", "break *$pc", "continue", "wait 60") +
               ["mpirun", "--oversubscribe", "-np", "2", OUTER])
for text in ("0: breakpoint 1 set, save at outer.c:", "1: breakpoint 2 set, leave at outer.c:", "0-1: breakpoint 3 set, main at",
             "0: breakpoint 1, save at outer.c:", "1: breakpoint 2, leave at outer.c:"):
    run.expect(text)

# What came with a signal.
run = pddt.run(pddt.commands("print $_siginfo", "continue", "wait 60", "print $_siginfo.si_signo",
                             "print $_siginfo._sifields._sigfault.si_addr", "print sizeof $_siginfo",
                             "print $_siginfo.si_code", "whatis $_siginfo", "ptype $_siginfo._sifields._rt",
                             "ptype $_siginfo", "continue", "wait 60", "expect exited") + [SIGINFO, "fault"])
run.expect("0: type = struct {\n0:     __pid_t si_pid;\n0:     __uid_t si_uid;\n0:     union sigval_t si_sigval;\n0: }")
run.expect("0:     union {\n0:         int _pad[28];\n0:         struct {...} _kill;")
run.expect("error: no $_siginfo: the thread was not stopped by a signal")
for text in ("$_siginfo.si_signo = 11", "$_siginfo._sifields._sigfault.si_addr = (void *) 0x10",
             "sizeof $_siginfo = 128", "$_siginfo.si_code = 1", "type = struct siginfo", "exited 0"):
    run.expect_line("0: " + text)
run = pddt.run(pddt.commands("continue", "wait 60", "print $_siginfo._sifields._rt.si_sigval.sival_int",
                             "print $_siginfo._sifields._rt.si_pid == (int) getpid()", "print $_siginfo.si_code",
                             "continue", "wait 60", "expect exited") + [SIGINFO, "queue"])
run.expect_status(0)
for text in ("$_siginfo._sifields._rt.si_sigval.sival_int = 4711", "$_siginfo.si_code = -1",
             "$_siginfo._sifields._rt.si_pid == (int) getpid() = 1", "exited 0"):
    run.expect_line("0: " + text)

# A signal that waited for the program before the call is the program's own.
run = pddt.run(pddt.commands("break pass", "continue", "wait 60", "call unblock()", "delete", "continue", "wait 60",
                             "expect signal SIGUSR1", "print $_siginfo._sifields._rt.si_sigval.sival_int", "continue",
                             "wait 60", "expect exited") + [SIGINFO, "later"])
run.expect_status(0)
run.expect_line("0: $_siginfo._sifields._rt.si_sigval.sival_int = 4711")
run.expect_not("cannot call")

# A variable in a register of an outer frame is where the callee has saved it, or where it was; what the program
# computes then is the proof.
CHANGES = ["up", "set var narrow = -7", "set var middle = 300", "set var wide = 5000000000", "print narrow",
           "print middle", "print wide", "up", "print outermost", "set var outermost = 8", "print outermost", "down",
           "print wide"]
run = pddt.run(pddt.commands("break outer.c:%d" % pddt.mark(os.path.join(FOLDER, "outer.c"), "save"),
                             "break outer.c:%d" % pddt.mark(os.path.join(FOLDER, "outer.c"), "leave"), "continue",
                             "wait 60", *CHANGES, "continue", "wait 60", *CHANGES, "continue", "wait 60") + [OUTER])
run.expect_status(0)
for text in ("narrow = -7 '\\371'", "middle = 300", "wide = 5000000000", "outermost = 1000000", "outermost = 2000000",
             "outermost = 8", "exited 0"):
    run.expect_line("0: " + text)
TOTAL = -7 + 100 * 300 + 10000 * 5000000000 + 8
run.expect_line(f"0| {TOTAL} {TOTAL}")

# Labels of assembly are functions, up to the next one; what has no debug information has an address all the same.
with tempfile.TemporaryDirectory() as folder:
    LABELS, source = os.path.join(folder, "labels"), os.path.join(FOLDER, "labels.s")
    subprocess.run(["gcc", "-g", source, "-o", LABELS], check=True)
    run = pddt.run(pddt.commands("break leaf", "break inner", "continue", "wait 60", "where", "continue", "wait 60", "where",
                                 "print again", "info symbol again", "x/i inner", "x/3dw table", "info symbol table",
                                 "delete", "continue", "wait 60") + [LABELS])
    gdb = subprocess.run(["gdb", "-nx", "-q", "-batch", "-ex", "break leaf", "-ex", "break inner", "-ex", "run", "-ex",
                          "continue", "-ex", "info symbol again", "-ex", "x/i inner", "-ex", "info symbol table", "-ex",
                          "x/3dw &table", LABELS], capture_output=True, text=True, timeout=120).stdout
run.expect_status(0)
LINE = pddt.mark(source, "inner")
for text in (f"0: breakpoint 1 set, leaf at labels.s:{LINE - 2}", f"0: breakpoint 2 set, inner at labels.s:{LINE}"):
    run.expect_line(text)
for name, line, mark in ("leaf", LINE - 2, ""), ("inner", LINE, r" \[incomplete\]"):
    if not re.search(rf"#2 +0 1 __libc_start_call_main[^\n]*\n#1 +0 1 again at labels\.s:{LINE - 6} \[incomplete\]\n"
                     rf"#0 +0 1 {name} at labels\.s:{line}{mark}\n", run.out):
        run.fail(f"{name} is not below its caller")
ADDRESS = re.search(r"=> (0x[0-9a-f]+) <inner>", gdb) or re.search(r"(0x[0-9a-f]+) <inner>", gdb)
run.expect(f"{ADDRESS[1]} <inner>  incl")
if "again in section .text" not in gdb:
    run.fail(f"gdb: {gdb}")
for text in ("again in labels", "table in labels"):
    run.expect_line("0: " + text)
run.expect("<code without debug information>} 0x")
if not re.search(r"0x[0-9a-f]+[^:]*:  7  8  9\n", run.out):
    run.fail("no words of table")

# A name that the program itself has is not looked for in libraries, whichever are loaded first.
with tempfile.TemporaryDirectory() as folder:
    OWN_NAMES = os.path.join(folder, "own")
    with open(OWN_NAMES + ".c", "w", encoding="ascii") as file:
        file.write("static int twalk (int x)\n{\n    return x + 1;\n}\nint main (void)\n{\n    return twalk (-1);\n}\n")
    subprocess.run(["gcc", "-g", OWN_NAMES + ".c", "-o", OWN_NAMES], check=True)
    run = pddt.run(pddt.commands("break twalk", "break tfind", "show breakpoints", "continue", "wait 60", "delete", "continue",
                                 "wait 60", "expect exited") + [OWN_NAMES])
    run.expect_status(0)
    if run.out.count("0: breakpoint 1 set, twalk at own.c:3\n") != 2:
        run.fail("twalk is not the program's own alone")
    run.expect("0: breakpoint 2 set, ")
    run.expect_line("0: breakpoint 1, twalk at own.c:3")
