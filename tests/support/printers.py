# SPDX-License-Identifier: GPL-3.0-or-later
"""gdb shows the containers of C++ by printers that come with the compiler's library, whose words differ with its version. What pddt
says, in the words of the printers that are installed: nothing else of it changes."""
import functools
import glob
import re

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


def leave_out_arguments(text):
    """What an optional may contain: newer printers name the template alone."""
    begin, out = "std::optional<", ""
    while begin in text:
        before, _, rest = text.partition(begin)
        depth, at = 1, 0
        while at < len(rest) and depth:
            depth += {"<": 1, ">": -1}.get(rest[at], 0)
            at += 1
        is_shown = rest[at:].startswith((" = {[contained value]", " [no contained value]", " containing "))
        out += before + ("std::optional" if is_shown else begin + rest[:at])
        text = rest[at:]
    return out + text


def word(text):
    printers = read_printers()
    if "self._count - 1" not in printers:
        text = number_tuples_from_one(text)
    return text if "std::\\1\\3<%s>" in printers else leave_out_arguments(text)
