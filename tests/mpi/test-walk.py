# SPDX-License-Identifier: GPL-3.0-or-later
"""One question of the user's, followed by gdb through both programs: it passes each layer once on its way down, and
its answers, merged where they arise, once on their way up."""
import os
import re
import shutil
import subprocess
import sys

import pddt

RING = os.path.join(pddt.BUILD, "tests", "mpi", "ring")
N = 4
# (function, least and most calls); what ranks answer while the daemon's turn lasts leaves it as one event, and on a
# busy machine its turn may end between two of them: the front end applies no more than what left the daemon
FRONT = [("command_run", 1, 1), ("session_requests_submit", 1, 1), ("net_root_send", 1, 1), ("session_apply", 1, N)]
DAEMON = [("engine_handle", 1, 1), ("engine_emit", N, N), ("net_leaf_send", 1, N)]


class Counter:
    """gdb, which counts how often a process calls functions until it calls the first one a second time."""

    def __init__(self, pid, functions):
        words = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load no",
                 "-p", str(pid), "-ex", "set width 0", "-ex", "handle all nostop noprint pass"]
        for number, (function, _, _) in enumerate(functions, 1):
            words += ["-ex", f"break {function}", "-ex", f"ignore {number} {1 if number == 1 else 1000000}"]
        words += ["-ex", "echo @counting\\n", "-ex", "continue", "-ex", "info breakpoints", "-ex", "detach"]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if "@counting" in line:
                break
        else:
            raise SystemExit(f"gdb does not count in process {pid}")
        pddt.wait_for("the program to go on", lambda: pddt.processes().get(pid, (0, "t"))[1] not in "tT")

    def end(self):
        """{function: calls}; of the first one, those before the last."""
        text = self.process.communicate(timeout=60)[0]
        rows = re.findall(r"^\d+ +breakpoint .* in (\w+) at .*\n(?:\tbreakpoint already hit (\d+) time)?", text, re.M)
        counts = {name: int(hits or 0) for name, hits in rows}
        counts[rows[0][0]] -= 1
        return counts


if not shutil.which("gdb"):
    print("1..0 # SKIP gdb is not installed")
    sys.exit(77)
talk = pddt.Dialogue(["mpirun", "-np", str(N), RING])
talk.ask("show state")
talk.ask("print 6 * 7")  # what is loaded at the first question is loaded
daemons = [pid for pid, line in pddt.left_over(talk.marker) if line.split(" ")[0].endswith("/pddtd")]
assert len(daemons) == 1, daemons
counters = [Counter(talk.process.pid, FRONT), Counter(daemons[0], DAEMON)]
events, _ = talk.ask("print 6 * 7")
talk.ask("print 6 * 7") # at which gdb leaves
counts = [counter.end() for counter in counters]
values = [event for event in events if event["event"] == "values"]
assert len(values) == 1 and values[0]["ranks"] == f"0-{N - 1}", events
for wanted, found in zip((FRONT, DAEMON), counts):
    for function, least, most in wanted:
        assert least <= found[function] <= most, (function, least, most, found)
assert counts[0]["session_apply"] <= counts[1]["net_leaf_send"], counts
assert talk.end() == 0
print(f"ok 1 - {counts}")
print("1..1")
