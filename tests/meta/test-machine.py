# SPDX-License-Identifier: GPL-3.0-or-later
"""What an instruction set decides stands in files that are named for it: nothing else has its registers' names,
its trap, its relocations or the kernel's block of registers, and nothing else differs by it. An ELF image's header
and notes are read by base/elf.c alone; inside ranks, which have no base, trace-place.c looks for their build-ids."""
import re

import source

WORDS = re.compile(r"\b(rip|rsp|0xcc|R_X86_64\w*|EM_X86_64|X86_INS_\w+|PTRACE_[GS]ETREGS|u_debugreg|"
                   r"user_regs\w*|__x86_64__|__aarch64__|REGISTER_R[A-Z0-9]+)\b|\bcode\[[^]]*\] [!=]= 0x\w+")
ELF_WORDS = re.compile(r"\b(Elf64_[EN]hdr|ELFMAG|NT_GNU_BUILD_ID)\b")
# The layer's own header says what the kernel's block of registers is called, the same for all; the filter
# of system calls wants the architecture's number.
ALLOWED = {"src/machine/registers.h": {"user_regs_struct"}, "src/base/confine.c": {"__x86_64__", "__aarch64__"}}


def find_problems():
    for path in source.list_sources():
        if path.name.startswith("x86-64"):
            continue
        text = source.strip_comments(path.read_text(errors="replace"))
        for number, line in enumerate(text.splitlines(), 1):
            for word in (match[0] for match in WORDS.finditer(line)):
                if word not in ALLOWED.get(source.name(path), ()):
                    yield f"{source.name(path)}:{number}: {word} belongs to the layer machine"
            for word in ELF_WORDS.findall(line):
                if source.name(path) not in ("src/base/elf.c", "src/agent/trace-place.c"):
                    yield f"{source.name(path)}:{number}: {word} belongs to base/elf.c"


source.finish([*find_problems()])
