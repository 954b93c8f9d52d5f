# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts written for Score-P's Python bindings: python3 -m scorep, with nothing in front, and what becomes of it; and the
module pddt where nothing is measured."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pddt
import traced

MODULES = os.path.join(os.environ["PDDT_BUILD_ROOT"], "src/agent/python")
SCRIPT = """
import multiprocessing, os, sys
import scorep.instrumenter
import scorep.user

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

@scorep.user.region("decorated")
def decorated():
    return fib(5)

@scorep.user.region()
def bare():
    return fib(3)

def hidden():
    return 1

def child(n):
    return fib(n)

def fail():
    with scorep.user.region("failing"):
        raise ValueError("on purpose")

def main():
    global __name__
    with scorep.user.region("context"):
        fib(6)
    scorep.user.region_begin("old")
    fib(4)
    scorep.user.region_end("old")
    scorep.user.region_end("never begun")
    decorated(), bare()
    try:
        fail()
    except ValueError:
        pass
    scorep.user.parameter_int("n", -5)
    scorep.user.parameter_uint("u", 2 ** 63)
    scorep.user.parameter_string("s", "text")
    scorep.user.disable_recording()
    hidden()
    with scorep.user.region("unseen"):
        hidden()
    scorep.user.enable_recording()
    with scorep.instrumenter.disable():
        hidden()
    with scorep.instrumenter.disable("named"):
        hidden()
        with scorep.instrumenter.enable():
            hidden()
    if len(sys.argv) > 1:
        with multiprocessing.Pool(2) as pool:
            assert pool.map(child, [5, 6]) == [5, 8]
    __name__ = None
    hidden()

if __name__ == "__main__":
    print(sys.argv[1:], "LD_PRELOAD" in os.environ, [name for name in os.environ if name.startswith("PDDT_TRACE")])
    main()
"""
UNBEGUN = ("SCOREP_BINDING_PYTHON ERROR: There was a region exit without an enter!\n"
           "SCOREP_BINDING_PYTHON ERROR: For details look for \"error_region\" in the trace or profile.\n")
# calls of fib(n)
CALLS = [1, 1, 3, 5, 9, 15, 25]
EXPECTED = {"user:decorated": 1, "__main__:decorated": 1, "__main__:bare": 1, "user:context": 1, "user:old": 1, "user:failing": 1,
            "__main__:fail": 1, "__main__:hidden": 2, "user_instrumenter:named": 1, "error_region": 1}
FIB = "__main__:fib"


def make_environment(**more):
    environment = dict(pddt.ENVIRONMENT, PYTHONPATH=MODULES, **more)
    for name in list(environment):
        if name.startswith("SCOREP_") and name not in more:
            del environment[name]
    return environment


def run(folder, words, status=0, **more):
    done = subprocess.run(words, cwd=folder, env=make_environment(**more), stdin=subprocess.DEVNULL, timeout=100,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


def expect_files(folder, *names):
    assert set(names) <= set(os.listdir(folder)), (names, os.listdir(folder))


def check_script(folder):
    done = run(folder, [sys.executable, "-m", "scorep", "--thread=pthread", "--nocompiler", "script.py", "a", "b c"],
               SCOREP_ENABLE_TRACING="true", SCOREP_TOTAL_MEMORY="16M", SCOREP_EXPERIMENT_DIRECTORY="one")
    assert done.stdout == "['a', 'b c'] False []\n", done.stdout
    expect_files(os.path.join(folder, "one"), "profile.cubex", "scorep.cfg", "MANIFEST.md", "traces.otf2", "traces")
    trace = traced.read(os.path.join(folder, "one"))
    calls = trace["calls"]["rank 0"]
    assert {name: calls.get(name) for name in EXPECTED} == EXPECTED, {name: calls.get(name) for name in EXPECTED}
    assert calls[FIB] == CALLS[6] + CALLS[4] + CALLS[5] + CALLS[3], calls[FIB]
    assert not [name for name in calls if "unseen" in name or "never begun" in name], calls
    assert not [name for name in calls if name.startswith("scorep")], "frames of the module itself"
    assert done.stderr == UNBEGUN, done.stderr
    assert trace["parameters"] == [["rank 0", "leave-region", "user:never begun"], ["rank 0", "n", -5], ["rank 0", "u", 2 ** 63], ["rank 0", "s", "text"]], \
        trace["parameters"]
    children = sum(each.get(FIB, 0) for name, each in trace["calls"].items() if name != "rank 0")
    assert children == CALLS[5] + CALLS[6], trace["calls"].keys()
    # the experiment that was there is kept
    run(folder, [sys.executable, "-m", "scorep", "script.py"], SCOREP_EXPERIMENT_DIRECTORY="one")
    expect_files(folder, "one", "one-before-1")


SWITCHES = """import sys, types
import scorep.user, scorep.instrumenter
def work(): return sum(range(1000))
def outer():
    with scorep.instrumenter.enable("inside"):
        work()
@scorep.instrumenter.enable("decorated")
def on(): return work()
@scorep.instrumenter.disable()
def off(): return work()
def plain(): return 2
module = types.ModuleType("module")
module.plain = plain
scorep.user.instrument_module(module)
twice = scorep.user.instrument_function(plain)
for i in range(3):
    outer()
assert on() == off() == sum(range(1000)) and on.__name__ == "on" and module.plain() == twice() == 2
"""


def check_switches(folder):
    """What is switched on is inside the calls that are under way, and so is its region."""
    with open(os.path.join(folder, "switches.py"), "w") as file:
        file.write(SWITCHES)
    run(folder, [sys.executable, "-m", "scorep", "--noinstrumenter", "switches.py"], SCOREP_EXPERIMENT_DIRECTORY="switches", SCOREP_ENABLE_TRACING="true")
    answer = subprocess.run([pddt.PDDT, "--json", "switches"], cwd=folder, env=pddt.ENVIRONMENT, stdout=subprocess.PIPE,
                            check=True)
    path, found = [], set()
    for frame in json.loads(answer.stdout)["frames"]:
        path[frame["depth"]:] = [frame["function"]]
        found.add(" > ".join(path))
    wanted = "__main__:<module> > __main__:outer > user_instrumenter:inside > __main__:work"
    assert wanted in found and not any(each.startswith("user_instrumenter") for each in found), found
    assert any(each.endswith("user_instrumenter:decorated > __main__:on > __main__:work") for each in found), found
    assert not any("off" in each for each in found) and any(each.endswith("__main__:plain") for each in found), found
    for words, text in (["--bogus", "switches.py"], "unknown option --bogus"), \
            (["--instrumenter-type=nonsense", "switches.py"], "is one of"), \
            (["--instrumenter-file=x.py", "switches.py"], "cannot read the instrumenter file x.py"):
        done = run(folder, [sys.executable, "-m", "scorep", *words], status=1)
        assert text in done.stderr, done
    assert "usage: python3 -m scorep" in run(folder, [sys.executable, "-m", "scorep", "--help"]).stdout


def check_settings(folder):
    with open(os.path.join(folder, "filter"), "w") as file:
        file.write("SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE fib\nSCOREP_REGION_NAMES_END\n")
    run(folder, [sys.executable, "-m", "scorep", "script.py"], SCOREP_EXPERIMENT_DIRECTORY="two",
        SCOREP_FILTERING_FILE="filter")
    calls = traced.read(os.path.join(folder, "two"))["calls"]["rank 0"]
    assert FIB not in calls and calls["__main__:hidden"] == 2, calls.get(FIB)
    run(folder, [sys.executable, "-m", "scorep", "--noinstrumenter", "script.py"], SCOREP_EXPERIMENT_DIRECTORY="three")
    calls = traced.read(os.path.join(folder, "three"))["calls"]["rank 0"]
    assert FIB not in calls and calls["user:context"] == calls["__main__:hidden"] == calls["__main__:bare"] == 1, calls
    run(folder, [sys.executable, "-m", "scorep", "script.py"], SCOREP_EXPERIMENT_DIRECTORY="four",
        SCOREP_ENABLE_TRACING="false")
    expect_files(os.path.join(folder, "four"), "profile.cubex", "MANIFEST.md")
    assert "traces.otf2" not in os.listdir(os.path.join(folder, "four"))
    done = run(folder, [sys.executable, "-m", "scorep", "missing.py"], status=1)
    assert "missing.py" in done.stderr, done.stderr
    with open(os.path.join(folder, "filter"), "w") as file:
        file.write("EXCLUDE fib\n")
    done = run(folder, [sys.executable, "-m", "scorep", "script.py"], status=1, SCOREP_FILTERING_FILE="filter")
    assert "filter:1:" in done.stderr, done.stderr


def check_options(folder):
    """Without Python's calls, in each of the ways; the folder's name where none is given."""
    for option in "--nopython", "--instrumenter-type=dummy":
        before = set(os.listdir(folder))
        run(folder, [sys.executable, "-m", "scorep", option, "script.py"])
        (made,) = set(os.listdir(folder)) - before
        assert re.fullmatch(r"scorep-\d{8}_\d{4}_\d+", made), made
        calls = traced.read(os.path.join(folder, made))["calls"]["rank 0"]
        assert FIB not in calls and calls["user:context"] == 1, calls


LIKE_THE_BINDINGS = """
import os
import scorep.user, scorep.instrumenter
import helper
class One:
    @scorep.user.region()
    def foo(self): pass
class Two:
    def foo(self): pass
def foo(): helper.bar()
def again(): pass
def seek():
    with scorep.instrumenter.enable("files"):
        with open("file.txt", "w") as file:
            file.write("text")
        with open("file.txt") as file:
            assert file.read() == "text"
One().foo(), Two().foo(), foo()
with scorep.instrumenter.disable():
    One().foo()
scorep.user.rewind_begin("part")
again()
with scorep.user.region("taken back"): again()
scorep.user.rewind_end("part", True)
scorep.user.rewind_begin("part")
again()
scorep.user.rewind_end("part", False)
scorep.instrumenter.unregister()
seek()
scorep.instrumenter.register()
scorep.user.force_finalize()
foo()
"""
EVENT = r"(?m)^%s +\d+ +\d+ +(?:Region|Handle): "


def check_like_bindings(folder):
    """Names and events for which scripts and filters for Score-P look."""
    for name, text in (("helper.py", "def bar(): pass\ndef baz(): pass\n"), ("like.py", LIKE_THE_BINDINGS)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    done = run(folder, [sys.executable, "-m", "scorep", "like.py"], SCOREP_EXPERIMENT_DIRECTORY="like")
    assert done.stderr == "", done.stderr
    printed = subprocess.run(["otf2-print", os.path.join(folder, "like/traces.otf2")], stdout=subprocess.PIPE,
                             universal_newlines=True, check=True).stdout
    entered = re.findall(EVENT % "ENTER" + r'"__main__:foo" <(\d+)>', printed)
    # two methods and a function, and the first one again: a decorated function is the same region as a recorded one
    assert len(entered) == 4 and len(set(entered)) == 3 and entered[0] == entered[3], entered
    assert len(re.findall(EVENT % "ENTER" + '"helper:bar"', printed)) == 1, "what follows force_finalize"
    assert len(re.findall(EVENT % "ENTER" + '"__main__:again"', printed)) == 1 and "taken back" not in printed
    assert re.search(r"MEASUREMENT_ON_OFF +\d+ +\d+ +Mode: OFF[^M]*MEASUREMENT_ON_OFF +\d+ +\d+ +Mode: ON", printed)
    part = printed.split('"user_instrumenter:files"')[1]
    where = r'"\[POSIX I/O\] ?\S*file\.txt'
    for kind, what in (("ENTER", '"open64"'), ("IO_CREATE_HANDLE", where), ("ENTER", '"lseek64"'), ("IO_SEEK", where),
                       ("ENTER", '"write"'), ("IO_OPERATION_COMPLETE", where), ("ENTER", '"read"'), ("IO_DESTROY_HANDLE", where)):
        assert re.search(EVENT % kind + what, part), (kind, what, part)
    calls = traced.read(os.path.join(folder, "like"))["calls"]["rank 0"]
    assert calls["__main__:foo"] == 4, calls


def check_filters(folder):
    """People's filters name modules, and regions of their own."""
    with open(os.path.join(folder, "filter"), "w") as file:
        file.write("SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE *\n  INCLUDE __main__:foo user:part*\nSCOREP_REGION_NAMES_END\n")
    with open(os.path.join(folder, "filtered.py"), "w") as file:
        file.write("import helper, scorep.user\nclass A:\n    def foo(self): helper.bar()\ndef foo(): A().foo()\n"
                   "with scorep.user.region('part 1'): foo()\nwith scorep.user.region('other'): foo()\n")
    done = run(folder, [sys.executable, "-m", "scorep", "filtered.py"], SCOREP_EXPERIMENT_DIRECTORY="filtered",
               SCOREP_FILTERING_FILE="filter")
    calls = traced.read(os.path.join(folder, "filtered"))["calls"]["rank 0"]
    calls = {name: n for name, n in calls.items() if ":" in name}
    assert calls == {"__main__:foo": 4, "user:part 1": 1} and done.stderr == "", (calls, done)
    with open(os.path.join(folder, "filter"), "a") as file:
        file.write("SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE nowhere:*\nSCOREP_REGION_NAMES_END\n")
    run(folder, [sys.executable, "-m", "scorep", "filtered.py"], SCOREP_EXPERIMENT_DIRECTORY="filtered", SCOREP_FILTERING_FILE="filter")
    with open(os.path.join(folder, "filtered/MANIFEST.md")) as file:
        manifest = file.read()
    assert "matched nothing: EXCLUDE nowhere:*\n" in manifest, manifest


def check_instrumenter_file(folder):
    """It runs first, unrecorded, in the script's own surroundings; what it decorates is a region."""
    with open(os.path.join(folder, "instrument.py"), "w") as file:
        file.write("import helper, scorep.user\nhelper.bar = scorep.user.instrument_function(helper.bar)\nhelper.baz()\n"
                   "named = 'only here'\n")
    os.makedirs(os.path.join(folder, "below"), exist_ok=True)
    shutil.copy(os.path.join(folder, "helper.py"), os.path.join(folder, "below"))
    with open(os.path.join(folder, "below/told.py"), "w") as file:
        file.write("import sys\nimport helper\nassert sys.argv[1:] == ['a', 'b'] and __name__ == '__main__', sys.argv\n"
                   "assert sys.modules['__main__'].__dict__ is globals() and 'named' not in globals()\n"
                   "def work(): helper.bar()\nwork()\nprint(__file__, sys.path[0])\n")
    for option, seen in ("--noinstrumenter", None), ("--nocompiler", 1):
        done = run(folder, [sys.executable, "-m", "scorep", option, "--instrumenter-file=instrument.py", "below/told.py", "a", "b"],
                   SCOREP_EXPERIMENT_DIRECTORY="told")
        assert done.stdout == "below/told.py %s\n" % os.path.realpath(os.path.join(folder, "below")) and done.stderr == "", done
        calls = traced.read(os.path.join(folder, "told"))["calls"]["rank 0"]
        assert calls["helper:bar"] == 1 and calls.get("__main__:work") == seen and "helper:baz" not in calls, calls


ENVIRONMENT = """
import os, scorep.helper, scorep.subsystem
os.environ["LD_LIBRARY_PATH"] = "/a:/b/c"
for path in "/b/c", "/b", "/d", "/b":
    scorep.helper.add_to_ld_library_path(path)
print(os.environ.pop("LD_LIBRARY_PATH"))
scorep.helper.add_to_ld_library_path("/alone")
print(os.environ["LD_LIBRARY_PATH"])
os.environ["LD_PRELOAD"] = "now"
for kept in None, "before", "":
    os.environ.pop("SCOREP_LD_PRELOAD_BACKUP", None)
    os.environ.update({} if kept is None else {"SCOREP_LD_PRELOAD_BACKUP": kept})
    scorep.subsystem.reset_preload()
    print(os.environ.get("LD_PRELOAD"))
"""


def check_environment(folder):
    """Modules of the bindings that are about the environment of programs, with pddt and without."""
    with open(os.path.join(folder, "environment.py"), "w") as file:
        file.write(ENVIRONMENT)
    for words in [sys.executable, "environment.py"], [sys.executable, "-m", "scorep", "environment.py"]:
        done = run(folder, words, SCOREP_EXPERIMENT_DIRECTORY="environment")
        assert done.stdout == "/d:/b:/a:/b/c\n/alone\nnow\nbefore\nNone\n" and done.stderr == "", done


def find_temporary(folder):
    return [name for name in os.listdir(folder) if name.startswith("scorep-measurement-tmp-")]


def check_kept(folder):
    """An experiment that is not to be overwritten stays, and the new one where it was made; so does one whose process was
    killed, until --finalize makes it."""
    before = os.stat(os.path.join(folder, "one", "traces.otf2")).st_ino
    run(folder, [sys.executable, "-m", "scorep", "script.py"], SCOREP_EXPERIMENT_DIRECTORY="one",
        SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY="false")
    assert os.stat(os.path.join(folder, "one", "traces.otf2")).st_ino == before
    (made,) = find_temporary(folder)
    assert traced.read(os.path.join(folder, made))["calls"]["rank 0"]["user:context"] == 1
    shutil.rmtree(os.path.join(folder, made))
    with open(os.path.join(folder, "killed.py"), "w") as file:
        file.write("import os\ndef work(): pass\nwork()\nwork()\nprint('ready', flush=True)\ninput()\nos.kill(os.getpid(), 9)\n")
    with subprocess.Popen([sys.executable, "-m", "scorep", "killed.py"], cwd=folder, stdin=subprocess.PIPE, text=True,
                          env=make_environment(SCOREP_EXPERIMENT_DIRECTORY="killed"), stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == "ready\n"
        (made,) = find_temporary(folder)
        assert "still under way" in run(folder, [pddt.PDDT, "--finalize", made], status=1).stderr
        process.communicate("go on\n", timeout=60)
    assert process.returncode == -9, process.returncode
    assert find_temporary(folder) == [made]
    assert "killed" not in os.listdir(folder)
    run(folder, [pddt.PDDT, "--finalize", made])
    expect_files(os.path.join(folder, "killed"), "profile.cubex", "MANIFEST.md")
    assert not find_temporary(folder)
    assert traced.read(os.path.join(folder, "killed"))["calls"]["rank 0"]["__main__:work"] == 2


def check_ranks(folder):
    with open(os.path.join(folder, "ranks.py"), "w") as file:
        file.write("from mpi4py import MPI\nimport scorep.user\nworld = MPI.COMM_WORLD\n"
                   "with scorep.user.region('ring'):\n"
                   "    world.sendrecv('x' * world.rank, (world.rank + 1) % world.size)\nworld.Barrier()\n")
    run(folder, ["mpirun", "-np", "3", "/usr/bin/python3", "-m", "scorep", "--mpp=mpi", "ranks.py"],
        SCOREP_EXPERIMENT_DIRECTORY="ranks")
    assert not [name for name in os.listdir(folder) if name.startswith("scorep-measurement-tmp")], os.listdir(folder)
    trace = traced.read(os.path.join(folder, "ranks"))
    assert traced.match(trace) >= 3, trace["counts"]
    for rank in range(3):
        calls = trace["calls"]["rank %d" % rank]
        assert calls["user:ring"] == calls["MPI_Barrier"] == 1, calls


FILES = """
import os, sys, threading, time
if len(sys.argv) > 1:
    from mpi4py import MPI
lock = threading.Lock()
def hold():
    with lock:
        held.set()
        time.sleep(0.2)
held = threading.Event()
with open("written-%d" % os.getpid(), "wb") as file:
    file.write(b"x" * 12345)
thread = threading.Thread(target=hold)
thread.start()
held.wait()
with lock:
    pass
thread.join()
"""
FILES_SCRIPT = """
import json, otf2, sys
written, waits = {}, {}
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        rank, kind = location.group.name, type(event).__name__
        if kind == "IoOperationComplete" and "written-" in str(event.handle.file.name):
            written[rank] = written.get(rank, 0) + event.bytes_result
        elif kind == "ThreadAcquireLock" and any(each.name == "pddt::owner" for each in event.attributes or {}):
            waits[rank] = waits.get(rank, 0) + 1
print(json.dumps([written, waits]))
"""


def check_files(folder):
    """Files, and locks that threads have waited for, as under pddt --trace, with nothing prepared."""
    with open(os.path.join(folder, "files.py"), "w") as file:
        file.write(FILES)
    for name, words in (("alone", [sys.executable, "-m", "scorep", "files.py"]),
                        ("ranked", ["mpirun", "-np", "2", "/usr/bin/python3", "-m", "scorep", "--mpp=mpi", "files.py", "mpi"])):
        run(folder, words, SCOREP_EXPERIMENT_DIRECTORY=name)
        archive = os.path.join(folder, name)
        traced.read(archive)
        done = run(folder, ["/usr/bin/python3", "-c", FILES_SCRIPT, os.path.join(archive, "traces.otf2")])
        written, waits = json.loads(done.stdout)
        ranks = ["rank %d" % rank for rank in range(2 if name == "ranked" else 1)]
        assert written == {rank: 12345 for rank in ranks}, (name, written)
        assert traced.has_parked_locks() or set(waits) == set(ranks), (name, waits)


def check_score(folder):
    archive = os.path.join(folder, "ranks")
    table = run(folder, [pddt.PDDT, "--score", archive]).stdout
    size = float(re.search(r"size of event trace: +([0-9.]+) MB", table)[1]) * 1e6
    real = sum(os.path.getsize(os.path.join(archive, "traces", name)) for name in os.listdir(archive + "/traces")) \
        + os.path.getsize(archive + "/traces.def")
    assert 0.9 * real < size < 1.1 * real, (size, real)
    rows = {line.split(None, 6)[6]: line.split(None, 6) for line in table.splitlines() if line[:3].isupper()}
    calls = traced.read(archive)["calls"]
    visits = {}
    for each in calls.values():
        for name, n in each.items():
            visits[name] = visits.get(name, 0) + n
    assert int(rows["ALL"][2].replace(",", "")) == sum(visits.values()), rows["ALL"]
    assert rows["MPI_Barrier"][0] == "MPI" and int(rows["MPI_Barrier"][2]) == visits["MPI_Barrier"], rows["MPI_Barrier"]
    ring = [row for name, row in rows.items() if name.startswith("user:ring at ranks.py:")]
    assert len(ring) == 1 and ring[0][0] == "COM" and int(ring[0][2]) == 3, ring
    assert sum(int(rows[kind][2].replace(",", "")) for kind in ("MPI", "USR", "COM", "IO") if kind in rows) == sum(visits.values()), rows
    assert run(folder, [pddt.PDDT, "--score"], status=2).stderr
    assert "no archive" in run(folder, [pddt.PDDT, "--score", folder], status=1).stderr


PLAIN = """
import pddt
assert not pddt.is_measured()
def work(x):
    return x
assert pddt.region(work) is work and pddt.region("name")(work) is work and pddt.region()(work) is work
with pddt.region("name"):
    pddt.region_begin("other")
    pddt.region_end("other")
    pddt.parameter_int("n", 1), pddt.parameter_uint("n", 1), pddt.parameter_string("n", "1"), pddt.metric("m", 1.5)
    pddt.disable(), pddt.enable()
try:
    with pddt.region("name"):
        raise KeyError
except KeyError:
    print("raised")
import scorep.user
with scorep.user.region("name"):
    scorep.user.parameter_int("n", 1)
"""


def check_plain(folder):
    assert run(folder, [sys.executable, "-c", PLAIN]).stdout == "raised\n"


NAMED = """
import asyncio, pddt
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
@pddt.region
def work():
    return fib(2)
@pddt.region("steps")
def steps():
    yield fib(2)
    yield fib(3)
@pddt.region
async def task(n):
    await asyncio.sleep(0.001)
    return fib(n)
async def both():
    return await asyncio.gather(task(3), task(4))
assert work() == 1 and list(steps()) == [1, 2] and asyncio.run(both()) == [2, 3] and pddt.is_measured()
for i in range(4):
    pddt.metric("residual", 1 / 2 ** i, "m")
pddt.metric("residual", "no number"), pddt.parameter_int("n", 2 ** 80), pddt.parameter_int("n", None)
pddt.region_begin("outer")
pddt.region_begin("inner")
pddt.region_end("outer")
with pddt.region("last"):
    pass
"""


def check_names():
    with traced.Traced([sys.executable, "-c", NAMED]) as one:
        done = one.run()
        assert done.status == 0, done
        trace = traced.read(done.archive)
    calls = trace["calls"]["rank 0"]
    assert calls["fib"] == CALLS[2] * 2 + CALLS[3] * 2 + CALLS[4], calls["fib"]
    for name, count in {"outer": 1, "inner": 1, "last": 1, "work": 2}.items():
        assert calls[name] == count, (name, calls[name])
    assert [each[2] for each in trace["metrics"]] == [1.0, 0.5, 0.25, 0.125], trace["metrics"]
    assert trace["parameters"] == [], trace["parameters"]


FOLDER = tempfile.mkdtemp(prefix="pddt-scorep-")
try:
    with open(os.path.join(FOLDER, "script.py"), "w") as script:
        script.write(SCRIPT)
    check_plain(FOLDER)
    check_script(FOLDER)
    check_switches(FOLDER)
    check_like_bindings(FOLDER)
    check_filters(FOLDER)
    check_instrumenter_file(FOLDER)
    check_environment(FOLDER)
    check_settings(FOLDER)
    check_options(FOLDER)
    check_kept(FOLDER)
    check_names()
    check_ranks(FOLDER)
    check_files(FOLDER)
    check_score(FOLDER)
finally:
    shutil.rmtree(FOLDER)
