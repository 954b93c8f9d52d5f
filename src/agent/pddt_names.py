# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the functions that a name refers to: the program's own first, then those of imported modules by
their public names, including aliases and re-exports. Only reads namespaces and runs no code of the
program. Used by pddt_support.py."""
import sys
from _ast import AST, Import, ImportFrom

aliases = {}  # co_filename -> {name: what it was imported as}, for the program's own files
# a bare "find" or "run" never means a function of these modules, which every interpreter imports
ORDINARY = frozenset("abc codecs collections contextlib encodings enum functools genericpath importlib io "
                     "keyword linecache operator os pkgutil posixpath re reprlib runpy site sre_compile "
                     "sre_parse stat threading tokenize traceback types warnings weakref".split())
MODULE, FUNCTION, METHOD = type(sys), type(lambda: 0), type(aliases.__class__.fromkeys)
ONLY_AST = 0x400  # of compile
WRAPPERS = staticmethod, classmethod


def list_nodes(tree):
    nodes = [tree]
    for node in nodes:  # grows meanwhile
        for field in node._fields:
            value = getattr(node, field, None)
            nodes += [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, AST)]
    return nodes


def learn_aliases(filename, path):
    """Reads the source, because nothing else knows the names before the program runs."""
    found = aliases[filename] = {}
    if not path.startswith("/"):
        return
    try:
        with open(path, "rb") as stream:
            nodes = list_nodes(compile(stream.read(1 << 24), path, "exec", ONLY_AST, True))
    except Exception:
        return
    for node in nodes:
        if isinstance(node, Import):
            found.update((name.asname, name.name) for name in node.names if name.asname)
        elif isinstance(node, ImportFrom) and node.module and not node.level:
            found.update((name.asname or name.name, node.module + "." + name.name) for name in node.names)


def expand(pattern):
    """The name itself, and the full names that the program's imports give it."""
    first, dot, rest = pattern.partition(".")
    names = [pattern]
    for known in aliases.values():
        if first in known and known[first] + dot + rest not in names:
            names.append(known[first] + dot + rest)
    return names


def is_suffix(pattern, name):
    return name == pattern or name.endswith("." + pattern)


def is_in_package(pattern, module, name):
    """Does the pattern "package.solve" mean a function that the package imports from one of its own
    modules?"""
    parts = pattern.split(".")
    for count in range(1, len(parts)):
        package = ".".join(parts[:count])
        if name == ".".join(parts[count:]) and (module == package or module.startswith(package + ".")):
            return True
    return False


def is_public(pattern, module, name):
    """A bare name means a library's function only if the library offers it publicly."""
    return (name == pattern and module and module.partition(".")[0] not in ORDINARY and not name.startswith("_")
            and not any(part.startswith("_") for part in module.split(".")))


def matches(pattern, names, module, is_own):
    """names: the qualified name, then the same name with the module's name in front."""
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
    """The code of the function inside decorators and wrappers; None if there is none."""
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
    """The longest loaded module with which the dotted name begins, and the remaining parts; (None, [])."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        module = sys.modules.get(".".join(parts[:count]))
        if isinstance(module, MODULE):
            return module, parts[count:]
    return None, []


def resolve(pattern, own_modules):
    """The codes to which the name leads, in the program's own modules or through an import."""
    found = []
    for name in expand(pattern):
        module, rest = find_module(name)
        values = [walk(module, rest)] if rest else []
        values += [walk(own, name.split(".")) for own in own_modules]
        for code in map(get_code, values):
            if code is not None and not any(code is other for other in found):
                found.append(code)
    return found


def find_exceptions(pattern, own_modules):
    """The classes that the name means: in the program's own modules, through an import, or built in."""
    found = []
    for name in expand(pattern):
        module, rest = find_module(name)
        values = [walk(module, rest)] if rest else []
        values += [walk(holder, name.split(".")) for holder in own_modules + [sys.modules.get("builtins")]]
        found += [value for value in values if isinstance(value, type) and issubclass(value, BaseException)]
    return found


def list_exception_names(kind):
    """All names under which the class and its bases are defined."""
    for base in kind.__mro__:
        yield base.__name__
        yield base.__module__ + "." + base.__name__
        yield base.__module__ + "." + base.__qualname__


def is_exception(pattern, own_modules):
    """Is there an exception of that name now?"""
    if find_exceptions(pattern, own_modules):
        return True
    classes, met = [BaseException], set()
    while classes:
        kind = classes.pop()
        if pattern in (kind.__name__, kind.__module__ + "." + kind.__name__, kind.__module__ + "." + kind.__qualname__):
            return True
        children = [child for child in type.__subclasses__(kind) if id(child) not in met]
        met.update(map(id, children))
        classes += children
    return False


def list_leaves(error):
    """The exception and, of a group, all that are in it."""
    leaves = [error]
    for group in leaves:
        members = getattr(group, "exceptions", None) if is_group(group) else None
        leaves += [member for member in members or () if not any(member is leaf for leaf in leaves)]
    return leaves


def is_group(error):
    """ExceptionGroup came with 3.11."""
    kind = getattr(sys.modules.get("builtins"), "BaseExceptionGroup", None)
    return kind is not None and isinstance(error, kind)


def is_importing(pattern):
    """Is a module with which the name begins still being imported? Then some of its names are not there
    yet."""
    for name in expand(pattern):
        module, rest = find_module(name)
        if rest and getattr(look_up(module, "__spec__"), "_initializing", False):
            return True
    return False
