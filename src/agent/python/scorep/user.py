# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script tells Score-P about itself: regions, parameters, and which parts are recorded. The regions that it names
are called user:NAME."""
import sys

from scorep import instrumenter

_instrumenter = instrumenter.get_instrumenter()
parameter_int = _instrumenter.user_parameter_int
parameter_uint = _instrumenter.user_parameter_uint
parameter_string = _instrumenter.user_parameter_string
enable_recording = _instrumenter.user_enable_recording
disable_recording = _instrumenter.user_disable_recording
rewind_begin = _instrumenter.rewind_begin
rewind_end = _instrumenter.rewind_end
oa_region_begin = _instrumenter.oa_region_begin
oa_region_end = _instrumenter.oa_region_end
force_finalize = _instrumenter.force_finalize
reregister_exit_handler = _instrumenter.reregister_exit_handler
MODULE = "user"


def region_begin(name, file_name=None, line_number=None):
    """Begins a region; its place is the caller's line unless it is given."""
    _instrumenter.region_begin(MODULE, name, file_name, line_number)


def region_end(name):
    _instrumenter.region_end(MODULE, name)


class region:
    """A context manager or decorator. Without a name it is a decorator alone, and the region is the function,
    which the instrumenter records already when it is on."""

    def __init__(self, region_name=""):
        self.region_name = region_name
        self.func = None

    def __call__(self, func):
        code = func.__code__

        def inner(*arguments, **named):
            if self.region_name:
                begun = MODULE, self.region_name, code.co_filename, code.co_firstlineno
                ended = begun[:2]
            elif instrumenter.is_registered():
                return func(*arguments, **named)
            else:
                begun = func.__module__, func.__name__, code.co_filename, code.co_firstlineno, code
                ended = begun[0], begun[1], code
            _instrumenter.region_begin(*begun)
            try:
                return func(*arguments, **named)
            finally:
                _instrumenter.region_end(*ended)

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
        frame = sys._getframe(1)
        _instrumenter.region_begin(MODULE, self.region_name, frame.f_code.co_filename, frame.f_lineno)
        return self

    def __exit__(self, kind, value, trace):
        _instrumenter.region_end(MODULE, self.region_name)
        return False


def instrument_function(fun, instrumenter_fun=region):
    """The function, with a region around each of its calls; or what instrumenter_fun makes of it."""
    return (instrumenter_fun() if isinstance(instrumenter_fun, type) else instrumenter_fun)(fun)


def instrument_module(module, instrumenter_fun=region):
    """The same for all functions of Python code that the module has."""
    for name, value in list(vars(module).items()):
        if hasattr(value, "__code__"):
            setattr(module, name, instrument_function(value, instrumenter_fun))
