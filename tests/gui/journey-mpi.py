# SPDX-License-Identifier: GPL-3.0-or-later
"""A real job of four ranks in the window: breakpoint, continue, step, locals, quit."""
import os
import sys

import launching
import ui

window, example, library = sys.argv[1:]
os.environ.update(launching.ENVIRONMENT, HEAT_LIBRARY=library)
process, app = ui.start(window, "mpirun", "-np", "4", "/usr/bin/python3", "%python_debug%",
                        example)


def cells(id):
    return ui.cells(group, id)


try:
    main = ui.window(app, "pddt")
    ui.wait_text(main, "state-summary", "4 ranks: 4 stopped")
    ui.act(main, "group-window")
    group = ui.window(app, "Ranks 0-3")
    ui.type_line(group, "break time_step")
    ui.wait_text(group, "transcript", "breakpoint 1 set, time_step at heat.py:")
    ui.press(group, "Continue")
    ui.wait_text(main, "state-summary", "4 ranks: 4 at a breakpoint")  # in how many lines it may
    ui.wait_text(group, "transcript", ": breakpoint 1, time_step at heat.py:")
    ui.wait_for("the stack", lambda: "time_step at heat.py:" in cells("stack"))
    ui.wait_for("the locals", lambda: "cells" in cells("locals"))
    ui.press(group, "Over")
    ui.wait_text(main, "state-summary", "4 ranks: 4 stopped")
    ui.wait_text(group, "transcript", ": stopped, time_step at heat.py:")
    ui.wait_text(group, "face-text", "Together: 4 ranks")
    ui.press(main, "Update")
    ui.wait_text(main, "age", "updated")
    ui.screenshot("mpi")
    ui.type_line(main, "quit")
    assert process.wait(120) == 0, process.returncode
finally:
    process.terminate()
    process.wait()
