# SPDX-License-Identifier: GPL-3.0-or-later
"""Report, Activity, Ranks, Functions, Calls and summary of a trace agree with each other, and with what C, C++, Fortran and Python
programs have measured of themselves: how long they computed, slept and were in MPI, and their processor time (getrusage). With and
without MPI and samples. Arguments: view-times; LANGUAGE ROUNDS prints one line of figures for each of these instead."""
import json
import os
import re
import shutil
import subprocess
import sys

import pddt
from measured import Measured, once_in_five
from traced import list_classes, list_ranks

VIEW_TIMES = os.path.abspath(sys.argv[1])
ARCHIVE_PROGRAM = os.path.join(os.environ["PDDT_BUILD_ROOT"], "src/programs/pddt-archive")
C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#ifdef WITH_MPI
#include <mpi.h>
#else
#define MPI_Init(count, words)
#define MPI_Comm_rank(comm, to)
#define MPI_Barrier(comm)
#define MPI_Finalize()
#endif
enum { COMPUTED, SLEPT, IN_MPI };
static double spent[3];
/* processor time of the whole process, and what its first thread has waited for a processor */
static void look (double *used, double *queued)
{
    struct rusage usage;
    FILE *file = fopen ("/proc/self/schedstat", "r");
    double ran;
    getrusage (RUSAGE_SELF, &usage);
    *used = (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + 1e-6 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    if (fscanf (file, "%lf %lf", &ran, queued) != 2) {
        exit (1);
    }
    *queued *= 1e-9;
    fclose (file);
}
static double get (clockid_t clock)
{
    struct timespec time;
    clock_gettime (clock, &time);
    return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}
#define TIMED(what, call)                                                                      \
    do {                                                                                       \
        double begin = get (CLOCK_MONOTONIC);                                                  \
        call;                                                                                  \
        spent[what] += get (CLOCK_MONOTONIC) - begin;                                          \
    } while (0)
static void compute (double seconds)
{
    double end = get (CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (get (CLOCK_THREAD_CPUTIME_ID) < end) {
        for (volatile int i = 0; i < 20000; i++) {
        }
    }
}
int main (int argc, char **argv)
{
    struct timespec nap = { 0, 100000000 };
    double used[2], queued[2];
    int rank = 0;
    look (&used[0], &queued[0]);
    TIMED (IN_MPI, MPI_Init (&argc, &argv));
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    for (int i = 0; i < atoi (argv[1]); i++) {
        TIMED (COMPUTED, compute (0.1 * (1 + rank)));
        TIMED (SLEPT, nanosleep (&nap, NULL));
        TIMED (IN_MPI, MPI_Barrier (MPI_COMM_WORLD));
    }
    TIMED (IN_MPI, MPI_Finalize ());
    look (&used[1], &queued[1]);
    printf ("%d %f %f %f %f %f %f %f\n", rank, spent[COMPUTED], spent[SLEPT], spent[IN_MPI], used[0], queued[0],
            used[1], queued[1]);
    return 0;
}
"""
CXX = r"""
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>
#include <time.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif
class Spent {
public:
    explicit Spent (double &to) : to (to) {}
    ~Spent () { to += std::chrono::duration<double> (Clock::now () - begin).count (); }
private:
    using Clock = std::chrono::steady_clock;
    double &to;
    Clock::time_point begin = Clock::now ();
};
static double computed, slept, in_mpi;
struct Look {
    double used, queued, ran;
    Look ()
    {
        rusage usage;
        getrusage (RUSAGE_SELF, &usage);
        used = double (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
               + 1e-6 * double (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
        std::ifstream ("/proc/self/schedstat") >> ran >> queued;
        queued *= 1e-9;
    }
};
static double get_processor_time ()
{
    timespec time;
    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
    return double (time.tv_sec) + 1e-9 * double (time.tv_nsec);
}
static void compute (double seconds)
{
    Spent spent (computed);
    for (double end = get_processor_time () + seconds;;) {
        if (get_processor_time () >= end) {
            throw std::runtime_error ("done");
        }
        for (volatile int i = 0; i < 20000; i = i + 1) {
        }
    }
}
int main (int argc, char **argv)
{
    Look first;
    int rank = 0;
    {
        Spent spent (in_mpi);
#ifdef WITH_MPI
        MPI_Init (&argc, &argv);
        MPI_Comm_rank (MPI_COMM_WORLD, &rank);
#endif
    }
    for (int i = 0; i < std::atoi (argv[1]); i++) {
        try {
            compute (0.1 * (1 + rank));
        } catch (const std::exception &) {
        }
        {
            Spent spent (slept);
            std::this_thread::sleep_for (std::chrono::milliseconds (100));
        }
        Spent spent (in_mpi);
#ifdef WITH_MPI
        MPI_Barrier (MPI_COMM_WORLD);
#endif
    }
    {
        Spent spent (in_mpi);
#ifdef WITH_MPI
        MPI_Finalize ();
#endif
    }
    Look last;
    std::printf ("%d %f %f %f %f %f %f %f\n", rank, computed, slept, in_mpi, first.used, first.queued, last.used,
                 last.queued);
}
"""
FORTRAN = """
program agreement
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
#ifdef WITH_MPI
  use mpi
#endif
  implicit none
  interface
    integer(c_int) function usleep(us) bind(c)
      import :: c_int
      integer(c_int), value :: us
    end function
  end interface
  double precision :: spent(3) = 0, begin, first(2), last(2)
  integer :: rank = 0, error, i, rounds
  character(16) :: word
  call look(first)
  call get_command_argument(1, word)
  read (word, *) rounds
  begin = now()
#ifdef WITH_MPI
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
#endif
  spent(3) = now() - begin
  do i = 1, rounds
    begin = now()
    call compute(0.1d0 * (1 + rank))
    spent(1) = spent(1) + now() - begin
    begin = now()
    error = usleep(100000)
    spent(2) = spent(2) + now() - begin
    begin = now()
#ifdef WITH_MPI
    call MPI_Barrier(MPI_COMM_WORLD, error)
#endif
    spent(3) = spent(3) + now() - begin
  end do
  begin = now()
#ifdef WITH_MPI
  call MPI_Finalize(error)
#endif
  spent(3) = spent(3) + now() - begin
  call look(last)
  write (*, '(i0, 7f12.6)') rank, spent, first, last
contains
  subroutine look(at)
    double precision, intent(out) :: at(2)
    double precision :: ran
    integer :: unit
    call cpu_time(at(1))
    open (newunit=unit, file='/proc/self/schedstat', action='read')
    read (unit, *) ran, at(2)
    close (unit)
    at(2) = at(2) * 1d-9
  end subroutine
  double precision function now()
    integer(int64) :: ticks, rate
    call system_clock(ticks, rate)
    now = dble(ticks) / dble(rate)
  end function
  subroutine compute(seconds)
    double precision, intent(in) :: seconds
    double precision :: time, end
    integer, volatile :: j
    call cpu_time(time)
    end = time + seconds
    do while (time < end)
      do j = 1, 20000
      end do
      call cpu_time(time)
    end do
  end subroutine
end program
"""
PYTHON = """
import resource, sys, time
spent, rank, comm = [0, 0, 0], 0, None
def look():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime, int(open("/proc/self/schedstat").read().split()[1]) / 1e9
first = look()
def timed(what, call, *words):
    begin = time.perf_counter()
    call(*words)
    spent[what] += time.perf_counter() - begin
def compute(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(2000))
def initialize():
    global comm, rank
    import mpi4py
    mpi4py.rc.initialize = False
    from mpi4py import MPI
    timed(2, MPI.Init)
    comm, rank = MPI.COMM_WORLD, MPI.COMM_WORLD.rank
def finalize():
    from mpi4py import MPI
    MPI.Finalize()
if sys.argv[2:]:
    initialize()
for _ in range(int(sys.argv[1])):
    timed(0, compute, 0.1 * (1 + rank))
    timed(1, time.sleep, 0.1)
    if comm:
        timed(2, comm.Barrier)
if comm:
    timed(2, finalize)
print(rank, *spent, *first, *look())
"""
# its text, its file, and the compilers without and with MPI
LANGUAGES = {"C": (C, "program.c", "cc", "mpicc"), "C++": (CXX, "program.cc", "c++", "mpicxx"),
             "Fortran": (FORTRAN, "program.F90", "gfortran", "mpifort"), "Python": (PYTHON, "program.py", None, "mpicc")}


def make(folder, language, has_mpi):
    """The command, without its number of rounds; None: there is no compiler for it."""
    text, name, *compilers = LANGUAGES[language]
    path, compiler = os.path.join(folder, name), compilers[has_mpi]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    if compiler is not None and shutil.which(compiler) is None:
        return None
    if language == "Python":
        return ["/usr/bin/python3", path]
    program = os.path.join(folder, "program")
    subprocess.run([compiler, "-g", "-O1", *(["-DWITH_MPI"] if has_mpi else []), "-o", program, path], check=True)
    return [program]


class Ran:
    """One run with all that is said of it."""

    def __init__(self, measured, run, has_samples, n_rounds):
        self.run, self.has_samples, self.n_rounds = run, has_samples, n_rounds
        self.own = {int(line.split()[0]): [float(word) for word in line.split()[1:]] for line in run.out.splitlines()}
        with open(os.path.join(measured.folder, "page.json"), encoding="utf-8") as file:
            self.page = json.load(file)
        said = subprocess.run([VIEW_TIMES, ARCHIVE_PROGRAM, os.path.join(measured.folder, "here")], check=True, text=True,
                              stdout=subprocess.PIPE, timeout=100).stdout
        self.views = {rank: {} for rank in self.own}  # rank: class: [Ranks, Activity, slice]
        self.sums = {}  # rank: [functions, calls, its life]
        self.starts = dict.fromkeys(self.own, 0)  # rank: what the loader did before the program
        for line in said.splitlines():
            rank, kind, *seconds = line.split("\t")
            if kind == "start":
                self.starts[int(rank)] = float(seconds[0])
                continue
            (self.sums if kind == "all" else self.views[int(rank)])[int(rank) if kind == "all" else kind] = [*map(float, seconds)]
        self.summary = subprocess.run([pddt.PDDT, "--cli", "here"], cwd=measured.folder, env=measured.environment, check=True,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=100).stdout

    def get_slowness(self, rank):
        """1 where it had a processor for itself, as long as it computed."""
        return max(self.own[rank][0] / (0.1 * (1 + rank) * self.n_rounds), 1)

    def expect_near(self, found, wanted, what, share=0.001, more=0.001):
        if abs(found - wanted) > share * abs(wanted) + more:
            self.run.fail(f"{what}: {found}, not {wanted}\n{self.views}\n{self.sums}\n{self.own}")


def check_views(ran):
    """All show the same times."""
    classes, ranks = list_classes(ran.page), list_ranks(ran.page)
    totals = {}
    for rank, kinds in ran.views.items():
        for kind, (whole, over_time, in_slice) in kinds.items():
            totals[kind] = totals.get(kind, 0) + whole
            ran.expect_near(over_time, whole, f"rank {rank}, {kind} in Activity")
            ran.expect_near(in_slice, whole, f"rank {rank}, {kind} in Ranks")
        time = sum(each[0] for each in kinds.values())
        functions, calls, _ = ran.sums[rank]
        ran.expect_near(functions, time, f"rank {rank}: Functions")
        ran.expect_near(calls, time, f"rank {rank}: Calls")
        if len(ran.views) > 1:
            ran.expect_near(ranks[str(rank)], time, f"rank {rank} in the report")
    for kind, seconds in totals.items():
        if seconds > 0.0015:
            ran.expect_near(classes.get(kind, 0), seconds, f"{kind} in the report", more=0.002)
    total = sum(totals.values())
    shares = dict(re.findall(r"([A-Za-z/]+(?: [a-z]+)?) (\d+\.\d) %", ran.summary.splitlines()[1]))
    for kind, seconds in totals.items():
        if seconds > 0.002 * total:
            ran.expect_near(float(shares[kind]), 100 * seconds / total, f"{kind} in the summary", more=0.11)


def get_times(ran, rank):
    """(computing, asleep, in MPI) as the trace has it, from the program's first line on."""
    kinds = {kind: each[0] for kind, each in ran.views[rank].items()}
    return (sum(kinds.get(kind, 0) for kind in ("native", "Python", "I/O")) - ran.starts[rank], kinds.get("wait", 0), kinds.get("MPI", 0))


def check_program(ran, language, has_mpi):
    """By the program's own clock, which goes on while others have the processor."""
    for rank, (computed, slept, in_mpi, *_) in ran.own.items():
        computing, asleep, mpi = get_times(ran, rank)
        # what it has not timed: its libraries, imports and MPI's own beginning; what samples have seen before and after
        start = (0.3 if language == "Python" else 0.03) + (0.3 if ran.has_samples else 0) + (0.5 if language == "Python" else 0.1) * has_mpi
        start *= ran.get_slowness(rank)
        if not 0.99 * computed - 0.02 <= computing <= 1.01 * computed + start:
            ran.run.fail(f"rank {rank} computed for {computed} s, and the trace has {computing}: {ran.views}")
        ran.expect_near(asleep, slept, f"rank {rank} asleep", share=0.01,
                        more=0.01 + (0.1 * ran.get_slowness(rank) if ran.has_samples or language == "Python" else 0))
        if not 0.99 * in_mpi - 0.02 <= mpi <= 1.01 * in_mpi + (1.5 if language == "Python" else 0.1) * has_mpi * ran.get_slowness(rank) + 0.001:
            ran.run.fail(f"rank {rank} was in MPI for {in_mpi} s, and the trace has {mpi}: {ran.views}")


def check_processor(ran):
    """By the kernel, without the time in which others had the processor. The loader's is in what was used before the first line, and the
    time for which pddt held the process is not."""
    *_, used_before, queued_before, used, queued = ran.own[0]
    if ran.starts[0] > used_before + 0.001:
        ran.run.fail(f"the loader computed for {ran.starts[0]} s, and the kernel has counted {used_before} s until the first line")
    used, queued = used - used_before, queued - queued_before
    computing = get_times(ran, 0)[0] - queued
    around = ran.get_slowness(0) * (0.28 if ran.has_samples else 0.08)  # Python's start waits for a processor, too
    if not 0.98 * used - around <= computing <= 1.02 * used + around:
        ran.run.fail(f"{computing} s of processor time, and the kernel has counted {used}: {ran.views}")


def take(language, has_mpi, has_samples, n_rounds):
    """None: there is no compiler."""
    options = ["--output", "here", "--report", "page.json"] + (["--profile"] if has_samples else [])
    with Measured([], *options, mode="--trace") as measured:
        command = make(measured.folder, language, has_mpi)
        if command is None:
            return None
        measured.line += ["mpirun", "-np", "2"] * has_mpi + [*command, str(n_rounds), *["mpi"] * (has_mpi and language == "Python")]
        run = measured.run()
        run.expect_status(0)
        return Ran(measured, run, has_samples, n_rounds)


@once_in_five
def test_one(language, has_mpi, has_samples):
    ran = take(language, has_mpi, has_samples, 4)
    if ran is None:
        print(f"# no compiler of {language}")
        return
    check_views(ran)
    check_program(ran, language, has_mpi)
    if not has_mpi:
        check_processor(ran)


CASES = [(has_mpi, has_samples) for has_mpi in (False, True) for has_samples in (False, True)]
if len(sys.argv) > 2:
    for case in CASES:
        ran = take(sys.argv[2], *case, int(sys.argv[3]))
        for rank, own in ran.own.items():
            found = get_times(ran, rank)
            print(f"{sys.argv[2]:8} MPI {case[0]!s:5} --profile {case[1]!s:5} rank {rank}: computing, asleep, in MPI",
                  *(f"{mine:.3f} ({100 * (mine / its - 1):+.2f} %)" for mine, its in zip(found, own) if its > 0.1),
                  f"processor {own[5] - own[3]:.3f}, without {own[6] - own[4]:.3f} of queueing {sum(found) - found[1] - own[6] + own[4]:.3f};",
                  f"before the first line {own[3]:.3f} and {own[4]:.3f}, the loader {ran.starts[rank]:.3f}", flush=True)
else:
    for number, name in enumerate(LANGUAGES):  # ./check: with and without MPI, and with and without samples, in each language
        for case in CASES if os.environ.get("PDDT_LONG") else CASES[::3] if number % 2 else CASES[1:3]:
            test_one(name, *case)
            print("ok", name, "with" if case[0] else "without", "MPI,", "with" if case[1] else "without", "samples", flush=True)
