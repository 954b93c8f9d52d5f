# SPDX-License-Identifier: GPL-3.0-or-later
"""Group window on a scripted job: stack, locals, a step, the face, a breakpoint by its line."""
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


def cells(id):
    return ui.cells(group, id)


try:
    main = ui.window(app, "pddt")
    play("state 0-7 breakpoint work 19")
    ui.wait_text(main, "state-summary", "8 at a breakpoint")
    ui.act(main, "group-window")
    group = ui.window(app, "Ranks 0-7")
    ui.wait_for("the focus in its command entry",
                lambda: ui.is_focused(ui.find(group, id="command")))
    assert ui.wait_for("the face", lambda: ui.find(group, id="face")).get_name() == "happy face"
    ui.wait_text(group, "face-text", "Together: 8 ranks at work")
    ui.wait_for("a stack", lambda: "work at sample.c:19" in cells("stack"))
    ui.wait_for("locals", lambda: "[0..7]" in cells("locals"))
    ui.wait_for("the source", lambda: "//@ work" in (ui.text(ui.find(group, id="source")) or ""))
    across = next(bar for bar in ui.children(ui.find(group, id="source").get_parent())
                  if ui.role_of(bar) == "scroll bar")
    ui.wait_for("a source as wide as its pane", lambda: across.get_value_iface().get_maximum_value() == 0)
    ui.screenshot("group-together")
    ui.press(group, "Over")
    ui.wait_text(group, "transcript", "on 0-7 next")
    ui.wait_for("the next line", lambda: "work at sample.c:20" in cells("stack"))
    ui.wait_for("a changed value", lambda: "20 (was 19)" in cells("locals"))
    # One rank goes away: the face turns sad.
    play("state 3 breakpoint work 23")
    ui.wait_for("a sad face", lambda: ui.find(group, id="face").get_name() == "sad face")
    ui.wait_text(group, "face-text", "(3)")
    # A moving rank: nobody knows.
    play("state 5 running work 20")
    ui.wait_for("an unknown face", lambda: "unknown" in ui.find(group, id="face").get_name())
    play("state 5 stopped work 20")
    # The command line acts on the group.
    entry = ui.find(group, id="command")
    entry.grab_focus()
    Atspi.EditableText.set_text_contents(entry, "break sample.c:24")
    Atspi.Action.do_action(entry, 0)
    ui.wait_text(group, "transcript", "on 0-7 break sample.c:24")
    ui.wait_text(group, "transcript", "breakpoint 1 set, work at sample.c:24")
    ui.wait_for("the breakpoint's row", lambda: "work at sample.c:24" in cells("breakpoints"))
    ui.screenshot("group-diverged")
    # A click in the gutter deletes it, one more sets it again.
    source = ui.find(group, id="source")
    view = source.get_extents(Atspi.CoordType.SCREEN)
    ui.xdo("mousemove", view.x + 200, view.y + view.height // 2, "click", "--repeat", 3, 5)    # to its end

    def click_gutter(x):
        line = ui.find_character(source, ui.text(source).index("return value"))
        left = source.get_extents(Atspi.CoordType.SCREEN).x
        y = line.y - line.height // 2 + line.height      # the line before the mark's is 23
        ui.xdo("mousemove", left + x, y + line.height, "click", 1)
    said = lambda part: part in ui.text(ui.find(group, id="transcript"))
    ui.do_until("it is deleted", lambda: click_gutter(10), lambda: said("on 0-7 delete 1"))
    ui.do_until("it is set", lambda: click_gutter(30), lambda: said("breakpoint 2 set, work at sample.c:24"))
    # Breakpoints are written and edited in their page, and stay the same ones.
    ui.show_page(group, "Breakpoints")
    entry = ui.find(group, id="new-breakpoint")
    Atspi.EditableText.set_text_contents(entry, "sample.c:21 if i == 3")
    Atspi.Action.do_action(entry, 0)
    ui.wait_text(group, "transcript", "on 0-7 break sample.c:21 if i == 3")
    ui.wait_for("the condition", lambda: "i == 3" in cells("breakpoints"))
    ui.edit_cell(group, "breakpoints", 4, "i == 3", "i == 4")
    ui.wait_text(group, "transcript", "on 0-7 condition 3 i == 4")
    ui.wait_for("the new condition", lambda: "i == 4" in cells("breakpoints") and "i == 3" not in cells("breakpoints"))
    ui.edit_cell(group, "breakpoints", 3, "0-7", "2-7")
    ui.wait_text(group, "transcript", "on 0-1 delete 2")
    ui.wait_for("fewer ranks", lambda: "2-7" in cells("breakpoints"))
    ui.edit_cell(group, "breakpoints", 3, "2-7", "1-7")
    ui.wait_text(group, "transcript", "on 1 enable 2")
    ui.wait_for("one more rank", lambda: "1-7" in cells("breakpoints"))
    # Space disables the selected breakpoint and enables it again, Delete deletes it.
    ui.click_cell(group, "breakpoints", "work at sample.c:21")
    ui.press_until("it is disabled", "space", lambda: "disable 3" in ui.text(ui.find(group, id="transcript")))
    ui.press_until("it is enabled", "space", lambda: "enable 3" in ui.text(ui.find(group, id="transcript")))
    ui.press_until("it is deleted", "Delete", lambda: "i == 4" not in cells("breakpoints"))
    # Find, and a line by its number.
    ui.press_until("the search", "ctrl+f", lambda: ui.is_focused(ui.find(group, id="find")))
    ui.xdo("type", "printf")
    ui.xdo("key", "Escape")
    ui.press_until("the line entry", "ctrl+g", lambda: ui.is_focused(ui.find(group, id="open")))
    ui.xdo("type", "3")
    ui.xdo("key", "Return")
    # Recursion is one row between the first call and the last; frames keep their numbers.
    play("state 0-7 breakpoint descend 20")
    ui.wait_for("the folded stack", lambda: "… 38 more frames: descend at sample.c:19" in cells("stack"))
    assert cells("stack").count("descend at sample.c:19") == 3, cells("stack")
    ui.do_until("the frame", lambda: ui.click_cell(group, "stack", "… 38 more frames"), lambda: said("on 0-7 frame 2"))
    ui.xdo("key", "Up")
    ui.wait_text(group, "transcript", "on 0-7 frame 40")
    ui.press(group, "Continue")
    ui.wait_text(group, "transcript", "on 0-7 continue")
    ui.wait_text(main, "state-summary", "8 running")
    ui.press(group, "Pause")
    ui.wait_text(main, "state-summary", "8 stopped")
    play("output 0-3 hello from the program")
    ui.screenshot("group-end")
finally:
    process.kill()
    process.wait()
