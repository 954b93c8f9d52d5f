# SPDX-License-Identifier: GPL-3.0-or-later
"""Pointers to members of classes that an expression makes, beside gdb, which has their types from the same source: variables,
methods, const, volatile and virtual ones, static ones, which are plain pointers, those of bases and templates; what they are
good for beside the program's own. Arguments: the source, compilers."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pddt

SOURCE, COMPILERS = os.path.abspath(sys.argv[1]), sys.argv[2:]
NAMES = ["&Base::get", "&Base::set", "&Base::still", "&Base::turn", "&Base::other", "&Base::none", "&Base::loose", "&Base::x",
         "&Base::y", "&Base::shared", "&space::Pair::first", "&space::Pair::second", "&space::Pair::twice", "&Derived::turn",
         "&Derived::z", "&Derived::set", "&Derived::same<int>", "&Box<int>::v", "&Box<int>::sum", "&free_function", "&base.set"]
VALUES = {
    "sizeof (&Base::set)": "16", "sizeof (&Base::turn)": "16", "sizeof (&Base::still)": "8", "plain == &Base::set": "true",
    "turned == &Base::turn": "true", "turned == &Base::set": "false", "member == &Base::y": "true", "member == &Base::x": "false",
    "(base.*&Base::set) (7)": "12", "(base.*&Base::turn) (1)": "101", "(derived.*&Derived::turn) (1)": "101",
    "base.*&Base::y": "12", "call_on (&base, &Base::turn, 1)": "101", "call_on (&base, &Base::set, 1)": "12", "call_on (&base, plain, 1)": "12",
    "call_on (&base, turned, 1)": "101",
    "sizeof &Holder::base": "8", "&Base::table": "&Base::table", "&Base::other": "&virtual Base::other(void)",
    # compilers write long int or long, and people either
    "derived.same_size<unsigned long> (5)": "9", "derived.same_size<long unsigned int> (5)": "9", "derived.same_size<short> (5)": "3",
    "(derived.*&Derived::same_size<short>) (5)": "3", "twice<long long> (5)": "10", "twice<unsigned int> (5)": "10",
    "&Far::far": "&Far::far", "&Far::y": "&Base::y", "far.*&Far::y": "26", "far.*&Far::far": "6", "&Far::y == member": "true",
    "base.*&Far::y": "12",
    # null is -1 for a variable, and for a method what its first word says
    "nothing": "NULL", "nothing == 0": "true", "!nothing": "true", "nothing ? 1 : 2": "2", "member != nullptr": "true",
    "no_method == 0": "true", "no_method ? 1 : 2": "2", "base.*nothing": "<no member: the pointer is null>",
    # C++'s conversions: a base's member lies further behind in the class
    "both.*late": "22", "late == member": "true", "member == late": "true", "late == &Base::y": "true", "late == &Base::x": "false",
    "read_of (&both, member)": "22", "read_of (&both, &Base::x)": "21", "read_of (&both, own)": "3", "late_turn == turned": "true",
    "(decltype (plain)) 3": "<a number is no pointer to a method>", "sizeof ((decltype (plain)) 3)": "16",
    "late_turn == lead": "false", "late_turn != lead": "true", "late_set == plain": "true", "late_set == late_turn": "false",
    "call_both (&both, turned, 1)": "201", "call_both (&both, &Base::turn, 2)": "202", "call_both (&both, &Left::lead, 4)": "4"}
REFUSED = {
    "*plain": "cannot dereference a value of type int (Base::*)(Base * const, int) without an object: use OBJECT.*POINTER",
    "member + 1": "cannot compute with values of types int Base::* and int",
    "plain + 1": "cannot compute with values of types int (Base::*)(Base * const, int) and int",
    "-member": "cannot compute with a value of type int Base::*",
    "member == spaced": "cannot compute with values of types int Base::* and int space::Pair::*",
    "plain == constant": "cannot compute with values of types int (Base::*)(Base * const, int) and int (Base::*)(const Base * const)",
    "call_on (&base, late_turn, 1)": "cannot pass argument 2: it is a int (Both::*)(Both * const, int), not a int (Base::*)(Base * const, int)",
    "*&Base::y": "cannot dereference a value of type int Base::* without an object: use OBJECT.*POINTER",
    "&Base::over": '"Base::over" is ambiguous: Base::over(Base * const, double), Base::over(Base * const, int)'}
STOP = "member-pointers.cpp:%d" % pddt.mark(SOURCE, "stop")


def normalise(text):
    """gdb names parameters behind functions, and calls long int long."""
    text = re.sub(r"^(\$\d+|0: .*?) = |^(0: )?type = ", "", text)
    return re.sub(r"<([\w:<>]+)\([^>]*>", r"<\1>", text)


def ask_gdb(program, questions):
    words = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-ex", f"break {STOP}", "-ex", "run"]
    for question in questions:
        words += ["-ex", f"echo @@{question}\\n", "-ex", question]
    out = subprocess.run(words + [program], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120).stdout
    return {part.split("\n")[0]: normalise(part.split("\n")[1]) for part in out.split("@@")[1:]}


def check(program):
    # gdb takes one virtual function for another
    questions = [f"{verb} {name}" for name in NAMES for verb in ("whatis", "ptype", "print") if (verb, name) != ("print", "&Base::other")]
    expected = ask_gdb(program, questions)
    asked = pddt.commands(*(line for question in questions for line in (f"echo @@{question}\\n", question)))
    run = pddt.run(pddt.commands(f"break {STOP}", "continue") + asked + [program])
    run.expect_status(0)
    got = {part.split("\n")[0]: normalise(part.split("\n")[1]) for part in run.out.split("@@")[1:]}
    wrong = [f"{question}: {got.get(question)}, gdb {expected[question]}" for question in questions
             if got.get(question) != expected[question]]
    if wrong or len(expected) != len(questions):
        run.fail("\n".join(wrong))
    lines = [f"print {text}" for text in [*VALUES, *REFUSED]]
    run = pddt.run(pddt.commands(f"break {STOP}", "continue", *lines, "set var plain = &Base::turn", "print plain",
                                 "print (base.*plain) (3)", "print &Holder::base.y", "print $p = &Base::set", "print base.*$p",
                                 "print (base.*$p) (3)", "set $m = member", "print $m", "print derived.*$m", "whatis $m",
                                 "print $m == &Base::y", "set $t = turned", "print (derived.*$t) (3)", "ptype $t",
                                 "print (int (Base::*) (int)) 0", "print &Far::y == &Far::far", "break twice<long long>",
                                 "break Derived::same_size<unsigned long>") + [program])
    for text, value in VALUES.items():
        run.expect_line(f"0: {text} = {value}")
    for text, reason in REFUSED.items():
        run.expect_line(f"error: {reason} (0)")
    run.expect_line("0: plain = &virtual Base::turn(int)")
    run.expect_line("0: (base.*plain) (3) = 103")
    for line in ("$m = &Base::y", "derived.*$m = 12", "type = int Base::*", "$m == &Base::y = true", "(derived.*$t) (3) = 103",
                 "type = int (Base::*)(Base * const, int)", "(base.*$p) (3) = 12"):
        run.expect_line("0: " + line)
    run.expect("put the object first, as in void (Base::*)(Base * const)")
    run.expect_line("error: cannot compute with values of types int Base::* and int Far::* (0)")
    for number in 2, 3:
        run.expect(f"0: breakpoint {number} set, ")
    # of a member's member no pointer is made, least of all one to the first
    run.expect_not("&Holder::base.y = &")
    changes = {"own = member": "&Base::y", "own = &Both::l": "&Left::l", "own = 0": "NULL", "lead = turned": "&virtual Base::turn(int)",
               "lead = late_set": "<Base::set>, this adjustment 16", "lead = no_method": "NULL", "lead = &Left::lead": "&virtual Left::lead(int)",
               "no_method = turned": "&virtual Base::turn(int)", "no_method = 0": "NULL"}
    lines = [line for text in changes for line in (f"set var {text}", f"print {text.split()[0]}")]
    run = pddt.run(pddt.commands(f"break {STOP}", "continue", *lines, "set var member = own", "set var plain = constant") + [program])
    got = [line for line in run.out.splitlines() if re.match("0: (own|lead|no_method) = ", line)]
    if len(got) != len(changes) or not all(line.endswith(value) for line, value in zip(got, changes.values())):
        run.fail(f"{got}\nwanted {list(changes.values())}")
    run.expect_line("error: cannot convert a value of type int Both::* to int Base::* (0)")
    run.expect_line("error: cannot convert a value of type int (Base::*)(const Base * const) to int (Base::*)(Base * const, int) (0)")


with tempfile.TemporaryDirectory() as folder:
    for compiler in filter(shutil.which, COMPILERS):
        for options in (["-O0"], ["-O0", "-gdwarf-4"]):
            path = os.path.join(folder, "members")
            subprocess.run([compiler, "-g", "-w", *options, SOURCE, "-o", path], timeout=120, check=True)
            check(path)
