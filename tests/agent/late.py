# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that come after a breakpoint was set on them, in this process and, with "fork", in a child."""
import os
import sys


def early():
    return 1                            # @ early


def work():
    import json
    exec("def late():\n    return 5\n", globals())
    total = early()                     # @ call
    return total, late(), json.dumps([1])


if "fork" in sys.argv:
    child = os.fork()
    if child == 0:
        early()
        print("child", work(), flush=True)
        os._exit(3)
    print("parent", early(), os.WEXITSTATUS(os.waitpid(child, 0)[1]), flush=True)
else:
    print("alone", work(), flush=True)
