# SPDX-License-Identifier: GPL-3.0-or-later
"""One stack of Python and BLAS; in the long check gdb's py-bt of the same process beside it."""
import os
import re
import subprocess

import pddt

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "blas.py")
LINES = [("<module>", "main"), ("work", "list"), ("work.<locals>.<listcomp>", "list"), ("order", "key"),
         ("order.<locals>.<lambda>", "key"), ("Model.apply", "dot")]
HAS_COMPREHENSIONS = subprocess.run([pddt.PYTHON, "-c", "import sys; sys.exit(sys.version_info >= (3, 12))"], check=False).returncode == 0
# from 3.12 on a comprehension has no frame of its own
EXPECTED = [(name, pddt.mark(SCRIPT, mark)) for name, mark in LINES if HAS_COMPREHENSIONS or "listcomp" not in name]
FUNCTIONS = ("cblas_dgemm", "dgemm_", "cblas_dsyrk", "dsyrk_", "cblas_matrixproduct")


def frames(text):
    """[(function, line)] of the script's Python frames, outermost first, and what is below them."""
    found = re.findall(r"^#\d+ +\S+ \d+ (\S+) at blas\.py:(\d+) \[py\]$", text, flags=re.M)
    rest = re.split(r"at blas\.py:\d+ \[py\]", text)[-1]
    return [(name, int(line)) for name, line in found], rest


def check_blend():
    breaks = ["break " + name for name in FUNCTIONS]
    run = pddt.run(pddt.commands(*breaks, "continue", "wait 60", "on 0 where", *[
        f"delete {number}" for number in range(1, len(breaks) + 1)], "continue", "wait 60", "expect exited")
        + [pddt.PYTHON, "%python_debug%", SCRIPT])
    run.expect_status(0)
    found, rest = frames(run.out)
    if found != EXPECTED:
        run.fail(f"{found}, not {EXPECTED}")
    if not any(name in rest for name in FUNCTIONS):
        run.fail("no BLAS below the Python frames")
    run.expect_line("0: breakpoint 1, Model.apply at blas.py:%d" % EXPECTED[-1][1])  # not numpy's own code
    run.expect_line("0| [[1, 2, 3]]")


def py_bt(pid):
    out = subprocess.run(["gdb", "-q", "-batch", "-nx", "-iex", "set debuginfod enabled off",
                          "-iex", "set auto-load safe-path /", "-p", str(pid), "-ex", "py-bt"],
                         capture_output=True, text=True, timeout=120).stdout
    found = re.findall(r'^ +File "(.*)", line (\d+), in (\S+)', out, flags=re.M)
    return [(name, int(line)) for path, line, name in found[::-1] if path.endswith("hold.py")], out


def check_oracle(folder):
    """The same stack as py-bt's, of a process that is attached to while it waits in C."""
    script = os.path.join(folder, "hold.py")
    with open(SCRIPT, encoding="utf-8") as source, open(script, "w", encoding="utf-8") as held:
        held.write(source.read().replace("import numpy\n", "import numpy\nimport sys\n")
                   .replace("return float", "print('there', flush=True); sys.stdin.readline(); return float"))
    process = subprocess.Popen([pddt.PYTHON, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    theirs, out = py_bt(process.pid)
    run = pddt.run(pddt.commands("where") + ["--attach", str(process.pid)])
    ours = [(name, int(line)) for name, line in
            re.findall(r"^#\d+ +\S+ \d+ (\S+) at hold\.py:(\d+) \[py\]$", run.out, flags=re.M)]
    process.kill()
    process.communicate()
    if not theirs:
        raise SystemExit("gdb's py-bt shows nothing: " + out)
    if [(name.split(".")[-1], line) for name, line in ours] != theirs:
        run.fail(f"py-bt shows {theirs}")


check_blend()
if os.environ.get("PDDT_LONG"):
    import tempfile
    with tempfile.TemporaryDirectory() as place:
        check_oracle(place)
