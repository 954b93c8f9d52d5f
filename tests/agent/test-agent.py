# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent under a small tracer, in every interpreter found: breakpoints, conditions, steps,
values, write-back, exceptions, threads, forks. Argument: the folder of the agent."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from driver import Ended, Rank, Tap, marks, run_tests

AGENT = os.path.join(sys.argv[1], "pddt_agent.abi3.so")
RUNNER = os.path.join(sys.argv[1], "pddt_runner.py")
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "program.py")
HELPER = os.path.join(HERE, "program_helper.py")
LINES = marks(PROGRAM)
HELPER_LINES = marks(HELPER)
tap = Tap()


def start(python, *words, **options):
    return Rank(AGENT, [python, "-B", RUNNER] + list(words or [PROGRAM]), **options)


def qualified(python_minor, name):
    return name if python_minor >= 11 else name.rpartition(".")[2]


def test_breakpoints(python, minor):
    rank = start(python, stop_at_entry=1)
    try:
        tap.equal(python + " line breakpoint", rank.set_breakpoint(
            1, "agent/program.py", LINES["work-loop"], condition="i == 7"),
            (0, ["work", PROGRAM, str(LINES["work-loop"])]))
        tap.equal("pending", rank.set_breakpoint(2, "program_helper.py", HELPER_LINES["double"]), (1, []))
        tap.equal("function", rank.set_breakpoint(3, function="Counter.add", every=2),
                  (0, ["Counter.add", PROGRAM, str(LINES["add"])]))
        status, words = rank.set_breakpoint(4, "program.py", 1, condition="i ==")
        tap.check("bad condition", status == 2 and words and 'the condition "i =="' in rank.reason, rank.reason)
        rank.ask("delete", number=4)
        tap.equal("folder boundary", rank.set_breakpoint(5, "gram.py", LINES["add"])[0], 1)
        tap.equal("a def line is its module's", rank.set_breakpoint(
            6, "program.py", LINES["work-first"] - 1)[1][::2], ["<module>", str(LINES["work-first"] - 1)])
        tap.equal("an empty line moves on in its function", rank.set_breakpoint(
            6, "program.py", LINES["work-return"] + 1)[1][2:], [str(LINES["work-return"] + 3)])
        rank.ask("delete", number=6)
        rank.ask("delete", number=5)
        tap.equal("entry", (rank.go(), rank.where()[0]), ("entry", "<module>"))
        tap.equal("imported later", rank.go(), "sync")
        tap.equal("its place", rank.ask("places", number=2),
                  (0, ["double", HELPER, str(HELPER_LINES["double"])]))
        tap.equal("every second", (rank.go(), rank.where()),
                  ("breakpoint", (qualified(minor, "Counter.add"), "program.py", LINES["add"])))
        tap.equal("counted", rank.ask("eval", "amount"), (0, ["int", "1", "1.0"]))
        tap.equal("outer frame", rank.ask("eval", "step", frame=1), (0, ["int", "1", "1.0"]))
        tap.equal("condition", (rank.go(), rank.get("number"), rank.ask("eval", "i")[1][1]),
                  ("breakpoint", 1, "7"))
        tap.equal("second breakpoint", (rank.go(), rank.get("number")), ("breakpoint", 2))
        tap.equal("end", rank.finish_run()[::2], (0, ""))
    finally:
        rank.kill()


def test_many_of_a_line(python, minor):
    """However many breakpoints a line has, each counts."""
    rank = start(python)
    try:
        for number in range(1, 41):
            rank.set_breakpoint(number, "program.py", LINES["work-loop"], condition="i == 7" if number == 1 else "str(i) == ''")
        tap.equal(python + " the first of 40 breakpoints", (rank.go(), rank.get("number")), ("breakpoint", 1))
    finally:
        rank.kill()


def test_values(python, minor):
    rank = start(python)
    try:
        rank.set_breakpoint(1, "program.py", LINES["work-loop"], condition="i == 7", temporary=1)
        rank.go()
        tap.equal(python + " write back", rank.ask("exec", "total = 1000"), (0, [""]))
        tap.equal("printed", rank.ask("exec", "print(total)\n"), (0, ["1000\n"]))
        tap.equal("shown", rank.ask("exec", "total + 1"), (0, ["1001\n"]))
        tap.equal("comprehension", rank.ask("eval", "[total + k for k in range(2)]"),
                  (0, ["list", "[1000, 1001]", "+", "[0]", "int", "1000", "1000.0",
                       "[1]", "int", "1001", "1001.0"]))
        tap.equal("error", rank.ask("eval", "nothing"),
                  (-1, ["NameError: name 'nothing' is not defined"]))
        tap.equal("no expression", rank.ask("eval", "x =")[0], -1)
        tap.equal("exit is no exit", rank.ask("eval", "__import__('sys').exit(1)")[0], -1)
        tap.equal("locals", rank.ask("locals"),
                  (0, ["n", "int", "10", "10.0", "total", "int", "1000", "1000.0",
                       "i", "int", "7", "7.0"]))
        tap.check("stack", rank.ask("stack")[1][:3] == ["work", PROGRAM, str(LINES["work-loop"])],
                  rank.ask("stack"))
        status, words = rank.ask("eval", "'x' * 100000")
        tap.check("long string is cut", status == 0 and len(words[1]) < 9000)
        _, out, _ = rank.finish_run()
        tap.check("the function goes on with it", "work 1024" in out, out)
    finally:
        rank.kill()


STORES = """import sys
count = 5
def outer(start):
    shared = start
    def bump():
        nonlocal shared
        shared += 1
        return shared
    bump()
    breakpoint()
    return shared, bump(), count
class Held:
    pass
held = Held()
def inside():
    try:
        {}["a"]
    except KeyError:
        breakpoint()
        try:
            raise
        except KeyError as error:
            return repr(error), hasattr(sys, "last_value")
def late():
    listed = [kind for kind in "ab"] + [(own, bare) for own, bare in ["ab"]][:0]
    breakpoint()
    count = own = 1
    bare, cell = own, [lambda: own]
    return count, listed
kind = own = bare = "the module's"
print(outer(10), count)
print(inside())
late()
for name in "ab":
    breakpoint()
    print(name, getattr(held, "x", None))
"""


def test_stores(python, minor):
    rank = start(python, "-c", STORES)
    try:
        rank.go()
        tap.equal(python + " a closure's change stays", (rank.ask("exec", "bump()"),
                                                         rank.ask("eval", "shared")[1][1]),
                  ((0, ["12\n"]), "12"))
        tap.equal("cell", (rank.ask("exec", "shared = 100"), rank.ask("eval", "bump()")[1][1]),
                  ((0, [""]), "101"))
        tap.equal("global", rank.ask("exec", "count = 7"), (0, [""]))
        tap.equal("new name", (rank.ask("exec", "fresh = [k for k in range(start) if k > 7]"),
                               rank.ask("eval", "fresh")[1][1]), ((0, [""]), "[8, 9]"))
        tap.check("a variable stays", rank.ask("exec", "del start")[0] < 0)
        tap.equal("in the frame outside", rank.ask("eval", "count", frame=1), (0, ["int", "7", "7.0"]))
        rank.go()
        tap.equal("failed evaluations", [rank.ask("eval", word)[0] for word in
                                         ("1/0", "nothing", "(lambda f: f(f))(lambda f: f(f))")],
                  [-1, -1, -1])
        tap.equal("the exception being handled", rank.ask("eval", "__import__('sys').exc_info()[0]"),
                  (0, ["type", "<class 'KeyError'>", ""]))
        rank.go()
        unset = -1, ["UnboundLocalError: the local variable 'count' has no value here"]
        tap.equal("a variable that has no value yet", [rank.ask(*words) for words in (
            ("eval", "count"), ("exec", "print(count)"))], [unset, unset])
        tap.equal("locals() is without it", (
            rank.ask("eval", "'count' in locals() and count")[1][1], rank.ask("eval", "count if locals().get('count')"
                                                                             " else sorted(locals())")[1][1],
            rank.ask("exec", "print(locals())")[1]), ("False", "['listed']", ["{'listed': ['a', 'b']}\n"]))
        tap.equal("a comprehension's is none of the function's", rank.ask("eval", "kind")[1][1], '"the module\'s"')
        tap.equal("one that the function has, too, is", [rank.ask("eval", name)[0] for name in ("own", "bare")], [-1, -1])
        rank.go()
        tap.equal("of a module", (rank.ask("exec", "held.x = name * 2"),
                                  rank.ask("exec", "name = 'c'")), ((0, [""]), (0, [""])))
        status, out, error = rank.finish_run()
        tap.equal("what the program sees", (status, out.splitlines(), error),
                  (0, ["(101, 102, 7) 7", "(\"KeyError('a')\", False)", "c aa", "b aa"], ""))
    finally:
        rank.kill()


INLINED = """
def hook(thing):
    breakpoint()
    return thing
x = one = "the module's"
made = [hook(x) for x in [1]]
again = [one for one in "a"]
print(made, x, one, late, sorted(name for name in globals() if name[:1] != "_"))
class Body:
    x = kind = "the class's"
    made = [hook(x) for x in (2,)]
    print(made, x, kind)
def use():
    made = [hook(one) for one in (3,)]
    made += [hook(two) for two in (4,)]
    return made, one, two
two = one
print(use())
"""


def test_inlined(python, minor):
    """From 3.12 on comprehensions are a part of the code that they stand in; before, they have frames of their own, of
    which it is the one outside that is asked."""
    rank, outer, inlined = start(python, "-c", INLINED), 1 if minor >= 12 else 2, minor >= 12

    def ask(verb, text):
        status, answer = rank.ask(verb, text, frame=outer)
        return answer[1] if verb == "eval" and status == 0 else answer[0]

    try:
        rank.go()
        tap.equal(python + " what a module assigns while its comprehension runs", [ask(*words) for words in (
            ("exec", "one = 'new'; late = 5; left = 6"), ("exec", "del left"), ("eval", "one"), ("eval", "late"),
            ("exec", "f = lambda: late + 1"), ("eval", "f()"), ("eval", "(third := late + 2)"), ("eval", "third"))],
            ["", "", "'new'", "5", "", "6", "7", "7"])
        refused = "TypeError: cannot %s x while a comprehension of the same %s runs: Python 3.%d has no way to it; " \
                  "let the comprehension finish first"
        if inlined:
            tap.equal("not what is the comprehension's", [ask(*words) for words in (
                ("eval", "x"), ("exec", "x = 99"), ("exec", "del x"), ("eval", "x"), ("exec", "print((lambda: x)())"))],
                ["1", refused % ("assign", "module", minor), refused % ("delete", "module", minor), "1", "1\n"])
        rank.go()
        tap.equal("nor what is a class's", [ask(*words)[:40] for words in (
            ("eval", "x"), ("exec", "kind = 'new'"), ("eval", "kind"), ("eval", "one"))],
            ["2", "TypeError: cannot assign kind while a co",
             "\"the class's\"" if minor == 12 else "LookupError: cannot read kind while a co", "'new'"]
            if inlined else ["\"the class's\"", "", "'new'", "'new'"])
        rank.go()
        tap.equal("a function's comprehension", ask("eval", "one"), "3" if inlined else "'new'")
        tap.equal("another one that does not run", (ask("exec", "two = 8"), ask("eval", "two")), ("", "8"))
        rank.go()
        status, out, error = rank.finish_run()
        tap.equal("what the program has", (status, out.splitlines(), error), (0, [
            "[1] the module's new 5 ['again', 'f', 'hook', 'late', 'made', 'one', 'third', 'x']",
            "[2] the class's %s" % ("the class's" if inlined else "new"), "([3, 4], 'new', 8)"], ""))
    finally:
        rank.kill()


PENDING = """import ctypes, sys, types
def is_looked_at():
    tools = getattr(sys, "monitoring", None)
    if tools:
        return any(tools.get_tool(number) for number in range(6))
    library = ctypes.pythonapi
    plain = ctypes.cast(library._PyEval_EvalFrameDefault, ctypes.c_void_p).value
    if sys.version_info < (3, 9):
        library._PyInterpreterState_Get.restype = ctypes.c_void_p
        state = ctypes.string_at(library._PyInterpreterState_Get(), 800)
        return plain not in memoryview(state).cast("Q").tolist()
    library.PyInterpreterState_Get.restype = library._PyInterpreterState_GetEvalFrameFunc.restype = ctypes.c_void_p
    state = ctypes.c_void_p(library.PyInterpreterState_Get())
    return library._PyInterpreterState_GetEvalFrameFunc(state) != plain
def count():
    return 3
print(is_looked_at())
exec("def later(x):\\n    return x + 1\\n")
print(is_looked_at(), later(1))
names = {name: "made" for name in ("co_name", "co_qualname") if hasattr(count.__code__, name)}
made = types.FunctionType(count.__code__.replace(**names), globals())
print(made())
print(eval(compile("(lambda: 5)()", "text", "eval")))
"""


def test_pending(python, minor):
    """Pending breakpoints cost nothing: nothing is traced until their code exists."""
    rank = start(python, "-c", PENDING)
    try:
        tap.equal(python + " pending", [rank.set_breakpoint(number, function=name)[0] for number, name
                                        in ((1, "absent"), (2, "later"), (3, "made"))], [1, 1, 1])
        tap.equal("executed later", (rank.go(), rank.ask("places", number=2)[1][0]), ("sync", "later"))
        tap.equal("is hit", (rank.go(), rank.get("number"), rank.where()[2]), ("breakpoint", 2, 2))
        rank.ask("exec", "exec('def absent(): return 1')")
        tap.equal("executed at a stop", (rank.go(), rank.ask("places", number=1)[0]), ("sync", 0))
        tap.equal("made by hand", (rank.go(), rank.go(), rank.get("number")), ("sync", "breakpoint", 3))
        status, out, _ = rank.finish_run()
        tap.equal("what the program sees", (status, out), (0, "False\nTrue 2\n3\n5\n"))
    finally:
        rank.kill()


UNHARMED = {
    "settrace": """import sys
lines = []
def trace(frame, event, argument):
    if frame.f_code.co_name == "traced":
        lines.append((event, frame.f_lineno - frame.f_code.co_firstlineno, frame.f_trace_lines))
    return trace
def traced(x):
    for y in range(2):
        x += y
    return x
print(sys.gettrace())
sys.settrace(trace)
traced(1)
sys.settrace(None)
traced(1)
print(lines, sys.gettrace())
""",
    "setprofile": """import sys, cProfile, pstats, io
calls = []
def work(x):
    return abs(x)
sys.setprofile(lambda frame, event, argument: calls.append((event, frame.f_code.co_name)))
work(1)
sys.setprofile(None)
profile = cProfile.Profile()
profile.runcall(work, 3)
print([call for call in calls if call[1] == "work"], sorted(key[2] for key in pstats.Stats(profile).stats))
""",
    "monitoring": """import sys
tools, lines = getattr(sys, "monitoring", None), []
def work():
    x = 1
    return x
if tools:
    tools.use_tool_id(tools.DEBUGGER_ID, "own")
    tools.register_callback(tools.DEBUGGER_ID, tools.events.LINE, lambda code, line: lines.append(line))
    tools.set_local_events(tools.DEBUGGER_ID, work.__code__, tools.events.LINE)
work()
print(lines)
""",
    "stacks": """import faulthandler, inspect, sys, traceback, warnings
def work():
    traceback.print_stack(file=sys.stdout)
    print(len(inspect.stack()), sys._getframe(1).f_back)
    warnings.warn("once", stacklevel=3)
    sys.stdout.flush()
    faulthandler.dump_traceback(sys.stdout)
work()
""",
    "fault": """import faulthandler, os, sys
faulthandler.enable()
def work():
    os.kill(os.getpid(), 11)
work()
""",
    "os-exit": """import atexit, os, sys
atexit.register(print, "never")
print("said", flush=True)
os._exit(9)
""",
    "signals": """import os, signal, threading, time
seen = []
def handle(number, frame):
    seen.append((number, frame.f_code.co_name))
for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGTERM):
    signal.signal(number, handle)
def work():
    for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM):
        os.kill(os.getpid(), number)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while len(seen) < 4:
        time.sleep(1)
work()
print(seen)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
os.kill(os.getpid(), signal.SIGTERM)
""",
    "subprocess": """import subprocess, sys
done = subprocess.run([sys.executable, "-c", "import sys; print(sys.gettrace()); sys.exit(5)"])
print(done.returncode, subprocess.check_output(["echo", "word"]))
""",
    "threads": """import sys, threading
results = []
def work(x):
    if x == 3:
        raise ValueError(x)
    results.append(x)
threads = [threading.Thread(target=work, args=(number,), name="t%d" % number) for number in range(5)]
for thread in threads:
    thread.start(); thread.join()
print(results, sys.getrecursionlimit())
""",
    "deep": """import sys
sys.setrecursionlimit(9000)
def down(n):
    return 0 if n == 0 else 1 + down(n - 1)
print(down(8000))
try:
    down(10 ** 6)
except RecursionError as error:
    print(type(error))
""",
}
# puts all programs that end normally into one, with the one that a signal ends last
UNHARMED = {
    "together": "".join(UNHARMED[name] for name in ("settrace", "setprofile", "monitoring", "stacks",
                                                    "subprocess", "threads", "deep", "signals")),
    "fault": UNHARMED["fault"],
    "ends": UNHARMED["os-exit"],
    "processes": """import multiprocessing, os, sys
def work(x):
    if x == 2:
        os._exit(3)
    return x * x
def main():
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        process = context.Process(target=work, args=(2,))
        process.start(); process.join()
        print(method, process.exitcode, flush=True)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.map(work, [1, 3]), flush=True)
if __name__ == "__main__":
    main()
""",
}


def clean(text):
    """Removes addresses and process numbers, and the stack of C functions that CPython 3.14 shows."""
    return re.sub(r"0x[0-9a-f]+|pid=\d+", "0", text.partition("C stack trace")[0])


def test_unharmed(python, minor):
    """Programs behave as without a debugger, with breakpoints that are not hit."""
    folder = tempfile.mkdtemp(prefix="pddt-agent-")
    try:
        for name, text in sorted(UNHARMED.items()):
            path = os.path.join(folder, name + ".py")
            with open(path, "w") as stream:
                stream.write("def never():\n    return 1\n" + text)
            plain = subprocess.run([python, "-B", path], stdin=subprocess.DEVNULL, check=False,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
            rank = start(python, path, stop_on_uncaught=0)
            try:
                rank.set_breakpoint(1, name + ".py", 2)
                rank.set_breakpoint(2, function="not_there")
                got = rank.finish_run()
            finally:
                rank.kill()
            tap.equal("%s %s" % (python, name), (got[0], clean(got[1]), clean(got[2])),
                      (plain.returncode, clean(plain.stdout.decode()), clean(plain.stderr.decode())))
    finally:
        shutil.rmtree(folder)


def test_steps(python, minor):
    rank = start(python)
    try:
        rank.set_breakpoint(1, "program.py", LINES["main-twice"], temporary=1)
        rank.go()
        tap.equal(python + " step in", (rank.go("step"), rank.where()[2]),
                  ("step", LINES["twice-first"]))
        tap.equal("step into another file", (rank.go("step"), rank.where()),
                  ("step", ("double", "program_helper.py", HELPER_LINES["double"])))
        tap.equal("out", (rank.go("finish"), rank.where()[2], rank.get("number"), rank.text()),
                  ("step", LINES["twice-first"], 1, ["int", "8", "8.0", "double"]))
        tap.equal("over", (rank.go("next"), rank.where()[2]), ("step", LINES["twice-return"]))
        tap.equal("over the return", (rank.go("next"), rank.where()[0]), ("step", "main"))
        tap.equal("many", (rank.go("next", 2), rank.where()[0]), ("step", "main"))
        try:
            for _ in range(20):
                rank.go("next")
            tap.check("stepping ends with the script", False)
        except Ended as end:
            tap.equal("stepping ends with the script", end.args[0], 0)
    finally:
        rank.kill()


def test_exceptions(python, minor):
    rank = start(python, PROGRAM, "fail")
    try:
        rank.set_breakpoint(1, command="catch", first="KeyError")
        tap.equal(python + " caught where raised", (rank.go(), rank.where()[2]),
                  ("breakpoint", LINES["raise"]))
        tap.equal("uncaught", (rank.go(), rank.where(), rank.text()[:2]),
                  ("exception", ("main", "program.py", LINES["fail"]), ["ValueError", "no luck"]))
        tap.equal("its frame", rank.ask("eval", "counter.value"), (0, ["int", "3", "3.0"]))
        tap.equal("its stack", rank.ask("stack")[1][::3], ["main", "<module>"])
        status, _, error = rank.finish_run()
        tap.check("status and traceback", status == 1 and error.count("File") == 2
                  and "pddt" not in error.replace(HERE, ""), error)
    finally:
        rank.kill()


def test_log(python, minor):
    rank = start(python)
    try:
        rank.set_breakpoint(1, "program.py", LINES["add"], log="{amount} {self.value:>3} {{}} {none}")
        tap.equal(python + " log", (rank.go(), rank.text()[0]),
                  ("log", "0   0 {} <NameError: name 'none' is not defined>"))
        rank.ask("disable", number=1)
        tap.equal("disabled", rank.finish_run()[0], 0)
    finally:
        rank.kill()


ASKING = """asked = []
def ask(value, wanted):
    asked.append(value)
    return value == wanted
def broken(value):
    asked.append(-value)
    raise ValueError(value)
def first(value):
    return value
def inside(value):
    total = 0
    while total < value:
        total += first(1)
    return total
def passes(value):
    value += 1
    for _ in range(3):
        value += first(value)
    return value
def generate(value):
    yield value
    yield first(value)
def goes_on():
    for number in range(3):
        passes(number)
        mark = number
breakpoint()
for number in range(4):
    first(number)
print(asked)
del asked[:]
breakpoint()
goes_on()
inside(2)
print(list(generate(5)), asked)
"""


def test_asked_once(python, minor):
    """The program's own code in a condition runs once each time that the line is reached, and where the breakpoint
    of a function has been passed, those of its callers are still hit."""
    rank = start(python, "-c", ASKING)
    try:
        rank.go()
        rank.set_breakpoint(1, function="first", condition="ask(value, 2)")
        tap.equal(python + " asked", (rank.go(), rank.ask("eval", "value, asked")[1][1]),
                  ("breakpoint", "(2, [0, 1, 2])"))
        rank.set_breakpoint(1, function="first", condition="broken(value)")
        tap.equal("error", (rank.go(), rank.text()[0]),
                  ("breakpoint", "ValueError: 3 in condition broken(value)"))
        rank.go()
        for number, (line, condition) in enumerate(((16, ""), (26, ""), (9, "ask(value, -1)"), (21, ""),
                                                    (13, "ask(total, -2)")), 1):
            rank.set_breakpoint(number, "<string>", line, condition=condition)
        seen = []
        while rank.go("step" if len(seen) == 7 else "continue") in ("breakpoint", "step"):
            seen.append(rank.where()[2])
        tap.check("no further stop", False, rank.event)
    except Ended:
        tap.equal("stops", seen, [16, 26] * 3 + [21, 22])
        tap.equal("end", (rank.status, rank.process.stdout.read().decode()),
                  (0, "[0, 1, 2, -3]\n[5, 5] [1, 2, 4, 2, 4, 8, 3, 6, 12, 0, 1, 1, 1, 5]\n"))
    finally:
        rank.kill()


SCRIPT = """import threading, os
def f(n):
    here = n
    return here
t = threading.Thread(target=f, args=(1,)); t.start(); t.join()
pid = os.fork()
if pid == 0:
    f(2)
    os._exit(5)
assert os.waitpid(pid, 0)[1] == 5 << 8
breakpoint()
print("done")
"""


def test_command(python, minor):
    rank = start(python, "-c", SCRIPT, stop_at_entry=1)
    try:
        tap.equal(python + " entry of a command", (rank.go(), rank.where()[2]), ("entry", 1))
        rank.set_breakpoint(1, function="f")
        tap.equal("thread", (rank.go(), rank.where()[2], rank.get("tid") != rank.pid),
                  ("breakpoint", 3, True))
        # the child has no engine and this tracer does not follow it, so its trap is removed
        rank.ask("delete", number=1)
        tap.equal("breakpoint()", (rank.go(), rank.where()[2]), ("break-call", 11))
        tap.equal("end", rank.finish_run()[:2], (0, "done\n"))
    finally:
        rank.kill()


run_tests(tap, globals())
