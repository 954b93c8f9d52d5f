# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of code that is in no file: in archives, behind -c, on standard input, in linecache, in the interpreter
itself; and the trees of code objects that sources make. Used by pddt_support.py and pddt_values.py."""
import os
import sys

import pddt_paths
from pddt_code import Node, list_lines

codes = {}  # co_filename -> {id: code}, of all code that is known
trees = {}  # co_filename -> Node of the module; None: source not known
edited = set()  # co_filename, whose text is not the one that its code was made of
given = {}  # co_filename -> (what the command line or standard input gave, the code objects made of it)


def decode(text):
    """As the compiler reads it: its first lines may name an encoding."""
    if isinstance(text, str):
        return text
    for line in text.split(b"\n")[:2]:
        name = line.partition(b"coding")[2][1:].strip().split(b" ")[0] if line.startswith(b"#") else b""
        if name:
            try:
                return text.decode(name.decode("ascii"), "replace")
            except (LookupError, UnicodeError):
                break
    return text.decode("utf-8-sig", "replace")


def list_codes(filename, frame):
    """Of that name on the stack: exec and eval call theirs as -c does."""
    while frame is not None:
        if frame.f_code.co_filename == filename:
            yield id(frame.f_code)
        frame = frame.f_back


def is_relative(filename):
    """Who opens it reads what lies where the program is now: that may be another file."""
    return filename[:1] not in ("/", "<")


def find_cached(filename):
    """Where doctest, IPython and makers of code put it. Not looked for where the program has not imported that module:
    nothing can be in it then."""
    cache = sys.modules.get("linecache")
    if cache is None:
        return ""
    if is_relative(filename):
        entry = cache.cache.get(filename) or ()
        return "".join(entry[2]) if len(entry) == 4 and entry[1] is None else ""
    return "".join(cache.getlines(filename))


def list_namespaces(filename, frame):
    """Of its modules. Code that exec runs in one is another text."""
    while frame is not None:
        if frame.f_globals.get("__file__") == filename:
            yield frame.f_globals
        frame = frame.f_back
    for module in list(sys.modules.values()):
        names = module.__dict__ if isinstance(module, type(sys)) else {}
        if names.get("__file__") == filename:
            yield names


def find_loaded(filename, frame):
    """What its module was loaded from."""
    for names in list_namespaces(filename, frame):
        spec = names.get("__spec__")
        loader = getattr(spec, "loader", None) or names.get("__loader__")
        name = getattr(spec, "name", None) or names.get("__name__")
        if is_relative(filename) and isinstance(loader, sys.modules["_frozen_importlib_external"].FileLoader):
            continue
        try:
            text = loader.get_source(name)
        except Exception:
            continue
        if text:
            return text
    return ""


def find_frozen(filename):
    """The file from which the interpreter's own module was made."""
    if not filename.startswith("<frozen "):
        return ""
    path = os.path.join(pddt_paths.find_library(), *filename[8:-1].split("."))
    for file in path + ".py", path + "/__init__.py":
        try:
            with open(file, "rb") as stream:
                return decode(stream.read(1 << 24))
        except OSError:
            pass
    return ""


def find(filename, frame):
    if filename in given:
        text, codes = given[filename]
        return decode(text) if all(code in codes for code in list_codes(filename, frame)) else ""
    return find_cached(filename) or find_loaded(filename, frame) or find_frozen(filename)


def is_current(tree, filename):
    """Is the text the one that the loaded code was made of? A file may have been edited since."""
    lasts = {}
    for node in tree.walk():
        lasts.setdefault((node.code.co_name, node.first), set()).add(max(node.all_lines, default=0))
    return all(max(list_lines(code), default=0) in lasts.get((code.co_name, code.co_firstlineno), ())
               for code in codes.get(filename, {}).values() if not code.co_name.startswith("<"))


def get_tree(filename):
    if filename not in trees:
        trees[filename] = None
        path, source = pddt_paths.get(filename)[0], find_frozen(filename)
        if not path.startswith("/") and not source:
            return None  # a file of that name in the current folder may be a different one
        try:
            if not source:
                with open(path, "rb") as stream:
                    source = stream.read(1 << 24)
            tree = Node(compile(source, filename, "exec", 0, True), "<module>")
        except Exception:
            return None
        if is_current(tree, filename):
            trees[filename] = tree
        else:
            edited.add(filename)
    return trees[filename]


def find_name(code):
    """The qualified name, which code has itself from 3.11 on."""
    if hasattr(code, "co_qualname"):
        return code.co_qualname
    tree, name = trees.get(code.co_filename) or get_tree(code.co_filename), code.co_name
    for node in tree.walk() if tree is not None else ():
        if node.code.co_name == code.co_name and node.first == code.co_firstlineno:
            name = node.name
    return name
