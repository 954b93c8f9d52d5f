# SPDX-License-Identifier: GPL-3.0-or-later
"""What `pddt --profile` does to a program that waits with epoll, and to one whose 160 threads want the interpreter all the
time; how much of a processor its daemon takes for 32 ranks, and how near it comes to known shares in each Python that is given. Prints; asserts nothing.

sampling.py [PYTHON…]"""
import glob
import math
import os
import pstats
import statistics
import subprocess
import sys
import tempfile
import time

import pddt

RANKS = 32
SECONDS = 10
SHARES = {"forty": 40, "twenty_five": 25, "fifteen": 15, "ten": 10, "five": 5}

EPOLL = """
import ctypes, errno, select, time
libc = ctypes.CDLL(None, use_errno=True)
poll, event = select.epoll(), ctypes.create_string_buffer(16)
n = interrupted = 0
end = time.monotonic() + 10
while time.monotonic() < end:
    interrupted += libc.epoll_wait(poll.fileno(), event, 1, 5) < 0 and ctypes.get_errno() == errno.EINTR
    n += 1
    work = time.monotonic() + 0.003
    while time.monotonic() < work:
        pass
print(n, interrupted)
"""

KNOWN = """
import time
spent = {}
""" + "".join(f"""
def {name}():
    begin = time.perf_counter()
    while time.perf_counter() < begin + {share / 1000}:
        pass
    spent["{name}"] = spent.get("{name}", 0) + time.perf_counter() - begin
""" for name, share in SHARES.items()) + """
for _ in range(60):
    """ + "; ".join(f"{name}()" for name in SHARES) + "\nprint(*map(spent.get, %r))\n" % list(SHARES)


CROWD = """
import threading, time
threading.stack_size(256 << 10)
begin = threading.Event()

def work():
    begin.wait()
    for _ in range(%d):
        sum(range(200))

threads = [threading.Thread(target=work) for _ in range(160)]
for thread in threads:
    thread.start()
start = time.perf_counter(), time.process_time()
begin.set()
for thread in threads:
    thread.join()
print(time.perf_counter() - start[0], time.process_time() - start[1])
"""


def start(folder, *command):
    return subprocess.Popen([pddt.PDDT, "--profile", "--output", os.path.join(folder, "run"), *command], cwd=folder,
                            env=pddt.ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def measure_epoll():
    with tempfile.TemporaryDirectory() as folder:
        out, _ = start(folder, "/usr/bin/python3", "-c", EPOLL).communicate(timeout=60)
    n, interrupted = map(int, out.split())
    print(f"epoll and computing for 10 s: {interrupted} of {n} waits ended with EINTR", flush=True)


def measure_crowd(python, n_turns=12000, n_rounds=5):
    """What py-spy's issue 872 is about: there such a program took 5 to 15 times as long."""
    plain, sampled = [], []
    for _ in range(n_rounds):
        plain.append(tuple(map(float, subprocess.run([python, "-c", CROWD % n_turns], capture_output=True, text=True,
                                                     check=True).stdout.split())))
        with tempfile.TemporaryDirectory() as folder:
            sampled.append(tuple(map(float, start(folder, python, "-c", CROWD % n_turns).communicate(timeout=120)[0].split())))
    wall, used = (100 * (statistics.median(column) / statistics.median(base) - 1)
                  for column, base in zip(zip(*sampled), zip(*plain)))
    print(f"160 threads that want the interpreter: {wall:+.1f} % of time, {used:+.1f} % of processor time", flush=True)


def read_daemons(before):
    """Seconds of processor time of the daemons that have come since; by pid."""
    spent = {}
    for path in glob.glob("/proc/[0-9]*/comm"):
        pid = int(path.split("/")[2])
        try:
            with open(path, encoding="utf-8") as file:
                name = file.read().strip()
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if name == "pddtd" and pid not in before:
            spent[pid] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return spent


def count_samples(text):
    words = text.split()
    return int(words[words.index("samples") - 1]) if "samples" in words else int(words[words.index("samples:") - 1])


def measure_daemon():
    before = read_daemons({})
    program = f"import time\nend = time.monotonic() + {SECONDS + 6}\nwhile time.monotonic() < end: pass"
    with tempfile.TemporaryDirectory() as folder:
        run = start(folder, "mpirun", "--oversubscribe", "-np", str(RANKS), "/usr/bin/python3", "-c", program)
        time.sleep(4)
        first, begin = read_daemons(before), time.monotonic()
        time.sleep(SECONDS)
        last, spent = read_daemons(before), time.monotonic() - begin
        _, err = run.communicate(timeout=120)
    cores = sum(last[pid] - first.get(pid, 0) for pid in last) / spent
    print(f"daemon of {RANKS} running ranks: {cores:.2f} of a processor, {count_samples(err)} samples", flush=True)


def measure_shares(python):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "known.py")
        with open(program, "w", encoding="utf-8") as file:
            file.write(KNOWN)
        out, err = start(folder, "--export", "pstats", python, program).communicate(timeout=120)
        stats = pstats.Stats(os.path.join(folder, "run", "export", "cpu_0.prof")).stats
    n = count_samples(err)
    # on a busy machine a function lasts longer than it wants to, so the program says how long each has lasted
    wanted = {name: float(seconds) for name, seconds in zip(SHARES, out.split())}
    found = {key[2]: value[2] for key, value in stats.items() if key[2] in SHARES}
    rows = [(found.get(name, 0) / sum(found.values()), wanted[name] / sum(wanted.values())) for name in SHARES]
    worst = max(abs(share - right) / math.sqrt(right * (1 - right) / n) for share, right in rows)
    version = subprocess.run([python, "-c", "import platform; print(platform.python_version())"], capture_output=True,
                             text=True, check=True).stdout.strip()
    print(f"known shares, Python {version}: {n} samples, the farthest is {worst:.1f} sigma away ("
          + ", ".join(f"{100 * share:.1f} of {100 * right:.1f} %" for share, right in rows) + ")", flush=True)


measure_epoll()
measure_crowd(sys.argv[1] if len(sys.argv) > 1 else "/usr/bin/python3")
for each in sys.argv[1:] or ["/usr/bin/python3"]:
    measure_shares(each)
measure_daemon()
