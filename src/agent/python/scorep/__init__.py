# SPDX-License-Identifier: GPL-3.0-or-later
"""The module of Score-P's Python bindings, for scripts and commands that were written for it: pddt records.

    python3 -m scorep [options] script.py [arguments]

with the folder of this module on PYTHONPATH, and nothing in front. See the chapter on tracing in pddt's manual."""
__all__ = ["instrumenter", "user", "__version__"]
__version__ = "4.4.0"  # of the bindings whose interface this is

from scorep import instrumenter, user  # noqa: E402,F401
