# SPDX-License-Identifier: GPL-3.0-or-later
"""Every way to call a function that has its own bytecode instruction, repeated until the
interpreter specialises it; after breakpoint() each function is called COUNT times."""
import cProfile
import functools
import sys

COUNT = 120
sys.setrecursionlimit(60000)


class Thing:
    def __getitem__(self, index):
        return index                            # @ item

    @property
    def size(self):
        return 5                                # @ property

    def __add__(self, other):
        return 7                                # @ add

    def __init__(self):
        self.made = True                        # @ init

    def __iter__(self):
        yield 1                                 # @ yield

    def __getattr__(self, name):
        return name                             # @ attribute

    def method(self):
        return self                             # @ method


def plain(first, second=2):
    return first + second                       # @ plain


def helper(self, index):
    return index                                # @ alias


class Alias:
    __getitem__ = helper


def down(depth):
    return 0 if depth == 0 else 1 + down(depth - 1)


def call_all(count):
    thing, alias = Thing(), Alias()
    bound = functools.partial(plain, 1)
    for i in range(count):
        thing[i], thing.size, thing + thing, Thing(), list(thing), thing.absent, thing.method()
        plain(i) if i % 3 else plain(i, second=3) if i % 2 else bound()
        alias[i]


call_all(COUNT)
breakpoint()
call_all(COUNT)
print(down(50000) if sys.version_info >= (3, 11) else 50000)
profile = cProfile.Profile()
profile.enable()
down(30)
profile.disable()
print([entry.callcount for entry in profile.getstats() if getattr(entry.code, "co_name", "") == "down"])
