# SPDX-License-Identifier: GPL-3.0-or-later
"""Every paragraph, list item and table row of the manual has an entry in manual-claims.txt that names the tests which
would fail if it were false. --update brings that file in step with the manual: it adds new paragraphs without a test,
drops entries of deleted ones, and puts "?" before the tests of an edited one, until somebody has looked again. The
test fails on what --update leaves open."""
import hashlib
import re
import sys

import source

CLAIMS = source.ROOT / "tests" / "meta" / "manual-claims.txt"
PAGES = ["README.md", *(f"doc/{name}.md" for name in (
    "tutorial", "coming-from", "recipes", "troubleshooting", "starting", "windows", "languages", "mpi", "clusters", "editors",
    "scripts", "profiling", "tracing", "performance", "glossary", "pddt.1", "pddtd.8", "commands", "maintainers/internals",
    "maintainers/zmtp")),
         "HACKING.md"]
# What no test can find false: a definition of a word, a pointer to another page, a rule for those who change pddt, or
# a measurement that was made once, with its date or version.
EXEMPT = {"definition", "pointer", "rule", "measured"}
MAX_EXEMPT = 0.08
HEAD = """\
# Which tests check which paragraph of the manual: read by test-manual-claims.py, written by its --update.
# An entry is the hash of a paragraph, a list item or a table row, and its first words; below it each test that would
# fail if the text were false: "FILE: TEXT", where FILE contains TEXT (a function, or what it compares). Code that
# follows a paragraph belongs to it. "definition", "pointer", "rule" and "measured" stand for what no test can check.
# doc/security.md names its tests itself, and doc/maintainers/figures.md what measured it.
"""


def split_page(text):
    """The paragraphs, items and rows of a page, each as one line."""
    text = re.sub(r"\A(?:\w+: .*\n)+\n", "", text)  # what lowdown puts into a manual page's head
    units, fenced, open_unit, after_heading = [], False, False, True
    for line in text.split("\n"):
        bare = line.strip()
        if bare.startswith("```"):
            fenced, open_unit = not fenced, False
        elif fenced or (line.startswith("    ") and not open_unit and bare):
            if after_heading:
                units.append("")
                after_heading = False
            units[-1] += " " + bare
        elif not bare or bare.startswith(("<!--", "![")):
            open_unit = False
        elif line.startswith("#"):
            open_unit, after_heading = False, True
        elif line.startswith("|"):
            units.append(bare)
            after_heading = open_unit = False
        elif re.match(r"(?:-|\d+\.) ", line) or not open_unit:
            units.append(bare)
            after_heading, open_unit = False, True
        else:
            units[-1] += " " + bare
    rows = [number for number, unit in enumerate(units) if re.fullmatch(r"[| -]+", unit)]
    headers = {number + offset for number in rows for offset in (-1, 0)}
    return [" ".join(unit.split()) for number, unit in enumerate(units) if number not in headers]


def digest(unit):
    return hashlib.sha256(unit.encode()).hexdigest()[:8]


def shorten(unit):
    """Its first words, without marks."""
    words = re.sub(r"[*`\\|]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", unit)).split()
    return " ".join(words[:8])


def read_claims():
    """{page: [(hash, first words, [tests])]}"""
    claims, page = {}, None
    for line in CLAIMS.read_text().splitlines() if CLAIMS.exists() else []:
        if line.startswith("== "):
            page = claims.setdefault(line[3:], [])
        elif line.startswith("    "):
            page[-1][2].append(line.strip())
        elif line and not line.startswith("#"):
            page.append((line[:8], line[9:], []))
    return claims


def read_manual():
    return {page: split_page((source.ROOT / page).read_text()) for page in PAGES}


def update(manual, claims):
    """An entry for each unit: its own; that of the text which began with the same words and is gone; or an empty one."""
    lines = [HEAD]
    for page, units in manual.items():
        entries = claims.get(page, [])
        known = {entry[0]: entry[2] for entry in entries}
        hashes = {digest(unit) for unit in units}
        edited = {entry[1]: entry[2] for entry in entries if entry[0] not in hashes}
        lines.append(f"== {page}")
        for unit in units:
            tests = known.get(digest(unit))
            if tests is None:
                tests = ["? " + test.removeprefix("? ") for test in edited.pop(shorten(unit), [])]
            lines += [f"{digest(unit)} {shorten(unit)}", *("    " + test for test in tests)]
        lines.append("")
    CLAIMS.write_text("\n".join(lines))


def find_false_test(test):
    """What is wrong with the line that names a test, or None."""
    if test.startswith("? "):
        return "the text was edited: see whether this still checks it"
    if test in EXEMPT:
        return None
    name, found, text = test.partition(": ")
    path = source.ROOT / name
    if not name.startswith("tests/") or not path.is_file():
        return "is no file of the tests"
    if not found:
        return "does not say what in that file checks it"
    if text not in path.read_text(errors="replace"):
        return f"{name} has no {text!r}"
    return None


def find_problems(manual, claims):
    n_units = n_exempt = 0
    for page, units in manual.items():
        entries = {entry[0]: entry for entry in claims.get(page, [])}
        for unit in units:
            entry = entries.pop(digest(unit), None)
            n_units += 1
            if entry is None:
                yield f"{page}: no entry for \"{shorten(unit)}\": --update adds it; name the tests that check it"
                continue
            if not entry[2]:
                yield f"{page}: no test for \"{shorten(unit)}\""
            if EXEMPT & set(entry[2]):
                n_exempt += 1
            for test in entry[2]:
                if wrong := find_false_test(test):
                    yield f"{page}: \"{shorten(unit)}\": {test}: {wrong}"
        for entry in entries.values():
            yield f"{page}: an entry for \"{entry[1]}\", which is not there any more: --update"
    for page in sorted(set(claims) - set(manual)):
        yield f"{page}: entries for a page that is not looked at"
    if n_exempt > MAX_EXEMPT * n_units:
        yield f"{n_exempt} of {n_units} paragraphs are definitions and pointers, at most {MAX_EXEMPT:.0%} may be"


def main():
    manual, claims = read_manual(), read_claims()
    if "--update" in sys.argv:
        update(manual, claims)
        claims = read_claims()
    source.finish(list(find_problems(manual, claims)))


main()
