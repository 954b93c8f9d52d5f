# SPDX-License-Identifier: GPL-3.0-or-later
"""A breakpoint that is met at the moment of a pause is met when the rank goes on, whichever motion it goes on with:
none of its hits is lost, however often and however soon the rank is paused. It stops where the program itself counts
as many calls."""
import os
import subprocess
import tempfile

import pddt

HITS, PAUSES = 6000, 60
MOTIONS = ("stepi", "nexti", "step", "next", "finish", "until tick")
STEPPED_HITS, STEPPED_PAUSES = 4000, 25
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


def value(talk, name):
    event = next(event for event in ask(talk, f"print {name}") if "values" in event)
    return str(event["values"][0]["groups"][0]["text"])


def last_stop(talk):
    return next(event for event in reversed(talk.seen) if event["event"] in ("stopped", "breakpoint"))


def move(talk, motion):
    """From the pause. TRUE: the breakpoint has stopped it."""
    before = None
    if motion.startswith("until") and "tick" in value(talk, "$pc"):
        before = int(value(talk, "count"))
    if motion == "finish" and last_stop(talk)["function"] != "tick":
        return False  # main's never ends
    ask(talk, motion)
    ask(talk, "wait 120")
    if last_stop(talk)["state"] == "breakpoint":
        return True
    assert before is None or int(value(talk, "count")) > before, "it has arrived where it began"
    return False


def play(program, hits, pauses, motion=None):
    """How often it was paused on its way."""
    talk = pddt.Dialogue([program])
    ask(talk, f"break tick every {hits}")
    for paused in range(1000):
        ask(talk, "continue")
        if paused < pauses:
            ask(talk, "pause")
        ask(talk, "wait 120")
        state = last_stop(talk)
        if state["state"] == "breakpoint" or (motion is not None and paused < pauses and move(talk, motion)):
            break
    assert value(talk, "count") == str(hits - 1), (motion, value(talk, "count"))
    ask(talk, "kill")
    assert talk.end() in (0, 3)
    return paused


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "program")
    subprocess.run(["cc", "-g", "-O1", "-o", path, "-xc", "-"], input=SOURCE.encode(), check=True)
    paused_in_all = play(path, HITS, PAUSES)
    for each in MOTIONS:
        paused_in_all += play(path, STEPPED_HITS, STEPPED_PAUSES, each)
    assert paused_in_all > 0
