# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments that keep what they are called with, and others; each function is called with 0 to 9."""


def kept(n, other=0):
    return n + other                    # @ kept


def rebound(n):
    n += 1
    return n                            # @ rebound


def looped(n):
    total = 0
    for n in range(5):
        total += n                      # @ looped
    return total


def named(n):
    if (n := n * 3) > 100:
        return 0
    return n                            # @ named


def in_cell(n):
    return (lambda: n)()                # @ in_cell


def changed(n):
    def change():
        nonlocal n
        n += 1
    change()
    return n                            # @ changed


def keyword(*, n):
    return n                            # @ keyword


def several(*n):
    return n                            # @ several


def suspended(n):
    for _ in range(3):
        yield n                         # @ suspended


def deep(n):
    if n > 0:
        return deep(n - 1)              # @ deep
    return 0


def far(n):
    A0 = A1 = A2 = A3 = A4 = A5 = A6 = A7 = 0
    return n, A0, A1, A2, A3, A4, A5, A6, A7  # @ far


for i in range(10):
    kept(i), rebound(i), looped(i), named(i), in_cell(i), changed(i), keyword(n=i), several(i)
    list(suspended(i)), deep(i), far(i)
