# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals, vfork and watchpoints while stepping: into a handler, out of a library, with names
that keep their meaning from where they were set; gdb is the oracle for the stops. Arguments:
the C program, the C++ one at -O0 and at -O2, an optimised Fortran one."""
import os
import re
import subprocess
import sys

import pddt

WORDS, PLAIN, OPTIMISED, SECTIONS = sys.argv[1:5]
SOURCE = os.path.join(pddt.SOURCE, "tests", "inferiors", "words.c")
REFERENCES = os.path.join(pddt.SOURCE, "tests", "inferiors", "references.cc")


def at(name, source=SOURCE):
    return f"{os.path.basename(source)}:{pddt.mark(source, name)}"


def play(program, *lines):
    """The answers after the first stop."""
    run = pddt.run(pddt.commands(*lines) + [program])
    return run, run.out.splitlines()[1:]


def expect(run, answers, expected):
    if answers != expected:
        run.fail(f"expected {expected}")


def check_handler():
    """From the stop at a signal a step goes into its handler, whichever step it is."""
    handler, kill = pddt.mark(SOURCE, "handler"), pddt.mark(SOURCE, "kill")
    for word in "step", "next":
        run, answers = play(WORDS, "continue", "wait 60", word, "wait 60", "print signal", word, "wait 60",
                            "finish", "wait 60", "delete", "continue", "wait 60")
        run.expect_status(0)
        expect(run, answers, [f"0: signal SIGUSR1, main at words.c:{kill}",
                              f"0: stopped, on_signal at words.c:{handler}", "0: signal = 10",
                              f"0: stopped, on_signal at words.c:{handler + 1}",
                              f"0: stopped, main at words.c:{kill}", "0| -32 30 11", "0: exited 0"])
    for word in "stepi", "nexti":
        run, answers = play(WORDS, "continue", "wait 60", word, "wait 60", "show state")
        expect(run, answers[1:], [f"0: stopped, on_signal at words.c:{handler - 1}"] * 2)
    # one that is not delivered leads nowhere, one that nobody handles ends the rank
    run, answers = play(WORDS, "handle SIGUSR1 nopass", "continue", "wait 60", "next", "wait 60")
    expect(run, answers[1:], [f"0: stopped, main at words.c:{kill + 1}"])
    run, answers = play(WORDS, f"break {at('half')}", "continue", "wait 60", "delete",
                        "print signal (10, 0)", "continue", "wait 60", "step", "wait 60")
    run.expect_line("0: failed SIGUSR1")
    # and one that comes during a step is run over
    run, answers = play(WORDS, "handle SIGUSR1 nostop noprint", f"break {at('kill')}", "continue", "wait 60",
                        "next", "wait 60", "print handled")
    expect(run, answers[-2:], [f"0: stopped, main at words.c:{kill + 1}", "0: handled = 11"])


def check_until():
    """Without a place: like next, but it leaves a loop, calls and all, and goes no further than its end."""
    loop, kill = pddt.mark(SOURCE, "loop"), pddt.mark(SOURCE, "kill")
    run, answers = play(WORDS, f"tbreak {at('loop')}", "continue", "wait 60", "until", "wait 60", "print turns", "until",
                        "wait 60", "print turns", "until", "wait 60")
    expect(run, answers[2:], [f"0: stopped, main at words.c:{loop - 1}", "0: turns = 0",
                              f"0: stopped, main at words.c:{kill}", "0: turns = 30",
                              f"0: signal SIGUSR1, main at words.c:{kill}"])


def check_parts():
    """Back in the middle of a statement, at a row of its own: the rest of it is no other line."""
    half = pddt.mark(SOURCE, "half")
    run, answers = play(WORDS, "handle SIGUSR1 nostop noprint", "break half_of if value == 2",
                        "continue", "wait 60", "delete", *["step", "wait 60"] * 3)
    expect(run, answers[-3:], [f"0: stopped, half_of at words.c:{half + 1}", f"0: stopped, half_of at words.c:{half + 2}",
                               f"0: stopped, main at words.c:{pddt.mark(SOURCE, 'parts') + 1}"])


def gdb_stack(*lines):
    out = subprocess.run(["gdb", "-nx", "-q", "-batch", "-ex", "set debuginfod enabled off", "-ex",
                          "handle SIGUSR1 nostop noprint"]
                         + [word for line in lines for word in ("-ex", line)] + [WORDS],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60).stdout
    return re.findall(r"^#\d+ .*?(?:in )?(\w+) \(.*? at .*?(words\.c:\d+)", out, flags=re.M)


def check_vfork():
    """Between the instructions that keep vfork's caller in a register its stack is whole."""
    frames = [f"{function} at {place}" for function, place in gdb_stack("catch vfork", "run", "bt")]
    run, answers = play(WORDS, "handle SIGUSR1 nostop noprint", "catch vfork", "continue", "wait 60", "where",
                        "stepi", "wait 60", "where", "finish", "wait 60", "where")
    shown = re.findall(r"^#\d+ +0 1 (\w+ at words\.c:\d+)$", run.out, flags=re.M)
    if len(frames) != 4 or shown != frames[::-1] * 3 or "[incomplete]" in run.out:
        run.fail(f"expected three times {frames}, not {shown}")


def check_overwritten():
    """The return address is no code any more: there is no way out of the function, and the rank stays where it is."""
    half = pddt.mark(SOURCE, "half")
    run, answers = play(WORDS, f"break {at('half')}", "continue", "wait 60", "set var *(long *) ($rbp + 8) = 16",
                        "up", "info frame", "finish", "wait 60", "show state", "print value")
    run.expect("error: its caller is not known (0)")
    run.expect("\n0:  its caller is not known\n", "out")
    run.expect("error: cannot finish: its caller is not known (0)")
    expect(run, answers[-2:], [f"0: breakpoint 1, half_of at words.c:{half + 1}", "0: value = 10"])


def check_full():
    run, answers = play(WORDS, f"break {at('half')}", "continue", "wait 60", "where", "where full", "where",
                        "where 1 full", "where 1")
    plain = answers[2:4]
    if "result = 5" not in run.out or answers[-1] != plain[-1].replace("  ", "") or answers.count(plain[0]) != 2:
        run.fail("where full sticks")


def check_watches():
    """Names in a watch's condition are those of the frame that it was set in."""
    count = pddt.mark(SOURCE, "count")
    for condition, value in ("i == 2", 6), ("i == 4", 20), ("half == 2.5", 2):
        run, answers = play(WORDS, f"break {at('loop')}", "continue", "wait 60", "delete",
                            f"watch turns if {condition}", "continue", "wait 60", "print turns")
        expect(run, answers[-2:], [f"0: breakpoint 2, count at words.c:{count + 1}", f"0: turns = {value}"])
    # of a frame that has returned they mean nothing any more
    run, answers = play(WORDS, f"break {at('half')}", "continue", "wait 60", "delete", "watch turns if value == 1",
                        "continue", "wait 60")
    run.expect("its function half_of has returned")
    # what lies at an address is watched wherever its name leads meanwhile
    run, answers = play(WORDS, "watch -l *pointer", "watch -location corner.x if table[2] == 4", "set var pointer = 0",
                        "set var table[2] = 4", f"break {at('half')}", "continue", "wait 60", "show breakpoints")
    run.expect("watch -l *pointer")
    run.expect_not("error")


def check_sections():
    """The distance of a section's elements, where the compiler has not written how large one is."""
    run, answers = play(SECTIONS, f"break sections.f90:{pddt.mark(os.path.join(os.path.dirname(SOURCE), 'sections.f90'), 'look')}",
                        "continue", "wait 60", "print a(2,1)", "print a(2,2)", "print a(3,3)", "print a(:,2)",
                        "print a(1)", "print a(1,1,1)", "up", "whatis both", "ptype both")
    expect(run, answers[-12:-8], ["0: a(2,1) = 32", "0: a(2,2) = 35", "0: a(3,3) = 58", "0: a(:,2) = (15, 35, 55)"])
    # as many subscripts as dimensions, and a namelist has a type
    if run.out.count("wrong number of subscripts for a value of type integer(kind=4) (:,:)") != 2:
        run.fail("subscripts")
    expect(run, answers[-5:], ["0: type = Type both", "0: type = Type both", "0:     integer(kind=4) :: i",
                               "0:     integer(kind=4) :: x(6,8)", "0: End Type both"])


def check_references():
    """A value behind a reference, or this, is watched by debug registers, optimised or not."""
    stops = []
    for program in PLAIN, OPTIMISED:
        run, answers = play(program, "break bump", "continue", "wait 60", "watch value", "continue", "wait 60",
                            "continue", "wait 60", "delete 2", "watch pair.b", "continue", "wait 60",
                            "delete", "break Pair::grow", "continue", "wait 60", "watch a", "continue", "wait 60",
                            "delete", "continue", "wait 60")
        run.expect_status(0)
        if run.out.count("(hardware)") != 3 and "single steps" not in run.out:
            if "cannot watch" not in run.out:
                run.fail("not watched by hardware")
        if "single steps" in run.out:
            run.fail("watched by single steps")
        stops.append([line for line in answers if re.match(r"0: \S+( before)? = |0\| ", line)])
    if stops[0] != stops[1] or len(stops[0]) != 9:
        run.fail(f"not the same at -O0 and -O2: {stops}")


check_handler()
check_until()
check_parts()
check_vfork()
check_overwritten()
check_full()
check_watches()
check_sections()
check_references()
