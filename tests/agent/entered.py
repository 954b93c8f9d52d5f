# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that are called repeatedly with changing variables: entered, suspended, recursive,
and left by an exception."""


def recurse(n):
    n -= 1                          # @ recurse
    return recurse(n) if n > 0 else 0


def suspend(k):
    k += 1
    yield k
    k += 1                          # @ suspend
    yield k


def fail(v):
    v += 1
    raise ValueError(v)             # @ fail


def short(x): return x


class Box:
    def method(self, q=3):
        q += 1
        return q                    # @ method


for i in range(20):
    recurse(5)
    list(suspend(i))
    try:
        fail(i)
    except ValueError:
        pass
    short(i)
    Box().method()
    Box().method(i)
