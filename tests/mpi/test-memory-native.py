# SPDX-License-Identifier: GPL-3.0-or-later
"""--memory=native: what C, C++ and Fortran code allocates, by its lines and callers, in programs that do what they do
without pddt: with threads, forks, signals, the loader, and an allocator of their own."""
import json
import os
import re
import subprocess
import sys

import pddt
import traced

sys.path.insert(0, os.path.join(pddt.SOURCE, "tests", "agent"))
from driver import list_interpreters

C = r"""
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *keep[4000];
static void *take (size_t size)
{
    return memset (malloc (size), 1, size); // @ take
}
static void hold (void)
{
    for (int i = 0; i < 2000; i++) {
        keep[i] = take (10000); // @ hold
    }
}
static void churn (void)
{
    for (int i = 0; i < 10000; i++) {
        free (calloc (1000, 8)); // @ churn
    }
}
static void *run (void *data)
{
    for (int i = 2000; i < 3000; i++) {
        keep[i] = take (10000);
    }
    return NULL;
}
static void copy (void)
{
    static char text[10000];
    memset (text, 'x', sizeof text - 1);
    for (int i = 3000; i < 4000; i++) {
        keep[i] = strdup (text); // @ copy
    }
}
static void align (void)
{
    void *first = NULL;
    if (posix_memalign (&first, 64, 4000000) != 0) { // @ posix
        abort ();
    }
    void *second = aligned_alloc (4096, 4096000); // @ aligned
    void *third = memalign (256, 4100000);        // @ memalign
    void *fourth = valloc (4200000);              // @ valloc
    if ((size_t) first % 64 != 0 || (size_t) second % 4096 != 0 || (size_t) third % 256 != 0
        || (size_t) fourth % 4096 != 0) {
        abort ();
    }
}
int main (void)
{
    pthread_t thread;
    char *grown = NULL;
    hold ();
    churn ();
    pthread_create (&thread, NULL, run, NULL);
    pthread_join (thread, NULL);
    copy ();
    align ();
    for (int i = 0; i < 1000; i++) {
        free (keep[i]);
    }
    for (int i = 1; i <= 100; i++) {
        grown = realloc (grown, i * 100000u); // @ grow
        grown[i * 100000 - 1] = 7;
    }
    printf ("%d %d %zu\n", grown[99999], *(char *) keep[2999], strlen (keep[3500]));
    return 3;
}
"""
CPP = r"""
#include <cstdio>
#include <map>
#include <string>
#include <vector>
struct Grid {
    std::vector<double> values;
    void fill (int n)
    {
        for (int i = 0; i < n; i++)
            values.push_back (i); // @ push
    }
};
int main ()
{
    auto *grid = new Grid;
    grid->fill (4000000); // @ fill
    auto *names = new std::string[100];
    for (int i = 0; i < 100; i++)
        names[i] = std::string (100000, 'x'); // @ names
    try {
        throw std::string (1000000, 'y');
    } catch (const std::string &text) {
        std::printf ("%zu %zu %zu\n", grid->values.size (), names[5].size (), text.size ());
    }
}
"""
FORTRAN = """
program fields
  implicit none
  real(8), allocatable :: field(:)
  call make(field, 2000000)
  print *, size(field)
contains
  subroutine make(field, n)
    real(8), allocatable, intent(out) :: field(:)
    integer, intent(in) :: n
    allocate(field(n))
    field = 1
  end subroutine
end program
"""
# An allocator that signal handlers may call, as the C library's is not.
ALLOCATOR = r"""
#include <stddef.h>
#include <stdint.h>
#include <string.h>
static _Alignas (16) char room[1 << 28];
static size_t used;
static int is_asked;
int count_asked (void) { return is_asked; }
void *malloc (size_t size)
{
    size_t at = __atomic_fetch_add (&used, (size + 31) & ~(size_t) 15, __ATOMIC_RELAXED);
    __atomic_fetch_add (&is_asked, 1, __ATOMIC_RELAXED);
    if (at + size + 32 > sizeof room)
        return NULL;
    *(size_t *) (room + at) = size;
    return room + at + 16;
}
void free (void *address) { }
void *calloc (size_t n, size_t size) { return malloc (n * size); }
void *realloc (void *before, size_t size)
{
    void *address = malloc (size);
    size_t old = before != NULL ? *(size_t *) ((char *) before - 16) : 0;
    return address != NULL ? memcpy (address, before, old < size ? old : size) : NULL;
}
"""
# One that has C23's and jemalloc's ways to free, which count what they are told.
SIZED = r"""
#include <stddef.h>
#include <string.h>
extern void *__libc_malloc (size_t size);
extern void __libc_free (void *address);
static size_t told;
size_t count_told (void) { return told; }
void *malloc (size_t size) { return __libc_malloc (size); }
void free (void *address) { __libc_free (address); }
void free_sized (void *address, size_t size) { told += size; __libc_free (address); }
void free_aligned_sized (void *address, size_t alignment, size_t size) { told += size + alignment; __libc_free (address); }
void sdallocx (void *address, size_t size, int flags) { told += size + flags; __libc_free (address); }
void dallocx (void *address, int flags) { told += flags; __libc_free (address); }
"""
FREED = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
size_t count_told (void);
void free_sized (void *address, size_t size);
void free_aligned_sized (void *address, size_t alignment, size_t size);
void sdallocx (void *address, size_t size, int flags);
void dallocx (void *address, int flags);
static void *blocks[4][1000];
int main (void)
{
    for (int i = 0; i < 1000; i++) {
        blocks[0][i] = malloc (10000); // @ sized
        blocks[1][i] = malloc (10000); // @ both
        blocks[2][i] = malloc (10000); // @ sdallocx
        blocks[3][i] = malloc (10000); // @ dallocx
    }
    for (int i = 0; i < 1000; i++) {
        free_sized (blocks[0][i], 10000);
        free_aligned_sized (blocks[1][i], 16, 10000);
        sdallocx (blocks[2][i], 10000, 1);
        dallocx (blocks[3][i], 2);
    }
    puts (count_told () == 1000 * (10000 + 10016 + 10001 + 2) ? "done" : "lost");
}
"""
SIGNALS = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
int count_asked (void);
static volatile int n;
static void on_signal (int number)
{
    for (int i = 0; i < 10; i++) {
        free (malloc (10000));
    }
    n++;
}
int main (void)
{
    struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
    long i = 0;
    signal (SIGALRM, on_signal);
    setitimer (ITIMER_REAL, &often, NULL);
    for (; i < 100000000 && n < 500; i++) {
        if (count_asked () < 20000) {
            free (realloc (malloc (3000), 5000));
        }
    }
    setitimer (ITIMER_REAL, &never, NULL);
    puts (n >= 500 && count_asked () >= 5000 ? "done" : "too few");
}
"""
STRESS = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
enum { THREADS = 8, ROUNDS = 300 };
static pthread_key_t keys[3];
static int stop;
static char *shared[THREADS][64];
__attribute__ ((constructor)) static void early (void)
{
    for (int i = 0; i < 100; i++) {
        free (malloc (100000));
    }
}
static void on_end (void *data) /* allocates and frees while the thread ends */
{
    free (data);
    for (int i = 0; i < 20; i++) {
        free (realloc (malloc (50000), 90000));
    }
}
static void before (void) { free (malloc (200000)); }
static void *work (void *data)
{
    int own = (int) (long) data;
    for (int i = 0; i < 3; i++) {
        pthread_setspecific (keys[i], malloc (300000));
    }
    for (int i = 0; i < ROUNDS; i++) {
        char *mine = malloc (20000 + i * 10);
        memset (mine, own, 20000 + i * 10);
        mine = __atomic_exchange_n (&shared[(own + i) % THREADS][i % 64], mine, __ATOMIC_ACQ_REL);
        if (mine != NULL && mine[0] != mine[19999]) {
            abort ();
        }
        free (mine); /* of another thread */
    }
    return NULL;
}
static void *load (void *data)
{
    while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
        void *library = dlopen ("libz.so.1", RTLD_NOW);
        if (library != NULL) {
            dlclose (library);
        }
    }
    return NULL;
}
static void *fork_often (void *data)
{
    for (int i = 0; i < 20; i++) {
        pid_t child = fork ();
        int status = 0;
        if (child == 0) {
            for (int j = 0; j < 200; j++) {
                free (malloc (10000));
            }
            _exit (i);
        }
        if (waitpid (child, &status, 0) != child || WEXITSTATUS (status) != i) {
            puts ("a child has failed");
        }
    }
    return NULL;
}
int main (void)
{
    pthread_t threads[THREADS], loader, forker;
    for (int i = 0; i < 3; i++) {
        pthread_key_create (&keys[i], on_end);
    }
    pthread_atfork (before, before, before);
    pthread_create (&loader, NULL, load, NULL);
    pthread_create (&forker, NULL, fork_often, NULL);
    for (int round = 0; round < 10; round++) {
        for (long i = 0; i < THREADS; i++) {
            pthread_create (&threads[i], NULL, work, (void *) i);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join (threads[i], NULL);
        }
    }
    pthread_join (forker, NULL);
    __atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
    pthread_join (loader, NULL);
    if (getenv ("LD_PRELOAD") != NULL || getenv ("PDDT_TRACE") != NULL) {
        puts ("the environment is another one");
    }
    puts ("done");
    fflush (stdout);
    return execl ("./next", "next", NULL);
}
"""
NEXT = r"""
#include <stdio.h>
#include <stdlib.h>
int main (void)
{
    for (int i = 0; i < 100; i++) {
        if (malloc (100000) == NULL) { // @ next
            abort ();
        }
    }
    puts ("next");
    return 5;
}
"""
OPENER = """#include <dlfcn.h>
#include <unistd.h>
int main (void)
{
    void *library = dlopen ("./taker.so", RTLD_NOW);
    if (library == NULL || chdir ("/") != 0) {
        return 1;
    }
    ((void (*) (void)) dlsym (library, "take_all")) ();
    return 0;
}
"""
TAKER = """#include <stdlib.h>
void take_all (void)
{
    for (int i = 0; i < 100; i++) {
        if (malloc (100000) == NULL) { // @ all
            abort ();
        }
    }
}
"""
PYTHON = """
import ctypes
def work():
    return [bytearray(10000) for i in range(2000)]
def compiled():
    import numpy
    return numpy.arange(5000000.0)
def small():
    return [numpy.arange(2000.0) for i in range(1000)]
library, unlocked = ctypes.PyDLL(None), ctypes.CDLL(None)
for each in library, unlocked:
    each.malloc.argtypes, each.malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
def called():
    return [library.malloc(100000) for i in range(100)]
kept = [work(), compiled()]
import numpy
kept += [small(), called(), unlocked.malloc(7000000)]
print(len(kept))
"""
READ = """
import json, otf2, sys
held, out = {}, {"python": {}, "native": {}, "stacks": [], "bad": 0}
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in sorted(trace.events, key=lambda pair: pair[1].time):
        name = type(event).__name__ == "Metric" and event.metric.members[0].name
        values = {key.name: value for key, value in (event.attributes or {}).items()}
        if name == "pddt::allocated":
            kind = "native" if "pddt::stack" in values else "python"
            line = values.get("pddt::place", "?").split("/")[-1]
            out[kind][line] = out[kind].get(line, 0) + event.values[0]
            held[values["pddt::address"]] = event.values[0]
            if kind == "native" and values["pddt::stack"] not in out["stacks"]:
                out["stacks"].append(values["pddt::stack"])
        elif name == "pddt::freed":
            before = held.pop(values["pddt::address"], None)
            out["bad"] += before is not None and before != event.values[0]
out["held"] = sum(held.values())
print(json.dumps(out))
"""


def find_line(text, mark):
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.rstrip().endswith("@ " + mark))


def is_near(found, wanted, share):
    return abs(found - wanted) <= share * wanted


def read(archive):
    path = os.path.join(archive, "traces.otf2")
    subprocess.run(["otf2-print", path], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["/usr/bin/python3", "-c", READ, path], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def find_rows(page, section):
    """{(place, called by): (allocated, held at half-time, held at the end)}"""
    blocks = [each["blocks"] for each in page["sections"] if each["title"] == section]
    rows = [row for block in (blocks[0] if blocks else []) for row in block.get("rows", [])]
    return {tuple(row[:-6]): tuple(row[-5:-2]) for row in rows}


class Native(traced.Traced):
    """A traced run of ./program beside a plain one, which must do the same; `rows` are the report's."""

    def __init__(self, sources, *builds, command=("./program",)):
        super().__init__(command, "--memory=native", "--report", "page.json")
        for name, text in sources.items():
            with open(os.path.join(self.folder, name), "w") as stream:
                stream.write(text)
        for build in builds:
            subprocess.run(build, cwd=self.folder, check=True)

    def check(self):
        plain = subprocess.run(self.line[5:], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
        run = self.run()
        assert (run.status, run.out) == (plain.returncode, plain.stdout), (run, plain)
        said = run.err.replace("Warning: the CPUs were oversubscribed", "")  # beside other programs
        assert plain.stderr == "" and "Warning" not in said, (run, plain)
        with open(os.path.join(self.folder, "page.json")) as stream:
            page = json.load(stream)
        self.rows = find_rows(page, "Memory that native code has allocated")
        self.python_rows = find_rows(page, "Memory that Python has allocated")
        found = read(run.archive)
        assert found["bad"] == 0, found
        return found

    def find(self, place, callers=""):
        """The sums of the rows of that place whose callers begin so."""
        rows = [row for (name, by), row in self.rows.items() if name == place and by.startswith(callers)]
        return tuple(sum(each) for each in zip(*rows)) if rows else (0, 0, 0)


def test_c():
    with Native({"program.c": C}, ["gcc", "-g", "-pthread", "-o", "program", "program.c"]) as one:
        found = one.check()
        at = {mark: "program.c:%d" % find_line(C, mark) for mark in re.findall("@ (.*)", C)}
        take, churn, copy, grow = (one.find(f"{name} at {at[mark]}") for name, mark in (
            ("take", "take"), ("churn", "churn"), ("copy", "copy"), ("main", "grow")))
        assert is_near(take[0], 30000000, 0.1) and is_near(take[2], 20000000, 0.15), one.rows
        assert is_near(churn[0], 80000000, 0.1) and churn[2] < 1 << 20, one.rows
        assert is_near(copy[0], 10000000, 0.2) and is_near(copy[2], 10000000, 0.2), one.rows
        assert is_near(grow[0], 505000000, 0.1) and is_near(grow[2], 10000000, 0.2), one.rows
        for mark, size in (("posix", 4000000), ("aligned", 4096000), ("memalign", 4100000), ("valloc", 4200000)):
            assert is_near(one.find(f"align at {at[mark]}")[2], size, 0.2), (mark, one.rows)
        assert any(place == f"take at {at['take']}" and by == f"hold at {at['hold']} ← main at program.c:%d"
                   % (C.splitlines().index("    hold ();") + 1) for place, by in one.rows), one.rows
        assert is_near(found["held"], 20000000 + 20000000 + 16396000, 0.1), found


def test_cpp():
    with Native({"program.cpp": CPP}, ["g++", "-g", "-O1", "-o", "program", "program.cpp"]) as one:
        one.check()
        # frames of the library, and of its headers, are not told
        fill, names = find_line(CPP, "push"), find_line(CPP, "names")
        assert is_near(one.find(f"Grid::fill at program.cpp:{fill}")[2], 33554432, 0.15), one.rows
        assert is_near(one.find(f"main at program.cpp:{names}")[2], 10000000, 0.15), one.rows


def test_relative():
    """A library that is opened by a relative path, by a program that goes elsewhere then, has its own lines."""
    with Native({"program.c": OPENER, "taker.c": TAKER},
                ["gcc", "-g", "-shared", "-fPIC", "-Wl,--build-id=none", "-o", "taker.so", "taker.c"],
                ["gcc", "-g", "-o", "program", "program.c"]) as one:
        one.check()
        assert is_near(one.find(f"take_all at taker.c:{find_line(TAKER, 'all')}")[2], 10000000, 0.2), one.rows


def test_fortran():
    with Native({"program.f90": FORTRAN}, ["gfortran", "-g", "-o", "program", "program.f90"]) as one:
        one.check()
        line = next(number for number, text in enumerate(FORTRAN.splitlines(), 1) if "allocate(field(n))" in text)
        assert is_near(one.find(f"fields::make at program.f90:{line}")[2], 16000000, 0.1), one.rows


def test_signals():
    """And an allocator that stands in the C library's place goes on to be the one that is asked."""
    with Native({"program.c": SIGNALS, "own.c": ALLOCATOR},
                ["gcc", "-shared", "-fPIC", "-O1", "-fno-builtin", "-o", "libown.so", "own.c"],
                ["gcc", "-g", "-o", "program", "program.c", "-L.", "-lown", "-Wl,-rpath,$ORIGIN"]) as one:
        found = one.check()
        assert sum(found["native"].values()) > 20000000, found


def test_sized():
    """Blocks that an allocator of its own is given back by other functions than free are not held."""
    with Native({"program.c": FREED, "own.c": SIZED},
                ["gcc", "-shared", "-fPIC", "-O1", "-fno-builtin", "-o", "libown.so", "own.c"],
                ["gcc", "-g", "-fno-builtin", "-o", "program", "program.c", "-L.", "-lown", "-Wl,-rpath,$ORIGIN"]) as one:
        one.check()
        for word in ("sized", "both", "sdallocx", "dallocx"):
            row = one.find(f"main at program.c:{find_line(FREED, word)}")
            assert row[0] > 3000000 and row[2] < 1000000, (word, row)  # samples


def test_stress():
    with Native({"program.c": STRESS, "next.c": NEXT}, ["gcc", "-g", "-O1", "-pthread", "-o", "program", "program.c"],
                ["gcc", "-g", "-o", "next", "next.c"]) as one:
        one.check()
        assert is_near(one.find(f"main at next.c:{find_line(NEXT, 'next')}")[2], 10000000, 0.2), one.rows
        assert is_near(one.find("work at program.c:%d" % (STRESS.splitlines().index(
            "        char *mine = malloc (20000 + i * 10);") + 1))[0], 10 * 8 * 300 * 21500, 0.15), one.rows


def test_python(python):
    """Python's own allocations count as Python's alone; those of compiled code have the line that has called it."""
    with Native({"program.py": PYTHON}, command=(python, "program.py")) as one:
        found = one.check()
    lines = {name: number for number, line in enumerate(PYTHON.splitlines(), 1)
             for name in ("bytearray", "numpy.arange(5", "numpy.arange(2", "library.malloc(1") if name in line}
    at = {name: f"program.py:{number}" for name, number in lines.items()}
    sums = {name: (found["python"].get(place, 0), found["native"].get(place, 0)) for name, place in at.items()}
    print(python, sums)
    assert is_near(sums["bytearray"][0], 2000 * 10001, 0.15) and sums["bytearray"][1] < 1000000, (sums, found)
    for name, size in (("numpy.arange(5", 40000000), ("numpy.arange(2", 16000000), ("library.malloc(1", 10000000)):
        assert is_near(sums[name][1], size, 0.15) and sums[name][0] < 2000000, (name, sums, found)
    for name in ("numpy.arange(5", "library.malloc(1"):
        held = sum(row[2] for (_, by), row in one.rows.items() if by.endswith(" at " + at[name]))
        assert held > 8000000, (name, one.rows)
    # who gives the interpreter's lock up has no line
    assert found["native"]["?"] > 7000000, (sums, found)


def has_numpy(python):
    return subprocess.run([python, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0


def test_words():
    """The option has one value, and its word is never the command's."""
    for word in ("--memory=all", "--memory="):
        run = subprocess.run([pddt.PDDT, word, "true"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=pddt.ENVIRONMENT)
        assert run.returncode == 2 and "--memory has no value, or native" in run.stderr, run
    with Native({"native": "#!/bin/sh\necho $1\n"}, ["chmod", "+x", "native"]) as one:
        one.line = [pddt.PDDT, "--memory", "./native", "word"]
        run = one.run()
        assert run.out == "word\n", run


test_words()
test_c()
test_cpp()
test_relative()
test_fortran()
test_signals()
test_sized()
test_stress()
for each in list_interpreters():
    if has_numpy(each):
        test_python(each)
