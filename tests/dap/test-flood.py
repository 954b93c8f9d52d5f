# SPDX-License-Identifier: GPL-3.0-or-later
"""Much of everything: a program that prints a lot to a client that does not read, 10,000 variables, and ranks that stop
without end. Nothing is lost, and pddt's memory stays bounded. PDDT_LONG: 100 MB, and a million events."""
import os
import subprocess
import sys
import tempfile
import threading

import dap
import pddt

ADAPTER, SAMPLE = sys.argv[1:3]
IS_LONG = bool(os.environ.get("PDDT_LONG"))
LIMIT = 300 << 20  # bytes that pddt may have in memory


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r}, expected {wanted!r}")


def check_memory(client):
    with open(f"/proc/{client.process.pid}/statm", encoding="ascii") as file:
        used = int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    if used > LIMIT and not pddt.is_sanitized():
        raise SystemExit(f"pddt has {used >> 20} MB in memory")


def compile_in(folder, text):
    path = os.path.join(folder, "program")
    with open(f"{path}.c", "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["gcc", "-g", "-O0", "-o", path, f"{path}.c"], check=True)
    return path


class SlowClient(dap.Client):
    """It does not read while its gate is closed."""

    def __init__(self):
        self.gate = threading.Event()
        self.gate.set()
        super().__init__()

    def read_message(self):
        self.gate.wait()
        return super().read_message()


def check_output():
    lines = 1_000_000 if IS_LONG else 40_000
    with tempfile.TemporaryDirectory() as folder:
        program = compile_in(folder, f"""#include <stdio.h>
int main (void) {{ for (int i = 0; i < {lines}; i++)
        printf ("%d %090d\\n", i, 0); return 0; }}""")
        client = SlowClient()
        client.is_checked = False  # by python that takes longer than all the rest
        client.begin(program=program)
        client.event("stopped")
        client.send("continue", threadId=1)
        client.gate.clear()
        # pddt has filled the pipe, and the program waits for it
        pddt.wait_for("a program that waits", lambda: any(
            "pipe_w" in open(f"/proc/{pid}/wchan", encoding="ascii").read() for pid, command in pddt.left_over(client.marker)
            if command.startswith(program)))
        check_memory(client)
        client.gate.set()
        client.event("terminated", timeout_s=600)
        seen = client.output("stdout").splitlines()
        expect("lines", len(seen), lines)
        expect("each in its order", [line.split()[1] for line in seen], [str(i) for i in range(lines)])
        check_memory(client)
        expect("status", client.end(), 0)


def check_variables():
    count = 10_000
    with tempfile.TemporaryDirectory() as folder:
        names = "".join(f"    int v{i} = {i};\n" for i in range(count))
        program = compile_in(folder, f"int main (void)\n{{\n{names}    return v7 - 7;\n}}\n")
        client = dap.Client()
        client.begin(program=program, stopAt="none", breakpoints={f"{program}.c": [count + 3]})
        client.event("stopped")
        found = client.locals(client.top(1)["id"])
        expect("variables", (len(found), found["v9999"]["value"]), (count, "9999"))
        check_memory(client)
        expect("status", client.end(), 0)


def check_events():
    """Each motion of 1,000 ranks is 2,000 events and a few messages."""
    rounds = 500 if IS_LONG else 10
    client = dap.Client(command=(ADAPTER, "1000", SAMPLE))
    client.is_checked = True
    client.begin(command="mpirun -np 1000 ./app")
    thread = client.event("stopped")["threadId"]
    for _ in range(rounds):
        client.move("next", thread)
    if len(client.events) > 20 * rounds:
        raise SystemExit(f"{rounds} motions are {len(client.events)} messages")
    expect("where they are", client.top(thread)["line"], 5 + rounds)
    check_memory(client)
    expect("status", client.end(terminateDebuggee=True), 0)


for check in (check_output, check_variables, check_events):
    check()
    print("ok", check.__name__, flush=True)
