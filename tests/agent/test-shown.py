# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as their class writes them, code that takes too long, and exceptions by their names; the oracle is what
the program itself would print. Argument: the folder of the agent."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import pddt

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shown.py")


def run(interpreter, action, *lines):
    return pddt.run(pddt.commands(*lines) + ["--", interpreter, "%python_debug%", PROGRAM, action])


def line(name):
    return pddt.mark(PROGRAM, name)


def test_texts(interpreter):
    shown = run(interpreter, "show", f"break shown.py:{line('shown')}", "continue", "wait 60", "print table",
                "print here", "print names", "print/x big", "print/o big", "print/t big", "print/x negative",
                "py del big", "print nested", "show locals")
    table = "0: table =\n      x\n  10  1\n  20  2\n"
    if shown.out.count(table) != 2:
        shown.fail("print and show locals keep the lines")
    here = [1]
    here.append(here)
    names = {"a": ([],)}
    names["a"][0].append(names["a"])
    names["b"] = names
    big = 2 ** 64 + 5
    for text in (f"here = {here!r}", f"names = {names!r}", f"big = {big:#x}", f"big = 0{big:o}", f"big = {big:b}",
                 f"negative = {-2 ** 70:#x}"):
        shown.expect_line("0: " + text)
    shown.expect_line("error: TypeError: a function's variable cannot be deleted from outside: big (0)")
    shown.expect("0: nested = defaultdict(<class 'dict'>, {0: {0: item 19900, 1: item 19900, ")
    shown.expect_not("no answer")


def test_yields(interpreter):
    shown = run(interpreter, "consume", "tbreak produce", "continue", "wait 60", "finish", "wait 60", "continue")
    shown.expect_line("0: produce yielded 1")
    shown = run(interpreter, "consume", "break produce", "continue", "wait 60", "finish", "wait 60", "finish", "wait 60")
    shown.expect_line("0: consume returned (1, [])")


def test_slow(interpreter):
    """Code that waits in C hides no other value, and steps go on from where the rank was."""
    shown = run(interpreter, "wait", f"break shown.py:{line('waits')}", "continue", "wait 60", "set option limit-time 1",
                "show locals", "show state", "next", "wait 60", "next", "wait 60")
    for text in "a = 1", "z = [1, 2]":
        shown.expect_line("0: " + text)
    shown.expect("0: slow = <Slow at 0x")
    shown.expect("note: Python code has not answered in 1 s (option limit-time)")
    if shown.out.count(f"0: breakpoint 1, wait at shown.py:{line('waits')}") != 2:
        shown.fail("it has not stayed where it was")
    shown.expect_line(f"0: stopped, wait at shown.py:{line('after')}")


def test_limit(interpreter):
    shown = run(interpreter, "wait", f"break shown.py:{line('waits')}", "continue", "wait 60",
                "set option limit-time 60", "print slow")
    shown.expect_line("0: slow = slow")


def test_names(interpreter):
    """By public names, bases and members of groups; an unknown one is pending."""
    minor = int(os.popen(interpreter + " -c 'import sys; print(sys.version_info[1])'").read())
    names = (("json.JSONDecodeError", "fails"), ("JSONDecodeError", "fails"), ("FileNotFoundError", "fails"),
             ("IOError", "fails"), ("Own", "group"), ("TypeError", "group"))
    is_other = interpreter != driver.list_interpreters()[0] and not os.environ.get("PDDT_LONG")
    for name, place in names[::3] if is_other else names:  # a public name and a member of a group
        if place == "group" and minor < 11:
            continue
        shown = run(interpreter, "fail", "catch exception " + name, "continue", "wait 60", "show breakpoints")
        if f" at shown.py:{line(place)}\n" not in shown.out or "breakpoint 1, " not in shown.out:
            shown.fail(f"{name} does not stop at {place}")
        shown.expect_line(f"0: breakpoint 1 set, catch exception {name}, hits 1")
    shown = run(interpreter, "fail", "catch exception JSONDecodeErr", "show breakpoints", "continue", "wait 60")
    pending = '0: breakpoint 1 pending, catch exception JSONDecodeErr (no exception "JSONDecodeErr" yet)'
    if shown.out.count(pending) != 2:
        shown.fail("a misspelt name is not pending")
    shown.expect_line("0: exited 0")


def test_recursion(interpreter):
    shown = run(interpreter, "overflow", "catch exception RecursionError", "continue", "wait 60", "print depth > 500")
    shown.expect_line(f"0: breakpoint 1, recurse at shown.py:{line('recurse')}")
    shown.expect_line("0: depth > 500 = True")


def main():
    interpreters = driver.list_interpreters()
    tests = [(test, interpreter) for interpreter in dict.fromkeys(interpreters[:1] + interpreters[-1:])
             for test in (test_texts, test_yields, test_slow, test_names)]
    driver.run_journeys(tests + [(test_limit, interpreters[-1])]
                        + [(test_recursion, interpreter) for interpreter in interpreters])


main()
