#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the names and numbers of the system's calls, as the compiler's headers have them:
system-calls-generate.py OUTPUT COMPILER…"""
import re
import subprocess
import sys

text = subprocess.run([*sys.argv[2:], "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"],
                      check=True, capture_output=True, text=True).stdout
names = sorted(set(re.findall(r"^#define SYS_(\w+) __NR_\1$", text, re.M)))
with open(sys.argv[1], "w", encoding="ascii") as file:
    file.write("#include \"target/system-calls.h\"\n#include <sys/syscall.h>\n\n"
               "const TargetSystemCallName target_system_call_names[] = {\n")
    file.writelines(f'    {{ "{name}", SYS_{name} }},\n' for name in names)
    file.write("    { 0, 0 },\n};\n")
