# SPDX-License-Identifier: GPL-3.0-or-later
"""The public functions of a layer begin with the layer's name, and a file that a comment names
exists."""
import re

import source

layers = source.read_layers()
paths = [p for p in source.list_sources(suffixes=(".c",))
         if p.relative_to(source.SRC).parts[0] in layers]
problems = []
for function, path, line, _, is_static in source.list_functions(paths):
    prefix = path.relative_to(source.SRC).parts[0] + "_"
    # G_DEFINE_TYPE (…) reads like a function; main stands in generators run by the build.
    is_exempt = is_static or function.isupper() or function == "main"
    if not is_exempt and not function.startswith(prefix):
        problems.append(f"{source.name(path)}:{line}: {function} does not begin with {prefix}")

COMMENT = re.compile(r"/\*.*?\*/", re.S)
QUOTED = re.compile(r'"[^"]*"')
NAMED = re.compile(r"(?<![\w.-])([\w-]+(?:/[\w-]+)*\.c)\b")
written = [p for p in source.list_sources(source.ROOT / "src", (".c", ".h"))]
existing = {p.name for p in source.list_sources(source.ROOT / "src", (".c",))}
existing |= {p.name for p in source.list_sources(source.ROOT / "tests", (".c",))}


folders = {p.name for p in source.SRC.rglob("*") if p.is_dir()}


def stands(name):
    """A file of that name; with a folder, some file whose path ends so. Folders of other projects
    are not looked into."""
    folder = name.partition("/")[0]
    if "/" in name and folder not in folders:
        return True
    return name.rpartition("/")[2] in existing and (
        "/" not in name or any(str(p).endswith("/" + name) for p in written))


for path in written:
    text = path.read_text(errors="replace")
    for comment in COMMENT.finditer(text):
        for named in NAMED.finditer(QUOTED.sub('""', comment.group())):
            if not stands(named.group(1)):
                line = text.count("\n", 0, comment.start()) + 1
                problems.append(f"{source.name(path)}:{line}: {named.group(1)} does not exist")
source.finish(problems)
