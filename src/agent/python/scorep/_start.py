# SPDX-License-Identifier: GPL-3.0-or-later
"""_start.py INSTRUMENTER-FILE SCRIPT [arguments]: what the interpreter begins with that python3 -m scorep has become where
an instrumenter file was given. Its own frames are not recorded, nor is what the file runs."""
# Built-in modules, and those that the interpreter itself has loaded: a file beside the script may have any other name.
import os
import sys


def run(path, names):
    with open(path, "rb") as file:
        text = file.read()
    names.update(__name__="__main__", __file__=path, __cached__=None, __package__=None)
    exec(compile(text, path, "exec", dont_inherit=True), names)


def start():
    recorder = sys.modules.get("_pddt_trace")
    path, script = sys.argv[1:3]
    sys.argv = sys.argv[2:]
    sys.path[0] = os.path.dirname(os.path.realpath(script))
    is_on = recorder is not None and recorder.are_calls_on()
    if is_on:
        recorder.set_calls(False)
    run(path, {"__builtins__": __builtins__})
    module = sys.modules["__main__"] = type(sys)("__main__")
    module.__builtins__ = __builtins__
    if is_on:
        recorder.set_calls(True)
    run(script, module.__dict__)


start()
