# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a program all of whose names hold text that could drive a terminal, forge an answer or reverse the
direction of writing."""
import os
import re
import subprocess

FORGED = "0: exited 0"
POISON = f"\033[2J\n{FORGED}\n\u202e\u009b2J"
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
