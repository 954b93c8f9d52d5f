# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts may use of the bindings' module of this name. pddt itself needs none of it."""
import os


def add_to_ld_library_path(path):
    """Puts the folder in front of LD_LIBRARY_PATH, for programs that are started from now on, unless it is there."""
    folders = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    if path not in folders:
        os.environ["LD_LIBRARY_PATH"] = ":".join([path] + folders)
