# SPDX-License-Identifier: GPL-3.0-or-later
"""Times of inspecting and moving ranks, compared with gdb in the same run: attach, all stacks
with names, lines and arguments, detach; one step; a breakpoint whose condition is false; the
daemon's memory. pddt's figure is for its engine in a running process, as in the daemon, and
also for the whole command from the shell. Prints; asserts nothing."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import pddt

BENCH = os.path.join(pddt.BUILD, "tests", "bench")
DEEP = os.path.join(BENCH, "bench-deep")
STEPS = os.path.join(BENCH, "bench-steps")
SOURCE = os.path.join(pddt.SOURCE, "tests", "bench", "deep.c")
ENVIRONMENT = dict(pddt.ENVIRONMENT, BENCH_SOURCE=SOURCE,
                   PDDT_SYMBOLS=os.path.join(pddt.BUILD, "src", "programs", "pddt-symbols"))
GDB = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load no"]
PYTHON_RANK = """
import time
from mpi4py import MPI
def inner(n):
    if n:
        return inner(n - 1)
    print("ready", flush=True)
    time.sleep(600)
inner(30)
"""


def engine(*words):
    """{first word of a line: {name: number}} of the engine's benchmark."""
    out = subprocess.run([os.path.join(BENCH, "bench-engine"), *map(str, words)], env=ENVIRONMENT,
                         capture_output=True, text=True, timeout=600, check=True).stdout
    found = {}
    for line in out.splitlines():
        name, *rest = line.split()
        found[name] = {key: float(value) for key, value in zip(rest[::2], rest[1::2])
                       if re.fullmatch(r"[\d.]+", value)}
    return found


def gdb_all(pids):
    """ms of one gdb that attaches to all and prints all stacks."""
    lines = ["set pagination off", "set confirm off"]
    for number, pid in enumerate(pids, 1):
        lines += ["add-inferior"] * (number > 1) + [f"inferior {number}", f"attach {pid}"]
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as script:
        script.write("\n".join(lines + ["thread apply all bt", ""]))
        script.flush()
        begin = time.monotonic()
        subprocess.run(GDB + ["-x", script.name], capture_output=True, timeout=900, check=False)
        return (time.monotonic() - begin) * 1000


def gdb_each(pids):
    begin = time.monotonic()
    for pid in pids:
        subprocess.run(GDB + ["-p", str(pid), "-ex", "bt"], capture_output=True, timeout=300, check=False)
    return (time.monotonic() - begin) * 1000


def whole_command(pids):
    begin = time.monotonic()
    subprocess.run([pddt.PDDT, "--attach", ",".join(map(str, pids)), "-e", "where full"], env=ENVIRONMENT,
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=True)
    return (time.monotonic() - begin) * 1000


def report(what, pids, aim_ms, each=False):
    figures = engine("attach", *pids)["all"]
    command = whole_command(pids)
    together = gdb_all(pids)
    text = (f"attach, stacks with lines and arguments, detach: {what}: pddt's engine median "
            f"{figures['median']:.1f} ms, best {figures['best']:.1f} (aim {aim_ms}); pddt from the shell "
            f"{command:.0f} ms; one gdb for all {together:.0f} ms, ratio {together / figures['median']:.0f}")
    if each:
        text += f"; one gdb for each {gdb_each(pids):.0f} ms"
    print(text, flush=True)


def bench_plain():
    for n, aim in ((8, 24), (64, 80), (256, 500)):
        process = subprocess.Popen([DEEP, "run", str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        pids = [int(line) for line in iter(process.stdout.readline, "ready\n")]
        report(f"{n} C ranks", pids, aim, each=n == 8)
        found = [engine(what, *pids) for what in ("attach", "names", "floor")]
        ours, names, floor = (figures[row]["median"] for figures, row in zip(found, ("all", "all", "floor")))
        spent, spent_names, spent_floor = (figures["spent"]["median"] for figures in found)
        print(f"the same, with ptrace and libunwind alone, without lines, names and arguments: {floor:.1f} ms; pddt's engine "
              f"needs {ours / floor:.1f} times as much (aim 1.5), {names / floor:.1f} times without the values of arguments; of processor time "
              f"{spent / spent_floor:.1f} and {spent_names / spent_floor:.1f} times", flush=True)
        if n == 64:
            memory = engine("memory", *pids)["memory"]
            print(f"memory of the engine for each C rank after its stack was shown: {memory['each']:.1f} KiB (aim 40)")
        process.stdin.close()
        process.wait()


def start_job(n_ranks, *program):
    """The running job whose ranks have each written a line, and their pids."""
    job = subprocess.Popen(["mpirun", "-np", str(n_ranks), *program], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, text=True, env=pddt.ENVIRONMENT)
    for _ in range(n_ranks):
        job.stdout.readline()
    return job, [pid for pid, (parent, _, _) in pddt.processes().items() if parent == job.pid]


def end_job(job):
    job.send_signal(signal.SIGTERM)
    job.wait()


def bench_mpi():
    job, pids = start_job(64, STEPS, "hang")
    n_threads = sum(len(os.listdir(f"/proc/{pid}/task")) for pid in pids)
    report(f"{len(pids)} MPI ranks ({n_threads} threads)", pids, 140)
    end_job(job)


def bench_python():
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(PYTHON_RANK)
        script.flush()
        job, pids = start_job(8, pddt.PYTHON, script.name)
        report("8 mpi4py ranks", pids, 120)
        end_job(job)


def gdb_timed(body):
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write("import gdb, os, signal, threading, time\n" + body)
        script.flush()
        return subprocess.run(GDB + ["-ex", "start loop", "-x", script.name, DEEP], capture_output=True,
                              text=True, timeout=120).stdout.splitlines()[-1]


def bench_steps():
    with open(SOURCE, encoding="utf-8") as file:
        line = next(number for number, text in enumerate(file, 1) if "/*@ line */" in text)
    peer = float(gdb_timed(f"""
gdb.execute("tbreak deep.c:{line}"); gdb.execute("continue")
found = []
for _ in range(20):
    begin = time.monotonic(); gdb.execute("next", to_string=True); found.append(time.monotonic() - begin)
print(sorted(found)[10] * 1000)
"""))
    for n, aim in ((1, 2), (64, 20)):
        figures = engine("step", DEEP, n)["next"]
        print(f"next over a short line, {n} rank{'s' * (n > 1)}: median {figures['median']:.2f} ms, best "
              f"{figures['best']:.2f} (aim {aim}); gdb, one rank {peer:.2f} ms", flush=True)
    seconds, turns = gdb_timed(f"""
gdb.execute("break deep.c:{line} if counter == 123456789")
threading.Timer(3, os.kill, (gdb.selected_inferior().pid, signal.SIGINT)).start()
begin = time.monotonic(); gdb.execute("continue", to_string=True)
print(time.monotonic() - begin, gdb.parse_and_eval("turns"))
""").split()
    peer = float(seconds) * 1e6 / max(int(turns), 1)
    ours = engine("condition", DEEP, 3)["condition"]["each"]
    print(f"a breakpoint whose condition is false, each hit: pddt {ours:.0f} µs, gdb {peer:.0f} µs, "
          f"{ours / peer:.2f} of gdb's (aim 0.4)")


def main():
    for bench in (bench_plain, bench_mpi, bench_python, bench_steps):
        if len(sys.argv) < 2 or bench.__name__ in sys.argv[1:]:
            bench()


main()
