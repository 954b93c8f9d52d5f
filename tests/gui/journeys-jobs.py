# SPDX-License-Identifier: GPL-3.0-or-later
"""Real launchers in a real window: attaching to some ranks of a job from the table of launchers, a launcher that
does not answer, a start that is cancelled, and the end of one rank."""
import os
import re
import shutil
import subprocess
import sys

import launching
import late
import ui
from journey import Program, journey, run
from ui import Atspi

WINDOW = os.path.abspath(sys.argv[1])
WAITS = os.path.join(os.environ["PDDT_INFERIORS"], "inferior-waits")
os.environ.update(launching.ENVIRONMENT)


@journey
def attaching_to_some_ranks_of_a_job():
    job = subprocess.Popen(["mpirun", "-np", "3", WAITS], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL)
    try:
        with Program(WINDOW, title="New Session") as window:
            ui.press(window.main, "Attach…")
            attach = ui.window(window.app, "Attach")
            Atspi.EditableText.set_text_contents(ui.find(attach, id="process-filter"),
                                                 str(job.pid))

            def all_ranks_are_there():
                ui.act(attach, "attach-update")
                return " 3 " in " " + ui.cells(attach, "jobs") + " "
            ui.wait_for("three ranks", all_ranks_are_there)
            ui.click_cell(attach, "jobs", str(job.pid))
            ranks = ui.find(attach, id="attach-ranks")
            Atspi.EditableText.set_text_contents(ranks, "1-x")
            ui.act(attach, "attach")
            ui.wait_for("what is wrong with them",
                        lambda: ui.text(ui.find(attach, id="attach-problem")))
            Atspi.EditableText.set_text_contents(ranks, "1-2")
            ui.screenshot("attach-job")
            ui.act(attach, "attach")
            main = ui.window(window.app, "pddt")
            ui.wait_text(main, "state-summary", "2 stopped")
            ui.type_line(main, "where")
            ui.wait_text(main, "transcript", "1-2 2 main at waits.c")
            ui.close(main)
            assert window.process.wait(120) == 0
        assert job.poll() is None, "an attached job is let go"
    finally:
        job.terminate()
        job.wait()


HANGING = """#!/bin/sh
# A launcher on a file system that does not answer
[ "$1" != --version ] || { echo $$ > asked; read -r line < answer; }
exec %s "$@"
"""


@journey
def a_launcher_that_hangs_holds_up_nothing():
    """Its version is asked for while the window goes on; Cancel ends it."""
    here = os.getcwd()
    os.mkfifo("answer")
    os.mkdir("hanging")
    with open("hanging/mpirun", "w", encoding="utf-8") as file:
        file.write(HANGING % shutil.which("mpirun"))
    os.chmod("hanging/mpirun", 0o755)
    path = os.environ["PATH"]
    os.environ["PATH"] = os.path.join(here, "hanging") + ":" + path

    def begin(window):
        Atspi.EditableText.set_text_contents(ui.find(window.main, id="program"), WAITS)

        def is_asked():
            ui.act(window.main, "debug")  # which does nothing while it asks
            return os.path.exists("asked") and os.path.getsize("asked") > 0
        ui.wait_for("the question", is_asked)
        with open("asked", encoding="utf-8") as file:
            return int(file.read())
    try:
        with Program(WINDOW, title="New Session") as window:
            pid = begin(window)
            ui.press(window.main, "Cancel")
            assert window.process.wait(120) == 0
            ui.wait_for("its end", lambda: not os.path.exists(f"/proc/{pid}"))
        os.remove("asked")
        with Program(WINDOW, title="New Session") as window:
            begin(window)
            Atspi.EditableText.set_text_contents(ui.find(window.main, id="program"), WAITS + "x")
            ui.wait_text(window.main, "program-problem", "No such")
            os.remove("asked")
            begin(window)  # an edit withdraws the question, and Debug asks again
            with open("answer", "w", encoding="ascii") as file:
                file.write("\n")
            main = ui.window(window.app, "pddt")
            ui.wait_text(main, "state-summary", "stopped")
            ui.close(main)
            ui.press(ui.window(window.app, "Close the session"), "End It")
            assert window.process.wait(120) == 0
    finally:
        os.environ["PATH"] = path


@journey
def a_start_is_counted_and_cancelled():
    with Program(WINDOW, *late.command(os.getcwd(), WAITS)) as window:
        ui.wait_text(window.main, "progress", "1 of 2 ranks have reported")
        ui.screenshot("starting")
        ui.act(window.main, "progress-cancel")
        ui.wait_text(window.main, "info", "cancelled: 1 of 2 ranks have reported")
        ui.wait_text(window.main, "age", "ended")
        ui.type_line(window.main, "restart")            # the session is still of use
        ui.wait_text(window.main, "state-summary", "1 not started")
        ui.wait_text(window.main, "progress", "1 of 2 ranks have reported")
        late.allow(os.getcwd())
        ui.wait_text(window.main, "state-summary", "2 ranks: 2 stopped")


@journey
def one_rank_is_killed():
    with Program(WINDOW, "mpirun", "-np", "3", WAITS) as window:
        ui.wait_text(window.main, "state-summary", "3 ranks: 3 stopped")
        ui.press(window.main, "Continue")
        ui.wait_text(window.main, "state-summary", "3 running")
        ui.type_line(window.main, "on 1 kill")
        ui.wait_text(window.main, "log", "1: failed SIGKILL")
        ui.screenshot("killed-rank")


@journey
def a_step_that_cannot_finish_is_freed_by_a_button():
    with open("blocked.py", "w", encoding="utf-8") as file:
        file.write("from mpi4py import MPI\ncomm = MPI.COMM_WORLD\nif comm.rank == 0:\n"
                   "    comm.recv(source=1, tag=7)\n    print('got it', flush=True)\nelse:\n"
                   "    comm.send('x', dest=0, tag=7)\n")
    with Program(WINDOW, "mpirun", "-np", "2", "/usr/bin/python3", "%python_debug%",
                 "blocked.py") as window:
        ui.wait_text(window.main, "state-summary", "2 ranks: 2 stopped")
        ui.type_line(window.main, "until blocked.py:2")      # MPI_Init needs them all
        ui.wait_for("both there", lambda: set("01") <= set("".join(re.findall(
            r"^([01-]+): stopped, <module> at blocked.py:2$",
            ui.text(ui.find(window.main, id="transcript")), re.MULTILINE))))
        ui.type_line(window.main, "on 0 until blocked.py:4")
        ui.wait_text(window.main, "transcript", "at blocked.py:4")
        ui.type_line(window.main, "on 0 next")
        # Unasked: why it does not get on, and what would free it.
        offer = "Continue Rank 1"
        ui.wait_for("the offer", lambda: ui.find(window.main, id="info-do", name=offer))
        ui.press(window.main, "Queue")
        ui.wait_text(window.main, "why-text", "0 waits")
        assert ui.wait_for("the same offer", lambda: ui.find(
            window.main, id="why-command")).get_name() == offer
        ui.wait_for("who waits for whom", lambda: "0 waits for 1" in ui.find(
            window.main, id="wait-picture").get_description())
        ui.screenshot("blocked-step")
        ui.act(window.main, "why-command")
        ui.wait_text(window.main, "transcript", "at blocked.py:5")
        ui.wait_text(window.main, "transcript", "on 1 continue")


@journey
def a_rank_that_waits_for_input_gets_what_the_user_types():
    with open("asks.py", "w", encoding="utf-8") as file:
        file.write("from mpi4py import MPI\ncomm = MPI.COMM_WORLD\nif comm.rank == 0:\n"
                   "    text = input()\n    print('heard', text, flush=True)\n    comm.send(text, dest=1)\n"
                   "else:\n    comm.recv(source=0)\n")
    with Program(WINDOW, "--input", "0", "mpirun", "-np", "2", "/usr/bin/python3", "%python_debug%",
                 "asks.py") as window:
        ui.wait_text(window.main, "state-summary", "2 ranks: 2 stopped")
        ui.press(window.main, "Continue")
        ui.wait_text(window.main, "state-summary", "running")
        ui.press(window.main, "Queue")

        def is_offered():
            ui.act(window.main, "why")
            button = ui.find(window.main, id="why-command")
            return button is not None and button.get_name() == "Input for Rank 0…"
        ui.wait_for("what would free it", is_offered)
        ui.act(window.main, "why-command")
        entry = ui.find(window.main, id="command")
        ui.wait_for("a line to complete", lambda: ui.text(entry) == "on 0 input ")
        ui.type_line(window.main, "on 0 input good day")
        ui.wait_text(window.main, "output", "heard good day")


os.chdir(os.environ["HOME"])
run()
