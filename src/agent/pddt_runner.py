# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a Python program as the interpreter itself would, with pddt's agent loaded.

Takes what stands after the interpreter's own options: FILE, -m MODULE, -c COMMAND, a directory,
a zip archive, or - or nothing for standard input. What the program sees (sys.argv, sys.path,
__main__, tracebacks, exit status) is what it sees without this file."""
import sys


def start_plainly():
    """For an interpreter that the agent does not know: it begins again as if this file were not on its command
    line. The debugger says so. Also runs in Python 2."""
    import os
    with open("/proc/self/cmdline", "rb") as stream:
        words = stream.read().split(b"\0")[:-1]
    del words[len(words) - len(sys.argv)]
    os.execv(sys.executable, words)


def main():
    import builtins
    import os

    runner_file = __file__
    runner_folder = os.path.dirname(os.path.abspath(runner_file))
    version = sys.version_info
    # with -I and -P the interpreter puts no folder in front of sys.path
    is_safe_path = bool(sys.flags.isolated or getattr(sys.flags, "safe_path", False))

    builtin_loader = sys.modules["_frozen_importlib"].BuiltinImporter

    def load_agent():
        saved = sys.dont_write_bytecode
        sys.dont_write_bytecode = True
        sys.path.insert(0, runner_folder)
        try:
            import pddt_agent
            import pddt_support
            pddt_support.begin(pddt_agent, runner_folder)
        except Exception as error:
            # the debugger notices that the agent is missing and says why; the program runs without it
            return None, None, "%s: %s" % (type(error).__name__, error)
        finally:
            sys.path.remove(runner_folder)
            sys.dont_write_bytecode = saved
            for name in ("pddt_agent", "pddt_support"):
                sys.modules.pop(name, None)
        return pddt_agent, pddt_support, None

    def make_main(**names):
        module = type(sys)("__main__")
        module.__builtins__ = builtins
        if version < (3, 14):
            module.__annotations__ = {}
        for name, value in names.items():
            setattr(module, name, value)
        if "__file__" not in names:
            module.__loader__ = builtin_loader
        sys.modules["__main__"] = module
        return module

    def set_first_path(folder):
        if not is_safe_path:
            sys.path[0] = folder

    def is_archive(path):
        for hook in sys.path_hooks:
            try:
                hook(path)
                return True
            except ImportError:
                continue
        return False

    def fix_original_arguments():
        words = getattr(sys, "orig_argv", None)
        if not words:
            return
        for index in range(len(words) - len(arguments) - 1, 0, -1):
            if words[index] == runner_file or words[index] == given:
                del words[index]
                return

    def make_absolute(path):
        """As the interpreter does it, without normalising."""
        if version < (3, 9) or path.startswith("/"):
            return path
        return os.getcwd() + "/" + path

    def compile_file(path):
        shown = make_absolute(path)
        try:
            with open(path, "rb") as stream:
                source = stream.read()
        except OSError as error:
            executable = sys.orig_argv[0] if hasattr(sys, "orig_argv") else sys.executable
            sys.stderr.write("%s: can't open file %s: [Errno %d] %s\n" % (
                executable if version < (3, 9) else sys.executable,
                repr(shown) if version >= (3, 8, 1) else shown, error.errno, error.strerror))
            sys.exit(2)
        loaders = sys.modules["_frozen_importlib_external"]
        if path.endswith(".pyc"):
            loader = loaders.SourcelessFileLoader("__main__", shown)
            module = make_main(__file__=shown, __cached__=None, __loader__=loader)
            return module, lambda: loader.get_code("__main__")
        module = make_main(__file__=shown, __cached__=None,
                           __loader__=loaders.SourceFileLoader("__main__", shown))
        return module, lambda: compile(source, shown, "exec", 0, True)

    def prepare():
        """Returns (namespace, function that returns the code) or (None, function to call)."""
        word = arguments[0] if arguments else ""
        if word == "-m" and len(arguments) > 1:
            sys.argv[:] = ["-m"] + arguments[2:]
            set_first_path(os.getcwd())
            import runpy
            make_main()
            if support:
                support.expect_module(arguments[1])
            return None, lambda: run(runpy._run_module_as_main, arguments[1])
        if word == "-c" and len(arguments) > 1:
            sys.argv[:] = ["-c"] + arguments[2:]
            source = arguments[1] + "\n"
            if version >= (3, 13):
                import linecache
            set_first_path("")
            if version >= (3, 13):
                linecache.cache["<string>"] = (len(source), None, source.splitlines(True), "<string>")
            if hasattr(sys, "orig_argv"):
                source.encode("utf-8", "surrogateescape")
            sources.append(source)
            return make_main(), lambda: compile(source, "<string>", "exec", 0, True)
        if word in ("", "-"):
            sys.argv[:] = arguments or [""]
            if sys.stdin is not None and sys.stdin.isatty():
                import code
            set_first_path("")
            module = make_main(__file__="<stdin>", __cached__=None, __loader__=builtin_loader)
            if sys.stdin is None:
                return module, lambda: compile("", "<stdin>", "exec", 0, True)
            if sys.stdin.isatty():
                return None, lambda: run(code.interact, None, None, module.__dict__, "")
            sources.append(sys.stdin.buffer.read())
            return module, lambda: compile(sources[0], "<stdin>", "exec", 0, True)
        sys.argv[:] = arguments
        if is_archive(word):
            if is_safe_path:
                sys.path.insert(0, make_absolute(word))
            else:
                sys.path[0] = make_absolute(word)
            import runpy
            make_main()
            return None, lambda: run(runpy._run_module_as_main, "__main__", False)
        set_first_path(os.path.dirname(os.path.realpath(word)))
        return compile_file(word)

    def strip_own_frames(error):
        """Removes this file's frames from the traceback."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == runner_file:
            trace = trace.tb_next
        error.__traceback__ = trace
        return trace

    def hide_own_frames():
        """The interpreter adds this file's frames to the traceback on the way out; the exception hook
        removes them."""
        hook = sys.excepthook

        def show(kind, error, trace):
            sys.excepthook = hook
            trace = strip_own_frames(error)
            sys.last_traceback = trace
            hook(kind, error, trace)

        sys.excepthook = show

    given = sys.argv[0]
    arguments = sys.argv[1:]
    agent, support, failure = load_agent()
    sources = []  # the text of a program that is in no file
    # functions that it runs see no frame of this file among their callers
    run = agent.run if agent else lambda function, *words: function(*words)
    fix_original_arguments()
    try:
        module, get_code = prepare()
        if module is None:
            if support:
                support.ready()
            get_code()
            return
        code = get_code()
        if support:
            support.register(code, *sources)
            support.ready()
        run(getattr(builtins, "exec"), code, module.__dict__)  # a keyword in Python 2
    except SystemExit:
        raise
    except BaseException as error:
        strip_own_frames(error)
        if support:
            support.uncaught(error)
        hide_own_frames()
        raise


if not (3, 8) <= sys.version_info < (3, 15):
    start_plainly()
main()
