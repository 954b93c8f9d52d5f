# SPDX-License-Identifier: GPL-3.0-or-later
"""together.py N: Python code on N ranks of a host, side by side: the time until all have answered, beside that of one
rank, and the longest turn of the daemon's loop meanwhile. The code sleeps longer than it may."""
import os
import sys

import pddt
from turns import Turns, ask, machine, started

COUNT = int(sys.argv[1])
PROGRAM = "import time\nprint('ready', flush=True)\nwhile True:\n    time.sleep(0.01)\n"


def measure(machines, folder, script, count):
    turns = Turns(folder)
    with started([pddt.PYTHON, script], count) as pids:
        talk = pddt.Dialogue(["--attach", pids], prefix=machines.on("login"), environment={"PDDT_TURNS": turns.path})
        ask(talk, turns, f"{count}: attach", "expect stopped")
        ask(talk, turns, f"{count}: first code, which loads the agent", "py 1 + 1")
        ask(talk, turns, f"{count}: code", "py 1 + 1")
        ask(talk, turns, f"{count}: code of 0.5 s", "py time.sleep(0.5)")
        ask(talk, turns, f"{count}: all stop on a line", f"break {script}:4", "continue", "wait 60")
        ask(talk, turns, f"{count}: at a Python line", "py 1 + 1")
        ask(talk, turns, f"{count}: at a Python line, a value", "print time.time () > 0")
        ask(talk, turns, f"{count}: code of 9 s", "py time.sleep(9)")
        talk.end()
    with started([pddt.PYTHON, script], count) as pids: # the agent comes with a breakpoint
        talk = pddt.Dialogue(["--attach", pids], prefix=machines.on("login"), environment={"PDDT_TURNS": turns.path})
        talk.ask("expect stopped")
        ask(talk, turns, f"{count}: breakpoint, which loads the agent", f"break {script}:4")
        talk.end()


def main():
    with machine() as (machines, folder):
        script = os.path.join(folder, "sleeper.py")
        with open(script, "w", encoding="ascii") as file:
            file.write(PROGRAM)
        for count in 1, COUNT:
            measure(machines, folder, script, count)


main()
