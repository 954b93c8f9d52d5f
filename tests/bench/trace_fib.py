# SPDX-License-Identifier: GPL-3.0-or-later
"""fib(25), 242,785 calls, plainly or under cProfile; prints its own processor time."""
import sys
import time

del sys.path[0]  # cProfile imports a module "profile", which what stands beside this file is not
import cProfile                         # noqa: E402


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


profile = cProfile.Profile()
if sys.argv[1:] == ["cProfile"]:
    profile.enable()
begin = time.thread_time()
fib(25)
used = time.thread_time() - begin
profile.disable()
print(used, flush=True)
