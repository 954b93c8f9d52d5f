# SPDX-License-Identifier: GPL-3.0-or-later
"""A screen of 1024 by 600, in German: everything of the first screen is on it, and ten rows of the stack."""
import sys

import ui
from journey import Scripted, journey, run
from ui import Atspi

PROGRAM = sys.argv[1]
LEAST_ROWS = 10   # of the stack that are seen at once


def count_rows(window):
    """Rows that the stack has room for below its heading."""
    tree = ui.find(window, id="stack")
    box = tree.get_extents(Atspi.CoordType.SCREEN)
    tops = sorted({cell.get_extents(Atspi.CoordType.SCREEN).y for cell in ui.children(tree)
                   if ui.role_of(cell) == "table cell"})
    return (box.y + box.height - tops[0]) / (tops[1] - tops[0]) if len(tops) > 1 else 0


@journey
def the_first_screen_fits():
    with Scripted(PROGRAM, LANGUAGE="de") as window:
        window.play("state 0-7 breakpoint work 19")
        window.play("state 3 signal work 23 SIGFPE")        # the bar of problems takes room, too
        ui.wait_text(window.main, "info", "SIGFPE")
        for id in ("chart", "act-on", "restart", "stop", "group-window", "menu", "source", "stack",
                   "locals", "face", "representative"):
            def fits():
                box = ui.find(window.main, id=id).get_extents(Atspi.CoordType.SCREEN)
                return (box.width > 0 and box.height > 0 and box.x >= 0 and box.y >= 0
                        and box.x + box.width <= 1024 and box.y + box.height <= 600)
            ui.wait_for(id + " on the screen", fits)
        ui.wait_for("ten rows of the stack", lambda: count_rows(window.main) >= LEAST_ROWS)
        source = ui.find(window.main, id="source").get_extents(Atspi.CoordType.SCREEN)
        assert source.height >= 100, source.height           # six lines
        assert ui.find(window.main, "push button", "Weiter"), "a button without words has a name"
        ui.screenshot("small-german")
        # The commands are a page beside the source, one key away.
        ui.press_until("the command line", "ctrl+k",
                       lambda: ui.is_focused(ui.find(window.main, id="command")))
        ui.xdo("type", "print step")
        ui.xdo("key", "Return")
        ui.wait_text(window.main, "transcript", "step = ")


@journey
def what_is_typed_leads_to_the_commands():
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        ui.wait_text(window.main, "face-text", "sample.c:19")
        ui.xdo("type", "print step")
        ui.wait_text(window.main, "command", "print step")
        ui.xdo("key", "Return")
        ui.wait_text(window.main, "transcript", "step = ")


@journey
def a_group_window_fits():
    for language in "de", "C":
        with Scripted(PROGRAM, LANGUAGE=language) as window:
            window.play("state 0-7 breakpoint work 19")
            ui.wait_text(window.main, "face-text", "sample.c:19")
            ui.act(window.main, "group-window")
            group = ui.window(window.app, "0-7")
            ui.wait_for("the stack in " + language, lambda: ui.cells(group, "stack"))
            ui.wait_for("ten rows of the stack in " + language, lambda: count_rows(group) >= LEAST_ROWS)
            for id in "source", "stack", "locals", "face-text", "command":
                box = ui.find(group, id=id).get_extents(Atspi.CoordType.SCREEN)
                assert box.width > 100 and box.y + box.height <= 600, (id, box.width, box.y + box.height)
            ui.screenshot("small-group-" + language)


run()
