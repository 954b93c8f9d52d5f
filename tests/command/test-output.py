# SPDX-License-Identifier: GPL-3.0-or-later
"""Program output while nobody reads it: pddt's memory stays bounded, the rest goes to disk and
arrives in order; when the disk is full, the program blocks, as it would without pddt. Argument:
a program that writes as many lines as it is told."""
import os
import resource
import sys
import tempfile

import pddt

FLOOD = sys.argv[1]
LINES = 120000
LIMIT = 256 << 10
LINE = "0| line %09d of the flood, padded to be about sixty-four bytes"


def begin(go):
    pddt.ENVIRONMENT["PDDT_OUTPUT_MEMORY"] = str(LIMIT)
    return pddt.start(pddt.commands("continue", "wait", "expect exited") + [FLOOD, str(LINES), go])


def spooled(process):
    """Bytes in the file without a name; None while there is none."""
    folder = f"/proc/{process.pid}/fd"
    for fd in os.listdir(folder):
        try:
            if os.readlink(f"{folder}/{fd}").endswith(" (deleted)"):
                return os.stat(f"{folder}/{fd}").st_size
        except OSError:
            continue
    return None


def memory(process):
    """KiB, the most there ever were."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return int(next(line for line in file if line.startswith("VmHWM")).split()[1])


def find_flood():
    for pid, (_, state, command) in pddt.processes().items():
        if command.startswith(FLOOD + " ") and state != "Z":
            return pid
    return None


def written(pid):
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        return int(next(line for line in file if line.startswith("wchar")).split()[1])


def check_all(process, marker):
    out, err = process.communicate(timeout=60)
    run = pddt.Run(process.returncode, out[-2000:], err[-2000:])
    lines = [line for line in out.splitlines() if line.startswith("0| ")]
    if lines != [LINE % number for number in range(LINES)]:
        run.fail(f"{len(lines)} lines, not as they were written")
    run.expect_status(0)
    pddt.expect_nothing_left(marker)


def check_spooled(go):
    process, marker = begin(go)
    pddt.wait_for("the flood", find_flood)
    open(go, "w", encoding="ascii").close()
    pddt.wait_for("the end of the flood", lambda: find_flood() is None, 60)
    # All but the pipes' share has been taken, though nobody has read a byte.
    size = pddt.wait_for("a spool", lambda: spooled(process))
    if size < LINES * len(LINE % 0) - (4 << 20):
        raise SystemExit(f"only {size} bytes are on disk")
    if not pddt.is_sanitized() and memory(process) > 64 << 10:  # the sanitizer's memory is its own
        raise SystemExit(f"pddt has needed {memory(process)} KiB")
    check_all(process, marker)


def check_full(go):
    process, marker = begin(go)
    flood = pddt.wait_for("the flood", find_flood)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
    open(go, "w", encoding="ascii").close()
    seen = []

    def stands():
        seen.append(written(flood))
        return (spooled(process) or 0) > 0 and seen[-20:] == [seen[-1]] * 20

    pddt.wait_for("the flood to be held up", stands)
    if spooled(process) > 1 << 20 or seen[-1] >= LINES * len(LINE % 0):
        raise SystemExit(f"{spooled(process)} bytes are on disk, {seen[-1]} were written")
    check_all(process, marker)


for check in (check_spooled, check_full):
    with tempfile.TemporaryDirectory() as place:
        check(os.path.join(place, "go"))
    print("ok", check.__name__)
