# SPDX-License-Identifier: GPL-3.0-or-later
"""Where steps end: generators, coroutines, exceptions, recursion, decorators, callbacks."""
import asyncio
import functools
import sys
import threading


def produce(n):
    for item in range(n):
        yield item * 2                  #@ yield
        item += 1                       #@ after-yield


def consume():
    total = 0
    for value in produce(2):            #@ consume-for
        total += value                  #@ consume-body
    return total                        #@ consume-return


def consume_in_c():
    return sum(produce(2))              #@ consume-sum


async def inner():
    await asyncio.sleep(0.001)          #@ inner-await
    return 5                            #@ inner-return


async def other():
    for _ in range(3):
        await asyncio.sleep(0)          #@ other


async def outer():
    task = asyncio.ensure_future(other())           #@ outer-first
    value = await inner()               #@ outer-await
    await task                          #@ outer-task
    return value                        #@ outer-return


def raises():
    raise ValueError("no")              #@ raises


def catches():
    try:
        raises()                        #@ catches-call
    except ValueError:                  #@ catches-except
        return 1                        #@ catches-return


def passes():
    raises()                            #@ passes


def calls_passes():
    try:
        passes()                        #@ calls-passes
    except ValueError:                  #@ calls-except
        pass
    return 2                            #@ calls-return


def recurse(n):
    if n == 0:                          #@ recurse-if
        return 0
    below = recurse(n - 1)              #@ recurse-call
    return below + 1                    #@ recurse-return


def decorate(function):
    @functools.wraps(function)
    def wrapper(*words):
        return function(*words)         #@ wrapper
    return wrapper


@decorate
def decorated(x):
    return x + 1                        #@ decorated


def key(value):
    return -value                       #@ key


def deep(n):
    if n:
        return deep(n - 1)              #@ deep-call
    return 7                            #@ deep-end


class Manager:
    def __enter__(self):
        return self                     #@ enter

    def __exit__(self, *words):
        return False                    #@ exit


def managed():
    with Manager():                     #@ with
        value = 1                       #@ with-body
    return value                        #@ with-return


def loop():
    for _ in range(3): deep(1)          #@ one-line
    return 3                            #@ loop-return


def leaf():
    yield 1                             #@ leaf-yield
    try:
        yield 2
    except KeyError:
        yield 3                         #@ leaf-caught
    return 5                            #@ leaf-return


def middle():
    return (yield from leaf())          #@ middle-from


def top():
    return (yield from middle())        #@ top-from


def drive():
    generator = top()
    next(generator)                     #@ drive-next
    next(generator)
    generator.throw(KeyError())         #@ drive-throw
    try:                                #@ drive-try
        next(generator)
    except StopIteration as stop:       #@ drive-stop
        return stop.value


class Awaitable:
    def __await__(self):
        yield                           #@ await-yield
        return 9


async def items():
    yield 1                             #@ items-yield
    await Awaitable()                   #@ items-await
    yield 2                             #@ items-second


async def sleeper():
    try:
        await asyncio.sleep(60)
    finally:
        value = 1                       #@ sleeper-finally
    return value


async def cancelled():
    try:
        await sleeper()                 #@ cancelled-await
    except asyncio.CancelledError:      #@ cancelled-except
        return 1


async def consume_items():
    async for item in items():          #@ items-for
        value = item                    #@ items-body
    task = asyncio.ensure_future(cancelled())
    await asyncio.sleep(0)
    task.cancel()
    return await task, value


def in_thread():
    value = deep(1)                     #@ thread-call
    return value                        #@ thread-return


def imports():
    import colorsys                     #@ import
    return colorsys                     #@ imports-return


def main():
    consume()                           #@ main-consume
    consume_in_c()                      #@ main-sum
    asyncio.run(outer())                #@ main-async
    catches()                           #@ main-catches
    calls_passes()                      #@ main-passes
    recurse(3)                          #@ main-recurse
    decorated(1)                        #@ main-decorated
    sorted([3, 1], key=key)             #@ main-sorted
    result = deep(3)                    #@ main-deep
    managed()                           #@ main-managed
    loop()                              #@ main-loop
    drive()
    asyncio.run(consume_items())
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()                       #@ main-join
    imports()                           #@ main-imports
    print("result", result)             #@ main-print


if __name__ == "__main__":
    main()
    while "again" in sys.argv:
        main()
    sys.exit(4)                         #@ exit-call
