# SPDX-License-Identifier: GPL-3.0-or-later
"""Files with one defect each, made from a good one, through the scanner and the binder: refused or
survived. Arguments: fuzz-elf, good files."""
import os
import resource
import struct
import subprocess
import sys
import tempfile

SECTION_FIELDS = {"name": (0, "<I"), "type": (4, "<I"), "flags": (8, "<Q"), "offset": (24, "<Q"),
                  "size": (32, "<Q"), "link": (40, "<I")}
HEADER_FIELDS = {"phoff": (32, "<Q"), "shoff": (40, "<Q"), "phentsize": (54, "<H"), "phnum": (56, "<H"),
                 "shentsize": (58, "<H"), "shnum": (60, "<H"), "shstrndx": (62, "<H"), "class": (4, "<B"),
                 "data": (5, "<B"), "machine": (18, "<H")}
WRONG = [0, 1, 7, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff]
# (section, offset in it, form): lengths, versions, sizes, offsets of the first unit and its like
CONTENT = [(".debug_info", at, form) for at, form in ((0, "<I"), (4, "<H"), (6, "<B"), (7, "<B"), (8, "<I"))]
CONTENT += [(".debug_line", at, form) for at, form in ((0, "<I"), (4, "<H"), (6, "<B"), (8, "<I"), (12, "<B"),
                                                      (13, "<B"), (15, "<B"), (16, "<B"), (17, "<B"))]
CONTENT += [(".debug_abbrev", at, "<B") for at in range(0, 24, 3)]
CONTENT += [(".debug_rnglists", 0, "<I"), (".debug_loclists", 0, "<I"), (".debug_str", 0, "<Q")]


def read_sections(content):
    offset, count, strings = struct.unpack_from("<Q", content, 40)[0], *struct.unpack_from("<HH", content, 60)
    start = struct.unpack_from("<Q", content, offset + strings * 64 + 24)[0]
    found = {}
    for number in range(count):
        at = offset + number * 64
        name = start + struct.unpack_from("<I", content, at)[0]
        found[content[name:content.index(b"\0", name)].decode()] = at
    return found


def write(content, at, form, value):
    size = struct.calcsize(form)
    changed = bytearray(content)
    changed[at:at + size] = struct.pack("<Q", value & 0xffffffffffffffff)[:size]
    return bytes(changed)


def make_defects(content):
    sections = read_sections(content)
    for field, (at, form) in HEADER_FIELDS.items():
        for value in WRONG:
            yield f"header-{field}-{value:x}", write(content, at, form, value)
    for name, header in sections.items():
        if not name.startswith((".debug", ".symtab", ".strtab", ".note.gnu", ".gnu_debug")):
            continue
        for field, (at, form) in SECTION_FIELDS.items():
            for value in WRONG:
                yield f"{name}-{field}-{value:x}", write(content, header + at, form, value)
    for name, inside, form in CONTENT:
        if name in sections:
            at = struct.unpack_from("<Q", content, sections[name] + 24)[0] + inside
            for value in WRONG:
                yield f"{name}+{inside}-{value:x}", write(content, at, form, value)
    for cut in range(1, 64):
        yield f"cut-{cut}", content[:len(content) * cut // 64]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


def main():
    bad = 0
    for good in sys.argv[2:]:
        with open(good, "rb") as file:
            content = file.read()
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for name, changed in make_defects(content):
                names.append(os.path.join(folder, name))
                with open(names[-1], "wb") as file:
                    file.write(changed)
            done = subprocess.run([sys.argv[1], "0", *names], preexec_fn=limit, timeout=400)
            # the first that is not survived, alone
            for name in names if done.returncode else []:
                if subprocess.run([sys.argv[1], "0", name], preexec_fn=limit).returncode:
                    print("not survived:", os.path.basename(good), os.path.basename(name))
                    bad += 1
                    break
            print(os.path.basename(good), len(names), "defects")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
