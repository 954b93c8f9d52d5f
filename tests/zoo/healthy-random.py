# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of mpi4py that is right, another one for each seed (argument 1): all ranks go through the same random
scenes, in which they wait for each other for longer than pddt watches before it asks, while whatever will free
them looks idle: a thread of a pool, one that waits for a queue, a lock or an event, an event loop, a child
process, a poll, a target of one-sided operations. Ends by itself with status 0."""
import asyncio
import concurrent.futures
import os
import queue
import random
import select
import subprocess
import sys
import threading
import time

from mpi4py import MPI

LATE = 2.8  # the hang detector asks after 2 s
comm = MPI.COMM_WORLD
other = comm.size - 1 - comm.rank
chance = random.Random(int(sys.argv[1]))


# ---- ways to be late ----

def compute():
    end, total = time.monotonic() + LATE, 0
    while time.monotonic() < end:
        total += sum(range(100))


def sort_big():
    end = time.monotonic() + LATE
    while time.monotonic() < end:
        sorted(range(100_000, 0, -1))


def doze():
    time.sleep(LATE)


def await_child():
    subprocess.run(["sleep", str(LATE)], check=True)


def read_child():
    with subprocess.Popen(["sh", "-c", f"sleep {LATE}; echo late"], stdout=subprocess.PIPE) as child:
        child.stdout.readline()


def await_queue():
    things = queue.Queue()
    threading.Timer(LATE, things.put, [1]).start()
    things.get()


def await_event():
    event = threading.Event()
    threading.Timer(LATE, event.set).start()
    event.wait()


def await_lock():
    lock = threading.Lock()
    lock.acquire()
    threading.Timer(LATE, lock.release).start()
    with lock:
        pass


def await_future():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        pool.submit(time.sleep, LATE).result()


def await_loop():
    asyncio.run(asyncio.sleep(LATE))


def select_nothing():
    ends = os.pipe()
    select.select([ends[0]], [], [], LATE)
    for end in ends:
        os.close(end)


def poll_file():
    end = time.monotonic() + LATE
    while time.monotonic() < end and not os.path.exists("/nonexistent/file"):
        time.sleep(0.001)


def poll_mpi():
    end = time.monotonic() + LATE
    while time.monotonic() < end:
        comm.iprobe(source=MPI.ANY_SOURCE, tag=12345)


WAYS = [compute, sort_big, doze, await_child, read_child, await_queue, await_event, await_lock, await_future, await_loop,
        select_nothing, poll_file, poll_mpi]


# ---- scenes ----

def send_late(way):
    way()
    comm.send("late", dest=other, tag=1)


def beside_thread(way):
    """Both main threads receive; threads send late."""
    thread = threading.Thread(target=send_late, args=(way,))
    thread.start()
    assert comm.recv(source=other, tag=1) == "late"
    thread.join()


def beside_pool(way):
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        job = pool.submit(send_late, way)
        comm.recv(source=other, tag=1)
        job.result()


def beside_main(way):
    """A thread receives, and main sends late."""
    thread = threading.Thread(target=comm.recv, kwargs={"source": other, "tag": 1})
    thread.start()
    send_late(way)
    thread.join()


def by_queue(way):
    """A thread sends what main puts into a queue, and gives back what it receives."""
    to_send, received = queue.Queue(), queue.Queue()

    def serve():
        comm.send(to_send.get(), dest=other, tag=2)
        received.put(comm.recv(source=other, tag=2))

    thread = threading.Thread(target=serve)
    thread.start()
    way()
    to_send.put(comm.rank)
    assert received.get() == other
    thread.join()


def late_to_barrier(way):
    if comm.rank == chance.randrange(comm.size):
        way()
    comm.barrier()


def late_to_reduction(way):
    if comm.rank == 0:
        way()
    assert comm.allreduce(1) == comm.size


def late_sender(way):
    """Buffers: a request that completes late, polled for or waited for."""
    taken, is_polled = bytearray(4), chance.randrange(2)
    if comm.rank == 0:
        way()
        comm.Send(b"late", dest=1, tag=3)
    elif comm.rank == 1:
        request = comm.Irecv(taken, source=0, tag=3)
        while is_polled and not request.Test():
            time.sleep(0.0005)
        request.Wait()


def late_target(way):
    window = MPI.Win.Allocate(8, comm=comm)
    window.Lock(0)
    window.Put(b"12345678", 0)
    if comm.rank == comm.size - 1:
        way()
    window.Unlock(0)
    window.Free()


SCENES = [beside_thread, beside_pool, beside_main, by_queue, late_to_barrier, late_to_reduction, late_sender, late_target]
for _ in range(chance.randrange(1, 3)):
    scene, how = chance.choice(SCENES), chance.choice(WAYS)
    scene(how)
