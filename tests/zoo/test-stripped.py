# SPDX-License-Identifier: GPL-3.0-or-later
"""Without the names of functions: copies of MPI's library and of the program, both stripped. Whoever is inside MPI is
never said to compute, with the recorder and without; with it, the circle is known all the same. And a pddt that was built
without MPICH."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import tempfile

import pddt

BUILT = os.path.join(pddt.BUILD, "tests", "zoo")
CASES = (("ring", 3), ("barrier", 3), ("waitany", 2))  # nobody of them computes


def find_libraries(program):
    """MPI's own, which the program loads."""
    out = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line.split()[2] for line in out.splitlines()
            if line.split()[0].startswith(("libmpi", "libopen-", "libmpich"))]


def strip(source, target):
    shutil.copy(os.path.realpath(source), target)
    subprocess.run(["strip", "--strip-all", target], check=True)


def check(folder, kind, name, n, is_recorded):
    launcher = ["mpiexec.mpich", "-n"] if kind else ["mpirun.openmpi", "--oversubscribe", "-np"]
    environment = {"LD_LIBRARY_PATH": folder, **({} if is_recorded else {"PDDT_NO_RECORDER": "1"})}
    dialogue = pddt.Dialogue(["--stop-at", "none"] + launcher + [str(n), os.path.join(folder, "program"), name],
                             environment=environment)
    title = f"{name}{kind} {'with' if is_recorded else 'without'} recorder"
    last = ""

    def ask():
        """Once all have come to their calls, nobody is said to compute."""
        nonlocal last
        told = [event for event in dialogue.ask("why")[0] if event["event"] == "why"]
        last = " | ".join(event["text"] for event in told)
        is_there = any(event["stuck"] for event in told) if is_recorded else re.search(r"(?<!waiting )in MPI", last)
        return is_there and "comput" not in last and "MPI_Init" not in last

    try:
        pddt.wait_for("ranks inside MPI", ask)
    except SystemExit as error:
        raise SystemExit(f"{title}: {error}: {last}") from None
    finally:
        dialogue.end()
    if is_recorded and name == "ring" and "0-2 wait for each other in a circle" not in last:
        raise SystemExit(f"{title}: {last}")
    return f"{title}: {last}"


def copy_without(recorder, folder):
    """The program as built where that MPI was not: returns its path."""
    for part in ("programs", "agent"):
        os.makedirs(os.path.join(folder, "src", part))
        for entry in os.scandir(os.path.join(pddt.BUILD, "src", part)):
            if entry.is_file() and entry.name != recorder:
                os.link(entry.path, os.path.join(folder, "src", part, entry.name))
    return os.path.join(folder, "src", "programs", "pddt")


def check_without_mpich():
    """It says once what to install; from the stacks nobody computes, and no other job is there."""
    own = pddt.PDDT
    with tempfile.TemporaryDirectory(prefix="without-", dir=pddt.BUILD) as folder:
        pddt.PDDT = copy_without("libpddt-mpi-mpich.so", folder)
        traced = subprocess.run([pddt.PDDT, "--trace", "--output", os.path.join(folder, "trace"), "mpiexec.mpich", "-n", "2", "true"],
                                capture_output=True, text=True, check=False, timeout=100, stdin=subprocess.DEVNULL, env=pddt.ENVIRONMENT)
        if traced.stderr.count("build pddt again; the trace has no calls of MPI\n") != 1 or "queues" in traced.stderr:
            raise SystemExit(traced)
        dialogue = pddt.Dialogue(["--stop-at", "none", "mpiexec.mpich", "-n", "3",
                                  os.path.join(BUILT, "situation-states-mpich"), "barrier"])
        pddt.PDDT = own
        try:
            def ask():
                nonlocal told
                told = " | ".join(event["text"] for command in ("why", "on 1 why")
                                  for event in dialogue.ask(command)[0] if event["event"] == "why")
                return "in MPI_Barrier" in told and "in MPI_Recv" in told
            told = ""
            try:
                pddt.wait_for("stacks inside MPI", ask)
            except SystemExit as error:
                raise SystemExit(f"{error}: {told}") from None
            if "comput" in told or "another job" in told:
                raise SystemExit(told)
            said = "".join(event.get("text", "") for event in dialogue.seen)
            if said.count("pddt was built without MPICH; install its mpicc (libmpich-dev) and build pddt again") != 1:
                raise SystemExit(said)
        finally:
            dialogue.end()
    return "a pddt without MPICH: " + told


def check_jump(folder):
    """A call that jumps to a nameless function, as MPICH's do from release 4 on, has no frame of its own."""
    library, program = os.path.join(folder, "libmpi-jumps.so"), os.path.join(folder, "jumps")
    for target, text, *options in (
            (library, "static volatile int n; static __attribute__ ((noinline)) int turn (void) { while (!n); return n; }"
             " int PMPI_Init (void) { return 0; } int MPI_Waitall (void) { return turn (); }", "-O2", "-shared", "-fPIC"),
            (program, "int MPI_Waitall (void), PMPI_Init (void);"
             " int main (void) { return PMPI_Init () + MPI_Waitall () + 1; }", "-O0", library)):
        subprocess.run(["gcc", "-x", "c", "-", "-s", "-x", "none", *options, "-o", target], input=text, text=True, check=True)
    dialogue = pddt.Dialogue(["--stop-at", "none", program], environment={"PDDT_NO_RECORDER": "1"})
    try:
        pddt.wait_for("a rank inside MPI", lambda: any(
            event.get("operation") == "MPI" for event in dialogue.ask("show queue")[0]))
        told = " | ".join(event["text"] for event in dialogue.ask("why")[0] if event["event"] == "why")
    finally:
        dialogue.end()
    if "in MPI" not in told or "comput" in told:
        raise SystemExit(f"a call that jumps: {told}")
    return "a call that jumps: " + told


def main():
    if os.path.exists(os.path.join(BUILT, "situation-states-mpich")):
        print("ok", check_without_mpich())
    with tempfile.TemporaryDirectory(prefix="pddt-stripped-") as top, concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(check_jump, top)]
        for kind in ("", "-mpich"):
            program = os.path.join(BUILT, "situation-states" + kind)
            if not os.path.exists(program):
                continue
            folder = os.path.join(top, "mpi" + kind)
            os.mkdir(folder)
            strip(program, os.path.join(folder, "program"))
            for library in find_libraries(program):
                strip(library, os.path.join(folder, os.path.basename(library)))
            cases = CASES if os.environ.get("PDDT_LONG") else CASES[2:]
            jobs += [pool.submit(check, folder, kind, name, n, is_recorded) for name, n in cases
                     for is_recorded in (True, False)]
        pddt.report(jobs)


main()
