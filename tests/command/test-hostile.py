# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, values, source lines, thread names and output with control characters, direction marks
and forged answers: none of these reaches text, JSON or a terminal unescaped."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import pddt
from hostile import FORBIDDEN, FORGED, POISON, build

SOURCE = sys.argv[1]
PYTHON = '''
import sys, threading
P = {poison!r}
class R:
    def __repr__(self): return "repr" + P
space = {{"evil" + P: 1, "R": R, "E": type("Evil" + P, (Exception,), {{}}), "P": P}}
code = compile("def f(a):\\n    b = R()\\n    raise E('text' + P)\\n", "evil" + P + ".py", "exec")
exec(code, space)
f = space["f"]
f.__code__ = f.__code__.replace(co_name="evil" + P)
print("said" + P)
f(P)
'''


COMMANDS = ["break evil_function", f"break {pddt.mark(SOURCE, 'stop')}", "continue", "wait 120",
            "continue", "wait 120", "expect breakpoint", "show state", "where", "where full", "where threads", "show locals",
            "show globals", "show threads", "show modules", "show maps", "show signals", "show registers",
            "disassemble", "list", "show breakpoints", "x/3i $pc", "x/8c $sp", "print nothing", "up", "down",
            "frame 0", "print spin", "whatis spin", "ptype spin", "show sets", "show options", "show queue", "why",
            "watch spin", "display spin", "finish", "wait 120", "show state"]


def run_exactly(arguments):
    """As pddt.run, but with each byte as it came: a return is no newline."""
    done = subprocess.run([pddt.PDDT] + arguments, stdin=subprocess.DEVNULL, capture_output=True, timeout=90,
                          env=pddt.ENVIRONMENT, check=False)
    return pddt.Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def check_text(run, where):
    lines = [line for line in run.out.split("\n") if not re.match(r"(job|\d+)\| ", line)]
    found = FORBIDDEN.search("\n".join(lines) + run.err)
    if found:
        run.fail(f"{where}: {found.group()!r} came through")
    for line in lines:
        if line == FORGED or line.startswith(FORGED + "\\"):
            run.fail(f"{where}: a forged line")


def text(program):
    """Also of a pipe: only what the program itself writes is as it wrote it."""
    run = run_exactly(pddt.commands(*COMMANDS) + [program])
    check_text(run, "text")
    for word in ("evil_function", "evil_file", "evil_argument", "evil_local", "evil_member", "evil_one",
                 "evil_global", "evil_program"):
        run.expect(word + r"\x1b[2J")
    run.expect('"t\\x1b[2J\\n0: exited')
    run.expect(f"0| out\033[2J\033[31mred\r{FORGED}\t.")


def as_json(program):
    """Parsed it says no more than the text, unparsed it is as harmless; output is exact."""
    run = run_exactly(["--json"] + pddt.commands(*COMMANDS) + [program])
    if FORBIDDEN.search(run.out):
        run.fail("json: a raw control character")
    events = [json.loads(line) for line in run.out.splitlines()]

    def look(value, event):
        if isinstance(value, dict):
            for item in value.values():
                look(item, event)
        elif isinstance(value, list):
            for item in value:
                look(item, event)
        elif isinstance(value, str) and FORBIDDEN.search(value):
            run.fail(f"json: {event}")

    for event in events:
        if event["event"] != "output":
            look(event, event)
    assert any(event.get("function", "").startswith("evil_function\\x1b[2J\\n") for event in events), run.out
    assert [event["text"] for event in events if event["event"] == "output"][0].startswith("out\033[2J\033[31mred\r")


def python(folder):
    """Names, texts and reprs of Python, and the reason of an exception."""
    path = os.path.join(folder, "evil.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PYTHON.format(poison=POISON))
    commands = ["continue", "wait 60", "show state", "where", "where full", "show locals", "show globals",
                "print a", "print b", "whatis b", "list", "show threads", "up", "show locals"]
    run = run_exactly(pddt.commands(*commands) + [pddt.PYTHON, "%python_debug%", path])
    check_text(run, "python")
    run.expect("0: exception Evil\\x1b[2J\\n")
    run.expect("evil\\x1b[2J")
    run = run_exactly(["--json"] + pddt.commands(*commands) + [pddt.PYTHON, "%python_debug%", path])
    if FORBIDDEN.search(run.out):
        run.fail("python, json: a raw control character")


def on_terminal(program, option):
    """All that a terminal gets of a run."""
    given, end = pddt.open_terminal()
    got = b""
    words = pddt.commands(*([f"set option output-escapes {option}"] if option else []), "continue", "wait 120")
    process = subprocess.Popen([pddt.PDDT, "--cli"] + words + [program], stdin=subprocess.DEVNULL, stdout=end,
                               stderr=subprocess.DEVNULL, env=dict(pddt.ENVIRONMENT), start_new_session=True)
    os.close(end)
    limit = time.monotonic() + 200
    while time.monotonic() < limit:
        try:
            part = os.read(given.fileno(), 65536)
        except OSError:
            break
        if not part:
            break
        got += part
    assert process.wait(60) == 0, got
    given.close()
    return got.decode()


def terminal(program):
    shown = on_terminal(program, None)
    lines = [line for line in shown.splitlines() if "out" in line]
    assert lines == [r"0| out\x1b[2J" + "\033[31m" + r"red\r" + FORGED + "\t." + r"\u009b2J\u202e" + "\033[0m"], shown
    assert not FORBIDDEN.search(re.sub("\033\\[[0-9;]*m", "", shown.replace("\r\n", "\n"))), shown
    shown = on_terminal(program, "on")
    assert f"0| out\033[2J\033[31mred\r{FORGED}\t.\u009b2J\u202e" in shown, shown


with tempfile.TemporaryDirectory() as scratch:
    poisoned = build(SOURCE, scratch)
    text(poisoned)
    as_json(poisoned)
    terminal(poisoned)
    python(scratch)
