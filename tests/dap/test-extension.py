# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension of VS Code: its fields are those that pddt reads, and it does what it says, with a stand-in for VS Code."""
import json
import os
import re
import shutil
import subprocess
import sys

SOURCE = os.environ["PDDT_SOURCE_ROOT"]
FOLDER = os.path.join(SOURCE, "data", "vscode")

with open(os.path.join(FOLDER, "package.json"), encoding="utf-8") as file:
    debugger = json.load(file)["contributes"]["debuggers"][0]
life = ""
for part in ("life", "setup", "sources", "terminal"):
    with open(os.path.join(SOURCE, "src", "dap", f"{part}.c"), encoding="utf-8") as file:
        life += file.read()
fields = {kind: set(value["properties"]) for kind, value in debugger["configurationAttributes"].items()}
read = set(re.findall(r'(?:request->arguments,|request,|json_object_get \(request->arguments,)\s*"(\w+)"', life))
for name in sorted(fields["launch"] | fields["attach"]):
    if name not in read:
        sys.exit(f"package.json has the field {name!r}, which src/dap does not read: it reads {sorted(read)}")
for snippet in [*debugger["initialConfigurations"], *(one["body"] for one in debugger["configurationSnippets"])]:
    unknown = set(snippet) - fields[snippet["request"]] - {"type", "request", "name"}
    if unknown:
        sys.exit(f"a snippet has fields that nobody reads: {unknown}")
node = shutil.which("node")
if node is None:
    print("skipped: node is not installed")
    sys.exit(77)
sys.exit(subprocess.run([node, os.path.join(SOURCE, "tests", "dap", "extension.js"), FOLDER], check=False).returncode)
