# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls of files, locks, sleep and OpenMP in a traced process: what is in the trace is what the program did, and the
program does what it does without. Arguments: pddt's library, the program, the ones with LLVM's and GCC's OpenMP, the one
whose library starts programs before main, the one whose handler of a signal calls all that too, and those that work with
streams in C, C++ and Fortran."""
import collections
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import driver
import spool
from traced import has_parked_locks

LIBRARY, PROGRAM, OPENMP, GOMP, STARTED, HANDLERS, *STREAMS = sys.argv[1:]
SOURCES = os.path.dirname(os.path.abspath(__file__))
USER = 3
OPEN, CLOSE, READ, WRITE, SYNC = 56, 57, 58, 59, 60
WANTED, TAKEN, RELEASED = 72, 73, 74
PYTHON = """
import os, sys, threading
with open(os.path.join(sys.argv[1], "text"), "wb") as file:
    file.write(b"x" * 12345)
with open(os.path.join(sys.argv[1], "text"), "rb") as file:
    assert len(file.read()) == 12345
lock, begun = threading.Lock(), threading.Event()
def wait():
    begun.set()
    with lock:
        print("has it")
with lock:
    thread = threading.Thread(target=wait)
    thread.start()
    begun.wait()
    while open("/proc/self/task/%d/syscall" % thread.native_id).read()[:1] == "r":
        pass
thread.join()
"""


class Trace:
    """Everything that the processes of one run have recorded."""

    def __init__(self, folder):
        self.files = {}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                header = file.read(spool.HEADER)
            parent = header[spool.INHERITED:spool.INHERITED + 128].rstrip(b"\0").decode()
            self.files[name] = (spool.File(os.path.join(folder, name)), parent)

    def get_definition(self, name, kind, number):
        """Also what a forked process has from its parent."""
        file, parent = self.files[name]
        if (kind, number) in file.definitions:
            return file.definitions[kind, number]
        return self.get_definition(parent, kind, number)

    def get_text(self, name, kind, number):
        first = struct.unpack_from("<I", self.get_definition(name, kind, number))[0]
        return self.get_definition(name, spool.STRING, first).decode()

    def list_threads(self):
        for name, (file, _) in self.files.items():
            if file.writer != USER: # Python's own calls
                continue
            for tid, events in file.threads.items():
                yield name, tid, events

    def count(self):
        """By file's last name: opened, closed, synced, bytes read and written."""
        totals = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
        for name, _, events in self.list_threads():
            for event in events:
                if event.kind in (OPEN, CLOSE, READ, WRITE, SYNC) and event.id != 0:
                    total = totals[os.path.basename(self.get_text(name, spool.FILE, event.id))]
                    done = struct.unpack_from("<8xQQ", event.payload)[1]
                    index = {OPEN: 0, CLOSE: 1, SYNC: 2, READ: 3, WRITE: 4}[event.kind]
                    total[index] += done if event.kind in (READ, WRITE) else 1
        return totals

    def check_calls(self, run):
        """Enter and Leave balance in each thread, and time does not run backwards. Returns how often each was entered."""
        calls = collections.Counter()
        for name, tid, events in self.list_threads():
            stack, last = [], 0
            for event in events:
                run.expect(event.time >= last, f"{tid}: time runs backwards")
                last = event.time
                if event.kind == "ENTER":
                    stack.append(self.get_text(name, spool.REGION, event.id))
                    calls[stack[-1]] += 1
                elif event.kind == "LEAVE":
                    run.expect(stack and stack.pop() == self.get_text(name, spool.REGION, event.id), f"{tid}: Leave")
            run.expect(not stack, f"{tid}: {stack} are not left")
        return calls


class Run:
    def __init__(self, name):
        self.name, self.problems = name, []

    def expect(self, is_right, problem):
        if not is_right:
            self.problems.append(problem)


def trace(command, folder, given="", **environment):
    where = tempfile.mkdtemp(dir=folder)
    done = subprocess.run(command + [tempfile.mkdtemp(dir=folder)], capture_output=True, text=True, timeout=120, input=given,
                          env=dict(os.environ, PDDT_TRACE=where, PDDT_TRACE_PID="any", LD_PRELOAD=LIBRARY, **environment))
    plain = subprocess.run(command + [tempfile.mkdtemp(dir=folder)], capture_output=True, text=True, timeout=120, input=given,
                           env=dict(os.environ, **environment))
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr), done
    return Trace(where), done


def read_lock(event):
    """(address, kind, owner)"""
    return struct.unpack("<QII", event.payload)


def check_locks(run, traced):
    """Of each lock that a thread has waited for: wanted, taken, given back."""
    n = 0
    for _, tid, events in traced.list_threads():
        state = {}
        for event in events:
            if event.kind in (WANTED, TAKEN, RELEASED):
                address = read_lock(event)[0]
                run.expect(event.kind in {None: [WANTED], WANTED: [WANTED, TAKEN], TAKEN: [RELEASED]}[state.get(address)],
                           f"{tid}: {address:x} is {event.kind} after {state.get(address)}")
                state[address] = event.kind if event.kind != RELEASED else None
                n += event.kind == RELEASED
        run.expect(TAKEN not in state.values(), f"{tid}: {state}") # one that it could not take is WANTED
    run.expect(n >= 1, f"{n} locks were given back")


def list_waits(traced):
    return [(tid, *read_lock(event)) for _, tid, events in traced.list_threads()
            for event in events if event.kind == WANTED]


def check_program(run, folder):
    traced, done = trace([PROGRAM], folder)
    run.expect((done.returncode, done.stdout) == (7, "printed\ndone\n"), f"{done}")
    totals = traced.count()
    for name, wanted in {"plain": [1, 1, 2, 1230, 1530], "stream": [2, 2, 0, 300, 300],
                         "text": [1, 1, 1, 11, 14], "child": [1, 0, 0, 0, 123], "characters": [1, 1, 0, 4, 2],
                         "mapped": [1, 1, 0, 0, 0], "locked": [1, 1, 0, 0, 2],
                         "standard output": [0, 0, 1, 0, 13]}.items():
        run.expect(totals.get(name) == wanted, f"{name}: {totals.get(name)} instead of {wanted}")
    run.expect(not [name for name in totals if "socket" in name or name in ("syscall", "online")
                    or name.startswith("pddt-native-calls-")], f"{list(totals)}")
    calls = traced.check_calls(run)
    run.expect(calls["open"] == 4 and calls["pwrite"] == 1 and calls["fread"] == 1, f"{calls}")
    check_locks(run, traced)
    main = {tid for name, tid, _ in traced.list_threads() if not traced.files[name][1]
            and traced.files[name][0].pid == tid}
    waits = [(tid, owner) for tid, _, _, owner in list_waits(traced) if tid not in main]
    # nothing is known of locks that spin, are made of a futex, or belong to the C library: the second thread waits for those
    run.expect(len({tid for tid, _ in waits}) == 1, f"{waits}")
    owners = {owner for _, owner in waits}
    run.expect(owners >= main, f"nobody waited for {main}: {owners}")
    run.expect(calls["pthread_join"] == 2 and calls["pthread_mutex_lock"] >= 1, f"{calls}")
    slept = {name: calls[name] for name in ("nanosleep", "clock_nanosleep", "usleep", "sleep", "select", "poll")}
    run.expect(slept == {"nanosleep": 2, "clock_nanosleep": 2, "usleep": 1, "sleep": 1, "select": 1, "poll": 1}, f"{slept}")


def check_streams(run, program, folder):
    """Bytes of each file, and calls, are those that the program has counted itself."""
    given = "".join(f"{i} word-{i}\n" for i in range(2000))
    traced, done = trace([program], folder, given)
    run.expect(done.returncode == 7 and "wrong" not in done.stderr, f"{done}")
    totals, calls = traced.count(), traced.check_calls(run)
    lines = [line.split() for line in done.stderr.splitlines()]
    run.expect(len(lines) >= 3, f"{done}")
    for kind, name, *values in lines:
        found = totals[name.replace("_", " ")][3:] if kind == "bytes" else [calls[name]]
        run.expect(found == [int(value) for value in values], f"{kind} of {name}: {found} instead of {values}")
    run.expect(totals["standard error"][4] == len(done.stderr), f"standard error: {totals['standard error']}")
    # no record for each of 10,000 characters, but one for each buffer, and for what is left where others are recorded
    n_records = sum(event.kind in (READ, WRITE) and event.id != 0
                    and os.path.basename(traced.get_text(name, spool.FILE, event.id)) in ("characters", "copied")
                    for name, _, events in traced.list_threads() for event in events)
    run.expect(n_records < 100, f"{n_records} records of characters")


def check_python(run, interpreter, folder):
    traced, done = trace([interpreter, "-c", PYTHON], folder)
    run.expect(done.stdout == "has it\n", f"{done}")
    total = traced.count().get("text")
    run.expect(total == [2, 2, 0, 12345, 12345], f"text: {total}")
    main = {file.pid for file, _ in traced.files.values()}
    waits = [(tid, kind, owner) for tid, _, kind, owner in list_waits(traced) if kind == 1]
    calls = traced.check_calls(run)
    if has_parked_locks(interpreter):
        run.expect(calls["sem_wait"] > 0 and not any(owner for _, _, owner in waits), f"waits: {waits}, {calls}")
    else:
        run.expect(any(tid not in main and owner in main for tid, _, owner in waits), f"waits: {waits}")
        check_locks(run, traced)


def check_openmp(run, folder):
    traced, done = trace([OPENMP], folder)
    run.expect(done.stdout == "4.4985e+06 4\n", f"{done}")
    calls = collections.Counter()
    for name, _, events in traced.list_threads():
        calls.update(traced.get_text(name, spool.REGION, event.id) for event in events if event.kind == "ENTER")
    run.expect(calls["omp parallel"] == 2 and calls["omp implicit task"] == 6 and calls["omp critical wait"] >= 3
               and calls["omp barrier wait"] >= 6, f"{calls}")


def check_gomp(run, folder):
    """No OMPT: what compiled code calls is wrapped. Where tasks run while threads wait, nothing is said of waiting."""
    traced, done = trace([GOMP], folder)
    run.expect(done.returncode == 0 and done.stdout.split()[1:] == ["42", "4", "5000", "3"], f"{done}")
    calls = traced.check_calls(run)
    run.expect((calls["omp parallel"], calls["omp implicit task"], calls["omp barrier wait"]) == (11, 30, 39), f"{calls}")
    run.expect(calls["omp critical wait"] > 0 and calls["omp lock wait"] > 0 and calls["usleep"] == 7, f"{calls}")
    cancelled, _ = trace([GOMP], folder, OMP_CANCELLATION="true")
    calls = cancelled.check_calls(run)
    run.expect((calls["omp parallel"], calls["omp implicit task"], calls["omp barrier wait"]) == (11, 30, 12), f"{calls}")


def make_jumps(folder):
    """Libraries of the same source: by how they were made. One has a libgomp that was renamed."""
    def make(name, *command):
        path = os.path.join(folder, name)
        subprocess.run([*command, "-g", "-fopenmp", "-fPIC", "-shared", "-o", path, os.path.join(SOURCES, "native-jumps.c")], check=True)
        return path

    made = {level: make(f"gcc{level}.so", "gcc", level) for level in ("-O0", "-O1", "-O2", "-O3")}
    where = subprocess.run(["gcc", "-print-file-name=libgomp.so"], capture_output=True, text=True, check=True).stdout.strip()
    with open(where, "rb") as file:
        content = file.read()
    made["renamed"] = os.path.join(folder, "libgomp.so.7")
    with open(made["renamed"], "wb") as file:
        file.write(content.replace(b"libgomp.so.1\0", b"libgomp.so.7\0"))
    other = make("other.o", "gcc", "-O2", "-c")
    made["other"] = os.path.join(folder, "other.so")
    subprocess.run(["gcc", "-shared", "-o", made["other"], other, made["renamed"], "-Wl,-rpath," + folder], check=True)
    if shutil.which("clang"):
        made["clang"] = make("clang.so", "clang", "-O2")
    return made


def check_jumps(run, folder):
    """Each call goes to the libgomp that it goes to alone, also where nothing tells which module it comes from, and where that is not
    the module's own one but the one that was in the global scope first."""
    main = os.path.join(folder, "main")
    subprocess.run(["gcc", "-O2", "-o", main, os.path.join(SOURCES, "native-jumps-main.c"), "-pthread", "-ldl"], check=True)
    made = make_jumps(folder)
    jobs = [(level,) for level in ("-O0", "-O1", "-O2", "-O3")]
    jobs += [("other",), ("-O2", "other"), ("other", ":libgomp.so.1"), (":libgomp.so.1", "other"), (":renamed", "-O2")]
    jobs += [("clang",), ("clang", "-O2"), ("-O2", "clang", "other"), (":renamed", "-O2", "clang")] if "clang" in made else []
    for job in jobs:
        words = [name[:name.rfind(":") + 1] + made.get(name.lstrip(":"), name.lstrip(":")) for name in job]
        traced, done = trace([main, *words], folder)
        n = sum(name[0] != ":" for name in job)
        run.expect(done.returncode == 0 and done.stdout == n * "1 4 1 1 186d2 0 111 1\n", f"{job}: {done}")
        if "clang" not in job:
            calls = traced.check_calls(run)
            found = calls["omp parallel"], calls["omp implicit task"], calls["usleep"]
            run.expect(found == (107 * n, 215 * n, 2 * n), f"{job}: {calls}")


def check_started(run, folder):
    traced, done = trace([STARTED], folder)
    run.expect(done.returncode == 0, f"{done}")


def check_handlers(run, folder):
    """What a handler cannot record is left out; all else is whole, and nobody waits for himself."""
    traced, done = trace([HANDLERS], folder)
    run.expect(done.returncode == 0, f"{done}")
    calls = traced.check_calls(run)
    # a call's time is taken before a handler interrupts the writing of it: pddt's reader sees to that
    run.problems = [problem for problem in run.problems if "time runs backwards" not in problem]
    own = [name for name in calls if name[0] in "mh" and name[1:].isdigit()]
    run.expect({name[0] for name in own} == {"m", "h"}, f"{calls}")
    run.expect(any(name.startswith("m0") for name in traced.count()), "no file of its own")


def main():
    interpreters = driver.list_interpreters()
    parts = [("files and locks", check_program, ())] + [(interpreter, check_python, (interpreter,))
                                                        for interpreter in interpreters]
    parts += [("streams " + program.rsplit("-")[-1], check_streams, (program,)) for program in STREAMS]
    parts += [("OpenMP", check_openmp, ()), ("libgomp", check_gomp, ()), ("jumps", check_jumps, ()),
              ("before main", check_started, ()), ("handlers", check_handlers, ())]
    print(f"1..{len(parts)}")
    status = 0
    for number, (name, check, arguments) in enumerate(parts, 1):
        run = Run(name)
        with tempfile.TemporaryDirectory() as folder:
            check(run, *arguments, folder)
        print(*("# " + problem for problem in run.problems), sep="\n")
        print(f"{'not ok' if run.problems else 'ok'} {number} {name}", flush=True)
        status |= bool(run.problems)
    sys.exit(status)


main()
