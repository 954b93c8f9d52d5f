# SPDX-License-Identifier: GPL-3.0-or-later
"""Selecting ranks in every way, and what a selection is good for: names, combinations, windows."""
import os
import sys

import ui
from journey import Scripted, journey, run
from ui import Atspi

PROGRAM = sys.argv[1]


def cell(window, rank):
    """Where the rank's cell stands on the screen, in a chart of few ranks: 72 pixels each."""
    chart = ui.wait_for("the chart", lambda: ui.find(window.main, id="chart"))
    box = chart.get_extents(Atspi.CoordType.SCREEN)
    return box.x + 8 + 72 * rank + 36, box.y + 70


def click(window, rank, *keys):
    x, y = cell(window, rank)
    for key in keys:
        ui.xdo("keydown", key)
    ui.xdo("mousemove", x, y, "click", 1)
    for key in keys:
        ui.xdo("keyup", key)


def click_until_selected(window, rank, text):
    """The first click: on a busy machine the window manager may move the window under it."""
    ui.do_until(text, lambda: click(window, rank), lambda: text in (ui.text(ui.find(window.main, id="selection")) or ""))


def selected(window, text):
    ui.wait_text(window.main, "selection", text)


def do(window, id):
    ui.act(window.main, id)


def fill(window, id, text):
    entry = ui.wait_for(id, lambda: ui.find(window.app, id=id))
    Atspi.EditableText.set_text_contents(entry, text)


def name_selection(window, name):
    do(window, "selection-name")
    fill(window, "selection-name-entry", name)
    Atspi.Action.do_action(ui.find(window.app, id="selection-name-entry"), 0)
    ui.wait_text(window.main, "transcript", f"set {name} = ")


@journey
def select_by_mouse_and_keys():
    with Scripted(PROGRAM) as window:
        window.play("state 3 signal work 23 SIGFPE")
        ui.wait_text(window.main, "state-summary", "1 crashed (SIGFPE)")
        click_until_selected(window, 2, "1 rank selected: 2")
        click(window, 6, "ctrl")
        selected(window, "2 ranks selected: 2,6")
        click(window, 2, "ctrl", "shift")
        selected(window, "1 rank selected: 6")
        ui.xdo("key", "Home", "shift+Right", "shift+Right")
        selected(window, "3 ranks selected: 0-2")
        ui.xdo("key", "n")                         # the next rank in another state
        selected(window, "1 rank selected: 3")
        ui.xdo("key", "p")                         # and back
        selected(window, "1 rank selected: 2")
        ui.xdo("key", "ctrl+a")
        selected(window, "8 ranks selected: 0-7")
        ui.find(window.main, name="Signal 1").do_action(0)
        selected(window, "1 rank selected: 3")
        # The totals bar: its most severe state stands first.
        x, _ = cell(window, 0)
        chart = ui.find(window.main, id="chart").get_extents(Atspi.CoordType.SCREEN)
        ui.do_until("7 ranks", lambda: ui.xdo("mousemove", chart.x + chart.width - 40, chart.y + 20, "click", 1),
                    lambda: "7 ranks selected: 0-2,4-7" in ui.text(ui.find(window.main, id="selection")))
        ui.do_until("its window", lambda: ui.xdo("mousemove", x, chart.y + 70, "click", "--repeat", 2, "--delay", 60, 1),
                    lambda: ui.window_now(window.app, "Rank 0"))
        ui.screenshot("select")


@journey
def select_in_the_table():
    with Scripted(PROGRAM) as window:
        ui.wait_text(window.main, "state-summary", "8 stopped")
        ui.show_page(window.main, "Ranks")
        ui.wait_for("rows", lambda: ui.cells(window.main, "ranks").count("main at sample.c:5") == 8)
        ui.do_until("the row", lambda: ui.click_cell(window.main, "ranks", "2"),
                    lambda: "1 rank selected: 2" in (ui.text(ui.find(window.main, id="selection")) or ""))
        ui.xdo("key", "shift+Down", "shift+Down")
        selected(window, "3 ranks selected: 2-4")
        do(window, "selection-complement")
        selected(window, "5 ranks selected: 0-1,5-7")
        do(window, "only-selected")
        ui.wait_for("five rows",
                    lambda: ui.cells(window.main, "ranks").count("main at sample.c:5") == 5)
        do(window, "selection-clear")
        ui.wait_for("all rows",
                    lambda: ui.cells(window.main, "ranks").count("main at sample.c:5") == 8)


@journey
def name_combine_and_act():
    with Scripted(PROGRAM) as window:
        window.play("state 1,5 breakpoint work 19")
        ui.wait_text(window.main, "state-summary", "2 at a breakpoint")
        click_until_selected(window, 0, "1 rank selected: 0")
        ui.xdo("key", "shift+Right", "shift+Right")
        selected(window, "3 ranks selected: 0-2")
        name_selection(window, "left")
        do(window, "selection-combine")
        fill(window, "selection-other", "no-such-set")
        ui.act(window.app, "selection-add")
        ui.wait_text(window.app, "selection-problem", 'no set "no-such-set"')
        fill(window, "selection-other", "breakpoint")
        ui.act(window.app, "selection-add")
        selected(window, "4 ranks selected: 0-2,5")
        do(window, "selection-combine")
        fill(window, "selection-other", "left except 1")
        ui.act(window.app, "selection-remove")
        selected(window, "2 ranks selected: 1,5")
        do(window, "selection-combine")
        fill(window, "selection-other", "4-7")
        ui.act(window.app, "selection-common")
        selected(window, "1 rank selected: 5")
        ui.wait_text(window.main, "act-on-entry", "5")
        ui.press(window.main, "Over")
        ui.wait_text(window.main, "transcript", "on 5 next")
        do(window, "selection-complement")
        do(window, "selection-open")
        assert ui.window(window.app, "Ranks 0-4,6-7")


@journey
def what_is_selected_is_acted_on():
    with Scripted(PROGRAM) as window:
        ui.wait_text(window.main, "state-summary", "8 stopped")
        ui.wait_text(window.main, "act-on-entry", "all")
        click_until_selected(window, 2, "1 rank selected: 2")
        ui.xdo("key", "shift+Right")
        selected(window, "2 ranks selected: 2-3")
        ui.wait_text(window.main, "act-on-entry", "2-3")
        ui.wait_text(window.main, "prompt", "on 2-3")
        ui.press(window.main, "Over")
        ui.wait_text(window.main, "transcript", "on 2-3 next")
        ui.type_line(window.main, "print step")          # typed lines have the same ranks
        ui.wait_text(window.main, "transcript", "2-3: step = 6")
        ui.type_line(window.main, "pick 5-6")            # and a typed set is the selection
        selected(window, "2 ranks selected: 5-6")
        ui.wait_text(window.main, "act-on-entry", "5-6")
        entry = ui.find(window.main, id="act-on-entry")  # and so is a chosen one
        Atspi.EditableText.set_text_contents(entry, "stopped except 0")
        Atspi.Action.do_action(entry, 0)
        selected(window, "7 ranks selected: 1-7")
        ui.wait_text(window.main, "act-on-entry", "1-7")
        name_selection(window, "rest")
        ui.wait_text(window.main, "act-on-entry", "rest")
        ui.screenshot("acts-on")
        do(window, "selection-clear")                    # nothing selected: everybody
        ui.wait_text(window.main, "act-on-entry", "all")
        ui.wait_text(window.main, "prompt", "on 0-7")
        ui.press(window.main, "In")
        ui.wait_text(window.main, "transcript", "on 0-7 step")


@journey
def the_first_screen_shows_source_stack_and_values():
    with Scripted(PROGRAM) as window:
        def has(id, *parts):
            ui.wait_for(f"{parts} in {id}", lambda: all(
                part in ui.cells(window.main, id) for part in parts))
        ui.wait_for("the source", lambda: "//@ work" in (
            ui.text(ui.find(window.main, id="source")) or ""))
        has("stack", "main at sample.c:5", "0-7")
        has("locals", "rank", "[0..7]", "grid")
        ui.wait_for("a face", lambda: ui.find(window.main, id="face").get_name() == "happy face")
        ui.press(window.main, "Over")
        has("locals", "6 (was 5)")
        window.play("state 0-7 breakpoint work 19")             # another function's `step`
        has("locals", "19")
        assert "(was" not in ui.cells(window.main, "locals"), ui.cells(window.main, "locals")
        ui.press(window.main, "Over")
        has("locals", "20 (was 19)")
        window.play("state 0-7 stopped main 5")
        has("stack", "main at sample.c:5")
        window.play("state 3 signal work 23 SIGFPE")
        ui.wait_for("the face of a crash", lambda: ui.find(window.main, id="face").get_name() == "face of a crash")
        ui.screenshot("first-screen")
        click_until_selected(window, 3, "1 rank selected: 3")   # it is what is selected
        has("stack", "work at sample.c:23")
        ui.wait_for("values of rank 3 alone", lambda: "[0..7]" not in ui.cells(window.main, "locals"))
        has("locals", "Rank 3", "23")
        ui.press(window.main, "Over")
        has("locals", "24")
        has("stack", "work at sample.c:24")
        # A breakpoint by key, for the ranks that are selected; the list is the console's page.
        source = ui.find(window.main, id="source")
        source.grab_focus()
        ui.wait_for("the focus in the source", lambda: ui.is_focused(source))
        ui.press_until("a breakpoint", "F9", lambda: "on 3 break sample.c:24" in ui.text(
            ui.find(window.main, id="transcript")))
        ui.act(window.main, "selection-open")                   # and in a window of its own
        group = ui.window(window.app, "Rank 3")
        ui.wait_for("its source", lambda: "//@ work" in (ui.text(ui.find(group, id="source")) or ""))


@journey
def groups_are_listed_renamed_and_opened():
    with Scripted(PROGRAM) as window:
        window.play("state 1,5 breakpoint work 19")
        ui.wait_text(window.main, "state-summary", "2 at a breakpoint")
        ui.type_line(window.main, "set left = 0-3")
        ui.type_line(window.main, "live set waiting = breakpoint")
        ui.show_page(window.main, "Groups")

        def lists(*parts):
            ui.wait_for(parts, lambda: all(p in ui.cells(window.main, "groups") for p in parts))
        lists("left 4 0-3", "waiting 2 1,5", "main at sample.c:5", "● At a breakpoint 2 1,5")
        window.play("state 6 breakpoint work 19")
        lists("waiting 3 1,5-6")
        ui.screenshot("groups")
        ui.edit_cell(window.main, "groups", 0, "left", "first")
        lists("first 4 0-3")
        for _ in range(5):                                      # (AT-SPI has no editor of cells to wait for)
            ui.click_cell(window.main, "groups", "waiting" if "waiting" in ui.cells(window.main, "groups") else "held")
            ui.xdo("key", "F2")
            ui.xdo("key", "ctrl+a")
            ui.xdo("type", "held")
            ui.xdo("key", "Return")
            try:
                ui.wait_for("the name by F2", lambda: "held 3 1,5-6" in ui.cells(window.main, "groups"), 20)
                break
            except SystemExit:
                ui.xdo("key", "Escape")
        lists("held 3 1,5-6")
        ui.press_until("no such set", "Delete", lambda: "held" not in ui.cells(window.main, "groups"))
        ui.click_cell(window.main, "groups", "first")
        assert "left" not in ui.cells(window.main, "groups")
        do(window, "group-select")
        selected(window, "4 ranks selected: 0-3")
        do(window, "group-open")
        assert ui.window(window.app, "first — ranks 0-3")
        do(window, "group-forget")
        ui.wait_for("no such set", lambda: "first" not in ui.cells(window.main, "groups"))


@journey
def buttons_are_commands():
    """Each button of the tool bar writes its command for the ranks acted on."""
    with Scripted(PROGRAM) as window:
        ui.wait_text(window.main, "state-summary", "8 stopped")
        click_until_selected(window, 2, "1 rank selected: 2")
        for button, command in ("Over", "next"), ("In", "step"), ("Out", "finish"):
            ui.press(window.main, button)
            ui.wait_text(window.main, "transcript", f"on 2 {command}")
            window.play("state 2 stopped work 19")
            ui.wait_text(window.main, "state-summary", "8 stopped")
        ui.press(window.main, "Continue")
        ui.wait_text(window.main, "transcript", "on 2 continue")
        window.play("state 2 running work 19")
        ui.press(window.main, "Pause")
        ui.wait_text(window.main, "transcript", "on 2 pause")
        window.play("state 2 stopped work 19")
        ui.act(window.main, "group-window")
        group = ui.window(window.app, "Rank 2")
        ui.wait_for("its source", lambda: "//@ work" in (ui.text(ui.find(group, id="source")) or ""))
        ui.press(group, "To Cursor")
        ui.wait_text(group, "transcript", "on 2 until sample.c:19")
        ui.type_line(group, "print step")                 # it has a command line of its own
        ui.wait_text(group, "transcript", "2: step = ")
        ui.press(window.main, "Queue")
        ui.wait_for("the page", lambda: ui.find(window.main, id="why-text").get_state_set().contains(
            Atspi.StateType.SHOWING))


def choose_in_menu(window, name):
    """An entry of the main menu."""
    ui.act(window.main, "menu")
    ui.wait_for(name, lambda: next(node for node in ui.walk(window.main) if node.get_name() == name and
                                   ui.role_of(node) in ("push button", "menu item", "check menu item") and
                                   node.get_state_set().contains(Atspi.StateType.SHOWING))).do_action(0)


@journey
def the_main_menu():
    with Scripted(PROGRAM) as window:
        ui.wait_text(window.main, "state-summary", "8 stopped")
        for name, title in (("Preferences", "Preferences"), ("Keyboard Shortcuts", "Keyboard Shortcuts"),
                            ("About pddt", "About pddt"), ("Save Session As…", "Save Session"),
                            ("New Session…", "New Session")):
            choose_in_menu(window, name)
            ui.window(window.app, title)
            ui.screenshot("menu-" + name.split()[0])
            ui.press_until("it is closed", "Escape", lambda: not any(
                node.get_name() == title and node.get_state_set().contains(Atspi.StateType.SHOWING)
                for node in ui.children(window.app)))
        choose_in_menu(window, "End Session")
        ui.wait_for("the question", lambda: ui.find(window.app, "push button", "End It"))
        ui.screenshot("menu-end")


@journey
def a_frame_opens_a_window():
    with Scripted(PROGRAM) as window:
        window.play("state 3 signal work 23 SIGFPE")
        ui.wait_for("both branches", lambda: "work at sample.c:23" in ui.cells(window.main, "stack"))
        ui.do_until("its window", lambda: ui.click_cell(window.main, "stack", "work at sample.c:23", "click", "1", "click", "1"),
                    lambda: ui.window_now(window.app, "Rank 3"))


run()
