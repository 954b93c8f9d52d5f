# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads of every kind: native ones that call into Python, _thread's and threading's. Each
works while standard input is open; what they have counted must come out right in the end."""
import _thread
import ctypes
import sys
import threading
import time

libc = ctypes.CDLL(None)
is_over = False
ended = []
native = ctypes.c_ulong()


def double(value):
    return value * 2                    # @ double


def work(name):                         # @ work
    total = 0
    for i in range(4):
        total += i                      # @ line
        total = double(total) - total   # @ call
    return total, name


def run(name):
    count = total = 0
    while not is_over or count < 50:
        total += work(name)[0]          # @ back
        count += 1
        time.sleep(0.002)
    ended.append((name, total == 6 * count, count))


def call_back(argument):                # @ call_back
    run("native")
    return None


CALLBACK = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(call_back)


def start(kind):
    if kind == "native":
        libc.pthread_create(ctypes.byref(native), None, CALLBACK, None)
    elif kind == "raw":
        _thread.start_new_thread(run, (kind,))
    else:
        threading.Thread(target=run, args=(kind,), name="named").start()


def read_to_end():
    global is_over
    sys.stdin.read()
    is_over = True


kinds = [kind for kind in sys.argv[1:] if kind != "join"]
is_joined = "join" in sys.argv
print("ready", flush=True)
sys.stdin.readline()                    # @ before
for kind in kinds:
    start(kind)
print("started", flush=True)
if native and is_joined:        # the main thread never executes Python meanwhile
    threading.Thread(target=read_to_end).start()
    libc.pthread_join(native, None)
else:
    read_to_end()
while len(ended) < len(kinds):
    time.sleep(0.001)
for name, is_right, count in sorted(ended):
    print(name, is_right, count, flush=True)
