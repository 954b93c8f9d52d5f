# SPDX-License-Identifier: GPL-3.0-or-later
"""What Python breakpoints cost a call-heavy loop, as factors over the plain run, for every interpreter
found: a breakpoint elsewhere, one in the hot function whose condition is false each time (on an argument that
keeps its value, on one that does not, by a call of a function or of a built-in one), one that the looping function has
passed, none any more; beside sys.settrace in Python and bdb (pdb's base) in the same run. Prints; asserts nothing."""
import os
import subprocess
import sys

import pddt

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "agent"))
import driver                           # noqa: E402

PROGRAM = os.path.join(HERE, "python_loop.py")
AGENT = os.path.join(os.environ["PDDT_BUILD_ROOT"], "src", "agent")
LINES = driver.marks(PROGRAM)
NAMES = ("plain", "elsewhere", "condition", "local", "call", "builtin", "earlier", "pending")  # as there
PEERS = ("settrace", "bdb", "bdb-condition", "bdb-call", "bdb-builtin", "bdb-earlier")


def run(python, *words):
    done = subprocess.run([python, "-B", PROGRAM] + list(words), stdout=subprocess.PIPE, check=True,
                          timeout=120)
    return float(done.stdout)


def run_agent(python):
    """{what: best time}, measured in turn in one process."""
    rank = driver.Rank(os.path.join(AGENT, "pddt_agent.abi3.so"),
                       [python, "-B", os.path.join(AGENT, "pddt_runner.py"), PROGRAM], timeout=300)
    setters = {
        "elsewhere": lambda: rank.set_breakpoint(1, "python_loop.py", LINES["elsewhere"]),
        "condition": lambda: rank.set_breakpoint(1, "python_loop.py", LINES["step"],
                                                 condition="i == -1"),
        "local": lambda: rank.set_breakpoint(1, "python_loop.py", LINES["step"],
                                             condition="total == -1"),
        "call": lambda: rank.set_breakpoint(1, "python_loop.py", LINES["step"], condition="is_wanted(i)"),
        "builtin": lambda: rank.set_breakpoint(1, "python_loop.py", LINES["step"], condition="abs(total) == -1"),
        "earlier": lambda: rank.set_breakpoint(1, "python_loop.py", LINES["earlier"]),
        "pending": lambda: rank.set_breakpoint(1, function="not_there"),
        "plain": lambda: None,
    }
    try:
        while True:
            for name in NAMES:
                while rank.go() != "break-call":
                    assert rank.event == "breakpoint"
                rank.ask("delete", number=1)
                setters[name]()
    except driver.Ended:
        lines = rank.process.stdout.read().decode().split()
    finally:
        rank.kill()
    best = {}
    for name, time in zip(lines[::2], lines[1::2]):
        best[name] = min(float(time), best.get(name, 1e9))
    return best


def main():
    print("Python breakpoints on a call-heavy loop, times the plain run (best of 12 x 100,000 calls, in turn):")
    for python in driver.list_interpreters():
        version = subprocess.run([python, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"],
                                 stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        best = run_agent(python)
        plain = best["plain"]
        peers = [run(python, peer) for peer in PEERS]
        print("  %-8s %4.0f ns a call; pddt: elsewhere %.2f, false condition %.2f, of what changes %.2f, with a call %.2f, "
              "of a built-in function %.2f, passed %.2f, without a place %.2f; settrace in Python %.1f, bdb elsewhere %.1f, "
              "bdb false condition %.1f, bdb with a call %.1f, bdb of a built-in function %.1f, bdb passed %.1f"
              % tuple([version, plain] + [best[name] / plain for name in NAMES[1:]]
                      + [time / plain for time in peers]), flush=True)


assert pddt.PDDT
main()
