# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks of a host run Python code in parallel: code that returns only when all ranks are in it
does return, both at a stop in native code, where the agent's thread must first be redirected,
and at a Python line. If the ranks were served one after the other, the first would time out.
All ranks continue unharmed."""
import os
import subprocess
import sys
import tempfile

import driver
import pddt

N_RANKS, N_ROUNDS = 8, 20  # a round fails, too, where the machine is too busy to run them all within 2 s
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "together.py")
INTERPRETERS = driver.list_interpreters()
TURN = pddt.mark(PROGRAM, "turn")


class Ranks:
    def __init__(self, interpreter, folder):
        self.folder = folder
        self.processes = [subprocess.Popen([interpreter, PROGRAM, folder, str(N_RANKS)], stdin=subprocess.DEVNULL,
                                           stdout=subprocess.PIPE, text=True) for _ in range(N_RANKS)]

    def __enter__(self):
        for process in self.processes:
            assert process.stdout.readline() == "ready\n"
        return ",".join(str(process.pid) for process in self.processes)

    def __exit__(self, kind, *_):
        with open(os.path.join(self.folder, "go"), "w", encoding="ascii"):
            pass
        for process in self.processes:
            if kind is not None:
                process.kill()
            out, _ = process.communicate(timeout=60)
            assert kind is not None or (out, process.returncode) == ("done\n", 0), (out, process.returncode)


def ask(talk, command):
    events, _ = talk.ask(command)
    return events


def find_text(events):
    """What all ranks have answered, when that is the same."""
    texts = [event for event in events if event["event"] == "text"]
    texts += [group for event in events if event["event"] == "values" for row in event["values"]
              for group in row["groups"]]
    return texts[0]["text"] if len(texts) == 1 and texts[0]["ranks"] == f"0-{N_RANKS - 1}" else None


def expect_meeting(talk, place):
    for name in range(N_ROUNDS):
        events = ask(talk, f"py meet('{place}{name}')")
        if find_text(events) == "'met'":
            return
    raise SystemExit(f"the ranks have not met in {N_ROUNDS} rounds at the {place}: {events}")


def test_meeting(interpreter):
    with tempfile.TemporaryDirectory() as folder, Ranks(interpreter, folder) as pids:
        talk = pddt.Dialogue(["--attach", pids])
        ask(talk, "show state")
        expect_meeting(talk, "native-stop")
        for command in f"break together.py:{TURN}", "continue", "wait 60", "expect breakpoint":
            events = ask(talk, command)
            assert events[-1]["ok"], events
        expect_meeting(talk, "line")
        events = ask(talk, "print n + 1 > 0")
        assert find_text(events) == "True", events
        events = ask(talk, "detach")
        assert events[-1]["ok"], events
        talk.end()


def test_end(interpreter):
    """Code that ends its rank: that is the answer, at once, and the other rank is unharmed."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "ends.py")
        with open(script, "w", encoding="ascii") as file:
            file.write("import os\nimport time\nprint('ready', flush=True)\ndone = False\n"
                       "while not done:\n    time.sleep(0.01)\n")
        for command in "py os._exit(7)", "print os.kill(os.getpid(), 9)", "set var done = os._exit(7)":
            processes = [subprocess.Popen([interpreter, script], stdout=subprocess.PIPE, text=True) for _ in range(2)]
            assert all(process.stdout.readline() == "ready\n" for process in processes)
            talk = pddt.Dialogue(["--attach", ",".join(str(process.pid) for process in processes)])
            for line in "break ends.py:6", "continue", "wait 60", "expect breakpoint", "delete":
                events = ask(talk, line)
                assert events[-1]["ok"], talk.seen
            events = ask(talk, "on 0 " + command)
            said = [event["text"] for event in events if event["event"] in ("error", "failure")]
            assert said == ["the rank has ended"], events
            for line in "on 0 wait 60", "on 0 expect failed", "on 1 py done = True", "on 1 continue":
                assert ask(talk, line)[-1]["ok"], talk.seen
            assert processes[0].wait(60) in (7, -9) and processes[1].wait(60) == 0, talk.seen
            talk.end()


driver.run_journeys([(test, interpreter) for interpreter in {*INTERPRETERS[:1], *INTERPRETERS[-1:]}
                     for test in (test_meeting, test_end)])
