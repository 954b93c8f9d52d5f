# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocol's own test client, of npm by a lock file: it reads the messages by another hand than ours."""
import os
import shutil
import subprocess
import sys

import pddt

SOURCE = os.path.join(pddt.SOURCE, "tests", "dap", "client")
FOLDER = os.path.join(os.environ["PDDT_BUILD_ROOT"], "tests", "dap", "client")
RING_PY = os.path.join(pddt.SOURCE, "tests", "dap", "ring.py")
RING_C = os.path.join(pddt.SOURCE, "tests", "mpi", "ring.c")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def install():
    """Once; without a registry there is no such client."""
    os.makedirs(FOLDER, exist_ok=True)
    for name in os.listdir(SOURCE):
        shutil.copy(os.path.join(SOURCE, name), FOLDER)
    if os.path.isdir(os.path.join(FOLDER, "node_modules", "@vscode", "debugadapter-testsupport")):
        return
    try:
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0"], cwd=FOLDER,
                              capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        skip("npm's registry does not answer")
    if done.returncode != 0:
        skip(f"npm cannot install the client: {done.stderr.strip().splitlines()[-1:]}")


for program in ("node", "npm"):
    if shutil.which(program) is None:
        skip(f"{program} is not installed")
install()
words = ["node", "client.js", pddt.PDDT, os.path.abspath(sys.argv[1]), RING_C, str(pddt.mark(RING_C, "add")),
         pddt.PYTHON, RING_PY, str(pddt.mark(RING_PY, "square"))]
sys.exit(subprocess.run(words, cwd=FOLDER, env=pddt.ENVIRONMENT, check=False).returncode)
