# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user waits for in the window, on its own display: from `./run` of a built tree to the first screen, and
from a step's key to the merged stack of eight ranks. Prints; asserts nothing.
The peer of the first is an empty GTK window."""
import os
import statistics
import subprocess
import sys
import time

ROOT, BUILD = os.environ["PDDT_SOURCE_ROOT"], os.environ["PDDT_BUILD_ROOT"]
if len(sys.argv) < 2:
    os.execve(os.path.join(ROOT, "tests/support/with-display"),
              ["with-display", "/usr/bin/python3", os.path.abspath(__file__), "inside"],
              {**os.environ, "WITH_WM": "1", "GSETTINGS_SCHEMA_DIR": os.path.join(BUILD, "data")})

import ui  # noqa: E402  needs the display's bus

RUNS, STEPS = 5, 12
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


def step_answers():
    """Seconds from each step's key to the stack, which comes with the values, on a real job of eight ranks."""
    heat = os.path.join(ROOT, "data/examples/heat.py")
    process, app = ui.start(os.path.join(BUILD, "src/programs/pddt-window"), "mpirun", "--oversubscribe", "-np", "8",
                            "/usr/bin/python3", "%python_debug%", heat, stdin=subprocess.DEVNULL)
    try:
        main = ui.window(app, "pddt")
        ui.wait_text(main, "state-summary", "8 ranks: 8 stopped")
        ui.type_line(main, "break time_step")
        ui.wait_text(main, "transcript", "breakpoint 1 set")
        ui.type_line(main, "continue")
        ui.wait_text(main, "state-summary", "8 at a breakpoint")
        chart = ui.find(main, id="chart")
        ui.wait_for("the stack", lambda: "time_step at heat.py" in ui.cells(main, "stack"))
        chart.grab_focus()
        times = []
        for _ in range(STEPS):
            before = ui.cells(main, "stack")
            begin = time.monotonic()
            ui.xdo("key", "F10")
            while ui.cells(main, "stack") == before and time.monotonic() - begin < 10:
                time.sleep(0.002)
            times.append(time.monotonic() - begin)
            time.sleep(0.3)
        look = time.monotonic()
        ui.cells(main, "stack")
        return times, time.monotonic() - look
    finally:
        process.terminate()
        process.wait()


empty = statistics.median(until_seen(["/usr/bin/python3", "-c", EMPTY]) for _ in range(RUNS))
first = statistics.median(until_seen(["./run"]) for _ in range(RUNS))
print(f"first screen: {first:.2f} s after ./run of a built tree (aim 0.5 s); an empty GTK window {empty:.2f} s")
steps, look = step_answers()
print(f"a step of 8 Python ranks: the stack's answer {statistics.median(steps) * 1000:.0f} ms after the key, at most "
      f"{max(steps) * 1000:.0f} ms (aim 100 ms), of which a look from outside takes {look * 1000:.0f} ms")
