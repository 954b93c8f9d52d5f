# SPDX-License-Identifier: GPL-3.0-or-later
"""A program and its library are rebuilt while they run: pddt shows the running ones, or says
that it cannot; after a restart it shows the new ones. Argument: the source."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

from pddt import ENVIRONMENT, PDDT, mark

SOURCE = os.path.abspath(sys.argv[1])
PLACE = {name: f"{os.path.basename(SOURCE)}:{mark(SOURCE, name)}"
         for name in ("before", "after", "library")}
GO_ON = ["continue", "wait"]
REPLACED = [
    (["break " + PLACE["library"]] + GO_ON + ["print inside"], ["inside = 4"]),
    (["break " + PLACE["after"]] + GO_ON + ["print here", "print other", "print first", "print n"],
     ["here = 10", "other = 7", "first = 11", "n = 5"]),
    (["expect stopped at " + PLACE["after"]], []),
    (GO_ON + ["print inside", "print n", "whatis inside"], ["inside = 5", "n = 4", "type = int"]),
    (["delete 1", "delete 2"] + GO_ON + ["expect exited"], ["exited 0"]),
    # the new ones: nothing of the old is kept
    (["restart", "wait", "break " + PLACE["before"]] + GO_ON +
     ["print here", "print other", "print first"], ["here = 1000", "other = 1000", "first = 1"]),
    (["kill"], []),
]
TOUCHED = [
    (["break " + PLACE["after"]] + GO_ON + ["print other"], ["other = 7"]),
    (["break " + PLACE["library"]] + GO_ON + ["print inside", "show modules"],
     ["libchanged.so: it was replaced or changed after the program loaded it",
      "libchanged.so (replaced or changed after the program loaded it)"]),
    (["kill"], []),
]


NEWER = [
    (["break " + PLACE["after"]] + GO_ON, [os.path.basename(SOURCE) + " was changed after p was built: "
                                           "the lines shown may not be those that run"]),
    (["kill"], []),
]


def build(folder, source=SOURCE):
    for name, more in (("p", []), ("p.new", ["-DANEW"])):
        subprocess.run(["gcc", "-g", "-O0", *more, source, "-o", name], cwd=folder, check=True)
        library = "libchanged.so" + name[1:]
        subprocess.run(["gcc", "-g", "-O0", "-shared", "-fPIC", "-DLIBRARY", *more, source, "-o",
                        library], cwd=folder, check=True)


def run(folder, steps, status):
    line = [PDDT]
    for commands, _ in steps:
        for command in commands:
            line += ["-e", command]
    paths = [os.path.join(folder, name)
             for name in ("p", "p.new", "libchanged.so", "libchanged.so.new")]
    done = subprocess.run(line + [paths[0], *paths], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60, env=dict(ENVIRONMENT, DEBUGINFOD_URLS=""))
    shown, bad = done.stdout.splitlines(), 0
    for _, wanted in steps:
        for text in wanted:
            while shown and not shown[0].endswith(text) and text not in shown[0]:
                shown.pop(0)
            if not shown:
                print("missing:", text)
                bad += 1
    if bad or done.returncode != status:
        print(done.returncode, done.stdout, done.stderr)
    return bad or done.returncode != status


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        build(folder)
        bad += run(folder, REPLACED, 0)
        build(folder)
        os.remove(os.path.join(folder, "p.new"))
        bad += run(folder, TOUCHED, 1)
        source = shutil.copy(SOURCE, folder)
        build(folder, source)
        os.utime(source, (time.time() + 60, time.time() + 60))
        bad += run(folder, NEWER, 0)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
