# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that only linkers know, as the source writes them: in breakpoints and stacks. A step into a virtual
call arrives behind the thunk that corrects the object. A breakpoint on an inlined function stops in each
of its calls. Arguments: linkage.cpp, inlined.c."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pddt

CXX, C = map(os.path.abspath, sys.argv[1:3])
FUNCTIONS = ["outer::Both::second", "outer::Both::operator()", "outer::Both::twice<int>",
             "outer::Both::operator int", "outer::use_hidden", "outer::(anonymous namespace)::hidden"]


def build(folder, name, *line):
    path = os.path.join(folder, name)
    subprocess.run(list(line) + ["-w", "-o", path], check=True, timeout=100)
    return path


def check_names(folder):
    program = build(folder, "bare", "g++", "-O0", CXX)
    breaks = ["break " + name for name in ("Both::second", "outer::Both::operator()", "twice",
                                           "Both::operator int", "_ZN5outer10use_hiddenEv", "hidden")]
    run = pddt.run(pddt.commands(*breaks, *["continue", "wait", "where"] * 6) + ["--", program])
    run.expect_status(0)
    for name in FUNCTIONS:
        run.expect(f": breakpoint {FUNCTIONS.index(name) + 1} set, {name} (bare+0x")
        if not re.search(rf"^#0 .* {re.escape(name)} \(bare\+0x", run.out, re.M):
            run.fail(f"no stack ends in {name}")
    if "_Z" in run.out:
        run.fail("a linker's name is shown")


def check_thunks(folder):
    gnu = "-fno-inline", "-fno-devirtualize", "-fno-optimize-sibling-calls"
    for compiler, *options in (("g++", "-O0", *gnu), ("g++", "-O2", *gnu), ("clang++", "-O0")):
        if shutil.which(compiler) is None:
            continue
        program = build(folder, "thunks", compiler, "-g", *options, CXX)
        call, second, shared = (pddt.mark(CXX, name) for name in ("call", "second", "shared"))
        run = pddt.run(pddt.commands(f"break linkage.cpp:{call}", "continue", "wait", "step", "wait",
                                     "continue", "wait", "step", "wait") + ["--", program])
        run.expect_status(0)
        run.expect_line(f"0: stopped, outer::Both::second at linkage.cpp:{second}")
        run.expect_line(f"0: stopped, outer::Shared::second at linkage.cpp:{shared}")
        run = pddt.run(pddt.commands("info functions thunk") + ["--", program])
        run.expect("non-virtual thunk to outer::Both::second(int) at ")
        run.expect_not("_ZTh")


def count_by_gdb(program, function):
    said = subprocess.run(["gdb", "-nx", "-batch", "-ex", f"break {function}", "-ex", "ignore 1 1000",
                           "-ex", "run", "-ex", "info breakpoints", program], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False,
                          env=dict(pddt.ENVIRONMENT, DEBUGINFOD_URLS="")).stdout
    return int(re.search(r"already hit (\d+) time", said)[1])


def check_inlined(folder):
    for level in ("-O0", "-O1", "-O2", "-O3"):
        program = build(folder, "inlined" + level, "gcc", "-g", level, C)
        for function in ("whole", "pieces", "outer", "twice"):
            n = count_by_gdb(program, function)
            run = pddt.run(pddt.commands(f"break {function}", *["continue", "wait"] * (n + 1)) +
                           ["--", program])
            hits = run.out.count(f"0: breakpoint 1, {function} at inlined.c:")
            if hits != n or "0: exited 0" not in run.out:
                run.fail(f"{function} at {level}: {hits} stops, gdb {n}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_names(folder)
        check_thunks(folder)
        check_inlined(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
