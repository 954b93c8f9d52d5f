# SPDX-License-Identifier: GPL-3.0-or-later
"""--profile: names that come late, libraries that come and go, threads and children that are short, and time for which nobody
looks."""
import os
import signal
import subprocess

import pddt
from measured import Measured, once_in_five, run_parts
from sampled import BURN, compile_to, count_missed, expect_seconds, get_lost, list_samples, measure

PYTHON = "/usr/bin/python3"
LOADS = r"""#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
static volatile int seen;
static void on_trap (int signal)
{
    seen++;
}
static unsigned char read_loader (void) /* its function that reports libraries */
{
    ElfW (Dyn) *entry = _DYNAMIC;
    while (entry->d_tag != DT_DEBUG) {
        entry++;
    }
    return *(unsigned char *) ((struct r_debug *) entry->d_un.d_ptr)->r_brk;
}
int main (int argc, char **argv)
{
    struct sigaction action = { .sa_handler = on_trap };
    sigset_t set;
    sigemptyset (&set);
    sigaddset (&set, SIGTRAP);
    sigaction (SIGTRAP, &action, NULL);
    sigprocmask (SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 8; i++) {
        void *library = dlopen (argv[1 + i % 2], RTLD_NOW);
        ((void (*) (double)) dlsym (library, i % 2 ? "second" : "first")) (0.1);
        dlclose (library);
        if (i == 3) { /* one that stays */
            ((void (*) (double)) dlsym (dlopen (argv[3], RTLD_NOW), "third")) (0.2);
        }
    }
    sigprocmask (SIG_UNBLOCK, &set, NULL);
    raise (SIGTRAP);
    printf ("%d signals, %s\n", seen, read_loader () == 0xcc ? "a trap" : "no trap");
    return 0;
}
"""


def test_loads():
    """Nothing is planted in a program that is measured: one that handles SIGTRAP, and blocks it while it loads libraries,
    lives. Two that are loaded in turn, at the same address, have each its own half of the time, and one that comes and
    stays has its own."""
    spent = {"first": 0.4, "second": 0.4, "third": 0.2}
    with Measured([]) as measured:
        paths = [os.path.join(measured.folder, f"lib{name}.so") for name in spent]
        for path, name in zip(paths, spent):
            compile_to(path, BURN.replace("spend", name), "-shared", "-fPIC")
        program = os.path.join(measured.folder, "loads")
        compile_to(program, LOADS)
        measured.line += [program, *paths]
        run, samples = measure(measured)
        if run.out != "1 signals, no trap\n":
            run.fail("the program is not as without pddt")
        for name, seconds in spent.items():
            expect_seconds(run, [sample for sample in samples if name in sample[4]], seconds, name)


LATE = """
import os, time
def queued():
    with open("/proc/self/schedstat") as file:
        return int(file.read().split()[1]) / 1e9

def early():
    begin = time.perf_counter()
    while time.perf_counter() < begin + 0.5:
        pass

def late():
    begin = time.perf_counter()
    while time.perf_counter() < begin + 0.3:
        pass
early()
print("stop", flush=True)
input()
before = queued()
early()
print("go", queued() - before, flush=True)
input()
late()
"""


def test_gap():
    """What a rank does while the sampler stands is nobody's time, in every view; none of it counts for what comes next."""
    with Measured([PYTHON, "-c", LATE], "--report", "page.json", "--export", "collapsed=stacks.txt",
                  "--export", "csv=table.csv") as measured:
        process = measured.start(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        daemon, = (pid for pid, command in pddt.left_over(os.path.basename(measured.folder))
                   if os.path.basename(command.split()[0]) == "pddtd")
        os.kill(daemon, signal.SIGSTOP)
        try:
            process.stdin.write("\n")
            process.stdin.flush()
            queued = float(process.stdout.readline().split()[1])
        finally:
            os.kill(daemon, signal.SIGCONT)
        run = measured.end(0, *process.communicate("\n", timeout=120))
        run.samples = list_samples(run.archive)
        lost = [sample for sample in run.samples if sample[3] == "not sampled"]
        if queued > 0.2:
            print(f"# it had no processor for {queued:.2f} s")
            return
        if not 0.3 < sum(sample[2] for sample in lost) or any(sample[4] != ["(not sampled)"] for sample in lost):
            run.fail(f"not sampled: {lost}")
        expect_seconds(run, [sample for sample in run.samples if "late" in sample[4]], 0.3, "late")
        missed, wanted = count_missed(run.archive), 100 * sum(sample[2] for sample in lost)
        if not 0.5 * wanted <= missed:
            run.fail(f"{missed} samples are missed, and {wanted} are not there")
        run.expect("not sampled ", "err")
        for name, word in ("page.json", '"not sampled"'), ("stacks.txt", "(not sampled) "), ("table.csv", "(not sampled)"):
            with open(os.path.join(measured.folder, name), encoding="utf-8") as file:
                if word not in file.read():
                    run.fail(f"{name} is silent")


BRIEF = BURN + """
#include <pthread.h>
#include <stdio.h>
static double spent[2];
__attribute__ ((noinline)) void heavy (void) { double begin = now (); spend (0.0225); spent[0] += now () - begin; }
__attribute__ ((noinline)) void light (void) { double begin = now (); spend (0.0075); spent[1] += now () - begin; }
static void *work (void *unused) { heavy (); light (); return unused; }
int main (void)
{
    for (int i = 0; i < 60; i++) {
        pthread_t thread;
        pthread_create (&thread, 0, work, 0);
        pthread_join (thread, 0);
    }
    printf ("%g %g\\n", spent[0], spent[1]);
    return 0;
}
"""


def test_brief():
    """Of threads that end before their last sample has a name that sample is there, too: what they do last is."""
    with Measured(["./brief"]) as measured:
        compile_to(os.path.join(measured.folder, "brief"), BRIEF, "-pthread")
        run, samples = measure(measured)
        for name, wanted in zip(("heavy", "light"), run.out.split(), strict=True):
            seconds = sum(sample[2] for sample in samples if name in sample[4])
            print(f"# {name}: {seconds:.2f} s, counted {wanted}")
            if not 0.6 * float(wanted) - get_lost(samples) < seconds < 1.4 * float(wanted):
                run.fail(f"{name}: {seconds} s, not {wanted}")


VFORK = "#define _GNU_SOURCE\n#include <sched.h>\n#include <signal.h>\n#include <stdio.h>\n#include <sys/wait.h>\n" \
    "#include <unistd.h>\n" + BURN + """
static double computed;
static int child (void *unused)
{
    double begin = now ();
    spend (0.3);
    computed = now () - begin;
    execl ("/bin/true", "true", (char *) 0);
    _exit (1);
}
__attribute__ ((noinline)) double as_parent (void)
{
    static char stack[1 << 16];
    double begin = now ();
    clone (child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, 0);
    return now () - begin;
}
int main (void)
{
    double waited = as_parent ();
    wait (0);
    printf ("%g %g\\n", waited, computed);
    return 0;
}
"""


def test_vfork():
    """A thread waits for its child of vfork in that call, and what the child computes before it executes a program is the
    child's own."""
    with Measured(["./vfork"]) as measured:
        compile_to(os.path.join(measured.folder, "vfork"), VFORK)
        run, samples = measure(measured)
        waited, computed = map(float, run.out.split())
        for what, wanted, mine in (("as_parent", waited, [sample for sample in samples if "as_parent" in sample[4] and sample[3] == "wait"]),
                                   ("the child", computed, [sample for sample in samples if "spend" in sample[4]])):
            expect_seconds(run, mine, wanted, what)
            if not mine:
                run.fail(f"{what} has no sample")


UNSEEN = BURN + """
#include <pthread.h>
#include <stdio.h>
static double spent;
static void *work (void *unused)
{
    double begin = now ();
    spend (0.002);
    spent += now () - begin;
    return unused;
}
int main (void)
{
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        pthread_create (&thread, 0, work, 0);
        pthread_join (thread, 0);
    }
    printf ("%g\\n", spent);
    return 0;
}
"""


def test_unseen():
    """Threads that end before their first sample have their time all the same."""
    with Measured(["./unseen"]) as measured:
        compile_to(os.path.join(measured.folder, "unseen"), UNSEEN, "-pthread")
        run, samples = measure(measured)
        found = sum(sample[2] for sample in samples if sample[1] > 1)
        print(f"# {found:.2f} s, counted {run.out.strip()}")
        if found < 0.85 * float(run.out):
            run.fail(f"{found} s, and counted {run.out}")


PART = BURN.replace("void spend", "double spent;\nvoid part") + """
void *work (void *unused) { double begin = now (); part (0.02); spent += now () - begin; return unused; }
"""
LATER = BURN.partition("void spend")[0] + """#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
int main (int argc, char **argv)
{
    void *library;
    double begin, alone, *spent;
    puts ("ready");
    fflush (stdout);
    getchar ();
    library = dlopen (argv[1], RTLD_NOW);
    spent = dlsym (library, "spent");
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        pthread_create (&thread, 0, (void *(*) (void *)) dlsym (library, "work"), 0);
        pthread_join (thread, 0);
    }
    begin = now ();
    ((void (*) (double)) dlsym (library, "part")) (2);
    alone = now () - begin;
    printf ("%g %g\\n", *spent, alone);
    fflush (stdout);
    getchar ();
    return 0;
}
"""


def test_late_names():
    """Nobody reads a library's symbols for longer than a second. What threads have done there meanwhile, which have ended since,
    has its names when they are read, and so has what has gone on for all of that time."""
    with Measured([]) as measured:
        library, program = os.path.join(measured.folder, "libpart.so"), os.path.join(measured.folder, "later")
        compile_to(library, PART, "-shared", "-fPIC")
        compile_to(program, LATER, "-pthread")
        measured.line += [program, library]
        process = measured.start(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        readers = [int(pid) for pid, command in pddt.left_over(os.path.basename(measured.folder))
                   if os.path.basename(command.split()[0]) == "pddt-symbols"]
        for pid in readers:
            os.kill(pid, signal.SIGSTOP)
        try:
            process.stdin.write("\n")
            process.stdin.flush()
            in_threads, alone = map(float, process.stdout.readline().split())
        finally:
            for pid in readers:
                os.kill(pid, signal.SIGCONT)
        run = measured.end(0, *process.communicate("\n", timeout=120))
        run.samples = list_samples(run.archive)
        for what, wanted, caller in ("threads that have ended", in_threads, "work"), ("the first thread", alone, "main"):
            found = sum(sample[2] for sample in run.samples if "part" in sample[4] and caller in sample[4])
            print(f"# {what}: {found:.2f} s with names, counted {wanted:.2f}, {get_lost(run.samples):.2f} s not sampled")
            if not readers or found < 0.7 * wanted:
                run.fail(f"{what}: {found} s with names, and counted {wanted}")


run_parts(tuple(map(once_in_five, (test_late_names, test_loads, test_vfork, test_unseen, test_gap, test_brief))), ())
