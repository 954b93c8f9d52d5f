# SPDX-License-Identifier: GPL-3.0-or-later
"""What Python breakpoints cost a call-heavy loop, as factors over the plain run, for every interpreter
found: a breakpoint elsewhere, one in the hot function whose condition is false each time, none any
more; beside sys.settrace in Python and bdb (pdb's base) in the same run. Prints; asserts nothing."""
import os
import subprocess
import sys

import pddt

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "agent"))
import driver                           # noqa: E402

PROGRAM = os.path.join(HERE, "python_loop.py")
AGENT = os.path.join(os.environ["PDDT_BUILD_ROOT"], "src", "agent")
ROUNDS = 4
LINES = driver.marks(PROGRAM)


def run(python, *words):
    done = subprocess.run([python, "-B", PROGRAM] + list(words), stdout=subprocess.PIPE, check=True,
                          timeout=120)
    return float(done.stdout)


def run_agent(python):
    rank = driver.Rank(os.path.join(AGENT, "pddt_agent.abi3.so"),
                       [python, "-B", os.path.join(AGENT, "pddt_runner.py"), PROGRAM], timeout=120)
    rank.set_breakpoint(1, "python_loop.py", LINES["mark"])
    while rank.go() != "breakpoint":
        pass
    rank.ask("delete", number=1)
    rank.set_breakpoint(2, "python_loop.py", LINES["elsewhere"])
    rank.set_breakpoint(1, "python_loop.py", LINES["mark"])
    rank.go()
    rank.ask("delete", number=2)
    rank.set_breakpoint(3, "python_loop.py", LINES["step"], condition="i == -1")
    rank.go()
    rank.ask("delete", number=1)
    rank.ask("delete", number=3)
    _, out, _ = rank.finish_run()
    rank.kill()
    return [float(line.split()[1]) for line in out.splitlines()]


def main():
    print("Python breakpoints on a call-heavy loop, times the plain run (best of 28 x 100,000 calls):")
    for python in driver.list_interpreters():
        version = subprocess.run([python, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"],
                                 stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        rounds = [[run(python, "plain")] + run_agent(python) for _ in range(ROUNDS)]
        best = [min(column) for column in zip(*rounds)]
        peers = [run(python, peer) for peer in ("settrace", "bdb", "bdb-condition")]
        print("  %-8s %4.0f ns a call; pddt: elsewhere %.2f, false condition %.2f, deleted %.2f; "
              "settrace in Python %.1f, bdb elsewhere %.1f, bdb false condition %.1f"
              % tuple([version, best[0]] + [time / best[0] for time in best[1:] + peers]), flush=True)


assert pddt.PDDT
main()
