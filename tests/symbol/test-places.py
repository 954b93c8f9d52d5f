# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of other files and threads, and what can be changed. Arguments: program, its library's
source."""
import os
import subprocess
import sys

from pddt import ENVIRONMENT, PDDT, mark

PROGRAM, SOURCE = sys.argv[1:3]
STEPS = [
    (f"break {os.path.basename(SOURCE)}:{mark(SOURCE, 'library')}", None),
    ("continue", None), ("wait", None),
    ("print library_own", "library_own = 5"),
    ("print main_global", "main_global = 77"),
    ("print main_own", "main_own = 4"),
    ("print points[1].y", "points[1].y = 4"),
    ("continue", None), ("wait", None),
    ("print library_own", "library_own = 6"),
    ("continue", None), ("wait", None),
    ("print library_own", "library_own = 5"),
    ("set var library_own = 50", None),
    ("print library_own", "library_own = 50"),
    ("set var $rax = 1234567", None),
    ("print $rax", "$rax = 1234567"),
    ("up", None),
    ("print main_own", "main_own = 5"),
    ("print library_global", "library_global = 9"),
    ("set var points[0].y = 10 * 2", None),
    ("set var real = 2.25", None),
    ("set var chosen = &points[0]", None),
    ("set var chosen->x = 30", None),
    ("print points", "points = {{x = 30, y = 20}, {x = 3, y = 4}}"),
    ("delete 1", None), ("continue", None), ("wait", None), ("expect exited", "exited 0"),
]


def main():
    line = [PDDT]
    for command, _ in STEPS:
        line += ["-e", command]
    done = subprocess.run(line + [PROGRAM], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, env=ENVIRONMENT)
    shown, bad = done.stdout.splitlines(), 0
    for _, wanted in STEPS:
        if wanted is None:
            continue
        while shown and shown[0] != "0: " + wanted:
            shown.pop(0)
        if not shown:
            bad += 1
            print("missing:", wanted)
            break
    if bad or done.returncode:
        print(done.returncode, done.stdout, done.stderr)
    return 1 if bad or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
