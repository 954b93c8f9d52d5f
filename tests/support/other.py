# SPDX-License-Identifier: GPL-3.0-or-later
"""Another user, whose programs root debugs: a uid without an account on this machine, and a temporary
folder. Only root can change to another user; otherwise the test is skipped."""
import atexit
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

import pddt

UID = 64123
GID = 64124
SKIP = 77


def need_root():
    if os.geteuid() != 0:
        print("skipped: only root can debug another user's job")
        sys.exit(SKIP)


@contextlib.contextmanager
def folder():
    """A folder of the other user's that everybody may read."""
    path = tempfile.mkdtemp(prefix="pddt-other-")
    os.chmod(path, 0o755)
    os.chown(path, UID, GID)
    try:
        yield path
    finally:
        shutil.rmtree(path)


def give(path, *files):
    """Copies files into the other user's folder; the copies belong to that user."""
    copies = []
    for file in files:
        copies.append(shutil.copy(file, path))
        os.chown(copies[-1], UID, GID)
    return copies[0] if len(copies) == 1 else copies


def become(uid=UID, gid=GID):
    return ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups"]


def start(words, uid=UID, gid=GID, **variables):
    """Starts a program of the other user's, which ends with the test even if that fails."""
    process = subprocess.Popen(become(uid, gid) + words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True, env=dict(pddt.ENVIRONMENT, **variables))
    atexit.register(process.kill)
    return process


def end(process):
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def read_status(pid, field):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(field + ":"):
                return line.split()[1:]
    return []
