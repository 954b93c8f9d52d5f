# SPDX-License-Identifier: GPL-3.0-or-later
"""New Session submits to a batch system, whose commands are imitated: what its template leaves open, where the job stands, and
that it is taken when it starts, cancelled, or left in the queue."""
import os
import shutil
import subprocess
import sys
import tempfile

import queues
import ui
from ui import Atspi

window = os.path.abspath(sys.argv[1])
QTF = """#!/bin/bash
# Name: Site
# submit: sbatch
# display: squeue -j JOB_ID_TAG
# job regexp: (\\d+)
# cancel: scancel JOB_ID_TAG
# WALL_TAG: {type=text,label="Wall clock limit",default="00:30:00",mask="09:09:09"}
# CLASS_TAG: {type=select,label="Class",options="debug|long",default="long"}
#SBATCH --time=WALL_TAG --ntasks=NUM_PROCS_TAG -N NUM_NODES_TAG -p CLASS_TAG
AUTO_LAUNCH_TAG
"""


def set_text(root, id, text):
    Atspi.EditableText.set_text_contents(ui.find(root, id=id), text)


def find_other(process):
    desktop = Atspi.get_desktop(0)
    return next((app for app in ui.children(desktop) if app.get_process_id() != process.pid
                 and "pddt" in (app.get_name() or "")), None)




def fill(dialog, index):
    ui.wait_for("Slurm", lambda: ui.find(dialog, id="queue").get_child_at_index(0).get_child_count() > index)
    ui.choose(dialog, "queue", index)


def check_taken():
    """Slurm: a field that does not fit is named; the job waits, runs, and is taken by another process."""
    set_text(dialog, "program", "sleep")
    set_text(dialog, "arguments", "1000")
    set_text(dialog, "folder", folder)
    set_text(dialog, "environment", "GREETING='hello there'")
    ui.find(dialog, id="use-mpi").do_action(0)
    fill(dialog, 2)
    ui.wait_for("its fields", lambda: ui.find(dialog, id="field-time"))
    set_text(dialog, "field-time", "soon; reboot")
    ui.wait_text(dialog, "queue-problem", 'Time limit cannot be "soon; reboot"')
    ui.screenshot("queue-problem")
    set_text(dialog, "field-time", "00:07:00")
    set_text(dialog, "field-account", "me")
    set_text(dialog, "field-extra", "#SBATCH --mem=1G\nmodule list")
    ui.wait_text(dialog, "will-run", "sleep 1000")
    ui.screenshot("queue-fields")
    with open(os.path.join(folder, "hold"), "w", encoding="utf-8"):
        pass
    ui.press(dialog, "Submit")
    shown = ui.window(app, "Job in the Queue")
    ui.wait_text(shown, "queue-state", "Job 4711 waits in Slurm")
    ui.wait_text(shown, "queue-reason", "Place 2 of 3 that wait (Resources)")
    ui.screenshot("queue")
    script = queue.read("script").splitlines()
    for line in "#SBATCH -n 1 -N 1 -t 00:07:00", "#SBATCH -A me", "#SBATCH --mem=1G", "module list":
        assert line in script, (line, script)
    assert not any("@" in line or "-p" in line.split() for line in script), script
    assert queue.read("place").strip() == folder
    ui.close(shown)
    ui.wait_for("the question", lambda: ui.find(app, "alert"))
    ui.screenshot("queue-closing")
    ui.press(app, "Back")
    os.unlink(os.path.join(folder, "hold"))
    other = ui.wait_for("another process", lambda: find_other(process))
    taken = ui.window(other, "pddt")
    ui.wait_text(taken, "state-summary", "1 rank: 1 stopped")
    assert process.wait(120) == 0, process.returncode
    ui.type_line(taken, "quit")
    ui.wait_for("the end of the job", lambda: queue.has("over"))


def check_cancelled():
    """DDT's template of the site: its own fields; the job is cancelled, and the dialog is there again, which remembers what
    was said. A job that is over before it has asked for pddt is a sentence there."""
    fill(dialog, 1)
    ui.wait_for("its fields", lambda: ui.find(dialog, id="field-CLASS_TAG"))
    set_text(dialog, "program", "true")
    ui.find(dialog, id="use-mpi").do_action(0)
    set_text(dialog, "field-NUM_NODES_TAG", "3")
    ui.choose(dialog, "field-CLASS_TAG", 0)
    ui.wait_text(dialog, "will-run", "true")
    ui.screenshot("queue-qtf")
    with open(os.path.join(folder, "hold"), "w", encoding="utf-8"):
        pass
    ui.press(dialog, "Submit")
    shown = ui.window(app, "Job in the Queue")
    assert "#SBATCH --time=00:30:00 --ntasks=1 -N 3 -p debug" in queue.read("script").splitlines(), queue.read("script")
    ui.press(shown, "Cancel Job")
    ui.wait_for("the dialog", lambda: ui.window_now(app, "New Session"))
    assert queue.read("cancelled").strip() == "4711"
    ui.wait_for("the end of the job", lambda: queue.has("over"))
    os.unlink(os.path.join(folder, "hold"))
    queue.begin(*queues.SLURM, runs_script=False)
    fill(dialog, 2)
    ui.press(dialog, "Submit")
    ui.wait_text(dialog, "run-error", "Job 4711 is over, and has not waited for pddt")
    ui.screenshot("queue-over")
    queues.write(os.path.join(queue.tools, "sbatch"), "#!/bin/bash\necho 'sbatch: error: no such partition' >&2\nexit 1\n")
    ui.press(dialog, "Submit")
    ui.wait_text(dialog, "run-error", "Slurm has not taken the job: sbatch: error: no such partition")
    ui.press(dialog, "Cancel")
    assert process.wait(120) == 0, process.returncode


def check_never():
    """A job that never starts: it still waits after the batch system was asked many times; closing asks, the job is cancelled
    there, and nothing of it remains."""
    queues.write(os.path.join(queue.tools, "squeue"), f"#!/bin/bash\n[ \"$4\" = PENDING ] || echo >>{folder}/times\n"
                 "echo 'PENDING (PartitionDown)'\n")
    set_text(dialog, "program", "touch")
    set_text(dialog, "arguments", os.path.join(folder, "never"))
    set_text(dialog, "folder", folder)
    ui.find(dialog, id="use-mpi").do_action(0)
    fill(dialog, 2)
    with open(os.path.join(folder, "hold"), "w", encoding="utf-8"):
        pass
    ui.press(dialog, "Submit")
    shown = ui.window(app, "Job in the Queue")
    ui.wait_for("many answers", lambda: queue.has("times") and queue.read("times").count("\n") > 3)
    ui.wait_text(shown, "queue-state", "Job 4711 waits in Slurm")
    ui.wait_text(shown, "queue-reason", "PartitionDown")
    ui.close(shown)
    ui.press(ui.wait_for("the question", lambda: ui.find(app, "alert")), "Cancel Job")
    ui.wait_for("the dialog", lambda: ui.window_now(app, "New Session"))
    assert queue.read("cancelled").strip() == "4711"
    ui.wait_for("the end of the job", lambda: queue.has("over"))
    ui.press(dialog, "Cancel")
    assert process.wait(120) == 0, process.returncode
    left = [name for name in ("never", "runs", "log") if queue.has(name)]
    left += os.listdir(os.path.join(folder, "offers")) if queue.has("offers") else []
    assert not left, left


def check_measured():
    """A job that the queue has measured while no window was open: the one that is opened later shows its archive, once."""
    ui.press(dialog, "Cancel")
    assert process.wait(120) == 0, process.returncode
    archive = os.path.join(folder, "measured")
    done = subprocess.run([os.path.join(os.path.dirname(window), "pddt"), "--profile", "--output", archive, "sleep", "0.5"],
                          env=dict(os.environ, PDDT_SUBMITTED="1", SLURM_JOB_ID="4712"), check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done
    for press in "Show Archive", "Dismiss":
        again, other = ui.start(window, stdin=subprocess.DEVNULL)
        asked = ui.window(other, "New Session")
        ui.wait_for("the sentence", lambda shown=asked: "Job 4712 on " in ui.text(ui.find(shown, id="offer"))
                    and "has been measured: sleep 0.5" in ui.text(ui.find(shown, id="offer")))
        ui.screenshot("queue-measured")
        if press == "Dismiss":
            ui.press(asked, press)
            ui.wait_for("nothing is noted", lambda: not os.listdir(os.path.join(folder, "offers")))
        else:
            ui.press(asked, press)
            shows = ui.wait_for("another process", lambda one=again: find_other(one))
            ui.close(ui.window(shows, "measured"))
            ui.wait_for("nothing is noted", lambda: not os.listdir(os.path.join(folder, "offers")))
            note = subprocess.run([os.path.join(os.path.dirname(window), "pddt"), "--profile", "--output", archive + "2", "sleep", "0.5"],
                                  env=dict(os.environ, PDDT_SUBMITTED="1", SLURM_JOB_ID="4712"), check=False, stdin=subprocess.DEVNULL)
            assert note.returncode == 0, note
        ui.press(asked, "Cancel")
        assert again.wait(120) == 0, again.returncode
    assert os.path.isdir(archive + "2")


folder = tempfile.mkdtemp(prefix="pddt-test-queue-")
queue = queues.Imitated(folder)
os.environ.update(PATH=queue.tools + ":" + os.environ["PATH"], PDDT_CONNECT_FOLDER=os.path.join(folder, "offers"))
place = os.path.join(os.environ["XDG_CONFIG_HOME"], "pddt", "queues")
os.makedirs(place)
queues.write(os.path.join(place, "site.qtf"), QTF)
process = None
try:
    for check in check_taken, check_cancelled, check_never, check_measured:
        queue.begin(*queues.SLURM)
        process, app = ui.start(window, stdin=subprocess.DEVNULL)
        dialog = ui.window(app, "New Session")
        check()
finally:
    if process:
        process.kill()
        process.wait()
    shutil.rmtree(folder)
