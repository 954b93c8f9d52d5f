# SPDX-License-Identifier: GPL-3.0-or-later
"""How long pddt takes to say unasked that a job has hung."""
import json
import os
import re
import tempfile
import threading
import time

import pddt

# Each rank says when it begins to wait; the last of these times is when the job went quiet.
PROGRAM = """
import time
time.sleep({before_mpi})
from mpi4py import MPI
comm = MPI.COMM_WORLD
comm.Barrier()
time.sleep({after_barrier})
print("quiet", comm.rank, time.monotonic(), flush=True)
comm.recv(source=comm.rank ^ 1, tag=7)
"""
SENTENCE = "wait for each other"


def announce_s(n, before_mpi=0.0, after_barrier=0.0, limit_s=90):
    """Seconds from the moment in which the last of n ranks began to wait for its partner until pddt named two that wait
    for each other. They sleep before they load MPI, and before they wait."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "quiet.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(before_mpi=before_mpi, after_barrier=after_barrier))
        talk = pddt.Dialogue(["mpirun", "-np", str(n), pddt.PYTHON, "%python_debug%", script])
        watch = threading.Timer(limit_s, talk.process.kill)
        watch.start()
        began, told = [], None
        try:
            talk.ask("expect stopped")
            talk.given.write("continue\n")
            talk.given.flush()
            while told is None or len(began) < n:
                event = talk.read()
                if event is None:
                    raise SystemExit(f"no sentence within {limit_s} s: {began}, {talk.seen[-10:]}")
                text = json.dumps(event)
                began += [float(word) for word in re.findall(r"quiet \d+ (\d+\.\d+)", text)]
                if told is None and SENTENCE in text:
                    told = time.monotonic()
            talk.ask("kill")
            return told - max(began)
        finally:
            watch.cancel()
            talk.end()
