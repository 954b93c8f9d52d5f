# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user's program is: the first stop of whatever the command line names, wherever it lies, and a file of
the program before one of the same name in a library. Argument: the folder of the agent."""
import contextlib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import driver
import pddt

FILES = {
    "waits.py": "import threading\ndef wait_here():\n    threading.Event().wait(60)\nprint(1, flush=True)\nwait_here()\n",
    "site-packages/app/__init__.py": "",
    "site-packages/app/__main__.py": "from app import run\nrun.main()\n",
    "site-packages/app/run.py": "def main():\n    return 1\nif __name__ == '__main__':\n    main()\n",
    "site-packages/single.py": "def main():\n    return 1\nmain()\n",
    "pddt/examples/shown.py": "def main():\n    return 1\nmain()\n",
    "bin/app": "import app.run\napp.run.main()\n",
    "plain.py": "def main():\n    return 1\nmain()\n",
    "test_plain.py": "import unittest\nclass Plain(unittest.TestCase):\n    def test(self):\n        self.assertTrue(1)\n",
    # a library's file is loaded before the program's own of the same name
    "program.py": "import email.utils\nimport parts.utils\nparts.utils.helper()\nemail.utils.formatdate(0)\n",
    "parts/utils.py": "def helper():\n    return 1\n",
    "pool.py": "import multiprocessing\ndef square(x):\n    return x * x\nif __name__ == '__main__':\n"
               "    with multiprocessing.get_context('fork').Pool(2) as pool:\n        print(pool.map(square, [1, 2]))\n",
    "parts/held.py": "class Box:\n    def __init__(self, inner):\n        self.inner = inner\n@Box\ndef boxed():\n"
                     "    return 1\ndef plain():\n    return 2\n",
    "prefork.py": "import gc\nimport parts.held\ngc.freeze()\nbreakpoint()\nparts.held.boxed.inner()\n"
                  "parts.held.plain()\n",
    # is edited while it runs
    "edits.py": "import os, sys\nsys.dont_write_bytecode = True\n"
                "path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'part.py')\n"
                "text = 'def f():\\n    return 1\\ndef g():\\n    return 2\\n'\n"
                "def write(text):\n    with open(path, 'w') as file:\n        file.write(text)\n"
                "write(text)\nimport part\nwrite('# new\\n# newer\\n' + text)\nbreakpoint()\npart.f()\npart.g()\n",
    "seen.py": "import sys\nfor name in sorted(sys.modules):\n    print('module', name)\n"
               "import builtins, gc, os, signal, threading, warnings\n"
               "for name in ('breakpointhook', 'displayhook', 'excepthook', 'unraisablehook', 'meta_path', 'path_hooks', 'path',\n"
               "             'argv', 'flags', 'dont_write_bytecode', 'stdout', 'stderr', 'stdin', 'warnoptions', '_xoptions'):\n"
               "    print(name, getattr(sys, name))\n"
               "print('trace', sys.gettrace(), sys.getprofile(), threading._trace_hook, threading._profile_hook)\n"
               "print('tools', [sys.monitoring.get_tool(n) for n in range(6)] if hasattr(sys, 'monitoring') else None)\n"
               "print('thread hook', threading.excepthook)\nprint('builtins', sorted(vars(builtins)))\n"
               "print('collector', gc.isenabled(), gc.get_threshold(), gc.callbacks)\n"
               "print('limits', sys.getrecursionlimit(), sys.getswitchinterval(), warnings.filters)\n"
               "print('threads', threading.active_count(), threading.stack_size())\n"
               "print('signals', [signal.getsignal(n) for n in sorted(signal.valid_signals())])\n"
               "print('main', sorted(globals()), sys.modules['__main__'].__dict__ is globals())\n"
               "print('descriptors', os.listdir('/proc/self/fd')[3:-1])\n",
    "lone/only.py": "import email.utils\nemail.utils.formatdate(0)\n",
    # spawn.py is also multiprocessing's
    "spawn.py": "import multiprocessing\ndef work():\n    return 1\nif __name__ == '__main__':\n"
                "    child = multiprocessing.get_context('spawn').Process(target=work)\n"
                "    child.start()\n    child.join()\n    print(child.exitcode)\n",
}
# words, where the first stop is, and where main is found then or later
NAMED = [
    ("site-packages/app/run.py", "run.py:1", "run.py:2"),
    ("-m app", "__main__.py:1", "run.py:2"),
    ("site-packages/single.py", "single.py:1", "single.py:2"),
    ("pddt/examples/shown.py", "shown.py:1", "shown.py:2"),
    ("bin/app", "app:1", "run.py:2"),
    ("-m cProfile plain.py", "plain.py:1", "plain.py:2"),
    ("-m cProfile -m app", "__main__.py:1", "run.py:2"),
]


@contextlib.contextmanager
def prepare(interpreter, words):
    """The line of a job in a folder of its own; the agent lies beside the example, as it is installed."""
    folder = tempfile.mkdtemp(prefix="pddt-named-")
    try:
        for name, text in FILES.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
        packages = os.path.join(folder, "site-packages")
        yield ["--", "/usr/bin/env", "-C", folder, "PYTHONPATH=" + packages, interpreter, "%python_debug%"] + words.split()
    finally:
        shutil.rmtree(folder)


def run(interpreter, words, *lines):
    with prepare(interpreter, words) as line:
        return pddt.run(pddt.commands(*lines) + line)


def test_first_stop(interpreter):
    for words, first, function in NAMED:
        outcome = run(interpreter, words, "break main", "continue", "wait 60", "next", "wait 60")
        outcome.expect_line(f"0: stopped, <module> at {first}")
        outcome.expect_line(f"0: breakpoint 1, main at {function}")


def test_unparsable(interpreter):
    outcome = run(interpreter, "-c x=(", "continue", "wait 60")
    outcome.expect("0: exception SyntaxError, <module> at <string>:1\n")
    outcome.expect_not("agent")
    outcome.expect_line("0: failed 1")


def test_modules_of_python(interpreter):
    """Of a module of Python itself the main function is found, too; what it runs is debugged."""
    outcome = run(interpreter, "-m json.tool", "break main", "show breakpoints")
    outcome.expect("0: stopped, <module> at tool.py:1\n")
    outcome.expect("0: breakpoint 1 set, main at tool.py:")
    outcome = run(interpreter, "-m unittest test_plain", "break test_plain.py:4", "continue", "wait 60")
    outcome.expect("0: stopped, <module> at __main__.py:1\n")
    # before 3.11 code objects do not know their qualified name
    outcome.expect("test at test_plain.py:4\n")
    if re.search(r"^0: breakpoint 1, (Plain\.)?test at test_plain\.py:4$", outcome.out, re.M) is None:
        outcome.fail("no stop in the test")


def test_namesakes(interpreter):
    outcome = run(interpreter, "program.py", "break utils.py:2", "continue", "wait 60", "show breakpoints",
                  "continue", "wait 60")
    outcome.expect_line("0: breakpoint 1, helper at utils.py:2")
    outcome.expect_line("0: breakpoint 1 set, helper at utils.py:2, hits 1")
    outcome.expect_line("0: exited 0")
    outcome = run(interpreter, "lone/only.py", "break utils.py:2", "continue", "wait 60", "show breakpoints")
    outcome.expect("0: breakpoint 1 set, ")   # nothing else has the name


def test_prefork(interpreter):
    """Code is found of which the program keeps the garbage collector away (gc.freeze)."""
    outcome = run(interpreter, "prefork.py", "continue", "wait 60", "break held.py:8", "break held.py:6",
                  *["continue", "wait 60"] * 3)
    outcome.expect_line("0: breakpoint 1 set, plain at held.py:8")
    outcome.expect_line("0: breakpoint 2, boxed at held.py:6")
    outcome.expect_line("0: breakpoint 1, plain at held.py:8")


def test_edited(interpreter):
    """Lines are those of the code that runs, although its file has others by now."""
    outcome = run(interpreter, "edits.py", "continue", "wait 60", "break part.py:4", "break part.py:6",
                  *["continue", "wait 60"] * 2)
    outcome.expect_line("0: breakpoint 1 set, g at part.py:4")
    outcome.expect("0: breakpoint 2 pending, no function that is loaded has code at or after line 6 of ")
    outcome.expect_line("0: breakpoint 1, g at part.py:4")


def test_namesake_in_child(interpreter):
    with prepare(interpreter, "spawn.py") as line:
        dialogue = pddt.Dialogue(line)
        for command in ("set option follow-fork both", "break spawn.py:3", "continue"):
            dialogue.ask(command)
        dialogue.await_event("stop of the child", lambda event: event.get("breakpoint") == 1
                             and event["event"] == "stopped", 60)
        for command in ("continue", "wait 60"):  # no child of what runs in the background is waited for
            dialogue.ask(command)
        dialogue.end()
    stops = [(event.get("function"), os.path.basename(event.get("file", "")), event.get("line"))
             for event in dialogue.seen if event["event"] == "stopped" and event.get("breakpoint")]
    if stops != [("work", "spawn.py", 3)]:
        raise SystemExit(f"it does not stop in the program's spawn.py alone: {stops}")
    if not any(event["event"] == "output" and event.get("text") == "0" for event in dialogue.seen):
        raise SystemExit(f"no end: {dialogue.seen[-8:]}")


def test_unknown_versions(interpreter):
    """A Python that pddt does not know runs as a native program, as it would without the word; one sentence says so,
    before it begins."""
    outcome = run(interpreter, "-c print(2+3)", "show state", "continue", "wait 60")
    said = [number for number, text in enumerate(outcome.out.splitlines())
            if text.startswith("note: this Python is not one of CPython 3.8 to 3.14")]
    ran = outcome.out.splitlines().index("0| 5")
    if len(said) != 1 or said[0] > ran or "stopped, main at " not in outcome.out or outcome.out.count("note:") != 1:
        outcome.fail("not one sentence and a stop before it begins")
    outcome.expect_line("0: exited 0")


def test_unknown_traced(interpreter):
    """In a trace of such a Python no function of Python is recorded: one sentence says so before the program runs."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = pddt.run(["--trace", "--output", os.path.join(folder, "trace"), interpreter, "-c",
                            "import sys; sys.stderr.write('here\\n')"])
    outcome.expect_status(0)
    said = "pddt: the calls of this Python process are not recorded: its interpreter is not CPython 3.8 or later\nhere\n"
    if not outcome.err.startswith(said):
        outcome.fail("it does not say first that Python's calls are not recorded")


def test_unknown_profiled(interpreter):
    """Nor is one in a profile of such a Python."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = pddt.run(["--profile", "--output", os.path.join(folder, "profile"), interpreter, "-c", "sum(range(3000000))"])
    outcome.expect_status(0)
    # which of the two depends on how far the interpreter is when it is looked at first
    said = re.compile(r"pddt: this Python is not one of CPython 3\.8 to 3\.14: pddt shows its C functions only"
                      r"|pddt: cannot show Python frames: this pddt does not support CPython 3\.\d")
    if len([line for line in outcome.err.splitlines() if said.fullmatch(line)]) != 1:
        outcome.fail("it does not say once that no function of Python is shown")


def test_unasked(interpreter):
    """What a running program has is not known before its agent has been asked."""
    with prepare(interpreter, "waits.py") as line:
        dialogue = pddt.Dialogue(line)
        dialogue.await_event("first stop", lambda event: event["event"] == "stopped", 60)
        dialogue.ask("continue")
        events, _ = dialogue.ask("break waits.py:3")
        dialogue.end()
    first = [event.get("text") for event in events if event["event"] == "breakpoint"]
    if first[:1] != ["pddt's agent has not answered yet"]:
        raise SystemExit(f"the first answer is {first}")


def test_seen(interpreter):
    """What a program can see of pddt from inside is what the manual lists."""
    with prepare(interpreter, "seen.py") as line:
        plain = subprocess.run([word for word in line[1:] if word != "%python_debug%"], check=True, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
        outcome = pddt.run(pddt.commands("break nowhere", "break parts/utils.py:2", "catch exception NoSuchError", "continue",
                                         "wait 60") + line)
    shown = "".join(text[3:] + "\n" for text in outcome.out.splitlines() if text.startswith("0| "))

    def clean(text):
        return {re.sub("0x[0-9a-f]+", "", line) for line in text.splitlines()}
    differs = clean(shown) ^ clean(plain)
    # before 3.12 only where the evaluation hook does not see all frames: then threading's own hook is needed
    own = re.compile(r"module (_ast|_collections|gc|itertools|threading|_functools|_operator|_weakrefset|collections|functools|"
                     r"keyword|operator|reprlib|types)$|(thread hook|tools|trace None None) ")
    if not shown.startswith("module ") or any(not own.match(text) for text in differs):
        outcome.fail(f"the program sees {sorted(differs)}")


def test_running_place(interpreter):
    """Where a rank runs is its own line, wherever the standard library lies; none of the agent's files is a place."""
    with prepare(interpreter, "waits.py") as line:
        dialogue = pddt.Dialogue(line)
        dialogue.await_event("first stop", lambda event: event["event"] == "stopped", 60)
        dialogue.ask("continue")
        deadline = time.monotonic() + 60
        places = []
        while "wait_here waits.py" not in places and time.monotonic() < deadline:
            dialogue.ask("show state")
            places = [f"{event.get('function')} {os.path.basename(event.get('file', ''))}" for event in dialogue.seen
                      if event["event"] == "state" and event.get("state") == "running"]
        dialogue.end()
    if "wait_here waits.py" not in places or any("threading.py" in place for place in places):
        raise SystemExit(f"not in the program's own line: {places}")
    for name in glob.glob(os.path.join(pddt.SOURCE, "src", "agent", "pddt_*.py")):
        word = re.fullmatch(r"pddt_([a-z]+)\.py", os.path.basename(name)).group(1)
        with open(os.path.join(pddt.SOURCE, "src", "python", "functions.c"), encoding="utf-8") as file:
            if f'"{word}"' not in file.read():
                raise SystemExit(f"python_is_agent_file does not know {name}")


def test_pool(interpreter):
    """A pool that ends its workers stops nobody."""
    outcome = run(interpreter, "pool.py", "set option follow-fork both", "continue", "wait 60", "wait 60")
    outcome.expect_not("signal SIGTERM")
    outcome.expect_line("0| [1, 4]")


def main():
    interpreters = driver.list_interpreters()
    tests = [(test, interpreter) for interpreter in dict.fromkeys(interpreters[:2] + interpreters[-1:])
             for test in (test_first_stop, test_modules_of_python, test_namesakes, test_prefork, test_edited, test_seen,
                          test_unasked, test_unparsable)]
    root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    tests += [(test, path) for test in (test_unknown_versions, test_unknown_traced, test_unknown_profiled)
              for version in ("2.7", "3.6", "3.7") for path in glob.glob(f"{root}/versions/{version}.*/bin/python{version}")]
    driver.run_journeys(tests + [(test, interpreters[-1]) for test in (test_namesake_in_child, test_pool, test_running_place)])


main()
