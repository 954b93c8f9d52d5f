# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether Python's calls are recorded, in the whole process. Regions, MPI and the rest are recorded all the same."""
import sys

_recorder = sys.modules.get("_pddt_trace")


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
    """Switches inside a with statement; with a name, what is inside is a region too."""
    _wanted = True

    def __init__(self, region_name=None):
        self.region_name = region_name
        self._changed = []

    def _begin(self):
        if self.region_name is not None and _recorder is not None:
            frame = sys._getframe(2)
            _recorder.region_begin(self.region_name, frame.f_code.co_filename, frame.f_lineno)

    def _end(self):
        if self.region_name is not None and _recorder is not None:
            _recorder.region_end(self.region_name)

    def __enter__(self):
        is_change = is_registered() != self._wanted
        self._changed.append(is_change)
        if is_change:
            self._begin()
            (register if self._wanted else unregister)()
        return self

    def __exit__(self, kind, value, trace):
        if self._changed.pop():
            (unregister if self._wanted else register)()
            self._end()
        return False


class enable(_Switch):
    _wanted = True


class disable(_Switch):
    _wanted = False
