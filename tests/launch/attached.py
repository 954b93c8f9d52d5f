# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits for the end of its input, inside a function."""
import sys


WORD = "seven"


def work(name):
    total = 0
    for line in sys.stdin:  # @ wait
        total += len(line)
    return name, total


print("ready", flush=True)
work(WORD)
print("worked")
sys.exit(7)
