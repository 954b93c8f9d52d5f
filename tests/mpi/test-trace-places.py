# SPDX-License-Identifier: GPL-3.0-or-later
"""Places in a trace: of calls in native code, with their lines or without, and of OpenMP's regions and waits."""
import json
import os
import re
import shutil
import subprocess

import pddt
from measured import Script, once_in_five
from traced import list_classes


GOMP = """
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
int main (void)
{
    double waited[2][2] = { { 0 } };
    omp_lock_t lock;
    omp_init_lock (&lock);
    #pragma omp parallel num_threads (2)
    {
        int number = omp_get_thread_num ();
        double begin;
        if (number == 1) {
            omp_set_lock (&lock);
            usleep (300000);
        }
        begin = omp_get_wtime ();
        #pragma omp barrier
        waited[0][number] = omp_get_wtime () - begin;
        if (number == 1) {
            usleep (200000);
            omp_unset_lock (&lock);
            usleep (400000);
        } else {
            begin = omp_get_wtime ();
            omp_set_lock (&lock);
            waited[1][0] = omp_get_wtime () - begin;
            omp_unset_lock (&lock);
        }
    }
    printf ("%f %f\\n", waited[0][0], waited[1][0]);
    return 0;
}
"""


@once_in_five
def test_libgomp():
    """Of GCC's OpenMP, which offers no OMPT: regions with their lines, and how long the first thread waits, at a barrier, for a
    lock and at the end of the region. A libgomp that is linked statically is not seen."""
    with Script("", "--report", "page.json") as script:
        script.write("gomp.c", GOMP)
        subprocess.run(["gcc", "-g", "-fopenmp", "-o", "gomp", "gomp.c"], cwd=script.folder, check=True)
        script.line = script.line[:-2] + ["./gomp"]
        run, calls = script.count()
        at_barrier, for_lock = map(float, run.out.split())
        for name, wanted in {"omp parallel @gomp.c:10": 1, "omp implicit task @gomp.c:10": 2, "omp barrier wait @gomp.c:10": 2,
                             "omp barrier wait @gomp.c:19": 2, "omp lock wait @gomp.c:27": 1, "omp lock wait @gomp.c:15": 0}.items():
            if sum(n for region, n in calls.items() if region.endswith(name)) != wanted:
                run.fail(f"{name}: {calls}")
        with open(os.path.join(script.folder, "page.json"), encoding="utf-8") as file:
            classes = list_classes(json.load(file))
        for kind, wanted in ("OpenMP wait", at_barrier + 0.4), ("lock", for_lock):
            if not 0.98 * wanted - 0.05 < classes.get(kind, 0) < 1.1 * wanted + 0.2:
                run.fail(f"{kind}: {classes}, not {wanted}")
        if subprocess.run(["gcc", "-fopenmp", "-static-libgcc", "-o", "gomp", "gomp.c", "-Wl,-Bstatic", "-lgomp", "-Wl,-Bdynamic"],
                          cwd=script.folder, check=False).returncode == 0:
            run, calls = script.count()
            if any(name.startswith("omp ") for name in calls):
                run.fail(f"its own libgomp: {calls}")


REGIONS_OF_MAIN = """
#include <omp.h>
static double numbers[2];
static void compute (double *number) { for (int i = 0; i < 1000; i++) *number = *number * 0.5 + i; }
static __attribute__ ((noinline)) void meet (void)
{
    #pragma omp barrier
}
int main (void)
{
    for (int i = 0; i < 3; i++) {
        #pragma omp parallel num_threads (2)
        compute (&numbers[omp_get_thread_num ()]);
        #pragma omp parallel num_threads (2)
        {
            meet ();
            compute (&numbers[omp_get_thread_num ()]);
            #pragma omp barrier
        }
    }
    return 0;
}
"""


def test_openmp_lines():
    """Regions of one function are told apart, whatever the compiler makes of them. It may leave a function by a jump to the barrier
    that is its last call, which then has its caller's line, and so a region, whose line it is then."""
    compilers = [["gcc", level] for level in ("-O0", "-O1", "-O2", "-O3")]
    compilers += [["clang", "-O2"]] if shutil.which("clang") else []
    with Script("") as script:
        script.write("two.c", REGIONS_OF_MAIN)
        script.line = script.line[:-2] + ["./two"]
        for compiler in compilers:
            subprocess.run([*compiler, "-g", "-fopenmp", "-o", "two", "two.c"], cwd=script.folder, check=True)
            run, calls = script.count()
            found = {name.split(":", 1)[-1]: n for name, n in calls.items() if "omp " in name}
            in_region, in_call = ("18", "7") if compiler[1] in ("-O0", "-O1") else ("14", "16")
            wanted = {f"omp {what} @two.c:{line}": n for line in (12, 14)
                      for what, n in (("parallel", 3), ("implicit task", 6), ("barrier wait", 6))}
            for line in in_region, in_call:
                name = "omp barrier wait @two.c:" + line
                wanted[name] = wanted.get(name, 0) + 6
            if found != wanted:
                run.fail(f"{compiler}: {found}, not {wanted}")


PLACES = """
import time
import numpy
from mpi4py import MPI
world = MPI.COMM_WORLD
def early():
    for i in range(20):
        world.Recv(numpy.zeros(1), 1)
        world.Barrier()
def late():
    for i in range(20):
        time.sleep(0.02)
        world.Iprobe()
        world.Send(numpy.zeros(1), 0)
        world.Barrier()
early() if world.rank == 0 else late()
"""


@once_in_five
def test_places():
    """A call that takes 0.2 ms has its line; one that is shorter and follows another one at once, the first line of its
    function. (Now and then it is longer on a busy machine.)"""
    with Script(PLACES, "--report", "page.json", launcher=["mpirun", "-np", "2"]) as script:
        run = script.run()
        run.expect_status(0)
        with open(os.path.join(script.folder, "page.json"), encoding="utf-8") as file:
            sections = json.load(file)["sections"]
        table = next(each for each in sections if each["title"] == "Waiting in MPI")["blocks"][-1]
        titles = [column["title"] for column in table["columns"]]
        rows = [dict(zip(titles, row)) for row in table["rows"]]
        times = {(row["Place"], row["Which was at"]): row["Times"] for row in rows if row["Kind"] == "late sender"}
        if times.get(("early at script.py:8", "late at script.py:10"), 0) < 5:
            run.fail(f"places: {times}")


NATIVE = """
#include <mpi.h>
#include <unistd.h>
static inline __attribute__ ((always_inline)) void meet (void)
{
    MPI_Barrier (MPI_COMM_WORLD);
}
int main (int argc, char **argv)
{
    int rank;
    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        usleep (300000);
    }
    meet ();
    MPI_Finalize ();
}
"""
FORTRAN = """
program native
  use mpi
  implicit none
  integer :: rank, status
  call MPI_Init(status)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, status)
  call meet(rank)
  call MPI_Finalize(status)
contains
  subroutine meet(rank)
    integer, intent(in) :: rank
    if (rank == 1) call sleep(1)
    call MPI_Barrier(MPI_COMM_WORLD, status)
  end subroutine
end program
"""


def find_line(text, part):
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def run_native(source, text, *command, strip=False):
    """Builds and traces it; returns the folder's name and its report's rows of the wait at the barrier."""
    with Script("", launcher=["mpirun", "-np", "2", "./native", "#"]) as script:
        script.write(source, text)
        subprocess.run([*command, "-g", "-o", "native", source], cwd=script.folder, check=True)
        subprocess.run(["cp", "native", "whole"], cwd=script.folder, check=True)
        if strip:
            subprocess.run(["strip", "native"], cwd=script.folder, check=True)
        script.line = [pddt.PDDT, "--trace", "--report", "page.json", "mpirun", "-np", "2", "./native"]
        run = script.run()
        run.expect_status(0)
        with open(os.path.join(script.folder, "page.json"), encoding="utf-8") as file:
            sections = json.load(file)["sections"]
        table = next(each for each in sections if each["title"] == "Waiting in MPI")["blocks"][-1]
        titles = [column["title"] for column in table["columns"]]
        places = {row[titles.index("Place")] for row in table["rows"] if "wait at barrier" in row}
        shown = [re.search(r"native\+(0x[0-9a-f]+)", place) for place in places]
        if strip and len(places) == 1 and shown[0]:
            line = subprocess.run(["addr2line", "-e", "whole", hex(int(shown[0][1], 16) - 1)], cwd=script.folder, check=True,
                                  capture_output=True, text=True).stdout
            places = {os.path.basename(line.split()[0])}
        return run, places


def test_native():
    """The place of a call in native code is its function, inlined ones too, and its line; without debug information a module
    and an offset that addr2line knows."""
    in_c = "native.c:%d" % find_line(NATIVE, "MPI_Barrier")
    for options in ([], ["-no-pie"], ["-O2"]):
        run, places = run_native("native.c", NATIVE, "mpicc", *options)
        if places != {"meet at " + in_c}:
            run.fail(f"{options}: places: {places}")
    run, places = run_native("native.c", NATIVE, "mpicc", "-no-pie", strip=True)
    if places != {in_c}:
        run.fail(f"addr2line says {places}")
    run, places = run_native("native.f90", FORTRAN, "mpif90")
    if places != {"native::meet at native.f90:%d" % find_line(FORTRAN, "call MPI_Barrier")}:
        run.fail(f"places: {places}")


def test_names():
    """pddt-symbols names code of a file with that build-id alone, and answers every line."""
    with Script("") as script:
        script.write("named.c", NATIVE)
        subprocess.run(["mpicc", "-g", "-no-pie", "-o", "named file", "named.c"], cwd=script.folder, check=True)
        os.mkfifo(os.path.join(script.folder, "pipe"))
        path = os.path.join(script.folder, "named file")
        notes = subprocess.run(["readelf", "-n", path], check=True, capture_output=True, text=True).stdout
        build_id = re.search(r"Build ID: (\w+)", notes)[1]
        main = next(line.split()[0] for line in subprocess.run(["nm", path], check=True, capture_output=True, text=True)
                    .stdout.splitlines() if line.endswith(" T main"))
        address = hex(int(main, 16) + 1)[2:]
        questions = [f"{build_id} {address} {path}", f"- {address} {path}", f"{build_id[::-1]} {address} {path}",
                     f"- {address} {script.folder}/pipe", f"{build_id} {address} /nowhere", "- 1", "",
                     f"- 1 {path}", f"- 0 {path}", "- " + "f" * 40 + " " + path]
        done = subprocess.run([os.path.join(os.environ["PDDT_BUILD_ROOT"], "src/programs/pddt-symbols"), "--name"],
                              input="\n".join(questions) + "\n", timeout=60, check=True, capture_output=True, text=True)
        found = "main\t%s/named.c\t%d" % (script.folder, find_line(NATIVE, "int main") + 1)
        answers = done.stdout.split("\n")
        assert answers == [found] * 2 + ["\t\t0"] * 8 + [""], answers


test_libgomp()
test_openmp_lines()
test_places()
test_native()
test_names()
