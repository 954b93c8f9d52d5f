# SPDX-License-Identifier: GPL-3.0-or-later
"""gdb's words differ with its version, and with that of the compiler's library, which brings printers of the containers of C++.
What pddt says, in the words of those that are installed: nothing else of it changes."""
import functools
import glob
import re
import subprocess

TUPLE = "std::tuple containing = {"
TOKEN = re.compile(re.escape(TUPLE) + r"|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])+'|[{}]|\[\d+\] = |.", re.DOTALL)


@functools.cache
def read_printers():
    found = glob.glob("/usr/share/gcc*/python/libstdcxx/v6/printers.py")
    if not found:
        return ""
    with open(sorted(found)[-1], encoding="utf-8") as file:
        return file.read()


def number_tuples_from_one(text):
    """The parts of tuples, as to GCC 12; std::get counts from 0."""
    out, braces = [], []
    for token in TOKEN.findall(text):
        if token[-1] == "{":
            braces.append(token == TUPLE)
        elif token == "}" and braces:
            braces.pop()
        elif token[0] == "[" and len(token) > 1 and braces and braces[-1]:
            token = f"[{int(token[1:-4]) + 1}] = "
        out.append(token)
    return "".join(out)


SHOWN = re.compile(r"std::(optional|variant)<")
CONTENTS = (" = {[contained value]", " [no contained value]", " containing ", " [index ")


def leave_out_arguments(text):
    """What an optional or a variant may contain: newer printers name the template alone."""
    out, found = "", SHOWN.search(text)
    while found:
        depth, at = 1, found.end()
        while at < len(text) and depth:
            depth += {"<": 1, ">": -1}.get(text[at], 0)
            at += 1
        out += text[:found.start()] + (found[0][:-1] if text[at:].startswith(CONTENTS) else text[found.start():at])
        text = text[at:]
        found = SHOWN.search(text)
    return out + text


@functools.cache
def find_version():
    said = subprocess.run(["gdb", "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    found = re.search(r" (\d+)\.\d+\S*$", said.split("\n", maxsplit=1)[0])
    return int(found[1]) if found else 0


def spell(text):
    """All that gdb may say for it."""
    printers = read_printers()
    if "self._count - 1" not in printers:
        text = number_tuples_from_one(text)
    if "std::\\1\\3<%s>" not in printers:
        text = leave_out_arguments(text)
    said = [text]
    if find_version() < 16:
        # the length of a text of Fortran that is known at run time alone
        said.append(re.sub(r"^type = character\*(\d+)$", r"type = character (\1)", text))
        # an enumeration without a name is a set of flags
        if re.fullmatch(r"-?\d+", text):
            said += [f"(unknown: {int(text) & (1 << bits) - 1:#x})" for bits in (8, 16, 32, 64)]
    return said
