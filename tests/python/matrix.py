# SPDX-License-Identifier: GPL-3.0-or-later
"""One thread for each way that Python code comes to run; each notes its own stack, as Python sees
it, and blocks on the very line that it noted.

The report is as in frames.py: "thread IDENT", then "FUNCTION|FILE|LINE", innermost first.
"""
import asyncio
import contextlib
import ctypes
import functools
import gc
import importlib
import itertools
import os
import re
import sys
import tempfile
import threading
import weakref

lock = threading.Lock()
reports = []
libc = ctypes.CDLL(None)
Compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int),
                           ctypes.POINTER(ctypes.c_int))
CallObject = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)
scenarios = []


def name_of(code):
    return getattr(code, "co_qualname", code.co_name)


def note(frame):
    lines = ["thread %d" % threading.get_ident()]
    while frame is not None:
        lines.append("%s|%s|%d" % (name_of(frame.f_code), frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    reports.append(lines)


def park(*unused):
    note(sys._getframe()); lock.acquire()
    return 1


def scenario(function):
    scenarios.append(function)
    return function


@scenario
def plain():
    return 1 + park() + sum(
        [2,
         3])


@scenario
def generators():
    def inner(n):
        yield n
        yield park()

    def middle(n):
        yield 0
        yield from inner(n)

    for _ in middle(1):
        list(value for value in middle(2) if value)


@scenario
def thrown():
    def waits():
        try:
            yield 1
        except ValueError:
            park()

    def delegates():
        yield from waits()

    generator = delegates()
    next(generator)
    generator.throw(ValueError("in"))


@scenario
def closed():
    def waits():
        try:
            yield 1
        finally:
            park()

    generator = waits()
    next(generator)
    del generator


@scenario
def coroutines():
    class Manager:
        async def __aenter__(self):
            return self

        async def __aexit__(self, *unused):
            return await innermost()

    class Counter:
        def __aiter__(self):
            return self

        async def __anext__(self):
            async with Manager():
                return 1

    async def innermost():
        return park()

    async def numbers():
        async for number in Counter():
            yield number

    async def outer():
        return [number async for number in numbers()]

    outer().send(None)


@scenario
def event_loop():
    async def leaf():
        await asyncio.sleep(0)
        park()

    async def root():
        await asyncio.gather(leaf(), asyncio.sleep(5))

    asyncio.new_event_loop().run_until_complete(root())


@scenario
def comprehensions():
    return {key: [
        value
        for value in {
            park() if key else 0
            for _ in range(1)}
    ] for key in (1,
                  2)}


@scenario
def lambdas():
    (lambda f: (lambda: f(1) and
                2)())(lambda x: park(x))


@scenario
def class_bodies():
    class Outer:
        class Inner:
            value = park()


@scenario
def decorators():
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*arguments, **options):
            return function(*arguments, **options)
        return wrapper

    @functools.lru_cache(maxsize=None)
    @decorate
    @decorate
    def decorated(x):
        return park(x)

    decorated(1)


@scenario
def metaclasses():
    class Meta(type):
        def __new__(mcs, name, bases, space):
            return super().__new__(mcs, name, bases, space)

        def __call__(cls, *arguments):
            return super().__call__(*arguments)

        def __prepare__(name, bases):
            return {}

    class Descriptor:
        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, instance, owner):
            return [instance.whole]

    class Base(metaclass=Meta):
        part = Descriptor()

        def __init_subclass__(cls):
            cls().part

        def __init__(self):
            self.x = 1

        @property
        def whole(self):
            return self.missing

        def __getattr__(self, name):
            return park(name)

    class Derived(Base):
        pass


@scenario
def special_methods():
    class Item:
        def __init__(self, depth):
            self.depth = depth

        def __lt__(self, other):
            return format(self, "x") < "y"

        def __format__(self, text):
            return str([{self: 1}])

        def __hash__(self):
            return 1 if self.depth in [Index()] else 0

    class Index:
        def __eq__(self, other):
            return bool(self)

        def __bool__(self):
            return len(self) > 0

        def __len__(self):
            return park()

    sorted([Item(1), Item(2)])


@scenario
def iteration():
    def key(item):
        return functools.reduce(fold, [item, 2])

    def fold(a, b):
        return next(filter(test, itertools.chain(map(park, [a]), [b])))

    def test(item):
        return True

    max(sorted([1, 2], key=key), key=key)


@scenario
def destructors():
    class Dies:
        def __init__(self, other=None):
            self.other = other

        def __del__(self):
            if self.other is None:
                park()

    def leave():
        value = Dies(Dies())
        return 5 if value else 6

    leave()


@scenario
def collected():
    class Cycle:
        def __del__(self):
            park()

    cycle = Cycle()
    cycle.self = cycle
    del cycle
    gc.collect()


@scenario
def weak():
    class Target:
        pass

    target = Target()
    keep = weakref.ref(target, park)
    del target


@scenario
def contexts():
    @contextlib.contextmanager
    def manage():
        try:
            yield 1
        except ZeroDivisionError as error:
            raise ValueError(
                park()) from error

    with manage():
        with contextlib.suppress(KeyError):
            1 / 0


@scenario
def executed():
    space = {"park": park}
    exec(compile("def inner():\n    return eval('(\\nlambda: park())()')\n\n\ninner()\n",
                 "<generated>", "exec"), space)


@scenario
def imported():
    importlib.import_module("pddt_matrix_module")


@scenario
def called_back():
    def compare(a, b):
        return len(re.sub("a", lambda match: str(CallObject(park)(match)), "bab"))

    numbers = (ctypes.c_int * 4)(4, 3, 2, 1)
    libc.qsort(numbers, 4, ctypes.sizeof(ctypes.c_int), Compare(compare))


@scenario
def traced():
    def tracer(frame, event, argument):
        if event == "call" and frame.f_code.co_name == "target":
            sys.settrace(None)
            park()

    def target():
        return 1

    sys.settrace(tracer)
    target()


@scenario
def deep():
    def down(n):
        if n == 0:
            return park()
        return down(n - 1) + 1

    down(2000)


@scenario
def deep_through_c():
    def down(n):
        return park() if n == 0 else max([n - 1], key=down)

    down(300)


def main():
    sys.setrecursionlimit(20000)
    threading.stack_size(256 << 20)
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "pddt_matrix_module.py")
    with open(path, "w") as stream:
        stream.write("import __main__\n\n\n__main__.park()\n")
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True
    lock.acquire()
    for function in scenarios:
        threading.Thread(target=function, daemon=True, name=function.__name__).start()
    while len(reports) < len(scenarios):
        os.sched_yield()
    os.unlink(path)
    os.rmdir(folder)
    sys.stdout.write("".join(line + "\n" for report in reports for line in report))
    sys.stdout.write("count %d\nend\n" % len(scenarios))
    sys.stdout.flush()
    os.read(0, 1)
    os._exit(0)


main()
