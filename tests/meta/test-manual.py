# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual is right: links work, every session shown is played by a test, every option, environment variable and
folder of the code is described, every file, variable and option that it names exists, and the README stays
short, and lines too."""
import re

import source

MAX_README = 100
MAX_LINE = 120
PAGES = source.list_pages()
# Of windows whose picture has another name.
PICTURES = {"array-window": "array", "attach-dialog": "attach", "closing-dialog": "closing", "compare-window": "compare",
            "console-window": "console", "core-dialog": "core-files", "group-window": "group", "profile-window": "performance",
            "run-dialog": "new-session"}


def find_dead_links():
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in link and not (page.parent / link).exists():
                yield f"{source.name(page)}: links to {link}, which is not there"


def find_false_sessions():
    """Sessions that the manual shows are played by a test, which has the pages in a list."""
    played = (source.ROOT / "tests/command/test-tutorial.py").read_text()
    for page in PAGES:
        if "<!-- run -->" in page.read_text() and f'check_chapter("{page.name}"' not in played:
            yield f"{source.name(page)}: tests/command/test-tutorial.py does not play its sessions"


def find_missing_options():
    table = (source.ROOT / "src/programs/options.c").read_text()
    for option in re.findall(r'^    \{ "(-[^"]+)", (?:NULL|"[^"]*"), \w+, AT', table, re.M):
        if option in ("--print-reference", "--print-completion", "--choose", "--trace-settings", "-h"):
            continue  # for the reference, shells, desktop entries, for python3 -m scorep; the short form of --help
        for page in ("starting.md", "pddt.1.md"):
            if not re.search(re.escape(option.replace("-", "\\-")) + r"\b|" + re.escape(option) + r"\b",
                             (source.ROOT / "doc" / page).read_text()):
                yield f"doc/{page}: does not describe {option}"


def find_missing_folders():
    hacking = (source.ROOT / "HACKING.md").read_text()
    for folder in sorted((source.ROOT / "src").iterdir()):
        if not folder.is_dir():
            continue
        row = next((line for line in hacking.splitlines() if line.startswith(f"| `src/{folder.name}` |")), "")
        if not row:
            yield f"HACKING.md: the code map lacks src/{folder.name}"
        for room in sorted(folder.iterdir()) if folder.name in ("engine", "gui", "session") else ():
            if room.is_dir() and f"`{room.name}`" not in row:
                yield f"HACKING.md: the code map lacks src/{folder.name}/{room.name}"


def find_missing_top_folders():
    """The code map has each folder of the checkout that git knows, and the folders of tests that it speaks of exist."""
    hacking = (source.ROOT / "HACKING.md").read_text()
    rows = [line for line in hacking.splitlines() if line.startswith(("| `ui`", "| `debian`", "| `tests`"))]
    named = set(re.findall(r"`(\w+)`", " ".join(rows)))
    for folder in sorted(source.ROOT.iterdir()):
        if folder.is_dir() and not folder.name.startswith((".", "build")) and folder.name not in named | {"src"}:
            yield f"HACKING.md: the code map lacks {folder.name}"
    for name in re.findall(r"`(\w+)`", rows[-1])[1:]:
        if not (source.ROOT / "tests" / name).is_dir() and name != "src":
            yield f"HACKING.md: there is no tests/{name}"
    for layer in sorted(source.read_layers()):
        if layer not in ("programs", "evaluate", "index") and not (source.ROOT / "tests" / layer).is_dir():
            yield f"HACKING.md: tests does not mirror src/{layer}"


def find_missing_chapters():
    """Each page of doc is made by its meson.build and stands in the index."""
    build, index = ((source.ROOT / "doc" / name).read_text() for name in ("meson.build", "index.md"))
    for page in source.list_sources(source.ROOT / "doc", (".md",)):
        path = page.relative_to(source.ROOT / "doc").with_suffix("").as_posix()
        if f"'{path}'" not in build:
            yield f"doc/meson.build: lacks {path}.md"
        shown = f"`{page.stem.replace('.', '(')})`" if "." in page.stem else f"({path}.md)"  # a manual page, a chapter
        if page.stem != "index" and shown not in index:
            yield f"doc/index.md: lacks {path}.md"


def find_missing_pictures():
    """Each picture is shown in the manual, and goes into its HTML."""
    build = (source.ROOT / "doc" / "meson.build").read_text()
    shown = {name for page in source.list_pages() for name in re.findall(r"data/pictures/([\w.-]+)\)", page.read_text())}
    there = {path.name for path in (source.ROOT / "data/pictures").iterdir()}
    for name in sorted(shown ^ there):
        yield f"data/pictures/{name}: {'is not there' if name in shown else 'no page shows it'}"
    for name in sorted(shown):
        if f"'{name}'" not in build:
            yield f"doc/meson.build: lacks {name}"


def find_windows_without_picture():
    """Each window and dialog, by the file of its structure, has a picture that the manual shows."""
    shown = {name for page in source.list_pages() for name in re.findall(r"data/pictures/([\w.-]+)\)", page.read_text())}
    for path in sorted((source.ROOT / "ui").glob("*.ui")):
        if re.search(r'<template class="\w+" parent="(?:Gtk\w*(?<!Scrolled)(?:Window|Dialog)|GuiStartDialog)"', path.read_text()):
            name = PICTURES.get(path.stem, path.stem) + ".png"
            if name not in shown:
                yield f"ui/{path.name}: the manual shows no {name}"


def read_code():
    return "".join(path.read_text(errors="replace") for path in source.list_sources())


def find_false_names():
    """Files, variables of the environment and options that a page names and that are not there."""
    code = read_code()
    macros = (source.ROOT / "src/agent/include/pddt.h").read_text()
    for page in PAGES:
        text = page.read_text().replace("\\", "")
        for name in re.findall(r"`((?:src|tests|data|ui|po)/[\w/.-]+)`", text):
            if not (source.ROOT / name).exists():
                yield f"{source.name(page)}: names {name}, which is not there"
        for name in set(re.findall(r"\bPDDT_[A-Z_]+", text)):
            if f'"{name}"' not in code and f"{name}(" not in macros and f"#ifdef {name}\n" not in macros:
                yield f"{source.name(page)}: names {name}, which nothing reads"
        for name in set(re.findall(r"\bset option ([a-z][a-z-]*)", text)):
            if f'{{ "{name}", ' not in code:
                yield f"{source.name(page)}: names the option {name}, which there is not"


def find_missing_variables():
    """A user's variable is in the manual page, a maintainer's in HACKING.md."""
    pages = "".join((source.ROOT / page).read_text() for page in ("doc/pddt.1.md", "HACKING.md")).replace("\\", "")
    for name in sorted(set(re.findall(r'getenv \("(PDDT_[A-Z_]+)"', read_code()))):
        if name not in pages:
            yield f"neither doc/pddt.1.md nor HACKING.md describes {name}"


def find_false_parts():
    """The suites and the parts of ./check are those that HACKING.md lists, and README.md names none that is not there."""
    hacking, check = (source.ROOT / "HACKING.md").read_text(), (source.ROOT / "check").read_text()
    parts = re.search(r'^parts="(.*)"$', check, re.M)[1].split()
    listed = re.search(r"adds the longer tests: (.*?), a bare\s", hacking, re.S)[1]
    if re.findall(r"`(\w+)`", listed) != parts:
        yield f"HACKING.md: the parts of ./check --long are {parts}"
    suites = set()
    for path in (source.ROOT / "tests").rglob("meson.build"):
        for names in re.findall(r"suite: (\[[^]]*\]|'\w+')", path.read_text()):
            suites |= set(re.findall(r"'(\w+)'", names))
    listed = re.search(r"suites are (.*?)\. `", hacking, re.S)[1]
    if not suites or suites - set(re.findall(r"`(\w+)`", listed)):
        yield f"HACKING.md: the suites are {sorted(suites)}"
    for word, part in {"sanitizers": "sanitized", "repeated runs": "repeats", "fuzzing": "fuzz", "benchmarks": "bench",
                       "bare Debian": "fresh"}.items():
        if word in (source.ROOT / "README.md").read_text() and part not in parts:
            yield f"README.md: says {word}, which ./check --long does not have"


def find_long_readme():
    n_lines = len((source.ROOT / "README.md").read_text().splitlines())
    if n_lines > MAX_README:
        yield f"README.md: {n_lines} lines, at most {MAX_README}"


def find_long_lines():
    """A row of a table, an answer of pddt and an address have the length that they have."""
    for page in PAGES:
        if page.name == "commands.md": # generated
            continue
        text = re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), page.read_text(), flags=re.M | re.S)
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > MAX_LINE and not line.startswith(("|", "    ")) and "://" not in line:
                yield f"{source.name(page)}:{number}: {len(line)} characters, at most {MAX_LINE}"


source.finish([*find_dead_links(), *find_false_sessions(), *find_missing_options(), *find_missing_folders(), *find_missing_top_folders(), *find_missing_chapters(),
               *find_missing_pictures(),
               *find_windows_without_picture(), *find_false_names(), *find_missing_variables(), *find_false_parts(), *find_long_readme(), *find_long_lines()])
