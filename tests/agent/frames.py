# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that stops in a library: at a line of it, and waiting inside it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "site-packages"))
import lodger


def caller():
    thing = lodger.Box("mine")
    other = 3
    lodger.lodge(thing)                 # @ call
    print("ready", flush=True)
    lodger.wait(thing)                  # @ waits
    print(thing.name, other, flush=True)


caller()
