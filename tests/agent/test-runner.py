# SPDX-License-Identifier: GPL-3.0-or-later
"""The runner without a debugger: what a program prints and returns equals a plain run, for every
form of command line and every interpreter found. Argument: the folder of the runner."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

from driver import Tap, list_interpreters

RUNNER = os.path.join(sys.argv[1], "pddt_runner.py")

REPORT = '''
import sys, os
print(__name__, sys.argv, sys.path[0], globals().get("__file__"), __spec__ and __spec__.name,
      type(__loader__).__name__ if not isinstance(__loader__, type) else __loader__.__name__,
      __package__, sorted(name for name in globals()))
print(sys.modules["__main__"].__dict__ is globals(), getattr(sys, "orig_argv", None))
import traceback
traceback.print_stack(file=sys.stdout)
sys.stdout.flush()
'''
PROGRAMS = {
    "report.py": REPORT,
    "fail.py": "def f(x):\n    return 1 // x\n\n\ndef g():\n    f(0)\n\n\ng()\n",
    "chain.py": "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('b') from e\n",
    "exit3.py": "import sys\nprint('a')\nsys.exit(3)\n",
    "exittext.py": "raise SystemExit('a reason')\n",
    "syntax.py": "print(1)\nx = = 2\n",
    "interrupt.py": "raise KeyboardInterrupt\n",
    "atexit_.py": "import atexit\natexit.register(print, 'bye')\nprint('hello')\n1/0\n",
    "hook.py": "import sys, traceback\ndef hook(t, v, tb):\n    print(t.__name__, v, "
               "len(traceback.extract_tb(tb)))\nsys.excepthook = hook\n1/0\n",
    "thread.py": "import threading\ndef f():\n    raise ValueError('in a thread')\n"
                 "t = threading.Thread(target=f, name='t'); t.start(); t.join()\nprint('on')\n",
    "last.py": "import sys, atexit, traceback\n"
               "atexit.register(lambda: print(len(traceback.extract_tb(sys.last_traceback))))\n1/0\n",
    "pickled.py": "import pickle\nclass A:\n    pass\nprint(type(pickle.loads(pickle.dumps(A()))))\n",
    "processes.py": "import multiprocessing as m\ndef f(x):\n    return x * x\n"
                    "if __name__ == '__main__':\n    m.set_start_method('spawn')\n"
                    "    with m.Pool(1) as p:\n        print(p.map(f, [1, 2, 3]))\n",
    "fork.py": "import os\np = os.fork()\nif p == 0:\n    os._exit(7)\nprint(os.waitpid(p, 0)[1])\n",
    "stdin.py": "import sys\nprint(sys.stdin.read())\n",
    "pkg/__init__.py": "",
    "pkg/__main__.py": REPORT,
    "pkg/mod.py": "from . import helper\nprint(__package__)\n" + REPORT + "helper.fail()\n",
    "pkg/helper.py": "def fail():\n    raise RuntimeError('in a module')\n",
    "folder/__main__.py": REPORT + "import other\nother.f()\n",
    "folder/other.py": "def f():\n    raise OSError(2, 'text')\n",
    **{"games/%s.py" % name: "raise SystemExit('loaded %s')\n" % name
       for name in ("ast", "functools", "linecache", "reprlib", "subprocess", "threading")},
    "games/hello.py": "import sys\nprint(sorted(name for name in sys.modules if name.startswith('pddt')))\n",
    "latin.py": "# -*- coding: latin-1 -*-\nprint(len('\u00e9'))\n",
}
FORMS = [
    ("file", ["report.py", "a", "b c", "-x"], None),
    ("file in this folder", ["./report.py"], None),
    ("file in a folder", ["folder/other.py"], None),
    ("absolute file", ["{folder}/report.py", "1"], None),
    ("link to a file", ["links/linked.py"], None),
    ("no such file", ["absent.py"], None),
    ("beside files with names of the library", ["games/hello.py"], None),
    ("uncaught", ["fail.py"], None),
    ("chained", ["chain.py"], None),
    ("exit status", ["exit3.py"], None),
    ("exit text", ["exittext.py"], None),
    ("syntax error", ["syntax.py"], None),
    ("interrupt", ["interrupt.py"], None),
    ("atexit", ["atexit_.py"], None),
    ("excepthook", ["hook.py"], None),
    ("thread", ["thread.py"], None),
    ("last traceback", ["last.py"], None),
    ("pickle", ["pickled.py"], None),
    ("multiprocessing", ["processes.py"], None),
    ("fork", ["fork.py"], None),
    ("standard input of a file", ["stdin.py"], "some\ntext"),
    ("encoding", ["latin.py"], None),
    ("module", ["-m", "pkg", "x"], None),
    ("module with a failure", ["-m", "pkg.mod", "x", "y"], None),
    ("no such module", ["-m", "absent"], None),
    ("package without main", ["-m", "folder.other"], None),
    ("library module", ["-m", "json.tool"], '{"a": [1, 2]}'),
    ("command", ["-c", REPORT, "x", "-y"], None),
    ("command that fails", ["-c", "import sys\ndef f():\n    1/0\nf()"], None),
    ("command with a syntax error", ["-c", "x ="], None),
    ("dash", ["-", "x"], REPORT),
    ("nothing", [], REPORT),
    ("standard input that fails", [], "def f():\n    1/0\nf()\n"),
    ("directory", ["folder", "z"], None),
    ("archive", ["archive.zip", "z"], None),
]
OPTIONS = [[], ["-I"], ["-u"], ["-O", "-W", "error"]]


def make(folder):
    for name, text in PROGRAMS.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="latin-1") as stream:
            stream.write(text)
    os.makedirs(os.path.join(folder, "links"))
    os.symlink("../report.py", os.path.join(folder, "links/linked.py"))
    with zipfile.ZipFile(os.path.join(folder, "archive.zip"), "w") as archive:
        for name in ("__main__.py", "other.py"):
            archive.write(os.path.join(folder, "folder", name), name)


def run(command, folder, text):
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="0")
    done = subprocess.run(command, cwd=folder, input=(text or "").encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment, timeout=60, check=False)
    clean = [re.sub(r"0x[0-9a-f]+", "0x", data.decode()) for data in (done.stdout, done.stderr)]
    return done.returncode, clean[0], clean[1]


def test_environments(tap, folder):
    """A virtual environment, and mpi4py's own way to run a program."""
    environment = os.path.join(folder, "environment")
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", environment], check=True)
    python = os.path.join(environment, "bin", "python3")
    words = ["-c", "import sys; print(sys.prefix, sys.executable, sys.path)"]
    tap.equal("virtual environment", run([python, RUNNER] + words, folder, ""),
              run([python] + words, folder, ""))
    if not run(["/usr/bin/python3", "-c", "import mpi4py"], folder, "")[0]:
        for words in (["-m", "mpi4py", "report.py", "a"], ["-m", "mpi4py", "-m", "pkg", "b"],
                      ["-m", "mpi4py", "-c", "print(1)"]):
            tap.equal(" ".join(words), run(["/usr/bin/python3", RUNNER] + words, folder, ""),
                      run(["/usr/bin/python3"] + words, folder, ""))


def main():
    tap = Tap()
    folder = os.path.realpath(tempfile.mkdtemp(prefix="pddt-runner-"))
    try:
        make(folder)
        for python in list_interpreters():
            for number, options in enumerate(OPTIONS if python == "/usr/bin/python3" else OPTIONS[:1]):
                # with options of the interpreter others of the forms each: all of them in ./check --long
                for name, words, text in FORMS if number == 0 or "PDDT_LONG" in os.environ else FORMS[number::len(OPTIONS)]:
                    words = [word.replace("{folder}", folder) for word in words]
                    plain = run([python] + options + words, folder, text)
                    ours = run([python] + options + [RUNNER] + words, folder, text)
                    tap.equal("%s %s %s" % (python, " ".join(options), name), ours, plain)
        test_environments(tap, folder)
    finally:
        shutil.rmtree(folder)
    tap.end()


main()
