# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripted jobs: the marks beside the source, places visited, breakpoints by keys, who of a step is
late, all sets of keys, windows by their numbers, output of long ago."""
import os
import re
import sys
import tempfile

import ui
from journey import Scripted, journey, run
from ui import Atspi

PROGRAM = os.path.abspath(sys.argv[1])
with open(os.environ["PDDT_SAMPLE"], encoding="utf-8") as sample:
    LINES = sample.read().split("\n")


EMPTY = next(n for n, text in enumerate(LINES, 1) if text == "" and LINES[n - 2] == "}")


def line_of(mark):
    return next(n for n, text in enumerate(LINES, 1) if f"//@ {mark}" in text)


def open_group(window):
    ui.act(window.main, "group-window")
    group = ui.window(window.app, "Ranks 0-7")
    ui.wait_for("the source", lambda: "//@ work" in (ui.text(ui.find(group, id="source")) or ""))
    return group


def is_red(pixel):
    return pixel[0] > 170 and pixel[1] < 90 and pixel[2] < 100


def is_orange(pixel):
    return pixel[0] > 190 and 110 < pixel[1] < 200 and pixel[2] < 90


def show_line(group, line):
    """How far the source is scrolled when it opens depends on when the window gets its size: the wheel brings
    the line into sight, as a user does."""
    source = ui.find(group, id="source")
    offset = sum(len(text) + 1 for text in LINES[:line - 1])

    def has_place():  # not before the window is mapped
        view = source.get_extents(Atspi.CoordType.SCREEN)
        return view if view.x >= 0 and view.y >= 0 and view.height > 0 else None
    for _ in range(30):
        view = ui.wait_for("a place of the source", has_place)
        box = Atspi.Text.get_character_extents(source, offset, Atspi.CoordType.SCREEN)
        if view.y <= box.y and box.y + box.height <= view.y + view.height:
            return
        ui.xdo("mousemove", view.x + 200, view.y + view.height // 2, "click", 4 if box.y < view.y else 5)


def gutter(group, line):
    """The pixels of the gutter beside a line of the sample."""
    show_line(group, line)
    source = ui.find(group, id="source")
    offset = sum(len(text) + 1 for text in LINES[:line - 1])
    box = Atspi.Text.get_character_extents(source, offset, Atspi.CoordType.SCREEN)
    left = source.get_extents(Atspi.CoordType.SCREEN).x
    return ui.pixels(left, box.y, 58, box.height)


def point(group, line, *words):
    """Moves the pointer to the marks of a line, and does what else is wanted there."""
    show_line(group, line)
    source = ui.find(group, id="source")
    box = ui.find_character(source, sum(len(text) + 1 for text in LINES[:line - 1]))
    left = source.get_extents(Atspi.CoordType.SCREEN).x
    ui.xdo("mousemove", left + 30, box.y + box.height // 2)
    ui.xdo("mousemove", left + 11, box.y + box.height // 2, *words)


def describe(group, line):
    """The marks beside a line, by their shapes: disc, half, ring, diamond, question, with bars for a
    condition; arrow, outline."""
    rows = gutter(group, line)
    red = [(x, y) for y, row in enumerate(rows) for x, p in enumerate(row) if is_red(p)]
    orange = [(x, y) for y, row in enumerate(rows) for x, p in enumerate(row) if is_orange(p)]
    found = []
    if len(red) > 8:
        x0, x1 = min(x for x, _ in red), max(x for x, _ in red)
        y = sum(y for _, y in red) // len(red)
        left = is_red(rows[y][x0 + (x1 - x0) // 4 + 1])
        right = is_red(rows[y][x1 - (x1 - x0) // 4 - 1])
        y0, y1 = min(y for _, y in red), max(y for _, y in red)
        corner = sum(is_red(rows[y][x]) for y in (y0 + 1, y1 - 1) for x in (x0 + 2, x1 - 2))
        bars = any(min(rows[y][x]) > 200 for y in range(y0 + 2, y1 - 1)
                   for x in range(x0 + 4, x1 - 3))
        if x1 - x0 < 9:
            found.append("question")
        elif left and right:
            found.append(("disc" if corner == 4 else "diamond") + (" bars" if bars else ""))
        else:
            found.append("half" if left else "ring")
    if len(orange) > 8:
        x0, x1 = min(x for x, _ in orange), max(x for x, _ in orange)
        y0, y1 = min(y for _, y in orange), max(y for _, y in orange)
        inside = is_orange(rows[(y0 + y1) // 2][(x0 + x1) // 2])
        found.append("arrow" if inside else "outline")
    return " ".join(found)


@journey
def every_mark_of_the_gutter():
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        ui.wait_text(window.main, "state-summary", "8 at a breakpoint")
        group = open_group(window)
        end, loop, call = line_of("end"), line_of("loop"), line_of("call")
        ui.wait_for("the filled arrow", lambda: describe(group, 19) == "arrow")
        ui.type_line(group, f"break sample.c:{end}")
        ui.wait_for("a disc", lambda: describe(group, end) == "disc")
        ui.type_line(group, f"on 0-3 break sample.c:{loop}")
        ui.wait_for("half a disc", lambda: describe(group, loop) == "half")
        ui.type_line(group, f"break sample.c:{call}")
        ui.wait_for("one more disc", lambda: describe(group, call) == "disc")
        ui.type_line(group, "disable 3")
        ui.wait_for("a ring", lambda: describe(group, call) == "ring")
        window.play(f"state 5,6 stopped work {end}")
        ui.wait_for("an arrow of others beside the disc",
                    lambda: describe(group, end) == "disc outline")
        ui.choose(group, "representative", 5)
        ui.wait_for("the representative's own", lambda: describe(group, end) == "disc arrow")
        ui.wait_for("the others' now", lambda: describe(group, 19) == "outline")
        ui.type_line(group, f"break sample.c:{EMPTY}")
        ui.wait_for("a question mark", lambda: describe(group, EMPTY) == "question")
        ui.type_line(group, f"break sample.c:{line_of('add')} if i > 3")
        ui.wait_for("bars in the disc", lambda: describe(group, line_of("add")) == "disc bars")
        ui.type_line(group, f"break sample.c:{line_of('work')} log \"here {{argc}}\"")
        ui.wait_for("a diamond", lambda: describe(group, line_of("work")) == "diamond")
        ui.screenshot("gutter")
        # What the marks mean, when the pointer rests on them.
        for line, words in ((EMPTY, "Pending"), (loop, "Set on 0-3 only"), (call, "Disabled"),
                            (line_of("add"), "if i > 3"), (end, "Ranks 5-6 are here")):
            point(group, line)
            ui.wait_for(words, lambda: words in ui.find(group, id="source").get_description())


@journey
def the_menu_beside_the_source():
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        group = open_group(window)
        add, loop = line_of("add"), line_of("loop")
        said = lambda line: line in ui.text(ui.find(group, id="transcript"))

        def find_item(title):
            return next((n for n in ui.walk(window.app) if ui.role_of(n) == "menu item"
                         and n.get_name() == title
                         and n.get_state_set().contains(Atspi.StateType.SHOWING)), None)

        def open_menu(line, title):
            """A menu that is still closing swallows the click of the next one."""
            for _ in range(5):
                point(group, line, "click", 3)
                try:
                    return ui.wait_for(title, lambda: find_item(title), 20)
                except SystemExit:
                    ui.xdo("key", "Escape")
            raise SystemExit(f"timed out waiting for {title}")

        def choose(line, title):
            open_menu(line, title).do_action(0)
            ui.wait_for("no menu", lambda: not ui.find(window.app, "menu item", title)
                        or not ui.find(window.app, "menu item", title).get_state_set().contains(
                            Atspi.StateType.SHOWING))
        ui.do_until("a disc by a click", lambda: point(group, add, "click", 1), lambda: describe(group, add) == "disc")
        choose(add, "Enable or Disable Breakpoint")
        ui.wait_for("a ring", lambda: describe(group, add) == "ring")
        choose(add, "Conditional Breakpoint…")
        ui.wait_for("the list", lambda: ui.find(group, "page tab", "Breakpoints").get_state_set()
                    .contains(Atspi.StateType.SELECTED))
        ui.xdo("type", "i == 2")
        ui.xdo("key", "Return")
        ui.wait_for("the condition", lambda: said("condition 1 i == 2"))
        ui.wait_for("still disabled", lambda: describe(group, add).split()[:1] != ["disc"])
        choose(add, "Enable or Disable Breakpoint")
        ui.wait_for("bars", lambda: describe(group, add) == "disc bars")
        # A line without one: it is begun with its condition.
        choose(loop, "Conditional Breakpoint…")
        ui.wait_for("the entry", lambda: ui.is_focused(ui.find(group, id="new-breakpoint")))
        ui.xdo("type", "i > 1")
        ui.xdo("key", "Return")
        ui.wait_for("it is set", lambda: describe(group, loop) == "disc bars")
        choose(loop, "Run to Here")
        ui.wait_for("the line", lambda: said(f"on 0-7 until sample.c:{loop}"))
        choose(loop, "Jump to Here")
        ui.wait_for("the line", lambda: said(f"on 0-7 jump sample.c:{loop}"))
        choose(line_of("call"), "Logpoint…")
        ui.wait_for("the entry", lambda: ui.is_focused(ui.find(group, id="new-breakpoint")))
        ui.xdo("type", "at {i}")
        ui.xdo("key", "Return")
        ui.wait_for("a diamond", lambda: describe(group, line_of("call")) == "diamond")
        # On a name: its value, a watch, its elements.
        source = ui.find(group, id="source")
        at = ui.text(source).index("return value") + len("return v")

        def on_name(title):
            for _ in range(5):
                show_line(group, ui.text(source)[:at].count("\n") + 1)
                box = ui.find_character(source, at)
                ui.xdo("mousemove", box.x + 2, box.y + box.height // 2, "click", 3)
                try:
                    return ui.wait_for(title, lambda: find_item(title), 20)
                except SystemExit:
                    ui.xdo("key", "Escape")
            raise SystemExit(f"timed out waiting for {title}")
        on_name("Print value").do_action(0)
        ui.wait_for("its value", lambda: said("on 0-7 print value"))
        on_name("Stop when value Changes").do_action(0)
        ui.wait_for("a watchpoint", lambda: said("on 0-7 watch value"))
        on_name("Watch value").do_action(0)
        ui.wait_for("a watch", lambda: "value" in ui.cells(group, "watches"))
        on_name("Show value as Array").do_action(0)
        ui.close(ui.window(window.app, "value"))
        # Nothing in it is for editing, which a source in a debugger is not for.
        open_menu(loop, "Run to Here")
        ui.screenshot("source-menu")
        titles = [n.get_name() for n in ui.walk(window.app) if ui.role_of(n) == "menu item"
                  and n.get_state_set().contains(Atspi.StateType.SHOWING)]
        assert not {"Undo", "Redo", "Cut", "Paste", "Delete", "Insert Emoji"} & set(titles), titles
        ui.xdo("key", "Escape")
        ui.do_until("nothing", lambda: point(group, add, "click", 1), lambda: "disc" not in describe(group, add))
        # A pending one is taken away like any other.
        ui.type_line(group, f"break sample.c:{EMPTY}")
        ui.wait_for("a question mark", lambda: describe(group, EMPTY) == "question")
        ui.do_until("nothing", lambda: point(group, EMPTY, "click", 1), lambda: describe(group, EMPTY) == "")


@journey
def a_text_is_found_and_a_file_closed():
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        group = open_group(window)
        source = ui.find(group, id="source")

        def selected():
            range_ = Atspi.Text.get_selection(source, 0)
            return ui.text(source)[:range_.start_offset].count("\n") + 1
        ui.press_until("the entry", "ctrl+f", lambda: ui.is_focused(ui.find(group, id="find")))
        ui.xdo("type", "value")
        lines = [n for n, text in enumerate(LINES, 1) if "value" in text and n > 19]
        ui.wait_for("the first", lambda: selected() == lines[0])
        ui.press_until("the next", "Return", lambda: selected() == lines[1])
        ui.press_until("the one before", "ctrl+shift+g", lambda: selected() == lines[0])
        ui.xdo("type", "xyz")
        ui.wait_text(group, "find-problem", "Not in this file")
        ui.press_until("the source", "Escape", lambda: ui.is_focused(source))
        def is_shown():
            return source.get_state_set().contains(Atspi.StateType.SHOWING)
        assert is_shown()
        ui.press_until("no tab", "ctrl+w", lambda: not is_shown())
        ui.type_line(group, "next")
        ui.wait_for("it is there again", is_shown)


@journey
def breakpoints_and_places_by_keys():
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        group = open_group(window)

        def go(line):
            ui.press_until("the line's entry", "ctrl+g",
                           lambda: ui.is_focused(ui.find(group, id="open")))
            ui.xdo("type", str(line))
            ui.xdo("key", "Return")
            ui.wait_for("the source's focus", lambda: ui.is_focused(ui.find(group, id="source")))

        def cursor():
            source = ui.find(group, id="source")
            return ui.text(source)[:Atspi.Text.get_caret_offset(source)].count("\n") + 1

        go(line_of("add"))
        ui.press_until("a breakpoint", "F9", lambda: f"breakpoint 1 set, work at sample.c:"
                       f"{line_of('add')}" in ui.text(ui.find(group, id="transcript")))
        ui.press_until("it is disabled", "ctrl+F9",
                       lambda: "on 0-7 disable 1" in ui.text(ui.find(group, id="transcript")))
        ui.wait_for("a ring", lambda: describe(group, line_of("add")) == "ring")
        ui.press_until("it is enabled", "ctrl+F9",
                       lambda: "on 0-7 enable 1" in ui.text(ui.find(group, id="transcript")))
        go(3)
        assert cursor() == 3
        ui.press_until("the place before", "alt+Left", lambda: cursor() == line_of("add"))
        ui.press_until("the first place", "alt+Left", lambda: cursor() == 19)
        ui.press_until("forward", "alt+Right", lambda: cursor() == line_of("add"))
        ui.press_until("the end", "alt+Right", lambda: cursor() == 3)
        ui.press_until("the cursor's line", "ctrl+F10",
                       lambda: "on 0-7 until sample.c:3" in ui.text(ui.find(group, id="transcript")))
        # Windows by their numbers, in the order of opening.
        ui.press_until("the first window", "alt+1",
                       lambda: window.main.get_state_set().contains(Atspi.StateType.ACTIVE))
        ui.press_until("the second", "alt+2",
                       lambda: group.get_state_set().contains(Atspi.StateType.ACTIVE))


@journey
def a_step_says_who_is_late():
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        ui.wait_text(window.main, "state-summary", "8 at a breakpoint")
        group = open_group(window)
        window.play("hold 3,5")
        ui.press(group, "Over")
        ui.wait_text(group, "face-text", "Step: 6 of 8 arrived, not yet 3,5")
        ui.wait_text(window.main, "state-summary", "Step: 6 of 8 arrived, not yet 3,5")
        ui.screenshot("step-late")
        window.play("release")
        ui.wait_text(group, "face-text", "Together: 8 ranks")
        ui.wait_for("only the counts", lambda: "Step" not in ui.text(
            ui.find(window.main, id="state-summary")))


def is_shown(root, id, part):
    node = ui.find(root, id=id)
    return part in ui.text(node) and node.get_state_set().contains(Atspi.StateType.SHOWING)


@journey
def waiting_is_stopped():
    with Scripted(PROGRAM) as window:
        window.play("hold 3")
        ui.wait_text(window.main, "state-summary", "8 stopped")
        ui.type_line(window.main, "next")
        ui.wait_text(window.main, "state-summary", "Step: 7 of 8 arrived, not yet 3")
        ui.type_line(window.main, "wait 100")
        ui.type_line(window.main, "show sets")          # not before that is over
        ui.wait_for("the line of it", lambda: is_shown(window.main, "progress", "Waiting for the ranks"))
        ui.act(window.main, "progress-cancel")
        ui.wait_text(window.main, "transcript", "interrupted")
        ui.type_line(window.main, "wait 100")
        ui.wait_for("the line of it", lambda: is_shown(window.main, "progress", "Waiting for the ranks"))
        ui.find(window.main, id="command").grab_focus()
        ui.press_until("an end by a key", "Escape", lambda: ui.text(ui.find(
            window.main, id="transcript")).count("interrupted") == 2)


@journey
def long_work_is_cancelled():
    with Scripted(PROGRAM) as window:
        ui.wait_text(window.main, "state-summary", "8 stopped")
        ui.show_page(window.main, "Assembly")           # of rank 0 alone, which answers
        window.play("mute 3")
        ui.type_line(window.main, "where")
        ui.type_line(window.main, "show sets")          # not before that is over
        ui.wait_text(window.main, "progress", "where: 7 of 8 ranks have answered")
        ui.screenshot("progress")
        ui.act(window.main, "progress-cancel")
        ui.wait_text(window.main, "transcript", "error: cancelled before these ranks had answered (3)")
        ui.wait_text(window.main, "transcript", "0-2,4-7 7 main at sample.c:5")
        ui.type_line(window.main, "break 9")
        ui.wait_text(window.main, "progress", "break: 7 of 8")
        ui.find(window.main, id="command").grab_focus()
        ui.press_until("an end by a key", "Escape", lambda: ui.text(ui.find(
            window.main, id="transcript")).count("cancelled before these ranks had answered (3)") == 2)
        ui.wait_for("nothing under way", lambda: not ui.find(window.main, id="progress")
                    .get_state_set().contains(Atspi.StateType.SHOWING))
        ui.type_line(window.main, "show breakpoints")   # where it is not known to stand it does not
        ui.wait_for("the same as before", lambda: ui.text(ui.find(window.main, id="transcript"))
                    .count("0-2,4-7: breakpoint 1 set, work at sample.c:9") == 2)
        group = open_group(window)                      # its panes ask too
        ui.wait_text(group, "progress", "where: 7 of 8")
        ui.act(group, "progress-cancel")
        ui.wait_text(window.main, "log", "cancelled: where, 7 of 8 ranks had answered")
        window.play("speak")
        ui.type_line(window.main, "print step")
        ui.wait_text(window.main, "transcript", "0-7: step = 5")


@journey
def a_silent_host_is_grey():
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        ui.wait_text(window.main, "state-summary", "8 at a breakpoint")
        group = open_group(window)
        ui.show_page(window.main, "Ranks")
        box = ui.find(window.main, id="chart").get_extents(Atspi.CoordType.SCREEN)
        at = ui.wait_for("the strip", lambda: [
            (x, y) for y, row in enumerate(ui.pixels(box.x, box.y, box.width, box.height))
            for x, colour in enumerate(row) if y > 45 and colour == (0, 114, 178)])
        last = box.x + max(at)[0] - 2, box.y + max(at)[1] - 2
        window.play("silent 6-7 9000")
        ui.wait_text(window.main, "state-summary", "2 ranks have not answered for 9 s")
        ui.wait_text(group, "face-text", "2 ranks have not answered for")
        ui.wait_text(group, "view-age", "as of ")
        ui.wait_for("an age in the table", lambda: "(as of " in ui.cells(window.main, "ranks"))
        ui.wait_for("grey in the chart", lambda: (lambda c: max(c) - min(c) < 60)(ui.pixel(*last)))
        ui.screenshot("silent")
        window.play("silent 6-7 0")
        ui.wait_text(group, "face-text", "Together: 8 ranks")
        ui.wait_for("its own colour", lambda: ui.pixel(*last) == (0, 114, 178))
        ui.wait_for("no age", lambda: "as of" not in ui.cells(window.main, "ranks"))


@journey
def a_value_is_edited_while_ranks_stop_anew():
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        ui.wait_text(window.main, "state-summary", "8 at a breakpoint")
        group = open_group(window)
        ui.wait_for("the values", lambda: "step 19" in ui.cells(group, "locals"))
        line = 19

        def stays():
            """(The editor of a cell is in no tree of AT-SPI; a key may go astray.)"""
            nonlocal line
            ui.click_cell(group, "locals", str(line), "click", "1")
            ui.xdo("key", "F2")
            line += 1
            window.play(f"state 0-7 breakpoint work {line}")
            ui.wait_for("the new stack", lambda: f"sample.c:{line}" in ui.cells(group, "stack"))
            try:
                ui.wait_for("nothing", lambda: f"step {line}" in ui.cells(group, "locals"), 1)
            except SystemExit:
                return True
            return False

        def edit():
            ui.xdo("key", "Escape")
            ui.wait_for("rows that stay", stays)
            ui.xdo("key", "ctrl+a")
            ui.xdo("type", "77")
            ui.xdo("key", "Return")
        ui.do_until("the new value", edit, lambda: "set var step = 77" in ui.text(ui.find(group, id="transcript")))
        ui.wait_for("the values of the new stop",
                    lambda: f"step {line}" in ui.cells(group, "locals"))


@journey
def every_set_of_keys():
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        ui.wait_text(window.main, "state-summary", "8 at a breakpoint")
        steps = 0
        for number, (title, over, into, out) in enumerate((
                ("VS Code", "F10", "F11", "shift+F11"), ("DDT", "F8", "F5", "F6"),
                ("Eclipse", "F6", "F5", "F7"), ("gdb letters", "n", "s", "f"))):
            ui.press_until("the preferences", "ctrl+comma", lambda: next(
                (w for w in ui.children(window.app) if w.get_name() == "Preferences"), None))
            preferences = ui.window(window.app, "Preferences")
            ui.choose(preferences, "key-set", number)
            ui.press_until("they are closed", "Escape", lambda: not any(
                w.get_name() == "Preferences" for w in ui.children(window.app)))
            for key, line in ((over, "on 0-7 next"), (into, "on 0-7 step"), (out, "on 0-7 finish")):
                chart = ui.find(window.main, id="chart")
                before = ui.text(ui.find(window.main, id="transcript")).count(line)

                chart.grab_focus()
                ui.wait_for("the chart's focus", lambda: ui.is_focused(chart))
                ui.press_until(f"{title}: {line}", key, lambda: ui.text(ui.find(
                    window.main, id="transcript")).count(line) > before)
                steps += 1

            def keys_window():
                return next((w for w in ui.children(window.app)
                             if (w.get_name() or "").startswith("Keyboard Shortcuts: ")
                             and w.get_state_set().contains(Atspi.StateType.SHOWING)), None)
            ui.press_until("the keys' window", "ctrl+question", keys_window)
            assert keys_window().get_name() == f"Keyboard Shortcuts: {title}"
            ui.wait_for("its rows", lambda: ui.find(keys_window(), "label", "Step over calls"))
            ui.screenshot(f"keys-{number}")
            ui.press_until("it is closed", "Escape", lambda: not keys_window())
        assert steps == 12


@journey
def what_is_selected_is_profiled():
    with Scripted(PROGRAM) as window:
        ui.wait_text(window.main, "state-summary", "8 stopped")
        ui.type_line(window.main, "pick 2-3")
        ui.wait_text(window.main, "act-on-entry", "2-3")
        button = ui.wait_for("the button", lambda: ui.find(window.main, "toggle button", "Profile"))
        button.do_action(0)
        ui.wait_text(window.main, "transcript", "on 2-3 profile start")
        ui.window(window.app, "Performance")
        button.do_action(0)
        ui.wait_text(window.main, "transcript", "profile stop")


@journey
def a_line_comes_in_pieces():
    with Scripted(PROGRAM) as window:
        ui.wait_text(window.main, "state-summary", "8 stopped")
        ui.show_page(window.main, "Output")
        for line in ("part 0 one", "part 0 two", "output 1 between", "part 0 three", "output 0 four", "output 0 end"):
            window.play(line)

        def shows(*lines):
            text = ui.text(ui.find(window.main, id="output")) or ""
            return list(lines) == [line.rstrip() for line in text.split("\n") if line.strip()]
        wanted = ["0| onetwo", "1| between", "0| threefour", "0| end"]
        ui.wait_for("whole lines", lambda: shows(*wanted))
        entry = ui.find(window.main, id="output-filter")
        Atspi.EditableText.set_text_contents(entry, "0")
        Atspi.Action.do_action(entry, 0)
        ui.wait_for("those of one rank", lambda: shows("0| onetwothreefour", "0| end"))


@journey
def output_of_long_ago():
    with Scripted(PROGRAM) as window:
        ui.wait_text(window.main, "state-summary", "8 stopped")
        window.play("flood 0-3 45000")
        ui.show_page(window.main, "Output")

        def shown():
            """The numbers of the lines that stand on the screen."""
            text = ui.text(ui.find(window.main, id="output")) or ""
            return [int(n) for n in re.findall(r"0-3\| line (\d+)", text)]
        ui.wait_for("the newest", lambda: 44999 in shown())
        ui.act(window.main, "output-earlier")
        ui.wait_for("what is older", lambda: shown() and 15000 < max(shown()) < 25001)
        ui.act(window.main, "output-earlier")
        ui.wait_for("the oldest", lambda: shown() and max(shown()) <= 5000)
        ui.screenshot("output-earlier")
        ui.act(window.main, "output-latest")
        ui.wait_for("the newest again", lambda: 44999 in shown())

        def search(text):
            entry = ui.find(window.main, id="output-find")
            Atspi.EditableText.set_text_contents(entry, text)
            Atspi.Action.do_action(entry, 0)
        search("LINE 1234")                                 # of any case; the last one that has it
        ui.wait_text(window.main, "output-found", "line 12350")
        ui.wait_for("the page of it", lambda: 12349 in shown())
        search("nowhere in it")
        ui.wait_text(window.main, "output-found", "Not in the output")
        ui.screenshot("output-found")


@journey
def output_with_nul_bytes_is_whole():
    with Scripted(PROGRAM) as window:
        ui.wait_text(window.main, "state-summary", "8 stopped")
        ui.show_page(window.main, "Output")
        window.play("nul 0 before|behind")
        window.play("output 0 second line")
        ui.wait_text(window.main, "output", "second line")
        assert "behind" in ui.text(ui.find(window.main, id="output"))


@journey
def a_long_file_opens_at_the_line():
    """50,000 lines: the current one is on the screen, where ranks stop and in a window that opens there."""
    with tempfile.TemporaryDirectory() as folder:
        path, lines = os.path.join(folder, "long.c"), [f"int value_{n} = {n}; /* {n} */" for n in range(1, 50001)]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

        def is_on_screen(root, line):
            source = ui.find(root, id="source")
            if Atspi.Text.get_character_count(source) < sum(map(len, lines)):
                return False
            box = Atspi.Text.get_character_extents(source, sum(len(text) + 1 for text in lines[:line - 1]),
                                                   Atspi.CoordType.SCREEN)
            view = source.get_parent().get_extents(Atspi.CoordType.SCREEN)
            return box.height > 0 and view.y <= box.y and box.y + box.height <= view.y + view.height

        with Scripted(PROGRAM, PDDT_SAMPLE=path) as window:
            ui.wait_text(window.main, "state-summary", "8 stopped")
            for line in 49000, 25000, 49990, 17:
                window.play(f"state 0-7 breakpoint work {line}")
                ui.wait_for(f"line {line}", lambda: is_on_screen(window.main, line))
            window.play("state 0-7 breakpoint work 43210")
            ui.act(window.main, "group-window")
            group = ui.window(window.app, "Ranks 0-7")
            ui.wait_for("line 43210 in a new window", lambda: is_on_screen(group, 43210))
            ui.screenshot("long-file")


run()
