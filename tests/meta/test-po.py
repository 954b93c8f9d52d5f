# SPDX-License-Identifier: GPL-3.0-or-later
"""po/POTFILES lists exactly the files that have something to translate, and every language of
po/LINGUAS has its catalogue. With --update it writes POTFILES."""
import re
import sys

import source

CALLS = re.compile(r"(?<![\w])(?:N?_|N?C_|(?:g_)?d?c?n?p?gettext|NC_|ngettext|g_dngettext) ?\(")
UI = re.compile(r'translatable="(?:yes|true|1)"')
HEADER = "# SPDX-License-Identifier: GPL-3.0-or-later\n"


def find_files():
    for path in source.list_sources():
        if CALLS.search(source.strip_comments(path.read_text(errors="replace"))):
            yield source.name(path)
    for path in source.list_sources(source.ROOT / "ui", (".ui",)):
        if UI.search(path.read_text(errors="replace")):
            yield source.name(path)


def read_list(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def find_problems(wanted):
    potfiles = source.ROOT / "po/POTFILES"
    if not potfiles.exists():
        yield "po/POTFILES: is missing"
    listed = read_list(potfiles)
    for path in sorted(set(wanted) - set(listed)):
        yield f"po/POTFILES: lacks {path}"
    for path in sorted(set(listed) - set(wanted)):
        yield f"po/POTFILES: lists {path}, which has nothing to translate"
    for path in sorted(p for p in set(listed) if listed.count(p) > 1):
        yield f"po/POTFILES: lists {path} twice"
    languages = [word for line in read_list(source.ROOT / "po/LINGUAS") for word in line.split()]
    if not languages:
        yield "po/LINGUAS: names no language"
    for language in languages:
        if not (source.ROOT / f"po/{language}.po").exists():
            yield f"po/LINGUAS: {language} has no po/{language}.po"


files = sorted(find_files())
if "--update" in sys.argv[1:]:
    (source.ROOT / "po/POTFILES").write_text(HEADER + "".join(f + "\n" for f in files))
source.finish(list(find_problems(files)))
