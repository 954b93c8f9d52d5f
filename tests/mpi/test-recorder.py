# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs print and return with the recorder what they print and return without it."""
import os
import shutil
import signal
import subprocess
import sys

import launching

BUILD = os.environ["PDDT_BUILD_ROOT"]
HERE = os.path.dirname(os.path.abspath(__file__))
RECORDER = os.path.join(BUILD, "src", "agent", "libpddt-mpi%s.so")
PROGRAMS = os.path.join(BUILD, "tests", "mpi")


TOOL = os.path.join(PROGRAMS, "libtool.so")


def run(n_ranks, words, with_recorder, tool=None):
    """tool: a PMPI tool of the user's that is there in both runs, "above" or "below" the recorder."""
    environment = dict(os.environ, **launching.ENVIRONMENT)
    is_mpich = words[0].endswith("mpich")
    loaded = [RECORDER % ("-mpich" if is_mpich else "")] if with_recorder else []
    loaded = loaded if tool is None else [TOOL] + loaded if tool == "above" else loaded + [TOOL]
    prefix = ["env", "LD_PRELOAD=" + " ".join(loaded)] if loaded else []
    launcher = ["mpiexec.hydra", "-n"] if is_mpich else ["mpirun", "-np"]
    for _ in range(3):
        job = subprocess.run(["timeout", "-k", "2", "100", *launcher, str(n_ranks), *prefix, *words],
                             stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             env=environment, check=False)
        # Open MPI 4.1.4's mpirun, which has no recorder, sometimes crashes when ranks abort; a rank's crash is no signal here.
        if job.returncode != -signal.SIGSEGV:
            break
    return job.returncode, sorted(job.stdout.splitlines()), job.stderr


cases = [(4, ["calls"]), (3, ["calls"]), (2, ["calls", "threads"]), (2, ["calls", "abort"]),
         (2, ["calls", "fatal"]), (2, ["calls", "tools"]), (1, ["calls", "unmapped"]), (1, ["calls", "guarded"]), (1, ["calls", "spawn"]),
         (3, ["calls-f"]), (3, ["calls-f08"]), (3, ["calls-mpich"]), (2, ["calls-mpich", "threads"]), (2, ["fibres"]), (2, ["fibres-mpich"]),
         (2, ["calls-mpich", "tools"]), (1, ["calls-mpich", "unmapped"]), (3, ["calls-f08-mpich"]),
         (2, ["fourth-mpich"]), (2, ["dlopened"]), (3, ["calls-tool"])]
cases = [(n, [os.path.join(PROGRAMS, w[0]), *w[1:]]) for n, w in cases
         if os.path.exists(os.path.join(PROGRAMS, w[0]))
         and (not w[0].endswith("mpich") or shutil.which("mpiexec.hydra"))]
cases.append((3, ["/usr/bin/python3", os.path.join(HERE, "calls.py")]))
cases = [(*case, None) for case in cases]
cases += [(3, [os.path.join(PROGRAMS, "calls")], "above"), (3, [os.path.join(PROGRAMS, "calls")], "below")]
bad = 0
for number, (n_ranks, words, tool) in enumerate(cases, 1):
    plain, recorded = run(n_ranks, words, False, tool), run(n_ranks, words, True, tool)
    name = " ".join(os.path.basename(w) for w in words)
    if tool is not None:  # the program prints what its LD_PRELOAD is, and the tool's name stays in it
        name += f", a tool {tool}"
        assert any(" tool " in line for line in plain[1]), plain
    good = plain[:2] == recorded[:2] and (plain[1] or plain[0] != 0) and "pddt" not in recorded[2]
    print(f"{'ok' if good else 'not ok'} {number} - {name} on {n_ranks}")
    if not good:
        bad += 1
        print("plain:", *plain, "recorded:", *recorded, sep="\n", file=sys.stderr)
print(f"1..{len(cases)}")
sys.exit(bad > 0)
