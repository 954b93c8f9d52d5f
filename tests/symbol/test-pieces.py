# SPDX-License-Identifier: GPL-3.0-or-later
"""A variable in pieces of bits, as pddt and gdb read it, and what clang 19 writes. Argument: the assembler file."""
import os
import re
import subprocess
import sys
import tempfile

from pddt import ENVIRONMENT, PDDT

ASKED = ["mixed.low", "mixed.middle", "mixed.high", "mixed.byte", "mixed.memory", "mixed.last"]
SAID = {"mixed.lost": "<optimised out>", "unsure": "2882343476", "wide": "<location not understood>",
        "whole": "{size = 3297993457, static count = 2}"}


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "p")
        subprocess.run(["gcc", "-no-pie", sys.argv[1], "-o", program], check=True)
        symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
        here = "*0x" + re.search(r"^([0-9a-f]+) T here$", symbols, re.M)[1].lstrip("0")
        line = ["gdb", "-nx", "-batch", "-ex", "break " + here, "-ex", "run"]
        ours = [PDDT, "-e", "break " + here, "-e", "continue", "-e", "wait"]
        for expression in ASKED:
            line += ["-ex", "print/d " + expression]
            ours += ["-e", f"print (int) {expression}"]
        for expression in SAID:
            ours += ["-e", "print " + expression]
        environment = dict(ENVIRONMENT, DEBUGINFOD_URLS="")
        gdb = subprocess.run(line + [program], capture_output=True, text=True, timeout=60,
                             env=environment)
        wanted = dict(zip(ASKED, re.findall(r"^\$\d+ = (.*)$", gdb.stdout, re.M), strict=True))
        done = subprocess.run(ours + ["-e", "kill", program], stdin=subprocess.DEVNULL, timeout=60,
                              capture_output=True, text=True, env=environment)
        shown = done.stdout.splitlines()
        lines = [f"0: (int) {name} = {text}" for name, text in wanted.items()]
        lines += [f"0: {name} = {text}" for name, text in SAID.items()]
        missing = [text for text in lines if text not in shown]
        if missing:
            print(missing, gdb.stdout, done.stdout, done.stderr)
        return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
