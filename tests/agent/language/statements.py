# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of statement of the language reference, in one line and in several, each in a function of its
own: the test compares where pddt stops with bdb of the same interpreter."""
import asyncio
import contextlib
import sys

TRACE = []


def simple_statements(a):
    a
    b = c = a
    b += 1
    d: int = b
    e: int
    assert d, "no"
    pass
    del c
    (b, *f) = a, b, d
    b; f; d = 2
    if (n := d) > 1: b = n
    import os
    from os import path, sep
    global TRACE
    return (a +
            b)


def nothing(): pass


def one_line(x): return x + 1


def one_line_two(x): y = x; return y


def branches(x):
    if x == 0:
        y = 1
    elif x == 1:
        y = 2
    else:
        y = 3
    if not x: y = 4
    else: y = 5
    z = 1 if x else \
        2
    return (x and
            y or
            z)


def loops(n):
    total = 0
    for i in range(n):
        if i == 1:
            continue
        total += i
    else:
        total += 1
    while total > 0:
        total -= 1
        if total == 1:
            break
    else:
        total = 9
    for i in range(n): total += i
    while total > 2: total -= 1
    for i in range(n):
        for k in range(2): total += k
    while True:
        break
    while total < 5:
        total += 1
    return total


def comprehensions(n):
    a = [i for i in range(n)]
    b = {i: i for i in range(n)}
    c = {i for i in range(n) if i}
    d = sum(i for i in range(n))
    e = [[k for k in range(2)] for i in range(n)]
    f = [i
         for i in range(n)
         if i > 0]
    return [one_line(i) for i in
            a]


def lambdas(n):
    f = lambda x: x + n
    g = lambda x: (lambda y: y)(x)
    h = sorted([3, 1, 2], key=lambda x: -x)
    k = (lambda:
         n)
    return f(1) + g(2) + len(h) + k()


def raises(kind):
    try:
        if kind == 0:
            raise ValueError("a")
        if kind == 1:
            raise KeyError from None
        x = 1 // (kind - 2)
    except ValueError as error:
        x = 2
    except (KeyError, IndexError):
        x = 3
    except ZeroDivisionError: x = 4
    else:
        x = 5
    finally:
        x += 1
    try: x += 1
    finally: x += 2
    return x


def nested_raises():
    try:
        try:
            raise KeyError
        except ValueError:
            pass
        finally:
            x = 1
    except KeyError:
        x = 2
    for i in range(2):
        try:
            continue
        finally:
            x += 1
    try:
        return x
    finally:
        x = 3


def through():
    raise RuntimeError


def catches():
    try:
        through()
    except RuntimeError:
        return 1


@contextlib.contextmanager
def managed():
    yield 1


class Manager:
    def __enter__(self): return self

    def __exit__(self, *error):
        return True


def withs():
    with Manager() as m:
        x = 1
    with Manager() as m, Manager() as o:
        x = 2
    with Manager(): x = 3
    with Manager():
        raise ValueError
    with managed() as y:
        x = y
    with Manager() as m:
        return x


def generator(n):
    for i in range(n):
        x = yield i
    yield from (i for i in range(2))
    return n


def consumes():
    for i in generator(2):
        x = i
    a = list(generator(1))
    g = generator(1)
    next(g)
    g.close()
    return a


def outer():
    x = 0

    def inner(y=1,
              z=2):
        nonlocal x
        x += y
        return z

    inner()
    return inner(
        2,
        z=one_line(3))


def decorated_by(f):
    def wrapper(*words):
        return f(*words)
    return wrapper


@decorated_by
@decorated_by
def decorated(x):
    return x


class Plain:
    """Text."""
    x = 1
    y: int = 2

    def method(self):
        return self.x

    @property
    def value(self): return self.y

    @staticmethod
    def static(): return 3

    class Inner:
        z = 3

    if x:
        w = 4
    for v in range(2): pass


class Empty: pass


def classes():
    class Local(Plain):
        a = 1

        def __repr__(self): return "local"
    p = Local()
    repr(p)
    p.method(); p.value; p.static()
    return p


def long_lines(a):
    b = one_line(
        one_line(a)
    )
    c = [
        1,
        a,
        one_line(b),
    ]
    d = {"x": a,
         "y": one_line(1)}
    e = f"{a} {one_line(b)}" \
        f"{c}"
    assert (a and
            b)
    f = a < \
        b < \
        10
    return one_line(a) + one_line(b) if a \
        else one_line(c)


def recursion(n):
    if n == 0:
        return 0
    return 1 + recursion(n - 1)


async def waits(n):
    await asyncio.sleep(0)
    return n


class Asynchronous:
    async def __aenter__(self): return self

    async def __aexit__(self, *error): return False


async def produces(n):
    for i in range(n):
        yield i
        await asyncio.sleep(0)


async def asynchronous():
    a = await waits(1)
    async for i in produces(2):
        a += i
    async for i in produces(2): a += i
    async with Asynchronous() as m:
        a += 1
    b = [i async for i in produces(2)]
    c = [await waits(i) for i in range(2)]
    d = await asyncio.gather(waits(1), waits(2))
    return a


def targets(pairs):
    [a, *b] = pairs
    (c, (d, *e)), *f = pairs
    for g, (h, *i) in pairs: a = h
    for x, *y in [(1, 2, 3)]:
        a = y
    store = {}
    store["k"], store["l"] = 1, [
        2,
        3]
    store["l"][0:1] = [4]
    store["l"][0] += 5
    del store["k"], store["l"][0]
    del (a,
         b)
    m = [*c_list(c), *e]
    n = {**store,
         "o": 1}
    return m, n


def c_list(c): return [c]


def parameters(a, b=1, *c, d=lambda: 2, e=(3,
                                          4), **f):
    def inner(g=a, *, h=(lambda: b)):
        return h()
    return inner() + d() + inner(
        h=lambda: 5)


def marked(kind):
    kind.mark = 1
    return kind


class Meta(type):
    def __new__(mcs, name, bases, space, **words):
        return super().__new__(mcs, name, bases, space)


@marked
class Made(Plain, metaclass=Meta,
           word=1):
    z: "int" = 4
    (u, *v) = 1, 2
    w = [k for k in range(2)]
    t = (lambda self: self.z)
    if z > 3:
        def method(self): return 6
    else:
        def method(self): return 7


def raises_again():
    try:
        try:
            assert False, \
                "no"
        except AssertionError as error:
            raise KeyError("k") from error
    except KeyError:
        try:
            raise
        except KeyError: pass
    for i in range(2):
        try:
            if i == 0:
                continue
            break
        finally:
            i = 3
    while True:
        try:
            return i
        finally:
            i += 1


def throws_in():
    def receiver():
        while True:
            try:
                x = yield
            except ValueError:
                y = 1
            except GeneratorExit:
                return
            else:
                y = x
    g = receiver()
    next(g)
    g.send(2)
    g.throw(ValueError())
    g.close()
    return [x for y in [[1, 2], [3]]
            for x in y if x > 1 if x]


async def asynchronous_more():
    agen = produces(2)
    a = await agen.asend(None)
    await agen.aclose()
    async with Asynchronous() as b, Asynchronous() as c:
        return (await waits(a),
                {k: await waits(k) async for k in produces(1)})


def statements_in_text():
    space = {"one_line": one_line}
    exec("x = one_line(1)\ny = 2", space)
    return eval("one_line(x)", space)


def main():
    simple_statements(1)
    nothing(); one_line(1); one_line_two(2)
    for x in range(3): branches(x)
    loops(3)
    comprehensions(2)
    lambdas(1)
    for kind in range(4): raises(kind)
    nested_raises()
    catches()
    withs()
    consumes()
    outer()
    decorated(1)
    classes()
    long_lines(1)
    recursion(2)
    asyncio.run(asynchronous())
    targets([(1, (2, 3)), (4, (5, 6))])
    parameters(1)
    Made().method()
    raises_again()
    throws_in()
    asyncio.run(asynchronous_more())
    statements_in_text()


main()
