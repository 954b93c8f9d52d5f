# SPDX-License-Identifier: GPL-3.0-or-later
"""Small assembler files with one defect each: the broken part is reported or left out, the good
variable keeps its value, and nothing crashes or hangs. Argument: their folder."""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

from pddt import ENVIRONMENT, PDDT

UNKNOWN, BROKEN = "<location not understood>", "<broken location>"
# file: [(expression, what is said of it)]
EXPECTED = {
    "call-cycle": [("caller", "0: caller = " + UNKNOWN)],
    "cut-operand": [("cut", "0: cut = " + UNKNOWN)],
    "empty-stack": [("taken", "0: taken = " + BROKEN)],
    "endless-list": [("listed", "0: listed = " + UNKNOWN)],
    "function-type": [("of_main", "0: of_main = {void ()} 0x404010 <stored>")],
    "huge-count": [("huge[3]", "0: huge[3] = 10"), ("huge", "0: huge = {7, 8, 9, 10, 0, 0, 0, 0...} (too large to compare whole)")],
    "member-cycle": [("nested.inner.inner.inner", "0: nested.inner.inner.inner = {inner = {inner = {inner = {...}}}}"
                      " (too large to compare whole)")],
    "no-addresses": [("indexed", "0: indexed = " + UNKNOWN)],
    "no-lists": [("listed", "0: listed = " + UNKNOWN)],
    "no-signature": [("unsigned_type", "0: unsigned_type = <unknown type>")],
    "skip-loop": [("endless", "0: endless = " + BROKEN)],
    "type-cycle": [("looped", "0: looped = <unknown type>")],
    "wild-type": [("wild", "0: wild = <unknown type>")],
    "zero-division": [("divided", "0: divided = " + BROKEN)],
}


def build(folder, source):
    there = os.path.join(folder, os.path.basename(source)[:-2])
    os.mkdir(there)
    done = subprocess.run(["gcc", "-no-pie", "-I", os.path.dirname(source), source, "-o", "p"], cwd=there,
                          capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise SystemExit(f"{source}: {done.stderr}")
    return os.path.join(there, "p")


def check(folder, source):
    name = os.path.basename(source)[:-2]
    program = build(folder, source)
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    here = re.search(r"^0*(\w+) T here$", symbols, re.M)[1]
    line = [PDDT, "--stop-at", "start", "-e", "break *0x" + here, "-e", "continue", "-e", "wait"]
    wanted = ["0: good = 7"]
    for expression, said in EXPECTED.get(name, []):
        line += ["-e", "print " + expression]
        wanted.append(said)
    line += ["-e", "print good", "-e", "show locals", "-e", "where", "-e", "kill", program]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          errors="replace", env=dict(ENVIRONMENT, DEBUGINFOD_URLS="", XDG_CACHE_HOME=folder))
    shown = done.stdout.splitlines()
    missing = [text for text in wanted if text not in shown]
    if done.returncode not in (0, 1) or "restarted" in done.stdout + done.stderr:
        missing.append("an orderly end")
    return name, missing, done.stdout + done.stderr


def main():
    sources = sorted(glob.glob(os.path.join(os.path.abspath(sys.argv[1]), "*.s")))
    bad = [name for name in EXPECTED if not any(os.path.basename(source) == name + ".s" for source in sources)]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, missing, output in pool.map(lambda source: check(folder, source), sources):
            if missing or os.environ.get("PDDT_VERBOSE"):
                print(name, missing, output, sep="\n")
            bad += [name] if missing else []
    print(len(sources), "files, bad:", bad)
    return 1 if bad or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
