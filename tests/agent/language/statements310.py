# SPDX-License-Identifier: GPL-3.0-or-later
"""What 3.10 added to statements.py's."""


def matches(x):
    match x:
        case 0:
            y = 1
        case [a, b] if a > b:
            y = 2
        case [a, b]: y = 3
        case {"k": v}:
            y = v
        case str() | bytes():
            y = 4
        case _:
            y = 5
    return y


class Enter:
    def __enter__(self): return self

    def __exit__(self, *error): pass


def withs():
    with (Enter() as a,
          Enter() as b):
        return a


for value in (0, [2, 1], [1, 2], {"k": 6}, "s", 7.5): matches(value)
withs()
