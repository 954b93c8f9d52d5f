# SPDX-License-Identifier: GPL-3.0-or-later
"""po/POTFILES lists exactly the files that have something to translate, and every language of
po/LINGUAS has its catalogue, with words for everything. With --update it writes POTFILES."""
import re
import shutil
import subprocess
import sys
import tempfile

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


def run(*words):
    return subprocess.run(words, cwd=source.ROOT, capture_output=True, text=True, check=False)


def find_gaps(files):
    """What a language has no words for, or wrong ones."""
    tools = ["xgettext", "msgmerge", "msgattrib", "msgfmt"]
    if not all(map(shutil.which, tools)):
        return
    with tempfile.TemporaryDirectory() as folder:
        run("xgettext", "--from-code=UTF-8", "-k_", "-kN_", "-kngettext:1,2", "--no-location",
            "-o", folder + "/all.pot", *files)
        for language in [w for line in read_list(source.ROOT / "po/LINGUAS") for w in line.split()]:
            run("msgmerge", "-q", "--no-fuzzy-matching", "-o", folder + "/it.po",
                f"po/{language}.po", folder + "/all.pot")
            lacking = run("msgattrib", "--untranslated", "--no-wrap", folder + "/it.po").stdout
            lacking = re.sub(r'"\n"', "", lacking)  # one that has several lines stands on several
            for text in re.findall(r'^msgid "(.+)"$', lacking, re.M):
                yield f"po/{language}.po: lacks \"{text}\""
            wrong = run("msgfmt", "-c", "-o", "/dev/null", f"po/{language}.po")
            if wrong.returncode != 0:
                yield f"po/{language}.po: {wrong.stderr.strip()}"


files = sorted(find_files())
if "--update" in sys.argv[1:]:
    (source.ROOT / "po/POTFILES").write_text(HEADER + "".join(f + "\n" for f in files))
source.finish([*find_problems(files), *find_gaps(files)])
