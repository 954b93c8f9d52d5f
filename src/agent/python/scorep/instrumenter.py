# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether Python's calls are recorded, in the whole process. Regions, MPI and the rest are recorded all the same."""
import sys

_recorder = sys.modules.get("_pddt_trace")
# What a decorated function keeps; functools is not built in, and a file beside the script may have its name.
NAMES = "__module__", "__name__", "__qualname__", "__doc__", "__annotations__"


def has_c_instrumenter():
    return True


def is_registered():
    return _recorder is not None and _recorder.are_calls_on()


def register():
    """Records Python's calls from here on."""
    if _recorder is not None:
        _recorder.set_calls(True)


def unregister():
    """Records none until register, at the interpreter's full speed."""
    if _recorder is not None:
        _recorder.set_calls(False)


class _Instrumenter:
    """What get_instrumenter gives, with the names that scripts use."""
    register = staticmethod(register)
    unregister = staticmethod(unregister)
    get_registered = staticmethod(is_registered)

    @staticmethod
    def run(cmd, globals=None, locals=None):
        if globals is None:
            globals = sys.modules["__main__"].__dict__
        was_on = is_registered()
        register()
        try:
            exec(cmd, globals, globals if locals is None else locals)
        finally:
            if not was_on:
                unregister()

    @staticmethod
    def region_begin(module_name, function_name, file_name=None, line_number=None, code_object=None):
        if _recorder is not None:
            _recorder.region_begin(function_name, file_name, line_number)

    @staticmethod
    def region_end(module_name, function_name, code_object=None):
        if _recorder is not None:
            _recorder.region_end(function_name)


global_instrumenter = _Instrumenter()


def get_instrumenter(enable_instrumenter=False, instrumenter_type="dummy"):
    return global_instrumenter


class _Switch:
    """Switches inside a with statement or the calls of a function; with a name, what is inside is a region too."""
    _wanted = True

    def __init__(self, region_name=None):
        self.region_name = region_name
        self._changed = []

    def _begin(self, file_name, line):
        is_change = is_registered() != self._wanted
        self._changed.append(is_change)
        if not is_change:
            return
        if self._wanted:
            register()  # the calls under way, which the region is inside, are entered by that
        if self.region_name is not None and _recorder is not None:
            _recorder.region_begin(self.region_name, file_name, line)
        if not self._wanted:
            unregister()

    def _end(self):
        if not self._changed.pop():
            return
        if not self._wanted:
            register()
        if self.region_name is not None and _recorder is not None:
            _recorder.region_end(self.region_name)
        if self._wanted:
            unregister()

    def __enter__(self):
        frame = sys._getframe(1)
        self._begin(frame.f_code.co_filename, frame.f_lineno)
        return self

    def __exit__(self, kind, value, trace):
        self._end()
        return False

    def __call__(self, func):
        code = getattr(func, "__code__", None)
        file_name, line = (code.co_filename, code.co_firstlineno) if code is not None else (None, None)

        def inner(*arguments, **named):
            self._begin(file_name, line)
            try:
                return func(*arguments, **named)
            finally:
                self._end()

        for name in NAMES:
            if hasattr(func, name):
                setattr(inner, name, getattr(func, name))
        inner.__dict__.update(getattr(func, "__dict__", {}))
        inner.__wrapped__ = func
        return inner


class enable(_Switch):
    _wanted = True


class disable(_Switch):
    _wanted = False
