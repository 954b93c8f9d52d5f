# SPDX-License-Identifier: GPL-3.0-or-later
"""turns.py N: the longest turn of the daemon's loop with N ranks of four threads on a host, and the time until all
have answered. While a turn lasts, the daemon hears and says nothing."""
import contextlib
import mmap
import os
import signal
import subprocess
import sys
import tempfile

import hosts
import pddt

TURNS = os.path.join(pddt.BUILD, "tests", "bench", "libturns.so")
STUCK = os.path.join(pddt.BUILD, "tests", "inferiors", "inferior-stuck")
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
def started(command, count, size=0):
    """That many, each of which has said that it is there: a line, or so many bytes."""
    ranks = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
             for _ in range(count)]
    try:
        for rank in ranks:
            rank.stdout.read(size) if size else rank.stdout.readline()
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
        ask(talk, turns, f"{count}: sampled for 2 s", "delete", "continue", "profile 2", "pause", "wait 60")
        ask(talk, turns, f"{count}: detach", "detach")
        talk.end()


def find_symbols(turns):
    """Of the host whose daemon counts into turns."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/comm", encoding="utf-8") as comm, open(f"/proc/{pid}/environ", "rb") as environ:
                if comm.read() == "pddt-symbols\n" and turns.path.encode() in environ.read():
                    return int(pid)
    raise SystemExit("no pddt-symbols")


def measure_stuck(machines, folder, count):
    """One rank more has a thread in a sleep that the kernel lets nobody interrupt."""
    turns = Turns(folder)
    with started([CREW], count) as pids, started([STUCK, "stuck"], 1, 1) as stuck:
        talk = pddt.Dialogue(["--attach", f"{pids},{stuck}"], prefix=machines.on("login"),
                             environment={"PDDT_TURNS": turns.path})
        ask(talk, turns, f"{count} and a stuck one: attach", "expect stopped")
        ask(talk, turns, f"{count} and a stuck one: go, pause", "continue", "pause", "wait 60", "expect stopped")
        ask(talk, turns, f"{count} and a stuck one: breakpoint", "break turn", "continue", f"on 0-{count - 1} wait 60")
        ask(talk, turns, f"{count} and a stuck one: line step", f"on 0-{count - 1} next", f"on 0-{count - 1} wait 60")
        talk.end()


def measure_hung(machines, folder, count):
    """pddt-symbols stops for a while."""
    turns = Turns(folder)
    with started([CREW], count) as pids:
        talk = pddt.Dialogue(["--attach", pids], prefix=machines.on("login"), environment={"PDDT_TURNS": turns.path})
        ask(talk, turns, f"{count}, names hang: before", "expect stopped", "break turn if next < 0")
        os.kill(find_symbols(turns), signal.SIGSTOP)
        ask(talk, turns, f"{count}, names hang: conditions", "continue", "pause", "wait 60")
        ask(talk, turns, f"{count}, names hang: a value", "print next + 12345")
        ask(talk, turns, f"{count}, names hang: line step", "next", "wait 60")
        os.kill(find_symbols(turns), signal.SIGCONT)
        talk.end()


def main():
    count = int(sys.argv[1])
    with machine() as (machines, folder):
        measure(machines, folder, 1)
        measure(machines, folder, count)
        measure_stuck(machines, folder, count)
        measure_hung(machines, folder, count)


if __name__ == "__main__":
    main()
