# SPDX-License-Identifier: GPL-3.0-or-later
"""together.py N: Python code on N ranks of a host, side by side: the time until all have answered, beside that of one
rank, and the longest turn of the daemon's loop meanwhile. The code sleeps longer than it may."""
import mmap
import os
import subprocess
import sys
import tempfile

import hosts
import pddt

COUNT = int(sys.argv[1])
TURNS = os.path.join(pddt.BUILD, "tests", "bench", "libturns.so")
PROGRAM = "import time\nprint('ready', flush=True)\nwhile True:\n    time.sleep(0.01)\n"


class Turns:
    """The longest turn, in a file that TURNS maps."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "turns")
        with open(self.path, "wb") as file:
            file.write(bytes(8))
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 8)

    def take_ms(self):
        longest = int.from_bytes(self.map[:], "little") / 1000
        self.map[:] = bytes(8)
        return longest


def ask(talk, turns, name, command):
    turns.take_ms()
    events, seconds = talk.ask(command)
    texts = {event["text"][:60] for event in events if event["event"] in ("failure", "text", "error")}
    print(f"{name:40} {seconds:6.2f} s, longest turn {turns.take_ms():6.1f} ms  {' | '.join(sorted(texts))}", flush=True)


def measure(machines, folder, script, count):
    ranks = [subprocess.Popen([pddt.PYTHON, script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
             for _ in range(count)]
    for rank in ranks:
        rank.stdout.readline()
    turns = Turns(folder)
    talk = pddt.Dialogue(["--attach", ",".join(str(rank.pid) for rank in ranks)], prefix=machines.on("login"),
                         environment={"PDDT_TURNS": turns.path})
    ask(talk, turns, f"{count}: attach", "expect stopped")
    ask(talk, turns, f"{count}: first code, which loads the agent", "py 1 + 1")
    ask(talk, turns, f"{count}: code", "py 1 + 1")
    ask(talk, turns, f"{count}: code of 0.5 s", "py time.sleep(0.5)")
    talk.ask(f"break {script}:4")
    talk.ask("continue")
    talk.ask("wait 60")
    ask(talk, turns, f"{count}: at a Python line", "py 1 + 1")
    ask(talk, turns, f"{count}: at a Python line, a value", "print time.time () > 0")
    ask(talk, turns, f"{count}: code of 9 s", "py time.sleep(9)")
    talk.end()
    for rank in ranks:
        rank.kill()
        rank.wait()


def main():
    with hosts.Hosts(0) as machines, tempfile.TemporaryDirectory() as folder:
        machines.preload("login", TURNS)
        script = os.path.join(folder, "sleeper.py")
        with open(script, "w", encoding="ascii") as file:
            file.write(PROGRAM)
        for count in 1, COUNT:
            measure(machines, folder, script, count)


main()
