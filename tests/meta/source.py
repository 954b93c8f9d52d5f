# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree as the meta tests see it: its layers, its files, and what ctags finds in them."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
SKIPPED = 77


def read_layers():
    """{layer: set of the layers it may use}, from the table in src/meson.build."""
    table = (SRC / "meson.build").read_text()
    table = table[table.index("layers = ["):table.index("\n]\n")]
    rows = re.findall(r"^\s*\['(\w+)',\s*\[([^\]]*)\]", table, re.M)
    return {name: set(re.findall(r"'(\w+)'", uses)) for name, uses in rows}


def list_sources(folder=SRC, suffixes=(".c", ".h")):
    return sorted(p for p in folder.rglob("*") if p.suffix in suffixes and p.is_file())


def list_pages():
    """README.md, HACKING.md and the manual."""
    return [ROOT / "README.md", ROOT / "HACKING.md", *list_sources(ROOT / "doc", (".md",))]


def strip_comments(text):
    """C without comments; line numbers stay."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)

    def keep(match):
        word = match.group()
        return "\n" * word.count("\n") if word.startswith("/") else word
    return pattern.sub(keep, text)


def name(path):
    return path.relative_to(ROOT).as_posix()


def list_functions(paths):
    """ctags' functions: name, path, first line, end, is_static. Skips the test without ctags."""
    program = shutil.which("ctags")
    version = program and subprocess.run([program, "--version"], capture_output=True, text=True)
    if not program or "Universal Ctags" not in version.stdout:
        print("skipped: universal-ctags is not installed")
        sys.exit(SKIPPED)
    if not paths:
        return []
    answer = subprocess.run(
        [program, "--output-format=json", "--languages=C", "--langmap=C:.c.h", "--kinds-C=f",
         "--fields=+nef", "-f", "-", *map(str, paths)],
        capture_output=True, text=True, check=True)
    tags = [json.loads(line) for line in answer.stdout.splitlines() if line.startswith("{")]
    return [(t["name"], pathlib.Path(t["path"]), t["line"], t.get("end", t["line"]),
             t.get("file", False)) for t in tags if t.get("_type") == "tag"]


def finish(problems):
    for problem in problems:
        print(problem)
    print(f"{len(problems)} found")
    sys.exit(1 if problems else 0)
