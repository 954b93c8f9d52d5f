# SPDX-License-Identifier: GPL-3.0-or-later
"""Console window on a scripted job: counts, Update, typed commands, drag on the chart, legend."""
import os
import subprocess
import sys

import ui
from ui import Atspi

process, app = ui.start(sys.argv[1], "8", os.environ["PDDT_SAMPLE"], stdin=subprocess.PIPE,
                        text=True)


def play(line):
    process.stdin.write(line + "\n")
    process.stdin.flush()


try:
    main = ui.window(app, "pddt")
    ui.wait_text(main, "state-summary", "8 ranks: 8 stopped")
    ui.wait_for("the focus in the command entry",
                lambda: ui.is_focused(ui.find(main, id="command")))
    ui.press(main, "Update")
    ui.wait_text(main, "transcript", "on all show state")
    ui.wait_text(main, "transcript", "0-7: stopped, main at sample.c:5")
    play("state 0-2,4-7 breakpoint work 19")
    play("state 3 signal work 23 SIGFPE")
    ui.wait_text(main, "state-summary", "8 ranks: 1 crashed (SIGFPE), 7 at a breakpoint")
    ui.wait_text(main, "info", "3: signal SIGFPE, work at sample.c:23")
    ui.wait_for("a legend button", lambda: ui.find(main, name="Signal 1"))
    chart = ui.wait_for("the chart", lambda: ui.find(main, id="chart"))
    assert "7 at a breakpoint" in chart.get_description(), chart.get_description()
    entry = ui.find(main, id="command")
    entry.grab_focus()
    Atspi.EditableText.set_text_contents(entry, "on 0-1 continue")
    Atspi.Action.do_action(entry, 0)
    ui.wait_text(main, "state-summary", "2 running")
    ui.screenshot("console")
    # A letter arrives in the entry, a function key acts, from there as well.
    entry.grab_focus()
    ui.xdo("key", "c", "n")
    ui.wait_for("letters in the entry", lambda: ui.text(entry) == "cn")
    ui.xdo("key", "F6")
    ui.wait_text(main, "transcript", "on 0-7 pause")
    ui.wait_text(main, "state-summary", "8 stopped")
    play("state 0-2,4-7 breakpoint work 19")
    play("state 3 signal work 23 SIGFPE")
    ui.wait_text(main, "state-summary", "1 crashed (SIGFPE)")

    def drag():
        """The chart moves down while the bar of the crash comes in above it."""
        box = chart.get_extents(Atspi.CoordType.SCREEN)
        y = box.y + 70
        ui.xdo("mousemove", box.x + 8 + 2 * 72 + 30, y, "mousedown", 1, "mousemove",
               box.x + 8 + 4 * 72 + 30, y, "mousemove", box.x + 8 + 4 * 72 + 32, y, "mouseup", 1)
    ui.do_until("ranks chosen by a drag", drag,
                lambda: "3 ranks selected: 2-4" in ui.text(ui.find(main, id="selection")))
    ui.find(main, id="selection-open").do_action(0)
    assert ui.window(app, "Ranks 2-4")
    ui.show_page(main, "Ranks")
    ui.wait_for("the table of ranks", lambda: "work at sample.c:23" in ui.cells(main, "ranks"))
    ui.show_page(main, "Commands")
    ui.find(main, name="Signal 1").do_action(0)
    ui.wait_text(main, "selection", "1 rank selected: 3")
    ui.find(main, id="selection-open").do_action(0)
    ui.window(app, "Rank 3")
    ui.screenshot("console-groups")
    Atspi.EditableText.set_text_contents(entry, "quit")
    Atspi.Action.do_action(entry, 0)
    assert process.wait(120) == 0, process.returncode
finally:
    process.kill()
    process.wait()
