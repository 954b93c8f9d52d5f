# SPDX-License-Identifier: GPL-3.0-or-later
"""A screen of 1024 by 600, in German: everything of the first screen is on it."""
import sys

import ui
from journey import Scripted, journey, run
from ui import Atspi

PROGRAM = sys.argv[1]


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


run()
