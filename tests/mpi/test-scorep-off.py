# SPDX-License-Identifier: GPL-3.0-or-later
"""Python's calls alone switched off and on: at each mark the stack in the archive is the one that the program has, or the
region of what is not recorded; and no function has time that it cannot have had."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import pddt
import traced

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "agent"))
import driver

MODULES = os.path.join(os.environ["PDDT_BUILD_ROOT"], "src/agent/python")
OFF = "(not recorded)"
PROGRAM = """
import json, sys, threading, time
import scorep.user, scorep.instrumenter
off, on, region_begin, region_end = (scorep.instrumenter.unregister, scorep.instrumenter.register,
                                     scorep.user.region_begin, scorep.user.region_end)
WAIT = 50
def mark(name):
    scorep.user.parameter_string("mark", name)

def unseen():
    off()
    mark("unseen off")
def seen():
    mark("seen")
def returns_unseen():
    unseen()
    seen()
    mark("returned unseen")
    on()
    mark("returned on")

def inner():
    with scorep.instrumenter.disable():
        mark("inner off")
        with scorep.instrumenter.disable("no change"):
            mark("inner off twice")
        mark("inner still off")
    mark("inner on")
def nested():
    inner()
    with scorep.instrumenter.disable("named"):
        mark("named")
        with scorep.instrumenter.enable("inside"):
            mark("inside")
        mark("named again")
    mark("nested on")

def ends_older():
    off()
    with scorep.user.region("meanwhile"):
        mark("meanwhile")
    mark("after meanwhile")
    region_end("older")
    mark("older ended")
    begins_younger()
    mark("younger, on")
def begins_younger():
    region_begin("younger")
    mark("younger")
    on()
    mark("younger, deeper")
def regions():
    region_begin("older")
    ends_older()
    mark("regions on")

def keeps_older():
    off()
    goes_on()
def goes_on():
    region_begin("dead")
def kept():
    region_begin("kept")
    keeps_older()
    mark("kept off")
    region_begin("new")
    switch_on()
    mark("new still")
    region_end("new")
    mark("kept still")
    region_end("kept")
    mark("kept no longer")
def switch_on():
    on()
    mark("switched on")

def fails():
    off()
    raise KeyError
def passes():
    fails()
def exception():
    try:
        passes()
    except KeyError:
        mark("caught off")
    on()
    mark("caught on")

def again():
    mark("again")
    off()
    mark("again off")
def called_twice():
    again()
    off_again()
    mark("twice on")
def off_again():
    on()
    mark("again on")

def steps():
    off()
    yield 1
    mark("step")
    yield 2
def generator():
    for _ in steps():
        mark("stepped")
    on()
    mark("generated")

def old_thread():
    old_waits()
    mark("old off")
    old_is_there.set()
    is_on.wait(WAIT)
    mark("old on")
def old_waits():
    is_begun.set()
    is_off.wait(WAIT)
def new_thread():
    mark("new before")
    with scorep.user.region("in new"):
        mark("in new")
    mark("new off")
    new_is_there.set()
    is_on.wait(WAIT)
    new_on()
def new_on():
    mark("new on")
is_begun, is_off, is_on, old_is_there, new_is_there = [threading.Event() for _ in range(5)]
def threads():
    old, new = threading.Thread(target=old_thread), threading.Thread(target=new_thread)
    old.start()
    is_begun.wait(WAIT)
    off()
    is_off.set()
    new.start()
    mark("threads off")
    new_is_there.wait(WAIT), old_is_there.wait(WAIT)
    on()
    is_on.set()
    old.join(), new.join()
    mark("threads on")

def both():
    off()
    with scorep.user.region("half"):
        mark("half")
        scorep.user.disable_recording()
        with scorep.user.region("nowhere"):
            mark("nowhere")
        scorep.user.enable_recording()
        mark("half again")
    on()
    mark("both on")

def early():
    off()
def timed():
    begin = time.monotonic()
    early()
    own["early"] += time.monotonic() - begin
    begin = time.monotonic()
    while time.monotonic() - begin < 0.2:
        pass
    own[OFF] += time.monotonic() - begin
    on()
OFF = "(not recorded)"
own = {"early": 0, OFF: 0}
def main():
    for each in returns_unseen, nested, regions, kept, exception, called_twice, generator, threads, both, timed:
        each()
    off()
    mark("end")
main()
print(json.dumps(own))
"""
READ = """
import json, otf2, sys
from otf2 import events as e
stacks, marks, own, last = {}, {}, {}, {}
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        stack = stacks.setdefault(location, [])
        if isinstance(event, (e.Enter, e.Leave)):
            if stack:
                own[stack[-1]] = own.get(stack[-1], 0) + (event.time - last[location]) / trace.timer_resolution
            last[location] = event.time
            if isinstance(event, e.Enter):
                if event.region.name == "MPI_Barrier":
                    marks.setdefault("MPI_Barrier", []).append(list(stack))
                stack.append(event.region.name)
            else:
                stack.pop()
        elif isinstance(event, e.ParameterString):
            marks.setdefault(event.string, []).append(list(stack))
print(json.dumps([marks, own]))
"""
EXPECTED = {
    "unseen off": "returns_unseen unseen OFF", "seen": "returns_unseen unseen OFF", "returned unseen": "returns_unseen unseen OFF",
    "returned on": "returns_unseen",
    "inner off": "nested inner OFF", "inner off twice": "nested inner OFF", "inner still off": "nested inner OFF",
    "inner on": "nested inner", "named": "nested user_instrumenter:named OFF",
    "inside": "nested user_instrumenter:named user_instrumenter:inside", "named again": "nested user_instrumenter:named OFF",
    "nested on": "nested",
    "meanwhile": "regions user:older ends_older OFF user:meanwhile", "after meanwhile": "regions user:older ends_older OFF",
    "older ended": "regions OFF", "younger": "regions OFF user:younger",
    "younger, deeper": "regions ends_older begins_younger user:younger", "younger, on": "regions ends_older",
    "regions on": "regions",
    "kept off": "kept user:kept keeps_older OFF user:dead", "switched on": "kept user:kept user:new switch_on",
    "new still": "kept user:kept user:new", "kept still": "kept user:kept", "kept no longer": "kept",
    "caught off": "exception passes fails OFF", "caught on": "exception",
    "again": "called_twice again", "again off": "called_twice again OFF", "again on": "called_twice off_again",
    "twice on": "called_twice",
    "stepped": "generator steps OFF", "step": "generator steps OFF", "generated": "generator",
    "threads off": "threads OFF", "threads on": "threads",
    "half": "both OFF user:half", "half again": "both OFF user:half", "both on": "both",
    "end": "OFF",
}
THREADS = {"old off": "OFF", "old on": "old_thread", "in new": "OFF user:in new", "new off": "OFF", "new on": "new_thread new_on"}


def record(folder, *words):
    """The archive that the command makes, what it prints, and the stack at each mark and time in each region."""
    archive = os.path.join(folder, "archive")
    shutil.rmtree(archive, ignore_errors=True)
    environment = {name: value for name, value in pddt.ENVIRONMENT.items() if not name.startswith("SCOREP_")}
    environment.update(PYTHONPATH=MODULES, SCOREP_EXPERIMENT_DIRECTORY="archive", SCOREP_ENABLE_TRACING="true")
    done = subprocess.run(words, cwd=folder, env=environment, timeout=100, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, (words, done)
    traced.read(archive)  # is whole and balanced
    read = subprocess.run(["/usr/bin/python3", "-c", READ, os.path.join(archive, "traces.otf2")], stdout=subprocess.PIPE,
                          check=True)
    return (archive, done.stdout) + tuple(json.loads(read.stdout))


def shorten(stack, outer):
    """Without the calls of the standard library's threads, or those up to the script's main function."""
    names = [OFF if name == OFF else name.replace("__main__:", "") for name in stack if not name.startswith("threading:")]
    assert names[:len(outer)] == outer, (stack, outer)
    if names[-1] == "mark":
        names.pop()
    return " ".join("OFF" if name == OFF else name for name in names[len(outer):])


def check_marks(marks, about):
    outer = ["<module>", "main"]
    found = {name: {shorten(stack, outer) for stack in stacks} for name, stacks in marks.items() if name in EXPECTED}
    wrong = {name: (found.get(name), wanted) for name, wanted in EXPECTED.items() if found.get(name) != {wanted}}
    assert not wrong, (about, wrong)
    for name, wanted in THREADS.items():
        (stack,) = marks[name]
        short = shorten(stack, [])
        # what the standard library calls may have been under way
        assert short == wanted or wanted == "OFF" and short.endswith(" OFF"), (about, name, stack)
    assert "nowhere" not in marks, about


def check_program(folder, python):
    archive, printed, marks, own = record(folder, python, "-m", "scorep", "program.py")
    clock = json.loads(printed)
    check_marks(marks, python)
    # what the program's own clock has measured lies inside the one, and around the other
    times = own[OFF], clock[OFF], own["__main__:early"], clock["early"]
    assert times[0] >= times[1] and times[2] <= times[3], (python, times)
    check_pages(folder, archive, own)


def check_pages(folder, archive, own):
    """The profile, the report and the export say the same. Stretches where all recording is off have that name, too, but are
    inside a region of the script's here."""
    answer = subprocess.run([pddt.PDDT, "--json", archive], cwd=folder, env=pddt.ENVIRONMENT,
                            stdout=subprocess.PIPE, check=True)
    subprocess.run([pddt.PDDT, "--report", "page.json", "--export", "chrome=chrome.json", archive], cwd=folder, env=pddt.ENVIRONMENT, check=True)
    profile = json.loads(answer.stdout)
    self_s = sum(each["self"] for each in profile["frames"] if each["function"] == OFF)
    assert abs(profile["classes"]["not sampled"] - self_s) < 1e-4, (profile["classes"], self_s)
    path, whole = [], 0
    for frame in profile["frames"]:
        path[frame["depth"]:] = [frame["function"]]
        whole += frame["self"] if frame["function"] == OFF and "user:half" in path else 0
    assert abs(self_s - whole - own[OFF]) < 1e-3, (self_s, whole, own[OFF])
    with open(os.path.join(folder, "page.json")) as file:
        table = next(each for each in json.load(file)["sections"] if each["title"] == "Functions")["blocks"][0]
    titles = [column["title"] for column in table["columns"]]
    (row,) = [row for row in table["rows"] if row[0] == OFF]
    assert abs(row[titles.index("Own time")] - self_s) < 2e-3 and row[titles.index("Calls")] == 0, (row, self_s)
    stacks, last, exported = {}, {}, 0
    with open(os.path.join(folder, "chrome.json")) as file:
        events = [event for event in json.load(file)["traceEvents"] if event["ph"] in "BE"]
    for event in events:
        stack = stacks.setdefault(event["tid"], [])
        exported += event["ts"] - last[event["tid"]] if stack and stack[-1] == OFF else 0
        last[event["tid"]] = event["ts"]
        if event["ph"] == "B":
            stack.append(event["name"])
        else:
            stack.pop()
    assert abs(exported / 1e6 - self_s) < 2e-3, (exported, self_s)


def check_none(folder, python):
    """Calls are off from the beginning: the whole time is in that region, or in what the script names."""
    _, printed, marks, own = record(folder, python, "-m", "scorep", "--noinstrumenter", "program.py")
    clock = json.loads(printed)
    assert marks["unseen off"] == [[OFF]], (python, marks["unseen off"])
    assert shorten(marks["returned on"][0], ["<module>", "main"]) == "returns_unseen", (python, marks["returned on"])
    assert own[OFF] >= clock[OFF], (python, own[OFF], clock)


def check_mpi(folder):
    """MPI's calls are recorded all the same, inside it."""
    with open(os.path.join(folder, "mpi.py"), "w") as file:
        file.write("from mpi4py import MPI\nimport scorep.instrumenter\ndef work(): scorep.instrumenter.unregister()\n"
                   "def seen(): MPI.COMM_WORLD.Barrier()\nwork()\nseen()\nscorep.instrumenter.register()\nseen()\n")
    _, _, marks, _ = record(folder, "mpirun", "-np", "2", "/usr/bin/python3", "-m", "scorep", "--mpp=mpi", "mpi.py")
    module = "__main__:<module>"
    assert sorted(marks["MPI_Barrier"]) == sorted(2 * [[module, "__main__:work", OFF], [module, "__main__:seen"]]), marks


BUILT_IN = """
import pddt, scorep.instrumenter
def mark(name): pddt.parameter_string("mark", name)
def unseen(_):
    scorep.instrumenter.unregister()
    return 1
def main():
    list(map(unseen, [1]))
    mark("built-in off")
    scorep.instrumenter.register()
    mark("built-in on")
    pddt.disable()
    pddt.enable()
    mark("enabled")
main()
"""


def check_built_in():
    """Built-in functions that are recorded, and have ended meanwhile, do not stay open."""
    with traced.Traced([sys.executable, "-c", BUILT_IN], "--c-functions") as one:
        done = one.run()
        assert done.status == 0, done
        read = subprocess.run(["/usr/bin/python3", "-c", READ, os.path.join(done.archive, "traces.otf2")],
                              stdout=subprocess.PIPE, check=True)
        traced.read(done.archive)
    marks = json.loads(read.stdout)[0]
    assert marks["built-in off"][0][-1] == OFF, marks
    for name in "built-in on", "enabled":
        inside = marks[name][0][marks[name][0].index("main"):]
        assert inside[:2] == ["main", "mark"] and len(inside) <= 3, (name, marks[name])


FOLDER = tempfile.mkdtemp(prefix="pddt-scorep-off-")
try:
    with open(os.path.join(FOLDER, "program.py"), "w") as program:
        program.write(PROGRAM)
    for interpreter in driver.list_interpreters():
        check_program(FOLDER, interpreter)
        check_none(FOLDER, interpreter)
    check_mpi(FOLDER)
    check_built_in()
finally:
    shutil.rmtree(FOLDER)
