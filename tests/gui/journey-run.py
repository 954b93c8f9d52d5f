# SPDX-License-Identifier: GPL-3.0-or-later
"""The Run dialog of a start without arguments: the line that will run, and error messages."""
import os
import subprocess
import sys

import ui
from ui import Atspi

DURATION = f"1234.{os.getpid()}"
process, app = ui.start(sys.argv[1])
victim = subprocess.Popen(["/bin/sleep", DURATION], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    dialog = ui.window(app, "New Session")
    program = ui.find(dialog, id="program")
    Atspi.EditableText.set_text_contents(program, "./no-such-program")
    ui.wait_text(dialog, "program-problem", "No such program")
    ui.screenshot("run-problem")
    Atspi.EditableText.set_text_contents(program, "sleep")
    ui.wait_text(dialog, "will-run", "mpirun -np 8 sleep")
    arguments = ui.find(dialog, id="arguments")
    Atspi.EditableText.set_text_contents(arguments, "10 'a b'")
    ui.wait_text(dialog, "will-run", "mpirun -np 8 sleep 10 'a b'")
    ui.find(dialog, id="use-mpi").do_action(0)
    ui.wait_text(dialog, "will-run", "sleep 10 'a b'")
    ui.screenshot("run")
    Atspi.EditableText.set_text_contents(ui.find(dialog, id="environment"), "NAME")
    ui.wait_text(dialog, "program-problem", "NAME=value")
    # Attach to a process that runs: chosen by its command.
    ui.press(dialog, "Attach…")
    attach = ui.window(app, "Attach")
    Atspi.EditableText.set_text_contents(ui.find(attach, id="process-filter"), "sleep " + DURATION)
    ui.find(attach, "radio button", "Processes").do_action(0)
    ui.click_cell(attach, "processes", "/bin/sleep " + DURATION)
    ui.screenshot("attach")
    ui.press(attach, "Attach")
    main = ui.window(app, "pddt")
    ui.wait_text(main, "state-summary", "1 rank: 1 stopped")
    ui.type_line(main, "quit")
    assert process.wait(120) == 0, process.returncode
    assert victim.poll() is None, "an attached process is let go"
    process, app = ui.start(sys.argv[1])
    dialog = ui.window(app, "New Session")
    ui.press(dialog, "Cancel")
    assert process.wait(120) == 0, process.returncode
finally:
    for child in (process, victim):
        child.kill()
        child.wait()
