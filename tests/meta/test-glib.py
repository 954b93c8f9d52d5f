# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources compile with newer versions of GLib too: many of its functions are macros there (g_string_append since 2.76),
and a macro takes the commas of a compound literal, which stand in braces, for its own."""
import re

import source

CALL = re.compile(r"\bg_[a-z0-9_]+ \(")


def splits(text, at):
    """A comma stands in braces, but in no further brackets, before the bracket that closes the one before `at`."""
    rounds, braces = 1, 0
    while rounds > 0 and at < len(text):
        rounds += {"(": 1, ")": -1}.get(text[at], 0)
        braces += {"{": 1, "}": -1}.get(text[at], 0)
        if text[at] == "," and rounds == 1 and braces > 0:
            return True
        at += 1
    return False


def hide_texts(text):
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', lambda m: '"' + "." * (len(m[0]) - 2) + '"', text)


def find_problems():
    folders = (source.SRC, source.ROOT / "tests", source.ROOT / "data")
    for path in (path for folder in folders for path in source.list_sources(folder)):
        text = hide_texts(source.strip_comments(path.read_text(errors="replace")))
        for call in CALL.finditer(text):
            if splits(text, call.end()):
                number = text.count("\n", 0, call.start()) + 1
                yield f"{source.name(path)}:{number}: a compound literal with a comma within {call[0][:-2]}: put brackets around it"


source.finish([*find_problems()])
