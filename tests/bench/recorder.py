# SPDX-License-Identifier: GPL-3.0-or-later
"""The overhead of the recorder of MPI calls, compared with the same program without it:
nanoseconds of a call on MPI_COMM_SELF, a ping-pong of 8 bytes; and `show queue` of many ranks.
Prints; asserts nothing."""
import os
import statistics
import subprocess

import pddt

RECORDER = os.path.join(pddt.BUILD, "src", "agent", "libpddt-mpi.so")
CALLS = os.path.join(pddt.BUILD, "tests", "bench", "bench-calls")
RING = os.path.join(pddt.BUILD, "tests", "mpi", "ring")
RUNS = 9
RANKS = int(os.environ.get("BENCH_QUEUE_RANKS", "64"))


def measure(n_ranks, recorded):
    """{name: nanoseconds} of one run."""
    prefix = ["env", "LD_PRELOAD=" + RECORDER] if recorded else []
    job = subprocess.run(["mpirun", "-np", str(n_ranks), *prefix, CALLS], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, env=dict(pddt.ENVIRONMENT, OMPI_MCA_mpi_yield_when_idle="0"), timeout=300,
                         check=True)
    return {name: float(value) for name, value in (line.split() for line in job.stdout.splitlines())}


def bench_calls(n_ranks):
    """Runs take turns, so that a busy machine is busy for both; the least of medians counts."""
    plain, recorded = [], []
    for _ in range(RUNS):
        plain.append(measure(n_ranks, False))
        recorded.append(measure(n_ranks, True))
    for name in plain[0]:
        a = min(run[name] for run in plain)
        b = min(run[name] for run in recorded)
        pairs = statistics.median(y[name] - x[name] for x, y in zip(plain, recorded))
        if n_ranks == 1:
            print(f"{name}: plain {a:.1f} ns, with the recorder {b:.1f} ns; {b - a:+.1f} ns a call, "
                  f"{pairs:+.1f} as median of {RUNS} pairs of runs (aim 25 at most)")
        else:
            print(f"{name} of 8 bytes, 2 ranks: plain {a:.0f} ns, with the recorder {b:.0f} ns; "
                  f"{100 * (b / a - 1):+.1f} %, {pairs:+.0f} ns as median of {RUNS} pairs of runs "
                  "(aim 10 % at most)")


def bench_queue():
    dialogue = pddt.Dialogue(["mpirun", "-np", str(RANKS), RING])
    # the ranks of the ring wait for one that has stopped: they never all come to a stop by themselves
    for line in ("show state", "break pass", "continue", "on 0 wait 200", "pause", "wait 200"):
        dialogue.ask(line)
    first = dialogue.ask("show queue")[1]
    times = [dialogue.ask("show queue")[1] for _ in range(11)]
    dialogue.end()
    print(f"show queue of {RANKS} ranks: {1000 * first:.1f} ms the first time, median "
          f"{1000 * statistics.median(times):.1f} ms (aim < 50 ms)")


if os.path.exists(CALLS) and os.path.exists(RECORDER):
    bench_calls(1)
    bench_calls(2)
    bench_queue()
