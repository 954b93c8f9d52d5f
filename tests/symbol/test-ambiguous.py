# SPDX-License-Identifier: GPL-3.0-or-later
"""Static names of several files: all matches are listed, each can be qualified by its file, and
inside a file its own needs no qualification; unmapped addresses. gdb is the oracle."""
import os
import re
import subprocess
import sys
import tempfile

from pddt import ENVIRONMENT, PDDT, require_gdb

FILES = {
    "a.c": "static int value = 1;\nstatic int helper (int n) { return n + value; }\n"
           "int b_call (int);\nint plain (int);\n"
           "int main (void) { int r = helper (3) + b_call (4); return plain (r) == 0; }\n",
    "b.c": "static double value = 2.5;\nstatic int helper (int n) { value += 1; return n * 2; }\n"
           "int b_call (int n) { return helper (n); }\n",
    "c.c": "static char value = 'c';\nint c_call (void) { return value; }\n",
    "d.c": "int c_call (void);\nint plain (int n) { return n + c_call (); }\n"}
ASKED = ["'a.c'::value", "'b.c'::value", "'c.c'::value + 1"]
LISTED = "'a.c'::value, 'b.c'::value, 'c.c'::value"


# `::` in front means no namespace that the frame is in; of a file's names, one outside of all namespaces comes first.
SCOPES = """namespace ns { int x = 31; int f (int a) { return 200 + a; } int plain (int a) { return a + x; } }
int x = 11;
static int f (int a) { return 100 + a; }
namespace { int hidden = 7; }
namespace there { int used = 9; }
using namespace there;
int main () { return ns::plain (1) + x + f (1) + ns::f (1) + hidden + used; }
"""
ASKED_SCOPES = ["x", "::x", "::f (1)", "f (1)", "::ns::x", "ns::x", "'n.cc'::x"]
BEYOND = {"::hidden": "7", "::used": "9"}  # gdb does not find them


def ask_gdb(program, place="plain", asked=tuple(ASKED)):
    line = ["gdb", "-nx", "-batch", "-ex", f"break {place}", "-ex", "run"]
    for expression in asked:
        line += ["-ex", "print " + expression]
    shown = subprocess.run(line + [program], capture_output=True, text=True, timeout=60,
                           env=dict(ENVIRONMENT, DEBUGINFOD_URLS="")).stdout
    return re.findall(r"^\$\d+ = (.*)$", shown, re.M)


def check_scopes(folder):
    with open(os.path.join(folder, "n.cc"), "w", encoding="utf-8") as file:
        file.write(SCOPES)
    program = os.path.join(folder, "n")
    subprocess.run(["g++", "-g", "-O0", "n.cc", "-o", "n"], cwd=folder, check=True)
    line = [PDDT, "-e", "break ns::plain", "-e", "continue", "-e", "wait"]
    for expression in [*ASKED_SCOPES, *BEYOND]:
        line += ["-e", "print " + expression]
    shown = subprocess.run(line + ["-e", "kill", program], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=60, env=dict(ENVIRONMENT, DEBUGINFOD_URLS=""))
    wanted = ask_gdb(program, "ns::plain", ASKED_SCOPES)
    for expression, value in [*zip(ASKED_SCOPES, wanted, strict=True), *BEYOND.items()]:
        if f"0: {expression} = {value}" not in shown.stdout.splitlines():
            raise SystemExit(f"{expression}: gdb {value}\n{shown.stdout}{shown.stderr}")


def main():
    require_gdb()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        program = os.path.join(folder, "p")
        subprocess.run(["gcc", "-g", "-O0", *FILES, "-o", "p"], cwd=folder, check=True)
        wanted = [("break helper", "0: breakpoint 1 set, helper at a.c:2; helper at b.c:2"),
                  ("continue", None), ("wait", "0: breakpoint 1, helper at a.c:2"),
                  ("print value", "0: value = 1"),
                  ("continue", None), ("wait", "0: breakpoint 1, helper at b.c:2"),
                  ("print value", "0: value = 2.5"),
                  ("break plain", "0: breakpoint 2 set, plain at d.c:2"),
                  ("continue", None), ("wait", "0: breakpoint 2, plain at d.c:2"),
                  ("print value", f'error: "value" is ambiguous: {LISTED}'),
                  ("whatis value", f'error: "value" is ambiguous: {LISTED}'),
                  ("print helper", "error: \"helper\" is ambiguous: 'a.c'::helper, 'b.c'::helper"),
                  ("print 'x.c'::value", 'error: no symbol "value" in file "x.c"'),
                  ("break *0x10", "0: breakpoint 3 pending, nothing at 0x10 yet"),
                  ("x/4xb 0x10", "error: cannot read memory at 0x10"),
                  ("jump *0x10", "error: no code at *0x10"),
                  ("print *(int *) 8", "0: *(int *) 8 = <cannot read memory at 0x8>")]
        wanted += [("print " + expression, f"0: {expression} = {value}")
                   for expression, value in zip(ASKED, ask_gdb(program), strict=True)]
        line = [PDDT]
        for command, _ in wanted + [("kill", None)]:
            line += ["-e", command]
        done = subprocess.run(line + [program], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, env=dict(ENVIRONMENT, DEBUGINFOD_URLS=""))
        shown = done.stdout.splitlines()
        for command, text in wanted:
            while text and shown and not shown[0].startswith(text):
                shown.pop(0)
            if text and not shown:
                print(f"{command}: no {text!r}\n{done.stdout}{done.stderr}")
                return 1
        check_scopes(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
