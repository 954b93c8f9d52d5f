# SPDX-License-Identifier: GPL-3.0-or-later
"""A thread that has entered a subinterpreter: its frames there stand inside those of the main one,
though neither interpreter sees the other's. One more subinterpreter is idle."""
import sys
import threading

try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters

CODE = """
import os
import sys

def name_of(code):
    return getattr(code, "co_qualname", code.co_name)

def describe(frame):
    lines = []
    while frame is not None:
        lines.append("%%s|%%s|%%d" %% (name_of(frame.f_code), frame.f_code.co_filename,
                                       frame.f_lineno))
        frame = frame.f_back
    return "".join(line + "\\n" for line in lines)

def inner():
    os.write(1, (%r + describe(sys._getframe()) + %r).encode()); os.read(0, 1)

inner()
"""


def describe(frame):
    lines = []
    while frame is not None:
        code = frame.f_code
        lines.append("%s|%s|%d" % (getattr(code, "co_qualname", code.co_name), code.co_filename,
                                   frame.f_lineno))
        frame = frame.f_back
    return "".join(line + "\n" for line in lines)


def make(frame):
    return CODE % ("thread %d\n" % threading.get_ident(), describe(frame) + "end\n")


def enter(identifier):
    interpreters.run_string(identifier, make(sys._getframe()))


busy = interpreters.create()
idle = interpreters.create()
enter(busy)
