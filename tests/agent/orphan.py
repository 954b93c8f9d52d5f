# SPDX-License-Identifier: GPL-3.0-or-later
"""A child that works after its parent has ended."""
import os
import sys
import time


def work():
    return 7                            # @ work


parent = os.getpid()
if os.fork() == 0:
    while os.getppid() == parent:
        time.sleep(0.01)
    open(sys.argv[1], "w").write(str(work()))
