# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user waits for in the window, on its own display: from `./run` of a built tree to the first screen, and
from a step's key to all panes of eight ranks. Prints; asserts nothing.
The peer of the first is an empty GTK window."""
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT, BUILD = os.environ["PDDT_SOURCE_ROOT"], os.environ["PDDT_BUILD_ROOT"]
if len(sys.argv) < 2:
    os.execve(os.path.join(ROOT, "tests/support/with-display"),
              ["with-display", "/usr/bin/python3", os.path.abspath(__file__), "inside"],
              {**os.environ, "WITH_WM": "1", "GSETTINGS_SCHEMA_DIR": os.path.join(BUILD, "data")})

RUNS, N_STEPS = 5, 12
EMPTY = ("import gi; gi.require_version('Gtk', '3.0'); from gi.repository import Gtk; "
         "w = Gtk.Window(title='pddt'); w.show_all(); Gtk.main()")
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def until_seen(command):
    """Seconds until the window manager shows a window of that name."""
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        while subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "pddt"], check=False,
                             capture_output=True).returncode != 0:
            if time.monotonic() - begin > 60:
                return float("nan")
            time.sleep(0.005)
        return time.monotonic() - begin
    finally:
        process.terminate()
        process.wait()
        while subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "pddt"], check=False,
                             capture_output=True).returncode == 0:
            time.sleep(0.05)


STEPS = """a = 0
import numpy
from mpi4py import MPI
now, following = numpy.zeros(1000), numpy.ones((100, 100))
cells = 1000 + MPI.COMM_WORLD.rank
""" + "".join(f"now[{n}] = {n}\n" for n in range(N_STEPS + 2))


def step_answers():
    """Prints what bench-step sees of eight Python ranks with arrays."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(STEPS)
        script.flush()
        subprocess.run([os.path.join(BUILD, "tests/bench/bench-step"), str(N_STEPS), "over", "mpirun", "--oversubscribe",
                        "-np", "8", "/usr/bin/python3", "%python_debug%", script.name], stdin=subprocess.DEVNULL,
                       check=False, env={**os.environ, "NO_AT_BRIDGE": "1"}, timeout=120)


empty = statistics.median(until_seen(["/usr/bin/python3", "-c", EMPTY]) for _ in range(RUNS))
first = statistics.median(until_seen(["./run"]) for _ in range(RUNS))
print(f"first screen: {first:.2f} s after ./run of a built tree (aim 0.5 s); an empty GTK window {empty:.2f} s", flush=True)
print("aim: 100 ms until a step's answer is on all panes", flush=True)
step_answers()
