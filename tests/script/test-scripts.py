# SPDX-License-Identifier: GPL-3.0-or-later
"""Python inside pddt: the manual's examples, scripts that go wrong, and pddt without Python. Arguments: the program, and one that is
traced; that is missing where there is no Open MPI."""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import faults
import pddt

RELAX = os.path.abspath(sys.argv[1])
LATE = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
SOURCE = os.path.join(pddt.SOURCE, "tests", "script", "relax.c")
LAUNCH = ["mpirun", "--oversubscribe", "-np", "4", RELAX]
FOLDER = tempfile.TemporaryDirectory(prefix="pddt-scripts-")


def write(name, text):
    path = os.path.join(FOLDER.name, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def check_manual():
    """Each block of Python prints what stands below it; what pddt itself shows of stops may stand between."""
    with open(os.path.join(pddt.SOURCE, "doc", "scripts.md"), encoding="utf-8") as file:
        page = file.read()
    blocks = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", page, re.S)
    if len(blocks) < 3:
        raise SystemExit("the manual's examples are missing")
    for name in "relax.c", "late.c":  # the manual has them without the marks, and with its own words above
        with open(os.path.join(os.path.dirname(SOURCE), name), encoding="utf-8") as file:
            lines = re.sub(r" //@ \w+$", "", file.read(), flags=re.M)
        shown = re.search(rf"<!-- file {name} -->\n```\n([^`]*)```", page)[1]
        if shown[shown.index("#include"):] != lines[lines.index("#include"):]:
            raise SystemExit(f"the manual has another {name}")
    for number, (text, expected) in enumerate(blocks):
        if "late.trace" in text and LATE is None:
            continue
        run = pddt.run(["-x", write(f"example{number}.py", text), *LAUNCH], cwd=FOLDER.name)
        at = 0
        for line in expected.splitlines():
            found = run.out.find(line + "\n", at)
            if found < 0:
                run.fail(f"the manual's example {number} has no {line!r} here")
            at = found + len(line)
        run.expect_status(0)


PROFILE = """
import json, os, pddt
trace = pddt.open_profile("late.trace")
assert str(trace.ranks) == "0-1" and trace.is_traced and trace.calls > 10 and trace.problem is None and "rank 0 has waited" in trace.summary
with open("late.json") as file:  # what pddt itself prints of the archive
    event = json.load(file)
same = lambda a, b: abs(a - b) < 1e-6
assert all(same(trace.kinds.get(kind, 0), spent) for kind, spent in event["classes"].items()), (trace.kinds, event)
nodes = list(trace.tree.walk())[1:]
assert [(len(node.stack) - 1, node.function) for node in nodes] == [(frame["depth"], frame["function"]) for frame in event["frames"]]
assert all(same(node.total, frame["total"]) and same(node.self_s, frame["self"]) and
           all(same(node.ranks.get(rank, 0), spent) for rank, spent in enumerate(frame["ranks"]))
           for node, frame in zip(nodes, event["frames"]))
calls = {function.function: function for function in trace.functions}
assert same(sum(function.self_s for function in calls.values()), sum(sum(function.ranks.values()) for function in calls.values()))
assert calls["MPI_Recv"].calls == 3 and list(calls["MPI_Recv"].ranks) == [0] and calls["MPI_Send"].ranks.keys() == {1}
assert {file.rank for file in trace.files} == {0, 1} and not trace.allocations and not trace.counted_lines and isinstance(trace.locks, list)
assert [(send.source, send.dest, send.n, send.bytes) for send in trace.traffic] == [(1, 0, 3, 12)]
messages = trace.messages()
assert messages == sorted(messages, key=lambda message: message.sent) and trace.messages(ranks=[1]) == messages
assert len(trace.messages(end=messages[0].sent - 1e-3)) == 0, messages
barrier = next(each for each in trace.collectives() if each.name == "MPI_Barrier")
assert [member.rank for member in barrier.members] == [0, 1], barrier
wait = trace.waits[0]
assert os.path.basename(wait.file) == "late.c" and wait.place == f"main at late.c:{wait.line}" and wait.cause_line == wait.line - 2, wait
part = trace.part(wait.begin, wait.end, 0)
assert str(part.ranks) == "0" and same(part.kinds["MPI"], wait.end - wait.begin) and part.part(kind="MPI").kinds.keys() == {"MPI"}
shares = trace.activity(2, wait.begin, wait.end, 0)
assert len(shares) == 2 and all(share["MPI"] > 0.3 for share in shares), shares
trace.report("late.txt")
trace.export("collapsed", "late.collapsed")
assert "MPI_Recv" in open("late.txt").read() and "late;MPI_Recv " in open("late.collapsed").read()
for wrong, what, error in ((lambda: pddt.open_profile("no"), pddt.NotFound, "cannot open no: there is no archive"),
                           (lambda: trace.export("no", "x"), pddt.Invalid, "no export format"), (lambda: trace.part(kind="no"), pddt.Invalid, ""),
                           (lambda: pddt.job.profile, pddt.NotFound, "there is no profile yet"),
                           (lambda: pddt.job.all.profile(0.1), pddt.Partial, "only running ranks can be profiled")):
    try:
        wrong()
    except what as problem:
        assert error in str(problem), problem
    else:
        raise AssertionError(error)
ranks = pddt.job.all
ranks.go(wait=False)
taken = ranks.profile(0.3)
assert str(taken.ranks) == "0" and not taken.missing and taken.functions[0].function == "spin" and taken.rate == 100, taken.functions
assert taken.total == pddt.job.profile.total and not taken.is_traced
ranks.run("profile start")
try:
    pddt.job.profile
except pddt.NotFound:
    pddt.job.run("profile stop")
else:
    raise AssertionError("a profile that is being taken")
found = {sample.stack[0].function for sample in taken.samples()}
assert {"spin"} <= found <= {"spin", "main"} and 0 < taken.end < 100, (found, taken.end)
del trace, part
ranks.kill()
print("all of the profile")
"""


def check_profile():
    """An archive is what pddt prints of it, also in parts; ranks that run are sampled; what is not there says so."""
    if LATE is None:
        return
    process, _ = pddt.start(["--trace", "--output", "late.trace", "mpirun", "--oversubscribe", "-np", "2", LATE], cwd=FOLDER.name)
    out, err = process.communicate(timeout=120)
    if process.returncode != 0:
        raise SystemExit(f"the trace: {out}{err}")
    process, _ = pddt.start(["--json", os.path.join(FOLDER.name, "late.trace")])
    write("late.json", process.communicate(timeout=120)[0])
    spin = os.path.join(FOLDER.name, "spin")
    subprocess.run(["gcc", "-g", "-O0", write("spin.c", "static int spin (void)\n{\n    for (volatile int i = 0;; i++) {\n    }\n    return 0;\n}"
                                              "\n\nint main (void)\n{\n    return spin ();\n}\n"), "-o", spin], check=True)
    run = pddt.run(["-x", write("profile.py", PROFILE), spin], cwd=FOLDER.name)
    run.expect_line("all of the profile")


def check_language():
    """Statements, blocks, files for a set, commands of the user's."""
    script = write("focus.py", "print('focus', pddt.job.focus, __file__)\n")
    lines = write("lines", "python\nfor i in range(2):\n\n    print('i', i)\nend\ndefine twice\n  print $arg0 * 2\n"
                  "  python\nprint('in', $argc)\n  end\nend\ndocument twice\nPrint twice the number.\nMore.\nend\n"
                  "help twice\non 0 twice 21\ntwice\n")
    run = pddt.run(["-e", "python import sys; x = 1", "-e", "python x += 1; print(x, end='')",
                    "-e", f"source {script}", "-x", lines, "-e", f"on 0 source {script}",
                    "-e", "define show", "-e", "python sys.exit(3)", "-e", "python", "-e", "x", RELAX])
    for line in ("2", f"focus 0 {script}", "i 0", "i 1", "    Print twice the number.", "0: 21 * 2 = 42", "in 1",
                 "error: twice needs $arg0: give it 1 words", "error: show is a command of pddt's own",
                 "error: the script ended with 3", "error: python: the end is missing"):
        run.expect_line(line)
    run.expect_status(1)
    run = pddt.run(pddt.commands("python pddt.job.execute('quit'); print('the last')", "print 77") + [RELAX])
    run.expect_line("the last")
    run.expect_not("77")


FUNCTIONS = """
import gdb
class Member(gdb.Function):
    def __init__(self):
        super().__init__("member")
    def invoke(self, record, name):
        print("member", name)
        return record[name.string()]
Member()
class Greet(gdb.Function):
    def __init__(self):
        super().__init__("greet")
    def invoke(self, *words):
        if not words:
            raise gdb.GdbError("whom?")
        return "hello " + ", ".join(word.string() if word.type.code == gdb.TYPE_CODE_ARRAY else str(word) for word in words)
Greet()
@pddt.function
def twice(x):
    print("twice", x, x.ranks)
    return 2 * int(x)
@pddt.function("residual")
def of_field(field):
    print("residual")
    return field["residual"]
@pddt.function
def outer(x):
    return x.ranks.value("$twice(%s)" % x.expression).max()
@pddt.function
def fails(*_):
    return 1 / 0
@pddt.function
def nothing():
    pass
"""


def check_functions():
    """$NAME(…) runs once for each list of arguments, or for each rank where it reads more; what cannot call it says so."""
    path = write("functions.py", FUNCTIONS)
    asked = ["$twice(rank / 2)", "$member(*field, \"residual\")", "$residual(field)", "$greet(\"a,)b\", 7)", "$greet()", "$outer(rank / 2)",
             "$fails(rank, 1)", "$nothing()", "$twice(no_such)", "1 + $twice(2)", "$unknown(1)", "/x $twice(2)"]
    lines = ["on 1-2 frame 1", "on 1-2 print $twice(iteration + 10)", "call $twice(8)", "set option printers off", "print $twice(9)",
             "python print(pddt.job[0].value('$twice(40)')[0].number)", "print $twice(rank", "break relax if $twice(rank) > 3",
             "display $twice(3)"]
    begin = ["break relax if iteration == 1", "continue", "wait 60", f"source {path}"]
    run = pddt.run([word for line in begin + ["print " + text for text in asked] + lines for word in ("-e", line)] + LAUNCH)
    here = "print calls functions that scripts have defined, and only as the whole expression (0-3)"
    for line in ("twice 0 0-1", "twice 1 2-3", "0-3: $twice(rank / 2) = [0..2] min 0 at 0 max 2 at 2 mean 1",
                 "0-3: $residual(field) = [0.5..1000] min 0.5 at 0 max 1000 at 2 mean 250.375",
                 '0-3: $member(*field, "residual") = [0.5..1000] min 0.5 at 0 max 1000 at 2 mean 250.375',
                 '0-3: $greet("a,)b", 7) = "hello a,)b, 7"', "error: whom? (0-3)",
                 "0-3: $outer(rank / 2) = [0..2] min 0 at 0 max 2 at 2 mean 1",
                 f"error: {path}:{1 + FUNCTIONS[:FUNCTIONS.index('1 / 0')].count(chr(10))}: ZeroDivisionError: division by zero (0-3)",
                 "error: TypeError: it returned None, which is no value (0-3)", 'error: no symbol "no_such" in frame relax (0-3)',
                 "error: cannot call $unknown here: " + here, "twice 11 1-2", "1-2: $twice(iteration + 10) = 22", "0-3: $twice(8) = 16",
                 "0-3: $twice(2) = 0x4", "0-3: $twice(9) = 18", "80", "0-3: 1: $twice(3) = 6"):
        run.expect_line(line)
    if run.out.count("error: cannot call $twice here: " + here) != 2:
        run.fail("not each place that cannot call a function says so")
    printed = run.out.splitlines()
    if printed.count("residual") != 4 or printed.count("twice 0 0-1") != 2:
        run.fail("a function runs too often, or for ranks in which it would read something else")
    run = pddt.run(["--json", "-e", f"source {path}", "-e", "print $twice(21)", "-e", "print $greet(1)", "-e", "print $twice(no_such)", RELAX])
    for part in ('"name":"$twice(21)","groups":[{"ranks":"0","text":"42","type":"long","number":42}]', '"text":"\\"hello 1\\""',
                 '"code":"not-found","text":"no symbol'):
        run.expect(part)


WRONG = {  # a script and what pddt says
    "1/0": "error: {path}:1: ZeroDivisionError: division by zero",
    "def f():\n    raise pddt.NotFound('nothing', '0')\nf()": "error: {path}:2: NotFound: nothing (0)",
    "x = (": "error: {path}:1: SyntaxError: '(' was never closed",
    "import no_such_module": "error: {path}:1: ModuleNotFoundError: No module named 'no_such_module'",
    "import os\nos._exit(7)": "error: {path}:2: RuntimeError: os._exit would end pddt, and with it the job: sys.exit "
                              "ends the script, and quit pddt",
    "import os\nos.fork()": "error: {path}:2: RuntimeError: os.fork would copy or replace pddt: use subprocess",
    "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)":
        "error: {path}:2: RuntimeError: a script does not signal pddt itself",
    "import os\nos.closerange(3, 500)\nos.close(4)":
        "error: {path}:3: OSError: [Errno 9] descriptor 4 is not the script's own",
    "import os\nos.fdopen(4).close()": "error: {path}:2: OSError: [Errno 9] descriptor 4 is not the script's own",
    "import sys\nsys.setrecursionlimit(10 ** 9)": "error: {path}:2: ValueError: more than 10000 calls inside each other could overflow the "
                                                 "stack, and end pddt",
    "import json\njson.loads('x')": "error: {path}:2: JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
    "import signal\nsignal.raise_signal(15)": "error: {path}:2: RuntimeError: signal.raise_signal would end pddt, and with it the job: "
                                              "pddt needs its signals",
    "import signal\nsignal.alarm(1)": "error: {path}:2: RuntimeError: signal.alarm would end pddt, and with it the job: pddt needs its "
                                      "signals",
    "def f():\n    f()\nf()": "error: {path}:2: RecursionError: maximum recursion depth exceeded",
    "input()": "error: {path}:1: EOFError: EOF when reading a line",
    "import threading\nfound = []\ndef f():\n    try:\n        pddt.job.all\n    except RuntimeError as e:\n"
    "        found.append(e)\nt = threading.Thread(target=f); t.start(); t.join()\nraise found[0]":
        "error: {path}:5: RuntimeError: pddt can be asked in the thread that runs scripts only, not in one that a "
        "script started",
    "pddt.job.all.value('1 + x_y').all()": "error: {path}:1: Partial: 0: no symbol \"x_y\" in frame main",
    "pddt.job.execute('nonsense')\npddt.job.run('nonsense')":
        'error: {path}:2: Error: no command "nonsense"; help lists them',
    "print('\\x1b[31m', '\\ud800', chr(0) + 'z')\nprint()\nprint('y' * 200000)\nraise SystemExit": None,
}


def check_wrong():
    """Scripts that fail one after the other, in one session: the job answers after each."""
    words, expected = [], []
    for number, (text, sentence) in enumerate(WRONG.items()):
        path = write(f"wrong{number}.py", text)
        words += ["-x", path, "-e", f"print {number} + 100"]
        expected += [sentence.format(path=path)] if sentence else []
        expected += [f"0: {number} + 100 = {number + 100}"]
    run = pddt.run([*words, RELAX])
    at = 0
    for line in expected:
        found = run.out.find(line + "\n", at)
        if found < 0:
            run.fail(f"no {line!r} here")
        at = found
    run.expect_not("\x1b")
    run.expect("\\x1b[31m \\ud800 \\0z\n\n" + 200000 * "y" + "\n")


def check_interrupt():
    """Ctrl-C ends a loop and a sleep, and the language answers afterwards; one that swallows it is left."""
    path = write("loops.py", "while True:\n    pass\n")
    for command in f"source {path}", "python import time; time.sleep(1000)", "python pddt.job.all.go(); pddt.job.all.wait(900)":
        talk = pddt.Dialogue(["/bin/sleep", "1000"], terminal=True)
        talk.await_event("the stop", lambda event: event["event"] == "stopped")
        talk.given.write(command + "\n")
        talk.given.flush()
        threads = f"/proc/{talk.process.pid}/task"
        pddt.wait_for("the thread of Python", lambda: any(
            open(f"{threads}/{task}/comm", encoding="utf-8").read() == "python\n" for task in os.listdir(threads)))
        # from the terminal it would come as a signal to the foreground, which this pipe is not
        pddt.wait_for("the end of the script", lambda: interrupt(talk), 120)
        events, _ = talk.ask("print 6 * 7") if "wait" not in command else talk.ask("pause")
        if not events[-1]["ok"]:
            raise SystemExit(f"pddt does not go on after {command}: {events}")
        talk.end()


def interrupt(talk):
    os.kill(talk.process.pid, 2)
    texts = []

    def is_done(event):
        texts.append(event.get("text", ""))
        return event["event"] == "done"
    talk.await_event("the interrupt", is_done, 120)
    return any("interrupted" in text for text in texts)


def check_opened():
    """Python's library is opened with the first script, not before."""
    talk = pddt.Dialogue([RELAX])
    talk.await_event("the stop", lambda event: event["event"] == "stopped")
    files = []
    for line in "show state", "print 1", "break relax", "print 6 * 7", "help python", "python x = 1":
        events, _ = talk.ask(line)
        if not events[-1]["ok"]:
            raise SystemExit(f"{line}: {events}")
        with open(f"/proc/{talk.process.pid}/maps", encoding="utf-8") as maps:
            text = maps.read()
            files.append([name for name in ("libpython", "pddt-python.so") if name in text])
    talk.end()
    if files != [[]] * 5 + [["libpython", "pddt-python.so"]]:
        raise SystemExit(f"of Python is mapped: {files}")


def check_absent():
    """No link to libpython; without the library, pddt says what is missing and goes on."""
    links = subprocess.run(["ldd", pddt.PDDT], capture_output=True, text=True, check=True).stdout
    if "libpython" in links:
        raise SystemExit("pddt links libpython")
    check_opened()
    links = subprocess.run(["ldd", os.path.join(pddt.BUILD, "src", "script", "pddt-python.so")], capture_output=True, text=True,
                           check=True).stdout
    hidden = os.path.join(FOLDER.name, re.search(r"libpython\S+", links)[0])
    with open(hidden, "w", encoding="utf-8"):
        pass
    process, _ = pddt.start(["-e", "python 1", "-e", "print 3", RELAX],
                            prefix=["env", f"LD_LIBRARY_PATH={FOLDER.name}"])
    out, _ = process.communicate(timeout=60)
    if "error: scripts need Python's library, which cannot be loaded: " not in out or "0: 3 = 3" not in out:
        raise SystemExit(f"without Python's library: {out}")


def check_nothing_asked():
    """Files that no one named do not run: not of the working folder, the program's, or by PYTHONPATH."""
    for name in "sitecustomize.py", "usercustomize.py", "json.py", "relax-gdb.py", ".gdbinit", ".pddtinit.py":
        write(name, "import os\nopen(os.path.join(os.path.dirname(os.path.abspath('.')), 'ran'), 'w')\nprint('ran!')\n"
              if name != ".gdbinit" else "echo ran!\n")
    copy = os.path.join(FOLDER.name, "relax")
    with open(RELAX, "rb") as source, open(copy, "wb") as target:
        target.write(source.read())
    os.chmod(copy, 0o700)
    process, _ = pddt.start(["-e", "python import json; print(pddt.job.all.value('1').only)", copy],
                            prefix=["env", f"PYTHONPATH={FOLDER.name}", f"PYTHONSTARTUP={FOLDER.name}/json.py"],
                            cwd=FOLDER.name)
    out, err = process.communicate(timeout=60)
    if "ran!" in out + err or "\n1\n" not in out:
        raise SystemExit(f"a file ran that nobody had named: {out}{err}")


MORE = """
import pddt
job = pddt.job
ranks = job.all
assert str(job[0:8] - job[3]) == "0-2" and str(ranks ^ "1-2") == "0,3" and 2 in ranks and len(ranks | [3]) == 4
assert job.options["limit-items"] == "8"
job.options["limit-items"] = 3
assert job.options["limit-items"] == "3"
point = ranks.break_at("relax")
assert point.places[0].function == "relax", point.places
ranks.go()
field = ranks.value("*field")
assert str(field.ranks) == "0-3" and str(field[1].ranks) == "1" and field[1]["cells"].number == 8, field
assert field[2]["residual"].address == int(ranks.value("&field->residual")[2].text.split()[-1], 0)
assert ranks.locals()[3]["rank"].number == 3
stack = ranks.where()[0]
assert [frame.function for frame in stack[:2]] == ["relax", "main"], stack.text()
point.enabled = False
assert str(ranks.state().groups[0][1]).startswith("breakpoint 1, relax at relax.c:")
field[0]["cells"].set(4)
try:
    field[0]["cells"]
except pddt.Gone as error:
    assert str(error.ranks) == "0", error
else:
    raise AssertionError("a value of an earlier moment")
assert [int(ranks.value("field->cells")[rank]) for rank in ranks] == [4, 8, 8, 8]
try:
    ranks.value("field->cells").only
except pddt.Invalid:
    pass
point.delete()
job[0].go(wait=False)
next(event for event in job.events(120) if event["event"] == "exited" and event.get("ranks") == "0")
answer = ranks.value("rank")
assert str(answer.missing) == "0" and str(answer.ranks) == "1-3" and not answer.ok, answer
for wrong in (lambda: answer.all(), lambda: answer[0], lambda: job[9], lambda: ranks.value("1 +")[1]):
    try:
        wrong()
    except pddt.Error as error:
        continue
    raise AssertionError("no error")
(ranks - [0]).next()
(ranks - [0]).finish()
assert (ranks - [0]).wait(60)
print("all of it")
"""


TYPED = """
import ast, inspect
with open(%r) as file:
    tree = ast.parse(file.read())
named = {"job"}
for node in tree.body:
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        named.add(node.name)
        assert hasattr(pddt, node.name), node.name
    for item in getattr(node, "body", ()) if isinstance(node, ast.ClassDef) else ():
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("__"):
            real = getattr(getattr(pddt, node.name), item.name)
            assert isinstance(real, property) or list(inspect.signature(real).parameters) == [each.arg for each in item.args.args], item.name
own = [name for name in dir(pddt) if not name.startswith("_") and getattr(getattr(pddt, name), "__module__", None) == "pddt"]
assert set(own) <= named, set(own) - named
print("all of the types")
"""


def check_module():
    """What the module has beside the examples, and that it is what pddt.pyi says of it."""
    run = pddt.run(["-x", write("typed.py", TYPED % os.path.join(pddt.SOURCE, "src", "script", "pddt.pyi")), RELAX])
    run.expect_line("all of the types")
    run = pddt.run(["-x", write("more.py", MORE), *LAUNCH])
    run.expect_line("all of it")
    run.expect_status(0)


CALLBACK = """
import pddt

@pddt.job.all.break_at("relax")
def arrived(hit):
    iteration = hit.value("iteration").only.number
    print("hit", hit.ranks, iteration)
    return 1 / (2 - iteration) < 0
"""


def check_callbacks():
    """They judge hits after their script has ended, in a wait of the language's, and once more after a restart; who fails
    stops its ranks."""
    path = write("callback.py", CALLBACK)
    for _ in range(5):
        run = pddt.run(["-x", path, *pddt.commands("continue", "print iteration", "condition 1 iteration > 2", "continue",
                                                   "condition 1 iteration == 1", "restart", "continue", "wait 60"), *LAUNCH])
        if "different values" not in run.out:  # nothing keeps the ranks in step: some may come a turn later, beside others
            break
    place = f"relax at relax.c:{pddt.mark(SOURCE, 'begin')}"
    told = {}  # each sentence, in the order of its first rank, and how often each rank had it: they need not come together
    for line in run.out.splitlines():
        if line.startswith("error: "):
            told[line] = set()
        elif match := re.fullmatch(r"(hit |)([0-9,-]+)((?:: breakpoint|: iteration|: exited| ).*)", line):
            times = told.setdefault(match[1] + match[3], collections.Counter())
            times.update(faults.parse(match[2]))
    once, twice = {rank: 1 for rank in range(4)}, {rank: 2 for rank in range(4)}
    expected = {"hit  0": once, "hit  1": twice, "hit  2": once,
                f"error: the callback of breakpoint 1: {path}:8: ZeroDivisionError: division by zero": set(),
                f": breakpoint 1, {place}": twice, ": iteration = 2": once, "hit  3": once,
                f": breakpoint 1 set, {place}": once, ": exited 0": once}
    if told != expected or list(told) != list(expected):
        run.fail(f"told {told}")
    run.expect_status(1)


def check_json():
    """What scripts print are text events; the request of the line ends with `done`."""
    run = pddt.run(["--json", "-e", "python print('a'); print('b')", RELAX])
    texts = [event["text"] for event in map(json.loads, run.out.splitlines()) if event["event"] == "text"]
    if texts != ["a", "b"]:
        run.fail(f"texts {texts}")


for check in (check_profile, check_manual, check_language, check_functions, check_wrong, check_interrupt, check_absent, check_nothing_asked, check_module, check_callbacks,
              check_json):
    check()
    print("ok", check.__name__, flush=True)
