# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes Python files as C texts: OUTPUT FILE…"""
import os
import sys

with open(sys.argv[1], "w", encoding="utf-8") as out:
    out.write("static const struct {\n    const char *name, *file, *text;\n} script_sources[] = {\n")
    for path in sys.argv[2:]:
        file = os.path.basename(path)
        with open(path, encoding="utf-8") as source:
            text = source.read()
        out.write(f'    {{ "{file.removesuffix(".py")}", "<{file}>",\n')
        for line in text.splitlines():
            escaped = line.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
            out.write(f'      "{escaped}\\n"\n')
        out.write("    },\n")
    out.write("    { NULL, NULL, NULL },\n};\n")
