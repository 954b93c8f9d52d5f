# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether Python's calls are recorded, in the whole process. Regions, MPI and the rest are recorded all the same."""
import _thread
import sys

_recorder = sys.modules.get("_pddt_trace")
# What a decorated function keeps; functools is not built in, and a file beside the script may have its name.
NAMES = "__module__", "__name__", "__qualname__", "__doc__", "__annotations__"
# Of what scripts look for in standard error and in the experiment where a region ends that was never begun.
UNBEGUN_REGION, UNBEGUN_PARAMETER = "error_region", "leave-region"
UNBEGUN = ("SCOREP_BINDING_PYTHON ERROR: There was a region exit without an enter!\n"
           "SCOREP_BINDING_PYTHON ERROR: For details look for \"error_region\" in the trace or profile.\n")
_begun = set()  # names and code objects of regions
_rewinds = {}  # names and threads to when they began


def has_c_instrumenter():
    return True


def is_registered():
    return _recorder is not None and _recorder.are_calls_on()


def register():
    """Records Python's calls from here on."""
    if _recorder is not None:
        _recorder.set_calls(True)


def unregister():
    """Records none until register, at full speed as soon as each thread has called or returned."""
    if _recorder is not None:
        _recorder.set_calls(False)


def _end_unbegun(name):
    if UNBEGUN_REGION not in _begun:
        sys.stderr.write(UNBEGUN)
    _begun.add(UNBEGUN_REGION)
    _recorder.region_begin(UNBEGUN_REGION, "", 0)
    _recorder.parameter_string(UNBEGUN_PARAMETER, name)
    _recorder.region_end(UNBEGUN_REGION)


class _Instrumenter:
    """What get_instrumenter gives, with the names that scripts use. Where nothing is recorded all of it does nothing."""
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
        """The region MODULE:FUNCTION; with the function's code, the same as its recorded calls are."""
        if _recorder is None:
            return
        if code_object is not None:
            _begun.add(code_object)
            _recorder.code_begin(code_object, module_name)
        else:
            name = "%s:%s" % (module_name, function_name)
            _begun.add(name)
            _recorder.region_begin(name, file_name, line_number)

    @staticmethod
    def region_end(module_name, function_name, code_object=None):
        if _recorder is None:
            return
        name = "%s:%s" % (module_name, function_name)
        if (name if code_object is None else code_object) not in _begun:
            _end_unbegun(name)
        elif code_object is not None:
            _recorder.code_end(code_object)
        else:
            _recorder.region_end(name)

    @staticmethod
    def rewind_begin(name, file_name=None, line_number=None):
        """A part whose record rewind_end may take back."""
        if _recorder is not None:
            _rewinds[name, _thread.get_ident()] = _recorder.now()

    @staticmethod
    def rewind_end(name, value):
        """Ends it; what this thread has recorded since then is dropped if value is true."""
        since = _rewinds.pop((name, _thread.get_ident()), None)
        if since is not None and value:
            _recorder.rewind_to(since)

    @staticmethod
    def oa_region_begin(name, file_name=None, line_number=None):
        if _recorder is not None:
            _recorder.region_begin(name, file_name, line_number)

    @staticmethod
    def oa_region_end(name):
        if _recorder is not None:
            _recorder.region_end(name)

    @staticmethod
    def user_enable_recording():
        if _recorder is not None:
            _recorder.enable()

    @staticmethod
    def user_disable_recording():
        if _recorder is not None:
            _recorder.disable()

    @staticmethod
    def user_parameter_int(name, val):
        if _recorder is not None:
            _recorder.parameter_int(name, val)

    @staticmethod
    def user_parameter_uint(name, val):
        if _recorder is not None:
            _recorder.parameter_uint(name, val)

    @staticmethod
    def user_parameter_string(name, string):
        if _recorder is not None:
            _recorder.parameter_string(name, string)

    @staticmethod
    def force_finalize():
        """Ends the recording here; what follows is not in the trace."""
        if _recorder is not None:
            _recorder.disable()

    @staticmethod
    def reregister_exit_handler():
        """Nothing to do: what is recorded is in the experiment's folder already."""


global_instrumenter = _Instrumenter()


def get_instrumenter(enable_instrumenter=False, instrumenter_type="dummy"):
    return global_instrumenter


class _Switch:
    """Switches inside a with statement or the calls of a function; with a name, what is inside is a region too."""
    _wanted = True

    def __init__(self, region_name=""):
        self.region_name = region_name
        self._changed = []

    def _begin(self, file_name, line):
        is_change = is_registered() != self._wanted
        self._changed.append(is_change)
        if not is_change:
            return
        if self._wanted:
            register()  # the calls under way, which the region is inside, are entered by that
        if self.region_name:
            global_instrumenter.region_begin("user_instrumenter", self.region_name, file_name, line)
        if not self._wanted:
            unregister()

    def _end(self):
        if not self._changed.pop():
            return
        if not self._wanted:
            register()
        if self.region_name:
            global_instrumenter.region_end("user_instrumenter", self.region_name)
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
