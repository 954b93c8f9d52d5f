# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts may use of the bindings' module of this name."""
import os


def reset_preload():
    """Gives LD_PRELOAD the value that SCOREP_LD_PRELOAD_BACKUP has kept, if anything has: nothing where that is empty."""
    before = os.environ.get("SCOREP_LD_PRELOAD_BACKUP")
    if before:
        os.environ["LD_PRELOAD"] = before
    elif before is not None:
        os.environ.pop("LD_PRELOAD", None)
