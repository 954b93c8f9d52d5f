# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs print and return with the recorder what they print and return without it."""
import os
import shutil
import subprocess
import sys

BUILD = os.environ["PDDT_BUILD_ROOT"]
HERE = os.path.dirname(os.path.abspath(__file__))
RECORDER = os.path.join(BUILD, "src", "agent", "libpddt-mpi%s.so")
PROGRAMS = os.path.join(BUILD, "tests", "mpi")


def run(n_ranks, words, with_recorder):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1")
    is_mpich = words[0].endswith("mpich")
    prefix = ["env", "LD_PRELOAD=" + RECORDER % ("-mpich" if is_mpich else "")] if with_recorder else []
    launcher = ["mpiexec.hydra", "-n"] if is_mpich else ["mpirun", "-np"]
    job = subprocess.run(["timeout", "-k", "2", "100", *launcher, str(n_ranks), *prefix, *words],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True,
                         env=environment, check=False)
    return job.returncode, sorted(job.stdout.splitlines()), job.stderr


cases = [(4, ["calls"]), (3, ["calls"]), (2, ["calls", "threads"]), (2, ["calls", "abort"]),
         (2, ["calls", "fatal"]), (1, ["calls", "spawn"]), (3, ["calls-f"]), (3, ["calls-f08"]),
         (3, ["calls-mpich"]), (2, ["calls-mpich", "threads"])]
cases = [(n, [os.path.join(PROGRAMS, w[0]), *w[1:]]) for n, w in cases
         if os.path.exists(os.path.join(PROGRAMS, w[0]))
         and (w[0] != "calls-mpich" or shutil.which("mpiexec.hydra"))]
cases.append((3, ["/usr/bin/python3", os.path.join(HERE, "calls.py")]))
bad = 0
for number, (n_ranks, words) in enumerate(cases, 1):
    plain, recorded = run(n_ranks, words, False), run(n_ranks, words, True)
    name = " ".join(os.path.basename(w) for w in words)
    good = plain[:2] == recorded[:2] and (plain[1] or plain[0] != 0) and "pddt" not in recorded[2]
    print(f"{'ok' if good else 'not ok'} {number} - {name} on {n_ranks}")
    if not good:
        bad += 1
        print("plain:", *plain, "recorded:", *recorded, sep="\n", file=sys.stderr)
print(f"1..{len(cases)}")
sys.exit(bad > 0)
