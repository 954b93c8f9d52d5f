# SPDX-License-Identifier: GPL-3.0-or-later
"""The window here, the job behind a real sshd: a session from the command line and one from New Session, and the sources
and programs of that host, of which this one has none."""
import os
import shutil
import subprocess
import sys
import tempfile

import remote
import ui
from ui import Atspi

window = os.path.abspath(sys.argv[1])
pddt = os.path.join(os.path.dirname(window), "pddt")
remote.skip_without()
if not remote.can_have_files():
    print("skipped: no mount namespaces here")
    sys.exit(77)

def check(app):
    shown = ui.window(app, "pddt")
    ui.wait_text(shown, "state-summary", "1 rank: 1 stopped")
    ui.act(shown, "group-window")
    group = ui.window(app, "Rank 0")

    ui.wait_for("the source", lambda: "//@ only there" in (ui.text(ui.find(group, id="source")) or ""))
    ui.screenshot("remote")
    ui.type_line(shown, "continue")
    ui.wait_text(shown, "state-summary", "1 rank: 1 exited")
    ui.type_line(shown, "quit")

folder = tempfile.mkdtemp(prefix="pddt-test-remote-")
try:
    program = remote.make_program(folder, "own")
    host = remote.Host(folder, "own")
    os.environ.update(host.environment)
    for words in [program], []:
        process, app = ui.start(window, *host.arguments(pddt), *words, stdin=subprocess.DEVNULL)
        try:
            if not words:
                dialog = ui.window(app, "New Session")
                Atspi.EditableText.set_text_contents(ui.find(dialog, id="program"), "./no-such-program")
                ui.wait_text(dialog, "program-problem", "No such program")
                Atspi.EditableText.set_text_contents(ui.find(dialog, id="program"), program)
                ui.find(dialog, id="use-mpi").do_action(0)
                ui.press(dialog, "Debug")
            check(app)
            assert process.wait(30) == 0, process.returncode
        finally:
            process.kill()
            process.wait()
finally:
    shutil.rmtree(folder)
