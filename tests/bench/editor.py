# SPDX-License-Identifier: GPL-3.0-or-later
"""What an editor waits for: the first stop of a C program beside lldb-vscode's, a step of 8 ranks until VS Code has what
it shows, and 10,000 elements of an array."""
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import dap
import pddt

PROGRAM = """#include <stdio.h>
int main (void)
{
    static double all[10000];
    for (int i = 0; i < 10000; i++)
        all[i] = i / 2.0;
    printf ("%g\\n", all[7]);
    return 0;
}
"""


def ms(began):
    return (time.monotonic() - began) * 1000


def first_stop(command, path, source):
    """To the names of the frame."""
    began = time.monotonic()
    client = dap.Client(command=command)
    client.ask("initialize", adapterID="x", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
    launched = client.send("launch", program=path, cwd=os.path.dirname(path),
                           **({"stopAt": "none"} if command[0] == pddt.PDDT else {}))
    client.event("initialized")
    client.ask("setBreakpoints", source={"path": source}, breakpoints=[{"line": 7}])
    client.ask("configurationDone")
    client.answer(launched)
    thread = client.event("stopped")["threadId"]
    client.top(thread)
    took = ms(began)
    client.send("disconnect", terminateDebuggee=True)
    client.process.wait(30)
    return took


def elements(path, source):
    client = dap.Client()
    client.begin(program=path, stopAt="none", breakpoints={source: [7]})
    client.event("stopped")
    client.ask("evaluate", expression="set option limit-items 20000", context="repl")
    reference = client.locals(client.top(1)["id"])["all"]["variablesReference"]
    client.is_checked = False  # which takes longer than the answer
    times = []
    for _ in range(7):
        began = time.monotonic()
        found = client.ask("variables", variablesReference=reference, filter="indexed", start=0, count=10000)["variables"]
        times.append(ms(began))
        assert len(found) == 10000 and found[9999]["value"] == "4999.5", found[-1]
    client.end()
    return statistics.median(times)


def step(ring):
    """All 8 ranks, and what VS Code asks then."""
    source = os.path.join(pddt.SOURCE, "tests", "mpi", "ring.c")
    client = dap.Client()
    client.begin(command=["mpirun", "--oversubscribe", "-np", "8", ring], stopAt="none", moves="all",
                 breakpoints={source: [pddt.mark(source, "add") - 3]})
    client.event("stopped", lambda body: body["allThreadsStopped"])
    times = []
    for _ in range(3):
        since, began = len(client.events), time.monotonic()
        client.ask("next", threadId=1)
        client.event("stopped", lambda body: body["allThreadsStopped"], since)
        client.ask("threads")
        frame = client.ask("stackTrace", threadId=1, startFrame=0, levels=1)["stackFrames"][0]
        client.ask("stackTrace", threadId=1, startFrame=1, levels=19)
        client.locals(frame["id"])
        times.append(ms(began))
    client.end()
    return times


def list_adapters():
    """pddt's, and those of others that are installed; gdb has one from 14 on."""
    commands = [[pddt.PDDT, "--dap"]] + [[name] for name in ("lldb-vscode-14", "lldb-dap-19", "lldb-dap") if shutil.which(name)][:1]
    if shutil.which("gdb"):
        said = subprocess.run(["gdb", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
        if int(re.findall(r"\d+", said.rpartition(")")[2] or said)[0]) >= 14:
            commands.append(["gdb", "-i", "dap"])
    return commands


def main():
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "first.c")
        with open(source, "w", encoding="ascii") as file:
            file.write(PROGRAM)
        path = os.path.join(folder, "first")
        subprocess.run(["gcc", "-g", "-O0", "-o", path, source], check=True)
        commands = list_adapters()
        found = {command[0]: [] for command in commands}
        for _ in range(5):
            for command in commands:
                found[command[0]].append(first_stop(command, path, source))
        for name, times in found.items():
            print(f"editor: first stop of a C program, {os.path.basename(name)}: {statistics.median(times):.0f} ms "
                  f"(of 5: {min(times):.0f} to {max(times):.0f})")
        print(f"editor: 10,000 elements of an array: {elements(path, source):.0f} ms")
    ring = os.path.join(os.environ["PDDT_BUILD_ROOT"], "tests", "mpi", "ring")
    if os.path.exists(ring):
        print("editor: a step of 8 ranks until all is shown:", ", ".join(f"{one:.0f} ms" for one in step(ring)))


main()
