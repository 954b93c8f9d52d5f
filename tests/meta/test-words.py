# SPDX-License-Identifier: GPL-3.0-or-later
"""Phrases that were written once and that no native speaker would say do not come back: in what windows and the
command language say (strings of src and ui, with their catalogue), in the manual, and in names of the code."""
import re

import source

# What must not be read anywhere, and what to say instead.
PHRASES = [
    (r"ranks that are together", "ranks at the same place"),
    (r"turns? it round", "inverts the selection"),
    (r"what is old", "stale data"),
    (r"what takes its time", "long operations"),
    (r"begun anew", "started again"),
    (r"told by (?:their|its) (?:first )?bytes", "recognised by content"),
    (r"without being told whole", "truncated text has a tooltip"),
    (r"case of letters", "case-insensitively"),
    (r"\bthat is said\b", "pddt says so"),
    (r"\bis told, for\b", "is reported; after 30 s it counts as lost"),
    (r"\bhears? nobody\b", "ignores all requests meanwhile"),
    (r"\bgoe?s? on elsewhere\b", "resumes at another line"),
    (r"\b(?:is|are) (?:named|called) so\b", "no match"),
    (r"face that does not know", "state unknown"),
    (r"finds? no more room", "the output disk is full"),
    (r"update by itself", "auto-refresh"),
    (r"as the system", "Follow System"),
    (r"font that pddt has", "default font"),
    (r"\bheld by you\b", "paused"),
    (r"has not called it, it", "has not called it; it is still computing"),
    (r"\bcollective (?:\d|%)\S* of\b", "first collective on MPI_COMM_WORLD"),
    (r"(?:\b1|%u) signals?\b", "1 crashed (SIGSEGV)"),
    (r"\bshown by\b(?! Python)", "View Rank"),
    (r"\bshow keys\b", "Keyboard Shortcuts"),
    (r"place shown before", "Back"),
    (r"cannot tell the condition", "cannot evaluate the condition"),
    (r"what do the ranks wait for", "What are the ranks waiting for?"),
]
# Whole labels: as a part of something longer they may be right.
LABELS = {"Across": "Other Ranks", "Others": "Invert Selection", "Shown by": "View Rank", "on %s where": "Show Rank 5"}
NAMES = re.compile(r"\b\w*(?:stranger|is_apart)\w*\b")
STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')
GLUE = re.compile(r'"\s*\n\s*"')
TEXT = re.compile(r">([^<>]+)<")


def read_texts():
    """Each with the file that it is in."""
    for path in source.list_sources(suffixes=(".c", ".h", ".py")):
        code = path.read_text(errors="replace")
        code = GLUE.sub("", source.strip_comments(code)) if path.suffix != ".py" else code
        for text in STRING.findall(code):
            yield path, text
    for path in source.list_sources(source.ROOT / "ui", (".ui",)):
        for text in TEXT.findall(path.read_text()):
            yield path, text
    for path in [source.ROOT / "README.md", *source.list_sources(source.ROOT / "doc", (".md",))]:
        for text in path.read_text().split("\n\n"):
            yield path, " ".join(text.split())


problems = []
for path, text in read_texts():
    for pattern, better in PHRASES:
        found = re.search(pattern, text, re.I)
        if found:
            problems.append(f"{source.name(path)}: \"{found.group()}\" in \"{text[:60]}\": say {better}")
    if text in LABELS:
        problems.append(f"{source.name(path)}: \"{text}\": say {LABELS[text]}")
for path in source.list_sources():
    for found in NAMES.findall(path.read_text(errors="replace")):
        problems.append(f"{source.name(path)}: {found}: use the field's noun")
source.finish(problems)
