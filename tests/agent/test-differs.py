# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of two ranks that differ beyond the part that a line shows are listed separately,
equal ones together, for every kind of value: stopped at a Python line, attached in a system
call, and in cores, with every interpreter found; in `show globals` and in `print`."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import pddt

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "differs.py")
LOOK = pddt.mark(PROGRAM, "look")
PRINTED = ("diff_list", "same_list", "diff_str", "diff_nested", "same_set", "diff_list[1:]", "same_list[1:]")


def read_rows(text, found):
    """{name: text and digest of each of its groups}, for the values in JSON lines."""
    for line in text.splitlines():
        event = json.loads(line) if line.startswith("{") else {}
        for row in event.get("values", ()):
            found[row["name"]] = [(group["text"], group.get("digest")) for group in row["groups"]]


def check_rows(where, found, names):
    wrong = []
    for name in names:
        groups = found.get(name)
        if groups is None:
            wrong.append(name + " is missing")
        elif name.startswith("same_") and len(groups) != 1:
            wrong.append(name + " is told apart")
        elif name.startswith("diff_") and (len(groups) != 2 or groups[0] == groups[1] or "too large" in str(groups)):
            wrong.append(f"{name} is not told apart: {str(groups)[:60]} … {str(groups)[-60:]}")
    if wrong:
        raise SystemExit(f"{where}: " + "; ".join(wrong))


def list_names(interpreter):
    """Classes that the program itself defines."""
    text = subprocess.run([interpreter, "-c", "import sys; sys.stdin = None; sys.argv = ['', '1']; "
                           "source = open(%r).read().replace('sys.stdin.readline()', 'pass'); " % PROGRAM
                           + "exec(source); print(*locals_)"], stdout=subprocess.PIPE, text=True, check=True)
    return text.stdout.splitlines()[-1].split()


def check(where, run, names):
    run.expect_status(0)
    found = {}
    read_rows(run.out, found)
    check_rows(where, found, [*names, *PRINTED])


COMMANDS = ("show globals", *("print " + word for word in PRINTED))


def look_at_line(interpreter, names):
    run = pddt.run(["--json"] + pddt.commands(f"break differs.py:{LOOK}", "continue", "wait", *COMMANDS, "kill")
                   + ["mpirun", "-np", "2", interpreter, "%python_debug%", PROGRAM, "rank"])
    # their repr () shows their address, which may differ between ranks
    check("at a line", run, [name for name in names if name not in ("same_memoryview", "same_ctypes")])


def make_core(pid, folder):
    path = os.path.join(folder, f"core-{pid}")
    subprocess.run(["gcore", "-o", path, str(pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True)
    return f"{path}.{pid}"


def test_differs(interpreter):
    names = list_names(interpreter)
    programs = [subprocess.Popen([interpreter, PROGRAM, word], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 text=True) for word in "01"]
    in_cores = None
    try:
        for program in programs:
            program.stdout.readline()
        run = pddt.run(["--json", "--attach", ",".join(str(program.pid) for program in programs)]
                       + pddt.commands(*COMMANDS))
        if interpreter in WITH_CORES:
            with tempfile.TemporaryDirectory() as folder:
                cores = [make_core(program.pid, folder) for program in programs]
                in_cores = pddt.run(["--json"] + pddt.commands(*COMMANDS) + ["--core", *cores])
    finally:
        for program in programs:
            program.kill()
            program.communicate()
    check("attached", run, names)
    if in_cores is not None:
        check("in cores", in_cores, names)
    look_at_line(interpreter, names)


INTERPRETERS = driver.list_interpreters()
WITH_CORES = INTERPRETERS[::2]  # each core is as large as the process
driver.run_journeys([(test_differs, interpreter) for interpreter in INTERPRETERS])
