# SPDX-License-Identifier: GPL-3.0-or-later
"""A program's index, made and opened, beside gdb that sets one breakpoint in the same file: of
programs that are here and of one with 80 MB of debug information, made once in the temporary folder.
Then the same from the shell: started, stopped at main, shown, ended. gdb with and without its own
index cache. Then a hundred pddt-symbols that begin at once, as on as many hosts that share a home, beside
one alone. Files are in the page cache."""
import concurrent.futures
import os
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import time

from gi.repository import GLib

import pddt

BUILD = os.environ["PDDT_BUILD_ROOT"]
BENCH = os.path.join(BUILD, "tests", "bench", "bench-index")
PROGRAMS = ["/usr/bin/python3.11", os.path.join(BUILD, "src", "programs", "pddtd")]


def run(line, **more):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=dict(pddt.ENVIRONMENT, DEBUGINFOD_URLS="", **more))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, time.monotonic() - start, after.ru_utime - before.ru_utime


def best(line, runs=3, **more):
    return min((run(line, **more)[1:] for _ in range(runs)))


def measure_memory(line):
    done = run(["/usr/bin/time", "-f", "%M"] + line)[0]
    return int(done.stderr.split()[-1]) / 1024


def make_big():
    folder = os.path.join(tempfile.gettempdir(), f"pddt-bench-big-{os.getuid()}")
    maker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "big_program.py")
    done = subprocess.run([sys.executable, maker, folder], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def measure(program):
    gdb = ["gdb", "-nx", "-q", "-batch", "-ex", "break main", program]
    run([BENCH, program])
    ours = min((run([BENCH, program])[0].stdout.strip() for _ in range(3)),
               key=lambda text: float(text.split()[1]))
    wall, cpu = best(gdb)
    print(f"{os.path.basename(program)}: {ours}; gdb's breakpoint {wall * 1e3:.0f} ms "
          f"({cpu * 1e3:.0f} of a processor), {measure_memory(gdb):.0f} MB, ratio "
          f"{wall * 1e3 / float(ours.split()[1]):.1f}")


def measure_shell(program):
    with tempfile.TemporaryDirectory() as cache:
        cached = ["-iex", "set index-cache enabled on", "-iex", f"set index-cache directory {cache}"]
        stop = ["-ex", "break main", "-ex", "run", "-ex", "kill", program]
        plain = best(["gdb", "-nx", "-q", "-batch"] + stop)[0]
        run(["gdb", "-nx", "-q", "-batch"] + cached + stop)
        warm = best(["gdb", "-nx", "-q", "-batch"] + cached + stop)[0]
        ours = [pddt.PDDT, "-e", "show state", program]
        fresh = []
        for number in range(3):
            home = os.path.join(cache, f"pddt-{number}")
            os.mkdir(home)
            fresh.append(run(ours, XDG_CACHE_HOME=home)[1])
        known = best(ours, XDG_CACHE_HOME=os.path.join(cache, "pddt-0"))[0]
        print(f"{os.path.basename(program)}, from the shell to main and the end: without an index "
              f"{min(fresh) * 1e3:.0f} ms, with {known * 1e3:.0f}; gdb {plain * 1e3:.0f}, with its index "
              f"cache {warm * 1e3:.0f}; ratios {plain / min(fresh):.1f} and {warm / known:.1f}")


def ask_for_index(path, program):
    """The question "open" for this user's rights; an answer that is none ends the benchmark."""
    words = GLib.Variant("(ay)", (program.encode() + b"\0",))
    question = GLib.Variant("(uusv)", (os.geteuid(), os.getegid(), "open", words)).get_data_as_bytes().get_data()
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(path)
        link.sendall(struct.pack("<I", len(question)) + question)
        size = struct.unpack("<I", link.recv(4, socket.MSG_WAITALL))[0]
        answer = link.recv(size, socket.MSG_WAITALL)
    assert answer[0] == 1, answer


def measure_together(program, n):
    """Seconds until n processes that have an empty cache have the index, and their processor time."""
    with tempfile.TemporaryDirectory() as folder:
        line = [os.path.join(BUILD, "src", "programs", "pddt-symbols"), "--cache",
                os.path.join(folder, "cache"), "--socket"]
        paths = [os.path.join(folder, f"socket-{number}") for number in range(n)]
        helpers = [subprocess.Popen(line + [path]) for path in paths]
        pddt.wait_for("sockets", lambda: all(map(os.path.exists, paths)), 30)
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(n) as pool:
            list(pool.map(ask_for_index, paths, [program] * n))
        wall = time.monotonic() - start
        for helper in helpers:
            helper.kill()
            helper.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare_together(program, n):
    one, many = (min(measure_together(program, count) for _ in range(3)) for count in (1, n))
    print(f"{os.path.basename(program)}, {n} that begin at once without an index: {many[0] * 1e3:.0f} ms, "
          f"{many[1]:.1f} s of processors in all; one alone {one[0] * 1e3:.0f} ms, {one[1]:.1f} s")


def main():
    big = make_big()
    for program in filter(os.path.exists, PROGRAMS + ([big] if big else [])):
        measure(program)
    if big:
        measure_shell(big)
        compare_together(big, 100)


if __name__ == "__main__":
    main()
