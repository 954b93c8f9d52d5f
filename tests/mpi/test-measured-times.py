# SPDX-License-Identifier: GPL-3.0-or-later
"""--profile: times are what the program has counted itself, in each class, on each rank, in children and beside a
thousand threads."""
import json
import os
import pstats
import re
import subprocess

import pddt
from measured import Measured, once_in_five, run_parts
from sampled import BURN, compile_to, expect_seconds, get_lost, measure

HERE = os.path.join(pddt.SOURCE, "tests", "mpi")
PYTHON = "/usr/bin/python3"
WAITS = """#include <omp.h>
#include <time.h>
void spend (double seconds)
{
    struct timespec duration = { (time_t) seconds, 0 };
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num () == 1) {
            nanosleep (&duration, 0);
        }
#pragma omp barrier
    }
}
"""


def test_classes():
    """One second in each is one second."""
    kinds = {"python": "Python", "native": "native", "MPI": "MPI", "IO": "I/O", "network": "network", "lock": "lock",
             "wait": "wait", "OpenMP": "OpenMP wait", "accelerator": "accelerator"}
    with Measured([]) as measured:
        for name, text, options in ("burn", BURN, []), ("cuda-stand-in", BURN, []), ("waits", WAITS, ["-fopenmp"]):
            compile_to(os.path.join(measured.folder, f"lib{name}.so"), text, "-shared", "-fPIC", *options)
        measured.line += ["mpirun", "-np", "2", PYTHON, os.path.join(HERE, "seconds.py"), measured.folder]
        run, samples = measure(measured)
        for line in run.out.splitlines():
            function, wanted = line.split()
            mine = [sample for sample in samples if sample[:2] == ("rank 0", 1) and function in sample[4]]
            kind = kinds.pop(function.replace("in_", ""))
            expect_seconds(run, [sample for sample in mine if sample[3] == kind], float(wanted), kind)
            expect_seconds(run, mine, float(wanted), function)
        if kinds:
            run.fail(f"the program has not come to {kinds}")


UNEVEN = """
import array, time
from mpi4py import MPI
comm = MPI.COMM_WORLD
ours, all = array.array("d", [1]), array.array("d", [0])
spent = [0, 0]
for _ in range(2):
    begin = time.perf_counter()
    while time.perf_counter() < begin + 0.3 * (comm.rank + 1):
        pass
    middle = time.perf_counter()
    comm.Allreduce(ours, all)
    spent[0] += middle - begin
    spent[1] += time.perf_counter() - middle
time.sleep(0.1 * comm.rank)
print("rank", comm.rank, *spent, flush=True)
"""


def test_imbalance():
    """A rank's share of MPI is the time that it waits there for the one with the most to do."""
    with Measured(["mpirun", "-np", "4", PYTHON, "-c", UNEVEN]) as measured:
        run, samples = measure(measured)
        run.expect("The worst imbalance: rank 3 computed for ", "err")
        for line in run.out.splitlines():
            _, rank, worked, waited = line.split()
            mine = [sample for sample in samples if sample[:2] == (f"rank {rank}", 1)]
            expect_seconds(run, [sample for sample in mine if sample[3] == "MPI" and any(
                "MPI_Allreduce" in name for name in sample[4])], float(waited), f"rank {rank} in MPI_Allreduce")


TURNS = """import os, tempfile, time
from mpi4py import MPI
comm = MPI.COMM_WORLD
def compute(end):
    while time.perf_counter() < end:
        pass
def store(end):
    with tempfile.TemporaryFile() as file:
        while time.perf_counter() < end:
            os.pwrite(file.fileno(), bytes(65536), 0)
for step in range(8):
    comm.Barrier()
    if comm.rank == step % 2:
        (compute, store)[comm.rank](time.perf_counter() + 0.3)
comm.Barrier()
"""


def test_turns():
    """Rank 0 computes in even steps, rank 1 writes in odd ones: their sums are the same, and both are named, with their
    places and their halves of the time that the others wait."""
    with Measured([], "--report", "page.txt") as measured:
        with open(os.path.join(measured.folder, "turns.py"), "w", encoding="utf-8") as file:
            file.write(TURNS)
        measured.line += ["mpirun", "--oversubscribe", "-np", "3", PYTHON, "turns.py"]
        run = measured.run()
        run.expect_status(0)
        with open(os.path.join(measured.folder, "page.txt"), encoding="utf-8") as file:
            text = re.sub(r"\s+", " ", file.read())
    named = dict(re.findall(r"(\d) \((\d+ %, \w+ at turns.py)", text.partition("one rank at a time was at work: ranks")[2]))
    print(f"# {named}")
    shares = [int(named.get(rank, "0").split()[0]) for rank in ("0", "1")]
    if any(not 30 < share < 65 for share in shares) or not named["0"].endswith("compute at turns.py") \
            or not named["1"].endswith("store at turns.py"):
        run.fail(f"{named} in {text[:1500]}")


IDLE = "#include <stdlib.h>\n#include <unistd.h>\n" + BURN + """
int main (void)
{
    sleep (1); /* until all have started */
    if (atoi (getenv ("OMPI_COMM_WORLD_RANK")) < 4) {
        spend (1);
    } else {
        sleep (1);
    }
    return 0;
}
"""


def test_idle():
    """Ranks that do nothing are named."""
    with Measured([], "--report", "page.txt") as measured:
        program = os.path.join(measured.folder, "idle")
        compile_to(program, IDLE)
        measured.line += ["mpirun", "--oversubscribe", "-np", "12", program]
        run = measured.run()
        run.expect_status(0)
        with open(os.path.join(measured.folder, "page.txt"), encoding="utf-8") as file:
            text = re.sub(r"\s+", " ", file.read())
        if "8 of 12 ranks did nothing: ranks 4-11 worked less than 5 % as long as" not in text:
            run.fail(f"nothing of idle ranks in {text}")


PATIENT = """
import array, ctypes, socket, struct
from mpi4py import MPI
comm = MPI.COMM_WORLD
libc = ctypes.CDLL(None, use_errno=True)
# the ranks do not agree on the type, which is wrong, and works
comm.Bcast([array.array("i", [1, 2]), 2, MPI.INT] if comm.rank == 0 else [array.array("d", [0]), 1, MPI.DOUBLE])
if comm.rank == 0:
    ours, theirs = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 500000))
    errors = [libc.recv(ours.fileno(), ctypes.create_string_buffer(1), 1, 0) and ctypes.get_errno() for _ in range(12)]
    print(*errors, flush=True)
comm.Barrier()
"""


def test_patient():
    """A rank that waits for another one for long, and ranks that do not agree on what they send: in a debugged job
    pddt looks at them and stops them, in a measured one it does not."""
    with Measured(["mpirun", "-np", "2", PYTHON, "-c", PATIENT]) as measured:
        run, _ = measure(measured)
        if run.out.split() != ["11"] * 12:  # EAGAIN: the time was over
            run.fail("a wait was interrupted")


THREADS = """
import sys, threading, time
end, threading.stack_size = threading.Event(), threading.stack_size(64 << 10)
threads = [threading.Thread(target=end.wait) for _ in range(1000)]
for thread in threads:
    thread.start()

def work():
    begin = time.perf_counter(), time.thread_time()
    for _ in range(700000):
        sum(range(50))
    return time.perf_counter() - begin[0], time.thread_time() - begin[1]

def come_and_go():
    for _ in range(200):
        thread = threading.Thread(target=sum, args=(range(100000),))
        thread.start()
        thread.join()

print(*work(), flush=True)
come_and_go()
end.set()
"""


def test_threads():
    """A thousand threads that wait cost the one that works nothing that could be seen."""
    plain = [float(subprocess.run([PYTHON, "-c", THREADS], check=True, stdout=subprocess.PIPE).stdout.split()[1])
             for _ in range(2)]
    with Measured([PYTHON, "-c", THREADS]) as measured:
        run, samples = measure(measured)
        spent, used = map(float, run.out.split())
        expect_seconds(run, [sample for sample in samples if "work" in sample[4]], spent, "work beside 1,000 threads")
        print(f"# {used:.3f} s of processor time, without pddt {min(plain):.3f} to {max(plain):.3f}")
        if used > 1.5 * max(plain):
            run.fail(f"{used} s of processor time, and {plain} without pddt")


CHILDREN = """
import multiprocessing, sys, time

def work(seconds):
    begin = time.perf_counter()
    while time.perf_counter() < begin + seconds:
        pass
    return time.perf_counter() - begin

def child(seconds, answer):
    answer.put(work(seconds))

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    answer = multiprocessing.SimpleQueue()
    children = [multiprocessing.Process(target=child, args=(seconds, answer)) for seconds in (0.5, 1)]
    for process in children:
        process.start()
    print(*sorted(answer.get() for _ in children), flush=True)
    for process in children:
        process.join()
"""


def test_children():
    """Children of multiprocessing, in each way to begin them: that by way of another child in ./check."""
    for method in ("fork", "forkserver", "spawn") if os.environ.get("PDDT_LONG") else ("forkserver",):
        with Measured([]) as measured:
            program = os.path.join(measured.folder, "children.py")
            with open(program, "w", encoding="utf-8") as file:
                file.write(CHILDREN)
            measured.line += [PYTHON, program, method]
            run, samples = measure(measured)
            found = {}
            for sample in samples:
                if "child" in sample[4] and "work" in sample[4]:
                    found.setdefault(sample[0], []).append(sample)
            wanted = list(map(float, run.out.split()))
            if len(found) != len(wanted) or "rank 0" in found:
                run.fail(f"{method}: work in {sorted(found)}")
            for child, seconds in zip(sorted(found.values(), key=lambda each: sum(sample[2] for sample in each)), wanted):
                expect_seconds(run, child, seconds, f"{method}: a child")


ORDER = """
import ctypes, time
libc = ctypes.CDLL(None)
Compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

def inner(seconds):
    begin = time.perf_counter()
    while time.perf_counter() < begin + seconds:
        pass

def compare(a, b):
    inner(0.05)
    return 0

def sort():
    libc.qsort((ctypes.c_int * 2)(), ctypes.c_size_t(2), ctypes.c_size_t(4), Compare(compare))

def longer():
    time.sleep(0.02)

def shorter():
    time.sleep(0.01)

def main():
    spent = {"sort": 0, "longer": 0, "shorter": 0}
    for _ in range(20):
        for function in sort, longer, shorter:
            begin = time.perf_counter()
            function()
            spent[function.__name__] += time.perf_counter() - begin
    print(*spent.items(), flush=True)

main()
"""


def read_order(path):
    """The program's own functions by cumulative time, and that time."""
    stats = pstats.Stats(path).stats
    times = {}
    for (_, _, name), cost in stats.items():
        if name in ("main", "sort", "inner", "compare", "longer", "shorter"):
            times[name] = times.get(name, 0) + cost[3]
    return sorted(times, key=times.get, reverse=True), times


def test_order():
    """Python, C and Python again are one stack in the order of the calls; two functions that wait in turn at the same
    place of the C library are told apart; and the order is cProfile's."""
    with Measured([], "--export", "pstats") as measured:
        program = os.path.join(measured.folder, "order.py")
        with open(program, "w", encoding="utf-8") as file:
            file.write(ORDER)
        measured.line += [PYTHON, program]
        run, samples = measure(measured)
        for name, wanted in re.findall(r"\('(\w+)', ([\d.e-]+)\)", run.out):
            mine = [sample for sample in samples if name in sample[4]]
            # 20 calls, each of which begins and ends between two samples
            seconds, gap = sum(sample[2] for sample in mine), max(sample[2] for sample in mine)
            print(f"# {name}: {seconds:.2f} s, counted {float(wanted):.2f}")
            if not -get_lost(samples) < seconds - float(wanted) + 0.15 * float(wanted) + 4 * gap < 0.3 * float(wanted) + 8 * gap:
                run.fail(f"{name}: {seconds} s, not {wanted}")
        whole = 0
        for sample in samples:
            if "inner" in sample[4]:
                order = [name for name in sample[4] if name in ("<module>", "main", "sort", "compare", "inner")
                         or "qsort" in name]
                order = [name for i, name in enumerate(order) if i == 0 or "qsort" not in name or "qsort" not in order[i - 1]]
                whole += [("qsort" if "qsort" in name else name) for name in order] \
                    == ["<module>", "main", "sort", "qsort", "compare", "inner"]
        inner = sum("inner" in sample[4] for sample in samples)
        print(f"# {whole} of {inner} stacks are whole")
        if whole < 0.9 * inner or inner < 10:
            run.fail(f"{whole} of {inner} stacks are whole: {samples[len(samples) // 2]}")
        other = os.path.join(measured.folder, "other.prof")
        subprocess.run([PYTHON, "-m", "cProfile", "-o", other, program], check=True, stdout=subprocess.DEVNULL)
        (ours, times), (theirs, wanted) = (read_order(os.path.join(run.archive, "export", "cpu_0.prof")), read_order(other))
        print(f"# {times}, cProfile {wanted}")
        if ours[:1] + ours[4:] != theirs[:1] + theirs[4:] or abs(times["main"] - wanted["main"]) > 0.15 * wanted["main"] + get_lost(samples):
            run.fail(f"{times}, not cProfile's {wanted}")  # compare and inner are as long as sort


TWINS = BURN.replace("void spend", "static double ended;\nvoid spend") + """
#define TWIN(name) __attribute__ ((noinline)) void name (double seconds) { double end = now () + seconds; do { for (volatile int i = 0; i < 500; i++) { } for (volatile int i = 0; i < 500; i++) { } } while (now () < end); ended = end; }
TWIN (long_one) TWIN (short_one)
int main (void)
{
    long_one (0.8);
    short_one (0.4);
    return ended == 0;
}
"""


def test_functions():
    """Functions that share a line have each their own time, and code without symbols is one function from its
    beginning on: where nm says that it begins in the same program with symbols. On a busy machine a sample may stand for
    so much time that another function gets it."""
    with Measured(["./twins"]) as measured:
        expect_functions(measured, os.path.join(measured.folder, "twins"))


def get_sampled(run):
    """Per cent; of less nothing follows: where pddt's daemon had no processor nobody knows what the program did."""
    lost = re.search(r"not sampled ([\d.]+) %", run.err)
    print(f"# not sampled: {lost[1] if lost else 0} %")
    return 100 - float(lost[1] if lost else 0)


def expect_functions(measured, program):
    compile_to(program, TWINS)
    run = measured.run()
    line = TWINS[:TWINS.index("TWIN (long_one)")].count("\n") + 1
    shares = re.findall(rf"(long_one|short_one) at <stdin>:{line} ([\d.]+) %", run.err)
    sampled = get_sampled(run)
    if sampled < 70:
        return
    if [name for name, _ in shares] != ["long_one", "short_one"] or not 0.5 < float(shares[0][1]) / sampled < 0.8:
        run.fail(f"{shares}, not two thirds and one third of line {line}")
    symbols = subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    wanted = [int(re.search(rf"^(\w+) T {name}$", symbols, re.M)[1], 16) for name in ("long_one", "short_one")]
    subprocess.run(["strip", program], check=True)
    run = measured.run()
    text = subprocess.run([pddt.PDDT, "--cli", run.archive], stdout=subprocess.PIPE, text=True, check=True,
                          stdin=subprocess.DEVNULL).stdout
    found = [int(at, 16) for at in re.findall(r"%\s+\?\? \(twins\+0x(\w+)\)", text.partition("own time:")[2])]
    if get_sampled(run) >= 70 and found[:2] != wanted:
        run.fail(f"functions at {found}, not {wanted}: {text}")


HELD = """
import ctypes, sys, threading, time
spend = ctypes.PyDLL(sys.argv[1]).spend
spend.argtypes = [ctypes.c_double]

def hold():
    spend(1)

def want():
    begin = time.perf_counter()
    thread = threading.Thread(target=hold)
    thread.start()  # which waits until it runs
    sum(range(1000))
    print(time.perf_counter() - begin)
    thread.join()

want()
"""


def test_held():
    """A thread that waits for Python's lock, and who has it: a function that keeps it while it computes in C."""
    with Measured([]) as measured:
        library, program = os.path.join(measured.folder, "libburn.so"), os.path.join(measured.folder, "held.py")
        compile_to(library, BURN, "-shared", "-fPIC")
        with open(program, "w", encoding="utf-8") as file:
            file.write(HELD)
        measured.line += ["--report", "page.json", PYTHON, program, library]
        run, samples = measure(measured)
        wanted = float(run.out)
        with open(os.path.join(measured.folder, "page.json"), encoding="utf-8") as file:
            sections = {section["title"]: section["blocks"] for section in json.load(file)["sections"]}
        rows = sections["Waiting for Python's lock"][0]["rows"]
        seconds = sum(row[2] for row in rows if row[0] == "hold, held.py" and row[1].startswith("want, held.py:"))
        in_stacks = sum(sample[2] for sample in samples
                        if sample[3] == "Python lock" and any("GIL held by hold" in name for name in sample[4]))
        print(f"# {seconds:.2f} s, {in_stacks:.2f} s in stacks, waited {wanted:.2f} s, {rows}")
        if wanted < 0.3 or not 0.8 * wanted - 0.1 - get_lost(samples) < seconds < 1.3 * wanted + 0.1 or abs(in_stacks - seconds) > 0.1:
            run.fail(f"{rows}, not {wanted} s")


STARVED = """#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static double get (clockid_t clock)
{
    struct timespec time;
    clock_gettime (clock, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}
__attribute__ ((noinline)) double compute (void)
{
    double begin = get (CLOCK_MONOTONIC), end = get (CLOCK_THREAD_CPUTIME_ID) + 0.003;
    while (get (CLOCK_THREAD_CPUTIME_ID) < end) {
    }
    return get (CLOCK_MONOTONIC) - begin;
}
int main (void)
{
    double computed = 0, begin = get (CLOCK_MONOTONIC);
    for (int i = 0; i < 30; i++) {
        computed += compute ();
        usleep (20000);
    }
    printf ("%f %f\\n", computed, get (CLOCK_MONOTONIC) - begin - computed);
}
"""
HOGS = """i=0
while [ $i -lt 6 ]; do taskset -c $0 /usr/bin/python3 -c 'while True: pass' & hogs="$hogs $!"; i=$((i + 1)); done
taskset -c $0 nice -n 3 "$@"
status=$?
kill $hogs
exit $status
"""


def test_starved():
    """A program that has hardly any processor, and computes and waits in turn: its waits get none of the time for which
    it could not compute."""
    with Measured([]) as measured:
        program = os.path.join(measured.folder, "starved")
        compile_to(program, STARVED)
        # in one session, because Linux first divides a processor between sessions
        measured.line = ["sh", "-c", HOGS, str(max(os.sched_getaffinity(0))), *measured.line, program]
        run, samples = measure(measured)
    computed, waited = map(float, run.out.split())
    found = sum(sample[2] for sample in samples if sample[3] == "wait")
    print(f"# {found:.2f} s of waiting, {waited:.2f} s in truth, and {computed:.2f} s of computing")
    if not 0.7 * waited - get_lost(samples) < found < 1.2 * waited + 0.1:
        run.fail(f"{found} s of waiting, not {waited} s")


YIELDING = """#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static int n_threads;
static atomic_int n_come[6];
static double waited[256];
void await (int part)
{
    n_come[part]++;
    while (n_come[part] < n_threads) {
        sched_yield ();
    }
}
void *run (void *number)
{
    for (int part = 0; part < 6; part++) {
        double begin;
        spend (number == 0 ? 0.4 : 0.2);
        begin = now ();
        await (part);
        waited[(long) number] += now () - begin;
    }
    return 0;
}
int main (int argc, char **argv)
{
    pthread_t threads[256];
    double sum = 0;
    n_threads = atoi (argv[1]);
    for (long i = 0; i < n_threads; i++) {
        pthread_create (&threads[i], 0, run, (void *) i);
    }
    for (int i = 0; i < n_threads; i++) {
        pthread_join (threads[i], 0);
        sum += waited[i];
    }
    printf ("%g\\n", sum);
    return 0;
}
"""


def test_yielding():
    """More threads than processors wait for the last one and give up the processor meanwhile, as the ranks of an MPI do:
    what they wait is not what they compute."""
    n_threads = min(3 * len(os.sched_getaffinity(0)), 256)
    with Measured([]) as measured:
        program = os.path.join(measured.folder, "yielding")
        compile_to(program, BURN + YIELDING, "-pthread")
        measured.line += [program, str(n_threads)]
        run, samples = measure(measured)
    waited = float(run.out)
    found = sum(sample[2] for sample in samples if "await" in sample[4])
    print(f"# {found:.2f} s of waiting in {n_threads} threads, {waited:.2f} s in truth")
    if not 0.75 * waited - get_lost(samples) < found < 1.25 * waited:
        run.fail(f"{found} s of waiting, not {waited} s")


OPENMP = BURN + r"""
#include <omp.h>
#include <stdio.h>
__attribute__ ((noinline)) void asks (void)
{
    double begin = omp_get_wtime ();
    while (omp_get_wtime () < begin + 0.5) {
    }
    printf ("asks native %f\n", omp_get_wtime () - begin);
}
__attribute__ ((noinline)) void waits (void)
{
    double waited = 0;
#pragma omp parallel num_threads(2)
    {
        double begin;
        if (omp_get_thread_num () == 1) {
            spend (0.7);
        }
        begin = now ();
#pragma omp barrier
        if (omp_get_thread_num () == 0) {
            waited = now () - begin;
        }
    }
    printf ("waits OpenMP wait %f\n", waited);
}
int main (void)
{
    asks (); /* before it has its index */
    waits ();
    return 0;
}
"""


def test_openmp():
    """Who waits in OpenMP's runtime waits, also where that is linked into the program, and who only asks it does not. Nobody
    has read the program's symbols when it begins: samples are taken all the same."""
    for options in [], ["-static"]:
        with Measured([]) as measured:
            program = os.path.join(measured.folder, "openmp")
            try:
                compile_to(program, OPENMP, "-fopenmp", *options)
            except subprocess.CalledProcessError:
                if not options:
                    raise
                print("there is no static C library: not tried")
                continue
            measured.line += [program]
            run, samples = measure(measured)
            if len(run.out.splitlines()) != 2:
                run.fail("it has not come to its end")
            for line in run.out.splitlines():
                function, wanted, seconds = re.match(r"(\w+) (.*) ([\d.]+)$", line).groups()
                mine = [sample for sample in samples if sample[1] == 1 and sample[3] == wanted
                        and any(name.split(".")[0] == function for name in sample[4])]
                expect_seconds(run, mine, float(seconds), line)
                if sum(sample[2] for sample in mine) < 0.6 * float(seconds):
                    run.fail(f"{line}: not sampled before its index was there")


run_parts(tuple(map(once_in_five, (test_held, test_starved, test_yielding, test_classes, test_openmp, test_imbalance,
                                   test_turns, test_idle, test_threads, test_children, test_functions, test_order))), (test_patient,))
