# SPDX-License-Identifier: GPL-3.0-or-later
"""MPI in a trace: every call, message and collective of C, Fortran and mpi4py, as the program itself counts them."""
import collections
import os
import re
import shutil
import subprocess
import sys

import pddt
import traced

ROOT = os.environ["PDDT_BUILD_ROOT"]
ROUNDS = 500
FENCES = 41 # of the window


def build_path(name):
    return os.path.join(ROOT, "tests/mpi", name)


def expect_collectives(size):
    """Of each rank: (sent, received) of traffic.c's collectives in one thread."""
    sums = [[0, 0] for _ in range(size)]
    for rank in range(size):
        is_root = rank == 0
        for n in (round % 50 for round in range(ROUNDS)):
            for sent, received in [
                    (n * 8 if is_root else 0, 0 if is_root else n * 8),     # Bcast
                    (n * 8, n * 8), (n * 4, n * 4),                         # Allreduce, in place
                    (n * 4, n * 4 * size if is_root else 0),                # Gather
                    (n * 4 * size if is_root else 0, n * 4),                # Scatter
                    (n * 4 * size, n * 4 * size),                           # Alltoall
                    ((rank + 1) * 4, sum(range(size + 1)) * 4),             # Allgatherv
                    (n * 8, n * 8),                                         # Iallreduce
                    (2 * 4 * size, 2 * 4 * size)]:                          # Alltoallv
                sums[rank][0] += sent
                sums[rank][1] += received
    return sums


def check_traffic(launcher, program, size, n_threads):
    words = ["threads"] if n_threads > 1 else []
    with traced.Traced([*launcher, "-np", str(size), build_path(program), *words], "--report", "report.txt") as one:
        run = one.run()
        assert run.status == 0, run
        trace = traced.read(run.archive)
        with open(os.path.join(one.folder, "report.txt")) as stream:
            report = stream.read()
    # what Open MPI calls itself there is no call of these
    for call in "MPI_Init_thread", "MPI_Finalize":
        assert re.search(rf"\n{call} .* {size}\n", report.split("\nMPI\n---\n")[1]), report
    own = {int(line.split()[0]): [int(word) for word in line.split()[1:]] for line in run.out.splitlines()}
    assert len(own) == size, run
    assert trace["open"] == 0, trace["open"]
    assert traced.match(trace) == sum(each[0] for each in own.values())
    for rank, (sends, sent, receives, *_) in own.items():
        name = "rank %d" % rank
        mine = [each[5] for each in trace["sends"] if each[0] == name]
        assert (len(mine), sum(mine)) == (sends, sent), (rank, len(mine), sum(mine), sends, sent)
        assert sum(each[0] == name for each in trace["receives"]) == receives, rank
        calls = trace["calls"][name]
        assert calls["MPI_Barrier"] == calls["MPI_Bcast"] == calls["MPI_Iallreduce"] == ROUNDS * n_threads, calls
        assert calls["MPI_Allreduce"] == 2 * ROUNDS * n_threads, calls
        data = [each for each in trace["collectives"] if each[0] == name and "HANDLE" not in each[1]]
        assert len(data) == (10 * ROUNDS + FENCES) * n_threads, len(data)
        expected = [value * n_threads for value in expect_collectives(size)[rank]]
        assert [sum(each[3] for each in data), sum(each[4] for each in data)] == expected, (rank, expected)
        assert calls["MPI_Finalize"] == 1 and calls["MPI_Init_thread"] == 1, calls


def check_fortran(program):
    with traced.Traced(["mpirun", "-np", "2", build_path(program)]) as one:
        run = one.run()
        assert run.status == 0, run
        trace = traced.read(run.archive)
    assert len(trace["sends"]) == len(trace["receives"]) > 0, trace["counts"]
    assert sum(each[5] for each in trace["sends"]) == sum(each[5] for each in trace["receives"]), trace["sends"]


PYTHON = """
import sys
from mpi4py import MPI
import numpy
world, sent = MPI.COMM_WORLD, []
copy, half = world.Dup(), world.Split(world.rank % 2, world.rank)
for i in range(30):
    data, room = numpy.zeros(i), numpy.zeros(100)
    requests = [copy.Irecv(room, MPI.ANY_SOURCE, 3), copy.Isend(data, (world.rank + 1) % world.size, 3)]
    MPI.Request.Waitall(requests)
    sent.append(data.nbytes)
    if world.rank == 0:
        world.Send(data, 1, i)
        sent.append(data.nbytes)
    elif world.rank == 1:
        status = MPI.Status()
        world.Recv(room, MPI.ANY_SOURCE, MPI.ANY_TAG, status)
        assert (status.Get_source(), status.Get_tag(), status.Get_count(MPI.BYTE)) == (0, i, data.nbytes)
    half.Bcast(room, 0)
if world.rank == 0:
    message = world.mprobe(1, 99)
    assert message.recv() == "probed"
elif world.rank == 1:
    world.send("probed", 0, 99)
MPI.Pcontrol(0)
world.Barrier()
MPI.Pcontrol(1)
world.Barrier()
print(world.rank, len(sent), sum(sent))
"""


def check_python():
    with traced.Traced(["mpirun", "-np", "4", "/usr/bin/python3", "-c", PYTHON]) as one:
        run = one.run()
        assert run.status == 0, run
        trace = traced.read(run.archive)
    traced.match(trace)
    for line in run.out.splitlines():
        rank, n, size = (int(word) for word in line.split())
        mine = [each[5] for each in trace["sends"] if each[0] == "rank %d" % rank and each[4] < 99]
        assert (len(mine), sum(mine)) == (n, size), (rank, len(mine), sum(mine), n, size)
        assert trace["calls"]["rank %d" % rank]["MPI_Barrier"] == 1, "MPI_Pcontrol"
    bcasts = [each for each in trace["collectives"] if each[1] == "BCAST"]
    assert len(bcasts) == 4 * 30 and sum(each[3] for each in bcasts) == 2 * 30 * 800, bcasts[:3]
    sizes = collections.Counter(size for _, size in trace["comms"])
    assert sizes[2] == 2 and sizes[4] >= 2, trace["comms"]


def check_untraced():
    """The program sees nothing of the recorder's statuses: it prints what it prints without pddt."""
    plain = subprocess.run(["mpirun", "-np", "2", build_path("traffic")], env=pddt.ENVIRONMENT, text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=100, check=True)
    with traced.Traced(["mpirun", "-np", "2", build_path("traffic")]) as one:
        run = one.run()
    assert sorted(run.out.splitlines()) == sorted(plain.stdout.splitlines()), (run.out, plain.stdout)


def check_unfinished():
    """Ranks that leave without MPI_Finalize have recorded what they did, and mpirun tells what it tells without pddt."""
    script = ("import os\nfrom mpi4py import MPI\nfor i in range(50): MPI.COMM_WORLD.Barrier()\n"
              "print('leaves', flush=True)\nos._exit(3 if MPI.COMM_WORLD.rank else 0)\n")
    command = ["mpirun", "-np", "2", "/usr/bin/python3", "-c", script]
    plain = subprocess.run(command, env=pddt.ENVIRONMENT, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, timeout=100, check=False)
    with traced.Traced(command) as one:
        run = one.run()
        trace = traced.read(run.archive)
    assert plain.returncode != 0 and run.status != 0, (plain, run)
    assert set(run.out.split()) == set(plain.stdout.split()) == {"leaves"}, (plain, run)  # one may be killed before it prints
    assert trace["open"] == 0, trace["open"]
    for rank in range(2):
        calls = trace["calls"]["rank %d" % rank]
        assert calls["MPI_Barrier"] == 50 and "MPI_Finalize" not in calls, calls


check_traffic(["mpirun"], "traffic", 2, 1)
check_traffic(["mpirun"], "traffic", 2, 3)
mpich = shutil.which("mpiexec.mpich")
if mpich and os.path.exists(build_path("traffic-mpich")):
    check_traffic([mpich], "traffic-mpich", 2, 1)
for fortran in ("calls-f", "calls-f08"):
    if os.path.exists(build_path(fortran)):
        check_fortran(fortran)
check_python()
check_untraced()
check_unfinished()
sys.exit(0)
