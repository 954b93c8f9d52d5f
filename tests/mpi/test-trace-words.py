# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences of the manual's chapter about tracing that no other test checks."""
import glob
import json
import os
import pstats
import re
import subprocess
import sys

import pddt
from measured import Script, once_in_five, read_calls
from traced import read_tables

sys.path.insert(0, os.path.join(pddt.SOURCE, "tests", "agent"))
from driver import list_interpreters

PYTHON = "/usr/bin/python3"


def get_minor(python):
    return int(subprocess.run([python, "-c", "import sys; print(sys.version_info[1])"], capture_output=True, check=True).stdout)


ENVIRONMENT = """
import ctypes, os
read = ctypes.CDLL(None).getenv
read.restype = ctypes.c_char_p
def preloads():
    return [os.path.basename(name) for name in (read(b"LD_PRELOAD") or b"").decode().split(":") if name]
print(sorted(name for name in os.environ if name not in ("LD_PRELOAD", "OMPI_MCA_orte_fork_agent")))
print(preloads())
from mpi4py import MPI
print(preloads())
"""


def test_environment():
    """It differs in LD_PRELOAD alone, until MPI_Init, and by what makes Open MPI start pddt-start."""
    with Script(ENVIRONMENT, launcher=["mpirun", "-np", "1"]) as script:
        plain = subprocess.run(["mpirun", "-np", "1", PYTHON, "script.py"], cwd=script.folder, env=script.environment,
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=True)
        run = script.run()
        run.expect_status(0)
        before, after = plain.stdout.splitlines(), run.out.splitlines()
        if before[0] != after[0]:
            run.fail(f"the environment was {before[0]}")
        if before[1:] != ["[]", "[]"] or after[1:] != ["['libpddt-mpi.so']", "[]"]:
            run.fail(f"preloaded: {before[1:]} without pddt")


CHILDREN = """
import multiprocessing, os, sys
def in_child(n):
    return n
if __name__ == "__main__":
    for method in "fork", "spawn":
        with multiprocessing.get_context(method).Pool(1) as pool:
            pool.map(in_child, [1, 2], chunksize=1)
    os.system(f"'{sys.executable}' -c 'def by_system(): pass\\nby_system()'")
"""


def test_children():
    """What multiprocessing forks and spawns is traced, what os.system starts is not."""
    with Script(CHILDREN) as script:
        run, calls = script.count()
        if calls["in_child"] != 4 or "<string>:by_system" in calls:
            run.fail(f"calls: {calls}")
        run.expect("child processes", "err")


def test_both():
    """--profile and --trace: the report and the exports have the calls, and tests/profile/test-filled.py what is between."""
    text = "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(25)\nfib(25)\n"
    with Script(text, "--profile", "--output", "here", "--report", "page.json", "--export", "pstats=mine.prof") as script:
        run = script.run()
        run.expect_status(0)
        (calls,) = [row[1] for key, row in pstats.Stats(os.path.join(script.folder, "mine.prof")).stats.items()
                    if key[2] == "fib"]
        with open(os.path.join(script.folder, "page.json"), encoding="utf-8") as file:
            page = file.read()
        if calls != 2 * 242785:
            run.fail(f"{calls} calls in the export")
        if str(calls) not in page:
            run.fail("the report is not that of the calls")


PROFILED = """
import cProfile, sys, threading
def before(): pass
def after(): pass
def other(): pass
before()
{take}
after()
thread = threading.Thread(target=other)
thread.start()
thread.join()
"""
LOW = """
import _thread, time
done = []
def started():
    done.append(1)
_thread.start_new_thread(started, ())
while not done:
    time.sleep(0.01)
"""
WITHIN = """
import sys
try:
    import _xxsubinterpreters as sub
except ImportError:
    import _interpreters as sub
def visible(): pass
visible()
name = sub.create()
(sub.exec if hasattr(sub, "exec") else sub.run_string)(name, "def hidden(): pass\\nhidden()\\n")
visible()
"""


BY_C = """
import ctypes, os, sys
back = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
def inner(n):
    return n + 1
def called(argument):
    inner(1)
    return inner(2) - 3
function, thread, libc = back(called), ctypes.c_ulong(), ctypes.CDLL(None)
def again():
    libc.pthread_create(ctypes.byref(thread), None, function, None)
    libc.pthread_join(thread, None)
again(), again()
if os.fork() == 0:
    again()
    sys.exit()
os.wait()
"""
TWICE_C = """
#include <pthread.h>
static void *run (void *function)
{
    ((void (*) (void)) function) ();
    ((void (*) (void)) function) ();
    return 0;
}
void twice (void (*function) (void))
{
    pthread_t thread;
    pthread_create (&thread, 0, run, (void *) function);
    pthread_join (thread, 0);
}
"""
TWICE = """
import ctypes
def entered():
    return 7 * 11
ctypes.CDLL("./twice.so").twice(ctypes.CFUNCTYPE(None)(entered))
"""


def count_line(run, text):
    """How often that line of a function whose lines are counted ran, as the exported table has it."""
    with open(os.path.join(run.archive, "export", "lines.txt"), encoding="utf-8") as file:
        return [int(line.split()[1]) for line in file if line.strip().endswith(text)]


def test_threads(python):
    """A profile function of the program's own; threads of _thread alone, and C's own, also in the child of a fork;
    subinterpreters."""
    minor = get_minor(python)
    for take in "sys.setprofile(lambda *_: None)", "cProfile.Profile().enable()":
        with Script(PROFILED.replace("{take}", take), python=python) as script:
            script.expect({"before": 1, "after": int(minor > 11), "other": int(minor < 14)})
    with Script(LOW, python=python) as script:
        script.expect({"started": 1})
    if os.confstr("CS_GNU_LIBC_VERSION") >= "glibc 2.34":  # its libc has the threads
        with Script(BY_C, python=python) as script:
            script.expect({"called": 3, "inner": 6, "again": 3})
    with Script(TWICE, "--lines", "entered", "--export", "lprof", python=python) as script:
        subprocess.run(["cc", "-shared", "-fPIC", "-o", os.path.join(script.folder, "twice.so"), "-xc", "-", "-pthread"],
                       input=TWICE_C, text=True, check=True)
        run = script.expect({"entered": 2})
        if count_line(run, "return 7 * 11") != [2]:
            run.fail("the line of both its entries into Python ran twice")
    with Script(WITHIN, python=python) as script:
        script.expect({"visible": 2, "<string>:hidden": 0})


def test_no_gil():
    """An interpreter that says it has no GIL is left alone, and pddt says so. (It only says so: none is here.)"""
    with Script("print('runs')") as script:
        script.write("sitecustomize.py", "import sys\nsys.abiflags = 't'\n")
        script.environment["PYTHONPATH"] = script.folder
        run = script.run()
        run.expect("runs")
        run.expect("this Python process is not traced: its interpreter runs without the GIL", "err")


IMPORTS = """
import colorsys
def first(): return [f() for f in (lambda: 1, lambda: 2, lambda: 3)]
first()
"""


def test_imports():
    """importlib's own modules are left out unless a filter has them; functions of one name on one line are added."""
    rules = "SCOREP_FILE_NAMES_BEGIN\n  INCLUDE *\nSCOREP_FILE_NAMES_END\n"
    for options in [], ["--filter", "rules"]:
        with Script(IMPORTS, "--export", "pstats=mine.prof", *options) as script:
            script.write("rules", rules)
            run, calls = script.count()
            stats = pstats.Stats(os.path.join(script.folder, "mine.prof")).stats
            frozen = [key for key in stats if key[0].startswith("<frozen importlib")]
            if bool(frozen) != bool(options):
                run.fail(f"{options}: of importlib there are {frozen}")
            callers = next(row[4] for key, row in stats.items() if key[0].endswith("colorsys.py") and key[2] == "<module>")
            expected = "script.py" if not options else "<frozen importlib"
            if not all(expected in key[0] for key in callers):
                run.fail(f"{options}: colorsys is called by {list(callers)}")
            if [row[:2] for key, row in stats.items() if key[0].endswith("script.py")
                    and key[2] == "<lambda>"] != [(3, 3)]:
                run.fail("the lambdas are not added")


PATTERNS = """
class Grid:
    def solve(self): pass
def solve(): pass
def salve(): pass
def other(): pass
Grid().solve(), solve(), salve(), other()
"""
ALL = {"Grid.solve", "solve", "salve", "other", "Grid", "<module>"}


def test_patterns():
    """With what a pattern of a filter is compared; the last rule decides."""
    for rules, wanted in [("EXCLUDE *\n INCLUDE s[a-o]lve", {"Grid.solve", "solve", "salve"}),
                          ("EXCLUDE *\n INCLUDE script:Grid.*", {"Grid.solve"}),
                          ("EXCLUDE *\n INCLUDE script.sol?e", {"solve"}),
                          ("EXCLUDE *\n INCLUDE script.Grid.sol?e", {"Grid.solve"}),
                          ("EXCLUDE *\n INCLUDE Grid.solve", {"Grid.solve"}),
                          ("INCLUDE other\n EXCLUDE o*", ALL - {"other"})]:
        with Script(PATTERNS, "--filter", "rules") as script:
            script.write("rules", f"SCOREP_REGION_NAMES_BEGIN\n {rules}\nSCOREP_REGION_NAMES_END\n")
            run, calls = script.count()
            found = ALL & set(calls)
            if found != wanted:
                run.fail(f"{rules!r}: {found}, not {wanted}")
    with Script("import colorsys\n" + PATTERNS + "colorsys.rgb_to_hsv(1, 0, 0)\n", "--filter", "rules") as script:
        script.write("rules", "SCOREP_FILE_NAMES_BEGIN\n EXCLUDE */colorsys.py\nSCOREP_FILE_NAMES_END\n")
        script.expect({"colorsys.py:rgb_to_hsv": 0, "colorsys.py:<module>": 0, "solve": 1})


NAMED = """
import pddt, threading, time
begun, done = threading.Event(), threading.Event()
def seen(): pass
def hidden(): pass
@pddt.region("ticks")
def ticks():
    for i in range(3):
        end = time.perf_counter() + 0.05
        while time.perf_counter() < end:
            pass
        yield i
def other():
    begun.set()
    done.wait()
    hidden()
    with pddt.region("no region"):
        pass
    resumed.wait()
    seen()
resumed = threading.Event()
for _ in ticks():
    time.sleep(0.3)
thread = threading.Thread(target=other)
thread.start()
begun.wait()
pddt.disable()
done.set()
time.sleep(0.2)
hidden()
pddt.enable()
resumed.set()
thread.join()
seen()
for step in range(3):
    pddt.parameter_int("step", step // 2)
    pddt.metric("residual", 1 / 2 ** step, "m")
"""


@once_in_five
def test_regions():
    """disable holds for all threads; a generator is in its region only while it runs."""
    with Script(NAMED, "--report", "page.json", "--export", "chrome") as script:
        run, calls = script.count()
        found = {name: calls.get(name, 0) for name in ("seen", "hidden", "no region")}
        if found != {"seen": 2, "hidden": 0, "no region": 0}:
            run.fail(f"calls: {calls}")
        with open(os.path.join(script.folder, "page.json"), encoding="utf-8") as file:
            sections = json.load(file)["sections"]
        table = next(each for each in sections if each["title"] == "Functions")["blocks"][0]
        titles = [column["title"] for column in table["columns"]]
        seconds = next(row[titles.index("Total time")] for row in table["rows"] if row[0] == "ticks")
        if not 0.14 < seconds < 0.5:
            run.fail(f"ticks: {seconds} s")
        off = next(row for row in table["rows"] if row[0] == "(not recorded)")
        if not 0.19 < off[titles.index("Own time")] < 5 or "not sampled" not in str(sections):
            run.fail(f"switched off: {off}")
        metrics, parameters = read_tables({"sections": sections}, "What the program says of itself")
        if metrics != [{"Metric": "residual", "Unit": "m", "Rank": 0, "Times": 3, "Least": "0.25", "Mean": "0.583333",
                        "Most": "1", "Last": "0.25"}] \
                or [(row["Value"], row["Times"]) for row in parameters if row["Parameter"] == "step"] != [("0", 2), ("1", 1)]:
            run.fail(f"{metrics} {parameters}")
        with open(os.path.join(run.archive, "export", "profile.chrome.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        counters = [event["args"] for event in events if event["ph"] == "C" and event["name"] == "residual"]
        if counters != [{"m": 1.0}, {"m": 0.5}, {"m": 0.25}]:
            run.fail(f"{counters}")


def test_greenlets():
    """A program that may switch greenlets is told that they are not followed."""
    with Script("import greenlet\nprint('done')\n") as script:
        os.mkdir(os.path.join(script.folder, "greenlet"))
        script.write("greenlet/__init__.py", "")
        script.expect({"<module>": 1}).expect("this program may switch greenlets (gevent), which a trace does not follow", "err")


GRANDCHILD = """
import os, sys
def in_child(n):
    if n > 0 and os.fork() == 0:
        in_child(n - 1)
        sys.exit(0)
    if n > 0:
        os.wait()
in_child(3)
"""


def test_grandchildren():
    """In the archive, too, a child's child comes from the rank: no other rank is named."""
    with Script(GRANDCHILD) as script:
        run = script.expect({"in_child": 4})
        names = {name.split(":")[0] for name in read_calls(run, run.archive)}
        if names != {"rank 0", "child 1 of rank 0", "child 2 of rank 0", "child 3 of rank 0"}:
            run.fail(f"{names}")


JUMPS = """
#include <setjmp.h>
static jmp_buf place;
int try_it (void (*function) (void))
{
    if (setjmp (place) == 0)
        function ();
    return 0;
}
void jump (void)
{
    longjmp (place, 1);
}
"""
JUMPING = """
import ctypes
library = ctypes.PyDLL("./jumps.so")
def inner():
    library.jump()
@ctypes.PYFUNCTYPE(None)
def outer():
    inner()
def after():
    pass
def main():
    for _ in range(4):
        library.try_it(outer)
        after()
main()
after()
"""


def test_jumps(python):
    """C code jumps out of Python's calls: each call counts, and what is called then counts as their calls' until the one
    around them ends."""
    if get_minor(python) == 11:
        return  # which crashes, with sys.setprofile and cProfile, too
    with Script(JUMPING, python=python) as script:
        script.write("jumps.c", JUMPS)
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", "jumps.so", "jumps.c"], cwd=script.folder, check=True)
        run = script.expect({"inner": 4, "outer": 4, "after": 5, "main": 1})
        shown = json.loads(pddt.run(["--json", run.archive]).out)
        path, calls = [], set()
        for frame in shown["frames"]:
            path[frame["depth"]:] = [frame["function"]]
            calls.add(tuple(path[-2:]))
        if {caller for caller, name in filter(lambda call: call[-1] == "after", calls)} != {"<module>", "inner"}:
            run.fail(f"{calls}")


BEGUN = """
import os
for number, size in enumerate((0, os.path.getsize(max(os.scandir("here/trace/spool"), key=os.path.getsize)) % 65536)):
    with open(f"here/trace/spool/host-{number}-python-0.pddt-trace", "wb") as file:
        file.truncate(size)
print("done")
"""


def test_begun():
    """Processes that were killed before they have recorded anything leave files without it: nothing is amiss."""
    with Script(BEGUN, "--output", "here") as script:
        run = script.run()
        run.expect_status(0)
        run.expect("done")
        if "not kept" in run.err or os.listdir(run.archive) == []:
            run.fail("a process that has recorded nothing is missed")


def test_no_space():
    """A file system that has no room for all: the program runs on, and the rest is missed; what it did then is not known. The
    archive has no room either, and none is left behind."""
    with Script("import time\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(20)\ntime.sleep(2)\n"
                "print('whole')\n",
                "--output", "here") as script:
        if subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", script.folder],
                          stderr=subprocess.DEVNULL, check=False).returncode != 0:
            print("# test_no_space needs root and mount namespaces")
            return
        mount = 'cp "$0/script.py" /tmp/"$(basename "$0").py" && mount -t tmpfs -o size=600k tmpfs "$0" && ' \
            'mv /tmp/"$(basename "$0").py" "$0/script.py" && cd "$0" && "$@"; ' \
            'echo "status $?"; mount -o remount,size=50M "$0"; ' + f"exec {pddt.PDDT} --finalize here"
        script.line = ["unshare", "--mount", "sh", "-c", mount, script.folder] + script.line
        run = script.run()
        run.expect("whole")
        run.expect("events lost", "err")
        run.expect("The archive could not be written: No space left on device. pddt --finalize here tries again.", "err")
        told = re.search(r"1 rank, ([0-9.]+) (m?s) of a run of", run.err)
        if told is None or (told[2] == "s" and float(told[1]) > 1.5):
            run.fail("the time after the last event counts")


def test_no_room():
    """There is room for what is recorded, and not for its archive, of which nothing is left then."""
    with Script("def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(27)\n", "--output", "here") as script:
        mount = 'cp "$0/script.py" /tmp/"$(basename "$0").py" && mount -t tmpfs -o size=26m tmpfs "$0" && ' \
            'mv /tmp/"$(basename "$0").py" "$0/script.py" && cd "$0" && "$@"; ls here; ' \
            f'mount -o remount,size=200M "$0"; exec {pddt.PDDT} --finalize here'
        script.line = ["unshare", "--mount", "sh", "-c", mount, script.folder] + script.line
        run = script.run()
        run.expect("The archive could not be written: No space left on device. pddt --finalize here tries again.", "err")
        calls = re.search(r"s, ([0-9]+) calls: Python", run.err)
        if run.out != "trace\n" or calls is None or int(calls[1]) < 635621:
            run.fail("more is left, or less")


LINES = """
import time
def slow():
    time.sleep(0.2)
    return 1
def work():
    a = slow()
    a += 1
    return a
def produce():
    for i in range(3):
        yield i
work()
for _ in produce():
    time.sleep(0.1)
"""


@once_in_five
def test_lines():
    """A line has the time until the next one of its call, with what it called; a generator's pauses belong to none."""
    with Script(LINES, "--lines", "work", "--lines", "prod*", "--export", "lprof") as script:
        run = script.run()
        run.expect_status(0)
        with open(os.path.join(run.archive, "lines.tsv"), encoding="utf-8") as file:
            text = file.read()
        exported = os.listdir(os.path.join(run.archive, "export"))
        for name in "lines.lprof", "lines_0.lprof", "lines.txt":
            if name not in exported:
                run.fail(f"exported: {exported}")
        with open(os.path.join(run.archive, "export", "lines.txt"), encoding="utf-8") as file:
            table = file.read()
        rows = {}
        for line in table.splitlines():
            if match := re.match(r"\s+\d+\s+(\d+)\s+([\d.]+)\s+[\d.]+\s+[\d.]+\s+(.*)", line):
                rows[match[3].strip()] = int(match[1]), float(match[2]) / 1e6
        if rows["a = slow()"][0] != 1 or not 0.19 < rows["a = slow()"][1] < 0.6 or rows["a += 1"][1] > 0.1:
            run.fail(f"the lines of work: {rows}")
        if rows["yield i"][0] != 3 or rows["yield i"][1] > 0.1 or rows["for i in range(3):"][1] > 0.1:
            run.fail(f"the generator's pauses are counted: {rows}")
        if "slow" in text.replace("slow()", "") or "work" not in text:
            run.fail(f"lines.tsv: {text}")


CHOSEN = """
@profile
def one():
    return 1
def two():
    return one()
two()
"""
RULES = "SCOREP_REGION_NAMES_BEGIN\nEXCLUDE *\nINCLUDE one\nSCOREP_REGION_NAMES_END\n"


def test_chosen_lines(python):
    """A rule has matched a function also where the decorator or another rule has chosen it already."""
    with Script(CHOSEN, "--lines", "one", "--lines", "on*", "--lines", "none", "--filter", "rules", python=python) as script:
        script.write("rules", RULES)
        run = script.expect({"one": 1, "two": 0})
        said = re.findall("no Python function has matched these rules: (.*)", run.err)
        if said != ["--lines none"]:
            run.fail(f"{python}: rules that have matched nothing: {said}")


FILES = """
import mmap, os, socket, subprocess
open("/proc/self/stat").read()
a, b = socket.socketpair()
a.send(b"x" * 100), b.recv(100)
r, w = os.pipe()
os.write(w, b"x" * 100), os.read(r, 100)
with open("plain", "wb", 0) as file:
    file.write(b"x" * 100)
with open("plain", "r+b", 0) as file:
    mapped = mmap.mmap(file.fileno(), 100)
    mapped[:50] = b"y" * 50
subprocess.run(["sh", "-c", "cat plain > copy"])
"""
READ_FILES = """
import collections, json, otf2, sys
found = collections.Counter()
with otf2.reader.open(sys.argv[1]) as trace:
    for _, event in trace.events:
        if type(event).__name__ == "IoOperationComplete":
            found[event.handle.file.name if event.handle.file else event.handle.name] += event.bytes_result
print(json.dumps(found))
"""


def test_files():
    """What is recorded of files, and what not: /proc, sockets, pipes, what is mapped, and a shell's."""
    with Script(FILES) as script:
        run = script.run()
        run.expect_status(0)
        done = subprocess.run([PYTHON, "-c", READ_FILES, os.path.join(run.archive, "traces.otf2")], check=True,
                              capture_output=True, text=True)
        found = json.loads(done.stdout)
        if {os.path.basename(name): n for name, n in found.items() if name.startswith(script.folder)} \
                != {"script.py": found.get(os.path.join(script.folder, "script.py"), 0), "plain": 100} \
                or any(name.startswith(("/proc", "socket", "pipe")) for name in found):
            run.fail(f"bytes of files: {found}")


def test_size():
    """Bytes of a call in the archive."""
    n = 200000
    with Script(f"def f(): pass\nfor i in range({n}): f()\n") as script:
        run, calls = script.count()
        size = sum(os.path.getsize(path) for path in glob.glob(os.path.join(run.archive, "traces", "*.evt")))
        if calls["f"] != n or not 23 < size / n < 25:
            run.fail(f"{size / n} bytes a call")


def test_chrome_totals():
    """Slices are fewer than calls, and the file says so itself."""
    with Script("def f(): pass\nfor i in range(20000): f()\n", "--export", "chrome") as script:
        run, calls = script.count()
        with open(os.path.join(run.archive, "export", "profile.chrome.json"), encoding="utf-8") as file:
            exported = json.load(file)
        other, slices = exported["otherData"], sum(event["ph"] == "B" for event in exported["traceEvents"])
        if calls["f"] != 20000 or int(other["recorded calls"]) < 20000 or int(other["slices"]) != slices \
                or not 0 < slices < 20000 or "short calls may have none" not in other["note"]:
            run.fail(f"{other}, {slices} slices")


def test_debug_allocators(python):
    """They end a program whose block is freed by another allocator than it came from."""
    with Script("def f(): pass\nf()\n", "--memory", python=python) as script:
        script.line[-1:-1] = ["-X", "dev"]
        script.expect({"f": 1})


INTERPRETERS = list_interpreters()
print(f"# interpreters: {INTERPRETERS}")
test_environment()
test_children()
test_both()
for path in INTERPRETERS:
    test_threads(path)
    test_debug_allocators(path)
    test_chosen_lines(path)
    test_jumps(path)
test_no_gil()
test_imports()
test_patterns()
test_regions()
test_greenlets()
test_begun()
test_grandchildren()
test_no_space()
if not subprocess.run(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
    test_no_room()
test_lines()
test_files()
test_size()
test_chrome_totals()
