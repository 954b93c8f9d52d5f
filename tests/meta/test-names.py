# SPDX-License-Identifier: GPL-3.0-or-later
"""The public functions of a layer begin with the layer's name."""
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
source.finish(problems)
