# SPDX-License-Identifier: GPL-3.0-or-later
"""--profile --trace: what samples have seen between the calls of the trace, in one tree, in the report, the exports and the
Timeline, live and from the archives. No time is there twice, and each archive alone is as it was. Of several threads each
has its own samples, and what nobody has recorded is there, too."""
import csv
import json
import os
import pstats
import re
import shutil
import signal
import subprocess
import sys

import launching
import pddt
from measured import Measured, once_in_five
from traced import list_classes, list_ranks, read_tables

PROGRAM, BUSY, TIMELINE_TIPS = map(os.path.abspath, sys.argv[1:])
ARCHIVE_PROGRAM = os.path.join(os.environ["PDDT_BUILD_ROOT"], "src/programs/pddt-archive")
SCRIPT = """
import ctypes, resource, sys
busy = ctypes.CDLL(sys.argv[3])
def step(size):
    busy.many(ctypes.c_long(size))
    busy.few(ctypes.c_long(size))
def loop(n, size):
    for i in range(n):
        step(size)
loop(int(sys.argv[1]), int(sys.argv[2]))
spent = resource.getrusage(resource.RUSAGE_SELF)
print(spent.ru_utime + spent.ru_stime)
"""
SIZE = 30000000


class Both(Measured):
    """One run with both archives, and all that is said of it."""

    def __init__(self, command):
        super().__init__(command, "--trace", "--output", "here", "--report", "live.json", "--export", "csv=f.csv",
                         "--export", "pstats=f.prof")

    def take(self):
        run = self.run()
        run.expect_status(0)
        run.page = self.load("live.json")
        return run

    def load(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return json.load(file)

    def report(self, *path):
        name = "-".join(path) + ".json"
        self.say("--report", name, os.path.join(*path))
        return self.load(name)

    def say(self, *words):
        environment = {name: value for name, value in self.environment.items() if name != "DISPLAY"}
        return subprocess.run([pddt.PDDT, *words], cwd=self.folder, env=environment, text=True, check=True, timeout=100,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout


def list_functions(page):
    """{function: (own time, total time, calls)}"""
    (rows,) = read_tables(page, "Functions")
    return {row["Function"]: (float(row["Own time"]), float(row["Total time"]), row.get("Calls")) for row in rows}


def read_export(both):
    """{function: (own time, total time)} of all ranks, however little it is."""
    found = {}
    with open(os.path.join(both.folder, "f.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            own, total = found.get(row["function"], (0, 0))
            if row["rank"] == "all":
                found[row["function"]] = (own + float(row["self_s"]), total + float(row["total_s"]))
    return found


def check_sums(run, both, page, n_ranks):
    """Classes, ranks, functions and the summary have the same times."""
    classes = list_classes(page)
    total = sum(classes.values())
    own = sum(each[0] for each in read_export(both).values())
    ranks = list_ranks(page) if n_ranks > 1 else {}
    if abs(own - total) > 0.001 * total:
        run.fail(f"the functions have {own} s of {total} s")
    if ranks and abs(sum(ranks.values()) - total) > 0.001 * total:
        run.fail(f"{ranks} of {total} s")
    for kind, share in re.findall(r"([A-Za-z/]+(?: [a-z]+)?) (\d+\.\d) %", both.say("here").splitlines()[1]):
        if abs(100 * classes.get(kind, 0) / total - float(share)) > 0.11:
            run.fail(f"{kind}: {share} % of {classes}")


def check_alone(run, both):
    """Each archive by itself tells what it has."""
    for page, wanted in (both.report("here", "trace"), "Calls"), (both.report("here", "profile"), "Samples"):
        titles = [column["title"] for column in page["sections"][0]["blocks"][0]["columns"]]
        if "sampled]" in json.dumps(page) or wanted not in titles:
            run.fail(f"{wanted} is not in {titles}, or somebody has filled it")


def check_shares(run, functions, around, least):
    """many took three times as long as few, and both together most of what they are in."""
    many, few = (functions.get(name + " [sampled]", (0, 0, None)) for name in ("many", "few"))
    if not 0.62 < many[1] / max(many[1] + few[1], 1e-9) < 0.86:
        run.fail(f"many took {many[1]} s, few {few[1]} s")
    # on a machine that is busy a sample may repeat the one before when the program has come to its end
    if not least * around <= many[1] + few[1] <= 1.02 * around:
        run.fail(f"both took {many[1] + few[1]} s of {around} s")
    if many[2] is not None or few[2] is not None:
        run.fail(f"somebody has counted calls: {many}, {few}")


def test_program():
    """Native functions between calls of MPI."""
    with Both(["mpirun", "-np", "2", PROGRAM, "8", str(SIZE)]) as both:
        run = both.take()
        alone = list_functions(both.report("here", "trace"))
        functions = list_functions(run.page)
        if functions != list_functions(both.report("here")):
            run.fail(f"the archives have others than {functions}")
        region = functions.get("filled", alone["filled"])  # where next to no time of its own is left, it is in no list
        if abs(region[1] - alone["filled"][1]) > 0.002 or region[2] != alone["filled"][2]:
            run.fail(f"the program's region is {region}, and was {alone['filled']}")
        check_shares(run, functions, alone["filled"][0], 0.75)
        for name in "MPI_Barrier", "MPI_Init", "MPI_Finalize":
            if functions.get(name) != alone.get(name):  # one that took next to no time is in no list
                run.fail(f"{name} is {functions.get(name)}, and was {alone.get(name)}")
        mpi, was = list_classes(run.page)["MPI"], list_classes(both.report("here", "trace"))["MPI"]
        # what the MPI's libraries do before main is MPI, too, and no call: some 0.3 s with Open MPI 5, less with 4
        if not 0.99 * was <= mpi <= 1.01 * was + (0.6 if launching.has_prrte() else 0.1):
            run.fail(f"MPI took {mpi} s, and {was} s by its calls")
        check_sums(run, both, run.page, 2)
        check_alone(run, both)
        check_timeline(run, both)


def test_short():
    """Less lies between two calls than between two samples."""
    with Both(["mpirun", "-np", "1", PROGRAM, "1600", str(SIZE // 200)]) as both:
        run = both.take()
        alone = list_functions(both.report("here", "trace"))
        check_shares(run, list_functions(run.page), alone["filled"][0], 0.6)
        check_sums(run, both, run.page, 1)


def test_python():
    """A Python function that calls C, with few and with many events. Its time, without that in which there was no processor
    for it, is what the kernel has counted."""
    for rounds, size in (8, SIZE), (800, SIZE // 100):
        with Both(["/usr/bin/python3", "-c", SCRIPT, str(rounds), str(size), BUSY]) as both:
            run = both.take()
            alone, (own, total) = list_functions(both.report("here", "trace"))["step"], read_export(both)["step"]
            check_shares(run, list_functions(run.page), alone[0], 0.6)
            if abs(total - alone[1]) > 0.002 or own > 0.4 * alone[0]:
                run.fail(f"step took {total} s, {own} s itself, and by its calls {alone}")
            tree = both.say("here")
            if not re.search(r" step at <string>:4 \[py\]\n +\d+\.\d % +many at busy\.c:\d+ \[sampled\]\n", tree):
                run.fail(tree)
            check_sums(run, both, run.page, 1)
            (calls,) = [row[1] for key, row in pstats.Stats(os.path.join(both.folder, "f.prof")).stats.items()
                        if key[2] == "step"]
            if calls != rounds:
                run.fail(f"{calls} calls in the export")
            total = sum(list_classes(run.page).values())
            queued = float(read_tables(run.page, "Threads")[0][0]["Waiting for a processor"])
            # where other programs take the processors, the daemon, too, waits for one while the program stands for a sample
            most = (0.01 if queued < 0.1 * total else 0.1) * total + 0.05
            if not -0.01 * total - 0.05 < total - queued - float(run.out) < most:
                run.fail(f"{total} s, {queued} s of them without a processor, are not {run.out}")


THREADS = """
import ctypes, sys, threading
busy = ctypes.CDLL(sys.argv[2])
def alpha(size):
    busy.many(ctypes.c_long(size))
def beta(size):
    busy.few(ctypes.c_long(size))
threads = [threading.Thread(target=alpha, args=(int(sys.argv[1]),)), threading.Thread(target=beta, args=(3 * int(sys.argv[1]),))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def forget_sums(archive):
    """As an earlier version has written it."""
    path = os.path.join(archive, "traces.otf2")
    with open(path, "rb") as file:
        bytes = file.read()
    with open(path, "wb") as file:
        file.write(bytes.replace(b"PDDT::SUMMED", b"PDDT::OLD___"))
    os.remove(os.path.join(archive, "traces.sums"))


def forget_ids(archive):
    """As an earlier version has written it: nothing says what the kernel calls the threads."""
    path = os.path.join(archive, "traces.def")
    with open(path, "rb") as file:
        bytes = file.read()
    with open(path, "wb") as file:
        file.write(bytes.replace(b"pddt::tid", b"pddt::old"))
    forget_sums(archive)
    return bytes.count(b"pddt::tid")


@once_in_five
def test_threads():
    """Each thread is filled by its own samples."""
    with Both(["/usr/bin/python3", "-c", THREADS, str(SIZE), BUSY]) as both:
        run = both.take()
        alone, functions = (list_functions(both.report("here", *path)) for path in (["trace"], []))
        if functions != list_functions(run.page):
            run.fail(f"the archives have others than {run.page}")
        for caller, inside, other in ("alpha", "many", "few"), ("beta", "few", "many"):
            if not 0.6 * alone[caller][0] < functions.get(inside + " [sampled]", (0, 0))[1] < 1.02 * alone[caller][0]:
                run.fail(f"{caller} had {alone[caller]}, and of it {functions}")
            tree = both.say("here")
            if not re.search(rf" {caller} at <string>:\d+ \[py\]\n +\d+\.\d % +{inside} at busy\.c:\d+ \[sampled\]\n", tree) \
                    or re.search(rf" {caller} at <string>:\d+ \[py\]\n +\d+\.\d % +{other} at busy", tree):
                run.fail(tree)
        check_sums(run, both, run.page, 1)
        if not forget_ids(os.path.join(both.folder, "here", "trace")) or not forget_ids(os.path.join(both.folder, "here", "profile")):
            run.fail("no archive has the kernel's ids")
        old = list_functions(both.report("here"))
        if any(name in old for name in ("many [sampled]", "few [sampled]")) or old["alpha"] != alone["alpha"]:
            run.fail(f"whose samples these are nobody knows: {old}")


ALONE = """
#include <time.h>
static double now (void)
{
    struct timespec time;
    clock_gettime (CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}
__attribute__ ((noinline)) void by_itself (void)
{
    double end = now () + 1;
    while (now () < end) {
    }
}
int main (void)
{
    by_itself ();
    return 0;
}
"""


@once_in_five
def test_unrecorded():
    """A rank that cannot record, as a static program, is there with what its samples say, and what another one has started,
    as its child."""
    with Both([]) as both:
        program = os.path.join(both.folder, "alone")
        if subprocess.run(["cc", "-g", "-O1", "-static", "-o", program, "-xc", "-"], input=ALONE, text=True, check=False).returncode != 0:
            print("there is no static C library: not tried")
            return
        start = f"import subprocess; subprocess.run(['{program}'], check=True)"
        both.line += ["mpirun", "-np", "2", "sh", "-c",
                      f'[ "$OMPI_COMM_WORLD_RANK" = 1 ] && exec {program}; exec /usr/bin/python3 -c "{start}"']
        run = both.take()
        functions = list_functions(run.page)
        own, total, calls = functions.get("by_itself [sampled]", (0, 0, None))
        lost = functions.get("(not sampled)", (0, 0, None))[1]
        if total == 0 or not 1.2 < total + lost < 2.5 or calls is not None or functions != list_functions(both.report("here")):
            run.fail(f"{functions}")
        tree = both.say("here")
        if "2 ranks and 1 child process, " not in tree or not re.search(r"by_itself at <stdin>:\d+ \[sampled\]", tree):
            run.fail(tree)
        check_sums(run, both, run.page, 2)
        both_times, alone = (list_ranks(both.report("here", *path)) for path in ([], ["profile"]))
        if abs(both_times["1"] - alone["1"]) > 0.02:  # also where nobody has looked
            run.fail(f"rank 1 took {alone['1']} s, and {both_times['1']} s beside the other one")


@once_in_five
def test_started():
    """A shell that starts the rank is left out, and said to be; what else it has started is there."""
    with Both([]) as both:
        program = os.path.join(both.folder, "alone")
        if subprocess.run(["cc", "-g", "-O1", "-static", "-o", program, "-xc", "-"], input=ALONE, text=True, check=False).returncode != 0:
            print("there is no static C library: not tried")
            return
        both.line += ["sh", "-c", f'echo $$; /usr/bin/python3 -c "import time; time.sleep(0.3)"; {program}; true']
        run = both.take()
        said = f"The samples of process {run.out.strip()} are left out, because here rank 0 is another process: FOLDER/profile has them."
        tree = both.say("here")
        if said not in tree or said not in json.dumps(run.page):
            run.fail(f"not said of the shell: {said}\n{tree}")
        if "1 rank and 1 child process, " not in tree or not re.search(r"by_itself at <stdin>:\d+ \[sampled\]", tree):
            run.fail(tree)
        if "left out" in both.say("here/trace") + both.say("here/profile"):
            run.fail("each archive alone lacks nothing")


FILES = """
#include <stdio.h>
int main (void)
{
    FILE *file = tmpfile ();
    for (long i = 0; file != NULL && i < 20000000; i++) {
        fputs ("x", file);
    }
    return 0;
}
"""


def expect_said(run, both, folder, wanted):
    """By a status of 1, on standard error and in the report."""
    done = subprocess.run([pddt.PDDT, "--report", "lost.txt", folder], cwd=both.folder, env=both.environment, timeout=100,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    with open(os.path.join(both.folder, "lost.txt"), encoding="utf-8") as file:
        text = re.sub(r"\s+", " ", file.read())
    if done.returncode != 1 or wanted not in done.stderr or f"The archive has a problem: {wanted}." not in text:
        run.fail(f"{folder}: {done.returncode}, {done.stderr}, and not: {wanted}\n{text[:1000]}")


def check_lost(run, both):
    """A folder from which one of two archives is gone says which, and an archive without its sums that they are missing, unless an
    earlier version has written it."""
    for lost, wanted in (("profile", "the run was sampled, too, and profile/traces.otf2 is missing: only its calls are shown"),
                         ("trace", "the run was traced, too, and trace/traces.otf2 is missing: only its samples are shown")):
        copy = shutil.copytree(os.path.join(both.folder, "here"), os.path.join(both.folder, "without-" + lost))
        shutil.rmtree(os.path.join(copy, lost))
        expect_said(run, both, copy, wanted)
    other = os.path.join(copy, "profile")
    os.remove(os.path.join(other, "traces.sums"))
    expect_said(run, both, other, "traces.sums is missing, so that nobody knows whether the other files are damaged")
    with open(os.path.join(other, "traces.sums"), "w", encoding="utf-8"):
        pass
    forget_sums(other)
    both.say("--report", "old.txt", other)


def test_recorder():
    """What pddt's recorder takes inside a call of a file is no Python in a program without any, and no line of the program's."""
    with Both([]) as both:
        program = os.path.join(both.folder, "files")
        subprocess.run(["cc", "-g", "-O1", "-o", program, "-xc", "-"], input=FILES, text=True, check=True)
        both.line += [program]
        run = both.take()
        classes = list_classes(both.report("here", "profile"))
        if classes.get("Python", 0) > 0 or sum(classes.values()) < 0.1:
            run.fail(f"a C program has {classes}")
        if "trace-" in both.say("here"):
            run.fail(both.say("here"))
        check_lost(run, both)


STEPS = """
#include <stdio.h>
#include <time.h>
int main (void)
{
    struct timespec begin, now;
    puts ("stop");
    fflush (stdout);
    getchar ();
    clock_gettime (CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime (CLOCK_MONOTONIC, &now);
    } while ((double) (now.tv_sec - begin.tv_sec) + 1e-9 * (double) (now.tv_nsec - begin.tv_nsec) < 0.5);
    puts ("go");
    fflush (stdout);
    getchar ();
    return 0;
}
"""


def count_turns(pid):
    """How often it has waited for something: the sampler does so before each look."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.M)[1])


def read_queued(pid):
    """For how long it could have run and had no processor, in s."""
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[1]) / 1e9


def test_unseen():
    """What such a process does while the sampler stands is its time all the same, but for what it waits for a processor."""
    with Both([]) as both:
        program = os.path.join(both.folder, "steps")
        if subprocess.run(["cc", "-static", "-o", program, "-xc", "-"], input=STEPS, text=True, check=False).returncode != 0:
            print("there is no static C library: not tried")
            return
        both.line += ["/usr/bin/python3", "-c", f"import subprocess; subprocess.run(['{program}'], check=True)"]
        process = both.start(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        daemon, steps = (next(pid for pid, command in pddt.left_over(os.path.basename(both.folder))
                              if os.path.basename(command.split()[0]) == name) for name in ("pddtd", "steps"))
        seen = count_turns(daemon)
        pddt.wait_for("looks at the process", lambda: count_turns(daemon) > seen + 40, 60)
        os.kill(daemon, signal.SIGSTOP)
        queued = read_queued(steps)
        try:
            process.stdin.write("\n")
            process.stdin.flush()
            process.stdout.readline()
            queued = read_queued(steps) - queued
        finally:
            os.kill(daemon, signal.SIGCONT)
        run = both.end(0, *process.communicate("\n", timeout=120))
        lost = list_functions(both.load("live.json")).get("(not sampled)", (0, 0, None))
        print(f"# lost {lost[0]:.2f} s, queued {queued:.2f} s")
        if not 0.3 < lost[0] + queued:
            run.fail(f"nobody has looked for {lost} s, and it had no processor for {queued} s")


def check_timeline(run, both):
    """Between its events a rank was in what samples have seen, which says that it is sampled."""
    out = subprocess.run([TIMELINE_TIPS, ARCHIVE_PROGRAM, os.path.join(both.folder, "here"), "0", "1000", "100"], check=True,
                         text=True, timeout=100, stdout=subprocess.PIPE).stdout
    found = {name: len(re.findall(name, out)) for name in (r": many \[sampled\]", r": few \[sampled\]", ": filled")}
    seen = [line for line in out.splitlines() if " [sampled]" in line]
    if len(seen) < 30 or found[r": many \[sampled\]"] < 20:
        run.fail(f"Timeline has {found} of 100 places:\n{out}")


for test in test_program, test_short, test_python, test_threads, test_unrecorded, test_started, test_unseen, test_recorder:
    test()
    print("ok", test.__name__, flush=True)
