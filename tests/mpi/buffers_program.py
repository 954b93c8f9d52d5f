# SPDX-License-Identifier: GPL-3.0-or-later
"""More events than a small buffer has room for, in an order that a test can compute: the calls of each thread are
step_0, step_1, … step_96, step_0, … with a call of leaf in each."""
import os
import sys
import threading
import time

N_STEPS = 97
STEPS = []
for number in range(N_STEPS):
    exec(compile(f"def step_{number}(): leaf()\nSTEPS.append(step_{number})", __file__, "exec"))


def leaf():
    pass


def walk(n):
    for i in range(n):
        STEPS[i % N_STEPS]()


def go_down(depth, n):
    """Inside so many calls."""
    if depth == 0:
        walk(n)
    else:
        go_down(depth - 1, n)


def after():
    pass


def calls():
    go_down(5, 20000)


def threads():
    """One that goes on all the time, and others that come and go."""
    steady = threading.Thread(target=walk, args=(15000,))
    steady.start()
    for _ in range(40):
        brief = threading.Thread(target=walk, args=(300,))
        brief.start()
        brief.join()
    steady.join()


def crowd():
    """A thousand threads, at most ten at a time."""
    gate = threading.Semaphore(10)

    def work():
        walk(20)
        gate.release()

    started = []
    for _ in range(1000):
        gate.acquire()
        started.append(threading.Thread(target=work))
        started[-1].start()
    for thread in started:
        thread.join()


def deep():
    """More calls inside each other than a chunk of the trace has slots; then some outside of them."""
    sys.setrecursionlimit(20000)
    threading.stack_size(512 << 20)
    thread = threading.Thread(target=go_deep)
    thread.start()
    thread.join()


def go_deep():
    go_down(6000, 20000)
    after()
    walk(50)


def fork():
    walk(20000)
    pid = os.fork()
    if pid == 0:
        walk(20000)
        os._exit(0)
    os.waitpid(pid, 0)
    after()


def execs():
    """One program image after another in this process, each with so many steps."""
    walk(int(sys.argv[2]))
    after()
    if len(sys.argv) > 3:
        os.execv(sys.executable, [sys.executable, __file__, "execs", *sys.argv[3:]])


def execs_other():
    """A program that is not Python's takes this one's place within a region."""
    import pddt
    pddt.region_begin("outer")
    after()
    os.execvp("head", ["head", "-c", "5", __file__, __file__])


def wait():
    """Until it is killed."""
    print("ready", flush=True)
    go_down(3, 1 << 60)


def messages():
    """Rank 0 is always late. Rank 1 has more calls, so that its buffer goes less far back."""
    from mpi4py import MPI
    world = MPI.COMM_WORLD
    data, other = bytearray(1000), bytearray(1000)
    for i in range(200):
        if world.rank == 0:
            time.sleep(0.01)
            world.Send([data, MPI.BYTE], 1, 7)
            request = world.Irecv([other, MPI.BYTE], 1, 8)
        else:
            walk(120)
            world.Recv([data, MPI.BYTE], 0, 7)
            request = world.Isend([other, MPI.BYTE], 0, 8)
        request.Wait()
        if i % 10 == 0:
            world.Barrier()
            world.Ibarrier().Wait()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
