# SPDX-License-Identifier: GPL-3.0-or-later
"""A breakpoint that is reached at the moment of a pause is hit when the rank resumes, by any motion: no hit is
lost, however often and however soon the rank is paused. The program's own count of calls proves it. And threads
that cannot be stopped at once."""
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


DEEP_SOURCE = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
volatile int back;
volatile long count;
static void *dive (void *data)
{
    char byte;
    if (vfork () == 0) {
        _exit (read (0, &byte, 1) != 1);
    }
    __atomic_add_fetch (&back, 1, __ATOMIC_SEQ_CST);
    return data;
}
__attribute__ ((noinline)) void tick (void)
{
    count++;
}
int main (void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        pthread_create (&threads[i], 0, dive, 0);
    }
    while (back < 3) {
        tick ();
    }
    for (int i = 0; i < 3; i++) {
        pthread_join (threads[i], 0);
    }
    printf ("%d came back\\n", back);
    return 0;
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


def states(process):
    """What its threads do, as the kernel has it."""
    found = []
    for tid in os.listdir(f"/proc/{process.pid}/task"):
        with open(f"/proc/{process.pid}/task/{tid}/stat", encoding="utf-8") as file:
            found.append(file.read().rsplit(")", 1)[1].split()[0])
    return sorted(found)


def dive(program, is_stopped):
    """Threads that wait where nobody can wake them stop when they are back, and neither before nor afterwards are
    they in anybody's way."""
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        pddt.wait_for("three threads that nobody can wake", lambda: states(process).count("D") == 3)
        talk = pddt.Dialogue(["--attach", str(process.pid)])
        ask(talk, "expect stopped")
        ask(talk, "continue")
        ask(talk, "pause")
        ask(talk, "wait 120")
        assert last_stop(talk)["state"] == "stopped", last_stop(talk)
        ask(talk, "continue")
        if is_stopped:
            ask(talk, "pause")
            ask(talk, "wait 120")
        assert states(process).count("D") == 3, states(process)
        process.stdin.write("abc")
        process.stdin.flush()
        if is_stopped:
            pddt.wait_for("all to stand still", lambda: states(process) == ["t"] * 4)
            assert value(talk, "back") == "0"
            ask(talk, "continue")
        ask(talk, "wait 120")
        assert process.communicate(timeout=60)[0] == "3 came back\n"
        assert process.returncode == 0, process.returncode
        talk.end()
    finally:
        process.kill()
        process.wait()


def build(folder, name, source):
    path = os.path.join(folder, name)
    subprocess.run(["cc", "-g", "-O1", "-pthread", "-o", path, "-xc", "-"], input=source.encode(), check=True)
    return path


with tempfile.TemporaryDirectory() as folder:
    path = build(folder, "program", SOURCE)
    paused_in_all = play(path, HITS, PAUSES)
    for each in MOTIONS:
        paused_in_all += play(path, STEPPED_HITS, STEPPED_PAUSES, each)
    assert paused_in_all > 0
    deep = build(folder, "deep", DEEP_SOURCE)
    dive(deep, False)
    dive(deep, True)
