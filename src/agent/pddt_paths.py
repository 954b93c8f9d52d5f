# SPDX-License-Identifier: GPL-3.0-or-later
"""File names of code objects as paths: where a relative name refers to, and which file a user means. Used by
pddt_support.py."""
import os
import sys

paths = {}  # co_filename -> (absolute, real)
start_folders = []  # relative file names refer to the folder in which the program began


def find_library():
    return os.path.dirname(os.path.abspath(os.__file__))


def is_standard(name):
    """Is the module the standard library's, or would it be if it were imported now? Nothing that lies beside the script
    runs because of pddt."""
    module = sys.modules.get(name)
    if module is None:
        spec = sys.modules["_frozen_importlib_external"].PathFinder.find_spec(name)
        origin = spec.origin if spec is not None else None
    else:
        origin = getattr(module, "__file__", None)
    return not origin or os.path.realpath(origin).startswith(os.path.realpath(find_library()) + os.sep)


def load_standard(name):
    """A module of the standard library that needs built-in ones only. Where the program has not imported it the program
    does not see it."""
    path = os.path.join(find_library(), name + ".py")
    module = sys.modules.get(name)
    if module is None or getattr(module, "__file__", None) != path:
        module = type(sys)(name)
        loader = sys.modules["_frozen_importlib_external"].SourceFileLoader(name, path)
        exec(loader.get_code(name), module.__dict__)
    return module


def begin(is_late):
    """is_late: the program may have left the folder in which it began."""
    start_folders[:] = [os.getcwd()] + (read_first_folder() if is_late else [])


def complete(filename):
    """The file, in the folders in which the program may have begun. Returns the name unchanged if there is
    no such file, or if there are several different ones."""
    found = []
    for folder in start_folders:
        path = os.path.join(folder, filename)
        if os.path.exists(path) and not any(os.path.samefile(path, other) for other in found):
            found.append(path)
    return found[0] if len(found) == 1 else filename


def read_first_folder():
    """The working directory that the shell which started the program gave it in PWD; a list of at most
    one."""
    try:
        with open("/proc/self/environ", "rb") as file:
            return [os.fsdecode(word[4:]) for word in file.read().split(b"\0") if word.startswith(b"PWD=/")][:1]
    except OSError:
        return []


def get(filename):
    known = paths.get(filename)
    if known is None:
        absolute = filename
        if filename and filename[0] not in "/<":
            absolute = complete(filename)
        try:
            real = os.path.realpath(absolute) if absolute.startswith("/") else absolute
        except (OSError, ValueError):
            real = absolute
        known = paths[filename] = (absolute, real)
    return known


def match(pattern, filename):
    pattern = pattern[2:] if pattern.startswith("./") else pattern
    for path in get(filename):
        if path == pattern or path.endswith("/" + pattern):
            return True
    return pattern.startswith("/") and os.path.realpath(pattern) == get(filename)[1]
