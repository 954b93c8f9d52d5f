# SPDX-License-Identifier: GPL-3.0-or-later
"""All that a program can find out about itself is as in a run without pddt, in every mode, but for what the manual's list
names. Argument: the program that looks."""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

import other
import pddt

PROGRAM = sys.argv[1]
MODES = {"debugging": ["-e", "continue", "-e", "wait 60", "-e", "expect failed", "--"],
         "--profile": ["--profile", "--output", "profiled"], "--trace": ["--trace", "--output", "traced"],
         "--memory": ["--memory=native", "--output", "memory"]}
FOREIGN = (os.stat(PROGRAM).st_uid + 65000) if os.geteuid() == 0 else None


def read_list():
    """{what differs: modes in which it does} of the manual's table."""
    with open(os.path.join(pddt.SOURCE, "doc", "starting.md"), encoding="utf-8") as file:
        table = re.search(r"\| what differs \|.*?\n\|[ -|]*\n((?:\|.*\n)+)", file.read())[1]
    rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in table.splitlines()]
    return {name.lower(): modes for name, modes, *_ in rows}


def read_facts(path):
    facts = {}
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            name, _, value = line.rstrip("\n").partition(":" if "=" not in line.partition(":")[0] else "=")
            facts[name] = value
    return facts


def name_of(fact):
    """The row of the manual that a fact belongs to."""
    for start, row in (("status TracerPid", "the tracer"), ("status Seccomp", "seccomp"), ("descriptor", "descriptors 0 to 2"),
                       ("environment LD_PRELOAD", "the environment"), ("environment PDDT_", "the environment"),
                       ("environment _", "the environment"), ("signal 5", "sigtrap's action"), ("status SigCgt", "sigtrap's action")):
        if fact.startswith(start) and not (start == "descriptor" and int(fact.split()[1]) > 2):
            return row
    return fact.lower()


def run(words, home, path, *file):
    """As a user without rights, whose set-user-ID programs the kernel honours; a descriptor is inherited."""
    prefix = other.become() if os.geteuid() == 0 else []
    environment = dict(pddt.ENVIRONMENT, HOME=home, TMPDIR=home)
    environment.pop("XDG_STATE_HOME", None)
    with open("/dev/null", encoding="ascii") as null, open(PROGRAM, "rb") as given:
        os.set_inheritable(given.fileno(), True)
        os.dup2(given.fileno(), 3)
        os.dup2(given.fileno(), 9)
        found = subprocess.run(prefix + words + [os.path.join(home, "seen"), "once", path, *file], cwd=home, env=environment,
                               stdin=null, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=(3, 9), timeout=100)
    return found, read_facts(path)


def compare(mode, plain, facts, allowed, used):
    for name in sorted(set(plain) | set(facts)):
        row = name_of(name)
        if plain.get(name) == facts.get(name):
            continue
        if row not in allowed or mode not in allowed[row] and allowed[row] != "all":
            raise SystemExit(f"{mode}: {name}: {facts.get(name)!r}, without pddt {plain.get(name)!r}")
        used.add((row, mode))


GAME = """import os, sys, time
def f(number):
    result = [number]
    return result
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
for number in range(2):
    f(number)
print("done", sorted(name for name, module in sys.modules.items() if "seen" in str(getattr(module, "__file__", ""))))
"""
STOPS = ["-e", "break f", "-e", "continue", "-e", "wait 60", "-e", "next", "-e", "wait 60", "-e", "print result", "-e", "delete 1",
         "-e", "continue"]


MODULES = "ast", "subprocess", "threading"
RUNPY = "functools", "reprlib", "linecache"  # which python3 -m itself takes from beside the script


def has_tracer(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return "\nTracerPid:\t0\n" not in file.read()


def play(python, home):
    """Files beside the script that are named like modules which pddt's Python code needs are no part of the program."""
    for name in MODULES + RUNPY:
        with open(os.path.join(home, name + ".py"), "w", encoding="utf-8") as file:
            file.write("import sys; sys.stderr.write('LOADED %s\\n' % __name__)\n")
    with open(os.path.join(home, "game.py"), "w", encoding="utf-8") as file:
        file.write(GAME)
    environment = dict(pddt.ENVIRONMENT, PYTHONPATH=os.path.join(pddt.BUILD, "src", "agent", "python"))
    attached = subprocess.Popen([python, "game.py", "over"], cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    ours = [pddt.PDDT, *STOPS, "-e", "wait 60", "--", python, "%python_debug%"]
    for line in (ours + ["game.py", "."], [pddt.PDDT, "--attach", str(attached.pid), *STOPS],
                 [pddt.PDDT, "--trace", "--output", str(attached.pid), python, "game.py", "."], ours + ["-m", "game", "."],
                 [python, "-m", "scorep", "game.py", "."]):
        if "-m" in line:
            for name in RUNPY:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(os.path.join(home, name + ".py"))
        found = subprocess.Popen(line, cwd=home, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True)
        if "--attach" in line:
            pddt.wait_for("a tracer", lambda: has_tracer(attached.pid) or found.poll() is not None)
            with open(os.path.join(home, "over"), "w", encoding="ascii"):
                pass
        text = found.communicate(timeout=100)[0]
        if "--attach" in line:
            text += attached.communicate(timeout=100)[0].decode()
            os.unlink(os.path.join(home, "over"))
        if not re.search(r"done \[('__main__')?\]", text) or "LOADED" in text or found.returncode != 0 or (
                "-e" in line and "result = [" not in text):
            raise SystemExit(f"{line}: {found.returncode} {text}")
    print("ok names of modules,", python, flush=True)


def expect_said(mode, err, whom):
    """The summary of a measured run names those who were let go, in a sentence of its own."""
    sentence = f"pddt: not measured: {whom}: the kernel gives a program that is traced none of its file's rights"
    if mode != "debugging" and err.count(sentence) != 1:
        raise SystemExit(f"{mode}: {err}")


def play_shell(home):
    """What a script runs, too, has the rights of its file."""
    program = shutil.copy(shutil.which("id"), os.path.join(home, "whose"))
    os.chown(program, FOREIGN, FOREIGN)
    os.chmod(program, 0o4755)
    environment = dict(pddt.ENVIRONMENT, HOME=home, TMPDIR=home)
    environment.pop("XDG_STATE_HOME", None)
    for mode, words in MODES.items():
        words = [word if word != "profiled" and word != "traced" and word != "memory" else word + "-shell" for word in words]
        script = f"{program}; {program}; exit 7"
        found = subprocess.run(other.become() + [pddt.PDDT, *words, "sh", "-c", script], cwd=home,
                               env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               timeout=100, check=False, text=True)
        if found.stdout.count(f"euid={FOREIGN}") != 2:
            raise SystemExit(f"{mode}: {found}")
        expect_said(mode, found.stderr, "whose (2 processes)")
        print("ok a script's child,", mode, flush=True)


def main():
    with tempfile.TemporaryDirectory(prefix="pddt-seen-") as home:
        for python in filter(os.path.exists, [pddt.PYTHON, os.path.expanduser("~/.pyenv/versions/3.8.18/bin/python3")]):
            play(python, home)
    allowed, used = read_list(), set()
    os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="pddt-seen-") as home:
        os.chmod(home, 0o755)
        shutil.copy(PROGRAM, os.path.join(home, "seen"))
        child = shutil.copy(PROGRAM, os.path.join(home, "child"))
        if FOREIGN:
            os.chown(home, other.UID, other.GID)
            os.chown(child, FOREIGN, FOREIGN)
        os.chmod(child, 0o4755)
        path = os.path.join(home, "facts")
        found, plain = run([], home, path, child)
        assert found.returncode == 7, found
        assert {"descriptor 3", "descriptor 9"} <= set(plain), plain
        assert FOREIGN is None or plain["set-user-ID child"] == " with its file's rights", plain
        for mode, words in MODES.items():
            os.unlink(path)
            found, facts = run([pddt.PDDT, *words], home, path, child)
            if found.returncode != (0 if mode == "debugging" else 7):
                raise SystemExit(f"{mode}: {found}")
            if FOREIGN:
                expect_said(mode, found.stderr.decode(), "child")
            compare(mode, plain, facts, allowed, used)
            print("ok", mode, flush=True)
        if FOREIGN:
            play_shell(home)
    for row, modes in allowed.items():
        for mode in MODES:
            if row in ("addresses", "parent-death signal", "process group") and mode in modes:
                assert (row, mode) in used, f"the manual names {row} for {mode}, and nothing differs"


main()
