# SPDX-License-Identifier: GPL-3.0-or-later
"""A breakpoint that is met at the moment of a pause is met when the rank goes on: none of its hits is lost,
however often and however soon the rank is paused. It stops where the program itself counts as many calls."""
import os
import subprocess
import tempfile

import pddt

HITS, PAUSES = 6000, 60
SOURCE = """
volatile long count;
__attribute__ ((noinline)) void tick (void)
{
    count++;
}
int main (void)
{
    for (;;) {
        tick ();
    }
}
"""


def ask(talk, line):
    events, _ = talk.ask(line)
    return events


def play(program):
    """How often it was paused on its way."""
    talk = pddt.Dialogue([program])
    ask(talk, f"break tick every {HITS}")
    for paused in range(1000):
        ask(talk, "continue")
        if paused < PAUSES:
            ask(talk, "pause")
        ask(talk, "wait 120")
        state = next(event for event in reversed(talk.seen) if event["event"] in ("stopped", "breakpoint"))
        if state["state"] == "breakpoint":
            break
    event = next(event for event in ask(talk, "print count") if "values" in event)
    assert str(HITS - 1) in str(event["values"]), event
    ask(talk, "kill")
    assert talk.end() in (0, 3)
    return paused


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "program")
    subprocess.run(["cc", "-g", "-O1", "-o", path, "-xc", "-"], input=SOURCE.encode(), check=True)
    assert play(path) > 0
