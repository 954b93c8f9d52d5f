# SPDX-License-Identifier: GPL-3.0-or-later
"""pddt attaches while the interpreter is still being started, or while the program imports a module that the
agent needs itself: a breakpoint set then is hit once the program gets there, and the program ends as it does
alone."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import pddt

# Takes the place of a module of the standard library: waits for the gate, then does what that one does. It may be
# executed before there is anything but the modules of the interpreter's own.
MODULE = """
import posix, sys, time
_folder = %(folder)r
posix.close(posix.open(_folder + "/here", posix.O_CREAT | posix.O_WRONLY))
def _find(path):
    try:
        return posix.stat(path)
    except OSError:
        return None
while not _find(_folder + "/gate"):
    time.sleep(0.01)
for _path in sys.path:
    _file = _path + "/%(file)s"
    if _path != _folder and _find(_file):
        %(after)s
        _stream = posix.open(_file, posix.O_RDONLY)
        _source = posix.read(_stream, 1 << 20)
        posix.close(_stream)
        exec(compile(_source, _file, "exec"))
        break
"""
PLACES = {"started": ("encodings/__init__.py", "__path__ = [_path + '/encodings']"),
          "imports": ("threading.py", "pass")}
PROGRAM = """
import os
import threading
done = False
def work(n):
    return n + 1
n = 0
while not done:
    n = work(n)
print("ended", threading.active_count())
"""


def check(interpreter, how):
    name, after = PLACES[how]
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        script = os.path.join(folder, "early.py")
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(MODULE % {"folder": folder, "file": name, "after": after})
        with open(script, "w", encoding="ascii") as file:
            file.write(PROGRAM)
        environment = dict(os.environ, PYTHONPATH=folder, PYTHONDONTWRITEBYTECODE="1")
        program = subprocess.Popen([interpreter, script], env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        try:
            pddt.wait_for("the module", lambda: os.path.exists(os.path.join(folder, "here")), 60)
            talk = pddt.Dialogue(["--attach", str(program.pid)])
            for command in "continue", "break early.py:6":
                assert talk.ask(command)[0][-1]["ok"], talk.seen
            with open(os.path.join(folder, "gate"), "x", encoding="ascii"):
                pass
            assert talk.ask("wait 60")[0][-1]["ok"], talk.seen
            assert "work" in str(talk.ask("where")[0]), talk.seen
            for command in "delete", "py done = True", "continue":
                assert talk.ask(command)[0][-1]["ok"], talk.seen
            said, _ = program.communicate(timeout=60)
            assert (said, program.returncode) == ("ended 1\n", 0), (said, program.returncode, talk.seen)
            talk.end()
        finally:
            program.kill()
            program.wait()


tap = driver.Tap()
for interpreter in driver.list_interpreters():
    for how in PLACES:
        check(interpreter, how)
        tap.check(f"{interpreter} {how}", True)
tap.end()
