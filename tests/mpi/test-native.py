# SPDX-License-Identifier: GPL-3.0-or-later
"""Files, locks and OpenMP in a traced run: what OTF2's own reader finds in the archive, and what the report says of it,
is what the program did."""
import json
import os
import re
import subprocess

import pddt
import traced

ROOT = os.environ["PDDT_BUILD_ROOT"]
READ = """
import collections, json, otf2, sys
from otf2 import events as e
uses, locks, regions = {}, [], {}
with otf2.reader.open(sys.argv[1]) as trace:
    begun, stacks = {}, {}
    for location, event in trace.events:
        stack = stacks.setdefault(location, [])
        if isinstance(event, e.Enter):
            regions[event.region.name] = [str(event.region.paradigm), str(event.region.region_role),
                                          regions.get(event.region.name, [0, 0, 0])[2] + 1]
            stack.append(event.region.name)
        elif isinstance(event, e.Leave):
            stack.pop()
        if not hasattr(event, "handle") and not isinstance(event, (e.ThreadAcquireLock, e.ThreadReleaseLock)):
            continue
        if isinstance(event, (e.ThreadAcquireLock, e.ThreadReleaseLock)):
            owner = [value for key, value in (event.attributes or {}).items() if key.name == "pddt::owner"]
            locks.append([location.group.name, location.name, type(event).__name__, event.lock_id,
                          event.acquisition_order, owner[0].name if owner else None, stack[-1] if stack else None])
            continue
        use = uses.setdefault(location.group.name + ":" + event.handle.file.name, [0, 0, 0, 0, 0, 0])
        if isinstance(event, e.IoCreateHandle):
            use[0] += 1
        elif isinstance(event, e.IoDestroyHandle):
            use[1] += 1
        elif isinstance(event, e.IoOperationBegin):
            begun[event.matching_id] = (str(event.mode).split('.')[-1], event.time, stack[-1])
        elif isinstance(event, e.IoOperationComplete):
            mode, time, region = begun.pop(event.matching_id)
            if event.time < time or region != stack[-1]:
                sys.exit("an operation is not within its call")
            at = 2 if mode == "READ" else 4
            use[at] += mode != "FLUSH"
            use[at + 1] += event.bytes_result
    print(json.dumps([uses, locks, regions, len(begun)]))
"""
PYTHON = """
import os, sys, threading, time
from mpi4py import MPI
rank = MPI.COMM_WORLD.rank
path = os.path.join(sys.argv[1], "data-%d" % rank)
with open(path, "wb") as stream:
    for i in range(10):
        stream.write(b"x" * 100000)
        stream.flush()
with open(path, "rb", buffering=0) as stream:
    assert sum(len(stream.read(40000)) for i in range(30)) == 1000000
lock, ready = threading.Lock(), threading.Event()
def wait_for_it():
    ready.set()
    with lock:
        pass
def keep():
    with lock:
        thread = threading.Thread(target=wait_for_it)
        thread.start()
        ready.wait()
        time.sleep(0.3)
    thread.join()
keep()
MPI.COMM_WORLD.Barrier()
print("done", rank)
"""


def read(archive):
    path = os.path.join(archive, "traces.otf2")
    subprocess.run(["otf2-print", path], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["/usr/bin/python3", "-c", READ, path], check=True, stdout=subprocess.PIPE, text=True)
    uses, locks, regions, n_open = json.loads(done.stdout)
    assert n_open == 0, n_open
    return uses, locks, regions


def check_balance(locks):
    """Whoever has waited for a lock gives it back, and the orders of each lock count up."""
    held = set()
    for group, thread, kind, lock, order, _, _ in locks:
        key = (group, thread, lock)
        assert (key in held) == (kind == "ThreadReleaseLock"), (key, kind)
        held ^= {key}
    assert not held, held


def test_python():
    with traced.Traced(["mpirun", "-np", "2", "/usr/bin/python3", "-c", PYTHON, "."], "--report", "report.json",
                       "--report", "report.txt") as one:
        run = one.run()
        assert run.status == 0 and sorted(run.out.split("\n"))[1:] == ["done 0", "done 1"], run
        uses, locks, regions = read(run.archive)
        with open(os.path.join(one.folder, "report.txt")) as stream:
            text = stream.read()
    for rank in range(2):
        mine = [use for name, use in uses.items() if name.endswith(f"/data-{rank}") and f"rank {rank}:" in name]
        # Python asks for the end of the file once more than there is something
        assert len(mine) == 1 and mine[0][:2] == [2, 2] and mine[0][3] == 1000000, uses
        assert mine[0][4:] == [10, 1000000] and mine[0][2] == 30, mine
        waits = [each for each in locks if each[0] == f"rank {rank}" and each[5] == "thread 1"
                 and each[6].startswith("sem_")]
        assert traced.has_parked_locks() or (waits and waits[0][1] != "thread 1"), locks
    check_balance(locks)
    assert regions["read"][:2] == ["Paradigm.USER", "RegionRole.FILE_IO"], regions["read"]
    assert "Files\n-----" in text and "/data-0 " in text, text
    if traced.has_parked_locks():
        return
    assert "Locks\n-----" in text, text
    line = next(line for line in text.splitlines() if line.startswith("* The longest wait for a lock: "))
    assert "in wait_for_it at <string>:" in line and " for thread 1, in " in line, line


def test_openmp():
    with traced.Traced([os.path.join(ROOT, "tests/agent/native-openmp")], "--report", "report.txt") as one:
        run = one.run()
        assert run.status == 0 and run.out == "4.4985e+06 4\n", run
        _, _, regions = read(run.archive)
        with open(os.path.join(one.folder, "report.txt")) as stream:
            text = stream.read()
    wanted = {"omp parallel": "PARALLEL", "omp implicit task": "TASK", "omp barrier wait": "BARRIER",
              "omp critical wait": "THREAD_WAIT"}
    for name, role in wanted.items():
        roles = [region[:2] for full_name, region in regions.items() if full_name.split(" @")[0] == name]
        assert roles and all(each == ["Paradigm.OPENMP", "RegionRole." + role] for each in roles), (name, regions)
    tasks = {name: region[2] for name, region in regions.items() if name.startswith("omp implicit task")}
    assert len(tasks) == 2 and set(tasks.values()) == {3}, regions
    # each construct is a region of its own
    with open(os.path.join(pddt.SOURCE, "tests/agent/native-openmp.c")) as stream:
        found = [(words.split()[2], number) for number, words in enumerate(stream, 1) if "#pragma omp" in words]
    lines, parallel = dict(found), [number for word, number in found if word == "parallel"]
    assert set(tasks) == {"omp implicit task @native-openmp.c:%d" % line for line in parallel}, (parallel, regions)
    for name, construct in ("omp critical wait", "critical"), ("omp barrier wait", "barrier"):
        assert regions["%s @native-openmp.c:%d" % (name, lines[construct])][2] == 3, (lines, regions)
    assert re.search(r"omp parallel @native-openmp\.c:(\d+) +native-openmp\.c:\1 ", text), text
    assert "OpenMP wait" in text, text


def test_native():
    """A rank that uses neither Python nor MPI, and its forked child; calls have their function and line."""
    with traced.Traced([os.path.join(ROOT, "tests/agent/native-calls"), "."], "--report", "report.txt") as one:
        run = one.run()
        assert run.status == 7 and run.out == "printed\ndone\n", run
        uses, locks, _ = read(run.archive)
        with open(os.path.join(one.folder, "report.txt")) as stream:
            text = stream.read()
        printed = subprocess.run(["otf2-print", os.path.join(run.archive, "traces.otf2")], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
    with open(os.path.join(pddt.SOURCE, "tests/agent/native-calls.c")) as stream:
        line = 1 + next(number for number, words in enumerate(stream) if "fsync (fd) == 0" in words)
    assert re.search(r"pthread_mutex_lock +wait_for_locks at native-calls.c:\d+", text), text
    assert re.search(r'Region: "fsync".*\n.*/native-calls.c:%d \(work_with_files\)' % line, printed), line
    mine = {os.path.basename(name): use for name, use in uses.items() if name.startswith("rank 0:")}
    assert mine["plain"] == [1, 1, 3, 1230, 3, 1530], uses
    # characters are recorded together where nothing else comes between; what is written into memory counts nowhere
    assert mine["characters"] == [1, 1, 3, 4, 2, 2], uses
    assert mine["mapped"] == [1, 1, 0, 0, 0, 0], uses
    assert mine["rank 0:standard output"][3:] == [0, 2, 13], uses
    assert not [name for name in uses if "/sys/" in name or "/dev/shm" in name or "/proc/" in name], uses
    # the thread that waits for locks that spin, are made of a futex or belong to the C library is not among them
    assert len({(group, thread) for group, thread, *_ in locks}) == 1, locks
    assert any(name.startswith("child 1 of rank 0:") and use[5] == 123 for name, use in uses.items()), uses
    check_balance(locks)


COMPUTES = r"""
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static double now (void) { struct timespec t; clock_gettime (CLOCK_MONOTONIC, &t); return (double) t.tv_sec + (double) t.tv_nsec / 1e9; }
static void touch (void) { FILE *file = fopen ("/dev/null", "w"); fputs ("x", file); fclose (file); }
static void compute (double s) { double begin = now (); touch (); while (now () < begin + s) ; }
static void *work (void *ended) { compute (0.3); *(double *) ended = now (); return NULL; }
int main (void)
{
  pthread_t thread;
  double begin = now (), made, joined, ended, end;
  compute (0.4);
  made = now ();
  pthread_create (&thread, NULL, work, &ended);
  joined = now ();
  pthread_join (thread, NULL);
  end = now ();
  printf ("%f %f\n", joined - begin + ended - made, end - joined);
  return 0;
}
"""
SLOW = r"""
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
__attribute__ ((constructor)) static void wait (void) { syscall (SYS_nanosleep, &(struct timespec){ 0, 300000000 }, NULL); }
"""


def test_computing():
    """What no recorded call encloses is the program's own, in each of its threads that computes. What the process waits while it is
    loaded is not."""
    with traced.Traced(["./computes"], "--report", "report.json") as one:
        with open(os.path.join(one.folder, "computes.c"), "w") as stream:
            stream.write(COMPUTES)
        with open(os.path.join(one.folder, "slow.c"), "w") as stream:
            stream.write(SLOW)
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", "libslow.so", "slow.c"], cwd=one.folder, check=True)
        subprocess.run(["gcc", "-O1", "-o", "computes", "computes.c", "-pthread", "-Wl,--no-as-needed,-rpath," + one.folder, "-L.", "-lslow"],
                       cwd=one.folder, check=True)
        run = one.run()
        _, _, regions = read(run.archive)
        with open(os.path.join(one.folder, "report.json")) as stream:
            page = json.load(stream)
    assert regions["computes"][0] == "Paradigm.MEASUREMENT_SYSTEM" and regions["computes"][2] == 2, regions
    classes = traced.list_classes(page)
    own = {row["Function"]: row["Own time"] for row in traced.read_tables(page, "Functions")[0]}
    start = own.get("(program start)", 0)
    assert own["(not recorded)"] >= 0.3 and start < 0.25 and abs(classes["not sampled"] - own["(not recorded)"]) < 0.002, (own, classes)
    computed, joined = map(float, run.out.split())
    # the program begins before its first line, and ends after its last one
    assert -0.01 < classes["native"] - start - computed < 0.1 * (computed + joined), (classes, start, run.out)
    assert abs(classes["lock"] - joined) < 0.05, (classes, run.out)


def test_switched_off():
    """Nothing is recorded while the program has switched recording off."""
    script = "import pddt\nfor i in range(4):\n  (pddt.disable if i % 2 else pddt.enable)()\n" \
             "  open('file', 'ab', 0).write(b'x' * 1000)\nprint('done')"
    with traced.Traced(["/usr/bin/python3", "-c", script]) as one:
        run = one.run()
        assert run.status == 0 and run.out == "done\n", run
        uses, _, _ = read(run.archive)
    assert [use for name, use in uses.items() if name.endswith("/file")] == [[2, 2, 0, 0, 2, 2000]], uses


BORN = """
import json, otf2, sys
from otf2 import events as e
threads, last = {}, {}
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        key = location.group.name + "/" + location.name
        each = threads.setdefault(key, {"made": [], "calls": [], "begins": [], "ends": [], "first": type(event).__name__})
        if isinstance(event, e.ThreadCreate):
            each["made"].append([event.thread_contingent.group.name or str(event.thread_contingent), event.sequence_count,
                                 event.time])
        elif isinstance(event, e.ThreadBegin):
            each["begins"].append([event.thread_contingent.group.name or str(event.thread_contingent),
                                   event.sequence_count, event.time])
        elif isinstance(event, e.ThreadEnd):
            each["ends"].append(event.time)
        elif isinstance(event, e.Enter):
            each["calls"].append(event.region.name)
        each["last"] = type(event).__name__
print(json.dumps(threads))
"""
MAKES = """
import os, sys, threading
before = set(os.listdir("/proc/self/task"))
def child(depth):
    if depth:
        start(child, depth - 1)
def start(function, *arguments):
    thread = threading.Thread(target=function, args=arguments)
    thread.start()
    thread.join()
def many():
    pass
start(child, 2)
threads = [threading.Thread(target=many) for _ in range(200)]
for each in threads:
    each.start()
for each in threads:
    each.join()
while set(os.listdir("/proc/self/task")) - before:
    pass  # join() returns a little before the thread has ended, and the child would have it under way
if os.fork() == 0:
    start(child, 0)
    while len(os.listdir("/proc/self/task")) > 1:
        pass  # join() returns a little before the thread has ended
    os._exit(0)
os.wait()
"""


def list_threads(archive):
    """{process/thread: which threads it has made, when it has begun and ended, its first event and its last one}"""
    done = subprocess.run(["/usr/bin/python3", "-c", BORN, os.path.join(archive, "traces.otf2")], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def test_threads():
    """Each thread begins where it was made, by whom it was made: children of children, many, in a fork, in ranks."""
    with traced.Traced(["mpirun", "-np", "2", "/usr/bin/python3", "-c", "from mpi4py import MPI\n" + MAKES]) as one:
        run = one.run()
        assert run.status == 0, run
        traced.read(run.archive)
        threads = list_threads(run.archive)
    makers = {(*each[:2], name.split("/")[0]): (name, each[2]) for name, thread in threads.items() for each in thread["made"]}
    n = {}
    for name, thread in threads.items():
        process = name.split("/")[0]
        if "child" not in thread["calls"] and "many" not in thread["calls"]:
            continue
        if name.endswith("/thread 1"):
            continue  # the forked child has what its parent had under way
        assert len(thread["begins"]) == len(thread["ends"]) == 1 and thread["first"] == "ThreadBegin" \
            and thread["last"] == "ThreadEnd", (name, thread)
        contingent, number, time = thread["begins"][0]
        maker, made = makers[contingent, number, process]
        assert maker != name and made <= time <= thread["ends"][0], (name, maker, made, thread)
        if "start" in thread["calls"] or "start" in threads[maker]["calls"]:
            assert "start" in threads[maker]["calls"], (name, maker)
        n[process] = n.get(process, 0) + 1
    assert n["rank 0"] == n["rank 1"] == 203, n
    assert sum(each for name, each in n.items() if name.startswith("child")) == 2, n


OWNER = """
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static int has_both;
static void *hold (void *data)
{
    pthread_mutex_lock (&lock);
    pthread_rwlock_wrlock (&shared);
    __atomic_store_n (&has_both, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n (&lock.__data.__lock, __ATOMIC_ACQUIRE) != 2)
        sched_yield ();
    pthread_mutex_unlock (&lock);
    while (__atomic_load_n (&shared.__data.__readers, __ATOMIC_ACQUIRE) >> 3 == 0)
        sched_yield ();
    pthread_rwlock_unlock (&shared);
    return NULL;
}
int main (void)
{
    pthread_t thread;
    pthread_create (&thread, NULL, hold, NULL);
    while (!__atomic_load_n (&has_both, __ATOMIC_ACQUIRE))
        sched_yield ();
    pthread_mutex_lock (&lock);
    pthread_mutex_unlock (&lock);
    pthread_rwlock_rdlock (&shared);
    pthread_rwlock_unlock (&shared);
    return pthread_join (thread, NULL);
}
"""


def test_owner():
    """Who had the lock is known, even if that thread has nothing else that is recorded; it begins when it was made, though its
    process had recorded nothing then."""
    with traced.Traced(["./owner"]) as one:
        one.build("owner", OWNER, "-g", "-pthread")
        run = one.run()
        assert run.status == 0, run
        _, locks, _ = read(run.archive)
        thread = list_threads(run.archive)["rank 0/thread 2"]
    assert (len(thread["begins"]), thread["first"], thread["last"]) == (1, "ThreadBegin", "ThreadEnd"), thread
    owners = [(each[1], each[5], each[6]) for each in locks if each[2] == "ThreadAcquireLock"]
    assert owners == [("thread 1", "thread 2", "pthread_mutex_lock"), ("thread 1", "thread 2", "pthread_rwlock_rdlock")], owners


ENDS = r"""
#include <pthread.h>
#include <stdio.h>
static pthread_key_t key;
static void touch (const char *name)
{
    FILE *file = fopen (name, "a");
    fputs ("x", file);
    fclose (file);
}
static void on_end (void *rounds)
{
    touch ("late");
    if ((long) rounds > 1)
        pthread_setspecific (key, (void *) ((long) rounds - 1));
}
static void *work (void *data)
{
    pthread_setspecific (key, (void *) 4);
    touch ("early");
    return NULL;
}
int main (void)
{
    pthread_t thread;
    pthread_key_create (&key, on_end);
    touch ("before");
    remove ("before");
    touch ("again"); /* maybe with the inode of the one before */
    pthread_create (&thread, NULL, work, NULL);
    pthread_join (thread, NULL);
    for (int i = 0; i < 10; i++)
        touch ("after");
    return 0;
}
"""


def test_late_events():
    """What a thread does after its last chance to record is missing, and counted as lost; nothing else is. A file that comes to
    where another one was has its own name."""
    with traced.Traced(["./ends"], "--report", "report.txt") as one:
        one.build("ends", ENDS, "-g", "-pthread")
        run = one.run()
        assert run.status == 0, run
        uses, _, _ = read(run.archive)
    written = {os.path.basename(name): use[5] for name, use in uses.items()}
    assert written["before"] == written["again"] == written["early"] == 1 and written["after"] == 10, written
    assert written["late"] < 4 and "a thread was ending" in run.err and "no more room" not in run.err, (written, run)


LAST_ROUND = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_key_t key;
static void touch (const char *name)
{
    int fd = open (name, O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || write (fd, "x", 1) != 1 || close (fd) != 0)
        _exit (1);
}
static void on_end (void *data)
{
    if ((intptr_t) data > 1)
        pthread_setspecific (key, (void *) ((intptr_t) data - 1));
    else
        touch ("last");
}
static void *work (void *data)
{
    pthread_setspecific (key, (void *) 4); /* rounds of destructors */
    return NULL;
}
int main (void)
{
    struct rlimit limit = { 5, 5 };
    pthread_t thread;
    int status = 1;
    pid_t child;
    touch ("first"); /* the recorder's key comes before */
    pthread_key_create (&key, on_end);
    for (int i = 0; i < 4; i++) { /* each on the stack of the one before */
        pthread_create (&thread, NULL, work, NULL);
        pthread_join (thread, NULL);
    }
    setrlimit (RLIMIT_CPU, &limit);
    child = fork ();
    if (child == 0) {
        touch ("child");
        _exit (0);
    }
    waitpid (child, &status, 0);
    return status != 0;
}
"""


def test_last_round():
    """A thread that records in the last round of its destructors alone is in no list of those that live: a child that goes
    through the list comes to its end."""
    with traced.Traced(["./rounds"]) as one:
        one.build("rounds", LAST_ROUND, "-g", "-pthread")
        run = one.run()
        assert run.status == 0, run
        uses, _, _ = read(run.archive)
    assert {os.path.basename(name): use[5] for name, use in uses.items()}.get("child") == 1, uses


HANDLES = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>
static int by_handler, by_main;
static volatile sig_atomic_t n_handled;
static void handle (int number) { n_handled += write (by_handler, "h", 1) == 1; }
int main (void)
{
    struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
    long n = 0;
    by_main = open ("by-main", O_CREAT | O_WRONLY, 0666);
    by_handler = open ("by-handler", O_CREAT | O_WRONLY, 0666);
    signal (SIGALRM, handle);
    setitimer (ITIMER_REAL, &often, NULL);
    while (n_handled < 1000)
        n += pwrite (by_main, "m", 1, 0) == 1;
    setitimer (ITIMER_REAL, &never, NULL);
    printf ("%d %ld\n", (int) n_handled, n);
    return 0;
}
"""


def test_handlers():
    """The calls of a signal's handler are recorded, or counted as lost where they interrupt the recording of another one."""
    with traced.Traced(["./handles"]) as one:
        one.build("handles", HANDLES, "-O1")
        run = one.run()
        assert run.status == 0, run
        uses, _, _ = read(run.archive)
    handled, n = map(int, run.out.split())
    found = {os.path.basename(name): use[4] for name, use in uses.items()}
    lost = int((re.search(r"\((\d+) events lost\)", run.err) or ["", 0])[1])
    assert found["by-main"] == n and 3 * (handled - found["by-handler"]) == lost, (found, handled, n, run)


FORKS = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int n_ready;
static void *touch (void *data)
{
    int fd;
    __atomic_add_fetch (&n_ready, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n (&n_ready, __ATOMIC_SEQ_CST) < 2) {
    }
    fd = open ("touched", O_CREAT | O_APPEND | O_WRONLY, 0666);
    if (write (fd, "x", 1) != 1)
        _exit (1);
    close (fd);
    return NULL;
}
int main (void)
{
    FILE *file = fopen ("first", "w");
    fclose (file);
    for (int i = 0; i < 20; i++) {
        pid_t child = fork ();
        if (child == 0) {
            pthread_t thread;
            pthread_create (&thread, NULL, touch, NULL);
            touch (NULL);
            pthread_join (thread, NULL);
            _exit (0);
        }
        waitpid (child, NULL, 0);
    }
    return 0;
}
"""


def test_forks():
    """Two threads of a forked child that record their first events at the same time both do so."""
    with traced.Traced(["./forks"]) as one:
        one.build("forks", FORKS, "-O1", "-pthread")
        run = one.run()
        assert run.status == 0, run
        uses, _, _ = read(run.archive)
        threads = list_threads(run.archive)
    written = [use for name, use in uses.items() if name.endswith("/touched")]
    assert len(written) == 20 and all(use == [2, 2, 0, 0, 2, 2] for use in written), written
    others = [thread for name, thread in threads.items() if name.endswith("/thread 2")]
    assert len(others) == 20 and all(len(each["begins"]) == 1 for each in others), others


AT_ONCE = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int n_ready;
static void *touch (void *data)
{
    char name[32];
    for (int i = 0; i < 300; i++) {
        int fd;
        snprintf (name, sizeof name, "touched%d", i);
        __atomic_add_fetch (&n_ready, 1, __ATOMIC_SEQ_CST);
        while (__atomic_load_n (&n_ready, __ATOMIC_SEQ_CST) < 2 * i + 2) {
        }
        fd = open (name, O_CREAT | O_APPEND | O_WRONLY, 0666);
        if (write (fd, "x", 1) != 1)
            _exit (1);
        close (fd);
    }
    return NULL;
}
int main (void)
{
    pthread_t thread;
    pthread_create (&thread, NULL, touch, NULL);
    touch (NULL);
    return pthread_join (thread, NULL);
}
"""


def test_at_once():
    """Two threads that open a file at the same time, which nobody has opened before, both use that file."""
    with traced.Traced(["./at-once"]) as one:
        one.build("at-once", AT_ONCE, "-O1", "-pthread")
        run = one.run()
        assert run.status == 0, run
        uses, _, _ = read(run.archive)
    written = {name: use for name, use in uses.items() if "touched" in name}
    others = {name: use for name, use in written.items() if use != [2, 2, 0, 0, 2, 2]}
    assert len(written) == 300 and not others, (len(written), others)


EXECUTES = r"""
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double now (void)
{
    struct timespec time;
    clock_gettime (CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}
int main (int argc, char **argv)
{
    double begin = now (), end = begin + 0.2;
    FILE *file = fopen ("written", "w");
    pid_t child;
    fclose (file);
    execl ("/there/is/no/such/program", "program", (char *) 0);
    child = vfork ();
    if (child == 0) {
        execl ("/bin/true", "true", (char *) 0);
        _exit (1);
    }
    waitpid (child, NULL, 0);
    while (now () < end) {
    }
    printf ("%s %.9f %.9f\n", argv[0], begin, now ());
    fflush (stdout);
    execvp (argv[1], argv + 1);
    return 1;
}
"""
READ_PROGRAMS = """
import json, otf2, sys
from otf2.events import Enter, Leave
found, starts, depth = [], [], 0
with otf2.reader.open(sys.argv[1]) as trace:
    second = trace.definitions.clock_properties.timer_resolution
    for location, event in trace.events:
        if isinstance(event, Enter) and depth == 0:
            found.append([event.region.name, event.time / second, None, str(event.region.region_role)])
        if isinstance(event, (Enter, Leave)) and event.region.name == "(program start)":
            starts.append(event.time / second)
        depth += isinstance(event, Enter) - isinstance(event, Leave)
        if isinstance(event, Leave) and depth == 0:
            found[-1][2] = event.time / second
print(json.dumps([found, starts]))
"""


def test_executed():
    """Each program that a process has been has a region of its name, from the exec until it executes the next one, and in it what
    the loader did; an exec that fails, and one in a child, ends none."""
    with traced.Traced(["./first", "./second", "/usr/bin/python3", "-c", "def last(): pass\nlast()"]) as one:
        with open(os.path.join(one.folder, "executes.c"), "w") as stream:
            stream.write(EXECUTES)
        for name in "first", "second":
            subprocess.run(["gcc", "-g", "-o", name, "executes.c"], cwd=one.folder, check=True)
        run = one.run()
        assert run.status == 0, run
        path = os.path.join(run.archive, "traces.otf2")
        done = subprocess.run(["/usr/bin/python3", "-c", READ_PROGRAMS, path], check=True, stdout=subprocess.PIPE, text=True)
        found, starts = json.loads(done.stdout)
        subprocess.run(["otf2-print", path], check=True, stdout=subprocess.DEVNULL)
    programs = [each for each in found if each[3] == "RegionRole.ARTIFICIAL"]
    said = [line.split() for line in run.out.splitlines()]
    assert [each[0] for each in programs] == ["first", "second"] and len(said) == 2, found
    assert found.index(programs[1]) == 1 and "<module>" in [each[0] for each in found[2:]], found
    for (name, begin, end, _), (path, first, last) in zip(programs, said):
        assert path == "./" + name and begin <= float(first) and end >= float(last), (found, said)
    assert programs[0][2] <= float(said[1][1]) and programs[1][2] <= found[2][1], (found, said)
    assert starts[::2] == [each[1] for each in programs] and len(starts) == 4, (found, starts)
    assert all(begin < end <= float(said[n][1]) for n, (begin, end) in enumerate(zip(starts[::2], starts[1::2]))), (starts, said)
    assert float(said[0][2]) <= starts[2], (starts, said)


test_python()
test_owner()
test_late_events()
test_last_round()
test_forks()
test_at_once()
test_handlers()
test_executed()
test_threads()
test_openmp()
test_native()
test_computing()
test_switched_off()
