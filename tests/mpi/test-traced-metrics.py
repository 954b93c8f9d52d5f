# SPDX-License-Identifier: GPL-3.0-or-later
"""What ranks and their hosts use over time is in a trace as it is in a profile, for Python and for native programs, and
the report says it."""
import json
import os
import re
import subprocess

import pddt
import traced
from measured import once_in_five

PYTHON = """
import time
kept = []
def grow():
    for i in range(20):
        kept.append(b"x" * 5000000)
        time.sleep(0.1)
grow()
"""
READING = """
import os, threading, time
ends = os.pipe()
os.dup2(ends[0], 0)
def write():
    time.sleep(0.7)
    os.write(ends[1], b"x" * 10)
for i in range(2):
    thread = threading.Thread(target=write)
    thread.start()
    print(len(os.read(0, 100)))
    thread.join()
"""
C = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main (void)
{
    for (int i = 0; i < 20; i++) {
        char *block = malloc (5000000);
        memset (block, 'x', 5000000);
        usleep (100000);
    }
    return write (1, "done\n", 5) != 5;
}
"""
CROWDED = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
/* two threads of one processor, each until it has had it for 0.5 s; then what both have waited for it is said, and looked at */
static pthread_barrier_t all;
static double queued[2];
static void *work (void *data)
{
    struct timespec time = { 0 };
    double ran;
    char path[64];
    FILE *file;
    while (time.tv_sec == 0 && time.tv_nsec < 500000000) {
        clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
    }
    snprintf (path, sizeof path, "/proc/self/task/%d/schedstat", (int) gettid ());
    file = fopen (path, "r");
    if (fscanf (file, "%lf %lf", &ran, data) != 2) {
        _exit (1);
    }
    fclose (file);
    pthread_barrier_wait (&all);
    usleep (500000);
    return NULL;
}
int main (void)
{
    cpu_set_t one;
    pthread_t thread;
    CPU_ZERO (&one);
    CPU_SET (sched_getcpu (), &one);
    sched_setaffinity (0, sizeof one, &one);
    pthread_barrier_init (&all, NULL, 2);
    pthread_create (&thread, NULL, work, &queued[0]);
    work (&queued[1]);
    pthread_join (thread, NULL);
    printf ("%f\n", (queued[0] + queued[1]) / 1e9);
    return 0;
}
"""
SWITCHING = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
/* what all its threads have used is said when they have ended */
static void *work (void *data)
{
    for (int i = 0; i < 300; i++) {
        for (volatile int j = 0; j < 100000; j++) {
        }
        usleep (1000);
    }
    return data;
}
int main (void)
{
    pthread_t threads[4];
    struct rusage used;
    for (int i = 0; i < 4; i++) {
        pthread_create (&threads[i], NULL, work, NULL);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join (threads[i], NULL);
    }
    getrusage (RUSAGE_SELF, &used);
    printf ("%ld %ld %ld\n", used.ru_nvcsw, used.ru_nivcsw,
            (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 + used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    return 0;
}
"""
READ = """
import json, otf2, sys
out, last, backwards = {}, {}, 0
with otf2.reader.open(sys.argv[1]) as trace:
    begin, length = trace.definitions.clock_properties.global_offset, trace.definitions.clock_properties.trace_length
    for location, event in trace.events:
        backwards += event.time < last.get(location, 0)
        last[location] = event.time
        if type(event).__name__ == "Metric" and event.metric.members[0].name == "pddt::rss":
            values = {member.name: value for member, value in zip(event.metric.members, event.values)}
            out.setdefault(location.group.name, []).append([(event.time - begin) / 1e9, values])
print(json.dumps([out, backwards, length / 1e9]))
"""


def read(archive):
    path = os.path.join(archive, "traces.otf2")
    printed = subprocess.run(["otf2-print", path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert printed.stderr == b"", printed.stderr
    done = subprocess.run(["/usr/bin/python3", "-c", READ, path], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


HOST = {"pddt::node_used", "pddt::node_total", "pddt::node_busy", "pddt::node_cores"}
COUNTERS = {"pddt::" + name for name in ("cycles", "instructions", "stalls", "cache_uses", "cache_misses", "scalars", "vectors",
                                         "faults", "no_counters")}  # which of them there are the processor decides


def check_series(series, names):
    """20 steps of 5 MB, 0.1 s apart; ten times a second, or fewer on a busy machine."""
    own = [set(values) - HOST - COUNTERS for _, values in series]
    assert all(each == names - HOST for each in own), (names, series[0])
    assert (names - HOST == names) == all(not set(values) & (HOST | COUNTERS) for _, values in series), series[0]
    sizes = [values["pddt::rss"] for _, values in series]
    assert len(series) >= 8 and series[-1][0] - series[0][0] > 1.8, series
    assert 95000000 < max(sizes) - sizes[0] < 160000000, sizes
    middle = [values["pddt::rss"] for time, values in series if time < series[0][0] + 1]
    assert middle[-1] < max(sizes) - 30000000, sizes


@once_in_five
def test_ranks(command, options, names, sources):
    with traced.Traced(["mpirun", "-np", "2", *command], "--report", "page.json", *options) as one:
        for name, text in sources.items():
            with open(os.path.join(one.folder, name), "w") as stream:
                stream.write(text)
        if "program.c" in sources:
            subprocess.run(["gcc", "-o", "program", "program.c"], cwd=one.folder, check=True)
        run = one.run()
        assert run.status == 0 and "Peak memory: " in run.err, run
        series, backwards, length = read(run.archive)
        assert set(series) == {"rank 0", "rank 1"} and backwards == 0, (series.keys(), backwards)
        for each in series.values():
            check_series(each, names)
            assert each[-1][0] <= length, (each[-1], length)
        with open(os.path.join(one.folder, "page.json")) as stream:
            text = stream.read()
        peaks = [fact for section in json.loads(text)["sections"] if section["title"] == "Memory"
                 for fact in section["blocks"]]
        assert max(max(values["pddt::rss"] for _, values in each) for each in series.values()) > 95000000
        assert "Memory of a rank, peak" in text and str(max(
            values["pddt::rss"] for each in series.values() for _, values in each)) in text, peaks


@once_in_five
def test_reading():
    """What is noted while a call reads stands within its operation."""
    with traced.Traced(["python3", "-c", READING]) as one:
        run = one.run()
        assert run.status == 0 and run.out == "10\n10\n", run
        series, backwards, _ = read(run.archive)
        assert len(series["rank 0"]) >= 8 and backwards == 0, (series, backwards)
        printed = subprocess.run(["otf2-print", os.path.join(run.archive, "traces.otf2")], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        within = False, 0
        for line in printed.splitlines():
            kind = line.split(" ")[0]
            if kind.startswith("IO_OPERATION_"):
                within = kind == "IO_OPERATION_BEGIN", within[1]
            within = within[0], within[1] + (within[0] and kind == "METRIC" and "pddt::rss" in line)
        assert within[1] >= 4, printed


@once_in_five
def test_crowded():
    """How long threads wait for a processor is in a trace, too: what they compute then counts as long."""
    with traced.Traced(["./crowded"], "--report", "page.json") as one:
        with open(os.path.join(one.folder, "crowded.c"), "w") as stream:
            stream.write(CROWDED)
        subprocess.run(["gcc", "-O1", "-o", "crowded", "crowded.c", "-pthread"], cwd=one.folder, check=True)
        run = one.run()
        with open(os.path.join(one.folder, "page.json")) as stream:
            (card,) = traced.read_tables(json.load(stream), "Threads")[0]
    queued, waited = float(card["Waiting for a processor"]), float(run.out)
    # all but what each has waited before it was first looked at
    assert waited > 0.4 and waited - 0.3 - waited / 4 < queued < 1.01 * waited + 0.1, (queued, run)
    assert "Warning: the CPUs were oversubscribed." in run.err, run


def test_used(verb):
    """What a rank has used is that of all its threads, also of those that have ended."""
    with traced.Traced(["./switching"]) as one:
        one.line[1] = verb
        one.build("switching", SWITCHING, "-O1", "-pthread")
        run = one.run()
        printed = subprocess.run(["otf2-print", os.path.join(run.archive, "traces.otf2")], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
    values = {}
    for name, value in re.findall(r'"pddt::(\w+)" <\d+>; UINT64; (\d+)', printed):
        values.setdefault(name, []).append(int(value))
    waits, losses, used = map(int, run.out.split())
    assert waits >= 1200 and abs(values["waits"][-1] - waits) < 100, (values, run)
    assert abs(values["losses"][-1] - losses) < 100, (values, run)
    assert abs(values["cpu"][-1] - used) < 50000 and any(value % 1000 for value in values["cpu"]), (values, run)
    assert ("written" in values) == (verb == "--profile"), values


# without what is written: the kernel counts the records of the trace, too
ALL = {"pddt::rss", "pddt::queued", "pddt::cpu", "pddt::read", "pddt::waits", "pddt::losses", "pddt::threads",
       "pddt::node_used", "pddt::node_total"}
test_ranks(["python3", "program.py"], ["--metrics", "rss"], {"pddt::rss"}, {"program.py": PYTHON})
test_ranks(["./program"], [], ALL, {"program.c": C})
test_reading()
test_crowded()
test_used("--trace")
test_used("--profile")
