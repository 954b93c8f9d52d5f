# SPDX-License-Identifier: GPL-3.0-or-later
"""No file of src is longer than 800 lines and no function than 80."""
import source

MAX_FILE = 800
MAX_FUNCTION = 80


def find_long_files(paths):
    for path in paths:
        n_lines = len(path.read_text(errors="replace").splitlines())
        if n_lines > MAX_FILE:
            yield f"{source.name(path)}: {n_lines} lines, at most {MAX_FILE}"


def find_long_functions(paths):
    for name, path, first, end, _ in source.list_functions(paths):
        if end - first + 1 > MAX_FUNCTION:
            yield (f"{source.name(path)}:{first}: {name} has {end - first + 1} lines, "
                   f"at most {MAX_FUNCTION}")


all_paths = source.list_sources(suffixes=(".c", ".h", ".py"))
c_paths = [p for p in all_paths if p.suffix in (".c", ".h")]
source.finish([*find_long_files(all_paths), *find_long_functions(c_paths)])
