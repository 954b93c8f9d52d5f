# SPDX-License-Identifier: GPL-3.0-or-later
"""A daemon that hangs does not outlive its front end, however that ends. Launched ranks end with it; attached
ranks run on without a trap, an armed debug register or a step, and print what they print
without pddt: even those in the middle of a step. The daemon's loop sleeps forever, or a signal
has stopped the daemon."""
import os
import signal
import subprocess
import tempfile

import faults
import hosts
import pddt

N_FUNCTIONS = 6  # more than a processor has debug registers
PROGRAM = """
#include <stdio.h>
#include <unistd.h>
volatile long total, watched;
""" + "".join(f"""
__attribute__ ((noinline)) long step{i} (long n)
{{
    watched = n + {i};
    return n + {i};
}}
""" for i in range(N_FUNCTIONS)) + """
int main (int argc, char **argv)
{
    puts ("ready");
    fflush (stdout);
    for (long round = 0; round < 200 || (argc > 1 && access (argv[1], F_OK) != 0); round++) {
        total = """ + "".join(f"step{i} (" for i in range(N_FUNCTIONS)) + "0" + ")" * N_FUNCTIONS + """;
    }
    printf ("%ld %ld\\n", total, watched);
    return 0;
}
"""
EXPECTED = f"{sum(range(N_FUNCTIONS))} {sum(range(N_FUNCTIONS))}\n"
TRAPS = [f"break step{i} if n < 0" for i in range(N_FUNCTIONS)] + ["continue"]  # hit all the time


class Debugged:
    """pddt on a host whose programs BEND bends, with two ranks: attached (which end when the flag is set), or
    those of a line."""

    def __init__(self, *line):
        self.machines, self.folder = hosts.Hosts(0), tempfile.TemporaryDirectory()
        self.machines.__enter__()
        self.machines.preload("login", faults.BEND)
        self.program, self.flag = (os.path.join(self.folder.name, name) for name in ("program", "flag"))
        subprocess.run(["cc", "-g", "-o", self.program, "-xc", "-"], input=PROGRAM.encode(), check=True)
        self.ranks = [] if line else [subprocess.Popen([self.program, self.flag], stdin=subprocess.DEVNULL,
                                                       stdout=subprocess.PIPE, text=True) for _ in range(2)]
        for rank in self.ranks:
            assert rank.stdout.readline() == "ready\n"
        self.bend = faults.Bend()
        words = [self.program if word == "PROGRAM" else word for word in line] + [self.flag]
        self.talk = pddt.Dialogue(words if line else ["--attach", ",".join(str(rank.pid) for rank in self.ranks)],
                                  prefix=self.machines.on("login"), environment={"PDDT_BEND": self.bend.path})
        self.ask("show state")
        self.daemon, command = next((pid, command) for pid, command in pddt.left_over(self.talk.marker)
                                    if os.path.basename(command.split(" ", 1)[0]) == "pddtd")
        self.folders = command.split()[1:3]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for rank in self.ranks:
            rank.kill()
            rank.wait()
            rank.stdout.close()
        self.machines.__exit__()
        self.folder.cleanup()

    def ask(self, *commands):
        for command in commands:
            events, _ = self.talk.ask(command)
            assert events[-1]["ok"], events

    def hang(self):
        self.bend.hang("pddtd")

    def hang_unwritable(self):
        self.bend.refuse_writes()
        self.hang()

    def kill_unwritable(self):
        self.bend.refuse_writes()
        os.kill(self.daemon, signal.SIGKILL)

    def stop(self):
        os.kill(self.daemon, signal.SIGSTOP)

    def kill_front_end(self):
        os.kill(self.talk.process.pid, signal.SIGKILL)
        self.talk.process.wait()

    def expect_end(self):
        """Nothing of pddt is left, and attached ranks end as they would."""
        pddt.expect_nothing_left(self.talk.marker)
        with open(self.flag, "w", encoding="ascii"):
            pass
        for rank in self.ranks:
            out, _ = rank.communicate(timeout=60)
            assert out == EXPECTED and rank.returncode == 0, (out, rank.returncode)
        pddt.wait_for("folders to be removed", lambda: not [path for path in self.folders if os.path.exists(path)], 120)


def lose(break_daemon, *commands, line=()):
    with Debugged(*line) as debugged:
        debugged.ask(*commands)
        break_daemon(debugged)
        debugged.kill_front_end()
        debugged.expect_end()


def hangs_over_traps():
    lose(Debugged.hang, *TRAPS)


def hangs_at_a_breakpoint():
    lose(Debugged.hang, "break step3", "continue", "wait 60", "expect breakpoint")


def hangs_unwritable():
    """The kernel lets nobody write to the ranks' memory but who traces them."""
    lose(Debugged.hang_unwritable, *TRAPS)


def killed_unwritable():
    """One that is killed leaves the same to its guard, which has to trace them itself."""
    lose(Debugged.kill_unwritable, *TRAPS)


def hangs_over_a_watch():
    lose(Debugged.hang, "watch watched if watched < 0", "break step1 if n < 0", "continue")


def hangs_in_steps():
    lose(Debugged.hang, "break step5 if n < 0", "stepi 100000000")


def stopped_over_traps():
    lose(Debugged.stop, *TRAPS)


def launched():
    lose(Debugged.hang, *TRAPS, line=["PROGRAM"])


def launched_by_mpirun():
    lose(Debugged.hang, *TRAPS, line=["mpirun", "-np", "2", "PROGRAM"])


def quits():
    """The front end ends in order, and the daemon does not hear of it."""
    with Debugged() as debugged:
        debugged.ask(*TRAPS)
        debugged.hang()
        debugged.talk.given.close()
        debugged.talk.process.wait(60)
        debugged.expect_end()


def asked_to_end():
    """A batch system ends the guard: the daemon, which cannot hear it, is ended too."""
    with Debugged() as debugged:
        debugged.ask(*TRAPS)
        guard = next(pid for pid, command in pddt.left_over(debugged.talk.marker) if "pddt-guard --host" in command)
        debugged.hang()
        os.kill(guard, signal.SIGTERM)
        pddt.wait_for("the daemon's end", lambda: debugged.daemon not in pddt.processes(), 60)
        debugged.talk.given.close()
        debugged.talk.process.wait(60)
        debugged.expect_end()


if __name__ == "__main__":
    faults.main({function.__name__: function for function in (
        hangs_over_traps, hangs_unwritable, killed_unwritable, hangs_at_a_breakpoint, hangs_over_a_watch, hangs_in_steps,
        stopped_over_traps, launched, launched_by_mpirun, quits, asked_to_end)})
