# SPDX-License-Identifier: GPL-3.0-or-later
"""Files made by others, in the window: a saved session that pddt did not write shows everything
that it would start, and starts nothing; a source that is a pipe, a device or huge is reported,
and the window keeps working."""
import os
import subprocess
import sys
import tempfile

import gi
import ui

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402

WINDOW = sys.argv[1]


def scroll_to_end(dialog):
    """What the file would start is longer than its place: Debug waits until its end has been seen."""
    for bar in ui.wait_for("the scroll bar", lambda: [node for node in ui.walk(dialog) if ui.role_of(node) == "scroll bar"]):
        Atspi.Value.set_current_value(bar, Atspi.Value.get_maximum_value(bar))


PROGRAM = """
#include <stdio.h>
int use (int a);
{functions}
int main (void)
{{
#line 100 "real.c"
    int sum = 0;
{calls}
    printf ("%d\\n", sum);
    return 0;
}}
"""


def foreign_session(folder):
    mark = os.path.join(folder, "ran")
    path = os.path.join(folder, "foreign.pddt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"[pddt session]\nversion=1\ncommand=touch;{mark};\nenvironment=LD_PRELOAD=/evil.so;\n"
                   f"folder={folder}\noutput-folder=elsewhere\n"
                   "[breakpoint 1]\nkind=break\nwhere=main\nranks=all\ncondition=evil () == 0\n"
                   "[window 1]\nranks=0\nwatches=evil_watch ();" + "".join(f"value{n};" for n in range(100)) + "\n")
    process, app = ui.start(WINDOW, path)
    try:
        dialog = ui.window(app, "New Session")
        shown = ui.wait_text(dialog, "saved-session", "pddt did not write this file for you")
        for fact in (f"command: touch {mark}", "environment: LD_PRELOAD=/evil.so", f"folder: {folder}",
                     "output folder: elsewhere", "break: main if evil () == 0", "watched expression: evil_watch ()"):
            assert fact in shown, shown
        ui.wait_text(dialog, "will-run", f"touch {mark}")
        ui.wait_for("the cancelling button", lambda: ui.is_focused(ui.find(dialog, "push button", "Cancel")))
        # however much there is to show, nothing beside it seems to say what runs, and the buttons are there
        fields = [node for node in ui.walk(dialog) if node.get_name() == "Environment"]
        assert fields and not any(node.get_state_set().contains(Atspi.StateType.SHOWING) for node in fields)
        box = ui.find(dialog, "push button", "Cancel").get_extents(Atspi.CoordType.SCREEN)
        assert 0 < box.y and box.y + box.height < 900, box.y
        assert not os.path.exists(mark), "it ran by itself"
        ui.xdo("key", "Return")  # which presses what has the focus
        assert process.wait(120) == 0, process.returncode
        assert not os.path.exists(mark), "it ran by itself"
    finally:
        process.kill()
        process.wait()
    process, app = ui.start(WINDOW, path)
    try:
        dialog = ui.window(app, "New Session")
        scroll_to_end(dialog)
        ui.press(dialog, "Debug")
        ui.wait_for("the session", lambda: ui.window(app, "pddt"))
    finally:
        process.kill()
        process.wait()


def build(folder):
    """A program with a function in each of the files."""
    pipe, large = os.path.join(folder, "pipe.c"), os.path.join(folder, "large.c")
    os.mkfifo(pipe)
    with open(large, "wb") as file:
        file.truncate(1 << 40)  # takes no room
    files = {"pipe": pipe, "large": large, "zero": "/dev/zero", "kernel": "/proc/kmsg", "memory": "/proc/self/mem"}
    functions = "".join(f'#line 10 "{path}"\nint {name} (int a)\n{{\n    return a + 1;\n}}\n'
                        for name, path in files.items())
    calls = "".join(f"    sum = {name} (sum);\n" for name in files)
    program = os.path.join(folder, "program")
    subprocess.run(["cc", "-g", "-O0", "-o", program, "-xc", "-"], check=True,
                   input=PROGRAM.format(functions=functions, calls=calls).encode())
    return program, files


def sources(folder):
    program, files = build(folder)
    process, app = ui.start(WINDOW, program)
    try:
        main = ui.window(app, "pddt")
        ui.wait_text(main, "state-summary", "1 rank: 1 stopped")
        ui.act(main, "group-window")
        group = ui.window(app, "Rank 0")
        for name, path in files.items():
            ui.type_line(main, f"tbreak {name}")
            ui.type_line(main, "continue")
            base = os.path.basename(path)
            ui.wait_for(f"a page for {path}", lambda: ui.find(group, "page tab", base))
            reason = "it is too large" if name == "large" else "it is not a regular file"
            ui.wait_for(f"what is wrong with {path}", lambda: any(
                f"cannot read {path}: {reason}" in ui.text(node) for node in ui.walk(group)
                if node.get_accessible_id() == "source-missing"))
        ui.type_line(main, "quit")
        assert process.wait(120) == 0, process.returncode
    finally:
        process.kill()
        process.wait()


with tempfile.TemporaryDirectory() as scratch:
    os.environ["XDG_STATE_HOME"] = os.path.join(scratch, "state")
    foreign_session(scratch)
    sources(scratch)
