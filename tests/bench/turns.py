# SPDX-License-Identifier: GPL-3.0-or-later
"""turns.py N: the longest turn of the daemon's loop with N ranks of four threads on a host, and the time until all
have answered. While a turn lasts, the daemon hears and says nothing."""
import contextlib
import mmap
import os
import subprocess
import sys
import tempfile

import hosts
import pddt

TURNS = os.path.join(pddt.BUILD, "tests", "bench", "libturns.so")
CREW = os.path.join(pddt.BUILD, "tests", "bench", "bench-crew")


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


def ask(talk, turns, name, *commands):
    turns.take_ms()
    answers = [talk.ask(command) for command in commands]
    seconds = sum(answer[1] for answer in answers)
    texts = {event["text"][:60] for events, _ in answers for event in events
             if event["event"] in ("failure", "text", "error")}
    print(f"{name:40} {seconds:6.2f} s, longest turn {turns.take_ms():6.1f} ms  {' | '.join(sorted(texts))}", flush=True)


@contextlib.contextmanager
def started(command, count):
    """That many, each of which has said that it is there."""
    ranks = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
             for _ in range(count)]
    try:
        for rank in ranks:
            rank.stdout.readline()
        yield ",".join(str(rank.pid) for rank in ranks)
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()


@contextlib.contextmanager
def machine():
    """A host whose daemon counts its turns, and a folder."""
    with hosts.Hosts(0) as machines, tempfile.TemporaryDirectory() as folder:
        machines.preload("login", TURNS)
        yield machines, folder


def measure(machines, folder, count):
    turns = Turns(folder)
    with started([CREW], count) as pids:
        talk = pddt.Dialogue(["--attach", pids], prefix=machines.on("login"), environment={"PDDT_TURNS": turns.path})
        ask(talk, turns, f"{count}: attach", "expect stopped")
        ask(talk, turns, f"{count}: stacks", "where")
        ask(talk, turns, f"{count}: breakpoint", "break turn")
        ask(talk, turns, f"{count}: all stop on it", "continue", "wait 60")
        ask(talk, turns, f"{count}: line step", "next", "wait 60")
        ask(talk, turns, f"{count}: value", "print next")
        ask(talk, turns, f"{count}: function called", "print turn (&turns[0])")
        ask(talk, turns, f"{count}: a function of 0.2 s", "print (int) usleep (200000)")
        ask(talk, turns, f"{count}: a function without end", "print (int) pause ()")
        ask(talk, turns, f"{count}: end of the function", "finish", "wait 60")
        ask(talk, turns, f"{count}: false condition, and back", "delete", "break turn if next < 0", "continue", "pause")
        ask(talk, turns, f"{count}: detach", "detach")
        talk.end()


def main():
    with machine() as (machines, folder):
        for count in 1, int(sys.argv[1]):
            measure(machines, folder, count)


if __name__ == "__main__":
    main()
