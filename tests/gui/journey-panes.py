# SPDX-License-Identifier: GPL-3.0-or-later
"""Panes of a group window on a real job, Python and C in one stack: watches, expansion, editing,
hovering, frames, threads, registers, assembly, lines and files, splitting off."""
import os
import sys
import tempfile

import launching
import ui
from ui import Atspi

window, example, library = sys.argv[1:]
os.environ.update(launching.ENVIRONMENT, HEAT_LIBRARY=library)
folder = tempfile.TemporaryDirectory(prefix="pddt-panes-")
edited, editor = os.path.join(folder.name, "edited"), os.path.join(folder.name, "editor")
with open(editor, "w", encoding="utf-8") as script:
    script.write(f'#!/bin/sh\necho "$@" > {edited}\n')
os.chmod(editor, 0o755)
os.environ["VISUAL"] = editor
process, app = ui.start(window, "mpirun", "-np", "3", "/usr/bin/python3", "%python_debug%",
                        example)


def cells(id):
    return ui.cells(group, id)


def has(id, *parts):
    ui.wait_for(f"{parts} in {id}", lambda: all(part in cells(id) for part in parts))


def show_page(name):
    ui.show_page(group, name)


try:
    main = ui.window(app, "pddt")
    ui.wait_text(main, "state-summary", "3 ranks: 3 stopped")
    ui.act(main, "group-window")
    group = ui.window(app, "Ranks 0-2")
    ui.type_line(group, "break time_step")
    ui.wait_text(group, "transcript", "breakpoint 1 set, time_step")
    ui.press(group, "Continue")
    has("stack", "time_step at heat.py:")
    has("locals", "ndarray", "cells", "[1334..1335]")
    # An array opens into its elements, on demand.
    ui.expand(group, "locals", "now")
    has("locals", "[0]", "[199]")
    # Watches: the expression is asked on all ranks, now and at each stop.
    show_page("Watches")
    ui.edit_cell(group, "watches", 0, "Add an expression…", "now.size")
    has("watches", "now.size", "[1336..1337]")
    ui.edit_cell(group, "watches", 0, "Add an expression…", "no_such_name")
    has("watches", "<NameError")
    ui.edit_cell(group, "watches", 0, "no_such_name", "cells * 2")
    has("watches", "cells * 2", "2668")
    show_page("Locals")
    ui.edit_cell(group, "locals", 1, "1334", "17")
    ui.wait_text(group, "transcript", "on 0 set var cells = 17")    # the rank of the column
    ui.wait_text(group, "edit-text", "cells = 17 · on rank 0 only")
    has("locals", "[17..1335]")
    ui.screenshot("panes-edit")
    ui.act(group, "edit-all")
    ui.wait_text(group, "transcript", "on 0-2 set var cells = 17")
    ui.wait_text(group, "edit-text", "on 3 ranks")
    ui.wait_for("17 everywhere", lambda: "[17..1335]" not in cells("locals") and "17" in cells("locals"))
    ui.act(group, "edit-undo")
    has("locals", "[1334..1335]")
    ui.type_line(group, "on 0-1 set var cells = 1334")
    ui.type_line(group, "on 2 set var cells = 17")
    has("locals", "[17..1334]")
    # What the current line names, on a page of its own and, where it is wanted, behind the line.
    show_page("Current Line")
    has("current-line", "now", "ndarray")
    ui.screenshot("panes-current-line")
    show_page("Locals")
    source = ui.find(group, id="source")
    call = ui.text(source).index("exchange(comm, now, cells)\n")
    end = ui.find_character(source, call + len("exchange(comm, now, cells"))

    def behind_line():
        return ui.pixels(end.x + end.width + 12, end.y, 100, end.height)
    before = behind_line()
    ui.xdo("key", "ctrl+comma")
    preferences = ui.window(app, "Preferences")
    ui.act(preferences, "inline-values")
    ui.close(preferences)
    ui.wait_for("values behind the line", lambda: behind_line() != before)
    ui.screenshot("panes-inline")
    # The editor of one's choice opens the line.
    ui.do_until("the menu of the source",
                lambda: ui.xdo("mousemove", end.x + 2, end.y + 5, "click", "3"),
                lambda: ui.find(app, "menu item", "Open in Editor")).do_action(0)
    ui.wait_for("the editor", lambda: os.path.exists(edited) and os.path.getsize(edited) > 0)
    with open(edited, encoding="utf-8") as file:
        line = ui.text(source)[:call].count("\n") + 1
        assert file.read() == f"+{line} {example}\n", (line, example)
    # Hovering over a name shows its value on every rank.
    at = ui.text(source).index("exchange(comm, now, cells)\n") + len("exchange(comm, now, ce")

    def hover():
        box = ui.find_character(source, at)
        ui.xdo("mousemove", box.x - 30, box.y + 4, "mousemove", box.x + 2, box.y + 5)
    ui.do_until("the value under the pointer", hover, lambda: "0-1: 1334" in source.get_description())
    ui.screenshot("panes-hover")
    # The array of one rank: table, picture, numbers. The list stands where it was: at the edited row.
    ui.find(group, id="locals").grab_focus()
    ui.wait_for("the focus in the list", lambda: ui.is_focused(ui.find(group, id="locals")))
    ui.xdo("key", "Home")
    ui.do_until("the menu", lambda: ui.click_cell(group, "locals", "now", "click", "3"),
                lambda: ui.find(app, "menu item", "Show as Array")).do_action(0)
    array = ui.window(app, "now")
    ui.wait_text(array, "array-numbers", "1336 elements")
    ui.wait_for("elements", lambda: ui.cells(array, "array-table").count("1") > 100)
    ui.screenshot("panes-array")
    # Into C: one stack of both languages; registers and instructions of the kernel.
    ui.type_line(group, "break heat_step")
    ui.wait_text(group, "transcript", "breakpoint 2 set, heat_step")
    ui.press(group, "Continue")
    has("stack", "time_step at heat.py:", "heat_step at heat_kernel.c:")
    show_page("Registers")
    has("registers", "rip", "rsp")
    show_page("Assembly")
    has("code", "=> 0x", "mov")
    show_page("Threads")
    has("threads", "* 1", "heat_step")
    alone = ui.find(group, id="step-alone")
    ticked = lambda: alone.get_state_set().contains(Atspi.StateType.CHECKED)
    assert not ticked()
    alone.do_action(0)
    ui.wait_text(group, "transcript", "set option scheduler-locking on")
    ui.type_line(group, "set option scheduler-locking off")
    ui.wait_for("the box of an option that was set elsewhere", lambda: not ticked())
    ui.screenshot("panes-code")
    # The same array of all ranks, through the kernel's pointer.
    entry = ui.find(array, id="array-expression")
    Atspi.EditableText.set_text_contents(entry, "*now@1000")
    Atspi.Action.do_action(entry, 0)
    ui.wait_text(array, "array-numbers", "1000 elements")
    ui.choose(array, "array-rank", 0)
    ui.wait_text(array, "array-numbers", "3000 elements")
    ui.show_page(array, "Picture")
    ui.screenshot("panes-array-all")
    ui.close(array)
    show_page("Stack")
    show_page("Locals")
    has("locals", "alpha", "0.25")
    # A click on the caller selects its frame, in its own language.
    ui.do_until("the caller's frame", lambda: ui.click_cell(group, "stack", "time_step at heat.py:"),
                lambda: "on 0-2 frame 1" in ui.text(ui.find(group, id="transcript")))
    has("locals", "following", "ndarray")
    # Another window of these ranks means their own place, and leaves the selected one to this window.
    ui.type_line(main, "pick 0-1")
    ui.act(main, "group-window")
    other = ui.window(app, "Ranks 0-1")
    ui.wait_for("the kernel's variables", lambda: "alpha" in ui.cells(other, "locals"))
    ui.type_line(other, "print alpha * 2")
    ui.wait_text(other, "transcript", "alpha * 2 = 0.5")
    ui.type_line(group, "print following.size")
    ui.wait_text(group, "transcript", "following.size = ")
    has("locals", "following", "ndarray")
    ui.close(other)
    ui.type_line(main, "pick all")
    ui.find(group, id="source").grab_focus()
    # Lines and files by name.
    ui.press_until("the line entry", "ctrl+g", lambda: ui.is_focused(ui.find(group, id="open")))
    ui.xdo("type", "20")
    ui.xdo("key", "Return")
    ui.press_until("the file entry", "ctrl+p", lambda: ui.is_focused(ui.find(group, id="open")))
    ui.xdo("type", "heat_kernel.c:9")
    ui.xdo("key", "Return")
    ui.wait_for("the kernel's source", lambda: "flow (const double" in (
        ui.text(ui.find(group, "text", "heat_kernel.c")) or ""))
    # One rank goes a step further: a window for those that departed.
    ui.type_line(group, "on 2 next")
    ui.wait_for("a sad face", lambda: ui.find(group, id="face").get_name() == "sad face")
    ui.press(group, "Split Off 2")
    ui.window(app, "Rank 2")
    ui.screenshot("panes-split")
    ui.type_line(main, "quit")
    assert process.wait(120) == 0, process.returncode
finally:
    process.terminate()
    process.wait()
    folder.cleanup()
