# SPDX-License-Identifier: GPL-3.0-or-later
"""CLASS variables of Fortran as what they are in the rank. Argument: classes.f90, whose statements say what is right."""
import os
import sys

import pddt

PROGRAM = sys.argv[1]
SOURCE = os.path.join(pddt.SOURCE, "tests", "inferiors", "classes.f90")
SHOW = f"classes.f90:{pddt.mark(SOURCE, 'show')}"
LABEL = "label = 'second', _label_length = 6"
# At each stop: what is asked in `show`, and in the program.
STOPS = [[("self", f"(long_node) ( int_node = ( node_t = ( id = 2, next = {{...}} ), n = 3 ), r = (1.5, 2.5), {LABEL} )"),
          ("self%id", "2"), ("self%n", "3"), ("self%r(2)", "2.5"), ("self%label", "'second'"), ("self%r(1) + self%n", "4.5"),
          ("SELF % R(2)", "2.5"), ("self%int_node%n", "3"), ("any", "(integer(kind=4)) 42"), ("all(2)%n", "20"),
          ("all(2)%r", "(2, 2)"), ("all(3)%r(1) + all(2)%r(2)", "5"), ("all(1)%label", "<not allocated>"),
          (None, "1"), ("head%n", "3"), ("head%next%r(2)", "2.5"), ("head%next%label", "'second'"),
          ("all(3)%r(1)", "3"), ("own%extra", "77")],
         [("self", "(local_t) ( node_t = ( id = 0, next = ( _data = 0x0"), ("self%extra", "77"), ("any", "(real(kind=8)) 2.5")],
         [("self", "(int_node) ( node_t = ( id = 1, next = "), ("self%next%r(2)", "9.25"), ("any", "(character (len=:)) 'text'")],
         [("any", "(logical(kind=4)) .true.")]]
REFUSED = ["self%extra", "self%next%label", "all(2)%extra"] # at the first stop


def make_lines():
    lines = ["set option limit-depth 3", "break " + SHOW]
    for number, stop in enumerate(STOPS):
        lines.append("continue")
        for text, _ in stop:
            lines.append("print " + text if text else "up")
        if number == 0:
            lines += ["set var head%next%r(2) = 9.25", "down", "show locals", *("print " + text for text in REFUSED)]
    return lines


run = pddt.run(pddt.commands(*make_lines(), "condition 1 self%id > 9", "continue") + [PROGRAM])
run.expect_status(1)
lines = [line for line in run.out.splitlines() if line.startswith("0: ")]
at = 0
for stop in STOPS:
    for text, value in stop:
        if text is None:
            continue
        found = [number for number in range(at, len(lines)) if lines[number].startswith(f"0: {text} = {value}")]
        if not found:
            run.fail(f"{text} is not {value}, or not there")
        at = found[0] + 1
if sum(line.startswith("0: self = (long_node) (") for line in lines) != 2:
    run.fail("show locals")
run.expect('error: no member "extra" in struct node_t (0)')
run.expect('error: no member "label" in struct node_t (0)')
run.expect('error: no member "extra" in struct int_node (0)')
run.expect_line("0: exited 0")

# a module has no value, and says what it is
run = pddt.run(pddt.commands("ptype lists", "whatis LISTS", "print lists", "ptype nolists") + [PROGRAM])
run.expect_status(1)
run.expect_line("0: lists = <a module has no value>")
run.expect('error: no symbol "nolists"')
if run.out.count("0: type = module lists\n") != 2:
    run.fail("whatis and ptype of a module")
