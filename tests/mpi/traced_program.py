# SPDX-License-Identifier: GPL-3.0-or-later
"""What Python code can do to calls: recursion, generators, exceptions, coroutines, threads, fork, children."""
import os
import subprocess
import sys


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def produce(n):
    for i in range(n):
        yield i


def chain(n):
    yield from produce(n)
    yield from produce(n)


def fail(n):
    if n == 0:
        raise ValueError("deep")
    fail(n - 1)


def survive():
    for n in range(5):
        try:
            fail(n)
        except ValueError:
            pass


class Thing:
    def __init__(self):
        self.value = 0

    @property
    def double(self):
        return self.value * 2

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return True

    def __del__(self):
        pass


async def inner(n):
    return n


async def outer():
    return [await inner(i) for i in range(4)]


def drive(coroutine):
    try:
        while True:
            coroutine.send(None)
    except StopIteration as stop:
        return stop.value


def throw_into(generator):
    try:
        generator.throw(KeyError)
    except KeyError:
        pass


def close():
    generator = produce(10)
    next(generator)
    next(generator)
    generator.close()
    generator = produce(10)
    next(generator)
    throw_into(generator)
    throw_into(produce(10))
    generator = produce(3)
    next(generator)
    del generator


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


def first(x):
    return -x


def bad_key(x):
    raise KeyError(x)


def sort_badly(x=0):
    return sorted([x, 1], key=bad_key)


def raise_through_c():
    """Exceptions that leave Python code by way of C code, which may be inside Python code again."""
    for call, arguments in ((sort_badly, ()), (list, (map(bad_key, [1]),)), (sorted, ([1, 2],))):
        try:
            call(*arguments, **({"key": sort_badly} if call is sorted else {}))
        except KeyError:
            pass


def count():
    raise_through_c()
    fib(15)
    even(20)
    list(chain(6))
    survive()
    drive(outer())
    close()
    for _ in range(7):
        with Thing() as thing:
            thing.double
            raise OSError
    sorted([3, 1, 2], key=first)
    max(1, 2, key=lambda x: x)
    [x for x in produce(3)]
    {x: fib(2) for x in range(3)}
    sum(x for x in produce(4))
    sys.setrecursionlimit(10000)
    deep(2000)
    exec("def made():\n  return 1\nmade()\nmade()")


def sum_odd(n):
    total = 0
    for i in range(n):
        if i % 2:
            total += first(
                i)
    return total


class Summer:
    def sum(self, n):
        for i in range(n):
            yield i
        for j in range(n): yield from (j, j)


def turn(n):
    """Loops that stand on one line."""
    total = 0
    for i in range(n): total += i
    while total > 0: total -= 2
    for i in range(n):
        for j in range(n): total += j
        if i == 2: continue
        while total > 9: total -= 1
    try:
        for k in range(2): total /= 1 - k
    except ZeroDivisionError: pass
    return total if n else None


def lines():
    """Counts its lines by sys.settrace; or, under pddt, pddt does."""
    if "own" in sys.argv:
        counts = {}

        def count_line(frame, event, _):
            if frame.f_code not in (sum_odd.__code__, Summer.sum.__code__, turn.__code__):
                return None
            if event == "line":
                key = (frame.f_code.co_name, frame.f_lineno)
                counts[key] = counts.get(key, 0) + 1
            return count_line

        sys.settrace(count_line)
    else:
        Summer.sum = profile(Summer.sum)
    sum_odd(7)
    sum_odd(4)
    list(Summer().sum(3))
    turn(4)
    if "own" in sys.argv:
        sys.settrace(None)
        print(sorted((name, line, n) for (name, line), n in counts.items()))


def in_thread(n):
    fib(n)


def threads():
    import threading
    started = [threading.Thread(target=in_thread, args=(n,)) for n in (5, 6, 7)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()


def daemons():
    """The interpreter ends while threads call."""
    import threading
    import time
    for _ in range(2):
        threading.Thread(target=lambda: [fib(3) for _ in iter(int, 1)], daemon=True).start()
    time.sleep(0.01)
    print("whole")


def in_child():
    fib(8)


def fork():
    """Inside this function, so that the child has it open."""
    pid = os.fork()
    if pid == 0:
        in_child()
        os._exit(0)
    os.waitpid(pid, 0)


def execute():
    subprocess.run([sys.executable, "-c", "def executed(): pass\nexecuted()"], check=True)
    subprocess.run(["sh", "-c", f"'{sys.executable}' -c 'def by_shell(): pass\nby_shell()'"], check=True)


def show():
    print(sorted(name for name in os.environ if name not in ("_", "PWD", "SHLVL")), sys.argv[1:], __name__)
    print("wrong", file=sys.stderr)
    sys.exit(3)


def wait():
    """Calls until it is killed."""
    fib(12)
    print("ready", flush=True)
    while True:
        fib(3)


def fill():
    """Calls for which the file may not have room."""
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (300000, 300000))
    fib(20)
    print("whole")


def scribble():
    """Over the first pages of all that this process records, as a stray pointer may."""
    import ctypes
    with open("/proc/self/maps", encoding="utf-8") as maps:
        places = [line.split()[0].split("-") for line in maps if " rw-s " in line and ".pddt-trace" in line]
    print("scribbled", len(places), flush=True)
    for start, _ in places:
        ctypes.memset(int(start, 16), 0, 4096)


def ranks():
    from mpi4py import MPI
    rank = MPI.COMM_WORLD.rank
    fib(5 + rank)
    MPI.COMM_WORLD.Barrier()
    if sys.argv[2:] == ["kill"] and rank == 1:
        os.kill(os.getpid(), 9)
    if sys.argv[2:] == ["scribble"] and rank == 1:
        scribble()
    MPI.COMM_WORLD.Barrier()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
