# SPDX-License-Identifier: GPL-3.0-or-later
"""What a layer's objects call, whatever its sources include: only target traces, and of those who know ranks
only target waits. launch, msgq, profile and symbol wait for children of their own. Arguments: the layers' libraries."""
import re
import subprocess
import sys

CALLERS = {
    "ptrace": {"target"},
    "waitpid": {"base", "target", "launch", "msgq", "profile", "symbol"},  # base: for its own child, by its number
    "waitid": set(), "wait4": set(), "wait3": set(), "wait": set(),
}


def list_undefined(library):
    said = subprocess.run(["nm", "-u", library], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return set(re.findall(r"^\s+U (\w+)", said.stdout, re.M))


def main():
    found, callers = 0, set()
    for library in sys.argv[1:]:
        layer = re.search(r"libpddt-(\w+)\.a$", library)[1]
        for call in sorted(list_undefined(library) & set(CALLERS)):
            callers.add((call, layer))
            if layer not in CALLERS[call]:
                print(f"layer {layer} may not call {call}")
                found += 1
    if ("ptrace", "target") not in callers:
        print("nothing was read: target does not call ptrace")
        found += 1
    print(f"{found} found")
    return 1 if found else 0


sys.exit(main())
