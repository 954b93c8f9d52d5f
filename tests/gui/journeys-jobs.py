# SPDX-License-Identifier: GPL-3.0-or-later
"""Real launchers in a real window: attaching to some ranks of a job from the table of launchers,
and the end of one rank."""
import os
import subprocess
import sys

import ui
from journey import Program, journey, run
from ui import Atspi

WINDOW = os.path.abspath(sys.argv[1])
WAITS = os.path.join(os.environ["PDDT_INFERIORS"], "inferior-waits")
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  OMPI_MCA_rmaps_base_oversubscribe="1")


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
            assert window.process.wait(30) == 0
        assert job.poll() is None, "an attached job is let go"
    finally:
        job.terminate()
        job.wait()


@journey
def one_rank_is_killed():
    with Program(WINDOW, "mpirun", "-np", "3", WAITS) as window:
        ui.wait_text(window.main, "state-summary", "3 ranks: 3 stopped")
        ui.press(window.main, "Continue")
        ui.wait_text(window.main, "state-summary", "3 running")
        ui.type_line(window.main, "on 1 kill")
        ui.wait_text(window.main, "log", "1: failed SIGKILL")
        ui.wait_text(window.main, "info", "failed SIG")
        ui.screenshot("killed-rank")


os.chdir(os.environ["HOME"])
run()
