# SPDX-License-Identifier: GPL-3.0-or-later
"""What 3.12 added to statements.py's."""
type Pair[T] = tuple[T, T]


def first[T](pair: Pair[T]) -> T:
    return pair[0]


class Box[T]:
    value: T

    def get(self) -> T: return self.value


box = Box[int]()
box.value = first((1, 2))
box.get()
text = f"{box.get()} {f'{first((1, 2))}'}"
Pair.__value__
