# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the functions that a name refers to: the program's own first, then those of imported modules by
their public names, including aliases and re-exports. Only reads namespaces and runs no code of the
program. Used by pddt_support.py."""
import sys

aliases = {}        # co_filename -> {name: what it was imported as}; of the program's own files
# what every interpreter imports is nobody's "find" or "run"
ORDINARY = frozenset("abc codecs collections contextlib encodings enum functools genericpath importlib io "
                     "keyword linecache operator os pkgutil posixpath re reprlib runpy site sre_compile "
                     "sre_parse stat threading tokenize traceback types warnings weakref".split())
MODULE, FUNCTION, METHOD = type(sys), type(lambda: 0), type(aliases.__class__.fromkeys)
WRAPPERS = staticmethod, classmethod


def learn_aliases(filename, path):
    """From the source: before the program runs nothing else knows them."""
    found = aliases[filename] = {}
    if not path.startswith("/"):
        return
    try:
        import ast
        with open(path, "rb") as stream:
            nodes = ast.walk(ast.parse(stream.read(1 << 24)))
    except Exception:
        return
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update((name.asname, name.name) for name in node.names if name.asname)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.update((name.asname or name.name, node.module + "." + name.name) for name in node.names)


def expand(pattern):
    """The name, and what the program's imports make of it."""
    first, dot, rest = pattern.partition(".")
    names = [pattern]
    for known in aliases.values():
        if first in known and known[first] + dot + rest not in names:
            names.append(known[first] + dot + rest)
    return names


def is_suffix(pattern, name):
    return name == pattern or name.endswith("." + pattern)


def is_in_package(pattern, module, name):
    """"package.solve" of a function that the package takes from a module of its own."""
    parts = pattern.split(".")
    for count in range(1, len(parts)):
        package = ".".join(parts[:count])
        if name == ".".join(parts[count:]) and (module == package or module.startswith(package + ".")):
            return True
    return False


def is_public(pattern, module, name):
    """A bare name means a library's function only when it is one that the library offers."""
    return (name == pattern and module and module.partition(".")[0] not in ORDINARY and not name.startswith("_")
            and not any(part.startswith("_") for part in module.split(".")))


def matches(pattern, names, module, is_own):
    """names: the qualified name, then the same behind its module's names."""
    if is_own:
        return any(is_suffix(pattern, name) for name in names) or is_in_package(pattern, module, names[0])
    if "." not in pattern:
        return is_public(pattern, module, names[0])
    return any(is_suffix(word, names[-1]) or is_in_package(word, module, names[0])
               for word in expand(pattern))


def look_up(holder, name):
    if isinstance(holder, MODULE):
        return MODULE.__getattribute__(holder, "__dict__").get(name)
    if isinstance(holder, type):
        for base in type.mro(holder) if type(holder) is type else holder.__mro__:
            names = type.__dict__["__dict__"].__get__(base)
            if name in names:
                return names[name]
    return None


def get_code(value):
    """Of the function that is behind decorators and wrappers; None."""
    for _ in range(16):
        if isinstance(value, WRAPPERS) or type(value) is METHOD:
            value = getattr(value, "__func__", None)
        elif isinstance(value, property):
            value = value.fget
        elif type(value).__name__ in ("partial", "_ArrayFunctionDispatcher"):
            value = getattr(value, "func", None) or getattr(value, "_implementation", None)
        elif type(value) is FUNCTION:
            if "__wrapped__" not in value.__dict__:
                return value.__code__
            value = value.__dict__["__wrapped__"]
        else:
            return None
    return None


def walk(holder, parts):
    for part in parts:
        holder = look_up(holder, part)
        if holder is None:
            return None
    return holder


def find_module(name):
    """The loaded module that the dotted name begins with, and what follows; (None, [])."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        module = sys.modules.get(".".join(parts[:count]))
        if isinstance(module, MODULE):
            return module, parts[count:]
    return None, []


def resolve(pattern, own_modules):
    """The codes that the name leads to, in the program's own modules or from an imported one."""
    found = []
    for name in expand(pattern):
        module, rest = find_module(name)
        values = [walk(module, rest)] if rest else []
        values += [walk(own, name.split(".")) for own in own_modules]
        for code in map(get_code, values):
            if code is not None and not any(code is other for other in found):
                found.append(code)
    return found


def is_importing(pattern):
    """A module that the name begins with is being imported: what it offers is not all there yet."""
    for name in expand(pattern):
        module, rest = find_module(name)
        if rest and getattr(look_up(module, "__spec__"), "_initializing", False):
            return True
    return False
