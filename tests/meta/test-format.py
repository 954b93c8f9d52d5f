# SPDX-License-Identifier: GPL-3.0-or-later
"""The C of src and of the tests has the form that .clang-format gives it."""
import re
import shutil
import subprocess
import sys

import source

VERSION = "14"  # each version has a form of its own
PATTERNS = ["src/**/*.[ch]", "tests/*/test-*.c", "tests/bench/bench-*.c", "tests/support/*.[ch]",
            "tests/fuzz/*.[ch]"]

program = shutil.which("clang-format-" + VERSION) or shutil.which("clang-format")
said = program and subprocess.run([program, "--version"], capture_output=True, text=True).stdout
if not program or f"version {VERSION}." not in said:
    print(f"skipped: clang-format {VERSION} is not installed")
    sys.exit(source.SKIPPED)
paths = sorted({path for pattern in PATTERNS for path in source.ROOT.glob(pattern)})
answer = subprocess.run([program, "--dry-run", *map(str, paths)], capture_output=True, text=True,
                        check=True)
places = re.findall(r"^(\S+?):(\d+):\d+: warning: code should be clang-formatted", answer.stderr,
                    re.M)
source.finish([f"{path}:{line}: clang-format gives it another form" for path, line in places])
