# SPDX-License-Identifier: GPL-3.0-or-later
"""The Run dialog of a start without arguments: the line that will run, and what is wrong."""
import sys

import ui
from ui import Atspi

process, app = ui.start(sys.argv[1])
try:
    dialog = ui.window(app, "New Session")
    program = ui.find(dialog, id="program")
    Atspi.EditableText.set_text_contents(program, "./no-such-program")
    ui.wait_text(dialog, "program-problem", "There is no program")
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
    ui.press(dialog, "Cancel")
    assert process.wait(20) == 0, process.returncode
finally:
    process.kill()
    process.wait()
