# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of names that libraries have too, of packages, aliases and re-exports."""
import json as notation
import os.path
import posixpath
import tokenize
from json import loads

import named
from named import work as alias


def find(text):
    return text                         #@ find


class Solver:
    def find(self):
        return 2                        #@ method

    def step(self):
        return 3                        #@ step


class Part(Solver):
    other = lambda self: 5              #@ other


notation.dumps([1])
loads("2")
"text".find("x")
find(1)
Solver().find()
Solver().step()
Part().other()
named.solve(1)
thing = named.Thing()
thing.run()
thing.fixed()
thing.value
alias.decorated()
os.path.basename("a/b")                #@ last
