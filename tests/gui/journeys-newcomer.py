# SPDX-License-Identifier: GPL-3.0-or-later
"""What a newcomer meets on scripted jobs: many ranks in five places, sources that have moved or are of another
encoding, large text and a screen of twice the pixels, much output, rows that lead to the source."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

import ui
from journey import Scripted, journey, run
from ui import Atspi

PROGRAM = os.path.abspath(sys.argv[1])
SAMPLE = os.environ["PDDT_SAMPLE"]
DOUBLE = ("click", "--repeat", 2, "--delay", 60, 1)


def shows(window, text):
    source = ui.find(window, id="source")
    return source is not None and text in (ui.text(source) or "")


def page(window, name):
    return ui.find(window, "page tab", name)


@journey
def sixty_four_ranks_in_five_places():
    with Scripted(PROGRAM, 64) as window:
        ui.wait_text(window.main, "state-summary", "64 stopped")
        for line in ("0-20 breakpoint work 19", "21-40,42 breakpoint work 20", "41 signal my_divide 23 SIGFPE",
                     "43-50 running __exchange_halo 21", "51-63 stopped main 5"):
            window.play("state " + line)
        ui.wait_text(window.main, "state-summary", "1 crashed (SIGFPE), 42 at a breakpoint, 13 stopped, 8 running")
        ui.wait_text(window.main, "info", "41: signal SIGFPE, my_divide at sample.c:23")
        ui.screenshot("five-places")
        # Names keep their underscores in every menu.
        ui.act(window.main, "face-places")
        items = ui.wait_for("the menu", lambda: [n.get_name() for n in ui.walk(window.main)
                                                 if "my_divide" in (n.get_name() or "")
                                                 and ui.role_of(n) in ("label", "push button", "menu item")])
        assert all("my_divide" in name for name in items), items
        labels = [ui.text(n) for n in ui.walk(window.main) if ui.role_of(n) == "label"]
        assert not any("mydivide" in text or "_exchangehalo" in text for text in labels), labels
        ui.screenshot("five-places-menu")
        ui.xdo("key", "Escape")
        # All of one place, in a window of their own.
        ui.show_page(window.main, "Groups")
        ui.wait_for("the places", lambda: "breakpoint 1, work at sample.c:20" in ui.cells(window.main, "groups"))

        def in_sight():    # rows are made anew when ranks move
            row = ui.find_cell(window.main, "groups", "breakpoint 1, work at sample.c:20")
            row.grab_focus()
            box, view = (n.get_extents(Atspi.CoordType.SCREEN) for n in (row, ui.find(window.main, id="groups")))
            return view.y <= box.y and box.y + box.height <= view.y + view.height
        ui.wait_for("the row in sight", in_sight)

        def open_row():
            ui.click_cell(window.main, "groups", "breakpoint 1, work at sample.c:20")
            ui.act(window.main, "group-open")
        ui.do_until("their window", open_row, lambda: ui.window_now(window.app, "Ranks 21-40,42"))
        group = ui.window(window.app, "Ranks 21-40,42")
        ui.wait_text(group, "face-text", "Together: 21 ranks")
        ui.screenshot("five-places-group")


@journey
def rows_lead_to_the_source():
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 stopped work 19")
        window.play("state 5 signal work 23 SIGFPE")
        ui.wait_text(window.main, "info", "5: signal SIGFPE")
        ui.wait_for("the source", lambda: shows(window.main, "//@ work"))

        def cursor():
            source = ui.find(window.main, id="source")
            return ui.text(source)[:Atspi.Text.get_caret_offset(source)].count("\n") + 1
        ui.wait_for("the first rank's line", lambda: cursor() == 19)
        ui.show_page(window.main, "Log")
        log = ui.wait_for("the log", lambda: ui.find(window.main, id="log"))
        at = ui.wait_for("its line", lambda: ui.text(log).find("5: signal SIGFPE") + 1) - 1

        def double_click():
            box = ui.find_character(log, at)
            ui.xdo("mousemove", box.x + 5, box.y + box.height // 2, *DOUBLE)
        ui.do_until("where it crashed", double_click, lambda: cursor() == 23)
        ui.wait_for("whose values they are", lambda: "5" in ui.cells(window.main, "representative"))
        ui.press(window.main, "Queue")
        ui.wait_for("the operations", lambda: ui.cells(window.main, "operations").count("MPI_Recv") == 8)
        ui.screenshot("rows-queue")
        ui.do_until("where it waits", lambda: ui.click_cell(window.main, "operations", "work at sample.c:19", *DOUBLE),
                    lambda: cursor() == 19)


@journey
def a_source_that_has_moved():
    with tempfile.TemporaryDirectory() as folder:
        there = os.path.join(folder, "checkout", "src", "sample.c")
        other = os.path.join(folder, "other.c")
        os.makedirs(os.path.dirname(there))
        shutil.copy(SAMPLE, there)
        shutil.copy(SAMPLE, other)
        with Scripted(PROGRAM, PDDT_SAMPLE="/build/app/src/sample.c") as window:
            window.play("state 0-7 breakpoint work 19")
            ui.wait_text(window.main, "source-missing", "cannot read /build/app/src/sample.c: ")
            ui.act(window.main, "group-window")
            group = ui.window(window.app, "Ranks 0-7")
            ui.wait_text(group, "source-missing", "Cannot show sample.c\n")
            ui.screenshot("source-missing")
            # There is no line that could take a breakpoint.
            ui.press_until("nothing is set", "F9", lambda: True)
            assert "break" not in ui.text(ui.find(group, id="transcript"))

            def locate(path):
                ui.act(group, "locate-source")
                dialog = ui.window(window.app, "Locate sample.c")
                ui.wait_for("the chooser in front", lambda: dialog.get_state_set().contains(Atspi.StateType.ACTIVE))
                ui.xdo("type", path)
                ui.xdo("key", "Return")
            locate(other)
            ui.wait_text(group, "source-missing", f"{other} is not called sample.c")
            window.play(f"source {there}")
            locate(there)
            ui.wait_for("the source here", lambda: shows(group, "//@ work"))
            ui.wait_for("and in the other window", lambda: shows(window.main, "//@ work"))
            ui.type_line(group, "show options")
            ui.wait_text(group, "transcript", f"source-folders = /build/app={folder}/checkout")
            ui.screenshot("source-located")


@journey
def a_source_in_latin_1():
    with tempfile.TemporaryDirectory() as folder:
        old = os.path.join(folder, "sample.c")
        with open(SAMPLE, encoding="utf-8") as text, open(old, "w", encoding="latin-1") as copy:
            copy.write(text.read().replace("//@ work", "//@ work: mittlere Temperatur in \u00b0C, gem\u00e4\u00df \u00a72"))
        with Scripted(PROGRAM, PDDT_SAMPLE=old) as window:
            window.play("state 0-7 breakpoint work 19")
            ui.wait_for("what is written", lambda: shows(window.main, "in \u00b0C, gem\u00e4\u00df \u00a72"))
            ui.wait_text(window.main, "source-note", "Latin-1 (ISO 8859-1)")
            source = ui.find(window.main, id="source")
            here = [n for n, c in enumerate(ui.text(source)) if c == "\n"][17] + 1

            def is_seen():
                box = Atspi.Text.get_character_extents(source, here, Atspi.CoordType.SCREEN)
                view = source.get_extents(Atspi.CoordType.SCREEN)
                return view.y <= box.y and box.y + box.height <= view.y + view.height
            ui.wait_for("line 19 in sight", is_seen)
            ui.screenshot("source-latin-1")


def in_window(app, *ids):
    """No widget of these is cut by its window's edge."""
    window = app.get_extents(Atspi.CoordType.SCREEN)
    for id in ids:
        def fits():
            node = ui.find(app, id=id)
            box = node.get_extents(Atspi.CoordType.SCREEN) if node else None
            return (box and box.width > 0 and box.height > 0 and box.x >= window.x
                    and box.x + box.width <= window.x + window.width
                    and box.y + box.height <= window.y + window.height)
        ui.wait_for(id + " in its window", fits)


def column_fits(window, id, title, n_chars):
    """The table shows the whole column, with room for a text of so many characters."""
    def fits():
        table = ui.find(window, id=id)
        box = table.get_extents(Atspi.CoordType.SCREEN)
        head = next(n for n in ui.walk(table) if ui.role_of(n) == "table column header" and n.get_name() == title)
        column = head.get_extents(Atspi.CoordType.SCREEN)
        return (column.width >= n_chars * 1.5 * 7 and box.x <= column.x
                and column.x + column.width <= min(box.x + box.width, 1280))
    ui.wait_for(f"the whole column {title} of {id}", fits)


@journey
def large_text_in_the_dark():
    with Scripted(PROGRAM, GTK_THEME="Adwaita:dark", LANGUAGE="de", GDK_DPI_SCALE="1.5") as window:
        window.play("state 0-7 breakpoint work 19")
        window.play("state 5 signal work 23 SIGFPE")
        ui.wait_text(window.main, "info", "SIGFPE")
        in_window(window.main, "chart", "act-on", "source", "stack", "locals", "face")
        for id, title, n_chars in (("stack", "Rahmen", 20), ("stack", "Ränge", 7), ("locals", "Rang 0", 10),
                                   ("locals", "Quer", 9)):
            column_fits(window.main, id, title, n_chars)
        ui.screenshot("large-dark")
        ui.press(window.main, "Warteschlange")
        ui.wait_for("the operations", lambda: ui.cells(window.main, "operations").count("MPI_Recv") == 8)
        picture = ui.find(window.main, id="wait-picture").get_extents(Atspi.CoordType.SCREEN)
        assert picture.height >= 6 * 1.5 * 17, picture.height
        column_fits(window.main, "operations", "Stelle", 20)
        ui.screenshot("large-dark-queue")


@journey
def a_hundred_thousand_lines():
    """The output comes at once, the window answers meanwhile, and Ctrl+Q quits there as everywhere."""
    with Scripted(PROGRAM) as window:
        ui.wait_text(window.main, "state-summary", "8 stopped")
        ui.show_page(window.main, "Output")
        for _ in range(10):
            window.play("flood 0-7 10000")
        ui.type_line(window.main, "print step")
        ui.wait_text(window.main, "transcript", "step = ")
        output = ui.find(window.main, id="output")
        ui.wait_for("the last line", lambda: "line 9999" in (ui.text(output) or ""))
        ui.screenshot("much-output")
        output.grab_focus()
        ui.wait_for("the focus in the output", lambda: ui.is_focused(output))
        ui.xdo("key", "ctrl+q")
        ui.wait_for("the question or the end", lambda: window.process.poll() is not None
                    or ui.find(window.app, "dialog") or ui.find(window.app, "alert")
                    or any("Close" in (w.get_name() or "") for w in ui.children(window.app)))


@journey
def panes_keep_their_look_through_a_step():
    """Grey is for what is old. A step's answer is there before a pane has turned grey; one that does not come is
    told by grey and its age."""
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        ui.wait_for("the stack", lambda: "work at sample.c:19" in ui.cells(window.main, "stack"))
        ui.wait_for("not grey", lambda: not ui.text(ui.find(window.main, id="view-age")))
        window.play("hold 3")
        ui.press(window.main, "Over")
        ui.wait_for("those that arrived", lambda: "work at sample.c:20" in ui.cells(window.main, "stack"))
        ui.wait_for("none is grey", lambda: not ui.text(ui.find(window.main, id="view-age")))
        window.play("release")
        window.play("mute 0-7")
        before = time.monotonic()
        window.play("state 0-7 stopped work 24")
        ui.wait_text(window.main, "view-age", "as of ")
        assert time.monotonic() - before >= 0.2, "grey at once"
        assert "work at sample.c:20" in ui.cells(window.main, "stack"), "the last value stays"


def count_asked(window):
    """How often stacks and locals have been asked for, once nothing is under way."""
    def count():
        def said():
            return ui.text(ui.find(window.main, id="transcript")).split("asked for stacks ")[1:]
        before = len(said())
        window.play("asked")
        ui.wait_for("the numbers", lambda: len(said()) > before)
        return tuple(int(number) for number in said()[-1].split(" (")[0].split(", for locals "))
    last, now = None, count()
    while now != last:
        time.sleep(0.3)
        last, now = now, count()
    return now


@journey
def a_step_asks_once():
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        ui.wait_for("the stack", lambda: "work at sample.c:19" in ui.cells(window.main, "stack"))
        for line in (20, 21, 22):
            stacks, values = count_asked(window)
            ui.press(window.main, "Over")
            ui.wait_for("the next line", lambda: f"work at sample.c:{line}" in ui.cells(window.main, "stack"))
            assert count_asked(window) == (stacks + 1, values + 1), (line, stacks, values, count_asked(window))
        # What may have changed values asks for them, and not for the stack.
        stacks, values = count_asked(window)
        ui.type_line(window.main, "set step = 3")
        ui.wait_for("the answer", lambda: count_asked(window)[1] > values)
        assert count_asked(window) == (stacks, values + 1), (stacks, values, count_asked(window))


GLYPHS = {"blocked": "\u2298"}


def shows_other(window, state, place):
    """A row of ranks that are not stopped: a narrow pane has the chart's glyph instead of the word, but for those that run."""
    shown = ui.cells(window, "stack")
    return f"{state}, {place}" in shown or f"{GLYPHS.get(state)} {place}" in shown


@journey
def the_stack_follows_who_is_blocked():
    """What is known of ranks that wait in vain is newer than the stack of the last stop, and stands in its place;
    whose values are shown is grey as before."""
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        ui.wait_for("the stack", lambda: "work at sample.c:19" in ui.cells(window.main, "stack"))
        ui.press(window.main, "Continue")
        ui.wait_text(window.main, "state-summary", "8 running")
        ui.wait_text(window.main, "view-age", "as of ")
        window.play("state 0-4 blocked exchange 20")
        window.play("state 5-6 blocked main 5")

        def stack():
            return ui.cells(window.main, "stack")
        ui.wait_for("both places", lambda: shows_other(window.main, "blocked", "exchange at sample.c:20")
                    and shows_other(window.main, "blocked", "main at sample.c:5") and "0-4" in stack() and "5-6" in stack())
        ui.wait_for("the one that runs", lambda: shows_other(window.main, "running", "work at sample.c:19"))
        assert "app.py:12" not in stack(), stack()      # the frames of the last stop
        ui.wait_text(window.main, "view-age", "as of ")
        ui.screenshot("blocked-stack")
        # A row leads to its line; there is no frame to select in a rank that runs.
        source = ui.find(window.main, id="source")
        ui.do_until("its line", lambda: ui.click_cell(window.main, "stack", GLYPHS["blocked"] + " main at sample.c:5", "click", 1),
                    lambda: ui.text(source)[:Atspi.Text.get_caret_offset(source)].count("\n") == 4)
        assert "frame" not in ui.text(ui.find(window.main, id="transcript"))
        # Who asks for the whole stacks keeps them until somebody else is blocked.
        ui.act(window.main, "group-window")
        group = ui.window(window.app, "Ranks 0-7")
        ui.wait_for("the places in a new window", lambda: shows_other(group, "blocked", "main at sample.c:5"))
        ui.press(group, "Update")
        ui.wait_for("whole stacks", lambda: "PMPI_Recv" in ui.cells(group, "stack"))
        window.play("state 7 blocked main 6")
        ui.wait_for("who came last", lambda: shows_other(group, "blocked", "main at sample.c:6"))
        window.play("state 0-7 stopped work 24")
        ui.wait_for("the stack of the next stop", lambda: "work at sample.c:24" in stack() and GLYPHS["blocked"] not in stack())
        ui.wait_for("nothing is grey", lambda: not ui.text(ui.find(window.main, id="view-age")))


@journey
def the_stack_misses_nobody():
    """Beside the frames of those that have stopped stands what is known of all others, and follows it."""
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        ui.wait_for("the stack", lambda: "work at sample.c:19" in ui.cells(window.main, "stack"))
        ui.press(window.main, "Continue")
        ui.wait_text(window.main, "state-summary", "8 running")
        window.play("state 4-5 blocked exchange 20")
        window.play("state 6 exited main 14")
        window.play("state 0-2 breakpoint work 20")

        def stack():
            return ui.cells(window.main, "stack")
        ui.wait_for("frames and the others", lambda: all(part in stack() for part in (
            "work at sample.c:20", "main at sample.c:5", "running", GLYPHS["blocked"] + " exchange at sample.c:20",
            "exited 0")))
        ui.screenshot("stack-others")
        # Their rows follow them. A row leads to its line; there is no frame to select in a rank that runs.
        window.play("state 3 blocked main 6")
        ui.wait_for("who is blocked now", lambda: shows_other(window.main, "blocked", "main at sample.c:6"))
        ui.wait_text(window.main, "info", "3: blocked")     # the bar's second line moves what is below it
        source = ui.find(window.main, id="source")
        ui.do_until("its line", lambda: ui.click_cell(window.main, "stack", GLYPHS["blocked"] + " main at sample.c:6", "click", 1),
                    lambda: ui.text(source)[:Atspi.Text.get_caret_offset(source)].count("\n") == 5)
        assert "frame" not in ui.text(ui.find(window.main, id="transcript"))
        # What a running rank's variables are is not known; that it has none would be false.
        ui.choose(window.main, "representative", 3)
        ui.wait_for("no values", lambda: ui.cells(window.main, "locals").count("not stopped") == 3)
        # One whose stack does not come is there, too.
        window.play("mute 5")
        window.play("state 4-5 stopped work 24")
        ui.wait_for("the one that answers", lambda: "work at sample.c:24" in stack()
                    and GLYPHS["blocked"] + " exchange" not in stack())
        # Update reads them where they run.
        window.play("speak")
        ui.press(window.main, "Update")
        ui.wait_for("the stacks of those that run", lambda: "work at sample.c:19" in stack() and "running" not in stack()
                    and GLYPHS["blocked"] not in stack())
        # Of a set in which nobody has stopped no frames are shown that are another set's.
        ui.type_line(window.main, "pick 3")
        ui.wait_for("only what is known of it", lambda: shows_other(window.main, "blocked", "main at sample.c:6")
                    and "work at sample.c:24" not in stack())


run()
