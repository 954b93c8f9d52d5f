# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions, parameters and metrics of a program's own in its pddt trace.

    import pddt

    with pddt.region("solve"):
        ...

    @pddt.region("assemble")          # or @pddt.region: the function's own name
    def assemble(): ...

    pddt.parameter_int("step", step)
    pddt.metric("residual", residual)

Nothing here does anything unless `pddt --trace` or `python3 -m scorep` runs the program: then each of these is
one call that returns, and a decorated function is the function itself. The file needs nothing else of pddt, so
that it can be copied beside a program."""
import sys as _sys

__all__ = ["disable", "enable", "is_measured", "metric", "parameter_int", "parameter_string", "parameter_uint",
           "region", "region_begin", "region_end"]

# The agent's own entry, which is there before the program begins.
_recorder = _sys.modules.get("_pddt_trace")


class _Nothing:
    """A region of a program that is not measured."""
    __slots__ = ()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __call__(self, function):
        return function


_NOTHING = _Nothing()

if _recorder is None:

    def region(name=None):
        """A context manager and decorator: what runs inside is a region of that name."""
        return _NOTHING if name is None or name.__class__ is str else name

    def region_begin(name):
        """Begins a region, which region_end ends in the same thread."""

    def region_end(name=None):
        """Ends the region that was begun last; with a name, the last one of that name and all inside it."""

    def parameter_int(name, value):
        """Notes a number that the calls from here on depend on."""

    def parameter_uint(name, value):
        """The same, of a number that is never negative."""

    def parameter_string(name, value):
        """The same, of a text."""

    def metric(name, value, unit=""):
        """Notes a number of the program's own at this time."""

    def enable():
        """Records again after disable."""

    def disable():
        """Records nothing, in all threads of the process, until enable."""

    def is_measured():
        """Whether the program is traced; what takes time to compute for a metric alone can be left out."""
        return False

else:
    region_begin = _recorder.region_begin
    region_end = _recorder.region_end
    parameter_int = _recorder.parameter_int
    parameter_uint = _recorder.parameter_uint
    parameter_string = _recorder.parameter_string
    metric = _recorder.metric
    enable = _recorder.enable
    disable = _recorder.disable

    def is_measured():
        return True

    def _run_steps(steps, name):
        """A generator or coroutine whose every step is in the region: between two steps other code runs."""
        send, word = steps.send, None
        while True:
            try:
                with _recorder.Region(name):
                    value = send(word)
            except StopIteration as end:
                return end.value
            try:
                send, word = steps.send, (yield value)
            except GeneratorExit:
                with _recorder.Region(name):
                    steps.close()
                raise
            except BaseException as error:
                send, word = steps.throw, error

    def _decorate(function, name):
        import functools
        import types
        flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
        if flags & 0x180:  # a coroutine function
            run = types.coroutine(_run_steps)

            @functools.wraps(function)
            async def inner(*arguments, **named):
                return await run(function(*arguments, **named), name)
        elif flags & 0x20:  # a generator function
            @functools.wraps(function)
            def inner(*arguments, **named):
                return _run_steps(function(*arguments, **named), name)
        else:
            @functools.wraps(function)
            def inner(*arguments, **named):
                with _recorder.Region(name):
                    return function(*arguments, **named)
        return inner

    class region(_recorder.Region):
        __slots__ = ()

        def __new__(cls, name=None):
            if name is None or isinstance(name, str):
                return super().__new__(cls, name)
            return _decorate(name, name.__qualname__)

        def __call__(self, function):
            return _decorate(function, self.name if self.name is not None else function.__qualname__)
