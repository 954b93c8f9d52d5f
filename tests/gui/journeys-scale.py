# SPDX-License-Identifier: GPL-3.0-or-later
"""A screen of twice the pixels: everything twice as large, and as sharp."""
import sys

import ui
from journey import Scripted, journey, run
from ui import Atspi

PROGRAM = sys.argv[1]


@journey
def twice_the_pixels():
    with Scripted(PROGRAM, GDK_SCALE="2") as window:
        window.play("state 0-7 breakpoint work 19")
        window.play("state 3 signal work 23 SIGFPE")
        ui.wait_text(window.main, "state-summary", "1 crashed (SIGFPE), 7 at a breakpoint")
        ui.wait_for("the source", lambda: "//@ work" in (ui.text(ui.find(window.main, id="source")) or ""))
        chart = ui.find(window.main, id="chart").get_extents(Atspi.CoordType.SCREEN)
        # The fourth cell, whose place the chart counts in points, has its colour where the pixels are.
        x, y = 2 * (chart.x + 8 + 3 * 72 + 6), 2 * (chart.y + 8 + 30 + 8 + 6)
        ui.wait_for("the colour of a signal", lambda: ui.pixel(x, y) == (0xd5, 0x5e, 0x00))
        ui.screenshot("scale-2")


run()
