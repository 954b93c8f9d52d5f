# SPDX-License-Identifier: GPL-3.0-or-later
"""A matrix of situations by how they run: Open MPI and MPICH, each with the recorder and attached
(which has none). Each situation has one expected outcome; a rank that is wrongly accused fails it in any
of them, one that is not accused only where the recorder saw it. A sample runs in ./check; all of them,
where PDDT_LONG is set."""
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import threading
import time

import pddt

BUILT = os.path.join(pddt.BUILD, "tests", "zoo")
SOURCES = os.path.join(pddt.SOURCE, "tests", "zoo", "situations")
BLAMES = {"crashed", "held", "ended", "mismatch", "cycle", "no-partner"}
LIMIT_S = 200


class Situation:
    """outcome: stuck (by the culprits), healthy (nobody is), or a verdict's name. text: in its sentence."""

    def __init__(self, program, name, n, outcome, culprits=None, text="", where="o m ao am", sample=""):
        self.program, self.name, self.n, self.outcome = program, name, n, outcome
        self.culprits, self.text = culprits, text
        self.where, self.sample = where.split(), sample.split()


def rings():
    for way in ("sendrecv", "replace", "waitall", "waitsome", "waitany", "startall"):
        yield Situation("halves", way + "-late", 4, "healthy", sample="o" if way == "sendrecv" else "")
        yield Situation("halves", way + "-never", 4, "stuck", ["0-1", "1,3"], "MPI_Recv from 0, tag 99",
                        sample="m" if way == "waitall" else "")
        yield Situation("halves", way + "-big-never", 4, "stuck", ["0-1"], "1 in MPI_Recv from 0, tag 99",
                        where="o m")
    yield Situation("halves", "sendrecv-big-late", 4, "healthy", where="o m")


SITUATIONS = list(rings()) + [
    Situation("threads", "computes", 2, "healthy", sample="o am"),
    Situation("threads", "sleeps", 2, "healthy"),
    Situation("threads", "awaits", 2, "healthy"),
    Situation("threads", "worker", 2, "healthy", sample="m"),
    Situation("threads", "team", 2, "healthy"),
    Situation("threads", "loops", 2, "healthy", where="o m", sample="o"),
    Situation("threads", "clock", 2, "healthy", where="o m"),
    Situation("threads", "shares", 2, "healthy", where="o m"),
    Situation("threads", "locks", 2, "stuck", ["0-1"], "the main thread of 0 waits for a mutex that thread ", where="o m", sample="o"),
    Situation("threads", "chain", 2, "stuck", ["0-1"], " waits for a mutex that thread ", where="o m"),
    Situation("threads", "posts", 2, "healthy", where="o m", sample="m"),
    Situation("threads", "joins", 2, "stuck", ["0-1"], "one must send first"),
    Situation("threads", "pool", 2, "stuck", ["0-1"], "one must send first", sample="o"),
    Situation("windows", "lock-other", 3, "stuck", ["0-1"], "on the window of 2, which 1 has locked since windows.c:",
              sample="o"),
    Situation("windows", "lock-own", 3, "stuck", ["0-1"], "on the window of 0, which 1 has locked since windows.c:"),
    Situation("windows", "lock-late", 3, "healthy", sample="m"),
    Situation("windows", "expose-never", 3, "stuck", ["0,2"], "0 in MPI_Win_wait", sample="m"),
    Situation("windows", "expose-late", 3, "healthy"),
    Situation("windows", "access-never", 3, "stuck", ["0,2"], "2 in MPI_Recv from 0"),
    Situation("windows", "access-late", 3, "healthy"),
    Situation("windows", "fence-never", 3, "stuck", ["0,2", "1-2"], "MPI_Win_fence"),
    Situation("windows", "fence-late", 3, "healthy"),
    Situation("windows", "look", 3, "missing", ["0"], "it keeps calling MPI_Fetch_and_op and MPI_Win_flush (windows.c:",
              where="o m", sample="o"),
    Situation("windows", "disturb", 3, "unknown", [""], "MPICH may need 0 to enter MPI", where="m", sample="m"),
    Situation("outer", "write-never", 3, "stuck", ["0,2", "1-2"], "MPI_File_write_at_all", sample="o"),
    Situation("outer", "write-late", 3, "healthy"),
    Situation("outer", "ordered", 3, "stuck", ["0,2", "1-2"], "MPI_File_read_ordered"),
    Situation("outer", "close-never", 3, "stuck", ["0,2", "1-2"], "MPI_File_close"),
    Situation("outer", "disconnect", 3, "stuck", ["0,2", "1-2"], "2 in MPI_Recv from 0"),
    Situation("outer", "free-never", 3, "stuck", ["0,2", "1-2"], "2 in MPI_Recv from 0"),
    Situation("outer", "intercomm-tags", 2, "stuck", ["0-1"], "1 in MPI_Intercomm_create with 0, tag 6",
              sample="o"),
    Situation("outer", "intercomm-late", 2, "healthy"),
    Situation("outer", "group-never", 3, "stuck", ["0,2"], "MPI_Comm_create_group"),
    Situation("outer", "group-late", 3, "healthy"),
    Situation("outer", "split-never", 3, "stuck", ["0,2", "1-2"], "MPI_Comm_split"),
    Situation("unexplained", "probes", 2, "stuck", ["0-1"],
              "0 has taken the message of 1 with MPI_Mprobe (unexplained.c:",
              where="o m", sample="o"),
    Situation("unexplained", "scatters", 3, "stuck", ["0,2"], "0 gives nothing to 2 in MPI_Scatterv (unexplained.c:",
              where="o m", sample="o"),
    Situation("unexplained", "gathers", 3, "stuck", ["0,2"], "0 expects nothing from it (unexplained.c:", where="o m"),
    Situation("unexplained", "exchanges", 3, "stuck", ["0-1", "0-2"], "1 gives 4 bytes to 0 in MPI_Alltoallv (unexplained.c:",
              where="o m"),
    Situation("unexplained", "agrees", 3, "healthy", where="o m", sample="o"),
    Situation("unexplained", "neighbours", 2, "stuck", ["0-1"],
              "MPI_Neighbor_allgather, but 1 does not name 0 as a destination", where="o m"),
    Situation("unexplained", "merges", 2, "unknown", [""], "what another job does is not known", where="o"),
    Situation("unexplained", "parts", 2, "stuck", ["0"], "whose partition 1 was never marked by MPI_Pready", where="m",
              sample="m"),
    Situation("states", "crash", 3, "crashed", ["1"], "1 has not called it; it crashed with SIGSEGV",
              where="o m ao", sample="o"),
    Situation("states", "crash", 3, "crashed", ["1"], "1 crashed with SIGSEGV", where="am"),
    Situation("states", "abort", 3, "crashed", ["1"], "crashed with SIGABRT", where="o m"),
    Situation("states", "mpi-abort", 3, "crashed", ["1"], "MPI_Abort with 4", where="o m"),
    Situation("states", "fail", 3, "crashed", ["1"], "it failed with", where="o m"),
    Situation("states", "leave", 3, "crashed", ["1"], "it is leaving without MPI_Finalize", where="o m"),
    Situation("states", "asleep", 3, "system-call", ["1"], "it is in nanosleep", where="o m ao", sample="ao"),
    Situation("states", "asleep", 3, "unknown", [""], "1 is in nanosleep", where="am"),
    Situation("states", "dozes", 3, "healthy"),
    Situation("states", "fifo", 3, "system-call", ["1"], "is in read of", where="o m ao"),
    Situation("states", "record", 3, "stuck", ["0-1"], ", which 0 has locked", where="o m", sample="o"),
    Situation("states", "flock", 3, "stuck", ["0-1"], ", which 0 has locked", where="o m"),
    Situation("states", "shared", 3, "system-call", ["1"], "1 has not called it; it waits in sem_wait (states.c:",
              where="o m"),
    Situation("states", "rank", 3, "system-call", ["1"], " until some process posts the semaphore (shared with 0,2)",
              where="o m", sample="o"),
    Situation("states", "mutex", 3, "stuck", ["0-1"], "1 in pthread_mutex_lock, which 0 holds", where="o m", sample="o"),
    Situation("states", "mutex-late", 3, "healthy", where="o m", sample="m"),
    Situation("states", "mutex-turns", 3, "healthy", where="o m"),
    Situation("states", "mutex-circle", 3, "stuck", ["0-1"], "1 in pthread_mutex_lock, which 0 holds", where="o m",
              sample="o"),
    Situation("states", "mutex-timed", 3, "healthy", where="o m"),
    Situation("states", "rwlock", 3, "stuck", ["0-1"], "1 in pthread_rwlock_rdlock, which 0 holds", where="o m"),
    Situation("states", "mutex-worker", 3, "healthy", where="o m", sample="o"),
    Situation("futures", "future", 2, "system-call", ["1"], "it waits in std::future::get (futures.cc:", where="o m",
              sample="o"),
    Situation("futures", "shared-future", 2, "system-call", ["1"], "until some thread sets the future's value", where="o m"),
    Situation("futures", "latch", 2, "system-call", ["1"], "it waits in std::latch::wait (futures.cc:", where="o m"),
    Situation("futures", "semaphore", 2, "system-call", ["1"], "it waits in std::counting_semaphore::acquire (futures.cc:",
              where="o m"),
    Situation("futures", "cc-barrier", 2, "system-call", ["1"], "it waits in std::barrier::arrive_and_wait (futures.cc:",
              where="o m", sample="m"),
    Situation("futures", "async", 2, "stuck", ["0-1"], "the main thread of 1 waits for the end of thread ", where="o m"),
    Situation("waiting.py", "gil-thread", 2, "stuck", ["0-1"], "the main thread of 0 waits for Python's GIL, which thread ",
              where="o", sample="o"),
    Situation("waiting.py", "gil-main", 2, "stuck", ["0-1"], " of 1 waits for Python's GIL, which thread 1 holds",
              where="o"),
    Situation("waiting.py", "gil-sleep", 2, "system-call", ["1"], " \"sleeper\" holds (thread ", where="o", sample="o"),
    Situation("waiting.py", "gil-late", 2, "healthy", where="o"),
    Situation("waiting.py", "simple-queue", 2, "system-call", ["1"],
              "it waits in queue.SimpleQueue.get (waiting.py:", where="o", sample="o"),
    Situation("states", "child", 3, "system-call", ["1"], "it waits for the end of its child process ", where="o m",
              sample="o"),
    Situation("states", "sigwait", 3, "system-call", ["1"], "it is in sigwait", where="o m"),
    Situation("states", "open", 3, "system-call", ["1"], "/alone-", where="o m", sample="m"),
    Situation("states", "pipe", 3, "system-call", ["1"], "(situation-state) writes to", where="o m", sample="o"),
    Situation("states", "full", 3, "system-call", ["1"], "which writes to a full pipe that nobody reads", where="o"),
    Situation("states", "accept", 3, "system-call", ["1"], "it is in accept of TCP port ", where="o m", sample="m"),
    Situation("states", "post", 3, "system-call", ["1"], "until some thread releases the semaphore, but its process has no "
              "other thread", where="o m", sample="o"),
    Situation("states", "many", 2, "stuck", ["0-1"], "0 in MPI_Waitall for MPI_Irecv from 1, tag 999", where="o m",
              sample="o"),
    Situation("states", "poll", 3, "missing", ["1"], "it polls with MPI_Iprobe", where="o m ao"),
    Situation("states", "poll-send", 3, "missing", ["1"], "polls with MPI_Test to 0, tag 3", where="o m"),
    Situation("states", "computing", 3, "healthy"),
    Situation("states", "finalized", 3, "stuck", ["1"], "1 is in MPI_Finalize", where="o m ao", sample="m"),
    Situation("states", "pairs", 4, "stuck", ["0-1", "2-3"], "wait for each other", sample="o am"),
    Situation("states", "mixed", 4, "cycle", ["0-1"], "0 and 1 ", where="o m"),
    Situation("states", "ring", 3, "stuck", ["0-2"], "in a circle", sample="ao am"),
    Situation("states", "barrier", 3, "stuck", ["0-1", "1-2"], "1 in MPI_Recv from 0, tag 99"),
    Situation("fortran", "any", 2, "stuck", ["0-1"], "0 in MPI_Waitall for MPI_Irecv from 1, tag 1",
              where="o m", sample="m"),
    Situation("fortran", "wild", 2, "stuck", ["0-1"], "one must send first", where="o m", sample="m"),
    Situation("fortran", "half", 2, "stuck", ["0-1"], "0 in MPI_Sendrecv from 1, tag 8", where="o m"),
    Situation("states", "waitany", 2, "stuck", ["0-1"], "MPI_Waitall for MPI_Irecv from 1", sample="m"),
]


def make_line(situation, where):
    is_mpich = where.endswith("m")
    program = [os.path.join(BUILT, "situation-" + situation.program + ("-mpich" if is_mpich else ""))]
    if situation.program.endswith(".py"):
        program = ["/usr/bin/python3", os.path.join(SOURCES, situation.program)]
    launcher = ["mpiexec.mpich", "-n"] if is_mpich else ["mpirun.openmpi", "-np"]
    return launcher + [str(situation.n)] + program + [situation.name]


class Job:
    """A dialogue about the situation; attached, it has begun when the ranks go on."""

    def __init__(self, situation, where):
        self.launcher = self.mark = None
        self.folder = tempfile.TemporaryDirectory(prefix="pddt-situation-")
        line = make_line(situation, where)
        try:
            if where.startswith("a"):
                line = ["--attach-job", str(self.launch(situation, line))]
            self.dialogue = pddt.Dialogue(line, environment={"SITUATION_FOLDER": self.folder.name})
        except BaseException:
            self.end_launcher()
            self.folder.cleanup()
            raise
        self.watch = threading.Timer(LIMIT_S, self.dialogue.process.kill)
        self.watch.start()
        self.ask("continue")
        if self.mark is not None:
            os.unlink(self.mark)

    def launch(self, situation, line):
        self.mark = os.path.join(self.folder.name, "wait")
        open(self.mark, "x", encoding="ascii").close()
        self.launcher = subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            start_new_session=True,
            env=dict(pddt.ENVIRONMENT, SITUATION_WAIT=self.mark, SITUATION_FOLDER=self.folder.name))
        for _ in range(situation.n):
            self.launcher.stdout.readline()
        return self.launcher.pid

    def ask(self, command):
        return self.dialogue.ask(command)[0]

    def why(self):
        return [event for event in self.ask("why") if event["event"] == "why"]

    def end(self):
        self.watch.cancel()
        try:
            self.dialogue.end()
        finally:
            self.end_launcher()
            self.folder.cleanup()

    def end_launcher(self):
        if self.launcher is None:
            return
        self.launcher.terminate()
        try:
            self.launcher.communicate(timeout=120)
        except subprocess.TimeoutExpired:  # Open MPI's may block itself in its own PMIx_server_finalize
            self.launcher.kill()
            self.launcher.communicate()


def fail(situation, where, why, events):
    raise SystemExit(f"{situation.program} {situation.name} {where}: {why}: "
                     + " | ".join(f"{e['verdict']} {e['culprits']}: {e['text']}" for e in events))


def check_blame(situation, where, events):
    """Whoever is blamed is one of the culprits."""
    for event in events:
        if event["verdict"] in BLAMES and event["culprits"] not in situation.culprits:
            fail(situation, where, "wrongly accused", events)


def is_expected(situation, where, events):
    blamed = [event for event in events if event["verdict"] in BLAMES]
    if situation.outcome == "stuck":
        if where.startswith("a") and any(event["verdict"] == "unknown" for event in events):
            return True
        return any(situation.text in event["text"] for event in blamed) \
            and (where.startswith("a") or all(event["certain"] for event in blamed))
    return any(event["verdict"] == situation.outcome and event["culprits"] in situation.culprits
               and situation.text in event["text"] for event in events)


def check_faulty(job, situation, where):
    """`wait` gives up by itself where it can be known, and `why` says the same until it is seen."""
    end = time.monotonic() + LIMIT_S / 2
    if situation.outcome == "stuck" and not where.startswith("a"):
        events = [event for event in job.ask("wait") if event["event"] == "why"]
        check_blame(situation, where, events)
        if not is_expected(situation, where, events):
            fail(situation, where, "wait", events)
        if situation.name == "pairs" and len(events) != 2:
            fail(situation, where, "not all faults", events)
    while True:
        events = job.why()
        check_blame(situation, where, events)
        if is_expected(situation, where, events):
            if situation.name in ("wild", "many") and "never asked for" in events[0]["text"]:
                fail(situation, where, "what was received is said not to be", events)
            if situation.name == "lock-other" and not where.startswith("a"):
                check_locks(job, situation, where)
            if situation.name == "asleep" and where == "ao":
                check_diverged(job, situation, where)
            return events[0]["text"]
        if time.monotonic() > end:
            fail(situation, where, "not seen", events)


def check_locks(job, situation, where):
    """Whoever holds a lock is shown with it, as long as it does."""
    rows = [event["text"] for event in job.ask("show queue") if event["event"] == "queue"]
    if not any("holds a lock of 2, exclusive" in text and "MPI_Win_lock at windows.c:" in text
               for text in rows):
        raise SystemExit(f"{situation.name} {where}: no owner of the lock in " + " | ".join(rows))


def check_diverged(job, situation, where):
    """Nobody has seen attached ranks part: their stacks tell how far they are together. On a loaded machine they
    may still have been where they wait for whoever attaches, and then they have been seen together there."""
    texts = [event.get("text", "") for command in ("pause", "wait 120", "show diverged")
             for event in job.ask(command)]
    if not any("together as far as asleep: " in text or "last together, doze at situation.h:" in text
               for text in texts):
        raise SystemExit(f"{situation.name} {where}: no common frame in " + " | ".join(texts))


def check_healthy(job, situation, where):
    """Asked again and again while it runs, and waited for: it is let be until it ends."""
    begin, events = time.monotonic(), []
    while time.monotonic() < begin + 1.5:
        events = job.why()
        if any(event["verdict"] in BLAMES - {"ended"} or event["stuck"] for event in events):
            fail(situation, where, "accused", events)
    done = [event for event in job.ask("wait") + job.ask("expect exited") if event["event"] == "done"]
    if not all(event["ok"] for event in done):
        fail(situation, where, "not let be", events)
    return events[0]["text"] if events else ""


def check(situation, where):
    job = Job(situation, where)
    try:
        how = check_healthy if situation.outcome == "healthy" else check_faulty
        return f"{situation.program} {situation.name} {where}: {how (job, situation, where)}"
    finally:
        job.end()


def main():
    wanted, times = sys.argv[1:], int(os.environ.get("PDDT_ZOO_TIMES", "1"))
    is_long = bool(os.environ.get("PDDT_LONG")) or bool(wanted)
    has_mpich = os.path.exists(os.path.join(BUILT, "situation-states-mpich"))
    variants = [(situation, where) for situation in SITUATIONS
                for where in (situation.where if is_long else situation.sample)
                if (has_mpich or not where.endswith("m"))
                and os.path.exists(make_line(situation, where)[3])
                and (not wanted or situation.program in wanted or situation.name in wanted)]
    print(len(variants), "variants")
    if os.environ.get("PDDT_LONG"):
        variants *= times
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        pddt.report([pool.submit(check, *variant) for variant in variants])


main()
