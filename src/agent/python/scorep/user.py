# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script tells Score-P about itself: regions, parameters, and which parts are recorded."""
import sys

import pddt
from scorep import instrumenter

# Frames of this module are no part of the program: what is recorded names the caller.
_recorder = sys.modules.get("_pddt_trace")
parameter_int = pddt.parameter_int
parameter_uint = pddt.parameter_uint
parameter_string = pddt.parameter_string
enable_recording = pddt.enable
disable_recording = pddt.disable


def region_begin(name, file_name=None, line_number=None):
    """Begins a region; its place is the caller's line unless it is given."""
    if _recorder is not None:
        _recorder.region_begin(name, file_name, line_number)


def region_end(name):
    pddt.region_end(name)


class region:
    """A context manager or decorator. Without a name it is a decorator alone, and the region is the function,
    which the instrumenter records already when it is on."""

    def __init__(self, region_name=""):
        self.region_name = region_name
        self.func = None
        self._open = []

    def __call__(self, func):
        def inner(*arguments, **named):
            if not self.region_name and instrumenter.is_registered():
                return func(*arguments, **named)
            name = self.region_name or func.__qualname__
            region_begin(name, func.__code__.co_filename, func.__code__.co_firstlineno)
            try:
                return func(*arguments, **named)
            finally:
                region_end(name)

        for name in instrumenter.NAMES:
            if hasattr(func, name):
                setattr(inner, name, getattr(func, name))
        inner.__dict__.update(func.__dict__)
        inner.__wrapped__ = func
        self.func = func
        return inner

    def __enter__(self):
        if not self.region_name:
            raise RuntimeError("A region name needs to be specified.")
        if _recorder is not None:
            frame = sys._getframe(1)
            _recorder.region_begin(self.region_name, frame.f_code.co_filename, frame.f_lineno)
        return self

    def __exit__(self, kind, value, trace):
        pddt.region_end(self.region_name)
        return False


def instrument_function(fun, instrumenter_fun=region):
    """The function, with a region around each of its calls; or what instrumenter_fun makes of it."""
    return (instrumenter_fun() if isinstance(instrumenter_fun, type) else instrumenter_fun)(fun)


def instrument_module(module, instrumenter_fun=region):
    """The same for all functions of Python code that the module has."""
    for name, value in list(vars(module).items()):
        if hasattr(value, "__code__"):
            setattr(module, name, instrument_function(value, instrumenter_fun))


def rewind_begin(name, file_name=None, line_number=None):
    """A region whose record rewind_end may take back."""
    region_begin(name, file_name, line_number)


def rewind_end(name, value):
    """Ends the region. pddt keeps what was recorded, also where value asks for a rewind: a trace that lacks what has
    happened shows wrong times of everything around it."""
    region_end(name)


class rewind(region):
    def __exit__(self, kind, value, trace):
        rewind_end(self.region_name, False)
        return False


def oa_region_begin(name, file_name=None, line_number=None):
    region_begin(name, file_name, line_number)


def oa_region_end(name):
    region_end(name)


def force_finalize():
    """Ends the recording here; what follows is not in the trace."""
    pddt.disable()


def reregister_exit_handler():
    """Nothing to do: what is recorded is in the experiment's folder already."""
