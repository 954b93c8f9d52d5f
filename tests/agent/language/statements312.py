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


type Bound[T: (int, str), *Ts, **P] = dict[
    T, tuple[*Ts]]


class Holder[T: int](Box[T]):
    type Own = list[T]

    def put[S](self, x: T, y: S = (lambda: 1)()) -> S:
        type Local = S
        return [k for k in range(2)] and y


Holder[int]().put(1)
Bound.__value__; Holder.Own.__value__
text = f"""{
    first((3, 4))
}{text!r:>{len(text)}}"""
