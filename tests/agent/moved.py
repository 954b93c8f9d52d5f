# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes its working directory. Argument: the new one."""
import os
import sys
import time


def work(n):
    n += 1                          # @ moved
    return n


os.chdir(sys.argv[1])
print("ready", flush=True)          # @ away
while "wait" in sys.argv:
    time.sleep(0.01)
    work(1)
work(1)
