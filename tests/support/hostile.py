# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that could drive a terminal, forge an answer, reverse the direction of writing or become markup; a program in C
all of whose names have such text, and one in Python."""
import os
import re
import subprocess

FORGED = "0: exited 0"
MARKUP = "<evil a='b'>&\"quoted\""
POISON = f"\033[2J\n{FORGED}\n\u202e\u009b2J{MARKUP}%s%n"
# Names of Python functions, which go through every way out: see tests/command/test-funnels.py.
NAMES = ["\x1b]0;evil\x07", f"evil\n{FORGED}\r\ttab", MARKUP, "</script><evil>", "=evil(1)", "+evil",
         "-evil", "@evil", "evil\u202egnp\u2066\ufeff\u009b2J", "evil;1 2", "evil%s%n\\x", "evil" * 2000, "evil\udcff",
         "$(touch evil) `touch evil`", "#evil", "[evil](http://evil)", "'; evil --"]
# Further cells that a table's program may take for formulas.
FORMULAS = [" =evil(1)", "evil;=evil(1)", "evil; @evil", "\uff1devil(1)"]
PROGRAM = """
import time
NAMES = %r
space = {"time": time}
for name in NAMES:
    code = compile("def f():\\n    end = time.monotonic() + 0.03\\n    while time.monotonic() < end:\\n        pass\\n",
                   "evil" + name.replace("/", "|") + ".py", "exec")
    exec(code, space)
    f = space["f"]
    try:
        qualified = {"co_qualname": name} if hasattr(f.__code__, "co_qualname") else {}
        f.__code__ = f.__code__.replace(co_name=name, **qualified)
    except UnicodeEncodeError:
        continue
    f.__name__ = f.__qualname__ = name
    f()
print("done")
"""
# The bytes in DWARF and in file names, as the assembler writes them.
BYTES = "".join(f"\\{byte:03o}" for byte in POISON.encode())
# All of them except newline and tab.
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff]")


def build(source, folder):
    """tests/command/hostile.c with the poison after its own name and after each name that begins with
    evil_."""
    assembly = os.path.join(folder, "evil.s")
    subprocess.run(["cc", "-g", "-O0", "-S", "-o", assembly, source], check=True)
    with open(assembly, encoding="utf-8") as file:
        text = file.read()
    text, n = re.subn(r'\.string\t"(evil_\w+)"', lambda m: f'.string\t"{m.group(1)}{BYTES}"', text)
    assert n >= 12, n
    text, n = re.subn(r'(\.file \d+ (?:"[^"]*" )?"[^"]*)hostile\.c"', lambda m: f'{m.group(1)}evil_file{BYTES}.c"', text)
    assert n >= 1, text[:500]
    with open(assembly, "w", encoding="utf-8") as file:
        file.write(text)
    program = os.path.join(folder, "evil_program" + POISON)
    subprocess.run(["cc", "-g", "-o", program, assembly], check=True)
    return program
