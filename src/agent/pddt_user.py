# SPDX-License-Identifier: GPL-3.0-or-later
"""Which code is the user's: what was named on the command line, wherever it lies, and whatever lies outside the
folders of libraries. Used by pddt_support.py."""
import os
import sys

import pddt_paths
from pddt_code import is_module

VERSION = sys.version_info
# modules that run the script which the user has named behind them
LAUNCHERS = ["mpi4py", "runpy", "cProfile", "profile", "trace", "pdb", "kernprof", "line_profiler", "memory_profiler"]
if VERSION >= (3, 12):
    LAUNCHERS.append("coverage")  # before, it takes over the tracing by which the script's first line is seen
# code that libraries generate
GENERATED = "<frozen", "<__array_function__", "<decorator-gen", "<attrs generated"

known_files = {}
# files of the code that the runner runs: with -c that is "<string>", which otherwise means generated code
main_files = set()
own_start = ""
roots = ()


class Named:
    """What the command line names."""
    launcher = ""  # is it such a module that runs a script
    entry = None  # names of the module where the program has stopped first, which a launcher may have run
    main = None  # file of the main module
    place = ()  # beginnings of the names of its files, where it lies in a library's folder


def begin(folder):
    global own_start, roots
    library = pddt_paths.find_library()
    own_start = folder + "/pddt_"
    roots = (library + "/", os.path.realpath(library) + "/")


def expect_module(name):
    """-m NAME: does it run what stands behind it?"""
    top = name.partition(".")[0]
    is_script_named = any(word in ("-m", "-c") or os.path.isfile(word) for word in sys.argv[1:])
    Named.launcher = top if top in LAUNCHERS and is_script_named else ""


def is_launcher(filename):
    path = pddt_paths.get(filename)[0]
    return bool(Named.launcher) and (path.endswith("/%s.py" % Named.launcher) or "/%s/" % Named.launcher in path)


def is_in_library(path):
    return "/site-packages/" in path or "/dist-packages/" in path or path.startswith(roots)


def find_named_place(file, spec):
    """The files that belong to a main module in a library's folder: those of its package, or of the script's
    folder."""
    path = os.path.abspath(file)
    if not is_in_library(path):
        return ()
    folder = os.path.dirname(path)
    package = getattr(spec, "parent", None) if spec is not None else None
    for _ in range(package.count(".") if package else 0):
        folder = os.path.dirname(folder)
    is_root = package == "" or (folder + "/").endswith(("/site-packages/", "/dist-packages/") + roots)
    return (path,) if is_root else (folder + "/", os.path.realpath(folder) + "/")


def look_at_main():
    modules = sys.modules
    main = Named.entry or getattr(modules.get("__mp_main__") or modules.get("__main__"), "__dict__", {})
    file = main.get("__file__")
    if file != Named.main:
        Named.main = file
        Named.place = ()
        if isinstance(file, str) and file and not is_launcher(file):
            Named.place = find_named_place(file, main.get("__spec__"))
        known_files.clear()


def is_user(filename):
    look_at_main()
    known = known_files.get(filename)
    if known is None:
        absolute, real = pddt_paths.get(filename)
        known = filename in main_files or (
            not filename.startswith(GENERATED) and filename != "<string>" and not absolute.startswith(own_start)
            and not (is_in_library(absolute) or real.startswith(roots)))
        known = known or (bool(Named.place) and absolute.startswith(Named.place))
        known_files[filename] = known
    return known


def is_entry(frame):
    """Is it the module that the user has named?"""
    code, names = frame.f_code, frame.f_globals
    found = is_module(code) and names.get("__name__") == "__main__" and not is_launcher(code.co_filename)
    if found and Named.launcher:
        Named.entry = names
    return found


own_files = {}  # (name, folders of modules) -> has_own_file


def has_own_file(pattern):
    """Has the program a file of that name, which it may not have loaded yet?"""
    folders = tuple(dict.fromkeys(word or "." for word in sys.path if isinstance(word, str)))
    if (pattern, folders) not in own_files:
        own_files[pattern, folders] = find_own_file(pattern, folders)
    return own_files[pattern, folders]


def find_own_file(pattern, folders):
    """In the folders of the program's modules and one below."""
    if pattern.startswith("/"):
        return False
    for folder in folders:
        folder = os.path.abspath(folder)
        if is_in_library(folder + "/") and not (folder + "/").startswith(Named.place or "\0"):
            continue
        try:
            below = [folder] + [entry.path for entry in os.scandir(folder) if entry.is_dir()][:200]
        except OSError:
            continue
        if any(os.path.isfile(os.path.join(name, pattern)) for name in below):
            return True
    return False
