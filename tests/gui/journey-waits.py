# SPDX-License-Identifier: GPL-3.0-or-later
"""Two ranks that wait for each other: the sentence, the picture and the table of operations. Then what the picture
says of ranks that are outside MPI."""
import os
import sys

import launching
import ui

window = sys.argv[1]
os.environ.update(launching.ENVIRONMENT)
PROGRAM = """
from mpi4py import MPI
comm = MPI.COMM_WORLD
box = bytearray(8)
comm.Recv(box, 1 - comm.rank, 7)
"""
process, app = ui.start(window, "mpirun", "-np", "2", "/usr/bin/python3", "%python_debug%", "-c",
                        PROGRAM)
try:
    main = ui.window(app, "pddt")
    ui.wait_text(main, "state-summary", "2 ranks: 2 stopped")
    ui.press(main, "Continue")
    # Nobody has asked: the job no longer looks healthy, and the sentence is there.
    ui.wait_text(main, "state-summary", "2 ranks: 2 blocked")
    ui.wait_text(main, "info", "0 and 1 wait for each other")
    ui.screenshot("waits-unasked")
    ui.press(main, "Update")
    ui.wait_text(main, "state-summary", "2 ranks: 2 blocked")

    def says_why():
        ui.press(main, "Queue")
        return "MPI_Recv" in ui.text(ui.find(main, id="why-text"))
    ui.wait_for("the reason", says_why)
    ui.wait_for("both operations", lambda: ui.cells(main, "operations").count("MPI_Recv") == 2)
    picture = ui.find(main, id="wait-picture")
    assert picture.get_description() == "0 waits for 1. 1 waits for 0. ", picture.get_description()
    ui.screenshot("waits")
    ui.type_line(main, "quit")
    assert process.wait(120) == 0, process.returncode
finally:
    process.terminate()
    process.wait()

# Outside MPI: nobody's message leads to the one that has crashed.
OUTSIDE = """
import os
from mpi4py import MPI
comm = MPI.COMM_WORLD
if comm.rank == 1:
    os.kill(os.getpid(), 11)
comm.Barrier()
"""
process, app = ui.start(window, "mpirun", "-np", "3", "/usr/bin/python3", "%python_debug%", "-c", OUTSIDE)
try:
    main = ui.window(app, "pddt")
    ui.wait_text(main, "state-summary", "3 ranks: 3 stopped")
    ui.press(main, "Continue")

    def shows_crash():
        ui.press(main, "Queue")
        picture = ui.find(main, id="wait-picture").get_description()
        return picture.startswith("0 waits for 1. 2 waits for 1. 1: crashed with SIGSEGV")
    ui.wait_for("what it does", shows_crash)
    ui.screenshot("waits-outside")
    ui.type_line(main, "quit")
    assert process.wait(120) == 0, process.returncode
finally:
    process.terminate()
    process.wait()

# Two independent deadlocks, and a third rank that others wait for: each is named and drawn.
TWO = """
from mpi4py import MPI
import time
comm = MPI.COMM_WORLD
box = bytearray(8)
if comm.rank < 4:
    comm.Recv(box, comm.rank ^ 1, 7)
elif comm.rank == 5:
    comm.Recv(box, 4, 8)
while True:
    time.sleep(1)
"""
process, app = ui.start(window, "mpirun", "-np", "6", "/usr/bin/python3", "%python_debug%", "-c", TWO)
try:
    main = ui.window(app, "pddt")
    ui.wait_text(main, "state-summary", "6 ranks: 6 stopped")
    ui.press(main, "Continue")
    ui.wait_text(main, "state-summary", "4 blocked")
    ui.wait_text(main, "info", "0 and 1 wait for each other")
    ui.wait_text(main, "info", "2 and 3 wait for each other")
    ui.screenshot("waits-two-unasked")

    def draws_all():
        ui.press(main, "Queue")
        picture = ui.find(main, id="wait-picture").get_description()
        return all(part in picture for part in ("0 waits for 1.", "1 waits for 0.", "2 waits for 3.", "3 waits for 2.",
                                                "5 waits for 4."))
    ui.wait_for("all that wait, and whom for", draws_all)
    ui.wait_text(main, "why-text", "2 and 3 wait for each other")
    ui.wait_text(main, "why-age", "as of ")
    ui.screenshot("waits-two")
    ui.type_line(main, "quit")
    assert process.wait(120) == 0, process.returncode
finally:
    process.terminate()
    process.wait()
